# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scripts that were written for perf script: their convention is chosen by itself, their modules are built in, and
# what perf's own engine gets wrong is right.  What perf gives a handler is in t/data/perf, printed by perf.
# of: interp/Perf interp/bind reader/perf
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Perf;
use Run::Program qw(:DEFAULT same spew);

my $data = 't/data/perf';
my $dir = zed_tmp();
delete $ENV{PERF_EXEC_PATH};

my $head = <<'EOT';
use lib "$ENV{'PERF_EXEC_PATH'}/scripts/perl/Perf-Trace-Util/lib";
use lib "./Perf-Trace-Util/lib";
use Perf::Trace::Core;
use Perf::Trace::Context;
use Perf::Trace::Util;
EOT
my $eight = 'my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm, $common_callchain';

# The output of SCRIPT on RECORDING; it says nothing else.
sub out_of {
	my ($name, $recording, $script, @options) = @_;
	my $r = zed_run('zedperl', @options, '-i', $recording, spew("$dir/$name.pl", $script));
	is("$r->{exit} $r->{signal} $r->{err}", '0 0 ', "$name: runs without a word (else: users look for a fault)");
	return $r->{out};
}

sub perfs_lines {
	my ($recording) = @_;
	my $text = `gzip -dc $data/$recording.perl.txt.gz`;
	die "gzip $recording\n" if $?;
	return grep { /\|/ } split /\n/, $text;
}

# ---- what a handler is given ----

# As the script that made the golden texts, but for arrays, which perf gives as 0, and symbols, which perf read from
# binaries of its own machine.
my $printall = "use warnings;\n$head" . <<'EOT';
sub q_ { my $s = shift; return 'undef' if !defined $s; return ref $s eq 'ARRAY' ? 0 : 'ref' if ref $s; $s =~ s/([^ -~]|[\\|])/sprintf "\\x%02x", ord $1/ge; $s }
sub chain { my $c = shift; '[' . join(' ', map { sprintf '%x%s', $_->{ip}, defined $_->{dso} ? "\@$_->{dso}" : '' } @$c) . ']' }
sub trace_begin { print "begin\n" }
sub trace_end { print "end\n" }
sub trace_unhandled {
	my ($ev, $ctx, $cpu, $s, $ns, $pid, $comm, $cc, @f) = @_;
	printf "%s|%s|%d|%d|%s|%s|%s|pc=%s flags=%s|%s\n", $ev, $cpu, $s, $ns, $pid, q_($comm), chain($cc), common_pc($ctx), common_flags($ctx), join('|', map { q_($_) } @f);
}
EOT

for my $name (qw(sched rawsys_g sys_z pipe pipe_z_g forks_mono dir bigendian)) {
	my $want = join "\n", 'begin', (map { s/(?<=[0-9a-f]):[^ @]*(?=@)//gr }
		perfs_lines($name eq 'bigendian' ? 'rawsys_g' : $name)), 'end', '';
	same(out_of("all-$name", "$data/$name.data", $printall), $want,
		"$name: every argument of every event is perf's (else: scripts compute with other values)");
}

# Each argument by a sub of its own that reads only this one; and by one that hides from us what it reads.
{
	my @rows = grep { /^sched::sched_switch\|/ } perfs_lines('sched');
	my @want = map { [(split /\|/)[0 .. 5], (split /\|/)[8 .. 14]] } @rows;
	my @at = (0, 2 .. 6, 8 .. 14);
	my @names = qw(event_name context cpu secs nsecs pid comm chain prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio);
	for my $i (0 .. $#at) {
		my $read = $names[$at[$i]];
		my $list = join ', ', map { "\$$_" } @names;
		my $one = "$head sub sched::sched_switch { my ($list) = \@_; print \"\$$read\\n\" }";
		my $want = join '', map { "$_->[$i]\n" } @want;
		same(out_of("one-$read", "$data/sched.data", $one), $want, "$read alone (else: what is not decoded is a wrong one)");
	}
	my $count = @want;
	my %hidden = (
		eval => 'my ($e, $c, $cpu, $s, $ns, $pid) = @_; print eval q($pid . "\n")',
		closure => 'my ($e, $c, $cpu, $s, $ns, $pid) = @_; my $f = sub { "$pid\n" }; print $f->()',
		ampersand => 'my ($e) = @_; &show',
		goto => 'my ($e) = @_; goto &show',
		args => 'my ($e) = @_; print "$_[5]\n"',
		shift => 'my ($e) = @_; shift for 1 .. 5; print shift, "\n"',
		rest => 'my ($e, @rest) = @_; print "$rest[4]\n"',
		skipped => 'my (undef, undef, undef, undef, undef, $pid) = @_; print "$pid\n"',
		key => 'my ($e, $c, $cpu, $s, $ns, $pid) = @_; our %h; $h{$pid}{n} = 1; print keys(%h), "\n"; %h = ()',
		replaced => 'my ($e, $c, $cpu, $s, $ns, $pid) = @_; my $t = "x"; $t =~ s/x/$pid/; print "$t\n"',
		code => 'my ($e, $c, $cpu, $s, $ns, $pid) = @_; my $t = "x"; $t =~ s/(x)/1 ? $pid : $1/e; print "$t\n"',
		pattern => 'my ($e, $c, $cpu, $s, $ns, $pid) = @_; our $p; "x" =~ /x(?{ $p = $pid })/; print "$p\n"',
		named => 'my ($e, $c, $cpu, $s, $ns, $pid) = @_; our $n; sub in { no warnings; return $pid } ; print $n++ ? $pid : in(), "\n"',
		counted => 'my $n = my ($e, $c, $cpu) = @_; print $n == 15 ? "$_[5]\n" : "n=$n\n"',
		whole => 'print "$_[5]\n"',
		array => 'my @a = @_; print "$a[5]\n"',
		map => 'my ($e, $c, $cpu, $s, $ns, $pid) = @_; print map { $pid . $_ } "\n"',
	);
	my $want = join '', map { "$_->[4]\n" } @want;
	for my $how (sort keys %hidden) {
		my $script = "$head sub show { print \"\$_[5]\\n\" } sub sched::sched_switch { $hidden{$how} }";
		my $r = zed_run('zedperl', '-i', "$data/sched.data", spew("$dir/hidden.pl", $script));
		same($r->{out}, $want, "$how: what is read in a way that is hard to see is there (else: undef in silence)");
	}
	my $script = "$head sub sched::sched_switch { $eight) = \@_; print \"\$common_cpu\\n\";"
		. ' eval q(no warnings; sub sched::sched_switch { my ($e, $c, $cpu, $s, $ns, $pid) = @_; print "$pid\n" }) }';
	my @pids = map { $_->[4] } @want;
	same(out_of('anew', "$data/sched.data", $script), join('', map { "$_\n" } $want[0][1], @pids[1 .. $#pids]),
		'a handler that is defined anew gets what it reads (else: what the first one did not read is undef)');
}

# A list that nothing else goes around is not run at all: its variables are given their values.
{
	my @pids = map { $_->[4] } my @want = map { [(split /\|/)[0 .. 5]] } grep { /^sched::sched_switch\|/ } perfs_lines('sched');
	my $list = 'my ($e, $c, $cpu, $s, $ns, $pid, $comm, $cc, $f1, $f2, $f3, $f4, $f5, $f6, $f7, $none) = @_;';
	my %what = (
		'written to' => 'print defined $none ? "kept" : $pid, "\n"; $none = $pid; $pid = "x"; $comm .= "y"',
		'kept' => 'push @main::kept, \$pid; print "$pid\n"; print "lost\n" if @main::kept > 2 && ${$main::kept[0]} ne $main::first; $main::first //= $pid',
		'a reference' => 'my $r = \$pid; $$r .= ""; print "$$r\n"; $none = [1]; bless $none, "Gone"; sub Gone::DESTROY { $main::gone++ }',
		'a return' => 'print "$pid\n"; return ($pid, $comm, 1 .. 5)',
		'recursion' => 'if (!ref $e) { sched::sched_switch([], 1, 2, 3, 4, $pid + 1) } print ref $e ? "" : "$pid\n"; die if $none',
		'an eval that dies' => 'eval { die [$pid] }; print "$@->[0]\n"',
		'a loop' => 'for my $i (1, 2) { next if $i == 1; print "$pid\n" } local $_ = $cpu;',
	);
	for my $how (sort keys %what) {
		same(out_of('given', "$data/sched.data", "$head sub sched::sched_switch { $list $what{$how} }"), join('', map { "$_\n" } @pids),
			"$how: a variable has its value and begins anew with each event (else: what the last event left)");
	}
	my $r = zed_run('zedperl', '--keep-going', '-i', "$data/sched.data", spew("$dir/dies.pl",
		"$head our \$n; sub sched::sched_switch { $list \$none .= 'left'; die \"no\\n\" if \$n++ % 2; print \"\$pid \$none\\n\" }"));
	same($r->{out}, join('', map { "$pids[2 * $_] left\n" } 0 .. $#pids / 2), 'after a death too');
	is(out_of('by hand', "$data/sched.data", "$head sub sched::sched_switch { $list our \$n; print \"\$pid \$comm\\n\" if \$e eq 'mine' }"
		. ' sub trace_end { sched::sched_switch("mine", 1, 2, 3, 4, 5, "six") }'), "5 six\n", 'a handler that the script calls itself gets its arguments');
}

{
	my $r = out_of('array', "$data/rawsys_g.data", "$head our \$n; sub raw_syscalls::sys_enter { $eight, \$id, \$args) = \@_;"
		. ' print "$id: @$args\n" if !$n++; }');
	is($r, "12: 0 140720353967116 0 895 0 0\n", 'an array is a reference to one (perf: 0)');
	my @want = join ' ', (perfs_lines('rawsys_g'))[0] =~ /[\[ ](ffffffff[0-9a-f]+):/g;
	$r = out_of('chain', "$data/rawsys_g.data", "$head our \$n; sub raw_syscalls::sys_exit { $eight) = \@_;"
		. ' print join(" ", map { sprintf "%x", $_->{ip} } grep { $_->{ip} >> 63 } @$common_callchain), "\n" if !$n++ }');
	is($r, "$want[0]\n", 'the call chain is an array of hashes with ip');
}

# ---- which convention ----

my $bare = "sub raw_syscalls::sys_exit { $eight, \$id, \$ret) = \@_; our \$n; print \"\$event_name \$id\\n\" if !\$n++; }\n";
{
	my $r = zed_run('zedperl', "$data/rawsys_g.data", spew("$dir/bare.pl", $bare));
	is($r->{out}, "raw_syscalls::sys_exit 59\n", 'a script of perf\'s without its modules is run as one (perf: SIGSEGV with others of its kind)');
	like($r->{err}, qr/^zedperl: sub raw_syscalls::sys_exit takes \(\$event_name, \$context, \.\.\.\): the script is run as perf does .*\n\z/,
		'and that is said (else: nobody knows which arguments it got)');
	$r = zed_run('zedperl', '--perf', "$data/rawsys_g.data", "$dir/bare.pl");
	is("$r->{out}$r->{err}", "raw_syscalls::sys_exit 59\n", '--perf says so without a word');
	$r = zed_run('zedperl', '--zed', "$data/rawsys_g.data", "$dir/bare.pl");
	like($r->{out}, qr/^0 /, '--zed: the arguments begin with the CPU, whatever the script looks like');
	is($r->{err}, '', '... and nothing is said');
	$r = zed_run('zedperl', '--zed', '-MPerf::Trace::Core', "$data/rawsys_g.data", "$dir/bare.pl");
	like($r->{out}, qr/^0 /, '--zed holds with perf\'s modules too');
	for my $module (qw(Core Context Util)) {
		$r = zed_run('zedperl', "-MPerf::Trace::$module", "$data/rawsys_g.data", "$dir/bare.pl");
		is("$r->{out}$r->{err}", "raw_syscalls::sys_exit 59\n", "Perf::Trace::$module chooses perf's convention");
	}
	my $unhandled = 'sub trace_unhandled { my ($event_name, $context, $cpu) = @_; our $n; print "$event_name $cpu\n" if !$n++ }';
	$r = zed_run('zedperl', "$data/rawsys_g.data", spew("$dir/unhandled.pl", $unhandled));
	is($r->{out}, "raw_syscalls::sys_exit 0\n", 'trace_unhandled alone shows it too');
	$r = zed_run('zedperl', "$data/rawsys_g.data", spew("$dir/zed.pl", 'sub raw_syscalls::sys_exit { my ($cpu, $secs) = @_; our $n; print "$cpu $secs\n" if !$n++ }'));
	is("$r->{out}$r->{err}", "0 6763\n", 'a script of zed\'s is called as ever');
}

# However the first variables get their values, their names tell.
for my $form ('my $event_name = shift; my $context = shift; print "$event_name\n"', 'my ($ev, $ctx) = @_; print "$ev\n"',
	'my $name = $_[0]; my ($context) = $_[1]; print "$name\n"', 'SIGNATURE print "$event_name\n"',
	'my ($n, $c, $common_cpu, $common_secs) = @_; print "$n\n"') {
	my $sub = $form =~ /SIGNATURE/ ? '($event_name, $context, @rest)' : '';
	my $body = $form =~ s/SIGNATURE//r;
	my $r = zed_run('zedperl', "$data/sched.data",
		spew("$dir/form.pl", "use feature 'signatures'; no warnings; sub sched::sched_switch $sub { return if our \$n++; $body }"));
	is($r->{out}, "sched::sched_switch\n", "$form: is run as perf's (else: with shifted arguments, in silence)");
	like($r->{err}, qr/the script is run as perf does .*\n\z/, '... and that is said');
}
{
	my $r = zed_run('zedperl', "$data/sched.data", spew("$dir/nosign.pl", 'sub sched::sched_switch { our $n++; print "$_[0]\n" if $n == 1 }'));
	like($r->{out}, qr/^\d\n\z/, 'what tells nothing is run as zed\'s scripts are (zedperl-perf(7) says what to do)');
}

# ---- process_event ----

{
	my $r = zed_run('zedperl', '--perf', '-e', 'sub process_event { print "x\n" }', "$data/forks_mono.data");
	is($r->{err}, '', 'process_event alone is enough of a script');
	is($r->{out} =~ tr/\n//, scalar perfs_lines('forks_mono'), 'process_event gets every sample');
	$r = zed_run('zedperl', '-e', 'sub process_event { my ($event, $attr, $sample) = @_; print unpack("x16 L", $event), "\n" if !our $n++ }', "$data/sched.data");
	like($r->{err}, qr/^zedperl: sub process_event takes \(\$event, \$attr, \$sample, \.\.\.\): the script is run as perf does/, 'its own names show that it is perf\'s');
	my ($first) = perfs_lines('sched');
	is($r->{out}, (split /\|/, $first)[4] . "\n", '... and it is called');
	my $dump = 'sub process_event { print join(" ", map { unpack "H*", $_ // "" } @_[0, 2, 3]), "\n" }';
	my @all = split /^/, zed_run('zedperl', '--perf', '-e', $dump, "$data/rawsys_g.data")->{out};
	$r = zed_run('zedperl', '--perf', '--tail', 30, '-e', $dump, "$data/rawsys_g.data");
	is($r->{out}, join('', @all[-30 .. -1]), '--tail keeps the samples themselves (else: memory of others is read)');
	$r = zed_run('zedperl', '-e', 'sub process_event { my ($x) = @_; print "called\n" }', "$data/sched.data");
	is($r->{out}, '', 'a sub of zed\'s scripts with its name is not called');
	like($r->{err}, qr/^zedperl: sub process_event is only called in scripts for perf: use --perf, or load Perf::Trace::Core$/m, '... which is said');
}
{
	# Of a trace.dat it gets what perf record would have made of the event.
	my $r = zed_run('zedperl', '--perf', '-e', <<'EOT', 't/data/demo.dat');
sub trace_unhandled { our @args = @_ }
sub process_event {
	my ($event, $attr, $sample, $raw) = @_;
	my ($type, $misc, $size, $ip, $pid, $tid, $time, $cpu, $reserved, $period, $raw_size) = unpack 'L S S Q L L Q L L Q L', $event;
	my ($s_ip, $s_pid, $s_tid, $s_time) = unpack 'Q L L Q', $sample;
	my ($a_type, $a_size, $config, $p, $parts) = unpack 'L L Q Q Q', $attr;
	our ($n, @args, %seen);
	$seen{join ' ', $type, $size == length $event ? 'whole' : $size, $pid == $args[5] && $tid == $pid && $s_pid == $pid && $s_tid == $tid ? 'task' : "$pid $args[5]",
		$time == $args[3] * 1_000_000_000 + $args[4] && $s_time == $time ? 'time' : $time, $cpu == $args[2] ? 'cpu' : $cpu,
		substr($event, 52, length $raw) eq $raw && $raw_size >= length $raw ? 'raw' : $raw_size, $a_type, $a_size, length $attr, $parts,
		$config == unpack('S', $raw) ? 'id' : $config, Zed::field('common_type') == $config ? 'type' : ''}++;
}
sub trace_end { print map { "$_\n" } sort keys our %seen }
EOT
	is($r->{out}, "9 whole task time cpu raw 2 128 128 1415 id type\n", 'process_event on a trace.dat: the record that perf record would have made') or diag $r->{err};
}

# ---- zedperl -g --perf ----

for my $name (qw(sched sys_z)) {
	my $g = zed_run('zedperl', '-g', '--perf', "$data/$name.data");
	is("$g->{exit} $g->{err}", '0 ', '-g --perf');
	my $got = out_of('starter', "$data/$name.data", $g->{out});
	$got =~ s/\w+=//g;
	# The state has its name there.
	$got =~ s/^(sched::sched_switch .*), [^,]*(, \S+, \d+, \d+)$/$1, *$2/mg;
	my $want = join '', map {
		my ($event, $cpu, $s, $ns, $pid, $comm, $chain, undef, @f) = split /\|/, $_, -1;
		$f[3] = '*' if $event eq 'sched::sched_switch';
		sprintf("%-20s %5u %05u.%09u %8d %-20s %s\n", $event, $cpu, $s, $ns, $pid, $comm, join ', ', @f);
	} perfs_lines($name);
	same($got, $want, "$name: the script of -g --perf prints every event with what perf gives a handler");
}
{
	my $g = zed_run('zedperl', '-g', '--perf', 't/data/dynevents.dat');
	my $r = zed_run('zedperl', 't/data/dynevents.dat', spew("$dir/dyn.pl", $g->{out}));
	is("$r->{exit} $r->{err}", '0 ', 'handlers of events that somebody has named are called in its script too') or diag $g->{out};
	unlike($r->{out}, qr/^(?!\t)\S+ +\d+ \d+\.\d+ +\d+ \S+ +$/m, '... none comes to trace_unhandled');
}

# ---- modules ----

{
	my $lib = "$dir/lib/scripts/perl/Perf-Trace-Util/lib/Perf/Trace";
	system('mkdir', '-p', $lib) == 0 or die "mkdir\n";
	spew("$lib/$_.pm", "package Perf::Trace::$_; require XSLoader; XSLoader::load('Perf::Trace::$_'); 1;\n") for qw(Core Context Util);
	my $r = zed_run({ env => { PERF_EXEC_PATH => "$dir/lib" } }, 'zedperl', "$data/rawsys_g.data",
		spew("$dir/path.pl", "$head print \"ok \$INC[1]\\n\"; sub raw_syscalls::sys_exit {}"));
	is("$r->{out}$r->{err}", "ok $dir/lib/scripts/perl/Perf-Trace-Util/lib\n",
		'the modules are zedperl\'s even where perf\'s stand first in @INC (else: XSLoader dies)');
	is(zed_run('zedperl', '-e', 'require Perf::Trace::Core; print exists &flag_str ? "imported" : "not", "\n"; sub raw_syscalls::sys_exit { }',
		"$data/rawsys_g.data")->{out}, "not\n", 'require imports nothing');
	is(zed_run('zedperl', '-e', 'system q(printenv PERF_EXEC_PATH || echo none); sub raw_syscalls::sys_exit { }', "$data/rawsys_g.data")->{out},
		"none\n", 'the environment of what a script runs is not changed');
}

{
	my $got = out_of('util', "$data/sched.data", "use strict; use warnings;\n$head" . <<'EOT');
sub trace_begin {
	print join(' ', avg(10, 4), nsecs(3, 5), nsecs_secs(1500000000), nsecs_nsecs(1500000007), nsecs_usecs(1000123999)), "\n";
	print nsecs_str(1500000007), '|', nsecs_str(0), "\n";
	print_nsecs(12000000034);
	print "\n", trace_flag_str(0), '|', trace_flag_str(1), '|', trace_flag_str(31), '|', trace_flag_str(12), "\n";
	clear_term();
}
sub sched::sched_switch { }
EOT
	is($got, "2.5 3000000005 1 500000007 123\n    1.500000007|    0.000000000\n   12.000000034\n"
		. "NONE|IRQS_OFF|IRQS_OFF | IRQS_NOSUPPORT | NEED_RESCHED | HARDIRQ | SOFTIRQ|NEED_RESCHED | HARDIRQ\n\e[H\e[2J",
		'Perf::Trace::Util: all that perf documents or exports is there and right (perf: nsecs_str missing, nsecs_secs(1.5 s) is 1.5)');
	$got = out_of('context', "$data/sched.data", "$head our \$n; sub sched::sched_switch { $eight) = \@_;"
		. ' print join(" ", common_pc($context), common_flags($context), common_lock_depth($context)), "\n" if !$n++ }');
	my ($pc, $flags) = (grep { /^sched::sched_switch/ } perfs_lines('sched'))[0] =~ /pc=(\d+) flags=(\d+)/;
	is($got, "$pc $flags 0\n", 'Perf::Trace::Context: the common fields are those of the event');
}

{
	# The states of a task: the kernel's format, 0xff of it flags, 0x100 the mark of one that was preempted.
	my $got = out_of('flags', "$data/sched.data", "use warnings;\n$head" . <<'EOT');
sub trace_begin {
	print join('|', map { flag_str('sched::sched_switch', 'prev_state', $_) } 0, 1, 2, 3, 256, 257, 1026, 64), "\n";
	print defined flag_str('sched::sched_switch', 'prev_pid', 1) ? 'some' : 'none', defined flag_str('no::such', 'x', 1) ? 'some' : 'none', "\n";
	define_flag_field('my::own', 'f', ',');
	define_flag_value('my::own', 'f', 1, 'A');
	define_flag_value('my::own', 'f', 6, 'BC');
	print join('|', map { flag_str('my::own', 'f', $_) } 0, 1, 7, 2), "\n";
	define_symbolic_field('my::own', 's');
	define_symbolic_value('my::own', 's', 0, 'zero');
	define_symbolic_value('my::own', 's', 5, 'five');
	print join('|', map { symbol_str('my::own', 's', $_) // 'undef' } 0, 5, 7), "\n";
}
sub sched::sched_switch { }
EOT
	my @got = split /\n/, $got;
	is($got[0], 'R|S|D|S | D|R+|S+|D|P', 'flag_str: value 0 is R, the mark of preemption is there (perf: nothing, and undef)')
		or diag $got;
	is($got[1], 'nonenone', 'flag_str: undef for what has no table');
	is($got[2], '|A|A , BC|', 'define_flag_field, define_flag_value');
	is($got[3], 'zero|five|undef', 'define_symbolic_field, define_symbolic_value; undef for a number without a name');
}

# ---- the eight faults that perf has ----

# 2: memory does not grow: t/bench.  6: documentation.  7: the name of an event may be long; 8: what perf cannot say.
{
	my $r = zed_run('zedperl', '-e', "sub sched::sched_switch { $eight, \@f) = \@_; our \$n; print \"\$event_name\\n\" if !\$n++; }",
		"$data/sched.data");
	is("$r->{signal} $r->{out}", "0 sched::sched_switch\n", 'fault 1: a script without Perf::Trace::Core runs (perf: SIGSEGV)');
	$r = zed_run('zedperl', '--perf', '-e', "sub sched::sched_switch { $eight) = \@_; our \$n; print join(' ', Zed::ts() - \$common_secs * 1e9 - \$common_nsecs, Zed::field('prev_pid') == \$common_pid, Zed::pid() == \$common_pid), \"\\n\" if !\$n++; }",
		"$data/sched.data");
	is($r->{out}, "0 1 1\n", 'fault 8: time as one number, fields by name: what Zed has is there in perf\'s scripts too');
	$r = zed_run('zedperl', '--perf', '-e', 'sub sched::sched_switch { die "no\n" } sub trace_end { print "end\n" }', "$data/sched.data");
	is("$r->{exit} $r->{out}", "255 end\n", 'a die in a handler costs no results: trace_end is called (perf: it is not)');
}

# 4: what a handler of another kernel means.
{
	my (%last, @latencies);
	for (perfs_lines('sched')) {
		my ($event, $cpu, $s, $ns, undef, undef, undef, undef, @f) = split /\|/;
		my $now = $s * 1_000_000_000 + $ns;
		if ($event eq 'sched::sched_wakeup') {
			$last{$f[3]} = $now;
		} elsif ($event eq 'sched::sched_switch') {
			push @latencies, $now - $last{$cpu} if $last{$cpu};
			$last{$cpu} = 0;
		}
	}
	ok(@latencies > 1, 'the recording has wakeups');
	my $fields = '$comm, $pid, $prio, $success, $target_cpu) = @_;';
	my $r = zed_run('zedperl', '-i', "$data/sched.data", spew("$dir/wakeup.pl", "use warnings;\n$head" . <<"EOT"));
my (%last, \@l);
sub sched::sched_wakeup { $eight, $fields \$last{\$target_cpu} = nsecs(\$common_secs, \$common_nsecs); print "no\\n" if \$success != 1 }
sub sched::sched_switch { $eight) = \@_;
	push \@l, nsecs(\$common_secs, \$common_nsecs) - \$last{\$common_cpu} if \$last{\$common_cpu};
	\$last{\$common_cpu} = 0 }
sub trace_end { print "\@l\\n" }
EOT
	is($r->{out}, "@latencies\n", 'fault 4: a handler for a kernel before 5.14 gets its fields by their names (perf: no wakeup at all)');
	is($r->{err} =~ tr/\n//, 1, '... which is said once') or diag $r->{err};
	like($r->{err}, qr/sched_wakeup was written for \w+ of another kernel.* by name; success is 1$/m, '... with what is gone');
	my $old = $eight =~ s/, \$common_callchain//r;
	$r = zed_run('zedperl', '-i', "$data/sched.data", spew("$dir/seven.pl", "$head sub sched::sched_wakeup { $old, \$comm, \$pid, \$prio) = \@_; our \$n; print \"\$comm \$pid \$prio\\n\" if !\$n++ }"));
	my ($want) = map { join ' ', (split /\|/)[8 .. 10] } grep { /^sched::sched_wakeup\|/ } perfs_lines('sched');
	is($r->{out}, "$want\n", 'a handler as perf\'s manual shows it, with seven arguments first, gets its fields (perf: shifted by one)');
	like($r->{err}, qr/takes no \$common_callchain/, '... which is said');
	# Other names are their author's own.
	for (['another order', '$pid, $comm'], ['other names', '$who, $number']) {
		my ($what, $names) = @$_;
		my ($first) = $names =~ /(\$\w+)/;
		$r = zed_run('zedperl', '-i', "$data/sched.data", spew("$dir/own.pl", "$head sub sched::sched_wakeup { $eight, $names) = \@_; our \$n; print \"$first\\n\" if !\$n++ }"));
		is("$r->{out}$r->{err}", (split / /, $want)[0] . "\n", "$what: by place, without a word");
	}
}

# 3, and 7: leftover bits, and names that perf's buffer of 256 bytes has no room for.
{
	my $got = out_of('leftover', "$data/sys_z.data", "use warnings;\n$head" . <<'EOT');
sub trace_begin {
	define_flag_field('mine::e', 'f', '|');
	define_flag_value('mine::e', 'f', 1, 'ONE');
	define_flag_value('mine::e', 'f', 6, 'SIX');
	print join(' ', map { flag_str('mine::e', 'f', $_) } 1, 9, 4), "\n";
}
sub syscalls::sys_enter_mmap { }
EOT
	is($got, "ONE ONE \n", 'flags that a script defines: as perf shows them');
	my $w = Write::Perf->new;
	my $long = 'e' . 'x' x 253;
	$w->format(mini => $Write::Perf::TICK =~ s/^name: tick$/name: $long/mr);
	$w->attr(type => 2, config => 300, parts => [qw(IP TID TIME CPU PERIOD RAW)], ids => [7], name => "mini:$long");
	$w->sample(0, time => 1000, cpu => 0, tid => 5, raw => $w->tick(5, 77));
	my $path = $w->write("$dir/long.data");
	my $r = zed_run('zedperl', '-i', $path, spew("$dir/long.pl", "$head use Zed handlers => ['mini']; *{'mini::$long'} = sub { $eight, \$n, \$who) = \@_; print length \$event_name, ' ', \$n, qq(\\n) };"));
	is($r->{out}, (6 + length $long) . " 77\n", 'an event whose sub has a name of 260 bytes is handled (perf: its buffer overflows)') or diag $r->{err};
}

# ---- hostile recordings, for a script of perf's ----

{
	my $w = Write::Perf->new;
	$w->format(mini => $Write::Perf::TICK);
	my @parts = qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW);
	# One id for two events: the last one has it; and a thousand more without any.
	$w->attr(type => 2, config => 300, parts => \@parts, ids => [7], name => "mini:ti\nck\e[2J");
	$w->attr(type => 2, config => 300, parts => \@parts, ids => [7], name => 'mini:tick');
	$w->attr(type => 1, config => $_, parts => \@parts, ids => [], name => "e$_\n\e]0;x\a") for 1 .. 1000;
	$w->mmap(pid => 5, at => 0x1000, len => 0x1000, off => 0, name => "/a\n\e[2J" . '%s%n' x 100, time => 900);
	$w->sample(0, time => 1000, cpu => 0, tid => 5, chain => [18446744073709551104, 0x1000], raw => $w->tick(5, 1));
	$w->sample(0, time => 1001, cpu => 4_000_000_000, tid => 5, chain => [(18446744073709550976) x 3], raw => $w->tick(5, 2));
	$w->record($_, 0xffff, '') for 1 .. 22, 64 .. 67, 69 .. 86, 1000;
	my $path = $w->write("$dir/hostile.data");
	my $r = zed_run('zedperl', '-i', $path, spew("$dir/hostile.pl", "$head sub process_event { my (\$e, \$a, \$s, \$raw) = \@_; print join(' ', map { length } \@_), qq(\\n) }"
		. " sub trace_unhandled { my (\$e, \$x, \$cpu, \$s, \$ns, \$pid, \$comm, \$chain) = \@_; print scalar(\@\$chain), ' ', \$chain->[0] ? length \$chain->[0]{dso} : '-', qq(\\n) }"));
	like($r->{out}, qr/\A1 407\n\d+ 128 144 \d+\n0 -\n\d+ 128 144 \d+\n\z/, 'names with control characters, ids twice, cut records: what is intact is handled') or diag $r->{out}, $r->{err};
	is($r->{signal}, 0, '... to the end');
	unlike($r->{err}, qr/[^\n -~]/, '... and no control character of the file is printed');
	my @lines = split /\n/, $r->{err};
	ok(@lines >= 1 && @lines <= 102, '... which is said, in a hundred lines at most') or diag scalar @lines;
}

# ---- counts, and other sources ----

{
	my $r = zed_run('zedperl', 't/data/demo.dat', spew("$dir/dat.pl", "use warnings;\n$head our %n; sub trace_unhandled { $eight, \@f) = \@_; \$n{\$event_name}++ } sub trace_end { print \"\$_ \$n{\$_}\\n\" for sort keys %n }"));
	my %zed = map { /^\s*(\d+) (\S+):(\S+)/ ? ("$2::$3" => $1) : () } split /\n/, zed_run('zedperl', '-t', 't/data/demo.dat')->{out};
	my %perf = map { split / / } split /\n/, $r->{out};
	ok(keys %perf > 1, 'a trace.dat has events for a script of perf\'s');
	is("$r->{exit}$r->{err}", '0', '... without a word');
	$r = zed_run('zedperl', 't/data/demo.dat', spew("$dir/idle.pl", "$head our %n; sub sched::sched_switch { $eight) = \@_; \$n{\$common_comm}++ if !\$common_pid } sub trace_end { print join(' ', sort keys %n), \"\\n\" }"));
	is($r->{out}, "swapper\n", 'the idle task is called as perf calls it');
}

done_testing();
