# SPDX-License-Identifier: GPL-2.0-or-later
#
# ELF files that a trace names: damaged ones, and what is no file at all. Each costs its names and nothing else: no
# crash of the program that asks, no wait, nothing opened outside of the folder that was allowed.  Without it whoever
# sends a perf.data chooses what the reader opens.
#
# of: symbols programs/zedsyms
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings 'portable';
use File::Path qw(make_path);
use IO::Socket::UNIX;
use POSIX ();
use Test::More;
use lib 't/lib';
use Compare::Elf;
use Pass;
use Run::Program qw(:DEFAULT spew);
use Write::ElfSymbols;
use Write::Perf;

-x zed_bin('zedsyms') or plan skip_all => 'zedsyms is not built: libdw is not here';
my $tool = Compare::Elf::missing();
defined $tool and plan skip_all => "$tool is not here";

my $dir = zed_tmp();
my $USER = 18446744073709551104;
my $show = spew("$dir/show.pl", "use Zed handlers => ['mini'];\nsub mini::tick { print join(' ', Zed::stack_symbols('user')), \"\\n\" }\n");
my $program = Compare::Elf::compile("$dir/program", "int leaf(int n) { return n * 3 + 1; }\nint main(int argc, char **argv) { return leaf(argc); }\n");
my $id = Compare::Elf::build_id($program);
my ($off) = Compare::Elf::place($program, 'leaf');
make_path("$dir/root/bin", "$dir/outside");

# A recording of another machine with one sample in leaf() of each of FILES.
sub recorded {
	my (@files) = @_;
	my $w = Write::Perf->new(host => 'elsewhere', build_ids => [map { [$_, $id] } @files]);
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	my $time = 1000;
	for (@files) {
		$w->mmap(pid => 40, at => 0x5000_0000, len => 0x10_0000, off => 0, name => $_, time => ++$time);
		$w->sample(0, time => ++$time, pid => 40, tid => 41, raw => $w->tick(41, 1), chain => [$USER, 0x5000_0000 + $off]);
	}
	return $w->write("$dir/perf.data");
}
sub run_it { return zed_run({ time => 60, env => { HOME => "$dir/none" } }, 'zedperl', '--symfs', "$dir/root", recorded(@_), $show) }

# ---- what is no file

spew("$dir/outside/secret", slurp($program));
symlink '../../outside/secret', "$dir/root/bin/out" or die "symlink: $!\n";
symlink "$dir/outside/secret", "$dir/root/bin/absolute" or die "symlink: $!\n";
symlink 'loop', "$dir/root/bin/loop" or die "symlink: $!\n";
symlink '/bin/good', "$dir/root/bin/inside" or die "symlink: $!\n";
spew("$dir/root/bin/good", slurp($program));
spew("$dir/root/bin/empty", '');
spew("$dir/root/bin/text", "not a program\n" x 100);
POSIX::mkfifo("$dir/root/bin/fifo", 0600) or die "mkfifo: $!\n";
my @none = ('/bin/fifo', '/bin', '/bin/none', '/bin/out', '/bin/absolute', '/bin/loop', '/bin/../../outside/secret', "$dir/outside/secret", '/bin/good/x');
my $r = run_it('/bin/good', '/bin/inside', @none, '/bin/empty', '/bin/text', '/' . 'x/' x 1500);
my @out = split /\n/, $r->{out};
is("$r->{exit} @out[0, 1]", '0 leaf+0x0 leaf+0x0', 'a file below the folder has names; a link within leads where it would from there');
is_deeply([grep { /leaf/ } @out[2 .. $#out]], [], 'FIFOs, folders, links and paths that lead out have none, and none is waited for')
	or diag $r->{out};
is(scalar @out, 14, '... and each sample is there');

# ---- what is no file of that size

# Devices: one that never ends, one that is empty, and a socket.
mkfile('zero', 'c', 1, 5);
mkfile('null', 'c', 1, 3);
my $socket = IO::Socket::UNIX->new(Local => "$dir/root/bin/socket", Listen => 1) or die "socket: $!\n";
$r = run_it('/bin/zero', '/bin/null', '/bin/socket', '/bin/good');
is("$r->{exit} " . join(' ', map { /leaf/ ? 'leaf' : 'none' } split /\n/, $r->{out}), '0 none none none leaf', 'devices and sockets are not opened, and not waited for') or diag $r->{err};
close $socket;

sub mkfile {
	my ($name, @device) = @_;
	return if $> == 0 && system('mknod', "$dir/root/bin/$name", @device) == 0;
	symlink "/dev/$name", "$dir/root/bin/$name" or die "symlink: $!\n";
}

# A file of 1 TB that takes no room, and one just below the limit, each with the program at its beginning.
for (['1 TB', 1 << 40, 0], ['3 GB', 3 << 30, 1]) {
	my ($what, $size, $may) = @$_;
	my $path = spew("$dir/root/bin/huge", slurp($program));
	SKIP: {
		truncate $path, $size or skip "no file of $what here: $!", 2;
		$r = run_it('/bin/huge', '/bin/good');
		is($r->{late} // 0, 0, "a sparse file of $what is not read to its end");
		like("$r->{exit} $r->{out}", $may ? qr{^0 \S+\nleaf\+0x0\n\z} : qr{^0 /bin/huge\+0x\w+\nleaf\+0x0\n\z}, '... and others have names') or diag $r->{err};
	}
	unlink $path;
}

# ---- a file that changes while it is read

{
	my $path = "$dir/root/bin/changing";
	my $whole = slurp($program);
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		my $parent = getppid;
		while (getppid == $parent) {	# emptied, half of it, whole
			open my $fh, '+>', $path or POSIX::_exit(1);
			syswrite $fh, substr $whole, 0, length($whole) / 2;
			syswrite $fh, substr $whole, length($whole) / 2;
		}
		POSIX::_exit(0);
	}
	my @bad;
	for (1 .. small(5, 40)) {
		my $run = run_it('/bin/changing', '/bin/good');
		push @bad, "$run->{exit}: $run->{out}$run->{err}" if $run->{exit} || $run->{out} !~ m{\A(?:leaf\+0x0|/bin/changing\+0x\w+)\nleaf\+0x0\n\z};
	}
	kill 'KILL', $pid;
	waitpid $pid, 0;
	is(scalar @bad, 0, 'a file that is written meanwhile has names or none, and ends no run (else: one truncate() kills the reader)') or diag $bad[0];
}

# ---- symbols that no linker makes

sub made {
	my ($symbols, $at) = @_;
	spew("$dir/root/bin/made", elf(build_id => $id, text => 0x10_0000, symbols => $symbols));
	my $was = $off;
	$off = $at;
	my $run = run_it('/bin/made');
	$off = $was;
	return "$run->{exit} $run->{out}";
}
my $from = $Write::ElfSymbols::TEXT_AT;
my $million = small(100_000, 1_000_000);
is(made([map { ["f$_", $from + $_, 1] } 0 .. $million - 1], $from + 77_777), "0 f77777+0x0\n", "$million symbols: the one at an address is found");
is(made([map { ["f$_", $from + $_, 0x10_0000 - $_] } 0 .. 99_999], $from + 0x1_8000), '0 f' . 0x1_8000 . "+0x0\n", '100,000 that lie within each other: the innermost');
like(made([map { ["f$_", $from, 0x10_0000] } 0 .. 99_999], $from + 5), qr{^0 f\d{5}\+0x5\n\z}, '100,000 at one address: one of the longest names');
like(made([map { ["f$_", $from + $_, 0] } 0 .. 9], $from + 0x100), qr{^0 (?:f9\+0xf7|/bin/made\+0x1100)\n\z}, 'those without a size end somewhere');
is(made([['edge', 0xffff_ffff_ffff_f000, 0xffff_ffff_ffff_ffff], ['f', $from, 16]], $from + 1), "0 f+0x1\n", 'one that wraps around the end of memory is at no other address');
like(made([['n' x 1_000_000, $from, 16]], $from), qr{^0 n{1,8192}\+0x0\n\z}, 'a name of a million bytes is cut');
like(made([["a\nb end\ns 0 ffffffffffffffff wrong", $from, 16]], $from), qr{^0 (?!.*\n.)(?!wrong)}, 'a newline in a name is no line of the answer') or diag made([["a\nb", $from, 16]], $from);

# ---- damaged files, by zedsyms itself and in a run

srand($ENV{SEED} // 1);
my $whole = slurp($program);
my ($ended, $named, $worst, $tries) = (0, 0, 0, small(10, 300));
my @heads = (0 .. 63);	# the header, and tables that it leads to
for my $n (1 .. $tries) {
	my $bytes = $whole;
	if ($n % 3 == 0) {
		$bytes = substr $bytes, 0, int rand length $bytes;
	} else {
		for (1 .. 1 + int rand 8) {
			my $at = rand() < 0.5 ? $heads[rand @heads] : int rand length $bytes;
			substr $bytes, $at, 1, chr int rand 256;
		}
	}
	my $bad = spew("$dir/root/bin/bad", $bytes);
	my $s = zed_run({ stdin => $bad, time => 30, memory => 0 }, 'zedsyms');
	$ended++ if $s->{late};
	$worst = $s->{seconds} if $s->{seconds} > $worst;
	next if $n % small(5, 10);
	my $run = run_it('/bin/bad');
	$named++ if $run->{exit} != 0 || $run->{out} !~ m{\A(?:leaf\+0x\w+|/bin/bad\+0x\w+)\n\z};
}
is($ended, 0, "$tries damaged files: each is read or refused in time") or diag "the longest took $worst s";
is($named, 0, '... and a run over a trace that names one goes on, with exit status 0');
done_testing();
