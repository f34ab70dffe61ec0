# SPDX-License-Identifier: GPL-2.0-or-later
#
# What perf record --call-graph dwarf records here and now, unwound, against perf script: each frame of each sample of
# programs without frame pointers, PIE, static and stripped.  Without it our callers would be others than perf's, and
# nobody could compare answers.
#
# of: trace/unwound.c reader/perf/user_regs.c symbols/unwinder.c programs/zedsyms/unwind.c
# runs: make check
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Compare::Elf;
use Compare::PerfFrames;
use Run::Program;

-x zed_bin('zedsyms') or plan skip_all => 'zedsyms is not built: libdw is not here';
my ($perf) = grep { -x } map { "$_/perf" } split /:/, $ENV{PATH};
$perf or plan skip_all => 'perf is not here (Debian: linux-perf)';
my $tool = Compare::Elf::missing();
defined $tool and plan skip_all => "$tool is not here";
my $dir = zed_tmp();
my @dwarf = ('record', '-q', '-e', 'cpu-clock', '-F', 4000, '--buildid-all', '--call-graph');
my $may = zed_run({ time => 30, memory => 0 }, $perf, @dwarf, 'dwarf', '-o', "$dir/may", '/bin/true');
$may->{exit} and plan skip_all => "perf cannot record: $may->{lines}[0]";
my $script = zed_run({ time => 60, memory => 0 }, $perf, 'version', '--build-options')->{out};
$script =~ /\b(?:libunwind|libdw-dwarf-unwind|libdw)\b.*\[ on/ or plan skip_all => 'this perf does not unwind stacks';

# Functions that call each other, through the C library, and deeper than a copy of 8 KiB; that call the kernel.
my $SOURCE = <<'EOC';
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile unsigned long sum;
static int order(const void *a, const void *b) { for (int i = 0; i < 3; i++) sum += i; return *(const int *)a - *(const int *)b; }
void sorts(int n) { int v[2000]; for (int i = 0; i < 2000; i++) v[i] = rand(); qsort(v, 2000, sizeof(*v), order); if (n) sorts(n - 1); sum++; }
void writes(int n) { FILE *f = fopen("/dev/null", "w"); for (int i = 0; i < 20 * n; i++) { fprintf(f, "%d %s\n", i, "text"); fflush(f); } fclose(f); }
int deep(int n) { volatile int here = n; for (int i = 0; i < 200; i++) sum += here; return n ? deep(n - 1) + here : 0; }
int main(int argc, char **argv) { int n = atoi(argv[1]); while (n--) { sorts(1); writes(10); deep(400); } return 0; }
EOC
# Is the frame Z that of perf, P?  Without a name it is a place in a file, which perf shows as its ip.
sub is_same {
	my ($p, $z) = @_;
	# perf makes names for the stubs of a PLT, and takes those of a static program for a part of _init, which they follow.
	return 1 if $p->{name} =~ /\@plt$|^_init$/;
	return 0 if !defined $z->{name};
	# It does not know those of lld, which are named here.
	my $unknown = $p->{name} eq '[unknown]';
	return 1 if $unknown && $z->{name} =~ /\@plt$/;
	return !$unknown ? $p->{name} eq $z->{name} && hex $p->{off} == hex $z->{off} : $p->{dso} eq $z->{name} && hex $p->{ip} == hex $z->{off};
}

# The programs' frames of each sample.  The last word of a copied stack is read here, and not by perf's libunwind (its libdw
# reads it): if a return address is there, one frame more is found.
sub compare {
	my ($what, $path, $least) = @_;
	my ($theirs, $mine) = (perf_frames($perf, $path, '--no-inline'), zed_frames($path));
	my ($n, $same, $deepest, @wrong) = (0, 0, 0);
	for my $ts (sort { $a <=> $b } keys %$theirs) {
		# perf's libunwind takes a return address that was not copied for 0, and shows the place before it.
		my @p = grep { $_->{ip} ne 'f' x 16 || $_->{name} ne '[unknown]' } @{$theirs->{$ts}};
		my @z = @{$mine->{$ts} // []};
		my $kernel = grep { ($_->{mode} // '') eq 'k' } @z;
		splice @$_, 0, $kernel for \@p, \@z;
		next if !@p && !@z;
		$n++;
		$deepest = @z if @z > $deepest;
		my $more = @z - @p;
		if (($more == 0 || $more == 1) && @p == grep { is_same($p[$_], $z[$_]) } 0 .. $#p) { $same++ }
		else { push @wrong, "$ts: perf\n  " . join("\n  ", map { $_->{line} } @p) . "\nhere\n  " . join "\n  ", map { $_->{line} } @z }
	}
	cmp_ok($n, '>', 50, "$what: $n samples");
	cmp_ok($deepest, '>=', $least, "$what: ... the deepest of $deepest frames");
	is($same, $n, "$what: ... each with perf's frames") or diag join "\n", @wrong[0 .. ($#wrong < 2 ? $#wrong : 2)];
}

my $rounds = 100;
for (['PIE', 'dwarf', 127], ['static', 'dwarf,65528', 127, '-static', '-Wl,--eh-frame-hdr'], ['no PIE', 'dwarf,4096', 20, '-no-pie'], ['stripped', 'dwarf', 127, '-s'], ['lld', 'dwarf', 127, '-fuse-ld=lld']) {
	my ($what, $how, $least, @flags) = @$_;
	SKIP: {
		my $program = eval { Compare::Elf::compile("$dir/" . $what =~ s/ //r, $SOURCE, '-fomit-frame-pointer', @flags) } or skip "this compiler links no program as $what", 7;
		my $path = "$dir/perf.data";
		my $r = zed_run({ time => 60, memory => 0 }, $perf, @dwarf, $how, '-o', $path, $program, $rounds);
		is($r->{exit}, 0, 'perf record') or diag $r->{err};
		compare($what, $path, $least);
	}
}

# A 32-bit program, which this perf may not unwind: its functions call each other in one order, and without frame pointers.
SKIP: {
	my $source = <<'EOC';
static int ask(int n) { int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(0), "c"(0), "d"(0) : "memory"); return r; }
static volatile int sum;
int leaf32(int n) { for (int i = 0; i < 20000; i++) sum += i * n; ask(64); return sum + 1; }
int inner32(int n) { int v[n % 7 + 1]; v[0] = leaf32(n); sum += v[0]; return sum + 2; }
int outer32(int n) { return inner32(n) + inner32(n + 1) + 2; }
void _start(void) { for (int i = 0; i < 2000; i++) sum += outer32(i); ask(1); }
EOC
	my $program = eval { Compare::Elf::compile("$dir/narrow", $source, qw(-m32 -fomit-frame-pointer -fno-stack-protector -nostdlib -static-pie -fPIE)) } or skip 'this compiler makes no 32-bit program', 4;
	my $path = "$dir/narrow.data";
	my $r = zed_run({ time => 60, memory => 0 }, $perf, @dwarf, 'dwarf', '-o', $path, $program);
	is($r->{exit}, 0, 'perf record') or diag $r->{err};
	my ($n, $deep, @wrong) = (0, 0);
	for my $stack (values %{zed_frames($path)}) {
		my @names = map { $_->{name} // '?' } grep { ($_->{mode} // '') ne 'k' } @$stack;
		next if !@names;
		$n++;
		$deep++ if @names >= 4;
		# What _start returns to is the number of arguments.
		push @wrong, "@names" if "@names" !~ /^(?:ask |(?:(?:(?:ask )?leaf32 )?inner32 )?outer32 )?_start(?: \?)?$/;
	}
	cmp_ok($n, '>', 50, "32 bit: $n samples");
	cmp_ok($deep, '>', $n / 2, "32 bit: ... $deep of four functions");
	is(scalar @wrong, 0, '32 bit: ... each in the order of the calls (else: a 32-bit program has no callers)') or diag join "\n", @wrong[0 .. ($#wrong < 4 ? $#wrong : 4)];
}
done_testing();
