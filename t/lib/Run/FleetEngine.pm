# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::FleetEngine: runs the commands of a page of docs/fleet over a dozen traces, by the engine that the page is about, with
# a zedperl that a test can have killed in the middle of its state.
#
#	my $dir = fleet_sandbox('parallel');		# traces/*.dat and bin/zedperl are there
#	my $want = fleet_answer($dir);			# the answer of one process
#	my $n = fleet_page($dir, 'parallel', $want);	# every command succeeds, and each of $n answers is $want
#
# A page has slices of 50 traces and of 100 states: a dozen traces are three slices here, and two states are many.
package Run::FleetEngine;
use strict;
use warnings;
use Cwd ();
use Exporter 'import';
use IO::Socket::INET;
use POSIX ();
use Test::More ();
use Run::Docs;
use Run::Process;
use Run::Program qw(same slurp spew zed_tmp);

our @EXPORT = qw(fleet_have fleet_sandbox fleet_answer fleet_page fleet_kill fleet_killed fleet_port fleet_daemon fleet_end);

# With tasks that were woken and waited: 32 and 64 bits, both byte orders, four clocks, versions 6 and 7.
my @TRACES = qw(armhf_multibuf armhf_zstd clock_boot clock_mono demo i386_v6 i386_zstd kernel_text multibuf rt small_be_zstd);

# Is there a COMMAND in PATH?
sub fleet_have {
	my ($command) = @_;
	return scalar grep { -x "$_/$command" } split /:/, $ENV{PATH};
}

# ---- the folder

# A folder with the traces, and in bin, which comes first in PATH when its commands run, the programs under test.
sub fleet_sandbox {
	my ($name) = @_;
	my $dir = Cwd::abs_path(zed_tmp()) . "/$name";
	Run::Docs::sandbox($dir);
	mkdir "$dir/traces" or die "$dir/traces: $!\n";
	Run::Docs::restore($dir, map { ("traces/$_.dat" => "t/data/$_.dat") } @TRACES);
	my $real = readlink "$dir/bin/zedperl";
	unlink "$dir/bin/zedperl", "$dir/zedperl";
	# Exactly one process takes the order: mv is atomic.
	spew("$dir/bin/zedperl", <<"END");
#!/bin/sh
case " \$* " in
*' --reduce '*) ;;
*' --map '*)
	if mv $dir/kill $dir/killed 2>/dev/null; then
		$real "\$@" > $dir/whole
		head -c 200 $dir/whole
		read -r who < $dir/killed
		test \$who = parent && kill -9 \$PPID
		kill -9 \$\$
	fi ;;
esac
exec $real "\$@"
END
	chmod 0755, "$dir/bin/zedperl";
	return $dir;
}

# The answer of one process for TRACES (names in DIR), by default all.
sub fleet_answer {
	my ($dir, @traces) = @_;
	@traces = map { substr $_, 1 + length $dir } sort glob "$dir/traces/*.dat" if !@traces;
	my $r = Run::Docs::run($dir, "exec 2>said.err; zedperl -j 1 wakeup-latency @traces", 60);
	$r->[0] == 0 or die "zedperl -j 1 @traces: $r->[0]: " . slurp("$dir/said.err");
	return $r->[1];
}

# ---- a kill

# The next zedperl that makes a state prints half of it and dies of SIGKILL; WHO: 'self', or 'parent', which also kills
# its parent.
sub fleet_kill {
	my ($dir, $who) = @_;
	unlink "$dir/killed";
	spew("$dir/kill", "$who\n");
	return;
}

# Has it?
sub fleet_killed { return -e "$_[0]/killed" && -s "$_[0]/whole" > 200 }

# ---- a page

my $ANSWER = qr/^how the waits are spread$/m;

# The commands of docs/fleet/NAME.md, in order, with their files; how many of them print an answer, each of which is
# WANT.  HOW: take (of a command: is it run?), before and after (given each that is), env (a hash), seconds (for each),
# upto (a pattern: answers are compared up to there).  The stderr of the last command is in DIR/said.err.
sub fleet_page {
	my ($dir, $name, $want, %how) = @_;
	local @Run::Docs::WORDS = qw(find mkdir cat split for curl zedperl parallel sbatch hadoop spark-submit /usr/bin/python3);
	local @ENV{keys %{$how{env} // {}}} = values %{$how{env} // {}};
	my $cut = sub { return $how{upto} && $_[0] =~ $how{upto} ? substr $_[0], 0, $-[0] : $_[0] };
	my $answers = 0;
	for my $part (Run::Docs::of_page("docs/fleet/$name.md")) {
		spew("$dir/$part->{file}", $part->{text}), next if defined $part->{file};
		my $cmd = $part->{cmd};
		next if $how{take} && !$how{take}->($cmd);
		my $small = $cmd =~ s/\b50\b/4/gr =~ s/-N 100\b/-N 2/r;
		$how{before}->($cmd) if $how{before};
		my ($status, $out) = @{Run::Docs::run($dir, "exec 2>said.err\n$small", $how{seconds} // 100)};
		Test::More::is($status, 0, "$name.md:$part->{line}: $cmd") or Test::More::diag($out, slurp("$dir/said.err"));
		if ($out =~ $ANSWER) {
			$answers++;
			same($cut->($out), $cut->($want), '... answers as one process does');
		}
		$how{after}->($cmd) if $how{after};
	}
	return $answers;
}

# ---- servers of a test's own

# A free TCP port of 127.0.0.1.
sub fleet_port {
	my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1) or die "listen: $!\n";
	return $socket->sockport;
}

my %running;	# pid => 1

# Starts COMMAND, which stays in the foreground, with its output appended to LOG.  Returns its pid.
sub fleet_daemon {
	my ($log, @command) = @_;
	open my $to, '>>', $log or die "$log: $!\n";
	my $pid = spawn({ stdout => $to, stderr => $to }, @command);
	$running{$pid} = 1;
	return $pid;
}

# Ends PIDS in this order: SIGTERM first, SIGKILL after ten seconds.
sub fleet_end {
	for my $pid (grep { $_ && delete $running{$_} } @_) {
		kill 'TERM', $pid;
		next if wait_until(10, sub { waitpid($pid, POSIX::WNOHANG()) != 0 });
		kill 'KILL', $pid;
		waitpid $pid, 0;
	}
	return;
}

# However the test ends; its forked children have nothing to end.
my $owner = $$;
END {
	my $status = $?;
	fleet_end(sort keys %running) if $$ == $owner;
	$? = $status;
}

1;
