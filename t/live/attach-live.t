# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl --live --instance on an instance that the test itself has made: the script gets what that traces, nothing of
# it is changed, and the run ends although its owner goes on.
#
# of: programs/zedperl record
# Without it: a script gets half of what somebody else traces, or a run does not end while its owner goes on.
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::ForeignInstance;
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();

my $tmp = zed_tmp();
my $name = "zedtest.attachlive.$$";
my $mine = foreign_make($name);

# All CPUs together, as the kernel counts.
sub kernel_says {
	my %sum;
	for my $file (glob "$mine/per_cpu/cpu*/stats") {
		for (split /\n/, slurp($file)) {
			$sum{$1} += $2 if /^([a-z ]+): (\d+)$/;
		}
	}
	return \%sum;
}

sub script {
	my ($file, $code) = @_;
	put_text("$tmp/$file.pl", $code);
	return "$tmp/$file.pl";
}

my $numbers = script('numbers', '$| = 1; sub trace_begin { print "begun\n" } sub trace_lost { print "lost\n" } ' .
	'sub syscalls::sys_enter_close { push @n, Zed::field("fd"); $i{Zed::instance()}++ } sub trace_end { print join(",", keys %i), " @n\n" }');

sub live { return zed_run({ time => 60, memory => 0 }, 'zedperl', '--live', @_) }

my $before = foreign_settings();

# What waited there and what comes, up to Ctrl-C.
{
	my $want = foreign_load(3000);
	my $r = leaves_nothing('--instance', sub {
		my $h = live_start('zedperl', '--live', '--instance', $name, $numbers);
		wait_until(40, sub { slurp($h->{out}->filename) =~ /begun/ });
		push @$want, @{foreign_load(20_000)};
		live_signal($h, 'INT');
		live_end($h);
	});
	is($r->{exit}, 0, 'Ctrl-C: exit 0') or diag($r->{err});
	is($r->{out}, "begun\n$name @$want\n", 'each event once, in order, those that waited there too, and the instance has its name');
	like($r->{err}, qr/^zedperl: \Q$mine\E: what is read here is gone for everybody else/m, 'that reading takes them away is said');
	is(foreign_settings(), $before, 'nothing of it is changed (else: somebody else\'s tracing is broken)');
	ok(-d $mine, '... nor is it removed');
}

# Stopped by its owner, and chosen from by zedperl itself.
{
	my $all = foreign_load(10)->[0];
	put_text("$mine/tracing_on", 0);
	$before = foreign_settings();
	my $r = live('--instance', $name, '-d', '1500ms', '-F', 'syscalls:sys_enter_close: fd < ' . ($all + 3), '-P', $$, $numbers);
	is($r->{out}, "begun\n$name " . join(' ', $all .. $all + 2) . "\n", '-F and -P: zedperl chooses (else: they would be set in what is another\'s)') or diag($r->{err});
	like($r->{err}, qr/^zedperl: tracing is off in \Q$mine\E$/m, 'that it is off is said');
	is(foreign_settings(), $before, '... and it stays off');
}

# What was lost before is not ours to tell; under a storm the run ends, and what was read was given.
put_text("$mine/events/syscalls/sys_enter_close/enable", 0);
put_text("$mine/set_event_pid", '');
put_text("$mine/events/raw_syscalls/sys_enter/enable", 1);
put_text("$mine/tracing_on", 1);
my $count = script('count', 'sub trace_lost { $l++ } sub raw_syscalls::sys_enter { $n++ } sub trace_end { printf "%d %d\n", $n, $l }');
{
	my $storm = storm_start(60);
	ok(wait_until(30, sub { kernel_says()->{overrun} }), 'its buffer overflows');
	put_text("$mine/tracing_on", 0);
	my $was = kernel_says();
	my $r = live('--instance', $name, '-d', '300ms', '--stats', $count);
	my $is = kernel_says();
	is($r->{out}, ($is->{'read events'} - $was->{'read events'}) . " 0\n", 'stopped: all that it holds, and no losses of before') or diag($r->{err});
	like($r->{err}, qr/lost +0$/m, '... in --stats either');
	put_text("$mine/tracing_on", 1);
	put_text("$mine/buffer_size_kb", 64);
	my $slow = script('slow', 'sub trace_begin { select undef, undef, undef, 0.5 } ' . slurp($count));
	for my $clock ('boot', 'global') {
		put_text("$mine/trace_clock", $clock);
		# The storm goes on by it.
		wait_until(30, sub { kernel_says()->{overrun} });
		$was = kernel_says();
		$r = zed_run({ time => 60, memory => 0 }, '/usr/bin/taskset', '-c', 0, zed_bin('zedperl'), '--live', '--instance', $name, '-d', '1', '--stats', $slow);
		$is = kernel_says();
		is("$r->{exit} $r->{signal}", '0 0', "a storm, clock $clock: it ends although the instance goes on") or diag($r->{err});
		my ($n) = $r->{out} =~ /^(\d+)/;
		is($n, $is->{'read events'} - $was->{'read events'}, '... every event that was read was given');
		my ($lost) = $r->{err} =~ /dropped +(\d+) by the kernel/;
		cmp_ok($lost // 0, '>', 0, '... losses since it began are told');
		cmp_ok($lost // 0, '<=', $is->{overrun} - $was->{overrun}, '... and no more than these');
		like(slurp("$mine/tracing_on"), qr/^1/, '... and it goes on');
	}
	storm_end($storm);
}

# What is refused.
for ([qr/no tracing instance 'no\.such'\n.*(?:\Q$name\E|and \d+ more;)/s, '--instance', 'no.such'],
	[qr/-b does not go with --live --instance: who made it/, '--instance', $name, '-b', '1M'],
	[qr/--stack does not go with --live --instance/, '--instance', $name, '--stack'],
	[qr/--flight does not go with --live --instance/, '--instance', $name, '--flight', '1M'],
	[qr/--live=EVENTS does not go with --live --instance/, '--instance', $name, '--live=sched'],
	[qr/--live reads one --instance/, '--instance', $name, '--instance', '.'],
	[qr/--instance does not go with --stable-check --live/, '--instance', $name, '--stable-check']) {
	my ($why, @args) = @$_;
	my $r = live(@args, $args[-1] eq '--stable-check' ? () : $count);
	like("$r->{exit} $r->{err}", qr/\A2 zedperl: .*$why/s, "@args[1 .. $#args] is refused (else: it is ignored, or changes what is another's)");
}

done_testing();
