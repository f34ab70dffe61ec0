# SPDX-License-Identifier: GPL-2.0-or-later
#
# --metrics and --metrics-file, over a pipe that goes on: what a scrape gets, what hostile clients cannot do, files that
# are whole at any time.  Without it a monitoring system sees nothing, or anyone who reaches the port stops the run.
# of: analysis/metrics programs/zedperl
use strict;
use warnings;
use Test::More;
use IO::Socket::INET;
use POSIX ();
use Time::HiRes qw(time);
use lib 't/lib';
use Compare::DatRead ();
use Compare::OpenMetrics;
use Run::Process;
use Run::Program qw(zed_bin zed_run zed_tmp slurp spew);
use Write::ZedStream;

local $SIG{PIPE} = 'IGNORE';
my $tmp = zed_tmp();
my $dat = 't/data/demo.dat';
our $script = spew("$tmp/count.pl", <<'END');
my $n = Zed::metric(counter => 'switches_total', labels => ['cpu']);
my $slow = $ENV{SLOW};
sub sched::sched_switch { $n->inc(1, $_[0]); select undef, undef, undef, $slow if $slow }
END

# All of the recording as a stream, and what of it is the end.
my ($all, $end) = map { Write::ZedStream::from_dat($dat, end => $_)->write("$tmp/stream"); slurp("$tmp/stream") } 0, 1;
substr($end, 0, length $all) eq $all or die "a stream is not what its end is behind\n";
substr $end, 0, length $all, '';
# Nothing earlier will come: what is there can go out.
my $round = Write::ZedStream::from_dat($dat, end => 0);
$round->round(1 << 62);
$round->write("$tmp/stream");
$all = slurp("$tmp/stream");
my $serial = 0;

# A run on a stream without an end: the pipe stays open until stop().
sub start {
	my (%o) = @_;
	my $fifo = "$tmp/fifo" . ++$serial;
	POSIX::mkfifo($fifo, 0600) or die "$fifo: $!\n";
	my $run = { err => "$fifo.err", out => "$fifo.out" };
	$run->{pid} = spawn({ stdin => $fifo, stdout => $run->{out}, stderr => $run->{err}, env => $o{env} },
		zed_bin('zedperl'), @{$o{options}}, '-i', '-', $script);
	open $run->{pipe}, '>:raw', $fifo or die "$fifo: $!\n";
	$run->{pipe}->autoflush(1);
	return $run;
}

sub feed {
	my ($run) = @_;
	print { $run->{pipe} } $all;
	return;
}

sub port {
	my ($run) = @_;
	return wait_until(60, sub { -s $run->{err} && slurp($run->{err}) =~ m{metrics: http://127\.0\.0\.1:(\d+)/metrics} and $run->{port} = $1 });
}

sub stop {
	my ($run) = @_;
	local $SIG{PIPE} = 'IGNORE';
	print { $run->{pipe} } $end;
	close delete $run->{pipe};
	my ($status, $late) = reap($run->{pid}, 60);
	return $late ? 'late' : how_it_ended($status);
}

sub dial {
	my ($run) = @_;
	return IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $run->{port}, Timeout => 60) // die "connect: $!\n";
}

# Send TEXT, and read up to the end of the connection, for SECONDS at most.
sub ask {
	my ($run, $text, $seconds) = @_;
	my $s = dial($run);
	local $SIG{PIPE} = 'IGNORE';
	print {$s} $text;
	return hear($s, $seconds);
}

sub hear {
	my ($s, $seconds) = @_;
	my $all = '';
	my $end = time + ($seconds // 60);
	while (1) {
		my $left = $end - time;
		return "$all (late)" if $left <= 0;
		my $bits = '';
		vec($bits, fileno $s, 1) = 1;
		next if !select $bits, undef, undef, $left;
		my $n = sysread $s, $all, 65536, length $all;
		return $all if !$n;
	}
}

sub scrape { my ($run, %head) = @_; return ask($run, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n" . join('', map { "$_: $head{$_}\r\n" } sort keys %head) . "\r\n") }
sub body { my ($answer) = @_; return (split /\r\n\r\n/, $answer, 2)[1] }

# The numbers of another reader of the same recording.
my %want;
for (split /\n/, zed_run('zedprint', $dat)->{out}) {
	$want{$1}++ if /^sched::sched_switch cpu = (\d+),/;
}

{	# Without it: a scrape gets nothing, or numbers of another moment.
	my $run = start(options => ['--metrics', '0']);
	ok(port($run), 'it says where it is');
	feed($run);
	my $switches = 0;
	$switches += $_ for values %want;
	my $m;
	ok(wait_until(60, sub { $m = eval { openmetrics(body(scrape($run))) } // diag $@; $m && (sample($m, 'zed_records_total') // 0) > 0 &&
		$switches == eval { my $n = 0; $n += $_->[2] for @{$m->{switches}{samples}}; $n } }), 'it answers while the run waits for more');
	cmp_ok($switches, '>', 50, 'another reader sees switches');
	is_deeply({ map { $_->[1]{cpu} => $_->[2] } @{$m->{switches}{samples}} }, \%want, 'as many of each CPU as zedprint shows');
	my $answer = scrape($run);
	like($answer, qr{^HTTP/1\.1 200 OK\r\n}, 'status');
	like($answer, qr{^Content-Type: application/openmetrics-text; version=1\.0\.0; charset=utf-8\r$}m, 'OpenMetrics 1.0');
	my ($length) = $answer =~ /^Content-Length: (\d+)\r$/m;
	is($length, length body($answer), 'its length');
	like(scrape($run, Accept => 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'), qr/# EOF\n\z/, 'what Prometheus sends is answered by OpenMetrics');
	$answer = scrape($run, Accept => 'text/plain');
	like($answer, qr{^Content-Type: text/plain; version=0\.0\.4; charset=utf-8\r$}m, 'who accepts the older format only gets that');
	unlike($answer, qr/# EOF/, 'without the end mark');
	is(body(ask($run, "HEAD /metrics HTTP/1.1\r\n\r\n")), '', 'HEAD has no body');
	like(ask($run, "GET http://h/metrics?x=1 HTTP/1.0\r\n\r\n"), qr/^HTTP\S+ 200/, 'a whole URL, a query, HTTP/1.0');
	like(ask($run, "GET /metrics HTTP/1.1\n\n"), qr/^HTTP\S+ 200/, 'bare newlines');

	# Without it: a web page whose name was pointed here (DNS rebinding) reads the metrics.
	my $by = sub { return (ask($run, "GET /metrics HTTP/1.1\r\nHost:$_[0]\r\n\r\n") =~ /^HTTP\S+ (\d+)/)[0] };
	is($by->($_), 200, "Host:$_ is this one") for ' localhost', 'LOCALHOST:9435', ' 127.0.0.1', ' 10.1.2.3:80', ' [::1]:9435 ', '';
	is($by->($_), 421, "Host:$_ is another one") for ' evil.example', ' evil.example:9435', ' localhost.evil.example', ' 127.0.0.1.evil.example', ' x',
		" localhost\r\nhost: evil.example", ' evil';

	# Without it: a request that makes no sense hangs, or is served.
	my %bad = ("GET / HTTP/1.1\r\n\r\n" => 404, "GET /metricsx HTTP/1.1\r\n\r\n" => 404, "GET /../etc/passwd HTTP/1.1\r\n\r\n" => 404,
		"GET http://metrics HTTP/1.1\r\n\r\n" => 404, "POST /metrics HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello" => 405,
		"GET /metrics HTTP/2.0\r\n\r\n" => 505, "GET /metrics\r\n\r\n" => 400, "\r\n\r\n" => 400, "GET\r\n\r\n" => 400, " / HTTP/1.1\r\n\r\n" => 400,
		"GET /metrics HTTP/1.1 x\r\n\r\n" => 400, "\0" x 20 . "\n\n" => 400, "\x16\x03\x01\x02\0\x01\0\x01\xfc\n\n" => 400, 'GET /metrics HTTP/1.1' . "\r\nX: y" x 2000 => 431);
	like(ask($run, $_), qr/^HTTP\/1\.1 $bad{$_} /, "$bad{$_}: " . substr(s/([^ -~])/sprintf '\\x%02x', ord $1/ger, 0, 40)) for sort keys %bad;
	like(ask($run, 'GET /met'), qr/^HTTP\/1\.1 408 /, 'a request that does not end is cut after its time');

	# Without it: sixteen clients that say nothing keep the seventeenth out.
	my @idle = map { dial($run) } 1 .. 60;
	my @took = sort { $a <=> $b } map { my $began = time; like(scrape($run), qr/# EOF\n\z/, 'idle clients keep nobody out'); time - $began } 1 .. 3;
	cmp_ok($took[0], '<', 1.5, 'nor waiting for the two seconds that they have (the fastest of three)');
	my $cut = grep { my $s = $_; my $bits = ''; vec($bits, fileno $s, 1) = 1; select $bits, undef, undef, 0 } @idle;
	cmp_ok($cut, '>=', 60 - 16, "and the oldest are dropped ($cut of 60)");
	@idle = ();
	is(stop($run), 0, 'the run ends as without');
}

{	# Without it: of forty that scrape at once some get half a page.
	my $large = spew("$tmp/large.pl", 'my $n = Zed::metric(counter => "large_total", labels => ["of"], max_series => 30_000); ' .
		'sub sched::sched_switch { return if $done++; $n->inc(1, "x" x 100 . $_) for 1 .. 20_000 }');
	local $script = $large;
	my $run = start(options => ['--metrics', '0']);
	port($run);
	feed($run);
	wait_until(60, sub { length(scrape($run)) > 2_000_000 });
	my @all = map { { s => dial($run), got => '' } } 1 .. 40;
	print { $_->{s} } "GET /metrics HTTP/1.1\r\n\r\n" for @all;
	my $end = time + 60;
	while (time < $end and my @open = grep { !$_->{over} } @all) {
		my $bits = '';
		vec($bits, fileno $_->{s}, 1) = 1 for @open;
		next if !select $bits, undef, undef, 1;
		for my $c (grep { vec $bits, fileno $_->{s}, 1 } @open) {
			my $n = sysread $c->{s}, my $piece, 65536;
			$c->{over} = !$n;
			next if !$n;
			$c->{got} .= $piece;
		}
	}
	my @whole = grep { my ($length) = $_->{got} =~ /^Content-Length: (\d+)\r$/m; defined $length && length(body($_->{got})) == $length } @all;
	is(scalar @whole, 40, 'forty at once: each gets its page whole');
	stop($run);
}

{	# Without it: a handler that takes its time makes a scrape wait for thousands of them.
	my $run = start(options => ['--metrics', '127.0.0.1:0'], env => { SLOW => 0.1 });
	port($run);
	feed($run);
	my $answer = scrape($run);
	like($answer, qr/# EOF\n\z/, 'a scrape while handlers run');
	my $events = sample(openmetrics(body($answer)), 'zed_events_total') // 0;
	cmp_ok($events, '<', 50, "after $events of 133 calls: it waits for few of them");
	$events = sample(openmetrics(body(scrape($run))), 'zed_events_total') // 0;
	cmp_ok($events, '<', 100, "... and the next scrape, after $events (else: events are counted to the next look once only)");
	kill 'KILL', $run->{pid};	# all 133 would take 13 seconds
	stop($run);
}

{	# Without it: node-exporter reads half a file.
	my $file = "$tmp/zed.prom";
	my $run = start(options => ['--metrics-file', $file, '--metrics-every', '50ms']);
	feed($run);
	# Each is a file of its own, which is held here: else the next one may have its number.
	my ($torn, $seen, %version) = (0, 0);
	ok(wait_until(60, sub {
		open my $held, '<', $file or return 0;
		my $text = do { local $/; <$held> } // '';
		$version{(stat $held)[1]} //= $held;
		$seen++;
		$torn++ if $text !~ /^process_start_time_seconds \S+\n/m || $text !~ /\n\z/;
		return keys %version > 3 && $text =~ /^switches_total/m;
	}), 'it is written again and again');
	is($torn, 0, "and whole each of $seen times");
	my ($status, $said) = promtool($file);
	is(stop($run), 0, 'the end');
	is((stat $file)[2] & 07777, 0644, 'all may read it');
	my %got = slurp($file) =~ /^switches_total\{cpu="(\d+)"\} (\d+)$/mg;
	is_deeply(\%got, \%want, 'its last version has all');
	is(join(' ', map { s{.*/}{}r } glob "$tmp/zed.prom*"), 'zed.prom', 'and nothing is left beside it');
	SKIP: {
		skip 'promtool is not installed (Debian: prometheus; PROMTOOL=1 make test fetches it)', 1 if !defined $status;
		is($said, "switches_total no help text\n", 'promtool misses only the help that the script does not give');
	}
	my $r = zed_run('zedperl', '--metrics-file', $file, $dat, $script);
	is($r->{exit}, 0, 'a recording that is over is written too');
	is_deeply({ slurp($file) =~ /^switches_total\{cpu="(\d+)"\} (\d+)$/mg }, \%want, 'with all of it');
}

{	# Without it: nobody knows that nothing is served.  (Wrong addresses: t/cases/metrics.test.)
	my $taken = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') // die "listen: $!\n";
	my $r = zed_run('zedperl', '--metrics', $taken->sockport, $dat, $script);
	is($r->{exit}, 2, 'a port that is taken');
	like($r->{err}, qr/--metrics: .*in use/, 'is said');
}

done_testing();
