# SPDX-License-Identifier: GPL-2.0-or-later
#
# Inputs of every kind, changed where a reader trusts them: sizes, counts, offsets, ids, times, the texts of
# formats, whole sections, pages, records and frames dropped, doubled and swapped.  Whatever is in them, each
# program ends by itself within 5 s of CPU, 256 MB and 64 MB of output, with a documented status, a message that
# names the file if that is not 0, no control byte that a terminal would obey, and all the events if it is.
# Without this, a damaged file could crash a program or be read wrongly in silence.
#
#	MUTATIONS=50000 SEED=7 perl -It/lib t/bad/mutate.t	# the long run; ALL=1: all programs on each
#	CASE=1234 SEED=7 perl -It/lib t/bad/mutate.t		# one of them, kept as build/mutate/case-SEED-CASE
#
# of: reader sink/print programs/zedprint programs/zedperl programs/zedtrace interp record/file sink
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Mutate;
use Mutate::Kinds;
use Mutate::Run;
use Pass;
use POSIX ();
use Run::Process;

my $seed = $ENV{SEED} // 1;
my $count = $ENV{MUTATIONS} // small(45, $ENV{ZED_SAN} ? 150 : 750);
my $workers = $ENV{WORKERS} // 2;
my $kinds = $ENV{KINDS} ? [split /,/, $ENV{KINDS}] : \@Mutate::Kinds::KINDS;
my $keep = ($ENV{ZED_BUILD} // 'build') . '/mutate';
my $dir = temp_dir();

sub kind { my ($case) = @_; return $kinds->[$case % @$kinds] }

# Whether CASE is read as is promised; what is wrong goes to OUT, a line each.
sub work {
	my ($run, $out, $case) = @_;
	my $r = Mutate->new($seed, $case);
	my $in = Mutate::Kinds::make($r, kind($case));
	my @wrong = $run->try($in, $r);
	return if !@wrong && !defined $ENV{CASE};
	File::Path::make_path($keep);
	my $name = "case-$seed-$case";
	Mutate::Run::store({ %$in, path => $in->{path} =~ s/^in/$name/r }, $keep);
	print $out "case $case ($in->{kind}, " . join('; ', @{$in->{said}}) . "): $_\n" =~ s/[^\x20-\x7e\n]/./gr for @wrong;
	return;
}

# What is undamaged is read without a message: otherwise nothing below means anything.
for my $kind (do { my %s; grep { !$s{$_}++ } @$kinds }) {
	my $run = Mutate::Run->new(dir => "$dir/whole", all => 1);
	my @wrong;
	for my $case (1 .. small(1, 4)) {
		my $in = Mutate::Kinds::make(Mutate->new($seed, $case), $kind, 1);
		next if "@{$in->{said}}" =~ /latency/;	# a text: some programs have nothing to do
		push @wrong, map { "case $case: $_" } $run->try($in, Mutate->new(1, 1));
		push @wrong, "case $case: exits @{[%{$run->{exits}}]}" if join(' ', keys %{$run->{exits}}) ne '0';
	}
	is("@wrong", '', "$kind, undamaged: read by each program (else: what damage does is not seen)");
}

my @cases = defined $ENV{CASE} ? $ENV{CASE} : 1 .. $count;
my @pids;
for my $w (0 .. $workers - 1) {
	push @pids, fork // die "fork: $!\n";
	next if $pids[-1];
	open my $out, '>', "$dir/wrong.$w" or POSIX::_exit(1);
	$out->autoflush(1);
	my $run = Mutate::Run->new(dir => "$dir/work.$w", all => $ENV{ALL} || defined $ENV{CASE});
	eval { work($run, $out, $_) for grep { $_ % $workers == $w } @cases; 1 } or print $out "the test itself: $@";
	print $out map { "ended $_: $run->{exits}{$_}\n" } keys %{$run->{exits}};
	close $out;
	POSIX::_exit(0);
}
is((reap($_))[0], 0, 'a worker ends well (else: mutations are not tried)') for @pids;
my ($runs, %exits, @wrong) = (0);
for (map { split /\n/, slurp("$dir/wrong.$_") } 0 .. $workers - 1) {
	push(@wrong, $_), next if !/^ended (.*): (\d+)$/;
	$exits{$1} += $2;
	$runs += $2;
}
is(scalar @wrong, 0, "$count mutations with seed $seed (else: a file crashes a program, or is read wrongly in silence)")
	or diag(join "\n", @wrong[0 .. ($#wrong < 30 || $ENV{MUTATIONS} ? $#wrong : 30)]);
note("$runs runs; exits: ", join ', ', map { "$_: $exits{$_}" } sort keys %exits);
if (@cases > 40) {
	cmp_ok($exits{0} // 0, '>', $runs / 10, 'some are read to the end (else: only the outermost checks are tried)');
	cmp_ok(($exits{1} // 0) + ($exits{2} // 0), '>', $runs / 10, 'and some are damaged (else: nothing is tried)');
}

done_testing();
