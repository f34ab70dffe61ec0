# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --tracer on this kernel: recorded where an instance takes the tracer, refused with the kernel's reason where it
# does not; which of both, an instance of the test's own tells.
#
# of: kernel programs/zedtrace
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();
my $mine = live_root() . "/instances/zedtest.tracer.$$";
live_make_instance($mine) or BAIL_OUT("$mine: $!");
END { rmdir $mine if defined $mine && -d $mine }

# Write TEXT in one write; "" or the errno.
sub reason {
	my ($file, $text) = @_;
	open my $fh, '>', "$mine/$file" or return "$!";
	return defined syswrite($fh, $text) ? '' : "$!";
}

my $has = slurp("$mine/available_tracers") =~ s/\n//r;
for my $tracer ('function', 'function_graph', 'no_such_tracer') {
	my $why = reason('current_tracer', $tracer);
	reason('current_tracer', 'nop');
	for my $as ('--tracer', '-p') {
		my $r = leaves_nothing("$as $tracer", sub {
			zed_run({ time => 60, memory => 0 }, 'zedtrace', $as, $tracer, '-d', '0.2', '-o', "$dir/t.dat")
		});
		if ($why eq '') {
			is($r->{exit}, 0, "$as $tracer, without an event: exit 0") or diag($r->{err});
			cmp_ok(live_report($r->{err})->{events}, '>', 100, '... functions are recorded (else: an empty file looks like an idle machine)');
			unlink "$dir/t.dat";
			next;
		}
		is($r->{exit}, 2, "$as $tracer is refused");
		like($r->{err}, qr{\Azedtrace: \S+/current_tracer: the kernel refuses the tracer $tracer: \Q$why\E\n},
			'... with the reason that the kernel has (else: a user looks for a mistake of their own)');
		like($r->{err}, qr/^zedtrace: available_tracers there: \Q$has\E; .*\nzedtrace: .*without --tracer, events|the top instance alone/m, '... what there is, and what to do');
		ok(!-e "$dir/t.dat", '... and no file is made');
	}
}
my $why = reason('set_ftrace_filter', 'vfs_*');
SKIP: {
	skip 'this kernel lets functions be chosen', 2 if $why eq '';
	my $r = leaves_nothing('--function', sub { zed_run({ time => 60 }, 'zedtrace', '--tracer', 'function', '--function', 'vfs_*', '-d', '0.2', '-o', "$dir/f.dat") });
	is($r->{exit}, 2, '--function is refused');
	like($r->{err}, qr{\Azedtrace: \S+/set_ftrace_filter: .*(?:\Q$why\E|no such file)}, '... with the file and the reason');
}

done_testing();
