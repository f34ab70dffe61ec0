# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of code that a process compiles, out of the recording and its jitdump alone, against perf inject --jit and perf
# script: a program of our own, which puts function after function at one address, and node.  Without it they would be
# those of our reading of a specification.
#
# of: symbols/jit_code.c symbols/jit_dump.c reader/perf/maps.c
# runs: make check
use strict;
use warnings;
no warnings 'portable';
use POSIX ();
use Test::More;
use lib 't/lib';
use Compare::Elf;
use Run::Program qw(:DEFAULT spew);

my ($perf) = grep { -x } map { "$_/perf" } split /:/, $ENV{PATH};
$perf or plan skip_all => 'perf is not here (Debian: linux-perf)';
my $tool = Compare::Elf::missing();
defined $tool and plan skip_all => "$tool is not here";
my $dir = zed_tmp();
my @RECORD = ('record', '-q', '-k', 'mono', '-e', 'cpu-clock', '-F', 4000, '-g');
my $may = zed_run({ time => 30, memory => 0 }, $perf, @RECORD, '-o', "$dir/may", '/bin/true');
$may->{exit} and plan skip_all => "perf cannot record: $may->{lines}[0]";

# It copies the code of one function to memory, again and again, and runs each copy for a while.
my $SOURCE = <<'EOC';
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#define SIZE 128
static uint64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
__attribute__((noinline, aligned(64))) unsigned spin(unsigned n) { unsigned x = n; while (n--) x = x * 1664525u + 1013904223u; return x; }
struct head { uint32_t magic, version, size, machine, pad, pid; uint64_t ts, flags; };
struct load { uint32_t type, size; uint64_t ts; uint32_t pid, tid; uint64_t vma, address, code, index; char name[32]; };
#define HEAD offsetof(struct load, name)
int main(int argc, char **argv)
{
	unsigned (*code)(unsigned) = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct head h = { 0x4A695444, 1, sizeof(h), MACHINE, 0, getpid(), now(), 0 };
	struct { uint32_t type, size; uint64_t ts; } end = { 3, 16, 0 };
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], getpid());
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (fd < 0 || (void *)code == MAP_FAILED || write(fd, &h, sizeof(h)) != sizeof(h))
		return 1;
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < 12; i++) {
		struct load l = { 0, 0, 0, getpid(), getpid(), (uintptr_t)code, (uintptr_t)code, SIZE, i, "" };
		uint64_t until;

		snprintf(l.name, sizeof(l.name), "function_%02u", i);
		l.size = HEAD + strlen(l.name) + 1 + SIZE;
		memcpy((void *)code, (void *)spin, SIZE);
		__builtin___clear_cache((char *)code, (char *)code + SIZE);
		l.ts = now();
		if (write(fd, &l, l.size - SIZE) != l.size - SIZE || write(fd, (void *)code, SIZE) != SIZE)
			return 1;
		for (until = now() + 20000000; now() < until;)
			code(20000);
	}
	end.ts = now();
	return write(fd, &end, sizeof(end)) != sizeof(end);
}
EOC

# Frames of each sample by its time: the first of the program, as NAME+0xOFFSET.
sub perfs {
	my ($path) = @_;
	zed_run({ time => 60, memory => 0, stdout => "$dir/script" }, $perf, 'script', '-i', $path, '--ns', '-F', 'time,ip,sym,symoff');
	my (%of, $now);
	open my $fh, '<', "$dir/script" or die "$dir/script: $!\n";
	while (<$fh>) {
		if (/^\s*(\d+)\.(\d+):\s*$/) { $now = $1 * 1_000_000_000 + $2 }
		elsif (/^\s+([0-9a-f]+) (.+)$/ && length $1 < 16) { $of{$now} //= $2 }
	}
	return \%of;
}
my $show = spew("$dir/show.pl", <<'EOP');
use Zed handlers => ['perf'];
sub perf::cpu_clock { frames(@_) }
sub frames { my ($first) = Zed::stack_symbols('user'); print Zed::ts(), ' ', $first // '-', "\n" }
EOP
sub ours {
	my ($path) = @_;
	my $r = zed_run({ time => 60, memory => 0 }, 'zedperl', $path, $show);
	is($r->{exit}, 0, 'zedperl reads it') or diag $r->{err};
	return { map { split / /, $_, 2 } split /\n/, $r->{out} };
}

# Those whose name perf has out of the jitdump: RE.
sub compare {
	my ($what, $path, $re) = @_;
	my $r = zed_run({ time => 60, memory => 0 }, $perf, 'inject', '--jit', '-i', $path, '-o', "$path.jitted");
	is($r->{exit}, 0, 'perf inject --jit') or diag $r->{err};
	my ($theirs, $mine) = (perfs("$path.jitted"), ours($path));
	my (%names, @wrong);
	my $n = 0;
	for my $ts (sort { $a <=> $b } keys %$theirs) {
		next if $theirs->{$ts} !~ $re;
		$n++;
		$names{$theirs->{$ts} =~ s/\+0x\w+\z//r} = 1;
		push @wrong, "$ts: perf $theirs->{$ts}, here " . ($mine->{$ts} // 'none') if ($mine->{$ts} // '') ne $theirs->{$ts};
	}
	cmp_ok($n, '>', 50, "$what: $n samples in @{[scalar keys %names]} functions");
	is(scalar @wrong, 0, "$what: each as perf has it (else: the name of what was there before or after)") or diag join "\n", @wrong[0 .. ($#wrong < 9 ? $#wrong : 9)];
	return scalar keys %names;
}

{
	my %machine = (x86_64 => 62, aarch64 => 183, ppc64le => 21, s390x => 22, riscv64 => 243);
	my $here = (POSIX::uname())[4];
	my $program = Compare::Elf::compile("$dir/jits", $SOURCE, '-DMACHINE=' . ($machine{$here} // 0));
	my $path = "$dir/own.data";
	my $r = zed_run({ time => 60, memory => 0 }, $perf, @RECORD, '-o', $path, $program, $dir);
	is($r->{exit}, 0, 'perf record') or diag $r->{err};
	is(compare('own', $path, qr/^function_/), 12, '... each of the functions, all at one address');
}
SKIP: {
	my ($node) = grep { -x } map { "$_/node" } split /:/, $ENV{PATH};
	$node or skip 'node is not here', 5;
	my $js = spew("$dir/busy.js", 'function alpha(n) { let x = n; for (let i = 0; i < 1000; i++) x = (x * 31 + i) % 65521; return x; } '
		. 'function beta(n) { return alpha(n) + alpha(n + 1); } let s = 0; const end = Date.now() + 500; while (Date.now() < end) s += beta(s % 100);');
	my $path = "$dir/node.data";
	my $r = zed_run({ time => 60, memory => 0, dir => $dir }, $perf, @RECORD, '-o', $path, $node, '--perf-prof', $js);
	$r->{exit} and skip "node --perf-prof: $r->{err}", 5;
	compare('node', $path, qr/\b(?:alpha|beta)\b/);
}
done_testing();
