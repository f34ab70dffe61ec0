# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::PerfOfDat: the events of a trace.dat as a perf.data, record by record, so that perf can analyse them.
#
#	perf_of_dat('docs/shell.dat', $path, events => qr/^(?:sched|raw_syscalls):/, arch => 'x86_64');
package Write::PerfOfDat;
use strict;
use warnings;
use Exporter 'import';
use Compare::DatRead ();
use Write::Perf;

our @EXPORT = qw(perf_of_dat);
our @EXPORT_OK = qw(formats records);	# of the result of Compare::DatRead::dat_read

# Of the file's formats: [ID, SYSTEM, NAME, TEXT].
sub formats {
	my ($d) = @_;
	my ($text, $at, @formats) = ($d->{meta}{18}, 4);
	for (1 .. unpack $d->{L}, $text) {
		my ($system, $events) = unpack "x$at Z* $d->{L}", $text;
		$at += length($system) + 5;
		for (1 .. $events) {
			my $format = unpack "x$at $d->{Q}/a*", $text;
			$at += 8 + length $format;
			my ($name, $id) = $format =~ /\Aname: (\S+)\nID: (\d+)\n/ or die "$d->{path}: a format without a name\n";
			push @formats, [$id, $system, $name, $format];
		}
	}
	return @formats;
}

# The records of the first buffer, in the order of time: [TIME, CPU, ID, BYTES].
sub records {
	my ($d) = @_;
	my @records;
	for my $c (@{$d->{buffers}[0]{cpus}}) {
		Compare::DatRead::walk_pages($d, \$c->{bytes}, $d->{buffers}[0]{page}, sub {
			my ($id, $ts, $at, $len) = @_;
			push @records, [$ts, $c->{cpu}, $id, substr $c->{bytes}, $at, $len];
		});
	}
	return sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @records;
}

# Writes the events of DAT to PATH, and returns it.
#	events	a pattern for SYSTEM:NAME
#	arch	the machine, as in uname -m
#	of	the tasks that the events were opened for, -1: all; in records ...
#	by	... ID_INDEX or THREAD_MAP
#	lost	[TIME, CPU, COUNT], in order of time: losses, as records of their own
sub perf_of_dat {
	my ($dat, $path, %o) = @_;
	my $d = Compare::DatRead::dat_read($dat);
	my $cpus = 1 + (sort { $b <=> $a } map { $_->{cpu} } @{$d->{buffers}[0]{cpus}})[0];
	my $w = Write::Perf->new(cpus => $cpus, arch => $o{arch}, header => $d->{meta}{16});
	my %attr;
	for (grep { "$_->[1]:$_->[2]" =~ $o{events} } formats($d)) {
		my ($id, $system, $name, $text) = @$_;
		$w->format($system, $text);
		$attr{$id} = $w->attr(type => 2, config => $id, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD RAW)], ids => [$id], name => "$system:$name");
	}
	my %told = (
		ID_INDEX => sub { $w->record(69, 0, $w->u64(scalar @_, map { my $tid = $_; (300, 0, 0, $tid) } @_)) },
		THREAD_MAP => sub { $w->record(73, 0, $w->u64(scalar @_) . join '', map { $w->u64($_) . pack 'a16', 'some' } @_) },
	);
	$told{$o{by}}->(@{$o{of}}) if $o{by};
	my @lost = @{$o{lost} // []};
	for (grep { exists $attr{$_->[2]} } records($d)) {
		my ($ts, $cpu, $id, $bytes) = @$_;
		my $pid = unpack "x4 $d->{L}", $bytes;
		while (@lost && $lost[0][0] <= $ts) {
			my ($when, $on, $n) = @{shift @lost};
			$w->lost($n, time => $when, cpu => $on);
		}
		$w->sample($attr{$id}, time => $ts, cpu => $cpu, tid => $pid, id => $id, raw => $bytes);
	}
	return $w->write($path);
}

1;
