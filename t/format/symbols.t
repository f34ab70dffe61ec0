# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions of programs in a perf.data have the names of their files: of those that were recorded, wherever they are
# now, and of no others.  Without it a stack would be numbers, or worse, another build's functions.
#
# of: symbols programs/zedsyms programs/names.c reader/perf/build_ids.c trace/machine.c interp/bind/call_chain.c
use strict;
use warnings;
no warnings 'portable';
use File::Copy ();
use File::Path qw(make_path);
use IO::Socket::INET;
use JSON::PP ();
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
my $here = (POSIX::uname())[1];
my ($KERNEL, $USER) = (18446744073709551488, 18446744073709551104);
my $START = 0x5000_0000;
my $show = spew("$dir/show.pl", <<'EOP');
use Zed handlers => ['mini'];
sub mini::tick { print join(' ', Zed::stack_symbols('user')), "\n" }
EOP
my $frames = spew("$dir/frames.pl", <<'EOP');
use Perf::Trace::Core; use Zed handlers => ["mini"];
sub mini::tick {
	my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm, $common_callchain) = @_;
	print join(' ', map { my $s = $_->{sym}; ($s ? sprintf('%s:%x-%x', @$s{qw(name start end)}) : '-') . ':' . ($_->{dso} // '-') } @$common_callchain), "\n";
}
EOP

# C++ and Rust by the names that their compilers make; an alias of each kind at one address.
my $SOURCE = <<'EOC';
#include <stdio.h>
int leaf(int n) { puts("leaf"); return n * 3 + 1; }
static int inner(int n) { puts("inner"); return leaf(n) + 2; }
int cpp(int n) __asm__("_ZN5space5thing3runEi");
int cpp(int n) { puts("cpp"); return inner(n) + 1; }
int rust(int n) __asm__("_RNvC5crate4func");
int rust(int n) { puts("rust"); return cpp(n) + 1; }
int old_rust(int n) __asm__("_ZN5crate3old17h0123456789abcdefE");
int old_rust(int n) { puts("old rust"); return rust(n) + 1; }
int __strong(int n) { puts("strong"); return old_rust(n) + 1; }
int weak(int n) __attribute__((weak, alias("__strong")));
int main(int argc, char **argv) { return weak(argc); }
EOC
my $program = Compare::Elf::compile("$dir/program", $SOURCE, '-g');

# A recording with one sample in the functions NAMES of the file ELF, recorded as FILE; pid, at: of the mapping.
sub recorded {
	my ($elf, $file, $names, %o) = @_;
	my $id = $o{id} // Compare::Elf::build_id($elf);
	my $w = Write::Perf->new(host => $o{host} // $here, big => $o{big}, pipe => $o{pipe}, $o{of_map} || $o{no_id} ? () : (build_ids => [[$file, $id]]));
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	my @at = map { ref ? $$_ : (Compare::Elf::place($elf, $_))[0] + 4 } @$names;
	# A mapping begins at a page of the file.
	my $off = $o{off} // 0x1000;
	$w->mmap(pid => 40, at => $START, len => 0x100_0000, off => $off, name => $file, two => 1, time => 900, $o{inode} ? (inode => $o{inode}) : (), $o{of_map} ? (build_id => $id) : ());
	$w->sample(0, time => 1000, pid => 40, tid => 41, raw => $w->tick(41, 1), chain => [$USER, map { $START + $_ - $off } @at]);
	return $w->write("$dir/perf.data");
}

# What SCRIPT prints of it: (output, messages).
sub shown {
	my ($path, @args) = @_;
	my $r = zed_run({ env => { HOME => "$dir/home" } }, 'zedperl', @args);
	is($r->{exit}, 0, "zedperl @args[0 .. $#args - 1]: exit 0") or diag $r->{err};
	return ($r->{out} =~ s/\n\z//r, $r->{err});
}
sub names { return shown($_[0], @_[1 .. $#_], $_[0], $show) }

my @functions = ('leaf', 'inner', '_ZN5space5thing3runEi', '_RNvC5crate4func', '_ZN5crate3old17h0123456789abcdefE', '__strong', 'main');
my $iberty = zed_run('zedsyms', '--version')->{out} =~ /by libiberty/;
my $all = join ' ', map { "$_+0x4" } 'leaf', 'inner', $iberty ? ('space::thing::run', 'crate::func', 'crate::old') : @functions[2 .. 4], '__strong', 'main';

# ---- of this machine

for my $form ([], [big => 1], [pipe => 1], [of_map => 1], [of_map => 1, big => 1]) {
	my ($out, $err) = names(recorded($program, $program, \@functions, @$form));
	is("$err$out", $all, "names of a recording of this machine (@$form) (else: stacks are numbers)");
}
{
	my $p = recorded($program, $program, ['leaf', \0x1000, 'main']);
	my ($off, $size) = Compare::Elf::place($program, 'leaf');
	my ($out) = shown($p, $p, $frames);
	like($out, qr/^leaf:@{[sprintf '%x-%x', $off, $off + $size]}:\Q$program\E /, 'a script of perf gets sym, its bounds as offsets in the file, and dso');
	($out) = shown($p, $p, spew("$dir/symbol.pl", "use Zed handlers => ['mini'];\nsub mini::tick { print join ' ', map { scalar(Zed::symbol(\$_)) // '-' } Zed::stack() }\n"));
	like($out, qr/^leaf\+0x4 .* main\+0x4$/, 'Zed::symbol has them');
	($out) = shown($p, $p, 'stacks', '--folded');
	like($out, qr/;main;[^;]*;leaf 1$/, 'and stacks, from the outermost on');
}

{
	my $p = recorded($program, $program, ['leaf', 'main']);
	my $r = zed_run('zedprint', '--stack', $p);
	is(join('|', (split /\n/, $r->{out})[1 .. 2]), " => leaf+0x4 ($program)| => main+0x4 ($program)", 'zedprint --stack: lines after the event');
	$r = zed_run('zedprint', '-f', 'json', '--stack', $p);
	is_deeply(JSON::PP::decode_json($r->{out})->{stack}, ['leaf+0x4', 'main+0x4'], '... and in JSON');
	is(zed_run('zedprint', '-f', 'report', '--stack', $p)->{exit}, 2, '... and in no format that others define');
}

# Of several names perf's choice: the strong one, though it has underscores.
like((names(recorded($program, $program, ['weak'])))[0], qr/^__strong\+0x4$/, 'a weak alias is not chosen');

SKIP: {	# Stubs of a PLT have no symbol; the one before them has no size.
	my ($at) = Compare::Elf::run('readelf', '-SW', $program) =~ /\] \.plt\s+PROGBITS\s+[0-9a-f]+ ([0-9a-f]+)/ or skip 'no .plt', 1;
	is((names(recorded($program, $program, [\(hex($at) + 6)])))[0], sprintf("$program+0x%x", hex($at) + 6), 'nothing has the name of what is before its section');
}
for ([], ['-Wl,-z,lazy'], ['-Wl,-z,ibtplt', '-Wl,-z,lazy'], ['-no-pie', '-Wl,-z,lazy']) {	# The disassembler names stubs, too.
	my @flags = @$_;
	SKIP: {
		my $elf = eval { Compare::Elf::compile("$dir/stubs", "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) { puts(v[0]); return atoi(v[0]) + rand(); }\n", @flags) } or skip "this linker does not take @flags", 2;
		my $text = Compare::Elf::run('objdump', '-d', '-j', '.plt', '-j', '.plt.sec', $elf);
		my %at = map { /^([0-9a-f]+) <(\w+\@plt)>:/ ? ($2 => hex $1) : () } split /\n/, $text;
		skip "no stubs with @flags", 2 if !$at{'puts@plt'};
		my $second = $text =~ /section \.plt\.sec:/;
		my $section = quotemeta($second ? '.plt.sec' : '.plt');
		my ($start, $off) = map { hex } Compare::Elf::run('readelf', '-SW', $elf) =~ /\] $section\s+PROGBITS\s+([0-9a-f]+) ([0-9a-f]+)/;
		my @names = grep { $at{$_} >= $start } sort keys %at;
		is((names(recorded($elf, $elf, [map { my $x = $at{$_} - $start + $off + 4; \$x } @names])))[0], join(' ', map { "$_+0x4" } @names), "stubs of a PLT (@flags), as in a disassembly");
		Compare::Elf::run('objcopy', '--only-keep-debug', $elf, "$elf.debug");
		Compare::Elf::run('objcopy', '--strip-all', "--add-gnu-debuglink=$elf.debug", $elf);
		is((names(recorded($elf, $elf, [map { my $x = $at{$_} - $start + $off + 4; \$x } @names])))[0], join(' ', map { "$_+0x4" } @names), '... also of a program whose functions are in its debug file');
		unlink "$elf.debug";
	}
}

for (['no-pie', '-no-pie'], ['static', '-static'], ['static-pie', '-static-pie']) {
	my ($what, @flags) = @$_;
	SKIP: {
		my $elf = eval { Compare::Elf::compile("$dir/$what", $SOURCE, @flags) } or skip "this compiler links no program as $what", 2;
		is((names(recorded($elf, $elf, ['leaf', 'main'])))[0], 'leaf+0x4 main+0x4', "a program linked as $what: by its program headers");
	}
}

SKIP: {	# The vdso, which is a file in no folder: here read out of this process.
	my ($from, $to) = slurp('/proc/self/maps') =~ /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m or skip 'no vdso', 2;
	my ($at, $len, $bytes) = (hex $from, hex($to) - hex $from);
	open my $mem, '<:raw', '/proc/self/mem' or skip '/proc/self/mem cannot be read', 2;
	sysseek $mem, $at, 0 and sysread($mem, $bytes, $len) or skip 'the vdso cannot be read', 2;
	my $vdso = spew("$dir/vdso", $bytes);
	my ($start) = Compare::Elf::run('nm', '-D', $vdso) =~ /^([0-9a-f]+) T __(?:vdso|kernel)_clock_gettime(?:\@\S*)?$/m or skip 'it has no clock_gettime', 2;
	my $in = recorded($vdso, '[vdso]', [\(hex($start) + 4)], off => 0);
	like((names($in))[0], qr/clock_gettime\+0x4$/, 'the vdso of this kernel');
	is((names(recorded($vdso, '[vdso]', [\(hex($start) + 4)], off => 0, id => 'ab' x 20)))[0], sprintf('[vdso]+0x%x', hex($start) + 4), '... if it is that of the recording');
}

# ---- another build, no build id, another machine

{
	my ($out, $err) = names(recorded($program, $program, ['leaf'], id => 'ab' x 20));
	like($out, qr/^\Q$program\E\+0x[0-9a-f]+$/, 'a file with another build id gives no names (else: they are of another build)');
	like($err, qr/: addresses without a name: 1 in 1 file: \Q$program\E: .*another build id/, '... which is said, and counted');
	# A recording has the inode of each, the build id of few.
	my ($dev, $inode) = (stat $program)[0, 1];
	my ($major, $minor) = ($dev >> 8 & 0xfff, $dev & 0xff | $dev >> 12 & 0xfff00);
	my @same = (no_id => 1, inode => [$major, $minor, $inode]);
	is((names(recorded($program, $program, ['leaf'], @same)))[0], 'leaf+0x4', 'without a build id: the same inode, unchanged since (else: most stacks of perf record -g are numbers)');
	my $old = recorded($program, $program, ['leaf'], @same);
	utime 1000, 1000, $old or die "utime: $!\n";
	like((names($old))[0], qr/^\Q$program\E\+/, '... not one that has changed since the recording');
	for (['another inode', inode => [$major, $minor, $inode + 1]], ['another device', inode => [$major, $minor + 1, $inode]], ['another host', host => 'elsewhere']) {
		my ($what, @other) = @$_;
		like((names(recorded($program, $program, ['leaf'], @same, @other)))[0], qr/^\Q$program\E\+/, "... nor with $what");
	}
	($out, $err) = names(recorded($program, $program, ['leaf'], no_id => 1), '-v');
	like($out, qr/^\Q$program\E\+/, 'a file whose build id and inode the recording has not gives no names');
	like($err, qr/no build id of them, .*\(perf record --buildid-all/, '... which -v says');
	($out, $err) = names(recorded($program, $program, ['leaf'], host => 'elsewhere'));
	is($err, '', 'a recording of another machine: not a word');
	like($out, qr/^\Q$program\E\+/, '... and no file of this one (else: a stranger names files to open)');
	(undef, $err) = names(recorded($program, $program, ['leaf'], host => 'elsewhere'), '-v');
	like($err, qr/of another machine \(--symfs DIR/, '... -v says why');
}

# ---- other places

make_path(map { "$dir/$_" } 'root/usr/bin', 'root/tmp', 'home', 'debug/.build-id', 'links', 'far/.debug');
my $id = Compare::Elf::build_id($program);
my ($first, $rest) = $id =~ /^(..)(.*)/;
File::Copy::copy($program, "$dir/root/usr/bin/program");
my $far = recorded($program, '/usr/bin/program', ['leaf'], host => 'elsewhere');
is((names($far, '--symfs', "$dir/root"))[0], 'leaf+0x4', '--symfs: files are below it');
is((names(recorded($program, '/usr/bin/program (deleted)', ['leaf'], host => 'elsewhere'), '--symfs', "$dir/root"))[0], 'leaf+0x4', 'a deleted one, too');

my $cached = "$dir/home/.debug/.build-id/$first";
make_path($cached, "$dir/home/.debug/usr/bin/program/$id");
File::Copy::copy($program, "$dir/home/.debug/usr/bin/program/$id/elf");
symlink "../../usr/bin/program/$id", "$cached/$rest" or die "symlink: $!\n";
$far = recorded($program, '/usr/bin/program', ['leaf'], host => 'elsewhere');
is((names($far))[0], 'leaf+0x4', "~/.debug, as perf archive fills it, for every recording");
unlink "$cached/$rest" or die "unlink: $!\n";

# A file without .symtab, and its debug file.
my $stripped = "$dir/far/stripped";
Compare::Elf::run('objcopy', '--only-keep-debug', $program, "$dir/links/stripped.debug");
sub strip { my (@more) = @_; File::Copy::copy($program, $stripped); Compare::Elf::run('objcopy', '--strip-all', @more, $stripped); return $stripped }
strip();
like((names(recorded($program, strip(), ['inner'])))[0], qr/^\Q$stripped\E\+/, 'a stripped program has no name for a static function');
make_path("$dir/debug/.build-id/$first");
File::Copy::copy("$dir/links/stripped.debug", "$dir/debug/.build-id/$first/$rest.debug");
is((names(recorded($program, $stripped, ['inner']), '--debug-dir', "$dir/debug"))[0], 'inner+0x4', '... but its debug file has, found by build id');
{	# As prelink does: other addresses than its debug file has.
	my $moved = "$dir/far/moved";
	Compare::Elf::run('objcopy', '--change-addresses=0x10000', $stripped, $moved);
	is((names(recorded($program, $moved, ['inner', 'main']), '--debug-dir', "$dir/debug"))[0], 'inner+0x4 main+0x4', 'a program that was moved since it was linked');
}
strip("--add-gnu-debuglink=$dir/links/stripped.debug");
for my $place ("$dir/far/stripped.debug", "$dir/far/.debug/stripped.debug") {
	File::Copy::copy("$dir/links/stripped.debug", $place);
	is((names(recorded($program, $stripped, ['inner'])))[0], 'inner+0x4', 'and by .gnu_debuglink: ' . $place =~ s/^\Q$dir\E//r);
	unlink $place;
}
{
	my $other = Compare::Elf::compile("$dir/other", $SOURCE =~ s/leaf/some_leaf/gr);
	Compare::Elf::run('objcopy', '--only-keep-debug', $other, "$dir/far/stripped.debug");
	like((names(recorded($program, $stripped, ['inner'])))[0], qr/^\Q$stripped\E\+/, 'a debug file of another build is not used');
	unlink "$dir/far/stripped.debug";
}
SKIP: {	# .gnu_debugdata, as Fedora's programs have it: the symbols that .dynsym lacks, packed.
	skip 'xz is not here', 1 if !grep { -x "$_/xz" } split /:/, $ENV{PATH};
	File::Copy::copy("$dir/links/stripped.debug", "$dir/links/mini");
	Compare::Elf::run('xz', '-kf', "$dir/links/mini");
	strip('--add-section', ".gnu_debugdata=$dir/links/mini.xz");
	is((names(recorded($program, $stripped, ['inner', 'main'])))[0], 'inner+0x4 main+0x4', '.gnu_debugdata');
}

# ---- servers

# Serves the program for its build id, whatever is asked for, and keeps a line of each request in the file requests.
sub serve {
	my $listen = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', ReuseAddr => 1) or die "listen: $!\n";
	my $pid = fork // die "fork: $!\n";
	return ($pid, 'http://127.0.0.1:' . $listen->sockport) if $pid;
	$SIG{TERM} = 'DEFAULT';
	my $bytes = slurp($program);
	while (my $client = $listen->accept) {
		my $request = <$client> // '';
		while (defined(my $line = <$client>)) {
			last if $line =~ /^\r?\n/;
		}
		spew("$dir/requests", slurp("$dir/requests") . $request);
		my $known = $request =~ m{^GET /buildid/\Q$id\E/};
		print $client $known ? "HTTP/1.1 200 OK\r\nContent-Length: @{[length $bytes]}\r\nConnection: close\r\n\r\n$bytes"
			: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
		close $client;
	}
	POSIX::_exit(0);
}
SKIP: {
	my $says = zed_run('zedsyms', 'executable', $id)->{out};
	skip 'libdebuginfod is not here', 6 if $says =~ /cannot load/;
	spew("$dir/requests", '');
	my ($server, $url) = serve();
	my $p = recorded($program, '/usr/bin/program', ['leaf'], host => 'elsewhere');
	my %env = (HOME => "$dir/home", DEBUGINFOD_CACHE_PATH => "$dir/fetched", DEBUGINFOD_URLS => $url, no_proxy => '*');
	my $r = zed_run({ env => \%env }, 'zedperl', $p, $show);
	is(slurp("$dir/requests"), '', 'DEBUGINFOD_URLS alone: no server is asked (else: reading a trace tells others of it)');
	like($r->{out}, qr{^/usr/bin/program\+}, '... and there is no name');
	$r = zed_run({ env => \%env, memory => 0 }, 'zedperl', '--debuginfod', $p, $show);
	is($r->{out}, "leaf+0x4\n", '--debuginfod asks the servers of DEBUGINFOD_URLS') or diag $r->{err};
	like(slurp("$dir/requests"), qr{^GET /buildid/\Q$id\E/executable }, '... by the build id');
	$r = zed_run({ env => { %env, DEBUGINFOD_URLS => '' } }, 'zedperl', '--debuginfod', $p, $show);
	is($r->{exit}, 2, 'without a server it is refused');
	# The file is in the library's cache by now: it is asked for its lines, too.
	$r = zed_run({ env => \%env, memory => 0 }, 'zedprint', '--stack', '--debuginfod', '--inline', recorded($program, '/usr/bin/program', ['leaf'], host => 'elsewhere'));
	like($r->{out}, qr{^ => leaf\+0x4 \(/usr/bin/program\) \Q$program\E\.c:2$}m, '--inline of a file from a server') or diag $r->{err};
	kill 'TERM', $server;
	waitpid $server, 0;
}

# ---- code made at run time

spew("$dir/root/tmp/perf-40.map", "50001000 20 jitted: a b\n500010f0 10 next\n50001000 40 again\nnonsense\n");
sub jit { return recorded($program, '//anon', [\0x1004, \0x10f0, \0x1100], host => 'elsewhere', off => 0, no_id => 1) }
{
	my ($out, $err) = names(jit(), '--symfs', "$dir/root");
	like($out, qr/^again\+0x4 next\+0x0 \/\/anon\+0x1100$/, '/tmp/perf-PID.map: the last one of those at one address, as code is made again');
	like($err, qr/invalid lines left out: 1/, '... what is not such a line is counted');
	my $p = jit();
	like((shown($p, '--symfs', "$dir/root", $p, $frames))[0], qr/^again:50001000-50001040:\/tmp\/perf-40\.map /, '... which is its dso, as for perf');
}
done_testing();
