# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the user may name as an input besides a trace.dat: bare OUTPUT.cpuN pages, a pipe, standard
# input, a directory, a name without its .dat.  All of them give what the file itself gives.
# Without it a pipe or a directory gives less than the file, or nothing.
#
# of: reader/open.c reader/dat/raw_pages.c base/input.c programs/zedprint
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::DatRead;
use Run::Program;

my $dir = zed_tmp();
my $script = "$dir/each.pl";
my $each = q{
	sub trace_unhandled { print join(' ', Zed::ts(), Zed::instance() || '-', @_[0, 1, 4], Zed::comm()), "\n" }
	sub trace_lost { print "lost @_\n" }
};
open my $fh, '>', $script or die;
print $fh $each;
close $fh;

sub copy {
	my ($from, $to) = @_;
	open my $out, '>:raw', $to or die "$to: $!\n";
	print $out slurp($from);
	close $out or die "$to: $!\n";
}

# The lines of a run, and that it went well.
sub lines_of {
	my ($what, @run) = @_;
	my $r = zed_run(@run);
	is("$r->{exit} $r->{err}", '0 ', "$what: exit 0 and not a word") or diag($r->{err});
	return [split /\n/, $r->{out}];
}

# Bare pages as a killed recorder leaves them, of every word size, byte order and sub-buffer size that
# there is an uncompressed recording of: without this a crashed recording is lost.
for my $file (qw(small_v7_none.dat small_be_none.dat i386_v6.dat small_v6.dat)) {
	my $path = "t/data/$file";
	my $d = Compare::DatRead::dat_read($path);
	my (@raw, $pages);
	copy($path, "$dir/trace.dat");
	for my $b (@{$d->{buffers}}) {
		for my $c (grep { length $_->{bytes} } @{$b->{cpus}}) {
			my $name = join '.', "$dir/trace.dat", length $b->{name} ? $b->{name} : (), "cpu$c->{cpu}";
			open my $out, '>:raw', $name or die;
			print $out $c->{bytes};
			close $out;
			push @raw, $name;
		}
	}
	my $want = lines_of("$file itself", 'zedperl', "$dir/trace.dat", $script);
	cmp_ok(scalar @$want, '>', 10, "$file: there is something to compare");
	my $got = lines_of("$file as bare pages", 'zedperl', '--meta', "$dir/trace.dat",
		(map { ('-i', $_) } @raw), $script);
	is_deeply($got, $want, "$file: bare pages with --meta give the same events") or diag("@$got[0, 1]");

	my $no = zed_run('zedprint', $raw[0]);
	is($no->{exit}, 2, "$file: bare pages without --meta: exit 2");
	like($no->{err}, qr/\Q$raw[0]\E: .*--meta/, "$file: and the option is named");
	unlink @raw;
}

# Instances: OUTPUT.INSTANCE.cpuN keeps the instance's name.
{
	my $d = Compare::DatRead::dat_read('t/data/small_v7_none.dat');
	my ($c) = grep { length $_->{bytes} } @{$d->{buffers}[0]{cpus}};
	my $name = "$dir/trace.dat.foo.bar.cpu7";
	open my $out, '>:raw', $name or die;
	print $out $c->{bytes};
	close $out;
	copy('t/data/small_v7_none.dat', "$dir/trace.dat");
	my $got = lines_of('an instance', 'zedperl', '--meta', "$dir/trace.dat", '-i', $name, $script);
	is((split ' ', $got->[0])[1], 'foo.bar', 'the instance is named');
	is((split ' ', $got->[0])[3], 7, 'and the CPU is that of the name');
	unlink $name;
}

# A pipe, standard input, a directory, a name without .dat.
my $path = 't/data/demo.dat';
my $want = lines_of('the file', 'zedperl', $path, $script);
copy($path, "$dir/demo.dat");
copy($path, "$dir/trace.dat");
is_deeply(lines_of('-i - from a file', { stdin => $path }, 'zedperl', '-i', '-', $script), $want,
	'standard input that is a file');
is_deeply(lines_of('no .dat', 'zedperl', "$dir/demo", $script), $want, 'NAME stands for NAME.dat');
is_deeply(lines_of('a directory', 'zedperl', $dir, $script), $want, 'a directory stands for its trace.dat');
my $bin = zed_bin('zedperl');
is_deeply([split /\n/, `cat $path | $bin -i - $script`], $want, 'a pipe is spooled and read');
is($?, 0, 'with exit 0');
is_deeply([split /\n/, `(head -c 1000 $path; sleep 0.2; tail -c +1001 $path) | $bin -i - $script`], $want,
	'a pipe that pauses too');
{
	# The script's own standard input is left to it when the trace is a file.
	my $r = zed_run({ stdin => $script }, 'zedperl', '-e', 'sub trace_begin { print scalar <STDIN>; Zed::stop() }', $path);
	is($r->{out}, "\n", 'a script reads its own STDIN');
}
{
	# No room for the copy of a pipe: one line that says so, and what to do.
	my $r = zed_run({ env => { TMPDIR => "$dir/nowhere" } }, 'zedprint', '-i', "$dir/fifo-none");
	is($r->{exit}, 2, 'a missing file: exit 2');
	my $e = `cat $path | TMPDIR=$dir/nowhere $bin -i - $script 2>&1`;
	is($? >> 8, 2, 'a pipe without room for its copy: exit 2');
	like($e, qr/TMPDIR/, 'and TMPDIR is named');
}
done_testing();
