# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Gate: for the tests of limits: small traces whose waits are as long as asked for, and the verdicts of zedperl
# compare and zedperl assert about them.
#
#	my @runs = map { waits(50, 40) } 1 .. 5;	# task t20 waits 40 times, about 50 us
#	my $gate = gate('wakeup-latency', '--limit', 'p50: +10%', @runs, '--', @others);
#	# {status, out, err, data, checks: [{verdict, by, ...}]}
package Run::Gate;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use Run::Zedperl;
use Write::Miniature;

our @EXPORT = qw(waits gate assertion check_of notes_of);

# A trace in which task 20 is woken N times and waits about US us, off by up to a fifth; a wait every 100 us and its
# length.  Options: name, of the task; loss => 1, three events are lost; those of miniature().
sub waits {
	my ($us, $n, %o) = @_;
	my $pid = 20;
	my $task = defined $o{name} ? "$pid=" . delete $o{name} : $pid;
	my $loss = delete $o{loss} ? '!3' : '';
	my $t = 0;
	return miniature(join('|', map {
		my $wait = int($us * (0.8 + 0.4 * rand));
		$t += 100 + $wait;
		my $lost = $_ == 2 ? $loss : '';
		(($t - $wait) . " 0$lost 0 waking $task", "$t 0 0 switch 0 R $task", ($t + 10) . " 0 $pid switch $task S 0")
	} 1 .. $n), %o);
}

sub _answer {
	my (@words) = @_;
	my $run = zedperl({ bare => 1 }, @words);
	my $data = eval { JSON::PP::decode_json($run->{out}) };
	return { %$run, data => $data, checks => $data ? $data->{tables}{checks}{rows} : undef };
}

# --json stands before the traces: what follows "--" is no option.
sub gate { my (@words) = @_; return _answer('compare', '--json', @words) }
sub assertion { my (@words) = @_; return _answer('assert', @words, '--json') }

# The check of the row KEY.
sub check_of {
	my ($gate, $key) = @_;
	return (grep { $_->{key} eq $key } @{$gate->{checks} // []})[0] // {};
}

# The texts of the notes of that key.
sub notes_of { my ($gate, $key) = @_; return map { $_->{text} } grep { $_->{key} eq $key } @{$gate->{data}{notes} // []} }

1;
