# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl help: every page, script and module by its name, from anywhere.  Without it a manual is a file that one has
# to know of, and perldoc is not there on Debian.
#
# of: programs/zedperl/manual programs/terminal docs scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Cwd ();
use Run::Program;

my $bin = Cwd::abs_path($ENV{ZED_BIN_DIR} // '.') . '/zedperl';
my $here = Cwd::getcwd();
my $dir = zed_tmp();

# What zedperl with ARGS prints where nothing is.
sub at {
	my @args = @_;
	my $r = zed_run({ dir => $dir }, $bin, @args);
	return { %$r, status => $r->{exit} };
}

# A page without the line of its licence, which is for who copies the file.
sub text { return slurp($_[0]) =~ s/\A<!-- SPDX.*\n//r }

my $first = at('help');
is("$first->{status} $first->{err}", '0 ', 'zedperl help (else: a newcomer meets a list of options)');
is($first->{out}, slurp('docs/help.txt'), 'is the first page');
is(at('--help', 'tutorial')->{out}, text('docs/tutorial.md'), '--help TOPIC is the same as help TOPIC');
my @wide = grep { length > 88 } split /\n/, $first->{out};
is("@wide", '', 'the first page fits a terminal');

# Each topic that the first page names.
my @topics = $first->{out} =~ /^  zedperl help ([a-z][\w-]*|Zed::\w+)/mg;
push @topics, $first->{out} =~ /(?:likewise|format\b.*?;) (\w+)(?:, (\w+))?/g, qw(zedprint zedtrace stream);
push @topics, map { "Zed::$_" } split /[,\s]+/, ($first->{out} =~ /a module for scripts: (.*?)\n\s+zedperl help topics/s)[0] =~ s/\n//gr;
for my $topic (grep { defined } @topics) {
	my $r = at('help', $topic);
	ok($r->{status} == 0 && $r->{err} eq '' && length $r->{out} > 200, "help $topic (else: the first page leads nowhere)") or diag($r->{err});
}
cmp_ok(scalar @topics, '>', 20, 'the first page names topics');
for my $module (glob 'lib/Zed/*.pm') {
	my ($name) = $module =~ m{(\w+)\.pm};
	like($first->{out}, qr/\b$name\b/, "Zed::$name is on the first page (else: nobody finds it)");
}
is(at('help', 'fleet')->{out}, text('docs/fleet/README.md'), 'help FOLDER is the page that leads to its others');
my @fleet = map { s{^docs/(.*)\.md$}{$1}r } grep { !/README/ } glob 'docs/fleet/*.md';
for my $topic (@fleet) {
	is(at('help', $topic)->{out}, text("docs/$topic.md"), "help $topic");
	my ($name) = $topic =~ m{([^/]+)$};
	like(slurp('docs/fleet/README.md'), qr/\($name\.md\)/, '... which the first of them names (else: nobody finds it)');
}
cmp_ok(scalar @fleet, '>', 1, 'there are such pages');
is(at('help', 'Zed')->{out}, at('help', 'scripts')->{out}, 'help Zed is where its functions are (else: what perldoc Zed shows has no name here)');
like(at('help', 'irq')->{out}, qr/^NAME\n    irq\.pl - /, 'help SCRIPT');

# ---- one function, out of its page

# The words of a text, whatever its lines.
sub words {
	my ($text) = @_;
	return join ' ', split ' ', $text;
}
my $manual = slurp('docs/zedperl-scripts.pod');
my @functions = $manual =~ /^=item (?:sub )?(Zed::[a-z]\w*(?=\()|trace_\w+)/mg;
my %times;
$times{$_}++ for @functions;
# One item, two ways to call it.
delete @times{qw(Zed::stack Zed::stack_symbols)};
is_deeply([grep { $times{$_} > 1 } sort keys %times], [], 'each function has one entry (else: which of them is shown?)');
cmp_ok(scalar keys %times, '>', 60, 'the manual has functions');
cmp_ok(scalar(grep { /^trace_/ } keys %times), '>', 6, 'and subs');
my $page = words(at('help', 'scripts')->{out});
my @wrong;
# The small pass: every eighth.
my @each = sort { $a cmp $b } keys %{{ map { $_ => 1 } @functions }};
for my $function (small() ? @each[grep { !($_ % 8) } 0 .. $#each] : @each) {
	my $r = at('help', $function);
	my ($heads, $says, $where) = $r->{out} =~ /\A((?:\S.*\n)+)((?:    .*\n|\n)+)(The page: .*\n)/;
	my @bad = $r->{status} || $r->{err} ? "status $r->{status} $r->{err}" : !defined $where ? "no entry: $r->{out}"
		: $heads !~ /(?:^|, |\bsub )\Q$function\E\b/m ? "about $heads"
		: index($page, words("$heads$says")) < 0 ? 'not what the page says'
		: $where !~ /^The page: zedperl help scripts, [A-Z ]+(?:, .+)?\.$/ ? "where is it: $where" : ();
	push @wrong, map { "$function: $_" } @bad;
}
is_deeply(\@wrong, [], 'help FUNCTION is its entry, for each function of Zed and each sub (else: two thousand lines are to be searched)');
my $metric = at('help', 'Zed::metric')->{out};
like($metric, qr/^    value => WHAT$/m, 'with the lists in it (else: its options are missing)');
unlike($metric, qr/\$m->inc/, 'and nothing behind them');
# All of them: each line names what help shows, and nothing that it shows is left out.
my $all = at('help', 'topics');
is("$all->{status} $all->{err}", '0 ', 'help topics');
my %says = $all->{out} =~ /^(\S+) +(\S.*)$/mg;
my %listed = map { $_ => 1 } $all->{out} =~ /^(\S+)/mg;
my %is = map { $_ => 1 } @functions, @fleet, 'fleet', 'system::event', (map { "Zed::$_" } map { m{(\w+)\.pm} } glob 'lib/Zed/*.pm'), (map { m{([\w-]+)\.pl$} } glob 'scripts/*.pl'),
	map { m{([\w-]+)\.(?:md|pod)$} && $1 =~ s/^(?:zedperl|zed)-//r } glob 'docs/*.md docs/*.pod';
is_deeply([sort keys %listed], [sort keys %is], 'lists all, and nothing else (else: what is not on the first page is found by guessing)');
is_deeply([grep { !$says{$_} } sort keys %listed], [], 'each with what it is');
is(scalar(() = $all->{out} =~ /^irq /mg), 1, '... once');
is($says{tutorial}, 'From a question to a script, in six steps', 'a page: its title');
is($says{'Zed::Table'}, 'rows as aligned text, as CSV, as plain data', 'a module: what its manual says');

{	# The file is there, and no page.
	my $r = at('help', "$here/docs/help");
	like("$r->{status} $r->{err}", qr/^2 .*no page/, 'help PATH: what names nothing (more of it: t/cases/help.test)');
	is($r->{out}, '', '... and nothing else');
}

done_testing();
