# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of compiled code that a trace names: damaged ones, and those that are made to cost much. Each costs its names and
# nothing else.  Without it whoever can write to /tmp chooses what a reader of a trace does.
#
# of: symbols/jit_dump.c symbols/jit_code.c
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings 'portable';
use File::Path qw(make_path);
use Test::More;
use lib 't/lib';
use Pass;
use Run::Program qw(:DEFAULT spew);
use Write::Jitdump;
use Write::Perf;

my $dir = zed_tmp();
my $USER = 18446744073709551104;
my $PATH = '/tmp/jit-40.dump';
make_path("$dir/root/tmp");
my $show = spew("$dir/show.pl", "use Zed handlers => ['mini'];\nsub mini::tick { print join(' ', Zed::stack_symbols('user')), \"\\n\" }\n");
my $w = Write::Perf->new(host => 'elsewhere');
$w->format(mini => $Write::Perf::TICK);
$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick', clockid => 1);
$w->mmap(pid => 40, at => 0x7000_0000, len => 0x1000, off => 0, name => $PATH, two => 1, time => 900);
$w->mmap(pid => 40, at => 0x5000_0000, len => 0x10_0000, off => 0, name => '//anon', two => 1, time => 901);
$w->sample(0, time => 2000 + $_, pid => 40, tid => 40, raw => $w->tick(40, 1), chain => [$USER, 0x5000_1004, 0x5000_2004]) for 1 .. 20;
my $recorded = $w->write("$dir/perf.data");
sub run_it { return zed_run({ time => 60, env => { HOME => "$dir/none" } }, 'zedperl', '--symfs', "$dir/root", $recorded, $show) }
# Each sample has its line, with names or without.
sub is_well { my ($r) = @_; return !$r->{late} && $r->{exit} == 0 && 20 == grep { /\A\S.*\z/ } split /\n/, $r->{out} }

my $d = Write::Jitdump->new(pid => 40);
$d->load(1000 + $_, 0x5000_1000 + 16 * ($_ % 3), 0x40, "function $_", $_) for 1 .. 40;
$d->move(1500, 0x5000_1000, 0x5000_2000, 0x40, 39);
$d->write("$dir/root$PATH");
my $whole = slurp("$dir/root$PATH");
my $r = run_it();
like($r->{out}, qr/\Afunction \d+\+0x\w+ function 39\+0x4\n/, 'the file has names as it is');

srand($ENV{SEED} // 1);
my $wrong = 0;
for my $n (1 .. small(20, 120)) {
	my $bytes = $whole;
	if ($n % 4 == 0) {
		$bytes = substr $bytes, 0, int rand length $bytes;
	} else {
		substr $bytes, ($n % 2 ? 40 : 0) + int rand 120 * (1 + rand 20), 1, chr int rand 256 for 1 .. 1 + int rand 6;
	}
	spew("$dir/root$PATH", $bytes);
	$r = run_it();
	next if is_well($r);
	$wrong++;
	diag "$n: exit $r->{exit}: $r->{err}";
}
is($wrong, 0, 'damaged files: each run has every sample, and exit status 0');

# Made to cost: records without end, names without end, functions at one place, a hole.
sub costs {
	my ($what, $bytes) = @_;
	spew("$dir/root$PATH", $bytes);
	$r = run_it();
	ok(is_well($r), "$what: memory and time are bounded") or diag "exit $r->{exit} late $r->{late}: $r->{err}";
	return;
}
my $head = Write::Jitdump->new(pid => 40)->{bytes};
sub one { my ($at, $size, $name, $index, $time) = @_; my $o = Write::Jitdump->new(pid => 40); $o->load($time // 1000, $at, $size, $name, $index); return substr $o->{bytes}, 40 }
costs('records of the least size', $head . pack('V2Q<', 9, 16, 0) x small(100_000, 2_000_000));
costs('functions at one place', $head . one(0x5000_1000, 16, 'same', 1) x small(20_000, 100_000));
costs('functions around all others', $head . join '', map { one(0x5000_0000 - $_, 0x1_0000, 'wide', $_) } 1 .. 200);
costs('a name of megabytes', $head . one(0x5000_1000, 16, 'n' x 8_000_000, 1) x 4);
costs('sizes without code', $head . pack('V2Q<', 0, 0xffffffff, 1000) . pack('V2Q<4', 40, 40, 0x5000_1000, 0x5000_1000, ~0, 1) . "name\0");
costs('moves of one function', $head . one(0x5000_1000, 16, 'moved', 1) . join '', map { pack('V2Q<', 1, 64, 1001) . pack('V2Q<5', 40, 40, 0, 0x5000_1000, 0x5000_1000, 16, 1) } 1 .. small(5_000, 50_000));
{
	my $fh = do { open my $f, '>:raw', "$dir/root$PATH" or die "$!\n"; $f };
	print $fh $head;
	truncate $fh, 3 << 30 or die "truncate: $!\n";
	close $fh or die "$!\n";
	$r = run_it();
	ok(is_well($r), 'a hole of gigabytes') or diag $r->{err};
	unlink "$dir/root$PATH";
}
done_testing();
