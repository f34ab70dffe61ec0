# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::Reports: zedprint -f report of all full recordings against trace-cmd's output for them, whole lines, except
# for the table in Compare::TextChanges.
#
#	reports_equal([['report340'], ['report331t', '--ns']], { report340 => 54, report331t => 52 });
package Compare::Reports;
use strict;
use warnings;
use Exporter 'import';
use Test::More;
use Compare::RealData;
use Compare::TextChanges;
use Pass;

our @EXPORT = qw(reports_equal);

# KINDS: [kind of the reference, options of zedprint].  LEAST: how many recordings have one, by kind.  A small pass
# takes one recording of each machine.
sub reports_equal {
	my ($kinds, $least) = @_;
	my $dir = Compare::RealData::shared();
	my (%compared, $unread);
	my @dats = grep { Compare::RealData::reference($_, 'report') } Compare::RealData::recordings($dir);
	@dats = small([Compare::RealData::one_each(@dats)], \@dats)->@*;
	for my $dat (@dats) {
		my $name = substr $dat, 1 + length $dir;
		for (@$kinds) {
			my ($kind, @options) = @$_;
			my $ref = Compare::RealData::reference($dat, $kind) or next;
			if (my $no = Compare::RealData::no_reader($ref)) {
				$unread++;
				diag("$name: $no");
				next;
			}
			my $diff = Compare::RealData::report_differs($dat, $ref, $kind, @options);
			ok(!$diff, "$name: $kind") or diag("$name: $diff");
			$compared{$kind}++;
		}
	}
	diag('compared ' . join(', ', map { "$compared{$_} of $_" } sort keys %compared) . ' of ' . scalar(@dats) . ' recordings');
	SKIP: {
		skip 'no zstd tool: apt-get install zstd', 2 * keys %$least if $unread && !Compare::RealData::have_zstd();
		for my $kind (sort keys %$least) {
			my $n = small(10, $least->{$kind});
			cmp_ok($compared{$kind} // 0, '>=', $n, "at least $n recordings were compared with $kind");
			next if small();
			# report-long.t has the recording of amd64-big.
			is(join("\n", changes_unused($kind, qr{\A(?!amd64-big/)})), '', "$kind: each difference in the table is in some recording");
		}
	}
	return;
}

1;
