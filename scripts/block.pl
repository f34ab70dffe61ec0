#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# block.pl: requests to disks: how long each stage takes, by device; sizes, merges, queue depth; the longest.
# zedtrace: block
# zedperl: keeps traces apart
# zedperl: is made of block:block_rq_issue
# zedperl: is made of block:block_bio_queue block:block_getrq
# zedperl: answers for parts of the time
# zedperl: is about disk storage io device ssd nvme iops request throughput latency slow bio

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Report;
use Zed::Spread;

my $report = Zed::Report->new(name => 'block', answer => \&answer, fold => \&fold, options => ['worst=i'],
	defaults => { worst => 10 });

# The stages, as blktrace calls them: the time between two of these: Q queued (a bio), G a request is made for it, M it
# is merged into one, I inserted into the scheduler, D given to the driver, R given back, C completed.
my @PHASES = qw(Q2Q Q2G G2I Q2M I2D M2D G2D Q2D D2C D2R Q2C flush);
my $LAST_SECTOR = ~0;	# of a flush, which has none

my @input = $report->by_input;	# the column
my %devices;	# {source dev}: see device()
my %tasks;	# {source pid comm}: see of_task()
my %losses;	# {source}: how often it lost events
my @worst;
my $heat = $report->heat('requests by time', 'D2C');

# Of a bio: [Q, sector, sectors, M, upper: another device whose bio this was, [pid, comm, CPU] of the task that queued
# it]. Of a request: see make_request().
use constant { Q => 0, AT => 1, SECTORS => 2, MERGED => 3, UPPER => 4, WHO => 5 };

my $in;	# the event is in the chosen time and on a chosen CPU: whatever ends with it counts
my $who;	# [pid, comm, CPU] of the event

sub device
{
	my ($dev) = @_;
	my $source = Zed::source_index();

	return lose($devices{"$source $dev"} //= {
		losses => $losses{$source} // 0,
		source => $source, dev => $dev, phases => {}, classes => {}, sizes => Zed::Spread->new,
		bios => {},		# {sector}: bios that are in no request yet
		waiting => {},		# {sector}: requests up to their issue
		ends => {},		# {sector}: of these, those that end there
		issued => {},		# {sector}: requests up to their end
		flushes => [], flush_bios => [],
		saw => {},		# issue, complete: it has such events
		n => {}, depth => 0, busy => 0, weight => 0, deepest => 0,
	});
}

# Any of those in flight on a machine when it lost events may have ended.
sub lose
{
	my ($device) = @_;
	my $losses = $losses{$device->{source}} // 0;

	return $device if $device->{losses} == $losses;
	$device->{losses} = $losses;
	@$device{qw(bios waiting ends issued flushes flush_bios)} = ({}, {}, {}, {}, [], []);
	@$device{qw(since last_q head)} = ();
	$device->{depth} = 0;
	return $device;
}

# Is the task a chosen one? A flush belongs to no task.
sub counts { my ($of) = @_; return $in && Zed::Asked::task($of ? @$of : ()) }

sub phase
{
	my ($device, $name, $time, $of) = @_;

	($device->{phases}{$name} //= Zed::Spread->new)->add($time) if counts($of);
}

sub counted { my ($device, $name, $of) = @_; $device->{n}{$name}++ if counts($of) }

sub class
{
	my ($rwbs, $sectors) = @_;

	return 'discard' if $rwbs =~ /^F?D/;
	return 'flush' if !$sectors;
	return $rwbs =~ /R/ ? 'read' : $rwbs =~ /W/ ? 'write' : 'other';
}

# ---- lists by sector: requests of one sector may be several ----

sub put { my ($list, $sector, $what) = @_; return push @{$list->{$sector}}, $what }

# The number of entries of one sector that are searched.
my $SEARCHED = 64;

# Removes and returns the first that TEST is true for, or the first.
sub take
{
	my ($list, $sector, $test) = @_;
	my $all = $list->{$sector} // return;
	my $i = 0;

	if ($test) {
		my $most = @$all < $SEARCHED ? @$all : $SEARCHED;

		$i++ while $i < $most && !$test->($all->[$i]);
		return if $i == $most;
	}
	my ($what) = splice @$all, $i, 1;

	delete $list->{$sector} if !@$all;
	return $what;
}

# ---- requests that wait for their issue: by sector, and by the sector after their last ----

sub waits
{
	my ($device, $sector, $request) = @_;

	put($device->{waiting}, $sector, $request);
	find_end($device, $request);
}

sub waits_no_more
{
	my ($device, $sector) = @_;
	my $request = take($device->{waiting}, $sector) // return;

	lose_end($device, $request);
	return $request;
}

sub longer
{
	my ($device, $request, $sectors) = @_;

	lose_end($device, $request);
	$request->{sectors} += $sectors;
	find_end($device, $request);
}

sub find_end
{
	my ($device, $request) = @_;
	my $ends = $device->{ends}{$request->{end} = $request->{at} + $request->{sectors}} //= [];

	$request->{place} = push(@$ends, $request) - 1;
}

# The last takes its place.
sub lose_end
{
	my ($device, $request) = @_;
	my $ends = $device->{ends}{$request->{end}};
	my $last = pop @$ends;

	if ($last != $request) {
		$last->{place} = $request->{place};
		$ends->[$last->{place}] = $last;
	}
	delete $device->{ends}{$request->{end}} if !@$ends;
}

sub ends_at
{
	my ($device, $sector) = @_;
	my $ends = $device->{ends}{$sector} // return;

	return $ends->[0];
}

# ---- events ----

my @ARGS = qw(ts dev sector nr_sector rwbs);

# LTTng writes a mask in place of the letters of rwbs: here in the kernel's order, an operation being one of several.
my @MASK = ([0x400, 'F'], [0x1, 'W', 0x2, 'D', 0x4, 'R', 0x100, 'F', 0, 'N'], [0x80, 'E'], [0x200, 'F'], [0x8, 'A'],
	[0x10, 'B'], [0x20, 'S'], [0x40, 'M']);
my %letters;	# {mask}

sub letters
{
	my ($mask) = @_;
	# Before 4.8 the flush before an operation.
	my $bits = $mask & 0x100 && $mask & 0x7 ? $mask & ~0x100 | 0x400 : $mask;

	return join '', map {
		my @of = @$_;

		splice @of, 0, 2 while @of && $of[0] && !($bits & $of[0]);
		$of[1] // ();
	} @MASK;
}

sub on
{
	my ($event, $args, $code) = @_;

	Zed::on("block:block_$event", args => [qw(cpu pid comm), @$args], follows => 1, sub {
		my ($cpu, $pid, $comm) = splice @_, 0, 3;

		$in = Zed::Asked::at($_[0]) && Zed::Asked::cpu($cpu);
		$who = [$pid, $comm, $cpu];
		return $code->(@_) if $args != \@ARGS || $_[4] !~ /^[0-9]/;
		$code->(@_[0 .. 3], $letters{$_[4]} //= letters($_[4]));
	}) if grep { $_ eq "block::block_$event" } Zed::events();
}

on('bio_queue', \@ARGS, sub {
	my ($ts, $dev, $sector, $sectors, $rwbs) = @_;
	my $device = device($dev);

	phase($device, 'Q2Q', $ts - $device->{last_q}, $who) if defined $device->{last_q};
	$device->{last_q} = $ts;
	return push @{$device->{flush_bios}}, [$ts, $who] if !$sectors;
	put($device->{bios}, $sector, [$ts, $sector, $sectors, undef, undef, $who]);
});

# A split leaves two bios that were queued at once; the sectors of the second are known when it continues.
on('split', [qw(ts dev sector new_sector)], sub {
	my ($ts, $dev, $sector, $new) = @_;
	my $device = device($dev);
	my $bio = ($device->{bios}{$sector} // return)->[0];

	counted($device, 'splits', $bio->[WHO]);
	return if $new <= $sector || $new >= $sector + $bio->[SECTORS];
	put($device->{bios}, $new, [$bio->[Q], $new, $sector + $bio->[SECTORS] - $new, undef, undef, $bio->[WHO]]);
	$bio->[SECTORS] = $new - $sector;
});

on('bio_remap', [qw(ts dev sector nr_sector old_dev old_sector)], sub {
	my ($ts, $dev, $sector, $sectors, $old_dev, $old_sector) = @_;
	my $bio = take(device($old_dev)->{bios}, $old_sector) // return;

	$bio->[UPPER] = $old_dev if $old_dev != $dev;
	$bio->[AT] = $sector;
	put(device($dev)->{bios}, $sector, $bio);
});

sub make_request
{
	my ($sector, $sectors, $g) = @_;

	return { at => $sector, sectors => $sectors, bios => [], g => $g, who => $who };
}

on('getrq', \@ARGS, sub {
	my ($ts, $dev, $sector, $sectors, $rwbs) = @_;
	my $device = device($dev);
	my $bio = $sectors ? take($device->{bios}, $sector, sub { $_[0][SECTORS] == $sectors })
		// take($device->{bios}, $sector) : undef;
	my $request = make_request($sector, $sectors, $ts);

	return if !$sectors;
	if ($bio) {
		push @{$request->{bios}}, $bio;
		$request->{who} = $bio->[WHO];
		phase($device, 'Q2G', $ts - $bio->[Q], $bio->[WHO]);
	}
	waits($device, $sector, $request);
});

sub merge
{
	my ($device, $ts, $sector, $sectors, $request) = @_;
	my $bio = take($device->{bios}, $sector) // return;

	counted($device, 'merges', $bio->[WHO]);
	phase($device, 'Q2M', $ts - $bio->[Q], $bio->[WHO]);
	$bio->[MERGED] = $ts;
	return if !$request;
	push @{$request->{bios}}, $bio;
	$request->{in_order} = 0;
}

on('bio_backmerge', \@ARGS, sub {
	my ($ts, $dev, $sector, $sectors) = @_;
	my $device = device($dev);
	my $request = ends_at($device, $sector);

	merge($device, $ts, $sector, $sectors, $request);
	longer($device, $request, $sectors) if $request;
});

on('bio_frontmerge', \@ARGS, sub {
	my ($ts, $dev, $sector, $sectors) = @_;
	my $device = device($dev);
	my $request = waits_no_more($device, $sector + $sectors);

	merge($device, $ts, $sector, $sectors, $request);
	return if !$request;
	$request->{at} = $sector;
	$request->{sectors} += $sectors;
	waits($device, $sector, $request);
});

on('rq_merge', \@ARGS, sub {
	my ($ts, $dev, $sector) = @_;
	my $device = device($dev);
	my $from = waits_no_more($device, $sector) // return;
	my $to = ends_at($device, $sector);

	counted($device, 'request_merges', $from->{who});
	return if !$to;
	# In no particular order: the shorter list is added to the longer.
	($to->{bios}, $from->{bios}) = ($from->{bios}, $to->{bios}) if @{$to->{bios}} < @{$from->{bios}};
	push @{$to->{bios}}, @{$from->{bios}};
	$to->{in_order} = 0;
	longer($device, $to, $from->{sectors});
});

on('rq_insert', \@ARGS, sub {
	my ($ts, $dev, $sector) = @_;
	my $device = device($dev);
	my $request = ($device->{waiting}{$sector} // return)->[0];

	return if defined $request->{i};	# inserted again
	$request->{i} = $ts;
	phase($device, 'G2I', $ts - $request->{g}, $request->{who}) if defined $request->{g};
});

on('rq_issue', \@ARGS, sub {
	my ($ts, $dev, $sector, $sectors, $rwbs) = @_;
	my $device = device($dev);

	$device->{saw}{issue} = 1;
	if (!$sectors) {
		push @{$device->{flushes}}, [$ts, $who];
		return;
	}
	my $request = waits_no_more($device, $sector);

	if (!$request) {
		$request = take($device->{issued}, $sector);
		if ($request) {
			counted($device, 'reissues', $request->{who});	# given back at an unknown time
			deeper($device, $ts, -1);
		}
	}
	$request //= make_request($sector, $sectors, undef);
	@$request{qw(rwbs d issued from)} = ($rwbs, $ts, $sectors, $sector);
	if (!defined $request->{first_d}) {
		$request->{first_d} = $ts;
		phase($device, defined $request->{i} ? 'I2D' : 'G2D', $ts - ($request->{i} // $request->{g}),
			$request->{who})
			if defined $request->{i} || defined $request->{g};
		for my $bio (@{$request->{bios}}) {
			$request->{q} = $bio->[Q] if !defined $request->{q} || $bio->[Q] < $request->{q};
			phase($device, 'Q2D', $ts - $bio->[Q], $bio->[WHO]);
			phase($device, 'M2D', $ts - $bio->[MERGED], $bio->[WHO]) if defined $bio->[MERGED];
		}
		if (counts($request->{who})) {
			$device->{sizes}->add(512 * $sectors);
			if (defined $device->{head}) {
				$device->{n}{sequential}++ if $device->{head} == $sector;
				$device->{n}{seeks}++;
			}
		}
		$device->{head} = $sector + $sectors;
	}
	put($device->{issued}, $sector, $request);
	deeper($device, $ts, 1);
});

# The number of requests that the device has, and for how long: those of all CPUs and tasks.
sub deeper
{
	my ($device, $ts, $by) = @_;

	if (defined $device->{since}) {
		my $time = Zed::Asked::time_in($device->{since}, $ts);

		$device->{weight} += $device->{depth} * $time;
		$device->{busy} += $time if $device->{depth};
		$device->{deepest} = $device->{depth} if $time && $device->{depth} > $device->{deepest};
	}
	$device->{since} = $ts;
	$device->{depth} += $by;
	$device->{depth} = 0 if $device->{depth} < 0;
	$device->{deepest} = $device->{depth} if Zed::Asked::at($ts) && $device->{depth} > $device->{deepest};
}

on('rq_requeue', \@ARGS, sub {
	my ($ts, $dev, $sector) = @_;
	my $device = device($dev);
	my $request = take($device->{issued}, $sector) // return;

	counted($device, 'requeues', $request->{who});
	phase($device, 'D2R', $ts - $request->{d}, $request->{who});
	deeper($device, $ts, -1);
	waits($device, $sector, $request);
});

# Removes and returns those bios of a request that end up to the sector DONE. A request may end in as many parts as it
# has bios: they are kept in order, the next to end last.
sub ended
{
	my ($request, $done) = @_;
	my $bios = $request->{bios};
	my @ended;

	@$bios = sort { $b->[AT] + $b->[SECTORS] <=> $a->[AT] + $a->[SECTORS] } @$bios if !$request->{in_order};
	$request->{in_order} = 1;
	push @ended, pop @$bios while @$bios && $bios->[-1][AT] + $bios->[-1][SECTORS] <= $done;
	return @ended;
}

on('rq_complete', \@ARGS, sub {
	my ($ts, $dev, $sector, $sectors, $rwbs) = @_;
	my $device = device($dev);

	$device->{saw}{complete} = 1;
	return flushed($device, $ts, $rwbs) if !$sectors || $sector == $LAST_SECTOR;
	my $request = take($device->{issued}, $sector, sub { $_[0]{sectors} == $sectors })
		// take($device->{issued}, $sector);

	if (!$request) {
		counted($device, 'begun', $who);
		return;
	}
	# The completed part; the bios that lie within have ended.
	my $done = $sector + $sectors;
	my $part = $sectors < $request->{sectors};

	for my $bio ($part ? ended($request, $done) : grep { $_->[AT] + $_->[SECTORS] <= $done } @{$request->{bios}}) {
		phase($device, 'Q2C', $ts - $bio->[Q], $bio->[WHO]);
		phase(device($bio->[UPPER]), 'Q2C', $ts - $bio->[Q], $bio->[WHO]) if defined $bio->[UPPER];
	}
	if ($part) {
		@$request{qw(at sectors)} = ($done, $request->{sectors} - $sectors);
		put($device->{issued}, $done, $request);
		return;
	}
	my $time = $ts - $request->{d};

	my $of = $request->{who};
	my $queued = defined $request->{q} ? $ts - $request->{q} : undef;

	deeper($device, $ts, -1);
	return if !counts($of);
	phase($device, 'D2C', $time, $of);
	$heat->add($ts, $time) if $heat;
	of_class($device, $request->{rwbs}, $request->{issued}, $time);
	of_task($device, $of, 512 * $request->{issued}, $time, $queued);
	$report->worst(\@worst, 'time', { time => $time, at => $ts, dev => Zed::dev($dev), sector => $request->{from},
		rwbs => $request->{rwbs}, @input ? (source => $device->{source}) : (),
		bytes => 512 * $request->{issued}, queued => $queued },
		$ts - $time, $ts);
});

sub of_class
{
	my ($device, $rwbs, $sectors, $d2c) = @_;
	my $class = $device->{classes}{class($rwbs, $sectors)} //= { d2c => Zed::Spread->new, sectors => 0 };

	$class->{sectors} += $sectors;
	$class->{d2c}->add($d2c);
}

# A request belongs to the task that queued its first bio; without bios, to the one that made, or issued, it.
sub of_task
{
	my ($device, $of, $bytes, $d2c, $q2c) = @_;
	my ($pid, $comm) = @$of;
	my $task = $tasks{"$device->{source} $pid $comm"} //= { source => $device->{source}, pid => $pid, comm => $comm,
		bytes => 0,
		d2c => Zed::Spread->new, q2c => Zed::Spread->new };

	$task->{bytes} += $bytes;
	$task->{d2c}->add($d2c);
	$task->{q2c}->add($q2c) if defined $q2c;
}

# The flush machinery's own request, then the bio that asked for it.
sub flushed
{
	my ($device, $ts, $rwbs) = @_;

	if ($rwbs =~ /^FF/) {
		my $since = shift @{$device->{flushes}} // return;

		phase($device, 'flush', $ts - $since->[0], $since->[1]);
		return;
	}
	my $since = shift @{$device->{flush_bios}} // return;

	phase($device, 'Q2C', $ts - $since->[0], $since->[1]);
}

my @sides = grep { my $event = "block::block_rq_$_"; grep { $_ eq $event } Zed::events() } qw(issue complete);

# ---- kept variables ----

my %sum;	# {source dev}: the data of a device for the answer
my %n;		# unfinished bios and requests, and the like
my $unfinished;	# at the end of the chosen time
my %task_sum;	# {source pid comm}: as %tasks, for all inputs whose rows are combined

$report->counts(\(%tasks, @worst, $unfinished), \&forget);
$report->keeps(devices => \%sum, { '*' => { (map { ("$_!" => 'sum') } qw(busy weight)), 'deepest!' => 'max',
	'source!' => 'number', 'number!' => 'number',
	'dev!' => 'same', 'sizes!' => 'spread', phases => { '*' => 'spread' },
	classes => { '*' => { 'd2c!' => 'spread', 'sectors!' => 'sum' } }, n => { '*' => 'sum' },
	saw => { '*' => 'max' } } });
$report->keeps(n => \%n, { '*' => 'sum' });
$report->keeps(tasks => \%task_sum,
	{ '*' => { 'comm!' => 'same', bytes => 'sum', 'pid!' => 'number', 'source!' => 'number', 'd2c!' => 'spread',
		'q2c!' => 'spread' } });
$report->keeps_worst(worst => \@worst, 'time', qw(at sector bytes));

# Bios and requests that are not finished now, by the task and CPU where they began.
sub unfinished
{
	my $n = 0;

	for my $device (map { lose($_) } values %devices) {
		for my $list (@$device{qw(bios waiting issued)}) {
			for (map { @$_ } values %$list) {
				my ($pid, $comm, $cpu) = @{ref eq 'ARRAY' ? $_->[WHO] : $_->{who}};

				$n++ if Zed::Asked::cpu($cpu) && Zed::Asked::task($pid, $comm);
			}
		}
	}
	return $n;
}

Zed::Asked::at_end(sub {
	$unfinished = unfinished();
	deeper($_, $Zed::Asked::TO, 0) for map { lose($_) } values %devices;
});

# Resets the counts of the devices; requests in flight remain.
sub forget
{
	for (values %devices) {
		@$_{qw(phases classes sizes n busy weight deepest)} = ({}, {}, Zed::Spread->new, {}, 0, 0, 0);
	}
}

sub fold
{
	%sum = %task_sum = ();
	%n = map { $_ => 0 } qw(unfinished begun reissues);
	for my $device (map { lose($_) } values %devices) {
		my $source = $report->apart($device->{source});
		my $of = $sum{"$source $device->{dev}"} //= { source => $source, number => $device->{dev},
			dev => Zed::dev($device->{dev}),
			sizes => Zed::Spread->new, phases => {}, classes => {}, n => {}, deepest => 0 };

		($of->{phases}{$_} //= Zed::Spread->new)->merge($device->{phases}{$_}) for keys %{$device->{phases}};
		for (keys %{$device->{classes}}) {
			my $class = $of->{classes}{$_} //= { d2c => Zed::Spread->new };

			$class->{d2c}->merge($device->{classes}{$_}{d2c});
			$class->{sectors} += $device->{classes}{$_}{sectors};
		}
		$of->{sizes}->merge($device->{sizes});
		$of->{n}{$_} += $device->{n}{$_} for keys %{$device->{n}};
		$of->{$_} += $device->{$_} for qw(busy weight);
		# A part of the time may end before the first completion: then the trace's events are what counts.
		$of->{saw}{$_} = 1
			for Zed::Asked::is_window() && !Zed::Asked::is_part() ? @sides : keys %{$device->{saw}};
		$of->{deepest} = $device->{deepest} if $device->{deepest} > $of->{deepest};
		$n{$_} += $device->{n}{$_} // 0 for qw(begun reissues);
	}
	$n{unfinished} = Zed::Asked::tells_end() ? $unfinished // unfinished() : 0;
	for my $task (values %tasks) {
		my $source = $report->apart($task->{source});
		my $of = $task_sum{"$source $task->{pid} $task->{comm}"} //= { source => $source, pid => $task->{pid},
			comm => $task->{comm},
			d2c => Zed::Spread->new, q2c => Zed::Spread->new };

		$of->{bytes} += $task->{bytes};
		$of->{$_}->merge($task->{$_}) for qw(d2c q2c);
	}
}

# ---- the answer ----

sub numbers
{
	my ($spread) = @_;

	return (n => $spread->n, total => $spread->total, avg => $spread->mean, min => $spread->min,
		p50 => $spread->quantile(50),
		p99 => $spread->quantile(99), max => $spread->max);
}

my @NUMBERS = (['n', 'n', 'int'], ['total', 'total', 'us'], map { [$_, $_, 'us'] } qw(avg min p50 p99 max));

sub answer
{
	my ($start, $end) = $report->window(undef, undef);
	my @all = sort { $a->{source} <=> $b->{source} || $a->{number} <=> $b->{number} } values %sum;
	my $phases = $report->table('phases', whole => 1,
		columns => [@input, ['dev', 'device', 'text'], ['phase', 'part', 'text'], @NUMBERS]);
	my $classes = $report->table('classes', title => 'by kind', whole => 1,
		columns => [@input, ['dev', 'device', 'text'], ['class', 'kind', 'text'], $NUMBERS[0],
		['mib', 'data', 'mib'], ['rate', 'rate', 'mib/s'],
		map { [$_, "D2C $_", 'us'] } qw(avg p50 p99 max)]);
	# A device's load cannot be given for some of its requests.
	my $all_of_it = $report->chooses ? ' (all)' : '';
	my $table = $report->table('devices', title => 'devices', whole => 1,
		columns => [@input, ['dev', 'device', 'text'], ['merges', 'merges', 'int'],
		['request_merges', 'of requests', 'int'], ['splits', 'splits', 'int'],
		['requeues', 'requeues', 'int'],
		['sequential', 'sequential %', 'share'], ['p50', 'size p50', 'bytes'], ['max', 'size max', 'bytes'],
		['depth', "depth avg$all_of_it", 'number'], ['deepest', "depth max$all_of_it", 'int'],
		['busy', "busy$all_of_it", 'ms']]);
	my $d2c = Zed::Spread->new;

	for my $device (@all) {
		my %place = (source => $device->{source}, dev => $device->{dev});
		my $n = $device->{n} // {};

		for (grep { $device->{phases}{$_} } @PHASES) {
			$phases->add({ %place, phase => $_, numbers($device->{phases}{$_}) });
		}
		for (sort keys %{$device->{classes}}) {
			my ($times, $sectors) = @{$device->{classes}{$_}}{qw(d2c sectors)};
			my $mib = $sectors / 2048;

			$d2c->merge($times);
			$classes->add({ %place, class => $_, mib => $mib, numbers($times),
				rate => defined $end && $end > $start ? $mib * 1e9 / ($end - $start) : undef });
		}
		$table->add({ %place, (map { $_ => $n->{$_} // 0 } qw(merges request_merges splits requeues)),
			sequential => $n->{seeks} ? ($n->{sequential} // 0) / $n->{seeks} : undef,
			p50 => $device->{sizes}->quantile(50), max => $device->{sizes}->max,
			is_timed($device) ? (deepest => $device->{deepest}, busy => $device->{busy},
			depth => defined $end && $end > $start ? $device->{weight} / ($end - $start) : undef) : () })
			if $device->{sizes}->n || %$n;
	}
	tasks();
	$report->table('worst', title => 'the longest in the device', span => ['-time', 'at'], rows => [@worst],
		columns => [['time', 'D2C', 'us'], ['at', 'done at', 'time'],
		@input, ['dev', 'device', 'text'], ['rwbs', 'kind', 'text'], ['sector', 'sector', 'int'],
		['bytes', 'size', 'bytes'], ['queued', 'Q2C', 'us']]) if @worst;
	$report->spread('spread', 'how long requests are in devices (D2C)', $d2c);
	sides(@all);
	$report->note('unfinished', $n{unfinished},
		'{bio or request was|bios and requests were} still in flight at the end');
	$report->note('begun', $n{begun}, '{request|requests} completed without a recorded start');
	$report->note('reissues', $n{reissues},
		'{request was|requests were} issued again before {its|their} first completion was seen');
	return ($start, $end);
}

# What a device has in flight is known from both sides.
sub is_timed
{
	my ($device) = @_;

	return !grep { !($device->{saw} // {})->{$_} } qw(issue complete);
}

# A device with events of one side alone.
sub sides
{
	my @devices = @_;
	my %UNKNOWN = (issue => 'sizes, order', complete => 'how long requests take');

	for my $what (sort keys %UNKNOWN) {
		my @without = grep { %{$_->{saw} // {}} && !$_->{saw}{$what} } @devices or next;

		$report->remark("no_$what", "no block:block_rq_$what of " .
			join(', ', map { $_->{dev} } @without > 3 ? (@without[0 .. 2], { dev => '...' }) : @without) .
			": $UNKNOWN{$what} and how many are in flight are unknown");
	}
}

sub tasks
{
	my @rows = map { {
		source => $_->{source}, comm => $_->{comm}, pid => $_->{pid}, n => $_->{d2c}->n, bytes => $_->{bytes},
		d2c_p50 => $_->{d2c}->quantile(50), d2c_max => $_->{d2c}->max,
		q2c_p50 => $_->{q2c}->quantile(50), q2c_max => $_->{q2c}->max,
	} } values %task_sum;

	$report->table('tasks', title => 'by task', rows => \@rows,
		columns => [@input, ['comm', 'task', 'text'], ['pid', 'pid', 'int'], ['n', 'n', 'int'],
		['bytes', 'data', 'bytes'],
		map { my $what = $_; map { ["${what}_$_", uc($what) . " $_", 'us'] } qw(p50 max) } qw(d2c q2c)])
		->sort('bytes', 'source', 'comm', 'pid') if @rows;
}

sub trace_begin { $report->begin }

sub trace_lost
{
	$report->lost(@_);
	$losses{Zed::lost_source()}++ if !Zed::lost_places();
}

sub trace_end { $report->end }

__END__

=head1 NAME

block.pl - requests to disks: how long each stage takes, sizes, merges, queue depth; the longest

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<block> [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]
[B<--html> I<FILE>] [B<--svg> I<FILE>]

=head1 DESCRIPTION

Follows reads and writes from the moment they are queued (a bio) through the request that they
become, or are merged into, to the device and back, by device, sector and length. The names of the
stages are those of blktrace and btt(1). If there are more than 64 bios or requests of one sector,
those after the first 64 are not compared by their length.

For a part of the trace, each stage counts, in full, where it ends; the depth and the time that a device was busy are
cut to the part. B<--pid> and B<--comm> choose by the task of L</by task>, B<--cpu> by the CPU that recorded the end of
each stage or, if it is not finished, its begin; the depth and the time that a device was busy cover all its requests,
and the heads of their columns say so: C<busy (all)>.

=head1 OPTIONS

=over

=item --worst N

How many of the requests that were longest in the device to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<phases>, C<classes>, C<devices>, C<tasks>,
C<worst>. B<--limit> shortens C<tasks> and C<worst>; B<--every> repeats the answer so far.

=head1 RECORD

    zedtrace block -d 10
    trace-cmd record -e block sleep 10

or, with perf,

    perf record -a -e 'block:*' sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

Of several inputs, each row has the number of the input that it is of.

=over

=item part

Q2Q is the time between two bios. Q2G: until a request is made for it. G2I: until that is inserted
into the scheduler, I2D: from there to the device; G2D: both, where there is no scheduler. Q2M:
until it is merged into an existing request; M2D: from there to the device. Q2D: from the queue to
the device, D2C: in the device, from the last issue. D2R: until the device gave it back. Q2C: the
whole time, for each bio. C<flush>: in the device, for a flush of its cache.

=item by kind

Reads, writes, discards: of the requests that were completed how many, how much, and the time in the device.

=item by task

The tasks that the requests come from: the one that queued the first bio of a request or, if the
trace has no such event, the one that made or issued it. How many, how much, and the time in the
device and from the queue to the end.

=item devices

Merges of bios and of requests, bios that were split, requests that were given back; how many requests began where the
previous one of the device ended, of any task; sizes in bytes; how many were in the device at a time, on average over
the whole time and at most; for how long there was at least one. These three cover all requests of the device, also if
CPUs or tasks are chosen.

=back

=head1 EXAMPLES

    zedperl trace.dat block --json | jq '.tables.phases.rows[] | select(.phase == "D2C")'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7), btt(1)

=head1 LICENCE

GPL-2.0-or-later

=cut
