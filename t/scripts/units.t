# SPDX-License-Identifier: GPL-2.0-or-later
#
# The units of values: --json and --csv have ns, and say so beside each column; text is scaled; no manual says otherwise.
# Without it a reader of "type":"us" takes 5000 ns for 5 ms.
#
# of: lib/Zed/Units.pm lib/Zed/Table.pm scripts
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files qw(slurp);
use Run::Zedperl;
use Write::Miniature;

# 5 waits 5 us.
my $dat = miniature('0 0 0 switch 0 R 5 | 20 0 5 switch 5 S 0 | 30 0 0 waking 5 | 35 0 0 switch 0 R 5');
my $table = analysis('wakeup-latency', $dat)->{data}{tables}{tasks};
my ($column) = grep { $_->{key} eq 'max' } @{$table->{columns}};
is("$table->{rows}[0]{max} $column->{unit}", '5000 ns', '--json: ns, and it says so');
is((split /,/, (lines(zedperl({ bare => 1 }, $dat, 'wakeup-latency', '--csv')->{out}))[1])[-1], 5000, '--csv: the same value');
like(zedperl({ bare => 1 }, $dat, 'wakeup-latency', '--exact')->{out}, qr/ max us\n.* 5\.000\n/, '--exact: us, and the head says so');
like(zedperl({ bare => 1 }, $dat, 'wakeup-latency')->{out}, qr/ max\n.* 5\.00 us\n/, 'text: scaled, with the unit at each value');

# Each type that has a unit, in tables of analyses; what has none has no such key.
my %UNIT = (us => 'ns', ms => 'ns', 'time' => 'ns', bytes => 'bytes', mib => 'MiB', 'mib/s' => 'MiB/s');
my (%met, @wrong);
for (['sched-summary', 'docs/shell.dat'], ['block', 't/data/block.dat'], ['summary', 't/data/demo.dat'], ['kmem', 't/data/misc.dat']) {
	my ($name, $file) = @$_;
	my $data = analysis($name, $file)->{data};
	for my $of (map { @{$_->{columns}} } values %{$data->{tables}}) {
		$met{$of->{type}} = 1;
		push @wrong, "$name: $of->{key}: $of->{type}: " . ($of->{unit} // 'none') if ($of->{unit} // '') ne ($UNIT{$of->{type}} // '');
	}
}
is_deeply(\@wrong, [], 'the unit of each type');
is_deeply([grep { !$met{$_} } sort keys %UNIT], [], 'all of them were met');

# The manuals: a table has no unit of its own.
my @said = map { my $file = $_; my ($output) = slurp($file) =~ /^=head1 OUTPUT\n(.*?)^=head1/ms; map { "$file: $_" } ($output // '') =~ /\bin (?:micro|milli)seconds\b/g } glob 'scripts/*.pl';
is_deeply([grep { !/ltt-schedule|printall/ } @said], [], 'no manual says that its table is in us');

done_testing();
