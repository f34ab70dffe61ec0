# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a terminal gets of zedprint: colours and a pager, as git does it; what is no terminal gets the bytes that it
# always got. Without it a log is full of escape sequences, or a long trace runs through a terminal.
#
# of: programs/terminal programs/zedprint
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_bin zed_run zed_tmp slurp spew);
use Run::Zedperl;

my $tmp = zed_tmp();
my $dat = 't/data/demo.dat';
my $plain = zed_run('zedprint', $dat)->{out};

sub bare { my ($text) = @_; return $text =~ s/\e\[[0-9;]*m//gr }

# Recordings of all kinds, with losses, and names that would steer a terminal.
for my $file (glob('t/data/*lost*.dat'), qw(t/data/small_v7_zstd.dat t/data/multibuf.dat t/data/all_events.dat), $dat) {
	my $want = zed_run('zedprint', $file)->{out};
	my $got = zed_run('zedprint', '--color', $file)->{out};
	Run::Program::same(bare($got), $want, "$file: without its colours it is the same (else: a copied line is another one)");
	isnt($got, $want, '... and there are colours') if length $want;
}
{
	my $hostile = trace(events => [map { [0, 1000 * $_, 'mini::tick', pack 'l a8', $_, "\e[31mx\n", $_ == 2 ? 5 : ()] } 1 .. 3], comm => "a\e]0;b", pid => 7);
	my $want = zed_run('zedprint', $hostile)->{out};
	my $got = zed_run('zedprint', '--color=always', $hostile)->{out};
	like($want, qr/\\x1b\[31mx\\n/, 'an escape sequence of a trace is told');
	is(bare($got), $want, 'in colour as well');
	is(join(' ', sort keys %{{ map { $_ => 1 } $got =~ /(\e(?:\[[0-9;]*m)?)/g }}), join(' ', sort("\e[m", "\e[1;33m", "\e[36m")), 'and no other sequence is sent than ours');
}
is(zed_run('zedprint', '--color=auto', $dat)->{out}, $plain, '--color=auto: a file gets none');
is(zed_run({ env => { ZED_PAGER => 'false', TERM => 'xterm' } }, 'zedprint', $dat)->{out}, $plain, 'nor a pager (else: a pipe hangs)');
is(zed_run('zedprint', '--color', '-f', 'json', $dat)->{out}, zed_run('zedprint', '-f', 'json', $dat)->{out}, 'other formats have no colours');
is(zed_run('zedprint', '--color=sometimes', $dat)->{exit}, 2, 'another word is refused');

SKIP: {
	skip 'script (bsdutils), which makes a terminal, is not installed', 18 if system('script -qec true /dev/null >/dev/null 2>&1 </dev/null');
	my $zedprint = zed_bin('zedprint');
	# What a terminal shows, with these settings.
	my $on_terminal = sub {
		my ($env, @args) = @_;
		my $set = join ' ', 'env -u NO_COLOR -u PAGER -u ZED_PAGER -u LESS', map { "$_='$env->{$_}'" } sort keys %$env;
		my $r = zed_run({ time => 60 }, 'sh', '-c', "script -qec \"$set $zedprint @args\" /dev/null </dev/null");
		return ($r->{out} =~ s/\r//gr, $r->{exit}, $r->{late});
	};
	my %color = (TERM => 'xterm');
	my ($out) = $on_terminal->({ %color }, '--no-pager', '--head 3', $dat);
	like($out, qr/\e\[1;33m/, 'a terminal gets colours');
	($out) = $on_terminal->({ %color, NO_COLOR => 1 }, '--no-pager', '--head 3', $dat);
	unlike($out, qr/\e/, 'not with NO_COLOR');
	($out) = $on_terminal->({ %color, NO_COLOR => '' }, '--no-pager', '--head 3', $dat);
	like($out, qr/\e\[1;33m/, 'which counts only if it is not empty');
	($out) = $on_terminal->({ TERM => 'dumb' }, '--no-pager', '--head 3', $dat);
	unlike($out, qr/\e/, 'nor where the terminal is dumb');
	($out) = $on_terminal->({ %color }, '--no-pager', '--color=never', '--head 3', $dat);
	unlike($out, qr/\e/, 'nor with --color=never');

	my $pager = spew("$tmp/pager", "#!/bin/sh\necho \"pager LESS=\$LESS\"\ncat\n");
	chmod 0755, $pager;
	my $status;
	($out, $status) = $on_terminal->({ %color, ZED_PAGER => $pager, PAGER => 'false' }, $dat);
	like($out, qr/\Apager LESS=FRX\n\e/, 'ZED_PAGER is the pager, and LESS is set');
	is(bare($out) =~ s/\A.*\n//r, $plain, 'which gets all of it');
	is($status, 0, 'exit status');
	($out) = $on_terminal->({ %color, PAGER => "$pager | head -3", LESS => 'x' }, $dat);
	is(scalar(my @lines = split /\n/, $out), 3, 'PAGER is a command of the shell; who quits early ends it');
	like($out, qr/\Apager LESS=x\n/, 'LESS stays as it is set');
	($out) = $on_terminal->({ %color, ZED_PAGER => '', PAGER => $pager }, '--head 2', $dat);
	unlike($out, qr/pager/, 'an empty name is none');
	($out) = $on_terminal->({ %color, ZED_PAGER => $pager }, '--no-pager', '--head 2', $dat);
	unlike($out, qr/pager/, '--no-pager');
	my $bad = zed_run({ time => 60 }, 'sh', '-c', "script -qec \"env ZED_PAGER=$pager $zedprint $tmp/none.dat\" /dev/null </dev/null");
	unlike($bad->{out}, qr/pager LESS/, 'what cannot be opened is said at once');
	is($bad->{exit}, 2, 'with its status');
	for my $topic (qw(tutorial scripts)) {
		my $help = zed_run({ time => 60 }, 'sh', '-c', "script -qec \"env ZED_PAGER=$pager " . zed_bin('zedperl') . " help $topic\" /dev/null </dev/null");
		like($help->{out}, qr/\Apager LESS=/, "zedperl help $topic has it too (else: its beginning has gone by)");
		is($help->{out} =~ s/\A.*\n//r =~ s/\r//gr, zed_run('zedperl', 'help', $topic)->{out}, '... with all of the page');
	}
}

done_testing();
