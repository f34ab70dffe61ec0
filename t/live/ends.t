# SPDX-License-Identifier: GPL-2.0-or-later
#
# A signal ends a recording on the running kernel: zedtrace, zedperl --live and a pipeline of both.  Without it the last
# events are lost, or an instance stays.
#
# of: programs/zedtrace programs/session record kernel
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Spec;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

live_or_skip();

my $dir = zed_tmp();
my $scripts = abs_path('scripts');
my ($zedtrace, $zedperl) = map { File::Spec->rel2abs(zed_bin($_)) } qw(zedtrace zedperl);
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- signals
for my $signal (qw(INT TERM HUP QUIT)) {
	my $file = "$dir/$signal.dat";
	leaves_nothing("SIG$signal", sub {
		my $h = live_start('zedtrace', '-o', $file, 'sched');
		my $inst = live_ready($h);
		ok($inst, "SIG$signal: recording") or diag live_end($h, 0)->{err}, return;
		system '/bin/true' for 1 .. 5;
		live_signal($h, $signal);
		my $r = live_end($h);
		is("$r->{exit} $r->{signal}", '0 0', "SIG$signal is a good end: exit 0") or diag $r->{err};
		ok(!-e $inst, "SIG$signal: the instance is gone when zedtrace is (else: the next one finds half of it)");
		my $report = live_report($r->{err});
		my $sum = eval { dat_events($file) } // {};
		is($sum->{events}, $report && $report->{events}, "SIG$signal: the file is whole");
		cmp_ok($sum->{events} // 0, '>', 10, "SIG$signal: and what was in the kernel's buffers is in it (else: the end is cut off)");
		ok(!-e "$file.zed", "SIG$signal: nothing beside it");
	});
}
for my $signal (qw(INT TERM)) {
	leaves_nothing("zedperl --live, SIG$signal", sub {
		my $h = live_start('zedperl', '--live=sched', '-e', 'my $n = 0; sub trace_unhandled { $n++ } sub trace_end { print "end $n\n" }');
		my $inst = live_ready($h);
		ok($inst, 'zedperl --live records') or diag live_end($h, 0)->{err}, return;
		system '/bin/true' for 1 .. 5;
		live_signal($h, $signal);
		my $r = live_end($h);
		like($r->{out}, qr/\Aend [1-9]\d+\n\z/, "SIG$signal: trace_end runs, once, behind the events");
		is($r->{exit}, 0, "SIG$signal: exit 0") or diag $r->{err};
		ok(!-e $inst, "SIG$signal: its instance is gone");
	});
}
leaves_nothing('Ctrl-C in a pipeline', sub {
	# A terminal sends the signal to all of the pipeline, which counts from the moment when zedperl has read the head.
	my $begun = "{ no warnings 'redefine'; my \$begin = \\&trace_begin; *trace_begin = sub { mkdir '$dir/begun'; \$begin->() } }\n";
	my $count = spew("$dir/count.pl", slurp("$scripts/countall.pl") =~ s/^(?=__END__)/$begun/mr);
	my $h = live_start({ group => 1, stdout => "$dir/pipe.out", env => { ZT => $zedtrace, ZP => $zedperl, S => $count, D => $dir } }, '/bin/sh', '-c',
		'trap : INT; $ZT sched -o - 2>$D/pipe.err | $ZP -i - $S; exit $?');
	ok(wait_until(60, sub { -d "$dir/begun" }), 'a pipeline records');
	ok(wait_until(30, sub { 2 == grep { /^zed(?:perl|trace)$/ } live_catching($h->{pid}) }), 'and both have begun');
	kill 'INT', -$h->{pid};
	my $r = live_end($h);
	ok(!$r->{late}, 'Ctrl-C ends both') or diag $r->{err};
	is($r->{exit}, 0, 'zedperl: exit 0') or diag $r->{err};
	my $out = slurp("$dir/pipe.out");
	my $report = live_report(slurp("$dir/pipe.err"));
	my $total = 0;
	$total += $1 while $out =~ /^\w+::\w+: (\d+)$/mg;
	is(scalar(() = $out =~ /^event counts:/mg), 1, 'one result');
	is($total, $report && $report->{events}, 'and it has all events, those of the end too (else: Ctrl-C costs the last of them)');
});

{
	my $file = "$dir/twice.dat";
	leaves_nothing('two Ctrl-C at once', sub {
		my $h = live_start('zedtrace', '-o', $file, 'sched');
		my $inst = live_ready($h);
		live_signal($h, 'INT') for 1 .. 3;
		my $r = live_end($h);
		is($r->{exit}, 0, 'one wish that is sent three times (timeout, sudo) is one') or diag $r->{err};
		ok(-s $file, 'the file is there');
	});
}

done_testing();
