# SPDX-License-Identifier: GPL-2.0-or-later
#
# What top is made of, without tracing this kernel: --top and --every on a stream that goes on, as the kernel's does, into a
# file and on a terminal; groups by an expression.  (On this kernel: t/live/top.t.)  Without it the screen shows what
# was an hour ago as if it were now.
#
# of: scripts/top.pl lib/Zed/Groups.pm lib/Zed/Report.pm lib/Zed/Report/Order.pm lib/Zed/Intervals.pm lib/Zed/Screen.pm
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use JSON::PP ();
use POSIX ();
use Run::Process;
use Run::Program;
use Run::Terminal;
use Run::Zedperl;
use Write::ZedStream;

my $tmp = zed_tmp();
my $dat = 't/data/demo.dat';
my $stream = Write::ZedStream::from_dat($dat, end => 0);
$stream->round(1 << 62);	# nothing earlier will come: what is there can go out
$stream->write("$tmp/stream");
my $begin = slurp("$tmp/stream");
my $end = substr slurp($stream->end(0, 0)->write("$tmp/stream")), length $begin;

# A pipe with the stream in it, which stays open until the handle is closed.
my $serial = 0;
sub fifo { my $path = "$tmp/fifo" . ++$serial; POSIX::mkfifo($path, 0600) or die "$path: $!\n"; return $path }
sub fill {
	my ($path) = @_;
	open my $out, '>', $path or die "$path: $!\n";
	$out->autoflush(1);
	print {$out} $begin or die "$path: $!\n";
	return $out;
}

my ($all) = lines(zedperl({ bare => 1 }, '-e', 'my $n = Zed::count("*:*"); sub trace_end { print $n->get }', $dat)->{out});

# The rows ALL of events, as the answers come, until there are three.
sub answers {
	my (@options) = @_;
	my ($path, $out) = (fifo(), "$tmp/out" . $serial);
	my $pid = spawn({ stdin => $path, stdout => $out, stderr => "$out.err" }, zedperl_path(), '-i', '-', 'summary', '--json', '--every', '200ms', @options);
	my $pipe = fill($path);
	my $seen = sub { return map { JSON::PP::decode_json($_) } -e $out ? slurp($out) =~ /^(\{.*\})$/mg : () };
	wait_until(60, sub { my @seen = $seen->(); return @seen > 3 && grep { $_->{tables}{events}{all} } @seen });
	print {$pipe} $end;
	close $pipe;
	my ($status) = reap($pid, 30);
	return ($status >> 8, slurp("$out.err"), map { my $all = $_->{tables}{events}{all}; $all ? $all->{n} : $_->{tables}{events}{rows}[0]{n} // 0 } $seen->());
}

my ($status, $err, @n) = answers();
is($status, 0, 'a stream: exit status') or diag $err;
my $sum = 0;
$sum += $_ for @n;
is($sum, $all, '--every of a stream: each event is in one interval (else: rates are of all the time before)') or diag "@n";
is($n[-1], 0, 'and those of a quiet one are none') or diag "@n";
(undef, undef, @n) = answers('--total');
is($n[-1], $all, '--total: of all until then') or diag "@n";
is_deeply([sort { $a <=> $b } @n], \@n, 'it only grows');

# ---- on a terminal
for (['per interval', qr/\e\[Hsummary: q ends, p pauses(?:(?!\e\[J).)*?events[^\n]*\n *none/s], ['--total', qr/\e\[Hsummary: q ends.*?ALL +$all.*?\e\[J.*?\e\[Hsummary: q ends.*?ALL +$all.*?\e\[J/s, '--total']) {
	my ($name, $wanted, @options) = @$_;
	my $path = fifo();
	my $t = on_terminal({ rows => 60, columns => 60, env => { TERM => 'xterm' } }, zedperl_path(), '-i', $path, 'summary', '--top', '--every', '300ms', @options);
	SKIP: {
		skip 'no pseudo terminals here', 4 if !$t;
		my $pipe = fill($path);
		ok($t->shows(qr/\e\[H.*?ALL +$all\b.*?\e\[J/s, 60), "$name: the events are shown") or diag $t->{text};
		ok($t->shows($wanted, 30), "$name: ... and what there is when none come") or diag $t->{text};
		my @screens = $t->{text} =~ /\e\[H(.*?)\e\[J/sg;
		is(scalar(grep { length(s/\e\[(?:K|[0-9;]*m)//gr =~ s/\r//gr) > 60 } map { split /\n/ } @screens), 0, "$name: columns fit");
		$t->type('q');
		ok($t->shows(qr/\e\[\?1049l.*from [\d.]+ to [\d.]+/s, 60), "$name: q ends it with the answer that was shown") or diag $t->{text};
		$t->end;
	}
}

# ---- groups
my $code = 'use Zed::Groups; Zed::Groups::count(["sched:sched_waking", "sched:sched_wakeup"], sub { Zed::comm() . " wakes " . Zed::field("comm") });';
my $groups = JSON::PP::decode_json(zedperl({ bare => 1 }, '-e', $code, $dat, '--', '--json')->{out});
my %is = map { ($_->{value} => $_->{n}) } @{$groups->{tables}{groups}{rows}};
my %of = map { /^(\d+) (.*)/ ? ($2 => $1) : () } lines(zedperl({ bare => 1 }, '-e',
	'my %n; Zed::on($_, args => [qw(common_comm comm)], sub { $n{"$_[0] wakes $_[1]"}++ }) for qw(sched:sched_waking sched:sched_wakeup); sub trace_end { print "$n{$_} $_\n" for keys %n }', $dat)->{out});
is_deeply(\%is, \%of, 'groups: each event in that of its value') or diag explain \%is;
like(zedperl({ bare => 1 }, 'top', '-e', 'Zed::comm()')->{err}, qr/-e takes an expression and events/, 'top -e without events is told');

# What zedperl --live is called with: the expression as it was written, the words of others quoted.
my $pl = do { local @ARGV = (); slurp('scripts/top.pl') };
my ($sub) = $pl =~ /^(sub program\n.*?^\}\n)/ms;
my $program = eval "$sub; \\&program" or die $@;	## no critic (ProhibitStringyEval)
my $text = $program->('Zed::comm() # who', ["a:b'; die", 'c\\'], ['--top', '--every', "1s'"]);
my @got;
my $what = eval 'BEGIN { package Zed::Groups; $INC{"Zed/Groups.pm"} = 1; sub count { @got = ([@ARGV], @_) } } sub Zed::comm { "sh" } ' . $text . ' 1' or die "$@: $text";	## no critic
is_deeply([@got[0, 1], $got[2]->()], [['--top', '--every', "1s'"], ["a:b'; die", 'c\\'], 'sh'], 'quotes in words stay words, and a comment ends with its line');

done_testing();
