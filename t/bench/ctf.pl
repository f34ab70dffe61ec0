# SPDX-License-Identifier: GPL-2.0-or-later
#
# ctf.pl: CTF traces, beside babeltrace2: million events a second of CPU time, counted, given to a handler of three fields, and
# as text; and the milliseconds that the metadata take.  The time of a run without events, which is that of a trace of the same
# metadata without data, is not counted.
use strict;
use warnings;
use lib 't/lib';
use File::Path ();
use Files;
use POSIX ();

my $bin = $ENV{ZED_BIN_DIR} // '.';
my $work = 'build/bench/ctf';
my $rounds = $ENV{ROUNDS} // 10;
my ($shared) = grep { -d "$_/data/ctf" } $ENV{ZED_SHARED} // (), '../shared';
if (!$shared) {
	print "The recordings are not here: set ZED_SHARED to the directory that holds data/.\n";
	exit 0;
}
my $other = grep { -x "$_/babeltrace2" } split /:/, $ENV{PATH};
print "babeltrace2 is not here\n" if !$other;

# CPU seconds of a command and its children: the mean of some runs, as what is counted are ticks.
sub cost {
	my ($cmd) = @_;
	my @before = POSIX::times();
	for (1 .. $rounds) {
		system("$cmd >/dev/null 2>$work/err") == 0 or die "failed: $cmd\n" . slurp("$work/err");
	}
	my @after = POSIX::times();
	return ($after[3] + $after[4] - $before[3] - $before[4]) / POSIX::sysconf(POSIX::_SC_CLK_TCK()) / $rounds;
}

# A trace of the metadata in FROM, and COPIES of each data file in a row: more events of the same kind.
sub made {
	my ($from, $to, $copies) = @_;
	File::Path::make_path($to);
	spew("$to/metadata", slurp("$from/metadata"));
	for my $file (grep { -f && !/\/metadata$/ } glob "$from/*") {
		my ($name) = $file =~ m{([^/]+)$};
		spew("$to/$name", slurp($file) x $copies) if $copies;
	}
	return $to;
}

# Each: the archive, the trace in it, an event with three fields.
for my $case (['lttng-kernel-4.4', 'basic-kernel-analysis/kernel', 'sched::sched_switch', 'prev_tid next_tid prev_state'],
	['ros2', 'ros2', 'ros2::callback_start', 'callback is_intra_process context_vtid']) {
	my ($name, $below, $event, $fields) = @$case;
	File::Path::make_path("$work/$name");
	system('tar', '--zstd', '-C', "$work/$name", '-xf', "$shared/data/ctf/$name.tar.zst") == 0 or die "cannot unpack $name\n";
	my $trace = made("$work/$name/$below", "$work/$name.many", 12);
	my $empty = made("$work/$name/$below", "$work/$name.none", 0);
	my ($events) = `$bin/zedprint --summary $trace 2>/dev/null` =~ /^  events +(\d+)/m;
	my ($metadata) = -s "$empty/metadata";
	printf "%s: %d events, %d KB of metadata\n", $name, $events, $metadata / 1024;
	my $names = join ', ', map { "\"$_\"" } split / /, $fields;
	my $handler = "use Zed; my (\$n, \$calls) = (0, 0); Zed::on(\"$event\", args => [$names], sub { \$calls++; \$n += \$_[0] + \$_[1] + \$_[2] }); "
		. 'sub trace_end { print $calls }';
	my $calls = `$bin/zedperl -e '$handler' $trace 2>/dev/null`;
	my %took;
	my @runs = (['zedprint, counted', "$bin/zedprint --summary"], ['zedperl, no handler', "$bin/zedperl -e 'sub trace_end { }'"],
		["zedperl, $event", "$bin/zedperl -e '$handler'"], ['zedprint, text', "$bin/zedprint"],
		$other ? (['babeltrace2, counted', 'babeltrace2 -c sink.utils.counter'], ['babeltrace2, text', 'babeltrace2']) : ());
	for (@runs) {
		my ($what, $cmd) = @$_;
		my $none = cost("$cmd $empty");
		# Packets of the copies begin before those before them ended: babeltrace2 refuses them.
		my ($of, $n) = $cmd =~ /^babeltrace2/ ? ("$work/$name/$below", $events / 12) : ($trace, $events);
		my $seconds = $took{$what} = cost("$cmd $of") - $none;
		printf "  %-34s %6.2f million events/s, %4.0f ms before the first\n", $what, $seconds > 0 ? $n / $seconds / 1e6 : 0, $none * 1e3;
	}
	# As if the trace had no other events: what all of them cost unhandled, and what the calls cost more.
	my $call = ($took{"zedperl, $event"} - $took{'zedperl, no handler'}) / $calls + $took{'zedperl, no handler'} / $events;
	printf "  a trace of %s alone: %.2f million events/s into a handler of three fields\n", $event, 1 / $call / 1e6;
}
