# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table t/use/mistakes: what users type wrong and what they are told.  Without it a message gets lost that says
# what to do next, or a mistake runs as if it were none.
use strict;
use warnings;
use Cwd qw(abs_path);
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_run zed_tmp zed_bin spew slurp);
use Run::Live qw(live_part);

my $root = abs_path('.');
my $dir = zed_tmp();
my $bin = abs_path($ENV{ZED_BIN_DIR} // '.');
my @places = ("$dir/without", "$dir/with");
my ($without, $with) = @places;

my $demo = slurp('t/data/demo.dat');
for my $at (@places) {
	mkdir $_ or die "$_: $!\n" for $at, "$at/report";
	spew("$at/demo.dat", $demo);
	spew("$at/short.dat", substr $demo, 0, 1000);
	spew("$at/half.dat", substr $demo, 0, 20_000);
	spew("$at/empty.dat", '');
	spew("$at/sched.data", slurp('t/data/perf/sched.data'));
	spew("$at/cut.data", substr slurp('t/data/perf/sched.data'), 0, 13_461);
	spew("$at/early.data", substr slurp('t/data/perf/sched.data'), 0, 9_000);
	spew("$at/script.pl", "sub sched::sched_switch { }\n");
	spew("$at/other.awk", "#!/usr/bin/awk -f\n/sched/ { n++ }\n");
	spew("$at/perf.py", "from perf_trace_context import *\n");
	spew("$at/words.txt", "cpus=4\n   <idle>-0  [000]  100.0: sched_switch: ...\n");
	my $perf = "sub sched::sched_switch {\n\tmy (\$event_name, \$context, \$common_cpu) = \@_;\n}\n";
	spew("$at/perf-bare.pl", $perf);
	spew("$at/perf-modules.pl", "use lib \"\$ENV{'PERF_EXEC_PATH'}/scripts/perl/Perf-Trace-Util/lib\";\nuse Perf::Trace::Core;\nuse Perf::Trace::Util;\n$perf");
}
spew("$with/trace.dat", $demo);
my %packs = (gz => 'gzip', zst => 'zstd -q', xz => 'xz');
my %packed = map { $_ => system("$packs{$_} -c '$without/demo.dat' > '$without/demo.dat.$_' 2>/dev/null") == 0 } keys %packs;

# The kernel's events can be listed: what zedtrace says of its words depends on that.
my $kernel = live_part();

my @table;
for my $line (split /\n/, slurp('t/use/mistakes')) {
	if ($line =~ /^(kernel|here)?\$ (.+)/) {
		push @table, { where => $1 // '', command => $2, said => [] };
	} elsif ($line =~ /^#/ || $line eq '') {
		next;
	} elsif (!defined $table[-1]{status}) {
		$table[-1]{status} = $line;
	} else {
		push @{$table[-1]{said}}, $line;
	}
}
cmp_ok(scalar @table, '>=', 60, 'sixty mistakes at least');

for my $case (@table) {
	my ($command, $where) = @$case{qw(command where)};
	my ($suffix) = $command =~ /demo\.dat\.(gz|zst|xz)\b/;
SKIP: {
		skip "$command: needs root and tracefs", 2 if $where eq 'kernel' && !$kernel;
		skip "$command: no $packs{$suffix}", 2 if $suffix && !$packed{$suffix};
		my $at = $where eq 'here' ? $with : $without;
		my $r = zed_run({ env => { PATH => "$bin:$ENV{PATH}" }, child => sub { chdir $at or die "$at: $!\n" } }, 'sh', '-c', $command);
		my $said = $r->{err} =~ s/^\w+: try 'zed\w+ --help'\n//mgr;
		my $want = join '', map { quotemeta =~ s/\\\.\\\.\\\.\z/.*/r . '\n' } @{$case->{said}};
		is($r->{late} ? 'late' : $r->{exit}, $case->{status}, "$command: status $case->{status}");
		like($said, qr/\A$want\z/, "$command: what is said (else: its user is left alone)");
	}
}

done_testing();
