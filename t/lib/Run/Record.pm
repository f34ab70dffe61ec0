# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Record: for tests that record from the running kernel with zedtrace: runs it, alone or in a pipeline, compares
# its report with the contents of the file, and finds by a script the events that do not satisfy a condition.
#
#	my $r = record('-o', $file, 'sched', '--', 'true');
#	my $sum = adds_up('a command', $file, live_report($r->{err}));
package Run::Record;
use strict;
use warnings;
use Cwd ();
use Exporter 'import';
use File::Spec ();
use Test::More ();
use Run::Live;
use Run::Program;

our @EXPORT = qw(record pipeline live_pipe adds_up outside counted cpu_count long_limit);

# Seconds that one run may take before it is killed.
sub long_limit { return $ENV{ZED_SAN} ? 120 : 60 }

sub cpu_count { return scalar(() = slurp('/proc/cpuinfo') =~ /^processor\b/mg) || 1 }

sub record { return zed_run({ time => long_limit(), memory => 0 }, 'zedtrace', @_) }

# A pipeline, by sh; $ZT, $ZP and $ZR are zedtrace, zedperl and zedprint, $D is the test's folder, $S scripts/.
sub pipeline {
	my ($text) = @_;
	my %program = map { $_->[0] => File::Spec->rel2abs(zed_bin($_->[1])) } ['ZT', 'zedtrace'], ['ZP', 'zedperl'], ['ZR', 'zedprint'];
	return zed_run({ time => long_limit(), memory => 0, env => { %program, D => zed_tmp(), S => Cwd::abs_path('scripts') } }, 'sh', '-c', $text);
}

# zedtrace WORDS -o - | zedperl -i - ARGS, both started: as live_start() returns them.
sub live_pipe {
	my ($words, @args) = @_;
	pipe my $read, my $write or die "pipe: $!\n";
	my $zedperl = live_start({ stdin => $read }, 'zedperl', '-i', '-', @args);
	close $read;
	my $zedtrace = live_start({ stdout => $write }, 'zedtrace', @$words, '-o', '-');
	close $write;
	return ($zedtrace, $zedperl);
}

# The sum of the counts of countall.pl.
sub counted {
	my ($text) = @_;
	my $total = 0;
	$total += $1 while $text =~ /^\w+::\w+: (\d+)$/mg;
	return $total;
}

# The report, the pages, and the kernel's statistics in the file agree; returns dat_events().
sub adds_up {
	my ($what, $file, $report) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $sum = dat_events($file);
	my $stat = dat_stats($file);
	Test::More::is($sum->{events}, $report->{events}, "$what: the pages hold as many events as the report says (else: its number is made up)");
	my (%read, $kernel, $lost);
	for my $cpu (keys %$stat) {
		my $s = $stat->{$cpu};
		$read{$cpu} = $s->{'read events'};
		$lost += $s->{$_} for 'overrun', 'commit overrun', 'dropped events', 'entries';
		$kernel += $s->{'read events'};
	}
	$kernel += $lost;
	Test::More::is($report->{dropped}, $lost, "$what: dropped are overrun, commit overrun, dropped events and what was left, of the kernel's statistics");
	Test::More::is($report->{events} + $report->{dropped}, $kernel, "$what: events and dropped are all that the kernel counted (else: some are counted nowhere)");
	Test::More::is_deeply({ map { $_ => $report->{cpus}{$_}[0] } keys %{$report->{cpus}} }, \%read, "$what: events of each CPU");
	Test::More::is_deeply($sum->{cpu}, { map { $read{$_} || defined $sum->{cpu}{$_} ? ($_ => $read{$_}) : () } keys %read },
		"$what: events of each CPU in the file");
	Test::More::is($sum->{back} // 0, 0, "$what: time goes forward within each CPU (else: pages are in disorder)");
	return $sum;
}

# (events of FILE, those of them for which the Perl expression CODE is false: of $e, $cpu and the fields %f)
sub outside {
	my ($file, $code) = @_;
	my $r = zed_run({ time => long_limit() }, 'zedperl', '-e',
		"my (\$n, \$bad) = (0, 0); sub trace_unhandled { my (\$e, \$cpu) = \@_; my %f = Zed::fields(); \$n++; return if $code; \$bad++; print STDERR Zed::ts(), qq{ cpu \$cpu \$e \@{[%f]}\\n} }" .
		' sub trace_end { print "$n $bad" }', $file);
	Test::More::diag($r->{err}) if $r->{err} ne '';	# which they are
	return split ' ', $r->{out} =~ /^\d+ \d+$/ ? $r->{out} : "0 error:$r->{err}";
}

1;
