# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint's usual format has names where the trace has them: tables and symbols of print formats, numbers of system
# calls; by what the kernel printed of the same events, and on made formats.  Without it a reader has to know what state
# 2 and call 257 are, or gets the name of another number.
#
# of: text/value_names.c text/printfmt/named_parts.c text/steps/compile.c sink/print/zed.c programs/zedprint
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Program;
use Run::Zedperl;

# ---- by the kernel's own text

my $dat = 't/data/kernel_text.dat';
my @kernel = grep { !/^#/ } split /\n/, slurp("$dat.kernel.txt");
my @named = split /\n/, zed_run('zedprint', $dat)->{out};
is(scalar @named, scalar @kernel, 'each event has a line');

# From Linux's arch/x86/entry/syscalls/syscall_64.tbl.
my %call = (0 => 'read', 1 => 'write', 3 => 'close', 9 => 'mmap', 10 => 'mprotect', 11 => 'munmap', 12 => 'brk', 59 => 'execve',
	61 => 'wait4', 231 => 'exit_group', 257 => 'openat', 262 => 'newfstatat');
my (%wrong, %right);
for my $i (0 .. $#kernel) {
	my ($event, $text) = $kernel[$i] =~ /\d: (\w+): (.*)/ or next;
	my %want;
	$want{prev_state} = $1 if $event eq 'sched_switch' && $text =~ /prev_state=(\S+)/;
	$want{function} = $1 if $event =~ /^hrtimer/ && $text =~ /function=(\S+)/;
	$want{vec} = $1 if $event =~ /^softirq/ && $text =~ /action=(\w+)/;
	$want{id} = $call{$1} if $event =~ /^sys_/ && $text =~ /^NR (\d+)/ && $call{$1};
	for my $field (keys %want) {
		my ($got) = $named[$i] =~ / \Q$field\E = ([^,]*),/;
		($got // '') eq $want{$field} ? $right{$field}++ : push @{$wrong{$field}}, "$named[$i]: not $want{$field}";
	}
}
for my $field (qw(prev_state function vec id)) {
	ok(($right{$field} // 0) > 10 && !$wrong{$field}, "$field: " . ($right{$field} // 0) . ' names are the kernel\'s')
		or diag($wrong{$field}[0] // 'none is there');
}

my $zed = zed_run('zedprint', '-f', 'zed', $dat)->{out};
is(zed_run('zedprint', '--raw', $dat)->{out}, $zed, '--raw is -f zed');
isnt(join("\n", @named) . "\n", $zed, '... which differs');
is(zed_run('zedprint', '-f', 'names', $dat)->{out}, join('', map { "$_\n" } @named), '-f names is what is printed without -f');
my @bad = grep { $named[$_] ne (split /\n/, $zed)[$_] && $named[$_] =~ s/ = [^,]*,/ = ,/gr ne (split /\n/, $zed)[$_] =~ s/ = [^,]*,/ = ,/gr } 0 .. 99;
is("@bad", '', 'only values differ');

# ---- of a perf.data, by perf's own text

for (['sched', 'prev_state', qr/sched:sched_switch: .* prev_state=(\S+) ==>/, sub { $_[0] =~ s/\+\z//r }],
	['rawsys_g', 'id', qr/raw_syscalls:sys_\w+: NR (\d+)/, sub { $call{$_[0]} // $_[0] }]) {
	my ($name, $field, $pattern, $as) = @$_;
	my @perf = map { /$pattern/ ? $as->($1) : () } `gzip -dc t/data/perf/$name.script.txt.gz`;
	my @ours = map { s/\+\z//r } zed_run('zedprint', "t/data/perf/$name.data")->{out} =~ / \Q$field\E = ([^,]*),/g;
	cmp_ok(scalar @perf, '>', 5, "a perf.data: perf's text of $field is understood");
	my @both = grep { $perf[$_] !~ /^\d+\z/ || $field ne 'id' } 0 .. $#perf;
	is(join(' ', scalar @ours, @ours[@both]), join(' ', scalar @perf, @perf[@both]), "... $field has the names that perf, or the kernel's table of calls, has");
}

# ---- made formats

my $states = '{ 0x01, "S" }, { 0x02, "D" }, { 0x40, "P" }';
my @fields = qw(state plain flags yes joined beside func none two row);
my $types = join '', map { "\tfield:unsigned int $fields[$_];\toffset:" . (8 + 4 * $_) . ";\tsize:4;\tsigned:0;\n" } 0 .. $#fields;
my $print = '"a=%s b=%d c=%-9s d=%s e=%s%s f=%d%s g=%pS h=%s two=%s row=%s%s%s%s%s%s",'
	. " __print_symbolic(REC->state, $states), REC->plain, __print_flags(REC->flags & 0xff, \"|\", $states),"
	. ' REC->yes ? "yes" : "no",'
	. " (REC->joined & 0x0f) ? __print_flags(REC->joined & 0x0f, \"|\", $states) : \"R\", REC->joined & 0x100 ? \"+\" : \"\","
	. ' REC->beside, REC->beside < 10 ? " [RT]" : "",'
	. ' (void *)(unsigned long)REC->func,'
	. " __print_symbolic(REC->none, $states),"
	. " REC->two ? __print_symbolic(REC->plain, $states) : \"\","
	. ' ' . join ', ', map { qq{REC->row & $_ ? "M" : " "} } 1, 2, 4, 8, 16, 32;

# The fields of an event with these values, as printed.
sub shown {
	my (@values) = @_;
	my $path = trace(types => { 'mini::all' => $types }, print => { 'mini::all' => $print },
		kallsyms => "c0001000 T start_here\nc0002000 t ends_here\n", events => [[0, 1000, 'mini::all', pack 'V*', @values]]);
	my $r = zed_run('zedprint', '--event', 'mini:all', $path);
	return $r->{err} . ($r->{out} =~ /common_pid = \d+, (.*),\n\z/ ? $1 : $r->{out});
}

is(shown(2, 2, 3, 1, 0x101, 5, 0xc0001052, 1, 1, 5),
	'state = D, plain = 2, flags = S|D, yes = yes, joined = S+, beside = 5, func = start_here+0x52, none = S, two = 1, row = 5',
	'a table, flags, a choice, two conversions of one field, a symbol; not a number with something beside it, nor a row of letters');
is(shown(7, 1, 0, 0, 0, 50, 0x10, 99, 0, 0),
	'state = 7, plain = 1, flags = 0, yes = no, joined = R, beside = 50, func = 16, none = 99, two = 0, row = 0',
	'what has no name stays the number that it was (else: it is hexadecimal, or nothing)');
is(shown(1, 0, 0x84, 3, 0x40, 0, 0xc0001000, 64, 0, 32),
	'state = S, plain = 0, flags = 132, yes = yes, joined = R, beside = 0, func = start_here+0x0, none = P, two = 0, row = 32',
	'... nor flags of which none has');

# ---- the numbers of another machine's calls

{
	my $id = "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n";
	my $calls = sub {
		my ($machine) = @_;
		my $path = trace(version => 7, uname => "Linux x 6.1 $machine", types => { 'raw_syscalls::sys_enter' => $id },
			print => { 'raw_syscalls::sys_enter' => '"NR %ld", REC->id' },
			events => [map { [0, 1000 * ($_ + 2), 'raw_syscalls::sys_enter', pack 'q<', $_] } -1, 0, 63, 100_000]);
		return join ' ', zed_run('zedprint', $path)->{out} =~ / id = (\S+),/g;
	};
	is($calls->('x86_64'), '-1 read uname 100000', 'calls of x86_64, and numbers that are none');
	is($calls->('aarch64'), '-1 io_setup read 100000', 'of aarch64');
	is($calls->('toy'), '-1 0 63 100000', 'of a machine that is not known');
}

done_testing;
