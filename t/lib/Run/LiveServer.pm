# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::LiveServer: zedtrace -l for tests on the running kernel, where zedtrace -h records to it.
package Run::LiveServer;
use strict;
use warnings;
use Exporter 'import';
use Test::More ();
use Run::Live;
use Run::Process;
use Run::Program;

our @EXPORT = qw(live_server live_server_dir);

# Starts it on a port that the kernel chooses: its handle (of Run::Live) and port.  Options as live_start() has them,
# then zedtrace's own.
sub live_server {
	my ($o, @options) = @_;
	my $h = live_start($o, 'zedtrace', '-l', '-p', '0', @options);
	my $port;
	wait_until(30, sub {
		($port) = slurp($h->{err}->filename) =~ /listening on port (\d+)\n.*waiting/s;
		return $port || !-e "/proc/$h->{pid}/fd/0";
	});
	Test::More::BAIL_OUT('zedtrace -l does not start: ' . slurp($h->{err}->filename)) if !$port;
	return ($h, $port);
}

# The same with a directory of its own for what it receives, which is returned, too.
my $dirs = 0;
sub live_server_dir {
	my (@options) = @_;
	my $at = zed_tmp() . '/server' . ++$dirs;
	mkdir $at or die "$at: $!\n";
	my ($h, $port) = live_server({}, '-D', $at, @options);
	return ($h, $port, $at);
}

1;
