# SPDX-License-Identifier: GPL-2.0-or-later
#
# The function graph in -f report: a function that calls none is one line, as in trace-cmd's, where the event behind
# its call is its return.  Without this a recording of the graph is twice as long as trace-cmd's, or a line says what
# another function took.
#
# of: text/report sink/print/report.c

use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Write::PluginEvents;
use Compare::ReportLine;
use Compare::Stock;
use Run::Program;

die "zedprint is not built: run make\n" if !-x zed_bin('zedprint');
my %event = map { $_->[1] => $_ } plugin_events();
my ($call_format, undef) = plugin_make($event{funcgraph_entry}, {}, {}, undef, 300);
my ($return_format, undef) = plugin_make($event{funcgraph_exit}, {}, {}, undef, 301);
my $n = 0;

# Records: of function F, at a depth, by a task; a return took NS.
sub call { my ($f, $depth, $pid) = @_; return made(funcgraph_entry => $pid, func => $f, depth => $depth // 0) }
sub back {
	my ($f, $ns, $depth, $pid) = @_;
	return made(funcgraph_exit => $pid, func => $f, depth => $depth // 0, calltime => 1000, rettime => 1000 + $ns);
}
sub made {
	my ($name, $pid, %values) = @_;
	$values{func} = $values{func} ? 0xc0000000 + $values{func} * 4096 : 16;
	my (undef, $record) = plugin_make($event{$name}, {}, \%values, undef, $name =~ /entry/ ? 300 : 301);
	return sub { local $_[0]{pid} = $pid // 77; return $record->($_[0]) };
}

# A file of two CPUs; in records a CPU stands before each that is its own, else it is 0.  LOST: so many events were
# lost before the record of that number.
sub written {
	my ($names, $lost, @records) = @_;
	return Write::Dat->new(cpus => 2, page_size => 65536, formats => [$call_format, $return_format],
		kallsyms => join('', map { sprintf "%x T $names%d\n", $_ << 12 | 0xc0000000, $_ } 0 .. 9),
		make_pages => sub {
			my ($d, $cpu) = @_;
			my (@pages, $page, $last, %more);
			my $first = 1_000_000_000;
			for my $i (0 .. $#records) {
				my ($of, $record) = ref $records[$i] eq 'ARRAY' ? @{ $records[$i] } : (0, $records[$i]);
				my $ts = 1_000_000_000 + 1000 * $i;
				next if $of != $cpu;
				my $here = defined $lost && $i == $lost;
				if ($here || length($page // '') > 60_000) {
					push @pages, Write::Dat::page($d, $first, $page, %more);
					%more = $here ? (flags => 0xc0000000, tail => $d->ulong(3)) : ();
					($page, $first, $last) = ('', $ts, $ts);
				}
				$page .= Write::Dat::data_event($d, $ts - ($last // $first), $record->($d));
				$last = $ts;
			}
			return @pages, Write::Dat::page($d, $first, $page // '', %more);
		})->write(zed_tmp() . '/' . $n++ . '.dat');
}

# What is printed of them: texts behind the times.  ALIKE: the trace-cmd that is installed has to print the same.
sub check {
	my ($what, $alike, $path, @want) = @_;
	my $run = zed_run('zedprint', '-f', 'report', $path);
	is("$run->{exit} $run->{signal}", '0 0', "$what: printed") or diag($run->{err});
	my @got = map { my @part = report_line($_); @part ? "$part[3]$part[4]$part[5]" : /^cpus=/ ? () : $_ } split /\n/, $run->{out};
	is_deeply(\@got, \@want, $what) or diag(join "\n", @got);
	SKIP: {
		skip 'not as trace-cmd', 1 if !$alike;
		skip stock_missing(), 1 if stock_missing();
		is(stock_differs($path, $run->{out}), undef, "$what: trace-cmd prints the same");
	}
	return;
}

my ($call, $return) = map { sprintf '%-22s', "funcgraph_$_:" } qw(entry exit);

check('a leaf in a function', 1, written('f', undef, call(1), call(2, 1), back(2, 1023, 1), back(1, 20_000)),
	"$call             |  f1() {", "$call  1.023 us   |    f2();", "$return+ 20.000 us  |  }");
# What it took, to the nanosecond up to a second.
my @costs = ([0, '  0.000 us   '], [999, '  0.999 us   '], [9_999, '  9.999 us   '], [10_000, '  10.000 us  '], [10_001, '+ 10.001 us  '],
	[100_001, '! 100.001 us '], [1_000_001, '# 1000.001 us '], [999_999_999, '# 999999.999 us '], [1_000_000_001, '$ 1000000 us '],
	[12_345_678_901_234, '$ 12345678901 us '], [1_000_000_000_000_000_000, '$ 1000000000000000 us ']);
check('costs', 1, written('f', undef, map { (call(1), back(1, $_->[0]), back(3, $_->[0])) } @costs),
	map { ("$call$_->[1]|  f1();", "$return$_->[1]|  }") } @costs);
check('another task returns', 1, written('f', undef, call(1), back(1, 5, 0, 78)), "$call             |  f1() {", "$return  0.005 us   |  }");
check('another function returns', 1, written('f', undef, call(1), back(2, 5)), "$call             |  f1() {", "$return  0.005 us   |  }");
check('another CPU in between', 1, written('f', undef, call(1), [1, back(2, 7)], back(1, 5)),
	"$call             |  f1() {", "$return  0.007 us   |  }", "$return  0.005 us   |  }");
# trace-cmd 3.4 prints no address there: " {".
my $with_address = stock_missing() || stock_peer()->[0] =~ /^3\.[0-3]\b/;
check('a function without a name', $with_address, written('f', undef, call(0), back(0, 5), call(0)), "$call  0.005 us   |  10();", "$call             |  10() {");
check('a call at the end', 1, written('f', undef, back(1, 5), call(1)), "$return  0.005 us   |  }", "$call             |  f1() {");
check('names with control characters', 0, written("f\e|()", undef, call(1), back(1, 5), call(1), call(1)),
	"$call  0.005 us   |  f\\x1b|()1();", ("$call             |  f\\x1b|()1() {") x 2);
# trace-cmd prints nothing of the loss here.
check('events lost in between', 0, written('f', 1, call(1), back(1, 5)),
	"$call             |  f1() {", 'CPU:0 [3 EVENTS DROPPED]', "$return  0.005 us   |  }");

# The return is left out by a filter, or a call's line stands at the end of what is written at once.
my $path = written('f', undef, call(1), back(1, 5), call(2), back(2, 5));
my $run = zed_run('zedprint', '-f', 'report', '--event', 'ftrace:funcgraph_entry', $path);
is(() = $run->{out} =~ /\|  f\d\(\) \{$/mg, 2, 'a return that is filtered out: its call stays');
my $many = 'x' x 60;
$path = written($many, undef, map { (call(1), back(1, 5), call(2), back(3, 5)) } 1 .. 8000);
$run = zed_run({ time => 60 }, zed_bin('zedprint'), '-f', 'report', $path);
is(join(' ', map { my $re = $_; scalar(() = $run->{out} =~ /$re/g) } qr/  \|  x+1\(\);\n/, qr/  \|  x+2\(\) \{\n/, qr/exit: .*\n/), '8000 8000 8000',
	'lines over the border of what is written (else: one is torn or lost)');
cmp_ok(length $run->{out}, '>', 3 << 20, 'there were some');
done_testing();
