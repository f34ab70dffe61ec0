# SPDX-License-Identifier: GPL-2.0-or-later
#
# perf.data in forms that perf on a test machine does not write: every part that a sample can have, in both
# byte orders, several events, losses, names that change, records out of order, unknown ones.  A writer that
# shares no code with the programs makes them, so each value is known.
# Without it what perf on the test machine does not write is misread.
#
# of: reader/perf
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Write::Perf;
use Run::Program qw(:DEFAULT same spew);

my $dir = zed_tmp();
my $files = 0;
my $json = JSON::PP->new->canonical;

# The objects of -f json for what W writes, and what was said.
sub events {
	my ($w, @args) = @_;
	my $path = ref $w ? $w->write("$dir/" . ++$files . '.data') : $w;
	my $r = zed_run('zedprint', '-f', 'json', @args, $path);
	return ($r, map { $json->decode($_) } split /\n/, $r->{out});
}

my @usual = qw(IDENTIFIER IP TID TIME CPU PERIOD);

sub ticks {
	my (%o) = @_;
	my $w = Write::Perf->new(%o);
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => $o{parts} // [@usual, 'RAW'], ids => [7, 8], name => 'mini:tick', %{$o{attr} // {}});
	return $w;
}

# ---- every part of a sample ----

my @all = qw(IDENTIFIER IP TID TIME ADDR ID STREAM_ID CPU PERIOD READ CALLCHAIN RAW BRANCH_STACK REGS_USER STACK_USER WEIGHT
	DATA_SRC TRANSACTION REGS_INTR PHYS_ADDR CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE AUX);
for my $big (0, 1) {
	my $order = $big ? 'big' : 'little';
	# READ: a group of two with times and ids: nr, enabled, running, {value, id}.
	my $w = ticks(big => $big, parts => \@all, attr => { read_format => 1 | 2 | 4 | 8, regs => 3 });
	$w->attr(type => 1, config => 2, parts => \@all, ids => [9], name => 'page-faults:u', read_format => 1 | 2 | 4 | 8, regs => 3);
	my %v = (time => 5_000_000_001, cpu => 1, pid => 40, tid => 41, ip => 0x1111, addr => 0x2222, period => 9,
		read => [2, 50, 60, 1000, 7, 0, 9], chain => [18446744073709551104, 0xabc, 0xdef], weight => 12, data_src => 13,
		transaction => 14, phys_addr => 15, cgroup => 16);
	$w->sample(0, %v, raw => $w->tick(41, -3));
	$w->sample(1, %v, read => [2, 50, 60, 1000, 7, 2000, 9], raw => q{raw!});
	my ($r, @got) = events($w);
	is($r->{err}, '', "$order endian: read without a word");
	is_deeply($got[0], { ts => 5_000_000_001, event => 'mini::tick', cpu => 1, pid => 41, comm => '<...>', seq => 1,
		callchain => [0xabc, 0xdef], fields => { n => -3, who => 'tick' } }, '... a tracepoint, behind all that stands before it');
	my %f = %{$got[1]{fields} // {}};
	my $raw = delete $f{raw};
	is_deeply(\%f, { ip => 0x1111, pid => 40, tid => 41, addr => 0x2222, period => 2000, weight => 12, data_src => 13,
		transaction => 14, phys_addr => 15, cgroup => 16, data_page_size => 4096, code_page_size => 2 << 20,
		values => [1000, 2000], callchain => [0xabc, 0xdef] }, '... a page fault, with a field for each part');
	is($got[1]{event}, 'perf::page-faults', '... its name without modifiers');
}

# ---- which event ----

{
	my $w = ticks(parts => [qw(IP TID TIME ID CPU PERIOD RAW)]);
	$w->format(mini => $Write::Perf::TICK =~ s/tick/tock/r =~ s/ID: 300/ID: 301/r);
	$w->attr(type => 2, config => 301, parts => [qw(IP TID TIME ID CPU PERIOD RAW)], ids => [9], name => 'mini:tock');
	$w->sample(0, time => 1, raw => $w->tick(5, 1), id => 8);
	$w->sample(1, time => 2, raw => $w->tick(5, 2));
	$w->sample(0, time => 3, raw => $w->tick(5, 3), id => 99);
	$w->sample(0, time => 4, raw => $w->tick(5, 4), id => 0);
	my ($r, @got) = events($w);
	is(join(' ', map { "$_->{event}=$_->{fields}{n}" } @got), 'mini::tick=1 mini::tock=2 mini::tick=4',
		'samples go to the event of their id, in its place without IDENTIFIER; 0 is the first');
	like($r->{err}, qr/: offset 0x[0-9a-f]+: sample of an event that the file does not declare/, '... an unknown id is said');
	is($r->{exit}, 1, '... and is damage');
}

# ---- order, names, losses ----

# Times of the samples, in the order that they are given.
sub stamps { return join ' ', map { $_->{ts} } grep { $_->{event} } @_ }

{
	my $w = ticks();
	$w->sample(0, time => $_, cpu => 0, raw => $w->tick(5, 1)) for 10, 30, 50;
	$w->sample(0, time => $_, cpu => 1, raw => $w->tick(5, 1)) for 20, 40;
	$w->round;
	$w->sample(0, time => $_, cpu => 0, raw => $w->tick(5, 1)) for 60, 80;
	$w->sample(0, time => $_, cpu => 1, raw => $w->tick(5, 1)) for 45, 70;
	$w->round;
	my ($r, @got) = events($w);
	is(stamps(@got), '10 20 30 40 45 50 60 70 80', 'buffers that follow each other are put in order, over a round');
	is(join(' ', map { "$_->{cpu}:$_->{seq}" } @got), '0:1 1:1 0:2 1:2 1:3 0:3 0:4 1:4 0:5', '... each CPU counts its own');
}

{
	my $w = ticks();
	$w->comm(5, 'parent', time => 100);
	$w->comm(7, 'before');
	$w->sample(0, time => 150, tid => 5, raw => $w->tick(5, 1));
	$w->fork(5, 6, time => 200);
	$w->sample(0, time => 250, tid => 6, raw => $w->tick(6, 2));
	$w->comm(5, 'renamed', time => 300);
	$w->sample(0, time => 350, tid => 6, raw => $w->tick(6, 3));
	$w->sample(0, time => 350, tid => 5, raw => $w->tick(5, 4));
	$w->sample(0, time => 50, tid => 5, raw => $w->tick(5, 0));
	$w->sample(0, time => 60, tid => 7, raw => $w->tick(7, 0));
	# In a container, the recorder's numbers are others than the kernel's.
	$w->sample(0, time => 400, tid => 5, raw => $w->tick(4005, 5));
	my ($r, @got) = events($w);
	is(join(' ', map { "$_->{ts}=$_->{comm}" } @got),
		'50=<...> 60=before 150=parent 250=parent 350=parent 350=renamed 400=renamed',
		'a name holds from its time on; a child has the name its parent had then (else it is that of a later time)');
	is($got[-1]{pid}, 4005, "... the pid is the record's");
}

{
	# Recorded in a pid namespace: samples and names have its numbers, 0 for tasks outside; records the kernel's.
	my $w = ticks();
	$w->attr(type => 1, config => 0, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD)], ids => [31], name => 'cpu-clock');
	my $clock = sub { my ($mode, %v) = @_; $w->record(9, $mode, $w->sample_bytes($w->{attrs}[1], cpu => 0, id => 31, %v)) };
	my ($KERNEL, $USER) = (1, 2);
	$w->comm(4, 'ls');
	$w->sample(0, time => 10, tid => 4, raw => $w->tick(11594, 1));
	$clock->($USER, time => 20, tid => 4);
	$w->sample(0, time => 30, tid => 0, raw => $w->tick(4, 2));	# a kworker, for one
	$clock->($USER, time => 40, tid => 0);
	$clock->($KERNEL, time => 50, tid => 0);
	$w->exec(4, 'cat', time => 60);
	$clock->($USER, time => 70, tid => 4);
	$w->sample(0, time => 80, tid => 4, raw => $w->tick(11594, 3));
	$w->sample(0, time => 90, tid => -1, raw => $w->tick(11594, 4));
	$clock->($USER, time => 100, tid => 0xffffffff);
	$w->sample(0, time => 110, tid => 0, raw => $w->tick(0, 5));
	my ($r, @got) = events($w);
	is(join(' ', map { "$_->{ts}:$_->{pid}=$_->{comm}" } @got), '10:11594=ls 20:4=ls 30:4=<...> 40:-1=<...> 50:-1=<...> 70:4=cat 80:11594=cat 90:11594=cat '
		. '100:-1=<...> 110:0=<idle>', 'of a pid namespace: its names are not those of the kernel\'s numbers, and its 0 is not the idle task '
		. '(else: tasks have names of others, and a busy machine looks idle)');
	like(zed_run('zedprint', '--summary', "$dir/$files.data")->{out}, qr/^ +tasks +recorded in a pid namespace: /m, '... --summary says so');
	my $end = zed_run('zedperl', '-i', "$dir/$files.data", spew("$dir/end.pl", 'sub trace_end { print join(" ", map { Zed::comm_of($_) } -1, 4, 11594), "\n" }'));
	is($end->{out}, "<...> <...> cat\n", '... also at the end');
	$w = ticks();
	$w->{attrs} = [];
	$w->attr(type => 1, config => 0, parts => [qw(IP TID TIME CPU PERIOD)], ids => [31], name => 'cpu-clock');
	$w->comm(4, 'ls');
	$w->record(9, $_->[0], $w->sample_bytes($w->{attrs}[0], cpu => 0, %{$_->[1]})) for [$USER, { time => 10, tid => 4 }], [$USER, { time => 20, tid => 0 }];
	(undef, @got) = events($w);
	is(join(' ', map { "$_->{ts}:$_->{pid}=$_->{comm}" } @got), '10:4=ls 20:-1=<...>', '... without tracepoints, the idle task is never in user mode');
}

{
	my $w = ticks();
	$w->sample(0, time => 10, cpu => 0, raw => $w->tick(5, 1));
	$w->lost(3, time => 20, cpu => 1);
	$w->sample(0, time => 30, cpu => 0, raw => $w->tick(5, 1));
	$w->sample(0, time => 40, cpu => 1, raw => $w->tick(5, 1));
	$w->lost_samples(3, 0);
	my ($r, @got) = events($w);
	is(join(' ', map { "$_->{cpu}:" . ($_->{seq} // '-') . ':' . ($_->{lost} // 0) } @got), '0:1:0 0:2:0 1:4:3',
		'losses stand before the next event of their CPU, and are not counted twice');
	$w = ticks();
	$w->sample(0, time => 10, cpu => 0, raw => $w->tick(5, 1));
	$w->lost_samples(8, 0);
	$w->lost_samples(100, 1 << 15);
	(undef, @got) = events($w);
	is(join(' ', map { $_->{lost} // 0 } @got), '0', 'what is only told in sum was lost at no time (else: it is counted in each window with the last event)');
	my $lost = zed_run('zedperl', '-i', "$dir/$files.data", spew("$dir/lost.pl", 'sub trace_lost { print "@_ ", eval { Zed::ts() } // "-", "\n" }'));
	is($lost->{out}, "0 8 -\n", '... trace_lost() is called for it, without what a BPF filter left out');
	like(zed_run('zedprint', '--summary', "$dir/$files.data")->{out}, qr/^  losses +8 lost at unknown times$/m, '... and the summary has it');
}

{
	# A start on CPU 0, then a loss of which nobody says the CPU, before an event of CPU 1.
	my $made = sub {
		my (@parts) = @_;
		my $w = ticks(parts => [qw(IDENTIFIER TIME), @parts, 'RAW']);
		$w->sample(0, time => 10, cpu => 0, raw => $w->tick(5, 1));
		$w->lost(3, time => 20, cpu => 9);
		$w->sample(0, time => 30, cpu => 1, raw => $w->tick(5, 2));
		$w->sample(0, time => 40, cpu => 0, raw => $w->tick(5, 3));
		my ($r, @got) = events($w, '--event', 'x:y', '--synthetic',
			"x:y start=mini:tick end=mini:tick match='start.cpu == end.cpu' n='end.n'");
		return join ' ', map { $_->{fields}{n} // '-' } grep { $_->{event} && $_->{event} eq 'x::y' } @got;
	};
	is($made->('CPU'), '', 'a loss on no known CPU drops the starts of all (else: a start is matched with an end that is not its own)');
}

# ---- what is asked for while the run goes on ----

{
	my $w = ticks();
	$w->format(mini => $Write::Perf::TICK =~ s/tick/tock/r =~ s/ID: 300/ID: 301/r);
	$w->attr(type => 2, config => 301, parts => [@usual, 'RAW'], ids => [9], name => 'mini:tock');
	$w->sample($_ % 2, time => 10 * $_, raw => $w->tick(5, $_)) for 1 .. 8;
	my $r = zed_run('zedperl', '-i', $w->write("$dir/later.data"), spew("$dir/later.pl", <<'EOT'));
my $id;
Zed::on('mini:tock', args => ['n'], sub {
	print "tock @_\n";
	$id //= Zed::on('mini:tick', args => ['n'], sub { print "tick @_\n" });
});
EOT
	is($r->{out}, join('', map { ($_ % 2 ? 'tock' : 'tick') . " $_\n" } 1 .. 8),
		'a handler that comes during the run gets events that had been read by then (else: it misses seconds of a recording)');
}

# ---- odd forms ----

{
	my $w = ticks();
	$w->record(16, 0, $w->u32(1, 1) . $w->u64(0) . $w->trailer(0, time => 5));
	$w->record(250, 0, 'what is this?!??');
	$w->record(71, 0, $w->u64(24, 0, 0) . $w->u32(0, 0, 0, 0));
	$w->{data} .= 'x' x 24;
	$w->sample(0, time => 10, raw => $w->tick(5, 1));
	my ($r, @got) = events($w);
	is(stamps(@got), '10', 'records that are not known, and what stands behind AUXTRACE, are stepped over');
	is($r->{err}, '', '... without a word');
}

for my $type (81, 83) {
	my $w = ticks();
	$w->sample(0, time => 10 * $_, raw => $w->tick(5, $_)) for 1 .. 50;
	$w->pack_data(64, $type);
	my ($r, @got) = events($w);
	is(join(' ', map { $_->{fields}{n} } @got), join(' ', 1 .. 50), "compressed records of type $type, with records cut in two");
}

{
	my ($r, @got) = events(ticks(parts => [qw(TID CPU RAW)])->sample(0, time => 1, tid => 5, cpu => 1, raw => Write::Perf->new->tick(5, 1)));
	like($r->{err}, qr/has samples without times/, 'samples without times are said');
	is($got[0]{ts}, 0, '... and given');
	my $w = ticks(parts => [qw(TIME RAW)]);
	(undef, @got) = events($w->sample(0, time => 7, raw => $w->tick(5, 1)));
	is("$got[0]{cpu} $got[0]{pid}", '0 5', 'without a CPU it is 0, without a task that of the record');
}

# ---- pipes ----

{
	my $w = ticks(pipe => 1);
	$w->comm(5, 'five');
	$w->sample(0, time => 10 * $_, tid => 5, raw => $w->tick(5, $_)) for 1 .. 3;
	my $path = $w->write("$dir/pipe.data");
	my ($r, @got) = events($path);
	is(join(' ', map { "$_->{comm}$_->{fields}{n}" } @got), 'five1 five2 five3', 'a saved pipe');
	my $out = `cat $path | @{[zed_bin('zedprint')]} -f json -i - 2>&1`;
	is($out, $r->{out}, '... and a running one');
	my $whole = ticks()->sample(0, time => 10, raw => $w->tick(5, 1))->write("$dir/whole.data");
	$out = `cat $whole | @{[zed_bin('zedprint')]} -f json -i - 2>&1`;
	is($out, zed_run('zedprint', '-f', 'json', $whole)->{out}, 'a file that comes through a pipe (else: cat x.data | zedperl -i - is refused)');
}

# ---- events that are kept ----

# A chain is the reader's, and what it lies in is used again for later samples.
{
	my $w = Write::Perf->new;
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER TID TIME CPU CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	for my $n (1 .. 12000) {
		$w->sample(0, time => 1000 * $n, cpu => 0, tid => 5, chain => [map { 0x1000 * $n + $_ } 1 .. 50], raw => $w->tick(5, $n));
		$w->round if $n % 100 == 0;
	}
	my ($r, @got) = events($w, '--tail', 11000);
	my $wrong = grep { my $n = $_->{fields}{n}; "@{$_->{callchain}}" ne join ' ', map { 0x1000 * $n + $_ } 1 .. 50 } @got;
	is(scalar(@got) . ", wrong $wrong", '11000, wrong 0', '--tail keeps the call chain of each event (else: those of later ones are shown, or freed memory)');
}

# ---- strings that do not fit into one record ----

{
	my $string = "\tfield:__data_loc char[] s;\toffset:8;\tsize:4;\tsigned:1;\n";
	my $type = sub { Write::Dat::format_text($_[0], $_[1], $string, '"%s", __get_str(s)') };
	my $start = 'start=h:beg end=h:fin a=end.s b=end.s c=end.s';
	my $made = sub {
		my ($len, @formats) = @_;
		my $w = Write::Perf->new;
		$w->format(h => $_) for @formats, $type->('beg', 300), $type->('fin', 301);
		$w->attr(type => 2, config => 300 + $_, parts => [qw(IDENTIFIER TIME RAW)], ids => [7 + $_], name => 'h:' . (qw(beg fin))[$_]) for 0, 1;
		$w->sample(0, time => 1000, raw => $w->u16(300) . "\0\0" . $w->u32(5) . $w->u32(12 | 4 << 16) . "abc\0");
		$w->sample(1, time => 2000, raw => $w->u16(301) . "\0\0" . $w->u32(5) . $w->u32(12 | $len << 16) . 'x' x $len);
		return events($w, '--event', 'x:y', '--synthetic', "x:y $start");
	};
	my ($r, @got) = $made->(65000);
	my $f = $got[0]{fields};
	like(join(' ', map { length $f->{$_} } qw(a b c)), qr/\A65000 \d{1,3} 0\z/, 'three long strings: the record is full (else: memory behind it is overwritten)');
	like($r->{err}, qr/x:y: a string was too long, and is cut/, '... which is said');
	my $far = $type->('aa', 299) =~ s/(\tfield:unsigned short common_type)/\tfield:int common_far;\toffset:100000;\tsize:4;\tsigned:1;\n$1/r;
	($r, @got) = $made->(20, $far);
	is("$r->{signal} " . @got, '0 0', 'common fields that reach far: no such events (else: strings lie where no locator reaches)');
	like($r->{err}, qr/take 100004 bytes, more than 4096/, '... and why');
}

# ---- clocks ----

{
	my $w = ticks();
	my $perf = $w->sample(0, time => 10, raw => $w->tick(5, 1))->write("$dir/clock.data");
	my $dat = Write::Dat->new(clock => 'local')->write("$dir/local.dat");
	my $r = zed_run('zedprint', $perf, $dat);
	like($r->{err}, qr/its clock is "local" and that of \S+ is "perf": times cannot be compared/, 'perf and local are not one clock');
	like($r->{err}, qr/record with trace-cmd record -C perf/, '... and how to record is said');
	my $global = zed_run('zedprint', $perf, Write::Dat->new(clock => 'global')->write("$dir/global.dat"));
	is($global->{exit}, 0, '... but perf and global are');
}

done_testing;
