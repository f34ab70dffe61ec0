# SPDX-License-Identifier: GPL-2.0-or-later
#
# What zedprint says of recordings beside what others say of them (--summary, --stable, the texts of latency tracers), Ctrl-C
# and a terminal.  Without it a summary counts wrongly, or progress stays on the screen.  (Options and messages:
# t/cases/zedprint.test.)
# of: programs/zedprint programs/progress.c stable
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use POSIX ();
use lib 't/lib';
use Compare::RealData;
use Files qw(spew);
use Run::Process qw(:DEFAULT unread);

Compare::RealData::need_program('zedprint');

my $own = Compare::RealData::own();
my $demo = "$own/demo.dat";
my $dir = Compare::RealData::temp();
mkdir $dir or die "$dir: $!\n";

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

# stable events of one's own, as zedperl takes them
{
	my $mine = spew("$dir/my.stable", "event my::left\npurpose a task leaves\nfrom sched:sched_switch\nfield:pid_t prev_pid; align:32; size:32; signed:1;\n");
	my @lines = split /\n/, zedprint(0, $silent, '--stable', $mine, '--event', 'my:left', $demo);
	my @raw = split /\n/, zedprint(0, $silent, '--event', 'sched:sched_switch', $demo);
	is(join("\n", map { /sequence = (\d+).*, prev_pid = (\d+),\z/ ? "$1 $2" : $_ } @lines), join("\n", map { /sequence = (\d+).*, prev_pid = (\d+),/ ? "$1 $2" : $_ } @raw),
		'--stable adds to what --event may name');
}

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

# ---- signals
{
	pipe my $r, my $w or die "pipe: $!\n";
	syswrite $w, 'x' or die "pipe: $!\n";
	my $pid = spawn({ stdin => $r, stderr => "$dir/sig.err", child => sub { close $w } },
		Compare::RealData::program('zedprint'), '--summary', '-i', '-');
	ok(wait_until(60, sub { !unread($r) }), 'a pipe is read');
	kill INT => $pid;
	my ($status) = reap($pid, 60);
	is(how_it_ended($status), 'signal ' . POSIX::SIGINT(), 'Ctrl-C ends it while a pipe is read');
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
