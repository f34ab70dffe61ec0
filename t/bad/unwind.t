# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stacks that cannot be unwound as they claim: damaged unwind tables, damaged registers and sizes in the samples, and a
# zedsyms that dies or says what it was not asked.  Each costs its callers and one message, and no event: no crash, no
# wait, no frame too many.  Without it whoever sends a perf.data decides how long the reader runs, and what it says.
#
# of: symbols/unwinder.c programs/zedsyms/unwind.c reader/perf/user_regs.c reader/perf/sample.c
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings 'portable';
use Cwd ();
use File::Copy ();
use File::Path qw(make_path);
use POSIX ();
use Socket;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Program qw(:DEFAULT spew);
use Write::Elf;
use Write::Perf;

-x zed_bin('zedsyms') or plan skip_all => 'zedsyms is not built: libdw is not here';

my $dir = zed_tmp();
make_path("$dir/root/bin", "$dir/here");
my ($START, $SP) = (0x5000_0000, 0x7ffc_0000_1000);
my @KERNEL_PART = (18446744073709551488, 0xffff_ffff_8100_0000);
my $show = spew("$dir/show.pl", "use Zed handlers => ['mini'];\nsub mini::tick { printf \"%d %s\\n\", scalar(Zed::stack('kernel')), join ' ', Zed::stack_symbols('user') }\n");
# perf's numbers: ax bx cx dx si di bp sp ip.
my $MASK = 0x1ff;

sub functions {
	my $elf = Write::Elf->new(id => 'ab' x 20);
	$elf->function('leaf', cfi => Write::Elf::cfa_offset(32))->function('outer', cfi => $elf->outermost)->function('again', @_)->function('bare', none => 1);
	return $elf;
}
my $good = functions();
$good->write("$dir/root/bin/program");

# COUNT samples in the function NAME, with the return address into NEXT all over its stack.
sub recorded {
	my ($file, $name, $next, $count) = @_;
	my $w = Write::Perf->new(host => 'elsewhere', arch => 'x86_64');
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW REGS_USER STACK_USER)], ids => [7], name => 'mini:tick', regs => $MASK);
	$w->mmap(pid => 40, at => $START, len => 0x10_0000, off => 0, name => $file, two => 1, time => 900, build_id => 'ab' x 20);
	for my $n (1 .. $count) {
		$w->sample(0, time => 1000 + $n, pid => 40, tid => 41, raw => $w->tick(41, $n), chain => \@KERNEL_PART,
			regs => [1 .. 6, $SP, $SP, $START + $good->at($name)], stack => pack 'Q<*', ($START + $good->at($next) + 4) x 200);
	}
	return $w;
}
sub run_it {
	my ($path, $program) = @_;
	return zed_run({ time => 60, env => { HOME => "$dir/none" } }, $program // 'zedperl', '--symfs', "$dir/root", $path, $show);
}
sub written { return recorded(@_)->write("$dir/perf.data") }

my $r = run_it(written('/bin/program', 'leaf', 'outer', 2));
is("$r->{exit} $r->{out}", "0 1 leaf+0x0 outer+0x3\n1 leaf+0x0 outer+0x3\n", 'the recording as it should be');

# ---- unwind tables

for (['a function that returns to itself', 'again', 'again', 127], ['code without a table', 'bare', 'outer', undef]) {
	my ($what, $name, $next, $n) = @$_;
	$r = run_it(written('/bin/program', $name, $next, 1));
	my (undef, @frames) = split ' ', $r->{out};
	is("$r->{exit} $r->{err}", '0 ', "$what: exit status 0, no message");
	is($frames[0], "$name+0x0", '... and the innermost frame') or diag $r->{out};
	is(scalar @frames, $n, '... and no more than 127') if defined $n;
}
{	# Neither the frame of "again" nor its return address moves: it is its own caller for ever.
	my $elf = functions(cfi => Write::Elf::cfa(7, 0) . "\x08\x10");
	$elf->write("$dir/root/bin/cyclic");
	$r = run_it(written('/bin/cyclic', 'again', 'again', 1));
	is($r->{exit}, 0, 'a table that leads to itself: exit status 0');
	cmp_ok(scalar split(' ', $r->{out}), '<=', 128, '... and no more than 127 frames');
}

srand($ENV{SEED} // 1);
my $whole = $good->bytes;
my ($frame) = $good->at('bare') + 16;	# .eh_frame follows the last function
my $wrong = 0;
my $tries = small(5, 60);
for my $n (1 .. $tries) {
	my $bytes = $whole;
	for (1 .. 1 + int rand 6) {
		my $at = rand() < 0.8 ? $frame + int rand 200 : int rand length $bytes;
		substr $bytes, $at, 1, chr int rand 256;
	}
	spew("$dir/root/bin/damaged", $bytes);
	$r = run_it(written('/bin/damaged', 'leaf', 'again', 3));
	next if $r->{exit} == 0 && !$r->{late} && 3 == (() = $r->{out} =~ /^1 (?:\S+ ?)*$/mg) && @{$r->{lines}} <= 3;
	$wrong++ or diag "damage $n: exit $r->{exit}\n$r->{out}$r->{err}";
}
is($wrong, 0, "$tries damaged files: each sample is there, with the kernel's part, and at most three messages");

# ---- samples

my $recording = recorded('/bin/program', 'leaf', 'again', 4)->bytes;
my $from = index $recording, pack 'Q<', $START + $good->at('leaf');
$wrong = 0;
$tries = small(10, 150);
for my $n (1 .. $tries) {
	my $bytes = $recording;
	for (1 .. 1 + int rand 4) {
		# The registers and what is before them; the mask in the attr; the words of the stack's size.
		my $at = rand() < 0.6 ? $from - 160 + int rand 180 : rand() < 0.5 ? 184 + int rand 16 : int rand length $bytes;
		substr $bytes, $at, 1, chr int rand 256;
	}
	$r = run_it(spew("$dir/damaged.data", $bytes));
	next if !$r->{signal} && !$r->{late} && $r->{exit} <= 2;
	$wrong++ or diag "damage $n: exit $r->{exit}\n$r->{err}";
}
is($wrong, 0, "$tries damaged recordings: read or refused");

# ---- a zedsyms that is not one

File::Copy::cp(zed_bin('zedperl'), "$dir/here/zedperl") or die "copy: $!\n";
chmod 0755, "$dir/here/zedperl";
my $real = Cwd::abs_path(zed_bin('zedsyms'));
# Reads what unwinding needs itself; as "unwind", it says ANSWER for each job.
sub false_zedsyms {
	my ($answer) = @_;
	spew("$dir/here/zedsyms", <<"EOP");
#!$^X
use Socket;
exec '$real', \@ARGV if "\@ARGV" ne 'unwind';
open my \$s, '+<&=', 0 or die;
sub done { my (\$n, \@ips) = \@_; return pack 'L2 Q*', 4, \$n, \@ips }
my (\$job, \$jobs) = ('', 0);
while (defined(recv \$s, \$job, 70_000, 0) && length \$job) {
	\$jobs++;
	$answer
}
EOP
	chmod 0755, "$dir/here/zedsyms";
}
my $two = written('/bin/program', 'leaf', 'outer', 3);
false_zedsyms('send $s, done(2, 0x50001000, 0x50001013), 0;');
$r = run_it($two, "$dir/here/zedperl");
is("$r->{exit} $r->{out}", '0 ' . "1 leaf+0x0 outer+0x3\n" x 3, 'the false zedsyms can tell the truth') or diag $r->{err};
for (
	['ends', 'exit 3;', 0], ['is killed', 'kill "SEGV", $$; sleep 1;', 0, qr/zedsyms was ended by/],
	['is killed later', 'kill "SEGV", $$ if $jobs == 2; send $s, done(1, 0x50001000), 0;', 1, qr/from here on/],
	['sends nothing', 'send $s, "", 0;', 0], ['sends a byte', 'send $s, "x", 0;', 0], ['sends another kind', 'send $s, pack("L2 Q", 9, 0, 0), 0;', 0],
	['sends more frames than were asked for', 'send $s, pack("L2 Q*", 4, 128, (1) x 128), 0;', 0], ['sends fewer than it says', 'send $s, pack("L2 Q*", 4, 5, 1, 2), 0;', 0],
	['sends a number that is too large', 'send $s, pack("L2", 4, 0xffffffff), 0;', 0],
	['asks without end', 'while (1) { send $s, pack("L2 Q", 2, 0, 0x50001000 + $n++), 0 or last; recv $s, my $in, 100, 0 }', 0],
) {
	my ($what, $answer, $good_ones, $like) = @$_;
	false_zedsyms($answer);
	$r = run_it($two, "$dir/here/zedperl");
	is($r->{exit}, 0, "a zedsyms that $what: exit status 0");
	is($r->{out}, "1 leaf+0x0\n" x $good_ones . "1 \n" x (3 - $good_ones), '... each event with the recorded part of its stack');
	is(scalar(() = $r->{err} =~ /stacks of programs are not unwound/g), 1, '... and one message') or diag $r->{err};
	like($r->{err}, $like, '... with the reason') if $like;
}
{	# Its answers, with bytes of them changed, cut or more.
	my ($bad, $turns) = (0, small(3, 40));
	for my $n (1 .. $turns) {
		false_zedsyms('srand ' . (($ENV{SEED} // 1) * 1000 + $n) . <<'EOA');
	my $m = rand() < 0.5 ? done(2, 0x50001000, 0x50001013) : pack('L2 Q', 2, 0, 0x50001000);
	substr $m, int rand length $m, 1, chr int rand 256 for 1 .. int rand 4;
	$m = rand() < 0.5 ? substr $m, 0, int rand length $m : $m . 'x' x rand 2000 if rand() < 0.3;
	send $s, $m, 0;
	if (length $m == 16) { recv $s, my $in, 100, 0; send $s, done(1, 0x50001000), 0 }
EOA
		$r = run_it($two, "$dir/here/zedperl");
		next if $r->{exit} == 0 && !$r->{late} && 3 == (() = $r->{out} =~ /^1 .*$/mg) && 1 >= (() = $r->{err} =~ /not unwound/g);
		$bad++ or diag "turn $n: exit $r->{exit}\n$r->{out}$r->{err}";
	}
	is($bad, 0, "$turns times its answers with some damage: each event is there, and at most one message");
}

# ---- jobs that the unwinder does not send

{
	my ($bad, $turns) = (0, small(10, 200));
	for my $n (1 .. $turns) {
		my $most = int rand 3 ? 127 : int rand 1 << 32;
		my $stack = pack 'Q<*', map { $START + int rand 0x2000 } 1 .. rand 50;
		my $job = pack('L8 Q2 Q32', 1, 0, 1, int rand 3, $most, int rand 1 << 32, length $stack, 0, $START, $SP, map { int rand 1 << 40 } 1 .. 32) . $stack;
		substr $job, int rand 40, 1, chr int rand 256 for 1 .. int rand 4;
		$job = substr $job, 0, rand length $job if !int rand 5;
		my $status = answered($job);
		$status & 127 and $bad++, diag "job $n: signal @{[$status & 127]}";
	}
	is($bad, 0, "$turns jobs, most of them damaged: zedsyms does them, or leaves");
}

# The status of a zedsyms that gets JOB, no file whatever it asks for, and then the end.
sub answered {
	my ($job) = @_;
	socketpair my $ours, my $its, AF_UNIX, SOCK_SEQPACKET, 0 or die "socketpair: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		close $ours;
		open STDIN, '<&', $its or POSIX::_exit(120);
		exec zed_bin('zedsyms'), 'unwind' or POSIX::_exit(121);
	}
	close $its;
	local $SIG{PIPE} = 'IGNORE';
	send $ours, $job, 0;
	my $says;
	while (defined recv($ours, $says, 4096, 0) && length $says) {
		last if unpack('L', $says) != 2;
		send $ours, pack('L2 Q', 3, int rand 2, 0), 0;
	}
	close $ours;
	waitpid $pid, 0;
	return $?;
}
done_testing();
