# SPDX-License-Identifier: GPL-2.0-or-later
#
# What zedtrace --flight --when waits for: an event as soon as tracing is on, and a value that is made of two events.
# Without it the file of the one slow call of a week has no event in it, or is not there.
#
# of: programs/zedtrace record/flight run/synthetic
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();

# Does the zedtrace H wait for values?  A new instance has tracing on, but no event; these are enabled while it is off.
sub is_armed {
	my ($h) = @_;
	my ($waits) = glob live_root() . "/instances/zed.$h->{pid}.*.value";
	return defined $waits && (eval { slurp("$waits/set_event") } // '') =~ /\S/ && (eval { slurp("$waits/tracing_on") } // '') =~ /^1/;
}

# zedtrace --flight with OPTIONS, to its end.
sub flight {
	my ($name, @options) = @_;
	return zed_run({ time => 60, memory => 0 }, 'zedtrace', 'sched', '--flight', '1s', '-o', "$dir/$name.dat", @options);
}

{
	my @empty;
	for my $i (1 .. 6) {
		flight("armed$i", '--when', 'sched:sched_switch', '-d', '0.2');
		my ($file) = glob "$dir/armed$i.*.dat";
		push @empty, $i if !$file || !dat_events($file)->{events};
	}
	is("@empty", '', 'an event as soon as it waits for one: the file has it (else: a file with no event in it, and the real one comes too late)');
}

# A call of this process that takes long: select(), which no load makes a million times a second, as values are made
# from the events of all tasks.
{
	my $call = 'call:took start=syscalls:sys_enter_pselect6 end=syscalls:sys_exit_pselect6 match="start.common_pid == end.common_pid"'
		. ' pid=start.common_pid took="end.ts - start.ts"';
	my $r = leaves_nothing('a value', sub {
		my $h = live_start('zedtrace', 'syscalls:sys_*_pselect6', '-P', $$, '--flight', '10s', '-o', "$dir/v.dat", '--synthetic', $call,
			'--when', "call:took took > 1500ms && pid == $$");
		wait_until(60, sub { is_armed($h) }) or diag('it waits for nothing');
		select undef, undef, undef, 0.05 for 1 .. 10;	# calls that are too short
		ok(!-e "$dir/v.000001.dat", 'a value: nothing happens while it is less');
		select undef, undef, undef, 2.5;	# the call that is waited for
		ok(wait_until(30, sub { -e "$dir/v.000001.dat" }), '... and there is a file when it is more (else: the one slow call of a week is not found)');
		live_signal($h, 'INT');
		live_end($h);
	});
	is($r->{exit}, 0, '... exit 0') or diag($r->{err});
	like($r->{err}, qr/v\.000001\.dat: --when: \d+ events/, '... which the message says');
	my (@enter, @exit);
	dat_events("$dir/v.000001.dat", sub {
		my (undef, $name, $ts, $pid) = @_;
		push @{$name eq 'syscalls::sys_enter_pselect6' ? \@enter : \@exit}, $ts / 1e9 if $pid == $$;
	});
	ok((grep { my $from = $_; my ($to) = grep { $_ > $from } @exit; defined $to && $to - $from > 1.5 } @enter),
		'... and the call is in the file, from its begin to its end');
}

{
	my $r = flight('wc', '--when', 'wait:cpu delay >= 0', '-d', 2);
	is($r->{exit}, 0, 'wait:cpu is known without a definition') or diag($r->{err});
	my ($file) = glob "$dir/wc.*.dat";
	ok($file && dat_events($file)->{events}, '... and writes a file');
	$r = flight('wn', '--when', 'wait:cpu: delay > 1000s', '-d', 1);
	is("$r->{exit} " . scalar(() = glob "$dir/wn.*"), '0 0', '... and none if the value is less') or diag($r->{err});
	$r = flight('n', '--when', 'wait:cpu no_field > 5ms');
	like("$r->{exit} $r->{err}", qr/\A2 zedtrace: --when: .*no_field/, 'a value that it does not have is refused');
	$r = flight('n', '--when', 'a:b x > 5', '--synthetic', 'a:b start=no:such end=sched:switch');
	like("$r->{exit} $r->{err}", qr/\A2 zedtrace: --when: .*no:such/, '... and an event that this kernel does not have');
	is(scalar(() = glob "$dir/n.*"), 0, '... and nothing is made');
}

done_testing();
