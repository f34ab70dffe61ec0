# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stacks that perf copied (perf record --call-graph dwarf): the callers in them, by the unwind tables of made programs of
# x86-64 and arm64, whose registers and stacks are known to the word.  Without it a stack would end at its innermost
# function, or go through functions that did not call each other.
#
# of: trace/unwound.c reader/perf/user_regs.c reader/perf/sample.c symbols/unwinder.c symbols/reader_process.c programs/zedsyms/unwind.c
use strict;
use warnings;
no warnings 'portable';
use File::Path qw(make_path);
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Program qw(:DEFAULT spew);
use Write::Elf;
use Write::Perf;

-x zed_bin('zedsyms') or plan skip_all => 'zedsyms is not built: libdw is not here';

my $dir = zed_tmp();
make_path("$dir/root/bin");
my ($KERNEL, $USER) = (18446744073709551488, 18446744073709551104);
my ($START, $SP) = (0x5000_0000, 0x7ffc_0000_1000);
my @KERNEL_PART = ($KERNEL, 0xffff_ffff_8100_0000);
my $show = spew("$dir/show.pl", <<'EOP');
use Zed handlers => ['mini'];
sub mini::tick { print join(' ', Zed::stack_symbols('user')), "\n" }
EOP

# Registers by the numbers of perf (arch/ARCH/include/uapi/asm/perf_regs.h) and of DWARF (the ABIs).
my %PERF = (
	x86_64 => [qw(ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8 r9 r10 r11 r12 r13 r14 r15)],
	aarch64 => [(map { "x$_" } 0 .. 29), 'lr', 'sp', 'pc'],
);
my %DWARF = (
	x86_64 => [qw(ax dx cx bx si di bp sp), map { "r$_" } 8 .. 15],
	aarch64 => [(map { "x$_" } 0 .. 29), 'lr', 'sp'],
);

# The registers of MACHINE by name (others are 0x1000 and more), in perf's order, without segments, which no program has.
sub registers {
	my ($machine, %value) = @_;
	my @names = grep { !/^[defg]s$/ } @{$PERF{$machine}};
	return [map { $value{$names[$_]} // 0x1000 + $_ } 0 .. $#names];
}
sub mask {
	my ($machine) = @_;
	my $mask = 0;
	$mask |= 1 << $_ for grep { $PERF{$machine}[$_] !~ /^[defg]s$/ } 0 .. $#{$PERF{$machine}};
	return $mask;
}
sub words { return pack 'Q<*', @_ }

# A recording of another machine: its files are below --symfs.
sub recording {
	my ($machine, %o) = @_;
	my $w = Write::Perf->new(host => 'elsewhere', arch => $machine, %o);
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW REGS_USER STACK_USER)], ids => [7],
		name => 'mini:tick', regs => mask($PERF{$machine} ? $machine : 'x86_64'));
	return $w;
}
my $time = 1000;
sub map_file { my ($w, $name, %o) = @_; $w->mmap(pid => 40, at => $START, len => 0x10_0000, off => 0, name => $name, two => 1, time => ++$time, build_id => 'ab' x 20, %o) }
sub sample { my ($w, %o) = @_; $w->sample(0, time => ++$time, pid => 40, tid => 41, raw => $w->tick(41, 1), chain => [], %o) }

sub run_it {
	my ($w, @args) = @_;
	my $r = zed_run({ env => { HOME => "$dir/none" } }, 'zedperl', '--symfs', "$dir/root", $w->write("$dir/perf.data"), @args ? @args : $show);
	is($r->{exit}, 0, 'zedperl: exit 0') or diag $r->{err};
	return $r;
}
sub stacks { my $r = run_it(@_); is($r->{err}, '', '... and no message'); return split /\n/, $r->{out}, -1 }

# ---- each register

for my $machine (sort keys %PERF) {
	my $elf = Write::Elf->new(machine => $machine, id => 'ab' x 20);
	my @names = @{$DWARF{$machine}};
	my $program = "/bin/registers-$machine";
	# The stack of f_N is where register N says; its caller's address is there, another one for each.
	for my $n (0 .. $#names) {
		$elf->function("f_$n", cfi => Write::Elf::cfa($n, 16) . ($machine eq 'aarch64' ? Write::Elf::saved(30, 1) : ''));
		$elf->function("c_$n", cfi => $elf->outermost);
	}
	$elf->write("$dir/root$program");
	my $w = recording($machine);
	map_file($w, $program);
	# sp is where the copy begins.
	my ($sp) = grep { $names[$_] eq 'sp' } 0 .. $#names;
	my @order = ($sp, grep { $_ != $sp } 0 .. $#names);
	my (%value, $stack);
	for my $i (0 .. $#order) {
		$value{$names[$order[$i]]} = $SP + 16 * $i;
		$stack .= words(0, $START + $elf->at("c_$order[$i]") + 4);
	}
	for my $n (0 .. $#names) {
		my %at = (%value, ($machine eq 'aarch64' ? 'pc' : 'ip') => $START + $elf->at("f_$n") + 1);
		sample($w, regs => registers($machine, %at), stack => $stack);
	}
	is_deeply([stacks($w)], [(map { "f_$_+0x1 c_$_+0x3" } 0 .. $#names), ''], "$machine: the registers by their names (else: a stack goes on with another register's value)");
}

# ---- frames

# leaf has 24 bytes of its own, inner 40, outer is the first function; handler was called by a signal, in inner; stub is of
# a PLT as lld links it, "jmp *X; push N; jmp Y", and has no table.
sub program {
	my ($name, %o) = @_;
	my $elf = Write::Elf->new(id => 'ab' x 20, %o);
	my $prefix = $o{prefix} // '';
	$elf->function("${prefix}leaf", cfi => Write::Elf::cfa_offset(32))->function("${prefix}inner", cfi => Write::Elf::cfa_offset(48));
	$elf->function("${prefix}outer", cfi => $elf->outermost)->function("${prefix}handler")->function("${prefix}restore", signal => 1, cfi => Write::Elf::cfa_offset(16));
	$elf->function("${prefix}again")->function("${prefix}stub", none => 1, code => "\xff\x25AAAA\x68BBBB\xe9CCCC");
	$elf->write("$dir/root$name");
	return $elf;
}
my $plain = program('/bin/plain');
# Regs and stack of leaf called by inner called by outer, in the file mapped at START.
sub leaf {
	my ($elf, $prefix, %o) = @_;
	my $at = sub { ($o{start} // $START) + $elf->at($prefix . $_[0]) + $_[1] };
	return (regs => registers('x86_64', ip => $at->('leaf', 8), sp => $SP),
		stack => words(0, 0, 0, $at->('inner', 4), (0) x 5, $at->('outer', 6), 0));
}
my $frames = 'leaf+0x8 inner+0x3 outer+0x5';

{
	my $w = recording('x86_64');
	map_file($w, '/bin/plain');
	my %leaf = leaf($plain, '');
	sample($w, %leaf);
	sample($w, %leaf, chain => \@KERNEL_PART);
	sample($w, %leaf, copied => 40);
	sample($w, %leaf, stack => '');
	sample($w, %leaf, copied => 0);
	sample($w, %leaf, copied => 1000);
	sample($w, regs => [], abi => 0, stack => '');
	sample($w, %leaf, regs => registers('x86_64', ip => $START + $plain->at('handler') + 2, sp => $SP),
		stack => words($START + $plain->at('restore') + 1, 0, $START + $plain->at('inner') + 9, (0) x 5, $START + $plain->at('outer') + 4));
	sample($w, %leaf, regs => registers('x86_64', ip => $START + $plain->at('stub'), sp => $SP, bp => $SP + 32),
		stack => words($START + $plain->at('inner') + 4, (0) x 5, $START + $plain->at('outer') + 2, 0));
	my @out = stacks($w);
	is($out[0], $frames, 'the callers of a function (else: a stack is one function)');
	is($out[1], $frames, '... after the recorded part of the kernel');
	is($out[2], 'leaf+0x8 inner+0x3', 'a stack that was cut leads as far as it goes');
	is("@out[3 .. 6]", '   ', 'no stack, none of it copied, more copied than there is, or no registers: as recorded');
	is($out[7], 'handler+0x2 restore+0x1 inner+0x9 outer+0x3', 'what a signal interrupts is where it was, a call is before its return (else: names are of the function after it)');

	is($out[8], 'stub+0x0 inner+0x3 outer+0x1', 'the caller of a stub of a PLT (else: what the frame pointer leads to)');

	my $r = run_it($w, spew("$dir/addresses.pl", "use Zed handlers => ['mini'];\nsub mini::tick { printf \"%s|%s|%d\\n\", join(' ', map { sprintf '%x', \$_ } Zed::stack()), join(' ', map { sprintf '%x', \$_ } Zed::stack('kernel')), scalar Zed::stack('user') }\n"));
	my $callers = join ' ', map { sprintf '%x', $START + $_ } $plain->at('leaf') + 8, $plain->at('inner') + 3, $plain->at('outer') + 5;
	is_deeply([(split /\n/, $r->{out})[0, 1]], ["$callers||3", "ffffffff81000000 $callers|ffffffff81000000|3"], 'Zed::stack: addresses, the kernel before the program');

	$r = run_it($w, spew("$dir/perf.pl", <<'EOP'));
use Perf::Trace::Core; use Zed handlers => ["mini"];
sub mini::tick {
	my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm, $common_callchain) = @_;
	print join(' ', map { my $s = $_->{sym}; ($s ? "$s->{name}:" : '-:') . ($_->{dso} // '-') } @$common_callchain), "\n";
}
EOP
	is((split /\n/, $r->{out})[0], 'leaf:/bin/plain inner:/bin/plain outer:/bin/plain', 'a script of perf has them in its call chain');
	$r = run_it($w, 'stacks', '--folded');
	like($r->{out}, qr/outer;inner;leaf \d/, 'and the analysis stacks') or diag $r->{out};

	$r = zed_run('zedprint', '--symfs', "$dir/root", '--stack', "$dir/perf.data");
	is(join('|', (split /\n/, $r->{out})[1 .. 3]), ' => leaf+0x8 (/bin/plain)| => inner+0x3 (/bin/plain)| => outer+0x5 (/bin/plain)', 'zedprint --stack: lines after the event');
	$r = zed_run('zedprint', '-f', 'json', '--symfs', "$dir/root", '--stack', "$dir/perf.data");
	my @json = map { JSON::PP::decode_json($_) } split /\n/, $r->{out};
	is_deeply([$json[0]{stack}, $json[1]{callchain}], [[split ' ', $frames], [0xffff_ffff_8100_0000]], '... and in JSON, whose callchain stays as it was recorded');
	is_deeply([map { $_->{stack} } @json[3 .. 6]], [(undef) x 4], '... with no stack where there is none');
}

# ---- many frames

{
	my $w = recording('x86_64');
	map_file($w, '/bin/plain');
	sample($w, regs => registers('x86_64', ip => $START + $plain->at('again'), sp => $SP), stack => words(($START + $plain->at('again') + 4) x 1000));
	my ($out) = stacks($w);
	is(scalar split(' ', $out), 127, 'at most 127, as perf has it');
	my $r = zed_run('zedprint', '-f', 'json', '--symfs', "$dir/root", '--stack', "$dir/perf.data");
	is(scalar @{JSON::PP::decode_json($r->{out})->{stack}}, 127, '... all of them in JSON (else: a line is cut for what was not recorded)');
}

# ---- where a file is

{
	my $shifted = program('/bin/shifted', shift => 0x1000);
	my $w = recording('x86_64');
	map_file($w, '/bin/shifted', at => $START + 0x1000, off => 0x1000);
	sample($w, leaf($shifted, ''));
	is((stacks($w))[0], $frames, 'code whose addresses are not its offsets: by the program headers');
}
{	# One process loads another library where the first one was; another process has it elsewhere.
	my $other = program('/bin/other', prefix => 'o_');
	my $w = recording('x86_64');
	map_file($w, '/bin/plain');
	sample($w, leaf($plain, ''));
	map_file($w, '/bin/other');
	sample($w, leaf($other, 'o_'));
	$w->mmap(pid => 50, at => $START + 0x100_0000, len => 0x10_0000, off => 0, name => '/bin/other', two => 1, time => ++$time, build_id => 'ab' x 20);
	sample($w, leaf($other, 'o_', start => $START + 0x100_0000), pid => 50, tid => 50);
	map_file($w, '/bin/plain');
	sample($w, leaf($plain, ''));
	my $others = $frames =~ s/(\w+\+)/o_$1/gr;
	is_deeply([stacks($w)], [$frames, $others, $others, $frames, ''], 'each stack by what is mapped at its time, in its process (else: another library\'s tables)');
}
{	# More processes than are kept at a time, twice.
	my $w = recording('x86_64');
	for my $pid (100 .. 149) {
		$w->mmap(pid => $pid, at => $START, len => 0x10_0000, off => 0, name => '/bin/plain', two => 1, time => ++$time, build_id => 'ab' x 20);
	}
	sample($w, leaf($plain, ''), pid => $_, tid => $_) for (100 .. 149) x 2;
	is_deeply([stacks($w)], [($frames) x 100, ''], 'fifty processes in turn');
}

# ---- what cannot be unwound

{
	my $w = recording('x86_64');
	map_file($w, '/bin/plain', build_id => 'cd' x 20);
	sample($w, leaf($plain, ''));
	my $r = run_it($w);
	is($r->{out}, sprintf("/bin/plain+0x%x\n", $plain->at('leaf') + 8), 'a file with another build id: only where it was (else: by another build\'s tables)');
	like($r->{err}, qr/another build id/, '... and why');
}
{
	my $w = recording('x86_64');
	map_file($w, '/bin/plain');
	sample($w, leaf($plain, ''), regs => registers('x86_64', ip => 0x1234_5678, sp => $SP));
	is((stacks($w))[0], '0x12345678', 'code that is in no file');
}
{
	my $w = recording('aarch64');
	map_file($w, '/bin/plain');
	sample($w, leaf($plain, ''), regs => registers('aarch64', pc => $START, sp => $SP), abi => 1, chain => [@KERNEL_PART, $USER, $START + $plain->at('outer')]) for 1, 2;
	my $r = run_it($w);
	is($r->{out}, "outer+0x0\n" x 2, 'a 32-bit program of ARM: as it was recorded');
	is(scalar(() = $r->{err} =~ /stacks of 32-bit programs are not unwound/g), 1, '... which is said once');
}
{
	my $w = recording('s390x');
	map_file($w, '/bin/plain');
	sample($w, leaf($plain, ''), chain => [$USER, $START + $plain->at('outer')]) for 1, 2;
	my $r = run_it($w);
	is($r->{out}, "outer+0x0\n" x 2, 'another architecture: as it was recorded');
	is(scalar(() = $r->{err} =~ /the architecture s390x: its copied stacks are not unwound/g), 1, '... which is said once');
}
{
	my $w = recording('x86_64');
	map_file($w, '/bin/plain', build_id => 'cd' x 20);
	sample($w, leaf($plain, ''));
	my $r = run_it($w, spew("$dir/kernel.pl", "use Zed handlers => ['mini'];\nsub mini::tick { print scalar(Zed::stack('kernel')), \"\\n\" }\n"));
	is("$r->{out}$r->{err}", "0\n", 'a script that asks for no stack of a program: no file is looked at (else: each event costs an unwinding)');
}
done_testing();
