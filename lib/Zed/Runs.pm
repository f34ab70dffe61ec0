# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs: other analyses of the same inputs, each in a process of this program, at most as many at once as CPUs.
package Zed::Runs;
use strict;
use warnings;

use IO::Select ();
use POSIX ();

our $VERSION = '0.1';

my $PROGRAM = '/proc/self/exe';
my $CHUNK = 1 << 20;	# bytes of a read
my $MOST = 64 << 20;	# bytes of an answer

# The CPUs that this process may use.
sub cpus {
	open my $in, '<', '/proc/self/status' or return 1;
	my ($mask) = map { /^Cpus_allowed:\s*([\da-f,]+)/ ? $1 : () } <$in>;
	close $in;
	my $digits = ($mask // '1') =~ tr/,//dr;
	return unpack('%32b*', pack 'H*', '0' x (length($digits) % 2) . $digits) || 1;
}

# WORDS: those before an analysis (Zed::_again), a reference; MOST: processes at once.
sub new {
	my ($class, %o) = @_;
	return bless { words => $o{words}, most => $o{most} // cpus(), waits => [], runs => {}, owner => $$ }, $class;
}

# One more: its NAME for the caller, the words from the analysis on.
sub add {
	my ($self, $name, @words) = @_;
	push @{$self->{waits}}, [$name, @words];
	_start($self) if keys %{$self->{runs}} < $self->{most};
	return;
}

sub _start {
	my ($self) = @_;
	my ($name, @words) = @{shift @{$self->{waits}} // return};
	my @line = ('zedperl', @{$self->{words}}, '--', @words);
	pipe my $out, my $to or die "cannot start $name: $!\n";
	pipe my $err, my $say or die "cannot start $name: $!\n";
	STDOUT->flush;
	my $pid = fork // die "cannot start $name: $!\n";
	_become(\@line, $to, $say) if !$pid;
	$self->{runs}{$pid} = { name => $name, pid => $pid, open => 2,
		files => [[$out, 'out'], [$err, 'said']], out => '', said => '' };
	return;
}

sub _become {
	my ($line, $out, $err) = @_;
	@SIG{qw(INT TERM PIPE)} = ('DEFAULT') x 3;	## no critic (RequireLocalizedPunctuationVars)
	open STDIN, '<', '/dev/null' or POSIX::_exit(126);
	POSIX::dup2(fileno $out, 1) && POSIX::dup2(fileno $err, 2) or POSIX::_exit(126);
	exec {$PROGRAM} @$line or POSIX::_exit(127);
}

# Waits for all of them; CODE is called with each as it ends: name, out, said, status (as a shell has it). A signal is
# passed on to those that run, which end with what they have; the others are not started.
sub each_end {
	my ($self, $code) = @_;
	local @SIG{qw(INT TERM)} = (sub { stop($self, $_[0]) }) x 2;
	while (!$self->{stopped} && @{$self->{waits}} || keys %{$self->{runs}}) {
		_start($self) while !$self->{stopped} && @{$self->{waits}} && keys %{$self->{runs}} < $self->{most};
		_read($self);
		for my $run (grep { !$_->{open} } values %{$self->{runs}}) {
			1 while waitpid($run->{pid}, 0) < 0 && $!{EINTR};
			$run->{status} = $? & 127 ? 128 + ($? & 127) : $? >> 8;
			delete $self->{runs}{$run->{pid}};
			$code->($run);
		}
	}
	return;
}

# Ends those that run by SIGNAL, with the answers that they have; the others are not started.
sub stop {
	my ($self, $signal) = @_;
	$self->{stopped} = 1;
	kill $signal => keys %{$self->{runs}};
	return;
}

# What they have written by now.
sub _read {
	my ($self) = @_;
	my %of = map { my $run = $_; map { (fileno $_->[0] => [$run, @$_]) } @{$run->{files}} }
		values %{$self->{runs}};
	for my $file (IO::Select->new(map { $_->[1] } values %of)->can_read) {
		my ($run, undef, $what) = @{$of{fileno $file}};
		my $n = sysread $file, $run->{$what}, $CHUNK, length $run->{$what};
		next if !defined $n && $!{EINTR};
		if (length $run->{$what} > $MOST) {
			kill TERM => $run->{pid};
			($run->{out}, $n) = ('', 0);
		}
		next if $n;
		@{$run->{files}} = grep { $_->[0] != $file } @{$run->{files}};
		$run->{open}--;
	}
	return;
}

sub stopped { return $_[0]{stopped} }
sub left { return map { $_->[0] } @{$_[0]{waits}} }

# Nobody takes their answers any more.
sub DESTROY {
	my ($self) = @_;
	return if $self->{owner} != $$;
	local ($?, $!);
	kill TERM => keys %{$self->{runs}};
	waitpid $_, 0 for keys %{$self->{runs}};
	return;
}

1;

__END__

=head1 NAME

Zed::Runs - other analyses of the same inputs, each in a process of its own

=head1 SYNOPSIS

    use Zed::Runs;

    my $runs = Zed::Runs->new(words => [Zed::_again()]);

    $runs->add($_, $_, '--json') for qw(waits syscalls);
    $runs->each_end(sub { my ($run) = @_; print "$run->{name}: $run->{out}" if !$run->{status} });

=head1 DESCRIPTION

An analysis ends by C<exit>, keeps its states in globals and may fail: so an answer that is made from several, such as
B<report>, starts each as a process of the running program, with the same inputs and the same choice of events. Their
outputs are kept in memory, at most 64 MiB of each.

=head1 METHODS

=over

=item Zed::Runs->new(words => [WORD, ...], [most => N])

The WORDs of the command line before an analysis. At most N processes at once: as many as this process has CPUs.

=item $runs->add(NAME, WORD, ...)

One more analysis, with its options. It is started now if there is a CPU.

=item $runs->each_end(CODE)

Waits for all, and calls CODE for each that has ended, with a reference to a hash: C<name>; C<out> and C<said>, what it
has printed on standard output and standard error; its exit C<status>, 128 and the number for a signal. SIGINT and
SIGTERM are passed on to those that run, which end with the answer that they have; no more are started.

=item $runs->stop(SIGNAL)

Does the same without a signal to this process.

=item $runs->stopped, $runs->left

Was there a signal? The names of those that were not started.

=item Zed::Runs::cpus()

How many CPUs this process may use.

=back

=head1 SEE ALSO

report of zedperl-scripts(7), Zed::Sections

=head1 LICENCE

GPL-2.0-or-later

=cut
