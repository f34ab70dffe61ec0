# SPDX-License-Identifier: GPL-2.0-or-later
#
# FleetRun: runs zedperl as a shell would, with its processes and what they write left alone: no limits of memory, and
# files OUT and ERR in zed_tmp() that a test may look at while it runs.
#
#	my $r = fleet_run({}, '-j', 2, $script, @traces);	# { out, err, status: a number, or "signal N" }
#	my $pid = fleet_start({ stdin => $path }, '--reduce', $script);
#
# HOW: stdin (a path), stdout (another file than OUT), program (other than zedperl), time (seconds).
package FleetRun;
use strict;
use warnings;
use Exporter 'import';
use ZedRun;

our @EXPORT = qw(fleet_run fleet_start);

sub fleet_start {
	my ($how, @args) = @_;
	my $tmp = zed_tmp();
	my $program = $how->{program} // zed_bin('zedperl');
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open STDIN, '<', $how->{stdin} // '/dev/null' or die;
		open STDOUT, '>', $how->{stdout} // "$tmp/out" or die;
		open STDERR, '>', "$tmp/err" or die;
		alarm $how->{time} if $how->{time};
		exec { $program } $program, @args or die;
	}
	return $pid;
}

sub fleet_run {
	my ($how, @args) = @_;
	my $tmp = zed_tmp();
	waitpid fleet_start($how, @args), 0;
	my $status = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
	return { out => $how->{stdout} ? '' : slurp("$tmp/out"), err => slurp("$tmp/err"), status => $status };
}

1;
