# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --date, -r and --buffer-percent on the running kernel: the times of day are those of this test's own clock,
# in a file, in a flight recorder's, and in a stream; the priority is what the kernel tells of the recorder.
#
# of: programs/zedtrace record kernel
# runs: make check
use strict;
use warnings;
use File::Spec;
use POSIX ();
use Test::More;
use Time::HiRes qw(time sleep);
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::Program;

live_or_skip();

my $none = stock_missing();
plan skip_all => live_cannot($none) if $none;

my $dir = zed_tmp();
my ($zedtrace, $zedperl) = map { File::Spec->rel2abs(zed_bin($_)) } qw(zedtrace zedperl);
my $EVENT = 'syscalls:sys_enter_close';
my $load = q(use POSIX (); use Time::HiRes qw(time sleep); $0 = "dated"; for (1 .. 3) { printf "%.6f\n", time; POSIX::close(77_770 + $_); printf "%.6f\n", time; sleep 0.2 });

# The times (s) of the three events in TEXT of a report.
sub times_of { return map { /\s(\d+\.\d+):\s+sys_enter_close:.*fd: 0x0*12fc[b-d]\b/ ? $1 : () } split /\n/, $_[0] }

# They lie between what the load read before and after each, but for the steps of the option (1 us) and of the clock.
sub fits {
	my ($what, $out, @times) = @_;
	my @read = split ' ', $out;
	is(scalar @times, 3, "$what: three events");
	my @odd = grep { $times[$_] < $read[2 * $_] - 0.001 || $times[$_] > $read[2 * $_ + 1] + 0.001 } 0 .. $#times;
	ok(!@odd, "$what: each at its time of day (else: logs of other programs cannot be laid beside it)") or diag("@times, @read");
	return;
}

my $r = leaves_nothing('a file', sub { zed_run({ time => 60, memory => 0 }, 'zedtrace', '-c', '--date', '-o', "$dir/a.dat", $EVENT, '--', $^X, '-e', $load) });
is($r->{exit}, 0, 'exit 0') or diag($r->{err});
fits('trace-cmd', $r->{out}, times_of(stock_text("$dir/a.dat")));
my $ours = zed_run({ time => 60 }, 'zedprint', '-f', 'report', "$dir/a.dat")->{out};
fits('zedprint', $r->{out}, times_of($ours));
unlike($ours, qr/<\.\.\.>/, 'names are found by the shifted times, too');
like($ours, qr/^\s*dated-\d+ /m, '... the one that the load gave itself last');
my $from = POSIX::strftime('%Y-%m-%d %H:%M:%S', localtime((split ' ', $r->{out})[0] - 1));
my $cut = zed_run({ time => 60 }, 'zedprint', '-f', 'report', '--start', $from, "$dir/a.dat");
is(scalar times_of($cut->{out}), 3, 'zedprint --start DATE finds them') or diag($cut->{err});

$r = zed_run({ time => 60, memory => 0 }, 'zedtrace', '-c', '--date', '--flight', '10s', '-o', "$dir/f.dat", $EVENT, '--', $^X, '-e', $load);
fits('--flight', $r->{out}, times_of(stock_text("$dir/f.000001.dat")));

# A stream, as it comes: the load tells its times on standard error there.
$r = leaves_nothing('a stream', sub {
	zed_run({ time => 60, memory => 0, env => { ZT => $zedtrace, ZP => $zedperl, L => $load, P => $^X } }, 'sh', '-c',
		'"$ZT" -c --date -o - ' . $EVENT . ' -- "$P" -e "$L" 2>"$0" | "$ZP" --stats -i - -e ' .
		"'use Zed; Zed::on(\"$EVENT\", args => [\"fd\"], sub { printf qq{%.6f\\n}, Zed::ts() / 1e9 if \$_[0] > 77_770 && \$_[0] < 77_774 })'",
		"$dir/told")
});
fits('a stream', join("\n", grep { /^\d+\.\d+$/ } split /\n/, slurp("$dir/told")), split ' ', $r->{out});

$r = zed_run({ time => 60 }, 'zedtrace', '--date', '-C', 'counter', $EVENT, '-o', "$dir/c.dat");
like("$r->{exit} $r->{err}", qr/\A2 .*--date: the offset of the clock counter from the time of day is unknown/, 'a clock that counts events has no date');
ok(!-e "$dir/c.dat.zed", '... and nothing stays');

SKIP: {
	my $h = live_start('zedtrace', '-r', 7, '--buffer-percent', 40, $EVENT, '-o', "$dir/r.dat");
	my $instance = live_ready($h);
	if (!$instance && live_end($h)->{err} =~ /-r 7: Operation not permitted/) {
		skip live_cannot('no real-time priority here'), 3;
	}
	my @stat = split ' ', slurp("/proc/$h->{pid}/stat") =~ s/^.*\)//sr;
	is("$stat[37] $stat[38]", '7 1', '-r 7: SCHED_FIFO with this priority (else: it is overrun by what it watches)');
	is(slurp("$instance/buffer_percent"), "40\n", '--buffer-percent is set');
	live_signal($h, 'INT');
	is(live_end($h)->{exit}, 0, '... and it ends well');
}

done_testing();
