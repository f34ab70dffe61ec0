# SPDX-License-Identifier: GPL-2.0-or-later
#
# --svg: each picture of an answer as a file for papers.  Without it a file that no program opens, or one that says
# other numbers than the table, is printed.
#
# of: lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Miniature;
use Run::Program qw(slurp);
use Run::Zedperl;

my $dir = temp_path('.dir');
mkdir $dir or die "$dir: $!\n";

# What is wrong with TEXT as XML: elements that are not closed, letters that may not be there; '' if nothing.
sub wrong {
	my ($text) = @_;
	return 'no SVG' if $text !~ /\A<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /;
	return 'no UTF-8' if !utf8::decode(my $copy = $text);
	my @open;
	while ($text =~ /\G([^<&]+|&#\d+;|<(\w+)(?: [\w-]+="[^"<&]*")*(\/?)>|<\/(\w+)>|(.))/gcs) {
		return "'$5' at " . pos $text if defined $5;
		push @open, $2 if defined $2 && !$3;
		return "</$4>" if defined $4 && pop(@open) ne $4;
	}
	return @open ? "@open not closed" : $text =~ /[\x00-\x08\x0b-\x1f]/ ? 'a control character' : '';
}
is(wrong('<svg xmlns="http://www.w3.org/2000/svg" width="1"><g><a/></g></svg>'), '', 'the check lets SVG pass');
isnt(wrong("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\">$_</svg>"), '', "and not '$_'") for '<g>', 'a & b', '<g a="<">', "\e";

my %files = (
	'wakeup-latency' => ['t/data/demo.dat', 'heat histogram timeline'], 'why-late' => ['t/data/demo.dat', 'chain1 chain2 chain3 chain4 chain5 timeline'],
	stacks => ['t/data/stack.dat', 'flame timeline'], 'sched-summary' => ['t/data/demo.dat', 'heat slices timeline'],
);
for my $name (sort keys %files) {
	my ($dat, $want) = @{$files{$name}};
	my $r = zedperl({ bare => 1 }, $dat, $name, '--svg', "$dir/$name.svg");
	is($r->{status}, 0, "$name --svg") or diag $r->{err};
	my @got = sort glob "$dir/$name-*.svg";
	is(join(' ', map { /\Q$name\E-(\w+)\.svg\z/ } @got), $want, "$name: each picture is a file") or diag $r->{out};
	is(join(' ', grep { length } map { wrong(slurp($_)) } @got), '', "$name: all are SVG");
	is((stat $got[0])[2] & 0777, 0600, "$name: of their owner alone");
}

# The columns are those of the table.
my $rows = analysis('wakeup-latency', 't/data/demo.dat')->{data}{tables}{histogram}{rows};
my $histogram = slurp("$dir/wakeup-latency-histogram.svg");
is_deeply([$histogram =~ /<title>[^<]* up to [^<]*: (\d+)</g], [grep { $_ } map { $_->{n} } @$rows], 'the histogram has the counts of --json');
my $sum = 0;
$sum += $_ for slurp("$dir/wakeup-latency-heat.svg") =~ /: (\d+)<\/title>/g;
is($sum, 50, 'the heat map has every wait once');
like(slurp("$dir/wakeup-latency-timeline.svg"), qr/>CPU 3<.*>sh 153</s, 'the time line has its names');

# A flame graph: as high as the longest stack that is a pixel wide, with shares; what it has no room for is not a function.
{
	my $deep = join ';', 'root', map { "f$_" } 1 .. 50;
	my $r = zedperl({ bare => 1 }, '-e', "use Zed::Svg;
		my \$p = { title => 'x', unit => 'events', stacks => [['root;wide', 6000], ['root;other', 999], ['$deep', 1]], rest => { n => 2, weight => 3000 } };
		sub trace_end { print Zed::Svg::flame(\$p); print '===='; \$p->{stacks}[2][1] = 100; print Zed::Svg::flame(\$p) }", trace());
	my ($few, $many) = split /====/, $r->{out};
	is(wrong($few), '', 'a flame graph of a picture') or diag $r->{err};
	is(($few =~ /viewBox="0 0 \d+ (\d+)"/)[0], 30 + 3 * 17, '... has the height of what is seen (else: one of a thousand samples makes it two screens high)');
	is(($many =~ /viewBox="0 0 \d+ (\d+)"/)[0], 30 + 52 * 17, '... also of a long stack, if that has a share');
	like($few, qr{<title>wide: 6000 events, 60\.00 %</title>}, '... a frame has its share');
	like($few, qr{>wide 60\.00 %</text>}, '... in its label, too');
	my %fill = reverse $few =~ /fill="([^"]+)"><title>([^:<]+):/g;
	is(($few =~ />(2 other stacks) /)[0], '2 other stacks', '... the rest is there');
	unlike($fill{'2 other stacks'}, qr/^hsl/, '... and looks different from functions (else: it is taken for one)');
}

# Names of strangers.
my @names = ('</svg>', '<b>"', "q'&amp;", "\e[31m\a", "\xff\xfe bad");
my $types = { 'sched::sched_switch' => field_text('char prev_comm[16]', 8, 16, 1) . field_text('pid_t prev_pid', 24, 4, 1) .
	field_text('int prev_prio', 28, 4, 1) . field_text('long prev_state', 32, 8, 1) . field_text('char next_comm[16]', 40, 16, 1) .
	field_text('pid_t next_pid', 56, 4, 1) . field_text('int next_prio', 60, 4, 1) };
my $dat = trace(types => $types, print => { 'sched::sched_switch' => '"%s", __print_flags(REC->prev_state & 255, "|", { 1, "S" })' },
	events => [map { [0, 1_000_000_000 + 10_000 * $_, 'sched::sched_switch', pack('a16 l l q a16 l l', $names[$_ % 5], 100 + $_ % 5, 120, 0,
		$names[($_ + 1) % 5], 100 + ($_ + 1) % 5, 120), undef, undef, 100 + $_ % 5] } 0 .. 20]);
is(zedperl({ bare => 1 }, $dat, 'sched-summary', '--svg', "$dir/n.svg")->{status}, 0, 'hostile names');
is(wrong(slurp("$dir/n-timeline.svg")), '', 'are text in it');

is(zedperl({ bare => 1 }, 't/data/demo.dat', 'irq', '--svg', $_)->{status}, 2, "'$_' is not the name of a file") for '', 'x/', '.svg';
like(zedperl({ bare => 1 }, 't/data/demo.dat', 'wakeup-latency', '--svg', "$dir/none/x.svg")->{err}, qr{none/x\.svg: there is no such folder}, 'what cannot be written is said');

done_testing();
