# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::Perfetto: protoc reads its packets, Perfetto's engine shows what a script drew, and the manual's example draws
# what zedperl counts.  Without it a picture is empty in the viewer, and nobody here sees that.
#
# of: lib/Zed/Perfetto.pm sink/perfetto
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Compare::PerfettoRead;
use Compare::RealData;
use Run::Zedperl;

my $dat = trace();
my $out = temp_path('.pftrace');

# Runs CODE once, with $p, a Zed::Perfetto that writes $out.
sub draw {
	my ($code, @new) = @_;
	unlink $out unless @new;
	return zedperl($dat, \"use strict; use warnings; use Zed; use Zed::Perfetto;
		sub trace_begin { my \$p = Zed::Perfetto->new('$out'@new); $code }");
}

my $r = draw(q{
	my $t = $p->track("mine\n\xff"); my $u = $p->track('below', parent => $t); my $v = $p->track('of a thread', tid => 77);
	my $flow = $p->flow;
	$t->slice(1000, 2000, 'one', { n => -5, f => 1.5, s => "text\x1b", big => 9e18 }, flow => $flow, category => 'cat');
	$t->slice(1500, 2500, 'overlaps'); $t->slice(2000, 3000, 'behind'); $t->slice(500, 600, 'earlier');
	$u->begin(1000, 'outer'); $u->begin(1200, 'inner', {}, flow_end => $flow); $u->end(1300); $u->end(1400); $u->end(1500);
	$u->begin(5000, 'open'); $v->instant(1700, 'now');
	my $c = $p->counter('level', unit => 'bytes'); $c->value(1000, -3); $c->value(1500, 2.5); $c->value(1800, 4);
	$p->close;
});
is("$r->{status} $r->{err}$r->{out}", '0 ', 'tracks, slices, instants, counters, flows are written');
is((stat $out)[2] & 0777, 0600, 'a file for its owner only (else: others read what tasks did)');
SKIP: {
	skip perfetto_no_protoc(), 6 if perfetto_no_protoc();
	my $text = perfetto_decode($out) =~ s/\n\s*/ /gr;
	unlike($text, qr/ \d+: /, 'protoc knows every field (else: numbers are wrong)');
	like($text, qr/name: "mine\\\\n\\\\xff"/, 'names are plain UTF-8 (else: readers stumble over them)');
	like($text, qr/\{ double_value: 1.5 name: "f" \}|\{ name: "f" double_value: 1.5 \}|double_value: 1.5 .*?name: "f"/, 'fractions');
	like($text, qr/int_value: -5 /, 'negative numbers');
	like($text, qr/string_value: "text\\\\x1b"/, 'texts');
	like($text, qr/thread \{ pid: 77 tid: 77 \}/, 'the thread of a track');
}
SKIP: {
	skip perfetto_no_engine(), 12 if perfetto_no_engine();
	my ($slices, $counter, $flows, $args, $thread, $stats) = perfetto_ask($out,
		'select slice.name, ts, dur, depth from slice order by ts, dur desc, slice.name',
		'select ts, value from counter order by ts',
		'select a.name, b.name from flow join slice a on slice_out = a.id join slice b on slice_in = b.id',
		"select key, coalesce(int_value, string_value, real_value) from args join slice using (arg_set_id) where slice.name = 'one' order by key",
		'select name, tid from thread where tid = 77',
		"select name, value from stats where value > 0 and severity != 'info'");
	is($slices, join("\n", "earlier\t500\t100\t0", "one\t1000\t1000\t0", "outer\t1000\t400\t0", "inner\t1200\t100\t1", "overlaps\t1500\t1000\t0", "now\t1700\t0\t0",
		"behind\t2000\t1000\t0", "open\t5000\t-1\t0") . "\n", 'slices have their times and depths (else: what overlaps is cut)');
	is($counter, "1000\t-3\n1500\t2.5\n1800\t4\n", 'counters');
	is($flows, "one\tinner\n", 'a flow');
	like($args, qr/^debug\.n\t-5$/m, 'arguments');
	like($thread, qr/\t77$/m, 'a thread below which a track stands');
	is($stats, '', 'the engine counts no error');

	# Behind zedprint's file, and added to it.
	my $both = temp_path('.pftrace');
	my $run = Compare::RealData::run('zedprint', '-f', 'perfetto', Compare::RealData::own() . '/process.dat');
	system "cat $run->{out} $out > $both";
	my ($both_slices, $switches) = perfetto_ask($both, "select count(*) from slice where name = 'overlaps'", 'select count(*) from sched_slice');
	is("$both_slices$switches", "1\n139\n", 'two files one behind the other are one (else: numbers of tracks collide)');
	my $before = -s $out;
	draw(q{ $p->track('more')->slice(1, 2, 'added'); }, ', append => 1');
	cmp_ok(-s $out, '>', $before, 'append adds');
	my ($added) = perfetto_ask($out, "select count(*) from slice where name in ('added', 'one')");
	is($added, "2\n", '... and what was there stays');

	# The manual's example.
	my ($example) = do { local @ARGV = 'lib/Zed/Perfetto.pm'; local $/; <> } =~ /^=head1 EXAMPLES\n.*?\n\n(    use Zed;\n.*?)\n=head1/ms;
	my $waits = temp_path('.pftrace');
	{
		local $ENV{WAITS} = $waits;
		$r = zedperl(Compare::RealData::own() . '/process.dat', \$example);
	}
	is("$r->{status} $r->{err}", '0 ', "the manual's example runs");
	my $count = zedperl(Compare::RealData::own() . '/process.dat', \'use Zed; my (%s, $n, $sum); Zed::on("sched::waking", args => ["ts", "pid"], sub { $s{$_[1]} //= $_[0] });
		Zed::on("sched::switch", args => ["ts", "next_pid"], sub { $n++, $sum += $_[0] - delete $s{$_[1]} if $s{$_[1]} }); sub trace_end { print "$n\t$sum\n" }')->{out};
	my ($waited, $arrows) = perfetto_ask($waits, "select count(*), sum(dur) from slice where name like '% waits'", 'select count(*) from flow');
	is($waited, $count, '... and its waits are those of the trace (else: the picture is not the trace)');
	is($arrows + 0, (split /\t/, $count)[0], '... with an arrow each');
}

for ([q{Zed::Perfetto->new('/nowhere/x')}, qr{Zed::Perfetto: /nowhere/x: No such file}], [q{Zed::Perfetto->new}, qr/new\(FILE\)/],
	[q{$p->track('t')->slice(2, 1, 'x')}, qr/FROM is later than TO/], [q{$p->track('t')->slice('x', 1, 'x')}, qr/a time is a number of ns/],
	[q{$p->counter('c')->value(1, 'much')}, qr/value\(TS, NUMBER\)/], [q{$p->close; $p->track('t')}, qr/is closed/],
	[q{my $q = Zed::Perfetto->new('/dev/full'); $q->close}, qr{/dev/full: No space}]) {
	$r = draw("$_->[0];");
	like($r->{err}, $_->[1], "$_->[0] dies, with the reason");
}
done_testing();
