# SPDX-License-Identifier: GPL-2.0-or-later
#
# The scripts of the announcement of zedperl (February 2009), in t/data/2009, as they stand: on recordings of
# several kernels, word sizes and byte orders, and live.  What they must print is made here from the text of
# trace-cmd report -R -N, which knows nothing of stable events.
# Without it those scripts stop working, one argument at a time.
#
# of: stable stable interp docs/zedperl-scripts.pod
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use File::Basename qw(basename);
use lib 't/lib';
use Compare::RealData;
use Compare::Stock;
use Pass;

Compare::RealData::need_program('zedperl');
plan skip_all => stock_missing() if stock_missing();

my $dir = Compare::RealData::own() . '/2009';
my $shared = Compare::RealData::shared();

# ---------------------------------------------------------------- what trace-cmd says

# Of each record {name, cpu, pid, secs, nsecs, seq, v => {field => text}}, in their order.
sub records {
	my ($dat) = @_;
	my (@records, %seq);
	for (split /\n/, stock_text($dat, qw(-N -R -t))) {
		next if /^cpus=\d+$/;
		if (/^CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]$/) {
			$seq{$1} += $2 // 1;
			next;
		}
		/^ *(.*?)-(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): (\w+): *(.*)$/ or die "$dat: cannot read: $_";
		my %r = (pid => $2, cpu => $3 + 0, secs => $4, nsecs => $5, name => $6, seq => ++$seq{$3 + 0});
		my $rest = $7;
		$r{v}{$1} = $2 while $rest =~ /\G *(\w+)=(.*?)(?= +\w+=|\s*$)/gc;
		push @records, \%r;
	}
	return @records;
}

# Events of 2009 by their names in later kernels.
my %name = (
	(map { ("sched_$_" => "sched::$_") } qw(kthread_stop kthread_stop_ret wait_task wakeup wakeup_new switch
		migrate_task process_free process_exit process_wait process_fork)),
	signal_generate => 'sched::signal_send', sched_signal_send => 'sched::signal_send',
	(map { ("block_$_" => "block::$_") } qw(rq_insert rq_issue rq_requeue rq_complete bio_complete bio_backmerge
		bio_frontmerge bio_queue getrq plug split)),
	block_unplug => 'block::unplug_io', block_bio_remap => 'block::remap',
	workqueue_queue_work => 'workqueue::insertion', workqueue_execute_start => 'workqueue::execution',
);

# blktrace's numbers of actions, as the announcement shows some of them (remap is 1048591).
my %what = (
	rq_insert => 0x0010_000c, rq_issue => 0x0040_0007, rq_requeue => 0x0020_0006, rq_complete => 0x0080_0008,
	bio_complete => 0x0080_0008, bio_backmerge => 0x0010_0002, bio_frontmerge => 0x0010_0003, bio_queue => 0x0010_0001,
	getrq => 0x0010_0004, plug => 0x0010_0009, unplug_io => 0x0010_000a, split => 0x0000_000d, remap => 0x0010_000f,
);

# 1: the request writes.  The first letter says what it does, but for F: a flush of the cache before it.
sub writes {
	my ($rwbs) = @_;
	return 1 if $rwbs eq 'FF';
	$rwbs =~ s/^F(?=.)//;
	return $rwbs =~ /^[RN]/ ? 0 : 1;
}

# The arguments of 2009 of a record.
sub arguments {
	my ($r) = @_;
	my %v = %{$r->{v}};
	my ($system, $event) = split /::/, $name{$r->{name}};
	return ($v{pid}, $v{success} // 1) if $event =~ /^wakeup/;
	return @v{qw(prev_pid next_pid)} if $event eq 'switch';
	return @v{qw(pid orig_cpu dest_cpu)} if $event eq 'migrate_task';
	return @v{qw(parent_pid child_pid)} if $event eq 'process_fork';
	return @v{qw(sig pid)} if $event eq 'signal_send';
	return $v{ret} if $event eq 'kthread_stop_ret';
	return $v{pid} if $system eq 'sched';
	return undef if $event eq 'insertion';
	return $r->{pid} if $event eq 'execution';
	return (undef, $what{$event}) if $event eq 'plug';
	return (undef, $what{$event}, 8, pack 'Q>', $v{nr_rq}) if $event eq 'unplug_io';
	my @io = ($v{dev}, $what{$event}, writes($v{rwbs}), $v{error} // $v{errors} // 0, $v{sector},
		# A split tells two sectors and no size.
		defined $v{nr_sector} ? $v{nr_sector} * 512 || $v{bytes} || 0 : undef);
	return $event =~ /^rq_|^remap$/ ? (@io, undef, undef) : @io;
}

# Those that kernels lost on the way.
my %lost = (
	(map { ("block_$_" => "block::$_") } qw(bio_bounce rq_abort sleeprq unplug_timer)),
	workqueue_creation => 'workqueue::creation', workqueue_destruction => 'workqueue::destruction',
);
my %all = map { $_ => 1 } values %name, values %lost;

# Event names of 2009 for which a recording has no event.
sub lacking {
	my ($dat) = @_;
	my %lacks = %all;
	delete $lacks{$_} for grep { defined } map { /^\w+:(\w+)$/ ? $name{$1} // $lost{$1} : undef }
		split /\n/, stock_text($dat, '-E');
	return sort keys %lacks;
}

# ---------------------------------------------------------------- what the scripts must print of it

sub line_of {
	my ($r, @a) = @_;
	my $event = $name{$r->{name}};
	my $head = sprintf '%-24s %3u %6u.%09u %10u  ', $event, @$r{qw(cpu secs nsecs seq)};
	my $name = $event =~ s/.*:://r;
	no warnings 'uninitialized';
	my $dev = sprintf '%u,%u', $a[0] / 1048576, $a[0] % 1048576;
	my $rwbs = $a[2] ? 'W' : $a[5] ? 'R' : 'N';
	my $io = sprintf "dev=$dev pid=x rwbs=$rwbs sector+size=%u + %u ", $a[4], $a[5] / 512;
	return $head . (
		$name =~ /^wakeup/ ? sprintf("wake_pid=%-5u success=%u", @a) :
		$name eq 'switch' ? sprintf("prev_pid=%-5u next_pid=%-5u", @a) :
		$name eq 'migrate_task' ? sprintf("pid=%-5u orig_cpu=%u dest_cpu=%u", @a) :
		$name eq 'process_fork' ? sprintf("parent_pid=%-5u child_pid=%-5u", @a) :
		$name eq 'signal_send' ? sprintf("sig=%-2u pid=%-5u", @a) :
		$name eq 'kthread_stop_ret' ? "ret=$a[0]" :
		$event =~ /^workqueue/ ? sprintf("pid=%-5u wq_cpu=%u", $a[0], $r->{cpu}) :
		$event =~ /^sched/ ? sprintf("pid=%-5u", $a[0]) :
		$name eq 'plug' ? 'dev=0,0 pid=x rwbs=N []' :
		$name eq 'unplug_io' ? "dev=0,0 pid=x rwbs=N [] $r->{v}{nr_rq}" :
		$name eq 'remap' ? sprintf("dev=$dev pid=x rwbs=$rwbs %u + %u <- r.dev=(x,x) r.sector=x", $a[4], $a[5] / 512) :
		$name =~ /complete$|requeue$/ ? "${io}[$a[3]]" : "${io}[]") . "\n";
}

sub printall_of {
	my (@known) = @_;
	return sprintf("%-24s %3s %16s %10s\n", qw(event cpu timestamp sequence))
		. sprintf("%-24s %3s %16s %10s\n", '-----', '---', '---------', '--------')
		. join '', map { line_of($_, arguments($_)) } @known;
}

sub countall_of {
	my (@known) = @_;
	my %n;
	$n{$name{$_->{name}}}++ for @known;
	return ("event counts:\n", map { "$_: $n{$_}\n" } sort keys %n);
}

sub workqueue_stats_of {
	my (@known) = @_;
	my %n;	# cpu => pid => [ins, exec]
	for my $r (@known) {
		$n{$r->{cpu}}{''}[0]++ if $r->{name} eq 'workqueue_queue_work';
		$n{$r->{cpu}}{$r->{pid}}[1]++ if $r->{name} eq 'workqueue_execute_start';
	}
	my $text = "workqueue counts:\n" . sprintf "%3s %6s %6s %6s\n", qw(cpu ins exec pid);
	for my $cpu (sort { $a <=> $b } keys %n) {
		$text .= sprintf "%3u %6u %6u %6s\n", $cpu, $n{$cpu}{$_}[0] // 0, $n{$cpu}{$_}[1] // 0, $_
			for sort keys %{$n{$cpu}};
	}
	return $text;
}

# ---------------------------------------------------------------- runs

# Runs a script; its output, and what it said in parts: of events that are not available, Perl's own, others.
sub messages_of {
	my ($script, @args) = @_;
	my $r = Compare::RealData::run('zedperl', @args, $script);
	my %said = (lacks => [], perl => [], other => []);
	for (split /\n/, $r->{err}) {
		if (/^zedperl: sub (\S+): this stable event is not available: the trace has no event \S/ && $all{$1}) {
			push @{$said{lacks}}, $1;
		} elsif (/^Use of uninitialized value/) {
			push @{$said{perl}}, $_;
		} else {
			push @{$said{other}}, $_;
		}
	}
	return { %said, out => Compare::RealData::slurp($r->{out}), err => $r->{err}, bad => Compare::RealData::failure($r) };
}

# A script that prints all arguments as they came.
my $bare = Compare::RealData::temp();
{
	open my $out, '>', $bare or die "$bare: $!\n";
	print $out 'sub show { my ($n, @a) = @_; splice @a, 0, 4; $#a = $n - 1;
		print join(" ", (caller(1))[3], map { defined ? /[^ -~]/ ? unpack("H*", $_) : $_ : "undef" } @a), "\n" }', "\n";
	my %n = (wakeup => 2, wakeup_new => 2, switch => 2, migrate_task => 3, process_fork => 2, signal_send => 2,
		(map { ($_ => 8) } qw(rq_abort rq_insert rq_issue rq_requeue rq_complete remap)), plug => 2, unplug_io => 4, unplug_timer => 4);
	for (sort keys %all) {
		my ($system, $event) = split /::/;
		print $out "sub $_ { show(", $n{$event} // ($system eq 'block' ? 6 : 1), ", \@_) }\n";
	}
	close $out or die "$bare: $!\n";
}

my %seen;	# name of 2009 => 1: met in some recording

sub try {
	my ($dat) = @_;
	my $what = $dat =~ s{^\Q@{[Compare::RealData::root()]}\E/|^.*/data/}{}r;
	my @known = grep { $name{$_->{name}} } records($dat);
	my %n;
	$seen{$name{$_->{name}}}++, $n{$name{$_->{name}}}++ for @known;

	my $r = messages_of("$dir/countall.pl", '-w', $dat);
	is($r->{bad}, undef, "countall.pl on $what ends well (else: an event that is not there stops the rest)");
	is(join('', sort split /^/, $r->{out}), join('', sort(countall_of(@known))),
		"countall.pl on $what (else: events are missed, or counted twice)") or diag $r->{err};
	is_deeply([sort @{$r->{lacks}}], [lacking($dat)], "countall.pl on $what: what this trace has no event for is said once, and nothing else"
		. ' (else: a zero is taken for a fact)');
	is("@{$r->{perl}}@{$r->{other}}", '', "countall.pl on $what: nothing else is said (else: output nobody can read)");

	$r = messages_of("$dir/printall.pl", '-w', $dat);
	is(Compare::RealData::differ(printall_of(@known), $r->{out}), undef, "printall.pl on $what (else: an argument is shifted or another's)")
		or diag $r->{err};
	is(scalar(grep { /\$bytes in/ } @{$r->{perl}}), $n{'block::split'} // 0, "printall.pl on $what: only splits have no size (else: values are lost)");
	my $undef = 2 * (($n{'block::plug'} // 0) + ($n{'block::unplug_io'} // 0));
	is(scalar(grep { /\$dev in/ } @{$r->{perl}}), $undef, "printall.pl on $what: only plug and unplug have no dev (else: values are lost)");
	is(scalar(grep { /\$pid in/ } @{$r->{perl}}), $n{'workqueue::insertion'} // 0,
		"printall.pl on $what: only insertions have no pid (else: values are lost)");
	is_deeply([grep { !/\$(?:dev|pid|bytes) in/ } @{$r->{perl}}, @{$r->{other}}], [],
		"printall.pl on $what: all else has a value (else: scripts of 2009 compute with undef)");

	$r = messages_of("$dir/workqueue-stats.pl", $dat);
	is($r->{out}, workqueue_stats_of(@known), "workqueue-stats.pl on $what (else: the wrong thread did the work)") or diag $r->{err};

	$r = messages_of($bare, $dat);
	my $want = join '', map { join(' ', $name{$_->{name}},
		map { defined ? /[^ -~]/ ? unpack('H*', $_) : $_ : 'undef' } arguments($_)) . "\n" } @known;
	is(Compare::RealData::differ($want, $r->{out}), undef, "every argument of 2009 on $what (else: what, rw, errors or pdu are wrong)") or diag $r->{err};
	return;
}

for my $name (small() ? qw(block process i386_zstd small_be_v6) : qw(block process demo small_v6 small_v7_zstd small_be_zstd small_be_v6 i386_zstd i386_v6 i386_all armhf_zstd
		rt sparse_cpus all_events subbuf16 be_lost armhf_lost_count empty)) {
	try(Compare::RealData::own() . "/$name.dat");
}

SKIP: {
	skip 'a small pass', 1 if small();
	skip Compare::RealData::no_shared(), 1 if !defined $shared;
	my $n = 0;
	for my $name (qw(third-party/trappy_raw_trace.dat amd64-full/a10_block.dat amd64-full/a10_process.dat amd64-1/a01_v7_zstd.dat
			amd64-all/a09_all_short.dat amd64-rt/a13_rt_sched.dat s390x/b01_v7_zstd.dat i386/b01_v7_zstd.dat i386/b09_all_short.dat
			armhf/b01_v7_zstd.dat trixie/d01_v7_zstd.dat trixie/d12_kt_sched.dat)) {
		next if !-e "$shared/$name";
		try("$shared/$name");
		$n++;
	}
	cmp_ok($n, '>', 5, 'full recordings of several kernels were run (else: the folder is there and nothing of it was used)');
}

# The events of 2009 that today's kernels have, but for those that no recording here happens to hold.
is_deeply([grep { !$seen{$_} } map { "sched::$_" } qw(wakeup wakeup_new switch migrate_task process_free process_exit process_wait
	process_fork signal_send)], [], 'recordings hold all of sched (else: a handler is never called here)');
is_deeply([grep { !$seen{$_} } map { "block::$_" } qw(rq_insert rq_issue rq_complete bio_queue getrq plug unplug_io split)], [],
	'recordings hold the path of a request (else: a handler is never called here)');
is_deeply([grep { !$seen{$_} } map { "workqueue::$_" } qw(insertion execution)], [],
	'recordings hold work (else: a handler is never called here)');

# ---------------------------------------------------------------- what the manual promises

{
	my $manual = Compare::RealData::slurp(Compare::RealData::root() . '/docs/zedperl-scripts.pod');
	my ($list) = $manual =~ /^=head2 The list\n(.*?)^=over/ms;
	my (%promised, %kept, $event, $gone);
	while ($list =~ /^    (\w+::\w+) +(\S.*?)(?=^    \w|\n\n)/msg) {
		my ($name, $fields) = ($1, $2);
		$promised{$name} = [split /[,;]\s+/, $fields =~ s/\s+$//r];
	}
	for my $file (glob Compare::RealData::root() . '/stable/*.stable') {
		for (split /\n/, Compare::RealData::slurp($file)) {
			$event = $1, $kept{$event} = [] if /^event\s+(\S+)/;
			push @{$kept{$event}}, $1 if /^(?:field|array|dynamic|absent):[^;]*?(\w+)\s*;/;
			$gone->{$event} = 1 if /^gone\s/;
		}
	}
	for (sort keys %$gone) {
		delete $kept{$_};
		like($manual, qr/C<\Q$_\E>/, "zedperl-scripts(7) tells of $_, which is gone (else: users wait for it)");
	}
	is_deeply(\%promised, \%kept, 'zedperl-scripts(7) lists the stable events with their fields (else: scripts are written against another list)');
	for my $event (sort keys %{{ map { $_ => 1 } values %name }}) {
		my ($old) = $list =~ /^    \Q$event\E +([^;\n]*)(?:;|$)/m;
		next if !defined $old || !$promised{$event};
		my $text = Compare::RealData::slurp("$dir/countall.pl");
		my ($args) = $text =~ /^sub \Q$event\E \{\n\tmy \(\$cpu, \$secs, \$nsecs, \$sequence, (.*?)\) = /ms;
		is($old, $args =~ s/\$//gr =~ s/\s+/ /gr, "$event: before the semicolon stands what 2009 had");
	}
}

done_testing();
