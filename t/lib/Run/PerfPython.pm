# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::PerfPython: Python scripts written for perf script, under perf itself and under zedpython.
#
#	plan skip_all => perf_missing() if perf_missing();
#	compare_python('sched', 't/data/perf/sched.data', perf_scripts_dir() . '/syscall-counts.py');
package Run::PerfPython;
use strict;
use warnings;
use Exporter 'import';
use Test::More;
use Run::PerfScript qw(perf_out perf_lived perf_run with_names);
use Run::Process;
use Run::Program qw(zed_tmp same spew);
use Run::Python;

our @EXPORT = qw(perf_missing perf_scripts_dir compare_python perf_out perf_lived dump_script begin_recording recorded);

my ($exec, $asked, $why);
my $database = '/dev/shm/perf.db';	# of event_analyzing_sample.py

sub _why {
	return python_missing() if python_missing();
	return 'perf is not here (apt-get install linux-perf)' if !grep { -x "$_/perf" } split /:/, $ENV{PATH};
	($exec) = grep { -d "$_/scripts/python" } $ENV{PERF_EXEC_PATH} // (), '/usr/lib/perf-core', '/usr/libexec/perf-core';
	return 'this perf has no Python scripts' if !$exec;
	# In both: sets in one order, the modules of this perf, and nothing is written beside them.
	@ENV{qw(PYTHONHASHSEED PYTHONDONTWRITEBYTECODE PERF_EXEC_PATH)} = (0, 1, $exec);
	my $trial = spew(zed_tmp() . '/trial.py', "def trace_end(): print('runs')\n");
	return (perf_run('t/data/perf/sched.data', '-s', $trial))[0] =~ /^runs$/m ? undef : 'this perf was built without Python';
}

# Why there is nothing to compare with here, or undef; sets the environment of both.
sub perf_missing {
	$why = _why() if !$asked++;
	return $why;
}

sub perf_scripts_dir { return "$exec/scripts/python" }

# Perf calls a task that has ended ":-1"; a line with it gets the name that the same line of GOT has.
sub with_comms {
	my ($want, $got) = @_;
	my @got = split /^/, $got;
	my @want = split /^/, $want;
	for my $i (0 .. $#want) {
		next if $want[$i] !~ /comm': ':-1'/ || !defined $got[$i];
		my ($name) = $got[$i] =~ /comm': ('[^']*')/ or next;
		$want[$i] =~ s/comm': ':-1'/comm': $name/g;
	}
	return join '', @want;
}

# SCRIPT prints for FILE what it prints under perf, which is returned.
sub compare_python {
	my ($what, $file, $script, @words) = @_;
	my ($name) = $script =~ m{([^/]+)\z};
	unlink $database;
	my $want = perf_out($file, '-s', $script, @words ? ('--', @words) : ()) // return;
	unlink $database;
	# It takes the entries of a stripped program's .plt for functions without a name.
	return note("$what: $name: perf has functions called \@plt, nothing to compare") if $want =~ /[ ;]\@plt/;
	my $r = zedpython($file, $script, @words);
	unlink $database;
	ok($r->{status} == 0 && $r->{sig} == 0 && !$r->{late}, "$what: $name runs") or diag $r->{err};
	same($r->{out}, with_comms(with_names($want, $r->{out}), $r->{out}), "$what: $name prints what it prints under perf, unchanged");
	return $want;
}

# A script that shows all that perf gives for each event, without the keys that it gets as words.
my $dump = <<'PY';
import os, sys
sys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')
from perf_trace_context import *
leave = set(sys.argv[1:])
def show(v):
    if isinstance(v, dict): return '{' + ', '.join("'%s': %s" % (k, show(x)) for k, x in v.items() if k not in leave) + '}'
    if isinstance(v, list): return '[' + ', '.join(map(show, v)) + ']'
    return repr(v)
def trace_begin(): print('begin')
def trace_end(): print('end')
def trace_unhandled(name, context, fields, sample): print(name, common_pc(context), common_flags(context), show(fields), show(sample))
def process_event(d): print('sample', show(d))
PY

sub dump_script { return spew(zed_tmp() . '/dump.py', $dump) }

# Begins a recording: perf waits for the kernel most of the time, so that several go side by side.
sub begin_recording {
	my ($file, $words, $command) = @_;
	return [$file, spawn({ dir => '/', stdout => '/dev/null', stderr => '/dev/null' }, 'perf', 'record', '-q', '-o', $file, @$words, '--', @$command)];
}

sub recorded {
	my ($file, $pid) = @{$_[0]};
	my ($status) = reap($pid, 60);
	return -s $file && $status == 0;
}

1;
