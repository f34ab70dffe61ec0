# SPDX-License-Identifier: GPL-2.0-or-later
#
# libtraceevent's plugins are not there: that is said, and the report is what trace-cmd prints without
# them.  Without this a report that differs from everybody else's would come without a word.
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Stock;
use ZedRun;

# perf brings a copy of its own, so there may be several places.
my @dirs = grep { -e "$_/plugin_sched_switch.so" } map { glob } qw(/usr/lib*/traceevent/plugins
	/usr/lib*/*/traceevent/plugins /usr/local/lib*/traceevent/plugins);
plan skip_all => 'no plugins here that could be hidden (libtraceevent1-plugin)' unless @dirs;
my $hide = join ' && ', map { "mount -t tmpfs none $_" } @dirs;
plan skip_all => 'hiding the plugins takes a mount namespace of our own (root)'
	if system "unshare -m sh -c '$hide' >/dev/null 2>&1";

# The output and the error output of a command that sees no plugins.
sub hidden {
	my $err = zed_tmp() . '/err';
	my $out = qx{unshare -m sh -c '$hide && exec "\$@"' sh @_ 2>$err};
	is($?, 0, "$_[0] without plugins: exit 0");
	return ($out, slurp($err));
}

my $demo = 't/data/demo.dat';
my ($out, $err) = hidden(zed_bin('zedprint'), '-f', 'report', $demo);
like($err, qr/\Azedprint: .*plugins.*install libtraceevent1-plugin\n\z/, 'one line says so and what to install');
like($out, qr/sched_switch: +prev_comm=/, 'sched_switch is printed by its print format');
SKIP: {
	skip stock_missing(), 2 if stock_missing();
	my ($stock) = hidden('trace-cmd', 'report', $demo);
	ok($out eq stock_normal($stock), 'the report is that of trace-cmd without them');
}
my ($with, $word) = do { my $r = zed_run('zedprint', '-f', 'report', $demo); @$r{qw(out err)} };
is($word, '', 'with them there is no word');
unlike($with, qr/sched_switch: +prev_comm=/, 'and the plugin prints sched_switch');
done_testing();
