# SPDX-License-Identifier: GPL-2.0-or-later
#
# The time of day of a client in the trace.dat that a server writes for it: by the clocks that were compared, whatever
# date the client has itself; also of one that broke off, one whose process was killed, and in a part of the file.
#
# of: reader/dat/wall.c reader/dat/clocks.c record/file/spool.c record/file/assemble_meta.c record/file/recover.c
# Without it: recordings of a fleet cannot be put side by side by the time of day, or by one that is wrong.
use strict;
use warnings;
use Test::More;
use Time::HiRes ();
use lib 't/lib';
use Compare::Stock;
use Run::Process;
use Run::Program qw(:DEFAULT spew);
use Run::Server;
use Run::V3Client;
use Write::Dat;
use Write::ZedStream;

use constant AHEAD => 7_000_000_000;	# ns by which the server's clock is ahead of the client's
use constant WRONG => 1500;

my $day = Time::HiRes::time() - Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC());
my $script = spew(zed_tmp() . '/times.pl', 'sub trace_unhandled { print Zed::ts(), "\n" }' . "\n");

# Its recorder's stream, which begins with the comparison and is whole but for its end; a second one does not count.
sub stream {
	my ($d, $compared) = @_;
	my $s = Write::ZedStream->new(meta => Run::V3Client::of_mini($d), page_size => 4096, clock => 'mono');
	$s->frame(10, pack 'q< Q<', AHEAD, WRONG) if $compared;
	$s->pages(0, mini_pages($d, 0));
	$s->frame(10, pack 'q< Q<', AHEAD + 99, WRONG) if $compared;
	return $s->pages(1, mini_pages($d, 1))->round(1 << 40);
}

my $s = server({});
my %known;

# What the server makes of a stream: the path of the file.
sub received {
	my ($bytes) = @_;
	my $c = Run::V3Client->new(port => $s->{port})->hello->init_stream(2, 4096);
	$c->put($c->{control}, $bytes);
	shutdown $c->{control}, 1;
	$c->stream_answers;
	report($s, 1 + keys %known);
	my ($new) = grep { !$known{$_}++ } runs($s);
	return "$s->{dir}/$new/trace.dat";
}

# The times (ns) of all events, in order, and what was said.
sub times_of {
	my ($path, @options) = @_;
	my $r = zed_run('zedperl', @options, $path, $script);
	return ([split /\n/, $r->{out}], $r->{err});
}

# What the file says of its clock: two numbers.
sub told { return slurp($_[0]) =~ /\nwall: (-?\d+) ns \+-(\d+) ns\n/ }

# PATH has the times of day of events that were RECORDED at these times.
sub has_wall {
	my ($what, $path, $recorded) = @_;
	my ($ahead, $wrong) = told($path);
	ok(defined $ahead && abs($ahead - AHEAD - $day * 1e9) < 1e9, "$what: the file has the offset to the server's time of day") or diag($ahead);
	ok(defined $wrong && $wrong >= WRONG && $wrong < WRONG + 1e8, '... and its error, of both comparisons') or diag($wrong);
	my ($shown, $said) = times_of($path, '--wall', '-v');
	is_deeply($shown, [map { $_ + $ahead } @$recorded], '... --wall shows it (else: each recording has another zero)');
	my $error = sprintf '%.9f', $wrong / 1e9;
	like($said, qr/trace\.dat: times of day are those of the machine that received it, wrong by $error s at most/, '... and says how wrong it may be');
	my $sum = zed_run('zedprint', '--summary', $path)->{out};
	my $text = sprintf '%d.%09d', int $ahead / 1e9, $ahead % 1_000_000_000;
	like($sum, qr/^  times +\+$text s to the time of day of the machine that received it, \+-$error s$/m, '... as --summary does') or diag($sum);
	is_deeply((times_of($path, '--raw-ts', '--wall'))[0], $recorded, '... --raw-ts shows what was recorded');
	return;
}

my $plain = mini(clock => 'mono');
my @ts = sort { $a <=> $b } map { $_->{ts} } $plain->events;
my $whole = received(stream($plain, 1)->end(scalar(@ts), 0)->{bytes});
has_wall('a recording', $whole, \@ts);
is_deeply((times_of($whole))[0], \@ts, 'without --wall its times are the client\'s (else: a file of before has other times now)');
has_wall('one that broke off', received(stream($plain, 1)->{bytes}), \@ts);

# DATE: a day of its own, in microseconds.
my $dated = received(stream(mini(clock => 'mono', options => [[1, "0x15180\0"]]), 1)->{bytes});
is_deeply((times_of($dated))[0], [map { $_ + 86_400_000 } @ts], 'a client with a date of its own shows it');
has_wall('a client with a date of its own', $dated, \@ts);

my $part = zed_tmp() . '/part-trace.dat';
zed_run('zedprint', '--cut', $part, '--cpu', 1, $whole);
is_deeply([told($part)], [told($whole)], 'a part of it has the same (else: a part cannot be compared)');

SKIP: {
	skip stock_missing(), 1 if stock_missing();
	is(stock_differs($whole, zed_run('zedprint', '-f', 'report', $whole)->{out}), undef, 'trace-cmd reads it as before (else: its second name of the clock is not one)');
}

my $none = received(stream($plain, 0)->end(scalar(@ts), 0)->{bytes});
is_deeply([told($none)], [], 'a client that has compared nothing: the file has no such offset');
is_deeply((times_of($none, '--wall'))[0], \@ts, '... and its times stay');

# ---------------------------------------------------------------- a process that was killed

my $c = Run::V3Client->new(port => $s->{port})->hello->init_stream(2, 4096);
my $bytes = stream($plain, 1)->{bytes};
$c->put($c->{control}, $bytes)->placed(length $bytes);
kill 'KILL', children($s);
my ($new) = grep { !$known{$_}++ } runs($s);
my $left = "$s->{dir}/$new/trace.dat.zed";
my $r;
wait_for(sub { $r = zed_run('zedtrace', '--recover', $left); $r->{err} !~ /still being recorded/ });
is($r->{exit}, 0, 'a server\'s process that was killed leaves what can be recovered') or diag($r->{err});
has_wall('what is recovered', "$s->{dir}/$new/trace.dat", \@ts);
end_server($s);

done_testing();
