# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files that end early: whole CPUs are not there, and of one the last records. Without it their time looks like one in
# which nothing happened, waits go on across it, and `lost` says that no events were lost.
#
# of: reader/dat/buffers.c reader/dat/lacks.c reader/dat/ends.c lib/Zed/Ends.pm lib/Zed/Report.pm lib/Zed/Tasks.pm scripts/lost.pl scripts/sched-summary.pl scripts/waits.pl programs/zedprint/summary.c
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Files;
use Run::Fleet;
use Run::Program;
use Run::Zedperl;
use Write::Miniature;

sub cut { my ($file, $bytes) = @_; return spew(temp_path('.dat'), substr slurp($file), 0, $bytes) }

sub answer {
	my ($file, @words) = @_;
	my $r = zedperl({ bare => 1 }, '-i', $file, @words, '--json', '--limit', 0);
	return eval { JSON::PP::decode_json($r->{out}) } // { wrong => "$r->{out}$r->{err}" };
}

sub rows { my ($data, $table) = @_; return @{$data->{tables}{$table}{rows} // []} }
sub noted { my ($data, $key) = @_; my ($note) = grep { $_->{key} eq $key } @{$data->{notes}}; return $note }
sub text { my $note = noted(@_) // return; return (defined $note->{n} ? "$note->{n} " : '') . $note->{text} }

# Four CPUs. In version 7 the table of their data is at the file's end, in version 6 at its beginning: that of the last
# one begins where the file is cut here, or a page before.
my $v7 = 'docs/shell.dat';
my $v6 = 't/data/small_v6.dat';
my $page = 4096;
my ($at, $size) = (sub { my $bytes = slurp($v6); my $table = index($bytes, 'flyrecord') + 10; return unpack 'Q<Q<', substr $bytes, $table + 16 * 3, 16 })->();
is($at + $size, -s $v6, 'the last CPU is at the end of the file of version 6');
# CPU 1 has several pages, the last of the file.
my $whole = miniature('0 0 0 switch 0 R 10 | 900 0 10 switch 10 S 0 | ' . join ' | ', map { 2 * $_ . ' 1 ' . ($_ % 2 ? "20 switch 20 S 0" : "0 switch 0 R 20") } 0 .. 200);
my $unknown = 'what happened there is unknown, as in a gap of the whole time';
my @files = (
	['version 7', cut($v7, 60_000), "CPUs 2-3 of 4 are missing in the trace, which is cut off: $unknown", [2, 3], 'its parts were found by search', 116_073 - 60_000],
	['version 6', cut($v6, $at), "CPU 3 of 4 is missing in the trace, which is cut off: $unknown", [3], undef, $size],
	['version 6, within the first page', cut($v6, $at + 10), "CPU 3 of 4 is missing in the trace, which is cut off: $unknown", [3], undef, $size - 10],
);
for (@files) {
	my ($name, $file, $missing, $cpus, $more, $bytes) = @$_;
	my $summary = zed_run('zedprint', '--summary', $file)->{out};
	my ($said, $parts) = $summary =~ /^  recording    cut off: at least (\d+) bytes are missing at its end(?:; (.*))?$/m;
	is($parts, $more, "$name: --summary says that the file is cut off (else: complete)") or diag $summary;
	cmp_ok($said, '<=', $bytes, 'by how much, at least');
	cmp_ok($said, '>', $bytes - $page, 'which is nearly all of it');

	my $data = answer($file, 'lost');
	is($data->{notes}[0]{text}, $missing, 'lost says first which CPUs are missing') or diag explain($data);
	my ($start, $end) = @$data{qw(start end)};
	is_deeply([map { [@$_{qw(cpu n events hidden share)}] } rows($data, 'cpus')], [map { [$_, 1, undef, $end - $start, 1] } @$cpus], 'and each is a gap of the whole time');
	like(text($data, 'damage'), qr/^\d+ pieces? of the trace (?:was|were) damaged or missing/, 'and what could not be read');
	unlike(join('', map { $_->{text} } @{$data->{notes}}), qr/no (?:other )?(?:events|losses)/, 'and not that none were lost');

	$data = answer($file, 'sched-summary');
	is($data->{notes}[0]{text}, $missing, 'any answer says it first');
	my %unknown = map { $_->{cpu} => $_->{unknown} == $_->{all} } rows($data, 'cpus');
	is_deeply([grep { $unknown{$_} } sort keys %unknown], $cpus, 'who ran there is unknown (else: these CPUs are not in the time of all)');

	$data = answer($file, 'waits');
	cmp_ok(scalar(grep { ($_->{gaps} // 0) != $_->{n} } rows($data, 'tasks')), '==', 0, 'each wait overlaps a gap (else: one of 109 ms, where the longest is 21 ms)');
	cmp_ok(scalar(rows($data, 'tasks')), '>', 0, 'and there are some');
	$data = answer($file, 'waits', '--strict-loss');
	is_deeply([rows($data, 'tasks')], [], '--strict-loss leaves them out');
	like(text($data, 'nothing'), qr/^nothing to show: .*--strict-loss/, 'and says why there are none');

	# The same by states.
	for my $script (qw(lost waits sched-summary)) {
		my $state = fleet_fed('', '--map', $script, $file)->{out};
		my $merged = JSON::PP::decode_json(fleet_fed($state, '--reduce', $script, '--', '--json')->{out});
		is(text($merged, 'missing_cpus'), $missing, "$script: a state says it as well");
	}
	my $two = join '', map { fleet_fed('', '--map', 'waits', $_)->{out} } $file, $whole;
	my ($of) = $missing =~ /^CPUs? (\S+ of 4)/;
	is(text(JSON::PP::decode_json(fleet_fed($two, '--reduce', 'waits', '--', '--json')->{out}), 'missing_cpus'),
		"1 of the traces is cut off, and CPUs are missing there ($of): $unknown", 'and of two traces in which one');
}

# The last page of the last CPU is not there: its records end before the others', and then it is unknown.
my $less = cut($whole, $page * int((-s $whole) / $page - 1));
my $data = answer($less, 'lost');
is(noted($data, 'missing_cpus'), undef, 'a CPU that has records is not missing');
like(text($data, 'cut'), qr/^1 CPU of which the trace has fewer events than were recorded \(.*a file that is cut off\)/, 'lost says that records are missing (else: the file has no statistics that show it)');
like(text($data, 'none'), qr/^no other losses are known/, 'and no longer that none were lost');
$data = answer($less, 'sched-summary');
my @last = map { /"cpu":1/ && /"ts":(\d+)/ ? $1 : () } lines(zed_run('zedprint', '-f', 'json', $less)->{out});
my ($row) = grep { $_->{cpu} == 1 } rows($data, 'cpus');
is($row->{unknown}, $data->{end} - $last[-1], 'after its last record it is unknown (else: who ran last has it)');

# Of whole files nothing of it.
for my $file ($v7, $whole, 't/data/sparse_cpus.dat') {
	$data = answer($file, 'lost');
	is_deeply([grep { noted($data, $_) } qw(missing_cpus cut damage)], [], "$file: nothing is missing (else: a CPU without events is)");
	like(text($data, 'none'), qr/^no events were lost/, 'and nothing was lost');
	like(zed_run('zedprint', '--summary', $file)->{out}, qr/^  recording    complete$/m, 'and it is complete');
}

done_testing();
