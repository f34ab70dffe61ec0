#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# zedtrace before it touches the kernel: options, what is refused, the listing, and what it takes from a
# script.  The kernel is a directory made here (ZED_TRACEFS), so that no rights are needed.
use strict;
use warnings;

use Test::More;
use File::Path qw(make_path);
use ZedRun;

my $tmp = zed_tmp();

sub put
{
	my ($path, $text) = @_;

	make_path($path =~ s{/[^/]*$}{}r);
	open my $out, '>:raw', $path or die "$path: $!\n";
	print $out $text;
	close $out or die "$path: $!\n";
}

# ---- a kernel of two subsystems

my $kernel = "$tmp/tracing";
my $common = <<'END';
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;
END

sub event
{
	my ($system, $name, $id, $fields, $enable, $filter) = @_;
	my $dir = "$kernel/events/$system/$name";

	put("$dir/format", "name: $name\nID: $id\nformat:\n$common\n$fields\nprint fmt: \"\"\n");
	put("$dir/enable", "$enable\n") if defined $enable;
	put("$dir/filter", "$filter\n") if defined $filter;
}

put("$kernel/events/header_page", <<'END');
	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:16;	size:4080;	signed:0;
END
put("$kernel/available_events", "zoo:zoo_open\nark:ark_rain\nzoo:zoo_close\nark:ark_dove\n");
event('zoo', 'zoo_open', 311, <<'END', '1', 'beast == 3 && name != "yak"');
	field:u32 beast;	offset:8;	size:4;	signed:0;
	field:char name[16];	offset:12;	size:16;	signed:0;
	field:long weight;	offset:32;	size:8;	signed:1;
END
event('zoo', 'zoo_close', 312, "\tfield:__data_loc char[] why;\toffset:8;\tsize:4;\tsigned:0;\n",
      '0', 'none');
event('ark', 'ark_rain', 41, "\tfield:u8 days;\toffset:8;\tsize:1;\tsigned:0;\n", '0*', "days > 40\n");
event('ark', 'ark_dove', 42, "\tfield:int found;\toffset:8;\tsize:4;\tsigned:1;\n");

my @home = (env => { ZED_TRACEFS => $kernel });

sub zedtrace
{
	my @args = @_;
	my %o = ref $args[0] eq 'HASH' ? %{+shift @args} : ();

	return zed_run({ @home, %o }, 'zedtrace', @args);
}

# ---- the listing

is(zedtrace('-t')->{out}, <<'END', '-t lists subsystems and their events, sorted, in the shape of 2009 (else: scripts break)');
Available tracepoints:

ark
    ark:ark_dove
    ark:ark_rain
zoo
    zoo:zoo_close
    zoo:zoo_open
END

is(zedtrace('-t', 'zoo:*open', 'ark::ark_rain')->{out}, <<'END', '-t PATTERN... lists these only (else: 2300 lines)');
Available tracepoints:

ark
    ark:ark_rain
zoo
    zoo:zoo_open
END

is(zedtrace('-t', '-v')->{out}, <<'END', '-t -v tells id, size, state, fields, filter of each (else: nobody can write a filter)');
Available tracepoints:

ark
    ark:ark_dove 42 12 disabled
      common_type unsigned short 0 2
      common_flags unsigned char 2 1
      common_preempt_count unsigned char 3 1
      common_pid int 4 4
      found int 8 4
      filters:
        none
    ark:ark_rain 41 9 disabled
      common_type unsigned short 0 2
      common_flags unsigned char 2 1
      common_preempt_count unsigned char 3 1
      common_pid int 4 4
      days u8 8 1
      filters:
        days > 40
zoo
    zoo:zoo_close 312 12 disabled
      common_type unsigned short 0 2
      common_flags unsigned char 2 1
      common_preempt_count unsigned char 3 1
      common_pid int 4 4
      why __data_loc char[] 8 4
      filters:
        none
    zoo:zoo_open 311 40 enabled
      common_type unsigned short 0 2
      common_flags unsigned char 2 1
      common_preempt_count unsigned char 3 1
      common_pid int 4 4
      beast u32 8 4
      name char[16] 12 16
      weight long 32 8
      filters:
        beast == 3 && name != "yak"
END

my $r = zedtrace('-t', 'ark:ark_dvoe');
is($r->{exit}, 2, '-t of what is not there is an error (else: an empty list looks like a kernel without it)');
is($r->{out}, '', '... without a listing');
like($r->{err}, qr/\Azedtrace: .*ark_dvoe.*mean ark:ark_dove\?/, '... that names the nearest (else: the user greps)');
is(@{$r->{lines}}, 1, '... in one line');

$r = zedtrace('zoo', 'sleep', '1');
is("$r->{exit} $r->{err}", "2 zedtrace: this kernel has no event 'sleep'; a command stands behind --: zedtrace zoo -- sleep\n",
	'a command without -- (else: the user looks for an event that was none)');
for (['-e', 'zoo'], ['record', '-e', 'zoo']) {
	$r = zedtrace(@$_);
	is("$r->{exit} $r->{lines}[0]", '2 zedtrace: no option -e: events are named without it: zedtrace sched block:block_rq_issue',
		"zedtrace @$_, as other recorders want it: how it is written here");
}
for ('zoo:', 'zoo::') {
	$r = zedtrace($_);
	is("$r->{exit} $r->{err}", "2 zedtrace: '$_' names no event: write zoo for all of that system, or zoo:EVENT\n",
		"$_: what it may have been (else: a system that is there is said not to be)");
}

put("$kernel/events/ark/ark_dove/format", "nonsense\n");
$r = zedtrace('-t', '-v', 'ark');
is($r->{exit}, 0, 'one format that cannot be read does not end -t -v (else: no kernel with a broken module is listed)');
like($r->{out}, qr/^    ark:ark_dove\n    ark:ark_rain 41 9 disabled$/m, '... the others are told');
like($r->{err}, qr/\Azedtrace: .*ark_dove.*\n\z/, '... and which it was is said');

# ---- without tracefs, without rights

$r = zedtrace({ env => { ZED_TRACEFS => "$tmp/nowhere" } }, '-t');
is($r->{exit}, 2, 'no tracefs: exit 2 (else: a script takes it for an empty kernel)');
is(@{$r->{lines}}, 1, '... one line');
like($r->{err}, qr/\Azedtrace: .*nowhere/, '... that names where it was looked for');

SKIP: {
	skip 'not root, so there is nobody to become', 4 if $>;
	my $uid = getpwnam 'nobody';
	skip 'there is no user nobody', 4 if !defined $uid;
	my $prog = zed_bin('zedtrace');
	my %as = (memory => 0, env => { ZED_TRACEFS => '' }, child => sub { $) = "$uid $uid"; $( = $uid; $< = $> = $uid });

	delete $as{env}{ZED_TRACEFS};
	# A program that is out of the reach of nobody has to be brought there.
	chmod 0755, $tmp;
	system('cp', $prog, "$tmp/zedtrace") == 0 or die "cp $prog\n";
	chmod 0755, "$tmp/zedtrace";
	my $dir = "$tmp/nobody";
	mkdir $dir and chown $uid, -1, $dir;
	my $inside = $as{child};
	for (['-t'], ['sched', '-d', '1', '-o', "$dir/x.dat"]) {
		$r = zed_run({ %as, child => sub { $inside->(); chdir $dir } }, "$tmp/zedtrace", @$_);
		is($r->{exit}, 2, "zedtrace @$_ without rights: exit 2 (else: it pretends)");
		is(@{$r->{lines}}, 1, '... one line that says what is missing (else: a wall of errors)') or diag($r->{err});
	}
	is(join(' ', glob "$dir/*"), '', '... and nothing is left behind');
}

# ---- options

$r = zedtrace();
is($r->{exit}, 2, 'nothing said: exit 2');
like($r->{err}, qr/\Ausage: zedtrace /, '... and the usage (else: the user looks at an empty screen)');
cmp_ok(@{$r->{lines}}, '<', 12, '... the short one');
is($r->{out}, '', '... on standard error');

$r = zedtrace('--help');
is($r->{exit}, 0, '--help ends well');
like($r->{out}, qr/^  -h, --host HOST/m, '-h is the host (else: the command of 2009 prints help)');
like($r->{out}, qr/^      --help  /m, '... and --help has no letter (else: the help promises what is not)');
unlike($r->{out}, qr/--input|--relative|--raw-ts/, 'options of the readers are not offered (else: they are tried)');
like(zedtrace('--version')->{out}, qr/\Azedtrace \d/, '--version tells it');

# [what must be said, arguments...]: each is refused with 2, names what to write, and writes nothing.
my @refused = (
	[qr/no event is named.*zedtrace -t/, '-d', '1'],
	[qr/no command behind --/, 'zoo', '--'],
	[qr/-t and -l are different/, '-t', '-l'],
	[qr/--recover and --convert are different/, '--recover', 'x', '--convert', 'y'],
	[qr/-o does not go with -t.*>FILE/, '-t', '-o', 'x'],
	[qr/-d does not go with -l: .*zedtrace \[OPTION\]/, '-l', '-d', '1'],
	[qr/an event does not go with -l/, '-l', 'zoo'],
	[qr/a command does not go with -t/, '-t', '--', 'ls'],
	[qr/-p does not go with a recording: write -h HOST:PORT/, '-h', 'localhost', '-p', '7', 'zoo'],
	[qr/-p does not go with a recording: .*zedtrace -l/, '-p', '7', 'zoo'],
	[qr/-D does not go with a recording: .*zedtrace -l/, '-D', '.', 'zoo'],
	[qr/-h does not go with -l/, '-l', '-h', 'localhost'],
	[qr/-o x does not go with -l: .*-o -/, '-l', '-o', 'x'],
	[qr/-D does not go with -o -/, '-l', '-o', '-', '-D', '.'],
	[qr/-o does not go with -h: .*zedtrace -l/, '-h', 'localhost', '-o', 'x', 'zoo'],
	[qr/--max-size does not go with -h: .*zedtrace -l --max-size/, '-h', 'localhost', '--max-size', '1M', 'zoo'],
	[qr/-z does not go with -h/, '-h', 'localhost', '-z', 'zstd', 'zoo'],
	[qr/--max-size does not go with -o -/, '-o', '-', '--max-size', '1M', 'zoo'],
	[qr/-z does not go with -o -: .*\| zstd/, '-o', '-', '-z', 'zstd', 'zoo'],
	[qr/-c needs a task or a command/, '-c', 'zoo'],
	[qr/-o -: a trace.dat is not written to a pipe/, '--recover', 'x', '-o', '-'],
	[qr/-o -: a trace.dat is not written to a pipe/, '--convert', 'x', '-o', '-'],
	[qr/-z does not go with --recover/, '--recover', 'x', '-z', 'zstd'],
	[qr/-d: 0 seconds record nothing/, '-d', '0', 'zoo'],
	[qr/-d: 'soon' is no time/, '-d', 'soon', 'zoo'],
	[qr/-b: '12Q' is no size/, '-b', '12Q', 'zoo'],
	[qr/-b: '-1' is no size/, '-b', '-1', 'zoo'],
	[qr/-b: '9999999999G' is /, '-b', '9999999999G', 'zoo'],
	[qr/--max-size: '0' is no size/, '--max-size', '0', 'zoo'],
	[qr/--max-size: '18446744073709551616' is no size/, '--max-size', '18446744073709551616', 'zoo'],
	[qr/-z: no compression 'lz4'.*none, zlib and zstd/, '-z', 'lz4', 'zoo'],
	[qr/-P: '1,,2' is no list/, '-P', '1,,2', 'zoo'],
	[qr/-P: '0' is no list/, '-P', '0', 'zoo'],
	[qr/-P: there is no process 2147483646/, '-P', '2147483646', 'zoo'],
	[qr/--exclude: there is no process 2147483646/, '--exclude', '2147483646', 'zoo'],
	[qr/--cpu: '1-' is no list of CPUs/, '--cpu', '1-', 'zoo'],
	[qr/--cpu: '' is no list of CPUs/, '--cpu', '', 'zoo'],
	[qr/--slack: 'much' is no time/, '--slack', 'much', 'zoo'],
	[qr/-o: the name is empty/, '-o', '', 'zoo'],
	[qr/no option --max-sise; did you mean --max-size/, '--max-sise', '1M', 'zoo'],
	[qr/-h needs an argument/, '-h'],
);
my $here = "$tmp/here";
mkdir $here or die "$here: $!\n";
my $bin = zed_bin('zedtrace');
$bin = POSIX::getcwd() . "/$bin" if $bin !~ m{^/};
for (@refused) {
	my ($said, @args) = @$_;

	$r = zed_run({ @home, child => sub { chdir $here } }, $bin, @args);
	is($r->{exit}, 2, "zedtrace @args is refused (else: it does something else than was asked)");
	like($r->{err}, qr/\Azedtrace: $said/, '... and says what to write');
}
is(join(' ', glob "$here/*"), '', 'what is refused writes nothing');

put("$tmp/stream", "not a stream\n");
$r = zedtrace('--convert', "$tmp/stream", '-o', "$tmp/stream");
is($r->{exit}, 2, '--convert onto itself is refused (else: the stream is lost)');
is(slurp("$tmp/stream"), "not a stream\n", '... and leaves it');

SKIP: {
	skip 'there is no script(1), or no /dev/pts, to make a terminal', 1
		if system('script -qec true /dev/null </dev/null >/dev/null 2>&1');
	my $said = `ZED_TRACEFS='$kernel' script -qec '"$bin" zoo -o -' /dev/null </dev/null 2>&1`;
	like($said, qr/nothing for a terminal: .*\| zedperl -i -/, 'a stream is not written to a terminal (else: it beeps and hangs)');
}

# ---- the command

for (['127', "$tmp/no-such", qr/no-such: cannot be executed/], ['127', 'no-such-command-here', qr/command not found/],
     ['126', "$tmp/stream", qr/cannot be executed: Permission denied/], ['126', $tmp, qr/cannot be executed/]) {
	my ($status, $command, $said) = @$_;

	$r = zed_run({ @home, child => sub { chdir $here } }, $bin, 'zoo', '--', $command);
	is($r->{exit}, $status, 'a command that cannot be executed: ' . "$status, as of a shell (else: scripts cannot tell)");
	like($r->{err}, qr/\Azedtrace: .*$said/, '... is said');
	is(@{$r->{lines}}, 1, '... in one line, before anything is begun');
}
# Nothing can be recorded in a directory that is no tracefs, so the command must not have run.
$r = zed_run({ @home, child => sub { chdir $here } }, $bin, 'zoo', '-d', '1', '--', 'touch', "$here/ran");
is($r->{exit}, 2, 'a session that cannot be made: exit 2');
ok(!-e "$here/ran", '... and the command does not run (else: it runs unrecorded)');
cmp_ok($r->{seconds}, '<', 5, '... nor is it waited for');
is(join(' ', glob "$here/*"), '', '... and no file is begun');

# ---- what a script wants: its events that this kernel has not are said one by one

sub wants
{
	my ($text) = @_;

	put("$tmp/x.pl", $text);
	my $said = zedtrace('--for', "$tmp/x.pl", '-o', "$tmp/x.dat")->{err};
	return join ' ', $said =~ /x\.pl: .*?\b((?:no|so|do)_\w+:\w+)/g;
}

is(wants("#!/usr/bin/env zedperl\n# zedtrace: no_a:x do_b:y\nsub no_c::z { }\n"), 'no_a:x do_b:y',
   'a line "# zedtrace:" wins (else: a script cannot ask for more than it handles)');
is(wants("# zedtrace: no_a:x\n# zedtrace: no_b:y no_a:x\n"), 'no_a:x no_b:y', 'several such lines are one list');
is(wants("sub no_a::x\n{\n}\nsub no_b::y { 1 }  sub no_c::z { }\n\tsub\tdo_d::w(\$) {}\n"), 'no_a:x no_b:y no_c:z do_d:w',
   'subs are found wherever a statement begins (else: their events are missing)');
is(wants("sub no_a::x {}\n=pod\n\nsub no_b::y {}\n# zedtrace: no_z:z\n\n=cut\n\nsub no_c::z {}\n"), 'no_a:x no_c:z',
   'POD is no code (else: an example in the manual is recorded)');
is(wants("sub no_a::x {} # or {; sub no_b::y {}\n# or; sub no_c::z {}\n"), 'no_a:x', 'comments are no code');
is(wants("sub no_a::x {}\n__END__\nsub no_b::y {}\n"), 'no_a:x', 'what follows __END__ is no code');
is(wants("sub no_a::x {}\n__DATA__\n# zedtrace: no_b:y\n"), 'no_a:x', 'what follows __DATA__ is no code');
is(wants("print <<'E', <<~\"F\";\nsub no_a::x {}\nE\nF\nsub no_b::y { \$n = 1 <<N; }\nsub no_c::z {}\n"), 'no_b:y no_c:z',
   'here-documents are no code, and a shift is none (else: either too much or too little)');
is(wants("sub trace_begin {}\nsub main::helper {}\nsub no_a::b::c {}\nsub no_d::e {}\nsub no_d::e {}\n"), 'no_d:e',
   'helpers are no events, and each event is asked for once');

# Zed::on: each of these has one event, in this order.
my @on = (
	["Zed::on('no_a:x', sub {});", 'no_a:x', 'a call'],
	["my \$id = Zed::on('no_a:x', args => [], sub {}); Zed::on(\"no_b:y\" => sub {})", 'no_a:x no_b:y', 'calls in expressions'],
	["Zed::on 'no_a:x', sub {};", 'no_a:x', 'without parentheses'],
	["Zed::on\n\t'no_a:x', sub {}", 'no_a:x', 'with the event on the next line'],
	["Zed::on(\n\t# the first\n\t'no_a:x',\n\tsub {});", 'no_a:x', 'over several lines'],
	["Zed::on(q(no_a:x), sub {}); Zed::on(qq{no_b:y}, sub {}); Zed::on(q/no_c:z/, sub {})", 'no_a:x no_b:y no_c:z', 'q and qq'],
	["Zed::on('no_a::x', sub {}); Zed::on('no_b:y*', sub {})", 'no_a: no_b:y', 'other ways to write events'],
	["# Zed::on('no_a:x', sub {})\nZed::on('no_b:y', sub {}); # Zed::on('no_c:z')", 'no_b:y', 'comments are no calls'],
	["=pod\n\nZed::on('no_a:x', sub {})\n\n=cut\n\nZed::on('no_b:y', sub {})", 'no_b:y', 'nor is POD'],
	["print \"Zed::on('no_a:x')\"; my \$s = 'Zed::on(\"no_b:y\")'; Zed::on('no_c:z', sub {})", 'no_c:z', 'nor are strings'],
	["print 'it isn\\'t', \$', \"\\\"\"; Zed::on('no_a:x', sub {})", 'no_a:x', 'quotes in and outside of strings'],
	["sub f { isn't(1) } Zed::on('no_a:x', sub {})", 'no_a:x', "an old package's quote begins no string"],
	["my \$x = 'no_z:z'; Zed::on(\$x, sub {}); Zed::on(\"no_y:\$x\", sub {}); Zed::off('no_x:x'); xZed::on('no_w:w'); Zed::onto('no_v:v'); Zed::on('no_a:x', sub {})",
	 'no_a:x', 'what is not known before the script runs is not guessed'],
	["on('no_a:x', sub {}); Zed::on('no_b:y', sub {})", 'no_b:y', 'on is anybody\'s'],
	["use Zed qw(ts on);\non('no_a:x', sub {}); \$obj->on('no_z:z'); \$on{on} = { on => 'no_y:y' }; on 'no_b:y', sub {}", 'no_a:x no_b:y',
	 '... unless it comes from Zed'],
	["use Zed ':all';\non('no_a:x', sub {})", 'no_a:x', 'by :all, too'],
	["use Zed 'ts';\non('no_z:z', sub {}); Zed::on('no_a:x', sub {})", 'no_a:x', 'use Zed without on'],
	["sub no_a::x {}\nZed::on('no_b:y', sub {});\nZed::on('no_a:x', sub {});", 'no_a:x no_b:y', 'subs and calls, each event once'],
);
for (@on) {
	my ($code, $words, $what) = @$_;
	put("$tmp/x.pl", "$code\n");
	my $said = zedtrace('--for', "$tmp/x.pl", '-o', "$tmp/x.dat")->{err};
	is(join(' ', $said =~ /x\.pl: [^\n]*?\b(no_\w+:\w*)/g), $words, "Zed::on: $what (else: its event is not recorded, or too much)");
}

put("$tmp/x.pl", "sub trace_unhandled { }\n");
$r = zedtrace('--for', "$tmp/x.pl");
is($r->{exit}, 2, 'a script that names no events is refused (else: an empty recording)');
like($r->{err}, qr/\Azedtrace: \S*x\.pl: names no events: add a line '# zedtrace: EVENTS' or name them: zedtrace EVENTS$/m,
     '... with what to add');
put("$tmp/x.pl", "sub no_a::x { }\n");
$r = zedtrace('--for', "$tmp/x.pl");
is($r->{exit}, 2, 'a script of another kernel is refused');
like($r->{err}, qr/x\.pl: this kernel has none of the events/, '... and that is said');
$r = zedtrace('--for', "$tmp/none.pl");
is($r->{exit}, 2, 'a script that is not there');
like($r->{err}, qr/\Azedtrace: \S*none\.pl: .*No such file/, '... is named');
$r = zedtrace('--for', $tmp);
like($r->{err}, qr/is a directory/, 'a directory is no script');
$r = zedtrace({ time => 10 }, '--for', '/dev/zero');
is($r->{exit}, 2, 'a script without end is not read without end (else: memory runs out)');

# ---- stable events: what this kernel has for them

my $lacks = qr/this kernel has nothing for the stable event/;
my @offers;

# What zedtrace -t lists of a kernel that offers @offers, for these words.
sub stands_for
{
	my $at = "$tmp/offers";

	make_path("$at/events");
	put("$at/available_events", join '', map { "$_\n" } @offers);
	my $r = zed_run({ env => { ZED_TRACEFS => $at } }, 'zedtrace', '-t', @_);
	return $r->{exit} ? "exit $r->{exit}: $r->{err}" : join ' ', $r->{out} =~ /^    (\S+)$/mg;
}

@offers = qw(sched:sched_switch sched:sched_wakeup sched:sched_process_fork power:cpu_idle exceptions:page_fault_user
	exceptions:page_fault_kernel irq:softirq_raise);
is(stands_for('sched:switch', 'sched:process_fork'), 'sched:sched_process_fork sched:sched_switch',
   'the names of 2009 (else: the announcement\'s own line is refused)');
is(stands_for('sched::switch'), 'sched:sched_switch', '... as a script writes them');
is(stands_for('page:fault'), 'exceptions:page_fault_kernel exceptions:page_fault_user',
   'every source of a stable event (else: half of its records are missing)');
is(stands_for('power:idle'), 'power:cpu_idle', 'of a source\'s alternatives the one that is there');
push @offers, 'power:power_start';
is(stands_for('power:idle'), 'power:cpu_idle', '... the first one where both are (else: each happens twice)');
@offers = qw(power:power_start power:power_end sched:switch sched:sched_switch softirq:odd);
like(stands_for('power:idle'), qr/power:power_start/, '... on an old kernel another one (else: it needs the newest)');
is(stands_for('sched:switch'), 'sched:switch', 'a raw event of the name wins (else: it cannot be had)');
like(stands_for('sched:process_fork'), qr/\Aexit 2: zedtrace: $lacks sched:process_fork: it lacks sched:sched_process_fork\n\z/,
     'what this kernel has nothing for is said');
like(stands_for('block:unplug_timer'), qr/\Aexit 2: zedtrace: $lacks block:unplug_timer: it lacks block:block_unplug_timer \(.+\)\n\z/,
     '... with the reason, where later kernels have dropped it');
like(stands_for('sched:proces_fork'), qr/\Aexit 2: .*did you mean sched:process_fork\?/, 'a mistyped one: the nearest is named');
like(stands_for('page'), qr/\Aexit 2: .*named in full: page:fault/, 'a system of stable events alone: what to write');
is(stands_for('softirq'), 'softirq:odd', 'a raw system alone is that system');
like(stands_for('page:*'), qr/\Aexit 2: zedtrace: this kernel has no event 'page:\*'/, 'patterns are for raw events');

@offers = qw(sched:sched_switch);
put("$tmp/offers/available_events", "sched:sched_switch\n");
put("$tmp/x.pl", "sub sched::switch { }\nsub sched::wakeup { }\nsub softirq::raise { }\n");
$r = zed_run({ env => { ZED_TRACEFS => "$tmp/offers" } }, 'zedtrace', '--for', "$tmp/x.pl", '-o', "$tmp/x.dat");
is(join(' ', $r->{err} =~ /x\.pl: $lacks (\S+:\w+)/g), 'sched:wakeup softirq:raise',
   'a script of stable subs: what it cannot get is said (else: its sums are 0 and nobody knows why)');
$r = zed_run({ env => { ZED_TRACEFS => "$tmp/offers" } }, 'zedtrace', '-F', 'sched:switch: prev_pid == 0', 'sched:switch', '-o', "$tmp/x.dat");
is($r->{exit}, 2, 'a kernel\'s filter cannot name a stable event');
like($r->{err}, qr/\Azedtrace: -F .*sched:switch is a stable event, .*zedtrace -t -v sched:switch/, '... and what to write is said');

done_testing();
