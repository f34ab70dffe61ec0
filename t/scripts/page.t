# SPDX-License-Identifier: GPL-2.0-or-later
#
# --html: the page of an analysis, as a browser shows it.  Without it a page that stays empty, is cut off on a small
# screen, says other numbers than the table, or runs what a task's name says, is sent to a colleague.
#
# of: page lib/Zed/Page.pm
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use Compress::Raw::Zlib ();
use Cwd qw(abs_path);
use JSON::PP ();
use MIME::Base64 ();
use lib 't/lib';
use Run::Browser;
use Write::Miniature;
use Pass;
use Run::Program qw(:DEFAULT spew slurp);
use Run::Zedperl;

my $dir = temp_path('.dir');
mkdir $dir or die "$dir: $!\n";
my $demo = abs_path('t/data/demo.dat');
my @PART = (7_320_000_123, 7_350_000_456);	# CPU 0 runs one task at its beginning, another later

# What does not need a browser.
{
	my $r = zedperl({ bare => 1 }, $demo, 'wakeup-latency', '--html', "$dir/x.html");
	is($r->{status}, 0, '--html') or diag $r->{err};
	is($r->{err}, '', 'says nothing');
	like($r->{out}, qr/^task +n /m, 'and the answer is printed as well');
	is((stat "$dir/x.html")[2] & 0777, 0600, 'its owner alone may read the page (else: a shared folder shows what everybody ran)');
	my $html = slurp("$dir/x.html");
	my ($policy) = $html =~ /Content-Security-Policy" content="([^"]*)"/;
	like($policy, qr/^default-src 'none'; script-src 'sha256-\S+=' 'sha256-\S+='; style-src 'sha256-\S+='; base-uri 'none'; form-action 'none'\z/,
		'the policy allows what its hashes name, and no network');
	ok($html !~ /<\w+[^<>]*\b(?:src|href)=/, 'nothing is loaded');
	ok($html =~ /d3: Copyright/ && $html =~ m{// https://d3js\.org v\d}, 'what d3 asks for stands with it');
	is_deeply([glob "$dir/*.new"], [], 'no half page is left');
	$r = zedperl({ bare => 1 }, $demo, 'wakeup-latency', '--html', "$dir/none/x.html");
	isnt($r->{status}, 0, 'a page that cannot be written is a failure');
	like($r->{err}, qr{none/x\.html: there is no such folder}, 'that is said');
	# What an analysis is not given it does not draw.
	for my $name (small('irq') // sort map { m{([^/]+)\.pl\z} } grep { slurp($_) =~ /^use Zed::Report;.*^B<zedperl> I<TRACE> /ms } glob 'scripts/*.pl') {
		for my $dat ('t/data/empty.dat', 't/data/fgraph.dat') {
			$r = zedperl({ bare => 1 }, $dat, $name, '--html', "$dir/none.html");
			ok(!$r->{status} && -s "$dir/none.html", "$name: a page of $dat") or diag $r->{err};
			unlink "$dir/none.html";
		}
	}
	$r = zedperl({ bare => 1 }, $demo, 'wakeup-latency', '--html', '');
	is($r->{status}, 2, 'a name has to be given');
	# As it is where d3 was not there when the program was built.
	$r = zedperl({ bare => 1 }, $demo, script("use Zed::Report; { no warnings; *Zed::page_part = sub { undef } }
		\@ARGV = ('--html', '$dir/y.html'); Zed::Report->new(name => 'mine', answer => sub { });"));
	is($r->{status}, 2, 'without d3 there are no pages');
	like($r->{err}, qr/^mine: --html: this zedperl was built without d3, .*: install node-d3 .*, then make$/, 'that is said, and what to do (else: an empty page)');
}

# Its data alone, for programs: times after a base of theirs.
{
	my ($from) = sort { $a <=> $b } map { $_->{start} } @{analysis('summary', $demo)->{data}{tables}{cpus}{rows}};
	my $r = zedperl({ bare => 1 }, $demo, 'wakeup-latency', '--html', "$dir/x.html");
	my ($of_page) = map { JSON::PP::decode_json($_) } slurp("$dir/x.html") =~ m{<script type="application/json" id="data">(.*?)</script>}s;
	$r = zedperl({ bare => 1 }, $demo, 'wakeup-latency', '--page-data', $from);
	is("$r->{status} $r->{err}", '0 ', '--page-data');
	is_deeply(JSON::PP::decode_json($r->{out}), $of_page, 'the data of the page (else: who asks has other numbers than the page)');
	ok($r->{out} !~ /[^\n -~]/, 'in ASCII');
	my $few = JSON::PP::decode_json(zedperl({ bare => 1 }, $demo, 'wakeup-latency', '--page-data', '0,3,tables')->{out});
	my ($tasks) = grep { $_->{name} eq 'tasks' } @{$few->{tables}};
	my ($all) = grep { $_->{name} eq 'tasks' } @{$of_page->{tables}};
	is_deeply([@{$tasks->{rows}}], [@{$all->{rows}}[0 .. 2]], 'of each table as many rows as were asked for');
	is($tasks->{left}, @{$all->{rows}} - 3, '... and how many more there are');
	is_deeply($few->{pictures}, [], '... without pictures');
	is($few->{start}, $from, 'times are after the base');
	for (['x'], ['-1'], ['0', '--json'], ['0', '--html', "$dir/y.html"], ['0', '--every', '1s']) {
		my ($base, @more) = @$_;
		$r = zedperl({ bare => 1 }, $demo, 'wakeup-latency', "--page-data=$base", @more);
		is($r->{status}, 2, "--page-data=$base @more is refused");
		like($r->{err}, qr/^wakeup-latency: --page-data /, '... with its name');
	}
}

# A part of a trace: the picture is of that part, and begins with who ran then.
{
	my ($from, $to) = map { sprintf '%d.%09d', int($_ / 1e9), $_ % 1e9 } @PART;
	my @ask = ('--start', $from, '--end', $to, '--cpu', 0, $demo, 'sched-summary');
	my $r = zedperl({ bare => 1 }, @ask, '--html', "$dir/part.html", '--json');
	is($r->{status}, 0, 'a page of a part') or diag $r->{err};
	is($r->{out}, zedperl({ bare => 1 }, @ask, '--json')->{out}, 'its numbers are those without a page (else: what happened before is not known to it)');
	my $html = slurp("$dir/part.html");
	my ($data, $line) = map { JSON::PP::decode_json($html =~ m{<script type="application/json" id="$_">(.*?)</script>}s ? $1 : '{}') } qw(data timeline-data);
	is_deeply([$data->{base} + $data->{start}, $data->{base} + $data->{end}, $data->{asked}], [@PART, 'CPU 0'], 'it says what it is of');
	is_deeply([@$line{qw(start end)}, map { $_->[0] } @{$line->{cpus}}], [0, $PART[1] - $PART[0], 0], 'the time line is as long, of the CPU that was asked for');
	my $cells = $html =~ m{id="cells-cpu">(.*?)</script>}s ? MIME::Base64::decode_base64($1) : '';
	my $inflate = Compress::Raw::Zlib::Inflate->new(-WindowBits => -Compress::Raw::Zlib::MAX_WBITS());
	$inflate->inflate($cells, my $bytes);
	my @cells = unpack '(CCCC)*', $bytes;
	my $busy = 0;
	$busy += $cells[4 * $_] / 255 * $line->{cpu_width} for 0 .. $#cells / 4;
	my ($cpu) = @{JSON::PP::decode_json($r->{out})->{tables}{cpus}{rows}};
	cmp_ok(abs($busy - $cpu->{busy}), '<', 2 * $line->{cpu_width}, 'and as busy as the table says');
	is(scalar(grep { $cells[4 * $_ + 3] & 12 } 0 .. $#cells / 4), 0, 'who ran at its beginning is known (else: the CPU is grey up to its first switch)');
}

my $browser = Run::Browser->start;
if (!$browser) {
	note Run::Browser::why_not();
	SKIP: { skip Run::Browser::why_not(), 1 }
	done_testing();
	exit;
}
my $look = slurp('t/lib/Run/PageLook.js');

# The page of an analysis, at each width, light and dark: no complaint of the console, nothing cut or covered.
sub looks {
	my ($file, $what) = @_;
	for my $width (1280, 400) {
		for my $dark (0, 1) {
			my $page = $browser->open($file, width => $width, dark => $dark);
			my $how = "$what, $width pixels, " . ($dark ? 'dark' : 'light');
			is_deeply($page->{complaints}, [], "$how: the console is silent");
			is_deeply($browser->ask($look), [], "$how: nothing is cut or covered");
		}
	}
	return;
}

my $wakes = join ' | ', map { my $t = 100 * $_; ($t . ' 0 0 waking 20', $t + 2 + $_ % 7 . ' 0 0 switch 0 R 20', $t + 40 . ' 0 20 switch 20 S 0') } 1 .. 60;
my $irqs = join ' | ', map { my $t = 100 * $_; ("$t 0 0 irq 4 eth", $t + 3 + $_ % 9 . ' 0 0 raise 3', $t + 20 . ' 0 0 irqx 4',
	$t + 22 . ' 0 0 softirq 3', $t + 50 . ' 0 0 softirqx 3') } 1 .. 30;
my $calls = join ' | ', map { my $t = 100 * $_; ("$t 0 20 enter " . $_ % 4, $t + 5 + $_ . ' 0 20 exit ' . $_ % 4 . ' 1') } 1 .. 30;
my $disk = join ' | ', map { my $t = 100 * $_; my $s = "$_+8"; ("$t 0 20 Q R $s", $t + 1 . " 0 20 G R $s", $t + 2 . " 0 20 I R $s",
	$t + 3 . " 0 20 D R $s", $t + 30 + $_ . " 0 0 C R $s") } 1 .. 30;
my %traces = (
	'wakeup-latency' => $demo, 'sched-summary' => $demo, 'off-cpu' => $demo, 'who-wakes-whom' => miniature($wakes),
	'why-late' => $demo, stacks => abs_path('t/data/stack.dat'), irq => miniature($irqs), softirq => miniature($irqs), syscalls => miniature($calls), block => miniature($disk),
);

# Three digits of VALUE with the unit that leaves at most 999 of them.
sub scaled {
	my ($value, $step, @units) = @_;
	my $unit = shift @units;
	my $whole = $value == int $value;
	while (@units && sprintf('%.0f', $value) >= 1000) {
		($value, $unit, $whole) = ($value / $step, shift @units, 0);
	}
	return "$value $unit" if $whole;
	my ($text) = grep { tr/0-9// <= 3 } map { sprintf "%.${_}f", $value } 2, 1, 0;
	return "$text $unit";
}

# A value as the page writes it, by the type of its column.
sub shown {
	my ($type, $value) = @_;
	return '-' if !defined $value;
	return scaled($value, 1000, qw(ns us ms s)) if $type eq 'us' || $type eq 'ms';
	return scaled($value, 1024, qw(B KiB MiB GiB)) if $type eq 'bytes';
	return scaled($value * 1048576, 1024, qw(B KiB MiB GiB)) if $type eq 'mib';
	return scaled($value * 1048576, 1024, qw(B KiB MiB GiB)) . '/s' if $type eq 'mib/s';
	return sprintf '%.2f', $value * 100 if $type eq 'share';
	return sprintf '%.0f', $value if $type eq 'number' && $value >= 1000;
	return $value ? scaled($value + 1e-12, 1, '') =~ s/ //r : '0' if $type eq 'number';
	return sprintf '%d.%09d', int($value / 1e9), $value % 1e9 if $type eq 'time';
	return "$value";
}

for my $name (small('wakeup-latency') // sort keys %traces) {
	my $r = zedperl({ bare => 1 }, $traces{$name}, $name, '--json', '--html', "$dir/$name.html");
	is($r->{status}, 0, "$name: --json and --html in one run") or diag $r->{err};
	my $data = JSON::PP::decode_json($r->{out});
	looks("$dir/$name.html", $name);
	$browser->open("$dir/$name.html");
	# Every table: what the page shows, row for row, is what the data says.
	$browser->ask('document.querySelectorAll(".bar button").forEach(b => /^all/.test(b.textContent) && b.click())');
	for my $table (sort keys %{$data->{tables}}) {
		my $of = $data->{tables}{$table};
		next if grep { $_->{key} eq 'bar' } @{$of->{columns}};
		my $got = $browser->ask(qq{[...document.querySelectorAll('section[data-name="$table"] tbody tr')].map(r => [...r.querySelectorAll('td.of')].map(c => c.textContent))});
		my @want = map { my $row = $_; [map { exists $row->{$_->{key}} ? shown($_->{type}, $row->{$_->{key}}) : '' } @{$of->{columns}}] } @{$of->{rows}};
		is_deeply($got, \@want, "$name: the table $table has the numbers of --json");
	}
	for my $table (grep { my $t = $_; grep { $_->{key} eq 'bar' } @{$data->{tables}{$t}{columns}} } sort keys %{$data->{tables}}) {
		my $got = $browser->ask(qq{[...document.querySelectorAll('section[data-name="$table"] .column')].map(c => +c.dataset.n)});
		is_deeply($got, [map { $_->{n} } @{$data->{tables}{$table}{rows}}], "$name: the columns of $table are those of --json");
	}
}

done_testing(), exit if small();

# Pictures say what the tables say.
{
	my $r = analysis('wakeup-latency', $demo);
	my $n = $r->{data}{tables}{tasks}{all}{n};
	$browser->open("$dir/wakeup-latency.html");
	my $sum = sub { return $browser->ask(qq{[...document.querySelectorAll('section[data-name="$_[0]"] [data-n]')].reduce((s, e) => s + +e.dataset.n, 0)}) };
	is($sum->('heat'), $n, 'the heat map has every wait once');
	is($sum->('histogram'), $n, 'the histogram too');
	$browser->ask(q{document.querySelector('section[data-name="heat"]').scrollIntoView({ block: 'center' })});
	my $cell = $browser->ask(q{(b => [b.left + b.width / 2, b.top + b.height / 2])(document.querySelector('section[data-name="heat"] .cell').getBoundingClientRect())});
	$browser->mouse('mouseMoved', @$cell);
	like($browser->ask('document.getElementById("tip").textContent'), qr/^[\d.]+ \w+ up to [\d.]+ \w+\n[\d.]+ and [\d.]+ \w+ on\n\d+ of $n\z/, 'a place of it says what it is');
	$browser->click(@$cell);
	isnt($browser->ask('document.querySelector("canvas").dataset.from'), '0', 'and leads to its time');
	my ($start, $end) = $browser->ask('document.querySelector(".cell-said").textContent') =~ /: \d+ of $n\. The events of that time: zedprint --start ([\d.]+) --end ([\d.]+) TRACE\z/;
	ok(defined $end && @{[lines(zed_run(zed_bin('zedprint'), '--start', $start, '--end', $end, $demo)->{out})]} > 0, '... with the command that lists its events');
	# Without a mouse: Tab leads to one mark of a picture, arrows to the others.
	for my $name (qw(heat histogram)) {
		my $marks = qq{section[data-name="$name"] svg [tabindex]};
		is($browser->ask(qq{[...document.querySelectorAll('$marks')].filter(m => m.tabIndex === 0).length}), 1, "$name: one stop for the Tab key (else: hundreds of them)");
		$browser->ask(qq{document.querySelector('$marks').focus()});
		my $at = $browser->ask('document.activeElement.getAttribute("aria-label")');
		$browser->key('ArrowRight');
		my $next = $browser->ask('document.activeElement.getAttribute("aria-label")');
		like($next, qr/ up to .*\d+ of $n/, '... an arrow key leads to the next mark, which says what it is');
		isnt($next, $at, '... another one');
	}
	$browser->ask('document.querySelector(\'section[data-name="heat"] svg [tabindex="0"]\').focus()');
	$browser->ask('document.querySelector(".cell-said").textContent = ""');
	$browser->key('Enter');
	like($browser->ask('document.querySelector(".cell-said").textContent'), qr/zedprint/, '... and Enter is a click');

	# A chain's parts follow each other, and add up.
	my $late = analysis('why-late', $demo)->{data}{tables};
	$browser->open("$dir/why-late.html");
	my $parts = $browser->ask('zed.data.pictures.filter(p => p.kind === "chain").map(p => p.parts)');
	is(scalar @$parts, scalar @{$late->{chains}{rows}}, 'each chain has a picture');
	my @gaps = grep { my $p = $_; grep { $p->[$_]{from} != $p->[$_ - 1]{to} } 1 .. $#$p } @$parts;
	is(scalar @gaps, 0, 'its parts follow each other');
	is_deeply([map { $_->[-1]{to} - $_->[0]{from} } @$parts], [map { $_->{elapsed} } @{$late->{chains}{rows}}], 'and are as long as the table says');

	# A flame graph: zoom by mouse and key.
	$browser->open("$dir/stacks.html");
	my $frames = q{[...document.querySelectorAll('section[data-name="flame"] .frame')]};
	my $all = 0;
	$all += $_->{weight} for @{analysis('stacks', $traces{stacks})->{data}{tables}{stacks}{rows}};
	like($browser->ask("$frames\[0].getAttribute('aria-label')"), qr/^all, $all events, 100\.00 %\z/, 'all that there is stands at the top of the flame graph');
	my $before = $browser->ask("$frames.length");
	$browser->dark(1);
	is($browser->ask("$frames.filter(f => f.querySelector('text') && getComputedStyle(f.querySelector('text')).fill !== d3.rgb(zed.ink_on(f.querySelector('rect').getAttribute('fill'))).toString()).length"), 0,
		'its letters can be read on its frames, at night too');
	$browser->dark(0);
	$browser->settle;	# or what is focused next is drawn again
	$browser->ask("$frames\[2].focus()");
	$browser->key('Enter');
	my $wide = $browser->ask("$frames\[2].querySelector('rect').getBBox().width");
	cmp_ok($wide, '>', 1000, 'Enter makes a frame the whole width');
	is($browser->ask("$frames.indexOf(document.activeElement)"), 2, '... where the keyboard stays (else: it is at the beginning of the page)');
	$browser->key('ArrowUp');
	is($browser->ask("$frames.indexOf(document.activeElement)"), 1, '... an arrow leads to the frame around it');
	$browser->ask("$frames\[0].focus()");
	$browser->key('Escape');
	is($browser->ask("$frames.length"), $before, 'Escape goes back');
	my $search = q{document.querySelector('section[data-name="flame"] input')};
	$browser->ask("$search.value = 'SCHED'; $search.dispatchEvent(new Event('input'))");
	my $found = $browser->ask("$frames.filter(f => f.classList.contains('found')).length");
	my $named = $browser->ask("$frames.filter(f => /sched/i.test(f.getAttribute('aria-label').replace(/,.*/, ''))).length");
	is($found, $named, 'a search marks the functions of that name');
	cmp_ok($found, '>', 0, '... which there are');
	like($browser->ask("$search.nextSibling.textContent"), qr/^[\d.]+ % in functions with this name\z/, '... and says their share');
	is_deeply([$browser->complaints], [], 'all that without a word on the console');
}

# A page is no larger than it may be: the time line becomes coarser.
{
	my $write = sub {
		my ($room, $with) = @_;
		my $script = "use Zed::Page; \$Zed::Page::ROOM = $room; my \$t = Zed::timeline();
			sub trace_end { Zed::Page::write('$dir/room.html', { script => 'x', trace => {}, start => Zed::start(), end => Zed::end(), tables => [], pictures => [],
				notes => [], $with }) }";
		my $r = zedperl({ bare => 1 }, $demo, script($script));
		is($r->{err}, '', "$room bytes");
		return -s "$dir/room.html";
	};
	my $most = 4_900_000;
	my $without = $write->($most, '');	# the code and the style
	my %size;
	for my $room ($most, $without + 22_000, $without + 9000) {
		$size{$room} = $write->($room, 'timeline => $t');
		cmp_ok($size{$room}, '<=', $room + 3000, 'are not passed (else: a page that no mail takes)');
		is_deeply($browser->open("$dir/room.html")->{complaints}, [], 'and it is a page');
		my $data = analysis('sched-summary', $demo)->{data};
		is($browser->ask('+document.querySelector("canvas").dataset.to'), $data->{end} - $data->{start}, 'of the whole time');
	}
	cmp_ok($size{$without + 9000}, '<', $size{$most}, 'with less detail');
}

# The levels of detail that the page makes say the same as what it was given, and as the tables.
{
	my $data = analysis('sched-summary', $demo)->{data};
	my %busy = map { $_->{cpu} => 100 * $_->{busy} / ($data->{end} - $data->{start}) } @{$data->{tables}{cpus}{rows}};
	$browser->open("$dir/sched-summary.html");
	my $levels = $browser->ask('(t => t.cpu_levels.map(l => t.cpus.map((c, k) => [c[0], 100 * d3.mean(d3.range(l.n), i => l.v[(i * t.cpus.length + k) * 4]) / 255])))(zed.timeline.view.t)');
	cmp_ok(@$levels, '>=', 4, 'there are levels of detail');
	for my $level (0 .. $#$levels) {
		my @far = grep { abs($_->[1] - $busy{$_->[0]}) > 1.5 } @{$levels->[$level]};
		is_deeply(\@far, [], "level $level: each CPU is as busy as --json says") or diag explain \%busy;
	}
}

# Sorting and filtering, by mouse and by key.
{
	$browser->open("$dir/wakeup-latency.html");
	my $tasks = 'document.querySelector(\'section[data-name="tasks"]\')';
	my $first = qq{$tasks.querySelector('tbody td.of').textContent};
	is($browser->ask(qq{[...$tasks.querySelectorAll('th[aria-sort]')].map(h => h.getAttribute('aria-sort') + ' ' + h.textContent.slice(0, 3)).join()}), 'descending max',
		'the column by which the table came sorted is marked (else: the order of its rows is a riddle)');
	my $place = $browser->ask(qq{(b => [b.left + b.width / 2, b.top + b.height / 2])($tasks.querySelectorAll('th button')[1].getBoundingClientRect())});
	$browser->click(@$place);
	is($browser->ask($first), 'rcu_preempt', 'a click on a head sorts by it, the greatest first');
	$browser->click(@$place);
	is($browser->ask(qq{$tasks.querySelectorAll('tbody tr:first-child td.of')[1].textContent}), '1', 'another one the other way round');
	is($browser->ask(qq{$tasks.querySelectorAll('th.of')[1].getAttribute('aria-sort')}), 'ascending', 'which is told to who cannot see it');
	$browser->ask(qq{$tasks.querySelector('input').focus()});
	$browser->key($_) for qw(k w o r k);
	is($browser->ask(qq{$tasks.querySelectorAll('tbody tr').length}), 3, 'words that are typed leave the rows with them');
	like($browser->ask(qq{$tasks.querySelector('[role=status]').textContent}), qr/^3 of 1\d rows\z/, 'and how many of how many is said');
	my $table = JSON::PP::decode_json(zedperl({ bare => 1 }, $demo, 'wakeup-latency', '--json')->{out})->{tables}{tasks};
	my ($n, $total) = (0, 0);
	($n, $total) = ($n + $_->{n}, $total + $_->{total}) for grep { $_->{comm} =~ /kwork/ } @{$table->{rows}};
	my $sums = $browser->ask(qq{[...$tasks.querySelectorAll('tfoot td.of')].map(c => c.textContent)});
	is_deeply([@$sums[0 .. 2, 5]], ['ALL of 3 rows', $n, shown('us', $total), '-'], 'the row of all is that of these rows, as far as that is known (else: the sum of all is taken for theirs)');
	is($browser->ask(qq{$tasks.querySelectorAll('tfoot td.of')[2].title}), "$total ns", 'a scaled value says the exact one under the mouse');
	$browser->ask(qq{$tasks.querySelector('input').blur()});
	my $column = $browser->ask(q{(b => [b.left + b.width / 2, b.top + b.height / 2])((c => (c.scrollIntoView(), c))(document.querySelectorAll('.column')[2]).getBoundingClientRect())});
	$browser->mouse('mouseMoved', @$column);
	like($browser->ask('document.getElementById("tip").textContent'), qr/^32\.8 us up to 65\.5 us\n15 of 50 /, 'a column under the mouse says what it is');
	$browser->key('Escape');
	ok($browser->ask('document.getElementById("tip").hidden'), 'Escape closes that');
	ok(length $browser->pdf > 10_000, 'it can be printed');
	is_deeply([$browser->complaints], [], 'all that without a word on the console');
}

# The time line has a key of names: the tasks that ran most.
{
	my $data = analysis('sched-summary', $demo)->{data};
	my %run;
	$run{$_->{comm}} += $_->{run} for @{$data->{tables}{tasks}{rows}};
	my @most = (sort { $run{$b} <=> $run{$a} } keys %run)[0 .. 2];
	$browser->open("$dir/sched-summary.html");
	my $key = $browser->ask('[...document.querySelectorAll(\'section[data-name="timeline"] .legend.tasks li\')].map(l => [l.textContent, getComputedStyle(l.querySelector("i")).backgroundColor])');
	is_deeply([map { $_->[0] } @$key[0 .. 2, -1]], [@most, 'other tasks'], 'the key of the time line names the tasks that ran most');
	my %colors = map { $_->[1] => 1 } @$key;
	is(scalar keys %colors, scalar @$key, '... each with a colour of its own');
}

# The time line: keys, wheel, mouse, and the rows of tables that jump into it.
{
	my $data = JSON::PP::decode_json(zedperl({ bare => 1 }, $demo, 'wakeup-latency', '--json')->{out});
	$browser->open("$dir/wakeup-latency.html", height => 2400);
	my $canvas = 'document.querySelector("canvas")';
	my $span = sub { return map { $browser->ask("+$canvas.dataset.$_") } qw(from to) };
	my ($from, $to) = $span->();
	is($to - $from, $data->{end} - $data->{start}, 'the time line is as long as the trace');
	$browser->ask("$canvas.focus()");
	$browser->key('+');
	my @now = $span->();
	is(sprintf('%.0f', 2 * ($now[1] - $now[0])), $to, '+ shows half of it');
	$browser->key('ArrowRight');
	cmp_ok(($span->())[0], '>', $now[0], 'an arrow goes on');
	$browser->key('Home');
	is_deeply([$span->()], [0, $to], 'Home shows all again');
	my $box = $browser->ask("(b => [b.left, b.top, b.width, b.height])($canvas.getBoundingClientRect())");
	$browser->mouse('mouseWheel', $box->[0] + 600, $box->[1] + 40, deltaX => 0, deltaY => -240);
	@now = $span->();
	ok($now[1] - $now[0] < $to / 2 && $now[0] > 0, 'the wheel zooms where the mouse is');
	$browser->key('Home');
	$browser->mouse('mouseMoved', $box->[0] + 600, $box->[1] + 36);
	like($browser->ask('document.getElementById("tip").textContent'), qr/^CPU 0, .* from \d+\.\d{9}\n(?:busy [\d.]+ %|not known)/, 'the mouse is told what a CPU does');

	# Without a mouse: a lane, and what is in it.
	$browser->ask("$canvas.focus()");
	$browser->key($_) for qw(j j);
	my $read = 'document.querySelector(\'section[data-name="timeline"] .read\').textContent';
	my $stretches = $browser->ask('zed.timeline.view.t.slices[1].length');
	is($browser->ask($read), "CPU 1: $stretches single stretches are on this page.", 'a key chooses a lane');
	$browser->key('.');
	my @first = $browser->ask($read);
	like($first[0], qr/^.+ on CPU 1, \d+\.\d{9} to \d+\.\d{9}, [\d.]+ \w+/, '... another reads what is there (else: only a mouse can ask)');
	$browser->key($_) for qw(. ,);
	is($browser->ask($read), $first[0], '... forth and back');
	$browser->key('Escape');
	is($browser->ask($read), '', '... until Escape');
	$browser->key('Home');

	# The longest waits: the row, the view, the piece of the task's life, who woke it.
	my $case = (grep { $_->{comm} eq 'wc' } @{$data->{tables}{worst}{rows}})[0];
	my $row = (grep { $data->{tables}{worst}{rows}[$_] == $case } 0 .. $#{$data->{tables}{worst}{rows}})[0] + 1;
	ok($browser->ask('(s => s("worst") < s("tasks"))(n => document.querySelector(`section[data-name="${n}"]`).getBoundingClientRect().top)'), 'the longest waits are above the table of tasks (else: the one that matters is scrolled to)');
	$browser->ask('document.querySelectorAll(\'section[data-name="worst"] .bar button\').forEach(b => b.click())');
	$browser->ask(qq{document.querySelector('section[data-name="worst"] tbody tr:nth-child($row) button').click()});
	$browser->settle;
	@now = map { $_ + $data->{start} } $span->();
	ok($now[0] < $case->{woken} && $now[1] > $case->{ran} && $now[1] - $now[0] < 2 * $case->{wait}, 'a row jumps to its place');
	is($browser->ask("+$canvas.dataset.arrows"), 1, 'where an arrow tells the wakeup');
	like($browser->ask('document.querySelector(\'section[data-name="timeline"] [role=status]\').textContent'), qr/: every event is here\. Wakeups of wc 162: 1\.\z/, 'and that is told in words');
	my $lane = $browser->ask('(l => l.y + l.height / 2)(zed.timeline.view.lanes.find(l => l.label === "wc 162"))');
	$box = $browser->ask("(b => [b.left, b.top, b.width, b.height])($canvas.getBoundingClientRect())");
	my $left = $browser->ask('zed.timeline.view.left');
	$browser->mouse('mouseMoved', $box->[0] + $left + ($box->[2] - $left) / 2, $box->[1] + $lane);
	# A task has its newest name there.
	is($browser->ask('document.getElementById("tip").textContent') =~ s/\S+ (\d+)\z/$1/r, sprintf("wc 162 waits for a CPU\n%s to %s\n2.94 ms\nwoken by %s", shown('time', $case->{woken}),
		shown('time', $case->{ran}), $case->{waker} =~ /(\d+)\z/), 'to the nanosecond, with who woke it, as the table says');
	is_deeply([$browser->complaints], [], 'all that without a word on the console');
	$browser->dark(0, 'print');
	$browser->settle;
	is_deeply($browser->ask($look), [], 'nothing is cut or covered on paper');
	$browser->dark(0);
}

# An answer without rows says why at its top.  Times in ticks have more letters.
{
	my $r = zedperl({ bare => 1 }, $demo, 'irq', '--html', "$dir/nothing.html");
	looks("$dir/nothing.html", 'nothing to show');
	like($browser->ask('document.querySelector("#lost .limit").textContent'), qr/^nothing to show: /, 'an answer without rows says why above it (else: an empty table, and the reason a screen below)');
	is($browser->ask('document.querySelectorAll("table").length'), 0, '... and has no empty table');
	zedperl({ bare => 1 }, 't/data/clock_tsc.dat', 'wakeup-latency', '--html', "$dir/ticks.html");
	looks("$dir/ticks.html", 'times in ticks');
}

# Names of tasks are of strangers.
{
	my @names = ('</script>', '<b>x</b>', "q\"'&amp;", "\e[31m\a", "\xe2\x80\xaerev", "\xff\xfe bad", '<!--<script>', '${1}`x`');
	my $dat = switches(@names);
	my $r = zedperl({ bare => 1 }, $dat, 'sched-summary', '--html', "$dir/names.html");
	is($r->{status}, 0, 'hostile names') or diag $r->{err};
	looks("$dir/names.html", 'hostile names');
	my $got = $browser->ask(q{[...document.querySelectorAll('section[data-name="tasks"] tbody tr')].map(r => r.querySelector('td.of').textContent).sort()});
	is_deeply($got, [sort '</script>', '<b>x</b>', "q\"'&amp;", '\x1b[31m\x07', '\xe2\x80\xaerev', '\xFF\xFE bad', '<!--<script>', '${1}`x`'],
		'are shown as what they are');
	is($browser->ask('document.querySelectorAll("b").length - document.querySelectorAll("#facts b").length'), 0, 'none of them is an element');
}

done_testing();
