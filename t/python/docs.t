# SPDX-License-Identifier: GPL-2.0-or-later
#
# docs/python.md: its commands and sessions print what it shows.  Without it a reader types what fails, or learns what
# is not so.
# of: docs/python.md interp/python
#
#	DOCS_UPDATE=1 PAGES=docs/python.md perl -It/lib t/docs/commands.t	# write what commands print now into the page
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Files;
use Run::Docs;
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();
my $page = 'docs/python.md';
my $dir = Run::Docs::sandbox(temp_dir() . '/page', Run::Docs::files_of($page));

# ---- commands, with the files that the page shows before them

my ($ran, $shown) = (0, 0);
for my $c (grep { !$_->{live} } Run::Docs::mark_live(Run::Docs::of_page($page))) {
	if (defined $c->{file}) {
		spew("$dir/$c->{file}", $c->{text});
		next;
	}
	my $r = Run::Docs::run($dir, $c->{cmd}, 60);
	my $name = "line $c->{line}: " . ($c->{cmd} =~ s/\s+/ /gr =~ s/\A(.{70}).*/$1.../sr);
	$ran++;
	is($r->[0], 0, "$name (else: a reader types what fails)") or diag $r->[1];
	next if !defined $c->{want};
	$shown++;
	ok(Run::Docs::fits($r->[1], $c->{want}), "$name: prints what is shown") or diag("printed:\n$r->[1]shown:\n$c->{want}");
}
cmp_ok($ran, '>', 12, 'the page has commands (else: nothing is run)');
cmp_ok($shown, '>', 4, 'and shows what they print');

# ---- what the page answers is what zedperl's analyses say

# A wrong question is answered without a word: sums of the scheduler's own counts were not how long tasks ran.
{
	my ($ask) = grep { defined $_->{cmd} && $_->{cmd} =~ /zed\.stats\("task:ran"/ } Run::Docs::of_page($page);
	my $r = zedpython('-e', (($ask->{cmd} =~ /zedpython -e '(.*)' trace\.dat\z/s)[0] =~ s/by="comm"/by="pid"/r), 'docs/shell.dat');
	my %turns = map { (split)[0] => [(split)[1, 4]] } grep { /^ *\d/ } split /\n/, $r->{out};
	my $tasks = JSON::PP->new->decode(zedperl({ bare => 1 }, '-i', 'docs/shell.dat', 'sched-summary', '--by', 'pid', '--json')->{out})->{tables}{tasks}{rows};
	my %want = map { $_->{pid} => [$_->{n}, $_->{max}] } grep { $_->{n} } @$tasks;
	cmp_ok(scalar keys %want, '>', 20, 'tasks ran');
	is_deeply(\%turns, \%want, 'who ran for how long, as sched-summary has it') or diag $r->{err};
}

# A wait goes on where its end was lost, without a word.
{
	my $rows = JSON::PP->new->decode(zedperl({ bare => 1 }, '-i', 't/data/be_lost.dat', 'waits', '--json', '--worst', 9)->{out})->{tables}{worst}{rows};
	my ($longest) = map { sprintf '%.3f', $_->{wait} / 1e6 } grep { $_->{kind} eq 'woken' } @$rows;
	my ($wait) = zedpython('t/data/be_lost.dat', "$dir/waits.py")->{out} =~ /\A *([\d.]+) ms/;
	is($wait, $longest, 'no task waits where events were lost, as zedperl has it');
}

# ---- sessions of python3: each block goes on where the one before ended

SKIP: {
	skip extension_missing(), 3 if extension_missing();
	my ($imports) = slurp($page) =~ /^ {4}(PYTHONPATH=.*)$/m;
	$imports =~ s/build\S+/python_dir()/e && $imports =~ s/ \Kpython3/python_path()/e;
	like(qx($imports 2>&1), qr/^ *open\(paths, /m, 'import zed works before it is installed, as it says (else: the page ends at its first line)');
	my @blocks = slurp($page) =~ /^```pycon\n(.*?)^```$/msg;
	cmp_ok(scalar @blocks, '>', 4, 'it has sessions');
	spew("$dir/session.txt", join "\n", @blocks);
	my $r = python({ dir => $dir }, '-W', 'ignore', '-m', 'doctest', '-o', 'NORMALIZE_WHITESPACE', '-o', 'ELLIPSIS', 'session.txt');
	is("$r->{status} $r->{out}", '0 ', 'which print what is shown') or diag $r->{err};
}

done_testing();
