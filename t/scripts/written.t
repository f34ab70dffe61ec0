# SPDX-License-Identifier: GPL-2.0-or-later
#
# What analyses write into files: --samples, --svg and --html on a full disk, over links, with which mode.  Without it a
# file is half there under its name and the status is 0, or a link of somebody else chooses what is overwritten.
#
# of: lib/Zed/Report.pm lib/Zed/Report/Samples.pm lib/Zed/Page.pm lib/Zed/Svg.pm
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files qw(listing);
use Run::Program qw(zed_run zed_tmp slurp spew);

my $tmp = zed_tmp();
my $dat = 't/data/demo.dat';
my $full = { size => 500, child => sub { $SIG{XFSZ} = 'IGNORE' } };
my @run = ('zedperl', $dat, 'wakeup-latency');

my $r = zed_run(@run, '--samples', '/dev/full');
is($r->{exit}, 1, '--samples on a full disk: 1 (else: half of it is taken for all)');
like($r->{err}, qr{\Awakeup-latency: --samples /dev/full: No space left on device\n\z}, 'and why');

mkdir "$tmp/out" or die;
for my $option ('--samples', '--svg', '--html') {
	my $before = listing("$tmp/out");
	$r = zed_run({ %$full, stdout => '/dev/null' }, @run, $option, "$tmp/out/file");
	SKIP: {
		skip 'no d3 here', 3 if $r->{err} =~ /without d3/;
		is($r->{exit}, 1, "$option, and the disk is full: 1") or diag $r->{err};
		like($r->{err}, qr/File too large/, "$option: and why");
		is(listing("$tmp/out"), $before, "$option: nothing begun is left");
	}
}

umask 022;
is(zed_run(@run, '--samples', "$tmp/out/s")->{exit}, 0, '--samples');
is((stat "$tmp/out/s")[2] & 0777, 0600, 'is for its owner alone, as recordings are');
my $samples = slurp("$tmp/out/s");
cmp_ok($samples =~ tr/\n//, '>', 10, 'and has what was asked for');
chmod 0640, "$tmp/out/s";
zed_run(@run, '--samples', "$tmp/out/s");
is((stat "$tmp/out/s")[2] & 0777, 0640, 'what it replaces keeps its mode');
symlink 's', "$tmp/out/own" or die;
spew("$tmp/out/s", '');
is(zed_run(@run, '--samples', "$tmp/out/own")->{exit}, 0, 'a link of our own is followed');
is(slurp("$tmp/out/s"), $samples, 'to its file');
SKIP: {
	skip 'only root makes links of others', 2 if $>;
	spew("$tmp/victim", 'precious');
	symlink "$tmp/victim", "$tmp/foreign" or die;
	system('chown', '-h', 'nobody', "$tmp/foreign") == 0 or skip 'no user nobody', 2;
	is(zed_run(@run, '--samples', "$tmp/foreign")->{exit}, 2, 'a link of somebody else is refused');
	is(slurp("$tmp/victim"), 'precious', 'and what it leads to stays');
}

done_testing();
