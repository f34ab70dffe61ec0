# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::snapshot on the running kernel: a script that sees one event of many writes those that came before it, also
# where it is too slow to see them all itself.
#
# of: programs/zedperl record/flight interp
# Without it: what led to the one event is gone when it comes.
# runs: make check
use strict;
use warnings;
use File::Spec;
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::Program;

live_or_skip();

my $none = stock_missing();
plan skip_all => live_cannot($none) if $none;

my $dir = zed_tmp();
my $zedperl = File::Spec->rel2abs(zed_bin('zedperl'));
my $cpus = live_lock('cpus', 0);

sub numbers {
	my ($file) = @_;
	return grep { $_ > 100_000 } map { /close.*\bfd[:=] ?(?:0x)?([0-9a-f]+)/ ? hex $1 : () } split /\n/, stock_text($file);
}

# HANDLER gets the descriptor that is closed; the load are COUNT numbered events, then one that is 77777, and when there is
# a file, and tracing goes on, which stands still meanwhile, one that is 88888.
sub live {
	my ($handler, $count, @options) = @_;
	put_text("$dir/s.pl", "# zedtrace: syscalls:sys_enter_close\nuse Zed; \$| = 1;\n"
		. "Zed::on('syscalls:sys_enter_close', args => ['fd'], sub { my (\$fd) = \@_; $handler });\n");
	return leaves_nothing("@options", sub {
		zed_run({ time => 60, memory => 0, child => sub { chdir $dir } }, $zedperl, '--live', @options, '-c', "$dir/s.pl", '--', $^X, '-e',
			"use POSIX (); POSIX::close(100_000 + \$_) for 1 .. $count; POSIX::close(77777); for (1 .. " . ($count > 1 ? 3000 : 0) . ") { last if -e 'snapshot.000001.dat' && all_on(); select undef, undef, undef, 0.01 } POSIX::close(88888);"
			. " sub all_on { return !grep { open my \$fh, '<', \$_; (readline(\$fh) // '') !~ /^1/ } glob '" . live_root() . "/instances/zed.' . getppid() . '.*/tracing_on' }")
	});
}

my $asks = 'if ($fd == 77777) { print Zed::snapshot(), "\n" } elsif ($fd == 88888) { print Zed::snapshot("named.dat"), "\n" }';
my $r = live($asks, 3000, '--flight', '10s');
is("$r->{exit} $r->{err}", '0 ', 'it runs') or diag($r->{err});
is($r->{out}, "snapshot.000001.dat\nnamed.dat\n", 'a name of its own, and a given one');
is_deeply([numbers("$dir/snapshot.000001.dat")], [100_001 .. 103_000], 'all that came before the event is in the file');
like(stock_text("$dir/snapshot.000001.dat"), qr/fd: 0x0*12fd1\b/, '... and the event itself');
is_deeply([numbers("$dir/named.dat")], [], 'the second has what came since');
like(stock_text("$dir/named.dat"), qr/fd: 0x0*15b38\b/, '... its own event among it');
is((stat "$dir/named.dat")[2] & 0777, 0600, 'for its owner alone');

# A script that is too slow for its own small buffer.
unlink glob "$dir/*.dat";
$r = live("select undef, undef, undef, 0.0001; $asks", 30_000, '--flight', '4M', '-b', '64');
is($r->{exit} & ~1, 0, 'a slow script: it runs') or diag($r->{err});
my @n = numbers("$dir/snapshot.000001.dat");
is_deeply(\@n, [100_001 .. 130_000], 'all is in the file, whatever the script lost') or diag(scalar @n);

# Nothing to write, nowhere to write.
$r = live('eval { Zed::snapshot() }; print $@; Zed::stop()', 1);
like($r->{out}, qr/\AZed::snapshot: no flight recorder is running \(use zedperl --live --flight 10s SCRIPT\)/, 'without --flight it dies, and says how');
$r = live('eval { Zed::snapshot("no/such/dir.dat") }; print $@; eval { Zed::snapshot("later.dat") }; print $@ || "fine\n"; Zed::stop()', 1,
	'--flight', '1M');
like($r->{out}, qr{\AZed::snapshot: .*no/such/dir\.dat.*No such file.*\nfine\n}s, 'a file that cannot be made: it dies, and the next one can be written');
$r = live('for my $name ("", "-") { eval { Zed::snapshot($name) }; print $@ || "fine\n" } eval { Zed::snapshot("later.dat") }; print $@ || "fine\n"; Zed::stop()', 1,
	'--flight', '1M');
like($r->{out}, qr/\AZed::snapshot: '' is not the name of a file at .*\nZed::snapshot: '-' is not the name of a file: .*\nfine\n/s, 'a name that is none: it dies (else: what was kept is gone)');
is(join(' ', grep { -e "$dir/$_" } '.zed', '-', '-.zed'), '', '... and leaves nothing');

# Who is kept out of the run's system calls is kept out of the file's.
{
	my @other = map { drizzle_start(30) } 1, 2;
	put_text("$dir/out.pl", "# zedtrace: raw_syscalls\nmy %n; sub raw_syscalls::sys_enter { \$n{Zed::pid()}++; Zed::stop() if (\$n{$other[1]} // 0) > 1000 }\n"
		. "sub trace_end { Zed::snapshot('out.dat'); print \$n{$other[0]} // 0 }\n");
	$r = zed_run({ time => 60, memory => 0, child => sub { chdir $dir } }, $zedperl, '--live', '--flight', '10s', '--exclude', $other[0], 'out.pl');
	storm_end($_) for @other;
	my %pid;
	dat_events("$dir/out.dat", sub { $pid{$_[3]}++ });
	is("$r->{exit} $r->{out}", '0 0', '--exclude: the script sees nothing of that process') or diag($r->{err});
	cmp_ok($pid{$other[1]} // 0, '>', 500, '... and the file has others');
	is($pid{$other[0]} // 0, 0, '... and nothing of that one, too (else: it takes the room of what led to it)');
}
$r = zed_run('zedperl', '--flight', '10s', '-e', '1', 't/data/none.dat');
like("$r->{exit} $r->{err}", qr/\A2 .*--flight is for --live/, 'without --live it is refused');

done_testing();
