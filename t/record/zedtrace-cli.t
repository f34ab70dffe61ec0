# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace as a user without rights, and on a terminal.  Without it a user gets a wall of errors, or a terminal full of bytes.
# (The rest of the command line: t/cases/zedtrace.test.)
# of: programs/zedtrace
use strict;
use warnings;
use Cwd ();
use File::Copy ();
use Test::More;
use lib 't/lib';
use Run::Program;
use Write::FakeKernel;

delete $ENV{ZED_TRACEFS};
my $tmp = zed_tmp();

SKIP: {
	skip 'not root, so there is nobody to become', 5 if $>;
	my $uid = getpwnam 'nobody';
	skip 'there is no user nobody', 5 if !defined $uid;
	my %as = (memory => 0, child => sub { $) = "$uid $uid"; $( = $uid; $< = $> = $uid });
	# A copy that the user nobody can reach.
	chmod 0755, $tmp;
	File::Copy::copy(zed_bin('zedtrace'), "$tmp/zedtrace") or die "$tmp/zedtrace: $!\n";
	chmod 0755, "$tmp/zedtrace";
	my $dir = "$tmp/nobody";
	mkdir $dir and chown $uid, -1, $dir;
	my $inside = $as{child};
	for (['-t'], ['sched', '-d', '1', '-o', "$dir/x.dat"]) {
		my $r = zed_run({ %as, child => sub { $inside->(); chdir $dir } }, "$tmp/zedtrace", @$_);
		is($r->{exit}, 2, "zedtrace @$_ without rights: exit 2 (else: it pretends)");
		is(@{$r->{lines}}, 1, '... one line that says what is missing (else: a wall of errors)') or diag($r->{err});
	}
	is(join(' ', glob "$dir/*"), '', '... and nothing is left behind');
}

SKIP: {
	skip 'there is no script(1), or no /dev/pts, to make a terminal', 1
		if system('script -qec true /dev/null </dev/null >/dev/null 2>&1');
	my $bin = Cwd::abs_path(zed_bin('zedtrace'));
	my $said = `ZED_TRACEFS='@{[fake_kernel()]}' script -qec '"$bin" zoo -o -' /dev/null </dev/null 2>&1`;
	like($said, qr/not written to a terminal: .*\| zedperl -i -/, 'a stream is not written to a terminal (else: it beeps and hangs)');
}

done_testing();
