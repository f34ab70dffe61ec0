# SPDX-License-Identifier: GPL-2.0-or-later
#
# --inline: the functions that the compiler put into others, and lines of the source, for each address of a program's
# functions, against addr2line.  Without it a stack lacks the functions that were small enough, and names no line.
#
# runs: make check; a small pass in make test
# of: symbols/source_lines.c symbols/code_files.c programs/zedsyms trace/chain_frame.c sink/print interp/api/event_text.c lib/Zed/Stacks.pm
use strict;
use warnings;
no warnings 'portable';
use File::Copy ();
use File::Path qw(make_path);
use JSON::PP ();
use POSIX ();
use Test::More;
use lib 't/lib';
use Compare::Elf;
use Pass;
use Run::Program qw(:DEFAULT spew);
use Write::Miniature;
use Write::Perf;

-x zed_bin('zedsyms') or plan skip_all => 'zedsyms is not built: libdw is not here';
my $tool = Compare::Elf::missing();
defined $tool and plan skip_all => "$tool is not here";
grep { -x "$_/addr2line" } split /:/, $ENV{PATH} or plan skip_all => 'addr2line is not here';

my $dir = zed_tmp();
my $here = (POSIX::uname())[1];
my ($KERNEL, $USER) = (18446744073709551488, 18446744073709551104);
my $START = 0x5000_0000;

# Functions that are put into each other, from a header too; with branches, so that one has several ranges.
spew("$dir/small.h", <<'EOH');
static inline int smaller(int n)
{
	return n % 7 ? n + 3 : n * 5;
}
EOH
my $SOURCE = <<'EOC';
#include "small.h"
#include <stdio.h>
static inline int small(int n)
{
	for (int i = 0; i < n; i++)
		n += smaller(i);
	return n;
}
__attribute__((noinline)) int outer(int n)
{
	if (small(n) > 3)
		puts("more");
	return small(n + 1) * smaller(n);
}
int main(int argc, char **argv)
{
	return outer(argc) + small(argc);
}
EOC
sub build { my ($path, @flags) = @_; return Compare::Elf::compile($path, $SOURCE, '-finline', '-O2', '-g', "-I$dir", @flags) }
my $program = build("$dir/program");

# A recording of chains of offsets in the file ELF.
sub recorded {
	my ($elf, $chains, %o) = @_;
	my $id = Compare::Elf::build_id($elf);
	my $file = $o{file} // $elf;
	my $w = Write::Perf->new(host => $here, build_ids => [[$file, $id]]);
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	$w->mmap(pid => 40, at => $START, len => 0x100_0000, off => 0, name => $file, two => 1, time => 900);
	my $time = 1000;
	$w->sample(0, time => ++$time, pid => 40, tid => 41, raw => $w->tick(41, 1), chain => [$USER, map { $START + $_ } @$_]) for @$chains;
	return $w->write("$dir/perf.data");
}

# addr2line's frames of virtual addresses of ELF: [[function, file:line], ...], innermost first.
sub frames_of {
	my ($elf, @addresses) = @_;
	my (@of, @lines);
	@lines = split /\n/, Compare::Elf::run('addr2line', '-a', '-i', '-f', '-e', $elf, map { sprintf '0x%x', $_ } @addresses);
	while (@lines) {
		my $line = shift @lines;
		if ($line =~ /^0x[0-9a-f]+$/) {
			push @of, [];
			next;
		}
		my $at = shift(@lines) =~ s/ \(discriminator \d+\)$//r;
		push @{$of[-1]}, [$line, $at];
	}
	return @of;
}

# Each address of the functions, by offset in the file and by virtual address.
sub addresses {
	my ($elf) = @_;
	my @all;
	for my $name (qw(outer main)) {
		my ($off, $size) = Compare::Elf::place($elf, $name);
		my $vaddr = Compare::Elf::address($elf, $name);
		push @all, map { [$off + $_, $vaddr + $_] } 0 .. $size - 1;
	}
	return @all;
}
sub json { my ($p, @args) = @_; my $r = zed_run({ env => { HOME => "$dir/none" }, time => 60 }, 'zedprint', '-f', 'json', '--stack', @args, $p); return ($r, map { JSON::PP::decode_json($_) } split /\n/, $r->{out}) }

# Ours as addr2line's; the function of the last frame is by its symbol.
sub compared {
	my ($what, $elf, $seen, $wanted) = @_;
	my ($inlined, @wrong) = (0);
	for my $i (0 .. $#$wanted) {
		my @want = @{$wanted->[$i]};
		my ($stack, $lines) = @{$seen->[$i]}{qw(stack lines)};
		my @names = map { s/\+0x\w+\z//r } @{$stack // []};
		$inlined += @want > 1;
		my $theirs = join ' ', map { $want[$_][0] . ($_ < $#want ? ' (inlined)' : '') . " $want[$_][1]" } 0 .. $#want;
		my $mine = join ' ', map { "$names[$_] " . ($lines->[$_] // '??:?') } 0 .. $#names;
		push @wrong, "$i: addr2line: $theirs\n   here: $mine" if $mine ne $theirs;
	}
	cmp_ok($inlined, '>', 10, "$what: addresses with inlined functions: $inlined of " . @$wanted);
	is(scalar @wrong, 0, "$what: each as addr2line has it (else: functions and lines are missing, or others')") or diag join "\n", @wrong[0 .. ($#wrong < 5 ? $#wrong : 5)];
	return;
}

for (['dwarf 5', '-gdwarf-5'], ['dwarf 4', '-gdwarf-4'], ['packed', '-gz'], ['no PIE', '-no-pie']) {
	my ($what, @flags) = @$_;
	my $elf = build("$dir/" . $what =~ s/ //r, @flags);
	my @at = addresses($elf);
	my ($r, @seen) = json(recorded($elf, [map { [$_->[0]] } @at]), '--inline');
	is("$r->{exit} $r->{err}", '0 ', "$what: exit 0");
	compared($what, $elf, \@seen, [frames_of($elf, map { $_->[1] } @at)]);
}

SKIP: {	# Of clang, which writes no .debug_aranges, and lines 0.
	grep { -x "$_/clang" } split /:/, $ENV{PATH} or skip 'clang is not here', 3;
	local $ENV{CC} = 'clang';
	my $elf = eval { build("$dir/clang", "-finline-functions") } or skip 'clang links no program', 3;
	my @at = addresses($elf);
	my ($r, @seen) = json(recorded($elf, [map { [$_->[0]] } @at]), '--inline');
	is("$r->{exit} $r->{err}", '0 ', 'clang: exit 0');
	compared('clang', $elf, \@seen, [frames_of($elf, map { $_->[1] } @at)]);
}

# Of callers the call: a return address is that of the next instruction, maybe of another line.
{
	my @at = addresses($program);
	# No call returns to where a function begins.
	my %begins = map { Compare::Elf::address($program, $_) => 1 } qw(outer main);
	my $first = $at[0][0];
	@at = grep { !$begins{$_->[1]} } @at;
	my $p = recorded($program, [map { [$first, $_->[0]] } @at]);
	my ($r, @seen) = json($p, '--inline');
	for my $s (@seen) {
		# Without the frames of the first address, up to the function itself.
		while (@{$s->{stack}}) {
			shift @{$s->{lines}};
			last if shift(@{$s->{stack}}) =~ /\+0x/;
		}
	}
	compared('callers', $program, \@seen, [frames_of($program, map { $_->[1] - 1 } @at)]);
	($r, @seen) = json($p);
	is_deeply([grep { exists $_->{lines} || grep { /inlined/ } @{$_->{stack}} } @seen], [], 'none of it without --inline');
}

# Callers that are found by unwinding: their addresses are within the calls already.
SKIP: {
	skip 'registers of x86_64', 5 if (POSIX::uname())[4] ne 'x86_64';
	my ($outer) = Compare::Elf::place($program, 'outer');
	my ($off, $size) = Compare::Elf::place($program, 'main');
	my $vaddr = Compare::Elf::address($program, 'main');
	my $unwound = sub {
		my (@returns) = @_;
		my $w = Write::Perf->new(host => $here, arch => 'x86_64', build_ids => [[$program, Compare::Elf::build_id($program)]]);
		$w->format(mini => $Write::Perf::TICK);
		# All registers but those of segments; sp and ip are the 8th and the 9th.
		$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW REGS_USER STACK_USER)], ids => [7], name => 'mini:tick', regs => 0xff0fff);
		$w->mmap(pid => 40, at => $START, len => 0x100_0000, off => 0, name => $program, two => 1, time => 900);
		my $time = 1000;
		for my $return (@returns) {
			my @regs = ((0) x 7, 0x7ffc_0000_1000, $START + $outer, (0) x 11);
			$w->sample(0, time => ++$time, pid => 40, tid => 41, raw => $w->tick(41, 1), chain => [], regs => \@regs, stack => pack('Q<*', $START + $return, (0) x 8));
		}
		return $w->write("$dir/unwound.data");
	};
	# main + 0 cannot be: the byte before a return address is of its call.
	my ($r, @seen) = json($unwound->(map { $off + $_ } 1 .. $size - 1), '--inline');
	is("$r->{exit} $r->{err}", '0 ', 'unwound: exit 0');
	my $innermost = 0;
	for my $s (@seen) {
		my ($stack, $lines) = @$s{qw(stack lines)};
		while (@$stack) {
			my $name = shift @$stack;
			shift @$lines;
			$innermost++ if $name eq 'outer+0x0';
			last if $name =~ /\+0x/;
		}
		# Up to the function itself.
		my $n = 0;
		$n++ while $n < @$stack && $stack->[$n] =~ /inlined/;
		splice @$_, $n + 1 for grep { @$_ > $n + 1 } $stack, $lines;
	}
	is($innermost, $size - 1, '... from the innermost function on');
	compared('unwound', $program, \@seen, [frames_of($program, map { $vaddr + $_ } 0 .. $size - 2)]);
	my @frames = frames_of($program, map { $vaddr + $_ } 0 .. $size - 2);
	my ($last) = grep { @{$frames[$_]} > 1 && @{$frames[$_ - 1]} == 1 } 1 .. $#frames;
	$r = zed_run('zedperl', '--inline', $unwound->($off + $last + 1), 'stacks', '--folded');
	my $folded = join ';', 'main', map { "$_->[0] (inlined)" } reverse @{$frames[$last]}[0 .. $#{$frames[$last]} - 1];
	like($r->{out}, qr/;\Q$folded\E;.*outer 1$/m, '... in stacks too (else: of the byte before)');
}

# The same in a debug file, by build id and by link.
{
	my $stripped = "$dir/stripped";
	my ($first, $rest) = Compare::Elf::build_id($program) =~ /^(..)(.*)/;
	make_path("$dir/debug/.build-id/$first");
	Compare::Elf::run('objcopy', '--only-keep-debug', $program, "$dir/debug/.build-id/$first/$rest.debug");
	my @at = addresses($program);
	for my $how ('--strip-all', '--strip-debug', '--strip-all --change-addresses=0x10000') {
		Compare::Elf::run('objcopy', split(/ /, $how), $program, $stripped);
		my ($r, @seen) = json(recorded($program, [map { [$_->[0]] } @at], file => $stripped), '--inline', '--debug-dir', "$dir/debug");
		compared("$how, and a debug file", $program, \@seen, [frames_of($program, map { $_->[1] } @at)]);
	}
}

{	# Many files, each with DWARF; and one without.
	my $w = Write::Perf->new(host => $here, build_ids => [map { ["$dir/many/$_", Compare::Elf::build_id($program)] } 1 .. 70]);
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	make_path("$dir/many");
	my ($off) = Compare::Elf::place($program, 'outer');
	for (1 .. 70) {
		link $program, "$dir/many/$_" or die "link: $!\n";
		$w->mmap(pid => 40, at => $START, len => 0x100_0000, off => 0, name => "$dir/many/$_", two => 1, time => 900 + 2 * $_);
		$w->sample(0, time => 901 + 2 * $_, pid => 40, tid => 41, raw => $w->tick(41, 1), chain => [$USER, $START + $off]);
	}
	my ($r, @seen) = json($w->write("$dir/many.data"), '--inline');
	is(scalar(grep { defined $_->{lines}[0] } @seen), 64, 'lines of 64 files');
	like($r->{err}, qr/no lines of the source of 6 files: those of 64 are shown in one run/, '... and that there are more is said');
	Compare::Elf::run('objcopy', '--strip-debug', $program, "$dir/without");
	($r, @seen) = json(recorded($program, [[$off]], file => "$dir/without"), '--inline', '-v');
	is_deeply([map { s/\+0x\w+//r } @{$seen[0]{stack}}], ['outer'], 'a file without DWARF: its functions');
	like($r->{err}, qr/no lines of the source in 1 file without DWARF/, '... and -v says so');
}

# Where it is shown: an address in the innermost function, whatever the compiler made.
my @at = addresses($program);
my @frames = frames_of($program, map { $_->[1] } @at);
my ($deep) = sort { @{$frames[$b]} <=> @{$frames[$a]} } 0 .. $#frames;
my @want = @{$frames[$deep]};
cmp_ok(scalar @want, '>', 2, 'there is an address in two inlined functions');
my $p = recorded($program, [[$at[$deep][0]]]);
my $function = $want[-1][0];
{
	my $r = zed_run('zedprint', '--stack', '--inline', $p);
	my (undef, @lines) = split /\n/, $r->{out};
	is(scalar(@lines), scalar(@want), 'zedprint --stack: a line for each');
	like($lines[0], qr/^ => \Q$want[0][0]\E \(inlined\) \(\Q$program\E\) \Q$want[0][1]\E$/, '... with its place in the source');
	like($lines[-1], qr/^ => \Q$function\E\+0x[0-9a-f]+ \(\Q$program\E\) \Q$want[-1][1]\E$/, '... the function itself last');
	$r = zed_run('zedperl', '--inline', $p, 'stacks', '--folded');
	my $folded = join ';', $function, map { "$_->[0] (inlined)" } reverse @want[0 .. $#want - 1];
	like($r->{out}, qr/;\Q$folded\E 1$/m, 'stacks, and so flame graphs');
	my $script = spew("$dir/show.pl", "use Zed handlers => ['mini'];\nsub mini::tick { print join(',', Zed::stack_symbols()), '|', join(',', Zed::inlined((Zed::stack())[0])), '|', scalar(Zed::inlined((Zed::stack())[0])), '|', scalar(Zed::stack()), \"\\n\" }\n");
	my @inner = map { $_->[0] } @want[0 .. $#want - 1];
	$r = zed_run('zedperl', '--inline', $p, $script);
	like($r->{out}, qr/^@{[join ',', map { quotemeta "$_ (inlined)" } @inner]},\Q$function\E\+0x[0-9a-f]+\|@{[join ',', map { quotemeta } @inner]}\|@{[scalar @inner]}\|1$/, 'Zed::stack_symbols, Zed::inlined; Zed::stack is the addresses');
	$r = zed_run('zedperl', $p, $script);
	like($r->{out}, qr/^\Q$function\E\+0x[0-9a-f]+\|\|0\|1$/, '... and without --inline nothing of it');
	my $chain = spew("$dir/chain.pl", "use Perf::Trace::Core; use Zed handlers => ['mini'];\nsub mini::tick { print join(' ', map { \"\$_->{sym}{name}:\" . (\$_->{inlined} // 0) . \":\$_->{file}:\$_->{line}\" } \@{\$_[7]}), \"\\n\" }\n");
	$r = zed_run('zedperl', '--inline', $p, $chain);
	is($r->{out}, join(' ', map { "$want[$_][0]:" . ($_ < $#want ? 1 : 0) . ":$want[$_][1]" } 0 .. $#want) . "\n", 'a script of perf: frames of their own');
}

# ---- the kernel: an image of another boot, by its build id

{
	my ($BOOT, $release) = (0xffffffff92000000, '6.1.0-9-toy');
	my $image = Compare::Elf::compile("$dir/image", <<'EOC', '-finline', '-O2', '-g', '-nostdlib', '-static', '-no-pie', '-Wl,-Ttext=0x41000000', '-Wl,-e,_text');
int text(int n) __asm__("_text");
__attribute__((noinline)) int text(int n) { return n + 1; }
static inline int smaller(int n) { return n % 7 ? n + 3 : n * 5; }
static inline int small(int n) { for (int i = 0; i < n; i++) n += smaller(i); return n; }
__attribute__((noinline)) int outer(int n) { return small(n + 1) * text(n) + smaller(n); }
EOC
	my $moved = $BOOT - Compare::Elf::address($image, '_text');
	my $vaddr = Compare::Elf::address($image, 'outer');
	my ($size) = map { hex } Compare::Elf::run('nm', '-S', $image) =~ /^[0-9a-f]+ ([0-9a-f]+) T outer$/m;
	my @where = map { $vaddr + $_ } 0 .. $size - 1;
	my $kernel = sub {
		my ($id) = @_;
		my $w = Write::Perf->new(host => 'elsewhere', release => $release, build_ids => [['[kernel.kallsyms]', $id, 1]]);
		$w->format(mini => $Write::Perf::TICK);
		$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
		$w->mmap(pid => -1, at => $BOOT, len => 0x100_0000, off => $BOOT, name => '[kernel.kallsyms]_text', time => 0);
		my $time = 1000;
		$w->sample(0, time => ++$time, pid => 40, tid => 41, raw => $w->tick(41, 1), chain => [$KERNEL, $_ + $moved]) for @where;
		return $w->write("$dir/kernel.data");
	};
	my ($r, @seen) = json($kernel->(Compare::Elf::build_id($image)), '--inline', '--vmlinux', $image);
	is("$r->{exit} $r->{err}", '0 ', 'the kernel: exit 0');
	compared('the kernel', $image, \@seen, [frames_of($image, @where)]);
	like(zed_run('zedperl', '--inline', '--vmlinux', $image, $kernel->(Compare::Elf::build_id($image)), 'stacks', '--folded')->{out}, qr/outer;small \(inlined\);smaller \(inlined\) \d+$/m, '... in stacks, too');
	make_path("$dir/root/boot");
	File::Copy::copy($image, "$dir/root/boot/vmlinux-$release");
	($r, @seen) = json($kernel->(Compare::Elf::build_id($image)), '--inline', '--symfs', "$dir/root");
	compared('... found by its release', $image, \@seen, [frames_of($image, @where)]);
	($r, @seen) = json($kernel->('ab' x 20), '--inline', '--vmlinux', $image, '-v');
	is_deeply([grep { grep { /inlined|outer/ } @{$_->{stack}} } @seen], [], '... of no other build');
	like($r->{err}, qr/no lines of the source of the kernel: no vmlinux with its build id has DWARF/, '... which -v says');
	($r, @seen) = json($kernel->(Compare::Elf::build_id($image)), '--vmlinux', $image);
	is_deeply([map { s/\+0x\w+//r } @{$seen[0]{stack}}], ['outer'], '--vmlinux without --inline: names');
}

# ---- a trace.dat with what its processes had mapped

{
	my @some = addresses($program);
	my $off = $some[0][0] - $some[0][0] % 0x1000;
	my $file = pack('V V Q< C/a* a*', 8, 1, 77, pack('H*', Compare::Elf::build_id($program)), $program);
	my $look = pack 'Q<4 V', $START, $START + 0x1_0000, $off, $START - $off, 0;
	my $maps = 'zed-maps' . join '', map { pack 'V V Q< Q< V a*', length $_->[1], $_->[0], 0, 0, 0, $_->[1] } [0, $file], [1, $look];
	my $time = 100;
	my $text = join ' | ', map { my $t = $time += 10; ("$t 0 7 waking 20", ($t + 1) . sprintf ' 0 7 user %x', $START + $_->[0] - $off) } @some;
	my ($r, @all) = json(miniature($text, options => [[5, "Linux $here 6.1.0 x86_64\0"], [0x7a6d, $maps]]), '--inline');
	is("$r->{exit} $r->{err}", '0 ', 'a trace.dat: exit 0');
	compared('a trace.dat', $program, [grep { $_->{stack} } @all], [frames_of($program, map { $_->[1] } @some)]);
}

# ---- DWARF that is broken: lines are missing, and nothing else

{
	my $whole = slurp($program);
	my $broken = "$dir/broken";
	srand($ENV{SEED} // 1);
	my ($late, $bad) = (0, 0);
	my ($from, $size) = map { hex } Compare::Elf::run('readelf', '-SW', $program) =~ /\.debug_info\s+PROGBITS\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)/;
	for my $n (1 .. small(6, 25)) {
		my $bytes = $whole;
		substr $bytes, $from + int rand $size, 1, chr int rand 256 for 1 .. 20;
		spew($broken, $bytes);
		my ($r, @seen) = json(recorded($program, [map { [$_->[0]] } @at], file => $broken), '--inline');
		$late++ if $r->{late};
		$bad++ if $r->{exit} || @seen != @at || grep { !grep { /^(?:outer|main)\+0x/ } @{$_->{stack}} } @seen;
	}
	is("$late $bad", '0 0', 'damaged DWARF: each run ends, with each event and its function (else: a file costs the run)');
}
done_testing();
