# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of code that a process compiled, out of its jit-PID.dump: those that were there at the time of a sample.  Without it
# an address that was used again has the name of another function.
#
# of: symbols/jit_code.c symbols/jit_dump.c symbols/code_files.c reader/perf/maps.c reader/perf/perf_stream.c
use strict;
use warnings;
no warnings 'portable';
use File::Path qw(make_path);
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Program qw(:DEFAULT spew);
use Write::Jitdump;
use Write::Perf;

my $dir = zed_tmp();
my $USER = 18446744073709551104;
my $MONO = 1;	# CLOCK_MONOTONIC
my $show = spew("$dir/show.pl", <<'EOP');
use Zed handlers => ['mini'];
sub mini::tick { print join(' ', Zed::stack_symbols('user')), "\n" }
EOP
make_path("$dir/root/tmp");
my $PATH = '/tmp/jit-40.dump';

# A recording of samples [TIME, ADDRESS, pid]; clockid.
sub recorded {
	my ($samples, %o) = @_;
	my $w = Write::Perf->new(host => 'elsewhere', big => $o{big});
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick',
		$o{other_clock} ? () : (clockid => $MONO));
	$w->mmap(pid => 40, at => 0x7000_0000, len => 0x1000, off => 0, name => $o{dump} // $PATH, two => 1, time => 900);
	$w->mmap(pid => 40, at => 0x5000_0000, len => 0x10_0000, off => 0, name => $o{file} // '//anon', two => 1, time => 901);
	$w->fork(40, 50, time => $o{forked}) if $o{forked};
	for (@$samples) {
		my ($time, $at, $pid) = @$_;
		$w->sample(0, time => $time, pid => $pid // 40, tid => $pid // 40, raw => $w->tick($pid // 40, 1), chain => [$USER, $at]);
	}
	return $w->write("$dir/perf.data");
}
sub names {
	my ($p, @args) = @_;
	my $r = zed_run({ env => { HOME => "$dir/none" } }, 'zedperl', '--symfs', "$dir/root", @args, $p, $show);
	is($r->{exit}, 0, 'exit 0') or diag $r->{err};
	return (join(' ', split /\n/, $r->{out}), $r->{err});
}

# Code that is loaded, replaced at its place, and moved.
sub dump_of {
	my (%o) = @_;
	my $d = Write::Jitdump->new(pid => 40, %o);
	$d->load(2000, 0x5000_1000, 0x100, 'first', 1);
	$d->load(2000, 0x5000_2000, 0x100, 'beside', 2);
	$d->load(3000, 0x5000_1000, 0x80, 'again: a b', 3);
	$d->debug_info(3500, 0x5000_1000);
	$d->move(4000, 0x5000_2000, 0x5000_3000, 0x100, 2);
	$d->close(5000);
	$d->load(5001, 0x5000_4000, 0x100, 'after', 4);
	return $d->write("$dir/root$PATH");
}
my @samples = ([1999, 0x5000_1004], [2000, 0x5000_1004], [2500, 0x5000_10ff], [2500, 0x5000_1100], [2999, 0x5000_1004], [3000, 0x5000_1004],
	[3000, 0x5000_1084], [3999, 0x5000_2004], [4000, 0x5000_2004], [4000, 0x5000_3010], [6000, 0x5000_4004]);
my $wanted = 'none first+0x4 first+0xff none first+0x4 again: a b+0x4 first+0x84 beside+0x4 none beside+0x10 none';
for my $big (0, 1) {
	dump_of(big => $big);
	my ($out, $err) = names(recorded(\@samples, big => $big));
	is($out =~ s{//anon\+0x\w+}{none}gr, $wanted, ($big ? 'big' : 'little') . ' endian: the function that was there at that time (else: the last one, or none)');
	is($err, '', '... without a word');
}
{	# Where names are cached by address.
	my $p = recorded([[2500, 0x5000_1004], [3500, 0x5000_1004], [2600, 0x5000_1004, 50], [3600, 0x5000_1004, 50]], forked => 2550);
	my @run = ({ env => { HOME => "$dir/none" } }, 'zedprint', '--symfs', "$dir/root", '--stack');
	my $first = 'first+0x4';
	my @wanted = ($first, $first, 'again: a b+0x4', $first);
	is_deeply([zed_run(@run, $p)->{out} =~ /^ => (.*) \(/mg], \@wanted, 'zedprint --stack: the name of each time (else: the first one for good)');
	is_deeply([map { @{JSON::PP::decode_json($_)->{stack}} } split /\n/, zed_run(@run, '-f', 'json', $p)->{out}], \@wanted, '... in JSON');
	my $r = zed_run($run[0], 'zedperl', '--symfs', "$dir/root", $p, 'stacks', '--folded');
	is_deeply([sort $r->{out} =~ /;([^;\n]+)$/mg], ['again: a b 1', 'first 3'], '... in stacks') or diag $r->{out};
}
is((names(recorded([[2500, 0x5000_1004, 50]], forked => 2400)))[0], 'first+0x4', 'a child has its parent\'s code');
is((names(recorded([[2500, 0x5000_1004], [3500, 0x5000_1004, 50], [3500, 0x5000_1004]], forked => 2500)))[0], 'first+0x4 first+0x4 again: a b+0x4', '... of the time of the fork');
is((names(recorded([[2500, 0x5000_1004]], file => '/memfd:doublemapper (deleted)')))[0], 'first+0x4', 'code in memory with a name');
like((names(recorded([[2500, 0x5000_1004]], file => '/bin/program')))[0], qr{^/bin/program\+}, '... not what a file is mapped in');
is((names(recorded([[2500, 0x5000_1004]]), '--wall'))[0], 'first+0x4', '--wall: other times, the same function');

# ---- which are not used, and why

sub refused {
	my ($what, $said, $p, @args) = @_;
	my ($out, $err) = names($p, @args);
	like($out, qr{^//anon\+}, "$what: no name");
	like($err, $said, '... and that is said');
	return;
}
refused('times of another clock', qr/jit-40\.dump has times of CLOCK_MONOTONIC, the recording has not \(perf record -k mono\)/, recorded([[2500, 0x5000_1004]], other_clock => 1));
dump_of(pid => 41);
refused('the file of another process', qr/jit-40\.dump is not a jitdump of its process/, recorded([[2500, 0x5000_1004]]));
dump_of(flags => 1);
refused('cycles for times', qr/jit-40\.dump counts cycles of the CPU/, recorded([[2500, 0x5000_1004]]));
spew("$dir/root$PATH", 'no jitdump at all, whatever its name says');
refused('a text', qr/jit-40\.dump is not a jitdump/, recorded([[2500, 0x5000_1004]]));
unlink "$dir/root$PATH";
refused('no such file', qr/jit-40\.dump cannot be opened/, recorded([[2500, 0x5000_1004]]), '-v');
spew("$dir/root/tmp/perf-40.map", "50001000 20 by_map\n");
is((names(recorded([[2500, 0x5000_1004]])))[0], 'by_map+0x4', '/tmp/perf-PID.map has the rest');
unlink "$dir/root/tmp/perf-40.map";
SKIP: {
	skip 'only root gives files away', 2 if $>;
	dump_of();
	chown 65534, 65534, "$dir/root$PATH" or die "chown: $!\n";
	refused('a file of another user', qr/jit-40\.dump belongs to another user/, recorded([[2500, 0x5000_1004]]));
	unlink "$dir/root$PATH";
}
dump_of();
my $whole = slurp("$dir/root$PATH");
spew("$dir/root$PATH", substr $whole, 0, 200);
is((names(recorded([[2500, 0x5000_1004]])))[0], 'first+0x4', 'a file that is still written: up to there');
{
	my $d = Write::Jitdump->new(pid => 40);
	$d->load(2000, 0x5000_1000, 0x100, 'good', 1);
	$d->load(2000, 0x5000_1000, 0x100, '', 2);
	$d->move(2100, 0x5000_7000, 0x5000_1000, 0x100, 9);
	$d->load(2200, 0x5000_1000, 0x100, 'short', 1, 0xf0);
	$d->write("$dir/root$PATH");
	my ($out, $err) = names(recorded([[2500, 0x5000_1004]]));
	is($out, 'good+0x4', 'records that cannot be are left out');
	like($err, qr/jit-40\.dump: invalid records left out: 3/, '... and counted');
}
done_testing();
