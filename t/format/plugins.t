# SPDX-License-Identifier: GPL-2.0-or-later
#
# libtraceevent's plugins are not there: the report is the same, but for events that only they know, of which that
# is said.  Without this a report would depend on what is installed, or lack something without a word.
#
# of: text
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Write::PluginEvents;
use Run::Program;

# perf brings a copy of its own, so there may be several places.
my @dirs = grep { -e "$_/plugin_kvm.so" } map { glob } qw(/usr/lib*/traceevent/plugins
	/usr/lib*/*/traceevent/plugins /usr/local/lib*/traceevent/plugins);
plan skip_all => 'no plugins here that could be hidden (libtraceevent1-plugin)' unless @dirs;
my $hide = join ' && ', map { "mount -t tmpfs none $_" } @dirs;
plan skip_all => 'hiding the plugins takes a mount namespace of our own (root)'
	if system "unshare -m sh -c '$hide' >/dev/null 2>&1";

# The output and the error output of -f report for PATH when it sees no plugins, and when it does.
sub both {
	my ($path) = @_;
	my $err = zed_tmp() . '/err';
	my $prog = zed_bin('zedprint');
	my $out = qx{unshare -m sh -c '$hide && exec "\$@"' sh $prog -f report $path 2>$err};
	is($?, 0, 'without plugins: exit 0');
	my $with = zed_run('zedprint', '-f', 'report', $path);
	return ($out, slurp($err), $with->{out}, $with->{err});
}

my ($out, $err, $with, $word) = both('t/data/demo.dat');
is($out, $with, 'sched_switch, hrtimers, stacks: the same text (else: it depends on the machine)');
is("$err$word", '', 'and there is nothing to say');

my ($kvm) = grep { $_->[1] eq 'kvm_exit' } plugin_events();
my ($format, $record) = plugin_make($kvm, {}, {});
my $path = Write::Dat->new(cpus => 1, formats => [$format], make_pages => sub {
	my ($d) = @_;
	return Write::Dat::page($d, 1_000_000_000, Write::Dat::data_event($d, 1000, $record->($d)));
})->write(zed_tmp() . '/kvm.dat');
($out, $err, $with, $word) = both($path);
like($out, qr/kvm_exit: +plain$/m, 'kvm_exit without its plugin: by its print format');
like($err, qr/\Azedprint: .*plugins.*kvm:kvm_exit.*install libtraceevent1-plugin\n\z/, 'one line says so and what to install');
like($with, qr/kvm_exit: +reason /, 'with it: the reason has its name');
is($word, '', 'and there is nothing to say');
done_testing();
