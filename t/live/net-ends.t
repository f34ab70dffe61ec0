# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -h whose server ends the run at each moment of it, in each way, while the command runs or has just ended.
#
# of: record/net record/recorder.c programs/zedtrace programs/session/command.c
# Without it: a client whose server has not taken everything exits 0, and a script goes on with half of a recording.
# runs: make check
use strict;
use warnings;
use Test::More;
use IO::Select;
use IO::Socket::INET;
use POSIX ();
use Socket qw(SOL_SOCKET SO_LINGER);
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

live_or_skip();
my $dir = zed_tmp();

# What RINIT's numbers and the messages are: record/net/wire.h.
my ($ZED, $ALIVE_MS, $TAKES_NAMES, $ONE_STREAM) = (0x5a454400, 1000, 1, 2);
my %MESSAGE = (close => 0, why => 5, stored => $ZED + 6);
my ($PAGES, $END) = (3, 8);	# kinds of frames: docs/zed-stream.pod
my $WHY = 'the limit of 1 MiB (--max-size) is reached: later data were discarded';

sub message {
	my ($s, $what, $data) = @_;
	return print $s pack('N3', 12 + length($data // ''), $MESSAGE{$what}, 0) . ($data // '');
}

sub take {
	my ($s, $n) = @_;
	my $b = '';
	while (length $b < $n) {
		IO::Select->new($s)->can_read(30) && sysread($s, $b, $n - length $b, length $b) or die "the client has hung up\n";
	}
	return $b;
}

# A client that has come, up to RINIT, which says BITS; its connections: the first one, and those of data.
sub welcome {
	my ($l, $bits) = @_;
	my $s = $l->accept or die "accept: $!\n";
	$s->autoflush(1);
	print $s 'tracecmd';
	take($s, 5);
	print $s "V3\0";
	take($s, 8);
	print $s 'OK';
	my ($size) = unpack 'N3', take($s, 12);
	my ($cpus) = unpack 'N', take($s, $size - 12);
	my @data = map { IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1) } $bits & $ONE_STREAM ? () : 1 .. $cpus;
	my $ports = join '', map { $_->sockport . "\0" } @data;
	print $s pack('N*', 32 + length $ports, 2, 20, $cpus, $ZED, 20, $ALIVE_MS, $bits) . $ports;
	return ($s, map { scalar $_->accept } @data);
}

# Frames up to one of KIND; 0: the stream's head alone.
sub frames {
	my ($s, $kind) = @_;
	take($s, 16);
	while ($kind) {
		my ($is, $len) = unpack 'V2', take($s, 8);
		take($s, $len);
		last if $is == $kind;
	}
	return;
}

# Messages up to CLOSE; what comes on the connections of data is read and forgotten.
sub messages {
	my ($s, @data) = @_;
	my $all = IO::Select->new($s, @data);
	while (1) {
		for my $ready ($all->can_read(30)) {
			if ($ready != $s) {
				sysread $ready, my $pages, 1 << 20 or $all->remove($ready);
				next;
			}
			my ($size, $command) = unpack 'N3', take($s, 12);
			take($s, $size - 12);
			return if $command == $MESSAGE{close};
		}
	}
}

# How a server ends a run.
my %ends = (
	'says why' => sub { message($_[0], why => $WHY); shutdown $_[0], 1 },
	'says why and is gone' => sub { message($_[0], why => $WHY); close $_[0] },
	'hangs up' => sub { close $_[0] },
	'breaks off' => sub { setsockopt $_[0], SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0; close $_[0] },
);

# A run whose server ends it in the way ENDS when it has read up to a frame of KIND (undef: all messages of a client
# with a connection for each CPU).  The command ends BEFORE that, AFTER it, or while the client stands still: the
# client then finds both at once.
sub run_that_ends {
	my ($bits, $kind, $command, $ends) = @_;
	my $l = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 5) or die "listen: $!\n";
	my $over = "$dir/over";
	unlink $over;
	my $h = live_start('zedtrace', '-h', '127.0.0.1:' . $l->sockport, 'sched:sched_switch', 'raw_syscalls:sys_enter', '--',
		$^X, '-e', 'select undef, undef, undef, 0.005 until -e $ARGV[0] || getppid == 1', $over);
	eval {
		my ($s, @data) = welcome($l, $bits);
		spew($over, '') if $command eq 'before';
		if (defined $kind) {
			frames($s, $kind);
		} else {
			messages($s, @data);
		}
		kill 'STOP', $h->{pid} if $command eq 'meanwhile';
		$ends->($s);
		spew($over, '');
		if ($command eq 'meanwhile') {
			wait_until(20, sub { !grep { /^PPid:\s*$h->{pid}$/m && !/^State:\s*Z/m } map { eval { slurp($_) } // '' } glob '/proc/[0-9]*/status' });
			kill 'CONT', $h->{pid};
		}
		1;
	} or diag $@;
	spew($over, '');
	return live_end($h, 60);
}

leaves_nothing('servers that end a run', sub {
	for my $case (
		['that has told nothing yet', $ONE_STREAM, 0, 'after'],
		['that has pages', $ONE_STREAM, $PAGES, 'after'],
		['that has pages, the command ended at once', $ONE_STREAM, $PAGES, 'meanwhile'],
		['whose command has ended', $ONE_STREAM, $END, 'before'],
		['of a connection for each CPU', $TAKES_NAMES, undef, 'before'],
	) {
		my ($what, $bits, $kind, $command) = @$case;
		for my $how (sort keys %ends) {
			my $r = run_that_ends($bits, $kind, $command, $ends{$how});
			ok($r->{exit} && $r->{exit} < 126 && !$r->{late}, "$what: the server $how: exit $r->{exit} (else: half of it passes for all)");
			like($r->{err}, qr/^zedtrace: [\d.:]+: sent \d+ KiB before the connection failed: .*@{[$how =~ m{why} && qr{\Q$WHY}]}$/m, '... and it is said how much was sent');
			my $report = live_report($r->{err});
			ok(!$report || $report->{dropped} || $r->{err} =~ /^The connection failed: the other side.s report says/m, '... and what is missing')
				or diag $r->{err};
		}
	}
	for my $case ([$ONE_STREAM, $END], [$TAKES_NAMES, undef]) {
		my $r = run_that_ends(@$case, 'before', sub { message($_[0], 'close') });
		is($r->{exit}, 0, 'a server that has taken everything: exit 0') or diag $r->{err};
	}
});

done_testing();
