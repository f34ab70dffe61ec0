# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of functions of what perf records here and now, against perf script: each frame of each sample, of the kernel
# and of programs.  Without it our names would be those of another rule than perf's, and nobody could compare answers.
#
# of: symbols programs/zedsyms kernel/running_kernel.c reader/perf sink
# runs: make check
use strict;
use warnings;
no warnings 'portable';
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::Elf;
use Compare::ParquetRead;
use Compare::PerfFrames;
use Compare::PerfettoRead;
use Run::Parquet;
use Run::Program;

-x zed_bin('zedsyms') or plan skip_all => 'zedsyms is not built: libdw is not here';
my ($perf) = grep { -x } map { "$_/perf" } split /:/, $ENV{PATH};
$perf or plan skip_all => 'perf is not here (Debian: linux-perf)';
my $tool = Compare::Elf::missing();
defined $tool and plan skip_all => "$tool is not here";
my $dir = zed_tmp();
my $may = zed_run({ time => 30, memory => 0 }, $perf, 'record', '-q', '-o', "$dir/may", '-e', 'cpu-clock', '-F', 2000, '-g', '--buildid-all', '/bin/true');
$may->{exit} and plan skip_all => "perf cannot record: $may->{lines}[0]";

# Functions that call each other for long enough: of the program, of the C library, of the kernel.
my $SOURCE = <<'EOC';
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile unsigned long sum;
static int order(const void *a, const void *b) { sum++; return *(const int *)a - *(const int *)b; }
void sorts(int n) { int v[2000]; for (int i = 0; i < 2000; i++) v[i] = rand(); qsort(v, 2000, sizeof(*v), order); if (n) sorts(n - 1); }
void writes(int n) { FILE *f = fopen("/dev/null", "w"); for (int i = 0; i < 20 * n; i++) { fprintf(f, "%d %s\n", i, "text"); fflush(f); } fclose(f); }
int main(int argc, char **argv) { int n = atoi(argv[1]); while (n--) { sorts(3); writes(10); } return 0; }
EOC
# Names of one address of the kernel: either of several.
my %kernel;
if (open my $fh, '<', '/proc/kallsyms') {
	while (<$fh>) {
		push @{$kernel{$2}}, $1 if /^([0-9a-f]+) \w (\S+)/;
	}
}
sub is_alias { my ($a, $b) = @_; my %at = map { $_ => 1 } @{$kernel{$a} // []}; return scalar grep { $at{$_} } @{$kernel{$b} // []} }

sub compare {
	my ($what, $path) = @_;
	my ($theirs, $mine) = (perf_frames($perf, $path), zed_frames($path));
	my ($n, $same, $kernel, @wrong) = (0, 0, 0);
	for my $ts (sort { $a <=> $b } keys %$theirs) {
		my ($p, $z) = ($theirs->{$ts}, $mine->{$ts} // []);
		for my $i (0 .. $#$p) {
			my ($sym, $off, $dso) = @{$p->[$i]}{qw(name off dso)};
			my ($mode, $name, $at) = @{$z->[$i] // { mode => '?' }}{qw(mode name off)};
			# perf takes the stubs of a static program for a part of _init, which they follow, and gives those without a
			# symbol (of functions that are chosen at the start) an empty name.
			next if $sym eq '[unknown]' || $sym eq '_init' || $sym eq '@plt';
			$n++;
			$kernel++ if $mode eq 'k';
			if (defined $name && $name eq $sym && hex($at) == hex($off || 0) || $mode eq 'k' && defined $name && is_alias($name, $sym)) {
				$same++;
			} else {
				push @wrong, "$ts $i: perf $sym+0x$off ($dso), here " . ($name // 'none') . '+0x' . ($at // '');
			}
		}
	}
	cmp_ok($n, '>', 50, "$what: $n frames have a name for perf, $kernel of them of the kernel");
	is($same, $n, "$what: ... the same here") or diag join "\n", @wrong[0 .. ($#wrong < 9 ? $#wrong : 9)];
	return $kernel;
}

# The same in what zedprint writes: names of perf's samples, by their times.
sub compare_outputs {
	my ($what, $path) = @_;
	my ($theirs, $mine) = (perf_frames($perf, $path), zed_frames($path));
	my %of = (JSON => {}, Parquet => {}, Perfetto => {});
	my $r = zed_run({ time => 120, memory => 0 }, 'zedprint', '-f', 'json', '--stack', $path);
	for (map { JSON::PP->new->utf8->allow_bignum->decode($_) } split /\n/, $r->{out}) { $of{JSON}{$_->{ts}} = $_->{stack} if $_->{stack} }
	my $tables = parquet_no_reader() ? undef : (parquet('--stack', $path))[0];
	for my $t (values %{$tables // {}}) { $of{Parquet}{$_->{ts}} = $_->{stack} for grep { $_->{stack} } @{$t->{rows}} }
	delete $of{Parquet} if !$tables;
	if (!perfetto_no_protoc()) {
		zed_run({ time => 120, memory => 0, stdout => "$dir/pftrace" }, 'zedprint', '-f', 'perfetto', $path);
		$of{Perfetto}{$_->{ts}} = [map { $_->{name} } @{$_->{stack}}] for perfetto_samples(perfetto_decode("$dir/pftrace"));
	} else {
		delete $of{Perfetto};
	}
	for my $form (sort keys %of) {
		my ($n, @wrong) = (0);
		for my $ts (sort { $a <=> $b } keys %$theirs) {
			for my $i (0 .. $#{$theirs->{$ts}}) {
				my $sym = $theirs->{$ts}[$i]{name};
				my $name = ($mine->{$ts}[$i] // {})->{name};
				# Where another alias of perf's name is right, compare() says so.
				next if $sym eq '[unknown]' || ($name // '') ne $sym;
				$n++;
				my $is = ($of{$form}{$ts} // [])->[$i] // '';
				push @wrong, "$ts $i: perf $sym, here $is" if $is =~ s/\+0x\w+\z//r ne $sym;
			}
		}
		cmp_ok($n, '>', 50, "$what: $form: $n frames to compare");
		is(scalar @wrong, 0, "$what: $form has perf's names") or diag join "\n", @wrong[0 .. ($#wrong < 5 ? $#wrong : 5)];
	}
}

my $rounds = 200;	# some 100 ms
for (['PIE'], ['static', '-static'], ['no PIE', '-no-pie']) {
	my ($what, @flags) = @$_;
	SKIP: {
		my $program = eval { Compare::Elf::compile("$dir/" . $what =~ s/ //r, $SOURCE, @flags) } or skip "this compiler links no program as $what", 3;
		my $path = "$dir/perf.data";
		my $r = zed_run({ time => 60, memory => 0 }, $perf, 'record', '-q', '-o', $path, '-e', 'cpu-clock', '-F', 4000, '-g', '--buildid-all', $program, $rounds);
		is($r->{exit}, 0, 'perf record') or diag $r->{err};
		compare($what, $path);
		compare_outputs($what, $path) if $what eq 'PIE';
	}
}
done_testing();
