# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recording has kallsyms and everybody's activity: what is written is for its owner alone, whatever the umask
# is, from its first byte on; and in a directory that others write to, a file or a link of theirs neither gets
# it nor chooses its rights.
#
# of: record/file programs/zedprint interp programs/zedtrace
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use POSIX ();
use Run::Process;
use Run::Program qw(:DEFAULT spew);
use Write::ZedStream;

my $dir = zed_tmp();
my $demo = 't/data/demo.dat';
my $zs = "$dir/demo.zs";
Write::ZedStream::from_dat($demo, batch => 3)->write($zs);
umask 0;

sub mode { my @st = lstat $_[0]; return @st ? sprintf '%04o', $st[2] & 07777 : 'none' }

sub put {
	my ($path, $text, $mode) = @_;
	spew($path, $text);
	chmod $mode, $path if defined $mode;
	return $path;
}

# ---- in the making: a stream of which half has come

for my $z ('none', 'zstd') {
	my $out = "$dir/half-$z.dat";
	my $text = slurp($zs);
	pipe my $r, my $w or die;
	my $pid = spawn({ stdin => $r }, zed_bin('zedtrace'), '--convert', '-', '-o', $out, '-z', $z);
	close $r;
	syswrite $w, substr $text, 0, length($text) * 3 / 4;
	wait_until(30, sub {
		my $waiting = pack 'i', 1;
		ioctl $w, 0x541b, $waiting;	# FIONREAD
		return !unpack('i', $waiting) && grep { -s } glob "$out.zed/{cpu0,map}";
	});
	my @files = glob "$out.zed/*";
	is(mode("$out.zed"), '0700', "$z: the directory of what is not finished (else: anybody looks in)");
	cmp_ok(scalar @files, '>=', 2, "$z: with files in it");
	is(join(' ', map { mode($_) } @files), join(' ', ('0600') x @files), "$z: each of them") or diag("@files");
	kill 'KILL', $pid;
	waitpid $pid, 0;
	close $w;

	# What a recovery that died left, or what somebody put there for us to write to.
	my $victim = put("$dir/victim-$z", 'theirs', 0666);
	link $victim, "$out.part" or die;
	my $run = zed_run('zedtrace', '--recover', "$out.zed", '-o', $out);
	cmp_ok($run->{exit}, '<=', 1, "$z: recovered") or diag($run->{err});
	is(mode($out), '0600', "$z: what is recovered");
	is(slurp($victim), 'theirs', "$z: and nothing was written to what stood at its place");
	is(zed_run('zedprint', '--summary', $out)->{exit} & ~1, 0, "$z: it can be read");
}

# ---- whole

my $export = sub { zed_run('zedperl', '--export', $_[0], $demo) };
for my $c (['--convert', sub { zed_run('zedtrace', '--convert', $zs, '-o', $_[0]) }],
	['--convert -z', sub { zed_run('zedtrace', '--convert', $zs, '-o', $_[0], '-z', 'zlib') }],
	['--export', $export]) {
	my ($what, $make) = @$c;
	my $out = "$dir/out" . ($what =~ tr/a-z//cdr);
	my $run = $make->($out);
	is($run->{exit}, 0, "$what: written") or diag($run->{err});
	is(mode($out), '0600', "$what: for its owner");
	chmod 0640, $out;
	$make->($out);
	is(mode($out), '0640', "$what: written anew it keeps the rights that its owner gave it (else: a group loses it)");
	put($out, '', 06755);
	chmod 06755, $out;
	$make->($out);
	is(mode($out), '0644', "$what: but for those to run it");

	my $victim = put("$dir/victim", 'secret', 0600);
	SKIP: {
		skip 'only root can make files of others', 5 if $>;
		put($out, '', 0666);
		chown 65534, 65534, $out;
		$make->($out);
		is(mode($out), '0600', "$what: a file of somebody else does not choose the rights");
		is((stat $out)[4], 0, "$what: nor the owner");
		unlink $out;
		symlink $victim, $out or die;
		system 'chown', '-h', '65534:65534', $out;
		$run = $make->($out);
		is(slurp($victim), 'secret', "$what: a link of somebody else does not choose what is overwritten");
		is(mode($victim), '0600', "$what: nor opens it");
		ok($run->{exit} == 2 ? $run->{err} =~ /symbolic link of another user/ : !-l $out,
			"$what: it is refused, or gives way") or diag($run->{err});
	}
	unlink $out;
}

# A directory that stands where ours would.
{
	mkdir "$dir/theirs" or die;
	symlink "$dir/theirs", "$dir/x.dat.zed" or die;
	my $run = zed_run('zedtrace', '--convert', $zs, '-o', "$dir/x.dat");
	is($run->{exit}, 2, 'FILE.zed is a link: refused');
	is_deeply([glob "$dir/theirs/*"], [], 'and nothing was written behind it');
}

done_testing();
