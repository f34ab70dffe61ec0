# SPDX-License-Identifier: GPL-2.0-or-later
#
# Clients whose clocks differ from each other (mono and tai) and from that of the server (in a time namespace, 1000 s ahead):
# the same events of one kernel, recorded by both, have the same times within the error that is told, also as times of day,
# in one stream and in the two files that another server writes.
#
# of: record/net/client_time.c reader/zedstream record/net/server/mux.c record/file/spool.c reader/dat/clocks.c
# runs: make check
# Without it: a fleet's causes and effects are ordered by clocks that nobody has compared, or by a wrong sum.
use strict;
use warnings;
use Test::More;
use File::Spec ();
use Time::HiRes ();
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

use constant AHEAD => 1000;	# s
use constant LATER => 0.005;	# s: the second instance's record is made after the first one's

live_or_skip();
my $held = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();
my $saved = "$dir/both.zed";

my ($unshare) = grep { -x } map { "$_/unshare" } split /:/, $ENV{PATH};
my @space = defined $unshare ? ($unshare, '-T', '--monotonic', AHEAD, '--fork') : ();
my $ahead = @space && system("@space true 2>/dev/null") == 0 ? AHEAD : 0;
live_cannot('no time namespace here: the server has the clock of its clients') if !$ahead;
my $files = "$dir/files";
mkdir $files or die "$files: $!\n";

# A server there: its handle, and port.
sub server {
	my ($o, @options) = @_;
	my $h = live_start($o, $ahead ? (@space, File::Spec->rel2abs(zed_bin('zedtrace'))) : 'zedtrace', '-l', '-p', '0', @options);
	my $port;
	wait_until(30, sub { ($port) = slurp($h->{err}->filename) =~ /listening on port (\d+)\n.*waiting/s });
	die 'zedtrace -l does not start: ' . slurp($h->{err}->filename) if !$port;
	return ($h, $port);
}
my ($l, $port) = server({ stdout => $saved }, '-o', '-');
my ($to_files, $files_port) = server({}, '-D', $files);

my @clients;
for my $at ($port, $files_port) {
	for my $clock (qw(mono tai)) {
		push @clients, live_start('zedtrace', '-h', "127.0.0.1:$at", '-C', $clock, 'sched:sched_process_exec');
		live_ready($clients[-1]);
	}
}
my ($from, $from_mono) = (Time::HiRes::time(), mono_now());
my $program = "$dir/once$$-";
for my $i (1 .. 20) {
	symlink '/bin/true', "$program$i";
	system "$program$i";
}
my ($to, $to_mono) = (Time::HiRes::time(), mono_now());
live_signal($_, 'INT') for @clients;
is(live_end($_)->{exit}, 0, 'a client ends well') or diag($_->{ended}{err}) for @clients;
is(live_end($l, 30)->{exit}, 0, 'and the server with the last one') or diag($l->{ended}{err});
wait_until(30, sub { 2 == (() = slurp($to_files->{err}->filename) =~ /^Total: /mg) });
# In a namespace the server is a child of what made that, which passes no signal on.
kill 'TERM', $ahead ? split ' ', slurp("/proc/$to_files->{pid}/task/$to_files->{pid}/children") : $to_files->{pid};
is(live_end($to_files, 30)->{exit}, 0, 'the one that writes files ends when it is told') or diag($to_files->{ended}{err});
my @files = glob "$files/*/trace.dat";
is(scalar(@files), 2, 'the other server has written two files') or diag($to_files->{ended}{err});

my $r = zed_run('zedprint', '--summary', $saved);
my @wrong = $r->{out} =~ /^  times .* s to those of the machine that received it, \+-(\d+\.\d+) s/mg;
is(scalar(@wrong), 2, 'of each client it is told how much its times may be wrong') or diag($r->{out}, $r->{err});
cmp_ok($_, '<', 1, '... which is less than a second') for @wrong;

# The times (ns) of each of these programs, by source.
sub times_of {
	my ($inputs, @options) = @_;
	my $read = zed_run('zedperl', @options, (map { ('-i', $_) } @$inputs), '-e',
		'Zed::on("sched:sched_process_exec", args => ["filename"], sub { print Zed::source(), " ", Zed::ts(), " $_[0]\n" })');
	is($read->{exit}, 0, "read @options") or diag($read->{err});
	my %at;
	for (split /\n/, $read->{out}) {
		my ($source, $ts, $file) = split;
		$at{$file}{$source} = $ts if $file =~ /^\Q$program\E/;
	}
	return ($read->{err}, \%at);
}

for my $case (['the server\'s monotonic clock', [$saved], $from_mono + $ahead, $to_mono + $ahead],
	['the server\'s time of day', [$saved], $from, $to, '--wall', '-v'],
	['the server\'s time of day, of files', \@files, $from, $to, '--wall', '-v']) {
	my ($what, $inputs, $begin, $end, @options) = @$case;
	my ($said, $at) = times_of($inputs, @options);
	my @wrong = $inputs->[0] eq $saved ? @wrong : $said =~ /wrong by (\d+\.\d+) s at most/g;
	is(scalar(grep { keys %$_ == 2 } values %$at), 20, "$what: each event is there twice, by both clients") or diag(explain($at));
	my @apart = map { my ($x, $y) = values %$_; abs($x - $y) / 1e9 } grep { keys %$_ == 2 } values %$at;
	is(scalar(grep { $_ > $wrong[0] + $wrong[1] + LATER } @apart), 0, '... at the same time, within the error that is told (else: the order is that of nobody\'s clock)')
		or diag("@apart; @wrong");
	my @beyond = grep { $_ < $begin - $wrong[0] - $wrong[1] - LATER || $_ > $end + $wrong[0] + $wrong[1] + LATER } map { $_ / 1e9 } map { values %$_ } values %$at;
	is("@beyond", '', "... and it is that of $what") or diag("$begin to $end");
	is(scalar(() = $said =~ /times of day are those of the machine that received it, wrong by 0\.\d+ s at most/g), @options ? 2 : 0, '... whose error is told')
		or diag($said);
}

done_testing();
