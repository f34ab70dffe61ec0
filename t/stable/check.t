# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl --stable-check, --stable and --export as commands: what the table says of traces whose formats are known
# to the byte, what of a catalogue is refused, what an export leaves where.  Without it a user cannot learn why a
# handler is silent, and loses files.
#
# of: stable reader/stablefile sink stable
use strict;
use warnings;
use Fcntl qw(O_RDONLY O_NONBLOCK);
use POSIX ();
use Test::More;
use lib 't/lib';
use Files;
use Run::Zedperl;

# ---- made kernels: an old one and a new one, as their formats were

my $old_switch = field_text('char prev_comm[16]', 8, 16, 1) . field_text('pid_t prev_pid', 24, 4, 1)
	. field_text('int prev_prio', 28, 4, 1) . field_text('long prev_state', 32, 8, 1)
	. field_text('char next_comm[16]', 40, 16, 1) . field_text('pid_t next_pid', 56, 4, 1) . field_text('int next_prio', 60, 4, 1);
my $flags = sub { '"state=%s%s", REC->prev_state & ' . $_[0] . ' ? __print_flags(REC->prev_state & ' . $_[0] . ', "|", '
	. join(', ', map { "{ $_->[0], \"$_->[1]\" }" } @{$_[1]}) . ') : "R", REC->prev_state & ' . $_[2] . ' ? "+" : ""' };
my $old_print = $flags->(1023, [[1, 'S'], [2, 'D'], [4, 'T'], [8, 't'], [16, 'Z'], [32, 'X']], 1024);
my $new_print = $flags->(255, [[1, 'S'], [2, 'D'], [4, 'T'], [8, 't'], [16, 'X'], [32, 'Z'], [64, 'P'], [128, 'I']], 256);
my $wakeup = field_text('char comm[16]', 8, 16, 1) . field_text('pid_t pid', 24, 4, 1) . field_text('int prio', 28, 4, 1);
my $old_wakeup = $wakeup . field_text('int success', 32, 4, 1) . field_text('int target_cpu', 36, 4, 1);
my $new_wakeup = $wakeup . field_text('int target_cpu', 32, 4, 1);

sub switch_record { return pack 'a16 l< l< q< a16 l< l<', 'from', $_[0], 120, $_[2], 'to', $_[1], 120 }

my $old = trace(
	types => { 'sched::sched_switch' => $old_switch, 'sched::sched_wakeup' => $old_wakeup, 'power::power_start' =>
		field_text('u64 type', 8, 8) . field_text('u64 state', 16, 8) . field_text('u64 cpu_id', 24, 8) },
	print => { 'sched::sched_switch' => $old_print },
	events => [[0, 1000, 'sched::sched_switch', switch_record(11, 12, 16)], [0, 2000, 'sched::sched_switch', switch_record(12, 13, 1024)],
		[0, 3000, 'sched::sched_wakeup', pack 'a16 l<4', 'woken', 11, 120, 0, 1], [0, 4000, 'mini::tick', 7]]);
my $new = trace(
	types => { 'sched::sched_switch' => $old_switch, 'sched::sched_wakeup' => $new_wakeup,
		'exceptions::page_fault_user' => join('', map { field_text("unsigned long $_->[0]", $_->[1], 8) } ['address', 8], ['ip', 16], ['error_code', 24]),
		'exceptions::page_fault_kernel' => join('', map { field_text("unsigned long $_->[0]", $_->[1], 8) } ['address', 8], ['ip', 16], ['error_code', 24]) },
	print => { 'sched::sched_switch' => $new_print },
	events => [[0, 1000, 'sched::sched_switch', switch_record(11, 12, 32)], [0, 2000, 'sched::sched_switch', switch_record(12, 13, 256)],
		[0, 3000, 'sched::sched_wakeup', pack 'a16 l<3', 'woken', 11, 120, 1]]);

# {event => [what it is made of, {field => source}, [fields in order]]}, and the events in order.
sub table {
	my ($text) = @_;
	my (%t, @order, $e, $f);
	for (split /\n/, $text) {
		if (/^(\w+::\w+)\s+(\S.*)$/) {
			push @order, $1;
			$e = $t{$1} = [$2, {}, []];
		} elsif (/^  (\w+)\s+(\S.*)$/) {
			push @{$e->[2]}, $f = $1;
			$e->[1]{$f} = $2;
		} elsif (/^ {26}(\S.*)$/) {
			$e->[1]{$f // ''} .= "; $1";
		} else {
			push @order, "'$_'?";
		}
	}
	return (\%t, @order);
}

{
	my $r = zedperl('--stable-check', $old);
	is("$r->{status} $r->{err}", '0 ', 'what is missing is no failure (else: nobody can look at a small trace)');
	my ($t, @order) = table($r->{out});
	is_deeply(\@order, [sort @order], 'the table is sorted (else: no diff)');
	cmp_ok(scalar(@order), '>', 40, 'and has every event of the catalogue');
	my %there = map { $_ => 1 } @order;
	my @wanted = ((map { "sched::$_" } qw(kthread_stop kthread_stop_ret wait_task wakeup wakeup_new waking switch migrate_task process_free
		process_exit process_wait process_fork signal_send)), (map { "irq::$_" } qw(enter exit)), (map { "softirq::$_" } qw(enter exit raise)),
		'timer::expire', (map { "block::$_" } qw(rq_insert rq_issue rq_complete rq_requeue rq_abort bio_queue bio_complete bio_bounce
		bio_backmerge bio_frontmerge getrq sleeprq split remap plug unplug_io unplug_timer)),
		(map { "workqueue::$_" } qw(insertion execution completion creation destruction)), 'power::idle', 'power::frequency',
		'net::dev_xmit', 'net::receive', 'page::fault', 'syscall::enter', 'syscall::exit');
	is_deeply([grep { !$there{$_} } @wanted], [], 'among them each that was promised (else: it is silently gone)');

	is($t->{'sched::switch'}[0], 'sched:sched_switch', 'the raw event that it is made of');
	is(join(' ', @{$t->{'sched::switch'}[2]}[0, 1]), 'prev_pid next_pid', 'the fields of 2009 come first');
	is($t->{'sched::switch'}[1]{prev_pid}, 'prev_pid', 'a field that is taken as it is');
	like($t->{'sched::switch'}[1]{prev_state}, qr/^letter\(prev_state\): 1 S, 2 D, 4 T, 8 t, 16 Z, 32 X\b/, 'states as the old format has them');
	like($t->{'sched::switch'}[1]{preempted}, qr/^mark\(prev_state\): .*0x400/, 'and its mark');
	is($t->{'sched::wakeup'}[1]{success}, 'success', 'a field that old kernels have');
	is($t->{'power::idle'}[0], 'power:power_start', 'the alternative that this kernel has (else: old traces have no such event)');
	like($t->{'sched::process_fork'}[0], qr/^not available: .*\bsched:sched_process_fork\b/, 'what is missing says what it would be made of');
	like($t->{'block::unplug_timer'}[0], qr/^not available: .*2\.6\.39/, 'what is gone for good says why');
	is_deeply($t->{'block::unplug_timer'}[2], [], 'and lists no fields');

	($t) = table(zedperl('--stable-check', $new)->{out});
	like($t->{'sched::switch'}[1]{prev_state}, qr/: 1 S, 2 D, 4 T, 8 t, 16 X, 32 Z, 64 P, 128 I\b/, 'states as the new one has them (else: zombies are dead)');
	like($t->{'sched::switch'}[1]{preempted}, qr/0x100/, 'and its mark');
	like($t->{'sched::wakeup'}[1]{success}, qr/^1 \(.*no field 'success'/, 'a default says what is missing (else: a constant looks like a measurement)');
	is($t->{'page::fault'}[0], 'exceptions:page_fault_kernel, exceptions:page_fault_user', 'an event of two sources names both');
	is($t->{'page::fault'}[1]{address}, 'address', 'a field that is the same in both has one line');
	like($t->{'page::fault'}[1]{user}, qr/^exceptions:page_fault_kernel: .*0; exceptions:page_fault_user: .*1$/, 'one that differs has one for each');

	my $empty = trace(types => { 'sched::sched_wakeup' => $new_wakeup }, events => []);
	($t) = table(zedperl('--stable-check', $empty)->{out});
	is($t->{'sched::wakeup'}[0], 'sched:sched_wakeup', 'formats are enough, without an event (else: rare events look unavailable)');
	is(zedperl('--stable-check', $old)->{out}, $r->{out}, 'two runs give the same bytes');
}

{	# Why not: a field that is missing, one that is too wide, a raw event of the name.
	my $bad = trace(types => {
		'sched::sched_wakeup' => field_text('char comm[16]', 8, 16, 1) . field_text('int prio', 24, 4, 1),
		'sched::sched_migrate_task' => $wakeup . field_text('s64 orig_cpu', 32, 8, 1) . field_text('int dest_cpu', 40, 4, 1),
		'sched::switch' => field_text('int mine', 8, 4, 1), 'sched::sched_switch' => $old_switch },
		print => { 'sched::sched_switch' => $new_print }, events => []);
	my $r = zedperl('--stable-check', $bad);
	my ($t) = table($r->{out});
	is($r->{status}, 0, 'a trace whose formats fit nothing is sound');
	like($t->{'sched::wakeup'}[0], qr/^not available: .*sched:sched_wakeup.*no field 'pid'/, 'a missing field is named');
	like($t->{'sched::migrate_task'}[0], qr/^not available: (?=.*\borig_cpu\b).*\b64 bits/, 'one that does not fit, too (else: it would be cut)');
	like($t->{'sched::switch'}[0], qr/raw event.*wins/, 'a raw event of the name wins, and says so');
}

{	# Several inputs.
	my $r = zedperl('--stable-check', $old, $new, $old);
	my $one = zedperl('--stable-check', $old)->{out};
	my $two = zedperl('--stable-check', $new)->{out};
	is($r->{out}, "$old:\n$old:\n$one\n$new:\n$two", 'each different table once, under the names of its inputs');
	my $mono = trace(version => 7, clock => 'mono', types => { 'sched::sched_wakeup' => $new_wakeup }, events => []);
	my $local = trace(version => 7, clock => 'local', types => { 'sched::sched_wakeup' => $new_wakeup }, events => []);
	$r = zedperl('--stable-check', $mono, $local);
	is("$r->{status} $r->{err}", '0 ', 'clocks make no difference where no time is compared');
	$r = zedperl('--stable-check', temp_path('.none'), $new);
	is("$r->{status} $r->{out}", "1 $new:\n$two", 'an input that cannot be opened costs itself: status 1');
	like($r->{err}, qr/\Azedperl: \S+\.none: .*No such file[^\n]*\n\z/, 'and is named');
	is(zedperl('--stable-check', temp_path('.none'))->{status}, 2, 'none can be opened: status 2');
}

# ---- catalogues of one's own

my $mine = <<'E';
event mine::woken
purpose  a test
from     sched:sched_wakeup
field:pid_t who;   align:32; size:32; signed:1;  = pid
field:int   good;  align:32; size:32; signed:1;  = success default 5
E
{
	my $file = spew(temp_path('.stable'), $mine);
	my ($t) = table(zedperl('--stable', $file, '--stable-check', $new)->{out});
	is_deeply($t->{'mine::woken'}[2], ['who', 'good'], '--stable FILE adds events');
	is($t->{'sched::wakeup'}[0], 'sched:sched_wakeup', 'and leaves the shipped ones');
	is(zedperl('--stable', $file, $old, \'sub mine::woken { print "@_[4, 5]\n" }')->{out}, "11 0\n", 'they call subs');
	is(zedperl('--stable', $file, $new, \'sub mine::woken { print "@_[4, 5]\n" }')->{out}, "11 5\n", 'on any kernel');

	my $dir = temp_path();
	mkdir $dir or die;
	spew("$dir/a.stable", $mine);
	spew("$dir/b.stable", $mine =~ s/default 5/default 6/r);
	spew("$dir/c.txt", 'no catalogue');
	is(zedperl('--stable', $dir, $new, \'sub mine::woken { print "$_[5]\n" }')->{out}, "6\n",
		'--stable DIR: its *.stable in order, what comes later replaces (else: it depends on the disk)');
	is(zedperl('--stable', $dir, '--stable', $file, $new, \'sub mine::woken { print "$_[5]\n" }')->{out}, "5\n", 'repeated: so does a later option');
	spew("$dir/own.stable", $mine =~ s/mine::woken/sched::wakeup/r);
	is(zedperl('--stable', $dir, $new, \'sub sched::wakeup { print "$#_ $_[5]\n" }')->{out}, "5 5\n", 'a shipped one can be replaced');

	my $script = script('print "ran\n"');
	for (['a wrong word', "event x::y\npurpose p\nfrom a:b\nfield:int n; algn:32; size:32;\n", qr/line 4, column \d+: .*algn/],
	     ['no purpose', "event x::y\nfrom a:b\nfield:int n; size:32;\n", qr/line \d+.*purpose/],
	     ['a constant that does not fit', "event x::y\npurpose p\nfrom a:b\nfield:u8 n; size:8; = 300\n", qr/line 4, column \d+/],
	     ['no event at all', "garbage\n", qr/line 1, column 1/]) {
		my ($what, $text, $said) = @$_;
		my $bad = spew(temp_path('.stable'), $text);
		for my $args (['nowhere.dat', $script], [$new, $script], ['--stable-check', $new], ['--export', temp_path(), $new], ['-t', $new]) {
			my @args = ('--stable', $bad, @$args);
			my $r = zedperl(@args);
			is("$r->{status} $r->{out}", '2 ', "$what: status 2, nothing done: " . join ' ', map { s{.*/}{}r } @args);
			like($r->{err}, qr/\Azedperl: \Q$bad\E: $said[^\n]*\n\z/, '... file, line and column, before anything is opened');
		}
	}
	my $r = zedperl('--stable', temp_path('.none'), $new, $script);
	is("$r->{status} $r->{out}", '2 ', 'a catalogue that is not there: status 2');
	like($r->{err}, qr/\Azedperl: \S+\.none: .*No such file/, 'and said');
}

# ---- export
{
	my $none = temp_path('.dat');
	my $r = zedperl('--export', $none, 't/data/ltt-g1');
	is($r->{status}, 0, 'an export of what has no stable event');
	like($r->{err}, qr/\Azedperl: \Q$none\E: nothing is in it: .*--stable-check/, 'is said to hold nothing (else: an empty archive is kept for years)');
}

my $show = 'sub sched::switch { print join("|", map { $_ // "undef" } @_[0 .. 9]), "\n" }
	sub sched::wakeup { print join("|", map { $_ // "undef" } @_[0 .. 8]), "\n" }';
my %expect = (
	$old => "0|0|1000|1|11|12|from|Z|0|to\n0|0|2000|2|12|13|from|R|1|to\n0|0|3000|3|11|0|woken|120|1\n",
	$new => "0|0|1000|1|11|12|from|Z|0|to\n0|0|2000|2|12|13|from|R|1|to\n0|0|3000|3|11|1|woken|120|1\n");

for my $dat ($old, $new) {
	my $name = $dat eq $old ? 'old kernel' : 'new kernel';
	is(zedperl($dat, \$show)->{out}, $expect{$dat}, "$name: one script gives the values that were written");
	my $file = temp_path();
	my $r = zedperl('--export', $file, $dat);
	is("$r->{status} $r->{out}$r->{err}", '0 ', "$name: --export, without a word");
	$r = zedperl($file, \$show);
	is("$r->{status} $r->{err}$r->{out}", "0 $expect{$dat}", "$name: the export gives the same (else: it is no archive)");
	is(join(' ', zedperl('-t', $file)->{out} =~ /(\S+) +(\d+)/g), 'sched::switch 2 sched::wakeup 1' . ($dat eq $new ? ' sched::waking 1' : ''),
		"$name: and has nothing else");
	my $again = temp_path();
	zedperl('--export', $again, $dat);
	is(slurp($again), slurp($file), "$name: two exports are the same bytes");
	$r = zedperl('--export', $again, $file);
	is($r->{status}, 2, "$name: an export cannot be exported");
	like($r->{err}, qr/\Azedperl: \Q$file\E: is an export already/, "$name: which is said (else: an empty file is written)");
	my ($t) = table(zedperl('--stable-check', $file)->{out});
	is($t->{'sched::switch'}[0], "the file's own", "$name: --stable-check knows its events");
	like($t->{'sched::process_fork'}[0], qr/^not available/, "$name: and what it has not");
}

{	# What is chosen.
	my $file = temp_path();
	zedperl('--export', $file, '-F', 'sched:sched_switch: next_pid == 13', '--start', '0.000002', $old);
	is(zedperl($file, \$show)->{out}, $expect{$old} =~ s/^.*\n//r, '-F (of raw events) and --start choose what is exported');
	my $stdout = temp_path();
	my $r = zedperl({ stdout => $stdout }, '--export', '-', $old);
	is($r->{status}, 0, '--export -: to standard output');
	is(zedperl({ stdin => $stdout }, '-i', '-', \$show)->{out}, $expect{$old}, 'which can be a pipe\'s end');
	my $mine_file = spew(temp_path('.stable'), $mine);
	zedperl('--export', $file, '--stable', $mine_file, $new);
	is(zedperl($file, \'sub mine::woken { print "@_[4, 5]\n" }')->{out}, "11 5\n", 'events of one\'s own are exported, and read without their catalogue');
}

{	# Files: what was there stays until the new one is whole.
	my $dir = temp_path();
	mkdir $dir or die;
	my $file = spew("$dir/x", "old content\n");
	chmod 0640, $file;
	symlink 'x', "$dir/link" or die;
	is(zedperl('--export', "$dir/link", $old)->{status}, 0, 'over a file that is there, by a link');
	is(zedperl($file, \$show)->{out}, $expect{$old}, 'it is written anew');
	ok(-l "$dir/link", 'the link is still one');
	is((stat $file)[2] & 07777, 0640, 'and the file keeps its rights (else: secrets become public)');
	my $mask = umask 0;
	zedperl('--export', "$dir/fresh", $old);
	umask $mask;
	is((stat "$dir/fresh")[2] & 07777, 0600, 'a new file is for its owner (else: what went on here is for everybody)');

	# Damage in the middle: a record that runs past its page.
	my $damaged = trace(types => { 'sched::sched_switch' => $old_switch }, print => { 'sched::sched_switch' => $new_print },
		events => [[0, 1000, 'sched::sched_switch', switch_record(11, 12, 1)], [0, 2000, 'sched::sched_switch', switch_record(12, 13, 2), 1]]);
	my $bytes = slurp($damaged);
	my $at = rindex $bytes, pack('a16', 'from');
	substr($bytes, $at - 12, 4) = pack 'V', 0x1fffff1c;
	spew($damaged, $bytes);
	spew($file, "old content\n");
	my $r = zedperl('--export', $file, '--strict', $damaged);
	isnt($r->{status}, 0, '--strict and damage: a failure') or diag $r->{err};
	is(slurp($file), "old content\n", 'leaves the old file');
	is(join(' ', map { s{.*/}{}r } sort glob "$dir/*"), 'fresh link x', 'and nothing beside it (else: disks fill)');
	$r = zedperl('--export', $file, $damaged);
	is($r->{status}, 1, 'without --strict: status 1');
	is(zedperl($file, \'sub sched::switch { print "$_[4] " }')->{out}, '11 ', 'and what is sound is there');

	spew($file, "old content\n");
	$r = zedperl('--export', $file, temp_path('.none'));
	is("$r->{status} " . slurp($file), "2 old content\n", 'a trace that cannot be opened leaves the old file');
	# What is no file is written in place.  Nodes of our own: a broken program would replace the machine's.
	POSIX::mkfifo("$dir/pipe", 0600) or die;
	sysopen my $end, "$dir/pipe", O_RDONLY | O_NONBLOCK or die;
	is(zedperl('--export', "$dir/pipe", $old)->{status}, 0, 'into a named pipe');
	sysread $end, my $through, 1 << 16;
	my $got = spew(temp_path(), $through // '');
	ok(-p "$dir/pipe", 'which stays one (else: a rename replaces it)');
	is(zedperl($got, \$show)->{out}, $expect{$old}, 'and gives everything');
	SKIP: {
		my $full = "$dir/full";
		my $made = !system("mknod '$full' c 1 7 >/dev/null 2>&1") && open my $try, '>', $full;
		skip 'no device can be made here', 3 if !$made;
		$r = zedperl('--export', $full, $old);
		is($r->{status}, 1, 'a full disk is a failure');
		like($r->{err}, qr/\Azedperl: \Q$full\E: [^\n]*No space left[^\n]*\n\z/, 'which is said');
		ok(-c $full, 'and a device stays one');
	}
	my $before = slurp($old);
	symlink $old, "$dir/same" or die;
	for my $path ($old, "$dir/same") {
		$r = zedperl('--export', $path, $old);
		is($r->{status}, 2, 'onto the trace itself: refused');
		like($r->{err}, qr/overwrite what it reads/, 'and said');
	}
	is(slurp($old), $before, 'the trace is as it was (else: it is lost)');
	$r = zedperl('--export', "$dir/no/x", $old);
	is($r->{status}, 2, 'into a directory that is not there: status 2');
	like($r->{err}, qr/\Azedperl: \Q$dir\E\/no\/x: [^\n]*No such file/, 'and said');
	is(zedperl('--export', $dir, $old)->{status}, 2, 'onto a directory: status 2');
}

{	# Ctrl-C: the old file stays.
	my $dir = temp_path();
	mkdir $dir or die;
	my $file = spew("$dir/x", "old content\n");
	my $fifo = "$dir/fifo";
	POSIX::mkfifo($fifo, 0600) or die;
	my $run = start('--export', $file, '-i', $fifo);
	open my $to, '>', $fifo or die;
	binmode $to;
	syswrite $to, slurp($old);
	close $to;
	my $r = finish($run);
	is($r->{status}, 0, 'a trace that comes through a pipe');
	is(zedperl($file, \$show)->{out}, $expect{$old}, 'is exported whole');

	# Millions of events, so that there is something to interrupt: one input, named often.
	spew($file, "old content\n");
	my $long = trace(types => { 'sched::sched_switch' => $old_switch }, print => { 'sched::sched_switch' => $new_print },
		events => [map { [0, 1000 * $_, 'sched::sched_switch', switch_record($_, 1, 1)] } 1 .. 20000]);
	$run = start('--export', $file, ($long) x 200);
	my $temp;
	for (1 .. 500) {
		($temp) = grep { -s } glob "$file.*";
		last if $temp;
		select undef, undef, undef, 0.005;
	}
	ok($temp, 'a second file is written beside it');
	kill INT => $run->{pid};
	$r = finish($run);
	is($r->{status}, 130, 'Ctrl-C: status 130') or diag $r->{err};
	is(slurp($file), "old content\n", 'the old file stays (else: half an export looks whole)');
	is(join(' ', glob "$file.*"), '', 'and the new one is gone');
}

# ---- what makes no sense

for (['--export and a script', ['--export', 'x', $old, script("#!/usr/bin/perl\n1")], qr/--export runs no script: .*zedperl x /],
     ['--export and a script by its name', ['--export', 'x', $old, 'count.pl'], qr/count\.pl: --export runs no script/],
     ['--stable-check and a script', ['--stable-check', $old, 'count.pl'], qr/count\.pl: --stable-check runs no script/],
     ['--export and -e', ['--export', 'x', '-e', '1', $old], qr/-e does not go with --export: no script is run; .*zedperl FILE SCRIPT/],
     ['--stable-check and -M', ['--stable-check', '-MPOSIX', $old], qr/-M does not go with --stable-check: no script is run/],
     ['--export and --live', ['--export', 'x', '--live'], qr/--export does not go with --live: it needs a recording: zedtrace .*zedperl --export FILE trace\.dat/],
     ['--export and --stable-check', ['--export', 'x', '--stable-check', $old], qr/give one of them/],
     ['--export and -t', ['--export', 'x', '-t', $old], qr/give one of them/],
     ['--export without a trace', ['--export', $old], qr/no trace given, and there is no trace\.dat here: zedperl --export FILE TRACE/],
     ['--stable-check without a trace', ['--stable-check'], qr/no trace given, and there is no trace\.dat here: zedperl --stable-check TRACE/],
     ['--stable-check --live=EVENTS', ['--stable-check', '--live=sched'], qr/what this kernel offers/],
     ['--stable-check --live and a trace', ['--stable-check', '--live', $old], qr/what this kernel offers/],
     ['--stable-check --live -i', ['--stable-check', '--live', '-i', $old], qr/-i does not go with --live: it reads this kernel/],
     ['--export to nothing', ['--export', '', $old], qr/--export: the name is empty/]) {
	my ($what, $args, $said) = @$_;
	my $r = zedperl(@$args);
	is("$r->{status} $r->{out}", '2 ', "$what: refused");
	like($r->{err}, qr/\Azedperl: [^\n]*$said/, "$what: with the next step");
	ok(!-e 'x', "$what: and nothing written");
}

SKIP: {
	skip 'there is no script(1), or no /dev/pts, to make a terminal', 1
		if system('script -qec true /dev/null </dev/null >/dev/null 2>&1');
	my $bin = zedperl_path();
	like(`script -qec '"$bin" --export - "$old"' /dev/null </dev/null 2>&1`, qr/\Azedperl: [^\n]*not written to a terminal: zedperl --export - TRACE >FILE/,
	     'records are not written to a terminal (else: it beeps and hangs)');
}

done_testing;
