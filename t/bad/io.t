# SPDX-License-Identifier: GPL-2.0-or-later
#
# When the system, not the file, is at fault; and when the user is: one line each, that says what to do.
# Without it an error of the disk passes for the end of a trace.
#
# of: base/input.c programs reader/open.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Write::Perf;
use Files;
use Run::Program;

my $dir = zed_tmp();
my $shim = ($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/io_shim.so';
my $d = Write::Dat->new(ticks => 20);	# 84 events
my $path = $d->write("$dir/mini.dat");
my $events = $d->events;
my $count = 'use Zed handlers => "mini"; my $n = 0; sub mini::tick { $n++ } sub mini::said { $n++ } sub trace_end { print "$n\n" }';
my $script = "$dir/count.pl";
spew($script, "$count\n");

sub printed { my @n = $_[0]{out} =~ /: (?:tick|said): /g; return scalar @n }

# Exit E, one line (or up to LINES), in which all of LIKE are found.
sub said {
	my ($what, $r, $e, @like) = @_;
	my $lines = @like && !ref $like[0] ? shift @like : 1;
	subtest $what => sub {
		ok(!$r->{late} && !$r->{signal}, 'ends by itself') or diag("signal $r->{signal}");
		is($r->{exit}, $e, "exit $e") or diag($r->{err});
		ok(@{$r->{lines}} >= 1 && @{$r->{lines}} <= $lines, "at most $lines line(s)") or diag($r->{err});
		like($r->{err}, $_, "it says $_") for @like;
		like($r->{lines}[0] // '', qr/^zed(?:perl|print): \S/, 'and who speaks');
		unlike($r->{err}, qr/Sanitizer|runtime error/, 'no sanitizer has found anything');
	};
	return;
}

# ---- reading and writing that fails (the shim is built by make)
SKIP: {
	skip "$shim is not there: run make check", 1 if !-e $shim;
	my $with = sub {
		my ($how, @cmd) = @_;
		my %asan = $ENV{ZED_SAN}
			? (ASAN_OPTIONS => ($ENV{ASAN_OPTIONS} // '') . ':verify_asan_link_order=0') : ();
		return zed_run({ env => { LD_PRELOAD => $shim, ZED_SHIM => $how, %asan } }, @cmd);
	};
	my $plain = zed_run('zedprint', '-f', 'report', $path);
	is(printed($plain), $events, 'without faults every event is printed');

	for my $how ('short', 'eintr', 'short,eintr', 'wshort', 'wshort,eintr,short') {
		my $r = $with->($how, 'zedprint', '-f', 'report', $path);
		is($r->{out}, $plain->{out}, "$how: zedprint prints the same");
		is("$r->{exit} $r->{err}", "0 $plain->{err}", "$how: and has nothing to say");
		$r = $with->($how, 'zedperl', '-e', $count, $path);
		is($r->{out}, "$events\n", "$how: zedperl counts the same") or diag($r->{err});
	}
	for my $c (Write::Dat->new(compression => 'zstd'), Write::Dat->new(compression => 'zlib', big => 1),
		Write::Dat->new(version => 6)) {
		my $p = $c->write("$dir/c.dat");
		my $r = $with->('short,eintr', 'zedprint', '-f', 'report', $p);
		is(printed($r), scalar $c->events, "short,eintr: v$c->{version}, $c->{compression}");
	}

	for my $o ({}, { pipe => 1 }, { zstd => 1 }) {
		my $p = Write::Perf::example("$dir/p.data", %$o);
		my $name = join ' ', 'perf.data', %$o;
		my $whole = zed_run('zedprint', $p);
		my $r = $with->('short,eintr', 'zedprint', $p);
		is("$r->{exit} $r->{err} $r->{out}", "0 $whole->{err} $whole->{out}", "short,eintr: $name");
		$r = $with->('eio=' . int(0.7 * -s $p) . '+100', 'zedprint', $p);
		said("EIO in $name", $r, 1, 4, qr/\Q$p\E/, qr/Input\/output error/);
	}

	my $at = $d->at('buffer.cpu0.page1');
	my $r = $with->("eio=$at+200", 'zedprint', '-f', 'report', $path);
	said('EIO in the data of a CPU', $r, 1, 3, qr/\Q$path\E/, qr/offset 0x/, qr/Input\/output error/);
	cmp_ok(printed($r), '>=', $events / 2, 'the other CPU comes');
	$r = $with->("eio=$at+200", 'zedperl', '-e', $count, $path);
	said('EIO under zedperl', $r, 1, 3, qr/\Q$path\E/, qr/Input\/output error/);
	$r = $with->('eio=0+20', 'zedprint', $path);
	said('EIO in the header', $r, 2, qr/\Q$path\E/, qr/Input\/output error/);
	for my $place (qw(headers formats options buffer.options)) {
		my $o = $d->at($place);
		$r = $with->("eio=$o+8", 'zedprint', $path);
		ok($r->{exit} == 1 || $r->{exit} == 2, "EIO at $place: exit 1 or 2") or diag($r->{exit});
		like($r->{err}, qr/\Q$path\E.*Input\/output error/, "EIO at $place is said");
	}
	$r = $with->('shrink=' . ($at + 100), 'zedprint', '-f', 'report', $path);
	ok(!$r->{signal} && $r->{exit} == 1 || $r->{exit} == 2, 'a file that shrinks while it is read')
		or diag("exit $r->{exit} signal $r->{signal} $r->{err}");
	like($r->{err}, qr/\Q$path\E.*(?:shr[au]nk|ends here)/, 'is said');

	$r = $with->('enospc=500', 'zedprint', $path);
	said('a full disk', $r, 1, qr/No space left/);
	is(length $r->{out}, 500, 'what fits is written');
}
SKIP: {
	skip 'no /dev/full here', 2 if !-e '/dev/full';
	said('zedprint to a full device', zed_run({ stdout => '/dev/full' }, 'zedprint', $path), 1,
		qr/No space left/);
	my $r = zed_run({ stdout => '/dev/full' }, 'zedperl', '-e', $count, $path);
	isnt($r->{exit}, 0, 'zedperl to a full device does not end well') or diag($r->{err});
}

# ---- a reader that goes away
for my $cmd ([zedprint => $path], [zedprint => '-f', 'json', $path],
	[zedperl => '-e', 'use Zed handlers => "mini"; sub mini::tick { print "x" x 70000, "\n" } sub trace_end { print STDERR "end\n" }',
		$path]) {
	my ($program, @args) = @$cmd;
	my $many = Write::Dat->new(pages => 200, ticks => 30)->write("$dir/many.dat");
	@args = map { $_ eq $path ? $many : $_ } @args;
	my $err = "$dir/pipe.err";
	my $quoted = join ' ', map { "'" . s/'/'\\''/gr . "'" } zed_bin($program), @args;
	my $status = system('bash', '-c', "$quoted 2>'$err' | head -c 10 > /dev/null; exit \${PIPESTATUS[0]}");
	my $exit = $status >> 8;
	my $said = slurp($err);
	ok($exit == 0 || $exit == 141, "$program into a closed pipe ends quietly: @args[0..0]")
		or diag("exit $exit: $said");
	unlike($said, qr/Broken pipe|Sanitizer/, 'and does not complain');
	like($said, qr/^end$/m, 'trace_end has run') if $program eq 'zedperl';
	unlink $many;
}

# ---- what the user gets wrong
mkdir "$dir/sub" or die;
spew("$dir/empty.dat", '');
spew("$dir/text.dat", "This is not a trace, it is a text of some length.\n" x 20);
spew("$dir/zeros.dat", "\0" x 10000);
spew("$dir/elf.dat", "\x7fELF" . "\1" x 100);
spew("$dir/perf.dat", 'PERFILE2' . "\0" x 200);
for my $program (['zedprint'], ['zedperl', '-e', '1']) {
	my ($name, @more) = @$program;
	said("$name: no such file", zed_run($name, @more, "$dir/nowhere"), 2, 2, qr/nowhere/,
		qr/No such file/);
	said("$name: a directory without trace.dat", zed_run($name, @more, "$dir/sub"), 2, qr/\Q$dir\E\/sub/,
		qr/directory/, qr/trace\.dat/);
	said("$name: an empty file", zed_run($name, @more, "$dir/empty.dat"), 2, qr/empty\.dat/, qr/empty/);
	said("$name: a text", zed_run($name, @more, "$dir/text.dat"), 2, qr/text\.dat/, qr/not a trace/i);
	said("$name: zeros", zed_run($name, @more, "$dir/zeros.dat"), 2, qr/zeros\.dat/);
	said("$name: another binary", zed_run($name, @more, "$dir/elf.dat"), 2, qr/elf\.dat/, qr/not a trace/i);
	said("$name: perf's own format", zed_run($name, @more, "$dir/perf.dat"), 2, qr/perf\.dat/);
	said("$name: no trace named", zed_run($name, @more), 2, 3, qr/--help|usage/i);
	said("$name: an unknown option", zed_run($name, '--no-such-option', @more, $path), 2, 2,
		qr/no-such-option/);
}
mkdir "$dir/rec" or die;
$d->write("$dir/rec/trace.dat");
is(printed(zed_run('zedprint', '-f', 'report', "$dir/rec")), $events, 'a directory with a trace.dat opens it');
is(printed(zed_run('zedprint', '-f', 'report', "$dir/mini")), $events, 'TRACE is tried as TRACE.dat');
is(printed(zed_run({ stdin => $path }, 'zedprint', '-f', 'report', '-i', '-')), $events,
	'a trace on standard input');
is(zed_run('sh', '-c', "cat '$path' | " . zed_bin('zedperl') . " -i - '$script'")->{out}, "$events\n",
	'a trace on a pipe');
{
	my $fifo = "$dir/fifo";
	POSIX::mkfifo($fifo, 0600);
	my $pid = fork // die;
	if (!$pid) {
		alarm 20;	# should nobody ever read it
		open my $out, '>:raw', $fifo or POSIX::_exit(1);
		print $out substr $d->{bytes}, 0, $d->size / 2;
		close $out;
		POSIX::_exit(0);
	}
	my $r = zed_run('zedprint', '-i', $fifo);
	waitpid $pid, 0;
	ok($r->{exit} == 1 || $r->{exit} == 2, 'half a trace on a FIFO is not passed over');
	like($r->{err}, qr/fifo/, 'and said');
	$r = zed_run({ stdin => "$dir/empty.dat" }, 'zedprint', '-i', '-');
	said('nothing on standard input', $r, 2, qr/empty/);
	$r = zed_run({ stdin => $path, env => { TMPDIR => "$dir/no-such-directory" } }, 'sh', '-c',
		'cat | ' . zed_bin('zedprint') . ' -i -');
	said('no room for a pipe\'s copy', $r, 2, qr/TMPDIR/);
}

SKIP: {
	my ($uid, $gid) = (getpwnam 'nobody')[2, 3];
	skip 'only root can become nobody', 1 if $> != 0 || !defined $uid;
	my $secret = $d->write("$dir/secret.dat");
	chmod 0600, $secret;
	my $as_nobody = sub { $) = "$gid $gid"; $( = $gid; $< = $> = $uid; POSIX::setuid($uid) };
	# nobody has to get as far as the file, and to the programs.
	chmod 0755, $dir;
	my $bin = "$dir/bin";
	mkdir $bin;
	system('cp', zed_bin('zedprint'), zed_bin('zedperl'), "$bin/") == 0 or die;
	for my $cmd (['zedprint', $secret], ['zedperl', '-e', '1', $secret]) {
		my ($name, @args) = @$cmd;
		my $r = zed_run({ child => $as_nobody }, "$bin/$name", @args);
		said("$name: no permission", $r, 2, qr/secret\.dat/, qr/Permission denied/, qr/sudo|permission/);
	}
	chmod 0600, $script;
	said('zedperl: a script without permission',
		zed_run({ child => $as_nobody }, "$bin/zedperl", $path, $script), 2, 2, qr/count\.pl/,
		qr/Permission denied/);
	chmod 0644, $script;
}

# ---- scripts
said('a missing script', zed_run('zedperl', $path, "$dir/nowhere.pl"), 2, 2, qr/nowhere\.pl/,
	qr/No such file/);
said('a directory as script', zed_run('zedperl', $path, "$dir/sub"), 2, 2, qr/sub/);
my $r = zed_run('zedperl', $path, spew("$dir/syntax.pl", "use strict;\nsub mini::tick { my (\$x = ; }\n"));
ok($r->{exit} != 0 && !$r->{signal}, 'a syntax error is no success') or diag($r->{exit});
like($r->{err}, qr/syntax\.pl line 2/, 'and said with file and line');
unlike($r->{err}, qr/Sanitizer/, 'without harm');
$r = zed_run('zedperl', $path, spew("$dir/strict.pl", "use strict;\n\$nowhere = 1;\n"));
like($r->{err}, qr/strict\.pl line 2/, 'so is a variable that strict refuses');
isnt($r->{exit}, 0, 'which is no success');
$r = zed_run('zedperl', $path, spew("$dir/module.pl", "use No::Such::Module;\n"));
isnt($r->{exit}, 0, 'a missing module is no success');
like($r->{err}, qr/No\/Such\/Module\.pm|No::Such::Module/, 'it is named');
like($r->{err}, qr/module\.pl line 1/, 'and where it is asked for');
cmp_ok(scalar @{$r->{lines}}, '<=', 3, 'in few lines');
like($r->{err}, qr/-I|install|cpan|apt/i, 'with what to do');
said('an unreadable one of two inputs', zed_run('zedperl', '-i', $path, '-i', "$dir/nowhere", $script), 1, 2,
	qr/nowhere/);

done_testing();
