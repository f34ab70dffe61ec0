# SPDX-License-Identifier: GPL-2.0-or-later
#
# Cgroups of tasks are those of the time of the event: made recordings and streams with a log of them, read by all that
# ask for cgroups. Without it an answer by container counts events for the wrong one.
#
# of: trace/cgroups trace/pseudo.c run/filter reader/dat reader/zedstream record/cut
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Compare::Stock;
use Run::Program;
use Run::Zedperl;
use Write::Dat;
use Write::Miniature qw(miniature);
use Write::ZedStream;

my $dir = zed_tmp();
my ($OPTION, $FRAME) = (0x7a63, 14);

# [time, pid, path] or [time, pid, \like], as bytes.
sub records {
	return join '', map {
		my ($ts, $pid, $what) = @$_;
		ref $what ? pack 'Q< V V v', $ts, $pid, $$what, 0 : pack 'Q< V V v/a*', $ts, $pid, 0, $what;
	} @_;
}

# A recording of TICKS, [time (ns), pid, n], with further options.
sub recording {
	my ($name, $ticks, @options) = @_;
	return Write::Dat->new(cpus => 1, page_size => 4096, cmdlines => "20 sh\n", clock => 'mono', options => \@options,
		make_pages => sub {
			my ($d) = @_;
			my ($data, $last) = ('');
			for my $t (@$ticks) {
				($d->{pid}) = $t->[1];
				$data .= $d->data_event($t->[0] - ($last // $t->[0]), $d->tick($t->[2]));
				$last = $t->[0];
			}
			return $d->page($ticks->[0][0], $data);
		})->write("$dir/$name.dat");
}

my $script = "$dir/ticks.pl";
open my $fh, '>', $script or die;
print $fh 'use Zed handlers => ["mini"]; sub mini::tick { printf "%d %s %s\n", $_[4], Zed::cgroup(), Zed::cgroup_of(21) }';
close $fh;
sub ticks { return zed_run('zedperl', @_, $script) }

my @ticks = map { [1000 * $_->[0], @$_[1, 0]] } [1, 20], [2, 20], [3, 21], [4, 20], [5, 21], [6, 0], [7, 22];
my @log = ([0, 20, '/a'], [2500, 21, \20], [3500, 20, '/a b/c'], [4500, 23, \99]);
my $dat = recording('log', \@ticks, [$OPTION, 'zedcgrps' . records(@log)]);
my @want = ('1 /a ?', '2 /a ?', '3 /a /a', '4 /a b/c /a', '5 /a /a', '6 / /a', '7 ? /a');

my $r = ticks($dat);
is($r->{out}, join('', map { "$_\n" } @want), 'each event has the cgroup of its time (else: that of the end, or of the start)');
like($r->{err}, qr/^zedperl: \S*log\.dat: the cgroup of a task is not known, and "\?", 3 times$/m, 'what is not known is said, with its number');
is($r->{exit}, 0, '... and is no damage');

# ---- what asks by name
my $by = zed_run('zedperl', '-e', 'my $n = Zed::count("mini:tick", by => "cgroup"); sub trace_end { for ($n->rows) { my ($k, $v) = @$_{qw(cgroup count)}; print "$k $v\n" } }', $dat);
is(join('|', sort split /\n/, $by->{out}), '/ 1|/a 4|/a b/c 1|? 1', 'by => cgroup') or diag $by->{err};
my $named = zed_run('zedperl', '-e', 'use Zed; Zed::on("mini:tick", args => [qw(common_cgroup cgroup)], sub { print "$_[0]|$_[1]\n" })', $dat);
is($named->{out} =~ s/\n/ /gr, '/a|/a /a|/a /a|/a /a b/c|/a b/c /a|/a /|/ ?|? ', 'arguments by name');
for (['*: cgroup == "/a"', '1 2 3 5'], ['*: cgroup ~ "/a*"', '1 2 3 4 5'], ['*: common_cgroup != "/a"', '4 6 7']) {
	my ($filter, $want) = @$_;
	my $got = zed_run('zedprint', '-f', 'json', '-F', $filter, $dat);
	is(join(' ', map { JSON::PP::decode_json($_)->{ts} =~ /(\d)\d{3}$/ ? $1 : $_ } grep { /mini:+tick/ } split /\n/, $got->{out}), $want, "-F '$filter'")
		or diag $got->{out}, $got->{err};
}
sub chosen { my $r = ticks(@_, $dat); return join ' ', $r->{out} =~ /^(\d+)/mg }
is(chosen('--cgroup', '/a'), '1 2 3 5', '--cgroup: in it');
is(chosen('--cgroup', '/a b'), '4', '... or below it');
is(chosen('--cgroup', '/'), '1 2 3 4 5 6', 'the root: all that are known');
is(chosen('--cgroup', '/a/', '--cgroup', '/a b'), '1 2 3 4 5', 'given twice: both; a slash at the end does not matter');
is(chosen('--cgroup', '/a', '--pid', 21), '3 5', 'with --pid: what both let through');
for (['--tail', 9], ['--tail', 9, '--cgroup', '/a'], ['--tail', 4]) {
	my $got = join ' ', ticks(@$_, $dat)->{out} =~ /^(\d+ \S+)/mg;
	my $want = $_->[1] == 4 ? '4 /a 5 /a 6 / 7 ?' : @$_ > 2 ? '1 /a 2 /a 3 /a 5 /a' : '1 /a 2 /a 3 /a 4 /a 5 /a 6 / 7 ?';
	is($got, $want, "@$_: a kept event has the cgroup of its time (else: all have that of the end)");
}
my $none = ticks('--cgroup', '/none', $dat);
like($none->{err}, qr{^zedperl: --cgroup /none: no event of a task in it or below it\b}m, 'one that no task is in is said');
my $wrong = ticks('--cgroup', 'a', $dat);
like($wrong->{err}, qr/'a' is not the path of a cgroup: it begins with '\/'/, 'a path without a slash is a mistake');
is($wrong->{exit}, 2, '... of usage');
my $ask = zed_run('zedperl', '-MZed=handlers,mini', '--cgroup', '/a', '-e', <<'END', $dat);
use Zed::Asked;
Zed::Asked::load();
sub mini::tick { print join('|', @{Zed::asked()->{cgroups}}, Zed::Asked::words(), map { Zed::Asked::task($_, 'sh') ? 1 : 0 } 20, 21, 22), "\n" if $_[4] == 5 }
END
is($ask->{out}, "/a|cgroup /a|0|1|0\n", 'Zed::asked, Zed::Asked: what is asked for (else: analyses that follow states take all tasks)') or diag $ask->{err};

# Counting alone needs no order, but cgroups do: CPU 0, which is read first, has the later events.
my $two = Write::Dat->new(cpus => 2, page_size => 4096, clock => 'mono', options => [[$OPTION, 'zedcgrps' . records([0, 77, '/a'], [5000, 77, '/b'])]],
	make_pages => sub { my ($d, $cpu) = @_; return $d->page($cpu ? 1000 : 6000, join '', map { $d->data_event(1, $d->tick($_)) } 1 .. 3) })->write("$dir/two.dat");
$by = zed_run('zedperl', '-e', 'my $n = Zed::count("mini:tick", by => "cgroup"); sub trace_end { print map { "$_ " . $n->get($_) . "\n" } sort $n->keys }', $two);
is($by->{out}, "/a 3\n/b 3\n", 'by => cgroup: in order of time, whichever CPU is read first') or diag $by->{err};

# ---- an analysis, which follows all tasks and answers for those that are chosen; version 6
{
	my $waits = miniature('10 0 5 waking 10 | 20 0 5 waking 20 | 30 0 5 switch 5 S 10 | 50 0 10 switch 10 S 20 | 60 0 20 switch 20 S 0',
		options => [[$OPTION, 'zedcgrps' . records([0, 10, '/a/x'], [0, 20, '/b'], [0, 5, '/'])]]);
	my $of = sub { my $r = Write::Miniature::chosen(['--cgroup', $_[0]], 'wakeup-latency', $waits); return [map { [@$_{qw(comm total)}] } @{($r->{data} || diag $r->{err})->{tables}{tasks}{rows}}] };
	is_deeply($of->('/a'), [['t10', 20_000]], 'wakeup-latency: of the tasks in a cgroup (else: the answer is of all)');
	is_deeply($of->('/b'), [['t20', 30_000]], '... and in another');
	like(zedperl({ bare => 1 }, '--cgroup', '/a', $waits, 'waits')->{out}, qr{; cgroup /a\b}, 'the head of an answer says it (else: a part is taken for all)');
}

# ---- a recording without them
my $plain = recording('plain', \@ticks);
$r = ticks($plain);
is(join(' ', $r->{out} =~ /^\d+ (.*)$/mg), join(' ', ('? ?') x 7), 'without a log all are unknown');
like($r->{err}, qr/^zedperl: \S*plain\.dat: it has no cgroups of tasks: each is "\?" \(zedtrace records them/m, '... which is said once, with what to do');
is(() = $r->{err} =~ /cgroup/g, 1, '... once');

# ---- other readers, and other writers of the same number
SKIP: {
	skip stock_missing(), 1 if stock_missing();
	is(stock_text($dat), stock_text($plain), 'trace-cmd reads the file as one without (else: the option breaks other readers)');
}
$r = ticks(recording('foreign', \@ticks, [$OPTION, 'something else'], [$OPTION, 'x']));
is("$r->{exit} " . join(' ', $r->{out} =~ /^\d+ (.*)$/mg), '0 ' . join(' ', ('? ?') x 7), 'an option of that number without the magic is not ours');

# ---- analyses, which ask for the cgroup of a task's number alone, or with its name
for my $analysis (qw(sched-summary waits off-cpu syscalls summary)) {
	$r = zed_run('zedperl', '--cgroup', '/a', $dat, $analysis);
	is(join('', grep { !/^zedperl: / } split /^/m, $r->{err}), '', "$analysis --cgroup: no warning of perl (else: a thousand lines for each)");
}

# ---- damage
my $bytes = records(@log);
for (['cut', substr($bytes, 0, -3), 1], ['no slash', records([0, 20, '/a'], [2500, 21, 'x'], @log[2, 3]), 0],
	['NUL', records([0, 20, '/a'], [2500, 21, "/\0"]), 0], ['length', records($log[0]) . pack('Q< V V v', 1, 2, 0, 65535) . 'x', 0]) {
	my ($what, $damaged, $late) = @$_;
	$r = ticks(recording('damaged', \@ticks, [$OPTION, 'zedcgrps' . $damaged]));
	like($r->{err}, qr/damaged\.dat: cgroups of tasks: invalid after \d+ of \d+ bytes: the rest is left out$/m, "$what: is said");
	is($r->{exit}, 1, '... by the exit status, too');
	like($r->{out}, qr{\A1 /a \?\n2 /a \?\n}, '... and what comes before it is used');
}

# ---- a part of it, and streams
sub again { my ($from) = @_; my $r = zed_run('zedprint', '--cut', "$dir/part.dat", '--head', 5, $from); diag $r->{err} if $r->{exit}; return ticks("$dir/part.dat")->{out} }
my $first = join '', map { "$_\n" } @want[0 .. 4];
is(again($dat), $first, '--cut keeps them');
sub stream {
	my ($payload, %o) = @_;
	return Write::ZedStream::from_dat($plain, names => 1, comms => 'first', before => sub { $_[0]->frame($FRAME, $payload) }, %o)->write("$dir/stream.zed");
}
my $zed = stream(records($log[0], reverse @log[1 .. 3]));
is(ticks($zed)->{out}, join('', map { "$_\n" } @want), 'a stream: the same, in whatever order they come');
is(zed_run('sh', '-c', "cat '$zed' | '" . zed_bin('zedperl') . "' -i - '$script'")->{out}, join('', map { "$_\n" } @want), '... through a pipe');
is(again($zed), $first, '... and in a part of it');
$zed = Write::ZedStream::from_dat($plain, names => 1, comms => 'first', turns => sub { $_[0]->frame($FRAME, records(@log)) })->write("$dir/late.zed");
is(ticks($zed)->{out}, join('', map { "$_\n" } @want), 'after the pages that need them, before the round');
$r = ticks(stream(records(@log), names => 0));
like($r->{err}, qr/frame of cgroups of \d+ bytes comes without an announcement/, 'in a stream without names they are damage, as their order is not kept');
$r = ticks(stream(records(@log) . pack('Q< V V v a*', 1, 20, 0, 9, '/short')));
like($r->{err}, qr/frame of cgroups of \d+ bytes has invalid cgroups: left out$/m, 'one that is cut is said');
is("$r->{exit} $r->{out}", '1 ' . join('', map { "$_\n" } @want), '... and costs itself');
$r = zed_run('zedtrace', '--convert', stream(records(@log)), '-o', "$dir/converted.dat");
is(ticks("$dir/converted.dat")->{out}, join('', map { "$_\n" } @want), 'zedtrace --convert keeps them') or diag $r->{err};

done_testing();
