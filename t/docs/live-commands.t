# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands of README, the pages and the manuals that trace the running kernel: each ends well.  Without it a reader
# types what the page says, and it fails.  Those that read recordings: t/docs/commands.t.
#
# of: docs README.md scripts programs/zedtrace record
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Pass;
use Run::Docs;
use Run::Live qw(live_instances live_listens live_or_skip live_ready live_root);
use Run::Process;

live_or_skip();

my $seconds = 60;
my $together = 8;	# so many at a time: they wait most of it

# The instance that the pages call boot, as a kernel makes it that was told to on its command line.
my $boot = live_root() . '/instances/boot';
my $made_boot = !-d $boot && mkdir $boot;
my $tester = $$;
END { rmdir $boot if $made_boot && $$ == $tester }

# CMD for this machine, which stands for those of the reader's, and for a test, which has no ten seconds.
my $port = 20_000 + $$ % 20_000;
sub stand_in {
	my ($cmd) = @_;
	$port++ if Run::Docs::is_server($cmd);	# the one before may still be there
	return $cmd =~ s/(-d|\bsleep) (?:10|1)\b/$1 0.1/gr =~ s/--every \d+s/--every 0.1s/r =~ s/-a 0\.0\.0\.0/-a 127.0.0.1 -p $port/r
		=~ s/-h server\b/-h 127.0.0.1:$port -d 0.1/r =~ s{/var/lib/node-exporter/|/var/tmp/}{}gr;
}

# Ctrl-C for a command that nothing else ends, once it traces and has had time to see something.
sub interrupt {
	my ($run, $cmd) = @_;
	return if $cmd =~ / -d [\d.]+| -- |\bsleep /;
	my ($group) = @$run;
	my $ended = sub { return !readlink "/proc/$group/exe" };
	# That which reads an instance of others has none of its own.
	my $tracing = wait_until($cmd =~ /--instance/ ? 0.3 : 30, sub {
		my ($pid) = grep { (getpgrp($_) // 0) == $group } map { /^zed\.(\d+)\./ } live_instances();
		return defined $pid && live_ready({ pid => $pid }, 0) || $ended->();
	});
	wait_until($cmd =~ /--every/ ? 0.3 : 0.1, $ended) if $tracing;
	kill INT => -$group;
	return;
}

# What two at a time would fight for.
sub alone_with { my ($cmd) = @_; return $cmd =~ /\b(boot|9435)\b/ ? $1 : undef }

# The files that C and those after it name, of those that PAGE has.
sub named {
	my ($page, $c) = @_;
	my %files = Run::Docs::files_of($page);
	my $text = join "\n", map { $_->{cmd} } $c, @{$c->{then} // []};
	return map { $_ => $files{$_} } grep { $text =~ /\Q$_\E/ } sort keys %files;
}

# Begin the job (page, command, files) in a folder of its own: what check() is given.
my $folders = 0;
sub begin {
	my ($page, $c, %made) = @_;
	my %named = named($page, $c);
	my $dir = Run::Docs::sandbox(temp_dir() . '/' . ++$folders, %named);
	spew("$dir/$_", $made{$_}) for keys %made;
	my $cmd = stand_in($c->{cmd});
	return { run => Run::Docs::start($dir, $cmd), cmd => $cmd, c => $c, dir => $dir };
}

sub check {
	my ($job) = @_;
	my ($status, $said) = @{Run::Docs::finish($job->{run}, $seconds)};
	for my $c (@{$job->{c}{same} // []}, $job->{c}) {
		check_one($c, $status, $said);
	}
	check({ c => $_, run => Run::Docs::start($job->{dir}, $_->{cmd}) }) for @{$job->{c}{then} // []};
	return;
}

sub check_one {
	my ($c, $status, $said) = @_;
	my $name = "$c->{page}:$c->{line}: " . ($c->{cmd} =~ s/\s+/ /gr =~ s/\A(.{70}).*/$1.../sr);
	ok($status == 0 || $status == 130, "$name (else: a reader types what fails)") or diag("status $status\n$said");
	return if !defined $c->{want};
	ok(Run::Docs::fits($said, $c->{want}), "$name: prints what is shown") or diag("printed:\n${said}shown:\n$c->{want}");
	return;
}

# A command that several pages show with the same files is run once.
my (@jobs, %lacking, %first);
for my $page (small('README.md') // Run::Docs::pages()) {
	my (%made, @commands);
	for my $c (Run::Docs::mark_live(Run::Docs::of_page($page))) {
		$made{$c->{file}} = $c->{text}, next if defined $c->{file};
		next if !$c->{live};
		my $lacks = Run::Docs::lacks($c->{cmd});
		$lacking{$lacks}++, next if defined $lacks;
		$c->{page} = $page;
		push(@{$c->{reads}{then}}, $c), next if $c->{reads};
		push @commands, [$page, $c, %made];
	}
	for my $job (@commands) {
		my (undef, $c, %made) = @$job;
		my $what = join "\n", $c->{cmd} =~ s{(?:^|(?<=\| ))\./}{}gr =~ s/\s+#.*//r, $c->{want} // '', (map { $_->{cmd} } @{$c->{then} // []}),
			named($page, $c), map { $c->{cmd} =~ /\Q$_\E/ ? ($_, $made{$_}) : () } sort keys %made;
		push(@{$first{$what}{same}}, $c), next if $first{$what};
		$first{$what} = $c;
		push @jobs, $job;
	}
}

my (@serving, @next);
# Servers first, and they stay: the clients of their pages find them.
for my $job (@jobs) {
	push(@next, $job), next if !Run::Docs::is_server($job->[1]{cmd});
	push @serving, begin(@$job);
	ok(live_listens($port), "$job->[0]:$job->[1]{line}: $job->[1]{cmd}: listens");
}
while (@next) {
	my (@now, @later, %busy);
	for my $job (@next) {
		my $with = alone_with($job->[1]{cmd});
		push(@later, $job), next if @now == $together || defined $with && $busy{$with}++;
		push @now, $job;
	}
	@now = map { begin(@$_) } @now;
	interrupt(@$_{qw(run cmd)}) for @now;
	check($_) for @now;
	@next = @later;
}
for my $job (@serving) {
	kill INT => -$job->{run}[0];
	check($job);
}
note("$_: $lacking{$_} commands were not run without it") for sort keys %lacking;
cmp_ok(scalar @jobs, '>', $ENV{PAGES} ? 0 : small(8, 50), 'the pages show commands (else: nothing is run)');

done_testing();
