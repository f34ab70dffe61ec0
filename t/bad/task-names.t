# SPDX-License-Identifier: GPL-2.0-or-later
#
# Texts of a traced machine with lines that are none.  Any user can give a task a name with a newline
# (prctl), and the kernel writes it as it is: without this test one such task takes the names of all
# others away, and with them every answer that depends on a name.
#
# of: trace/comms reader/dat programs
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Compare::Stock;
use Run::Program;
use Write::ZedStream;

my $dir = zed_tmp();

# [comm of task PID in our formats, in -f report, messages] for a recording with CMDLINES.
sub names {
	my ($cmdlines, $pid) = @_;
	my $path = Write::Dat->new(cmdlines => $cmdlines, pid => $pid, cpus => 1, pages => 1, ticks => 1)
		->write("$dir/names.dat");
	my $perl = zed_run('zedperl', '-e', 'use Zed handlers => ["mini"]; sub mini::tick { printf "%vd", Zed::comm() }', $path);
	my $json = zed_run('zedprint', '-f', 'json', $path);
	my $report = zed_run('zedprint', '-f', 'report', $path);
	my ($in_json) = $json->{out} =~ /"comm":"((?:[^"\\]|\\.)*)"/;
	my $comm = join '', map { chr } split /\./, $perl->{out};
	is($in_json =~ s/\\u([0-9a-f]{4})/chr hex $1/ger, $comm, 'JSON and Perl agree');
	my ($shown) = $report->{out} =~ /^ *(.*)-$pid +\[000\]/m;
	my $stock = stock_missing() ? '' : stock_text($path);
	is(($stock =~ /^ *(.*)-$pid +\[000\]/m)[0], $shown, 'trace-cmd shows the same as report')
		if $stock =~ /tick/ && $cmdlines !~ /^(\d+) .*\n\1 /m;	# of two it takes any
	return [$comm, $shown, $perl->{err} . ($perl->{exit} ? "exit $perl->{exit}" : '')];
}

is_deeply(names("1 init\n77 a\nb\n12 x\n", 77), ["a\nb", 'a', ''],
	'a line without a number goes on with the name before it');
is_deeply(names("1 init\n77 a\nb\n12 x\n", 12), ['x', '<...>', ''],
	'the names behind are known (else: 99 % of a trace is <...>); report stops there as trace-cmd does');
is_deeply(names("77 a\n\n12 x\n", 12), ['x', 'x', ''], 'a name that ends in a newline');
is_deeply(names("77 a\n\n12 x\n", 77), ["a\n", 'a', ''], 'and that name');
is_deeply(names("77 \n12 x\n", 12), ['x', '<...>', ''], 'behind an empty name');
is_deeply(names("77 a\n34 x\n12 y\n", 34), ['x', 'x', ''], 'a name that forges a line is not told from two');
is_deeply(names("77 a\n34 x\n34 y\n", 34)->[0], 'y', 'until a later line says otherwise: the last counts');
like(names("no number\n77 a\n", 77)->[2], qr/command names: invalid lines left out: 1\nexit 1/,
	'a line that belongs to no name is told of');
is(names("no number\n77 a\n", 77)->[0], 'a', 'and costs itself');
is_deeply(names("77 a\n0123456789abcd\n12 x\n", 77)->[0], 'a',
	'no name of the kernel is longer than 15 bytes (else: junk becomes a name)');
is(names("77 a-name-of-more-than-15-bytes\n", 77)->[0], 'a-name-of-more-than-15-bytes',
	'but on one line it may be: who wrote it will know');

# A list that cannot be unpacked.
{
	my $d = Write::Dat->new(cmdlines => "77 a\n", pid => 77, cpus => 1, pages => 1, ticks => 1, compression => 'zstd');
	my $path = $d->poke('cmdlines.usize', $d->u32(1))->write("$dir/damaged.dat");
	my $r = zed_run('zedprint', '-f', 'json', $path);
	like($r->{err}, qr/\A[^\n]*damaged\.dat: offset 0x[0-9a-f]+: [^\n]*\n\z/,
		'a damaged list is reported once (else: it counts as two damaged places)');
	like($r->{out}, qr/"comm":"<\.\.\.>"/, 'and costs the names');
}

# The other texts.
{
	my $d = Write::Dat->new(kallsyms => "ffffffff81000000 T first\nwhat is this\nffffffff81000010 T second\n" .
		"ffffffff81000020 T last\nffffffff810",
		printk => qq{0xc0003000 : "one"\njunk\n0xc0003010 : "two"\n});
	my $path = $d->write("$dir/texts.dat");
	my $r = zed_run('zedperl', '-e', 'use Zed handlers => ["mini"]; sub mini::tick { print Zed::symbol(0xffffffff81000010), "\n" }', $path);
	like($r->{out}, qr/second/, 'a bad line of kallsyms costs itself (else: no symbol behind it is known)');
	is($r->{err}, "zedperl: $path: kallsyms: invalid lines left out: 1\n",
		'it is said, and the last line, which may be cut, is not');
	is($r->{exit}, 1, 'with exit 1');
}

# A zed stream, whose names come while it goes on.
{
	my $path = "$dir/stream.zed";
	my $count = zed_run('zedperl', '-e', 'my %p; sub trace_unhandled { $p{Zed::pid()}++ } sub trace_end {
		print "$_\n" for sort { $p{$b} <=> $p{$a} } grep { $_ } keys %p }', 't/data/small_v7_none.dat');
	my ($one, $two) = split /\n/, $count->{out};
	my $s = Write::ZedStream::from_dat('t/data/small_v7_none.dat', skip => [21], before => sub {
		$_[0]->comm("$one a\nb\n$two mine\n") });
	$s->write($path);
	my $r = zed_run('zedperl', '-e', 'my %n; sub trace_unhandled { $n{Zed::pid()}{Zed::comm()}++ }
		sub trace_end { print join ",", map { join "|", keys %{$n{$_}} } ' . "$one, $two }", $path);
	is($r->{out}, "a\nb,mine", 'names of a stream: the same (else: one name makes a stream damaged)');
	is("$r->{exit}$r->{err}", '0', 'and no word about it');
}

done_testing;
