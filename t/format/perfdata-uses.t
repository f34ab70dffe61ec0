# SPDX-License-Identifier: GPL-2.0-or-later
#
# What all programs do with any trace, on perf.data: aggregations, filters, stable and synthetic events, all forms of
# text, the summary, analyses, beside perf script's own text of the same recordings.  Without it one of these could
# give other numbers of a perf.data than of a trace.dat, and nobody would see.
#
# of: reader/perf analysis/aggregate run/filter stable run/synthetic sink/print programs
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::Program qw(:DEFAULT same spew);

my $dir = zed_tmp();
my $data = 't/data/perf';

# What perf printed, a hash for each event.
sub perfs {
	my ($name) = @_;
	my @lines = `gzip -dc $data/$name.script.txt.gz`;
	die "gzip $name\n" if $?;
	return map { /^\s*(.{1,16}?)\s+(-?\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\w+:\w+): (.*?)\s*$/
		? { comm => $1, tid => $2, cpu => $3 + 0, ts => $4 * 1_000_000_000 + $5, event => $6, text => $7 } : () } @lines;
}

# Lines of a count and a key, sorted.
sub counted { my %n; $n{$_}++ for @_; return join '', sort map { "$n{$_} $_\n" } keys %n }

sub rows {
	my ($file, @options) = @_;
	my $by = pop @options;
	my $names = join ' ', map { "\$_->{$_}" } split / /, $by;
	my $r = zed_run('zedperl', @options, '-e', "my \$n = Zed::count('*:*', by => [qw($by)]); sub trace_end { print map { \"\$_->{count} $names\\n\" } \$n->rows }", $file);
	is($r->{err}, '', "$file by $by: without a word");
	return join '', sort map { "$_\n" } split /\n/, $r->{out};
}

for my $name (qw(sched rawsys_g sys_z forks_mono pipe pipe_z_g dir)) {
	my $file = "$data/$name.data";
	my @theirs = perfs($name);
	cmp_ok(scalar @theirs, '>', 20, "$name: perf's text is understood");
	same(rows($file, 'event common_cpu'), counted(map { "$_->{event} $_->{cpu}" } @theirs), "$name: Zed::count by event and CPU is what perf's text has");
	my @alive = grep { $_->{tid} > 0 } @theirs;
	my %task = map { ("$_->{ts}" => "$_->{tid} $_->{comm}") } @alive;
	my $half = $theirs[@theirs / 2]{ts};
	same(rows($file, '-F', "*: ts >= $half", 'event'), counted(map { $_->{event} } grep { $_->{ts} >= $half } @theirs), "$name: ... with a filter");
	for my $form (['-f', 'zed'], ['-f', 'report'], ['-f', 'json']) {
		my $r = zed_run('zedprint', @$form, $file);
		my @lines = grep { !/^cpus=|^#|"summary"/ } split /\n/, $r->{out};
		is("$r->{exit} $r->{err}" . @lines, '0 ' . @theirs, "$name: zedprint @$form has a line for each event");
		if ($form->[1] eq 'json') {
			my @mine = map { JSON::PP::decode_json($_) } @lines;
			is(scalar(grep { my $t = $task{$_->{ts}}; defined $t && $t ne "$_->{pid} $_->{comm}" } @mine), 0, "$name: ... of perf's task, by its name then");
		}
	}
	my $r = zed_run('zedprint', '--summary', $file);
	my %events = map { /^  (\w+)::(\w+) +(\d+)$/ ? ("$1:$2" => $3) : () } split /\n/, $r->{out};
	same(join('', sort map { "$events{$_} $_\n" } keys %events), counted(map { $_->{event} } @theirs), "$name: --summary counts the same");
	$r = zed_run('zedprint', '-f', 'perfetto', $file);
	is("$r->{exit} $r->{err}", '0 ', "$name: -f perfetto");
	$r = zed_run('zedprint', '--cut', "$dir/cut.dat", $file);
	is("$r->{exit} " . (-e "$dir/cut.dat" ? 1 : 0), '2 0', "$name: --cut writes nothing, as there are no pages of the ring buffer");
	like($r->{err}, qr/--cut copies records of the kernel's ring buffer, and this perf.data has none/, '... and says so');
}

# A stable event, and one of two: who ran how long, by perf's text.
{
	my @switches = grep { $_->{event} eq 'sched:sched_switch' } perfs('sched');
	my $r = zed_run('zedperl', '-e', 'use Zed; Zed::on("sched:switch", args => [qw(ts prev_pid next_pid)], sub { print "@_\n" })', "$data/sched.data");
	my @want = map { $_->{text} =~ /prev_pid=(\d+) .*next_pid=(\d+)/ ? "$_->{ts} $1 $2" : () } @switches;
	is(scalar @want, scalar @switches, 'perf\'s text of a switch is understood');
	same($r->{out}, join('', map { "$_\n" } @want), 'stable switches are perf\'s');
	my (%since, @ran);
	for (@want) {
		my ($ts, $prev, $next) = split / /;
		push @ran, "$prev " . ($ts - $since{$prev}) if $since{$prev};
		delete $since{$prev};
		$since{$next} = $ts;
	}
	$r = zed_run('zedperl', '--synthetic', 'my:run start=sched:sched_switch end=sched:switch match="start.next_pid == end.prev_pid" ran="end.ts - start.ts" who="end.prev_pid"',
		'-e', 'Zed::on("my:run", args => [qw(who ran)], sub { print "@_\n" })', "$data/sched.data");
	cmp_ok(scalar @ran, '>', 1, 'some ran from switch to switch');
	same($r->{out}, join('', map { "$_\n" } @ran), 'synthetic events are the differences of perf\'s times');
}

# Each analysis: it has an answer, or says which events are missing, and never fails.
for my $name (map { /^(\S+)/ } split /\n/, zed_run('zedperl', '--scripts')->{out}) {
	next if $name =~ /^(?:top|compare|assert)$/;	# of what is live; of two traces; of a limit
	for my $file (qw(sched rawsys_g)) {
		my $r = zed_run('zedperl', "$data/$file.data", $name);
		is($r->{exit}, 0, "$name on $file: ends well (else: an analysis does not take a perf.data)") or diag $r->{err};
	}
}

done_testing();
