# SPDX-License-Identifier: GPL-2.0-or-later
#
# parallel: the commands of docs/fleet/parallel.md, by GNU parallel here and over ssh to two machines, which are this
# one. Without it the page could name options that do something else, and a killed job be missing from the answer.
#
# of: docs/fleet programs/zedperl/fleet
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::FleetEngine;
use Run::Process;
use Run::Program qw(slurp spew zed_tmp);

plan skip_all => 'no GNU parallel here: apt-get install parallel'
	if !fleet_have('parallel') || qx{parallel --version 2>/dev/null} !~ /^GNU parallel/;

my $dir = fleet_sandbox('parallel');
my $want = fleet_answer($dir);

# What holds once CMD has been run here or there.
sub states_are {
	my ($cmd, $most) = @_;
	my @states = split /\n/, slurp("$dir/states");
	is(scalar(grep { /\Azed-state-1\/wakeup-latency\/[^\t]*\t\{.*\}\z/ } @states), scalar @states, 'states, each at the beginning of its line');
	is(scalar @states, $most, "$most jobs (else: all traces went to one)");
	return;
}

# ---- on this machine

my $answers = fleet_page($dir, 'parallel', $want, take => sub { $_[0] !~ /--sshlogin/ },
	before => sub { fleet_kill($dir, 'self') if $_[0] =~ /--retries/ },
	after => sub {
		my ($cmd) = @_;
		return if $cmd !~ /--retries/;
		ok(fleet_killed($dir), 'a job was killed in the middle of its state');
		states_are($cmd, 3);
		is(scalar(grep { (split /\t/)[6] ne '0' } (split /\n/, slurp("$dir/log"))[1 .. 3]), 0, 'and was run again (else: its traces are missing)');
	});
cmp_ok($answers, '>=', 3, 'the page shows answers');

# ---- by ssh

# A server with two ports, each of which is a machine: its home directory has half of the traces.
sub machines {
	my @ports = map { fleet_port() } 1, 2;
	my $user = getpwuid $>;
	mkdir "$dir/ssh", 0700;
	system("ssh-keygen -q -t ed25519 -N '' -f $dir/ssh/host && ssh-keygen -q -t ed25519 -N '' -f $dir/ssh/id") == 0 or return;
	my @all = glob "$dir/traces/*.dat";
	my ($here, $there) = ('', "Port $ports[0]\nPort $ports[1]\nListenAddress 127.0.0.1\nHostKey $dir/ssh/host\nPidFile none\n"
		. "AuthorizedKeysFile $dir/ssh/id.pub\nPermitRootLogin prohibit-password\nPasswordAuthentication no\nUsePAM no\nStrictModes no\nMaxStartups 100\n");
	for my $n (1, 2) {
		mkdir "$dir/host$n";
		mkdir "$dir/host$n/traces";
		symlink $_, "$dir/host$n/traces/" . s{.*/}{}r for splice @all, 0, 6;
		$there .= "Match LocalPort $ports[$n - 1]\n  ForceCommand cd $dir/host$n && PATH=$dir/bin:\$PATH && echo x >> $dir/host$n/jobs && eval \"\$SSH_ORIGINAL_COMMAND\"\n";
		$here .= "Host host$n\n  HostName 127.0.0.1\n  Port $ports[$n - 1]\n";
	}
	$here .= "Host *\n  User $user\n  IdentityFile $dir/ssh/id\n  IdentitiesOnly yes\n  IdentityAgent none\n  BatchMode yes\n"
		. "  StrictHostKeyChecking accept-new\n  UserKnownHostsFile $dir/ssh/known\n  LogLevel ERROR\n";
	spew("$dir/ssh/sshd_config", $there);
	spew("$dir/ssh/ssh_config", $here);
	my ($ssh) = grep { -x } map { "$_/ssh" } split /:/, $ENV{PATH};
	spew("$dir/bin/ssh", "#!/bin/sh\nexec $ssh -F $dir/ssh/ssh_config \"\$@\"\n");
	chmod 0755, "$dir/bin/ssh";
	my $pid = fleet_daemon("$dir/ssh/log", '/usr/sbin/sshd', '-D', '-e', '-f', "$dir/ssh/sshd_config");
	wait_until(60, sub { system("$dir/bin/ssh host1 true && $dir/bin/ssh host2 true 2>/dev/null") == 0 }) or diag(slurp("$dir/ssh/log")), return;
	unlink "$dir/host1/jobs", "$dir/host2/jobs";
	return $pid;
}

SKIP: {
	skip 'no sshd here: apt-get install openssh-server', 1 if !-x '/usr/sbin/sshd' || !fleet_have('ssh') || !fleet_have('ssh-keygen');
	mkdir '/run/sshd', 0755;	# it stays: the sshd of another test may be about to need it
	skip '/run/sshd is not there, and cannot be made', 1 if !-d '/run/sshd';
	my $server = machines();
	ok($server, 'an sshd of our own') or last;
	my $seen = 0;
	$answers = fleet_page($dir, 'parallel', $want, take => sub { $seen ||= $_[0] =~ /--sshlogin/; return $_[0] !~ /--pipe/ && ($seen || $_[0] =~ /^find/) },
		before => sub { fleet_kill($dir, 'self') if $_[0] =~ /--retries/ },
		after => sub {
			my ($cmd) = @_;
			return if $cmd !~ /--sshlogin/;
			ok(fleet_killed($dir), 'a job of another machine was killed') if $cmd =~ /--retries/;
			states_are($cmd, $cmd =~ /--nonall/ ? 2 : 3);
			ok(-s "$dir/host1/jobs" && -s "$dir/host2/jobs", 'both machines had work (else: it ran here)');
			unlink "$dir/host1/jobs", "$dir/host2/jobs";
		});
	is($answers, 2, 'two answers of two machines');
	fleet_end($server);
}

done_testing();
