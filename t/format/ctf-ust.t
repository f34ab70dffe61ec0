# SPDX-License-Identifier: GPL-2.0-or-later
#
# Contexts and types of fields as LTTng-UST records them, of a program made here: each event as babeltrace2 prints it, and
# the task of each event from its contexts.  Without it a context is read as another one.
#
# of: reader/ctf
# runs: make check
use strict;
use warnings;
use JSON::PP ();
use POSIX ();
use Test::More;
use lib 't/lib';
use Compare::Babeltrace;
use Files;
use Run::Process;
use Run::Program;

my $tmp = zed_tmp();

my %TOOLS = map { my $tool = $_; ($tool => (grep { -x } map { "$_/$tool" } split /:/, $ENV{PATH})[0]) } qw(lttng lttng-sessiond babeltrace2 gcc);
my ($missing) = grep { !$TOOLS{$_} } sort keys %TOOLS;
plan skip_all => "$missing is missing: apt-get install lttng-tools liblttng-ust-dev babeltrace2 gcc" if $missing;

# ---------------------------------------------------------------- a program with events of all types

spew("$tmp/tp.h", <<'END');
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER mini
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./tp.h"
#if !defined(TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TP_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_ENUM(mini, colour, LTTNG_UST_TP_ENUM_VALUES(
	lttng_ust_field_enum_value("red", 1) lttng_ust_field_enum_range("blue", 2, 4)))
LTTNG_UST_TRACEPOINT_EVENT(mini, all, LTTNG_UST_TP_ARGS(int, n, const char *, s, double, d, const int *, list, unsigned int, len),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, n, n)
		lttng_ust_field_integer(unsigned long, wide, (unsigned long)n << 40)
		lttng_ust_field_integer_network(unsigned short, port, htons(n))
		lttng_ust_field_float(double, d, d)
		lttng_ust_field_float(float, f, (float)d)
		lttng_ust_field_string(s, s)
		lttng_ust_field_array(int, three, list, 3)
		lttng_ust_field_sequence(int, items, list, unsigned int, len)
		lttng_ust_field_sequence_text(char, text, s, unsigned int, 2)
		lttng_ust_field_enum(mini, colour, int, colour, n % 5)))
LTTNG_UST_TRACEPOINT_EVENT(mini, none, LTTNG_UST_TP_ARGS(int, n), LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, n, n)))
#endif
#include <lttng/tracepoint-event.h>
END
spew("$tmp/main.c", <<'END');
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include "tp.h"
static void *run(void *name)
{
	static const int list[] = { 7, -8, 9, 10 };
	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 200; i++) {
		lttng_ust_tracepoint(mini, all, i, i % 3 ? "text" : "", i / 4.0, list, i % 5);
		lttng_ust_tracepoint(mini, none, i);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, run, "one");
	pthread_create(&t[1], NULL, run, "two");
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	printf("%d\n", 2 * 200 * 2);
	return 0;
}
END
my $r = zed_run({ time => 120 }, $TOOLS{gcc}, '-I', $tmp, '-o', "$tmp/program", "$tmp/main.c", '-llttng-ust', '-ldl', '-lpthread');
plan skip_all => "a program for LTTng-UST does not compile here (apt-get install liblttng-ust-dev): " . ($r->{err} =~ /(.*)/)[0] if $r->{exit};

# ---------------------------------------------------------------- a recording of it

# As another user than root, whose session daemon, if there is one, is that of the machine.
my $home = "$tmp/home";
mkdir $home or die "$home: $!\n";
my $NOBODY = 65_534;
my %as;
if ($> == 0) {
	chmod 0711, $tmp or die "$tmp: $!\n";
	chown $NOBODY, $NOBODY, $home or die "$home: $!\n";
	%as = (child => sub { POSIX::setgid($NOBODY) && POSIX::setuid($NOBODY) or die "cannot become user $NOBODY: $!\n" });
}
# The program waits until it is registered.
$as{env} = { LTTNG_HOME => $home, HOME => $home, LTTNG_UST_REGISTER_TIMEOUT => -1 };
my $daemon = spawn({ %as, stdout => "$tmp/daemon.out", stderr => "$tmp/daemon.err" }, $TOOLS{'lttng-sessiond'}, '--no-kernel');
END { kill 'TERM', $daemon and waitpid $daemon, 0 if $daemon }
sub lttng { my @words = @_; my $run = zed_run({ %as }, $TOOLS{lttng}, '--no-sessiond', @words); return $run->{exit} == 0 ? '' : "lttng @words: $run->{err}$run->{out}" }
wait_until(20, sub { !lttng('list') }) or plan skip_all => 'lttng-sessiond does not start here: ' . slurp("$tmp/daemon.err");

my @contexts = qw(vpid vtid pthread_id procname ip cpu_id vuid vgid vsuid mnt_ns net_ns pid_ns user_ns uts_ns ipc_ns cgroup_ns);
my $said = lttng('create', 'mini', "--output=$home/trace") . lttng('enable-event', '-u', 'mini:*');
is($said, '', 'LTTng records');
my @added = grep { !lttng('add-context', '-u', '-t', $_) } @contexts;
cmp_ok(scalar(grep { /^(?:vpid|vtid|procname)\z/ } @added), '==', 3, "contexts: @added");
is(lttng('start'), '', 'it starts');
my $ran = zed_run({ %as }, "$tmp/program");
is(lttng('destroy'), '', 'it ends');

# ---------------------------------------------------------------- as babeltrace2 prints it

my $bt = zed_run($TOOLS{babeltrace2}, '--clock-cycles', '--no-delta', '--names=all', '--fields=all', "$home/trace");
spew("$tmp/text", $bt->{out});
my $json = zed_run('zedprint', '-f', 'json', "$home/trace");
is("$json->{exit} $json->{err}", '0 ', 'zedprint reads it without a message');
my ($same, $differs) = babeltrace_differs("$tmp/text", $json->{out}, \&linux_name);
is($differs, undef, 'each event has the contexts and fields that babeltrace2 prints (else: wrong values)');
is($same, $ran->{out} + 0, 'all events of the program');

my (%names, $wrong);
for (map { JSON::PP::decode_json($_) } split /\n/, $json->{out}) {
	$names{$_->{comm}}++;
	$wrong++ if $_->{pid} != $_->{fields}{context_vtid};
}
is_deeply(\%names, { one => 400, two => 400 }, 'the name of each task is that of its context procname');
is($wrong, undef, 'the task of each event is that of its context vtid');
my $n = zed_run('zedperl', '-e', 'Zed::on("mini:all", args => ["context_vpid"], where => "context_procname == \"one\" && n < 3", sub { $n++ }); sub trace_end { print "$n\n" } our $n;', "$home/trace");
is("$n->{out}$n->{err}", "3\n", 'contexts are fields of filters and arguments');

done_testing();
