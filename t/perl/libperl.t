# SPDX-License-Identifier: GPL-2.0-or-later
#
# A libperl of another version than the one that zedperl was built for is refused, with what to do.  Without it
# zedperl would take fields of the interpreter from where they no longer are.
# of: interp/perl programs/zedperl
use strict;
use warnings;
use Config;
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_run zed_tmp spew);

plan skip_all => 'a sanitizer has to be loaded first' if $ENV{ZED_SAN};

# Stands before libperl and says that it is 5.8: what get_sv("]") gives is a number of ours.
my $dir = zed_tmp();
spew("$dir/other.c", <<'END');
#include <dlfcn.h>
#include <string.h>
#ifdef THREADS
#define PERL_ void *perl,
#define GIVE_ perl,
#else
#define PERL_
#define GIVE_
#endif
void *Perl_get_sv(PERL_ const char *name, int flags)
{
	void *(*get)(PERL_ const char *, int) = dlsym(RTLD_NEXT, "Perl_get_sv");
	void *(*made)(PERL_ double) = dlsym(RTLD_NEXT, "Perl_newSVnv");

	return strcmp(name, "]") ? get(GIVE_ name, flags) : made(GIVE_ 5.008009);
}
END
my @cc = (split(' ', $ENV{CC} // 'cc'), '-D_GNU_SOURCE', ($Config{useithreads} ? '-DTHREADS' : ()), '-shared', '-fPIC');
plan skip_all => 'no C compiler' if system(@cc, '-o', "$dir/other.so", "$dir/other.c", '-ldl') != 0;

my @script = ('-e', 'BEGIN { print "ran\n" } END { print "ended\n" }', 't/data/demo.dat');
my $r = zed_run('zedperl', @script);
is($r->{out}, "ran\nended\n", 'the libperl that it was built for runs');
$r = zed_run({ env => { LD_PRELOAD => "$dir/other.so" } }, 'zedperl', @script);
is($r->{exit}, 2, 'another one: status 2, as for what cannot be opened');
is($r->{out}, '', 'nothing of the script ran');
my $built = (split /\./, $Config{version})[1];
like($r->{err}, qr/\Azedperl: built for perl 5\.$built, but the libperl that is loaded is 5\.8: build zedperl again [^\n]+\n\z/,
	'one line says which, and what to do');
done_testing();
