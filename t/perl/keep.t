# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::keep and zedperl --cut: what a script marks is what the file has, with all events of that time; and when there
# is no file.
# of: programs/cut interp/api
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Write::ZedStream;
use Run::Zedperl;

my $dat = trace(types => { 'mini::other' => field_text('int m', 8, 4, 1) },
	events => [(map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 20), (map { [1, 1000 * $_ + 500, 'mini::other', pack 'l', $_] } 1 .. 20),
		[1, 30_000, 'mini::other', pack('l', 30), 7], [0, 40_000, 'mini::tick', 40, 9]]);
sub times_of {
	my ($path) = @_;
	my $r = zedperl($path, \'use Zed; sub mini::tick { push @t, Zed::ts() } sub mini::other { push @t, Zed::ts() }
		sub trace_lost { push @t, "lost$_[1]" } sub trace_end { print "@t" }');
	return $r->{out} . $r->{err};
}
my $out = temp_path('.dat');
sub keep {
	my ($script, @options) = @_;
	unlink $out;
	return zedperl('--cut', $out, @options, $dat, \"use Zed; $script");
}

my $r = keep('sub mini::tick { Zed::keep(Zed::ts() - 500, Zed::ts() + 500) if $_[4] == 5 || $_[4] == 12 }');
is("$r->{status} $r->{err}", '0 ', 'a script marks times');
is(times_of($out), '4500 5000 5500 11500 12000 12500', 'all events of these are in the file, and no others (else: the outlier has no context)');
$r = keep('sub mini::tick { Zed::keep(Zed::ts() - 500, Zed::ts() + 500) if $_[4] == 5 }', '--event', 'mini:tick', '--cpu', 0);
is(times_of($out), '4500 5000 5500', 'whatever the script was given (else: what it did not look at is missing)');
$r = keep('sub trace_end { Zed::keep(9000, 10000); Zed::keep(-1e9, 1500); Zed::keep(9500, 11000); Zed::keep(1200, 1400) }');
is(times_of($out), '1000 1500 9000 9500 10000 10500 11000', 'in any order, one over the other, from before the beginning, in trace_end (else: searches go wrong)');
$r = keep('sub trace_begin { Zed::keep(0, ~0) }');
is(times_of($out), times_of($dat), 'all of it (else: the ends are left out)');
$r = keep('Zed::keep(25_000, 35_000);');
is(times_of($out), 'lost7 30000', 'losses of that time, and no others, are there');
$r = keep('sub mini::tick { Zed::keep(Zed::ts(), Zed::ts()) if $_[4] == 5 }', '--relative');
is(times_of($out), '5000', '--relative: times are those that the script sees (else: other events are kept)');
$r = keep('sub mini::tick { Zed::keep(Zed::ts(), Zed::ts()) if $_[4] == 5; Zed::stop() if $_[4] == 6 }');
is(times_of($out), '5000', 'a script that stops gets its file');
$r = keep('1;');
like($r->{err}, qr/no event was chosen/, 'nothing marked: said');
is(times_of($out), '', '... and the file is an empty trace');

for (['a script that dies' => 'sub mini::tick { Zed::keep(0, 9e9); die "oops" }', 255], ['exit 3' => 'sub mini::tick { Zed::keep(0, 3000); exit 3 }', 3]) {
	my ($what, $script, $status) = @$_;
	$r = keep($script);
	is($r->{status}, $status, "$what: its status");
	is(-e $out ? 1 : 0, $status == 255 ? 0 : 1, $status == 255 ? '... and no file (else: half of it is taken for all)' : '... and the file');
}
for (['Zed::keep(1)', qr/Zed::keep\(FROM, TO\)/], ['Zed::keep(1, "x")', qr/times in ns/], ['Zed::keep(undef, 1)', qr/times in ns/], ['Zed::keep(2, 1)', qr/FROM is later than TO/]) {
	$r = keep("$_->[0];");
	like($r->{err}, $_->[1], "$_->[0] dies");
}
$r = zedperl($dat, \'use Zed; sub mini::tick { Zed::keep(1, 2) }');
like($r->{err}, qr/Zed::keep: no file.*--cut FILE/, 'without --cut it dies, and says what to write');

my $before = Compare::RealData::slurp($dat);
$r = zedperl('--cut', $dat, $dat, \'use Zed; Zed::keep(0, 9e9)');
is($r->{status}, 2, 'the trace itself is no file for it');
is(Compare::RealData::slurp($dat), $before, '... and is not touched');
my $zedperl = zedperl_path();
my $piped = `cat $dat | $zedperl --cut $out -e 'sub mini::tick { print "ran" }' - 2>&1`;
is($? >> 8, 2, 'a pipe cannot be read twice: refused');
{
	# A file of the name "-" is not what was read.
	my $folder = File::Temp->newdir;
	open my $fh, '>', "$folder/-" or die "$folder/-: $!\n";
	close $fh;
	`cd $folder && cat $dat | $zedperl --cut $out -e 'sub mini::tick { }' - 2>/dev/null`;
	is($? >> 8, 2, '... beside a file that is called so, too');
}
like($piped, qr/reads the trace a second time.*save it to a file/, '... before the script runs, with the next step');
unlike($piped, qr/ran/, '... which does not');
$r = zedperl('--cut', $out, '-t', $dat);
like($r->{err}, qr/--cut does not go with -t: it keeps what a script marks/, 'with -t: refused');
my $stream = temp_path('.zed');
Write::ZedStream::from_dat(Compare::RealData::own() . '/small_v7_none.dat')->write($stream);
$r = zedperl('--cut', $out, $stream, \'use Zed; Zed::keep(0, ~0)');
is((Compare::RealData::zedprint($out))[0], (Compare::RealData::zedprint($stream))[0], 'a zed stream in a file can be kept of');

# The manual's example, on a recording: 20 windows, and the waits are in them.
my ($example) = do { local @ARGV = 'docs/zedperl-scripts.pod'; local $/; <> } =~ /(    # Ten milliseconds around .*?\n)\n\S/s;
$r = zedperl('--cut', $out, Compare::RealData::own() . '/process.dat', \$example);
is("$r->{status} $r->{err}", '0 ', "the manual's example runs");
my ($all, $kept) = map { scalar(() = (Compare::RealData::zedprint('--event', 'sched', $_))[0] =~ /\n/g) } Compare::RealData::own() . '/process.dat', $out;
cmp_ok($kept, '>', 20, '... and keeps events');
done_testing();
