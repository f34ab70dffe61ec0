# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f report of a recording too long for its text to be kept, by the MD5 of what trace-cmd 3.1.6 printed of it;
# without it what only a long trace has, as wraps and many blocks, would go unseen.
#
# of: reader sink/print programs/zedprint
# runs: make check
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use Digest::MD5 ();
use lib 't/lib';
use Compare::DatRead;
use Compare::RealData;
use Compare::TextChanges;

my $why = Compare::RealData::no_shared();
plan skip_all => $why if $why;
Compare::RealData::need_program('zedprint');

my $dir = Compare::RealData::shared();

# Trace-cmd's address of a page is that of the variable with the first page's address, and what is added to it.
sub md5_differs {
	my ($dat) = @_;
	my ($pages) = Compare::DatRead::dat_read($dat, 1)->{meta}{19} =~ /^([0-9a-f]+) \w vmemmap_base$/m;
	my ($want) = Compare::RealData::slurp("$dat.report.md5") =~ /([0-9a-f]{32})/;
	my $run = Compare::RealData::run('zedprint', '-f', 'report', $dat);
	my $bad = Compare::RealData::failure($run);
	open my $fh, '<:raw', $run->{out} or die;
	my $md5 = Digest::MD5->new;
	while (read $fh, my $lines, 1 << 20) {
		$lines .= <$fh> // '';
		$md5->add(report_as('report', $lines) =~ s/: +page=\K\?(?= pfn=(\w+))/sprintf '0x%x', hex($pages) + hex $1/ger);
	}
	unlink $run->{out};
	my $got = $md5->hexdigest;
	return $bad || ($got ne $want && "md5 $got, not $want");
}

my $n = 0;
for my $dat (grep { -e "$_.report.md5" } Compare::RealData::recordings($dir)) {
	my $name = substr $dat, 1 + length $dir;
	my $diff = md5_differs($dat);
	ok(!$diff, "$name: report (md5)") or diag("$name: $diff");
	$n++;
}
cmp_ok($n, '>=', 1, 'there is such a recording (else: nothing is compared)');
is(join("\n", changes_unused('report', 'amd64-big/')), '', 'each difference in the table that only it has is in it');
done_testing();
