# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::Babeltrace: reads the text that babeltrace2 prints with --clock-cycles --no-delta --names=all --fields=all, and
# compares it with zedprint -f json, event by event: time, CPU, name, contexts and fields.

package Compare::Babeltrace;
use strict;
use warnings;
no warnings 'portable';
use Exporter 'import';
use JSON::PP ();

our @EXPORT = qw(babeltrace_event babeltrace_differs linux_name);

# ---------------------------------------------------------------- babeltrace2's text

# The value at the position of $_: a number, a string, [item, ...] or {name => value}.
sub value {
	if (/\G"((?:[^"\\]|\\.)*)"/gc) {
		my $s = $1;
		$s =~ s/\\(?:x([0-9a-fA-F]{2})|([0-7]{3})|(.))/defined $1 ? chr hex $1 : defined $2 ? chr oct $2
			: { n => "\n", t => "\t", r => "\r", a => "\a", b => "\b", f => "\f", v => "\x0b", e => "\e" }->{$3} \/\/ $3/ge;
		return $s;
	}
	return hex $1 if /\G0x([0-9A-Fa-f]+)/gc;
	return oct $1 if /\G(0[0-7]+)(?![0-9.])/gc;
	return $1 if /\G(-?[0-9][0-9.e+-]*|-?nan|-?inf)/gc;
	if (/\G\(\s*(?:"((?:[^"\\]|\\.)*)"(?:, "[^"]*")*|<unknown>) : container = /gc) {
		my $label = $1;
		my $number = value();
		/\G\s*\)/gc or die 'an enumeration without an end at ' . substr($_, pos, 60) . "\n";
		return { 'the label' => $label, 'of' => $number };
	}
	if (/\G\[\s*/gc) {
		my @items;
		push @items, value() and /\G,\s*/gc while /\G\[\d+\] = /gc;
		/\G\s*\]/gc or die 'a list without an end at ' . substr($_, pos, 60) . "\n";
		return \@items;
	}
	return members('}') if /\G\{\s*/gc;
	die 'no value at ' . substr($_, pos() // 0, 60) . "\n";
}

sub members {
	my ($end) = @_;
	my %of;
	while (/\G([A-Za-z_][\w:.]*) = /gc) {
		my $name = $1;
		$of{$name} = value();
		/\G,\s*/gc;
	}
	/\G\s*\Q$end\E/gc or die "no $end at " . substr($_, pos() // 0, 60) . "\n";
	return \%of;
}

# An event: {ts, name, cpu, fields => {...}}; the fields of contexts are named context_NAME, lengths are left out.
sub babeltrace_event {
	(local $_) = @_;
	my ($ts) = /^timestamp = 0*(\d+)/ or return;
	my ($name) = /, name = (\S+?)(?:,|$)/ or die "no name: $_";
	my %fields;
	my $cpu;
	while (/(?:^|[ ,])((?:stream|event)\.(?:packet\.)?(?:event\.)?(?:context|fields)) = \{\s*/g) {
		my $scope = $1;
		my $of = members('}');
		$cpu = $of->{cpu_id}, next if $scope eq 'stream.packet.context';
		my $before = $scope eq 'event.fields' ? '' : 'context_';
		$fields{"$before$_"} = $of->{$_} for grep { !/^_\w+_length$/ } keys %$of;
	}
	return { ts => $ts, name => $name, cpu => $cpu, fields => \%fields };
}

# ---------------------------------------------------------------- names

# LTTng's events have the names that tracefs has for them.
my %MOVED = (irq_handler_entry => 'irq::irq_handler_entry', irq_handler_exit => 'irq::irq_handler_exit', skb_kfree => 'skb::kfree_skb',
	skb_consume => 'skb::consume_skb', net_if_receive_skb => 'net::netif_receive_skb', net_if_rx => 'net::netif_rx');
my @KEPT = qw(sched block rcu signal workqueue writeback module timer net jbd2 ext4 scsi sock skb napi udp rpm regulator gpio i2c);
my @CUT = qw(irq power printk random kmem);
sub linux_name {
	my ($n) = @_;
	return "$1::$2" if $n =~ /^([^:]+):(.+)$/;
	return $MOVED{$n} if $MOVED{$n};
	return 'syscalls::sys_' . { entry => 'enter', exit => 'exit' }->{$1} . "_$2" if $n =~ /^syscall_(entry|exit)_(.+)/;
	return "timer::$1" if $n =~ /^timer_((?:hr|i)timer_.*)/;
	return "kmem::$n" if $n =~ /^kmem_cache_/;
	return "writeback::$1" if $n =~ /^writeback_(global_.*)/;
	return "vmscan::$n" if $n =~ /^mm_vmscan/;
	return "compaction::$n" if $n =~ /^mm_compaction/;
	for (@CUT) { return "$_\::$1" if $n =~ /^$_\_(.+)/ }
	for (@KEPT) { return "$_\::$n" if $n =~ /^$_\_/ }
	return "lttng::$n";
}

# ---------------------------------------------------------------- comparing

# A value as text.  WITH is the other's value: bytes are a list here and hex digits there, a label is a word or a number.
sub text_of {
	my ($v, $with) = @_;
	if (ref $v eq 'ARRAY') {
		return join '', map { sprintf '%02x', $_ & 255 } @$v if defined $with && !ref $with && !grep { ref || !/^-?\d+$/ } @$v;
		return '[' . join(',', map { text_of($v->[$_], ref $with eq 'ARRAY' ? $with->[$_] : undef) } 0 .. $#$v) . ']';
	}
	if (ref $v eq 'HASH' && exists $v->{of}) {
		return ($with // '') =~ /^-?\d+$/ ? $v->{of} : $v->{'the label'} // $v->{of};
	}
	return '{' . join(',', map { "$_=" . text_of($v->{$_}, ref $with eq 'HASH' ? $with->{$_} : undef) } sort keys %$v) . '}'
		if ref $v eq 'HASH';
	return 'undef' if !defined $v;
	return $v =~ /^-?\d+\.\d+(?:e[-+]\d+)?$/ || ($with // '') =~ /^-?\d+\.\d+(?:e[-+]\d+)?$/ ? sprintf '%.6g', $v : $v;
}

sub line_of {
	my ($ev, $with) = @_;
	return join ' ', $ev->{name}, 'cpu=' . ($ev->{cpu} // '-'),
		map { "$_=" . text_of($ev->{fields}{$_}, $with && $with->{fields}{$_}) } sort keys %{$ev->{fields}};
}

# What events of one time are sorted by.
sub rank { my ($ev) = @_; return join ' ', $ev->{name}, $ev->{cpu} // '-', map { ref $ev->{fields}{$_} ? () : $ev->{fields}{$_} // '' } sort keys %{$ev->{fields}} }

# The events of the next time of NEXT, a sub that gives one after another; HELD keeps the first one after these.
sub next_time {
	my ($next, $held) = @_;
	my $ev = $$held // $next->() // return;
	my @at = $ev;
	undef $$held;
	while (my $more = $next->()) {
		if ($more->{ts} ne $ev->{ts}) {
			$$held = $more;
			last;
		}
		push @at, $more;
	}
	return @at > 1 ? sort { rank($a) cmp rank($b) } @at : @at;
}

# babeltrace2 2.0.4 shows an earlier string of the field in place of an empty one: there the bytes are right, which have "".
sub forgive_empty {
	my ($theirs, $ours, $before) = @_;
	for my $name (keys %{$theirs->{fields}}) {
		my $is = \$theirs->{fields}{$name};
		my $seen = $before->{"$theirs->{name} $name"} //= {};
		next if ref $$is || $$is =~ /^-?\d/;
		$$is = '' if ($ours->{fields}{$name} // 'x') eq '' && $seen->{$$is};
		$seen->{$$is} = 1;
	}
}

# Compare FILE, babeltrace2's text, with the lines of zedprint -f json in OUT.  NAME gives the name under which zedprint
# has an event of babeltrace2; FIX may change one.  Returns how many events are equal, and the first difference, or undef.
sub babeltrace_differs {
	my ($theirs, $out, $name, $fix) = @_;
	open my $h, '<', $theirs or die "$theirs: $!\n";
	open my $ours, '<', \$out or die;
	my $json = JSON::PP->new;
	my ($n, $held_a, $held_b, %before) = (0);
	my $next_a = sub {
		my $line = readline $h // return;
		my $ev = babeltrace_event($line);
		$ev->{name} = $name->($ev->{name});
		$fix->($ev) if $fix;
		return $ev;
	};
	my $next_b = sub {
		my $line = readline $ours // return;
		my $ev = $json->decode($line);
		return { ts => $ev->{ts}, name => $ev->{event}, cpu => $ev->{cpu}, fields => $ev->{fields} };
	};
	for (;;) {
		my @a = next_time($next_a, \$held_a);
		my @b = next_time($next_b, \$held_b);
		return ($n, undef) if !@a && !@b;
		for my $i (0 .. (@a > @b ? $#a : $#b)) {
			my ($x, $y) = ($a[$i], $b[$i]);
			forgive_empty($x, $y, \%before) if $x && $y;
			my ($line_a, $line_b) = map { $_ ? "$_->{ts} " . line_of($_, $_ == ($x // 0) ? $y : $x) : 'nothing' } $x, $y;
			return ($n, "babeltrace2: $line_a\nzedprint:    $line_b") if $line_a ne $line_b;
			$n++;
		}
	}
}

1;
