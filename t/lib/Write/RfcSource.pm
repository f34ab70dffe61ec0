# SPDX-License-Identifier: GPL-2.0-or-later
# Real ring-buffer pages and metadata from an uncompressed recording (v6, or v7 with compression "none"), cut to a few
# pages and the formats that occur in them; and a page walker that lists the records of those pages.
package Write::RfcSource;
use strict;
use warnings;
use Files;

# Reading position over a byte string, with the byte order of the file.
sub cursor { my ($big, $bytes, $at) = @_; return { big => $big, b => $bytes, at => $at // 0 } }

sub take {
	my ($c, $n) = @_;
	die "source ends at $c->{at} + $n\n" if $c->{at} + $n > length $c->{b};
	$c->{at} += $n;
	return substr($c->{b}, $c->{at} - $n, $n);
}

sub u16 { my $c = shift; return unpack($c->{big} ? 'n' : 'v', take($c, 2)) }
sub u32 { my $c = shift; return unpack($c->{big} ? 'N' : 'V', take($c, 4)) }
sub u64 { my $c = shift; return unpack($c->{big} ? 'Q>' : 'Q<', take($c, 8)) }

sub zstr {
	my $c = shift;
	my $end = index($c->{b}, "\0", $c->{at});
	die "string without NUL at $c->{at}\n" if $end < 0;
	my $s = take($c, $end - $c->{at});
	take($c, 1);
	return $s;
}

# The metadata payloads are the same bytes in v6 and v7; each reader takes its part from the cursor.
my %payload = (
	16 => sub {
		my ($c, $s) = @_;
		take($c, 12) eq "header_page\0" or die "no header_page\n";
		$s->{header_page} = take($c, u64($c));
		take($c, 13) eq "header_event\0" or die "no header_event\n";
		$s->{header_event} = take($c, u64($c));
	},
	17 => sub {
		my ($c, $s) = @_;
		my $n = u32($c);
		$s->{ftrace} = [ map { take($c, u64($c)) } 1 .. $n ];
	},
	18 => sub {
		my ($c, $s) = @_;
		for (1 .. u32($c)) {
			my $system = zstr($c);
			my $n = u32($c);
			push @{ $s->{systems} }, [ $system, [ map { take($c, u64($c)) } 1 .. $n ] ];
		}
	},
	19 => sub { my ($c, $s) = @_; $s->{kallsyms} = take($c, u32($c)) },
	20 => sub { my ($c, $s) = @_; $s->{printk} = take($c, u32($c)) },
	21 => sub { my ($c, $s) = @_; $s->{cmdlines} = take($c, u64($c)) },
);

sub read_v7 {
	my ($c, $s) = @_;
	my $name = zstr($c);
	die "source is compressed with $name\n" if $name ne 'none';
	zstr($c);
	my $at = u64($c);
	while ($at) {
		$c->{at} = $at + 16;
		$at = 0;
		while (1) {
			my ($id, $size) = (u16($c), u32($c));
			my $o = cursor($c->{big}, take($c, $size));
			if ($id == 0) { $at = u64($o); last }
			if ($payload{$id}) {
				my $sec = cursor($c->{big}, $c->{b}, u64($o) + 16);
				$payload{$id}->($sec, $s);
			} elsif ($id == 8) {
				$s->{cpu_count} = u32($o);
			} elsif ($id == 5) {
				$s->{uname} = $o->{b};
			} elsif ($id == 3) {
				u64($o);
				my $buf = { name => zstr($o), clock => zstr($o), page_size => u32($o), cpus => {} };
				for (1 .. u32($o)) {
					my ($cpu, $off, $len) = (u32($o), u64($o), u64($o));
					$buf->{cpus}{$cpu} = substr($c->{b}, $off, $len);
				}
				push @{ $s->{buffers} }, $buf;
			}
		}
	}
}

sub read_v6 {
	my ($c, $s) = @_;
	$payload{$_}->($c, $s) for 16 .. 21;
	$s->{cpu_count} = u32($c);
	my $mark = take($c, 10);
	if ($mark =~ /^options/) {
		while (my $id = u16($c)) {
			my $data = take($c, u32($c));
			$s->{uname} = $data if $id == 5;
		}
		$mark = take($c, 10);
	}
	die "v6 source without flyrecord\n" if $mark !~ /^flyrecord/;
	my $buf = { name => '', clock => 'local', page_size => $s->{page_size}, cpus => {} };
	for my $cpu (0 .. $s->{cpu_count} - 1) {
		my ($off, $len) = (u64($c), u64($c));
		$buf->{cpus}{$cpu} = substr($c->{b}, $off, $len) if $len;
	}
	$buf->{clock} = $1 if take($c, u64($c)) =~ /\[(\S+?)\]/;
	$s->{buffers} = [$buf];
}

# source_read(PATH): the whole recording as a hash.
sub source_read {
	my $path = shift;
	my $c = cursor(0, slurp($path));
	take($c, 10) eq "\x17\x08\x44tracing" or die "$path: not a trace.dat\n";
	my $version = zstr($c);
	my ($big, $long) = unpack 'CC', take($c, 2);
	$c->{big} = $big;
	my $s = { big => $big, long => $long, page_size => u32($c), path => $path,
		systems => [], buffers => [], kallsyms => '', printk => '', cmdlines => '', uname => '' };
	$version == 7 ? read_v7($c, $s) : read_v6($c, $s);
	$s->{page} = page_layout($s->{header_page});
	return $s;
}

# The layout of a page, from the text of header_page.
sub page_layout {
	my %f;
	while ($_[0] =~ /field:[^;]*?(\w+);\s*offset:(\d+);\s*size:(\d+);/g) { $f{$1} = [ $2, $3 ] }
	return { commit_at => $f{commit}[0], long => $f{commit}[1], data_at => $f{data}[0],
		size => $f{data}[0] + $f{data}[1] };
}

# page_walk(SOURCE, PAGE, CALLBACK): the callback gets (raw time stamp, payload, records lost
# before it).
sub page_walk {
	my ($s, $page, $cb) = @_;
	my ($big, $lay) = ($s->{big}, $s->{page});
	my ($t4, $t8) = $big ? ('N', 'Q>') : ('V', 'Q<');
	my $ts = unpack $t8, $page;
	my $low = $lay->{commit_at} + ($big ? $lay->{long} - 4 : 0);
	my $commit = unpack $t4, substr($page, $low, 4);
	my $end = $lay->{data_at} + ($commit & 0x7ffffff);
	die "commit past the page\n" if $end > length $page;
	my $lost = 0;
	if ($commit & 0x80000000) {
		$lost = 1;
		$lost = unpack($lay->{long} == 8 ? $t8 : $t4, substr($page, $end, $lay->{long}))
			if $commit & 0x40000000;
	}
	my $at = $lay->{data_at};
	while ($at < $end) {
		my $word = unpack $t4, substr($page, $at, 4);
		my ($type, $delta) = $big ? ($word >> 27, $word & 0x7ffffff) : ($word & 31, $word >> 5);
		my $second = $at + 8 <= $end ? unpack($t4, substr($page, $at + 4, 4)) : 0;
		if ($type == 29) {
			last if !$delta;
			$ts += $delta;
			$at += 4 + $second;
		} elsif ($type == 30) {
			$ts += ($second << 27) + $delta;
			$at += 8;
		} elsif ($type == 31) {
			my $old = $ts;
			my $top = $old & (31 << 59);
			$ts = (($second << 27) + $delta) | $top;
			$ts += 1 << 59 if $top && $ts < $old;
			$at += 8;
		} else {
			my ($skip, $len) = $type ? (4, 4 * $type) : (8, $second - 4);
			die "record runs past its page\n" if $len < 0 || $at + $skip + $len > $end;
			$ts += $delta;
			$cb->($ts, substr($page, $at + $skip, $len), $lost);
			$lost = 0;
			$at += $skip + (($len + 3) & ~3);
		}
	}
}

sub pages_of { my ($bytes, $size) = @_; return unpack "(a$size)*", $bytes }

# source_cut(SOURCE, %how): the same recording, smaller. pages => [first, count] per CPU; instance => [NAME, first,
# count] takes more pages of the same CPUs as an instance; cpus => {old id => new id} keeps and renames CPUs. Only the
# formats of events that occur are kept, and the kallsyms lines that match $how{kallsyms}.
sub source_cut {
	my ($s, %how) = @_;
	my $top = $s->{buffers}[0];
	my $size = $s->{page}{size};
	my $map = $how{cpus} || { map { $_ => $_ } keys %{ $top->{cpus} } };
	my $part = sub {
		my ($name, $first, $count) = @_;
		my $buf = { name => $name, clock => $top->{clock}, page_size => $size, cpus => {} };
		for my $cpu (keys %$map) {
			my @pages = pages_of($top->{cpus}{$cpu} // '', $size);
			@pages = grep { defined } @pages[$first .. $first + $count - 1];
			$buf->{cpus}{ $map->{$cpu} } = join '', @pages if @pages;
		}
		return $buf;
	};
	my @buffers = ($part->('', @{ $how{pages} }));
	push @buffers, $part->(@{ $how{instance} }) if $how{instance};
	my %cut = (%$s, buffers => \@buffers);
	my ($max) = reverse sort { $a <=> $b } map { keys %{ $_->{cpus} } } @buffers;
	$cut{cpu_count} = $max + 1 if !$s->{cpu_count} || $max >= $s->{cpu_count};
	my %occurs;
	for my $buf (@buffers) {
		for my $bytes (values %{ $buf->{cpus} }) {
			page_walk($s, $_, sub { $occurs{ record_id($s, $_[1]) } = 1 }) for pages_of($bytes, $size);
		}
	}
	my $kept = sub { my ($id) = $_[0] =~ /^ID: (\d+)/m; return $occurs{$id} };
	$cut{ftrace} = [ grep { $kept->($_) } @{ $s->{ftrace} } ];
	$cut{systems} = [ grep { @{ $_->[1] } }
		map { [ $_->[0], [ grep { $kept->($_) } @{ $_->[1] } ] ] } @{ $s->{systems} } ];
	my $want = $how{kallsyms}
		|| qr/ (?:tick_sched_timer|tick_nohz_handler|hrtimer_wakeup|process_timeout)$/;
	$cut{kallsyms} = join '', grep { /$want/ } split /^/, $s->{kallsyms};
	return \%cut;
}

sub record_id { my ($s, $payload) = @_; return unpack($s->{big} ? 'n' : 'v', $payload) }

sub record_pid {
	my ($s, $payload) = @_;
	return unpack($s->{big} ? 'l>' : 'l<', substr($payload, 4, 4));
}

# Names by id: "system::event" (ftrace's own events belong to the system "ftrace").
sub event_names {
	my $s = shift;
	my %name;
	for my $sys ([ 'ftrace', $s->{ftrace} ], @{ $s->{systems} }) {
		for my $text (@{ $sys->[1] }) {
			my ($event) = $text =~ /^name: (\S+)/m;
			my ($id) = $text =~ /^ID: (\d+)/m;
			$name{$id} = "$sys->[0]::$event";
		}
	}
	return \%name;
}

# source_records(SOURCE, CONVERT): every record as [cpu, ts, event, pid, seq], in file order per
# buffer and CPU. CONVERT turns a raw time stamp into nanoseconds.
sub source_records {
	my ($s, $convert) = @_;
	my $names = event_names($s);
	my @records;
	for my $buf (@{ $s->{buffers} }) {
		for my $cpu (sort { $a <=> $b } keys %{ $buf->{cpus} }) {
			my $seq = 0;
			for my $page (pages_of($buf->{cpus}{$cpu}, $buf->{page_size})) {
				page_walk($s, $page, sub {
					my ($ts, $payload, $lost) = @_;
					$seq += 1 + $lost;
					push @records, [ $cpu, $convert ? $convert->($ts) : $ts,
						$names->{ record_id($s, $payload) }, record_pid($s, $payload), $seq ];
				});
			}
		}
	}
	return \@records;
}

1;
