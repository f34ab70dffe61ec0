# SPDX-License-Identifier: GPL-2.0-or-later
#
# --head and --tail: the first and the last events of those that are chosen, as they look among all the others: with
# their names and losses, in every format, for scripts and exports.  Without it the last event of a trace is another
# one than the last that is shown.
#
# of: programs/amount.c run/choose programs/zedprint programs/zedperl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Run::Process;
use Run::Program;
use Run::Zedperl;
use Write::ZedStream;

my $own = Compare::RealData::own();
my $demo = "$own/demo.dat";

sub zedprint {
	my (@args) = @_;
	my $r = zed_run('zedprint', @args);
	return ([split /\n/, $r->{out}], $r);
}

# ---- all formats: the same lines as without
for my $args (['-f', 'zed'], ['-f', 'json'], ['-f', 'kernel'], ['-f', 'report'], ['--event', 'sched:switch'], ['--event', 'sched', '--cpu', 1],
	['-F', 'raw_syscalls:*: id == 3', '--event', 'raw_syscalls'], ['--relative', '--start', '0.2']) {
	my ($all) = zedprint(@$args, $demo);
	my @head = grep { /^#|^cpus=/ } @$all;
	my @events = grep { !/^#|^cpus=/ } @$all;
	cmp_ok(scalar @events, '>', 20, "@$args: there is something to choose from");
	for my $n (1, 7, scalar @events, 100_000) {
		my $last = $n > @events ? $#events : $n - 1;
		my ($got, $r) = zedprint(@$args, '--head', $n, $demo);
		is_deeply($got, [@head, @events[0 .. $last]], "@$args --head $n");
		is("$r->{exit} $r->{err}", '0 ', 'without a word');
		($got, $r) = zedprint(@$args, '--tail', $n, $demo);
		is_deeply($got, [@head, @events[$#events - $last .. $#events]], "@$args --tail $n (else: others, or in another order)");
		is("$r->{exit} $r->{err}", '0 ', 'without a word');
	}
}
my (undef, $stats) = zedprint('--head', 1, '--stats', $demo);
my ($read) = $stats->{err} =~ /^zedprint: records +(\d+)$/m;
cmp_ok($read, '<', 100, '--head 1 does not read on to the end of the trace');

# ---- several kinds of input, whose records are made in memory that is used again
for my $dat ("$own/ltt-g1", map { "$own/$_.dat" } qw(multibuf small_be_zstd lost armhf_lost_count)) {
	my ($all) = zedprint($dat);
	my @last = grep { !/^lost / } @$all;
	my ($got) = zedprint('--tail', 50, $dat);
	is_deeply([grep { !/^lost / } @$got], [@last[-50 .. -1]], "$dat: --tail 50");
	my ($some) = zedprint('--tail', scalar @last, $dat);
	is_deeply($some, $all, "$dat: all of it, losses included");
}

# ---- losses among the events that are shown, also where what was behind them is left out
my $lossy = trace(cpus => 2, types => { 'other::x' => field_text('int x', 8, 4, 1) }, events => [
	[0, 1000, 'mini::tick', 1], [0, 2000, 'other::x', pack('l', 1), 3], [0, 3000, 'mini::tick', 2], [0, 4000, 'other::x', pack('l', 1), 5],
	[1, 4500, 'other::x', pack('l', 1), -1], [0, 5000, 'other::x', pack('l', 1), 6], [0, 6000, 'mini::tick', 3], [0, 7000, 'mini::tick', 4, 9],
	[0, 8000, 'other::x', pack('l', 1), 2]]);
my $short = sub { join ' ', map { /^lost cpu = (\d).* count = (\w+)/ ? "$1-$2" : / n = (\d)/ ? $1 : $_ } @{(zedprint(@_, $lossy))[0]} };
is($short->('--event', 'mini'), '1 0-3 2 0-5 1-unknown 0-6 3 0-9 4 0-2', 'the losses, all of them');
is($short->('--event', 'mini', '--tail', 10), '1 0-3 2 0-11 1-unknown 3 0-9 4 0-2', '--tail of more than there is: the same, those of a CPU added up');
is($short->('--event', 'mini', '--tail', 2), '3 0-9 4 0-2', '--tail 2: those among the last two');
is($short->('--event', 'mini', '--tail', 1), '0-9 4 0-2', '--tail 1');
is($short->('--event', 'mini', '--head', 2), '1 0-3 2', '--head 2');

# ---- names: that of the event's time, though it is shown when all of the trace has been read
my $fields = field_text('pid_t pid', 8, 4, 1) . field_text('char oldcomm[16]', 12, 16, 1) . field_text('char newcomm[16]', 28, 16, 1)
	. field_text('short oom_score_adj', 44, 2, 1);
my $renamed = trace(types => { 'task::task_rename' => $fields }, events => [
	[0, 1000, 'mini::tick', 1, undef, '', 77], [0, 2000, 'task::task_rename', pack('l a16 a16 s x2', 77, 'old', 'new', 0), undef, '', 77],
	[0, 3000, 'mini::tick', 2, undef, '', 77], [0, 4000, 'task::task_rename', pack('l a16 a16 s x2', 77, 'new', 'newer', 0), undef, '', 77],
	[0, 5000, 'mini::tick', 3, undef, '', 77]]);
my ($names) = zedprint('-f', 'json', $renamed);
is_deeply([map { /"pid":77,"comm":"(\w+)"/ } @$names], [qw(mini mini new new newer)], 'names change in this trace') or diag @$names;
is_deeply((zedprint('-f', 'json', '--tail', 5, $renamed))[0], $names, '--tail: each event has the name of its time (else: the last one)');
is(zedperl('--tail', 4, '--event', 'mini', $renamed, \'sub mini::tick { print Zed::comm(), "\n" }')->{out}, "mini\nnew\nnewer\n", 'scripts too');

# ---- scripts: what is counted are the chosen events, with a handler or without
my $dat = trace(types => { 'other::x' => field_text('int x', 8, 4, 1) },
	events => [map { ([0, 2000 * $_, 'mini::tick', $_], [0, 2000 * $_ + 1000, 'other::x', pack 'l', $_]) } 1 .. 10]);
my $ticks = \'sub mini::tick { print "$_[4] " } sub trace_end { print "end" }';
is(zedperl('--head', 5, $dat, $ticks)->{out}, '1 2 3 end', '--head 5: of five events three are ticks');
is(zedperl('--tail', 5, $dat, $ticks)->{out}, '9 10 end', '--tail 5: of five events two are ticks');
is(zedperl('--head', 5, '--event', 'mini', $dat, $ticks)->{out}, '1 2 3 4 5 end', '--event chooses first');
is(zedperl('--tail', 5, '--event', 'mini', $dat, $ticks)->{out}, '6 7 8 9 10 end', 'and with --tail');
is(zedperl('--tail', 3, '--relative', '--event', 'mini', $dat, \'sub mini::tick { print Zed::ts(), " " }')->{out}, '14000 16000 18000 ',
	'--relative does not count from the first that is shown');
for my $limit ('--head', '--tail') {
	my $r = zedperl('--keep-going', $limit, 4, '--event', 'mini', $dat, \'my $n; sub mini::tick { $n++; print "$_[4] "; die "no\n" if $n % 2 } sub trace_end { print "end" }');
	is("$r->{status} $r->{out}", $limit eq '--head' ? '1 1 2 3 4 end' : '1 7 8 9 10 end', "$limit and --keep-going: a death costs that call only");
	$r = zedperl($limit, 4, '--event', 'mini', $dat, \'sub mini::tick { print "$_[4] "; Zed::stop() if ++$n == 2 } sub trace_end { print "end" }');
	is("$r->{status} $r->{out}", $limit eq '--head' ? '0 1 2 end' : '0 7 8 end', "$limit and Zed::stop");
	$r = zedperl($limit, 4, '--event', 'mini', $dat, \'sub mini::tick { print "$_[4] "; exit 7 if ++$n == 2 } sub trace_end { print "end" }');
	is("$r->{status} $r->{out}", $limit eq '--head' ? '7 1 2 ' : '7 7 8 ', "$limit and exit");
}

# ---- what an event raises, and the stable events that are made of it, count as one with it (else: --head 10 gives fewer than ten)
my $pairs = trace(types => { 'app::begin' => field_text('int id', 8, 4, 1), 'app::done' => field_text('int id', 8, 4, 1) },
	events => [map { ([0, 2000 * $_, 'app::begin', pack 'l', $_], [0, 2000 * $_ + 1000, 'app::done', pack 'l', $_]) } 1 .. 10]);
my @span = ('--synthetic', 'span:one start=app:begin end=app:done match="start.id == end.id" id=end.id');
my @spans = (@span, '--synthetic', 'span:two start=app:begin end=span:one match="start.id == end.id" id=end.id');
my $shown = sub { join ' ', map { /^\w+::(\w+) .* id = (\d+)/ ? "$1$2" : $_ } @{(zedprint(@_, $pairs))[0]} };
is($shown->(@spans, '--head', 4), 'begin1 done1 one1 two1 begin2 done2 one2 two2', '--head 4: four events of the trace, with all that they raise (else: two)');
is($shown->(@spans, '--head', 3), 'begin1 done1 one1 two1 begin2', '--head 3');
is($shown->(@spans, '--tail', 3), 'done9 one9 two9 begin10 done10 one10 two10', '--tail 3 (else: it begins with what is raised by another)');
is($shown->(@spans, '--tail', 1), 'done10 one10 two10', '--tail 1');
is($shown->(@span, '--event', 'span', '--head', 3), 'one1 one2 one3', 'raised events alone are chosen: the first of those (else: all, or none)');
is($shown->(@span, '--event', 'span', '--tail', 3), 'one8 one9 one10', 'the last of those');
is($shown->(@spans, '--event', 'span', '--head', 2), 'one1 two1 one2 two2', 'those of one end count as one');
my $raise = \<<'END';
Zed::synthetic('span:one', start => 'app:begin', end => 'app:done', match => 'start.id == end.id', fields => [id => 'end.id']);
Zed::on('*:*', args => ['event', 'id'], sub { print "$_[0]=$_[1] " });
sub trace_end { print 'end' }
END
is(zedperl('--head', 4, $pairs, $raise)->{out}, 'app::begin=1 app::done=1 span::one=1 app::begin=2 app::done=2 span::one=2 end', 'scripts too');
is(zedperl('--tail', 2, $pairs, $raise)->{out}, 'app::begin=10 app::done=10 span::one=10 end', 'and with --tail');
my @both = ('--event', 'sched:sched_switch,sched:switch');
my ($two) = zedprint(@both, $demo);
is_deeply((zedprint(@both, '--head', 3, $demo))[0], [@$two[0 .. 5]], 'a raw event and its stable one: --head 3 has three of each');
is_deeply((zedprint(@both, '--tail', 3, $demo))[0], [@$two[-6 .. -1]], '--tail 3');

# ---- from a pipe that stays open: the last event that is asked for is the last that has come
{
	pipe(my $in, my $feed) or die "pipe: $!\n";
	my $out = temp_path('.txt');
	my $pid = spawn({ stdin => $in, stdout => $out }, zed_bin('zedprint'), @spans, '--head', 20, '-');
	close $in;
	syswrite $feed, Write::ZedStream::from_dat($pairs, end => 0)->{bytes};
	my ($status, $late) = reap($pid, 60);
	ok(!$late, '--head ends with the last event that it is to give (else: it waits for one more, perhaps for ever)');
	is(scalar(() = slurp($out) =~ /^(?:app|span)::/mg), 40, 'and with what that raised');
}

# ---- exports
my $export = temp_path('.dat');
for (['--head', 5, 0], ['--tail', 5, -5]) {
	my ($option, $n, $from) = @$_;
	is(zedperl({ bare => 1 }, '--export', $export, '--event', 'sched:switch', $option, $n, $demo)->{status}, 0, "--export $option");
	my @all = map { s/ sequence.*//r } @{(zedprint('--event', 'sched:switch', $demo))[0]};
	is_deeply([map { s/ sequence.*//r } @{(zedprint('--event', 'sched:switch', $export))[0]}], [@all[$from < 0 ? -5 .. -1 : 0 .. 4]],
		'the same events, and the file is whole');
}

# ---- what is no number, and what makes no sense
sub refused {
	my ($like, @args) = @_;
	my $r = zed_run(@args);
	is("$r->{exit} $r->{out}", '2 ', "@args");
	like($r->{err}, $like, 'says why');
	return;
}
for (['--head', 'of 1 or more'], ['--tail', 'from 1 to 1000000']) {
	my ($option, $range) = @$_;
	refused(qr/\Azedprint: $option: '\Q$_\E' is not a number $range\n\z/, 'zedprint', $option, $_, $demo)
		for '', '0', '-1', '+1', 'x', '1e3', '1.5', '10 ', '0x10', $option eq '--head' ? '18446744073709551616' : ();
	refused(qr/$option does not go with --summary: all events are counted/, 'zedprint', '--summary', $option, 1, $demo);
	refused(qr/$option does not go with $_: it chooses what a script is given/, 'zedperl', $_, $option, 1, $demo) for '-t', '-g', '--stable-check';
}
refused(qr/--tail: '$_': at most 1000000 events are kept: for more of the end choose a time, such as --start -10s/, 'zedprint', '--tail', $_, $demo)
	for 1000001, '18446744073709551616';
refused(qr/--head does not go with --tail: give one of them/, 'zedprint', '--head', 1, '--tail', 1, $demo);
is(scalar @{(zedprint('--tail', 1000000, $demo))[0]}, 3742, 'a million that are not there cost nothing');

done_testing();
