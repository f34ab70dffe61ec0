# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::KernelText: runs zedperl on a recording and compares the arguments of its handlers with witnesses that share
# no code with it: stock's raw report, the page walk of Compare/DatRead.pm, and the text that the kernel printed for the
# same records.

package Compare::KernelText;
use strict;
use warnings;
use POSIX ();
use Compare::DatRead;
use Compare::RealData;
use Files;

my $COUNT = <<'END';
use Zed;
my (%n, %seq, %lost, %late);
sub trace_unhandled {
	my ($event, $cpu, undef, undef, $sequence) = @_;
	my $inst = Zed::instance();
	$n{$event}++;
	add(\%lost, \%late) if %late;
	$seq{ (defined $inst ? $inst : '') . "/$cpu" } = $sequence;
}
sub trace_lost {
	my ($cpu, $count) = @_;
	$late{ "$cpu " . (defined $count ? 'lost' : 'unknown') } += defined $count ? $count : 1;
}
# A loss in the stream comes before an event; losses after the last event come from statistics.
sub add {
	my ($to, $from) = @_;
	$to->{$_} += delete $from->{$_} for keys %$from;
}
sub trace_end {
	print "event $_ $n{$_}\n" for sort keys %n;
	print "lost $_ $lost{$_}\n" for sort keys %lost;
	print "late $_ $late{$_}\n" for sort keys %late;
	print "sequence $_ $seq{$_}\n" for sort keys %seq;
}
END

my $DUMP = <<'END';
use Zed;
sub text {
	my ($v) = @_;
	return '[' . join(',', @$v) . ']' if ref $v;
	$v = 'undef' unless defined $v;
	$v =~ s/([^ !-\$&-~])/sprintf '%%%02x', ord $1/ge;
	return $v;
}
sub trace_unhandled {
	my ($event, $cpu, $secs, $nsecs, undef, @values) = @_;
	my @pairs = Zed::fields();
	die "$event: " . @pairs / 2 . ' fields, but ' . @values . " arguments\n"
		if @pairs != 2 * @values;
	my @out = ($cpu, $secs, $nsecs, Zed::pid(), Zed::comm(), $event);
	for my $i (0 .. $#values) {
		my ($name, $value) = ($pairs[ 2 * $i ], text($values[$i]));
		my $same = text($pairs[ 2 * $i + 1 ]);
		die "$event: $name: argument $value, but Zed::fields says $same\n"
			if $value ne $same;
		push @out, "$name=$value";
	}
	print join("\t", @out), "\n";
}
END

sub run_script {
	my ($dat, $code) = @_;
	my $script = spew(Compare::RealData::temp() . '.pl', $code);
	return Compare::RealData::run('zedperl', $dat, $script);
}

# Byte order and compression, from the first bytes of the file.
sub head {
	my ($dat) = @_;
	open my $fh, '<:raw', $dat or die "$dat: $!\n";
	read $fh, my $bytes, 32;
	my ($version, $be, $long, $page, $codec) = unpack 'x10 a2 C C L Z*', $bytes;
	return { be => $be, codec => $version eq "7\0" ? $codec : 'none' };
}

# Lost events by the recorder's statistics: {"buffer/cpu" => number}.
sub statistics {
	my ($d) = @_;
	my ($buffer, $cpu, %n) = ('');
	my @opts = map { @{ $_->{opts} || [] } } $d, @{ $d->{sections} || [] };
	for (split /\n/, join "\n", map { $_->{data} } grep { $_->{id} == 2 } @opts) {
		$buffer = $1 if /Buffer: ([^\0]+)/;
		$cpu = $1 if /CPU: (\d+)/;
		$n{"$buffer/$cpu"} += $1 if /^(?:overrun|commit overrun|dropped events): (\d+)/;
	}
	return %n;
}

# The contents of the pages themselves: (events per name, losses per CPU, losses per CPU that only the statistics show,
# last sequence number per buffer and CPU, is the file a latency tracer's text); nothing if it cannot be unpacked.
sub walk {
	my ($dat) = @_;
	return () if head($dat)->{codec} eq 'zstd' && !Compare::RealData::have_zstd();
	my $d = Compare::DatRead::dat_read($dat, 1);
	my (%name, %n, %lost, %late, %seq);
	my %stat = statistics($d);
	for my $text (@{ $d->{meta} }{ 17, 18 }) {
		$name{$2} = $1 while $text =~ /name: (\S+)\nID: (\d+)/g;
	}
	for my $b (@{ $d->{buffers} || [] }) {
		for my $c (@{ $b->{cpus} || [] }) {
			Compare::DatRead::cpu_load($d, $c);
			my ($seq, %id) = (0);
			my $on = sub { $id{ $_[0] }++; $seq++ };
			Compare::DatRead::walk_pages($d, \$c->{bytes}, $b->{page}, $on, sub {
				my ($count) = @_;
				$seq += defined $count ? $count : 1;
				$stat{"$b->{name}/$c->{cpu}"} -= $count if defined $count;
				$lost{"$c->{cpu} " . (defined $count ? 'lost' : 'unknown')} +=
					defined $count ? $count : 1;
			});
			for my $id (keys %id) {
				my $name = defined $name{$id} ? $name{$id} : "unknown id $id";
				$n{$name} += $id{$id};
			}
			$seq{"$b->{name}/$c->{cpu}"} = $seq if %id;
			delete @$c{qw(bytes blocks)};
		}
	}
	for (keys %stat) {
		$late{"$1 lost"} += $stat{$_} if m{/(\d+)$} && $stat{$_} > 0;
	}
	my $latency = defined $d->{tail} || grep { $_->{id} == 22 } @{ $d->{sections} || [] };
	return (\%n, \%lost, \%late, \%seq, $latency);
}

# The first key whose value differs, as text; undef when all are equal.
sub unlike {
	my ($what, $want, $got) = @_;
	for my $k (sort keys %{ { %$want, %$got } }) {
		my ($w, $g) = map { defined $_->{$k} ? $_->{$k} : 'none' } $want, $got;
		return "$what $k: expected $w, got $g" if $w ne $g;
	}
	return undef;
}

# undef or the first difference, and the number of events; $ref, where there is one, is stock's
# raw report.
sub check_counts {
	my ($dat, $ref) = @_;
	my ($n, $lost, $late, $seq, $latency) = walk($dat);
	my $run = run_script($dat, $COUNT);
	if ($latency && !%$n || !$n && $run->{exit} == 2) {
		return undef if $run->{exit} == 2 && $run->{err} =~ /latency/i;
		return "expected exit 2 and to be told that this is a latency tracer's text, "
			. "got exit $run->{exit}: $run->{err}";
	}
	my $bad = Compare::RealData::failure($run);
	return $bad if $bad;
	my (%events, %got_lost, %got_late, %got_seq);
	for (split /\n/, Compare::RealData::slurp($run->{out})) {
		$events{$1} += $2 if /^event [^:]+::(\S+) (\d+)$/;
		$got_lost{$1} = $2 if /^lost (.*) (\d+)$/;
		$got_late{$1} = $2 if /^late (.*) (\d+)$/;
		$got_seq{$1} = $2 if /^sequence (.*) (\d+)$/;
	}
	unlink $run->{out};
	if ($ref) {
		my ($raw, $dropped) = Compare::RealData::raw_counts($ref);
		$bad = unlike('events by the raw report:', $raw, \%events);
		return $bad if $bad;
		# stock reports no loss before a page that begins with a time stamp; the walk does
		for my $cpu (keys %$dropped) {
			for my $kind (keys %{ $dropped->{$cpu} }) {
				my $g = $got_lost{"$cpu $kind"} || 0;
				return "cpu $cpu $kind: stock says $dropped->{$cpu}{$kind}, got $g"
					if $g < $dropped->{$cpu}{$kind};
			}
		}
	}
	my $total = 0;
	$total += $_ for values %events;
	return (undef, $total) if !$n;
	return (unlike('events by the pages:', $n, \%events)
		|| unlike('losses by the pages, cpu', $lost, \%got_lost)
		|| unlike('losses that only the statistics tell, cpu', $late, \%got_late)
		|| unlike('last $sequence of buffer/cpu', $seq, \%got_seq), $total);
}

# ---------------------------------------------------------------- the raw report's arrays

# Are these the bytes of the value that zedperl gave: an array, a byte string, or a mask's ranges?
sub same_bytes {
	my ($be, $v, @bytes) = @_;
	if ($v =~ /^\[/) {
		my @items = items($v);
		return !@bytes if !@items;
		my %one = $be ? (1 => 'C', 2 => 'n', 4 => 'N', 8 => 'Q>')
			: (1 => 'C', 2 => 'v', 4 => 'V', 8 => 'Q<');
		my $one = $one{ @bytes / @items } or return 0;
		no warnings 'pack';
		return pack('C*', @bytes) eq pack "($one)*", @items;
	}
	my $want = pack 'C*', @bytes;
	my $got = pack 'C*', bytes_of($v);
	return 1 if $got eq $want || $got eq unpack 'Z*', $want;
	my $bits = $be ? join '', map { scalar reverse $_ } unpack '(a8)*', $want : $want;
	my @on = map { /^(\d+)-(\d+)$/ ? ($1 .. $2) : $_ } split /,/, $v;
	return "@on" eq join ' ', grep { vec $bits, $_, 1 } 0 .. 8 * @bytes - 1;
}

# The raw report shows arrays as bytes.  Returns (undef or the first difference, arrays compared); the tracers' own
# events are left out: stock shows no data beyond their format.
sub check_arrays {
	my ($dat, $ref) = @_;
	my (%raw, $n);
	my $be = head($dat)->{be};
	my $fh = Compare::RealData::ref_open($ref);
	while (defined(my $line = <$fh>)) {
		my ($cpu, undef, $name) = Compare::RealData::record($line) or next;
		push @{ $raw{ $cpu + 0 } }, [ $name, $line =~ /(\w+)=ARRAY\[([0-9a-f, ]*)\]/g ];
	}
	my $run = run_script($dat, $DUMP);
	my $bad = Compare::RealData::failure($run);
	return ($bad, 0) if $bad;
	$n = 0;
	open my $in, '<', $run->{out} or die;
	while (my $line = <$in>) {
		chomp $line;
		my ($cpu, $secs, $nsecs, undef, undef, $event, @fields) = split /\t/, $line, -1;
		my $at = sprintf 'cpu %d, %d.%09d', $cpu, $secs, $nsecs;
		my $r = shift @{ $raw{$cpu} || [] }
			or return ("$at: more events than in the raw report", $n);
		my ($name, %array) = @$r;
		return ("$at: expected $name, got $event", $n) if $event !~ /::\Q$name\E$/;
		next if !%array || $event =~ /^ftrace::/;
		my %f = map { /^(\w+)=(.*)$/s ? ($1 => $2) : () } @fields;
		for my $k (sort keys %array) {
			my $v = defined $f{$k} ? $f{$k} : 'nothing';
			return ("$at: $event: $k: expected bytes $array{$k}, got $v", $n)
				unless same_bytes($be, $v, map { hex } split /, /, $array{$k});
			$n++;
		}
	}
	unlink $run->{out};
	return (undef, $n);
}

# ---------------------------------------------------------------- the kernel's text

sub ranges_hex {
	my ($ranges, $words) = @_;
	my @w = (0) x $words;
	for (split /,/, $ranges) {
		my ($from, $to) = /^(\d+)(?:-(\d+))?$/ or return "not ranges: $ranges";
		$w[ $_ >> 5 ] |= 1 << ($_ & 31) for $from .. (defined $to ? $to : $from);
	}
	return join ',', map { sprintf '%08x', $_ } reverse @w;
}

sub hex_array {
	my ($v, $bits) = @_;
	my $mask = $bits < 64 ? (1 << $bits) - 1 : ~0;
	return '{' . join(',', map { sprintf '0x%x', $_ & $mask } items($v)) . '}';
}

sub items { return $_[0] =~ /^\[(.*)\]$/ ? split /,/, $1 : ("not an array: $_[0]") }
sub bytes_of { my ($v) = @_; $v =~ s/%([0-9a-f]{2})/chr hex $1/ge; return unpack 'C*', $v }

sub task_state {
	my ($s) = @_;
	my @bit = qw(S D T t X Z P I);
	my $on = join '|', map { $bit[$_] } grep { $s & 1 << $_ } 0 .. 7;
	return ($on eq '' ? 'R' : $on) . ($s & 0x100 ? '+' : '');
}

my @SOFTIRQ = qw(HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU);

# A text that is a plain format of these fields.
sub plain {
	my ($format, @names) = @_;
	return sub { sprintf $format, @{ $_[0] }{@names} };
}

my $softirq = sub { sprintf 'vec=%d [action=%s]', $_[0]{vec}, $SOFTIRQ[ $_[0]{vec} ] };
my $task = plain('comm=%s pid=%d prio=%d', qw(comm pid prio));
my $wakeup = plain('comm=%s pid=%d prio=%d target_cpu=%03d', qw(comm pid prio target_cpu));

# Events whose whole text is rebuilt from the fields, as in the kernel's print format.
my %WHOLE = (
	tpk_ints => sub {
		my ($f) = @_;
		my @enum = qw(zero A B 0x3);
		my @flag = qw(A B C);
		return sprintf('a8=%s b8=%s a16=%s b16=%s a32=%s b32=%s a64=%s b64=%s al=%x bl=%s '
				. 'flag=%s sz=%s',
				@$f{qw(a8 b8 a16 b16 a32 b32 a64 b64 al bl flag sz)})
			. sprintf(' hex %x %#x %08x %x enum=%s flags=%s cond=%s expr=%d',
				$f->{b32} & 0xffffffff, @$f{qw(a32 a16 b64)}, $enum[ $f->{a8} & 3 ],
				join('|', map { $flag[$_] } grep { $f->{a8} & 1 << $_ } 0 .. 2),
				$f->{flag} ? 'yes' : 'no',
				POSIX::floor($f->{b32} / 4) + ($f->{a8} & ~1) * 3);
	},
	tpk_arrays => sub {
		my ($f) = @_;
		# an array of s32 must come as negative numbers, not as large ones
		my @sints = items($f->{sints});
		return 'sints without sign' if grep { $_ !~ /^-?\d+$/ || $_ > 0x7fffffff } @sints;
		return sprintf 'raw=%s words=%s longs=%s str=%s second=%s cpus=%s cmask=%s '
			. 'bytes=%s halves=%s ints=%s quads=%s sints=%s len=%d',
			join(' ', map { sprintf '%02x', $_ } bytes_of($f->{raw16})),
			hex_array($f->{words}, 32), hex_array($f->{longs}, 64), @$f{qw(str second)},
			ranges_hex($f->{cpus}, 2), ranges_hex($f->{cmask}, 2),
			join('', map { sprintf '%02x', $_ } bytes_of($f->{bytes})),
			hex_array($f->{halves}, 16), hex_array($f->{ints}, 32),
			hex_array($f->{quads}, 64), hex_array($f->{sints}, 32),
			4 * items($f->{ints});
	},
	tpk_rel => plain('i=%s rstr=%s tail=%s', qw(i rstr tail)),
	sched_switch => sub {
		my ($f) = @_;
		return sprintf 'prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> '
			. 'next_comm=%s next_pid=%d next_prio=%d',
			@$f{qw(prev_comm prev_pid prev_prio)}, task_state($f->{prev_state}),
			@$f{qw(next_comm next_pid next_prio)};
	},
	sched_waking => $wakeup, sched_wakeup => $wakeup, sched_wakeup_new => $wakeup,
	sched_process_exit => $task, sched_process_free => $task, sched_process_wait => $task,
	sched_process_fork => plain('comm=%s pid=%d child_comm=%s child_pid=%d',
		qw(parent_comm parent_pid child_comm child_pid)),
	sched_process_exec => plain('filename=%s pid=%d old_pid=%d', qw(filename pid old_pid)),
	sched_migrate_task => plain('comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d',
		qw(comm pid prio orig_cpu dest_cpu)),
	softirq_entry => $softirq, softirq_exit => $softirq, softirq_raise => $softirq,
	irq_handler_entry => plain('irq=%d name=%s', qw(irq name)),
	sys_enter => sub {
		my ($f) = @_;
		return sprintf 'NR %d (%s)', $f->{id},
			join ', ', map { sprintf '%x', $_ } items($f->{args});
	},
	sys_exit => plain('NR %d = %d', qw(id ret)),
);

sub whole_text {
	my ($event, $f, $names) = @_;
	my ($sys, $name) = split /::/, $event;
	if ($sys eq 'syscalls') {
		return sprintf 'sys_%s -> 0x%x', $1, $f->{ret} if $name =~ /^sys_exit_(.*)/;
		my ($call) = $name =~ /^sys_enter_(.*)/;
		my @args = grep { !/^(?:__syscall_)?nr$/ } @$names;
		@args = map { sprintf '%s: %x', $_, $f->{$_} } @args;
		return "sys_$call(" . join(', ', @args) . ')';
	}
	return $WHOLE{$name} ? $WHOLE{$name}->($f) : undef;
}

# All ways in which the kernel prints a number: the value must be one of them.
sub is_number_text {
	my ($text, $v) = @_;
	return 1 if $text eq $v;
	return 0 unless $v =~ /^-?\d+$/;
	my @as = (sprintf('%x', $v), sprintf('%03d', $v), sprintf('%u', $v));
	push @as, unpack 'q', pack 'Q', $v;
	push @as, sprintf('%x', $v & 0xffffffff), sprintf('%u', $v & 0xffffffff) if $v < 0;
	push @as, unpack 'l', pack 'L', $v if $v >> 31 == 1;
	(my $t = $text) =~ s/^0x//;
	$t =~ s/^0+(?=[0-9a-f])//;
	return scalar grep { (my $a = $_) =~ s/^0+(?=[0-9a-f])//; $t eq $a } @as;
}

# For other events: each key=value of the text whose key is a field.  Returns (difference, fields compared); numbers
# that the kernel printed as names (a symbol, a flag) are not compared.
sub check_fields {
	my ($text, $f) = @_;
	my $n = 0;
	while ($text =~ /(?:^|[ (\[])(\w+)[=:] ?(?=(\S*))/g) {
		my ($key, $word, $rest) = ($1, $2, substr $text, pos $text);
		next unless defined $f->{$key} && $f->{$key} !~ /^\[/;
		(my $v = $f->{$key}) =~ s/%([0-9a-f]{2})/chr hex $1/ge;
		$word =~ s/[,;:)\]]+$//;
		if ($v =~ /^-?\d+$/) {
			next unless $word =~ /^-?(?:0x)?[0-9a-f]+$/;
			return ("$key: kernel printed \"$word\", got $v", $n)
				unless is_number_text($word, $v);
		} else {
			return ("$key: kernel printed \"$rest\", got \"$v\"", $n)
				if index($rest, $v) != 0;
		}
		$n++;
	}
	return (undef, $n);
}

# A line of the kernel's trace file: {cpu, pid, comm, time (us, or undef), event, text}.
sub kernel_line {
	my ($line) = @_;
	return { comm => $1, pid => $2, cpu => $3 + 0, time => "$4$5", text => $6 }
		if $line =~ /^ *(.*)-(\d+) +\[(\d+)\] \S+ +(\d+)\.(\d+): (.*)$/s;
	# latency format: the comm is cut to eight bytes, times count from the first event
	return { comm => undef, pid => $1, cpu => $2 + 0, time => undef, text => $3 }
		if $line =~ /^ *.{1,8}?-(\d+) +(\d+)[A-Za-z.]\S{4} +\d+us.?: (.*)$/s;
	return undef;
}

# Adds the task names in a line of the kernel's text to NAMES{pid}.  The name before an event is the one that the task
# had when the text was read; these are those of the event's time.
sub add_names {
	my ($text, $names) = @_;
	$names->{$2}{$1 =~ s{.*/}{}r} = 1 if $text =~ /^sched_process_exec: filename=(\S+) pid=(\d+)/;
	$names->{$2}{$1} = 1 if $text =~ /^sched_process_fork: .* child_comm=(.*) child_pid=(\d+)/;
	$names->{$2}{$1} = $names->{$4}{$3} = 1
		if $text =~ /^sched_switch: prev_comm=(.*) prev_pid=(\d+) .* next_comm=(.*) next_pid=(\d+)/;
	return;
}

# Returns (undef or the first difference, {events, whole, fields}).
sub check_values {
	my ($dat, $ref) = @_;
	my %n = (events => 0, whole => 0, fields => 0);
	my (%kernel, %names);
	my $fh = Compare::RealData::ref_open($ref);
	my $last;
	while (defined(my $line = <$fh>)) {
		chomp $line;
		next if $line =~ /^#/;
		my $k = kernel_line($line);
		if ($k) {
			push @{ $kernel{ $k->{cpu} } }, $last = $k;
			add_names($k->{text}, \%names);
		} elsif ($last && $line =~ /^ => /) {
			$last->{stack}++;
		}
	}
	my $run = run_script($dat, $DUMP);
	my $bad = Compare::RealData::failure($run);
	return ($bad, \%n) if $bad;
	open my $in, '<', $run->{out} or die;
	while (my $line = <$in>) {
		chomp $line;
		my ($cpu, $secs, $nsecs, $pid, $comm, $event, @fields) = split /\t/, $line, -1;
		my %f = map { /^(\w+)=(.*)$/s ? ($1 => $2) : () } @fields;
		my @names = map { /^(\w+)=/ ? $1 : () } @fields;
		my ($name) = $event =~ /::(.*)/;
		my $k = shift @{ $kernel{$cpu} || [] }
			or return ("cpu $cpu: one event more than the kernel printed: $line", \%n);
		my $at = "cpu $cpu, kernel's \"$k->{text}\"";
		$n{events}++;
		return ("$at: pid $k->{pid}, got $pid", \%n) if $pid != $k->{pid};
		return ("$at: comm $k->{comm}, got $comm", \%n)
			if defined $k->{comm} && $k->{comm} ne $comm
			&& $k->{comm} ne '<...>' && $comm ne '<...>' && !$names{$pid}{$comm};
		my $us = int(($secs * 1000000000 + $nsecs + 500) / 1000);
		return ("$at: time $k->{time} us, got $us", \%n)
			if defined $k->{time} && $k->{time} != $us;
		if ($k->{text} =~ /^<stack trace>/) {
			return ("$at: got $event", \%n) if $name ne 'kernel_stack';
			my @entries = items($f{caller});
			return ("$at: $k->{stack} entries, got size $f{size} and " . @entries, \%n)
				if $f{size} != $k->{stack} || @entries < $k->{stack};
			$n{fields}++;
			next;
		}
		my $text = whole_text($event, \%f, \@names);
		if (defined $text) {
			$text = "$name: $text" unless $event =~ /^syscalls::/;
			s/%([0-9a-f]{2})/chr hex $1/ge for $text;
			return ("expected \"$k->{text}\"\n  got      \"$text\"", \%n)
				if $text ne $k->{text};
			$n{whole}++;
			next;
		}
		$k->{text} =~ /^(\S+): ?(.*)$/s && $1 eq $name or return ("$at: got $event", \%n);
		my ($diff, $fields) = check_fields($2, \%f);
		return ("$at: $diff", \%n) if $diff;
		$n{fields} += $fields;
	}
	unlink $run->{out};
	for my $cpu (sort keys %kernel) {
		my $left = @{ $kernel{$cpu} } or next;
		return ("cpu $cpu: $left events were not delivered", \%n);
	}
	return (undef, \%n);
}

1;
