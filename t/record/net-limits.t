# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -l left running: clients that are silent, slow, many, greedy or packed like bombs, places and
# ports that run out, a full disk, processes that die, directories that others prepare.  All on loopback, with
# bounded numbers.
#
# of: record/net
# Without it: one machine, silent or greedy, keeps all others out of a server, or fills its disk.
use strict;
use warnings;
use Test::More;
use Fcntl ();
use IO::Select ();
use POSIX ();
use Time::HiRes ();
use lib 't/lib';
use Write::Dat;
use Run::Clock;
use Run::Server;
use Run::V3Client;
use Run::Program;

use constant ALIVE => 0x5a454404;	# between two of ours: "I live"

my $root = !$>;
my $plain = mini();
my $metadata = Run::V3Client::of_mini($plain);
my $page = substr mini_pages($plain, 0), 0, 4096;
my $two_hosts = eval { Run::V3Client->new(port => 1, from => '127.0.0.2') } || $@ !~ /bind/;

# A stock client that has come as far as it can without data: every data connection is made.
sub ready {
	my ($s, %o) = @_;
	my $cpus = delete $o{cpus} // 1;
	my @options = @{delete $o{options} // []};
	my $c = Run::V3Client->new(port => $s->{port}, %o)->hello->init($cpus, 4096, @options)->metadata($metadata);
	$c->data_socket($_) for 0 .. $cpus - 1;
	return $c;
}

# One of ours says that it is one.
sub of_ours { my ($s, %o) = @_; return ready($s, %o, options => ['tcp', 'zed']) }

# What the server's NOT_SUPP says why; '' for another answer.
sub why_of {
	my $c = shift;
	my ($command, undef, $data) = eval { $c->answer };
	return ($command // -1) == $Run::V3Client::COMMAND{NOT_SUPP} ? $data : '';
}

sub has_ended { my $c = shift; return IO::Select->new($c->{control})->can_read(0) ? 1 : 0 }

sub files { my $s = shift; return map { "$s->{dir}/$_/trace.dat" } runs($s) }

sub count_in { my ($s, $re) = @_; return scalar(() = slurp($s->{log}) =~ /$re/g) }

# ---------------------------------------------------------------- a handshake without an end

my $clock = clock_new();
my $slow = server({ clock => $clock });
my $asker = Run::V3Client->new(port => $slow->{port});
eval {
	# Two versions in turn, each of which is answered.
	$asker->get(8);
	for (1 .. 150) {
		$asker->put($asker->{control}, '-1V' . (4 + $_ % 2) . "\0");
		last if length $asker->get(3) < 3;
		clock_forward($clock, 0.2);
	}
};
ok(said($slow, qr/its handshake and metadata take longer than 15 seconds/), 'a handshake that goes on and on ends after 15 seconds (else: it holds a place for ever)');
cmp_ok($clock->{ahead}, '<', 30e9, 'that is: not after 30');
is(end_server($slow), 0, 'that server ends well');

# ---------------------------------------------------------------- silence

# Less than the minute in which data connections have to be made.
my $s = server({ clock => $clock }, '--idle', 40);
my $silent = ready($s);
my $trickle = ready($s);
my $half = ready($s);
$half->pages(0, substr $page, 0, 4000);
my $mumbler = ready($s);
$mumbler->put($mumbler->{control}, pack 'N2', 5000, 3);
my $unconnected = Run::V3Client->new(port => $s->{port})->hello->init(2, 4096)->metadata($metadata);
my $lively = ready($s);
my $ours = of_ours($s);
my $pages = 0;
for (1 .. 10) {
	eval { $trickle->pages(0, 'x') } if !has_ended($trickle);
	$lively->pages(0, $page);
	$pages++;
	$ours->message(ALIVE, '', '');
	taken($lively->data_socket(0), $ours->{control});
	clock_forward($clock, 5);
}
my %who = (silent => $silent, 'sends a byte now and then' => $trickle, 'stopped within a page' => $half,
	'stopped within a message' => $mumbler, 'never made its data connections' => $unconnected);
ok(wait_for(sub { has_ended($who{$_}) }), "one that $_ loses its place after --idle (else: 64 of them block the server for ever)")
	for sort grep { $_ ne 'silent' } keys %who;
ok(wait_for(sub { has_ended($silent) }), 'one that is silent too');
wait_for(sub { count_in($s, qr/ended too early/) >= 5 });
is(count_in($s, qr/ended too early \(nothing was received for the time that --idle allows\): everything received is kept/), 5, 'each is said, and why');
ok(!has_ended($lively), 'one that sends a page now and then goes on (else: quiet recordings are cut)');
ok(!has_ended($ours), 'so does one of ours that has nothing to send but says that it lives');
$_->finish for $lively, $ours;
wait_for(sub { count_in($s, qr/end of run/) >= 7 });
is(scalar(grep { zed_run('zedprint', $_)->{exit} } files($s)), 0, 'the files of all of them are whole');
is(count_in($s, qr/, @{[4 * $pages]} KiB data$/m), 2, 'and that of the lively one has all its pages') or diag(slurp($s->{log}));
is(end_server($s), 0, 'the server ends well');

$s = server({ clock => $clock }, '--idle', 0);
$silent = ready($s);
wait_for(sub { files($s) });
for (1 .. 10) {
	clock_forward($clock, 1e6);
	Time::HiRes::sleep(0.02);
}
$silent->pages(0, $page);
$silent->finish;
like(report($s, 1), qr/^Total: 31 events/m, '--idle 0: for ever');
end_server($s);

# ---------------------------------------------------------------- all places taken

SKIP: {
	skip 'no second loopback address', 6 if !$two_hosts;
	# A hundredth of it is how long one must have been silent to lose its place: longer than this test takes.
	$s = server({ clock => $clock }, '--idle', 50_000);
	my @all;
	for my $host (1 .. 4) {
		for (1 .. 16) {
			push @all, ready($s, from => "127.0.0.$host");
			next if @all > 2;
			wait_for(sub { glob("$s->{dir}/*/trace.dat.zed") && files($s) == @all });
			settled($s, $all[-1]{control});
			clock_forward($clock, 1);
		}
	}
	my $late = Run::V3Client->new(port => $s->{port}, from => '127.0.0.9');
	is($late->get(999), "zedtrace: all 64 places are taken\n", 'the 65th is told that there is no place (else: it waits for nothing)');
	wait_for(sub { files($s) == @all });
	settled($s, map { $_->{control} } @all);
	clock_forward($clock, 600);
	my $first = shift @all;
	# It was the oldest, and is no more, once its process has taken that.
	my $stored = sub { my $n = 0; $n += (stat)[12] // 0 for map { glob "$_.zed/*" } files($s); $n };
	my $before = $stored->();
	$first->pages(0, $page);
	wait_for(sub { $stored->() > $before }) or diag('a page is not stored');
	settled($s);
	$late = Run::V3Client->new(port => $s->{port}, from => '127.0.0.9');
	is($late->get(8), 'tracecmd', 'when all are silent the one that is so longest makes room (else: silence keeps everybody out)');
	ok(wait_for(sub { has_ended($all[0]) }), 'which is the one from which nothing came longest');
	is(scalar(grep { has_ended($_) } $first, @all), 1, 'and no other (else: one newcomer costs many recordings)');
	ok(said($s, qr/other clients wait for its place\): everything received is kept/), 'it is said');
	$_->die_now for $first, @all, $late;
	is(end_server($s), 0, 'the server ends well');
}

# ---------------------------------------------------------------- data connections

$s = server('--max-cpus', 4);
my $many = Run::V3Client->new(port => $s->{port})->hello;
eval { $many->init(5, 4096) };
ok(said($s, qr/5 CPUs: must be 1 to 4 \(--max-cpus\)/), 'more CPUs than --max-cpus are refused (else: one client takes all ports)');
my $told = Run::V3Client->new(port => $s->{port})->hello;
$told->message('TINIT', pack('N3', 5, 4096, 2), "tcp\0zed\0");
like(why_of($told), qr/^5 CPUs: must be 1 to 4/, 'and one of ours is told why');
my @held = map { ready($s, cpus => 4) } 1, 2;
eval { Run::V3Client->new(port => $s->{port})->hello->init(1, 4096) };
ok(said($s, qr/1 CPU: together with those of the other clients more than 8 of one machine, or 16 in total/),
	'the clients of one machine have no more than twice that together');
SKIP: {
	skip 'no second loopback address', 2 if !$two_hosts;
	push @held, map { ready($s, cpus => 4, from => '127.0.0.2') } 1, 2;
	is(scalar(@held), 4, 'another machine has its own');
	eval { Run::V3Client->new(port => $s->{port}, from => '127.0.0.3')->hello->init(1, 4096) };
	ok(wait_for(sub { count_in($s, qr/or 16 in total/) == 2 }), 'and all together no more than four times');
}
$_->die_now for @held;
ok(wait_for(sub { !children($s) }), 'their processes end');
is(eval { ready($s, cpus => 4)->die_now; 1 }, 1, 'what they had is free again (else: the server needs a new start)') or diag($@);
end_server($s);

# ---------------------------------------------------------------- how much

# Send pages until the server takes no more, 8 MiB at most.
sub flood {
	my $c = shift;
	local $c->{timeout} = 20;
	eval { $c->pages(0, $page x 16) for 1 .. 128; 1 } and return 'it takes them all';
	return 'cut off';
}

$s = server('--max-size', '200K');
my $greedy = of_ours($s);
is(flood($greedy), 'cut off', 'a client gets no more than --max-size');
is(why_of($greedy), 'the limit of 200 KiB (--max-size) is reached: later data were discarded',
	'and one of ours is told so (else: it takes it for a broken network)');
like(report($s, 1), qr/^Total: \d+ events/m, 'its file is whole');
my $named = of_ours($s);
$named->pages(0, $page);
for my $i (1 .. 150) {
	last if !eval { $named->message(0x5a454401, '', join '', map { "$_ task$_\n" } $i * 100 .. $i * 100 + 99) };
}
like(why_of($named), qr/^the limit of 200 KiB/, 'names count as well');
$named->die_now;
report($s, 2);
is(scalar(grep { -s > 200 * 1024 } files($s)), 0, 'no file is greater than it') or diag(join ' ', map { -s } files($s));
my $exact = of_ours($s);
$exact->pages(0, $page);
$exact->end_data->message('CLOSE', '', '');
is(($exact->answer)[0], $Run::V3Client::COMMAND{CLOSE}, 'one of ours hears when all was taken (else: it does not know)');
end_server($s);

$s = server({ clock => $clock }, '--max-total', '300K');
my @racers = map { of_ours($s) } 1 .. 3;
my @cut = map { flood($_) } @racers;
is("@cut", 'cut off cut off cut off', 'clients together get no more than --max-total');
like(join('', map { why_of($_) } @racers), qr/^the limit of 300 KiB for all recordings \(--max-total\) is reached/m, 'and are told so');
ok(wait_for(sub { !children($s) }), 'their runs end');
my $disk = 0;
$disk += (stat)[12] * 512 for files($s);
cmp_ok($disk, '<=', 330 * 1024, 'what lies on disk is no more') or diag($disk);
cmp_ok($disk, '>', 200 * 1024, 'and the limit is made use of');
is(scalar(grep { zed_run('zedprint', $_)->{exit} } files($s)), 0, 'their files are whole');
my $next = Run::V3Client->new(port => $s->{port});
like($next->get(999), qr/^zedtrace: the recordings fill the limit of 300 KiB for all of them \(--max-total\)/, 'then nobody is let in, and told why');
unlink files($s);
clock_forward($clock, 1);
$next = Run::V3Client->new(port => $s->{port});
is($next->get(8), 'tracecmd', 'until somebody has made room (else: the server needs a new start)');
$next->die_now;
end_server($s);

# What was there before the server counts.
my $old = "$s->{dir}/192.0.2.1-2026-02-03-04:05:06-2";
mkdir $old;
open my $fat, '>', "$old/trace.dat" or die "$old: $!\n";
print $fat 'x' x (400 << 10);
close $fat;
symlink '/', "$s->{dir}/192.0.2.2-2026-02-03-04:05:06";
my $again = server({ dir => $s->{dir} }, '--max-total', '300K');
like(Run::V3Client->new(port => $again->{port})->get(999), qr/--max-total/, 'recordings of an earlier server count too');
end_server($again);

# ---------------------------------------------------------------- metadata

$s = server();
my $bomb = Run::V3Client::of_mini(Write::Dat->new(page_size => 4096, compression => 'zlib', kallsyms => "\n" x (20 << 20)));
cmp_ok(length $bomb, '<', 60 << 10, 'metadata of a few KiB that unpack to 20 MiB');
eval { Run::V3Client->new(port => $s->{port})->hello->init(1, 4096)->metadata($bomb) };
ok(said($s, qr/unpacked size is 20 MiB; the limit for \d+ KiB is \d MiB/), 'are refused (else: 6.9 KB cost 123 MB)');
SKIP: {
	my $file = (zed_shared() // '/nowhere') . '/data/hostile/network-metadata-bomb.zst';
	skip 'the hostile recordings are not here', 1 if !-e $file;
	my $n = count_in($s, qr/dropped: metadata/);
	eval { Run::V3Client->new(port => $s->{port})->hello->init(1, 4096)->metadata(scalar `zstd -dc $file`) };
	ok(wait_for(sub { count_in($s, qr/dropped: metadata/) > $n }), 'so are those of the review');
}
my $large = Run::V3Client::of_mini(Write::Dat->new(page_size => 4096, kallsyms => "c0001000 T a_symbol\n" x (1 << 20)));
my $honest = Run::V3Client->new(port => $s->{port})->hello->init(1, 4096)->metadata($large);
$honest->pages(0, $page);
wait_for(sub { files($s) && -e "$s->{dir}/" . (runs($s))[0] . '/trace.dat.zed' });
my ($child) = children($s);
my $resident = sub { (slurp("/proc/$child/status") =~ /^VmRSS:\s*(\d+)/m)[0] };
SKIP: {
	skip 'a sanitizer has its own ideas of memory', 1 if $ENV{ZED_SAN};
	ok(wait_for(sub { $resident->() < 12 << 10 }), 'of 20 MiB of honest metadata a session keeps none in memory (else: 64 of them fill it)') or diag($resident->());
}
SKIP: {
	skip 'a sanitizer cannot be confined', 1 if $ENV{ZED_SAN};
	like(slurp("/proc/$child/limits"), qr/^Max address space\s+536870912 /m, 'the kernel keeps its process within bounds');
}
$honest->finish;
like(report($s, 1), qr/^Total: 31 events/m, 'and it is served');

# ---------------------------------------------------------------- who comes too often

my $often = server();
for my $i (1 .. 330) {
	my $c = Run::V3Client->new(port => $often->{port}) or next;
	$c->get(1);
	$c->die_now;
}
ok(said($often, qr/127\.0\.0\.1: more than 300 connections in a minute: further ones are closed/),
	'one that connects without end is said once');
is(count_in($often, qr/connection from/), 300, 'and then no more heard (else: it fills the log, and the machine with processes)');
SKIP: {
	skip 'no second loopback address', 1 if !$two_hosts;
	is(Run::V3Client->new(port => $often->{port}, from => '127.0.0.2')->get(8), 'tracecmd', 'others are');
}
end_server($often);

# ---------------------------------------------------------------- a process that dies

my $doomed = ready($s);
$doomed->pages(0, $page x 8);
wait_for(sub { grep { -d "$_.zed" } files($s) });
wait_for(sub { my ($d) = map { glob "$_.zed/cpu*" } files($s); $d && (stat $d)[12] * 512 >= 32 << 10 });
kill 'KILL', children($s);
ok(said($s, qr/its process was killed by signal 9: everything received is kept: run zedtrace --recover \S+\.zed$/m), 'a crash is said, and what can be done');
my ($left) = slurp($s->{log}) =~ /--recover (\S+)/;
SKIP: {
	skip 'nothing is left', 1 if !defined $left;
	is(zed_run('zedtrace', '--recover', $left, '-o', zed_tmp() . '/recovered.dat')->{exit}, 0, 'and that can be done as said')
}
my $stillborn = Run::V3Client->new(port => $s->{port})->hello;
kill 'KILL', children($s);
ok(said($s, qr/its process was killed by signal 9$/m), 'a crash before there is anything too');
my $dirs = runs($s);
send_mini(Run::V3Client->new(port => $s->{port}), $plain);
report($s, 2);
is(scalar(runs($s)), $dirs + 1, 'and the server goes on');
ok(wait_for(sub { !children($s) }), 'no process stays');
is(end_server($s), 0, 'it ends well');

# ---------------------------------------------------------------- modes, links, users

my $mask = umask 0;
$s = server({ mode => 0777 });
umask $mask;
like(slurp($s->{log}), qr/every user may write to this directory/, 'a directory that everybody may write to is said');
my $elsewhere = zed_tmp() . '/elsewhere';
mkdir $elsewhere;
for (0 .. 60) {
	my $name = POSIX::strftime('127.0.0.1-%Y-%m-%d-%H:%M:%S', localtime time + $_);
	symlink $elsewhere, "$s->{dir}/$name";
}
send_mini(Run::V3Client->new(port => $s->{port}), $plain);
report($s, 1);
my @made = grep { !-l "$s->{dir}/$_" } runs($s);
like("@made", qr/^127\.0\.0\.1-\S+-2$/, 'a link in the way of a name is not followed: another name is taken');
is(join(' ', glob "$elsewhere/*"), '', 'nothing is written behind it (else: who prepares links chooses where we write)');
is(sprintf('%o %o', map { (stat)[2] & 07777 } map { ("$s->{dir}/$_", "$s->{dir}/$_/trace.dat") } @made), '700 600',
	'directories are for us only, and files (else: everybody reads what everybody did)');
end_server($s);

SKIP: {
	skip 'only root can become another', 10 if !$root;
	my ($name, $uid, $gid) = (getpwnam 'nobody')[0, 2, 3];
	skip 'there is no user nobody', 10 if !$uid;
	chmod 0711, zed_tmp();
	$s = server({ child => sub { chown $uid, $gid, $_[0]{dir} } }, '--user', 'nobody');
	my $status = slurp("/proc/$s->{pid}/status");
	like($status, qr/^Uid:(\s+$uid){4}\s*$/m, '--user: all user numbers are its');
	like($status, qr/^Gid:(\s+$gid){4}\s*$/m, 'all group numbers');
	like($status, qr/^Groups:\s+$gid\s*$/m, 'and no group of root stays');
	like($status, qr/^CapPrm:\s+0+$/m, 'nor a capability (else: root can be had back)');
	send_mini(Run::V3Client->new(port => $s->{port}), $plain);
	report($s, 1);
	is(join(' ', map { (stat)[4] } files($s)), $uid, 'what it writes is that user\'s');
	is(end_server($s), 0, 'it ends well');
	my $r = zed_run('zedtrace', '-l', '-p', '0', '-D', zed_tmp(), '--user', 'nobody');
	ok($r->{exit} == 2 && $r->{err} =~ /cannot keep recordings in it .*chown.*Permission denied/, 'a directory that it may not write to is refused at the start')
		or diag($r->{err});
	my @wrong = map { zed_run('zedtrace', '-l', '-p', '0', '--user', $_)->{err} } 'no-such-user', 'root';
	like("@wrong", qr/no such user.*this is root/s, 'so are a user that is none, and root');
	skip 'a sanitizer needs a process of its own at the end', 2 if $ENV{ZED_SAN};
	# Processes run out.
	$s = server({ child => sub { chown $uid, $gid, $_[0]{dir} }, run => ['prlimit', '--nproc=0'] },
		'--user', 'nobody');
	like(Run::V3Client->new(port => $s->{port})->get(999), qr/^zedtrace: cannot create a process: /,
		'a client for whom no process can be made is told so');
	is(end_server($s), 0, 'and the server goes on until it is ended');
}

SKIP: {
	skip 'only root can make a network of its own', 2 if !$root || system 'unshare -n true 2>/dev/null';
	my @said = map {
		my $s = server({ run => ['unshare', '-n'] }, '-a', '0.0.0.0', @$_);
		end_server($s);
		slurp($s->{log}) =~ /serving other machines as root: with --user NAME/ ? 'hint' : '';
	} [], ['-o', '-', '--user', 'nobody'];
	is($said[0], 'hint', 'root is told how not to serve the network as root');
	is($said[1], '', 'and not when that is done');
}

# Descriptors run out: 0 to 2, listeners, directory, lock, and a pipe are all there is.
for my $files (8, 9) {
	$s = eval { server({ files => $files }, '-a', '127.0.0.1') };
	next if !$s;
	my $waits = Run::V3Client->new(port => $s->{port});
	if (wait_for(sub { slurp($s->{log}) =~ /cannot accept a connection: Too many open files: it has to wait/ })) {
		my ($before, $after) = map { Time::HiRes::sleep($_); my @of = split ' ', slurp("/proc/$s->{pid}/stat") =~ s/^.*\)//sr; $of[11] + $of[12] } 0, 0.5;
		pass('a server that has no descriptor left says so');
		cmp_ok($after - $before, '<', 10, 'and does not spin (else: it burns a CPU)');
		is(count_in($s, qr/Too many open files/), 1, 'nor fill its log');
		is(end_server($s), 0, 'and ends well');
		last;
	}
	end_server($s);
}

# ---------------------------------------------------------------- a full disk

SKIP: {
	skip 'only root can mount a small disk', 5 if !$root;
	skip 'no file system can be mounted here', 5 if system "unshare -m mount -t tmpfs -o size=1M none /mnt 2>/dev/null";
	$s = server({ run => ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs -o size=1M none "$6" && exec "$@"', 'sh'] });
	my $inside = "/proc/$s->{pid}/root$s->{dir}";
	my $filler = of_ours($s);
	is(flood($filler), 'cut off', 'a full disk ends the run');
	like(why_of($filler), qr/the server cannot accept it/, 'which the client learns');
	ok(said($s, qr/No space left on device \(everything before is kept: free some space, then run zedtrace --recover \S+\.zed\)/), 'and the log')
		or diag(slurp($s->{log}));
	eval { Run::V3Client->new(port => $s->{port})->hello->init(1, 4096)->metadata($metadata) };
	ok(said($s, qr/dropped: cannot keep its metadata: No space left/), 'the next one has no place for its metadata');
	opendir my $dh, $inside or die "$inside: $!\n";
	for my $run (grep { !/^\./ } readdir $dh) {
		unlink glob "$inside/$run/trace.dat.zed/*";
	}
	send_mini(Run::V3Client->new(port => $s->{port}), $plain);
	like(report($s, 1), qr/^Total: @{[scalar $plain->events]} events/m, 'and when there is room again, the next is served');
	end_server($s);
}

is(join('', map { grep { /Sanitizer|runtime error|ended by signal (?!9)/ } split /^/, slurp($_) } glob zed_tmp() . '/log*'), '',
	'no process of a server crashed');

done_testing();
