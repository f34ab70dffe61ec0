#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Every script in scripts/ compiles, tells its licence and how to record for it, and has a manual.
#
# of: scripts lib
use strict;
use warnings;

use Test::More;
use Cwd qw(abs_path);
use File::Basename qw(dirname basename);
use File::Temp qw(tempdir);
use Pod::Checker;

my $root = abs_path(dirname(__FILE__) . '/..');
my @scripts = sort glob "$root/scripts/*.pl";

ok(@scripts >= 3, 'there are scripts to check (else: an empty directory passes)');

# Perl alone checks the syntax: the module Zed, which lives inside zedperl, is stood in for by its names.
my $stub = tempdir(CLEANUP => 1);
open my $fh, '>', "$stub/Zed.pm" or die "$stub/Zed.pm: $!";
print $fh "package Zed;\n1;\n";
close $fh or die "$stub/Zed.pm: $!";

sub text
{
	my ($file) = @_;

	open my $in, '<', $file or die "$file: $!";
	local $/;
	return scalar <$in>;
}

for my $script (@scripts) {
	my $name = basename($script);
	my $text = text($script);
	my @head = split /\n/, $text;

	is($head[0], '#!/usr/bin/env zedperl', "$name runs as a program (else: ./$name starts the wrong one)");
	like($head[1], qr/^# SPDX-License-Identifier: GPL-2\.0-or-later$/,
	     "$name states its licence (else: nobody may use it)");
	like($text, qr/^# zedtrace: \S/m, "$name says what to record (else: users must guess the events)");
	like(join("\n", @head[0 .. 15]), qr/^# zedperl: is about \S/m, "$name says what it is about (else: zedperl help disk does not find it)");
	like($text, qr/^use strict;\nuse warnings;$/m, "$name is strict (else: a misspelt variable counts nothing)");

	my $said = `$^X -I"$stub" -I"$root/lib" -wc "$script" 2>&1`;
	is($said, "$script syntax OK\n", "$name compiles without a warning (else: it fails at the user's)");

	my $checker = Pod::Checker->new(-warnings => 1);
	my $complaints = '';
	open my $out, '>', \$complaints or die $!;
	$checker->parse_from_file($script, $out);
	is($complaints, "", "the manual of $name is sound (else: perldoc shows half of it)");

	for my $section (qw(NAME SYNOPSIS DESCRIPTION RECORD OUTPUT EXAMPLES)) {
		like($text, qr/^=head1 \Q$section\E$/m, "$name has a section $section (else: users must read the code)");
	}
	like($text, qr/^=head1 NAME\n\n\Q$name\E - \S/m, "$name is called so in its manual (else: apropos misses it)");

	# What all analyses have is described in one place, to which each of them refers.
	if ($text =~ /^use Zed::Report/m) {
		unlike($text, qr/^=item --(?:json|csv|limit|html|svg|exact|total|samples)\b/m,
			"$name describes its own options only (else: twenty copies differ)");
		like($text, qr/C<zedperl help Zed::Options>/, "$name says where the common ones are (else: nobody finds them)");
	}

	# The recording line and the command of RECORD must ask for the same systems.
	my ($systems) = $text =~ /^# zedtrace: (.*)$/m;
	my ($record) = $text =~ /^=head1 RECORD\n\n(.*?)\n\n/ms;
	my @wanted = $record =~ /-e (\S+)/g;
	my ($live) = $record =~ /^\s*zedtrace (.*?)(?: -T)? -d \d+$/m;
	is("@wanted", $systems, "$name: both recording lines agree (else: one of them records the wrong events)");

	is($live, $systems, "$name: so does the command for zedtrace (else: the reader copies another one)");

	# perf records one command, unless it is asked for all tasks.
	my ($section) = $text =~ /^=head1 RECORD\n(.*?)^=head1/ms;
	for ($section =~ /^ +perf record (.*)$/mg) {
		like($_, qr/(?:^| )-a /, "$name: perf records all tasks (else: who had the CPU meanwhile is unknown, and the answer wrong)");
		is(join(' ', map { s/\A'|:\*'\z//gr } /-e (\S+)/g), $systems, "$name: ... and what the analysis is made of");
	}
	ok($section =~ /perf record .*?-a / || $systems !~ /sched_switch/ || $name =~ /^(?:function-graph|ltt-schedule)\.pl\z/,
		"$name: what follows tasks says how perf records them all (else: it is the command without -a that is typed)");

	unlike($text, qr/\b(?:TODO|FIXME|XXX)\b/, "$name is finished (else: the user meets what is left)");
}

done_testing();
