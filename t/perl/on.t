# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::on and Zed::off on made traces: which events a name means, what the sub gets, who is called in which
# order, how handlers come and go while the trace runs, and how a run ends from inside one.
# of: interp/bind interp/api interp/delivery.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Zedperl;

my $dat = trace(events => [map { [0, 1_000_000 * $_, 'mini::tick', $_] } 1 .. 4]);

# A trace with the scheduler's types, and two systems that have a name in common.
my $wake = field_text('char comm[16]', 8, 16, 1) . field_text('pid_t pid', 24, 4, 1) . field_text('int prio', 28, 4, 1)
	. field_text('int target_cpu', 32, 4, 1);
my $switch = field_text('char prev_comm[16]', 8, 16, 1) . field_text('pid_t prev_pid', 24, 4, 1)
	. field_text('int prev_prio', 28, 4, 1);
my %types = ('sched::sched_wakeup' => $wake, 'sched::sched_waking' => $wake, 'sched::sched_switch' => $switch,
	'other::sched_wake' => field_text('u32 v', 8, 4), '9p::9p_req' => field_text('u32 v', 8, 4),
	'x-y::a.b' => field_text('u32 v', 8, 4));
sub woken { return pack 'a16 l3', @_ }
my $sched = trace(types => \%types, cmdlines => "77 mini\n5 five\n", events => [
	[0, 1000, 'sched::sched_wakeup', woken('sh', 12, 120, 1), undef, undef, 5],
	[0, 2000, 'sched::sched_waking', woken('cat', 13, 99, 0)],
	[0, 3000, 'sched::sched_switch', pack 'a16 l2', 'sh', 12, 120],
	[0, 4000, 'other::sched_wake', pack 'L', 7], [0, 5000, '9p::9p_req', pack 'L', 8],
	[0, 6000, 'x-y::a.b', pack 'L', 9], [0, 7000, 'mini::tick', 1]]);
# One with an id that has no format: its type is there only when a record of it is met.
my $late = trace(events => [[0, 1000, 'mini::tick', 1], [0, 2000, 999, "\0" x 8], [0, 3000, 999, "\0" x 8]]);

{	# Without it: a pattern listens to more or to less than it says.
	my @all = qw(sched::sched_wakeup sched::sched_waking sched::sched_switch other::sched_wake 9p::9p_req x-y::a.b mini::tick);
	my @wake = qw(sched::sched_wakeup sched::sched_waking);
	my %is = (
		'sched:sched_wakeup' => [$wake[0]], 'sched::sched_wakeup' => [$wake[0]],
		'sched:sched_w*' => \@wake, 'sched::sched_w*' => \@wake, 'sched:sched_wak???' => \@wake,
		'sched:sched_wak[e]*' => [$wake[0]], 'sched' => [@wake, 'sched::sched_switch'], 'sched:*' => [@wake, 'sched::sched_switch'],
		's*:sched_s*' => ['sched::sched_switch'], '*:sched_wak*' => [@wake, 'other::sched_wake'],
		'*:*' => \@all, '*::*' => \@all, '9p:9p_req' => ['9p::9p_req'],
		'x-y:a.b' => ['x-y::a.b'], 'mini' => ['mini::tick'], 'sched:sched_switc[!h]' => [],
	);
	for my $name (sort keys %is) {
		my $r = zedperl($sched, \"Zed::on('$name', sub { die if \@_; print Zed::event(), ' ' })");
		is($r->{out}, join('', map {"$_ "} @{$is{$name}}), "'$name' are the events that it names, and no arguments") or diag $r->{err};
		is("$r->{status} $r->{err}", '0 ', "'$name': nothing to say") if $name !~ /!/;
	}
	my $r = zedperl($sched, \'Zed::on("sched:sched_wakup", sub { print "no" }); Zed::on("shed:*", sub { print "no" })');
	is($r->{out}, '', 'a misspelt name listens to nothing');
	like($r->{err}, qr/\A.*sched:sched_wakup.*did you mean.*sched_wakeup.*\n.*shed.*did you mean.*sched.*\n\z/,
		'and is told with the nearest, each in one line');
	is($r->{status}, 0, 'which is no failure');
	$r = zedperl($late, \'Zed::on("unknown:id_999", args => [qw(event ts pid)], sub { print "@_ " }); Zed::on("*:*", sub { print "* " })');
	is($r->{out}, '* unknown::id_999 2000 77 * unknown::id_999 3000 77 * ', 'a handler waits for a type that comes later');
	$r = zedperl($sched, \'use Zed qw(on off); on("mini:tick", args => ["n"], sub { print "tick @_" }); off(on("mini", sub { print "no" }))');
	is($r->{out}, 'tick 1', 'on and off can be imported') or diag $r->{err};
}

{	# Without it: a list is not what was asked for, the very thing that names are to cure.
	my %get = (
		'pid prio target_cpu comm' => '12 120 1 sh', 'comm' => 'sh', 'prio prio' => '120 120',
		'cpu secs nsecs sequence' => '0 0 1000 1', 'ts tid event' => '1000 5 sched::sched_wakeup',
		'common_pid common_flags common_preempt_count' => '5 1 0', 'common_comm common_cpu' => 'five 0', 'instance' => '',
	);
	for my $args (sort keys %get) {
		my $r = zedperl($sched, \"Zed::on('sched:sched_wakeup', args => [qw($args)], sub { print \"\@_\", scalar \@_ })");
		is($r->{out}, $get{$args} . split(' ', $args), "args: $args") or diag $r->{err};
		is($r->{err}, '', "args: $args: nothing to say");
	}
	my $r = zedperl($sched, \'Zed::on("mini:tick", args => [], sub { print scalar @_ }); Zed::on("mini:tick", args => [qw(pid comm)], sub { print " @_" })');
	is($r->{out}, '0 77 mini', 'an empty list; pid and comm are the task where the event has none of its own');
	my %own = map { $_ => 1 } qw(cpu secs nsecs ts sequence tid instance);
	my $n = 0;
	my $own = trace(types => { 'odd::own' => join '', map { field_text("u32 $_", 8 + 4 * $n++, 4) } sort keys %own },
		events => [[1, 1234, 'odd::own', pack 'L*', 101 .. 107]]);
	$r = zedperl($own, \"Zed::on('odd:own', args => [qw(@{[sort keys %own]} common_cpu pid)], sub { print \"\@_\" })");
	is($r->{out}, '101 102 103 104 105 106 107 1 77', 'the event\'s own fields come before the pseudo ones; common_cpu is always the CPU');
	my $two = trace(version => 6, instances => ['foo'], events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'mini::tick', 2, undef, 'foo']]);
	$r = zedperl('--relative', $two, \'Zed::on("mini:tick", args => [qw(n instance ts secs nsecs)], sub { print join("|", @_), " " }); sub mini::tick { print "$_[2]," }');
	is($r->{out}, '0,1||0|0|0 1000,2|foo|1000|0|1000 ', 'instance; --relative holds for ts, secs and nsecs') or diag $r->{err};
}

{	# Without it: a field that a kernel does not have passes for 0, or warns at each event.
	my $r = zedperl($dat, \'use strict; use warnings; Zed::on("mini:tick", args => [qw(n whoo who)], sub { print join("|", map { $_ // "undef" } @_), " " })');
	is($r->{out}, join('', map {"$_|undef|cpu0 "} 1 .. 4), 'a misspelt field is undef');
	like($r->{err}, qr/\A.*\bwhoo\b.*did you mean.*\bwho\b.*\n\z/, 'one line names the nearest');
	is($r->{status}, 0, 'status 0');
	$r = zedperl($dat, \'my $id; sub mini::tick { Zed::off($id) if $id; $id = Zed::on("mini:tick", args => ["whoo"], sub { print defined $_[0] ? "x" : "-" }) }');
	is($r->{out}, '---', 'a handler that comes and goes');
	is(scalar(lines($r->{err})), 1, 'its line is said once, not each time that it comes') or diag $r->{err};
	$r = zedperl($dat, \'eval { Zed::on("mini:tick", args => ["whoo"], where => "nn == 1", sub { }) }; print $@ ? "died" : "no"; sub trace_end { }');
	is("$r->{out} $r->{err}", 'died ', 'of a handler that is refused nothing else is said');
	$r = zedperl($dat, \'Zed::on("mini:tick", args => [qw(common_nosuch)], sub { print defined $_[0] ? "x" : "-" })');
	is($r->{out}, '----', 'so is a common field that is not there');
	is(scalar(lines($r->{err})), 1, 'and said once') or diag $r->{err};
	$r = zedperl($sched, \'Zed::on("sched", args => [qw(prev_pid prio)], sub { print join("|", map { $_ // "undef" } @_), " " })');
	is($r->{out}, 'undef|120 undef|99 12|undef ', 'a field that some of the events have');
	my @said = lines($r->{err});
	is(scalar(@said), 2, 'one warning for each field') or diag $r->{err};
	like($said[0], qr/\b2 of 3\b.*\bprev_pid\b.*sched_wakeup.*sched_waking/, 'with their number and names') for 1;
	like($said[1], qr/\b1 of 3\b.*\bprio\b.*sched_switch/, 'with the name of the only one');
	$r = zedperl($sched, \'Zed::on("sched", args => [qw(pid common_pid)], sub { }); Zed::on("sched:sched_w*", args => ["pid"], sub { }); Zed::count("sched:*", by => ["pid", "common_pid"])');
	like($r->{err}, qr/\A.*Zed::on: 2 of 3 events have a field 'pid' of their own \(sched:sched_wakeup, sched:sched_waking\), .*common_pid.*\n.*Zed::count: 2 of 3 .*\n\z/,
		'a name that is a field of some events, and the running task\'s in others (else: a list of two kinds of tasks passes for one)');
	my $other = trace(big => 1, types => { 'mini::tick' => field_text('char who[4]', 8, 4, 1) . field_text('u64 n', 16, 8) },
		events => [[0, 2_500_000, 'mini::tick', "big\0" . "\0" x 4 . pack 'Q>', 1 << 40]]);
	$r = zedperl('--force-merge', '-i', $dat, '-i', $other, \'Zed::on("mini:tick", args => [qw(who n)], where => "n > 2", sub { print "@_ " })');
	is($r->{out}, 'big 1099511627776 cpu0 3 cpu0 4 ', 'two inputs with other layouts and byte orders') or diag $r->{err};
}

{	# Without it: a wrong where is taken for one that never holds, or cannot be found in the script.
	my %bad = (
		'nn < 3' => [1, qr/no field 'nn'; did you mean 'n'\?/], 'n < 3 and whoo == "x"' => [11, qr/did you mean 'who'\?/],
		'n <' => [4, qr/./], '(n == 1' => [1, qr/'\('|closed/], 'n == 1)' => [7, qr/\)/], 'n = 1' => [3, qr/==/], 'n ~ "x*"' => [1, qr/number/],
		'who < 3' => [1, qr/string/], 'n == abc' => [6, qr/number/], '' => [1, qr/./], 'n == 1 or or n == 2' => [11, qr/expected a field/],
	);
	for my $expr (sort keys %bad) {
		my ($column, $like) = @{$bad{$expr}};
		my $r = zedperl($dat, \"\n\nZed::on('mini:tick', where => '$expr', sub { print 'no' }); sub trace_end { print 'end' }");
		is("$r->{status} $r->{out}", '255 ', "where '$expr' is refused in the main program");
		like($r->{err}, qr/column $column: .*$like/, "where '$expr': column $column and why");
		my ($lead, $caret) = $r->{err} =~ /^(.*)\Q$expr\E *\n(.*)\^$/m;
		is(length($caret // ''), length($lead // '') + $column - 1, "where '$expr': the caret stands under it") or diag $r->{err};
		like($r->{err}, qr/ at \Q$r->{script}\E line 3\.$/m, "where '$expr': file and line of the script");
	}
	my $r = zedperl($dat, \'sub mini::tick { eval { Zed::on("mini:tick", where => "nn", sub { print "no" }) }; print "$_[4]", $@ ? "e " : " " }');
	is("$r->{sig} $r->{status} $r->{out}", '0 0 1e 2e 3e 4e ', 'eval catches it, and nothing is listened to');
	$r = zedperl($sched, \'Zed::on("sched", args => ["event"], where => "prio < 100", sub { print "@_ " }); sub trace_unhandled { print "un $_[0] " }');
	like($r->{out}, qr/\Asched::sched_waking /, 'where on a field that some events have');
	is(scalar(lines($r->{err})), 1, 'one warning says that others are never passed on');
	like($r->{err}, qr/\bprio\b.*sched_switch/, 'with their names');
	$r = zedperl($sched, \'Zed::on("sched", where => "pri < 100", sub { print "no" })');
	is($r->{status}, 255, 'where that no event can take');
	like($r->{err}, qr/column 1: .*pri\b.*did you mean 'prio'/, 'is refused with the nearest name');
}

{	# Without it: an unhandled event is handled twice, or one that where rejects is taken for unhandled.
	my $r = zedperl($sched, \'Zed::on("sched:sched_wak*", where => "prio < 100", sub { print "on " }); sub trace_unhandled { print "$_[0] " }');
	is($r->{out}, 'on sched::sched_switch other::sched_wake 9p::9p_req x-y::a.b mini::tick ',
		'events with a handler are not unhandled, even if its where rejects them');
	$r = zedperl($dat, \'my $id; $id = Zed::on("mini:tick", args => ["n"], sub { print "on$_[0] "; Zed::off($id) if $_[0] == 2 }); sub trace_unhandled { print "un$_[5] " }');
	is($r->{out}, 'on1 on2 un3 un4 ', 'when the last handler goes they are unhandled again');
	$r = zedperl($dat, \'sub trace_unhandled { print "un$_[5] "; Zed::on("mini:tick", args => ["n"], sub { print "on$_[0] " }) if $_[5] == 2 }');
	is($r->{out}, 'un1 un2 on3 on4 ', 'and handled when the first comes');
}

{	# Without it: handlers that rely on each other's order are called in any.
	my $r = zedperl($dat, \'Zed::on("mini:tick", sub { print "a" }); Zed::on("*:*", sub { print "b" }); sub mini::tick { print " sub" }
		Zed::on("mini", sub { print "c" }); Zed::on("mini:t*", sub { print "d" })');
	is($r->{out}, ' subabcd' x 4, 'the sub of the event\'s name first, the others in order of registration');
	$r = zedperl($dat, \'my @id = map { my $x = $_; Zed::on("mini:tick", sub { print $x }) } "a" .. "d";
		sub mini::tick { $n++; if ($n == 2) { Zed::off($id[1]); Zed::on("mini", sub { print "e" }) } print " " }');
	is($r->{out}, ' abcd abcd acde acde', 'off and on take effect from the next event on; the new one stands last') or diag $r->{err};
	$r = zedperl($dat, \'Zed::on("mini:tick", sub { print "on" }); Zed::on("mini:tick", args => ["n"], sub { eval q{sub mini::tick { print " sub$_[4]" }} if $_[0] == 2; print " " })');
	is($r->{out}, 'on on  sub3on  sub4on ', 'a sub that is defined later comes first all the same') or diag $r->{err};
	my @ids = split ' ', zedperl($dat, \'print join " ", map { Zed::on("mini", sub {}) } 1 .. 5; exit')->{out};
	my %seen;
	is(scalar(grep { $_ && !$seen{$_}++ } @ids), 5, 'five numbers, none of them 0, none twice');
}

# Registration and removal wherever a script can do it: [what, code, output].
my @when = (
	['main program', 'Zed::on("mini:tick", args => ["n"], sub { print "@_ " });', '1 2 3 4 '],
	['BEGIN block', 'BEGIN { Zed::on("mini:tick", args => ["n"], sub { print "@_ " }) }', '1 2 3 4 '],
	['trace_begin', 'sub trace_begin { Zed::on("mini:tick", args => ["n"], sub { print "@_ " }) }', '1 2 3 4 '],
	['a positional handler', 'sub mini::tick { Zed::on("mini:tick", args => ["n"], sub { print "@_ " }) if $_[4] == 2 }', '3 4 '],
	['a named handler', 'Zed::on("mini", args => ["n"], sub { Zed::on("mini:tick", args => ["n"], sub { print "@_ " }) if $_[0] == 2 });', '3 4 '],
	['trace_lost', 'sub trace_lost { Zed::on("mini:tick", args => ["n"], sub { print "@_ " }) } 1;', ''],
	['off in the main program', 'Zed::off(Zed::on("mini:tick", sub { print "no" }));', ''],
	['off of itself', 'my $id; $id = Zed::on("mini:tick", args => ["n"], sub { print "@_ "; Zed::off($id); print "go " });', '1 go '],
	['off of itself, once more', 'my $id; $id = Zed::on("mini:tick", sub { print "x"; Zed::off($id); $id = Zed::on("mini:tick", sub { print "y" }) });', 'xyyy'],
	['off of a later one', 'my $b; Zed::on("mini:tick", args => ["n"], sub { print " a"; Zed::off($b) if $_[0] == 2 }); $b = Zed::on("mini:tick", sub { print "b" });', ' ab ab a a'],
	['off of an earlier one', 'my $a = Zed::on("mini:tick", sub { print " a" }); Zed::on("mini:tick", args => ["n"], sub { print "b"; Zed::off($a) if $_[0] == 2 });', ' ab abbb'],
	['off of all', 'my @id; @id = map { my $x = $_; Zed::on("mini:tick", args => ["n"], sub { print $x; if ($_[0] == 2 && $x eq "b") { Zed::off($_) for @id } }) } "a" .. "c";', 'abcabc'],
	['off twice', 'my $id; $id = Zed::on("mini:tick", sub { print "x"; eval { Zed::off($id) }; eval { Zed::off($id) } });', 'x'],
	['off of what is none', 'Zed::on("mini:tick", sub { print "x" }); for my $id (0, -1, 99, 1e30, "abc", undef, [], 2**40) { eval { no warnings; Zed::off($id) } }', 'xxxx'],
	['one name several times', 'my $s = sub { print "x" }; Zed::on("mini:tick", $s) for 1 .. 3; Zed::off(Zed::on("mini:tick", $s));', 'x' x 12],
	['on and off of others in turn', 'my ($on, $off); $on = sub { print "a"; Zed::off($id); $id = Zed::on("mini:tick", $off) }; $off = sub { print "b"; Zed::off($id); $id = Zed::on("mini:tick", $on) };
		$id = Zed::on("mini:tick", $on);', 'abab'],
	['a new handler each time', 'sub mini::tick { my $n = $_[4]; Zed::on("mini:tick", sub { print $n }) }', '112123'],
	['$SIG{ALRM}', '$SIG{USR1} = sub { Zed::on("mini:tick", args => ["n"], sub { print "@_ " }) }; sub mini::tick { kill USR1 => $$ if $_[4] == 2; 1 }', '3 4 '],
	['a destructor', 'sub D::DESTROY { Zed::on("mini:tick", args => ["n"], sub { print "@_ " }) } sub mini::tick { my $d = bless [], "D" if $_[4] == 2 }', '3 4 '],
	['a sort block', 'sub mini::tick { my @x = sort { Zed::on("mini:tick", sub { print "x" }); 0 } 1, 2 }', 'xxxxxx'],
);
for my $case (@when) {
	my ($what, $code, $out) = @$case;
	my $r = zedperl($dat, \$code);
	is("$r->{status} $r->{sig} $r->{out}", "0 0 $out", "when: $what") or diag $r->{err};
}

{	# Without it: registering when nothing can come any more is taken for listening, or crashes.
	for my $where ('sub trace_end { ? } print "";', 'END { ? }', 'sub D::DESTROY { ? } our $d = bless [], "D";') {
		(my $code = $where) =~ s/\?/print "in "; eval { my \$id = Zed::on("mini:tick", sub { print "no" }); Zed::off(\$id) }; print "out"/;
		my $r = zedperl($dat, \$code);
		is("$r->{status} $r->{sig} $r->{out}", '0 0 in out', "too late: $where") or diag $r->{err};
		$code = $where =~ s/\?/Zed::on("mini:tick", sub { print "no" })/r;
		$r = zedperl($dat, \$code);
		is("$r->{sig} $r->{out}", '0 ', "too late, not in eval: $where") or diag $r->{err};
	}
	my %bad = (
		'' => 1, '"mini:tick"' => 1, '"mini:tick", 5' => 1, '"mini:tick", "name"' => 1, '"mini:tick", args => "n", sub {}' => 1, 'undef, sub {}' => 1,
		'"mini:tick", arg => ["n"], sub {}' => 1, '"mini:tick", args => ["n"]' => 1, '"mini:tick", sub {}, args => ["n"]' => 1, '"", sub {}' => 1,
		'"mini:tick", args => {}, sub {}' => 1, '"mini:tick", "args", sub {}' => 1, '"mini:tick", args => [undef], sub {}' => 1, '"mini:tick", where => [], sub {}' => 1,
		'"mini\0:tick", sub {}' => 1, '"mini:tick", args => ["n\0"], sub {}' => 1, '"mini:tick", where => "n == 1\0", sub {}' => 1,
	);
	for my $args (sort keys %bad) {
		my $r = zedperl($dat, \"\nuse warnings; no warnings 'uninitialized'; Zed::on($args); print 'no'");
		is("$r->{status} $r->{out}", '255 ', "Zed::on($args) is refused");
		like($r->{err}, qr/Zed::on.* at \Q$r->{script}\E line 2\.$/m, "Zed::on($args): with the line of the script");
	}
}

# Ends of a run inside a named handler: [what, options, code, output, status, stderr pattern].
my $abc = 'sub mini::tick { print " s" } Zed::on("mini:tick", sub { print "a" }); my $c; Zed::on("mini:tick", args => ["n"], sub { print "b"; ? if $_[0] == 2; print "B" });
	$c = Zed::on("mini:tick", sub { print "c" }); sub trace_end { print " end" } END { print " END$?" } ';
my @ends = (
	['die', [], 'die "oops\n"', ' sabBc sab end END255', 255, qr/\Aoops\nzedperl: while in .*mini:+tick.*, cpu 0, 0\.002000000, \S+\.dat offset 0x[0-9a-f]+\n\z/],
	['die, --keep-going', ['--keep-going'], 'die "oops\n"', ' sabBc sabc sabBc sabBc end END1', 1, qr/\Aoops\nzedperl: while in .*mini:+tick.*\n/],
	['exit', [], 'exit 5', ' sabBc sab END5', 5, qr/\A\z/],
	['Zed::stop', [], 'Zed::stop()', ' sabBc sabB end END0', 0, qr/\A\z/],
	['die in eval', [], 'eval { die "x" }', ' sabBc' x 4 . ' end END0', 0, qr/\A\z/],
	['SIGINT', [], 'kill INT => $$', ' sabBc sabBc end END130', 130, qr/\Azedperl: interrupted after 2 events /],
	['last out of the sub', [], 'no warnings; eval { last }', ' sabBc' x 4 . ' end END0', 0, qr/\A\z/],
	['off, then die, --keep-going', ['--keep-going'], 'do { Zed::off($c); die "oops\n" }', ' sabBc sabc sabB sabB end END1', 1, qr/\Aoops\n/],
	['die with an object', [], 'die bless [], "E"', ' sabBc sab end END255', 255, qr/\AE=ARRAY/],
	['a fork whose child returns', [], '(fork and wait) or $p = $$', undef, 0, qr/\A\z/],
);
for my $case (@ends) {
	my ($what, $options, $code, $out, $status, $err) = @$case;
	(my $text = "$abc \$| = 1;") =~ s/\?/$code/;
	my $r = zedperl(@$options, $dat, \$text);
	is($r->{out}, $out, "ends: $what: output") if defined $out;
	is(scalar(() = $r->{out} =~ / end/g), 1, "ends: $what: one trace_end") if !defined $out;
	is("$r->{status} $r->{sig}", "$status 0", "ends: $what: status");
	like($r->{err}, $err, "ends: $what: stderr");
}

{	# Without it: losses are told late or never when only named handlers listen.
	my $lossy = trace(events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'mini::tick', 2, 5], [0, 3000, 'mini::tick', 3, -1]]);
	my $lost = 'sub trace_lost { print "lost ", $_[1] // "undef", " at ", Zed::ts(), "\n" }';
	my $r = zedperl($lossy, \"Zed::on('mini:tick', args => [qw(n sequence)], sub { print join(' ', \@_, Zed::lost() // 'undef'), qq{\\n} }); $lost");
	is($r->{out}, "1 1 0\nlost 5 at 2000\n2 7 5\nlost undef at 3000\n3 9 undef\n", 'trace_lost before the event behind the gap; the sequence has it');
	$r = zedperl($lossy, \"Zed::on('mini:tick', where => 'n == 9', sub { print 'no' }); $lost");
	is($r->{out}, "lost 5 at 2000\nlost undef at 3000\n", 'losses before events that where rejects are told too');
	$r = zedperl($lossy, \'Zed::on("mini:tick", args => ["n"], sub { print "t@_ " }); sub trace_lost { print "l "; Zed::on("mini:tick", sub { print "new " }) }');
	like($r->{out}, qr/\At1 l t2 (?:new )?l t3 new /, 'a handler made in trace_lost is called by the next event at the latest');
}

{	# Without it: closures stay for ever, or go while they run.
	my $r = zedperl($dat, \'sub D::DESTROY { $gone++ } sub hear { my $o = bless [], "D"; return Zed::on("mini:tick", args => ["n"], sub { $o->[0] = $_[0] }) }
		sub trace_begin { @id = map { hear() } 1 .. 10 } sub mini::tick { print $gone >= 3 * $n++ ? "ok " : "late($gone) "; Zed::off($_) for splice @id, 0, 3 }
		sub trace_end { print $gone + 0 }');
	like($r->{out}, qr/\Aok ok ok ok (?:9|10)\z/, 'a closure is freed by the next event at the latest');
	$r = zedperl($dat, \'$| = 1; sub D::DESTROY { print "gone " } { my $o = bless ["text"], "D"; my $id; $id = Zed::on("mini:tick", sub { Zed::off($id); my @x = map { "x" x 100 } 1 .. 100; print "$o->[0] " }) }
		Zed::on("mini:tick", sub { print "t " })');
	is($r->{out} =~ s/gone //gr, 'text t t t t ', 'a handler that takes itself off still has its variables');
	$r = zedperl($dat, \'sub D::DESTROY { print "gone " } Zed::on("mini:tick", do { my $o = bless [], "D"; sub { $o } }) for 1 .. 3; sub trace_end { print "end " }');
	is($r->{out}, 'end gone gone gone ', 'those that are left are freed at the end');
	$r = zedperl($dat, \'sub D::DESTROY { Zed::off($next) if $next; print "gone " } my $o = bless [], "D"; my $id = Zed::on("mini:tick", do { my $p = $o; sub { $p } }); undef $o;
		$next = Zed::on("mini:tick", sub { print "t " }); sub mini::tick { Zed::off($id) if $n++ == 1 }');
	like($r->{out}, qr/\At (?:t )?(?:gone |t )+\z/, 'a destructor that takes another off') or diag $r->{err};
	is("$r->{status} $r->{sig}", '0 0', 'goes well');
	$r = zedperl($dat, \'my @id; sub D::DESTROY { Zed::off($_) for splice @id, 0, 2; Zed::on("mini:tick", sub { print "n" }) for 1 .. 20; Zed::takes("mini::tick", "who"); print "gone " }
		sub hear { my $o = bless [], "D"; push @id, Zed::on("mini:tick", sub { print $o ? "t" : "?" }) } &hear() for 1 .. 5; sub mini::tick { print " $_[4]"; bless \$_[4], "D" if $n++ == 1; Zed::off(shift @id) if @id }');
	is("$r->{status} $r->{sig}", '0 0', 'a destructor that takes others off, adds some and declares fields') or diag $r->{err};
	like($r->{out}, qr/\A 1ttttt/, 'all were called before');
	my $lossy = trace(events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'mini::tick', 2, 5], [0, 3000, 'mini::tick', 3]]);
	$r = zedperl('--keep-going', $lossy, \'my $id; $id = Zed::on("mini:tick", sub { print "t"; Zed::off($id) }); sub trace_lost { die "lost\n" }');
	like("$r->{sig} $r->{out} $r->{err}", qr/\A0 t lost\nzedperl: while in trace_lost, cpu 0,/, 'a trace_lost that dies behind a handler that has gone') or diag $r->{err};
}

{	# Without it: what perl does with code references does not hold here.
	my %code = (
		'a named sub' => ['sub h { print "h@_ " } Zed::on("mini:tick", args => ["n"], \&h);', 'h1 h2 h3 h4 '],
		'a named sub that is defined anew' => ['no warnings; sub h { print "old "; *h = sub { print "new " } } Zed::on("mini:tick", \&h); my $r = \&h;', 'old old old old '],
		'a sub of the event that is defined anew' => ['no warnings; Zed::on("mini:tick", sub { print "on " }); sub mini::tick { print "old "; *mini::tick = sub { print "new " } }', 'old on new on new on new on '],
		'the sub of the event too' => ['sub mini::tick { print @_ == 6 ? "s" : "n" } Zed::on("mini:tick", args => ["n"], \&mini::tick);', 'snsnsnsn'],
		'XS' => ['use List::Util; Zed::on("mini:tick", args => ["n"], \&List::Util::sum); Zed::on("mini:tick", sub { print "t" })', 'tttt'],
		'goto' => ['sub h { print "h@_ ", (caller(0))[3], " " } Zed::on("mini:tick", args => ["n"], sub { goto &h });', 'h1 main::h h2 main::h h3 main::h h4 main::h '],
		'caller' => ['Zed::on("mini:tick", sub { print((caller(0))[3], " ") });', 'main::__ANON__ ' x 4],
		'void context' => ['Zed::on("mini:tick", sub { print defined wantarray ? "no" : "void "; return (1) x 1000 });', 'void ' x 4],
		'recursion' => ['my $s; $s = sub { my $n = shift; $s->($n - 1) if $n > 1; print $n }; Zed::on("mini:tick", args => ["n"], $s);', '1121231234'],
		'the functions of the current event' => ['Zed::on("mini:tick", args => ["ts"], sub { print Zed::ts() == $_[0] && Zed::field("who") eq "cpu0" && Zed::event() eq "mini::tick" ? "y" : "n" });', 'yyyy'],
		'kept arguments' => ['Zed::on("mini:tick", args => [qw(n who)], sub { push @k, \@_; push @l, \$_[0], \$_[1] }); sub trace_end { print "@$_ " for @k; print "$$_ " for @l }',
			'1 cpu0 2 cpu0 3 cpu0 4 cpu0 1 cpu0 2 cpu0 3 cpu0 4 cpu0 '],
	);
	for my $what (sort keys %code) {
		my $r = zedperl($dat, \$code{$what}[0]);
		is($r->{out}, $code{$what}[1], "code: $what") or diag $r->{err};
	}
	for my $odd ('sub h; Zed::on("mini:tick", \&h)', 'sub h {} Zed::on("mini:tick", \&h); undef &h', 'sub h { undef &h } Zed::on("mini:tick", \&h)',
		'sub AUTOLOAD { print "auto" } sub h; Zed::on("mini:tick", \&h)', 'Zed::on("mini:tick", bless sub { print "x" }, "O")', 'package O; use overload "&{}" => sub { sub { print "x" } }; Zed::on("mini:tick", bless [])') {
		my $r = zedperl($dat, \$odd);
		ok($r->{sig} == 0 && $r->{err} !~ /panic|Attempt to free/, "odd code: $odd") or diag "signal $r->{sig}: $r->{err}";
	}
	for my $abuse ('$_ = "changed" for @_', '$_ = {} for @_', 'shift while @_', 'undef @_', '@_ = (1, 2, 3)', 'bless \$_[0], "O"; bless \$_[1], "D"', 'tie $_[0], "T"; tie $_[1], "T"',
		'Internals::SvREADONLY($_[0], 1); Internals::SvREADONLY($_[1], 1)', '$_[0] .= "x"; $_[1] = 1.5', 'utf8::upgrade($_[1]); $_[1] .= chr 300', '$_[1] =~ /p/g; pos($_[1]) = 1',
		'local $_[0] = 5', 'require Scalar::Util; $w = \$_[0]; Scalar::Util::weaken($w)', '$_[1] = "x" x 100000; push @k, \$_[1]') {
		my $r = zedperl($dat, \"package T; sub TIESCALAR { bless [] } sub FETCH { 42 } sub STORE { } package D; sub DESTROY { } package main;
			Zed::on('mini:tick', args => [qw(n who)], sub { print \"\@_ \"; $abuse }); Zed::on('mini:tick', args => [qw(who n)], sub { print \"\@_ \"; $abuse })");
		is("$r->{status} $r->{sig} $r->{out}", '0 0 ' . join('', map {"$_ cpu0 cpu0 $_ "} 1 .. 4), "arguments: $abuse") or diag $r->{err};
	}
}

{	# Without it: memory grows with the trace.
	my $many = trace(events => [map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 4000]);
	my @inputs = map { ('-i', $many) } 1 .. small(2, 6);
	my $from = small(2000, 8000);
	my $rss = "my \$from = $from;" . 'sub rss { open my $f, "<", "/proc/self/statm" or return 0; (split " ", <$f>)[1] * 4 } sub grown { $first //= rss() if $events++ == $from }
		sub trace_end { print "$events ", rss() - $first, "\n" }';
	my %code = (
		'arguments' => 'Zed::on("mini:tick", args => [qw(n who ts comm event)], where => "n > 0", sub { grown(); my @x = @_ });',
		'on and off' => 'sub mini::tick { grown(); Zed::off($id) if $id; my $x = "x" x 1000; $id = Zed::on("mi*:t*", args => [qw(who n)], where => "who ~ \"c*\" and n > 3", sub { $x . $_[0] }) }',
		'off of itself' => 'sub hear { my $id; $id = Zed::on("mini", args => ["n"], sub { grown(); Zed::off($id); &hear() }); } &hear();',
		'on that fails' => 'sub mini::tick { grown(); eval { Zed::on("mini:tick", args => ["who"], where => "nn > 3", sub { 1 }) }; eval { Zed::on("mini:tick", 1) }; eval { Zed::off(12345) } }',
		'kept arguments' => 'Zed::on("mini:tick", args => [qw(n who)], sub { grown(); $k = \@_; $l = \$_[1]; bless \$_[0], "D" }); sub D::DESTROY { }',
	);
	for my $what (sort keys %code) {
		my $r = zedperl(@inputs, \"$code{$what} $rss");
		my ($events, $grown) = split ' ', $r->{out};
		is($events, small(8000, 24000), "memory: $what: all events") or diag substr $r->{err}, 0, 300;
		cmp_ok($grown, '<', $ENV{ZED_SAN} ? 1 << 20 : small(300, 600), "memory: $what: flat");
	}
}

# 20,000 on and off at random, by subs and named handlers while they run.  The script keeps a model of what
# is registered: what is called for an event is what was registered when it came, in order.
my $model = <<'SCRIPT';
use strict;
use warnings;
our ($DIE, $SEED);
srand $SEED;
my ($events, $ops, $calls, $bad, $token) = (0) x 5;
my (@live, @want, @got, $what);
# [event, where, the same in Perl, a field to ask for]; what an event is to the model: tick or x or wait, and two fields
my @kind = (['mini:tick', undef, sub { $_[0] eq 'tick' }, 'n'], ['*:*', undef, sub { 1 }, 'cpu'], ['mini:tick', 'n & 1', sub { $_[0] eq 'tick' && $_[1] & 1 }, 'who'],
	['m*:t?ck', 'who == "cpu1" or n > 3000', sub { $_[0] eq 'tick' && ($_[2] eq 'cpu1' || $_[1] > 3000) }, 'comm'],
	['other', 'v >= 100 and not (v & 2)', sub { $_[0] eq 'x' && $_[1] >= 100 && !($_[1] & 2) }, 'v'], ['other:x', undef, sub { $_[0] eq 'x' }, 'v'],
	['sched:process_wait', undef, sub { $_[0] eq 'wait' }, 'pid'], ['sched:process_wait', 'pid & 4 and comm ~ "t*"', sub { $_[0] eq 'wait' && $_[1] & 4 }, 'comm'],
	['sched:*', 'prio == 120', sub { $_[0] eq 'wait' }, 'prio']);
sub D::DESTROY { shift->[0] = 'gone' }
sub add {
	my ($name, $where, $pick, $field) = @{$kind[rand @kind]};
	my $me = ++$token;
	my $o = bless [$me], 'D';
	my $id = Zed::on($name, args => [$field, 'ts'], $where ? (where => $where) : (), sub {
		$bad++ if $o->[0] != $me || !defined $_[0] || $_[1] != Zed::ts();
		push @got, $me;
		$calls++;
		play(1) if rand() < 0.2;
		die "at random\n" if $DIE && rand() < 0.01;
	});
	push @live, [$me, $id, $pick];
	$ops++;
}
sub drop { my ($h) = splice @live, rand @live, 1; Zed::off($h->[1]); $ops++ }
sub play {
	for (1 .. shift) {
		return if $ops >= 20_000;
		@live && rand() < @live / 40 ? drop() : add();
		Zed::takes('mini::tick', qw(n who), ('n') x rand 3) if rand() < 0.01;
		eval q{no warnings 'redefine'; sub other::x { event('x', $_[4]) }} if rand() < 0.01;
	}
}
sub check { $bad++, ($bad < 5 and print "$what: want @want\n got @got\n") if "@want" ne "@got" }
sub event {
	check() if $events++;
	$what = "@_";
	@want = map { $_->[0] } grep { $_->[2]->(@_) } @live;
	@got = ();
	play(int rand 8);
}
sub mini::tick { event('tick', @_[4, 5]) }
sub other::x { event('x', $_[4]) }
sub sched::sched_process_wait { event('wait', $_[5]) }
sub trace_end {
	check();
	my $left = @live;
	drop() while @live;
	print "events $events, ", $ops - $left, ' on and off, ', $calls > 20_000 ? 'many' : $calls, ' calls, ', $bad, " wrong\n";
}
SCRIPT
{	# Without it: a handler is skipped, called twice or freed under itself when others come and go.
	my $many = trace(types => { 'other::x' => field_text('u32 v', 8, 4), 'sched::sched_process_wait' => $switch =~ s/prev_//gr },
		events => [map { [$_ % 2, 1000 * $_, $_ % 3 ? ('mini::tick', $_) : $_ % 2 ? ('other::x', pack 'L', $_ % 256) : ('sched::sched_process_wait', pack 'a16 l2', "t$_", $_, 120)] } 1 .. 6000]);
	for my $seed (1, 2) {
		my $r = zedperl($many, \"\$SEED = $seed; $model");
		is($r->{out}, "events 6000, 20000 on and off, many calls, 0 wrong\n", "on and off at random, seed $seed") or diag substr $r->{err}, 0, 500;
		is("$r->{status} $r->{sig} $r->{err}", '0 0 ', 'and nothing to say');
	}
	my $r = zedperl('--keep-going', $many, \"(\$DIE, \$SEED) = (1, 3); $model");
	is($r->{out}, "events 6000, 20000 on and off, many calls, 0 wrong\n", 'with deaths in between') or diag substr $r->{err}, 0, 500;
	is("$r->{status} $r->{sig}", '1 0', 'which alone are told');
}

# Synthetic events that end outside of what is asked for.
{
	my @define = map { ('--synthetic', $_) } 'run:off start=sched:sched_switch end=sched:sched_switch match="start.prev_pid == end.next_pid && start.prev_pid != 0" took="end.ts - start.ts"',
		'run:twice start=run:off end=run:off match="start.common_cpu == end.common_cpu" took=end.took';
	my $runs = script(<<'END');
use Zed;
my (%all, %chosen);
for my $event ('run:off', 'run:twice') {
	Zed::on($event, args => ['cpu'], follows => 1, sub { $all{"$event $_[0]"}++ });
	Zed::on($event, args => ['cpu'], sub { $chosen{"$event $_[0]"}++ });
}
sub trace_end { print join(', ', map { my $n = $_; join ' ', map { "$_ $n->{$_}" } sort keys %$n } \%all, \%chosen), "\n" }
END
	for my $kind ([], ['-F', 'run:*: took > 100000']) {
		my ($whole, $one, $of) = map { zedperl({ bare => 1 }, @define, @$kind, @$_, 't/data/demo.dat', $runs)->{out} } [], ['--cpu', 1], ['--comm', 'sh'];
		my ($all) = split /, /, $whole;
		like($all, qr/^run:off 0 \d+ .*run:twice 3 \d+\z/, "what is raised on each CPU (@$kind)");
		is((split /, /, $one)[0], $all, '--cpu 1: what follows states has all of it (else: the script follows starts and ends once more)');
		is((split /, /, $one)[1], join(' ', $all =~ /(run:\w+ 1 \d+)/g) . "\n", '... and the other handlers those of the CPU');
		is((split /, /, $of)[0], $all, '--comm: likewise');
	}
}

# An event that the trace lacks, which the script does without.
for (['', qr/Zed::on: no event in this trace matches mini:tock/], ['optional => 0, ', qr/matches mini:tock/], ['optional => 1, ', qr/\A\z/]) {
	my ($how, $says) = @$_;
	my $r = zedperl($dat, \"use Zed; my \$n = 0; Zed::on('mini:tock', ${how}sub { }); Zed::on('mini:tick', ${how}sub { \$n++ }); sub trace_end { print \$n }");
	like($r->{err}, $says, "$how: " . ($how =~ /1/ ? 'nothing is said of it (else: a good answer looks wrong)' : 'said'));
	cmp_ok($r->{out}, '>', 0, 'and the others come');
}

# A sub for all other events, or a time line, beside a handler that follows states.
for my $beside ('sub trace_unhandled { }', 'sub trace_begin { Zed::timeline() }') {
	my $r = zedperl('--cpu', 0, 't/data/demo.dat', \"use Zed; my (%all, %chosen);
		Zed::on('sched:switch', args => ['cpu'], follows => 1, sub { \$all{\$_[0]}++ });
		Zed::on('sched:switch', args => ['cpu'], sub { \$chosen{\$_[0]}++ });
		$beside
		sub trace_end { print join(' ', sort keys %all), '; ', join(' ', sort keys %chosen), qq(\\n) }");
	is($r->{out}, "0 1 2 3; 0\n", "what follows states has the CPUs that were not chosen, beside '$beside' (else: its answer is another)") or diag $r->{err};
}

done_testing;
