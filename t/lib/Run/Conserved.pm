# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Conserved: recordings beside a storm of events on the running kernel, and whether delivered and lost events add
# up to the kernel's count.
#
#	my $lost = conserved('file', ['-b', 8], 'switches', sub { my ($over, $opts, @events) = @_; ... return ($got, $lost, $kernel) });
package Run::Conserved;
use strict;
use warnings;
use Exporter 'import';
use Test::More ();
use Run::Live;
use Run::Process;
use Run::Program;

our @EXPORT = qw(conserved enough stopped handlers kernel_of read_all all_script @STORMS);

my %STORM = (
	'system calls' => ['raw_syscalls', 'exec dd if=/dev/zero of=/dev/null bs=1 2>/dev/null'],
	switches => ['sched', "exec $^X -e 'pipe A, B; pipe C, D; if (fork) { syswrite(B, 1), sysread(C, \$x, 1) while 1 } else { sysread(A, \$x, 1), syswrite(D, 1) while 1 }'"],
	'page faults' => ['exceptions kmem', 'while :; do /bin/true; done'],
	'all events' => ['*', 'while :; do /bin/true; done | dd if=/dev/zero of=/dev/null bs=64 2>/dev/null'],
);
our @STORMS = sort keys %STORM;

# The storm continues until so many events of an instance were read, and, if WITH_LOSSES, until it lost some.
my $ENOUGH = 20_000;

# Waits until the recorder H has read so many events.  On a busy machine, enabling all events may take longer than
# recording these: each has its own timeout.
sub enough {
	my ($h, $with_losses) = @_;
	my $dir = live_ready($h);
	if (!defined $dir) {
		Test::More::diag("$h->{cmd}: does not trace");
		return 0;
	}
	my ($read, $lost) = (0, 0);
	return wait_until(30, sub {
		($read, $lost) = live_taken($dir);
		return $read > $ENOUGH && ($lost > 0 || !$with_losses);
	}) || (Test::More::diag("$h->{cmd}: $read events, $lost lost in 30 seconds"), 0);
}

# A script to which every event is a call; its end looks at the kernel's files itself, where there is an instance.
my $script;
# Process PID has stopped tracing; its load may end.
sub stopped {
	my ($pid) = @_;
	return wait_until(30, sub { !grep { (eval { slurp("$_/tracing_on") } // '') =~ /^1/ } grep { !/names$/ } glob live_root() . "/instances/zed.$pid.*" });
}

sub all_script {
	return $script //= do {
		my $path = zed_tmp() . '/all.pl';
		put_text($path, <<'SCRIPT');
my ($n, $lost, $kernel) = (0, 0, 0);
sub trace_unhandled { $n++ }
sub trace_lost { $lost += $_[1] // 0 }
sub trace_end {
	for my $stats (glob "$ENV{ROOT}/instances/zed.$$.[0-9]*/per_cpu/cpu*/stats") {
		next if $stats =~ /\.names/;
		open my $fh, '<', $stats or die "$stats: $!";
		/^(?:entries|overrun|commit overrun|dropped events|read events): (\d+)/ and $kernel += $1 while <$fh>;
	}
	print "handlers $n lost $lost kernel $kernel\n";
}
SCRIPT
		$path;
	};
}

# Its output: (events, lost, the kernel's number).
sub handlers { return $_[0] =~ /\Ahandlers (\d+) lost (\d+) kernel (\d+)\n\z/ ? ($1, $2, $3) : () }

sub read_all {
	my ($file) = @_;
	return handlers(zed_run({ time => 60, memory => 0, env => { ROOT => live_root() } }, 'zedperl', '-i', $file, all_script())->{out});
}

# By the statistics that are in a file, as the kernel wrote them.
sub kernel_of {
	my ($stats) = @_;
	my $n = 0;
	$n += $_ for map { @$_{'entries', 'overrun', 'commit overrun', 'dropped events', 'read events'} } values %$stats;
	return $n;
}

# RECORD is called beside the storm WHAT, with: code that ends the storm, OPTIONS, and its events; it returns (events that
# handlers got, lost ones, the kernel's number).  Returns how many were lost.
sub conserved {
	my ($way, $options, $what, $record) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $h = live_start({ group => 1 }, '/bin/sh', '-c', $STORM{$what}[1]);
	my $over = sub {
		return if $h->{ended};
		kill 'KILL', -$h->{pid};
		live_end($h);
	};
	my ($n, $lost, $kernel) = $record->($over, $options, split ' ', $STORM{$what}[0]);
	$over->();
	my $name = "$way, $what, " . (@$options ? 'tiny' : 'default') . ' buffers';
	Test::More::ok(defined $n && $n > 100, "$name: " . ($n // 'no') . ' events, ' . ($lost // 0) . ' lost') or return 0;
	Test::More::is($n + $lost, $kernel, "$name: handled and reported as lost are what the kernel counts (else: a loss that no handler hears about)");
	return $lost;
}

1;
