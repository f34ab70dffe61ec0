# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --instance and --extract on an instance that the test itself has made: all of its events arrive, and
# nothing of it is changed.
#
# of: programs/zedtrace record
# Without it: somebody else's tracing is changed, or cut.
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::ForeignInstance;
use Compare::Stock;
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();

my $none = stock_missing();
plan skip_all => live_cannot($none) if $none;

my $dir = zed_tmp();
my $name = "zedtest.attach.$$";
my $mine = foreign_make($name);

sub numbers {
	my ($file) = @_;
	return grep { $_ > 100_000 } map { /close.*\bfd[:=] ?(?:0x)?([0-9a-f]+)/ ? hex $1 : () } split /\n/, stock_text($file);
}

sub saved { return zed_run({ time => 60, memory => 0 }, 'zedtrace', @_) }

my $before = foreign_settings();
like($before, qr/sys_enter_close/, 'an instance of our own traces');

# A running one: what it holds, and nothing of it is changed.
my $want = foreign_load(3000);
my $r = leaves_nothing('--extract', sub { saved('--extract', $name, '-o', "$dir/a.dat") });
is($r->{exit}, 0, '--extract: exit 0') or diag($r->{err});
like($r->{err}, qr/\Q$name\E still traces: what comes from now on is not in the file/, 'that it goes on is said');
is_deeply([numbers("$dir/a.dat")], $want, 'all that it held is in the file');
is(live_report($r->{err})->{events}, 3000, '... and counted');
is(dat_events("$dir/a.dat")->{clock}, 'boot', '... with its clock');
is(foreign_settings(), $before, 'nothing of it is changed (else: somebody else\'s tracing is broken)');

# What is read is gone; what came since is there; stopped.
$want = foreign_load(200);
put_text("$mine/tracing_on", 0);
$before = foreign_settings();
$r = saved('--extract', $name, '-o', "$dir/b.dat", '-z', 'zstd');
is_deeply([numbers("$dir/b.dat")], $want, 'a stopped one: what came since');
is(live_report($r->{err})->{events}, 200, '... the report counts what this run has read');
unlike($r->{err}, qr/still traces/, '... and says nothing of going on');
is(foreign_settings(), $before, '... it stays stopped');
$r = saved('--extract', $name, '-o', "$dir/c.dat");
is("$r->{exit} " . live_report($r->{err})->{events}, '0 0', 'an empty one: a file without events');
is(scalar(() = numbers("$dir/c.dat")), 0, '... that can be read');

# Recorded while it runs.
put_text("$mine/tracing_on", 1);
foreign_load(10);
$before = foreign_settings();
$r = leaves_nothing('--instance', sub {
	my $h = live_start('zedtrace', '--instance', $name, '-o', "$dir/d.dat");
	# Until it has taken what waits there.
	wait_until(40, sub { -d "$dir/d.dat.zed" && (() = glob live_root() . "/instances/zed.$h->{pid}.*.names") });
	foreign_load(20_000);
	live_signal($h, 'INT');
	live_end($h);
});
is($r->{exit}, 0, '--instance: exit 0') or diag($r->{err});
is_deeply([numbers("$dir/d.dat")], [103_201 .. 123_210], 'what waited there and what came is in the file');
is(live_report($r->{err})->{events}, 20_010, '... and counted');
is(foreign_settings(), $before, 'nothing of it is changed');
ok(-d $mine, '... nor is it removed');

# The top one: a root whose top one is ours.
{
	my $fake = "$dir/root";
	mkdir $fake;
	symlink "$mine/$_", "$fake/$_" for qw(events per_cpu trace_clock tracing_on trace_options set_event);
	symlink live_root() . "/$_", "$fake/$_" for qw(printk_formats saved_cmdlines available_events);
	$want = foreign_load(77);
	$r = zed_run({ time => 60, memory => 0, env => { ZED_TRACEFS => $fake } }, 'zedtrace', '--extract', '.', '-o', "$dir/e.dat");
	is_deeply([numbers("$dir/e.dat")], $want, "--extract . saves the top one") or diag($r->{err});
	unlink "$fake/available_events";
	put_text("$fake/available_events", slurp(live_root() . '/available_events') . "zedtest:removed\n");
	foreign_load(3);
	$r = zed_run({ time => 60, memory => 0, env => { ZED_TRACEFS => $fake } }, 'zedtrace', '--extract', '.', '-o', "$dir/r.dat");
	is("$r->{exit} $r->{err}" =~ /removed/ ? $r->{err} : $r->{exit}, 0,
		'an event that is removed meanwhile (a probe of somebody else) is no failure (else: --extract fails beside others)');
	put_text("$fake/last_boot_info", "Offset: 1234\n");
	$r = zed_run({ time => 60, memory => 0, env => { ZED_TRACEFS => $fake } }, 'zedtrace', '--extract', '.', '-o', "$dir/f.dat");
	like($r->{err}, qr/its events are from an earlier boot/, 'what a persistent buffer has of the boot before is said to be that');
	# Kernels 6.12 and 6.13 tell how far they have moved, also where the events are of this boot: then one is enabled.
	for (["text delta:\t0\ndata delta:\t0\n", 1, 0], ["text delta:\t0\ndata delta:\t0\n", 0, 'may be'], ["text delta:\t-4096\ndata delta:\t-4096\n", 1, 'are'],
		["# Current\n", 0, 0], ["5000000\t[kernel]\n", 1, 'are']) {
		my ($info, $enabled, $past) = @$_;
		(my $shown = $info) =~ s/\s+/ /g;
		foreign_load(5);
		put_text("$fake/last_boot_info", $info);
		unlink "$fake/set_event";
		$enabled ? symlink("$mine/set_event", "$fake/set_event") : put_text("$fake/set_event", '');
		unlink "$dir/g.dat";
		$r = zed_run({ time => 60, memory => 0, env => { ZED_TRACEFS => $fake } }, 'zedtrace', '--extract', '.', '-o', "$dir/g.dat");
		my ($said) = $r->{err} =~ /its events (are|may be) from an earlier boot/;
		is($said // 0, $past, "$shown" . ($enabled ? '' : 'and nothing is enabled: ') . ($past ? "they $past of the boot before" : 'of this one'));
		my ($line) = grep { /sys_enter_close/ } split /\n/, stock_text("$dir/g.dat");
		(my $comm = $line // '') =~ s/-\d+ .*//s;
		$comm =~ s/^\s+//;
		$past ? is($comm, '<...>', '... and no task of now gives its name to one of then (else: names that are wrong)')
			: isnt($comm, '<...>', '... whose tasks have names');
		unlike($r->{err}, qr/\\x09|\\n/, '... in plain words') if $past;
		my ($code) = slurp('/proc/kallsyms') =~ /^([0-9a-f]+) T _stext$/m;
		my ($in_file) = qx(trace-cmd dump --kallsyms $dir/g.dat 2>/dev/null) =~ /^([0-9a-f]+) T _stext$/m;
		no warnings 'portable';
		is($in_file, sprintf('%016x', hex($code) + ($info =~ /-4096/ ? 4096 : 0)), '... functions are where they were, as far as that is told (else: addresses have wrong names)')
			if length $code == 16 && $code =~ /[1-9a-f]/;
	}
}

# What is refused.
$r = saved('--extract', 'no.such', '-o', "$dir/x.dat");
like("$r->{exit} $r->{err}", qr/\A2 zedtrace: no tracing instance 'no\.such'\nzedtrace: existing instances: .*(?:\Q$name\E| and \d+ more;)/, 'one that is not there: those that are, are named');
{
	my $empty = "$dir/empty";
	mkdir $_ for $empty, "$empty/events";
	$r = zed_run({ time => 60, memory => 0, env => { ZED_TRACEFS => $empty } }, 'zedtrace', '--extract', 'no.such', '-o', "$dir/x.dat");
	is($r->{err}, "zedtrace: only the top instance ('.') exists: no tracing instance 'no.such'\n", '... where there are none, that is said once');
	mkdir "$empty/instances";
	mkdir sprintf '%s/instances/%04d', $empty, $_ for 1 .. 100;
	$r = zed_run({ time => 60, memory => 0, env => { ZED_TRACEFS => $empty } }, 'zedtrace', '--extract', 'no.such', '-o', "$dir/x.dat");
	like($r->{err}, qr/^zedtrace: existing instances:((?: \d{4})+) and (\d+) more; '\.' is/m, '... where there are many, some are named');
	is($r->{err} =~ /instances:((?: \d{4})+) and (\d+) more/ ? length($1) / 5 + $2 : 0, 100, '... and the others counted (else: a name is missing, or cut, in silence)');
}
$r = saved('--extract', '../events', '-o', "$dir/x.dat");
like("$r->{exit} $r->{err}", qr/\A2 zedtrace: invalid instance name '\.\.\/events'/, 'a path is no name');
for (['-F', 'a: b == 1'], ['-b', '1M'], ['-C', 'mono'], ['--cpu', 0], ['sched'], ['--flight', '10s']) {
	$r = saved('--instance', $name, @$_, '-o', "$dir/x.dat");
	like("$r->{exit} $r->{err}", qr/\A2 .*does not go with --instance: who made it/, "--instance with @$_ is refused (else: it is ignored, or changes what is another's)");
}
is(scalar(() = glob "$dir/x.dat*"), 0, '... and nothing is made');

done_testing();
