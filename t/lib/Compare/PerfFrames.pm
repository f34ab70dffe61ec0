# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::PerfFrames: the frames of each sample of a perf.data, as perf script has them and as zedperl does, by its time.
#
#	my $theirs = perf_frames($perf, $path, '--no-inline');	# {TS} => [{ ip, name, off, dso, line }, ...]
#	my $ours = zed_frames($path);	# {TS} => [{ mode => 'k' or 'u', ip, name, off, line }, ...]; no name: no name and off
package Compare::PerfFrames;
use strict;
use warnings;
use Exporter 'import';
use Test::More;
use Run::Program;

our @EXPORT = qw(perf_frames zed_frames);

my $handler = 'sub perf::cpu_clock { my @kernel = Zed::stack("kernel"); my @names = Zed::stack_symbols(); my @all = Zed::stack(); ' .
	'print Zed::ts(), (map { (" ", $_ < @kernel ? "k" : "u", ":", sprintf("%x", $all[$_]), ":", $names[$_]) } 0 .. $#all), "\n" }';

sub perf_frames {
	my ($perf, $path, @options) = @_;
	my $r = zed_run({ time => 120, memory => 0 }, $perf, 'script', '-i', $path, @options, '--ns', '-F', 'time,ip,sym,symoff,dso');
	is($r->{exit}, 0, 'perf script') or diag $r->{err};
	my (%of, $now);
	for (split /\n/, $r->{out}) {
		if (/^\s*(\d+)\.(\d+):\s*$/) {
			$now = $of{$1 * 1_000_000_000 + $2} = [];
		} elsif (/^\s+([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))? \((.*)\)$/) {
			my %frame = (ip => $1, name => $2, off => $3 // '', dso => $4);
			push @$now, { %frame, line => s/^\s+//r };
		}
	}
	return \%of;
}

sub frame {
	my ($line) = @_;
	my ($mode, $ip, $text) = $line =~ /^(.):([^:]*):(.*)/s;
	my ($name, $off) = $text =~ /^(.*)\+0x([0-9a-f]+)\z/s;
	return { mode => $mode, ip => $ip, name => $name, off => $off, line => $line };
}

sub zed_frames {
	my ($path) = @_;
	my $r = zed_run({ time => 120, memory => 0 }, 'zedperl', '-e', "use Zed handlers => ['perf']; $handler", $path);
	is($r->{exit}, 0, 'zedperl reads it') or diag $r->{err};
	unlike($r->{err}, qr/not unwound/, '... and unwinds what there is to unwind');
	my %of;
	for (split /\n/, $r->{out}) {
		my ($ts, @frames) = split / (?=[ku]:[0-9a-f]+:)/;
		$of{$ts} = [map { frame($_) } @frames];
	}
	return \%of;
}

1;
