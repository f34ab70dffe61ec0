# SPDX-License-Identifier: GPL-2.0-or-later
#
# What others have set for the top instance of the running kernel, on the way into ours: nothing of it changes what is
# recorded, and the file says how it was recorded.
#
# of: kernel/session programs/zedtrace
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

my $dir = zed_tmp();
my $root = live_root();
my @foreign = qw(stacktrace verbose nooverwrite norecord-cmd userstacktrace record-tgid pause-on-trace);

# Its options now, as they are set back at the end.
my @before = split ' ', slurp("$root/trace_options");
my %known = map { s/^no//r => 1 } @before;
my %was = map { my $w = $_; map { $_ eq $w || "no$_" eq $w ? ($_ => $w) : () } map { s/^no//r } @foreign } @before;

sub set_back {
	put_text("$root/trace_options", $_) for values %was;
	return;
}
END { set_back() if %was }

my ($r, $own);
{
	my $lock = live_lock('options', 1);	# no other test makes an instance meanwhile, except by zedtrace
	put_text("$root/trace_options", $_) for grep { $known{s/^no//r} } @foreign;
	$r = leaves_nothing('others have set options', sub {
		zed_run({ time => 60, memory => 0 }, 'zedtrace', '-o', "$dir/a.dat", 'sched', '--', 'sh', '-c',
			"sleep 0.1; cat $root/instances/zed.\$PPID.*[0-9]/trace_options");
	});
	set_back();
}
is($r->{exit}, 0, 'a recording beside them') or diag $r->{err};
my %own = map { $_ => 1 } split ' ', $r->{out};
is(join(' ', grep { !$own{$_} } qw(overwrite record-cmd nostacktrace noverbose norecord-tgid nopause-on-trace)), '',
	'our instance has options of its own (else: what others do decides what a file holds)');
my $sum = dat_events("$dir/a.dat");
is(join(' ', grep { /stack/ } keys %{$sum->{name}}), '', 'no stacks come with the events (else: they take the room of events)');
cmp_ok($sum->{events}, '>', 10, 'of which there are some');
my $text = zed_run({ time => 60 }, 'zedprint', '--summary', "$dir/a.dat")->{out};
like($text, qr/^  recorder     zedtrace, options overwrite record-cmd .*\bnostacktrace\b/m,
	'the file says how it was recorded (else: nobody can tell later)');
is(join(' ', sort grep { my $o = $_; !grep { $_ eq $o } @before } split ' ', slurp("$root/trace_options")), '',
	'and the options of the top instance are as they were');

done_testing();
