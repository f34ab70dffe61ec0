# SPDX-License-Identifier: GPL-2.0-or-later
#
# Baseline: the numbers of runs in a file, so that later runs can be compared without the traces: a line of JSON for the
# file, one for each run, one for the end.
package Zed::Gate::Baseline;
use strict;
use warnings;

use File::Basename qw(basename);
use JSON::PP ();
use Zed::Gate::Run;
use Zed::Page;
use Zed::Units;

our $VERSION = '0.1';

my $FORMAT = 1;
my $MOST = 256 << 20;	# bytes

sub _json { return JSON::PP->new->canonical->ascii->encode($_[0]) . "\n" }

# Writes FILE, which must not be there. PARTS: [OF, [RUN, ...]], as Zed::Gate::Run has them. Dies with a message.
sub write {	## no critic (ProhibitBuiltinHomonyms)
	my ($file, @parts) = @_;
	die "$file: is there already, and a baseline is written once: name another file, or remove it\n" if -e $file;
	my @lines;
	for my $part (@parts) {
		my ($of, $runs) = @$part;
		for my $run (@$runs) {
			# The samples of several runs are not compared: each of these counts as one number.
			my $is_single = @$runs == 1;
			my $numbers = $is_single ? {} : Zed::Gate::Run::numbers_of_samples($run);
			delete $run->{samples}{$Zed::Gate::Run::ALL};
			push @lines, { (map { ($_ => $of->{$_}) } qw(analysis with parts)),
				path => basename($run->{path}),
				(map { ($_ => $run->{$_}) } qw(start end trace lost table damaged)),
				samples => $is_single ? $run->{samples} : {}, numbers => $numbers };
		}
	}
	return Zed::Page::write_file($file, join '', map { _json($_) }
		{ zedperl => 'baseline', format => $FORMAT, runs => scalar @lines }, @lines,
			{ 'end' => scalar @lines });
}

# The runs in FILE: a list of [OF, RUN]. Dies with a message.
sub read {	## no critic (ProhibitBuiltinHomonyms)
	my ($file) = @_;
	open my $in, '<', $file
		or die "$file: $!" . (-e $file ? "\n"
			: ": to write it, 'zedperl compare ANALYSIS --baseline $file A.dat...'\n");
	die "$file: is not a regular file\n" if !-f $in;
	die "$file: is larger than 256 MiB, and no baseline\n" if -s _ > $MOST;
	my ($head, @lines) = map { scalar eval { Zed::Fleet::_parse($_) } } <$in>;
	close $in;
	die "$file: is not a baseline of zedperl compare\n" if ref $head ne 'HASH'
		|| ($head->{zedperl} // '') ne 'baseline';
	my $format = $head->{format} // 'none';
	die "$file: its format is $format, and this zedperl reads $FORMAT: write it again\n" if $format ne $FORMAT;
	my $end = pop @lines;
	die "$file: is cut off, or damaged: write it again\n"
		if ref $end ne 'HASH' || ($end->{end} // -1) ne @lines || grep { !_is_run($_) } @lines;
	return map { my $line = $_; [{ map { ($_ => $line->{$_}) } qw(analysis with parts) },
		{ %$line, worst => [] }] } @lines;
}

my %IS = (with => 'ARRAY', parts => 'ARRAY', map { ($_ => 'HASH') } qw(table samples numbers trace lost));

sub _is_run {
	my ($line) = @_;
	return if ref $line ne 'HASH' || !defined $line->{analysis};
	return if grep { ref $line->{$_} ne $IS{$_} } keys %IS;
	my ($columns, $rows) = @{$line->{table}}{qw(columns rows)};
	return if ref $columns ne 'ARRAY' || ref $rows ne 'HASH';
	return if grep { ref ne 'HASH' || !defined $_->{key} || !Zed::Units::is_type($_->{type} // '') } @$columns;
	return if grep { ref ne 'HASH' } values %$rows, values %{$line->{numbers}};
	return if grep { ref ne 'ARRAY' } map { ref eq 'ARRAY' ? @$_ : $_ } values %{$line->{samples}};
	return 1;
}

1;
