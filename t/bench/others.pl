# SPDX-License-Identifier: GPL-2.0-or-later
#
# others.pl: one question, how often each system call was made, put to zedperl's aggregation, to a handler, to
# trace-cmd report and awk, and to perf script: ns of CPU time an event, side by side.  The first three read one
# trace.dat; perf reads its own recording of as many events (perf script has no other input): so it is named per event.
# Needs trace-cmd and perf; root and a tracefs for perf's recording.  Whoever is missing is left out, and it is said.
use strict;
use warnings;
use lib 't/lib';
use Files;
use POSIX ();
use Time::HiRes ();

my $bin = $ENV{ZED_BIN_DIR} // '.';
my $work = 'build/bench';
my $rounds = $ENV{ROUNDS} // 5;
my ($shared) = grep { -d "$_/data" } $ENV{ZED_SHARED} // (), '../shared';
my $dat = $ENV{ZED_OTHERS_DAT} // (glob(($shared // '.') . '/data/*/a11_big_zstd.dat'))[0];
if (!$dat || !-e $dat) {
	print "The recordings are not here: set ZED_SHARED to the directory that holds data/.\n";
	exit 0;
}
$ENV{PERF_EXEC_PATH} //= '/usr/lib/perf-core';
mkdir 'build';
mkdir $work;

sub has { my ($name) = @_; return grep { -x "$_/$name" } split /:/, $ENV{PATH} }
sub median { my @s = sort { $a <=> $b } @_; return $s[@s / 2] }

# CPU seconds of a shell's command and its children, and what it printed.
sub cost {
	my ($cmd) = @_;
	my @before = POSIX::times();
	my $out = `$cmd`;
	die "failed: $cmd\n" if $?;
	my @after = POSIX::times();
	return (($after[3] + $after[4] - $before[3] - $before[4]) / POSIX::sysconf(POSIX::_SC_CLK_TCK()), $out);
}

# "NAME COUNT" lines, sorted, whoever made them.
sub sorted { return join '', map { "$_\n" } sort grep { length } split /\n/, $_[0] }

my ($events) = `$bin/zedprint --summary '$dat'` =~ /^  events +(\d+)/m;
my $handler = "$work/others-handler.pl";
spew($handler, 'my %n; sub raw_syscalls::sys_enter { $n{$_[4]}++ } sub trace_end { print "$_ $n{$_}\n" for keys %n }' . "\n");
my $zed = "$bin/zedperl -e 'my \$n = Zed::count(\"raw_syscalls:sys_enter\", by => \"id\"); "
	. "sub trace_end { print \"\$_->{id} \$_->{count}\\n\" for \$n->rows }' '$dat'";
my $awk = q{awk '/sys_enter: / { for (i = 1; i < NF; i++) if ($i == "NR") { n[$(i + 1)]++; break } } END { for (c in n) print c, n[c] }'};
my @cases = (['zedperl, Zed::count', $zed], ['zedperl, a handler', "$bin/zedperl '$dat' $handler"]);
if (has('trace-cmd')) {
	push @cases, ['trace-cmd report | awk', "trace-cmd report '$dat' 2>/dev/null | $awk"];
} else {
	print "trace-cmd is not here\n";
}
my (%seconds, %answer);
for my $round (1 .. $rounds) {
	for (@cases) {
		my ($name, $cmd) = @$_;
		# Minutes: once is enough.
		next if $round > 1 && $name =~ /^trace-cmd/;
		my ($s, $out) = cost($cmd);
		push @{$seconds{$name}}, $s;
		$answer{$name} = sorted($out);
	}
}
my ($first) = $answer{$cases[0][0]};
die "nothing was counted in $dat\n" if !length $first;
my $base = median(@{$seconds{$cases[0][0]}}) / $events;

sub row {
	my ($name, $ns, $same) = @_;
	printf "  %-28s %8.0f ns an event, %6.1f times  %s\n", $name, $ns * 1e9, $base ? $ns / $base : 0, $same;
	return;
}

print "How often was each system call made?  $events events, ", scalar split(/\n/, $first), " calls\n";
row($_->[0], median(@{$seconds{$_->[0]}}) / $events, $answer{$_->[0]} eq $first ? 'the same answer' : 'ANOTHER ANSWER') for @cases;

# perf: its own recording, and its Perl engine or its text.
if (!has('perf') || $>) {
	print "perf is not here, or this is not root: left out\n";
	exit 0;
}
my $data = "$work/others.data";
if (system "perf record -q -a -o $data -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -- "
	. "sh -c 'for i in 1 2 3 4; do ls -lR /usr/share/doc >/dev/null; done' >$work/perf.out 2>&1") {
	print "perf cannot record here: left out\n";
	exit 0;
}
my $text = "perf script -i $data -F comm,tid,cpu,time,event,trace 2>/dev/null";
my ($n) = `$text | wc -l` =~ /(\d+)/;
for (['perf script | awk', "$text | $awk"], ['perf script, a handler', "perf script -i $data -s $handler 2>/dev/null"]) {
	my ($name, $cmd) = @$_;
	my $out = `$cmd`;
	if ($? || $out !~ /\d$/m) {
		print "  $name: does not run here\n";
		next;
	}
	row($name, median(map { (cost($cmd))[0] } 1 .. $rounds) / $n, "its own $n events");
}
unlink $data;
