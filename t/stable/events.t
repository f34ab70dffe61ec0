# SPDX-License-Identifier: GPL-2.0-or-later
#
# The stable events over real recordings: one script without a condition, on every kind of kernel,
# word size and byte order that there is, gives what stock trace-cmd prints of the same records, event
# by event and in their order.  Without it a kernel whose formats differ would give other numbers,
# silently.
#
# of: stable stable interp
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use File::Basename ();
use lib 't/lib';
use Compare::RealData;
use Compare::StableOracle;
use Compare::Stock;
use Pass;
use Run::Zedperl qw(zedperl);

plan skip_all => stock_missing() if stock_missing();

sub check {
	my ($dat, $label) = @_;
	my ($want, $n) = stable_wanted($dat);
	my $r = zedperl($dat, \$STABLE_SCRIPT);
	my $diff = $r->{status} || $r->{sig} ? "status $r->{status}, signal $r->{sig}: $r->{err}"
		: Compare::RealData::differ($want, $r->{out});
	ok(!$diff && $n, "$label: $n stable events are those that trace-cmd prints (else: this kernel's "
		. 'scripts see other numbers)') or diag("$dat: " . ($diff // 'nothing to compare'));
	return;
}

my $own = Compare::RealData::own();
my %OWN = (
	demo => 'kernel 6.1, x86_64', process => 'kernel 6.1, x86_64, signals', block => 'kernel 6.1, block',
	all_events => 'kernel 6.1, every event', i386_all => 'kernel 6.1, 32 bit, every event',
	i386_zstd => 'kernel 6.1, 32 bit', i386_v6 => 'kernel 6.1, 32 bit, v6', armhf_zstd => 'kernel 6.1, 32 bit ARM',
	small_be_zstd => 'kernel 6.1, big endian', small_be_v6 => 'kernel 6.1, big endian, v6',
	small_v7_zstd => 'kernel 6.12', rt => 'kernel 6.1 RT: longer common header',
	multibuf => 'kernel 6.1, several buffers', lost => 'kernel 6.1, lost events',
);
check("$own/$_.dat", "$_ ($OWN{$_})") for small() ? qw(all_events i386_zstd small_be_v6) : sort keys %OWN;

my @all = qw(switch wakeup wakeup_new waking migrate_task process_free process_exit process_wait process_fork
	process_exec signal_send irq_enter irq_exit softirq_enter softirq_exit softirq_raise timer insertion
	execution completion idle fault sys_enter sys_exit rq_insert rq_issue rq_complete bio_queue getrq split
	plug unplug_io);
my @never = grep { !stable_seen($_) } @all;
is("@never", '', 'each of these events was met in some recording (else: nothing was compared)') if !small();

# ---------------------------------------------------------------- system calls

for my $dat (map {"$own/$_.dat"} qw(all_events i386_all)) {
	my ($n, @bad) = calls_wrong($dat, zedperl($dat, \$CALLS_SCRIPT)->{out});
	is("@bad", '', "$n system calls have the names that syscalls:sys_enter_* tell (else: wrong names)");
	cmp_ok($n, '>', 7, '... of which there are some to compare');
}

# Numbers that programs on these machines are bound to call, from their manuals.
my %CALLS = (
	armhf_zstd => { 3 => 'read', 4 => 'write', 6 => 'close', 11 => 'execve', 45 => 'brk', 192 => 'mmap2',
		322 => 'openat', 983045 => 'set_tls' },
	small_be_zstd => { 3 => 'read', 4 => 'write', 6 => 'close', 11 => 'execve', 45 => 'brk', 90 => 'mmap',
		288 => 'openat' },
	i386_zstd => { 3 => 'read', 4 => 'write', 6 => 'close', 11 => 'execve', 45 => 'brk', 192 => 'mmap2',
		295 => 'openat' },
	small_v7_zstd => { 0 => 'read', 1 => 'write', 3 => 'close', 59 => 'execve', 12 => 'brk', 9 => 'mmap',
		257 => 'openat' },
);
for my $file (sort keys %CALLS) {
	my $r = zedperl("$own/$file.dat", \$CALLS_SCRIPT);
	my %got = map { split ' ', $_, 2 } split /\n/, $r->{out};
	my @known = grep { exists $got{$_} } sort keys %{$CALLS{$file}};
	is_deeply([map {"$_ $got{$_}"} @known], [map {"$_ $CALLS{$file}{$_}"} @known],
		"$file: system calls by their names on that machine (else: one machine's names for another's)");
	cmp_ok(scalar @known, '>=', 5, "$file: five calls to know at least");
	unlike($r->{out}, qr/ \d+$/m, "$file: no call without a name");
}

# ---------------------------------------------------------------- the seed's own handler

my $SEED = 'sub sched::switch { my ($cpu, $secs, $nsecs, $sequence, $prev_pid, $next_pid) = @_;
	$n{"$cpu $prev_pid $next_pid"}++ }
	sub trace_end { print "$_ $n{$_}\n" for sort keys %n }';

sub check_seed {
	my ($dat, $label) = @_;
	my %n;
	for my $r (@{stock_report('-N', $dat)}) {
		next if $r->[2] ne 'sched_switch';
		my ($prev, $next) = $r->[3] =~ /prev_pid=(\d+) .* next_pid=(\d+)/ or die "$dat: $r->[3]\n";
		$n{"$r->[1] $prev $next"}++;
	}
	my $want = join '', map {"$_ $n{$_}\n"} sort keys %n;
	my $r = zedperl($dat, \$SEED);
	is(Compare::RealData::differ($want, $r->{out}), undef, "$label: the handler of 2009 counts each task's switches "
		. '(else: its arguments moved)');
	return;
}

check_seed("$own/$_.dat", $_) for small() ? 'demo' : qw(demo i386_zstd armhf_zstd small_be_zstd small_v7_zstd rt);

# ---------------------------------------------------------------- the full recordings

SKIP: {
	my $why = small() ? 'a small pass' : Compare::RealData::no_shared();
	skip $why, 1 if $why;
	my $shared = Compare::RealData::shared();
	my @full = grep { -f "$shared/$_.dat" } qw(amd64-1/a01_v7_zstd amd64-full/a10_block amd64-full/a10_process
		amd64-all/a09_all_short i386/b01_v7_zstd i386/b09_all_short armhf/b01_v7_zstd s390x/b01_v7_zstd
		s390x/b03_v7_none trixie/d01_v7_zstd trixie/d09_lost_b8 amd64-rt/a13_rt_sched
		third-party/trappy_raw_trace);
	skip 'none of the recordings is there', 1 if !@full;
	check("$shared/$_.dat", $_) for @full;
	ok(stable_seen('xmit') && stable_seen('receive'), 'packets were compared too') if grep {/a09/} @full;
	check_seed("$shared/$_.dat", $_) for grep {/b01|trappy|d01/} @full;

	my $old = "$shared/third-party/trappy_raw_trace.dat";
	skip 'no recording with the state bits of old kernels', 1 if !-f $old;
	my $states = 'sub sched::switch { $n{$_[7] . ($_[8] ? "+" : "")}++ }
		sub trace_end { print map {"$_ $n{$_}\n"} sort keys %n }';
	my %count;
	/prev_state=(\w\+?) / and $count{uc $1}++ for map { $_->[3] } grep { $_->[2] eq 'sched_switch' }
		@{stock_report('-N', $old)};
	is(zedperl($old, \$states)->{out}, join('', map {"$_ $count{$_}\n"} sort keys %count),
		'old arm64 kernel, where 16 is Z, 32 X and 64 x: letters by its own print format (else: Z and X swap)');
}

done_testing();
