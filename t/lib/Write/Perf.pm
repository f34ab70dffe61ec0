# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Perf: writes perf.data (docs/format.md 12) in forms that the perf of a test machine does not write: both byte
# orders, any sample_type, files and pipes, cut and compressed ones.  Shares no code with the programs.
#
#	my $w = Write::Perf->new(big => 1);
#	$w->format('mini', Write::Dat::format_text(...));
#	my $a = $w->attr(type => 2, config => 300, parts => [qw(IP TID TIME CPU PERIOD RAW)], ids => [7, 8]);
#	$w->sample($a, time => 1000, cpu => 1, tid => 5, raw => ...);
#	$w->write($path);
package Write::Perf;
use strict;
use warnings;
use File::Temp ();
use Write::Dat ();

my %bit = (IP => 0, TID => 1, TIME => 2, ADDR => 3, READ => 4, CALLCHAIN => 5, ID => 6, CPU => 7, PERIOD => 8,
	STREAM_ID => 9, RAW => 10, BRANCH_STACK => 11, REGS_USER => 12, STACK_USER => 13, WEIGHT => 14, DATA_SRC => 15,
	IDENTIFIER => 16, TRANSACTION => 17, REGS_INTR => 18, PHYS_ADDR => 19, AUX => 20, CGROUP => 21,
	DATA_PAGE_SIZE => 22, CODE_PAGE_SIZE => 23, WEIGHT_STRUCT => 24);

# pipe, big; all_ids (the flag sample_id_all, default 1); zstd; unfinished: no sizes, nothing after the data; header:
# header_page and header_event of a trace.dat, without which perf itself reads nothing; arch, host, release; build_ids:
# of files, [NAME, HEX, misc].
sub new {
	my ($class, %o) = @_;
	return bless { all_ids => 1, version => '6.1', %o, attrs => [], formats => [], data => '', packed => [] }, $class;
}

sub u16 { my $s = shift; return pack $s->{big} ? 'n*' : 'v*', @_ }
sub u32 { my $s = shift; return pack $s->{big} ? 'N*' : 'V*', map { $_ & 0xffffffff } @_ }
sub u64 { my $s = shift; return pack $s->{big} ? 'Q>*' : 'Q<*', @_ }
sub text { my ($s, $t) = @_; $t .= "\0" x (64 - length($t) % 64); return $s->u32(length $t) . $t }

sub format { my ($s, $system, $text) = @_; push @{$s->{formats}}, [$system, $text]; return $s }

# type, config, parts, ids, name, read_format, period, clockid, branch, regs
sub attr {
	my ($s, %o) = @_;
	my $type = 0;
	$type |= 1 << $bit{$_} for @{$o{parts}};
	push @{$s->{attrs}}, { ids => [], read_format => 0, period => 1, branch => 0, regs => 0, %o, sample_type => $type };
	return $#{$s->{attrs}};
}

sub attr_bytes {
	my ($s, $a) = @_;
	my @flags = (($s->{all_ids} ? 18 : ()), 9, (defined $a->{clockid} ? 25 : ()));
	my @bytes = (0) x 8;
	# Bit fields of a big-endian compiler begin at the top of each byte.
	$bytes[$_ >> 3] |= 1 << ($s->{big} ? 7 - $_ % 8 : $_ % 8) for @flags;
	return $s->u32($a->{type}, 112) . $s->u64($a->{config}, $a->{period}, $a->{sample_type}, $a->{read_format})
		. pack('C8', @bytes) . $s->u32(1, 0) . $s->u64(0, 0, $a->{branch}, $a->{regs}) . $s->u32(0, $a->{clockid} // 0)
		. $s->u64($a->{regs}) . $s->u32(0, 0);
}

sub record {
	my ($s, $type, $misc, $payload) = @_;
	my $bytes = $s->u32($type) . $s->u16($misc, 8 + length $payload) . $payload;
	$s->{data} .= $bytes;
	return $s;
}

sub sample_bytes {
	my ($s, $a, %v) = @_;
	my %part = (
		IDENTIFIER => sub { $s->u64($v{id} // $a->{ids}[0] // 0) },
		IP => sub { $s->u64($v{ip} // 0) },
		TID => sub { $s->u32($v{pid} // $v{tid} // 0, $v{tid} // 0) },
		TIME => sub { $s->u64($v{time}) },
		ADDR => sub { $s->u64($v{addr} // 0) },
		ID => sub { $s->u64($v{id} // $a->{ids}[0] // 0) },
		STREAM_ID => sub { $s->u64(77) },
		CPU => sub { $s->u32($v{cpu} // 0, 0) },
		PERIOD => sub { $s->u64($v{period} // 1) },
		READ => sub { $s->u64(@{$v{read}}) },
		CALLCHAIN => sub { $s->u64(scalar @{$v{chain} // []}, @{$v{chain} // []}) },
		RAW => sub { my $n = length $v{raw}; my $pad = (4 - $n) % 8; $s->u32($n + $pad) . $v{raw} . "\0" x $pad },
		BRANCH_STACK => sub { $s->u64(2, 1 .. 6) },
		REGS_USER => sub { $s->u64($v{abi} // 2, @{$v{regs} // [11, 12]}) },
		STACK_USER => sub { my $bytes = $v{stack} // 'stack   '; $s->u64(length $bytes) . $bytes . (length $bytes ? $s->u64($v{copied} // (defined $v{stack} ? length $bytes : 5)) : '') },
		WEIGHT => sub { $s->u64($v{weight} // 0) },
		DATA_SRC => sub { $s->u64($v{data_src} // 0) },
		TRANSACTION => sub { $s->u64($v{transaction} // 0) },
		REGS_INTR => sub { $s->u64(0) },
		PHYS_ADDR => sub { $s->u64($v{phys_addr} // 0) },
		CGROUP => sub { $s->u64($v{cgroup} // 0) },
		DATA_PAGE_SIZE => sub { $s->u64(4096) },
		CODE_PAGE_SIZE => sub { $s->u64(2 << 20) },
		AUX => sub { $s->u64(8) . 'auxiliar' },
	);
	my %has = map { $_ => 1 } @{$a->{parts}};
	return join '', map { $has{$_} ? $part{$_}->() : () } qw(IDENTIFIER IP TID TIME ADDR ID STREAM_ID CPU PERIOD READ
		CALLCHAIN RAW BRANCH_STACK REGS_USER STACK_USER WEIGHT DATA_SRC TRANSACTION REGS_INTR PHYS_ADDR CGROUP
		DATA_PAGE_SIZE CODE_PAGE_SIZE AUX);
}

sub sample { my ($s, $i, %v) = @_; return $s->record(9, 1, $s->sample_bytes($s->{attrs}[$i], %v)) }

# The fields at the end of other records.
sub trailer {
	my ($s, $i, %v) = @_;
	my $a = $s->{attrs}[$i // 0];
	my %has = map { $_ => 1 } @{$a->{parts}};
	return '' if !$s->{all_ids};
	my $id = $s->u64($v{id} // $a->{ids}[0] // 0);
	my %part = (TID => $s->u32(($v{tid} // 0) x 2), TIME => $s->u64($v{time} // 0), ID => $id, STREAM_ID => $s->u64(77),
		CPU => $s->u32($v{cpu} // 0, 0), IDENTIFIER => $id);
	return join '', map { $has{$_} ? $part{$_} : () } qw(TID TIME ID STREAM_ID CPU IDENTIFIER);
}

sub padded { my $t = shift; return $t . "\0" x (8 - length($t) % 8) }

# pid, at, len, off, name; two: as MMAP2; inode: [major, minor, number]; build_id (hex): a MMAP2 with that; data: not of code
sub mmap {
	my ($s, %v) = @_;
	my $id = defined $v{build_id} ? pack 'Cx3a20', length($v{build_id}) / 2, pack 'H*', $v{build_id} : undef;
	my $two = $v{two} || defined $id;
	return $s->record($two ? 10 : 1, ($v{pid} < 0 ? 1 : 2) | ($v{data} ? 1 << 13 : 0) | (defined $id ? 1 << 14 : 0),
		$s->u32($v{pid}, $v{tid} // $v{pid}) . $s->u64(@v{qw(at len off)})
		. ($two ? ($id // ($v{inode} ? $s->u32(@{$v{inode}}[0, 1]) . $s->u64($v{inode}[2], 0) : $s->u32(1, 2) . $s->u64(3, 4))) . $s->u32(5, 2) : '') . padded($v{name}) . $s->trailer(0, %v));
}
# at, len, name, type; gone: it is removed
sub ksymbol {
	my ($s, %v) = @_;
	return $s->record(17, 0, $s->u64($v{at}) . $s->u32($v{len}) . $s->u16($v{type} // 1, $v{gone} ? 1 : 0) . padded($v{name}) . $s->trailer(0, %v));
}
sub exec { my ($s, $tid, $name, %v) = @_; return $s->record(3, 1 << 13, $s->u32($tid, $tid) . padded($name) . $s->trailer(0, %v)) }
sub exit { my ($s, $pid, $tid, %v) = @_; return $s->record(4, 0, $s->u32($pid, 1, $tid, 1) . $s->u64($v{time}) . $s->trailer(0, %v)) }
sub comm { my ($s, $tid, $name, %v) = @_; return $s->record(3, 0, $s->u32($tid, $tid) . padded($name) . $s->trailer(0, %v)) }
sub fork { my ($s, $from, $to, %v) = @_; return $s->record(7, 0, $s->u32($to, $from, $to, $from) . $s->u64($v{time}) . $s->trailer(0, %v)) }
sub lost { my ($s, $n, %v) = @_; return $s->record(2, 0, $s->u64(1, $n) . $s->trailer(0, %v)) }
sub lost_samples { my ($s, $n, $misc, %v) = @_; return $s->record(13, $misc, $s->u64($n) . $s->trailer(0, %v)) }
sub round { my $s = shift; return $s->record(68, 0, '') }

# Put all records since the last call into compressed ones, of SIZE bytes each.
sub pack_data {
	my ($s, $size, $type) = @_;
	my $in = File::Temp->new;
	binmode $in;
	print $in $s->{data};
	close $in;
	my $out = `zstd -q -c @{[$in->filename]}`;
	die "Write::Perf: zstd failed\n" if $? || !length $out;
	$s->{data} = '';
	for (my $at = 0; $at < length $out; $at += $size) {
		my $piece = substr $out, $at, $size;
		if (($type // 81) == 81) { $s->record(81, 0, $piece) }
		else { $s->record(83, 0, $s->u64(length $piece) . $piece . "\0" x (-length($piece) % 8)) }
	}
	$s->{packed_data} .= $s->{data};
	$s->{data} = '';
	return $s;
}

sub tracing_data {
	my $s = shift;
	my %by;
	push @{$by{$_->[0]}}, $_->[1] for @{$s->{formats}};
	my $t = "\x17\x08\x44tracing0.6\0" . pack('CC', $s->{big} ? 1 : 0, $s->{long} // 8) . $s->u32(4096)
		. ($s->{header} // "header_page\0" . $s->u64(0) . "header_event\0" . $s->u64(0)) . $s->u32(0) . $s->u32(scalar keys %by);
	for my $system (sort keys %by) {
		$t .= "$system\0" . $s->u32(scalar @{$by{$system}}) . join '', map { $s->u64(length) . $_ } @{$by{$system}};
	}
	my $names = "5 somebody-else\n";
	$t .= $s->u32(0) . $s->u32(0) . $s->u64(length $names) . $names;
	return $t . "\0" x (-length($t) % 8);
}

sub event_desc {
	my $s = shift;
	return $s->u32(scalar @{$s->{attrs}}, 112) . join '', map {
		$s->attr_bytes($_) . $s->u32(scalar @{$_->{ids}}) . $s->text($_->{name} // '') . $s->u64(@{$_->{ids}}) } @{$s->{attrs}};
}

# The entry of one file: records without a trailer, which a pipe has among its others.
sub build_id {
	my ($s, $name, $hex, $misc) = @_;
	my $payload = $s->u32(-1) . pack('a20Cx3', pack('H*', $hex), length($hex) / 2) . padded($name);
	return $s->u32(67) . $s->u16($misc // 2 | 1 << 15, 8 + length $payload) . $payload;
}

sub features {
	my $s = shift;
	my %f = (3 => $s->text($s->{host} // 'here'), 4 => $s->text($s->{release} // '6.1.0'), 5 => $s->text($s->{version}), 6 => $s->text($s->{arch} // 'toy'),
		7 => $s->u32($s->{cpus} // 2, $s->{cpus} // 2), 11 => $s->u32(2) . $s->text('perf') . $s->text('record'),
		12 => $s->event_desc);
	$f{1} = $s->tracing_data if @{$s->{formats}};
	$f{2} = join '', map { $s->build_id(@$_) } @{$s->{build_ids}} if $s->{build_ids};
	return \%f;
}

sub bytes {
	my $s = shift;
	my $data = ($s->{packed_data} // '') . $s->{data};
	return magic($s) . $s->u64(16) . $s->pipe_head . $data if $s->{pipe};
	my ($before, $after) = around($s, length $data);
	return "$before$data$after";
}

sub magic { return $_[0]{big} ? '2ELIFREP' : 'PERFILE2' }

# What is before and after LEN bytes of records, in a file.
sub around {
	my ($s, $len) = @_;
	my $at = 104;
	my ($ids, $attrs) = ('', '');
	$ids .= $s->u64(@{$_->{ids}}) for @{$s->{attrs}};
	for my $a (@{$s->{attrs}}) {
		$attrs .= $s->attr_bytes($a) . $s->u64($at, 8 * @{$a->{ids}});
		$at += 8 * @{$a->{ids}};
	}
	my $off = $at + length $attrs;
	my $f = $s->{unfinished} ? {} : $s->features;
	my @bits = (0) x 4;
	$bits[$_ >> 6] |= 1 << $_ % 64 for keys %$f;
	my $pos = $off + $len + 16 * keys %$f;
	my ($table, $payload) = ('', '');
	for my $n (sort { $a <=> $b } keys %$f) {
		$table .= $s->u64($pos + length $payload, length $f->{$n});
		$payload .= $f->{$n};
	}
	return (magic($s) . $s->u64(104, 128, $at, length $attrs, $off, $s->{unfinished} ? 0 : $len, 0, 0, @bits) . $ids . $attrs,
		$table . $payload);
}

sub pipe_head {
	my $s = shift;
	my $all = $s->{data};
	$s->{data} = '';
	$s->record(64, 0, $s->attr_bytes($_) . $s->u64(@{$_->{ids}})) for @{$s->{attrs}};
	my $f = $s->features;
	$s->record(80, 0, $s->u64($_) . $f->{$_}) for grep { $_ > 2 } sort { $a <=> $b } keys %$f;
	$s->{data} .= $f->{2} // '';
	if ($f->{1}) {
		$s->record(66, 0, $s->u32(length $f->{1}, 0));
		$s->{data} .= $f->{1};
	}
	my $head = $s->{data};
	$s->{data} = $all;
	return $head;
}

sub write {
	my ($s, $path) = @_;
	open my $fh, '>:raw', $path or die "$path: $!\n";
	print $fh $s->bytes;
	close $fh or die "$path: $!\n";
	return $path;
}

# A file whose records are too many for memory: CODE prints LEN bytes of them to the handle that it gets.
sub write_long {
	my ($s, $path, $len, $code) = @_;
	my ($before, $after) = around($s, $len);
	open my $fh, '>:raw', $path or die "$path: $!\n";
	print $fh $before;
	$code->($fh);
	print $fh $after;
	close $fh or die "$path: $!\n";
	return $path;
}

# The record of mini::tick, whose format has the id 300.
sub tick {
	my ($s, $pid, $n) = @_;
	return $s->u16(300) . pack('CC', 0, 0) . $s->u32($pid, $n) . "tick\0\0\0\0";
}

our $TICK = Write::Dat::format_text('tick', 300, "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"
	. "\tfield:char who[8];\toffset:12;\tsize:8;\tsigned:1;\n", '"n=%d %s", REC->n, REC->who');

# The events of the recording below: mini:tick and cycles.
sub example_head {
	my (%o) = @_;
	my $w = Write::Perf->new(%o);
	$w->format(mini => $TICK);
	my @common = qw(IDENTIFIER IP TID TIME CPU PERIOD READ CALLCHAIN);
	$w->attr(type => 2, config => 300, parts => [@common, 'RAW'], ids => [7, 8], name => 'mini:tick');
	$w->attr(type => 0, config => 0, parts => [@common, qw(BRANCH_STACK REGS_USER STACK_USER WEIGHT
		DATA_SRC CGROUP)], ids => [9, 10], name => 'cycles:u', regs => 3);
	return $w;
}

# A small recording with one of everything, for tests that damage it.
sub example {
	my ($path, %o) = @_;
	my $w = example_head(%o);
	my ($tick, $cycles) = (0, 1);
	$w->comm(5, 'five');
	$w->mmap(pid => 5, at => 0x1000, len => 0x1000, off => 0, name => '/bin/five', time => 10_500);
	for my $n (1 .. 9) {
		my ($cpu, $time) = ($n % 2, 1000 * ($n % 2 ? $n : $n - 4) + 10_000);
		my %v = (time => $time, cpu => $cpu, tid => 5, read => [3], chain => [-128 & ~0, 0xffff0000, 0x1234]);
		$w->sample($tick, %v, raw => $w->tick(5, $n));
		$w->sample($cycles, %v, id => 10, ip => $n, period => 100 + $n);
		$w->fork(5, 6, time => $time, cpu => $cpu) if $n == 3;
		$w->mmap(pid => 6, at => 0x1200, len => 0x100, off => 64, name => '/lib/six', two => 1, time => $time, cpu => $cpu) if $n == 4;
		$w->exec(6, 'six', time => $time, cpu => $cpu) if $n == 7;
		$w->exit(6, 6, time => $time, cpu => $cpu) if $n == 8;
		$w->lost(4, time => $time, cpu => $cpu) if $n == 5;
		$w->record(12, 0, $w->u32(1, 1) . $w->trailer(0, time => $time)) if $n == 6;
		$w->round if $n % 3 == 0 && !$o{zstd};
	}
	$w->lost_samples(6, 0);
	$w->pack_data(100) if $o{zstd};
	return $w->write($path);
}

1;
