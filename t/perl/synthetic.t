# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::synthetic and --synthetic by hand-made traces: events made of two, what is refused, inputs of several machines.
# Without it a wait that is measured wrongly looks like a right one.  (Random definitions: t/perl/synthetic-model.t.)
# of: run/synthetic interp/api
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Run::Zedperl;

sub zedprint { return Compare::RealData::zedprint(@_) }

my $types = {
	'app::begin' => field_text('int id', 8, 4, 1) . field_text('char who[8]', 12, 8, 1),
	'app::done' => field_text('int id', 8, 4, 1) . field_text('u32 size', 12, 4),
	'app::kill' => field_text('int victim', 8, 4, 1),
};
sub begins { my ($cpu, $ts, $id, $who, @lost) = @_; return [$cpu, $ts, 'app::begin', pack('l Z8', $id, $who // 'w'), @lost] }
sub done { my ($cpu, $ts, $id, $size, @lost) = @_; return [$cpu, $ts, 'app::done', pack('l L', $id, $size // 0), @lost] }
sub kills { my ($cpu, $ts, $id, @lost) = @_; return [$cpu, $ts, 'app::kill', pack('l', $id), @lost] }

my $script = <<'END';
my $s = Zed::synthetic('span::all', start => 'app:begin', end => 'app:done', match => 'start.id == end.id',
	fields => [delay => 'end.ts - start.ts', who => 'start.who', kb => 'end.size >> 10'], OPTIONS);
sub span::all { my (undef, $s, $ns, undef, @f) = @_; print "$ns @f\n" }
sub trace_end {
	my $c = $s->counts;
	print join(' ', map { "$_=$c->{$_}" } grep { $c->{$_} } sort keys %$c), "\n";
	print "waits $_->{ts} $_->{cpu} $_->{who} $_->{id}\n" for @{$s->pending};
}
END
sub spans {
	my ($options, @events) = @_;
	my $r = zedperl(trace(types => $types, events => \@events), \($script =~ s/OPTIONS/$options/r));
	return $r->{out} . $r->{err};
}
my @twice = (begins(0, 1000, 1, 'a'), begins(0, 1500, 1, 'b'), done(1, 2000, 1, 4096), done(1, 3000, 1), begins(0, 4000, 2, 'c'));
is(spans('', @twice), "2000 500 b 4\nmatched=1 pending=1 replaced=1 started=3\nwaits 4000 0 c 2\n", 'of two starts the last counts');
is(spans("keep => 'first'", @twice), "2000 1000 a 4\nmatched=1 pending=1 replaced=1 started=3\nwaits 4000 0 c 2\n", 'or the first');
is(spans('nest => 1', @twice), "2000 500 b 4\n3000 2000 a 0\nmatched=2 pending=1 started=3\nwaits 4000 0 c 2\n", 'nested: the last first');
{
	my @inputs = map { ('-i', trace(types => $types, events => [begins(0, 1000 * $_, $_, 'a')])) } 2, 1;
	my $tell = $script =~ s/OPTIONS//r =~ s/waits .*? (\$_->\{id\})/\$_->{source} $1/r;
	my $r = zedperl({ bare => 1 }, @inputs, '-e', $tell);
	is($r->{out}, "pending=2 started=2\n1 1\n0 2\n", 'of what waits it is told on which machine (else: an address is taken for another machine\'s)') or diag $r->{err};
}
my @killed = (begins(0, 1000, 1, 'a'), begins(0, 1500, 2, 'b'), kills(1, 1700, 1), done(1, 2000, 1), done(1, 3000, 2));
is(spans("abort => 'app:kill', abort_match => 'start.id == abort.victim'", @killed), "3000 1500 b 0\naborted=1 matched=1 started=2\n",
	'an abort discards the start that it is about');
is(spans('max_pending => 1', begins(0, 1000, 1, 'a'), begins(0, 1500, 2, 'b'), done(1, 2000, 1), done(1, 3000, 2)) =~ s/zedperl: //r,
	"2000 1000 a 0\ndropped=1 matched=1 started=2\nspan:all: as many starts wait for their end as max_pending allows (1): further ones are left out\n",
	'a full table leaves starts out, counts them and says so');
is(spans("abort => 'app:kil, app:kill', abort_match => 'start.id == abort.victim'", @killed) =~ s/zedperl: //r,
	"3000 1500 b 0\naborted=1 matched=1 started=2\nspan:all: abort: no input has an event 'app:kil'; did you mean app:kill?\n",
	'an abort that the trace lacks is said, and the others stay (else: a script runs on one kernel only)');
my @loss = (begins(0, 1000, 1, 'a'), begins(1, 1500, 2, 'b'), done(1, 2000, 7, 0, 3), done(1, 3000, 1), done(1, 3500, 2));
is(spans('', @loss), "lost=2 started=2\n", 'a loss drops all starts whose end it may have hidden');
is(spans("match => 'start.cpu == end.cpu'", begins(0, 1000, 1, 'a'), begins(1, 1500, 2, 'b'), done(1, 2000, 7, 0, 3), done(0, 3000, 1)),
	"3000 2000 a 0\nlost=1 matched=1 started=2\n", 'those of its CPU alone, where the CPU is a key');

# ---- chains, other handlers, deaths ----

my $r = zedperl(trace(types => $types, events => [begins(0, 1000, 1), done(0, 2000, 1), kills(0, 2500, 1), begins(0, 3000, 1), done(0, 4500, 1)]), \<<'END');
Zed::synthetic('span:one', start => 'app:begin', end => 'app:done', match => 'start.id == end.id', fields => [id => 'start.id', took => 'end.ts - start.ts']);
Zed::synthetic('pair:two', start => 'span:one', end => 'span:one', match => 'start.id == end.id', fields => [gap => 'end.ts - start.ts', took => 'start.took + end.took']);
Zed::on('pair:*', args => [qw(ts cpu gap took)], where => 'took > 2000', sub { print "pair @_\n" });
sub span::one { print "one ", Zed::field('took'), ' ', Zed::text(), "\n" }
Zed::on('app:done', sub { print "done\n" });
END
is($r->{out} . $r->{err}, "done\none 1000 id=1 took=1000 [ns]\ndone\none 1500 id=1 took=1500 [ns]\npair 4500 0 2500 2500\n",
	'events of events, behind their end, with where and with text');
$r = zedperl('--keep-going', trace(types => $types, events => [begins(0, 1000, 1), done(0, 2000, 1)]), \<<'END');
Zed::synthetic('span:one', start => 'app:begin', end => 'app:done', match => 'start.id == end.id');
sub span::one { print "one\n" }
Zed::on('app:done', sub { die "no\n" });
END
is($r->{out}, "one\n", 'a handler that dies in the end does not take the event behind it along');

# ---- what is refused, at the script's line ----

my $two = trace(types => $types, events => [begins(0, 1000, 1), done(0, 2000, 1)]);
sub refused {
	my ($call) = @_;
	my $r = zedperl($two, \"\n$call;");
	return $r->{err};
}
my $good = q{'a:b', start => 'app:begin', end => 'app:done'};
for ([q{start.idd == end.id}, qr/has no field 'idd'; did you mean 'id'\?/], [q{start.id == end.sise}, qr/app:done has no field 'sise'; did you mean 'size'\?/],
	[q{start.who == end.id}, qr/a number is compared with a string/], [q{start.id = end.id}, qr/write ==/], [q{begin.id == end.id}, qr/no event is called 'begin'/]) {
	like(refused("Zed::synthetic($good, match => '$_->[0]')"), $_->[1], "match => '$_->[0]'");
}
like(refused(q{Zed::synthetic('a:b', start => 'app:begn', end => 'app:done')}), qr/^Zed::synthetic: start: .*did you mean app:begin\? at .* line 2\.$/m,
	'an unknown event names its nearest, and the line is the script\'s');
like(refused("Zed::synthetic($good, fields => [x => 'end.siz'])"), qr/field x: .*did you mean 'size'/, 'a field too');
like(refused("Zed::synthetic($good, fields => ['x-y' => 'end.size'])"), qr/invalid field name 'x-y'/, 'the name of a field is a word');
like(refused("Zed::synthetic($good, keep => 'both')"), qr/keep is first or last/, 'keep');
like(refused("Zed::synthetic($good, colour => 1)"), qr/unknown option 'colour'/, 'an unknown option');
like(refused("Zed::synthetic('main', start => 'app:begin', end => 'app:done')"), qr/invalid event name 'main': expected SYSTEM:EVENT/, 'a name');
like(refused("Zed::synthetic('app:done', start => 'app:begin', end => 'app:done')"), qr/there is an event app:done already/, 'a name that is taken');
like(refused("Zed::synthetic($good, abort => 'app:kill', match => 'start.id == end.id')"), qr/app:kill has no field 'id'/, 'an abort without its own match');
like(refused("Zed::synthetic($good, abort => 'app:kill', match => 'start.id == end.id', abort_match => 'start.who == abort.victim')"),
	qr/the same values of start/, 'an abort is found by the keys of the match');
like(refused("Zed::on('app:begin', sub { Zed::synthetic($good) })"), qr/define it in the main program or in trace_begin/, 'too late');
like(refused("Zed::synthetic($good, match => '" . '(' x 120 . "')"), qr/nested deeper than 100/, 'a match that is too deep');
like(refused("Zed::synthetic($good, match => '" . '1' x 70000 . "')"), qr/longer than 65536 bytes/, 'or too long');
like(refused("Zed::synthetic(\"a:b\$_\", start => 'app:begin', end => 'app:done') for 1 .. 65"), qr/more than 64 synthetic events/, 'too many');

# ---- --synthetic ----

my $spec = 'span:all start=app:begin end=app:done match="start.id == end.id" took="end.ts - start.ts" who=start.who';
my ($text, $run) = zedprint('--synthetic', $spec, '--event', 'span:all', $two);
like($text, qr/\Aspan::all cpu = 0, time = 0\.000002000, sequence = 2, .*took = 1000 ns, who = w,\n\z/,
	'--event shows it alone, a time with its unit');
($text) = zedprint('-f', 'json', '--synthetic', $spec, '-F', 'span: took > 1000', $two);
unlike($text, qr/span::all/, '-F can be about it');
($text) = zedprint('-f', 'kernel', '--synthetic', $spec, '--event', 'span:all', $two);
like($text, qr/: all: took=1000 \[ns\] who=w$/m, '-f kernel: by a print format of its own');
($text) = zedprint('-f', 'json', '--synthetic', $spec, $two);
like($text, qr/"event":"span::all".*"fields":\{"took":1000,"who":"w"\}/, 'json: times are numbers of ns');
{
	my $r = zedperl('--synthetic', $spec, $two, \'sub span::all { print "span $_[4] $_[5]\n" } sub other::x { }');
	is($r->{out}, "span 1000 w\n", 'a sub that is named after it is called, as it was named by the user and not by the trace');
	unlike($r->{err}, qr/span/, '... without a word');
	for my $mode ('-t', '-g', '--stable-check') {
		$r = zedperl('--synthetic', $spec, $mode, $two);
		like("$r->{status} $r->{err}", qr/^2 zedperl: --synthetic does not go with $mode: it makes events for a script/, "$mode has no use for --synthetic, and says so");
	}
	for (['mtach="start.id == end.id"', 'match'], ['nset=1', 'nest'], ['abrot=app:kill', 'abort'], ['max_pendng=5', 'max_pending'], ['kep=first', 'keep'], ['strat=app:begin', 'start']) {
		(undef, my $run) = zedprint('--synthetic', "span:all start=app:begin end=app:done $_->[0]", $two);
		like($run->{err}, qr/did you mean $_->[1]=\?/, "$_->[0] is no field, but a word with a letter wrong");
	}
	my ($text) = zedprint('--synthetic', "$spec next=end.size text=start.who stat='end.id + 1'", '--event', 'span:all', $two);
	like($text, qr/next = 0, text = w, stat = 2,/, '... and what is computed may be called nearly so');
}
for (['span:all', qr/start is missing/], ['=x', qr/begins with a name/], ["$spec x", qr/WORD=VALUE/], ["$spec x=", qr/has no value/],
	["$spec x='y", qr/quote is not closed/], ["$spec end=app:done", qr/end= is given twice/], ["$spec nest=2", qr/nest is 0 or 1/],
	["$spec max_pending=0", qr/from 1 on/], ["$spec keep=all", qr/first or last/]) {
	(undef, $run) = zedprint('--synthetic', $_->[0], $two);
	like($run->{err}, $_->[1], "--synthetic '" . ($_->[0] =~ s/^\Q$spec\E/.../r) . "' is refused");
}

# ---- a start of very many kinds ----

{
	my %many = (%$types, map { (sprintf('many::e%04d', $_) => $types->{'app::begin'}) } 1 .. 1100);
	my $path = trace(types => \%many, events => [map { my $n = $_; ([0, 1000 + 10 * $n, sprintf('many::e%04d', $n), begins(0, 0, $n)->[3]],
		done(0, 1005 + 10 * $n, $n)) } 1, 250, 300, 700, 1100]);
	($text) = zedprint('-f', 'json', '--synthetic', $spec =~ s/start=\S+/start=many:*/r, '--event', 'span:all', $path);
	is(join(' ', map { /"took":(\d+)/ } split /\n/, $text), '5 5 5 5 5', 'each of 1100 events that a pattern names is a start (else: those behind the first few are none, in silence)');
}

# ---- inputs of several machines ----

my $other = trace(types => { %$types }, events => [begins(0, 1100, 5), done(0, 2100, 1), done(0, 2200, 5)]);
($text) = zedprint('-f', 'json', '--synthetic', $spec, '--event', 'span:all', $two, $other);
is(join(' ', map { /"took":(\d+)/ } split /\n/, $text), '1000 1100', 'events of two inputs do not match (else: pid 1 of one ends that of the other)');
my $lacks = trace(types => { 'app::begin' => $types->{'app::begin'}, 'app::done' => field_text('int nr', 8, 4, 1) }, events => [begins(0, 1200, 1), done(0, 2300, 1)]);
($text, $run) = zedprint('-f', 'json', '--synthetic', $spec, '--event', 'span:all', $two, $lacks);
is(join(' ', map { /"took":(\d+)/ } split /\n/, $text), '1000', 'an input that lacks a field has none of them');
like($run->{err}, qr/\Q$lacks\E: no span:all here: .*app:done has no field 'id'/, 'which is said');

done_testing();
