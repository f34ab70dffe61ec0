# SPDX-License-Identifier: GPL-2.0-or-later
#
# streaming: the commands of docs/fleet/streaming.md: map | sort | reduce by hand, and by stand-ins of Hadoop and Spark
# that keep to their documents; from a server of files. Without it the page is a guess about programs that Debian has not.
#
# of: docs/fleet docs/zedperl.pod programs/zedperl/fleet
use strict;
use warnings;
use Test::More;
use IO::Socket::INET;
use lib 't/lib';
use Run::EngineStandins;
use Run::FleetEngine;
use POSIX ();
use Run::Program qw(same slurp spew zed_bin);
use Write::ZedStream;

my $dir = fleet_sandbox('streaming');
my $want = fleet_answer($dir);
my $python = standins($dir);

my $answers = fleet_page($dir, 'streaming', $want, env => { STANDIN_DIR => $dir },
	take => sub { $_[0] !~ /^(?:curl|zedperl)/ && ($python || $_[0] !~ /spark/) },
	before => sub {
		fleet_kill($dir, 'self') if $_[0] =~ /hadoop jar|spark-submit/;
	},
	after => sub { ok(fleet_killed($dir), 'a map was killed in the middle of its state') if $_[0] =~ /hadoop jar|spark-submit/ });
note('no python3 here: Spark\'s program was not run') if !$python;
is($answers, $python ? 3 : 2, 'by hand, by Hadoop\'s protocol, by Spark\'s');
is(scalar(() = glob "$dir/slice.*"), 3, 'by hand there were three slices');
cmp_ok(scalar(() = glob "$dir/hdfs/task.*"), '>', 5, 'Hadoop\'s had tasks');
my $state = slurp("$dir/hdfs/states/part-00000");
is(scalar(() = $state =~ /\n/g), 1, 'the reducer has put the states together (else: the last line does its work)');

# What the page warns of is so.
is(system("cd $dir && PATH=$dir/bin:\$PATH && : | zedperl --reduce --map wakeup-latency > none 2>&1") >> 8, 2, 'a reducer without a line fails, as the page says');
is(system("cd $dir && PATH=$dir/bin:\$PATH && printf '7\\ttraces/none.dat\\n8\\ttraces/rt.dat\\n' | sh map.sh > one.state 2>none") >> 8, 0, 'a trace that is not there costs itself (else: the task is tried four times, and the job ends)');
like(slurp("$dir/none"), qr{traces/none\.dat: failed}, 'and is told');
like(slurp("$dir/one.state"), qr/\Azed-state-1.*\n\z/, 'the other one is in the state');

# ---- a server of files: what GET asks for, from DIR/store

my $port;
sub serve {
	my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 8) or die "listen: $!\n";
	$port = $listen->sockport;
	my $pid = fork // die "fork: $!\n";
	return $pid if $pid;
	alarm 300;
	$SIG{PIPE} = 'IGNORE';	# a zedperl that refuses closes curl's pipe
	while (my $client = $listen->accept) {
		my ($name) = (<$client> // '') =~ m{\AGET /([\w.-]+) HTTP};
		while (defined(my $line = <$client>)) {
			last if $line =~ /\A\r?\n/;
		}
		my $there = defined $name && -e "$dir/store/$name";
		my $body = $there ? slurp("$dir/store/$name") : "none\n";
		my $cut = $name =~ /^cut/ ? int(length($body) / 2) : length $body;
		print $client 'HTTP/1.1 ' . ($there ? '200 OK' : '404 Not Found') . "\r\nContent-Length: " . length($body) . "\r\nConnection: close\r\n\r\n", substr $body, 0, $cut;
		close $client;
	}
	POSIX::_exit(0);
}

# What a shell prints of COMMAND, its messages and status.
sub get {
	my ($command) = @_;
	my $out = qx{cd $dir && PATH=$dir/bin:\$PATH TMPDIR=$dir/missing bash -c '$command' 2>$dir/said};
	return { out => $out, err => slurp("$dir/said"), status => $? >> 8 };
}

SKIP: {
	my ($curl) = grep { -x } map { "$_/curl" } split /:/, $ENV{PATH};
	skip 'no curl here: apt-get install curl', 1 if !$curl;
	mkdir "$dir/store";
	Write::ZedStream::from_dat('t/data/demo.dat')->write("$dir/store/demo.zed");
	system('cp', '--', 't/data/rt.dat', 't/data/demo.dat', 't/data/armhf_zstd.dat', 't/data/perf/pipe.data', 't/data/perf/sched.data', "$dir/store") == 0 or die;
	spew("$dir/store/cut.zed", slurp("$dir/store/demo.zed"));
	my $server = serve();
	spew("$dir/bin/curl", "#!/bin/sh\nexec $curl --noproxy '*' --connect-to ::127.0.0.1:$port \"\$@\"\n");
	chmod 0755, "$dir/bin/curl";
	my $two = fleet_answer($dir, 'store/demo.zed', 'store/rt.dat');
	is(fleet_page($dir, 'streaming', $two, env => { TMPDIR => "$dir/missing" }, upto => qr/^the longest waits/m, take => sub { $_[0] =~ /^(?:curl|zedperl)/ }), 1, 'from a store: the answer of its two traces');

	my $pod = slurp('docs/zedperl.pod');
	my ($command) = $pod =~ /^=head2 From a pipe\n\n    (curl .*)\n/m;
	my $r = get($command =~ s{https://host/trace}{http://host/demo}r);
	is($r->{status}, 0, 'the manual\'s command, where there is no folder for temporary files (else: the manual is wrong)') or diag($r->{err});
	my $file = get('zedperl --map store/demo.zed wakeup-latency')->{out};
	is(($r->{out} =~ /("rows":\{.+\}\}),"still"/)[0] // 'none', ($file =~ /("rows":\{.+\}\}),"still"/)[0], 'its state has the rows of the file');
	for (['pipe.data', 0], ['sched.data', 2], ['demo.dat', 2], ['armhf_zstd.dat', 2]) {
		my ($name, $status) = @$_;
		my $asks = get("curl -sf http://store/$name | zedperl --map - countall");
		is($asks->{status}, $status, "$name " . ($status ? 'needs a temporary file' : 'is read as it comes') . ', as the page and the manual say') or diag($asks->{err});
		like($asks->{err}, $status ? qr{^zedperl: -: cannot keep a copy of the pipe in \Q$dir\E/missing \(set TMPDIR} : qr/\A\z/, '... which is said');
		is(get("curl -sf http://store/$name | TMPDIR=$dir zedperl --map - countall")->{status}, 0, '... and where it may be made, that does');
	}
	is(scalar(grep { !/^\.\.?$/ && /zed.*tmp|tmp.*zed/i } do { opendir my $dh, $dir or die; readdir $dh }), 0, 'which leaves nothing');
	$r = get('curl -sf http://store/cut.zed | zedperl --map - wakeup-latency');
	is($r->{status}, 1, 'a transfer that breaks off: 1 (else: half a trace passes for a whole one)');
	like($r->{err}, qr/^zedperl: -: /m, 'and the message says where');
	like($r->{out}, qr/\Azed-state-1/, 'what came is in the state');
	isnt(get('set -o pipefail; curl -sf http://store/none.zed | zedperl --map - wakeup-latency')->{status}, 0, 'a trace that is not in the store');
	is(get('zedperl --map - wakeup-latency < /dev/null')->{out}, '', 'and makes no state');
	kill 'TERM', $server;
	waitpid $server, 0;
}

done_testing();
