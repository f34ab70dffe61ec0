# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::stack: the stack of the event at hand, whichever form the trace has for it.  What it must be comes from the texts
# of trace-cmd, the kernel and perf of the same recordings, and from traces that are made here with a stack at each place
# where it may lie: behind its event, on the next page, behind a loss, of another task.
# of: interp/api trace text reader/perf reader/zedstream
use strict;
use warnings;

use Test::More;
use File::Basename qw(basename);
use IO::Handle;
use Write::Dat;
use Run::V3Client;
use Run::Process qw(:DEFAULT unread);
use Run::Program qw(:DEFAULT spew);
use Write::ZedStream;
use Run::Zedperl;

my $tmp = zed_tmp();

# A script that prints a line for each event that is no stack: CPU, name and what CODE makes of it.
sub of_each { return 'sub trace_unhandled { return if $_[0] =~ /_stack\z/; print join(" ", $_[1], $_[0] =~ s/.*:://r, ' . $_[0] . '), "\n" }' }
my $addresses = 'map { sprintf "%x", $_ } Zed::stack()';

# The lines of each CPU, in order.
sub by_cpu
{
	my (@lines) = @_;
	my %of;
	push @{$of{(split ' ')[0]}}, $_ for @lines;
	return \%of;
}

# The same of a report: lines "COMM-PID [CPU] TIME: EVENT: ...", under that of a stack "=> NAME (ADDRESS)".
sub of_report
{
	my ($text, $shown) = @_;
	my (%of, %last, $to);
	for (split /\n/, $text) {
		if (/^\s*(\S.*-\d+)\s+\[(\d+)\]\s(?:\S+\s+)?\s*[\d.]+: (\w+):/) {
			my ($task, $cpu, $event) = ($1, $2 + 0, $3);
			my $before = $last{$cpu};
			$last{$cpu} = { task => $task, event => $event, frames => [] };
			if ($event =~ /_stack$/) {
				$to = $before && $before->{task} eq $task && ($before->{event} !~ /_stack$/ || ($event eq 'user_stack' && $before->{event} eq 'kernel_stack' && $before->{of})) ?
					($before->{of} // $before) : undef;
				$last{$cpu}{of} = $to;
				next;
			}
			$to = undef;
			push @{$of{$cpu}}, $last{$cpu};
		} elsif ($to && /^\s*=>\s+(.*\S)/) {
			my $frame = $shown->($1);
			push @{$to->{frames}}, $frame if defined $frame;
		}
	}
	return { map { my $cpu = $_; $cpu => [map { join ' ', $cpu, $_->{event}, @{$_->{frames}} } @{$of{$cpu}}] } keys %of };
}

sub same
{
	my ($got, $want, $what) = @_;
	my ($n, $with) = (0, 0);
	for my $cpu (sort keys %$want) {
		$n += @{$want->{$cpu}};
		$with += grep { (() = / /g) > 1 } @{$want->{$cpu}};
	}
	cmp_ok($with, '>=', 8, "$what: events with a stack ($with of $n)");
	is_deeply($got, $want, "$what: each event has its own stack and no other (else: a wait is blamed on another's path)")
		or diag(join "\n", map { my $c = $_; grep { defined } map { ($got->{$c}[$_] // '') ne ($want->{$c}[$_] // '') ? "got  $got->{$c}[$_]\nwant $want->{$c}[$_]" : undef } 0 .. 3 } sort keys %$want);
	return;
}

# ---- trace-cmd's text

my @reports = map { [$_, "t/data/" . basename($_) . '.report.txt'] } 't/data/stack.dat', 't/data/stack_alias.dat', 't/data/function_stack.dat';
my $shared = $ENV{ZED_SHARED} // '../shared';
push @reports, map { [$_, "$_.report.txt.zst"] } grep { -e "$_.report.txt.zst" } glob "$shared/data/*/*stack*.dat";
for (@reports) {
	my ($dat, $report) = @$_;
	my $text = $report =~ /\.zst$/ ? qx(zstd -dqc $report) : slurp($report);
	next if $text !~ /kernel_stack:|user_stack:/;
	my $want = of_report($text, sub { $_[0] =~ /\(?(?:0x)?([0-9a-f]{8,16})\)?$/ ? sprintf('%s', $1 =~ s/^0+//r) : undef });
	next if !grep { (() = / /g) > 1 } map { @$_ } values %$want;
	my $r = zedperl($dat, \of_each($addresses));
	my $got = by_cpu(lines($r->{out}));
	# The text has no line for what trace-cmd leaves out of it.
	delete $got->{$_} for grep { !$want->{$_} } keys %$got;
	same($got, $want, $dat);
}

# ---- the kernel's text: with the program's part

SKIP: {
	my $text = qx(gzip -dc t/data/kernel/user_stack.dat.kernel.txt.gz);
	skip 'no gzip', 2 if !length $text;
	my $want = of_report($text =~ s/<user stack trace>/user_stack:/gr =~ s/<stack trace>/kernel_stack:/gr,
		sub { my ($s) = @_; return $s =~ /^<0*([0-9a-f]+)>$/ ? "0x$1" : $s =~ s/ \[\w+\]$//r });
	my $r = zedperl('t/data/kernel/user_stack.dat', \of_each('map { s/\+0x\w+$//r } Zed::stack_symbols()'));
	same(by_cpu(lines($r->{out})), $want, 'user_stack.dat');
	$r = zedperl('t/data/kernel/user_stack.dat', \of_each('scalar Zed::stack(), scalar Zed::stack("kernel") + Zed::stack("user"), grep { $_ < 1 << 47 } Zed::stack("kernel")'));
	is(join('', grep { !/ (\d+) \1$/ || / 0 0$/ } lines($r->{out})), '', 'the parts are the whole, and of the kernel are addresses of the kernel');
}

# ---- perf's

{
	my $r = zedperl('t/data/perf/rawsys_g.data', \('sub trace_unhandled { print join(" ", map { sprintf "%x", $_ } Zed::stack()), "|", join(" ", Zed::callchain() == Zed::stack() ? "same" : "other"), "\n" }'));
	my $text = qx(gzip -dc t/data/perf/rawsys_g.script.txt.gz);
	# Those of programs it shows as places in their files.
	my $kernel = sub { my @all = @_; return scalar(@all) . join '', map { " $_" } grep { /^f{8}/ } @all };
	my @want = map { $kernel->(/^\s+([0-9a-f]+) \S/mg) } $text =~ /raw_syscalls:\w+: .*\n((?:\s+[0-9a-f]+ .*\n)+)/g;
	cmp_ok(scalar @want, '>', 20, 'perf script shows chains');
	is_deeply([map { $kernel->(split ' ', (split /\|/)[0]) } lines($r->{out})], \@want, 'perf.data: the addresses that perf script shows');
	unlike($r->{out}, qr/other/, 'and Zed::callchain is the same');
	$r = zedperl('--symfs', '/none', 't/data/perf/rawsys_g.data', \'sub raw_syscalls::sys_enter { print join(" ", Zed::stack_symbols("user")), "\n" }');
	like($r->{out}, qr{^\S+/ld-linux-x86-64\.so\.2\+0x1fc47 }m, 'a place in a file is named by it');
}

# ---- every place

my %id = (tick => 300, kernel_stack => 4, user_stack => 13);
my ($big, $long);
sub stack_format
{
	my ($name) = @_;
	my $at = $name eq 'kernel_stack' ? 8 + $long : $long == 8 ? 16 : 12;
	my $first = $name eq 'kernel_stack' ? 'int size' : 'unsigned int tgid';
	return Write::Dat::format_text($name, $id{$name}, "\tfield:$first;\toffset:8;\tsize:4;\tsigned:0;\n" .
		"\tfield:unsigned long caller[8];\toffset:$at;\tsize:" . 8 * $long . ";\tsigned:0;\n", '"x"');
}
sub record
{
	my ($d, $what) = @_;
	my ($name, $pid, @addresses) = split ' ', $what;
	local $d->{pid} = $pid;
	my $rec = $d->common($id{$name});
	return $rec . $d->u32($addresses[0]) . pack('a8', 'x') if $name eq 'tick';
	my @eight = $name eq 'user_stack' ? (@addresses, (0) x 8)[0 .. 7] : @addresses;
	return $rec . $d->u32(scalar @addresses) . ($long == 8 ? $d->u32(0) : '') . join '', map { $d->ulong($_) } @eight;
}

# Pages of one CPU: each [FLAGS, records...]; what Zed::stack has for each tick.
sub stacks_of
{
	my (@pages) = @_;
	my $d = Write::Dat->new(big => $big, long => $long, cpus => 1,
		formats => [[mini => Write::Dat::format_text('tick', 300, "\tfield:unsigned int n;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:char who[8];\toffset:12;\tsize:8;\tsigned:1;\n", '"%u", REC->n')],
			map { [ftrace => stack_format($_)] } 'kernel_stack', 'user_stack'],
		make_pages => sub {
			my ($d) = @_;
			my $ts = 1_000_000;
			return map {
				my ($flags, @records) = @$_;
				my $data = join '', map { ref ? $$_ : $d->data_event(1000, record($d, $_)) } @records;
				$d->page($ts += 100_000, $data, flags => $flags);
			} @pages;
		});
	my $path = $d->write("$tmp/made.dat");
	my $r = zedperl($path, \'sub mini::tick { print Zed::field("n"), ":", join(",", Zed::stack("kernel")), "/", join(",", Zed::stack("user")), " " } sub ftrace::kernel_stack { print "k " } sub ftrace::user_stack { print "u " }');
	diag($r->{err}) if length $r->{err};
	return $r->{out};
}

my $lost = 1 << 31;
for (['little', 0, 8], ['big', 1, 8], ['little of 32 bits', 0, 4], ['big of 32 bits', 1, 4]) {
	(my $what, $big, $long) = @$_;
	my $pad = sub { pack $big ? 'N' : 'V', $big ? 29 << 27 | 1 : 1 << 5 | 29 };
	my $skip = $pad->() . pack($big ? 'N' : 'V', 8) . "\0" x 4;
	my $extend = pack $big ? 'NN' : 'VV', $big ? 30 << 27 | 5 : 5 << 5 | 30, 7;
	for (['right behind', '1:11,12/ k 2:/ ', [0, 'tick 7 1', 'kernel_stack 7 11 12', 'tick 7 2']],
	     ['both parts', '1:11/21,22 k u 2:/23 u ', [0, 'tick 7 1', 'kernel_stack 7 11', 'user_stack 7 21 22', 'tick 7 2', 'user_stack 7 23']],
	     ['the kernel\'s behind the program\'s', '1:11,12/21 u k 2:/ ', [0, 'tick 7 1', 'user_stack 7 21', 'kernel_stack 7 11 12', 'tick 7 2']],
	     ['on the next page', '1:11/ k 2:/ ', [0, 'tick 7 1'], [0, 'kernel_stack 7 11', 'tick 7 2']],
	     ['both on the next page', '1:11/21 k u 2:/ ', [0, 'tick 7 1'], [0, 'kernel_stack 7 11', 'user_stack 7 21', 'tick 7 2']],
	     ['one on each page', '0:/ 1:11/21 k u 2:12/ k ', [0, 'tick 7 0', 'tick 7 1', 'kernel_stack 7 11'], [0, 'user_stack 7 21', 'tick 7 2', 'kernel_stack 7 12']],
	     ['on each of four pages', '1:11/ k 2:12/ k 3:/ ', [0, 'tick 7 1'], [0, 'kernel_stack 7 11', 'tick 7 2'], [0, 'kernel_stack 7 12'], [0, 'tick 7 3']],
	     ['behind padding and a long time', '1:11/ k ', [0, 'tick 7 1', \$skip, \$extend, 'kernel_stack 7 11']],
	     ['of another task', '1:/ k 2:/ ', [0, 'tick 7 1', 'kernel_stack 8 11', 'tick 7 2']],
	     ['of another event', '1:/ 2:11/ k ', [0, 'tick 7 1', 'tick 7 2', 'kernel_stack 7 11']],
	     ['two of them', '1:11/ k k ', [0, 'tick 7 1', 'kernel_stack 7 11', 'kernel_stack 7 12']],
	     ['behind a loss', '1:/ k 2:/ ', [0, 'tick 7 1'], [$lost, 'kernel_stack 7 11', 'tick 7 2']],
	     ['at the end', '1:11/ k 2:/ ', [0, 'tick 7 1', 'kernel_stack 7 11'], [0, 'tick 7 2']],
	     ['that has no frame', '1:/ k 2:/ ', [0, 'tick 7 1', 'kernel_stack 7', 'tick 7 2']],
	     ['an old one, that ends in all ones', '1:11/ k ', [0, 'tick 7 1', 'kernel_stack 7 11 ' . ($long == 8 ? ~0 : 0xffff_ffff) . ' 13']]) {
		my ($where, $want, @pages) = @$_;
		is(stacks_of(@pages), $want, "$what: a stack $where (else: it is lost, or another's)");
	}
}

# ---- a stream that waits behind a page which ends in padding
($big, $long) = (0, 8);
{
	my $d = Write::Dat->new(page_size => 4096, cpus => 1, pages => 1, ticks => 1, formats => [
		[mini => Write::Dat::format_text('tick', 300, "\tfield:unsigned int n;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:char who[8];\toffset:12;\tsize:8;\tsigned:1;\n", '"%u", REC->n')],
		[ftrace => stack_format('kernel_stack')]]);
	my $page = sub {
		my ($ts, @records) = @_;
		my $data = join '', map { ref ? $$_ : $d->data_event(1000, record($d, $_)) } @records;
		return $d->page($ts, $data);
	};
	# What the second page has where the first one has padding is not behind the first one's event.
	my $rest = pack('V', 29) . "\0" x 60;
	my $s = Write::ZedStream->new(meta => Run::V3Client::of_mini($d));
	my $first = $s->{bytes} . Write::ZedStream->new->pages(0, $page->(1_000_000, 'tick 7 1', \$rest))->{bytes} =~ s/^.{16}//sr;
	my $second = Write::ZedStream->new->pages(0, $page->(2_000_000, 'tick 7 2', 'kernel_stack 7 98', 'kernel_stack 7 99'))->end(3, 0)->{bytes} =~ s/^.{16}//sr;
	my $out = "$tmp/waits.out";
	my $script = spew("$tmp/waits.pl", 'use Zed handlers => ["mini"]; sub mini::tick { print Zed::field("n"), ":", join(",", Zed::stack()), " " }');
	pipe my $from, my $to or die "pipe: $!\n";
	my $pid = spawn({ stdin => $from, stdout => $out, stderr => "$out.err", child => sub { close $to } }, zed_bin('zedperl'), '-i', '-', $script);
	$to->autoflush(1);
	print $to $first;
	ok(wait_until(60, sub { !unread($from) && slurp("/proc/$pid/stat") =~ /\) S/ }), 'the first page is read, and more is waited for');
	print $to $second;
	close $to;
	reap($pid, 60);
	is(slurp("$out.err"), '', 'in silence');
	is(slurp($out), '1: 2:98 ', 'behind padding, before the next page is there: no stack is looked for where the page was (else: memory that was freed is read)');
}

# ---- who asks for it
stacks_of([0, 'tick 7 1', 'kernel_stack 7 11 12']);
my $made = "$tmp/made.dat";
for (['by its name', 'sub mini::tick { print scalar Zed::stack() }'],
     ['imported', 'use Zed qw(stack); sub mini::tick { print scalar stack() }'],
     ['with &', 'sub mini::tick { print scalar(my @s = &Zed::stack()) }'],
     ['through a reference', 'my $f = \&Zed::stack; sub mini::tick { print scalar $f->() }'],
     ['compiled by eval in trace_begin', 'sub trace_begin { eval q{sub mini::tick { print scalar Zed::stack() }} }'],
     ['as Zed::callchain', 'sub mini::tick { print scalar(my @s = Zed::callchain()) }'],
     ['in a handler of Zed::on', 'Zed::on("mini:tick", sub { print scalar Zed::stack() })'],
     ['with --tail', 'sub mini::tick { print scalar Zed::stack() }', '--tail', 2]) {
	my ($how, $code, @options) = @$_;
	is(zedperl(@options, $made, \$code)->{out}, 2, "$how: it is there (else: scripts have to be written in one way)");
}
for ('Zed::stack("all")', 'Zed::stack(1, 2)', 'Zed::stack_symbols("")') {
	like(zedperl($made, \"sub mini::tick { $_ }")->{err}, qr/usage: Zed::stack(?:_symbols)?\(\)/, "$_ is refused");
}

done_testing();
