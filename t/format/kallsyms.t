# SPDX-License-Identifier: GPL-2.0-or-later
#
# --kallsyms FILE: names of the kernel's addresses come from FILE, in every kind of trace, and a file that cannot tell
# them is refused.  A perf.data of this boot of this kernel has the running kernel's, one whose text perf has cached those,
# and no other has any.  Without it a perf.data, which has no symbols, would show bare addresses, or another boot's names.
#
# of: programs/kallsyms.c trace/symbols.c trace/machine.c kernel symbols/symbol_finder.c
use strict;
use warnings;
no warnings 'portable';
use File::Path ();
use POSIX ();
use Test::More;
use lib 't/lib';
use Write::Dat;
use Write::Perf;
use Write::ZedStream;
use Run::Program qw(:DEFAULT spew);
use Run::Zedperl ();

my $dir = zed_tmp();
my $given = <<"EOT";
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 T given
ffffffff81000200 t other
ffffffff81ffffff B _end
ffffffffa0000000 t in_module\t[mod]
ffffffffa0000080 t next_one\t[mod]
EOT
my $file = spew("$dir/kallsyms", $given);
my $chain = spew("$dir/chain.pl", <<'EOT');
use Perf::Trace::Core; use Zed handlers => ["mini"];
sub mini::tick {
	my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm, $common_callchain) = @_;
	print join(' ', map { my $s = $_->{sym}; ($s ? sprintf('%s %x-%x ', @$s{qw(name start end)}) : '') . ($_->{dso} // '-') . ';' } @$common_callchain), "\n";
}
EOT
my $symbol = spew("$dir/symbol.pl", <<'EOT');
use Zed handlers => ['mini'];
sub mini::tick { print join(' ', map { scalar Zed::symbol($_) // '-' } 0xffffffff81000110, 0xffffffffa0000000, 0x40), "\n"; }
EOT

# A kernel address in the image, one in a module, one in neither, and one of the program, which has a symbol's number.
my $w = Write::Perf->new;
$w->format(mini => $Write::Perf::TICK);
$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
$w->sample(0, time => 1000, pid => 40, tid => 40, raw => $w->tick(40, 1),
	chain => [18446744073709551488, 0xffffffff81000110, 0xffffffffa0000084, 0xffffffffb0000000, 18446744073709551104, 0xffffffff81000110]);
my $perf = $w->write("$dir/perf.data");
my $dat = Run::Zedperl::trace(kallsyms => "ffffffff81000000 T traced\nffffffff82000000 T last\n");

{
	my $r = zed_run('zedperl', $perf, $chain);
	is("$r->{exit} $r->{out}", "0 -; -; -; -;\n", 'a perf.data has no symbols');
	$r = zed_run('zedperl', '--kallsyms', $file, $perf, $chain);
	is("$r->{exit} $r->{err}$r->{out}",
		"0 given ffffffff81000100-ffffffff81000200 [kernel.kallsyms]; next_one ffffffffa0000080-ffffffffa0001000 [mod]; -; -;\n",
		'addresses of the kernel have the symbols and modules of FILE, those of the program have none');
	$r = zed_run('zedperl', $dat, $symbol);
	is((split /\n/, $r->{out})[0], 'traced+0x110 - -', 'a trace.dat has its own symbols');
	$r = zed_run('zedperl', '--kallsyms', $file, $dat, $symbol);
	is((split /\n/, $r->{out})[0], 'given+0x10 in_module -', '... and with --kallsyms those of FILE instead (else: two kernels are mixed)');
	my $stream = Write::ZedStream::from_dat($dat)->write("$dir/stream.zed");
	$r = zed_run('zedperl', '--kallsyms', $file, $stream, $symbol);
	is((split /\n/, $r->{out})[0], 'given+0x10 in_module -', '... of a stream, too (else: its types have another machine)');
	$r = zed_run('zedperl', '--kallsyms', '/dev/null', '--kallsyms', $file, $dat, $symbol);
	is($r->{exit}, 2, 'each FILE has to be one');
	$r = zed_run('zedperl', '--kallsyms', spew("$dir/first", $given =~ s/given/first/r), '--kallsyms', $file, $dat, $symbol);
	is($r->{exit} . (split /\n/, $r->{out})[0], '0given+0x10 in_module -', '... and the last counts');
}
{
	my $func = Run::Zedperl::trace(types => { 'ftrace::function' => Run::Zedperl::field_text('unsigned long ip', 8, 8, 0) . Run::Zedperl::field_text('unsigned long parent_ip', 16, 8, 0) },
		print => { 'ftrace::function' => '" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip' },
		events => [[0, 1000, 'ftrace::function', pack 'Q<Q<', 0xffffffff81000100, 0xffffffffa0000010]]);
	for my $form (qw(report kernel)) {
		my $r = zed_run('zedprint', '-f', $form, '--kallsyms', $file, $func);
		like($r->{out}, qr/\bgiven(?: <-in_module)?\n/, "zedprint -f $form names functions by FILE (else: a bare address)");
	}
}

# What the recording says of its kernel is compared.
{
	my @r = map {
		my ($name, $off) = @$_;
		my $m = Write::Perf->new;
		$m->format(mini => $Write::Perf::TICK);
		$m->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
		$m->mmap(pid => -1, at => 0xffffffff81000000, len => 0x1000000, off => $off, name => $name, time => 0) for 1, 2;
		$m->sample(0, time => 1000, pid => 40, tid => 40, raw => $m->tick(40, 1), chain => [18446744073709551488, 0xffffffff81000110]);
		zed_run('zedperl', '--kallsyms', $file, $m->write("$dir/boot.data"), $chain)
	} ['[kernel.kallsyms]_text', 0xffffffff81000000], ['[kernel.kallsyms]_text', 0xffffffff92000000], ['[kernel.kallsyms]', 5], ['[kernel.kallsyms]' . 'x' x 5000, 5];
	is($r[$_]{err}, '', 'FILE has what the recording tells of its kernel, or it tells nothing') for 0, 2, 3;
	like($r[1]{err}, qr/\A[^\n]*another boot, [^\n]* _text was at ffffffff92000000, --kallsyms has it at ffffffff81000000\n\z/,
		'a FILE of another boot is told (else: every name is wrong, and nobody knows)');
	like($r[$_]{out}, qr/^given /, '... and names are those of FILE') for 0 .. 3;
}

# The running kernel's own, for a recording of this boot.
sub of_kernel {
	my ($text, $address, %o) = @_;
	my $m = Write::Perf->new(%o);
	$m->format(mini => $Write::Perf::TICK);
	$m->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	$m->mmap(pid => -1, at => $text, len => 0x2000000, off => $text, name => '[kernel.kallsyms]_text', time => 0);
	$m->sample(0, time => 1000, pid => 40, tid => 40, raw => $m->tick(40, 1), chain => [18446744073709551488, $address]);
	return $m->write("$dir/kernel.data");
}
my (undef, $node, $release) = POSIX::uname();
my @me = (host => $node, release => $release);
my %at = map { /^([0-9a-f]+) [tT] (_text|schedule)$/ ? ($2 => hex $1) : () } split /\n/, -r '/proc/kallsyms' ? slurp('/proc/kallsyms') : '';
SKIP: {
	skip 'this kernel shows no addresses', 6 if !$at{_text} || !$at{schedule};
	my @here = ($at{_text}, $at{schedule} + 5);
	my $named = sub { my (@args) = @_; my $r = zed_run('zedperl', @args, $chain); return ($r->{out} =~ /^(\w+) / ? $1 : 'none', $r->{err}) };
	is_deeply([$named->(of_kernel(@here, @me))], ['schedule', ''], 'a recording of this boot has names (else: hex, where perf report has names)');
	my ($name, $err) = $named->(of_kernel($at{_text} + 0x200000, $at{schedule} + 5, @me));
	is($name, 'none', 'one of another boot has none (else: each is another function\'s)');
	like($err, qr/no names of the kernel's functions: recorded before this machine was booted/, '... and that is said');
	my $old = of_kernel(@here, @me);
	utime 1, 1, $old or die "utime: $!\n";
	is(($named->($old))[0], 'schedule', 'one older than this boot, where the kernel always has one place: its own functions');
	is(($named->(of_kernel(@here, @me, @$_)))[0], 'none', "nor one of @$_[0, 1]") for [host => 'elsewhere'], [release => '6.1.0'];
}
{	# What perf keeps beside its copies of programs, by the build id.
	my ($first, $rest) = ('ab', 'cd' x 19);
	my @far = (host => 'elsewhere', build_ids => [['[kernel.kallsyms]', "$first$rest", 1]]);
	File::Path::make_path("$dir/cache/.build-id/$first/$rest");
	spew("$dir/cache/.build-id/$first/$rest/kallsyms", $given);
	my $named = sub { return zed_run('zedperl', '--debug-dir', "$dir/cache", @_, $chain)->{out} };
	like($named->(of_kernel(0xffffffff81000000, 0xffffffff81000110, @far)), qr/^given /, 'the text that perf has cached');
	like($named->(of_kernel(0xffffffff91000000, 0xffffffff81000110, @far)), qr/^-/, '... if it is of that boot');
	unlike($named->(of_kernel(0xffffffff81000000, 0xffffffff81000110, host => 'elsewhere')), qr/given/, '... and of that build');
}

# What cannot be meant, and what is damaged.
for (['no such file', "$dir/none", qr/No such file/], ['a directory', $dir, qr/Is a directory/], ['an empty file', '/dev/null', qr/not the text of \/proc\/kallsyms/],
	['a text', spew("$dir/text", "ffffffff81000000 T one\n" . "some words\n" x 3), qr/not the text of \/proc\/kallsyms/],
	['a trace', $dat, qr/not the text of \/proc\/kallsyms/], ['an endless one', '/dev/zero', qr/larger than \d+ MiB/],
	['hidden addresses', spew("$dir/zero", "0000000000000000 T _stext\n0000000000000000 t x\t[m]\n"), qr/all addresses are 0: .*kptr_restrict/]) {
	my ($what, $path, $said) = @$_;
	for my $prog (qw(zedprint zedperl)) {
		my $r = zed_run($prog, '--kallsyms', $path, $perf, $prog eq 'zedperl' ? $symbol : ());
		is("$r->{exit} $r->{out}", '2 ', "$prog: $what: nothing is done");
		like($r->{err}, qr/\A$prog: (?:.*: )?\Q$path\E: .*\n(?:.*\n)?\z/, '... with one message, which names the file');
		like($r->{err}, $said, '... and says what is wrong');
	}
}
{
	my $r = zed_run('zedperl', '--kallsyms', spew("$dir/some", $given . "rubbish\n"), $dat, $symbol);
	is((split /\n/, $r->{out})[0], 'given+0x10 in_module -', 'the rest of a damaged file is used');
	like($r->{err}, qr{\Azedperl: $dir/some: invalid lines left out: 1\n\z}, '... and that is said');
	is($r->{exit}, 1, '... also by the exit status');
	# Bytes that are no text, names of any length, numbers of any size.
	srand 4;
	for my $n (1 .. 40) {
		my $bytes = $given x 20;
		substr($bytes, rand length $bytes, 1 + rand 3) = join '', map { chr rand 256 } 1 .. rand 600 for 1 .. 30;
		$r = zed_run('zedperl', '--kallsyms', spew("$dir/hostile", $bytes), $dat, $symbol);
		ok(!$r->{signal} && !$r->{late} && $r->{exit} <= 2, "bytes of no sense, $n (else: a file of symbols crashes us)") or diag "$r->{exit} $r->{err}";
	}
}

done_testing();
