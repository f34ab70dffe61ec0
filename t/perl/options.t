# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line: what is the trace, what the script, what the script's arguments; perl's own switches; -t, -g.
# Without it a script sees other arguments than under perl, or zedperl runs the wrong file.
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Zedperl;

my $dat = trace();
my $print = 'print join("|", $0, @ARGV), "\n"; sub mini::tick { print "t$_[4]\n" if $ENV{SHOW} }';

{
	my $path = script($print);
	is(zedperl($dat, $path)->{out}, "$path\n", '$0 is the script');
	is(zedperl($dat, $path, 'a', '-v', '--', '-e', '')->{out}, "$path|a|-v|--|-e|\n", '@ARGV is what follows, untouched');
	is(zedperl('-i', $dat, $path, 'a')->{out}, "$path|a\n", '-i TRACE SCRIPT ARG');
	is(zedperl('--', $dat, $path, '-x')->{out}, "$path|-x\n", '-- before the trace');
	is(zedperl('-e', $print, $dat)->{out}, "-e\n", '-e');
	is(zedperl('-e', $print, $dat, '--', 'a', '-b')->{out}, "-e|a|-b\n", '-e with arguments behind --');
	is(zedperl('-e', $print, '-i', $dat, 'a', 'b')->{out}, "-e|a|b\n", '-e with -i: words are arguments');
	is(zedperl('-e', 'my $x = 5;', '-e', 'print "$x ", __LINE__', $dat)->{out}, '5 2', '-e twice: two lines');
	is(zedperl({ env => { SHOW => 1 } }, '-e', $print, $dat, $dat)->{out}, "-e\nt1\nt1\nt2\nt2\nt3\nt3\n", '-e with several traces: merged');
	is(zedperl({ stdin => $dat }, '-i', '-', $path)->{out}, "$path\n", '-i -: the trace on standard input');
	is(zedperl({ stdin => $path }, $dat, '-', 'a')->{out}, "-|a\n", 'the script on standard input');
	is(zedperl({ stdin => $path }, $dat, \'print scalar(my @x = <STDIN>) ? "read\n" : "nothing\n"')->{out}, "read\n", 'STDIN is the script\'s');
}

{	# Options of zedperl behind the script belong to it. What it leaves there was perhaps meant for zedperl.
	my $said = sub { my ($code, @args) = @_; my $p = script($code); return zedperl($dat, $p, @args)->{err} =~ s/\Q$p\E/SCRIPT/r };
	my $handler = 'sub mini::tick { }';
	is($said->($handler, 'x', '--relative'), "zedperl: --relative behind the script is an argument of SCRIPT, which has left it in \@ARGV: an option of "
		. "zedperl stands before the trace\n", 'an option that nobody takes is said (else: times are shown that were not asked for)');
	like($said->($handler, $_), qr/\Azedperl: \Q$_\E behind/, "$_ too") for '--start=1', '-F';
	is($said->("shift; $handler", '--relative'), '', 'none that the script takes');
	is($said->($handler, '--mine', '--', '--relative'), '', 'none that is no option of zedperl, or stands behind --');
}

{	# Options that stand too late, and words that are no script.
	my $path = script($print);
	for (['--pid', $dat, '--pid', '140', $path], ['-e', $dat, '-e', '1'], ['-v', '-t', $dat, '-v'], ['-q', '-e', '1', $dat, '-q'],
		['--strict', $path, '--strict', $dat]) {
		my ($late, @args) = @$_;
		my ($first) = grep { !/^-/ && /\// } @args;
		my $r = zedperl({ bare => 1 }, @args);
		is("$r->{status} $r->{err}", "2 zedperl: $late behind $first: options stand before TRACE\nzedperl: try 'zedperl --help'\n",
			"$late behind a trace: where it has to stand (else: no such script)");
	}
	my $r = zedperl({ bare => 1 }, '--live', $dat, $path);
	is("$r->{status} $r->{err}", "2 zedperl: $dat is a trace, and --live takes only a SCRIPT: it reads this kernel\nzedperl: try 'zedperl --help'\n",
		'--live TRACE SCRIPT (else: perl reads the trace as a script)');
	$r = zedperl({ bare => 1 }, '--live', 'sched', $path);
	is("$r->{status} $r->{err}", "2 zedperl: sched: no such script; events are named in the option: --live=sched $path\n", '--live EVENTS SCRIPT');
}

{	# What the kernel makes of "./script trace.dat" for a script with a #! line.
	my $path = script("#!/usr/bin/env zedperl\nuse strict; $print");
	is(zedperl($path, $dat, 'a')->{out}, "$path|a\n", 'SCRIPT TRACE ARG, as a #! line gives them');
	is(zedperl($dat, $path, 'a')->{out}, "$path|a\n", 'the usual order of the same script');
	is(zedperl(script($print), $dat)->{err}, '', 'without a #! line the bytes of the trace tell');
	my $zedperl = zedperl_path();
	my $self = script("#!$zedperl\n$print");
	chmod 0755, $self;
	my $r = zedperl({ program => $self }, $dat, 'a');
	is($r->{out}, "$self|a\n", 'a script that the kernel starts') or diag $r->{err};
	is(zedperl($dat, \"#!/usr/bin/perl -w\nmy \@x = (1); my \$y = 'a' + 1; print qq{ok\\n}")->{err} =~ /isn't numeric/, 1, 'switches on the #! line');
	$r = zedperl($path);
	is("$r->{status} $r->{err}", "2 zedperl: no trace given, and there is no trace.dat here: zedperl TRACE $path\nzedperl: try 'zedperl --help'\n", 'a script alone');
}

{	# perl's switches.
	my $dir = temp_path();
	mkdir $dir or die;
	open my $fh, '>', "$dir/ZedMine.pm" or die;
	print $fh 'package ZedMine; sub import { shift; print "import(@_)\n" } sub hi { "hi" } 1;';
	close $fh;
	is(zedperl("-I$dir", '-MZedMine=a,b', $dat, \'print ZedMine::hi(), "\n"')->{out}, "import(a b)\nhi\n", '-IDIR -MMODULE=a,b');
	is(zedperl('-I', $dir, '-M', 'ZedMine', $dat, \'print ZedMine::hi(), "\n"')->{out}, "import()\nhi\n", '-I DIR -M MODULE');
	is(zedperl('-I', $dir, '-mZedMine', $dat, \'print ZedMine::hi(), "\n"')->{out}, "hi\n", '-mMODULE');
	is(zedperl('-I', $dir, '-M-strict', '-MZedMine', '-e', '$x = 1; print "ok\n"', $dat)->{out}, "import()\nok\n", '-M-MODULE, with -e');
	like(zedperl('-w', $dat, \'my $x = "a" + 1; sub trace_end { }')->{err}, qr/^Argument "a" isn't numeric in addition \(\+\) at \S+ line 1\.$/, '-w');
	is(zedperl($dat, \'my $x = "a" + 1; sub trace_end { }')->{err}, '', 'no -w');
	is(zedperl($dat, \"use strict;\n\$x = 1;")->{status}, 255, 'use strict');
	is(zedperl($dat, \"print <DATA>;\n__END__\nthe data\n")->{out}, "the data\n", '__END__ and DATA');
	is(zedperl($dat, \'use POSIX qw(floor); use List::Util qw(max); use Data::Dumper; use Time::HiRes; use Storable; print floor(max(1.5, 2.5))')->{out}, '2', 'XS modules');
	is(zedperl($dat, \'sub trace_end { } warn "here"')->{err} =~ /^here at \S+ line 1\.$/, 1, 'line numbers are the script\'s own');
	is(zedperl({ env => { LC_ALL => 'de_DE.UTF-8' } }, $dat, \'print 1.5, " ", "1.5" + 1')->{out}, '1.5 2.5', 'numbers have a point in any locale');
	is(zedperl($dat, \'my $x = eval { my $z = 0; 1 / $z }; print $@ =~ /division by zero/ ? "ok" : "no"')->{out}, 'ok', 'a division by zero in Perl is caught');
}

# [what, arguments, pattern]
my $missing = temp_path('.none');
my $dir = temp_path();
mkdir $dir;
for my $case (
	['no arguments', [], qr/no trace and no script given/],
	['no script', [$dat], qr/\Azedperl: no script given: zedperl \S+ SCRIPT, or -g for one to start with \(zedperl --scripts .*\)\n/],
	['a missing script', [$dat, $missing], qr/\Azedperl: \Q$missing\E: no such script: No such file or directory\n\z/],
	['a directory as script', [$dat, $dir], qr/\Azedperl: \Q$dir\E: is a directory, not a Perl script\n\z/],
	['a missing trace', [$missing, \'1'], qr/\Azedperl: \Q$missing\E: .*\n.*\n\z/],
	['a trace that is none', [script('1'), \'1'], qr/\Azedperl: .*\n\z/],
	['-t and -g', ['-t', '-g', $dat], qr/\Azedperl: -g, -t, --stable-check and --export are different things: give one of them\n/],
	['--export without its file', ['--export'], qr/\Azedperl: --export needs an argument: FILE\n/],
	['an unknown option', ['--nothing', $dat, \'1'], qr/\Azedperl: no option --nothing/],
) {
	my $r = zedperl(@{$case->[1]});
	like($r->{err}, $case->[2], "$case->[0]: is said");
	is("$r->{status} $r->{out}", '2 ', "$case->[0]: status 2, nothing run");
}

{	# -t
	my $more = trace(types => { 'a::x' => '', 'b::never' => '' }, events => [(map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 3), [0, 9000, 'a::x', '']]);
	like(zedperl('-t', $more)->{out}, qr/\Aa::x +1\nmini::tick +3\n\z/, '-t: names and counts, sorted');
	like(zedperl('-t', '-v', $more)->{out}, qr/\Aa::x +1\nb::never +0\nmini::tick +3\n\z/, '-t -v: also those that did not happen');
	like(zedperl('-t', $more, $more)->{out}, qr/\Aa::x +2\nmini::tick +6\n\z/, '-t of two traces');
}

{	# -g: a script that cannot be used as it is, is no start.
	my $odd = trace(types => {
		'9p::9p-req' => field_text('int cpu', 8, 4, 1) . field_text('int secs', 12, 4, 1) . field_text('u32 v[2]', 16, 8)
			. field_text('u8 raw[2]', 24, 2) . field_text('u8 a', 26, 1) . field_text('u8 _', 27, 1) . field_text('u8 field_cpu', 28, 1),
		'q::s' => '', 'y::tr' => field_text('int ENV', 8, 4, 1), 'x-y::a.b' => '', 'x-y::a-b' => '' },
		events => [[0, 1000, '9p::9p-req', pack 'l2 L2 C5', -1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 2000, 'mini::tick', 5], [0, 3000, 'x-y::a-b', '']]);
	my $r = zedperl('-g', $odd);
	is("$r->{status} $r->{err}", '0 ', '-g');
	my $none = temp_path('.none');
	my $lost = zedperl('-g', $none, $odd);
	is("$lost->{status} $lost->{out}", "1 $r->{out}" =~ s/\Q$odd\E/$none/gr, '-g where an input cannot be opened: the others, and status 1');
	my $path = script($r->{out});
	like(`$^X $without_zed -c '$path' 2>&1`, qr/syntax OK/, 'is valid Perl under strict');
	is(scalar(() = `$^X $without_zed -wc '$path' 2>&1` =~ /\n/g), 1, 'without warnings');
	like($r->{out}, qr/^sub mini::tick\n\{\n\tmy \(\$cpu, \$secs, \$nsecs, \$sequence, \$n, \$who\) = \@_;$/m, 'field names are filled in');
	like($r->{out}, qr/\$cpu, \$secs, \$nsecs, \$sequence, \$field_cpu, \$field_secs, \$v, \$raw, \$field_a,?\s+\$field__, \$field_field_cpu\)/,
		'names that are taken or that Perl does not allow') or diag $r->{out} =~ /(sub _9p.*?\n\})/s;
	my $twins = trace(types => { 'x::y' => join '', map { field_text("u8 $_", 8, 1) } qw(x x field_x_2 x field_x x _ _ x) });
	like(zedperl('-g', $twins)->{out}, qr/\$sequence, \$x, \$field_x, \$field_x_2, \$field_x_3,\s+\$field_field_x, \$field_x_4, \$field__, \$field___2, \$field_x_5\)/,
		'fields of one name: each a variable of its own');
	my $run = zedperl($odd, $path);
	is($run->{status}, 0, 'it runs') or diag $run->{err};
	like($run->{out}, qr/^9p::9p-req +0 +0\.000001000 +1 .*\n\tcpu=-1\n\tsecs=2\n\tv=\[3 4\]\n\traw=0506\n/m, 'and prints the fields') or diag $run->{out};
	like($run->{out}, qr/^mini::tick .*\n\tn=5\n\twho=cpu0\nx-y::a-b /m, 'of every event');
}

{	# Filters and times reach the script.
	my $two = trace(cpus => 2, events => [[0, 1_000_000_000, 'mini::tick', 1], [1, 2_000_000_000, 'mini::tick', 2], [0, 3_500_000_000, 'mini::tick', 3]]);
	my $t = 'sub mini::tick { print "$_[1].$_[2]:$_[4] " }';
	is(zedperl($two, \$t)->{out}, '1.0:1 2.0:2 3.500000000:3 ', 'all');
	is(zedperl('--cpu', '0', $two, \$t)->{out}, '1.0:1 3.500000000:3 ', '--cpu');
	is(zedperl('-F', 'mini:tick: n > 1 and who != "cpu1"', $two, \$t)->{out}, '3.500000000:3 ', '-F');
	is(zedperl('--start', '2', '--end', '3', $two, \$t)->{out}, '2.0:2 ', '--start and --end');
	is(zedperl('--relative', $two, \$t)->{out}, '0.0:1 1.0:2 2.500000000:3 ', '--relative');
	my $first = trace(types => { 'a::x' => '' }, events => [[0, 1000, 'a::x', ''], [0, 3000, 'mini::tick', 2]]);
	is(zedperl('--relative', $first, \'sub mini::tick { print $_[2], " ", Zed::ts() }')->{out}, '2000 2000', '--relative counts from the first event, handled or not');
	is(zedperl('-v', $two, \'1')->{err} =~ /^zedperl: started with Perl script /m, 1, '-v');
	like(zedperl('--stats', $two, \'1')->{err}, qr/^zedperl: records +3$/m, '--stats');
}

{	# --version, --help
	my $r = zedperl('--version');
	like($r->{out}, qr/\Azedperl \S+\n.*zlib \d.*zstd \d.*libtraceevent.*libperl v5\.\d+\.\d+\n(?:d3 \d|no d3)[^\n]*\n\z/s, '--version has the libraries');
	$r = zedperl('--help');
	is($r->{status}, 0, '--help');
	like($r->{out}, qr/-$_\b/, "--help has -$_") for qw(e I M w g t -keep-going -stable -stable-check -export i F -event -cpu -pid -instance -start -end -around -common-window -head -tail -relative -strict -stats -map -reduce o);
	cmp_ok(scalar(lines($r->{out})), '<', 125, 'and is short');
}

done_testing;
