# SPDX-License-Identifier: GPL-2.0-or-later
#
# The stacks of programs in a trace.dat have names where it says what the processes had mapped (trace-cmd record
# --proc-map): by the files of this machine, if they are those of then.  Without it such a stack is eight numbers.
#
# of: reader/dat/proc_maps.c symbols/code_files.c ring/ahead.c
use strict;
use warnings;
no warnings 'portable';
use File::Copy ();
use File::Path qw(make_path);
use JSON::PP ();
use POSIX ();
use Test::More;
use lib 't/lib';
use Run::Program qw(:DEFAULT spew);
use Write::Elf;
use Write::Miniature;

-x zed_bin('zedsyms') or plan skip_all => 'zedsyms is not built: libdw is not here';

my $dir = zed_tmp();
my $here = (POSIX::uname())[1];
my $START = 0x7f12_3400_0000;
my $show = spew("$dir/show.pl", "sub sched::sched_waking { print join(' ', Zed::stack_symbols('user')), \"\\n\" }\n");

sub program {
	my ($path, $prefix, %o) = @_;
	my $elf = Write::Elf->new(id => 'ab' x 20, %o);
	$elf->function("$prefix$_") for qw(leaf inner outer);
	$elf->write($path);
	return $elf;
}
# Lines of a file mapped at START: its head, its code, its data.
sub lines_of {
	my ($path, $start, $shift) = @_;
	return join '', map { sprintf "%x %x %s\n", $start + $_->[0], $start + $_->[1], $path } [0, 0x1000], [0x1000 + $shift, 0x2000 + $shift], [0x3000 + $shift, 0x4000 + $shift];
}

# A trace of HOST with the stacks of ADDRESSES, whose process is as many as they are, as Write::Miniature has it.
sub recorded {
	my ($host, $maps, @stacks) = @_;
	my $time = 100;
	my $text = join ' | ', map { my $at = $time += 10; ("$at 0 7 waking 20", ++$at . ' 0 7 user ' . join ' ', map { sprintf '%x', $_ } @$_) } @stacks;
	return miniature($text, options => [[5, "Linux $host 6.1.0 x86_64\0"], map { [10, "$_\0"] } @$maps]);
}
sub shown {
	my (@args) = @_;
	my $r = zed_run({ env => { HOME => "$dir/none" } }, 'zedperl', @args);
	is($r->{exit}, 0, 'exit 0') or diag $r->{err};
	return ($r->{out}, $r->{err});
}

my $plain = program("$dir/plain", '');
my $shifted = program("$dir/shifted", 's_', shift => 0x1000);
my $OTHER = $START + 0x100_0000;
my @at = map { $START + $plain->at($_) + 5 } qw(leaf inner outer);
my @maps = (sprintf("%x 6 plain\n", 3) . lines_of("$dir/plain", $START, 0) . lines_of("$dir/shifted", $OTHER, 0x1000),
	"2 3 shifted\n" . lines_of("$dir/shifted", $START, 0x1000));

{
	my $path = recorded($here, \@maps, \@at, [map { $START + 0x1000 + $shifted->at($_) + 2 } qw(s_leaf s_outer)], [@at[0, 1], $OTHER + 0x1000 + $shifted->at('s_inner')], [$at[0]]);
	my ($out, $err) = shown($path, $show);
	is($err, '', 'no message');
	is_deeply([split /\n/, $out], ['leaf+0x5 inner+0x5 outer+0x5', 's_leaf+0x2 s_outer+0x2', 'leaf+0x5 inner+0x5 s_inner+0x0', sprintf '0x%x', $at[0]],
		'names by what the process had mapped, and none for one that is not listed (else: by another process\'s libraries)');
	($out) = shown($path, spew("$dir/symbol.pl", "sub ftrace::user_stack { print scalar(Zed::symbol(\$_)) // '-', ' ' for \@{Zed::field('caller')}[0, 1]; print \"\\n\" }\n"));
	is((split /\n/, $out)[0], 'leaf+0x5 inner+0x5 ', 'Zed::symbol, where the stack is the event');
	($out) = shown($path, 'stacks', '--folded', '--event', 'sched:sched_waking');
	like($out, qr/outer;inner;leaf \d/, 'and the analysis stacks') or diag $out;
}
{
	my $path = recorded($here, \@maps, \@at);
	my $r = zed_run({ env => { HOME => "$dir/none" } }, 'zedprint', '--stack', $path);
	like($r->{out}, qr{^ftrace::user_stack .*\n => leaf\+0x5 \(\Q$dir\E/plain\)\n => inner\+0x5 \(\Q$dir\E/plain\)\n => outer\+0x5 \(\Q$dir\E/plain\)\n\z}m, 'zedprint --stack: after the stack\'s event');
	$r = zed_run({ env => { HOME => "$dir/none" } }, 'zedprint', '-f', 'json', '--stack', $path);
	like((split /\n/, $r->{out})[1], qr/"stack":\["leaf\+0x5","inner\+0x5","outer\+0x5"\]/, '... and in JSON');
	is(JSON::PP::decode_json((split /\n/, $r->{out})[0])->{stack}, undef, '... where it is, and nowhere else');
}
{	# The file is another one since.
	my $path = recorded($here, \@maps, \@at);
	utime 1000, 1000, $path or die "utime: $!\n";
	my ($out) = shown($path, $show);
	is($out, join(' ', map { sprintf "$dir/plain+0x%x", $_ - $START } @at) . "\n", 'a file that has changed since: places in it (else: names of another build)');
}
{
	my $path = recorded('elsewhere', \@maps, \@at);
	my ($out) = shown($path, $show);
	is($out, join(' ', map { sprintf "$dir/plain+0x%x", $_ - $START } @at) . "\n", 'a trace of another machine: places, no names');
	make_path("$dir/root/$dir");
	File::Copy::copy("$dir/plain", "$dir/root/$dir/plain") or die "copy: $!\n";
	($out) = shown('--symfs', "$dir/root", $path, $show);
	is($out, "leaf+0x5 inner+0x5 outer+0x5\n", '... and names with --symfs');
}
{	# What is no mapping.
	my @bad = ("3 2 x\n7000 6000 /bin/x\nno line\n1000 2000 \n123456789012345678 2 /x\n" . lines_of("$dir/plain", $START, 0), "zz 1 x\n", '', "3 1 cut\n1000");
	my $r = zed_run('zedperl', recorded($here, \@bad, \@at), $show);
	is($r->{out}, "leaf+0x5 inner+0x5 outer+0x5\n", 'damaged lines: the others hold');
	like($r->{err}, qr/mappings of processes: invalid lines left out: \d/, '... and they are counted');
	is($r->{exit}, 1, '... as damage');
}
done_testing();
