# SPDX-License-Identifier: GPL-2.0-or-later
#
# dask: the program and commands of docs/fleet/dask.md, with workers of this machine, one of which is killed in the middle
# of its slice. Without it the page's program could lose a slice, or leave processes behind.
#
# of: docs/fleet programs/zedperl/fleet
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::FleetEngine;
use Run::Process;
use Run::Program qw(slurp spew zed_tmp);

plan skip_all => 'no Dask here: apt-get install python3-distributed (ENGINES=1 make test)'
	if !-x '/usr/bin/python3' || system '/usr/bin/python3 -c "import distributed, dask.bag" >/dev/null 2>&1';

my $dir = fleet_sandbox('dask');
my $want = fleet_answer($dir);

# Processes that have our folder in their environment or arguments.
sub ours {
	my @found;
	for my $pid (map { m{(\d+)} } glob '/proc/[0-9]*') {
		next if $pid == $$;
		my $env = eval { slurp("/proc/$pid/environ") } // next;
		push @found, $pid if $env =~ /\0?FLEET=\Q$dir\E(?:\0|\z)/;
	}
	return @found;
}

for my $who ('parent', 'self') {
	unlink "$dir/kill", "$dir/killed";
	my $answers = fleet_page($dir, 'dask', $want, env => { FLEET => $dir, TMPDIR => $dir, PYTHONDONTWRITEBYTECODE => 1 }, seconds => 120,
		before => sub {
			my ($cmd) = @_;
			return if $cmd !~ /python3/;
			# Twelve traces are a fleet here.
			my $program = slurp("$dir/fleet.py");
			$program =~ s/^SLICE = 50$/SLICE = 1/m or die "docs/fleet/dask.md has no SLICE\n";
			spew("$dir/fleet.py", $program);
			fleet_kill($dir, $who);
		});
	is($answers, 1, 'the page\'s program prints the answer');
	ok(fleet_killed($dir), $who eq 'parent' ? 'a worker was killed in the middle of its slice' : 'a zedperl was killed');
	my $said = slurp("$dir/said.err");
	like($said, qr/Restarting worker/, 'and started again (else: it was not one)') if $who eq 'parent';
	wait_until(60, sub { !ours() });	# those of the killed worker notice it
	is_deeply([ours()], [], 'no process is left');
}

done_testing();
