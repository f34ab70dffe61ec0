# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names in the stacks of programs that zedtrace --user-stack records, against nm, after the programs have ended: position
# independent and static ones, one that was there before and one that comes later, and a copy of it; in a file, a stream,
# the files of a rotation, over the network, in a flight recording, and in a part of a file. Without it such a stack is
# eight numbers.
#
# of: kernel/session/task_maps.c kernel/map_files.c trace/maps record reader/dat/mapped.c
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings 'portable';
use File::Copy ();
use Test::More;
use lib 't/lib';
use Compare::Elf;
use Compare::Stock;
use Pass;
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

live_or_skip();
-x zed_bin('zedsyms') or plan skip_all => live_cannot('zedsyms is not built: libdw is not here');
my $tool = Compare::Elf::missing();
defined $tool and plan skip_all => live_cannot("$tool is not here");
my $dir = zed_tmp();
my @event = ('--user-stack', 'syscalls:sys_enter_getppid');

# Calls getppid by way of two functions every 2 ms, and so does a copy of it, until its standard input ends.
my $SOURCE = <<'EOC';
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>
volatile long sum;
static int call(void) { return getppid(); }
void zed_inner(void) { sum += call(); sum++; }
void zed_outer(void) { zed_inner(); sum++; }
int main(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	if (fork() < 0)
		return 1;
	while (poll(&in, 1, 2) == 0)
		zed_outer();
	return 0;
}
EOC
my @FLAGS = ('-fno-omit-frame-pointer', '-fno-optimize-sibling-calls');
my %program = map { my ($name, @flags) = @$_; ($name => eval { Compare::Elf::compile("$dir/prog_$name", $SOURCE, @FLAGS, @flags) }) }
	['pie', '-fPIE', '-pie'], ['static', '-static', '-no-pie'];
$program{pie} or plan skip_all => live_cannot('this compiler links no program');
delete $program{static} if !$program{static};
diag "no static program: $@" if !$program{static};

# ---- programs that run until they are ended
my %set;
sub begin {
	my ($path) = @_;
	pipe my $get, my $set or die "pipe: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		close $set;
		open STDIN, '<&', $get or POSIX::_exit(120);
		exec $path or POSIX::_exit(121);
	}
	close $get;
	$set{$pid} = $set;
	return $pid;
}
sub end { for my $pid (keys %set) { close delete $set{$pid}; waitpid $pid, 0 } return }
END { my $status = $?; end(); $? = $status }
# Where PATH's code is in PID: what is to be taken from an address for one of nm's.
sub base_of {
	my ($pid, $path) = @_;
	my @start = map { /^([0-9a-f]+)-.*\Q$path\E$/ ? hex $1 : () } split /\n/, slurp("/proc/$pid/maps");
	return $path =~ /static/ ? 0 : $start[0];
}
# Until the recorder, in one of the files of PATTERN, has a process that has PATH mapped.
sub looked_at {
	my ($path, $pattern) = @_;
	return wait_until(60, sub { grep { index(eval { slurp($_) } // '', $path) >= 0 } glob $pattern });
}
# Until there were as many more calls.
sub has_called {
	my ($ready, $more) = @_;
	my $from = live_taken($ready) + dat_unread($ready);
	return wait_until(60, sub { live_taken($ready) + dat_unread($ready) >= $from + $more });
}
sub dat_unread { my ($ready) = @_; my $n = 0; for (glob "$ready/per_cpu/cpu*/stats") { $n += $1 if slurp($_) =~ /^entries: (\d+)/m } return $n }

# ---- what a trace says: [address, name] ... of each stack, by process
my $script = spew("$dir/stacks.pl", <<'EOT');
sub syscalls::sys_enter_getppid {
	my @names = Zed::stack_symbols('user') or return;
	print join(' ', Zed::pid(), map { sprintf '%x=%s', (Zed::stack('user'))[$_], $names[$_] } 0 .. $#names), "\n";
}
EOT
sub stacks_in {
	my ($text) = @_;
	my %of;
	for (split /\n/, $text) { my ($pid, @frames) = split; push @{$of{$pid}}, [map { [split /=/, $_, 2] } @frames] }
	return \%of;
}
sub stacks_of {
	my (@args) = @_;
	my $r = zed_run({ env => { HOME => "$dir/none" }, time => 120, memory => 0 }, 'zedperl', @args, $script);
	return (stacks_in($r->{out}), $r);
}
# The frames in zed_inner and zed_outer of PID's stacks are where nm has these functions.
sub right {
	my ($what, $stacks, $pid, $path, $base) = @_;
	my ($n, @wrong) = (0);
	my %at = map { $_ => Compare::Elf::address($path, $_) } qw(zed_inner zed_outer);
	for my $stack (@{$stacks->{$pid} // []}) {
		my %seen;
		for (@$stack) {
			my ($address, $name) = @$_;
			$name =~ /^(zed_\w+)\+0x([0-9a-f]+)$/ or next;
			$seen{$1} = hex($address) - $base == $at{$1} + hex $2;
		}
		$n++;
		push @wrong, join ' ', map { join '=', @$_ } @$stack if grep { !$seen{$_} } keys %at;
	}
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	cmp_ok($n, '>', 0, "$what: there are stacks");
	return is(scalar @wrong, 0, "$what: ... each with the functions that nm has at these addresses (else: numbers, or other names)") || diag join "\n", @wrong[0 .. ($#wrong < 4 ? $#wrong : 4)];
}

# ---- recordings: one program is there before, one comes while it records
for my $kind (sort keys %program) {
	my $path = $program{$kind};
	next if small() && $kind eq 'static';
	my $file = "$dir/$kind.dat";
	my %base;
	leaves_nothing($kind, sub {
		my $before = begin($path);
		wait_until(30, sub { base_of($before, $path) || $path =~ /static/ });
		my $h = live_start('zedtrace', @event, '-o', $file);
		my $ready = live_ready($h);
		my $second = "$path-later";
		File::Copy::copy($path, $second);
		chmod 0755, $second;
		my $later = begin($second);
		looked_at($second, "$file.zed/maps");
		has_called($ready, 200);
		%base = ($before => base_of($before, $path), $later => base_of($later, $second));
		end();
		live_signal($h, 'INT');
		my $r = live_end($h);
		is($r->{exit}, 0, "$kind: recorded") or diag $r->{err};
		my ($stacks) = stacks_of($file);
		right("$kind, there before", $stacks, $before, $path, $base{$before});
		right("$kind, begun later", $stacks, $later, $path, $base{$later});
		# Of each program and its copy the ones that we do not know.
		ok((grep { !exists $base{$_} && grep { grep { $_->[1] =~ /^zed_outer/ } @$_ } @{$stacks->{$_}} } keys %$stacks) >= 2, "$kind: copies of both have names, too (else: a process that only forks has none)");
	});
	next if $kind ne 'pie';

	# ---- the same file, read otherwise
	my ($pid) = sort { $a <=> $b } keys %base;
	like(zed_run({ env => { HOME => "$dir/none" }, memory => 0, time => 60 }, 'zedprint', '--stack', '--pid', $pid, '--head', 40, $file)->{out}, qr/ => zed_inner\+0x[0-9a-f]+ \(\Q$path\E(?:-later)?\)\n => zed_outer\+0x/, 'zedprint --stack');
	like(zed_run({ env => { HOME => "$dir/none" }, memory => 0, time => 60 }, 'zedperl', $file, 'stacks', '--folded')->{out}, qr/zed_outer;zed_inner;/, 'the analysis stacks');
	my $r = zed_run({ memory => 0, time => 60 }, 'zedprint', '--cut', "$dir/part.dat", '--pid', $pid, '--head', 20, $file);
	my ($part) = stacks_of("$dir/part.dat");
	right('a part of the file', $part, $pid, $path, $base{$pid});
	my $bare = "$dir/bare.dat";
	$r = zed_run({ memory => 0, time => 60 }, 'zedtrace', @event, '--no-maps', '-o', $bare, '-d', '0.2');
	is($r->{exit}, 0, '--no-maps') or diag $r->{err};
	unlike(slurp($bare), qr/zed-maps/, '... leaves them out');
	SKIP: {
		skip stock_missing(), 1 if stock_missing();
		my $report = zed_run({ memory => 0, time => 60 }, 'zedprint', '-f', 'report', $file)->{out};
		is(scalar(() = stock_text($file) =~ /sys_enter_getppid/g), scalar(() = $report =~ /sys_enter_getppid/g), 'trace-cmd report reads the file');
	}
}

# ---- where else a recording goes
sub recorded {
	my ($what, $args, $pattern, $read, %o) = @_;
	leaves_nothing($what, sub {
		my $h = live_start({ stdout => $o{stdout} }, 'zedtrace', @event, @$args);
		my $ready = live_ready($h);
		my $pid = begin($program{pie});
		$pattern ? looked_at($program{pie}, $pattern) : wait_until(30, sub { base_of($pid, $program{pie}) });
		has_called($ready, 200);
		my $base = base_of($pid, $program{pie});
		$o{meanwhile}->() if $o{meanwhile};
		has_called($ready, 200);
		end() if !$o{stays};
		live_signal($h, 'INT');
		my $r = live_end($h);
		end();
		is($r->{exit}, 0, "$what: recorded") or diag $r->{err};
		my ($stacks, $got) = stacks_of($read->());
		right($what, $stacks, $pid, $program{pie}, $base) or diag $got->{err};
	});
	return;
}
recorded('stream', ['-o', '-'], "$dir/s.zed", sub { "$dir/s.zed" }, stdout => "$dir/s.zed");
if (!small()) {
	recorded('rotation', ['--rotate', '300ms', '-o', "$dir/r.dat"], "$dir/r.0*.zed/maps", sub { (sort glob "$dir/r.0*.dat")[-1] },
		meanwhile => sub { my $n = () = glob "$dir/r.0*.dat"; wait_until(30, sub { my @now = glob "$dir/r.0*.dat"; @now > $n + 1 }) });
	recorded('flight', ['--flight', '8M', '-o', "$dir/f.dat"], undef, sub { (glob "$dir/f.0*.dat")[0] }, stays => 1);
	my ($server, $port, $at) = live_server_dir();
	recorded('network', ['-h', "127.0.0.1:$port"], "$at/*/*.zed/maps", sub { wait_until(60, sub { glob "$at/*/trace.dat" }); (glob "$at/*/trace.dat")[0] });
	live_signal($server, 'INT');
	live_end($server);
}

# ---- a command of ours alone, which is looked at from its beginning on
leaves_nothing('command', sub {
	my $h = live_start({ stdin => '/dev/zero' }, 'zedtrace', @event, '-c', '-o', "$dir/k.dat", '--', 'sh', '-c', "sleep 0.3 | $program{pie} & sleep 0.4 | $program{pie}; wait");
	my $r = live_end($h);
	is($r->{exit}, 0, 'a command') or diag $r->{err};
	my ($stacks) = stacks_of("$dir/k.dat");
	ok((grep { grep { grep { $_->[1] =~ /^zed_outer\+/ } @$_ } @$_ } values %$stacks) >= 2, '-c: what it begins has names');
});
# ---- one that names itself all the time, and has much mapped: ten looks in a second
my $renames = eval { Compare::Elf::compile("$dir/renames", <<'EOC') };
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char *p = mmap(0, 120 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	time_t end = time(0) + 2;
	for (int i = 0; i < 60; i++)
		mprotect(p + (i << 17), 1 << 16, PROT_READ | PROT_EXEC);
	if (argc > 1)
		return usleep(500000) || prctl(PR_SET_NAME, "zed_once") || usleep(500000);
	for (int i = 0; time(0) < end; i++)
		prctl(PR_SET_NAME, i & 1 ? "zed_a" : "zed_b");
	return 0;
}
EOC
# When what ran began by the looks in FILE that have these 60 mappings.
sub looks_in {
	my ($file) = @_;
	my ($dat, @from) = (slurp($file));
	my $at = rindex($dat, 'zed-maps') + 8;
	while ($at > 8 && $at + 28 <= length $dat) {
		my ($len, $pid, $from, $seen, $number) = unpack 'V V Q< Q< V', substr $dat, $at, 28;
		last if $len > 1 << 20 || $seen < $from;
		push @from, $from if $pid && $len >= 60 * 36;
		$at += 28 + $len;
	}
	return @from;
}
SKIP: {
	$renames or skip 'no program', 5;
	my $alone = live_lock('cpus', 1);	# others would lose the names of their own tasks among so many
	my $began = time;
	my $h = live_start('zedtrace', '--user-stack', 'syscalls:sys_enter_getppid', '-c', '-o', "$dir/renames.dat", '--', $renames);
	my $r = live_end($h);
	is($r->{exit}, 0, 'a program that names itself in a loop') or diag $r->{err};
	my $n = () = looks_in("$dir/renames.dat");
	cmp_ok($n, '>', 0, '... is looked at');
	cmp_ok($n, '<', 20 + 10 * (time - $began), '... but not for each name (else: anyone fills the memory of the recorder)');
	$h = live_start('zedtrace', '--user-stack', 'syscalls:sys_enter_getppid', '-c', '-o', "$dir/once.dat", '--', $renames, 'once');
	$r = live_end($h);
	is($r->{exit}, 0, 'a program that names itself once') or diag $r->{err};
	my %from = map { $_ => 1 } looks_in("$dir/once.dat");
	cmp_ok(scalar keys %from, '>=', 2, '... has a look since then, although it is as before (else: a program with the same mappings may have begun before the earlier look)');
}
# ---- live
leaves_nothing('live', sub {
	my $h = live_start({ env => { HOME => "$dir/none" } }, 'zedperl', '--live=syscalls:sys_enter_getppid', '--user-stack', $script);
	my $ready = live_ready($h);
	my $pid = begin($program{pie});
	wait_until(30, sub { base_of($pid, $program{pie}) });
	has_called($ready, 300);
	my $base = base_of($pid, $program{pie});
	end();
	live_signal($h, 'INT');
	my $r = live_end($h);
	is($r->{exit}, 0, 'live') or diag $r->{err};
	# The first calls may come before it is looked at.
	my $stacks = stacks_in($r->{out});
	splice @{$stacks->{$pid}}, 0, 20;
	right('live', $stacks, $pid, $program{pie}, $base);
});
my $r = zed_run('zedtrace', '--no-maps', 'sched', '-d', '0.1', '-o', "$dir/n.dat");
is($r->{exit}, 2, '--no-maps without --user-stack is a mistake');
done_testing();
