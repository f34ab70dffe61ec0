# SPDX-License-Identifier: GPL-2.0-or-later
#
# Without rights, without tracefs, and where the kernel says no: one line that says what is missing and the
# command that mends it, exit 2, and nothing left changed.
#
# of: programs record kernel/tracefs.c
# Without it: the user has to guess what is missing, or something is left changed.
use strict;
use warnings;
use File::Copy qw(copy);
use File::Path qw(remove_tree);
use File::Spec;
use POSIX ();
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();

my $root = live_root();
my $dir = zed_tmp();
my $bin = "$dir/bin";
my $work = "$dir/work";
my $long = 60;
mkdir $_ for $bin, $work;
for my $program (qw(zedtrace zedperl)) {
	copy(zed_bin($program), "$bin/$program") or die "$program: $!\n";
	chmod 0755, "$bin/$program";
}
chmod 0755, $dir, $bin;
chmod 0777, $work;
my $script = "$dir/script.pl";
put_text($script, "# zedtrace: sched\nsub sched::sched_switch { }\nsub trace_end { print qq{end\\n} }\n");
chmod 0644, $script;
my ($uid, $gid) = (getpwnam 'nobody')[2, 3];
my ($unshare) = grep { -x } map { "$_/unshare" } split /:/, $ENV{PATH};
# The sanitizers' own report of leaks wants ptrace, which nobody has.
my %env = (LC_ALL => 'C', ASAN_OPTIONS => ($ENV{ASAN_OPTIONS} // '') . ':detect_leaks=0');

my @commands = (
	['zedtrace -o FILE', 'zedtrace', '-d', '0.1', '-o', 'x.dat', 'sched'],
	['zedtrace -o -', 'zedtrace', '-d', '0.1', '-o', '-', 'sched'],
	['zedtrace with a command', 'zedtrace', 'sched', '--', 'touch', "$work/it-ran"],
	['zedtrace --for', 'zedtrace', '-d', '0.1', '--for', $script],
	['zedtrace -t', 'zedtrace', '-t'],
	['zedtrace -h HOST', 'zedtrace', '-d', '0.1', '-h', '127.0.0.1:1', 'sched'],
	['zedperl --live', 'zedperl', '--live', $script],
	['zedperl --live=EVENTS', 'zedperl', '--live=sched', $script],
);

# Each command in these surroundings: exit 2, one line with LIKE in it, no output, no file, no instance.
sub refuses {
	my ($what, $opts, $wrap, $likes, @which) = @_;
	for my $c (grep { my $n = $_->[0]; !@which || grep { $_ eq $n } @which } @commands) {
		my ($name, $program, @args) = @$c;
		my $r = leaves_nothing("$what, $name", sub {
			my @cmd = (@$wrap, "$bin/$program", @args);
			my $inner = $opts->{child};
			return zed_run({ time => $long, memory => 0, %$opts, env => { %env, %{$opts->{env} // {}} },
				child => sub { chdir $work or POSIX::_exit(124); $inner->() if $inner } }, @cmd);
		});
		is($r->{exit}, 2, "$what, $name: exit 2") or diag "signal $r->{signal} $r->{err}";
		is(scalar @{$r->{lines}}, 1, "$what, $name: one line") or diag $r->{err};
		like($r->{err}, qr/^\Q$program\E: /, "$what, $name: it says who speaks");
		like($r->{err}, $_, "$what, $name: the line has what is missing and how to mend it (else: the user has to guess)") for @$likes;
		is($r->{out}, '', "$what, $name: no output");
		opendir my $dh, $work or die;
		is(join(' ', grep { !/^\.\.?$/ } readdir $dh), '', "$what, $name: no file, and no command was run");
		remove_tree(map { "$work/$_" } qw(x.dat x.dat.zed it-ran trace.dat trace.dat.zed));
	}
}

# ---- not root
SKIP: {
	skip live_cannot('there is no user nobody'), 1 if !defined $uid;
	my $drop = sub { $( = $) = "$gid $gid"; POSIX::setgid($gid); POSIX::setuid($uid); POSIX::_exit(125) if $> == 0 };
	my $reach = zed_run({ memory => 0, child => $drop }, "$bin/zedtrace", '--version');
	is($reach->{exit}, 0, 'nobody can run the copy') or diag $reach->{err};
	refuses('as nobody', { child => $drop }, [], [qr/root|permission|sudo/i, qr/sudo/]);
	my $r = zed_run({ memory => 0, env => \%env, child => $drop }, "$bin/zedtrace", '--cleanup');
	is("$r->{exit} " . @{$r->{lines}}, '2 1', '--cleanup as nobody: one line, exit 2') or diag $r->{err};
	# Reading needs no rights.
	my $dat = File::Spec->rel2abs('t/data/demo.dat');
	copy($dat, "$dir/demo.dat") or die "$dat: $!\n";
	chmod 0644, "$dir/demo.dat";
	$r = zed_run({ memory => 0, env => \%env, child => $drop }, "$bin/zedperl", "$dir/demo.dat", $script);
	is("$r->{exit} $r->{out}", "0 end\n", 'reading a file needs no rights') or diag $r->{err};
}

# ---- what RIGHTS in zedtrace(1) says: who may read tracefs, as a group can, and who may write to it
SKIP: {
	skip live_cannot('there is no user nobody'), 1 if !defined $uid;
	my @priv = ('setpriv', '--reuid', $uid, '--regid', $gid, '--clear-groups');
	my $with = sub { my ($cap) = @_; return (@priv, '--inh-caps', "+$cap", '--ambient-caps', "+$cap") };
	skip live_cannot('setpriv cannot give a capability here'), 1 if system "@{[$with->('dac_override')]} true >/dev/null 2>&1";
	my $run = sub { my ($cap, @args) = @_; return zed_run({ time => $long, memory => 0, env => \%env }, '/usr/bin/env', $with->($cap), "$bin/zedtrace", @args) };
	like($run->('dac_read_search', '-t', 'sched:sched_switch')->{out}, qr/^    sched:sched_switch$/m, 'who may read tracefs may list events');
	my $instance = "$root/instances/zedrights.$$";
	live_make_instance($instance) or die "$instance: $!\n";
	put_text("$instance/events/sched/sched_switch/enable", '1');
	my $read = leaves_nothing('a reader', sub { $run->('dac_read_search', '--instance', "zedrights.$$", '-d', '0.3', '-o', "$work/r.dat") });
	put_text("$instance/events/enable", '0');
	rmdir $instance;
	is($read->{exit}, 0, '... and read an instance that another user has set up (else: the page promises too much)') or diag $read->{err};
	cmp_ok((live_report($read->{err}) // {})->{events} // 0, '>', 0, '... with its events');
	my $no = leaves_nothing('a reader that records', sub { $run->('dac_read_search', '-d', '0.1', '-o', "$work/x.dat", 'sched') });
	is($no->{exit}, 2, '... and not record');
	like($no->{err}, qr/^zedtrace: .*RIGHTS in zedtrace\(1\)$/, '... and is shown the page');
	my $yes = leaves_nothing('with CAP_DAC_OVERRIDE', sub { $run->('dac_override', '-d', '0.1', '-o', "$work/y.dat", 'sched') });
	is($yes->{exit}, 0, 'with CAP_DAC_OVERRIDE it records, as the kernel allows it (else: we refuse it ourselves)') or diag $yes->{err};
	unlink "$work/r.dat", "$work/y.dat";
}

# ---- no tracefs
refuses('ZED_TRACEFS is an empty directory', { env => { ZED_TRACEFS => $work } }, [], [qr/\Q$work\E/]);
refuses('ZED_TRACEFS is nothing', { env => { ZED_TRACEFS => "$dir/none" } }, [], [qr/\Q$dir\E\/none/], 'zedtrace -o FILE', 'zedperl --live');
SKIP: {
	skip live_cannot('no mount namespace can be made here'), 1
		if !$unshare || system "'$unshare' -m sh -c 'umount -l \"$root\" && mount --bind / /mnt' 2>/dev/null";
	my @sh = ($unshare, '-m', 'sh', '-c');
	refuses('tracefs is not mounted', {}, [@sh, 'grep -E " (tracefs|debugfs) " /proc/mounts | cut -d" " -f2 | sort -r |' .
		' while read -r d; do umount -l "$d"; done; exec "$@"', 'sh'], [qr/mount -t tracefs nodev /]);
	refuses('tracefs is mounted read-only', {}, [@sh, "mount -o remount,bind,ro '$root' && exec \"\$@\"", 'sh'],
		[qr/read-only/i], 'zedtrace -o FILE', 'zedtrace -o -', 'zedperl --live');
	# An empty /proc: neither mounts nor processes can be looked at.
	skip live_cannot('a sanitizer needs /proc'), 2 if $ENV{ZED_SAN};
	my $r = leaves_nothing('/proc is not there', sub {
		zed_run({ time => $long, memory => 0, env => \%env }, @sh, 'mount -t tmpfs nodev /proc; exec "$@"', 'sh', "$bin/zedtrace", '-d', '0.1', '-o', "$dir/proc.dat", 'sched');
	});
	ok(!$r->{signal} && !$r->{late} && @{$r->{lines}} && ($r->{exit} == 2 || live_report($r->{err})), 'without /proc: refused, or recorded') or diag $r->{err};
}

# ---- the kernel says no in the middle of setting up
for my $c (['a clock that it does not have', ['-C', 'sundial'], qr/sundial/], ['an event that it does not have', ['sched:sched_swich'], qr/sched_switch/],
	['more memory than there is', ['-b', '4000000000'], qr/-b|buffer/], ['a filter that it refuses', ['-F', 'sched: ((('], qr/\(\(\(/],
	['a task that is not there', ['-P', '4194999'], qr/4194999/]) {
	my ($what, $opts, $like) = @$c;
	my $r = leaves_nothing($what, sub {
		zed_run({ time => $long, memory => 0, env => \%env }, "$bin/zedtrace", '-d', '0.1', '-o', "$work/x.dat", @$opts, $what =~ /event/ ? () : 'sched');
	});
	is($r->{exit}, 2, "$what: exit 2") or diag $r->{err};
	is(scalar @{$r->{lines}}, 1, "$what: one line") or diag $r->{err};
	like($r->{err}, $like, "$what: that names it");
	ok(!-e "$work/x.dat" && !-e "$work/x.dat.zed", "$what: no file");
	remove_tree("$work/x.dat", "$work/x.dat.zed");
}

# ---- and who may read what was recorded
{
	my $mask = umask 0;
	my $r = leaves_nothing('a recording', sub {
		zed_run({ time => $long, memory => 0, env => \%env }, "$bin/zedtrace", '-d', '0.1', '-o', "$work/x.dat", 'sched');
	});
	umask $mask;
	is($r->{exit}, 0, 'recorded') or diag $r->{err};
	is(sprintf('%o', (stat "$work/x.dat")[2] & 07777), '600', 'by its owner alone (else: kallsyms and everybody\'s activity)');
	unlink "$work/x.dat";
}

done_testing();
