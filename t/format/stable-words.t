# SPDX-License-Identifier: GPL-2.0-or-later
#
# --event with the name of a stable event: zedprint shows it in place of the raw one, with its losses, and
# scripts get the raw events that it is made of.  Without it "only these" would show others, or hide a loss.
#
# of: stable run/choose programs/zedprint programs/zedperl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Run::Zedperl;

my $own = Compare::RealData::own();

sub zedprint { return Compare::RealData::zedprint(@_) }

# What trace-cmd prints of a recording's sched_switch: [s.us, cpu, prev_pid, next_pid, prev_comm].
sub switches {
	my ($name) = @_;
	my $fh = Compare::RealData::ref_open(Compare::RealData::reference("$own/$name.dat", 'raw'));
	my @r;
	while (defined(my $line = <$fh>)) {
		push @r, "$2 $1 $4 $5 $3" if $line =~
			/\[0*(\d+)\]\s*(\d+\.\d{6}): sched_switch: +prev_comm=(.*?) prev_pid=(\d+) .* next_pid=(\d+)/;
	}
	return @r;
}

for my $name (qw(demo small_be_zstd i386_zstd)) {
	my ($out, $run) = zedprint('--event', 'sched:switch', "$own/$name.dat");
	is(Compare::RealData::failure($run), undef, "$name: --event sched:switch");
	# trace-cmd rounds to microseconds
	my @got = map { /^sched::switch cpu = (\d+), time = (\d+)\.(\d{9}), sequence = \d+, .*?prev_pid = (\d+), next_pid = (\d+), prev_comm = (.*?), prev_state/
		? sprintf('%d.%06d', $2, ($3 + 500) / 1000) . " $1 $4 $5 $6" : $_ } grep { !/^lost / } split /\n/, $out;
	my @want = switches($name);
	cmp_ok(scalar @want, '>', 20, 'there are some');
	is_deeply(\@got, \@want, 'the stable events, and not the raw ones that they are made of');
}

# both: each record twice, the raw event first; and json, kernel, report know the stable one
my ($both) = zedprint('--event', 'sched:switch,sched:sched_switch', "$own/demo.dat");
my @names = map { /^(\S+)/ } split /\n/, $both;
is_deeply(\@names, [map { ('sched::sched_switch', 'sched::switch') } switches('demo')], 'both are shown where both are named');
my ($json) = zedprint('-f', 'json', '--event', 'sched:switch,sched:switch', "$own/demo.dat");
is(scalar(() = $json =~ /"event":"sched::switch"/g), scalar(switches('demo')), 'json: each once, though it is named twice');
for my $format (qw(kernel report)) {
	my ($text) = zedprint('-f', $format, '--event', 'sched:sched_switch', '--event', 'sched:switch', "$own/demo.dat");
	like($text, qr/^ +find-140 .* 7\.132559: sched_switch: .*\n +find-140 .* 7\.132559: sched::switch: +prev_pid=140 next_pid=31 .*prev_state=R preempted=1/m,
		"-f $format: each by its own format (else: one is printed as the other)");
}

# losses before what is made, before what "where" rejects, and before other events
my $dat = trace(
	types => {
		'sched::sched_switch' => field_text('char prev_comm[16]', 8, 16, 1) . field_text('pid_t prev_pid', 24, 4, 1)
			. field_text('int prev_prio', 28, 4, 1) . field_text('long prev_state', 32, 8, 1)
			. field_text('char next_comm[16]', 40, 16, 1) . field_text('pid_t next_pid', 56, 4, 1)
			. field_text('int next_prio', 60, 4, 1),
	},
	events => [
		[0, 1000, 'sched::sched_switch', sw(1, 2)],
		[0, 2000, 'mini::tick', 1, 5],
		[0, 3000, 'mini::tick', 2],
		[0, 4000, 'sched::sched_switch', sw(2, 3), 7],
		[0, 5000, 'sched::sched_switch', sw(3, 4)],
	],
);
sub sw { return pack 'a16 l l q a16 l l', 'a', $_[0], 120, 1, 'b', $_[1], 120 }
my ($lossy) = zedprint('--event', 'sched:switch', $dat);
is(join(' ', map { /^lost .* count = (\d+)/ ? "lost$1" : /prev_pid = (\d+)/ ? $1 : '?' } split /\n/, $lossy),
	'1 lost5 lost7 2 3', 'losses before events that are left out are told, each once');
my ($twice) = zedprint('--event', 'sched:switch', '--event', 'sched', $dat);
is(join(' ', map { /^lost .* count = (\d+)/ ? "lost$1" : /^(\S+) .*prev_pid = (\d+)/ ? "$1 $2" : '?' } split /\n/, $twice),
	'sched::sched_switch 1 sched::switch 1 lost5 lost7 sched::sched_switch 2 sched::switch 2 sched::sched_switch 3 sched::switch 3',
	'a loss is told once, not for each that is made of a record');

# scripts: what no word names reaches neither a sub nor trace_unhandled
my $all = \'sub trace_unhandled { print "$_[0] $_[3]\n" } sub trace_lost { print "lost $_[1]\n" }';
is(zedperl('--event', 'mini', $dat, $all)->{out}, "mini::tick 2000\n" =~ s/^/lost 5\n/r . "mini::tick 3000\nlost 7\n", 'zedperl --event mini');
my $script = \'sub sched::switch { print "s $_[4]\n" } sub mini::tick { print "tick\n" } sub trace_end { print "end\n" }';
is(zedperl('--event', 'sched:switch', $dat, $script)->{out}, "s 1\ns 2\ns 3\nend\n", 'zedperl --event sched:switch: only what it is made of');
is(zedperl('--event', 'sched:*', $dat, $script)->{out}, "s 1\ns 2\ns 3\nend\n", 'the raw name does as well');
is(zedperl('--event', 'mini::tick', $dat, $script)->{out}, "tick\ntick\nend\n", 'a sub whose events are not named is not called');
is(zedperl('-t', '--event', 'mini', $dat)->{out} =~ s/ +/ /r, "mini::tick 2\n", 'zedperl -t --event');
for my $form ([], ['all'], ['--perf']) {
	my $starter = zedperl('-g', '--event', 'sched', grep({ /-/ } @$form), grep({ !/-/ } @$form), $dat)->{out};
	ok($starter =~ /^(?:sub sched::|Zed::on\('sched:)sched_switch\b/m && $starter !~ /mini:+tick/, "-g --event @$form writes handlers of these events only");
}
my $late = zedperl({ bare => 1 }, '--event', 'mini:tock', $dat, $script);
is("$late->{status} $late->{err}", "2 zedperl: --event: no input has an event 'mini:tock'; did you mean mini:tick?\n", 'a mistyped name');

done_testing();
