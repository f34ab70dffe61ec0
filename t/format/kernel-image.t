# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of the kernel's functions by its build id: a vmlinux, or a text of kallsyms, of another boot is moved to where the
# recording's boot had it; modules are named by their files. Without it who records here and looks there, or after a
# reboot, has numbers, or another boot's names.
#
# of: symbols/kernel_names.c symbols/symbol_finder.c symbols/code_files.c programs/zedsyms trace/chain_frame.c trace/symbols.c kernel/running_kernel.c
use strict;
use warnings;
no warnings 'portable';
use File::Copy ();
use File::Path qw(make_path remove_tree);
use POSIX ();
use Test::More;
use lib 't/lib';
use Compare::Elf;
use Run::Program qw(:DEFAULT spew);
use Write::Perf;

-x zed_bin('zedsyms') or plan skip_all => 'zedsyms is not built: libdw is not here';
my $tool = Compare::Elf::missing();
defined $tool and plan skip_all => "$tool is not here";

my $dir = zed_tmp();
my $KERNEL = 18446744073709551488;
my ($BOOT, $RELEASE) = (0xffffffff92000000, '6.1.0-9-toy');	# where the recording's boot had _text
my $chain = spew("$dir/chain.pl", <<'EOT');
use Perf::Trace::Core; use Zed handlers => ["mini"];
sub mini::tick {
	my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm, $common_callchain) = @_;
	print join(' ', map { my $s = $_->{sym}; ($s ? sprintf('%s:%x:', $s->{name}, $s->{start}) : '-:') . ($_->{dso} // '-') } @$common_callchain), "\n";
}
EOT

# A kernel in small: functions far from 0, and the symbol by which recordings say where they were.
my $image = Compare::Elf::compile("$dir/image", <<'EOC', '-nostdlib', '-static', '-no-pie', '-Wl,-Ttext=0x41000000', '-Wl,-e,_text');
int text(int n) __asm__("_text");
int text(int n) { return n + 1; }
int leaf(int n) { return n * 3 + 1; }
int schedule_toy(int n) { return leaf(n) + text(n); }
EOC
my $id = Compare::Elf::build_id($image);
my ($first, $rest) = $id =~ /^(..)(.*)/;
my $text = Compare::Elf::address($image, '_text');
sub moved { my ($name) = @_; return $BOOT + (Compare::Elf::address($image, $name) - $text) }

# A recording of ADDRESSES of the kernel; modules: [FILE, START, BUILD-ID].
sub recorded {
	my ($addresses, %o) = @_;
	my @modules = @{$o{modules} // []};
	my $w = Write::Perf->new(host => 'elsewhere', release => $RELEASE, %o,
		build_ids => [$o{no_id} ? () : ['[kernel.kallsyms]', $o{id} // $id, 1], map { [@$_[0, 2], 1] } grep { defined $_->[2] } @modules]);
	my $base = $o{text} // $BOOT;
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	$w->mmap(pid => -1, at => $base, len => 0x100_0000, off => $base, name => '[kernel.kallsyms]_text', time => 0, $o{of_map} ? (build_id => $id) : ());
	$w->mmap(pid => -1, at => $_->[1], len => 0x1_0000, off => 0, name => $_->[0], time => 0) for @modules;
	$w->sample(0, time => 1000, pid => 40, tid => 41, raw => $w->tick(41, 1), chain => [$KERNEL, @$addresses]);
	return $w->write("$dir/" . ($o{as} // "perf.data"));
}
sub shown {
	my ($path, @args) = @_;
	my $r = zed_run({ env => { HOME => "$dir/none" } }, 'zedperl', @args, $path, $chain);
	is($r->{exit}, 0, "zedperl @args: exit 0") or diag $r->{err};
	return ($r->{out} =~ s/\n\z//r, $r->{err});
}

# ---- places of a vmlinux

my @at = map { moved($_) + 4 } qw(leaf schedule_toy);
my $names = join ' ', map { sprintf '%s:%x:[kernel.kallsyms]', $_, moved($_) } qw(leaf schedule_toy);
my $none = '-:[kernel.kallsyms] -:[kernel.kallsyms]';
my $recorded = recorded(\@at, as => 'image.data');
for (["debug/.build-id/$first/$rest/elf", '--debug-dir', 'debug'], ["debug/.build-id/$first/$rest/vmlinux", '--debug-dir', 'debug'],
	["debug/.build-id/$first/$rest.debug", '--debug-dir', 'debug'], ["root/usr/lib/debug/.build-id/$first/$rest.debug", '--symfs', 'root'],
	["root/boot/vmlinux-$RELEASE", '--symfs', 'root'], ["root/usr/lib/debug/boot/vmlinux-$RELEASE", '--symfs', 'root'],
	["root/usr/lib/debug/lib/modules/$RELEASE/vmlinux", '--symfs', 'root'], ["root/lib/modules/$RELEASE/build/vmlinux", '--symfs', 'root']) {
	my ($place, $option, $folder) = @$_;
	make_path("$dir/$place" =~ s{/[^/]*\z}{}r);
	File::Copy::copy($image, "$dir/$place");
	my ($out, $err) = shown($recorded, $option, "$dir/$folder");
	is("$err$out", $names, "a vmlinux by its build id, moved to where its boot was: $place (else: numbers)");
	($out) = shown(recorded(\@at, id => 'ab' x 20), $option, "$dir/$folder");
	is($out, $none, '... for no other build');
	remove_tree("$dir/$folder");
}
make_path("$dir/root/boot");
File::Copy::copy($image, "$dir/root/boot/vmlinux-$RELEASE");
is((shown(recorded(\@at, no_id => 1), '--symfs', "$dir/root"))[0], $none, 'none for a recording without a build id (else: those of any kernel of that release)');
is((shown(recorded(\@at, no_id => 1, of_map => 1), '--symfs', "$dir/root"))[0], $names, '... but for one that has it in the record of the mapping (perf record --buildid-mmap)');
make_path("$dir/root/boot/vmlinux-x");
File::Copy::copy($image, "$dir/root/secret");
is((shown(recorded(\@at, release => 'x/../../secret'), '--symfs', "$dir/root"))[0], $none, 'a release that is a path leads nowhere (else: a stranger names files to open)');
like((shown($recorded, '-v'))[1], qr/no names of the kernel's functions: recorded on elsewhere, Linux \S+: .*vmlinux with its build id/, 'without one, -v says what to look for');

SKIP: {	# perf itself, of the same recording.
	my ($perf) = grep { -x } map { "$_/perf" } split /:/, $ENV{PATH};
	skip 'perf is not here', 2 if !$perf;
	my $w = Write::Perf->new(host => 'elsewhere', release => $RELEASE, arch => (POSIX::uname())[4], build_ids => [['[kernel.kallsyms]', $id, 1]]);
	$w->attr(type => 1, config => 0, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN)], ids => [7], name => 'cpu-clock');
	$w->mmap(pid => -1, at => $BOOT, len => 0x100_0000, off => $BOOT, name => '[kernel.kallsyms]_text', time => 0);
	my @every = map { my $f = $_; map { moved($f) + $_ } 0, 3 } qw(_text leaf schedule_toy);
	$w->sample(0, time => 1000, pid => 40, tid => 41, ip => $every[0], chain => [$KERNEL, @every]);
	my $path = $w->write("$dir/clock.data");
	my $r = zed_run({ time => 60, memory => 0 }, $perf, 'script', '-f', '-i', $path, "--vmlinux=$image", '-F', 'ip,sym,symoff');
	my @theirs = $r->{out} =~ /^\s+[0-9a-f]+ (\S+\+0x[0-9a-f]+)/mg;
	is(scalar @theirs, 6, 'perf script names each address') or diag $r->{out}, $r->{err};
	$r = zed_run('zedprint', '--stack', '--symfs', "$dir/root", $path);
	is_deeply([$r->{out} =~ /^ => (\S+)$/mg], \@theirs, '... as here');
}

# ---- kallsyms

{
	my $kallsyms = sprintf "%x T _text\n%x t moved_one\n%x t moved_two\n%x t of_module\t[mod]\n", 0xffffffff81000000, 0xffffffff81000100, 0xffffffff81000200, 0xffffffffa0000000;
	make_path("$dir/kdebug/.build-id/$first/$rest");
	spew("$dir/kdebug/.build-id/$first/$rest/kallsyms", $kallsyms);
	my ($out) = shown(recorded([$BOOT + 0x104, 0xffffffffa0000004, 0xffffffffa0000004 + ($BOOT - 0xffffffff81000000)]), '--debug-dir', "$dir/kdebug");
	is($out, sprintf('moved_one:%x:[kernel.kallsyms] -:- -:-', $BOOT + 0x100), 'a text of another boot is moved; its modules were elsewhere: no names (else: wrong ones)');
	($out) = shown(recorded([0xffffffff81000104, 0xffffffffa0000004], text => 0xffffffff81000000), '--debug-dir', "$dir/kdebug");
	is($out, sprintf('moved_one:%x:[kernel.kallsyms] of_module:%x:[mod]', 0xffffffff81000100, 0xffffffffa0000000), 'one of that boot is taken as it is');
	spew("$dir/kdebug/.build-id/$first/$rest/kallsyms", $kallsyms =~ s/^[0-9a-f]+/0000000000000000/gmr);
	is((shown(recorded([$BOOT + 0x104]), '--debug-dir', "$dir/kdebug"))[0], '-:[kernel.kallsyms]', 'addresses that were hidden name nothing');
}

# ---- the running kernel, of another boot

SKIP: {
	my %is = map { /^([0-9a-f]+) [tT] (_text|schedule)$/ ? ($2 => hex $1) : () } split /\n/, -r '/proc/kallsyms' ? slurp('/proc/kallsyms') : '';
	my $notes = -r '/sys/kernel/notes' ? unpack 'H*', slurp('/sys/kernel/notes') : '';
	my ($own) = $notes =~ /040000001400000003000000474e5500([0-9a-f]{40})/;
	skip 'this kernel shows no addresses, or no build id', 4 if !$is{_text} || !$is{schedule} || !$own;
	my $at = $BOOT + ($is{schedule} - $is{_text});
	is((shown(recorded([$at + 5], id => $own)))[0], sprintf('schedule:%x:[kernel.kallsyms]', $at), 'the running kernel\'s symbols, moved, if it is of the same build');
	like((shown(recorded([$at + 5], id => 'ab' x 20)))[0], qr/^-:/, '... and of no other');
}

# ---- modules

my $MODULE = <<'EOC';
int in_module(int n) { return n * 7 + 1; }
static int own(int n) { return in_module(n) + 2; }
int (*table)(int) = own;
EOC
sub module { my ($path, @flags) = @_; return Compare::Elf::compile($path, $MODULE, '-r', '-nostdlib', '-no-pie', @flags) }
my $START = 0xffffffffa0000000;
my $file = "/lib/modules/$RELEASE/kernel/x-y.ko";
make_path("$dir/root/lib/modules/$RELEASE/kernel");
my $module = module("$dir/root$file");
my $module_id = Compare::Elf::build_id($module);
my $own = Compare::Elf::address($module, 'own');
my $of_module = sprintf 'own:%x:[x_y]', $START + $own;
sub in_module { my (%o) = @_; return recorded([$START + $own + 4], modules => [[$o{file} // $file, $START, exists $o{id} ? $o{id} : $module_id]], no_id => 1) }
{
	my ($out, $err) = shown(in_module(), '--symfs', "$dir/root");
	is("$err$out", $of_module, 'a module by its file, at its address in the recording');
	my $r = zed_run('zedperl', '--symfs', "$dir/root", in_module(), 'stacks', '--folded');
	like($r->{out}, qr/;own 1$/m, '... also in stacks');
	like((shown(in_module(id => 'ab' x 20), '--symfs', "$dir/root"))[1], qr/addresses without a name: 1 in 1 file: \Q$file\E: .*another build id/, '... of the same build only, and that is said');
	is((shown(in_module(id => undef), '--symfs', "$dir/root"))[0], "-:$file", '... and of none, if the recording has no build id of it');
	is((shown(in_module()))[0], "-:$file", '... nor for a recording of another machine without --symfs');
}
SKIP: {
	skip 'xz is not here', 1 if !grep { -x "$_/xz" } split /:/, $ENV{PATH};
	Compare::Elf::run('xz', '-k', $module);
	is((shown(in_module(file => "$file.xz"), '--symfs', "$dir/root"))[0], $of_module, 'a packed module');
}
SKIP: {
	skip 'zstd is not here', 1 if !grep { -x "$_/zstd" } split /:/, $ENV{PATH};
	Compare::Elf::run('zstd', '-q', '-k', $module);
	my ($out, $err) = shown(in_module(file => "$file.zst"), '--symfs', "$dir/root");
	is($out, $of_module, 'one that is packed by zstd, which libdw may not unpack') or diag $err;
	my $packed = slurp("$dir/root$file.zst");
	spew("$dir/root$file.zst", substr $packed, 0, length($packed) - 20);
	($out, $err) = shown(in_module(file => "$file.zst"), '--symfs', "$dir/root");
	like($err, qr/\Q$file\E\.zst: packed by zstd, and cut off/, '... one that is cut off has none, and that is said') or diag $out;
	substr $packed, length($packed) / 2, 40, 'x' x 40;
	spew("$dir/root$file.zst", $packed);
	($out, $err) = shown(in_module(file => "$file.zst"), '--symfs', "$dir/root");
	like($err, qr/\Q$file\E\.zst: packed by zstd, and damaged/, '... nor one that is damaged') or diag $out;
}
{	# As on ARM, where room for stubs comes first: only the kernel knows how much.
	my $script = spew("$dir/module.lds", 'SECTIONS { .plt 0 : { BYTE(0) } .text 0 : { *(.text) } }');
	my $stubs = "/lib/modules/$RELEASE/kernel/stubs.ko";
	my $built = module("$dir/root$stubs", "-Wl,-T,$script");
	is((shown(in_module(file => $stubs, id => Compare::Elf::build_id($built)), '--symfs', "$dir/root"))[0], "-:$stubs", 'a module whose .text is not what is loaded first has no names (else: wrong ones)');
}
done_testing();
