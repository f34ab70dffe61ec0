# SPDX-License-Identifier: GPL-2.0-or-later
#
# Live tests that skip themselves look like live tests that pass: who traces must call live_or_skip(), which
# leaves a record, and t/tools/live-count.pl must fail where one was skipped for nothing.
#
# of: t/tools t/lib/Run
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

my @tests = glob 't/*/*.t';
my %text = map { $_ => slurp($_) } @tests;
my @live = grep { $text{$_} =~ /^\s*live_or_skip\(|\blive_part\(\)/m } @tests;
cmp_ok(scalar @live, '>=', 3, scalar(@live) . ' live tests: ' . join ' ', map { s{^t/}{}r } @live);

# What touches the running kernel: tracefs by name, zedperl --live, the helpers of Run::Live.
for my $test (grep { $_ ne 't/live/count.t' } @tests) {
	next if $text{$test} !~ m{use Run::Live|/sys/kernel/(?:debug/)?tracing};
	ok(scalar(grep { $_ eq $test } @live), "$test says whether it ran (else: nobody sees that it was skipped)");
}
for my $test (@live) {
	unlike($text{$test}, qr/plan\s*\(?\s*skip_all(?!\s*=>\s*live_cannot)/, "$test leaves it to live_or_skip() to skip it (else: its record says that it ran)");
	my @bare = grep { /\bskip\s+(?!live_cannot|'no report'|\$|"[^"]*\$!|'[^']*trace-cmd of Debian|live_end)/ && !/skip_all/ } split /\n/, $text{$test};
	diag("$test: a part is skipped without a record: ", $bare[0] =~ s/^\s+//r) if @bare;
}

# Here and now: the same question that the tests ask.
my $why = Run::Live::why_not();
if (defined $why) {
	diag "no live tests here: $why";
} else {
	ok(-e live_root() . '/available_events', 'tracefs works here, live tests run');
}

# The sum, from records made by hand.
my $dir = zed_tmp();
mkdir "$dir/$_" for qw(live t);
sub store {
	my ($name, $text) = @_;
	open my $fh, '>', "$dir/$name" or die "$dir/$name: $!\n";
	print $fh $text;
	close $fh or die "$dir/$name: $!\n";
}
my @count = ($^X, "t/tools/live-count.pl");
sub count { return zed_run({ memory => 0 }, 'sh', '-c', 'exec "$@"', 'sh', @count, @_) }
store("t/$_.t", "live_or_skip();\n") for qw(71-a 72-b 73-c);
store('t/20-d.t', "use Test::More;\n");
my @four = map { "$dir/t/$_.t" } qw(20-d 71-a 72-b 73-c);
store("live/$_.t", "ran\n") for qw(71-a 72-b);
store('live/73-c.t', "ran\npart: no such CPU\n");
my $r = count("$dir/live", @four);
is("$r->{exit} $r->{out}", "0 live tests: 3 ran, 0 skipped\n  73-c.t: in part: no such CPU\n", 'all ran: exit 0, and what a part could not do');
store('live/72-b.t', "skipped: the moon is full\n");
$r = count("$dir/live", @four);
like($r->{out}, qr/^live tests: 2 ran, 1 skipped\n  72-b\.t: the moon is full\n/, 'one was skipped: the reason is said');
is($r->{exit}, defined $why ? 0 : 1, 'that fails where tracefs works, and only there (else: a skipped suite passes)');
unlink "$dir/live/71-a.t";
$r = count("$dir/live", @four);
like($r->{out}, qr/^live tests: 1 ran, 2 skipped\n  71-a\.t: it did not get so far\n/, 'one that left no record did not run');
$r = count("$dir/live", $four[0]);
is("$r->{exit} $r->{out}", '0 ', 'without live tests among those that were picked there is nothing to say');
$r = count('--begin', "$dir/live");
$r = count("$dir/live", @four);
like($r->{out}, qr/^live tests: 0 ran, 3 skipped\n/, 'records of an earlier run do not count (else: yesterday\'s pass is today\'s)');

# What live_or_skip() itself leaves, as a test and without root.
store('t/74-e.t', "use lib 't/lib'; use Test::More; use Run::Live; live_or_skip(); ok(1); done_testing();\n");
my %env = (ZED_BUILD => $dir);
$r = zed_run({ memory => 0, env => \%env }, 'sh', '-c', 'exec "$@"', 'sh', $^X, "$dir/t/74-e.t");
is(slurp("$dir/live/74-e.t"), defined $why ? "skipped: $why\n" : "ran\n", 'live_or_skip() leaves the record') or diag $r->{err};
chmod 0755, $dir;
my $nobody = (getpwnam 'nobody')[2];
SKIP: {
	skip 'there is no user nobody, or it is us', 2 if !defined $nobody || $>;
	chmod 0777, "$dir/live";
	unlink "$dir/live/74-e.t";
	$r = zed_run({ memory => 0, env => \%env, child => sub { POSIX::setuid($nobody) } }, 'sh', '-c', 'exec "$@"', 'sh', $^X, '-It/lib', '-e',
		'$0 = "74-e.t"; require Run::Live; require Test::More; Run::Live::live_or_skip(); die "it goes on"');
	like($r->{out}, qr/^1\.\.0 # SKIP .*root/m, 'without root it skips, with the reason') or diag $r->{err};
	is(slurp("$dir/live/74-e.t"), "skipped: live tests need root\n", 'and records that');
}

done_testing();
