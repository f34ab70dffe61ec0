# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a script asks of the trace and of numbers: when it begins and ends, what all CPUs have data for, its clock and
# machine; names of errors and system calls, devices, durations.  Without it a rate is computed over the wrong time, or
# an error has the name that it has here and not on the machine that was traced.
# of: interp/api
use strict;
use warnings;
use Test::More;
use Errno ();
use POSIX ();
use lib 't/lib';
use Compare::RealData;
use Run::Program;
use Write::ZedStream;
use Run::Zedperl;

my $own = Compare::RealData::own();

# What EXPR, in the main program, prints; options and traces before.
sub says {
	my ($expr, @args) = @_;
	my $r = zedperl(@args, \"no warnings; sub p { print join('|', map { defined ? \$_ : 'undef' } \@_), qq{\\n} } $expr");
	# which is no matter here
	return $r->{out} . $r->{err} =~ s/^zedperl: the script has no handlers, .*\n//mr;
}

# ---- when
my $dat = trace(cpus => 3, clock => 'mono', events => [
	(map { [0, 1_000_000 + 1000 * $_, 'mini::tick', $_] } 0 .. 3), (map { [1, 1_000_500 + 1000 * $_, 'mini::tick', $_] } 0 .. 3)]);
my $ends = 'p(Zed::start(), Zed::end(), Zed::window(), scalar Zed::window());';
is(says($ends, $dat), "1000000|1003500|1000500|1003000|2500\n", 'before the first event');
is(says("sub mini::tick { $ends Zed::stop() }", $dat), "1000000|1003500|1000500|1003000|2500\n", 'in a handler');
is(says("sub trace_end { $ends }", $dat), "1000000|1003500|1000500|1003000|2500\n", 'in trace_end, though no event has a handler');
is(says($ends, '--relative', $dat), "0|3500|500|3000|2500\n", '--relative: as Zed::ts() has them');
is(says($ends, '--cpu', 1, '-F', 'mini: n == 2', '--start', '+1us', $dat), "1000000|1003500|1000500|1003500|3000\n",
	'whatever is filtered; the window is that of the chosen CPUs');
my $later = trace(clock => 'mono', events => [[0, 1_002_000, 'mini::tick', 9], [0, 5_000_000, 'mini::tick', 10]]);
is(says('p(Zed::start(), Zed::end(), Zed::window()); p(Zed::start($_), Zed::end($_)) for 0, 1, 2, -1, undef', '-i', $dat, '-i', $later),
	"1000000|5000000|1002000|1003000\n1000000|1003500\n1002000|5000000\nundef|undef\nundef|undef\n1000000|5000000\n", 'several inputs, and each');
is(says($ends, trace(events => [])), "undef|undef|undef\n", 'no records: no times, an empty window');
is(says($ends, trace(cpus => 2, events => [[0, 1000, 'mini::tick', 1], [1, 2000, 'mini::tick', 1]])), "1000|2000|undef\n", 'no time that both have data for');
my $zed = Write::ZedStream::from_dat("$own/demo.dat")->write(temp_path('.zed'));
is(says($ends, $zed), says($ends, "$own/demo.dat"), 'a zed stream in a file');
my $piped = zed_run('sh', '-c', 'cat "$1" | { shift; exec "$@"; }', 'sh', $zed, zed_bin('zedperl'), '-i', '-', '-e',
	'print defined Zed::start() || defined Zed::end() || Zed::window() ? "known" : "not known"');
is($piped->{out}, 'not known', 'through a pipe nobody knows the end');
for my $name (qw(demo small_be_v6 armhf_zstd multibuf)) {
	my $fh = Compare::RealData::ref_open(Compare::RealData::reference("$own/$name.dat", 'raw'));
	my @us = sort { $a <=> $b } map { /\[\d+\]\s*(\d+)\.(\d{6}): / ? $1 * 1_000_000 + $2 : () } <$fh>;
	is(says('p(map { int(($_ + 500) / 1000) } Zed::start(), Zed::end())', "$own/$name.dat"), "$us[0]|$us[-1]\n", "$name: the times that trace-cmd shows");
}

# ---- where
is(says('p(Zed::clock(), Zed::uname(), Zed::ncpus())', trace(clock => 'global', version => 7, uname => 'Linux host 6.1.0 aarch64')),
	"global|Linux host 6.1.0 aarch64|2\n", 'clock, uname, ncpus');
is(says('p(Zed::clock($_), Zed::ncpus($_)) for 0 .. 2, "x"; sub mini::tick { p(Zed::clock(), Zed::ncpus()) if $_[4] > 8 }', '--force-merge', '-i',
	trace(clock => 'mono', cpus => 3, version => 7), '-i', trace(clock => 'boot', version => 7, cpus => 5, events => [[0, 1, 'mini::tick', 9]]))
	=~ s/^zedperl: .*\n//mr, "mono|3\nboot|5\nundef|undef\nmono|3\nboot|5\n", 'of each input, and of the event\'s own');
like(says('p(Zed::ncpus(), Zed::uname())', "$own/demo.dat"), qr/^4\|Linux \S+ .* x86_64$/, 'of a real recording');
is(says('p(Zed::uname(), Zed::clock())', "$own/ltt-g1") =~ /\|wall$/m, 1, 'of an LTT trace');

# ---- errors: perl's own table is this machine's; of others, their headers
my %number = map { $_ => Errno->can($_)->() } grep { Errno->can($_) } @{$Errno::EXPORT_TAGS{POSIX}}, grep { /^E[A-Z0-9]+$/ } keys %!;
SKIP: {
	skip 'this machine has numbers of its own', 1 if (POSIX::uname())[4] !~ /^(?:x86_64|i.86|aarch64|arm|s390x|riscv)/;
	my %name = map { split / /, $_, 2 } split /\n/, says('print "$_ ", Zed::errno_name($_) // "", "\n" for 1 .. 140', $dat);
	my @wrong = grep { $name{$number{$_}} ne $_ && !defined $number{$name{$number{$_}}} } sort keys %number;
	is("@wrong", '', 'each number that perl knows has a name that perl knows');
	@wrong = grep { length $name{$_} && $number{$name{$_}} != $_ } 1 .. 133;
	is("@wrong", '', 'and each name is that of its number');
	cmp_ok(scalar(grep { length } values %name), '>=', 131, 'all of them');
}
my %machine = (
	mips => '2 ENOENT 35 ENOMSG 45 EDEADLK 56 EDEADLOCK 78 ENAMETOOLONG 89 ENOSYS 93 ENOTEMPTY 122 EOPNOTSUPP 145 ETIMEDOUT 146 ECONNREFUSED 158 ECANCELED 168 EHWPOISON 1133 EDQUOT',
	mips64 => '145 ETIMEDOUT',
	alpha => '11 EDEADLK 35 EAGAIN 36 EINPROGRESS 60 ETIMEDOUT 66 ENOTEMPTY 78 ENOSYS 116 EILSEQ 139 EHWPOISON',
	sparc64 => '11 EAGAIN 36 EINPROGRESS 60 ETIMEDOUT 66 ENOTEMPTY 78 EDEADLK 90 ENOSYS 108 EDEADLOCK 122 EILSEQ 135 EHWPOISON',
	parisc64 => '35 ENOMSG 45 EDEADLK 47 EILSEQ 216 ENOTSOCK 238 ETIMEDOUT 247 ENOTEMPTY 251 ENOSYS 253 ECANCELED 257 EHWPOISON',
	ppc64le => '35 EDEADLK 58 EDEADLOCK 110 ETIMEDOUT',
	s390x => '35 EDEADLK 38 ENOSYS 110 ETIMEDOUT 133 EHWPOISON',
);
for my $machine (sort keys %machine) {
	my @pairs = split / /, $machine{$machine};
	my @n = @pairs[grep { $_ % 2 == 0 } 0 .. $#pairs];
	is(says("print join ' ', map { (\$_, Zed::errno_name(\$_)) } qw(@n)", trace(version => 7, uname => "Linux x 6.1 $machine")), $machine{$machine},
		"errors on $machine (else: the name is that of another architecture's error)");
}
is(says('p(map { Zed::errno_name($_) } 512 .. 532)', $dat), 'ERESTARTSYS|ERESTARTNOINTR|ERESTARTNOHAND|ENOIOCTLCMD|ERESTART_RESTARTBLOCK|EPROBE_DEFER|'
	. "EOPENSTALE|ENOPARAM|undef|EBADHANDLE|ENOTSYNC|EBADCOOKIE|ENOTSUPP|ETOOSMALL|ESERVERFAULT|EBADTYPE|EJUKEBOX|EIOCBQUEUED|ERECALLCONFLICT|ENOGRACE|undef\n",
	"what only the kernel sees");
is(says('p(map { Zed::errno_name($_) } -2, -512, 0, 41, 134, 511, 100000, -9223372036854775808, 18446744073709551615, "x", undef)', $dat),
	'ENOENT|ERESTARTSYS' . '|undef' x 9 . "\n", 'negative ones, and what is no error');
is(says('p(Zed::errno_name(145), Zed::errno_name(145, 1), Zed::errno_name(110, 7)); sub mini::tick { p(Zed::errno_name(145)) }', '-i',
	trace(version => 7, events => []), '-i', trace(version => 7, uname => 'Linux x 6.1 mips')) =~ s/^zedperl: .*\n//mr,
	"undef|ETIMEDOUT|ETIMEDOUT\n" . "ETIMEDOUT\n" x 3, 'of each input, and of the event\'s own');

# ---- system calls
for (['x86_64', '0 read 59 execve 257 openat 435 clone3'], ['aarch64', '63 read 221 execve 56 openat'], ['armv7l', '3 read 11 execve 322 openat 983045 set_tls'],
	['i686', '3 read 11 execve 295 openat'], ['s390x', '3 read 11 execve 288 openat'], ['riscv64', '63 read 221 execve']) {
	my ($machine, $want) = @$_;
	my @n = $want =~ /(\d+) /g;
	is(says("print join ' ', map { (\$_, Zed::syscall_name(\$_)) } qw(@n)", trace(version => 7, uname => "Linux x 6.1 $machine")), $want, "system calls on $machine");
}
is(says('p(map { Zed::syscall_name($_) } 99999, -1, 18446744073709551615)', trace(version => 7)), "undef|undef|undef\n", 'no such call');
is(says('p(Zed::syscall_name(0), Zed::syscall_name(0, 3))', trace(version => 7, uname => 'Linux x 1.0 pdp11')), "undef|undef\n", 'no such machine, no such input');

# ---- devices: as the kernel's own print format shows them
is(says('p(map { Zed::dev($_) } 0, 8388608, (259 << 20) | 5, (253 << 20) | 0xfffff, 0xffffffff, 8388609, undef)', $dat), "0:0|8:0|259:5|253:1048575|4095:1048575|8:1|undef\n",
	'devices');
{
	my $fh = Compare::RealData::ref_open(Compare::RealData::reference("$own/block.dat", 'report'));
	my @want = map { /block_rq_issue: +(\d+),(\d+) / ? "$1:$2" : () } <$fh>;
	cmp_ok(scalar @want, '>', 5, 'there are block requests');
	is(says('sub block::block_rq_issue { print Zed::dev($_[4]), "\n" }', "$own/block.dat"), join('', map { "$_\n" } @want), 'as trace-cmd shows them');
}

# ---- durations
my @durations = (0 => '0 ns', 1 => '1 ns', 850 => '850 ns', 999 => '999 ns', 1000 => '1.00 us', 1234 => '1.23 us', 12_345 => '12.3 us', 99_949 => '99.9 us',
	99_950 => '100 us', 999_499 => '999 us', 999_500 => '1.00 ms', 12_300_000 => '12.3 ms', 1_500_000_000 => '1.50 s', 59_960_000_000 => '60.0 s',
	3_600_000_000_000 => '3600 s', -12_300_000 => '-12.3 ms', '0.5' => '0.50 ns', '12.345' => '12.3 ns', '123456.7' => '123 us',
	'18446744073709551615' => '18446744074 s', '9.996e3' => '10.0 us');
my @given = @durations[grep { $_ % 2 == 0 } 0 .. $#durations];
is(says("print join ';', map { (\$_, Zed::duration(\$_)) } qw(@given)", $dat), join(';', @durations), 'durations');
is(says('p(map { Zed::duration($_) } 9**9**9, -9**9**9, -sin(9**9**9), undef)', $dat), "undef|undef|undef|undef\n", 'what is no number');

# ---- usage
for my $call (map({ "Zed::$_(1, 2)" } qw(start end window clock uname ncpus dev duration)), map { "Zed::$_()" } qw(errno_name syscall_name dev duration)) {
	(my $name = $call) =~ s/\(.*//;
	like(zedperl($dat, \$call)->{err}, qr/^usage: \Q$name\E\(.*\) at \S+ line 1\./, "$call: usage");
}
is(zedperl($dat, \'use strict; use Zed qw(start end window clock uname ncpus errno_name syscall_name dev duration); print duration(end() - start())')->{out},
	'3.50 us', 'they can be imported');

done_testing();
