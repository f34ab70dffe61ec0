# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every command that README, the pages and the manuals show is run, and what they show of its output is compared.
# Without it a reader types what the page says, and it fails, or says something else.
#
#	PAGES='docs/tutorial.md' prove -It/lib t/docs/commands.t		# of one page
#	DOCS_UPDATE=1 PAGES='docs/tutorial.md' perl -It/lib t/docs/commands.t	# write what is printed now into the page
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Cwd ();
use Compare::DatRead;
use Run::Docs;
use Time::HiRes ();
use Run::Live qw(live_instances live_part live_ready live_root live_until);
use Run::Program qw(slurp spew zed_bin zed_tmp);

# ---- the pages, and the files that they speak of

my %common = map { $_->[1] => $_->[0] } ['docs/shell.dat', 'trace.dat'], ['docs/shell.dat', 'before.dat'], ['t/data/demo.dat', 'after.dat'],
	['t/data/demo.dat', 'old.dat'], ['docs/shell.dat', 'new.dat'], ['t/data/block.dat', 'block.dat'], ['t/data/ltt-g1', 'tracedir'],
	['t/data/perf/sched.data', 'perf.data'], ['t/data/armhf_zstd.dat', 'old-arm.dat'], ['t/data/small_v7_zstd.dat', 'today.dat'],
	['scripts/countall.pl', 'countall.pl'], ['scripts/printall.pl', 'printall.pl'], ['scripts/workqueue.pl', 'workqueue.pl'],
	['scripts/wakeup-latency.pl', 'wakeup-latency.pl'], ['scripts/ltt-schedule.pl', 'ltt-schedule.pl'],
	['scripts/wakeup-latency.pl', 'latency.pl'], ['t/data/demo.dat', 'first.dat'], ['docs/shell.dat', 'second.dat'],
	['t/data/demo.dat', 'host1.dat'], ['docs/shell.dat', 'host2.dat'], ['docs/shell.dat', 'big.dat'],
	(map { ['scripts/countall.pl', $_] } qw(script.pl count.pl switches.pl));
# The recording that a page speaks of, where it is not docs/shell.dat.
my %of = (
	'scripts/block.pl' => 't/data/block.dat', 'scripts/function-graph.pl' => 't/data/fgraph.dat',
	'docs/help.txt' => 't/data/all_events.dat', (map { ("scripts/$_.pl" => 't/data/all_events.dat') } qw(kmem metrics net page-faults power)), 'scripts/stacks.pl' => 't/data/stack.dat',
);
my @pages = $ENV{PAGES} ? split ' ', $ENV{PAGES} : ('README.md', glob 'docs/*.txt docs/*.md docs/*.pod scripts/*.pl lib/Zed/*.pm');
my $live = live_part();
my $seconds = 60;

sub have { my ($word) = @_; return scalar grep { -x "$_/$word" } split /:/, $ENV{PATH} }

# In DIR, what a killed recorder leaves: the pages of two CPUs as trace.dat.cpuN; old.dat has their formats.
sub raw_pages {
	my ($dir) = @_;
	my $d = Compare::DatRead::dat_read('t/data/small_v7_none.dat');
	spew("$dir/trace.dat.cpu$_->{cpu}", $_->{bytes}) for @{$d->{buffers}[0]{cpus}}[0, 1];
	return;
}

# May trace-cmd record here?
my $may_record;
sub may_record {
	return $may_record //= !system('trace-cmd record -o ' . zed_tmp() . '/may.dat -e sched true >/dev/null 2>&1');
}

# What has to be there for CMD, and is not.
sub lacks {
	my ($cmd) = @_;
	return 'tracefs and root' if !$live && Run::Docs::is_live($cmd);
	my ($missing) = grep { $cmd =~ /(?:^|[|;]\s*)$_\b/m && !have($_) } qw(jq trace-cmd perf gawk);
	return $missing // ($cmd =~ /\btrace-cmd record\b/ && !may_record() ? 'a trace-cmd record that may trace' : undef);
}

# Ctrl-C for a live command that nothing else ends: once it traces and has seen something, and after three seconds at the
# latest.
sub interrupt {
	my ($run, $cmd) = @_;
	return if $cmd =~ / -d [\d.]+| -- |\bsleep /;
	my ($group) = @$run;
	my $tracing = live_until(3, sub {
		my ($pid) = grep { (getpgrp($_) // 0) == $group } map { /^zed\.(\d+)\./ } live_instances();
		return defined $pid && live_ready({ pid => $pid }, 0) || !readlink "/proc/$group/exe";	# or it has ended
	});
	Time::HiRes::sleep($cmd =~ /--every 1s/ ? 1.3 : 0.5) if $tracing;
	kill INT => $group;	# to timeout, which passes it on
	return;
}

# This machine stands for those of the reader's.
my $port = 20_000 + $$ % 20_000;
sub stand_in {
	my ($cmd) = @_;
	$port++ if Run::Docs::is_server($cmd);	# the one before may still be there
	return $cmd =~ s/-a 0\.0\.0\.0/-a 127.0.0.1 -p $port/r =~ s/-h server\b/-h 127.0.0.1:$port -d 0.5/r
		=~ s{/var/lib/node-exporter/}{}r;
}

# The instance that the pages call boot, as a kernel makes it that was told to on its command line.
my $boot = live_root() . '/instances/boot';
my $made_boot = $live && !-d $boot && mkdir $boot;
my $tester = $$;
END { rmdir $boot if $made_boot && $$ == $tester }

my ($ran, $shown, %lacking) = (0, 0);
for my $page (@pages) {
	my @all = Run::Docs::of_page($page);
	my %files = (%common, $of{$page} ? ('trace.dat' => $of{$page}) : ());
	my $dir = Run::Docs::sandbox(zed_tmp() . '/' . $page =~ s/\W/-/gr, %files);
	raw_pages($dir);
	my @lines = split /\n/, slurp($page);
	my (@new, @serving);
	for my $c (@all) {
		if (defined $c->{file}) {
			spew("$dir/$c->{file}", $c->{text});
			next;
		}
		my $lacks = lacks($c->{cmd});
		if (defined $lacks) {
			$lacking{$lacks}++;
			next;
		}
		# What would go on until Ctrl-C is ended by it; what records for seconds, sooner.
		my $is_live = Run::Docs::is_live($c->{cmd});
		my $cmd = stand_in($c->{cmd} =~ s/(-d|\bsleep) 10\b/$1 0.3/gr);
		my $run = Run::Docs::start($dir, $cmd, $seconds);
		if (Run::Docs::is_server($cmd)) {
			push @serving, [$c, $run];
			sleep 1;
			next;
		}
		interrupt($run, $cmd) if $is_live;
		my $r = Run::Docs::finish($run);
		Run::Docs::restore($dir, %files) if $is_live;
		$ran++;
		my $name = "$page:$c->{line}: " . ($c->{cmd} =~ s/\s+/ /gr =~ s/\A(.{70}).*/$1.../sr);
		ok($r->[0] == 0 || $is_live && ($r->[0] == 130 || $r->[0] == 124), "$name (else: a reader types what fails)")
			or diag("status $r->[0]\n$r->[1]");
		next if !defined $c->{want};
		$shown++;
		if ($ENV{DOCS_UPDATE}) {
			push @new, [$c, $r->[1]] if !Run::Docs::fits($r->[1], $c->{want});
			next;
		}
		ok(Run::Docs::fits($r->[1], $c->{want}), "$name: prints what is shown (else: the page is about another program)")
			or diag("printed:\n$r->[1]shown:\n$c->{want}");
	}
	for (@serving) {
		kill INT => $_->[1][0];
		my $r = Run::Docs::finish($_->[1]);
		ok($r->[0] == 0 || $r->[0] == 130 || $r->[0] == 124, "$page:$_->[0]{line}: $_->[0]{cmd} (else: nobody can send)") or diag("status $r->[0]\n$r->[1]");
	}
	next if !@new;
	for (reverse @new) {
		my ($c, $out) = @$_;
		splice @lines, $c->{last}, $c->{end} - $c->{last}, split /\n/, $out;
	}
	spew($page, join '', map { "$_\n" } @lines);
}
note("$_: $lacking{$_} commands were not run without it") for sort keys %lacking;
cmp_ok($ran, '>', $ENV{PAGES} ? 0 : 60, 'the pages show commands (else: nothing is run)');
cmp_ok($shown, '>', 7, 'and what they print (else: nothing is compared)') if !$ENV{PAGES};

# ---- the picture of README

if (!$ENV{PAGES}) {
	my $dir = zed_tmp();
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
