# SPDX-License-Identifier: GPL-2.0-or-later
#
# One and many in what the programs say: "1 event", "2 events".
#
# of: programs reader sink/print
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Program;
use Run::Zedperl;

sub ticks { return trace(events => [map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. $_[0]]) }

# The first bytes of a file.
sub head {
	my ($path, $len) = @_;
	my $cut = temp_path('.dat');
	open my $out, '>:raw', $cut or die "$cut: $!\n";
	print $out substr slurp($path), 0, $len;
	close $out or die "$cut: $!\n";
	return $cut;
}

for my $n (1, 2) {
	my $dat = ticks($n);
	my $s = $n == 1 ? '' : 's';
	my $r = zedperl('--keep-going', $dat, \'sub mini::tick { die "x\n" }');
	like($r->{err}, $n == 1 ? qr/^zedperl: 1 call of a handler died and was passed over \(--keep-going\)$/m
		: qr/^zedperl: 2 calls of handlers died and were passed over \(--keep-going\)$/m, "handlers that died: $n");
	like(zed_run('zedprint', '--summary', $dat)->{out}, qr/\b$n event$s, 0 lost/, "--summary: events: $n");
	like(zed_run('zedprint', head($dat, $n))->{err}, qr/is a trace\.dat cut off after $n byte$s:/m, "a file that is cut off: $n");
	my $one = trace(types => { 'sched::sched_process_exit' => field_text('char comm[16]', 8, 16, 1) . field_text('pid_t pid', 24, 4, 1)
			. field_text('int prio', 28, 4, 1) }, events => [map { [0, 1000 * $_, 'sched::sched_process_exit', pack 'a16 l2', 'x', $_, 120] } 1 .. $n]);
	$r = zedperl('-v', '--export', temp_path(), $one);
	like($r->{err}, qr/: $n record$s of 1 stable event$/m, "exported: $n") or diag $r->{err};
	$r = zedperl(trace(types => { map { ("other::x$_" => '') } 1 .. $n }, events => []), \"Zed::on('*:*', args => ['n'], sub { })");
	like($r->{err}, $n == 1 ? qr/: 1 of 2 events has no field 'n'/ : qr/: 2 of 3 events have no field 'n'/, "events without a field: $n") or diag $r->{err};
}

done_testing();
