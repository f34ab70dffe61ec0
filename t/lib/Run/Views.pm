# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Views: answers of `zedperl explore`, one at a time without its server; what they are compared with, the lines of
# zedprint as data; and random windows of the recordings. Seeded; SEED=N chooses other windows.
#
#	my $data = view($path, 'events', from => 0, to => 1000);	# dies if there is no answer
package Run::Views;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use MIME::Base64 ();
use Compare::RealData ();
use Run::Program;

our @EXPORT = qw(view view_run view_recordings printed printed_json windows differ view_slices slices_sorted);

# Of each kind a recording, those of a small pass first: several buffers, losses, big endian, 32 bits, ticks,
# PREEMPT_RT, perf.data, an old kernel.
my @SHARED = qw(amd64-1/a01_v7_zstd.dat amd64-1/a05_v7_multibuf.dat armhf/b08_lost_b8.dat s390x/b01_v7_zstd.dat
	i386/b05_v7_multibuf.dat amd64-clocks/a07_clock_x86-tsc.dat amd64-rt/a13_rt_sched.dat trixie/d01_v7_zstd.dat perf/p1_sched.data
	amd64-smp16/a12_smp16_offline3_7.dat);

# At most N; without the full recordings, the repository's own.
sub view_recordings {
	my ($n) = @_;
	my $dir = Compare::RealData::shared();
	my @all = defined $dir ? map { "$dir/$_" } @SHARED : map { "t/data/$_.dat" } qw(demo armhf_multibuf be_lost clock_tsc i386_zstd);
	return @all[0 .. ($n < @all ? $n : @all) - 1];
}

sub query {
	my ($name, %of) = @_;
	my $text = join '&', map { "$_=" . $of{$_} =~ s/([^A-Za-z0-9_.:-])/sprintf '%%%02X', ord $1/ger } sort keys %of;
	return length $text ? "$name?$text" : $name;
}

# The run of zedperl for an answer: {exit, out, err}.
sub view_run {
	my ($path, @query) = @_;
	return zed_run('zedperl', 'explore', '--answer', query(@query), $path);
}

sub view {
	my ($path, @query) = @_;
	my $r = view_run($path, @query);
	my $data = eval { JSON::PP->new->utf8->decode($r->{out}) };
	die "$path: @{[query(@query)]}: exit $r->{exit}: $r->{out}$r->{err}$@\n" if !$data || $r->{exit};
	return $data;
}

# "7.000000123" in ns; ticks as they are.
sub ns {
	my ($text) = @_;
	my ($s, $ns) = split /\./, $text;
	return defined $ns ? $s * 1_000_000_000 + $ns : $s;
}

# Bytes as characters, those that are not UTF-8 as \xNN.
sub chars { return Encode::decode('UTF-8', $_[0], Encode::FB_PERLQQ()) }

# The events that zedprint prints with ARGS: {ts, cpu, pid, comm, instance, name, text}, in their order.
sub printed {
	require Encode;
	my @events;
	for (split /\n/, zed_run({ time => 120, memory => 0 }, 'zedprint', @_)->{out}) {
		my ($system, $name, $cpu, $time, $comm, $pid, $instance, $text) =
			/^([^ ]+?)::(\S+) cpu = (-?\d+), time = ([\d.]+), sequence = \d+,(?: common_comm = (.{0,15}?), common_pid = (\d+),)?(?: instance = (\w+),)?(?: (.*),)?\z/
			or next;
		push @events, { ts => ns($time), cpu => $cpu, pid => $pid, comm => chars($comm // ''), instance => $instance, name => "$system:$name",
			text => chars($text // '') };
	}
	return @events;
}

# The same as -f json has them, with losses as objects without an event.
sub printed_json {
	my @lines = split /\n/, zed_run({ time => 120, memory => 0 }, 'zedprint', '-f', 'json', '--names', @_)->{out};
	return map { JSON::PP->new->utf8->decode($_) } @lines;
}

# N windows [FROM, TO] in ns after BASE between two of the sorted times TS, with at most MOST events.
sub windows {
	my ($n, $most, $base, @ts) = @_;
	srand($ENV{SEED} // 32);
	return map {
		my $first = int rand @ts;
		my $last = $first + int rand($most < @ts - $first ? $most : @ts - $first);
		[$ts[$first] - $base, $ts[$last] - $base];
	} 1 .. $n;
}

# The first differences of two lists of texts, as one text; '' if they are equal.
sub differ {
	my ($got, $want) = @_;
	my @differ = @$got == @$want ? () : (scalar(@$got) . ' of ' . scalar(@$want));
	for my $i (0 .. ($#$got > $#$want ? $#$got : $#$want)) {
		my ($x, $y) = map { $_->[$i] // 'none' } $got, $want;
		push @differ, "$i: $x\n\twant $y" if $x ne $y;
		last if @differ > 3;
	}
	return join "\n", @differ;
}

# ---- slices ----

my ($SWITCH, $LOST) = (1, 3);	# kinds of marks

# The single events of an answer of lanes.
sub marks {
	my ($data) = @_;
	my $n = $data->{timeline}{nmarks};
	my ($value, $scale, @numbers, @columns) = (0, 1);
	for my $byte (unpack 'C*', MIME::Base64::decode_base64($data->{marks})) {
		$value += ($byte & 127) * $scale;
		$scale *= 128;
		next if $byte > 127;
		push @numbers, $value;
		($value, $scale) = (0, 1);
	}
	die "marks: " . @numbers . " numbers, not 7 * $n\n" if @numbers != 7 * $n;
	push @columns, [splice @numbers, 0, $n] while @columns < 7;
	my $time = 0;
	return map { my $i = $_; $time += $columns[3][$i]; { kind => $columns[0][$i], cpu => $columns[2][$i], at => $time, who => $columns[4][$i], other => $columns[5][$i] } } 0 .. $n - 1;
}

# "CPU FROM TO PID" of each slice of an answer of lanes, as page/timeline-data.js derives them; times after the base.
sub view_slices {
	my ($data) = @_;
	my $t = $data->{timeline};
	my ($from, $to) = map { $_ - $t->{start} } @$t{qw(start end)};
	my %on = map { $_->[0] => [$_->[1], $from] } @{$t->{running}};
	my (@slices, %known);
	my $end = sub {
		my ($cpu, $at) = @_;
		my $on = delete $on{$cpu} // return;
		push @slices, [$t->{cpus}[$cpu][0], $on->[1] + $t->{start}, $at + $t->{start}, $t->{people}[$on->[0]][1]] if $at > $on->[1];
	};
	for my $m (marks($data)) {
		$known{$m->{cpu}} //= $m->{at};
		if ($m->{kind} == $LOST) {
			$end->($m->{cpu}, $m->{at});
			$known{$m->{cpu}} = $m->{at};
		} elsif ($m->{kind} == $SWITCH) {
			$on{$m->{cpu}} //= [$m->{who}, $known{$m->{cpu}}];
			delete $on{$m->{cpu}} if $on{$m->{cpu}}[0] != $m->{who};
			$end->($m->{cpu}, $m->{at});
			$on{$m->{cpu}} = [$m->{other} - 1, $m->{at}];
		}
	}
	$end->($_, $to) for keys %on;
	return slices_sorted(@slices);
}

sub slices_sorted { return map { join ' ', @$_ } sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] || $a->[2] <=> $b->[2] } @_ }

1;
