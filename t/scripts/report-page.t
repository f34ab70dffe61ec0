# SPDX-License-Identifier: GPL-2.0-or-later
#
# report --html: one page of all answers, as a browser shows it.  Without it a page of twenty analyses is empty, too large
# to be mailed, or says nothing of what it leaves out.
#
# of: page/report.js page/answer.js page/begin.js lib/Zed/Sections.pm lib/Zed/Page.pm scripts/report.pl
# runs: make check
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use Cwd qw(abs_path);
use lib 't/lib';
use Run::Browser;
use Run::Program qw(slurp);
use Run::Zedperl;

my $dir = temp_path('.dir');
mkdir $dir or die "$dir: $!\n";
my $demo = abs_path('t/data/demo.dat');
my $r = zedperl({ bare => 1 }, $demo, 'report', '--html', "$dir/r.html", '--json');
is("$r->{status} $r->{err}", '0 ', 'a page');
my $report = JSON::PP::decode_json($r->{out});
my $html = slurp("$dir/r.html");
cmp_ok(length $html, '<', 5_000_000, 'at most 5 MB (else: no mail takes it)');
is((stat "$dir/r.html")[2] & 0777, 0600, 'its owner alone may read it');
ok($html !~ /<\w+[^<>]*\b(?:src|href)=/, 'nothing is loaded');

# What does not fit is left out of tables, all alike, and is counted.
{
	my $script = 'use Zed::Sections; my @rows = map { { n => $_, text => "x" x 90 } } 1 .. 5000;
		my $r = Zed::Sections::report(base => 0, findings => [], sections => [map { { name => "a$_", purpose => "p", command => "zedperl t a$_", data => { notes => [], pictures =>
			[{ kind => "flame", stacks => [map { ["a;b$_" . "c" x 90, 2] } 1 .. 5000] }], tables => [{ name => "t", columns => [], rows => [@rows] },
			{ name => "w", whole => 1, columns => [], rows => [@rows[0 .. 9]] }] } } } 1 .. 3]);
		sub trace_end { Zed::Sections::fit($r, 300_000); print Zed::Sections::json($r), "\n" }';
	my $cut = zedperl({ bare => 1 }, $demo, script($script));
	is($cut->{err}, '', 'a report that is too large');
	cmp_ok(length $cut->{out}, '<=', 300_500, 'is made to fit');
	for my $section (@{JSON::PP::decode_json($cut->{out})->{answers}}) {
		my ($table, $whole) = @{$section->{data}{tables}};
		is(@{$table->{rows}} + $table->{left}, 5000, "$section->{name}: rows that are left out are counted");
		is($table->{more}, "zedperl t $section->{name} --limit 0", '... with the command that shows all');
		is(scalar @{$whole->{rows}}, 10, 'a table that is always whole stays');
		my $flame = $section->{data}{pictures}[0];
		is(@{$flame->{stacks}} + $flame->{rest}{n}, 5000, 'so are stacks');
		is(2 * @{$flame->{stacks}} + $flame->{rest}{weight}, 10_000, '... and their weights');
	}
}

my $browser = Run::Browser->start;
if (!$browser) {
	note Run::Browser::why_not();
	SKIP: { skip Run::Browser::why_not(), 1 }
	done_testing();
	exit;
}
my $look = slurp('t/lib/Run/PageLook.js');
for my $width (1280, 400) {
	for my $dark (0, 1) {
		my $page = $browser->open("$dir/r.html", width => $width, dark => $dark);
		is_deeply($page->{complaints}, [], "$width pixels: the console is silent");
		is_deeply($browser->ask($look), [], 'nothing is cut or covered');
	}
}
$browser->open("$dir/r.html", height => 2000);
my @names = map { $_->{name} } @{$report->{answers}};
is_deeply($browser->ask('[...document.querySelectorAll("nav.contents a")].map(a => a.getAttribute("href").slice(1))'), \@names, 'a table of contents');
is_deeply($browser->ask('[...document.querySelectorAll("section.part")].map(s => s.id)'), \@names, 'a section each, in its order');
is_deeply($browser->ask('[...document.querySelectorAll("section.part code")].map(c => c.textContent)'), [map { $_->{command} } @{$report->{answers}}],
	'with the command that gives it alone');
is($browser->ask('document.querySelectorAll("canvas").length'), 1, 'one time line on top');
for my $section (@{$report->{answers}}) {
	my %drawn = map { $_->{name} => 1 } grep { $_->{kind} eq 'histogram' } @{$section->{data}{pictures}};
	my @tables = grep { my $t = $_; !$drawn{$t->{name}} || !grep { $_->{key} eq 'bar' } @{$t->{columns}} } @{$section->{data}{tables}};
	@tables = ((grep { $_->{name} eq 'worst' } @tables), grep { $_->{name} ne 'worst' } @tables);	# what happens once is in no sum
	my $in = "document.querySelector('section.part#$section->{name}')";
	is_deeply($browser->ask("[...new Set([...$in.querySelectorAll('table')].map(t => t.closest('section').dataset.name))]"), [map { $_->{name} } grep { @{$_->{columns}} } @tables],
		"$section->{name}: its tables");
}
is_deeply($browser->ask('[...document.querySelectorAll(".findings li span")].map(s => s.textContent.trim())'), [map { $_->{text} } @{$report->{findings}}],
	'what sticks out, in the words of the text');

# A sentence and a row jump to the one time line.
my ($wait) = grep { $_->{key} eq 'wait' } @{$report->{findings}};
my $span = sub { return map { $browser->ask("+document.querySelector('canvas').dataset.$_") } qw(from to) };
$browser->ask('document.querySelector(".findings button").click()');
$browser->settle;
my ($from, $to) = $span->();
ok($from <= $wait->{at} && $to >= $wait->{to} && $to - $from < $report->{end} - $report->{start}, 'a sentence shows its place');
$browser->ask('document.querySelector("#wakeup-latency section[data-name=worst] tbody tr:nth-child(2) button").click()');
$browser->settle;
isnt(join(' ', $span->()), "$from $to", 'a row of any section, too');
is_deeply([$browser->complaints], [], 'all that without a word on the console');

done_testing();
