# SPDX-License-Identifier: GPL-2.0-or-later
#
# make install and make uninstall: into a root of its own, by prefix or PREFIX; what is there runs, and nothing of
# it is left.  Without it an installation would miss a file that the checkout has, or leave some behind.
# of: Makefile packaging scripts lib stable docs
use strict;
use warnings;
use Config;
use Cwd qw(abs_path);
use File::Find ();
use File::Path qw(make_path);
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_run zed_tmp spew slurp);
use Run::Python;

my $root = zed_tmp();
my $trace = abs_path('t/data/demo.dat');
my ($variant) = ($ENV{ZED_BUILD} // '') =~ m{([^/]+)$};
my @make = ('make', '-s', defined $ENV{ZED_SAN} && length $ENV{ZED_SAN} ? "SAN=$ENV{ZED_SAN}" : (),
	$ENV{CC} ? "CC=$ENV{CC}" : (), $variant && $variant =~ /-debug/ ? 'DEBUG=1' : (), $variant && $variant =~ /-cov/ ? 'COV=1' : ());

# Every file and folder below DIR.
sub found {
	my ($dir) = @_;
	my @all;
	File::Find::find({ no_chdir => 1, wanted => sub { push @all, s/^\Q$dir\E\/?//r if $_ ne $dir } }, $dir);
	return sort @all;
}

sub make {
	my (@args) = @_;
	my $r = zed_run({ time => 300, memory => 0 }, '/usr/bin/env', @make, @args);
	is($r->{exit}, 0, "make @args") or diag $r->{err};
	return $r;
}

# ---- staged, as a package is

make('install', "DESTDIR=$root/stage", 'prefix=/usr');
my %there = map { $_ => 1 } found("$root/stage");
ok($there{$_}, "$_ is installed (else: the manual names what is not there)")
	for qw(usr/bin/zedperl usr/bin/zedprint usr/bin/zedtrace usr/share/man/man1/zedperl.1 usr/share/man/man7/zedperl-scripts.7
	usr/share/man/man5/zed-stable.5 usr/share/man/man3/Zed.3pm usr/share/man/man3/Zed::Report.3pm usr/share/doc/zedperl/COPYING
	usr/share/bash-completion/completions/zedtrace usr/share/zsh/site-functions/_zed usr/share/fish/vendor_completions.d/zedprint.fish
	usr/lib/systemd/system/zedtrace@.service usr/lib/systemd/system/zedperl-metrics@.service usr/share/doc/zedperl/zedtrace.conf);
like(slurp("$root/stage/usr/lib/systemd/system/zedtrace@.service"), qr{^ExecStart=/usr/bin/zedtrace --config}m, 'a unit names the program where it is (else: it does not start)');
is_deeply([grep { !$there{"usr/share/zedperl/$_"} } glob 'scripts/*.pl lib/Zed/*.pm lib/Zed/*/*.pm stable/*.stable'], [],
	'and every script, module and definition (else: zedperl --scripts lists fewer than the README)');
is_deeply([grep { (stat "$root/stage/$_")[2] & 022 } keys %there], [], 'nothing that others may write (else: whoever can changes what root runs)');
is(zed_run('/bin/sh', '-c', "grep -rl '$root' '$root/stage' || true")->{out}, '', 'no file names the stage (else: it works there only)');
is(zed_run("$root/stage/usr/bin/zedperl", $trace, 'countall')->{out}, zed_run('zedperl', $trace, 'scripts/countall.pl')->{out},
	'a script runs by its name from there (else: it needs the checkout)');
is(zed_run("$root/stage/usr/bin/zedperl", $trace, 'softirq')->{exit}, 0, 'and one with modules of ours (else: Zed::Report is not found)');
{	# perl itself finds the module Zed and those beside it, and says where functions can be called.
	my ($zed) = grep { m{/Zed\.pm\z} && !m{^usr/share/zedperl/} } sort keys %there;
	ok($zed, 'Zed.pm is where perl looks');
	my $in = "$root/stage/" . ($zed // '') =~ s{/Zed\.pm\z}{}r;
	my $script = spew("$root/mine.pl", "use strict;\nuse warnings;\nuse Zed qw(ts);\nuse Zed::Report;\nsub sched::sched_switch { return ts() }\n");
	like(zed_run($^X, "-I$in", '-wc', $script)->{err}, qr/\A\S+ syntax OK\n\z/, 'perl -c of a script (else: editors mark it red)');
}
SKIP: {	# The module zed where python looks for what packages bring; no name of ours gets in the way of another module.
	skip extension_missing(), 5 if extension_missing();
	my ($module) = grep { m{/zed\.[\w-]+\.so\z} } sort keys %there;
	ok($there{'usr/bin/zedpython'} && $there{'usr/share/man/man1/zedpython.1'}, 'zedpython, with its manual');
	ok($module && $there{$module =~ s{/[^/]*\z}{/zed.pyi}r}, 'the module, with its types beside it') or last SKIP;
	my $in = "$root/stage/" . $module =~ s{/[^/]*\z}{}r;
	my $r = zed_run({ memory => 0, env => { PYTHONPATH => $in } }, '/bin/sh', '-c',
		'exec "$1" -c "import sys, zed; print(zed.__file__, len(list(zed.open(sys.argv[1]))))" "$2"', 'sh', python_path(), $trace);
	my $n = zed_run('zedperl', '-e', '$n = 0; sub trace_unhandled { $n++ } END { print $n }', $trace)->{out};
	is($r->{out}, "$root/stage/$module $n\n", 'python3 reads a trace with it') or diag $r->{err};
	is_deeply([map { (split)[-1] } split /\n/, zed_run('/bin/sh', '-c', "nm -D --defined-only '$root/stage/$module'")->{out}], ['PyInit_zed'],
		'it exports what python calls, and nothing else (else: two modules with one name of theirs break)');
	is(zed_run({ memory => 0 }, "$root/stage/usr/bin/zedpython", '-e', 'import zed; print(len(list(zed.trace)))', $trace)->{out}, "$n\n", 'zedpython runs from there');
}
SKIP: {	# Completion asks the one that was installed with the program.
	skip 'bash is not installed', 1 if system 'command -v bash >/dev/null 2>&1';
	my $r = zed_run({ memory => 0, env => { PATH => "$root/stage/usr/bin:$ENV{PATH}" } }, '/bin/sh', '-c', "exec bash --norc -c '. \"$root/stage/usr/share/bash-completion/completions/zedprint\"; "
		. 'COMP_WORDS=(zedprint --sta); COMP_CWORD=1; _zed zedprint --sta zedprint; echo "${COMPREPLY[@]}"' . "'");
	is($r->{out}, "--stack --stable --start --stats\n", 'completion finds its helper there') or diag $r->{err};
}
make('uninstall', "DESTDIR=$root/stage", 'prefix=/usr');
is_deeply([found("$root/stage")], [], 'uninstall leaves nothing (else: every version leaves its own)');

# Where nothing is said, perl's own place for what is not the system's is in its path already.
SKIP: {
	skip 'this perl has another prefix', 4 if $Config{siteprefix} ne '/usr/local';
	make('install', "DESTDIR=$root/local");
	ok(-e "$root/local$Config{installsitelib}/Zed.pm", 'to /usr/local: Zed.pm where perl looks (else: PERL5LIB has to be set)');
	make('uninstall', "DESTDIR=$root/local");
	is_deeply([found("$root/local")], [], 'and gone again');
}

# ---- for good, beside the files of others

make_path("$root/opt/bin", "$root/opt/share/man");
spew("$root/opt/bin/other", "other\n");
my @before = found("$root/opt");
make('install', "PREFIX=$root/opt");
ok(-x "$root/opt/bin/zedperl", 'PREFIX means prefix (else: what was meant for a home goes to /usr/local)');
is(zed_run("$root/opt/bin/zedprint", '--version')->{exit}, 0, 'it runs from there');
make('install', "PREFIX=$root/opt");
spew("$root/opt/share/zedperl/mine.pl", "1;\n");
make('uninstall', "PREFIX=$root/opt");
is_deeply([found("$root/opt")], [sort @before, 'share/zedperl', 'share/zedperl/mine.pl'],
	q(installed twice, removed once: what was there before is left (else: an empty bin/ of the system goes), and what a user put there (else: rm -rf of someone's work)));
is(slurp("$root/opt/bin/other"), "other\n", 'and as it was');

done_testing();
