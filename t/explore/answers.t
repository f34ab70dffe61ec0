# SPDX-License-Identifier: GPL-2.0-or-later
#
# The answers of analyses in zedperl explore are those of the command line, whose command is there to copy. Without it the
# page shows other numbers than what one would publish.
# of: programs/zedperl/explore scripts lib
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::Explore;
use Run::Program qw(zed_run zed_bin zed_tmp);

my $json = JSON::PP->new->utf8->canonical;
my $dat = 't/data/demo.dat';
my $s = explore($dat);
my $head = zed_run('zedprint', '--ns', '--head', 1, $dat)->{out};
my $last = zed_run('zedprint', '--ns', '--tail', 1, $dat)->{out};
my ($base, $end) = map { my ($sec, $frac) = /(\d+)\.(\d{9})/ or die "no time: $_"; "$sec$frac" } $head, $last;
my $length = $end - $base;
srand($ENV{SEED} // 7);

# The rows of each table, by its name; times of the page are after its base, OFF.
sub rows_of {
	my ($data, $off) = @_;
	my %tables = ref $data->{tables} eq 'HASH' ? %{$data->{tables}} : map { $_->{name} => $_ } @{$data->{tables}};
	my %rows;
	for my $name (keys %tables) {
		my %is_time = map { $_->{key} => 1 } grep { $_->{type} =~ /^(?:time|tick)\z/ } @{$tables{$name}{columns}};
		my @keys = map { $_->{key} } @{$tables{$name}{columns}};
		$rows{$name} = [map { my $r = $_; [map { !defined $r->{$_} ? undef : $is_time{$_} ? $r->{$_} + $off : $r->{$_} . '' } @keys] } @{$tables{$name}{rows}}];
	}
	return \%rows;
}

sub command_of {
	my ($text) = @_;
	my @words = split ' ', $text;
	shift @words eq 'zedperl' or die "not a command: $text\n";
	return @words;
}

for my $n (1 .. 12) {
	my $name = (qw(waits sched-summary wakeup-latency off-cpu))[$n % 4];
	my ($from, $to) = $n < 5 ? () : sort { $a <=> $b } map { int rand $length } 1, 2;
	my $r = get($s, 'answer', name => $name, defined $from ? (from => $from, to => $to) : (), $n % 3 ? () : (cpu => 0), $n % 2 ? () : (args => 'limit=3'));
	my $what = "$name " . (defined $from ? "from $from to $to" : 'of all');
	is($r->{status}, 200, $what);
	my $answer = $r->{json};
	is($answer->{exit}, 0, '... its exit status');
	my @words = command_of($answer->{command});
	is(scalar(grep { $_ eq '--start' } @words), defined $from ? 1 : 0, '... --start only for a part');
	my $own = zed_run('zedperl', @words, '--json');
	is($own->{exit}, 0, '... the command runs');
	is($answer->{page}{base}, $base, '... times are after the first event');
	my ($rows, $want) = (rows_of($answer->{page}, $base), rows_of($json->decode($own->{out}), 0));
	# The page has the rows beyond a limit, too.
	$n % 2 or @{$want->{$_} // []} != 3 or splice @{$rows->{$_}}, 3 for keys %$rows;
	is_deeply($rows, $want, '... and has the same numbers') or diag $answer->{command};
}

# ---- what is said, and what fails

my $r = get($s, 'answer', name => 'block')->{json};
is($r->{exit}, 0, 'an analysis without its events is an answer');
ok((grep { $_->{key} eq 'nothing' } @{$r->{page}{notes}}), 'which says so');
ok($r->{page}, 'and its page');
$r = get($s, 'answer', name => 'waits', args => 'kind=nosuch')->{json};
is($r->{exit}, 2, 'a wrong option is the command line\'s error');
ok(length $r->{said}, 'with its message');
is($r->{page}, undef, 'and no page');

# ---- a command is one for the shell

{
	my $name = zed_tmp() . q{/it's $(id) "x" 1.dat};
	require File::Copy;
	File::Copy::copy($dat, $name);
	my $odd = explore($name);
	$r = get($odd, 'answer', name => 'sched-summary', comm => q{a'b;$(touch x)}, from => 0, to => $length)->{json};
	is($r->{exit}, 0, 'odd names');
	my $out = `sh -c 'zedperl() { for w in "\$@"; do printf "%s\\n" "\$w"; done; }; eval "\$1"' sh ${\ quotemeta $r->{command}}`;
	is((split /\n/, $out)[-2], $name, 'the shell takes the name as it is (else: copying the command runs code)');
	ok((grep { $_ eq q{--comm=a'b;$(touch x)} } split /\n/, $out), 'and other words');
	$r = get($odd, 'answer', name => 'sched-summary', comm => q{a\\*?[,b})->{json};
	cmp_ok(index($r->{command}, q{'--comm=a[\\][*][?][[]?b'}), '>', 0, 'a name is no pattern (else: other tasks, or none)');
	explore_end($odd);
}

# ---- without a server

{
	my $one = zed_run('zedperl', 'explore', '--answer', "answer?name=waits&from=0&to=$length", $dat);
	is($one->{exit}, 0, '--answer');
	is_deeply($json->decode($one->{out}), get($s, 'answer', name => 'waits', from => 0, to => $length)->{json}, 'gives the same');
	is_deeply($json->decode(zed_run('zedperl', 'explore', '--answer', 'alive', $dat)->{out}), {}, 'alive');
	$one = zed_run('zedperl', 'explore', '--answer', 'lanes?from=x', $dat);
	is($one->{exit}, 2, 'a wrong request');
	is($one->{err}, '', 'says so');
	like($json->decode($one->{out})->{error}, qr/invalid from/, 'as JSON');
}
is(explore_end($s), 0, 'the end');

done_testing();
