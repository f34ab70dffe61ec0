# SPDX-License-Identifier: GPL-2.0-or-later
#
# When zedperl explore ends, and what it opens: an hour after its last page; the browser, without showing others the
# address. Without it servers of forgotten traces add up, or ps shows the token.
# of: programs/zedperl/explore
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Clock;
use Run::Explore;
use Run::Process;
use Run::Program qw(slurp spew zed_bin zed_tmp);

{
	my $clock = clock_new();
	my $s = explore({ env => clock_env($clock) }, 't/data/demo.dat');
	clock_forward($clock, 3500);
	is(get($s, 'alive')->{status}, 200, 'after 3500 seconds it is there');
	clock_forward($clock, 3500);
	is(get($s, 'alive')->{status}, 200, 'and 3500 after that, as the page was open');
	my $socket = dial($s);
	print {$socket} request($s, '/');
	is(parsed(hear($socket))->{status}, 404, 'a stranger asks');
	clock_forward($clock, 3700);
	my $again = eval { dial($s) };	# the server may wait by the clock as it was
	my ($status, $late) = reap($s->{pid}, 60);
	ok(!$late, 'an hour after the last question of the page it ends (else: servers add up)');
	is(how_it_ended($status), 0, 'well');
}
{	# A stranger does not keep it.
	my $clock = clock_new();
	my $s = explore({ env => clock_env($clock) }, 't/data/demo.dat');
	clock_forward($clock, 3500);
	my $socket = dial($s);
	print {$socket} request($s, '/');
	hear($socket);
	clock_forward($clock, 200);
	my $again = eval { dial($s) };
	my ($status, $late) = reap($s->{pid}, 60);
	is(how_it_ended($status), 0, 'requests without the token keep it from nothing');
	ok(!$late, '... at once');
}

# ---- the browser

my $dir = zed_tmp();
my $bin = "$dir/bin";
mkdir $bin;
spew("$bin/xdg-open", "#!/bin/sh\nprintf '%s\\n' \"\$*\" >'$dir/asked'\ncp \"\$1\" '$dir/led'\nstat -c %a \"\$1\" >'$dir/mode'\necho >'$dir/done'\n");
chmod 0755, "$bin/xdg-open";

# Runs it with a terminal as its standard output, as script(1) does; what it printed there.
sub on_terminal {
	my ($env, @args) = @_;
	open my $master, '+<', '/dev/ptmx' or return;
	my $unlock = pack 'i', 0;
	ioctl $master, 0x40045431, $unlock or return;	# TIOCSPTLCK
	my $n = pack 'I', 0;
	ioctl $master, 0x80045430, $n or return;	# TIOCGPTN
	my $name = '/dev/pts/' . unpack 'I', $n;
	my $pid = spawn({ stdout => $name, stderr => "$dir/err", env => { PATH => "$bin:$ENV{PATH}", XDG_RUNTIME_DIR => $dir, %$env } }, zed_bin('zedperl'), 'explore',
		@args, 't/data/demo.dat');
	my $text = '';
	my $ok = wait_until(60, sub {
		my $bits = '';
		vec($bits, fileno $master, 1) = 1;
		sysread $master, $text, 4096, length $text if select $bits, undef, undef, 0;
		$text =~ m{http://\S+/[0-9a-f]{32}/};
	});
	return { pid => $pid, url => $ok ? $text =~ m{(http://\S+/)}s : undef, master => $master };
}

sub end_it {
	my ($r) = @_;
	kill INT => $r->{pid};
	my ($status) = reap($r->{pid}, 60);
	return how_it_ended($status);
}

SKIP: {
	my $r = on_terminal({ DISPLAY => ':7', WAYLAND_DISPLAY => '' }) or skip 'no terminal can be made here', 7;
	ok(defined $r->{url}, 'the address is printed');
	ok(wait_until(60, sub { -e "$dir/done" }), 'on a desktop it is opened');
	my ($token) = $r->{url} =~ m{/([0-9a-f]{32})/};
	unlike(slurp("$dir/asked"), qr/$token/, 'by a command line without the token (else: ps shows it)');
	like(slurp("$dir/led"), qr/url=\Q$r->{url}\E"/, 'through a file that leads there');
	is(slurp("$dir/mode"), "600\n", 'which only the user can read');
	is(end_it($r), 0, 'the end');
	is_deeply([glob "$dir/zedperl-explore*"], [], 'and that file has gone');
	unlink "$dir/done";
	for my $of ([{ DISPLAY => '', WAYLAND_DISPLAY => '' }, 'without a desktop'], [{ DISPLAY => ':7' }, '--no-open', '--no-open']) {
		my ($env, $what, @args) = @$of;
		$r = on_terminal($env, @args);
		my $s = { pid => $r->{pid}, port => $r->{url} =~ m{:(\d+)/}, token => $r->{url} =~ m{/([0-9a-f]{32})/} };
		is(get($s, 'alive')->{status}, 200, 'it serves');
		is(end_it($r), 0, 'to its end');
		ok(!-e "$dir/done", "$what: none is opened");
	}
}

done_testing();
