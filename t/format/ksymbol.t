# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs of BPF, and other functions that the kernel makes while it runs, have the names that a perf.data has for them, as
# long as they are there.  Without it they would have none, or that of what is at the same address when the trace is read.
#
# of: reader/perf/effects.c reader/perf/records.c reader/perf/maps.c trace/chain_frame.c
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Run::Program qw(:DEFAULT spew);
use Write::Perf;

my $dir = zed_tmp();
my ($KERNEL, $USER) = (18446744073709551488, 18446744073709551104);
my $AT = 0xffffffffc0001000;
my $PROGRAM = 'bpf_prog_0123456789abcdef_count';
my $show = spew("$dir/show.pl", <<'EOT');
use Perf::Trace::Core; use Zed handlers => ["mini"];
sub mini::tick {
	my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm, $common_callchain) = @_;
	print join(' ', map { my $s = $_->{sym}; ($s ? sprintf('%s:%x-%x:', @$s{qw(name start end)}) : '-:') . ($_->{dso} // '-') } @$common_callchain), "|", join(' ', Zed::stack_symbols()), "\n";
}
EOT
my $kallsyms = spew("$dir/kallsyms", sprintf("%x T _text\n%x t last\n%x t %s\t[bpf]\n%x t other\t[mod]\n", 0xffffffff81000000, 0xffffffff81000100, $AT, 'bpf_prog_of_another_time', $AT + 0x2000));

for my $big (0, 1) {
	my $w = Write::Perf->new(big => $big);
	my $time = 1000;
	my $tick = sub { $w->sample(0, time => ++$time, pid => 40, tid => 40, raw => $w->tick(40, 1), chain => [$KERNEL, @_]) };
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	$w->mmap(pid => -1, at => 0xffffffff81000000, len => 0x7f000000, off => 0xffffffff81000000, name => '[kernel.kallsyms]_text', time => 0);
	$w->ksymbol(at => $AT - 0x1000, len => 0x100, name => 'bpf_prog_1111111111111111', time => 0);
	$tick->($AT - 0x1000 + 4, $AT + 4);
	$w->ksymbol(at => $AT, len => 0x80, name => $PROGRAM, time => ++$time);
	$tick->($AT, $AT + 0x7f, $AT + 0x80);
	$w->ksymbol(at => $AT, len => 0x80, name => $PROGRAM, gone => 1, time => ++$time);
	$tick->($AT + 4);
	$w->ksymbol(at => $AT, len => 0x40, name => 'bpf_trampoline_7', type => 2, time => ++$time);
	$tick->($AT + 4);
	$w->sample(0, time => ++$time, pid => 40, tid => 40, raw => $w->tick(40, 1), chain => [$USER, $AT + 4]);
	my $path = $w->write("$dir/bpf.data");
	my $r = zed_run('zedperl', $path, $show);
	my $range = sub { my ($at, $len) = @_; return sprintf '%x-%x', $at, $at + $len };
	my @lines = split /\n/, $r->{out};
	my @frames = map { (split /\|/)[0] } @lines;
	my $end = $big ? 'big endian' : 'little endian';
	is($frames[0], "bpf_prog_1111111111111111:@{[$range->($AT - 0x1000, 0x100)]}:[bpf] -:[kernel.kallsyms]", "$end: a program that was there before the recording began");
	is($frames[1], join(' ', ("$PROGRAM:@{[$range->($AT, 0x80)]}:[bpf]") x 2, '-:[kernel.kallsyms]'), '... one that was loaded then, up to its end');
	like($lines[1], qr/\|\Q$PROGRAM\E\+0x0 \Q$PROGRAM\E\+0x7f /, '... with offsets');
	unlike($frames[2], qr/bpf_prog/, '... and no longer once it was unloaded (else: another function has its name)');
	like($frames[3], qr/^bpf_trampoline_7:/, '... but what came to its place');
	is($frames[4], '-:-', 'an address of a program is not the kernel\'s');
	$r = zed_run('zedperl', '--kallsyms', $kallsyms, $path, $show);
	like((split /\n/, $r->{out})[1], qr/^\Q$PROGRAM\E:/, 'before the names of kallsyms, which is of another time');
	$r = zed_run('zedprint', '--stack', $path);
	like($r->{out}, qr/^ => \Q$PROGRAM\E\+0x7f \[bpf\]$/m, 'zedprint --stack');
	is_deeply([map { scalar(() = $r->{out} =~ /^ => \Q$_\E\+0x/mg) } $PROGRAM, 'bpf_trampoline_7'], [2, 1], '... each as long as it is there (else: a cached name stays)');
	$r = zed_run('zedperl', '--kallsyms', $kallsyms, $path, spew("$dir/symbol.pl", sprintf(<<'EOT', $AT + 4)));
use Zed handlers => ['mini'];
sub mini::tick { print join('/', map { $_ // 'none' } Zed::symbol(0x%x)), "\n" }
EOT
	is((split /\n/, $r->{out})[1], "$PROGRAM/4/bpf", 'Zed::symbol');
	$r = zed_run('zedperl', $path, 'stacks', '--folded');
	like($r->{out}, qr/\Q$PROGRAM\E 1$/m, 'stacks');
	# Once in the kernel, once by Zed::symbol, which does not ask whose the address is.
	like($r->{out}, qr/bpf_trampoline_7 2$/m, '... by the name of each time (else: the first one for good)');
}

# What cannot be is no harm.
{
	my $w = Write::Perf->new;
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	$w->ksymbol(at => $AT, len => 0, name => 'none', time => 1);
	$w->ksymbol(at => 0xffffffffffffff00, len => 0xffffffff, name => 'beyond', time => 2);
	$w->ksymbol(at => $AT, len => 0xffffffff, name => 'x' x 2000, time => 3);
	$w->ksymbol(at => 5, len => 7, name => 'never', gone => 1, time => 4);
	$w->record(17, 0, 'short');
	$w->sample(0, time => 1000, pid => 40, tid => 40, raw => $w->tick(40, 1), chain => [$KERNEL, $AT + 4]);
	my $r = zed_run('zedprint', '--stack', $w->write("$dir/odd.data"));
	like($r->{out}, qr/^ => x{511}\+0x4 \[bpf\]$/m, 'a name is as long as the kernel allows');
	like($r->{err}, qr/a record of type 17 with \d+ bytes: too short/, 'a record that is too short is reported');
	is($r->{exit}, 1, '... as damage');
}
done_testing();
