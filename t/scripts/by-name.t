# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scripts that come with zedperl are called by name, from a checkout and where they are installed.  Without it the
# examples in the manuals do not work as they are printed.
#
# of: programs/zedperl scripts
use strict;
use warnings;
use Test::More;
use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Path qw(make_path);
use lib 't/lib';
use Run::Program qw(spew);
use Run::Zedperl;

my $root = abs_path('.');
my $dat = trace();
my @names = map { m{([^/]+)\.pl\z} ? $1 : () } glob "$root/scripts/*.pl";

# Run with WORDS in the folder DIR.
sub at {
	my ($dir, @words) = @_;
	chdir $dir or die "$dir: $!\n";
	my $r = zedperl({ bare => 1 }, @words);
	chdir $root or die "$root: $!\n";
	return $r;
}

my $empty = temp_path('.dir');
mkdir $empty or die "$empty: $!\n";
my $want = zedperl({ bare => 1 }, $dat, "$root/scripts/countall.pl")->{out};
like($want, qr/mini::tick: 3/, 'there is something to compare with');
is(at($empty, $dat, 'countall')->{out}, $want, 'by name, anywhere (else: the reader of an example has to find the file)');
is(at($empty, $dat, 'countall.pl')->{out}, $want, 'with .pl');
is(at($empty, '-i', $dat, 'countall')->{out}, $want, 'behind -i');

spew("$empty/countall.pl", "print \"mine \@ARGV\\n\";\n");
is(at($empty, $dat, 'countall')->{out}, $want, 'a script of that name in the current directory is not meant (else: what was unpacked with a trace runs)');
is(at($empty, $dat, $_, 'x')->{out}, "mine x\n", "$_ is") for 'countall.pl', './countall', './countall.pl';
spew("$empty/countall", "print \"nearer\\n\";\n");
is(at($empty, $dat, 'countall')->{out}, $want, 'nor is a file without .pl');
is(at($empty, $dat, './countall')->{out}, "nearer\n", 'which ./ says, before the one with .pl');
unlink "$empty/countall", "$empty/countall.pl";
mkdir "$empty/countall";
is(at($empty, $dat, 'countall')->{out}, $want, 'a directory is no script');
is(at($empty, $dat, './countall')->{status}, 2, 'a path means that file only (else: another one runs)');

# Names that are none.
my $r = at($empty, $dat, 'contall');
is($r->{status}, 2, 'a misspelt name: 2');
is($r->{err}, "zedperl: contall: no such script: did you mean countall?\n", 'and the nearest one');
like(at($empty, $dat, 'elephant')->{err}, qr/^zedperl: elephant: no such script: .*zedperl --scripts lists those/, 'one that is near none');
like(at($empty, $dat, 'x/countall')->{err}, qr{^zedperl: x/countall: no such script: No such file}, 'a path that is none');

rmdir "$empty/countall";

# Who calls a script by its name may put that first, or forget the trace.
is(at($empty, 'countall', $dat)->{out}, $want, 'the name first (else: a script is opened as a trace)');
like(at($empty, 'countall', 'none.dat')->{err}, qr/^zedperl: none\.dat: cannot open it/, 'of a trace that is not there');
is(at($empty, 'countall')->{err}, "zedperl: no trace given, and there is no trace.dat here: zedperl TRACE countall\nzedperl: try 'zedperl --help'\n", 'no trace: what to write');
for (['a trace', $dat], ['-i', '-i', $dat], ['--live', '--live']) {
	my ($what, @before) = @$_;
	$r = at($empty, @before, 'top', 'wakeup-latency');
	is("$r->{status} $r->{err}", "2 zedperl: top reads neither a trace nor --live itself: it is the first word, zedperl top ANALYSIS...\nzedperl: try 'zedperl --help'\n",
		"$what before top (else: it is passed over, and this kernel is traced)");
}
is(at($empty, '--help', 'contall')->{err}, "zedperl: contall: no page, script, module or function of that name: did you mean countall?\n", '--help of a misspelt name');

# The list and the manuals.
$r = at($empty, '--scripts');
is($r->{status}, 0, '--scripts');
is(join(' ', map { (split)[0] } lines($r->{out})), join(' ', sort @names), 'lists all scripts, sorted (else: some are never found)');
is(scalar(grep { !/^\S+ +\w.{10,}/ } lines($r->{out})), 0, 'each with what it does');
for my $name (@names) {
	$r = at($empty, '--help', $name);
	ok(!$r->{status} && $r->{out} =~ /^NAME\n +\Q$name\E\.pl - /m && $r->{out} =~ /^OUTPUT$/m && $r->{err} eq '',
		"--help $name shows its manual") or diag $r->{err};
}
is(at($empty, '--help', 'elephant')->{status}, 2, '--help of none: 2');
like(at($empty, '--help')->{out}, qr/^usage: zedperl/, '--help alone is what it was');

# Where they are installed.
my $prefix = temp_path('.dir');
make_path("$prefix/bin", "$prefix/share/zedperl/scripts", map { s{\A\Q$root\E/}{$prefix/share/zedperl/}r } grep { -d } glob "$root/lib/Zed $root/lib/Zed/*");
copy(zedperl_path(), "$prefix/bin/zedperl") or die "copy: $!\n";
chmod 0755, "$prefix/bin/zedperl";
copy("$root/scripts/wakeup-latency.pl", "$prefix/share/zedperl/scripts") or die "copy: $!\n";
copy("$root/$_", "$prefix/share/zedperl/$_") or die "copy: $!\n"
	for map { s{\A\Q$root\E/}{}r } glob "$root/lib/Zed/*.pm $root/lib/Zed/*/*.pm";
chdir $empty;
$r = zedperl({ program => "$prefix/bin/zedperl" }, '--scripts');
like($r->{out}, qr/^wakeup-latency +\S.*\n\z/, 'an installed program finds those beside it');
$r = zedperl({ program => "$prefix/bin/zedperl" }, "$root/t/data/demo.dat", 'wakeup-latency');
like($r->{out}, qr/^task +n /m, 'and the modules that they share') or diag $r->{err};
unlink glob "$prefix/share/zedperl/scripts/*";
rmdir "$prefix/share/zedperl/scripts";
$r = zedperl({ program => "$prefix/bin/zedperl" }, '--scripts');
like($r->{err}, qr/no scripts are installed with this program/, 'without any, that is said');
chdir $root;

done_testing();
