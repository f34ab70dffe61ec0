# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Fleet: runs zedperl as a shell would, without interfering with its processes and output: no limits of memory, and
# files OUT and ERR in zed_tmp() that a test may look at while it runs.
#
#	my $r = fleet_run('-j', 2, $script, @traces);		# { out, err, status: a number, or "signal N" }
#	my $r = fleet_run({ stdout => $path }, '-j', 2, $script, @traces);
#	my $r = fleet_fed($text, '--reduce', $script);		# TEXT is its standard input
#	my $pid = fleet_start({ stdin => $path }, '--reduce', $script);
#	my $r = fleet_finish({}, $pid);			# as fleet_run() returns it
#
# HOW: stdin (a path), stdout (another file than OUT), program (other than zedperl), time (seconds; 120), as (a word: files
# OUTword and ERRword, for several at a time).
package Run::Fleet;
use strict;
use warnings;
use Exporter 'import';
use Files;
use Run::Process;
use Run::Program;

our @EXPORT = qw(fleet_run fleet_fed fleet_start fleet_finish);

sub fleet_start {
	my ($how, @args) = @_;
	my $tmp = zed_tmp();
	return spawn({ stdin => $how->{stdin}, env => $how->{env} // {}, stdout => $how->{stdout} // "$tmp/out" . ($how->{as} // ''),
		stderr => "$tmp/err" . ($how->{as} // '') },
		$how->{program} // zed_bin('zedperl'), @args);
}

sub fleet_finish {
	my ($how, $pid) = @_;
	my ($out, $err) = map { zed_tmp() . "/$_" . ($how->{as} // '') } qw(out err);
	my ($status) = reap($pid, $how->{time} // ($ENV{ZED_SAN} ? 600 : 120));
	return { out => $how->{stdout} ? '' : slurp($out), err => slurp($err), status => how_it_ended($status) };
}

sub fleet_run {
	my $how = ref $_[0] eq 'HASH' ? shift : {};
	return fleet_finish($how, fleet_start($how, @_));
}

sub fleet_fed {
	my ($text, @args) = @_;
	return fleet_run({ stdin => spew(zed_tmp() . '/in', $text) }, @args);
}

1;
