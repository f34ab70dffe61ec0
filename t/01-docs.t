#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The manuals say what the programs do: sound POD, every option, every function of the module Zed.
#
# of: docs README.md interp lib programs scripts
# of: CONTRIBUTING.md SECURITY.md analysis/README.md base/README.md expr/README.md kernel/README.md packaging/README.md page/README.md reader/README.md reader/live/README.md record/README.md ring/README.md run/README.md sink/README.md symbols/README.md stable/README.md t/README.md text/README.md
use strict;
use warnings;

use Test::More;
use Cwd qw(abs_path);
use File::Basename qw(dirname basename);
use Pod::Checker;
use lib 't/lib';
use Run::Python qw(python_missing);

my $root = abs_path(dirname(__FILE__) . '/..');
my $bin = $ENV{ZED_BIN_DIR} // $root;

sub text
{
	my ($file) = @_;

	open my $in, '<', $file or die "$file: $!";
	local $/;
	return scalar(<$in>) // '';
}

my @manuals = map { "$root/docs/$_" } qw(zedperl.pod zedperl-explore.pod zedperl-mcp.pod zedpython.pod zedprint.pod zedtrace.pod
	zedperl-scripts.pod zedperl-perf.pod zed-stream.pod zed-stable.pod);
my @pods = (@manuals, grep({ text($_) =~ /^=(?:head1|pod)\b/m } glob "$root/interp/*.pm"), glob("$root/lib/Zed/*.pm"), glob "$root/scripts/*.pl");

for my $pod (@pods) {
	my $checker = Pod::Checker->new(-warnings => 1);
	my $complaints = '';

	open my $out, '>', \$complaints or die $!;
	$checker->parse_from_file($pod, $out);
	is($complaints, '', basename($pod) . ' is sound POD (else: man shows half of it)');
}

for my $pod (@manuals) {
	my $text = text($pod);
	my ($name, $section) = (basename($pod, '.pod'), $pod =~ /-scripts|-perf/ ? 7 : $pod =~ /-stream|-stable/ ? 5 : 1);

	like($text, qr/SPDX-License-Identifier: GPL-2\.0-or-later/, "$name: licence (else: nobody may use it)");
	like($text, qr/^=head1 NAME\n\n\Q$name\E - \S/m, "$name($section) has a NAME (else: apropos misses it)");
	unlike($text, qr/[^\x00-\x7f]/, "$name is ASCII (else: old man programs garble it)");
	my @long = grep { length > 100 && !/^\s/ } split /\n/, $text;
	is("@long", '', "$name keeps to 100 columns (else: it cannot be read in an editor)");
	while ($text =~ /\b(zed[\w-]+)\((\d)\)/g) {
		my ($to, $to_section) = ($1, $2);
		ok(-e "$root/docs/$to.pod", "$name: the page $to($to_section) that it points to exists (else: a dead end)");
	}
}

# Options as --help lists them: at the head of a line, "-x, --xyz ARG  what it does".
sub options_of_help
{
	my ($help) = @_;
	my %options;

	for (split /\n/, $help) {
		next unless /^\s+(-.*?)(?:\s\s|$)/;
		my $head = $1;
		$options{$1}++ while $head =~ /(?:^|[\s,|\/])(--?[A-Za-z][A-Za-z-]*)/g;
	}
	return %options;
}

# Options as the manual has them: the =item lines of OPTIONS.
sub options_of_pod
{
	my ($pod) = @_;
	my %options;
	my ($section) = text($pod) =~ /^=head1 OPTIONS\n(.*?)(?=^=head1 )/ms or return;

	for (grep { /^=item / } split /\n/, $section) {
		$options{$1}++ while /B<(--?[A-Za-z][A-Za-z-]*)>/g;
	}
	return %options;
}

for my $program ('zedperl', 'zedperl explore', 'zedperl mcp', python_missing() ? () : 'zedpython', 'zedprint', 'zedtrace') {
	{
		my ($file, $word) = split / /, $program;
		die "$bin/$file is not built: run make\n" unless -x "$bin/$file";
		my $help = defined $word ? `"$bin/$file" $word --help` : `"$bin/$file" --help`;
		is($?, 0, "$program --help ends well (else: scripts that ask it fail)");
		my %help = options_of_help($help);
		my %pod = options_of_pod("$root/docs/" . ($program =~ tr/ /-/r) . '.pod');

		cmp_ok(scalar keys %help, '>', 4, "$program --help lists options (else: nothing is compared)");
		is_deeply([grep { !$pod{$_} } sort keys %help], [],
			  "every option of $program is in its manual (else: users cannot look it up)");
		is_deeply([grep { !$help{$_} } sort keys %pod], [],
			  "the manual of $program tells of no option that is not there (else: users are refused)");
	}
}

{
	my $print = 'no strict "refs"; print map { "$_\n" } sort grep { defined &{"Zed::$_"} } keys %Zed::; exit 0';
	my @functions = grep { /^[a-z]/ && $_ ne 'import' } split /\n/,
		`"$bin/zedperl" -e '$print' "$root/t/data/demo.dat"`;
	my $text = text("$root/docs/zedperl-scripts.pod");
	my %told = map { $_ => 1 } grep { !-e "$root/lib/Zed/$_.pm" } $text =~ /^=item Zed::(\w+)/mg;

	cmp_ok(scalar @functions, '>', 15, 'the module Zed has functions (else: nothing is compared)');
	is_deeply([grep { !$told{$_} } @functions], [], 'every function of Zed is told (else: nobody can use it)');
	my %there = map { $_ => 1 } @functions;
	is_deeply([grep { !$there{$_} } sort keys %told], [],
		  'no function of Zed is told that is not there (else: scripts die)');
}

# The scripts that the manual shows must at least be Perl.
{
	my $text = text("$root/docs/zedperl-scripts.pod");
	my $n = 0;

	while ($text =~ /^((?:    .*\n|\n)*    use strict;\n(?:    .*\n|\n)*)/mg) {
		my $code = $1;
		$code =~ s/^    //mg;
		$code =~ s/^use Zed;$//mg;
		$code =~ s/^.*?(?=^use strict;)//ms;
		my $pid = open my $out, '-|';
		die "fork: $!" unless defined $pid;
		if (!$pid) {
			open STDERR, '>&', \*STDOUT or die $!;
			open my $perl, '|-', $^X, '-wc' or die $!;
			print $perl $code;
			close $perl;
			exit 0;
		}
		my $said = join '', <$out>;
		$n++;
		is($said, "- syntax OK\n", "script $n of zedperl-scripts(7) compiles (else: readers copy a fault)");
	}
	cmp_ok($n, '>=', 3, 'zedperl-scripts(7) shows whole scripts (else: a language manual)');
}

# SECURITY.md: each promise names the tests that hold it.
{
	my $text = text("$root/SECURITY.md");
	my ($promises) = $text =~ /\A(.*?)^## What is not promised/ms;

	my %tests = map { $_ => 1 } $text =~ m{(t/[\w./-]+\.(?:t|c|pl))\b}g;
	cmp_ok(scalar keys %tests, '>', 20, 'SECURITY.md names tests (else: nothing is compared)');
	ok(-e "$root/$_", "SECURITY.md: $_ is there (else: a promise that nothing holds)") for sort keys %tests;
	my @bare = grep { /^\*\*/ && !m{`t/[\w/-]+\.[tc]`} } split /\n\n/, $promises // '';
	is_deeply(\@bare, [], 'every promise of SECURITY.md names a test (else: it is a wish)');
	my @long = grep { length > 120 } split /\n/, $text;
	is("@long", '', 'SECURITY.md keeps to its columns (else: it cannot be read in an editor)');
	like(text("$root/README.md"), qr/\(SECURITY\.md\)/, 'README leads to SECURITY.md (else: nobody finds it)');
}

# The pages for those who change the program: every path that they name.  `ring/ring` is a .c and its .h; the README.md at
# the head of a folder names paths from there too; after `programs/options.h`, a bare `options.c` lies in the same
# folder; NAME stands for a name.
my $rooms = join '|', map { s{.*/}{}r } grep { -d && !m{/build$} } glob "$root/*";
sub folders_with_a_page
{
	return map { dirname($_) =~ s{^\Q$root\E/}{}r } map { glob "$root/$_/README.md" } qw(* reader/* programs/*);
}

for my $page (qw(CONTRIBUTING.md docs/DESIGN.md docs/STYLE.md), map { "$_/README.md" } folders_with_a_page()) {
	my ($n, @missing) = (0);
	my $home = $page =~ m{^(.+)/README\.md$} ? $1 : '';
	my $text = text("$root/$page");

	for my $line (split /\n/, $text) {
		my $folder;
		while ($line =~ m{`([\w./-]+)`}g) {
			my $path = $1;
			next if $path =~ m{\b[A-Z]{3,}\b|^/};
			next if $path =~ m{^\.\./shared\b};	# larger recordings, beside a checkout that has them
			my $here = $home && -d "$root/$home/" . ($path =~ m{^([\w-]+)/} ? $1 : '.') ? "$home/$path" : '';
			if ($path =~ m{^(?:$rooms)/}) {
				($folder) = $path =~ m{^(.*)/};
			} elsif ($page eq 'CONTRIBUTING.md' && $folder && $path =~ /^\w+\.[ch]$/) {
				$path = "$folder/$path";
			} elsif (!$here || $path !~ m{/\w|^\w+\.[ch]$}) {
				next;
			}
			$n++;
			push @missing, $path if !grep { -e } map { my $p = $_; map { "$root/$p$_" } '', '.c', '.h' } $path, $here || ();
		}
	}
	while ($text =~ m{\]\(([\w./-]+)\)}g) {
		$n++;
		push @missing, $1 if !-e dirname("$root/$page") . "/$1";
	}
	cmp_ok($n, '>', 0, "$page names files (else: nothing is compared)");
	is_deeply(\@missing, [], "every file that $page names is there (else: it misleads)");
	my @long = grep { length > 120 && !/^(?:\||    )/ } split /\n/, $text;
	is("@long", '', "$page keeps to its columns (else: it cannot be read in an editor)") if $page ne 'CONTRIBUTING.md';
	like($text, qr/\A<!-- SPDX-License-Identifier: GPL-2\.0-or-later -->\n# /, "$page begins with its licence (else: nobody may use it)");
}

# DESIGN.md is for everybody; the rest of the design is found from there.
{
	my $text = text("$root/docs/DESIGN.md");
	my ($list) = $text =~ /^## 3\. (.*)/ms;
	my @listed = ($list // '') =~ m{^\| \[([\w/]+)\]\(\.\./\1/README\.md\) \|}mg;

	cmp_ok(scalar($text =~ tr/\n//), '<', 200, 'docs/DESIGN.md has two pages (else: nobody reads it)');
	is_deeply([sort @listed], [sort grep { $_ ne 'docs' } folders_with_a_page()],
		  'it lists each folder whose README.md has its design (else: that is not found)');
}

# README: the two commands that do everything, and every path that it names.
{
	my $text = text("$root/README.md");

	like($text, qr/^\s*make demo\b/m, 'README tells make demo (else: the first step is guessed)');
	like($text, qr/^\s*make test\b/m, 'README tells make test (else: nobody runs them)');
	for my $path ($text =~ m{[(`]((?:docs|scripts|t|reader|interp)/[\w./-]+)[)`]}g) {
		ok(-e "$root/$path", "README names $path (else: a dead link)");
	}
	unlike($text, qr{/(?:home|root|work|tmp)/}, 'README names no path of somebody\'s machine (else: it works nowhere else)');
}

done_testing();
