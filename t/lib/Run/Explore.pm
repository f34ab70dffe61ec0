# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Explore: a running `zedperl explore`, and clients of it that may say anything.
#
#	my $s = explore('t/data/demo.dat');		# its port, token, pid
#	my $r = get($s, 'events', from => 0, to => 9);	# {status, head, body, json}
#	is(explore_end($s), 0);
package Run::Explore;
use strict;
use warnings;
use Exporter 'import';
use IO::Socket::INET ();
use JSON::PP ();
use Time::HiRes ();
use Files;
use Run::Process;
use Run::Program qw(zed_bin);

our @EXPORT = qw(explore explore_end get target request dial hear parsed children);

my $serial = 0;
my %running;

# Starts it with ARGS; a hash before them is for spawn().
sub explore {
	my %o = ref $_[0] eq 'HASH' ? %{+shift} : ();
	my (@args) = @_;
	my ($out, $err) = map { temp_dir() . "/explore$_" . ++$serial } qw(out err);
	my $s = { out => $out, err => $err };
	$s->{pid} = spawn({ %o, stdout => $out, stderr => $err }, zed_bin('zedperl'), 'explore', '--no-open', @args);
	$running{$s->{pid}} = 1;
	wait_until(60, sub { -e $out && slurp($out) =~ m{^http://(\[[^\]]+\]|[^:/]+):(\d+)/([^/]+)/$}m and @$s{qw(host port token)} = ($1, $2, $3) })
		or die "zedperl explore prints no address: " . slurp($err) . "\n";
	return $s;
}

# Ends it by SIGNAL, and returns how it ended.
sub explore_end {
	my ($s, $signal) = @_;
	kill $signal // 'INT', $s->{pid};
	my ($status, $late) = reap($s->{pid}, 60);
	delete $running{$s->{pid}};
	return $late ? 'late' : how_it_ended($status);
}

END {
	local $?;
	for (keys %running) {
		kill KILL => $_;
		waitpid $_, 0;
	}
}

# Processes that PID has started and that still run.
sub children {
	my ($pid) = @_;
	open my $in, '<', "/proc/$pid/task/$pid/children" or return;
	return split ' ', <$in> // '';
}

sub dial {
	my ($s) = @_;
	return IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $s->{port}, Timeout => 60) // die "connect: $!\n";
}

# Up to the end of the connection, or of one answer, SECONDS at most.
sub hear {
	my ($socket, $seconds) = @_;
	my $all = '';
	my $end = Time::HiRes::time() + ($seconds // 60);
	while (1) {
		my ($head) = $all =~ /\A(.*?\r\n\r\n)/s;
		if (defined $head && $head =~ /^Content-Length: (\d+)\r$/mi) {
			return $all if length $all >= length($head) + $1;
		}
		my $left = $end - Time::HiRes::time();
		return "$all (late)" if $left <= 0;
		my $bits = '';
		vec($bits, fileno $socket, 1) = 1;
		next if !select $bits, undef, undef, $left;
		my $n = sysread $socket, $all, 65536, length $all;
		return $all if !$n;
	}
}

# The target of a request: a path below the token.
sub target {
	my ($s, $what, @q) = @_;
	my @words;
	while (my ($k, $v) = splice @q, 0, 2) {
		push @words, "$k=" . $v =~ s/([^A-Za-z0-9_.:-])/sprintf '%%%02X', ord $1/ger;
	}
	return "/$s->{token}/$what" . (@words ? '?' . join('&', @words) : '');
}

# The text of a request; HEAD replaces or adds lines (undef: leaves out).
sub request {
	my ($s, $target, %o) = @_;
	my $method = delete $o{method} // 'GET';
	my %head = (Host => "127.0.0.1:$s->{port}", %o);
	return "$method $target HTTP/1.1\r\n" . join('', map { defined $head{$_} ? "$_: $head{$_}\r\n" : () } sort keys %head) . "\r\n";
}

sub parsed {
	my ($text) = @_;
	my ($head, $body) = split /\r\n\r\n/, $text, 2;
	my ($status) = ($head // '') =~ m{\AHTTP/1\.[01] (\d+)};
	my $json = defined $body && ($head =~ m{^Content-Type: application/json}mi) ? eval { JSON::PP->new->utf8->decode($body) } : undef;
	return { status => $status // 'none', head => $head // '', body => $body // '', json => $json };
}

# The answer to WHAT?Q of a page that was served here.
sub get {
	my ($s, $what, @q) = @_;
	my $socket = dial($s);
	print {$socket} request($s, target($s, $what, @q));
	return parsed(hear($socket));
}

1;
