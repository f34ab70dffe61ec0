# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -t: the listing, and which events of a kernel its words stand for, stable ones too.  Without it scripts
# that read the listing break, and what is recorded is not what was named.
#
# of: programs/zedtrace programs/session
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use File::Path qw(make_path);
use Write::FakeKernel;
use Run::Program;

my $tmp = zed_tmp();
my $kernel = fake_kernel();

# ---- the listing

is(zedtrace('-t')->{out}, <<'END', '-t lists subsystems and their events, sorted, in the shape of 2009 (else: scripts break)');
Available tracepoints:

ark
    ark:ark_dove
    ark:ark_rain
zoo
    zoo:zoo_close
    zoo:zoo_open
END

is(zedtrace('-t', 'zoo:*open', 'ark::ark_rain')->{out}, <<'END', '-t PATTERN... lists these only (else: 2300 lines)');
Available tracepoints:

ark
    ark:ark_rain
zoo
    zoo:zoo_open
END

is(zedtrace('-t', 'zoo:*open,ark::ark_rain')->{out}, zedtrace('-t', 'zoo:*open', 'ark::ark_rain')->{out},
	'joined by a comma, as --event and --live=EVENTS are (else: what works there is refused here)');

is(zedtrace('-t', '-v')->{out}, <<'END', '-t -v tells id, size, state, fields, filter of each (else: nobody can write a filter)');
Available tracepoints:

ark
    ark:ark_dove 42 12 disabled
      common_type unsigned short 0 2
      common_flags unsigned char 2 1
      common_preempt_count unsigned char 3 1
      common_pid int 4 4
      found int 8 4
      filters:
        none
    ark:ark_rain 41 9 disabled
      common_type unsigned short 0 2
      common_flags unsigned char 2 1
      common_preempt_count unsigned char 3 1
      common_pid int 4 4
      days u8 8 1
      filters:
        days > 40
zoo
    zoo:zoo_close 312 12 disabled
      common_type unsigned short 0 2
      common_flags unsigned char 2 1
      common_preempt_count unsigned char 3 1
      common_pid int 4 4
      why __data_loc char[] 8 4
      filters:
        none
    zoo:zoo_open 311 40 enabled
      common_type unsigned short 0 2
      common_flags unsigned char 2 1
      common_preempt_count unsigned char 3 1
      common_pid int 4 4
      beast u32 8 4
      name char[16] 12 16
      weight long 32 8
      filters:
        beast == 3 && name != "yak"
END

my $r = zedtrace('-t', 'ark:ark_dvoe');
is($r->{exit}, 2, '-t of what is not there is an error (else: an empty list looks like a kernel without it)');
is($r->{out}, '', '... without a listing');
like($r->{err}, qr/\Azedtrace: .*ark_dvoe.*mean ark:ark_dove\?/, '... that names the nearest (else: the user greps)');
is(@{$r->{lines}}, 1, '... in one line');

put("$kernel/events/ark/ark_dove/format", "nonsense\n");
$r = zedtrace('-t', '-v', 'ark');
is($r->{exit}, 0, 'one format that cannot be read does not end -t -v (else: no kernel with a broken module is listed)');
like($r->{out}, qr/^    ark:ark_dove\n    ark:ark_rain 41 9 disabled$/m, '... the others are told');
like($r->{err}, qr/\Azedtrace: .*ark_dove.*\n\z/, '... and which it was is said');

# ---- stable events: what this kernel has for them

my $lacks = qr/this kernel does not provide the stable event/;
my @offers;

# What zedtrace -t lists of a kernel that offers @offers, for these words.
sub stands_for
{
	my $at = "$tmp/offers";

	make_path("$at/events");
	put("$at/available_events", join '', map { "$_\n" } @offers);
	my $r = zed_run({ env => { ZED_TRACEFS => $at } }, 'zedtrace', '-t', @_);
	return $r->{exit} ? "exit $r->{exit}: $r->{err}" : join ' ', $r->{out} =~ /^    (\S+)$/mg;
}

@offers = qw(sched:sched_switch sched:sched_wakeup sched:sched_process_fork power:cpu_idle exceptions:page_fault_user
	exceptions:page_fault_kernel irq:softirq_raise);
is(stands_for('sched:switch', 'sched:process_fork'), 'sched:sched_process_fork sched:sched_switch',
   'the event names of 2009 (else: the announcement\'s own line is refused)');
is(stands_for('sched::switch'), 'sched:sched_switch', '... as a script writes them');
is(stands_for('page:fault'), 'exceptions:page_fault_kernel exceptions:page_fault_user',
   'every source of a stable event (else: half of its records are missing)');
is(stands_for('power:idle'), 'power:cpu_idle', 'of a source\'s alternatives the one that is there');
push @offers, 'power:power_start';
is(stands_for('power:idle'), 'power:cpu_idle', '... the first one where both are (else: each happens twice)');
@offers = qw(power:power_start power:power_end sched:switch sched:sched_switch softirq:odd);
like(stands_for('power:idle'), qr/power:power_start/, '... on an old kernel another one (else: it needs the newest)');
is(stands_for('sched:switch'), 'sched:switch', 'a raw event of the name wins (else: it cannot be had)');
like(stands_for('sched:process_fork'), qr/\Aexit 2: zedtrace: $lacks sched:process_fork: it lacks sched:sched_process_fork\n\z/,
     'what this kernel has nothing for is said');
like(stands_for('block:unplug_timer'), qr/\Aexit 2: zedtrace: $lacks block:unplug_timer: it lacks block:block_unplug_timer \(.+\)\n\z/,
     '... with the reason, where later kernels have dropped it');
like(stands_for('sched:proces_fork'), qr/\Aexit 2: .*did you mean sched:process_fork\?/, 'a mistyped one: the nearest is named');
like(stands_for('page'), qr/\Aexit 2: .*named in full: page:fault/, 'a system of stable events alone: what to write');
is(stands_for('softirq'), 'softirq:odd', 'a raw system alone is that system');
like(stands_for('page:*'), qr/\Aexit 2: zedtrace: this kernel has no event 'page:\*'/, 'patterns are for raw events');

@offers = qw(sched:sched_switch);
put("$tmp/offers/available_events", "sched:sched_switch\n");
put("$tmp/x.pl", "sub sched::switch { }\nsub sched::wakeup { }\nsub softirq::raise { }\n");
$r = zed_run({ env => { ZED_TRACEFS => "$tmp/offers" } }, 'zedtrace', '--for', "$tmp/x.pl", '-o', "$tmp/x.dat");
is(join(' ', $r->{err} =~ /x\.pl: $lacks (\S+:\w+)/g), 'sched:wakeup softirq:raise',
   'a script of stable subs: what it cannot get is said (else: its sums are 0 and nobody knows why)');
$r = zed_run({ env => { ZED_TRACEFS => "$tmp/offers" } }, 'zedtrace', '-F', 'sched:switch: prev_pid == 0', 'sched:switch', '-o', "$tmp/x.dat");
is($r->{exit}, 2, 'a kernel\'s filter cannot name a stable event');
like($r->{err}, qr/\Azedtrace: -F .*sched:switch is a stable event, .*zedtrace -t -v sched:switch/, '... and what to write is said');

done_testing();
