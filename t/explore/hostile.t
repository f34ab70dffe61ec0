# SPDX-License-Identifier: GPL-2.0-or-later
#
# What cannot be asked of zedperl explore: a file, code, a program, work without bounds; and what odd requests get.
# Without it the page's address is an address of everything that its user can read.
# of: programs/zedperl/explore
use strict;
use warnings;
use Test::More;
use File::Copy ();
use POSIX ();
use lib 't/lib';
use Run::Explore;
use Run::Program qw(slurp spew zed_run zed_tmp);

local $SIG{PIPE} = 'IGNORE';
my $dir = zed_tmp();
File::Copy::copy('t/data/demo.dat', "$dir/trace.dat");
my $s = explore("$dir/trace.dat");
my $canary = "$dir/canary";
# A file beside the trace that is called like an analysis.
spew("$dir/waits.pl", "open my \$f, '>', '$canary'; print {\$f} 1;\n");
spew("$dir/mine.pl", "use Zed::Report;\nopen my \$f, '>', '$canary'; print {\$f} 1;\n");

sub status_of { my (@q) = @_; return get($s, @q)->{status} }

# ---- parameters

my @bad = (
	['lanes'], ['lanes', from => 0], ['lanes', from => 0, to => 9], ['lanes', from => 9, to => 0, cells => 1],
	(map { ['lanes', from => 0, to => 9, cells => $_] } 0, 4097, -1, '', 'x', '1e3', ' 1', '1 ', '99999999999999999999', '0x10'),
	(map { ['lanes', from => $_, to => 9, cells => 1] } -1, '', 'NaN', '1.5', '18446744073709551615', '18446744073709551616', '+1'),
	(map { ['lanes', from => 0, to => 9, cells => 1, tasks => $_] } '1', 'x:1', '0:-1', '0:1;0:2', join(',', map { "0:$_" } 1 .. 65), '0:99999999999'),
	['lanes', from => 0, to => 9, cells => 1, from => 1], ['head', from => 0], ['alive', x => 1], ['lanes', from => 0, to => 9, cells => 1, filter => 'x'],
	(map { ['events', count => $_] } 0, 1001), ['events', filter => 'x' x 512], ['events', filter => "a\nb"], ['events', filter => "a\0b"], ['events', fields => 2],
	['find', what => '', at => 0], ['find', what => 'x'], ['find', what => 'x', at => 0, dir => 2], ['find', what => "x\0y", at => 0],
	(map { ['answer', name => $_] } '', '../../etc/passwd', '/etc/passwd', "$dir/mine", 'mine', 'mine.pl', 'printall', 'countall', 'metrics', 'compare', 'top', 'waits.pl',
		'Waits', '-e', '--help', 'waits;id', 'x' x 100, "waits\0"),
	(map { ['answer', name => 'waits', args => $_] } "html=$canary", "svg=$canary", "samples=$canary", 'json', 'csv', 'every=1us', 'top', 'exact', 'help', '-e=1', '--limit=1',
		'limit', 'limit=0', 'limit=-1', 'limit=99999999', 'limit=1;id', 'by=$(id)', 'by=-x', 'task=', 'worst=1,html=x', 'new=1', 'x' x 500, join(',', ('limit=1') x 9)),
	['answer', name => 'waits', cpu => -1], ['answer', name => 'waits', pid => 'x'], ['answer', name => 'waits', comm => ''],
);
for (@bad) {
	my $r = get($s, @$_);
	my $shown = join(' ', @$_) =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ger;
	is($r->{status}, 400, 'refused: ' . substr $shown, 0, 70);
	ok(ref $r->{json} eq 'HASH' && length $r->{json}{error} && length $r->{body} < 1000, '... with a reason');
}
ok(!-e $canary, 'nothing was written or run (else: a request writes files)');

# ---- what is no address

for my $path ('/../etc/passwd', '/head/', '//head', '/head/x', '/%2e%2e/etc/passwd', '/HEAD', '/page.css', '/explore.html', '/%00', '/head%00', '/head%00x', '/.', '/..;/head') {
	my $socket = dial($s);
	print {$socket} request($s, "/$s->{token}$path");
	my $r = parsed(hear($socket));
	is($r->{status}, 404, "no such thing: $path");
	unlike($r->{body}, qr/root:/, '... and no file');
}
for my $text ('', "\r\n", "GET\r\n\r\n", "\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /" . 'x' x 100_000 . " HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\n" . "X: y\r\n" x 10_000 . "\r\n",
	"GET / HTTP/1.1\r\nX: " . 'y' x 100_000 . "\r\n\r\n", "\x16\x03\x01\x02\0\x01\0\x01\xfc\r\n\r\n", "GET / HTTP/1.1\r\nHost: 127.0.0.1:$s->{port}\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
	"GET /$s->{token}/alive HTTP/1.1\r\nHost: 127.0.0.1:$s->{port}\r\nContent-Length: 99999999999\r\n\r\n", "POST /$s->{token}/alive HTTP/1.1\r\nHost: 127.0.0.1:$s->{port}\r\nContent-Length: 5\r\n\r\nhello",
	request($s, target($s, 'alive') . '?' . 'x&' x 8000)) {
	my $socket = dial($s);
	print {$socket} $text;
	shutdown $socket, 1;
	# What is not a whole request may have to wait for the end of its connection.
	my $r = parsed(hear($socket, 1));
	like($r->{status}, qr/^(?:none|4\d\d|505|200)$/, 'an odd request: ' . substr($text, 0, 30) =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ger);
	unlike($r->{body}, qr/$s->{token}/, '... is not repeated');
}
is_deeply(get($s, 'alive')->{json}, {}, 'and the server goes on');

# ---- words of the trace's name

{
	my $name = "$dir/<script>alert(1)<\$script>&\"'.dat";
	File::Copy::copy('t/data/demo.dat', $name);
	my $odd = explore($name);
	my $socket = dial($odd);
	print {$socket} request($odd, "/$odd->{token}/");
	my $page = parsed(hear($socket));
	is($page->{status}, 200, 'a trace with an odd name');
	unlike($page->{body}, qr/<script>alert/, 'its name is text (else: it runs)');
	is(explore_end($odd), 0, 'the end');
}

is(explore_end($s), 0, 'the end');

# ---- before it serves

for (['nosuch.dat'], ['Makefile'], ['-'], ['/dev/null'], [], ['t/data/demo.dat', 't/data/demo.dat'], ['--port', 0, 't/data/demo.dat'], ['--port', 65536, 't/data/demo.dat'],
	['--bind', 'nosuch.invalid', 't/data/demo.dat'], ['--bind', '', 't/data/demo.dat'], ['--start', 1, 't/data/demo.dat'], ['--answer', 'nosuch', 't/data/demo.dat']) {
	my $r = zed_run('zedperl', 'explore', '--no-open', @$_);
	is($r->{exit}, 2, "refused: @$_");
	like($r->{err} . $r->{out}, qr/^zedperl: |^\{"error":/m, '... with a message');
	unlike($r->{out}, qr/http:/, '... and no address');
}
{
	POSIX::mkfifo("$dir/$_", 0600) or die "mkfifo: $!\n" for 'fifo.dat', (mkdir("$dir/in") ? 'in/trace.dat' : ());
	for ("$dir/fifo.dat", "$dir/fifo", "$dir/in", 'lttng://127.0.0.1:1/host/a/b', 'net://127.0.0.1:1/host/a/b') {
		my $r = zed_run('zedperl', 'explore', '--no-open', $_);
		is($r->{exit}, 2, "refused: $_");
		like($r->{err}, qr/can be read only once/, '... as each answer opens it again');
	}
}
{
	my $first = explore('t/data/demo.dat');
	my $r = zed_run('zedperl', 'explore', '--no-open', '--port', $first->{port}, 't/data/demo.dat');
	is($r->{exit}, 2, 'a port that is taken');
	like($r->{err}, qr/127\.0\.0\.1 port $first->{port}: .*in use/, '... is said');
	explore_end($first);
}

done_testing();
