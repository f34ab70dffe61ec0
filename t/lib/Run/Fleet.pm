# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Fleet: runs zedperl as a shell would, with its processes and what they write left alone: no limits of memory, and
# files OUT and ERR in zed_tmp() that a test may look at while it runs.
#
#	my $r = fleet_run({}, '-j', 2, $script, @traces);	# { out, err, status: a number, or "signal N" }
#	my $pid = fleet_start({ stdin => $path }, '--reduce', $script);
#
# HOW: stdin (a path), stdout (another file than OUT), program (other than zedperl), time (seconds).
package Run::Fleet;
use strict;
use warnings;
use Exporter 'import';
use Run::Process;
use Run::Program;

our @EXPORT = qw(fleet_run fleet_start);

sub fleet_start {
	my ($how, @args) = @_;
	my $tmp = zed_tmp();
	return spawn({ stdin => $how->{stdin}, stdout => $how->{stdout} // "$tmp/out", stderr => "$tmp/err" },
		$how->{program} // zed_bin('zedperl'), @args);
}

sub fleet_run {
	my ($how, @args) = @_;
	my $tmp = zed_tmp();
	my ($status) = reap(fleet_start($how, @args), $how->{time});
	return { out => $how->{stdout} ? '' : slurp("$tmp/out"), err => slurp("$tmp/err"), status => how_it_ended($status) };
}

1;
