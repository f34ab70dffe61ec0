# SPDX-License-Identifier: GPL-2.0-or-later
#
# What one event may cost.  Each file here is smaller than 1 MB and asks for more: widths, tables, nesting,
# names, records that are printed over and over.  Printed as report, kernel, zed and json it stays below 5 seconds
# of CPU and below the length that docs/zedprint.pod states: without this such a file fills the disk, or
# keeps the program busy for minutes.
#
# of: text sink/print
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Pass;
use Run::Program;

die "zedprint is not built: run make\n" if !-x zed_bin('zedprint');

my $SECONDS = $ENV{ZED_SAN} ? 60 : 5;
my ($FIXED, $PER_BYTE) = (3072, 32);	# of a line: LIMITS in docs/zedprint.pod

# A file of at most SIZE bytes with the record again and again; RECORD may be a sub of the number.
sub file {
	my ($formats, $record, %more) = @_;
	my $size = delete $more{size} // 900_000;
	my ($events, $bytes) = (0, 0);
	my $d = Write::Dat->new(cpus => 1, page_size => 65536, formats => $formats, %more, make_pages => sub {
		my ($d) = @_;
		my ($data, @pages) = '';
		while (@pages * 65536 + length $data < $size - 65536) {
			my $rec = ref $record ? $record->($d, $events) : $record;
			my $one = Write::Dat::data_event($d, 1000, $rec);
			if (length($data) + length $one > 65000) {
				push @pages, Write::Dat::page($d, 1_000_000_000, $data);
				$data = '';
			}
			$data .= $one;
			$events++;
			$bytes += (length($rec) + 3) & ~3;
		}
		return @pages, Write::Dat::page($d, 1_000_000_000, $data);
	});
	my $path = $d->write(zed_tmp() . '/bound.dat');
	return ($path, $events, $bytes);
}

# Print FORMATS within the bounds; WANT is in the report.  A small pass takes every fifth.
my $nth = 0;
sub bounded {
	my ($what, $want, $formats, $record, %more) = @_;
	return if $nth++ % 5 && small();
	my ($path, $events, $bytes) = file($formats, $record, %more);
	my $max = 1000 + $events * $FIXED + $bytes * $PER_BYTE;
	ok(-s $path < 1_000_000, "$what: the file is small");
	for my $format ('report', 'kernel', 'zed', 'json') {
		my @before = times;
		# No more than twice the bound comes to the disk.
		my $run = zed_run({ time => 60, memory => 300_000, size => 2 * $max, stdout => zed_tmp() . '/out' }, 'zedprint', '-f', $format, $path);
		my @after = times;
		my $cpu = $after[2] + $after[3] - $before[2] - $before[3];
		my $out = -s zed_tmp() . '/out';
		ok(!$run->{signal} && !$run->{late} && $run->{exit} < 2 && $out <= $max && $cpu < $SECONDS,
			"$what: $format: bounded") or diag("signal $run->{signal} exit $run->{exit} late $run->{late}, ",
			"$out bytes of at most $max, $cpu s\n", substr $run->{err}, 0, 500);
		next if $format ne 'report';
		my ($line) = slurp(zed_tmp() . '/out') =~ /^.*\n(.*)/;
		like($line // '', $want, "$what: what it shows");
	}
	unlink $path;
}

my $common = sub { Write::Dat::common($_[0], 300) };
my $N = "\tfield:u32 n;\toffset:8;\tsize:4;\tsigned:0;\n";
my $A = "$N\tfield:u8 a[60000];\toffset:12;\tsize:60000;\tsigned:0;\n";
my $TEXT = "\tfield:char text[60000];\toffset:12;\tsize:60000;\tsigned:0;\n";
sub one { return [[mini => Write::Dat::format_text('e', 300, @_)]] }
my $small = sub { $common->($_[0]) . pack 'V', 7 };
my $large = sub { $common->($_[0]) . pack('V', 59_000) . 'x' x 60_000 };

bounded('widths', qr/\[CUT\]$/, one($N, '"' . '%1024d' x 2 . '", REC->n, REC->n'), $small);
bounded('a width too many', qr/\[CUT\]$/, one($N, '"' . '%1024d' x 60 . '"' . ', REC->n' x 60), $small);
bounded('widths of the record', qr/\[CUT\]$/, one($N, '"' . '%*d' x 60 . '"' . ', REC->n, 1' x 60),
	sub { $common->($_[0]) . pack 'V', 1000 });
bounded('a long line', qr/y\[CUT\]$|y \[CUT\]$/, one($N, '"' . 'y' x 4000 . '"'), $small);
bounded('a line too long', qr/\[CUT\]$/, one($N, '"' . 'y' x 60_000 . '"'), $small);
bounded('thousands of conversions', qr/FAILED TO PARSE/, one($N, '"' . '%d' x 15_000 . '"' . ',1' x 15_000), $small);
bounded('a table of thousands', qr/FAILED TO PARSE/,
	one($N, '"%s", __print_symbolic(REC->n, ' . join(', ', map { "{ 9$_, \"\" }" } 1 .. 4500) . ')'), $small);
bounded('a table of words', qr/: +0x7$/,
	one($N, '"%s", __print_flags(REC->n, "|", ' . join(', ', map { "{ WORD$_, \"\" }" } 1 .. 3500) . ')'), $small);
bounded('a sum of thousands', qr/FAILED TO PARSE/, one($N, '"' . '%d' x 60 . '"' . (', ' . 'REC->n+' x 120 . '1') x 60), $small);
bounded('indexes into no array, each computed twice', qr/FAILED TO PARSE/, one($N, '"%d", ' . '5[(' x 28 . '1' . ')]' x 28), $small);
bounded('a text printed again and again', qr/\[CUT\]$/, one("$N$TEXT", '"' . '%s' x 60 . '"' . ', REC->text' x 60), $large);
bounded('a dynamic text printed again and again', qr/\[CUT\]$/, one("\tfield:__data_loc char[] s;\toffset:8;\tsize:4;\tsigned:1;\n",
	'"' . '%s' x 60 . '"' . ', __get_str(s)' x 60), sub { $common->($_[0]) . pack('V', 60_000 << 16 | 12) . 'x' x 60_000 });
bounded('arrays', qr/\[CUT\]$/, one($A, '"' . '%s' x 60 . '"' . ', __print_array(REC->a, REC->n, 1)' x 60), $large);
bounded('a mask printed again and again', qr/\[CUT\]$/, one("\tfield:__data_loc cpumask_t m;\toffset:8;\tsize:4;\tsigned:0;\n",
	'"' . '%s' x 60 . '"' . ', __get_cpumask(m)' x 60), sub { $common->($_[0]) . pack('V', 60_000 << 16 | 12) . "\x55" x 60_000 });
bounded('fields over one another', qr/CUT/, one(join('', map { "\tfield:u8 a$_\[60000];\toffset:12;\tsize:60000;\tsigned:0;\n" } 1 .. 400),
	'"%d", REC->nothing'), $large);
bounded('long names of fields', qr/CUT/, one(join('', map { "\tfield:u32 $_" . 'a' x 1000 . ";\toffset:8;\tsize:4;\tsigned:0;\n" } map { "f$_" } 1 .. 200),
	'"%d", REC->nothing'), $small, size => 500_000);
bounded('a long name of an event', qr/UNKNOWN EVENT/, [[mini => Write::Dat::format_text('e' x 200_000, 300, $N, '"%d", REC->n')]], $small, size => 600_000);
my $ADDR = "\tfield:u64 n;\toffset:8;\tsize:8;\tsigned:0;\n";
my $addr = sub { $common->($_[0]) . pack 'Q<', 0x1000000 };
bounded('a long name of a symbol', qr/: +s{511}$/, one($ADDR, '"%ps", (void *)REC->n'), $addr,
	kallsyms => "1000000 T " . 's' x 200_000 . "\n2000000 T end\n", size => 600_000);
bounded('a name of a symbol printed again and again', qr/\[CUT\]$/,
	one($ADDR, '"' . '%pS' x 60 . '"' . ', (void *)REC->n' x 60), $addr,
	kallsyms => "1000000 T " . 's' x 60_000 . "\t[" . 'm' x 60_000 . "]\n2000000 T end\n", size => 600_000);
bounded('short names of symbols, many of them', qr/: +(?:go\+0x0 ?)+$/,
	one($ADDR, '"' . '%pS ' x 60 . '"' . ', (void *)REC->n' x 60), $addr,
	kallsyms => "1000000 T go\n2000000 T end\n", size => 600_000);

my $printk = [[ftrace => Write::Dat::format_text('bprint', 300, "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n" .
	"\tfield:const char * fmt;\toffset:16;\tsize:8;\tsigned:0;\n\tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0;\n",
	'"%ps: %s", (void *)REC->ip, REC->fmt')]];
my $bprint = sub { $common->($_[0]) . pack 'Q< Q< V*', 0xc0001000, 0xc0003000, (1000) x 100 };
bounded('a binary printk of widths', qr/\[CUT\]$/, $printk, $bprint, printk => '0xc0003000 : "' . '%1000d' x 60 . qq{"\n});
bounded('a binary printk of widths of the record', qr/\[CUT\]$/, $printk, $bprint, printk => '0xc0003000 : "' . '%*d' x 60 . qq{"\n});
bounded('a long binary printk', qr/mini_start: (?:1000 ){100}$/, $printk, $bprint, printk => '0xc0003000 : "' . '%d ' x 20_000 . qq{"\n});

# Each function calls the next: the indentation grew with each event.
my $symbols = join '', map { sprintf "%x T f%d\n", 0xc0000000 + 16 * $_, $_ } 0 .. 20_000;
bounded('functions that nest without end', qr/: +f1$/, [[ftrace => Write::Dat::format_text('function', 300,
	"\tfield:unsigned int ip;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:unsigned int parent_ip;\toffset:12;\tsize:4;\tsigned:0;\n", '" "')]],
	sub { $common->($_[0]) . pack 'V V', 0xc0000000 + 16 * ($_[1] + 1), 0xc0000000 + 16 * $_[1] },
	kallsyms => $symbols, size => 600_000);
# Each wakes another task, whose name is kept.
bounded('a task in each event', qr/: +c:\d+/, [[sched => Write::Dat::format_text('sched_wakeup', 300,
	"\tfield:char comm[4];\toffset:8;\tsize:4;\tsigned:0;\n\tfield:int pid;\toffset:12;\tsize:4;\tsigned:1;\n" .
	"\tfield:int prio;\toffset:16;\tsize:4;\tsigned:1;\n", '" "')]],
	sub { $common->($_[0]) . pack 'a4 V V', 'c', 2_000_000 - $_[1], 120 });

done_testing();
