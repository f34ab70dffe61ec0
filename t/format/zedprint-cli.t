# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint's command line: what it says, how it exits, what --summary tells and how the texts of latency
# tracers are shown.  Without it a user meets a wrong exit code or a message that leads nowhere.
use strict;
use warnings;
use Test::More;
use Cwd ();
use File::Basename ();
use JSON::PP ();
use POSIX ();
use lib 't/lib';
use Compare::RealData;

Compare::RealData::need_program('zedprint');

my $own = Compare::RealData::own();
my $demo = "$own/demo.dat";
my $dir = Compare::RealData::temp();
mkdir $dir or die "$dir: $!\n";

sub put {
	my ($path, $bytes) = @_;
	open my $fh, '>:raw', $path or die "$path: $!\n";
	print $fh $bytes;
	close $fh or die "$path: $!\n";
	return $path;
}

# Runs zedprint; checks exit status and stderr; returns stdout.
sub zedprint {
	my ($exit, $err, @args) = @_;
	my $run = Compare::RealData::run('zedprint', @args);
	my $out = Compare::RealData::slurp($run->{out});
	unlink $run->{out};
	my $what = "zedprint @args";
	$what =~ s/\Q$own\E/t\/data/g;
	$what =~ s/\Q$dir\E/DIR/g;
	$what =~ s/[^ -~]/?/g;
	is($run->{sig} ? "signal $run->{sig}" : $run->{exit}, $exit, "$what: exit $exit");
	like($run->{err}, $err, 'what it says');
	return $out;
}
my $silent = qr/\A\z/;
my $try = qr/\nzedprint: try 'zedprint --help'\n\z/;

# ---- options
my $help = zedprint(0, $silent, '--help');
like($help, qr/^usage: zedprint/, '--help begins with the usage');
for my $o (qw(-i -F -f -v -h --event --cpu --pid --instance --start --end --around --common-window --head --tail --relative --ns --strict --raw-ts --meta
	--force-merge --stats --latency --summary --version --help --format --input --filter)) {
	like($help, qr/(?<![\w-])\Q$o\E(?![\w-])/, "--help tells of $o");
}
is(scalar(grep { length > 100 } split /\n/, $help), 0, 'no line of it is wider than 100');
like(zedprint(0, $silent, '--version'), qr/^zedprint \d\S*\nzlib \d.*zstd \d.*\nlibtraceevent \d/,
	'--version names the libraries');
zedprint(2, qr/\Azedprint: no option --sumary; did you mean --summary\?$try/, '--sumary', $demo);
zedprint(2, qr/\Azedprint: no option --zzzz$try/, '--zzzz', $demo);
zedprint(2, qr/\Azedprint: no option -Q$try/, '-Q', $demo);
zedprint(2, qr/\Azedprint: --s could be more than one option$try/, '--s', $demo);
zedprint(2, qr/\Azedprint: --ns takes no argument$try/, '--ns=1', $demo);
zedprint(2, qr/\Azedprint: --cpu needs an argument: LIST$try/, '--cpu');
zedprint(2, qr/\Azedprint: -F needs an argument: 'SYS\[:EVENT\]: EXPR'$try/, $demo, '-F');
zedprint(2, qr/\Azedprint: -f: no format 'jason'; did you mean 'json'\?/, '-f', 'jason', $demo);
zedprint(2, qr/\Azedprint: --start: '$_' is no time: write seconds, 12.5, or/, '--start', $_, $demo)
	for '', 'x', '1.', '1.0000000001', '1h', '1.5ns', '99999999999999999999', '18446744074s';
zedprint(2, qr/--start lies behind --end/, '--start', 5, '--end', '4.999999999', $demo);
# what says nothing together (else: it is left out in silence)
zedprint(2, qr/\Azedprint: --summary has one form: -f and -l are how events are printed\n/, '--summary', '-f', 'json', $demo);
zedprint(2, qr/\Azedprint: --summary counts what the trace has: --synthetic/, '--summary', '--synthetic', 'a:b start=sched end=irq', $demo);
zedprint(2, qr/\Azedprint: -l is of the kernel's format/, '-l', $demo);
zedprint(2, qr/\Azedprint: -l is of the kernel's format/, '-l', '-f', 'json', $demo);
# stable events of one's own, as zedperl takes them
{
	my $mine = put("$dir/my.stable", "event my::left\npurpose a task leaves\nfrom sched:sched_switch\nfield:pid_t prev_pid; align:32; size:32; signed:1;\n");
	my @lines = split /\n/, zedprint(0, $silent, '--stable', $mine, '--event', 'my:left', $demo);
	my @raw = split /\n/, zedprint(0, $silent, '--event', 'sched:sched_switch', $demo);
	is(join("\n", map { /sequence = (\d+).*, prev_pid = (\d+),\z/ ? "$1 $2" : $_ } @lines), join("\n", map { /sequence = (\d+).*, prev_pid = (\d+),/ ? "$1 $2" : $_ } @raw),
		'--stable adds to what --event may name');
	zedprint(2, qr{\Azedprint: \S+/bad\.stable: line 1, column 1: }, '--stable', put("$dir/bad.stable", "evnt x\n"), $demo);
}
# options behind the positionals, and none behind "--"
like(zedprint(0, $silent, $demo, '--summary'), qr/^  events +3742$/m, 'options may come last');
zedprint(2, qr/--summary: cannot open/, '--', '--summary');

# ---- what is opened
my $here = Cwd::getcwd();
mkdir "$dir/empty";
chdir "$dir/empty" or die;
zedprint(2, qr/no trace is named, and there is no trace.dat here: zedprint TRACE .*$try/);
put("$dir/empty/trace.dat", Compare::RealData::slurp($demo));
like(zedprint(0, $silent, '--summary'), qr/\Atrace\.dat:\n/, 'trace.dat is what no argument means');
chdir $here or die;
like(zedprint(0, $silent, '--summary', "$dir/empty"), qr/^  events +3742$/m, 'a directory with a trace.dat');
like(zedprint(0, $silent, '--summary', "$own/demo"), qr/^  events +3742$/m, 'TRACE means TRACE.dat');
mkdir "$dir/none";
zedprint(2, qr/\Azedprint: \Q$dir\E\/none: is a directory that is no trace: neither a trace.dat is in it.*\n\z/, "$dir/none");
zedprint(2, qr/\Azedprint: nofile: cannot open it \(nor nofile.dat\): No such file or directory\n[^\n]*\n\z/, 'nofile');
zedprint(2, qr/\Azedprint: \Q$dir\E\/e.dat: is empty.*\n\z/, put("$dir/e.dat", ''));
zedprint(2, qr/\Azedprint: \S+: is not a trace .*trace\.dat.*\n\z/, put("$dir/t.dat", "hello, world\n" x 500));
zedprint(2, qr/\Azedprint: a\\x1b\[31mb: cannot open it/, "a\e[31mb");
SKIP: {
	skip 'root may read everything', 2 if $> == 0;
	chmod 0, put("$dir/secret.dat", 'x');
	zedprint(2, qr/cannot open it \(ask its owner for read permission/, "$dir/secret.dat");
}
like(zedprint(1, qr/\Azedprint: nofile: cannot open it[^\n]*\n\z/, '--summary', 'nofile', $demo),
	qr/^  events +3742$/m, 'one of two is missing: the other is read');
zedprint(2, qr/nofile.*\n.*nofile2/, 'nofile', 'nofile2');
zedprint(2, qr/nofile/, '--strict', 'nofile', $demo);
like(zedprint(0, qr{\Azedprint: .*demo\.dat is of .*: one pid is another task in each\n\z}, '--summary', '-i',
	$demo, "$own/i386_v6.dat"), qr/^  events +4250$/m,
	'-i and positionals are read together');
zedprint(2, qr/clock_boot.dat: its clock is "boot" and that of \S+clock_mono.dat is "mono".*--force-merge/,
	'--summary', "$own/clock_mono.dat", "$own/clock_boot.dat");
zedprint(0, qr/"boot".*"mono"/, '--summary', '--force-merge', "$own/clock_mono.dat", "$own/clock_boot.dat");

# ---- the summary, of each recording that the repository carries
my $compared = 0;
for my $dat (Compare::RealData::recordings($own)) {
	my $ref = Compare::RealData::reference($dat, 'raw') or next;
	next if $dat =~ /latency/;	# text, whose lines may look like records
	my ($want, $lost) = Compare::RealData::raw_counts($ref);
	my $run = Compare::RealData::run('zedprint', '--summary', $dat);
	my $text = Compare::RealData::slurp($run->{out});
	unlink $run->{out};
	(my $name = $dat) =~ s{.*/}{};
	is(Compare::RealData::failure($run), undef, "$name: --summary");
	my ($events) = $text =~ /^events:\n(.*?)^total:/ms;
	my @order = ($events // '') =~ /^  (\S+) \d+$/mg;
	my (%got, $sum, $cpus);
	$got{$1} += $2 while ($events // '') =~ /^  \S+:(\S+) (\d+)$/mg;
	is_deeply(\%got, $want, "$name: events of each type");
	is_deeply(\@order, [sort @order], "$name: sorted");
	my ($total) = $text =~ /^  events +(\d+)$/m;
	$cpus += $1 while $text =~ /^    cpu \d+ +(\d+) events?,/mg;
	is($cpus // 0, $total, "$name: the CPUs' numbers make up the total");
	my $n = 0;
	$n += $_->{lost} // 0 for values %$lost;
	my ($said) = $text =~ /^  losses +(\d+) lost/m;
	# stock trace-cmd drops the mark of a page that begins with a time extend
	cmp_ok($said, '>=', $n, "$name: no fewer losses than stock tells");
	$compared++;
}
cmp_ok($compared, '>=', 30, "$compared summaries");

my %is = (
	small_be_zstd => { format => 'trace.dat v7', 'byte order' => 'big endian, longs of 8 bytes',
		compression => 'zstd', CPUs => 2 },
	small_be_v6 => { format => 'trace.dat v6', compression => 'none' },
	i386_zstd => { 'byte order' => 'little endian, longs of 4 bytes' },
	small_v7_zlib => { compression => 'zlib', recording => 'complete', damage => 'none' },
	clock_mono => { clock => 'mono' },
	clock_tsc => { clock => 'x86-tsc (not in ns)' },
	demo => { machine => 'Linux guest 6.1.0-56-cloud-amd64 x86_64', CPUs => 4, losses => '0 lost' },
);
for my $name (sort keys %is) {
	my $text = zedprint(0, $silent, '--summary', "$own/$name.dat");
	like($text, qr/^  \Q$_\E +\Q$is{$name}{$_}\E$/m, "$name: $_") for sort keys %{$is{$name}};
}
my $text = zedprint(0, $silent, '--summary', "$own/multibuf.dat");
is(join(' ', $text =~ /^  buffer +"(.*?)": clock \w+, pages of 4096 bytes, \d+ CPUs?$/mg),
	join(' ', '', 'bar', 'foo'), 'the buffers');
like(zedprint(0, $silent, '--summary', "$own/subbuf16.dat"), qr/pages of 16384 bytes/, 'the size of sub-buffers');
like(zedprint(0, $silent, '--summary', '--cpu', 0, $demo), qr/^  events +962$/m, 'with a filter');

is(zedprint(0, qr/--cpu: no input has data of such a CPU; they have CPUs? /, '--cpu', 9, $demo), '', 'a CPU that is not there');

# ---- damage
my $cut = put("$dir/cut.dat", substr Compare::RealData::slurp("$own/small_v7_none.dat"), 0, 60000);
$text = zedprint(1, qr/\Azedprint: \Q$dir\E\/cut\.dat: .*offset 0x/, '--summary', $cut);
like($text, qr/^  damage +[1-9]\d* pieces? skipped$/m, 'damage is counted');
like($text, qr/^  events +[1-9]/m, 'and what is intact is there');
# the last CPU's data alone are cut: one piece
my $whole = Compare::RealData::slurp("$own/small_v6.dat");
my $v6 = put("$dir/v6.dat", substr $whole, 0, length($whole) - 100);
my $lenient = zedprint(1, qr/\A(?:zedprint: \Q$dir\E\/v6\.dat: [^\n]*\n)+\z/, '--summary', $v6);
like($lenient, qr/^  events +[1-9]/m, 'v6 too');

# ---- pipes, statistics, a full disk
sub shell {
	my ($cmd, @args) = @_;
	my $err = Compare::RealData::temp();
	my $out = qx{@{[join ' ', map { "'$_'" } 'sh', '-c', $cmd, Compare::RealData::program('zedprint'), @args]} 2> $err};
	return ($out, Compare::RealData::slurp($err), $? >> 8, $? & 127);
}
my ($out, $err, $exit) = shell('cat "$1" | "$0" --summary -i -', $demo);
is($exit, 0, 'a trace on a pipe');
like($out, qr/^-:\n.*^  events +3742$/ms, 'is read whole');
is($err, '', 'without progress in a pipe');
zedprint(0, qr/\Azedprint: records  3742
zedprint: passed   3742
zedprint: lost     0
zedprint: damaged  0
zedprint: late     0
zedprint: seconds  [\d.]+ \([\d.]+ of CPU\)
zedprint: events\/s \d+
\z/, '--summary', '--stats', $demo);
SKIP: {
	skip 'no /dev/full here', 2 unless -c '/dev/full';
	($out, $err, $exit) = shell('"$0" --summary "$1" > /dev/full', $demo);
	is($exit, 1, 'a full disk: exit 1');
	like($err, qr/\Azedprint: cannot write the output: No space left/, 'and a message');
}

# ---- signals
{
	local $SIG{PIPE} = 'IGNORE';
	pipe my $r, my $w or die;
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		close $w;
		# A shell's background jobs, and what they start, ignore it.
		$SIG{INT} = 'DEFAULT';
		open STDIN, '<&', $r or POSIX::_exit(126);
		open STDERR, '>', "$dir/sig.err" or POSIX::_exit(126);
		exec { Compare::RealData::program('zedprint') } 'zedprint', '--summary', '-i', '-' or POSIX::_exit(127);
	}
	close $r;
	print $w 'x';
	select undef, undef, undef, 0.5;
	kill INT => $pid;
	local $SIG{ALRM} = sub { kill KILL => $pid };
	alarm 20;
	waitpid $pid, 0;
	alarm 0;
	close $w;
	is($? & 127, POSIX::SIGINT(), 'Ctrl-C ends it while a pipe is read');
	is(Compare::RealData::slurp("$dir/sig.err"), '', 'without a word');
}

# ---- progress: on a terminal, of what takes over a second, and gone at the end
SKIP: {
	my ($script) = grep { -x } map { "$_/script" } split /:/, $ENV{PATH};
	skip 'no script(1) here, which gives a terminal', 3 unless $script;
	skip 'no terminals here (is /dev/pts mounted?)', 3 if system "$script -qec true /dev/null >/dev/null 2>&1";
	my $prog = Compare::RealData::program('zedprint');
	local $ENV{TERM} = 'xterm';
	my $cmd = "(sleep 1.2; cat '$demo') | '$prog' --summary -i - > '$dir/pty.out'";
	my $tty = qx{$script -qec "$cmd" /dev/null < /dev/null};
	like($tty, qr/\rzedprint: 100 %, 3742 events, \d+ events\/s/, 'progress is shown');
	like($tty, qr/\r\e\[K\z/, 'and erased at the end');
	$tty = qx{$script -qec "'$prog' --summary '$demo' > '$dir/pty.out'" /dev/null < /dev/null};
	is($tty, '', 'a short run shows none');
}

# ---- the texts of latency tracers
for my $name (qw(latency_v7 latency_v6)) {
	my $want = Compare::RealData::slurp("$own/$name.dat.report.txt");
	is(zedprint(0, $silent, '-f', 'report', "$own/$name.dat"), $want, "$name: as stock shows it");
	my $bare = zedprint(0, $silent, "$own/$name.dat");
	is("cpus=4\n$bare\n", $want, "$name: the text alone");
	my $json = zedprint(0, $silent, '-f', 'json', "$own/$name.dat");
	my $back = join '', map { JSON::PP::decode_json($_)->{text} . "\n" } split /\n/, $json;
	is($back, $bare, "$name: as JSON, a line an object");
	like(zedprint(0, $silent, '--summary', "$own/$name.dat"),
		qr/^  buffer +"": text of a latency tracer, @{[length $bare]} bytes$/m, "$name: in the summary");
}
SKIP: {
	my $shared = Compare::RealData::shared();
	skip Compare::RealData::no_shared(), 6 unless $shared;
	skip 'no zstd tool: apt-get install zstd', 6 unless Compare::RealData::have_zstd();
	for my $name (qw(a13_rt_wakeup_latency a13_rt_wakeup_latency_v6)) {
		my $fh = Compare::RealData::ref_open("$shared/amd64-rt/$name.dat.report.txt.zst");
		my $want = do { local $/; <$fh> };
		is(zedprint(0, $silent, '-f', 'report', "$shared/amd64-rt/$name.dat"), $want, "$name: as stock");
	}
}

done_testing();
