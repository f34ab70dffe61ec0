# SPDX-License-Identifier: GPL-2.0-or-later
#
# top: an analysis that fills a terminal, here a made one (a pty), until q.  Without it the screen scrolls away, or the
# terminal is left without an echo.
#
# of: programs/zedperl programs/terminal interp
use strict;
use warnings;
use Test::More;
use POSIX ();
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program qw(slurp);
use Run::Zedperl ();

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

# Linux's numbers (asm-generic/ioctls.h).
my ($UNLOCK, $NUMBER, $SET_SIZE) = (0x40045431, 0x80045430, 0x5414);

# zedperl with WORDS on a terminal of ROWS and COLUMNS: the terminal's other side and the process.
sub on_terminal {
	my ($rows, $columns, @words) = @_;
	open my $master, '+<', '/dev/ptmx' or return;
	my $number = "\0" x 4;
	my ($locked, $size) = (pack('i', 0), pack 'S4', $rows, $columns, 0, 0);
	ioctl $master, $UNLOCK, $locked or return;
	ioctl $master, $NUMBER, $number or return;
	ioctl $master, $SET_SIZE, $size or return;
	my $path = '/dev/pts/' . unpack 'i', $number;
	my $pid = fork // return;
	if (!$pid) {
		POSIX::setsid();
		open STDIN, '<', $path or POSIX::_exit(120);
		open STDOUT, '>', $path or POSIX::_exit(121);
		open STDERR, '>', $path or POSIX::_exit(122);
		$ENV{TERM} = 'xterm';
		exec { Run::Zedperl::zedperl_path() } 'zedperl', @words or POSIX::_exit(123);
	}
	return ($master, $pid, $path);
}

# What came until it matches, or SECONDS are over.
sub until_seen {
	my ($master, $text, $wanted, $seconds) = @_;
	my $end = time + $seconds;
	while (time < $end && $$text !~ $wanted) {
		vec(my $bits = '', fileno $master, 1) = 1;
		next if !select $bits, undef, undef, 0.5;
		sysread $master, my $piece, 65536 or last;
		# A terminal puts a \r of its own before each end of a line; a piece may end between the two.
		$$text = ($$text . $piece) =~ s/\r+\n/\n/gr;
	}
	return $$text =~ $wanted;
}

sub echoes {
	my ($path) = @_;
	open my $tty, '<', $path or return;
	my $t = POSIX::Termios->new;
	$t->getattr(fileno $tty);
	return $t->getlflag & POSIX::ECHO() ? 1 : 0;
}

my ($master, $pid, $path) = on_terminal(12, 40, qw(top wakeup-latency --every 300ms));
SKIP: {
	skip 'no pseudo terminals here', 14 if !$master;
	my $text = '';
	my $line = qr/(?:[^\e\n]|\e\[[0-9;]*m)*\e\[K\n/;
	ok(until_seen($master, \$text, qr/\e\[\?1049h.*\e\[H.*\e\[J.*\e\[H.*\e\[J/s, 60), 'the screen is taken and filled again and again') or diag $text;
	like($text, qr/^.*\e\[Hwakeup-latency: q ends, p pauses; arrows/s, 'from its upper left corner on');
	is(echoes($path), 0, 'letters are not shown');
	my @screens = $text =~ /\e\[H(.*?)\e\[J/sg;
	is(scalar(grep { tr/\n// > 11 } @screens), 0, 'no screen has more lines than there are');
	my @long = grep { my $letters = s/\e\[(?:K|[0-9;]*m)//gr; utf8::decode($letters); length $letters > 40 } map { split /\n/ } @screens;
	is("@long", '', 'no line is longer than there is room');

	# A larger terminal.
	$text = '';
	my $larger = pack 'S4', 40, 120, 0, 0;
	ioctl $master, $SET_SIZE, $larger;
	kill WINCH => $pid;
	ok(until_seen($master, \$text, qr/\e\[H$line(?:$line){12,}\e\[J/, 30), 'its new size is taken') or diag $text;

	# Keys: the second column, the other way round, and a pause.
	$text = '';
	syswrite $master, '2r';
	ok(until_seen($master, \$text, qr/\e\[Hwakeup-latency by n, the least first: q ends/, 30), 'a digit chooses the column to sort by, r reverses') or diag $text;
	my ($screen) = reverse $text =~ /(by n, the least first.*?)\e\[J/sg;
	my @n = map { / (\d+) +[\d.]+ [mun]?s/ ? $1 : () } grep { !/^ALL/ } split /\n/, ($screen // '') =~ s/^.*?task.*?\n.*?\n(.*?)(?:^\.\.\.|^ALL).*/$1/smr;
	is("@n", join(' ', sort { $a <=> $b } @n), 'and the rows are in that order (else: the keys change the head alone)');
	$text = '';
	syswrite $master, 'p';
	ok(until_seen($master, \$text, qr/p goes on; arrows/, 30), 'p pauses');
	$text = '';
	syswrite $master, "\e[C";
	ok(until_seen($master, \$text, qr/\e\[Hwakeup-latency by total, the least first: q ends, p goes on/, 30), 'an arrow sorts while it pauses') or diag $text;
	syswrite $master, ' ';

	$text = '';
	syswrite $master, 'q';
	ok(until_seen($master, \$text, qr/\e\[\?1049l.*(?:ALL|none|task).*from [\d.]+ to [\d.]+/s, 60), 'q gives the screen back and prints the whole answer') or diag $text;
	# It may say more still.
	until_seen($master, \$text, qr/\A\z/, 2);
	waitpid $pid, 0;
	is($?, 0, 'and ends well');
	is(echoes($path), 1, 'the terminal echoes again') if -e $path;
}

# No terminal: one answer behind the other, without control sequences.
my $h = live_start({}, 'zedperl', '--live', 'wakeup-latency', '--top', '--every', '300ms');
live_ready($h);
my $answers = sub { scalar(() = $_[0] =~ /^[\d.]+ m?s from /mg) };
wait_until(30, sub { $answers->(slurp($h->{out}->filename)) > 1 });
live_signal($h, 'INT');
my $r = live_end($h);
is($r->{exit}, 0, 'to a file: exit status') or diag $r->{err};
unlike($r->{out}, qr/\e/, 'to a file there are no control sequences (else: less shows them)');
cmp_ok($answers->($r->{out}), '>', 1, 'and several answers, as time goes on');

my $both = Run::Zedperl::zedperl({ bare => 1 }, '--live', 'irq', '--top', '--json');
is($both->{status}, 2, '--top with --json: 2');
like($both->{err}, qr/--top shows tables/, 'and why');

done_testing();
