# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Mcp: a running `zedperl mcp`, and a client of it that may say anything; recordings of each kind to ask about.
#
#	my $m = mcp('t/data/demo.dat');				# after initialize
#	my $r = tool($m, 'events', { rows => 3 });		# the result: {text, data, error, bytes}
#	is(mcp_end($m), 0);
package Run::Mcp;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use Time::HiRes ();
use Files;
use Run::Process;
use Run::Program qw(zed_bin zed_shared zed_tmp);

our @EXPORT = qw(mcp mcp_bare mcp_end mcp_close said ask ask_line hear rpc tool tool_start tool_result mcp_recordings trace_name
	group_members shown_words);

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my (%running, $serial);

# Starts it with the words ARGS; a hash before them is for spawn().
sub mcp_bare {
	my %o = ref $_[0] eq 'HASH' ? %{+shift} : ();
	my (@args) = @_;
	pipe my $in, my $to or die "pipe: $!\n";
	pipe my $from, my $out or die "pipe: $!\n";
	my $m = { to => $to, from => $from, text => '', id => 0, err => zed_tmp() . '/mcp.err' . ++$serial };
	$m->{pid} = spawn({ %o, stdin => $in, stdout => $out, stderr => $m->{err} }, zed_bin('zedperl'), 'mcp', @args);
	$running{$m->{pid}} = 1;
	$to->autoflush(1);
	return $m;
}

# ... and agrees on the revision VERSION.
sub mcp {
	my $m = mcp_bare(@_);
	my $r = rpc($m, 'initialize', { protocolVersion => '2025-11-25', capabilities => {}, clientInfo => { name => 'test', version => '0' } });
	die "initialize: " . said($m) . "\n" if !$r->{result};
	ask_line($m, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
	return $m;
}

sub said { my ($m) = @_; return slurp($m->{err}) }

# Its input ends.
sub mcp_close { my ($m) = @_; close delete $m->{to} if $m->{to}; return }

# ... and how it ended: its exit status, or "signal N"; "late".
sub mcp_end {
	my ($m, $seconds) = @_;
	mcp_close($m);
	my ($status, $late) = reap($m->{pid}, $seconds // 60);
	delete $running{$m->{pid}};
	return $late ? 'late' : how_it_ended($status);
}

END {
	local $?;
	for (keys %running) {
		kill KILL => $_;
		waitpid $_, 0;
	}
}

# ---- messages

sub ask_line { my ($m, $line) = @_; local $SIG{PIPE} = 'IGNORE'; return print { $m->{to} } "$line\n" }

# Sends a request, and returns its id.
sub ask {
	my ($m, $method, $params, $id) = @_;
	$id //= ++$m->{id};
	ask_line($m, $json->encode({ jsonrpc => '2.0', id => $id, method => $method, $params ? (params => $params) : () }));
	return $id;
}

# The next message, decoded, with its bytes in {-bytes}; undef: none came in SECONDS, or its output has ended.
sub hear {
	my ($m, $seconds) = @_;
	my $end = Time::HiRes::time() + ($seconds // 60);
	while ($m->{text} !~ /\n/) {
		my $left = $end - Time::HiRes::time();
		return if $left <= 0;
		my $bits = '';
		vec($bits, fileno $m->{from}, 1) = 1;
		next if !select $bits, undef, undef, $left;
		return if !sysread $m->{from}, $m->{text}, 1 << 20, length $m->{text};
	}
	$m->{text} =~ s/\A([^\n]*)\n//;
	my $line = $1;
	my $message = eval { $json->decode($line) } // die "not JSON: $line\n";
	return { %$message, -bytes => length $line, -line => $line };
}

# The answer to a request; notifications before it are kept in {notes}.
sub rpc {
	my ($m, $method, $params, $id) = @_;
	return answer_to($m, ask($m, $method, $params, $id));
}

sub answer_to {
	my ($m, $id) = @_;
	while (my $message = delete $m->{answers}{$id} // hear($m)) {
		return $message if !exists $message->{method} && defined $message->{id} && $message->{id} eq $id;
		if ($message->{method}) { push @{$m->{notes}}, $message }
		else { $m->{answers}{$message->{id} // ''} = $message }
	}
	die "no answer to $id: " . said($m) . "\n";
}

# ---- tools

sub tool_start {
	my ($m, $name, $args, %meta) = @_;
	return ask($m, 'tools/call', { name => $name, arguments => $args // {}, %meta ? (_meta => \%meta) : () });
}

sub tool_result {
	my ($m, $id) = @_;
	my $message = answer_to($m, $id);
	my $r = $message->{result} // return { error => $message->{error}{message}, code => $message->{error}{code}, bytes => $message->{-bytes}, text => '' };
	my ($result) = $message->{-line} =~ /"result":(.*)\}\z/s;
	return { text => $r->{content}[0]{text}, data => $r->{structuredContent}, error => $r->{isError} ? $r->{content}[0]{text} : undef,
		bytes => length $result, result => $r };
}

sub tool { my ($m, @call) = @_; return tool_result($m, tool_start($m, @call)) }

# ---- recordings

# [kind, path, an analysis that has rows there] of the KIND: at most N. Of trace.dat and perf.data a whole recording, lost
# events, another byte order, a clock of ticks, several buffers, a pipe, one cut off.
sub mcp_recordings {
	my ($kind, $n) = @_;
	my %of = ('trace.dat' => sub { ['docs/shell.dat', 'waits'], ['t/data/be_lost.dat', 'irq'],
			['t/data/clock_tsc.dat', 'timers'], ['t/data/armhf_multibuf.dat', 'off-cpu'], ['t/data/block.dat', 'block'] },
		'perf.data' => sub { map { ["t/data/perf/$_->[0].data", $_->[1]] } ['sched', 'wakeup-latency'], ['rawsys_g', 'syscalls'],
			['bigendian', 'syscalls'], ['pipe', 'syscalls'], ['unfinished', 'sched-summary'] },
		LTT => sub { ['t/data/ltt-g1', 'waits'] },
		CTF => sub { map { [$_, 'sched-summary'] } made_ctf() });
	my @all = $of{$kind}->();
	return map { [$kind, @$_] } @all[0 .. ($n < @all ? $n : @all) - 1];
}

my @MINIATURES = ('100 0 0 switch 0 R 10 | 110 0 10 enter 257 | 150 0 10 exit 257 3 | 200 0 10 switch 10 S 0',
	'100 0 0 waking 20 0 | 150 0 0 switch 0 R 20 | 160 0 20 enter 0 | 190 0 20 switch 20 S 0 | 300 0 0 waking 20 0 | 420 0 0 switch 0 R 20 | 430 0 20 exit 0 0');

sub made_ctf {
	require Write::LttngMiniature;
	my $n = 0;
	return map { Write::LttngMiniature::lttng_miniature(zed_tmp() . '/ctf' . ++$n, $_) } @MINIATURES;
}

sub trace_name { my ($path) = @_; return (split m{/}, $path)[-1] }

# The words of a command that an answer shows, as a shell takes them.
sub shown_words {
	my ($command) = @_;
	my @words = split /\0/, `sh -c 'zedperl() { printf "%s\\0" zedperl "\$@"; }; zedprint() { printf "%s\\0" zedprint "\$@"; }; eval "\$1"' sh ${\ quotemeta $command}`;
	return @words;
}

# Processes of the groups whose leaders PID has started, or had.
sub group_members {
	my (@leaders) = @_;
	my %is = map { $_ => 1 } @leaders;
	my @found;
	for my $path (glob '/proc/[0-9]*/stat') {
		open my $in, '<', $path or next;
		my $line = <$in> // next;
		my ($pid, $state, $group) = $line =~ /\A(\d+) \(.*\) (\S) \d+ (\d+)/s or next;
		push @found, $pid if $is{$group} && $state ne 'Z';
	}
	return @found;
}

1;
