# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every command that README, the pages and the manuals show is run, and what they show of its output is compared.
# Without it a reader types what the page says, and it fails, or says something else.  Those that trace the running
# kernel: t/docs/live-commands.t.
#
# of: docs README.md scripts programs/zedperl programs/zedprint
# runs: make check; a small pass in make test
#
#	PAGES='docs/tutorial.md' prove -It/lib t/docs/commands.t		# of one page
#	DOCS_UPDATE=1 PAGES='docs/tutorial.md' perl -It/lib t/docs/commands.t	# write what is printed now into the page
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Cwd ();
use Files;
use Pass;
use Run::Docs;
use Run::Program qw(zed_bin);

my $seconds = 60;

my ($ran, $shown, %lacking) = (0, 0);
# The small pass: what a reader sees first.
for my $page (small('README.md') // Run::Docs::pages()) {
	my @commands = grep { !$_->{live} } Run::Docs::mark_live(Run::Docs::of_page($page));
	next if !grep { defined $_->{cmd} } @commands;
	my $dir = Run::Docs::sandbox(temp_dir() . '/' . $page =~ s/\W/-/gr, Run::Docs::files_of($page));
	my @lines = split /\n/, slurp($page);
	my @new;
	for my $c (@commands) {
		if (defined $c->{file}) {
			spew("$dir/$c->{file}", $c->{text});
			next;
		}
		my $lacks = Run::Docs::lacks($c->{cmd});
		if (defined $lacks) {
			$lacking{$lacks}++;
			next;
		}
		# What records for seconds, sooner.
		my $r = Run::Docs::run($dir, $c->{cmd} =~ s/\bsleep 10\b/sleep 0.1/gr, $seconds);
		$ran++;
		my $name = "$page:$c->{line}: " . ($c->{cmd} =~ s/\s+/ /gr =~ s/\A(.{70}).*/$1.../sr);
		is($r->[0], 0, "$name (else: a reader types what fails)") or diag($r->[1]);
		next if !defined $c->{want};
		$shown++;
		if ($ENV{DOCS_UPDATE}) {
			push @new, [$c, $r->[1]] if !Run::Docs::fits($r->[1], $c->{want});
			next;
		}
		ok(Run::Docs::fits($r->[1], $c->{want}), "$name: prints what is shown (else: the page is about another program)")
			or diag("printed:\n$r->[1]shown:\n$c->{want}");
	}
	next if !@new;
	for (reverse @new) {
		my ($c, $out) = @$_;
		splice @lines, $c->{last}, $c->{end} - $c->{last}, split /\n/, $out;
	}
	spew($page, join '', map { "$_\n" } @lines);
}
note("$_: $lacking{$_} commands were not run without it") for sort keys %lacking;
cmp_ok($ran, '>', $ENV{PAGES} ? 0 : small(10, 60), 'the pages show commands (else: nothing is run)');
cmp_ok($shown, '>', small(0, 7), 'and what they print (else: nothing is compared)') if !$ENV{PAGES};

# ---- the picture of README

if (!$ENV{PAGES}) {
	my $dir = temp_dir();
	my $r = Run::Docs::run($dir, zed_bin('zedperl') =~ s{^\.}{Cwd::getcwd()}er . ' --start 7.2 --end 7.3 ' . Cwd::getcwd()
		. '/docs/shell.dat wakeup-latency --svg waits.svg', $seconds);
	is($r->[0], 0, 'the picture of README is drawn');
	ok(slurp("$dir/waits-timeline.svg") eq slurp('docs/waits.svg'), 'and is docs/waits.svg (else: README shows what is not drawn so)');
}

# ---- the runner itself

ok(Run::Docs::fits("a\nb\nc\n", "a\n...\nc\n") && !Run::Docs::fits("a\nb\n", "a\n") && Run::Docs::fits("a\n", "...\na\n"),
	'"..." stands for any lines, and nothing else does (else: a page may show anything)');
is(Run::Docs::open_quote(q{zedperl -e 'sub x { print "a" }}), 1, 'an open quote goes on in the next line (else: half a command runs)');
ok(!Run::Docs::open_quote(q{a 'b' "c'd"}), 'a closed one does not');

done_testing();
