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
	is(($few =~ />(\(2 other stacks\)) /)[0], '(2 other stacks)', '... the rest is there');
	my @functions = map { $fill{$_} } grep { !/^\(/ } keys %fill;
	is(scalar(grep { $_ eq $fill{'(2 other stacks)'} } @functions), 0, '... and looks different from functions (else: it is taken for one)');
}

# Pictures whose numbers are known.
{
	my $script = q{use Zed::Svg;
		my $tail = { title => 't', rows => [map { { from => 2**$_, to => 2**($_ + 1), n => [90000, 3, 0, 1]->[$_] } } 0 .. 3],
			quantiles => [{ percent => 50, value => 1 }, { percent => 90, value => 1 }, { percent => 99, value => 9 }] };
		my $heat = { title => 'h', start => 0, width => 1000, cells => [[0, -1, 4], [1, 80, 1], [2, 83, 900]] };
		my $time = sub { my ($n) = @_; return { start => 0, end => 10000, cpus => [[0]], cpu_width => 1000, task_width => 1000,
			people => [['idle', 0], map { ["t$_", $_] } 1 .. $n], tasks => [map { ["t$_", $_, 1000 - $_] } 1 .. $n],
			cpu_cells => join('', map { pack 'C4', 255, 9, $_, 0 } 1 .. $n), task_cells => pack('C4', 100, 100, 55, 0) x ($n * $n) } };
		sub trace_end { print join '====', Zed::Svg::histogram($tail), Zed::Svg::heat($heat), Zed::Svg::timeline($time->(10)) }};
	my $r = zedperl({ bare => 1 }, '-e', $script, trace());
	my ($histogram, $heat, $time) = split /====/, $r->{out};
	is(join(' ', grep { length } map { wrong($_) } $histogram, $heat, $time), '', 'pictures of chosen numbers') or diag $r->{err};
	my %high = reverse $histogram =~ /height="([\d.]+)" fill="#\w+"><title>[^<]*: (\d+)</g;
	cmp_ok($high{1}, '>', 8, 'a single value among 90000 is seen in a histogram (else: its tail is a line)') or diag explain \%high;
	cmp_ok($high{90000}, '>', $high{3}, '... more values are higher');
	like($histogram, qr/number of values \(log\)/, '... and the axis says that it is a logarithm');
	is_deeply([$histogram =~ />p(\d+) [^<]+</g], [50, 90, 99], '... each percentile has its name, also two at one place');
	my %y = reverse $heat =~ / y="([\d.]+)"[^<>\n]*><title>[^<]*: (\d+)</g;
	ok($y{4} - $y{1} > 14, 'values of 0 have a band of their own in a heat map, below the others') or diag explain \%y;
	like($heat, qr/<title>0: 4</, '... which says so');
	is_deeply([$heat =~ />(\d+) in a cell</g], [1, 5, 30, 164, 900], '... and its key has counts from 1 to the most');
	# The colours are those of the page.
	my ($light) = slurp('page/page.css') =~ /^:root \{(.*?)^\}/ms;
	my %color = $light =~ /--([\w-]+): (#[0-9a-f]{6});/g;
	my %of = reverse $time =~ /fill="([^"]+)"><title>(t\d+)</g;
	is_deeply(\%of, { map { ("t$_" => $color{$_ > 8 ? 'task-rest' : "task-$_"}) } 1 .. 10 }, 'the eight tasks that ran most have the colours of the page, the others one') or diag explain \%of;
	like($time, qr/>\Q$_\E</, "... the key has '$_'") for 't1', 't8', 'other tasks', 'waits for a CPU', 'events lost';
	unlike($time, qr/>t9<\/text>/, '... and not those without a colour of their own');
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
