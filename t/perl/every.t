# SPDX-License-Identifier: GPL-2.0-or-later
#
# --every: trace_interval and the aggregations, each interval of the trace's time, of a file whose times are known; what
# a die, a stop or an exit in it does.  (Live: t/live/every.t.)
# of: interp/interval.c programs/zedperl
use strict;
use warnings;

use Test::More;
use Write::Miniature;
use Run::Program;
use Run::Zedperl;

# Wakings of task 20 at these times, us; the first interval of 1 ms begins with the first of them.
sub at { return miniature(join ' | ', map { "$_ 0 10 waking 20" } @_) }
my @times = (1000, 1200, 1999, 2000, 2500, 3999, 4000, 9100, 9200);
my $dat = at(@times);
my $sub = 'my $n = 0; sub sched::sched_waking { $n++ } ';
my $interval = 'sub trace_interval { printf "%d-%d:%d ", $_[0] / 1000 - $first, $_[1] / 1000 - $first, $n; $n = 0 } sub trace_end { print "end $n" }';
sub told { my ($path, $code, @options) = @_; return zedperl(@options, $path, \$code) }
# Times as Zed::ts has them, from the first event on.
my $from = '$first = undef; Zed::on("sched:sched_waking", sub { $first //= Zed::ts() / 1000 }); ';

is(told($dat, "$from$sub$interval", '--every', '1ms')->{out}, '0-1000:3 1000-2000:2 2000-3000:1 3000-8000:1 8000-8200:2 end 0',
	'each event in its interval, also at its edges; one for those without events; the rest at the end (else: rates are wrong)');
is(told($dat, "$from$sub$interval", '--every', '1s')->{out}, '0-8200:9 end 0', 'a trace shorter than an interval: the rest alone');
is(told($dat, "$from$sub$interval", '--every', '1ms', '--relative')->{out}, '0-1000:3 1000-2000:2 2000-3000:1 3000-8000:1 8000-8200:2 end 0', '--relative: of the times that are shown');
is(told(miniature('100 0 10 fork 10 20'), "$sub sub trace_interval { print 'some' } sub trace_end { print 'end' }", '--every', '1ms')->{out}, 'end', 'no event of the script: no interval');
is(told($dat, $sub . 'sub trace_interval { print "i" } sub sched::sched_waking { Zed::stop() if ++$n == 4 }', '--every', '1ms')->{out}, 'ii', 'Zed::stop: the rest is told, too');

# ---- aggregations
my $count = 'Zed::count("sched:sched_waking"); ';
my $shown = sub { my ($r) = @_; return join ' ', $r->{out} =~ /^\s*(up to|\d+\.\d+ to|\d+)(?=\s|$)/mg };
my $anew = told($dat, $count, '--every', '1ms');
is(join(' ', map { s/ .*//r } $anew->{out} =~ /^ *(\d+)$/mg), '3 2 1 1 2', 'Zed::count of each interval, the last at the end (else: a total is taken for a rate)') or diag $anew->{out}, $anew->{err};
is(join(' ', $anew->{out} =~ /^(\S+ to \S+):$/mg), '1.001000000 to 1.002000000 1.002000000 to 1.003000000 1.003000000 to 1.004000000 1.004000000 to 1.009000000 1.009000000 to 1.009200000',
	'... each under its times, also the last (else: it is taken for that of all)');
my $total = told($dat, $count, '--every', '1ms,total');
is(join(' ', $total->{out} =~ /^ *(\d+)$/mg), '3 5 6 7 9', ',total: of all until then');
is(join(' ', $total->{out} =~ /^up to (\S+):$/mg), '1.002000000 1.003000000 1.004000000 1.009000000 1.009200000', '... and said so');
is(told($dat, 'our $c = Zed::count("sched:sched_waking"); sub trace_interval { print $c->total, " "; $c->clear }', '--every', '1ms')->{out}, '3 2 1 1 2 ', 'one that a variable holds is the script\'s: neither printed nor cleared');
is(join(' ', told($dat, $count . 'sub trace_end { }', '--every', '1ms', '--head', 5)->{out} =~ /^ *(\d+)$/mg), '3 2', '... with --head');

# ---- deaths and exits
my $r = told($dat, "$sub sub trace_interval { die qq(so\\n) if \$n == 3; print \"\$n \" } sub trace_end { print qq(end \$n) }", '--every', '1ms');
is("$r->{status} $r->{out}", '255 end 3', 'a die in it ends the run, with trace_end');
like($r->{err}, qr/\bso\b/, '... and is said');
$r = told($dat, "$count$sub my \$i; sub trace_interval { die qq(so\\n) if !\$i++; print \"n\$n \" } sub trace_end { print qq(end \$n\\n) }", '--every', '1ms', '--keep-going');
is($r->{status}, 1, '--keep-going: costs that call only');
like($r->{out}, qr/\An5 .*^n6 .*^n7 .*^?n9 end 9$/ms, '... and no event (else: the one that ended the interval is lost)');
is(told($dat, "$sub sub trace_interval { exit 7 }", '--every', '1ms')->{status}, 7, 'exit in it is the script\'s');
is(told($dat, "$sub sub trace_interval { print defined eval { Zed::ts() } ? 'event' : 'none', ' ' }", '--every', '1ms')->{out}, 'none ' x 5, 'there is no current event in it');

for (['0', qr/must be above 0/], ['soon', qr/not a time/], ['1ms,sum', qr/5s,total/]) {
	$r = told($dat, $sub, '--every', $_->[0]);
	is($r->{status}, 2, "--every $_->[0] is refused");
	like($r->{err}, $_->[1], '... and said how it is written');
}
like(told($dat, "$sub sub trace_intervall { }")->{err}, qr/trace_interval\b/, 'a misspelt trace_interval is told (else: one waits for it)');

done_testing();
