# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::PerfScript: scripts written for perf script, under perf itself and under zedperl.
#
#	my @scripts = perf_scripts();	# those that come with this perf; skips the test if it has no Perl
#	compare_script('sched', 't/data/perf/sched.data', $_) for @scripts;
package Run::PerfScript;
use strict;
use warnings;
use Exporter 'import';
use Test::More;
use Run::Process;
use Run::Program qw(:DEFAULT same spew);

our @EXPORT = qw(perf_scripts perf_out perf_lived compare_script compare_process);
our @EXPORT_OK = qw(perf_run with_names);

my $dir = zed_tmp();
my $exec;

sub perf_scripts {
	plan(skip_all => 'perf is not here (apt-get install linux-perf)') if !grep { -x "$_/perf" } split /:/, $ENV{PATH};
	($exec) = grep { -d "$_/scripts/perl" } $ENV{PERF_EXEC_PATH} // (), '/usr/lib/perf-core', '/usr/libexec/perf-core';
	plan(skip_all => 'this perf has no Perl scripts') if !$exec;
	# Hashes come in one order in both.
	$ENV{PERL_HASH_SEED} = $ENV{PERL_PERTURB_KEYS} = 0;
	$ENV{PERF_EXEC_PATH} = $exec;
	my $nothing = spew("$dir/nothing.pl", "use lib '$exec/scripts/perl/Perf-Trace-Util/lib'; use Perf::Trace::Core; sub trace_end { print \"runs\\n\" }\n");
	plan(skip_all => 'this perf was built without Perl') if (perf_run('t/data/perf/sched.data', '-s', $nothing))[0] !~ /^runs$/m;
	my @scripts = sort map { m{([^/]+)\.pl$} } glob "$exec/scripts/perl/*.pl";
	cmp_ok(scalar @scripts, '>', 4, 'perf has scripts');
	return @scripts;
}

# The output of perf script for FILE, and how it ended.
sub perf_run {
	my ($file, @words) = @_;
	my $pid = spawn({ stdout => "$dir/perf.out", stderr => '/dev/null' }, 'perf', 'script', '-f', '-i', $file, @words);
	my ($status) = reap($pid, 120);
	return (slurp("$dir/perf.out"), $status);
}

# SCRIPT => a change of its output before the comparison, and why.
my %differs = (
	# Perf gives it target_cpu in place of success, so that it finds no wakeup at all.
	'wakeup-latency' => sub { join "\n", grep { !/^(?:total_wakeups|(?:avg|min|max)_wakeup_latency)/ } split /\n/, $_[0], -1 },
	# It prints with %p where its variables are in memory.
	'check-perf-trace' => sub { $_[0] =~ s/\b(call_site|ptr)=[0-9a-f]+/$1=/gr },
	# It prints once a second, by the clock.
	'rwtop' => sub { $_[0] =~ s/.*\e\[H\e\[2J//sr },
);

# The output of perf.  Its own engine crashes now and then, because of its stack: undef if it does so three times.
my $dead = 0;
sub perf_out {
	my ($file, @words) = @_;
	for (1 .. 3) {
		my ($out, $status) = perf_run($file, @words);
		return $out if !$status;
	}
	diag("perf script @words dies");
	$dead++;
	return undef;	## no critic (ProhibitExplicitReturnUndef)
}

# Perf calls a task that has ended ":-1" (its softirqs on its way out still come); the header that perf's scripts print
# has CPU, time, pid and name: a line of that name gets the one that the same line of GOT has.
sub with_names {
	my ($want, $got) = @_;
	my @got = split /^/, $got;
	my $at = 0;
	my @lines = map { [$_, $got[$at++] // ''] } split /^/, $want;
	for (@lines) {
		my ($header, $rest) = $_->[0] =~ /^(\S+ +\d+ \d+\.\d+ +\d+ ):-1 +(.*)/s or next;
		$_->[0] = "$1$rest" if $_->[1] =~ /^(\Q$header\E.{20} )/;
	}
	return join '', map { $_->[0] } @lines;
}

sub compare_script {
	my ($what, $file, $name) = @_;
	my ($script, @words) = ("$exec/scripts/perl/$name.pl", $name eq 'rw-by-file' ? 'cat' : ());
	my $want = perf_out($file, '-s', $script, @words) // return;
	my $r = zed_run('zedperl', '-i', $file, $script, @words);
	my $got = $r->{out};
	ok($r->{exit} == 0 && $r->{signal} == 0 && !$r->{late}, "$what: $name.pl runs") or diag $r->{err};
	$want = with_names($want, $got);
	if (my $plain = $differs{$name}) {
		$_ = $plain->($_) for $want, $got;
	}
	same($got, $want, "$what: $name.pl prints what it prints under perf, unchanged");
	return;
}

# All bytes that perf passes, except for perf's own pointers after the numbers in its struct perf_sample.
my $process = <<'EOT';
use lib "$ENV{PERF_EXEC_PATH}/scripts/perl/Perf-Trace-Util/lib";
use Perf::Trace::Core;
sub process_event {
	my ($event, $attr, $sample, $raw) = @_;
	print scalar(@_), map({ ' ' . unpack 'H*', $_ } $event, $attr, substr $sample, 0, 136), ' ', defined $raw ? unpack 'H*', $raw : 'undef', "\n";
}
sub raw_syscalls::sys_enter { print "sys_enter\n" }
EOT

sub compare_process {
	my ($what, $file) = @_;
	my $path = spew("$dir/process.pl", $process);
	my $want = perf_out($file, '-s', $path) // return;
	my $r = zed_run({ time => 60 }, 'zedperl', '-i', $file, $path);
	same($r->{out}, $want, "$what: process_event gets perf's bytes, in its turn (else: what it unpacks is another number)");
	return;
}

# The last check of a test.
sub perf_lived { return cmp_ok($dead, '<', 3, 'perf itself did not die often (else: nothing is compared)') }

1;
