# SPDX-License-Identifier: GPL-2.0-or-later
#
# The call stacks that LTTng's kernel tracer records as contexts (callstack-kernel, callstack-user): stacks as of other traces,
# those of programs with the names of their files, by what LTTng-UST's state dump says of the process.  Without it they are
# lists of numbers.
#
# of: reader/ctf/ctf_stacks.c
use strict;
use warnings;
no warnings 'portable';
use POSIX ();
use Test::More;
use lib 't/lib';
use Compare::Babeltrace;
use Run::Program qw(:DEFAULT spew);
use Write::Ctf qw(ctf_head ctf_packets ctf_write);
use Write::Elf;

my $tmp = zed_tmp();
my $here = (POSIX::uname())[1];
my $START = 0x7f12_3400_0000;
my $KERNEL = 0xffff_ffff_8100_0000;
my $kallsyms = spew("$tmp/kallsyms", sprintf "%x T do_work\n%x T entry\n%x T _end\n", $KERNEL, $KERNEL + 0x1000, $KERNEL + 0x2000);

my $plain = Write::Elf->new(id => 'ab' x 20);
$plain->function($_) for qw(leaf inner outer);
$plain->write("$tmp/plain");
my @user = map { $START + $plain->at($_) + 5 } qw(leaf inner outer);

# ---------------------------------------------------------------- a session of the kernel and a program

my $int = 'integer { size = 32; align = 8; signed = true; }';
my $long = 'integer { size = 64; align = 8; signed = false; base = 16; }';
my $WITH = "event.context := struct { $int _pid; uint32_t __callstack_kernel_length; $long _callstack_kernel[ __callstack_kernel_length ]; "
	. "uint32_t __callstack_user_length; $long _callstack_user[ __callstack_user_length ]; };";
my $WAKING = "event { name = \"sched_waking\"; id = 1; stream_id = 0; fields := struct { $int _tid; }; };\n";

# Times and stacks: [ts, pid, [kernel ...], [user ...]]
sub kernel_trace {
	my ($dir, @stacks) = @_;
	my @events = map {
		my ($ts, $pid, $kernel, $user) = @$_;
		[1, $ts, sub {
				my ($w) = @_;
				$w->int($pid, 32);
				for my $list ($kernel, $user) {
					$w->int(scalar @$list, 32);
					$w->int($_, 64) for @$list;
				}
				$w->int(9, 32);
			}];
	} @stacks;
	return ctf_write($dir, ctf_head(env => { domain => 'kernel', kernel_release => '6.1.0', hostname => $here }, with => $WITH) . $WAKING,
		chan_0 => ctf_packets({}, map { { begin => $_->[1], end => $_->[1], events => [$_] } } @events));
}

my %UST = (start => '', bin_info => "$long _baddr; $long _memsz; string _path; uint8_t _is_pic;", build_id => "$long _baddr; uint32_t __build_id_length; uint8_t _build_id[ __build_id_length ];", unload => "$long _baddr;");
my %ID = (start => 1, bin_info => 2, build_id => 3, unload => 4);
sub ust_trace {
	my ($dir, @events) = @_;
	my $text = ctf_head(env => { domain => 'ust', hostname => $here }, with => "event.context := struct { $int _vpid; };");
	$text .= 'event { name = "' . ($_ eq 'unload' ? 'lttng_ust_lib' : 'lttng_ust_statedump') . ":$_\"; id = $ID{$_}; stream_id = 0; fields := struct { $UST{$_} }; };\n" for sort keys %ID;
	my @made = map {
		my ($ts, $pid, $what, @of) = @$_;
		[$ID{$what}, $ts, sub {
				my ($w) = @_;
				$w->int($pid, 32);
				$w->int($of[0], 64) if @of;
				$w->int($of[1], 64)->string($of[2])->int(1, 8) if $what eq 'bin_info';
				$w->int(length($of[1]) / 2, 32)->bytes(pack 'H*', $of[1]) if $what eq 'build_id';
			}];
	} @events;
	return ctf_write($dir, $text, chan_0 => ctf_packets({}, map { { begin => $_->[1], end => $_->[1], events => [$_] } } @made));
}

my $number = 0;
sub session {
	my ($kernel, @ust) = @_;
	my $dir = "$tmp/" . ++$number;
	kernel_trace("$dir/kernel", @$kernel);
	ust_trace("$dir/ust/uid/0/64-bit", @ust) if @ust;
	return $dir;
}

my @MAPPED = ([10, 7, 'start'], [20, 7, 'bin_info', $START, 0x4000, "$tmp/plain"], [21, 7, 'build_id', $START, 'ab' x 20]);
my $SHOW = 'sub sched::sched_waking { print join(" ", Zed::stack_symbols("kernel")), " | ", join(" ", Zed::stack_symbols("user")), "\n" }';
# What a script prints of DIR; ARGS are zedperl's.
sub shown {
	my ($dir, @args) = @_;
	my $r = zed_run({ env => { HOME => "$tmp/none" } }, 'zedperl', '--kallsyms', $kallsyms, @args, '-e', $SHOW, $dir);
	return $r->{out} . $r->{err};
}

my @stack = ([$KERNEL + 0x12, $KERNEL + 0x1034], \@user);
my $PLACES = join ' ', map { sprintf "$tmp/plain+0x%x", $_ - $START } @user;
my $NUMBERS = join ' ', map { sprintf '0x%x', $_ } @user;

# ---------------------------------------------------------------- as of other traces

{
	my $dir = session([[100, 7, @stack], [200, 7, [$KERNEL + 1, 0xffff_ffff_ffff_ffff], []], [300, 7, [], []]]);
	is(shown($dir), "do_work+0x12 entry+0x34 | $NUMBERS\ndo_work+0x1 | \n | \n", 'the kernel\'s part, up to the mark of old kernels, and a program\'s (else: contexts are lists of numbers)');
	like(zed_run('zedperl', '--kallsyms', $kallsyms, $dir, 'stacks', '--folded')->{out}, qr/^(?:.*;)?entry;do_work \d+$/m, 'the analysis stacks');
	my $r = zed_run('zedprint', '-f', 'json', $dir);
	SKIP: {
		my ($bt) = grep { -x } map { "$_/babeltrace2" } split /:/, $ENV{PATH};
		skip 'babeltrace2 is missing: apt-get install babeltrace2', 1 if !$bt;
		my $theirs = spew("$tmp/stacks.txt", scalar qx{$bt --clock-cycles --no-delta --names=all --fields=all $dir});
		my ($same, $differs) = babeltrace_differs($theirs, $r->{out}, \&linux_name);
		is($same, 3, 'as fields they are what babeltrace2 prints') or diag $differs;
	}
	like(zed_run('zedprint', '--stack', $dir)->{out}, qr/^ => 0x\Q@{[sprintf '%x', $user[0]]}\E/m, 'zedprint --stack');
}

# ---------------------------------------------------------------- names of the kernel

{
	my ($symbol) = grep { !/^0+ / } do { open my $h, '<', '/proc/kallsyms' or die "kallsyms: $!\n"; grep { / T schedule$/ } <$h> };
	my $boot = do { local (@ARGV, $/) = '/proc/sys/kernel/random/boot_id'; <> } =~ s/\s//gr;
	SKIP: {
		skip 'the kernel hides its addresses here', 2 if !$symbol;
		my $address = hex((split ' ', $symbol)[0]);
		my $of_boot = sub {
			my ($uuid) = @_;
			my $dir = session([[100, 7, [$address + 3], []]]);
			my $metadata = do { local (@ARGV, $/) = "$dir/kernel/metadata"; <> };
			$metadata =~ s/name = "monotonic";/name = "monotonic";\n\tuuid = "$uuid";/;
			$metadata =~ s/kernel_release = ".*?"/kernel_release = "@{[(POSIX::uname())[2]]}"/;
			ctf_write("$dir/kernel", $metadata);
			return zed_run('zedperl', '-e', $SHOW, $dir);
		};
		is($of_boot->($boot)->{out}, "schedule+0x3 | \n", 'of this boot, whose number LTTng writes: by the running kernel (else: no name without --kallsyms)');
		my $r = $of_boot->($boot =~ tr/0-9a-f/1-9a-f0/r);
		is($r->{out}, sprintf("0x%x | \n", $address + 3), '... of another one: none, rather than wrong ones');
		like($r->{err}, qr/recorded before this machine was booted/, '... which is said');
	}
}

# ---------------------------------------------------------------- names of programs

SKIP: {
	skip 'zedsyms is not built: libdw is not here', 6 if !-x zed_bin('zedsyms');
	my $named = 'do_work+0x12 entry+0x34 | leaf+0x5 inner+0x5 outer+0x5';
	my $dir = session([[100, 7, @stack], [200, 8, @stack]], @MAPPED);
	is(shown($dir), "$named\ndo_work+0x12 entry+0x34 | $NUMBERS\n", 'by what LTTng-UST says that the process has mapped, and none of another one');
	is(shown(session([[100, 7, @stack], [200, 7, @stack]], @MAPPED), '--start', '0.000000150'), "$named\n", 'also where that was said before the time that is asked for');
	is(shown(session([[100, 7, @stack]], @MAPPED[0, 1], [21, 7, 'build_id', $START, 'cd' x 20])) =~ s/^zedperl.*\n//gmr, "do_work+0x12 entry+0x34 | $PLACES\n",
		'a file with another build id: the places in it (else: names of another build)');
	is(shown(session([[100, 7, @stack], [200, 7, @stack]], @MAPPED, [150, 7, 'unload', $START])), "$named\ndo_work+0x12 entry+0x34 | $NUMBERS\n", 'a library that was unloaded');
	is(shown(session([[100, 7, @stack]], @MAPPED, [50, 7, 'start'])), "do_work+0x12 entry+0x34 | $NUMBERS\n", 'a new list replaces the one before (else: what another program had)');
	my $bad = session([[100, 7, @stack]], @MAPPED, [30, 7, 'bin_info', $START, 0, '/x'], [31, 7, 'bin_info', 0xffff_ffff_ffff_f000, 0x2000, '/x'], [32, 7, 'build_id', 5, 'ab' x 20], [33, -1, 'bin_info', $START, 1, '/x']);
	is(shown($bad), "$named\n", 'mappings that make no sense are left out');
}

done_testing();
