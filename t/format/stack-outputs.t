# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of functions in JSON, Parquet and Perfetto: those that nm has of a program and kallsyms of the kernel, in stacks
# of a perf.data, and those that the kernel itself printed, in stacks of a trace.dat; and the names of fields' values.
# Without it a table or a flame graph would have numbers, or other names than the text.
#
# of: sink trace/stack_chain.c trace/chain_frame.c trace/frame_cache.c base/parquet/column.c text/value_names.c programs/zedprint
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings 'portable';
use JSON::PP ();
use POSIX ();
use Test::More;
use lib 't/lib';
use Compare::Elf;
use Compare::ParquetRead;
use Compare::PerfettoRead;
use Pass;
use Run::Parquet;
use Run::Program qw(:DEFAULT spew);
use Run::Zedperl;
use Write::Perf;

my $dir = zed_tmp();
my $no_parquet = parquet_no_reader();
my $no_protoc = perfetto_no_protoc();
my $no_engine = perfetto_no_engine();

sub objects { return map { JSON::PP->new->utf8->allow_bignum->decode($_) } split /\n/, $_[0] }
sub json {
	my (@args) = @_;
	my $r = zed_run('zedprint', '-f', 'json', @args);
	is($r->{exit}, 0, "zedprint -f json @args[0 .. $#args - 1]: exit 0") or diag $r->{err};
	return objects($r->{out});
}
sub perfetto {
	my (@args) = @_;
	my $r = zed_run({ stdout => "$dir/out.pftrace" }, 'zedprint', '-f', 'perfetto', @args);
	is($r->{exit}, 0, 'zedprint -f perfetto: exit 0') or diag $r->{err};
	return "$dir/out.pftrace";
}
sub bare { return map { s/\+0x\w+\z//r } @_ }

# ---- a perf.data: by nm, and a kallsyms that is made here

SKIP: {
	skip 'zedsyms is not built: libdw is not here', 18 if !-x zed_bin('zedsyms');
	my $tool = Compare::Elf::missing();
	skip "$tool is not here", 18 if defined $tool;
	my $program = Compare::Elf::compile("$dir/program", "int leaf(int n) { return n * 3 + 1; }\nint main(int argc, char **argv) { return leaf(argc); }\n");
	my $id = Compare::Elf::build_id($program);
	my ($KERNEL, $USER, $START) = (18446744073709551488, 18446744073709551104, 0x5000_0000);
	my @at = map { (Compare::Elf::place($program, $_))[0] + 4 } qw(leaf main);
	my $kallsyms = spew("$dir/kallsyms", "ffffffff81000000 T do_work\nffffffff81001000 T do_more\nffffffffa0000000 t in_module\t[mod]\nffffffffa0001000 t behind\t[mod]\n");
	my $w = Write::Perf->new(host => (POSIX::uname())[1], build_ids => [[$program, $id]]);
	$w->format(mini => $Write::Perf::TICK);
	my @parts = qw(IDENTIFIER IP TID TIME CPU PERIOD);
	my $tick = $w->attr(type => 2, config => 300, parts => [@parts, 'CALLCHAIN', 'RAW'], ids => [7], name => 'mini:tick');
	my $cycles = $w->attr(type => 0, config => 0, parts => [@parts, 'CALLCHAIN'], ids => [8], name => 'cycles');
	my $flat = $w->attr(type => 1, config => 0, parts => \@parts, ids => [9], name => 'cpu-clock');
	$w->mmap(pid => 40, at => $START, len => 0x100_0000, off => 0, name => $program, two => 1, time => 900);
	my @kernel = (0xffffffffa0000010, 0xffffffff81000020);
	my @user = map { $START + $_ } @at;
	my %task = (pid => 40, tid => 41, cpu => 1);
	$w->sample($tick, %task, time => 1000, raw => $w->tick(41, 1), chain => [$KERNEL, @kernel, $USER, @user]);
	$w->sample($cycles, %task, time => 2000, id => 8, ip => $user[0], chain => [$USER, @user, $START + 0x90_0000]);
	$w->sample($tick, %task, time => 3000, raw => $w->tick(41, 2), chain => [$KERNEL, @kernel, $USER, @user]);
	$w->sample($tick, %task, time => 3500, raw => $w->tick(41, 3), chain => []);
	$w->record(9, 2, $w->sample_bytes($w->{attrs}[$flat], %task, time => 4000, id => 9, ip => $user[1]));	# in user mode
	my $data = $w->write("$dir/perf.data");
	my @with = ('--kallsyms', $kallsyms);
	my @all = ('in_module+0x10', 'do_work+0x20', 'leaf+0x4', 'main+0x4');
	my @cycles = ('leaf+0x4', 'main+0x4', "$program+0x900000");

	my @json = json('--stack', @with, $data);
	is_deeply([map { $_->{stack} } @json], [\@all, \@cycles, \@all, undef, undef], 'JSON: the names of kernel and program, without a name the file and the offset');
	SKIP: {
		skip $no_parquet, 4 if $no_parquet;
		my ($tables, $run) = parquet('--stack', @with, $data);
		is($run->{exit}, 0, 'Parquet: exit 0') or diag $run->{err};
		my $t = $tables->{'mini.tick.parquet'};
		is_deeply([$t->{type}{stack}, map { $_->{stack} } @{$t->{rows}}], ['list string', \@all, \@all, undef], '... a column of lists of names; an event without a stack has null');
		is_deeply([map { $_->{stack} } map { @{$_->{rows}} } grep { $_->{type}{stack} && $_ != $t } map { $tables->{$_} } sort keys %$tables], [undef, \@cycles], '... also of counters');
		my ($without) = parquet(@with, $data);
		ok(!exists $without->{'mini.tick.parquet'}{type}{stack}, '... and none without --stack');
	}
	my $file = perfetto(@with, $data);
	SKIP: {
		skip $no_protoc, 5 if $no_protoc;
		my $text = perfetto_decode($file);
		unlike($text, qr/^\s*\d+: /m, 'Perfetto: protoc knows every field (else: numbers are wrong)');
		my @samples = perfetto_samples($text);
		is_deeply([map { [$_->{ts}, $_->{counter}, $_->{cpu}, $_->{tid}, $_->{mode}, map { $_->{name} } @{$_->{stack}}] } @samples],
			[[1000, 'mini:tick', 1, 41, 1, bare(@all)], [2000, 'perf:cycles', 1, 41, 2, qw(leaf main), ''], [3000, 'mini:tick', 1, 41, 1, bare(@all)],
				[4000, 'perf:cpu-clock', 1, 41, 2, 'main']], '... a sample for each stack, and of a counter without stacks for its address');
		my ($module, $image, $leaf) = @{$samples[0]{stack}};
		is_deeply([map { [@$_{qw(file build_id pc)}] } $module, $image, $leaf, $samples[1]{stack}[2]],
			[['[mod]', '', $kernel[0]], ['[kernel.kallsyms]', '', $kernel[1]], [$program =~ s{^/}{}r, $id, $at[0]], [$program =~ s{^/}{}r, $id, 0x90_0000]],
			'... frames have the file, its build id, and the offset in it');
		is(scalar(() = $text =~ /callstacks \{/g), 3, '... a stack is written once for each kind of event');
		is(scalar(() = $text =~ /str: "do_work"/g), 1, '... and so is a name');
	}
	SKIP: {
		skip $no_engine, 2 if $no_engine;
		my ($samples, $stats) = perfetto_ask($file, 'select perf_sample.ts, thread.tid, stack_profile_frame.name, stack_profile_mapping.name from perf_sample
			join thread using (utid) join stack_profile_callsite on perf_sample.callsite_id = stack_profile_callsite.id
			join stack_profile_frame on stack_profile_callsite.frame_id = stack_profile_frame.id
			join stack_profile_mapping on stack_profile_frame.mapping = stack_profile_mapping.id order by perf_sample.ts',
			"select name, value from stats where value > 0 and severity != 'info'");
		is($samples, "1000\t41\tin_module\t/[mod]\n2000\t41\tleaf\t$program\n3000\t41\tin_module\t/[mod]\n4000\t41\tmain\t$program\n", 'Perfetto\'s engine has the innermost frame of each sample');
		is($stats, '', '... and counts no error');
	}
}

# ---- one address, where other files are mapped as time goes on

SKIP: {
	my $tool = -x zed_bin('zedsyms') ? Compare::Elf::missing() : 'zedsyms';
	skip "$tool is not here", 4 if defined $tool;
	my ($USER, $START) = (18446744073709551104, 0x5000_0000);
	my %elf = map { $_ => Compare::Elf::compile("$dir/$_", "int ${_}_leaf(int n) { return n * 3 + 1; }\nint main(int argc, char **argv) { return ${_}_leaf(argc); }\n") } qw(one two);
	my ($at) = Compare::Elf::place($elf{one}, 'one_leaf');
	my ($same) = Compare::Elf::place($elf{two}, 'two_leaf');
	is($same, $at, 'two programs with a function at the same place');
	my $w = Write::Perf->new(host => (POSIX::uname())[1], build_ids => [map { [$_, Compare::Elf::build_id($_)] } sort values %elf]);
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	my $time = 1000;
	my $map = sub { my ($pid, $which) = @_; $w->mmap(pid => $pid, at => $START, len => 0x10_0000, off => 0, name => $elf{$which}, two => 1, time => ++$time) };
	my $sample = sub { my ($pid) = @_; $w->sample(0, time => ++$time, pid => $pid, tid => $pid, raw => $w->tick($pid, 1), chain => [$USER, $START + $at]) for 1, 2 };
	my @want;
	$map->(40, 'one'); $sample->(40); push @want, 'one';
	$map->(50, 'two'); $sample->(50); push @want, 'two';
	$sample->(40); push @want, 'one';
	$map->(40, 'two'); $sample->(40); push @want, 'two';		# another file there
	$w->fork(40, 60, time => ++$time); $sample->(60); push @want, 'two';	# a child has its parent's
	$map->(60, 'one'); $sample->(60); push @want, 'one';
	$sample->(40); push @want, 'two';
	$w->exec(40, 'forty', time => ++$time); $sample->(40); push @want, undef;	# another program: nothing yet
	$sample->(60); push @want, 'one';
	$map->(40, 'one'); $sample->(40); push @want, 'one';
	$w->exit(60, 60, time => ++$time); $sample->(60); push @want, undef;
	my $data = $w->write("$dir/remapped.data");
	my @twice = map { ($_) x 2 } map { defined ? "${_}_leaf+0x0" : sprintf '0x%x', $START + $at } @want;
	is_deeply([map { @{$_->{stack}} } json('--stack', $data)], \@twice, 'each has the name of what was mapped then (else: a name that was kept is another file\'s)');
	is(join(' ', zed_run('zedprint', '--stack', $data)->{out} =~ /^ => (\S+)/mg), "@twice", '... also in lines');
	my %folded;
	$folded{s/\+0x0\z//r}++ for @twice;
	is(zed_run('zedperl', $data, 'stacks', '--folded', '--by', 'none')->{out}, join('', map { "$_ $folded{$_}\n" } sort keys %folded), '... and in stacks');
}

# ---- a trace.dat: by what the kernel printed

my $dat = 't/data/stack.dat';
my @printed;
for (split /\n/, slurp("$dat.kernel.txt")) {
	if (/: <(?:user )?stack trace>/) { push @printed, [] }
	elsif (/^ => (\S+)/) { push @{$printed[-1]}, $1 }
}
my @stacks = grep { $_->{event} =~ /^ftrace::\w+_stack$/ } json('--stack', $dat);
cmp_ok(scalar @printed, '>', 50, 'the kernel printed ' . @printed . ' stacks');
is_deeply([map { [bare(@{$_->{stack}})] } @stacks], \@printed, 'JSON: the names of each stack are the kernel\'s');
my $lines = zed_run('zedprint', '--stack', $dat)->{out};
is(join("\n", bare($lines =~ /^ => (\S+)/mg)), join("\n", map { @$_ } @printed), '... and those of zedprint --stack');
SKIP: {
	skip $no_parquet, 1 if $no_parquet;
	my ($tables) = parquet('--stack', $dat);
	is_deeply([map { [bare(@{$_->{stack}})] } @{$tables->{'ftrace.kernel_stack.parquet'}{rows}}], \@printed, '... in Parquet');
}
SKIP: {
	skip $no_protoc, 1 if $no_protoc;
	is_deeply([map { [map { $_->{name} } @{$_->{stack}}] } perfetto_samples(perfetto_decode(perfetto($dat)))], \@printed, '... and in Perfetto');
}
SKIP: {
	skip $no_engine, 1 if $no_engine;
	my ($n, $stats) = perfetto_ask(perfetto($dat), 'select count(*) from perf_sample', "select name, value from stats where value > 0 and severity != 'info'");
	is("$n$stats", @printed . "\n", '... where the engine finds each, and no error');
}

# ---- many names: a column whose dictionary is full in the middle of a row

SKIP: {
	skip $no_parquet, 1 if $no_parquet;
	my $rows = small(60, 6000);	# of 4 addresses each: more than the 16384 texts of a dictionary
	my @want = map { my $row = $_; [map { sprintf 'f%x+0x0', $row * 4 + $_ } 0 .. 3] } 0 .. $rows - 1;
	my $base = 0xffffffff81000000;
	my $path = trace(types => { 'ftrace::kernel_stack' => field_text('int size', 8, 4, 1) . field_text('unsigned long caller[8]', 16, 64) },
		kallsyms => join('', map { sprintf "%x T f%x\n", $base + 16 * $_, $_ } 0 .. 4 * $rows), cpus => 1,
		events => [map { my $row = $_; [0, 1000 + 1000 * $row, 'ftrace::kernel_stack', pack 'l x4 Q8', 4, (map { $base + 16 * ($row * 4 + $_) } 0 .. 3), (0) x 4] } 0 .. $rows - 1]);
	my ($tables, $run) = parquet('--stack', $path);
	is_deeply([map { $_->{stack} } @{$tables->{'ftrace.kernel_stack.parquet'}{rows}}], \@want, 'a list of texts that the dictionary has no room for') or diag $run->{err};
}

# ---- more names than the tables of Perfetto's numbers hold: they begin anew

SKIP: {
	skip $no_protoc, 2 if $no_protoc;
	my $rows = small(200, 5000);	# of 4 functions each, with names of 500 bytes: more than 8 MiB
	my $base = 0xffffffff81000000;
	my @names = map { sprintf 'f%x_%s', $_, 'x' x 490 } 0 .. 4 * $rows - 1;
	my $path = trace(types => { 'ftrace::kernel_stack' => field_text('int size', 8, 4, 1) . field_text('unsigned long caller[8]', 16, 64) },
		kallsyms => join('', map { sprintf "%x T %s\n", $base + 16 * $_, $names[$_] } 0 .. $#names), cpus => 1,
		events => [map { my $row = $_ % $rows; [0, 1000 + 1000 * $_, 'ftrace::kernel_stack', pack 'l x4 Q8', 4, (map { $base + 16 * ($row * 4 + $_) } 0 .. 3), (0) x 4] }
			0 .. $rows + 99]);
	my $text = perfetto_decode(perfetto($path));
	is(scalar(() = $text =~ /timebase \{/g), small(1, 2), 'the tables of numbers begin a second time (else: memory grows with the trace)');
	is_deeply([map { [map { $_->{name} } @{$_->{stack}}] } perfetto_samples($text)], [map { my $row = $_; [@names[map { $row * 4 + $_ } 0 .. 3]] } 0 .. $rows - 1, 0 .. 99],
		'... and each number stands for what it did in its round');
}

# ---- names of values: as -f names has them, which named.t compares with the kernel's text

my $values = 't/data/kernel_text.dat';
my @named = split /\n/, zed_run('zedprint', $values)->{out};
my @bare = split /\n/, zed_run('zedprint', '--raw', $values)->{out};
my @with = json('--names', $values);
is(scalar @with, scalar @named, 'JSON has an object for each line');
my (%n, @wrong, @want);
for my $i (0 .. $#named) {
	my %want;
	for my $field (sort keys %{$with[$i]{fields}}) {
		my ($name) = $named[$i] =~ / \Q$field\E = (.*?),(?: \w+ = |\z)/;
		my ($number) = $bare[$i] =~ / \Q$field\E = (.*?),(?: \w+ = |\z)/;
		next if !defined $name || $name eq ($number // '');
		$want{$field} = $name;
		$n{$field}++;
	}
	push @want, \%want;
	my $got = $with[$i]{names} // {};
	push @wrong, "$named[$i]: " . join ' ', %$got if grep { !exists $got->{$_} || $got->{$_} ne $want{$_} } keys %want;
}
cmp_ok(scalar(grep { ($n{$_} // 0) > 10 } qw(prev_state function vec id)), '==', 4, '--names: states, functions, softirqs and system calls have names');
is(scalar @wrong, 0, '... those of -f names') or diag $wrong[0];
is_deeply([map { my %o = %$_; delete $o{names}; \%o } @with], [json($values)], '... beside the same numbers');
SKIP: {
	skip $no_parquet, 2 if $no_parquet;
	my ($tables) = parquet('--names', $values);
	my @rows = @{$tables->{'sched.sched_switch.parquet'}{rows}};
	is_deeply([map { $_->{prev_state_name} } @rows], [map { $_->{names}{prev_state} } grep { $_->{event} eq 'sched::sched_switch' } @with], 'Parquet: a column of names');
	ok(!grep({ /_name$/ && !/_name_name$/ && !exists $tables->{'sched.sched_switch.parquet'}{type}{s/_name$//r} } @{$tables->{'sched.sched_switch.parquet'}{columns}}), '... beside that of the numbers');
}
for (['--names', $values], ['-f', 'report', '--names', $values]) {
	my $r = zed_run('zedprint', @$_);
	is($r->{exit}, 2, "@$_[0 .. $#$_ - 1]: refused");
}
done_testing();
