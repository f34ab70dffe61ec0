# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurm: the script and commands of docs/fleet/slurm.md, by a Slurm of the test's own on one node: munged, slurmctld and
# slurmd with their own folder, ports and key. A task is killed in the middle. Without it map.sh could end a killed task
# as a good one, or the reduce be cancelled.
#
# of: docs/fleet programs/zedperl/fleet
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Docs;
use Run::FleetEngine;
use Run::Process;
use POSIX ();
use Run::Program qw(same slurp spew);

my ($ctld, $node, $munged) = map { my $name = $_; (grep { -x } "/usr/sbin/$name", "/usr/bin/$name")[0] } qw(slurmctld slurmd munged);
plan skip_all => 'no Slurm here: apt-get install slurm-wlm munge (ENGINES=1 make test)' if !$ctld || !$node || !$munged || !fleet_have('sbatch');
plan skip_all => 'Slurm\'s daemons need root here' if $> != 0;
my $host = (POSIX::uname())[1] =~ s/\..*//r;
plan skip_all => "the name of this machine, $host, has no address: Slurm needs one" if !gethostbyname $host;

my $dir = fleet_sandbox('slurm');
my $want = fleet_answer($dir);

# ---- a Slurm

mkdir "$dir/$_", $_ =~ /run/ ? 0755 : 0700 for qw(munge run state spool log);
chmod 0755, $dir, "$dir/..", "$dir/run";	# munged minds who may write above its socket
open my $random, '<:raw', '/dev/urandom' or die;
read $random, my $key, 1024;
chmod 0400, spew("$dir/munge/key", $key);
my ($port, $node_port) = map { fleet_port() } 1, 2;
spew("$dir/slurm.conf", <<"END");
ClusterName=zed
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/run/munge.socket,cred_expire=5
SlurmctldPort=$port
SlurmdPort=$node_port
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
ReturnToService=2
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=t Nodes=ALL Default=YES MaxTime=10 State=UP
END
$ENV{SLURM_CONF} = "$dir/slurm.conf";

# What Slurm says in its logs.
sub logs { return map { -e "$dir/log/$_" ? "$_:\n" . slurp("$dir/log/$_") : () } qw(munged slurmctld slurmd out) }

my @up = fleet_daemon("$dir/log/out", $munged, '-F', '-S', "$dir/run/munge.socket", "--key-file=$dir/munge/key", "--pid-file=$dir/munged.pid",
	"--log-file=$dir/log/munged", "--seed-file=$dir/munge/seed");
wait_until(20, sub { -S "$dir/run/munge.socket" });
unshift @up, fleet_daemon("$dir/log/out", $ctld, '-D');
unshift @up, fleet_daemon("$dir/log/out", $node, '-D', '-N', $host);
ok(wait_until(60, sub { qx{sinfo -h -o %t 2>/dev/null} =~ /^idle$/m }), 'a node is up') or diag(logs());

# ---- the page

my ($job, $restarts) = ('', 0);
my $answers = fleet_page($dir, 'slurm', $want, seconds => 150,
	before => sub { fleet_kill($dir, 'self') if $_[0] =~ /--array/ },
	after => sub {
		my ($cmd) = @_;
		if ($cmd =~ /--array/) {
			$job = slurp("$dir/job") =~ s/\s.*//sr;
		} elsif ($cmd =~ /--wait/) {
			my @tasks = split /\n/, qx{scontrol show job $job -o};
			is(scalar(grep { /JobState=COMPLETED/ } @tasks), 4, 'four tasks went well') or diag(@tasks, logs());
			$restarts += $_ for map { /Restarts=(\d+)/ } @tasks;
		}
	});
is($answers, 1, 'the answer');
ok(fleet_killed($dir), 'a task was killed in the middle of its state');
is($restarts, 1, 'and was requeued, once (else: its traces are missing, or the reduce is cancelled)');
is(join(' ', map { s{.*/}{}r } sort glob "$dir/states/*"), '0.state 1.state 2.state 3.state answer', 'a state of each task, and no half one');

# The script killed, not its zedperl: nothing requeues that, and the reduce must not run. Then the same commands again.
for my $killed (1, 0) {
	my @commands = do { local @Run::Docs::WORDS = qw(sbatch); grep { defined $_->{cmd} } Run::Docs::of_page('docs/fleet/slurm.md') };
	unlink "$dir/states/answer";
	fleet_kill($dir, 'parent') if $killed;
	my @status = map { Run::Docs::run($dir, $_->{cmd}, 100)->[0] } @commands;
	is($status[0], 0, 'the array is there');
	if ($killed) {
		ok(fleet_killed($dir), 'a map.sh was killed');
		is(scalar(grep { /JobState=CANCELLED/ } split /\n/, qx{scontrol show job -o}), 1, '... so the reduce is cancelled, as the page says');
		ok(!-e "$dir/states/answer", '... and has answered nothing (else: an answer of three quarters of a fleet)');
	} else {
		is($status[1], 0, 'the same commands again');
		same(slurp("$dir/states/answer"), $want, '... answer');
	}
}

END {
	my $status = $?;
	system 'timeout 10 scancel -u root >/dev/null 2>&1' if @up;
	fleet_end(@up);
	$? = $status;
}

done_testing();
