# SPDX-License-Identifier: GPL-2.0-or-later
#
# DEB=1 make check TESTS=t/use/package.t: make release and make deb, what lintian and rpmlint say, and the programs out of
# the package, run from a root of its own.  Some minutes, so it has to be asked for.  Without it a package lacks a file, or
# a tarball one that the build needs.
# of: debian packaging Makefile
use strict;
use warnings;
use Cwd qw(abs_path);
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_run zed_tmp slurp);

sub has { my ($program) = @_; return !system "command -v $program >/dev/null 2>&1" }

# What can be looked at at once: the versions, which stand in four places.
my ($version) = slurp('programs/options.h') =~ /^#define ZED_VERSION "(.*)"/m;
like(slurp('CHANGELOG.md'), qr/^## \Q$version\E\b/m, 'CHANGELOG tells of this version');
# A release has no debian/: the package adds it.
SKIP: {
	skip 'no debian/ here', 1 if !-e 'debian/changelog';
	like(slurp('debian/changelog'), qr/\Azedperl \(\Q$version\E-\d+\)/, 'so does debian/changelog (else: make deb builds another)');
}
like(slurp('packaging/zedperl.spec'), qr/^Version: +\Q$version\E$/m, 'and the spec');
my $told = zed_run('zedperl', '--version')->{out};
like($told, qr/\Azedperl \Q$version\E\nzlib \S+, zstd \S+\nlibtraceevent .*\nlibperl v5\.\S+\n(?:d3 \d\S*|no d3: .*)\n\z/, '--version tells the version of each part');
like($told, qr/^d3 \d/m, 'd3 too, where it is embedded') if zed_run('zedperl', '-e', 'print defined Zed::page_part("d3.min.js") ? "d3" : ""; sub trace_end { }', 't/data/demo.dat')->{out} eq 'd3';

# A tree that is no clone: an unpacked release.
SKIP: {
	skip 'git is not installed', 3 if !has('git');
	my $tree = zed_tmp() . '/tree';
	mkdir $_ or die "$_: $!\n" for $tree, "$tree/packaging";
	my $script = abs_path('packaging/release.sh');
	my $r = zed_run({ child => sub { chdir $tree or die "$!\n" } }, '/bin/sh', $script, $version);
	is($r->{exit}, 1, 'make release without a clone: 1');
	like($r->{err}, qr/\Amake release, make deb: .*no clone.*\n\z/, '... and why');
	ok(!-e "$tree/build", '... and nothing is made (else: a tarball of nothing)');
}

SKIP: {
	skip 'DEB=1 asks for the packages', 1 if !$ENV{DEB};
	skip 'not a checkout', 1 if !-e '.git' || !has('git');
	skip 'something is not committed', 1 if `git status --porcelain` ne '';
	skip 'no dpkg-buildpackage or debhelper', 1 if !has('dpkg-buildpackage') || !has('dh');

	my $make = sub {
		my ($target) = @_;
		# Flags of this run are not those of a package.
		return zed_run({ time => 3000, memory => 0, env => { MAKEFLAGS => '', MFLAGS => '', MAKELEVEL => '' } }, '/bin/sh', '-c', "env -u CC -u ZED_BUILD -u ZED_BIN_DIR make -s $target");
	};
	my $tarball = "build/release/zedperl-$version.tar.gz";
	is($make->('release')->{exit}, 0, 'make release');
	my $once = slurp($tarball);
	$make->('release');
	ok(slurp($tarball) eq $once, 'twice the same bytes (else: nobody can check it)');
	is(system("cd build/release && sha256sum --quiet -c zedperl-$version.tar.gz.sha256"), 0, 'its checksum');
	my %in = map { $_ => 1 } split /\n/, `tar -tzf $tarball`;
	is_deeply([grep { !/^debian\// && !$in{"zedperl-$version/$_"} } split /\n/, `git ls-files`], [], 'all that git has is in it');

	my $r = $make->('deb');
	is($r->{exit}, 0, 'make deb: built, its tests pass, and lintian finds nothing (else: archives refuse it)') or do { diag substr $_, -3000 for @$r{qw(out err)}; last SKIP };
	diag 'lintian is not installed' if !has('lintian');
	my ($deb) = grep { !/dbgsym/ } glob "build/deb/zedperl_${version}-*.deb";
	my ($with_python, $module) = map { glob "build/deb/${_}_${version}-*.deb" } qw(zedpython python3-zed);
	my $root = zed_tmp() . '/root';
	is(system('dpkg', '-x', $_, $root), 0, "$_ unpacks") for $deb, $with_python, $module;
	my $bin = "$root/usr/bin";
	my $trace = abs_path('t/data/demo.dat');
	is(zed_run("$bin/zedperl", $trace, 'countall')->{out}, zed_run('zedperl', $trace, 'scripts/countall.pl')->{out}, 'zedperl runs from there');
	is(zed_run("$bin/zedperl", '--scripts')->{out}, zed_run('zedperl', '--scripts')->{out}, 'with all scripts');
	is(zed_run("$bin/zedperl", $trace, 'wakeup-latency', '--html', zed_tmp() . '/page.html')->{exit}, 0, 'and d3 for its pages');
	is(zed_run("$bin/zedpython", '-t', $trace)->{out}, zed_run('zedperl', '-t', $trace)->{out}, 'zedpython');
	is(zed_run('/bin/sh', '-c', "PYTHONPATH='$root/usr/lib/python3/dist-packages' /usr/bin/python3 -c 'import zed; print(zed.__version__)'")->{out},
		"$version\n", 'the module of python3');
	is_deeply([grep { !m{/zed(?:python)?(?:\.[^/]+)?\z|^usr/share/(?:doc|lintian)/|/\z} } map { m{^-\S+ .* \./(.+)$} ? $1 : () } map { split /\n/, `dpkg -c $_` } $with_python, $module],
		[], 'each in its package');
	like(`dpkg -I $module`, qr/^ Depends:.*python3 \(/m, 'which says which python it is for');
	is(zed_run("$bin/zedprint", '--head', '3', $trace)->{out}, zed_run('zedprint', '--head', '3', $trace)->{out}, 'zedprint');
	is(zed_run("$bin/zedtrace", '--help')->{exit}, 0, 'zedtrace');
	like(zed_run('/bin/sh', '-c', "'$^X' -I'$root/usr/share/perl5' -MZed -MZed::Report -MZed::Test -e 'print Zed->VERSION'")->{out}, qr/\A\Q$version\E\z/, "perl's own Zed");
	ok(-s "$root/usr/share/$_", "/usr/share/$_") for 'man/man1/zedperl.1.gz', 'man/man3/Zed::Test.3pm.gz', 'bash-completion/completions/zedperl', 'zsh/vendor-completions/_zed',
		'fish/vendor_completions.d/zedtrace.fish', 'doc/zedperl/copyright';
	like(`dpkg -I $deb`, qr/^ Depends:.*libperl5.*libtraceevent1/m, 'and it says what it needs');
}

SKIP: {
	skip 'rpmlint or rpm is not installed', 1 if !has('rpmlint') || !has('rpm');
	my $r = zed_run({ time => 60, memory => 0, env => { PERL_BADLANG => 0 } }, '/bin/sh', '-c', 'rpmlint packaging/zedperl.spec');
	# It has no address yet; and BuildRoot is a tag that RPM itself has given up.
	my @found = grep { /: [EW]: / && !/invalid-url|no-url-tag|no-buildroot-tag/ } split /\n/, $r->{out} . $r->{err};
	is_deeply(\@found, [], 'rpmlint finds nothing in the spec');
}

done_testing();
