# SPDX-License-Identifier: GPL-2.0-or-later
#
# --junit and --markdown of compare and assert: what a CI server reads.  Without it a name of a task breaks the file, or runs
# as markup on a page; and a gate that fails shows no reason there.
#
# of: lib/Zed/Gate/Written.pm scripts/compare.pl scripts/assert.pl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Run::Gate;
use Run::Program qw(zed_run);
use Run::Zedperl;

srand($ENV{ZED_SEED} // 37);
my $hostile = q(]]></a><b>&"`<');	# 15 bytes are a task's name

# Elements, as a small strict reader of XML finds them: [NAME, {attributes}, text, [children]].  Dies if it is not well formed.
sub xml {
	my ($text) = @_;
	$text =~ s/\A<\?xml version="1\.0" encoding="UTF-8"\?>\n// or die "no declaration\n";
	my @open = ['', {}, '', []];
	while ($text =~ /\G(?:<(\/?)([a-z-]+)((?:\s+[a-z]+="[^"<]*")*)\s*(\/?)>|([^<]+))/gc) {
		my ($close, $name, $attributes, $empty, $data) = ($1, $2, $3, $4, $5);
		if (defined $data) {
			die "a bare &: $data\n" if $data =~ /&(?!#\d+;)/;
			$open[-1][2] .= $data =~ s/&#(\d+);/chr $1/ger;
		} elsif ($close) {
			die "$name ends, and $open[-1][0] is open\n" if $open[-1][0] ne $name;
			pop @open;
		} else {
			die "a bare &: $attributes\n" if $attributes =~ /&(?!#\d+;)/;
			my %of = map { s/&#(\d+);/chr $1/ger } $attributes =~ /([a-z]+)="([^"]*)"/g;
			push @{$open[-1][3]}, [$name, \%of, '', []];
			push @open, $open[-1][3][-1] if !$empty;
		}
	}
	die 'it is not read to its end: ' . substr($text, pos($text) // 0) . "\n" if (pos($text) // 0) != length $text || @open != 1;
	return $open[0][3][0];
}

my @a = map { waits(50, 30, name => $hostile) } 1 .. 4;
my @b = map { waits(80, 30, name => $hostile) } 1 .. 4;
my ($junit, $markdown) = (temp_path('.xml'), temp_path('.md'));
my $gate = gate('wakeup-latency', '--limit', 'avg: +20%', '--limit', '* avg: +500us', '--limit', 'nobody avg: +20%', '--junit', $junit, '--markdown', $markdown, @a, '--', @b);
is($gate->{status}, 3, 'compare with both: 3') or diag $gate->{err};
my $suites = eval { xml(slurp($junit)) } // fail("well-formed: $@");
is($suites->[0], 'testsuites', 'JUnit: the root');
is_deeply([@{$suites->[1]}{qw(tests failures errors)}], [3, 1, 1], '... how many tests, failures, errors');
my ($suite) = @{$suites->[3]};
is_deeply([$suite->[0], @{$suite->[1]}{qw(name tests failures errors)}], ['testsuite', 'wakeup-latency', 3, 1, 1], 'a suite for the analysis');
my @cases = @{$suite->[3]};
is_deeply([map { join ' ', $_->[0], map { $_->[0] } @{$_->[3]} } @cases], ['testcase failure', 'testcase system-out', 'testcase error'], 'a case for each limit: beyond is a failure, what cannot be told an error');
is($cases[0][1]{name}, 'avg: +20%', 'its name is the limit');
is($cases[0][3][0][1]{message}, $gate->{checks}[0]{sentence}, 'its message what was measured, the limit, how sure it is');
like($cases[0][3][0][2], qr/^zedprint --start /, 'and what to do next');
# The name as the answer shows it is there, and nothing of it is markup.
is($cases[1][1]{name}, "$gate->{checks}[1]{key} avg: +500us", 'a name that is hostile is text');
like($cases[1][1]{name}, qr/^\Q$hostile\E /, '... and is the name');

my $text = slurp($markdown);
like($text, qr/\A### zedperl compare: beyond a limit\n\n\| \| what \| limit \| measured \|\n\|---\|---\|---\|---\|\n/, 'Markdown: a heading that says it, a table');
my @rows = grep { /^\| \*\*/ } split /\n/, $text;
is_deeply([map { /^\| \*\*([a-z ]+)\*\*/ } @rows], ['beyond', 'cannot tell', 'within'], '... what is wrong comes first');
is_deeply([grep { scalar(() = / \| /g) != 3 } @rows], [], '... each of four cells, whatever the names');
my ($row) = grep { /within/ } @rows;
unlike($row =~ s/\\.//gr, qr/[<>`&]/, '... in which nothing is markup');
like($text, qr/\nNext:\n\n- `zedprint --start [^`]+`\n/, 'what to do next');
my $out = zedperl({ bare => 1 }, 'compare', 'wakeup-latency', '--limit', 'avg: +20%', '--markdown', '-', @a, '--', @b)->{out};
like($out, qr/^### zedperl compare: beyond a limit$/m, '--markdown -: on standard output');

is(gate('wakeup-latency', '--limit', 'avg: +20%', '--markdown', '-', @a, '--', @b)->{status}, 2, '... which has no room for --json, too (else: neither can be read)');
is(assertion($a[0], 'wakeup-latency: n > 0', '--junit', '-')->{status}, 2, '... of assert, too');

# A name that is not UTF-8 is one row, as JSON has it.
my @odd = map { my $us = $_; [map { waits($us, 30, name => "t\xc3\xa9\xffx") } 1 .. 4] } 50, 80;
$gate = gate('wakeup-latency', '--limit', '* avg: +20%', '--junit', $junit, @{$odd[0]}, '--', @{$odd[1]});
is_deeply([map { "$_->{key} $_->{verdict}" } @{$gate->{checks}}], ["t\xe9\\xFFx beyond"], 'a name that is not UTF-8 (else: its samples are another row)');
is(xml(slurp($junit))->[3][0][3][0][1]{name}, "t\xc3\xa9\\xFFx avg: +20%", '... in UTF-8');

# Losses and damage are on the page, too, and each trace is counted once, whatever the sections (else: a gate over half of
# the events is green without a word).
my @lossy = map { waits(50, 30, loss => 1) } 1 .. 3;
my @whole = map { waits(50, 30) } 1 .. 3;
my $limits = temp_path('.txt');
spew($limits, "[wakeup-latency]\navg: +900%\n[waits]\navg: +900%\n");
$gate = gate('--limits', $limits, '--junit', $junit, '--markdown', $markdown, @whole, '--', @lossy);
my $said = '3 traces of B lost events: rates are lower bounds, and long waits are left out more often';
is_deeply([map { $_->{n} } grep { $_->{key} eq 'lost_B' } @{$gate->{data}{notes}}], [3], 'three traces lost events, in two analyses');
$suites = eval { xml(slurp($junit)) } // fail("well-formed: $@");
is_deeply([map { $_->[3][-1][2] } @{$suites->[3]}], [$said, $said], '... JUnit: of each suite');
like(slurp($markdown) =~ s/\\//gr, qr/^- \Q$said\E$/m, '... and Markdown');
assertion($lossy[0], 'wakeup-latency: n > 0', '--markdown', $markdown);
like(slurp($markdown) =~ s/\\//gr, qr/\| \*\*within\*\* .*\n\n- what was recorded is not all: events were lost \(3 at least\)$/m, 'assert says it, too');

# assert
my $run = assertion($a[0], 'wakeup-latency: max < 1us', 'wakeup-latency: max < 1s', 'irq: max < 1s', '--junit', $junit, '--markdown', $markdown);
$suites = eval { xml(slurp($junit)) } // fail("well-formed: $@");
is_deeply([$suites->[1]{name}, @{$suites->[1]}{qw(tests failures errors)}, map { $_->[1]{name} } @{$suites->[3]}], ['zedperl assert: a limit is exceeded', 3, 1, 1, 'wakeup-latency', 'irq'], 'assert: a suite for each analysis');
is($suites->[3][0][3][0][3][0][1]{message}, $run->{checks}[0]{sentence}, '... with its sentences');
like(slurp($markdown), qr/\A### zedperl assert: a limit is exceeded\n/, '... and as Markdown');
assertion($a[0], 'wakeup-latency: max < 1s where task != "a|b"', '--markdown', $markdown);
like(slurp($markdown), qr/^\| \*\*within\*\* \| .* where task \!= "a\\|b" \| /m, 'a | in a limit ends no cell');

# The same by a reader of XML that is not ours.
SKIP: {
	my $python = (grep { -x } map { "$_/python3" } split /:/, $ENV{PATH})[0] // skip 'there is no python3', 1;
	my $r = zed_run({ memory => 0 }, $python, '-c', 'import sys, xml.etree.ElementTree as e; print(len(e.parse(sys.argv[1]).getroot().findall(".//testcase")))', $junit);
	is($r->{out}, "3\n", "python's reader finds the cases") or diag $r->{err};
}

done_testing();
