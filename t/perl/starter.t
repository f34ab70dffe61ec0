# SPDX-License-Identifier: GPL-2.0-or-later
#
# -g EVENT and -g alone: scripts that declare what they want of the events that are named, or of a few of the trace's.
# Without it such a script does not compile, dies on some trace, or shows other events than were asked for.  (-g all:
# t/perl/generate.t.)
# of: programs/zedperl/starter programs/zedperl
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Pass;
use Run::Zedperl;

my $own = Compare::RealData::own();
my $demo = "$own/demo.dat";
my ($counts) = Compare::RealData::raw_counts(Compare::RealData::reference($demo, 'raw'));

# The events in the lines that a script's print_event printed.
sub printed { return map { /^ *\d+\.\d{9} +\d+ .{15,} +\d+ (\w+::\S+)/ ? $1 : () } split /\n/, $_[0] }

sub runs_cleanly {
	my ($made, $what, @on) = @_;
	is("$made->{status} $made->{err}", '0 ', "$what: is written") or return '';
	my $path = script($made->{out});
	is(`$^X $without_zed -wc '$path' 2>&1`, "$path syntax OK\n", "$what: is Perl without a warning");
	my $r = zedperl({ bare => 1 }, '-w', @on, $path);
	is("$r->{status} $r->{err}", '0 ', "$what: runs as it is");
	return $r->{out};
}

# ---------------------------------------------------------------- for events that are named

{
	my $made = zedperl('-g', 'sched:sched_switch', $demo);
	my $out = runs_cleanly($made, 'one event', $demo);
	like($made->{out}, qr/^Zed::on\('sched:sched_switch', args => \[qw\(prev_comm prev_pid prev_prio prev_state\s+next_comm next_pid next_prio\)\], sub \{$/m,
		'its fields are taken by name, in the order of the format');
	is_deeply([printed($out)], [('sched::sched_switch') x $counts->{sched_switch}], 'it shows each such event, and no other (else: a line is missing, or too many)');
	my ($table) = $out =~ /^count, sched:sched_switch by prev_comm\nprev_comm +count\n(.*)/ms or diag $out;
	my $sum = 0;
	$sum += $_ for $table =~ / (\d+)$/mg;
	is($sum, $counts->{sched_switch}, 'and counts them');
	unlike($made->{out}, qr/sched_wak|^sub \w+::/m, 'there is nothing of others (else: 600 lines to delete)');
	my @lines = split /\n/, $made->{out};
	cmp_ok(scalar @lines, '<', 70, 'it is short');
	is_deeply([grep { length(s/\t/        /gr) > 100 } grep { !/^# Made/ } @lines], [], 'in lines of a page');
}

{	# The words are those of --event.
	my $by_word = zedperl('-g', 'sched:sched_wak*,irq', $demo)->{out};
	my @want = sort grep { /^irq:/ || /^sched:sched_wak/ } map { (split)[0] =~ s/::/:/r } split /\n/, zedperl('-t', '-v', $demo)->{out};
	cmp_ok(scalar @want, '>', 5, 'demo.dat has such events');
	is_deeply([$by_word =~ /^Zed::on\('([^']+)'/mg], \@want, 'patterns, systems and lists');
	is(zedperl('-g', 'sched:sched_wak*', 'irq', $demo)->{out}, $by_word, 'several words are one list');
	is(zedperl('-g', '--event', 'sched:sched_wak*,irq', $demo)->{out}, $by_word, 'and --event chooses the same');
	is(zedperl('-g', 'sched::sched_waking', $demo)->{out}, zedperl('-g', 'sched:sched_waking', $demo)->{out}, 'as a sub has it');
	my $hist = zedperl('-g', 'sched:sched_stat_runtime', $demo);
	like($hist->{out}, qr/^Zed::hist\('sched:sched_stat_runtime', 'runtime'\);$/m, 'a duration has a distribution');
	like(runs_cleanly($hist, 'a distribution', $demo), qr/^hist of runtime, sched:sched_stat_runtime\n +count $counts->{sched_stat_runtime}, /m, 'of all events');
	my $calls = zedperl('-g', 'raw_syscalls:sys_enter', $demo);
	like(runs_cleanly($calls, 'system calls', $demo), qr/^execve +\d+$/m, 'are counted by their names');
}

{	# A stable event: its own fields, from whatever makes it.
	my $made = zedperl('-g', 'sched:switch', $demo);
	like($made->{out}, qr/^Zed::on\('sched:switch', args => \[qw\(prev_pid next_pid prev_comm prev_state /m, 'a stable event has the fields that it promises');
	unlike($made->{out}, qr/sched_switch/, 'and not those of what makes it');
	is_deeply([printed(runs_cleanly($made, 'a stable event', $demo))], [('sched::switch') x $counts->{sched_switch}], 'each of them is shown');
	my $both = zedperl('-g', 'sched:switch', 'sched:sched_switch', $demo)->{out};
	is(join(' ', $both =~ /^Zed::on\('([^']+)'/mg), 'sched:sched_switch sched:switch', 'the raw one as well, if that is named');
}

{	# The shape of perf's scripts.
	my $perf = zedperl('-g', '--perf', $demo)->{out};
	my $some = zedperl('-g', '--perf', 'sched:sched_switch', $demo)->{out};
	is(join(' ', $some =~ /^sub (\w+::\w+)/mg), 'sched::sched_switch', '--perf: for the named events alone');
	is(zedperl('-g', '--perf', 'all', $demo)->{out}, $perf, 'for all, which it is for without a name (else: not what perf writes)');
	like($perf, qr/^sub irq::softirq_raise$/m, 'all is all');
	is(zedperl('-g', 'all', 'sched', $demo)->{out}, zedperl('-g', 'all', $demo)->{out}, 'all includes those that are named');
}

# ---------------------------------------------------------------- where none is named

{
	my $made = zedperl('-g', $demo);
	my $out = runs_cleanly($made, 'without a name', $demo);
	my @listed = $made->{out} =~ /^# +(\d+)  \w+:(\w+)$/mg;
	my %listed = reverse @listed;
	my @most = sort { $b <=> $a } values %$counts;
	is_deeply([@listed[map { 2 * $_ } 0 .. $#listed / 2]], [@most[0 .. $#listed / 2]], 'the head has the most frequent events, the first first');
	is_deeply(\%listed, { map { $_ => $counts->{$_} } keys %listed }, 'with their numbers');
	is(scalar(keys %listed), 12, 'and not all');
	like($made->{out}, qr/^# and @{[keys(%$counts) - 12]} more \(zedperl -t\)$/m, 'it says how many more there are');
	like($made->{out}, qr/zedperl -g all \Q$demo\E$/m, 'and how to get all');
	is(join(' ', $made->{out} =~ /^Zed::on\('([^']+)'/mg), 'sched:sched_switch sched:sched_waking raw_syscalls:sys_enter', 'it handles what most questions begin with');
	is(scalar(printed($out)), $counts->{sched_switch} + $counts->{sched_waking} + $counts->{sys_enter}, 'and shows it');
}

{	# Traces without any of these.
	my $made = zedperl('-g', trace());
	like($made->{out}, qr/^# +3  mini:tick$/m, 'an event that no kernel has is counted');
	like($made->{out}, qr/^Zed::count\('mini:tick', by => 'who'\);\nZed::on\('mini:tick', args => \[qw\(n who\)\], sub \{$/m, 'and handled, as it is the most frequent');
	my $none = trace(events => []);
	$made = zedperl('-g', $none);
	like($made->{out}, qr/: none was recorded\.$/m, 'where nothing was recorded, that is said');
	runs_cleanly($made, 'an empty trace', $none);
	my ($first, $second) = (trace(), trace());
	like(zedperl('-g', $first, $second)->{out}, qr/^# +6  mini:tick$/m, 'events of several traces are counted together');
}

# ---------------------------------------------------------------- names of a stranger's

{
	my $path = field_text('char path[24]', 8, 24, 1);
	my @names = qw(main::remove_tree main::trace_end main::print_event CORE::exit UNIVERSAL::can Zed::stop strict::import POSIX::abort
		sched::BEGIN sched::END sched::AUTOLOAD sched::DESTROY sched::import mydrv::open 9-x::a.b sched::sched_switch);
	my @odd = ("Ma'in::ev'il", 'Ma*n::e?', "Ma;die::x\ny", "mydrv::x'y", 'mydrv::twins');
	my %fields = ('mydrv::twins' => $path . field_text('int path', 32, 4), map { $_ => $path } @names, @odd[0 .. 3]);
	my $many = trace(types => \%fields, events => [map { [0, 1000 * $_, (@names, @odd)[$_], pack 'a28', 'victim'] } 0 .. $#names + @odd]);
	my $made = zedperl('-g', '*:*', $many);
	is(join(' ', sort $made->{out} =~ /^Zed::on\('(\S+)'/mg), join(' ', sort 'mini:tick', map { s/::/:/r } @names), 'a handler by name for whatever has a name (else: perl calls what a file wants)');
	is(join(' ', sort $made->{out} =~ /^sub (\w+::\w+)/mg), 'mydrv::twins mydrv::x_y', 'a sub where only that can tell fields, or can have the name');
	is(join(' ', $made->{out} =~ /^use Zed handlers => (.*)/mg), "['mydrv'];", 'whose package is declared');
	my $out = runs_cleanly($made, 'hostile names', $many);
	my @lines = grep { /^ *\d+\.\d{9} / } split /\n/, $out;
	is(scalar(grep { / path=victim/ } @lines), @names + 2, 'each event is handled once');
	runs_cleanly(zedperl('-g', $many), 'without a name', $many);

	# Fields that are none for an expression, or another thing than their name says.
	my @evil = (field_text('char and[8]', 8, 8, 1), field_text('char 0x[8]', 8, 8, 1), field_text('char q[8]', 8, 8, 1), field_text("char a'b[8]", 8, 8, 1),
		field_text('u32 comm[2]', 8, 8), field_text('u32 id[2]', 8, 8), field_text('u32 len[2]', 8, 8), field_text('char $x[8]', 8, 8, 1),
		field_text('u32 ts', 8, 4), field_text('u32 pid', 8, 4), field_text('u64 delay', 8, 8), '');
	push @evil, field_text('u8 raw[4]', 8, 4);
	my $odd = trace(types => { (map { ("mine::e$_" => $evil[$_]) } 0 .. $#evil), 'raw_syscalls::sys_enter' => $evil[5] },
		events => [map { [0, 1000 * $_, $_ > $#evil ? 'raw_syscalls::sys_enter' : "mine::e$_", pack 'a8', 'x'] } 0 .. @evil]);
	$out = runs_cleanly(zedperl('-g', '*:*', $odd), 'odd fields', $odd);
	is(scalar(printed($out)), @evil + 1, 'each event is shown') or diag $out;
	like($out, qr/ raw=78000000$/m, 'bytes in hexadecimal');
}

# ---------------------------------------------------------------- every recording

my @all = grep { !/latency_v/ } Compare::RealData::recordings($own), glob("$own/perf/*.data"), "$own/ltt-g1";	# a text, not events
@all = Compare::RealData::one_each(grep { !-d } @all) if small();
my @forms = ('', '*:*');
for my $dat (@all) {
	my $name = $dat =~ s{.*/}{}r;
	my @made = map { finish($_) } map { start('-g', $_ || (), $dat) } @forms;
	# Of one, perf did not come to the end: it describes no event.
	next if $name eq 'unfinished.data' && is("@{[map { $_->{status} } @made]}", '1 2', "$name: damage shows in the status");
	is("$made[$_]{status} $made[$_]{err}", '0 ', "$name: -g $forms[$_]") for 0, 1;
	my @run = map { finish($_) } map { start({ bare => 1 }, '-w', $dat, \$_->{out}) } @made;
	is("$run[$_]{status} $run[$_]{err}", '0 ', "$name: -g $forms[$_]: runs as it is (else: a beginner begins with an error)") for 0, 1;
}

done_testing();
