# SPDX-License-Identifier: GPL-2.0-or-later
#
# Written: verdicts for those who run tests: JUnit XML, and Markdown for the page of a run. A case is a reference to a
# hash: group, name, limit, verdict, sentence, next (the commands that show more).
package Zed::Gate::Written;
use strict;
use warnings;

use Zed::Page;

our $VERSION = '0.1';

# ---- JUnit XML ----

# Characters that XML has, without markup.
sub _xml {
	my ($text) = @_;
	my $letters = Zed::Page::letters(Zed::plain($text));
	$letters =~ s/([&<>"'])/'&#' . ord($1) . ';'/ge;
	$letters =~ s/[^\x20-\x{d7ff}\x{e000}-\x{fffd}\x{10000}-\x{10ffff}]/\x{fffd}/g;
	return $letters;
}

# How JUnit calls what is not "within": what cannot be told is no failure of the thing that is tested.
my %ELEMENT = (beyond => 'failure', 'cannot tell' => 'error');

sub _case {
	my ($case) = @_;
	my $head = sprintf '    <testcase classname="%s" name="%s"', map { _xml($_) } $case->{group},
		"$case->{name}: $case->{limit}";
	my $element = $ELEMENT{$case->{verdict}};
	return "$head>\n      <system-out>" . _xml($case->{sentence}) . "</system-out>\n    </testcase>\n"
		if !defined $element;
	return "$head>\n      <$element type=\"$case->{verdict}\" message=\"" . _xml($case->{sentence}) . '">'
		. join("\n", map { _xml($_) } @{$case->{next}}) . "</$element>\n    </testcase>\n";
}

# The bytes of a file: a suite for each group. NOTES are about all of them.
sub junit {
	my ($name, $notes, @cases) = @_;
	my (%of, @groups);
	for my $case (@cases) {
		push @groups, $case->{group} if !$of{$case->{group}};
		push @{$of{$case->{group}}}, $case;
	}
	my $counts = sub {
		my %n = (beyond => 0, 'cannot tell' => 0);
		$n{$_->{verdict}}++ for @_;
		return sprintf 'tests="%d" failures="%d" errors="%d"', scalar @_, @n{'beyond', 'cannot tell'};
	};
	my $xml = qq(<?xml version="1.0" encoding="UTF-8"?>\n);
	$xml .= sprintf qq(<testsuites name="%s" %s>\n), _xml($name), $counts->(@cases);
	for my $group (@groups) {
		my @in = @{$of{$group}};
		$xml .= sprintf qq(  <testsuite name="%s" %s>\n), _xml($group), $counts->(@in);
		$xml .= join '', map { _case($_) } @in;
		$xml .= '    <system-out>' . join("\n", map { _xml($_) } @$notes) . "</system-out>\n" if @$notes;
		$xml .= "  </testsuite>\n";
	}
	$xml .= "</testsuites>\n";
	utf8::encode($xml);
	return $xml;
}

# ---- Markdown ----

# A text in a cell: nothing in it is markup.
sub _cell {
	my ($text) = @_;
	my $letters = Zed::Page::letters(Zed::plain($text));
	$letters =~ s/([\\`*_{}\[\]()#+!|<>&~-])/\\$1/g;
	return $letters =~ s/\n/ /gr;
}

# A text as code: longer fences than those in it.
sub _code {
	my ($text) = @_;
	my $letters = Zed::Page::letters(Zed::plain($text));
	my ($longest) = sort { $b <=> $a } 0, map { length } $letters =~ /(`+)/g;
	my $fence = '`' x ($longest + 1);
	return $longest ? "$fence $letters $fence" : "$fence$letters$fence";
}

# CASES as a section: the worst first, each with its sentence, then NOTES about all of them and what to do next.
sub markdown {
	my ($title, $notes, @cases) = @_;
	my %order = (beyond => 0, 'cannot tell' => 1, within => 2);
	my @sorted = map { $cases[$_] } sort { $order{$cases[$a]{verdict}} <=> $order{$cases[$b]{verdict}}
		|| $a <=> $b } 0 .. $#cases;
	my %said;
	my @next = grep { !$said{$_}++ } map { @{$_->{next}} } @sorted;
	my $text = '### ' . _cell($title) . "\n\n| | what | limit | measured |\n|---|---|---|---|\n";
	for my $case (@sorted) {
		my @cells = map { _cell($_) } @$case{qw(name limit sentence)};
		$text .= join(' | ', "| **$case->{verdict}**", @cells) . " |\n";
	}
	$text .= join '', "\n", map { '- ' . _cell($_) . "\n" } @$notes if @$notes;
	$text .= join '', "\nNext:\n\n", map { '- ' . _code($_) . "\n" } @next if @next;
	$text .= "\n";
	utf8::encode($text);
	return $text;
}

# ---- into files ----

# OPTIONS: junit and markdown, names of files ("-": standard output), or undef; notes, texts. Dies with a message.
sub files {
	my ($options, $title, @cases) = @_;
	my %form = (junit => \&junit, markdown => \&markdown);
	my @files = map { [$options->{$_}, $form{$_}->($title, $options->{notes}, @cases)] }
		grep { defined $options->{$_} } sort keys %form;
	Zed::Page::write_files(grep { $_->[0] ne '-' } @files);
	print map { $_->[1] } grep { $_->[0] eq '-' } @files;
	return;
}

# A word of a command line, as a shell takes it.
sub word {
	my ($word) = @_;
	return $word =~ m{\A[\w./,:=+@%-]+\z} ? $word : "'" . $word =~ s/'/'\\''/gr . "'";
}

1;
