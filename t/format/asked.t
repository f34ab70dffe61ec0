# SPDX-License-Identifier: GPL-2.0-or-later
#
# What was asked for and cannot come is said once, with what there is instead: a trace that goes to the
# script, times outside of the trace, tasks and CPUs that it has not, more inputs than can be open.
#
# of: programs/unmet.c programs/open_inputs.c programs/chosen.c programs/zedprint programs/zedperl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Files;
use Run::Program;
use Run::Zedperl ();

my $dir = zed_tmp();
my ($one, $two, $three) = map { Write::Dat->new->write("$dir/$_.dat") } qw(one two three);
my $script = "$dir/count.pl";
spew($script, "#!/usr/bin/env zedperl\nuse Zed handlers => ['mini'];\nsub mini::tick { \$n++ }\n" .
	"sub trace_end { print \"\$n \@ARGV\\n\" }\n");

# Exit, output, and all that is said: nothing, or so many lines that are LIKE.
sub says {
	my ($what, $exit, $out, $like, @cmd) = @_;
	my $r = zed_run(@cmd);
	is("$r->{signal} $r->{exit}", "0 $exit", "$what: exit $exit") or diag($r->{err});
	is($r->{out}, $out, "$what: output") if defined $out;
	return is($r->{err}, '', "$what: nothing is said") if !defined $like;
	like($r->{err}, $like, "$what: it is said (else: an empty answer is believed)");
	is(scalar(grep { /$like/ } @{$r->{lines}}), 1, "$what: once");
	return;
}

# ---- traces after the script
says('TRACE SCRIPT', 0, "24 \n", undef, 'zedperl', $one, $script);
says('other arguments', 0, "24 a $script\n", undef, 'zedperl', $one, $script, 'a', $script);
says('TRACE SCRIPT TRACE', 0, "24 $two\n", qr/two\.dat after the script is an argument of .*-i \S*one\.dat -i \S*two\.dat/,
	'zedperl', $one, $script, $two);
says('SCRIPT TRACE TRACE TRACE, as *.dat makes it', 0, "24 $two $three\n",
	qr/2 traces after the script \(\S*two\.dat, \.\.\.\) are arguments of .*-i/, 'zedperl', $script, $one, $two, $three);
says('TRACE TRACE SCRIPT', 2, '', qr/two\.dat is a trace where a script is expected.*-i/, 'zedperl', $one, $two, $script);
says('-i TRACE SCRIPT TRACE: that was meant', 0, "24 $two\n", undef, 'zedperl', '-i', $one, $script, $two);
says('as the hint has it', 0, "48 \n", undef, 'zedperl', '-i', $one, '-i', $two, $script);

# ---- times, tasks, CPUs
for my $cmd (['zedperl', $script], ['zedprint']) {
	my ($program, @more) = @$cmd;
	my @in = $program eq 'zedperl' ? ($one, @more) : $one;
	my $none = $program eq 'zedperl' ? " \n" : '';
	my $to = '1\.000013100';	# of the trace, whatever the script takes
	says("$program --start behind the end", 0, $none, qr/--start 99\.5\d* is after the end of the trace: .* 1\.000000000 to $to/,
		$program, '--start', '99.5', @in);
	says("$program --end before the begin", 0, $none, qr/--end 0\.25\d* is before the beginning of the trace: .* 1\.000000000 to $to/,
		$program, '--end', '0.25', @in);
	says("$program --pid of nobody", 0, $none, qr/--pid 99: no event of this task.*; .* 77 \(mini\)/, $program, '--pid',
		'99', @in);
	says("$program --pid of somebody and nobody", 0, undef, qr/--pid 5: no event of this task/, $program, '--pid',
		'77,5,77', @in);
	says("$program --pid of somebody, whose events are of another kind", 0, undef, qr/--pid 77: no event of this task among those that were looked at \(zedprint --pid 77 shows if it has others\)$/m,
		$program, '--pid', '77', $one, 'softirq') if $program eq 'zedperl';
	says("$program --comm, the same", 0, undef, qr/--comm mini: no event of a task with this name among those that were looked at \(zedprint --comm mini shows if it has others\)$/m,
		$program, '--comm', 'mini', $one, 'softirq') if $program eq 'zedperl';
	says("$program --cpu that is not there", 0, $none, qr/--cpu: no input has data of such a CPU; .* 0 to 1/, $program,
		'--cpu', '7', @in);
	says("$program -F that nothing passes", 0, $none, qr/-F: no event matched/, $program, '-F', 'mini:tick: n == 77777',
		'-F', 'mini:said: msg == "none"', @in);
	says("$program with all of them right", 0, undef, undef, $program, '--pid', '77', '--cpu', '0-5', '--start', '0.5',
		'--end', '9', '-F', 'mini: common_pid == 77', @in);
}
like(zed_run('zedprint', '--start', '5000000000ns', Write::Dat->new(clock => 'counter')->write("$dir/ticks.dat"))->{err},
	qr/--start 5000000000 is after the end of the trace: its events are from 1000000000 to 1000013100$/m, 'ticks as they are written');

# A task that the trace names, without an event of its own, is not another one's name.
my $quiet = Run::Zedperl::trace(cmdlines => "7 sh\n8 shx\n", events => [[0, 1000, 'mini::tick', 1, undef, undef, 8]]);
says('zedprint --comm of a task without events', 0, '', qr/--comm sh: no event of a task with this name$/m, 'zedprint', '--comm', 'sh', $quiet);

# ---- more inputs than descriptors
my @many = map { Write::Dat->new(pages => 1, ticks => 1)->write("$dir/many$_.dat") } 1 .. 90;
my $events = 4 * @many;
{
	my $bin = zed_bin('zedprint');
	my $r = zed_run('sh', '-c', "ulimit -S -n 64; exec $bin \"\$@\"", 'sh', @many);
	is("$r->{exit} $r->{err}", '0 ', 'a soft limit of 64 descriptors is raised (else: 30 files are left out)');
	is(scalar(() = $r->{out} =~ /^mini::/mg), $events, 'and all inputs are read');
	$r = zed_run('sh', '-c', "ulimit -n 64; exec $bin \"\$@\"", 'sh', @many);
	is($r->{exit}, 2, 'a hard limit ends it (else: the analysis goes on without some of the inputs)');
	like($r->{err}, qr/only \d+ of 90 inputs can be open at once.*64 files.*ulimit/, 'with what to do');
	is($r->{out}, '', 'and nothing is printed');
	is(scalar @{$r->{lines}}, 2, 'in two lines');
	$r = zed_run('sh', '-c', "ulimit -n 64; exec " . zed_bin('zedperl') . " \"\$@\"", 'sh', (map { ('-i', $_) } @many), $script);
	is("$r->{exit} $r->{out}", '2 ', 'so does zedperl');
}

done_testing();
