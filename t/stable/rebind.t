# SPDX-License-Identifier: GPL-2.0-or-later
#
# A script that zedperl -g made from one kernel's trace, run on another's, where fields were dropped, added and
# moved: each handler gets the values that it names.  Real recordings are checked against trace-cmd's text.
# Without it a handler gets the value of another field.
#
# of: interp stable
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Compare::DatRead;
use Compare::RealData;
use Compare::Stock;
use Run::Zedperl;

Compare::RealData::need_program('zedperl');
my $own = Compare::RealData::own();

# The script of a trace, in a file.
sub starter {
	my ($dat) = @_;
	my $r = zedperl('-g', 'all', $dat);
	is("$r->{status} $r->{err}", '0 ', '-g of ' . $dat =~ s{.*/}{}r);
	return script($r->{out});
}

# What such a script printed: ["event cpu secs.nsecs", [name, value], ...] for each event.
sub shown {
	my ($text) = @_;
	my @events;
	for (split /\n/, $text) {
		if (/^\t(.*?)=(.*)$/) {
			push @{$events[-1]}, [$1, $2];
		} elsif (/^(\S+) +(\d+) +(\d+\.\d{9}) /) {
			push @events, ["$1 $2 $3"];
		} else {
			push @events, [$_];
		}
	}
	return @events;
}

# The records of trace-cmd's raw text that are called so: ["event cpu secs.nsecs", {name => value}].
sub told {
	my ($dat, $system, @names) = @_;
	my (@told, %is);
	$is{$_} = 1 for @names;
	for (split /\n/, stock_text($dat, qw(-N -R -t))) {
		my ($cpu, $time, $name, $rest) = /\[(\d+)\] +(\d+\.\d{9}): (\w+): *(.*)$/ or next;
		next if !$is{$name};
		my %v;
		while ($rest =~ /\G *(\w+)=(.*?)(?= +\w+=|\s*$)/gc) {
			my ($field, $value) = ($1, $2);
			$v{$field} = $value =~ /^0x[0-9a-f]+$/ ? hex $value : $value;
		}
		push @told, ["${system}::$name " . ($cpu + 0) . " $time", \%v];
	}
	return @told;
}

# The same as a script for FIELDS must print it.
sub wanted {
	my ($told, %fields) = @_;
	return map {
		my ($head, $v) = @$_;
		my ($event) = $head =~ /::(\w+)/;
		[$head, map { [$_, !defined $v->{$_} ? '(none)' : /cpu$/ ? $v->{$_} + 0 : $v->{$_}] } @{$fields{$event}}];
	} @$told;
}

# Lines on stderr that tell of a field as missing.
sub about { my ($err, $field) = @_; return scalar grep { /^zedperl: .* does not have in this trace: .*\b\Q$field\E\b/ } split /\n/, $err }

# ---------------------------------------------------------------- a kernel before 5.14, made

# sched_wakeup of 3.x: success stands before target_cpu.
my @old_names = qw(comm pid prio success target_cpu);
my $old_wakeup = field_text('char comm[16]', 8, 16, 1) . field_text('pid_t pid', 24, 4, 1) . field_text('int prio', 28, 4, 1)
	. field_text('int success', 32, 4, 1) . field_text('int target_cpu', 36, 4, 1);
my @old_values = (['make', 4001, 120, 1, 3], ['cc1', 4002, 100, 0, 2], ['as', 4003, 98, 1, 1]);
my %old = (types => { 'sched::sched_wakeup' => $old_wakeup });
sub old_trace {
	my (%o) = @_;
	my $order = $o{big} ? '>' : '<';
	my $t = 1_000_000;
	return trace(%old, %o, events => [map { [0, $t += 1000, 'sched::sched_wakeup', pack "a16 (l4)$order", @$_] } @old_values]);
}

{
	my $old = old_trace();
	my $script = starter($old);
	my $text = join '', do { open my $in, '<', $script or die; <$in> };
	like($text, qr/^Zed::takes\('sched::sched_wakeup', qw\(comm pid prio success target_cpu\)\);\nsub sched::sched_wakeup\n/m,
		'-g writes what each handler was written for (else: another kernel shifts its arguments)');

	my $r = zedperl($old, $script);
	is_deeply([map { [map { $_->[1] } @$_[1 .. 5]] } shown($r->{out})], \@old_values, 'on the trace that it is from: all as it was');
	is($r->{err}, '', 'and nothing is said (else: a warning for a good script)');

	# The same handler without the line: this is the fault that all this is about.
	(my $bare = $text) =~ s/^Zed::takes\('sched::sched_wakeup'.*\n//m;
	SKIP: {
		skip stock_missing(), 1 if stock_missing();
		my @told = told("$own/process.dat", 'sched', 'sched_wakeup');
		my $shifted = zedperl("$own/process.dat", \$bare);
		my ($first) = grep { $_->[0] =~ /^sched::sched_wakeup / } shown($shifted->{out});
		is_deeply($first->[4], [success => $told[0][1]{target_cpu} + 0], 'without the line the arguments are shifted (else: this test tests nothing)');
		for my $recording (qw(process demo small_v7_zstd small_be_zstd i386_zstd armhf_zstd rt)) {
			my $dat = "$own/$recording.dat";
			my @wakeups = told($dat, 'sched', 'sched_wakeup');
			my $new = zedperl($dat, $script);
			cmp_ok(scalar @wakeups, '>', 0, "$recording has wakeups (else: nothing is compared)");
			is_deeply([grep { $_->[0] =~ /^sched::sched_wakeup / } shown($new->{out})],
				[wanted(\@wakeups, sched_wakeup => \@old_names)], "a handler of 3.x on $recording: right values, none for success (else: it counts no wakeups)");
			is(about($new->{err}, 'success'), 1, "$recording: said once that there is no success (else: nobody knows, or nobody can read it)") or diag $new->{err};
			is(about($new->{err}, $_), 0, "$recording: $_ is not complained of") for qw(comm pid prio target_cpu);
			unlike($new->{err}, qr/uninitialized|as an ARRAY/, "$recording: the script takes undef (else: Perl warns at each event)");
		}
	}
}

SKIP: {
	skip stock_missing(), 1 if stock_missing();

	# The other way round: what is new in the old trace is not passed.
	for my $recording (qw(process small_v7_zstd small_be_zstd armhf_zstd)) {
		my $script = starter("$own/$recording.dat");
		for my $big (0, 1) {
			my $r = zedperl(old_trace(big => $big, long => $big ? 4 : 8), $script);
			is_deeply([map { [@$_[1 .. $#$_]] } shown($r->{out})],
				[map { my %v; @v{@old_names} = @$_; [map { [$_, $v{$_}] } qw(comm pid prio target_cpu)] } @old_values],
				"a handler of $recording on 3.x, " . ($big ? 'big endian, 32 bit' : 'little endian, 64 bit') . ': four values, none shifted') or diag $r->{err};
			is(about($r->{err}, $_), 0, "$_ is not complained of") for qw(comm pid prio target_cpu success);
		}
	}

	# Block requests: 6.12 has ioprio before rwbs, 3.x errors in place of error, and a shorter rwbs.
	my $issue = field_text('dev_t dev', 8, 4) . field_text('sector_t sector', 16, 8) . field_text('unsigned int nr_sector', 24, 4)
		. field_text('unsigned int bytes', 28, 4) . field_text('unsigned short ioprio', 32, 2) . field_text('char rwbs[8]', 34, 8)
		. field_text('char comm[16]', 42, 16) . field_text('__data_loc char[] cmd', 60, 4);
	my $done = field_text('dev_t dev', 8, 4) . field_text('sector_t sector', 16, 8) . field_text('unsigned int nr_sector', 24, 4)
		. field_text('int errors', 28, 4, 1) . field_text('char rwbs[8]', 32, 8) . field_text('__data_loc char[] cmd', 40, 4);
	my $made = trace(types => { 'block::block_rq_issue' => $issue, 'block::block_rq_complete' => $done }, events => [
		[0, 1000, 'block::block_rq_issue', pack 'L x4 Q L L S a8 a16 x2 L a8', 8 << 20, 2048, 8, 4096, 4, 'WS', 'dd', 1 << 16 | 64, ''],
		[0, 2000, 'block::block_rq_complete', pack 'L x4 Q L l a8 L a8', 8 << 20, 2048, 8, -5, 'WS', 1 << 16 | 44, '']]);
	my $r = zedperl($made, starter("$own/block.dat"));
	my @got = shown($r->{out});
	is_deeply({ map { @$_ } @{$got[0]}[1 .. $#{$got[0]}] }, { dev => 8 << 20, sector => 2048, nr_sector => 8, bytes => 4096, rwbs => 'WS', comm => 'dd', cmd => '' },
		'block_rq_issue: what came in between is left out (else: rwbs is ioprio)') or diag $r->{err};
	is_deeply({ map { @$_ } @{$got[1]}[1 .. $#{$got[1]}] }, { dev => 8 << 20, sector => 2048, nr_sector => 8, error => '(none)', rwbs => 'WS', cmd => '' },
		'block_rq_complete: what is called otherwise is none') or diag $r->{err};
	is(about($r->{err}, 'error'), 1, 'and is said once');
	$r = zedperl("$own/block.dat", starter($made));
	my @told = told("$own/block.dat", 'block', qw(block_rq_issue block_rq_complete));
	is_deeply([grep { $_->[0] =~ /block_rq_(?:issue|complete) / } shown($r->{out})],
		[wanted(\@told, block_rq_issue => [qw(dev sector nr_sector bytes ioprio rwbs comm cmd)],
			block_rq_complete => [qw(dev sector nr_sector errors rwbs cmd)])], 'and the other way round, on block.dat') or diag $r->{err};
	is(about($r->{err}, 'ioprio') . about($r->{err}, 'errors'), '11', 'each said once');

	# Two kernels at once: each record by its own.
	my $both = starter(old_trace());
	my $late = trace(types => { 'sched::sched_wakeup' => field_text('pid_t pid', 8, 4, 1) . field_text('int target_cpu', 12, 4, 1)
		. field_text('char comm[16]', 16, 16) . field_text('int prio', 32, 4, 1) }, events => [[0, 1_001_500, 'sched::sched_wakeup', pack 'l2 a16 l', 77, 1, 'late', 5]]);
	$r = zedperl('-i', old_trace(), '-i', $late, $both);
	is_deeply([map { [map { $_->[1] } @$_[1 .. 5]] } shown($r->{out})], [$old_values[0], ['late', 77, 5, '(none)', 1], @old_values[1, 2]],
		'two inputs in one run, each by its own formats (else: the first kernel decides for both)') or diag $r->{err};
	is(about($r->{err}, 'success'), 1, 'said once for the one');
	is(about(zedperl('-i', $late, '-i', $late, $both)->{err}, 'success'), 1, 'and once where both lack it');
}

SKIP: {
	my $shared = Compare::RealData::shared();
	skip Compare::RealData::no_shared(), 1 if !defined $shared;
	skip stock_missing(), 1 if stock_missing();
	my $arm = "$shared/third-party/trappy_raw_trace.dat";
	skip 'no recording of an old arm64 kernel here', 1 if !-e $arm;
	my @fields = qw(prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio);
	for (["$own/process.dat", $arm], ["$own/small_be_zstd.dat", $arm], [$arm, "$own/process.dat"], [$arm, "$own/i386_zstd.dat"]) {
		my ($from, $on) = @$_;
		my @told = told($on, 'sched', 'sched_switch');
		my $r = zedperl($on, starter($from));
		cmp_ok(scalar @told, '>', 20, 'there are switches');
		is_deeply([grep { $_->[0] =~ /^sched::sched_switch / } shown($r->{out})], [wanted(\@told, sched_switch => \@fields)],
			join(' on ', map { s{.*/}{}r } $from, $on) . ': switches of another kernel, word size and byte order');
	}
}

# ---------------------------------------------------------------- names

{	# A field that is called like something that every event has.
	my $with = trace(types => { 'a::b' => field_text('int cpu', 8, 4, 1) . field_text('int pid', 12, 4, 1) . field_text('char comm[8]', 16, 8) . field_text('int ts', 24, 4, 1) . field_text('int x', 28, 4, 1) },
		events => [[0, 1000, 'a::b', pack 'l l a8 l l', 11, 12, 'own', 13, 14]]);
	my $without = trace(types => { 'a::b' => field_text('int x', 8, 4, 1) }, events => [[0, 1000, 'a::b', pack 'l', 15]]);
	my $script = starter($with);
	is_deeply([map { [map { $_->[1] } @$_[1 .. 5]] } shown(zedperl($with, $script)->{out})], [[11, 12, 'own', 13, 14]], 'fields called cpu, pid, comm and ts');
	my $r = zedperl($without, $script);
	is_deeply([map { [map { $_->[1] } @$_[1 .. 5]] } shown($r->{out})], [['(none)', '(none)', '(none)', '(none)', 15]],
		'where they are missing they are none, not the running task\'s (else: a wrong value in place of no value)') or diag $r->{err};
	is(about($r->{err}, $_), 1, "$_ is said to be missing") for qw(cpu pid comm ts);
}

{	# Kinds: an array in one kernel, a number in another; nothing at all.
	my $with = trace(types => { 'a::b' => field_text('u32 v[2]', 8, 8) . field_text('u8 raw[2]', 16, 2) . field_text('u16 n', 18, 2) },
		events => [[0, 1000, 'a::b', pack 'L2 C2 S', 1, 2, 3, 4, 5]]);
	my $script = starter($with);
	is((zedperl($with, $script))->{out} =~ s/^.*\n//r, "\tv=[1 2]\n\traw=0304\n\tn=5\n", 'arrays and bytes are shown as such');
	my $other = trace(types => { 'a::b' => field_text('u16 n', 8, 2) . field_text('u32 raw[1]', 12, 4) . field_text('int v', 16, 4, 1) },
		events => [[0, 1000, 'a::b', pack 'S x2 L l', 6, 7, -8]]);
	is((zedperl($other, $script))->{out} =~ s/^.*\n//r =~ s/raw=\K.*//r, "\tv=-8\n\traw=\n\tn=6\n", 'a number where an array was');
	my $r = zedperl(trace(types => { 'a::b' => '' }, events => [[0, 1000, 'a::b', '']]), $script);
	is($r->{out} =~ s/^.*\n//r, "\tv=(none)\n\traw=(none)\n\tn=(none)\n", 'no field at all is left: the handler runs (else: it dies at the first array)') or diag $r->{err};
	is($r->{status}, 0, 'and ends well');
	$r = zedperl(trace(types => { 'q::s' => field_text('int new', 8, 4) }, events => [[0, 1000, 'q::s', pack 'l', 5]]),
		\(join('', "sub q::s { print scalar \@_ }\n", grep { /^Zed::takes/ } map { "$_\n" } lines(zedperl('-g', 'all', trace(types => { 'q::s' => '' }, events => []))->{out}))));
	is($r->{out}, 4, 'an event that had no fields gets none');
}

{	# What a hostile format may be called.
	my @odd = ('a.b', 'c$d', '$', '..', '0', 'qw', "x" x 200);
	my $at = 4;
	my $types = join '', map { field_text("int $_", $at += 4, 4, 1) } @odd;
	$at = 4;
	my $turned = join '', map { field_text("int $_", $at += 4, 4, 1) } reverse @odd;
	my $script = starter(trace(types => { 'x-y::it\'s' => $types }, events => []));
	like(`$^X $without_zed -wc '$script' 2>&1`, qr/^\S+ syntax OK\n\z/, 'names that Perl would take for code are strings (else: a trace runs code)');
	my $r = zedperl(trace(types => { 'x-y::it\'s' => $turned }, events => [[0, 1000, 'x-y::it\'s', pack 'l*', reverse 1 .. @odd]]), $script);
	is_deeply([map { $_->[1] } @{(shown($r->{out}))[0]}[1 .. @odd]], [1 .. @odd], 'and find their fields') or diag $r->{out}, $r->{err};

	my $twins = trace(types => { 'a::b' => field_text('int x', 8, 4, 1) . field_text('int x', 12, 4, 1) }, events => [[0, 1000, 'a::b', pack 'l2', 5, 6]]);
	my $made = zedperl('-g', 'all', $twins)->{out};
	unlike($made, qr/^Zed::takes\('a::b'/m, 'two fields of one name are told apart by their places');
	like(zedperl($twins, \$made)->{out}, qr/\tx=5\n\tx=6\n/, 'and both are shown (else: the first twice)');
}

# ---------------------------------------------------------------- a shipped script on old kernels, made

{	# Up to 2.6.35 a workqueue has threads of its own, and work no address.
	my $fields = field_text('char thread_comm[16]', 8, 16, 1) . field_text('pid_t thread_pid', 24, 4, 1) . field_text('work_func_t func', 32, 8);
	my $of = sub { pack 'a16 l x4 Q', 'events/0', $_[0], hex 'ffffffff81001000' };
	my $dat = trace(types => { map { ("workqueue::workqueue_$_" => $fields) } qw(insertion execution) }, kallsyms => "ffffffff81001000 T do_it\n",
		events => [[0, 1000, 'workqueue::workqueue_insertion', $of->(5)], [1, 3000, 'workqueue::workqueue_execution', $of->(5), undef, undef, 5],
			[0, 9000, 'workqueue::workqueue_insertion', $of->(6)]]);
	my $r = zedperl({ bare => 1 }, $dat, 'workqueue', '--csv=waits');
	is($r->{out}, "key,n,total,held,avg,p50,p99,max\ndo_it,1,2000,0,2000,2000,,2000\n", 'workqueue on 2.6.34: by the thread that work is for (else: only the kernels of its author)');
	is($r->{err}, '', 'the end of work is not to be had there: nothing is amiss');
}

for my $long (4, 8) {	# Before 5.12 the workqueue is an address, before 5.6 the end tells no function.
	my $p = $long == 8 ? 'Q' : 'L';
	my ($queue, $start, $end) = map { my $n = 8 - $long; join '', map { field_text("void * $_", $n += $long, $long) } @$_ }
		[qw(work function workqueue)], [qw(work function)], ['work'];
	$queue .= field_text("unsigned int $_->[0]", 8 + 3 * $long + $_->[1], 4) for ['req_cpu', 0], ['cpu', 4];
	my ($work, $function, $wq) = (0x81002000, 0x81001000, 0x81003000);
	my $dat = trace(long => $long, types => { 'workqueue::workqueue_queue_work' => $queue, 'workqueue::workqueue_execute_start' => $start,
			'workqueue::workqueue_execute_end' => $end }, kallsyms => "81001000 T do_it\n", events => [
		[0, 1000, 'workqueue::workqueue_queue_work', pack("$p$p$p L L", $work, $function, $wq, 0, 1)],
		[1, 4000, 'workqueue::workqueue_execute_start', pack("$p$p", $work, $function), undef, undef, 9],
		[1, 4500, 'workqueue::workqueue_execute_end', pack($p, $work), undef, undef, 9]]);
	my $r = zedperl({ bare => 1 }, $dat, 'workqueue', '--csv=runs', '--by', 'workqueue');
	is($r->{out}, "key,n,total,avg,p50,p99,max\n?,1,500,500,500,,500\n", "workqueue on 5.4, $long-byte addresses");
	is($r->{err}, '', 'and nothing is amiss');
}

# ---------------------------------------------------------------- every event of a real kernel

for my $recording (qw(all_events i386_all demo small_v7_zstd)) {
	my $dat = "$own/$recording.dat";
	my $d = Compare::DatRead::dat_read($dat);
	my $text = $d->{meta}{18} . $d->{meta}{17};
	my %fields;
	while ($text =~ /\bname: (\S+)\nID: \d+\nformat:\n(.*?)^print fmt:/msg) {
		my ($name, $lines) = ($1, $2);
		$fields{$name} = [grep { !/^common_/ } $lines =~ /^\tfield:[^;]*?(\w+)(?:\[[^\]]*\])?;/mg];
	}
	my $made = zedperl('-g', 'all', $dat)->{out};
	my %takes;
	while ($made =~ /^Zed::takes\('(\w+)::(\w+)'(?:,\s+qw\(([^)]*)\))?\);\nsub \1::\2$/mg) {
		$takes{$2} = [split ' ', $3 // ''];
	}
	cmp_ok(scalar keys %takes, '>', 20, "$recording: handlers have their lines");
	is_deeply([grep { "@{$takes{$_}}" ne "@{$fields{$_} // []}" } sort keys %takes], [],
		"$recording: each names its fields as the kernel's format does (else: they are not found again)");
	is(scalar(() = $made =~ /^sub (?!trace_)\w+::/mg), scalar keys %takes, "$recording: there is one for each handler");
	is_deeply([grep { length(s/\t/        /gr) > 90 } map { split /\n/ } $made =~ /^(Zed::takes.*?;)$/msg], [], "$recording: in 90 columns");
}

done_testing();
