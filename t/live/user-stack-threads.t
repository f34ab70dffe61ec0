# SPDX-License-Identifier: GPL-2.0-or-later
#
# A thread that gets the number of a process that has ended, and begins a process: the names in the stacks of that one are
# those of the thread's program. Without it they would be those of the program that ended, wherever both have code.
#
# of: kernel/session/task_maps.c kernel/session/watch.c
# runs: make check
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Compare::Elf;
use Run::Live;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

live_or_skip();
-x zed_bin('zedsyms') or plan skip_all => live_cannot('zedsyms is not built: libdw is not here');
my $tool = Compare::Elf::missing();
defined $tool and plan skip_all => live_cannot("$tool is not here");
my $LAST = '/proc/sys/kernel/ns_last_pid';
-w $LAST && open my $last, '+<', $LAST or plan skip_all => live_cannot("the number of the next process cannot be chosen ($LAST)");
my $dir = zed_tmp();

# Both have their functions at the same addresses, with other names.  The second one gets a thread of the number NUMBER,
# which begins a process.
my $SOURCE = <<'EOC';
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
volatile long sum;
static int call(void) { return getppid(); }
void NAME_inner(void) { sum += call(); sum++; }
void NAME_outer(void) { NAME_inner(); sum++; }
static int until_end(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	while (poll(&in, 1, 2) == 0)
		NAME_outer();
	return 0;
}
static long number;
static void *thread(void *arg)
{
	if (syscall(SYS_gettid) != number)
		return NULL;
	if (fork() == 0)
		_exit(until_end());
	return arg;
}
int main(int argc, char **argv)
{
	char text[32];
	void *there = NULL;
	int i, fd;
	if (argc < 2)
		return until_end();
	number = atol(argv[1]);
	snprintf(text, sizeof(text), "%ld", number - 1);
	fd = open("/proc/sys/kernel/ns_last_pid", O_RDWR);
	for (i = 0; i < 20000 && !there; i++) {
		pthread_t t;
		if (pwrite(fd, text, strlen(text), 0) < 0 || pthread_create(&t, NULL, thread, text) || pthread_join(t, &there))
			return 2;
	}
	puts(there ? "there" : "not there");
	fflush(stdout);
	return there ? until_end() : 3;
}
EOC
my %program = map { my $name = $_; ($name => eval { Compare::Elf::compile("$dir/$name", $SOURCE =~ s/NAME/$name/gr, qw(-no-pie -pthread -fno-omit-frame-pointer -fno-optimize-sibling-calls)) }) } qw(first other);
$program{first} && $program{other} or plan skip_all => live_cannot("this compiler links no program: $@");
is(Compare::Elf::address($program{first}, 'first_inner'), Compare::Elf::address($program{other}, 'other_inner'), 'both have code at one place');

sub begin {
	my ($name, @args) = @_;
	pipe my $get, my $set or die "pipe: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		close $set;
		open STDIN, '<&', $get or POSIX::_exit(120);
		open STDOUT, '>', "$dir/$name.out" or POSIX::_exit(120);
		exec $program{$name}, @args or POSIX::_exit(121);
	}
	close $get;
	return ($pid, $set);
}
sub looked_at { my ($path) = @_; return wait_until(60, sub { index(eval { slurp("$dir/k.dat.zed/maps") } // '', $path) >= 0 }) }
sub calls { my ($ready) = @_; my $n = live_taken($ready); for (glob "$ready/per_cpu/cpu*/stats") { $n += $1 if slurp($_) =~ /^entries: (\d+)/m } return $n }
sub has_called { my ($ready, $more) = @_; my $from = calls($ready); return wait_until(60, sub { calls($ready) >= $from + $more }) }

leaves_nothing('a thread of an old number', sub {
	my $h = live_start('zedtrace', '--user-stack', 'syscalls:sys_enter_getppid', '-o', "$dir/k.dat");
	my $ready = live_ready($h);
	my ($pid, $set) = begin('first');
	looked_at($program{first});
	has_called($ready, 100);
	close $set;
	waitpid $pid, 0;
	my ($second, $its) = begin('other', $pid);
	wait_until(60, sub { -s "$dir/other.out" });
	is(slurp("$dir/other.out"), "there\n", "a thread has the number $pid of the process that has ended");
	looked_at($program{other});
	has_called($ready, 100);
	close $its;
	waitpid $second, 0;
	live_signal($h, 'INT');
	is(live_end($h)->{exit}, 0, 'recorded');
	my $script = spew("$dir/names.pl", <<'EOT');
sub syscalls::sys_enter_getppid { my @names = Zed::stack_symbols('user') or return; print join(' ', Zed::pid(), map { /^(\w+)_(?:inner|outer)\+/ ? $1 : () } @names), "\n" }
EOT
	my %of;
	for (split /\n/, zed_run({ env => { HOME => "$dir/none" }, time => 60, memory => 0 }, 'zedperl', "$dir/k.dat", $script)->{out}) {
		my ($who, @names) = split;
		$of{$who}{"@names"}++;
	}
	is_deeply([keys %{delete $of{$pid} // {}}], ['first first'], 'the stacks of the first have its names');
	delete $of{$second};
	my ($child) = sort { ($of{$b}{'other other'} // 0) <=> ($of{$a}{'other other'} // 0) } keys %of;
	cmp_ok($child && $of{$child}{'other other'}, '>', 20, 'and so have those of the process that the thread began');
	is(scalar(grep { $_->{'first first'} } values %of), 0, 'no other has those of the first (else: names of a program that has ended)') or diag explain \%of;
});
done_testing();
