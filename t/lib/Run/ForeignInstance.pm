# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::ForeignInstance: a tracing instance that zedtrace did not make, but the test itself: it traces the test's own
# close(2) with numbers that no other process uses, with its own clock and buffers, and is removed at the test's end.
#
#	foreign_make("zedtest.attach.$$");	# live_root/instances/NAME
#	my $numbers = foreign_load(3000);	# the numbers of so many events
#	my $before = foreign_settings();	# its settings, as text
package Run::ForeignInstance;
use strict;
use warnings;
use Exporter 'import';
use POSIX ();
use Test::More ();
use Run::Live;
use Run::Program qw(slurp);

our @EXPORT = qw(foreign_make foreign_load foreign_settings);

my ($mine, $maker);
my $next = 100_001;

sub foreign_make {
	my ($name) = @_;
	$mine = live_root() . "/instances/$name";
	$maker = $$;
	live_make_instance($mine) or Test::More::BAIL_OUT("$mine: $!");
	put_text("$mine/trace_clock", 'boot');
	put_text("$mine/buffer_size_kb", 1024);
	put_text("$mine/set_event_pid", $$);
	put_text("$mine/events/syscalls/sys_enter_close/filter", 'fd > 100000');
	put_text("$mine/events/syscalls/sys_enter_close/enable", 1);
	return $mine;
}
END { rmdir $mine if defined $mine && $maker == $$ && -d $mine }

# Calls that always fail.
sub foreign_load {
	my ($count) = @_;
	my $first = $next;
	POSIX::close($next++) for 1 .. $count;
	return [$first .. $next - 1];
}

sub foreign_settings {
	return join "\n", map { "$_: " . slurp("$mine/$_") } qw(set_event set_event_pid tracing_on trace_clock buffer_size_kb buffer_percent
		trace_options tracing_cpumask current_tracer), 'events/syscalls/sys_enter_close/filter';
}

1;
