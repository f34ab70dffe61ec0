# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Soak: every kind of run that is fit to be left running, all at once, under one load of renames, forks and execs:
# what memory each has had after a part of the load, and at its end.  For t/live/flat-kinds.t and make soak.
package Run::Soak;
use strict;
use warnings;
use Exporter 'import';
use IO::Socket::INET;
use POSIX ();
use Run::Live;
use Run::Process;
use Run::Program;

our @EXPORT = qw(soak_start soak_load soak_memory soak_end);

my $EVENTS = 'sched:sched_process_exit';
my $HANDLER = 'sub sched::sched_process_exit { my $name = Zed::comm() }';
my $BATCH = 100;	# renames, and then a pause: no faster than a busy machine empties the kernel's buffers for names
my $TASKS = 2;		# batches, and then a task is forked that becomes a program

# Kind, program, arguments; of a pipe the second process has them too.
sub kinds {
	my ($dir) = @_;
	my @live = ('zedperl', "--live=$EVENTS");
	return (
		['aggregation', @live, '-e', "Zed::count('$EVENTS', by => 'cpu')"],
		['handler', @live, '-e', $HANDLER],
		['handler that never fires', 'zedperl', '--live=sched:sched_process_hang', '-e', 'sub sched::sched_process_hang {}'],
		['--metrics, scraped', @live, '--metrics', 0, '-e', 'my $n = Zed::metric(counter => "exits_total"); sub sched::sched_process_exit { $n->inc }'],
		['--every', @live, '--every', '1s', '-e', "Zed::count('$EVENTS', by => 'cpu')"],
		['--live --flight', @live, '--flight', '1M', '-e', $HANDLER],
		['zedtrace --flight', 'zedtrace', '--flight', '1M', '-o', "$dir/flight.dat", $EVENTS],
		['zedtrace -o FILE', 'zedtrace', '-o', "$dir/file.dat", $EVENTS],
		['by pipe', 'zedtrace', '-o', '-', $EVENTS],
	);
}

sub scrape {
	my ($port) = @_;
	my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 30) or return;
	print {$s} "GET /metrics HTTP/1.1\r\n\r\n";
	local $/;
	return scalar <$s>;
}

# Someone who scrapes it four times a second, for as long as it runs.
sub scraper {
	my ($h) = @_;
	my $port;
	wait_until(20, sub { ($port) = slurp($h->{err}->filename) =~ m{http://127\.0\.0\.1:(\d+)/metrics} }) or return;
	my $pid = fork // die "fork: $!\n";
	return $pid if $pid;
	$SIG{$_} = 'DEFAULT' for qw(TERM ALRM PIPE);
	alarm 3600;
	while (kill 0, $h->{pid}) {
		scrape($port);
		select undef, undef, undef, 0.25;
	}
	POSIX::_exit(0);
}

# Starts them all: [{kind, h => as of live_start(), scraper => PID}, ...]; a pipe is two of them.
sub soak_start {
	my @runs;
	for my $kind (kinds(zed_tmp())) {
		my ($what, @cmd) = @$kind;
		if ($what ne 'by pipe') {
			my $h = live_start(@cmd);
			push @runs, { kind => $what, h => $h };
			$runs[-1]{scraper} = scraper($h) if $what =~ /scraped/;
			next;
		}
		pipe my $read, my $write or die "pipe: $!\n";
		push @runs, { kind => "$what: $_->[1]", h => live_start(@$_) }
			for [{ stdout => $write }, @cmd], [{ stdin => $read }, 'zedperl', '-i', '-', '-e', $HANDLER];
	}
	# Of a pipe only the recorder has an instance.
	live_ready($_->{h}) or die "$_->{kind}: it does not run: ", live_end($_->{h}, 1)->{err} for grep { $_->{kind} !~ /pipe: zedperl/ } @runs;
	return @runs;
}

# RENAMES names that a task gives itself, and a task for every $TASKS * $BATCH of them.
sub soak_load {
	my ($renames) = @_;
	my $every = $BATCH * $TASKS;
	return zed_run({ time => 600 + $renames / 1000, memory => 0 }, $^X, '-e', <<"EOT");
for my \$i (1 .. $renames) {
	\$0 = "n\$i";
	next if \$i % $BATCH;
	select undef, undef, undef, 0.002;
	next if \$i % $every;
	my \$pid = fork // die;
	if (!\$pid) { exec '/bin/true' or die }
	waitpid \$pid, 0;
}
EOT
}

# The memory of RUN, KB.
sub soak_memory {
	my ($run) = @_;
	return slurp("/proc/$run->{h}{pid}/status") =~ /^VmRSS:\s*(\d+)/m ? $1 : 0;
}

# Ends them; those that did not end well, as "KIND: status".
sub soak_end {
	my @runs = @_;
	live_signal($_->{h}, 'INT') for @runs;
	my @bad;
	for my $run (@runs) {
		my $end = live_end($run->{h});
		push @bad, "$run->{kind}: $end->{exit}: $end->{err}" if $end->{exit} && $end->{exit} != 130;
		waitpid $run->{scraper}, 0 if $run->{scraper};
	}
	return @bad;
}

1;
