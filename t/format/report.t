# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f report, our one text, against what trace-cmd 3.1.6, 3.3.1 and 3.4.0 printed of the same full
# recordings, whole lines, but for the table in Compare::TextChanges; without it a wrong field, flag, time, order or loss
# mark in any real file would go unseen.

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
my @dats = Compare::RealData::recordings($dir);
my %compared;
my $unread = 0;

# The report of a recording too long to be kept, by its MD5: ours as trace-cmd 3.1.6 prints it.  That takes the
# address of the variable with the first page's address, and adds to it.
sub big {
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

for my $dat (@dats) {
	my $name = substr $dat, 1 + length $dir;
	if (-e "$dat.report.md5") {
		my $diff = big($dat);
		ok(!$diff, "$name: report (md5)") or diag("$name: $diff");
		$compared{report}++;
		next;
	}
	# 3.3.1's has its times in nanoseconds.
	for (['report'], ['report340'], ['report331t', '--ns']) {
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
	skip 'no zstd tool: apt-get install zstd', 6 if $unread && !Compare::RealData::have_zstd();
	my %least = (report => 54, report331t => 52, report340 => 54);
	for my $kind (sort keys %least) {
		cmp_ok($compared{$kind} // 0, '>=', $least{$kind}, "at least $least{$kind} recordings were compared with $kind");
		is(join("\n", changes_unused($kind, '')), '', "$kind: each difference in the table is in some recording");
	}
}
done_testing();
