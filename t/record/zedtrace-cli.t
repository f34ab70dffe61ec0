#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# zedtrace before it touches the kernel: options, what is refused, and commands.  The kernel is a directory made
# here (ZED_TRACEFS), so that no rights are needed.
use strict;
use warnings;

use Test::More;
use Write::FakeKernel;
use Run::Program;

my $tmp = zed_tmp();
my $kernel = fake_kernel();
my @home = (env => { ZED_TRACEFS => $kernel });

# ---- words that are no events

my $r;
$r = zedtrace('zoo', 'sleep', '1');
is("$r->{exit} $r->{err}", "2 zedtrace: this kernel has no event 'sleep'; a command stands behind --: zedtrace zoo -- sleep ...\n",
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
	[qr/-z zlib does not go with -h: what is sent is packed with zstd/, '-h', 'localhost', '-z', 'zlib', 'zoo'],
	[qr/--max-size does not go with -o -/, '-o', '-', '--max-size', '1M', 'zoo'],
	[qr/-z zlib does not go with -o -: a stream is packed with zstd/, '-o', '-', '-z', 'zlib', 'zoo'],
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
	[qr/--rotate: '10' is neither a size \(64K, .* nor a time/, '--rotate', '10', 'zoo'],
	[qr/--rotate: '10m' is neither/, '--rotate', '10m', 'zoo'],
	[qr/--rotate: '0s' is neither/, '--rotate', '0s', 'zoo'],
	[qr/--rotate: '17179869184G' is neither/, '--rotate', '17179869184G', 'zoo'],
	[qr/--rotate does not go with -l/, '--rotate', '10M', '-l'],
	[qr/--rotate does not go with -o -/, '-o', '-', '--rotate', '10M', 'zoo'],
	[qr/--rotate does not go with -h/, '-h', 'localhost', '--rotate', '10M', 'zoo'],
	[qr/--max-size does not go with --rotate: --keep/, '--max-size', '1M', '--rotate', '10M', 'zoo'],
	[qr/--flight: '10' is neither/, '--flight', '10', 'zoo'],
	[qr/--flight does not go with -o -/, '--flight', '10s', '-o', '-', 'zoo'],
	[qr/--flight does not go with -h/, '--flight', '10s', '-h', 'localhost', 'zoo'],
	[qr/--flight keeps the newest, --rotate everything/, '--flight', '10s', '--rotate', '1M', 'zoo'],
	[qr/--max-size does not go with --flight/, '--flight', '10s', '--max-size', '1M', 'zoo'],
	[qr/-b does not go with --flight SIZE/, '--flight', '10M', '-b', '1M', 'zoo'],
	[qr/--when writes what --flight/, '--when', 'zoo:x', 'zoo'],
	[qr/--flight does not go with -t/, '--flight', '10s', '-t'],
	[qr/--cleanup and --extract are different/, '--extract', 'x', '--cleanup'],
	[qr/-d does not go with --extract/, '--extract', 'x', '-d', '1'],
	[qr/-o -: a trace.dat is not written to a pipe/, '--extract', 'x', '-o', '-'],
	[qr/an event does not go with --instance: who made it/, '--instance', 'x', 'zoo'],
	[qr/--instance does not go with --extract/, '--instance', 'x', '--extract', 'y'],
	[qr/-p does not go with a recording: it is the server's/, '-p', '4711', 'zoo'],
	[qr/-p does not go with a recording: write -h HOST:PORT/, '-h', 'localhost', '-p', 'http', 'zoo'],
	[qr/--tracer does not go with -l/, '--tracer', 'function', '-l'],
	[qr/--tracer does not go with --instance/, '--tracer', 'function', '--instance', 'x'],
	[qr/--tracer: the name is empty/, '--tracer', '', 'zoo'],
	[qr/--notrace chooses functions of a tracer: --tracer function/, '--notrace', 'x', 'zoo'],
	[qr/-T: '=zoo:x': -T takes no value: --stack=zoo:x does/, '-T=zoo:x', 'zoo'],
	[qr/-r: '0' is no priority: 1 to 99/, '-r', '0', 'zoo'],
	[qr/-r: '100' is no priority/, '-r', '100', 'zoo'],
	[qr/--buffer-percent: '101' is no percentage/, '--buffer-percent', '101', 'zoo'],
	[qr/--buffer-percent does not go with --instance/, '--buffer-percent', '5', '--instance', 'x'],
	[qr/-r does not go with --flight/, '-r', '5', '--flight', '1M', 'zoo'],
	[qr/--date does not go with -l/, '--date', '-l'],
	[qr/--keep is about the files of --rotate/, '--keep', '2', 'zoo'],
	[qr/--keep: '0' is no number of files/, '--keep', '0', '--rotate', '10M', 'zoo'],
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

done_testing();
