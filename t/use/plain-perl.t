# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scripts under perl itself: `use Zed;` is found, its functions die with what to do; and Zed::Test, with which prove
# tests a script.  Without it perl -c and editors mark every script as broken, and nobody can test his own.
# of: interp/Zed.pm interp/Zed interp/plain.pl
use strict;
use warnings;
use Cwd qw(abs_path);
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_run zed_tmp zed_bin spew slurp);

my $dir = zed_tmp();
my $lib = abs_path('lib');
my $made = zed_run('/bin/sh', '-c', "'$^X' interp/plain.pl interp/Zed.pm docs/zedperl-scripts.pod");
is($made->{exit}, 0, 'a Zed.pm for perl is made') or diag $made->{err};
mkdir "$dir/lib" or die "$dir/lib: $!\n";
spew("$dir/lib/Zed.pm", $made->{out});

sub perl {
	my (@args) = @_;
	return zed_run('/bin/sh', '-c', 'exec "$@"', 'sh', $^X, "-I$dir/lib", "-I$lib", @args);
}

# ---- use Zed

my $script = spew("$dir/mine.pl", <<'END');
use strict;
use warnings;
use Zed qw(ts comm);
use Zed handlers => ['mine'];
use Zed::Report;
sub sched::sched_switch { print comm(), ' ', ts(), "\n" }
sched::sched_switch() if @ARGV;
END
is(perl('-wc', $script)->{err}, "$script syntax OK\n", 'perl -c');
my $r = perl($script, 'call');
is($r->{err}, "Zed::comm: run it with zedperl (zedperl TRACE SCRIPT): perl alone has no trace at $script line 6.\n", 'a function dies with what to do, at its caller');
is(perl('-e', 'use Zed; print defined &Zed::on ? "on" : "off", Zed->VERSION')->{out}, 'on0.1', 'functions can be asked for (else: completion has none)');
like(perl('-e', 'use Zed qw(nosuch)')->{err}, qr/Zed has no function 'nosuch'/, 'a name that is none is refused, as in zedperl');
my %said = map { $_ => 1 } slurp('docs/zedperl-scripts.pod') =~ /^=item Zed::([a-z]\w*)/mg;
my $all = join ' ', sort keys %said;
is(perl('-e', "use Zed; print grep { !defined &{qq{Zed::\$_}} } qw($all)")->{out}, '', 'all functions of the manual are there');
like(zed_run('/bin/sh', '-c', "'$^X' -MPod::Text -e 'Pod::Text->new->parse_file(shift)' '$dir/lib/Zed.pm'")->{out}, qr/^NAME\n    Zed - .*^  Of the event/ms, 'and its manual, for perldoc Zed');

# Within zedperl it is never read, whatever the path says.
spew("$dir/lib/Zed.pm", "die 'the wrong Zed';\n");
$r = zed_run('zedperl', "-I$dir/lib", '-e', 'use Zed qw(ts); sub sched::sched_switch { print ts() > 0 ? "own" : "none"; Zed::stop() }', 't/data/demo.dat');
is($r->{out}, 'own', 'zedperl carries its own') or diag $r->{err};
spew("$dir/lib/Zed.pm", $made->{out});

# ---- Zed::Test: the example of its manual, as prove runs it

my ($example) = slurp('lib/Zed/Test.pm') =~ /^=head1 SYNOPSIS\n\n(.*?)^=head1/ms;
spew("$dir/switches.t", $example =~ s/^    //mgr);
spew("$dir/switches.pl", "my (undef, \$by) = splice \@ARGV, 0, 2;\nmy %n;\nsub sched::sched_switch { \$n{\$_[0]}++ }\nsub trace_end { print qq{\$by \$_: \$n{\$_} switches\\n} for sort keys %n }\n");
my $zedperl = abs_path(zed_bin('zedperl'));
$r = zed_run({ time => 60, env => { ZEDPERL => $zedperl }, child => sub { chdir $dir or die "$dir: $!\n" } }, '/bin/sh', '-c', "prove -I'$lib' switches.t");
like($r->{out}, qr/^Result: PASS$/m, 'the example of Zed::Test passes under prove') or diag $r->{out}, $r->{err};
$r = zed_run({ time => 60, env => { ZEDPERL => '/nowhere/zedperl' }, child => sub { chdir $dir or die "$dir: $!\n" } }, '/bin/sh', '-c', "'$^X' -I'$lib' switches.t");
isnt($r->{exit}, 0, 'and fails without zedperl (else: it tests nothing)');

# What is written is read as it was meant: every kind of field, CPUs, times, names, pages that are full.
{
	local $ENV{ZEDPERL} = $zedperl;
	local @INC = ($lib, @INC);
	require Zed::Test;
	my $t = Zed::Test->new('mine::all' => 'char name[8]; u8 a; short b; pid_t pid; unsigned long c; int v[3]; __data_loc char[] text; s64 d', 'mine::none' => '');
	$t->event('mine::all', cpu => 2, ts => 9_000_000_000, pid => 77, comm => 'worker', name => 'one', a => 255, b => -2, field_pid => 5, c => 18446744073709551615,
		v => [1, -2, 3], text => 'longer than that', d => -9);
	$t->event('mine::none', ts => 1_000) for 1;
	$t->event('mine::none', ts => 1_000_000 * $_) for 1 .. 1000;
	my $print = spew("$dir/all.pl", <<'END');
use Zed handlers => ['mine'];
my ($n, $last) = (0, 0);
sub mine::none { $n++; $last <= Zed::ts() or die; $last = Zed::ts() }
sub mine::all { print join('|', Zed::cpu(), Zed::ts(), Zed::pid(), Zed::comm(), map { ref ? "@$_" : $_ } @_[4 .. $#_]), "\n" }
sub trace_end { print "$n @ARGV\n" }
END
	my $got = $t->run($print, 'x', 'y');
	is("$got->{status} $got->{err}$got->{out}", "0 2|9000000000|77|worker|one|255|-2|5|18446744073709551615|1 -2 3|longer than that|-9\n1001 x y\n", 'fields of every kind, and many pages');
	like($t->run($print, ['--head', '3'], 'x')->{out}, qr/\A3 x\n\z/, 'with options of zedperl');
	is(zed_run('zedprint', '-f', 'json', $t->write("$dir/all.dat"))->{exit}, 0, 'the trace is sound for others too');
	ok(!eval { $t->event('mine::all', nosuch => 1); 1 } && $@ =~ /mine::all has no field 'nosuch' \(it has name a b/, 'a field that is none is refused');
	ok(!eval { Zed::Test->new('mine::x' => 'struct y z'); 1 } && $@ =~ /no type 'struct y'/, 'and a type');
	# The kernel's own words.
	my $format = "name: tick\nID: 4\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		. "\tfield:char who[4];\toffset:8;\tsize:4;\tsigned:0;\n\tfield:int n;\toffset:12;\tsize:4;\tsigned:1;\n\nprint fmt: \"%s has %d\", REC->who, REC->n\n";
	my $k = Zed::Test->new('mine::tick' => $format)->event('mine:tick', who => 'me', n => 4);
	like(zed_run('zedprint', '-f', 'kernel', $k->write("$dir/k.dat"))->{out}, qr/tick: me has 4$/m, 'a format file of the kernel, with its text');
}

done_testing();
