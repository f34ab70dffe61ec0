# SPDX-License-Identifier: GPL-2.0-or-later
#
# block beside blkparse and btt, on the same events of real disks.  Without it the parts of a request's way may be other
# ones than those that people know by these names.
#
# btt pairs with stale entries soon behind a split, and silently: so each device up to its first.
#
# of: scripts/block.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Blktrace;
use File::Temp ();
use JSON::PP ();
use Compare::RealData;
use Run::Zedperl;

for my $tool (qw(btt blkparse)) {
	plan skip_all => "$tool is not installed (package blktrace)" if !grep { -x "$_/$tool" } split /:/, $ENV{PATH};
}
plan skip_all => 'trace-cmd, which prints the events for btt, is not installed' if !grep { -x "$_/trace-cmd" } split /:/, $ENV{PATH};

# The rows of FILE's device up to END, [min, avg, max, n] by part.
sub ours {
	my ($file, $dev, @end) = @_;
	my %phases;
	my $r = zedperl({ bare => 1 }, @end, $file, 'block', '--json');
	my $data = eval { JSON::PP::decode_json($r->{out}) } // diag($r->{err}) && {};
	for my $row (@{$data->{tables}{phases}{rows} // []}) {
		$phases{$row->{phase}} = [@$row{qw(min avg max n)}] if $row->{dev} eq $dev;
	}
	return \%phases;
}

# Which numbers of a part differ by more than btt's rounding to 1 ns.
sub differ {
	my ($phase, $ours, $btts, $merged) = @_;
	return "$phase: none, btt $btts->[3]" if !$ours;
	# btt has the time in the device once for each bio, so each request weighs as what was merged into it.
	my @compared = $phase eq 'D2C' && $merged ? (0, 2) : (0 .. 3);
	return map { "$phase: $ours->[$_], btt $btts->[$_]" } grep { abs($ours->[$_] - $btts->[$_]) > 1 } @compared;
}

sub beside {
	my ($file, $dev, @parts) = @_;
	open my $fh, '-|', "trace-cmd report -t '$file' 2>/dev/null" or die "trace-cmd: $!\n";
	my @events = grep { $_->{dev} eq $dev } Write::Blktrace::events($fh);
	close $fh;
	my ($split) = grep { $_->{event} eq 'split' } @events;
	my @end;
	if ($split) {
		@events = grep { $_->{t} < $split->{t} } @events;
		my $before = $split->{t} - 1;
		@end = ('--end', sprintf '%d.%09d', $before / 1_000_000_000, $before % 1_000_000_000);
	}
	my $btts = Write::Blktrace::btt(File::Temp->newdir, @events);
	my $ours = ours($file, $dev =~ tr/,/:/r, @end);
	my $merged = grep { $_->{event} =~ /merge/ } @events;
	is_deeply([sort keys %$btts], [sort @parts], "$file, $dev: btt has the parts that this recording was chosen for");
	is_deeply([map { differ($_, $ours->{$_}, $btts->{$_}, $merged) } sort keys %$btts], [],
		'least, mean, greatest and how many of each part are btt\'s, to the nanosecond (else: Q2C and the others mean something else here)');
	return;
}

beside('t/data/block.dat', '254,16', qw(Q2Q Q2G G2I I2D D2C Q2C));
SKIP: {
	my $dir = Compare::RealData::shared();
	skip Compare::RealData::no_shared(), 4 if !$dir;
	beside("$dir/amd64-full/a10_block.dat", '253,0', qw(Q2Q Q2G Q2M M2D D2C Q2C));
	beside("$dir/amd64-full/a10_block.dat", '254,16', qw(Q2Q Q2G G2I I2D D2C Q2C));
}
done_testing();
