# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Server: starts zedtrace -l on a port that the kernel chooses, follows its log, and ends it, however the test
# ends.
package Run::Server;
use strict;
use warnings;
use Exporter 'import';
use POSIX ();
use Socket ();
use Test::More ();
use Run::Clock;
use Run::Process;
use Run::Program;
use Run::V3Client;
use Write::Dat;

our @EXPORT = qw(wait_for wait_fast taken settled children server runs report said end_server mini mini_pages send_mini);

my @started;	# processes to end in any case
END {
	local $?;
	for my $pid (@started) {
		kill 'KILL', $pid if waitpid($pid, POSIX::WNOHANG()) == 0;
	}
}

my $serial = 0;
sub wait_for { my ($is, $seconds) = @_; return wait_until($seconds // 30, $is) }

# The other side has read all data sent over these sockets, over IPv4 on this machine.
sub taken {
	my %from = map { ((Socket::unpack_sockaddr_in(getsockname $_))[0] => 1) } @_;
	return wait_until(30, sub {
		for (split /\n/, slurp('/proc/net/tcp')) {
			my ($port, $waits) = /^\s*\d+: \S+ [0-9A-F]{8}:([0-9A-F]{4}) \S+ \S+:([0-9A-F]+) / or next;
			return 0 if $from{hex $port} && hex $waits;
		}
		return 1;
	});
}

# The processes of a server's clients.
sub children { my ($s) = @_; return split ' ', slurp("/proc/$s->{pid}/task/$s->{pid}/children") }

# The data sent over these sockets have been read, and the processes of all clients wait for more: all effects of the
# data are visible.
sub settled {
	my ($s, @sockets) = @_;
	taken(@sockets);
	return wait_until(30, sub { !grep { (eval { slurp("/proc/$_/stat") } // '') =~ /\) [^SZ] / } children($s) });
}

# As wait_for(), while a server with the test's clock only waits: its time runs faster.
sub wait_fast {
	my ($s, $is) = @_;
	return wait_for(sub { clock_forward($s->{clock}, 0.1) if $s->{clock}; $is->() });
}

# ---------------------------------------------------------------- a server of ours

# Options for zedtrace -l. {pid, port, dir, log, out}.  In a leading hash: run (the words before zedtrace), child (code
# run before it), dir (one that is there), mode (of its directory), clock (of Run::Clock), size and files (as spawn()
# has).
sub server {
	my $o = ref $_[0] eq 'HASH' ? shift : {};
	my (@options) = @_;
	my $n = ++$serial;
	my %s = (clock => $o->{clock}, dir => $o->{dir} // zed_tmp() . "/outer$n/dir", log => zed_tmp() . "/log$n", out => zed_tmp() . "/out$n");
	if (!defined $o->{dir}) {
		mkdir zed_tmp() . "/outer$n" or die "mkdir: $!\n";
		mkdir $s{dir} or die "mkdir: $!\n";
		chmod $o->{mode} // 0755, $s{dir};
	}
	for (qw(log out)) {
		open my $touch, ">", $s{$_} or die "$s{$_}: $!\n";
	}
	$s{pid} = spawn({ stdout => $s{out}, stderr => $s{log}, child => $o->{child} && sub { $o->{child}->(\%s) },
		env => $o->{clock} ? clock_env($o->{clock}) : {}, map { defined $o->{$_} ? ($_ => $o->{$_}) : () } qw(size files) },
		@{$o->{run} // []}, zed_bin('zedtrace'), '-l', '-p', '0', ("@options" =~ m{-o} ? () : ('-D', $s{dir})), @options);
	push @started, $s{pid};
	wait_for(sub { slurp($s{log}) =~ /waiting for connections/ || !-e "/proc/$s{pid}/fd/0" });
	($s{port}) = slurp($s{log}) =~ /^(?:zedtrace: )?server: listening on port (\d+)$/m
		or Test::More::BAIL_OUT('zedtrace -l does not start: ' . slurp($s{log}));
	return \%s;
}

# The directories with recordings, oldest first.
sub runs {
	my $s = shift;
	opendir my $d, $s->{dir} or die "$s->{dir}: $!\n";
	my @all = sort grep { !/^\.\.?$/ } readdir $d;
	return @all;
}

# Wait for the report of run number N (from 1); its lines.
sub report {
	my ($s, $n) = @_;
	my @r;
	wait_fast($s, sub { @r = slurp($s->{log}) =~ /^(server: end of run for trace\n.*?^Total: [^\n]*)\n/msg; @r >= $n });
	return $r[$n - 1] if @r >= $n;
	Test::More::diag("the log of the server:\n" . slurp($s->{log}));
	return 'no report';
}

sub said { my ($s, $re) = @_; return wait_for(sub { slurp($s->{log}) =~ $re }) }

# SIGTERM; the exit status, or how it failed.
sub end_server {
	my $s = shift;
	kill 'TERM', $s->{pid};
	my $status;
	wait_fast($s, sub { waitpid($s->{pid}, POSIX::WNOHANG()) == $s->{pid} and ($status = $?, 1) });
	@started = grep { $_ != $s->{pid} } @started;
	return !defined $status ? 'it goes on' : $status & 127 ? 'signal ' . ($status & 127) : $status >> 8;
}

# ---------------------------------------------------------------- sending

sub mini { return Write::Dat->new(page_size => 4096, ticks => 30, pages => 3, @_) }

sub mini_pages {
	my ($d, $cpu) = @_;
	return join '', Write::Dat::cpu_pages(bless({ %$d, events => [] }, 'Write::Dat'), $cpu, '');
}

sub send_mini {
	my ($c, $d) = @_;
	$c->hello->init($d->{cpus}, $d->{page_size})->metadata(Run::V3Client::of_mini($d));
	$c->pages($_, mini_pages($d, $_)) for 0 .. $d->{cpus} - 1;
	$c->finish;
	return;
}

1;
