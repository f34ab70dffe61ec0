# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f report against what stock trace-cmd printed for the same full recordings, byte for
# byte; without it a wrong field, time, order or loss mark in any real file would go unseen.

use strict;
use warnings;
use Test::More;
use Digest::MD5 ();
use File::Basename ();
use lib 't/lib';
use RealData;
use TextChanges;

my $why = RealData::no_shared();
plan skip_all => $why if $why;
RealData::need_program('zedprint');

my $dir = RealData::shared();
my @dats = RealData::recordings($dir);
my ($compared, $columns, $unread) = (0, 0, 0);

# From a line of trace-cmd 3.3.1's "report -t": the CPU, flags and time columns, and the name.
sub columns_of {
	my ($line) = @_;
	my ($cpu, $flags, $time, $name) = RealData::columns($line) or return undef;
	return undef if RealData::is_graph($name);
	return "[$cpu] " . ($flags || "no flags") . " $time: $name";
}

for my $dat (@dats) {
	my $name = substr $dat, 1 + length $dir;
	if (-e "$dat.report.md5") {
		my ($want) = RealData::slurp("$dat.report.md5") =~ /([0-9a-f]{32})/;
		my $run = RealData::run('zedprint', '-f', 'report', $dat);
		my $bad = RealData::failure($run);
		open my $fh, '<:raw', $run->{out} or die;
		my $md5 = Digest::MD5->new;
		while (read $fh, my $lines, 1 << 20) {
			$lines .= <$fh> // '';
			$md5->add(text_as_171($lines));
		}
		my $got = $md5->hexdigest;
		ok(!$bad && $got eq $want, "$name: report (md5)")
			or diag("$name: " . ($bad || "md5 $got, not $want"));
		$compared++;
		unlink $run->{out};
		next;
	}
	my $ref = RealData::reference($dat, 'report');
	my $no = $ref && RealData::no_reader($ref);
	if (!$ref || $no) {
		$unread++;
		diag("$name: " . ($no || 'no reference beside it'));
		next;
	}
	my $diff = RealData::report_differs($dat, $ref);
	ok(!$diff, "$name: report") or diag("$name: $diff");
	$compared++;

	$ref = RealData::reference($dat, 'report331t') or next;
	my $want = RealData::slurp($ref);
	my $run = RealData::run('zedprint', '-f', 'report', '--ns', '--latency', $dat);
	# a latency tracer's text has no such lines, an empty recording none at all
	my $n = grep { defined columns_of($_) } split /^/, $want;
	$diff = RealData::failure($run)
		|| RealData::differ($want, RealData::slurp($run->{out}), \&columns_of);
	ok(!$diff, "$name: times in ns and flags, $n lines") or diag("$name: $diff");
	unlink $run->{out};
	$columns++ if $n;
}

diag("compared $compared reports byte for byte, the flags and ns columns of $columns, of "
	. scalar(@dats) . ' recordings');
SKIP: {
	skip 'no zstd tool: apt-get install zstd', 2 if $unread && !RealData::have_zstd();
	cmp_ok($compared, '>=', 54, 'at least 54 recordings were compared');
	cmp_ok($columns, '>=', 45, 'at least 45 had their flags and ns columns compared');
}
done_testing();
