# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a file may call its events: anything, and no sub runs for it but the script's own handlers.  Without it a
# stranger's trace deletes files by a function that the script imported, or ends the script by POSIX::abort.
#
# of: interp programs/zedperl
use strict;
use warnings;
use Test::More;
use File::Temp ();
use lib 't/lib';
use Run::Program ();
use Run::Zedperl;

my $path_field = field_text('char path[24]', 8, 24, 1);

# A trace with one event of each name, whose only field is a string.
sub named {
	my ($text, @names) = @_;
	my $t = 1000;
	return trace(types => { map { $_ => $path_field } @names },
		events => [map { [0, $t += 1000, $_, pack 'a24', $text] } @names]);
}

# Run without what Run::Zedperl says of made systems.
sub bare {
	my %o = ref $_[0] eq 'HASH' ? %{+shift} : ();
	return zedperl({ %o, bare => 1 }, @_);
}

# ---------------------------------------------------------------- what was found by a review

{
	my $dir = File::Temp->newdir;
	mkdir "$dir/victim" or die;
	my $dat = named('victim', 'main::remove_tree', 'sched::sched_switch');
	my $r = bare($dat, \"use File::Path qw(remove_tree); chdir '$dir' or die; sub sched::sched_switch { print 'switch ' } sub trace_end { print 'end' }");
	ok(-d "$dir/victim", 'main:remove_tree deletes nothing (else: a file deletes by what the script imported)');
	is("$r->{out}|$r->{status}|$r->{err}", 'switch end|0|', 'and nothing else is changed by it');
	SKIP: {
		my $shared = Run::Program::zed_shared();
		my $zst = defined $shared ? "$shared/data/hostile" : '';
		skip 'no ../shared/data/hostile', 2 if !-e "$zst/bind-remove_tree.dat.zst";
		my @dats = map { my $to = temp_path('.dat'); system('zstd', '-dqf', "$zst/$_.zst", '-o', $to) and die; $to } qw(bind-remove_tree.dat bind-lib-import.dat);
		open my $in, '<', "$zst/bind-remove_tree.pl" or die;
		bare($dats[0], \("chdir '$dir';" . join '', <$in>));
		ok(-d "$dir/victim", 'the file of the review deletes nothing');
		$r = bare($dats[1], \'my $was = "@INC"; sub trace_end { print "@INC" eq $was ? "same" : "@INC" }');
		is($r->{out}, 'same', 'nor does the other one change @INC (else: the next require loads what lies beside the trace)');
	}
	my $inc = 'my $was = "@INC"; sub trace_end { print "@INC" eq $was ? "same" : "@INC" }';
	is(bare(named('.', 'lib::import'), \"use lib 'nowhere'; $inc")->{out}, 'same', 'lib:import changes no @INC');
	is(bare(named('.', 'main::trace_end', 'main::trace_begin', 'main::trace_unhandled', 'main::trace_lost'),
		\'for my $n (qw(begin end unhandled lost)) { no strict "refs"; *{"trace_$n"} = sub { print "$n " } }')->{out},
		'begin unhandled unhandled unhandled unhandled end ', 'events that are called trace_end and so on are events (else: trace_end runs twice)');
	$r = bare(named('.', 'POSIX::abort', 'POSIX::_exit', 'Zed::stop', 'utf8::encode', 'CORE::exit', 'UNIVERSAL::can', 'sched::sched_switch'),
		\'use POSIX; sub sched::sched_switch { print "switch " } sub trace_end { print "end" }');
	is("$r->{out}|$r->{status}|$r->{err}", 'switch end|0|', 'functions of modules, of perl and ours are no handlers');
}

# ---------------------------------------------------------------- every name of every package

# Twenty modules of perl's own, imported into main, into a helper package, and into two packages of handlers.
my $modules = <<'E';
use File::Path qw(remove_tree make_path); use POSIX; use List::Util qw(first sum max reduce); use Data::Dumper; use Storable qw(freeze thaw store);
use Encode; use Scalar::Util qw(blessed weaken); use Time::HiRes qw(sleep); use Getopt::Long; use File::Temp qw(tempfile); use Cwd;
use IO::File; use Socket; use File::Copy qw(move cp); use File::Basename; use File::Spec::Functions; use Carp; use Sys::Hostname;
use Text::ParseWords; use MIME::Base64; use File::Find; use IPC::Open3; use Time::Local; use constant ANSWER => 42;
E
my $script = "use Zed handlers => 'mini';\n" . join('', map {"package $_;\n$modules"} qw(main Helper sched mini)) . <<'E';
package Helper;
sub remove { print "HELPER\n" }
sub new { return bless [], shift }
sub AUTOLOAD { print "AUTO\n" }
package main;
sub helper { print "MAIN\n" }
sub sched::sched_switch { print "handler $_[4]\n" }
sub mini::tick { print "handler $_[4]\n" }
sub trace_begin { print "begin\n" }
sub trace_end { print "end\n" }
E
my $walk = <<'E';
my (%seen, @all);
sub walk {
	my ($stash, $name) = @_;
	return if $seen{$stash}++;
	for my $key (sort keys %$stash) {
		if ($key =~ /^(\w+)::\z/) {
			walk(\%{"$name$1::"}, "$name$1::");
		} elsif ($key =~ /^\w+\z/ && (ref \$stash->{$key} ne 'GLOB' || exists &{"$name$key"})) {
			push @all, ($name || 'main::') . $key;
		}
	}
}
walk(\%main::, '');
print map { "$_\n" } @all;
exit 0;
E
{
	my @subs = split /\n/, bare(trace(), \($script . $walk))->{out};
	my %had = map { $_ => 1 } @subs;
	is_deeply([grep { !$had{$_} } qw(main::remove_tree Helper::remove_tree sched::remove_tree mini::remove_tree File::Path::remove_tree POSIX::abort
		List::Util::sum Carp::croak sched::ANSWER main::trace_end Zed::stop utf8::encode mini::tick Helper::remove)], [], 'the walk finds what there is');
	cmp_ok(scalar @subs, '>', 2000, 'the script has ' . @subs . ' subs of all kinds (else: little is tried)');
	# What a name becomes: "File::Path" is one word in a trace.  And what perl calls by itself, in each package.
	my %names = map { my ($p, $n) = /^(.*)::(\w+)$/; ($p =~ s/::/_/gr . "::$n" => 1) } @subs;
	my %packages = map { s/::\w+$//r => 1 } keys %names;
	for my $package (keys %packages, qw(CORE UNIVERSAL DB strict warnings re)) {
		$names{"${package}::$_"} = 1 for qw(BEGIN UNITCHECK CHECK INIT END AUTOLOAD DESTROY CLONE import unimport can isa nosuch);
	}
	my %handled = ('sched::sched_switch' => 1, 'mini::tick' => 1);
	my @others = grep { !$handled{$_} } sort keys %names;
	my @all = ('sched::sched_switch', @others, 'mini::tick');
	my $dat = trace(types => { map { $_ => $path_field } @all }, events => [map { [0, 1000 + 10 * $_, $all[$_], pack 'a24', 'victim'] } 0 .. $#all]);
	my $dir = File::Temp->newdir;
	mkdir "$dir/victim" or die;
	my $enter = "chdir '$dir' or die; my \$inc = \"\@INC\"; END { print \"END \", \$inc eq \"\@INC\" ? 1 : 0, \"\\n\" }\n";
	my $r = bare($dat, \($script . $enter));
	is("$r->{out}|$r->{status}", "begin\nhandler victim\nhandler victim\nend\nEND 1\n|0", 'of ' . @others . ' names none is entered, and the two handlers are');
	unlike($r->{err}, qr/handlers => \['(?:main|POSIX|Carp|Cwd|Encode|Storable|Socket|lib|utf8|strict)'\]/, 'and nobody is told to make handlers of modules (else: a file talks a user into it)');
	$r = bare($dat, \($script . $enter . 'sub trace_unhandled { print "un $_[0]\n" }'));
	my @got = split /\n/, $r->{out};
	is_deeply(\@got, ['begin', 'handler victim', (map {"un $_"} @others), 'handler victim', 'end', 'END 1'], 'all the others are data for trace_unhandled, once each')
		or diag scalar(@got), ' lines, want ', @others + 5;
	ok(-d "$dir/victim", 'the directory has what it had');
	opendir my $d, "$dir" or die;
	is(scalar(grep { !/^\./ } readdir $d), 1, 'and nothing more');
}

# ---------------------------------------------------------------- which subs are handlers

my $dat = named('x', 'sched::sched_switch', 'mydrv::open', 'Util::remove', '9-pipe::open');

# What of "s" (sched), "m" (mydrv), "u" (Util) a script's text is called for.
sub called {
	my ($text, @options) = @_;
	my $r = bare(@options, $dat, \$text);
	return $r->{out} . ($r->{status} ? "status $r->{status} $r->{err}" : '');
}
my $lib = temp_path();
mkdir $lib or die;
sub module {
	my ($name, $text) = @_;
	open my $fh, '>', "$lib/$name" or die;
	print $fh "$text\n1;\n";
	close $fh or die;
	return;
}
module('Tools.pm', 'package Tools; use Exporter "import"; our @EXPORT = "sched_switch"; sub sched_switch { print "TOOL" } sub fails { return eval "die" }
	sub install { eval "package sched; sub sched_switch { print q(EVAL) } 1" or die $@ }');
module('Says.pm', 'package Says; use Zed handlers => ["sched", "mydrv"]; sub sched::sched_switch { print "s" } sub mydrv::open { print "m" } sub Util::remove { print "u" }');
module('Silent.pm', 'package Silent; sub sched::sched_switch { print "s" } sub mydrv::open { print "m" }');
module('Evals.pm', 'package Evals; use Zed handlers => "sched"; eval q{sub sched::sched_switch { print "s" }};');
module('Dies.pm', 'package Dies; eval q{BEGIN { die "x" }}; eval q{BEGIN { require Nosuch }};');
module('Auto.pm', 'package Auto; use Exporter "import"; our @EXPORT = "AUTOLOAD"; sub AUTOLOAD { print "AUTO" if our $AUTOLOAD !~ /DESTROY/ }');

for (
	['a sub with its whole name', 'sub sched::sched_switch { print "s" }', 's'],
	['a sub in its package', 'package sched; sub sched_switch { print "s" }', 's'],
	['code that the script puts there', '*{"sched::$_"} = sub { print "s" } for "sched_switch"', 's'],
	['a sub of main by another name', 'sub x { print "s" } *sched::sched_switch = \&x', 's'],
	['what the script evaluates', 'eval q{sub sched::sched_switch { print "s" }}', 's'],
	['an eval in an eval', 'eval q{eval q{sub sched::sched_switch { print "s" }}}', 's'],
	['an eval behind one of a module that dies', 'use Tools; Tools::fails(); eval q{sub sched::sched_switch { print "s" }}', 's'],
	['an eval behind one of a module that dies while it is compiled', 'use Dies; eval q{sub sched::sched_switch { print "s" }}', 's'],
	['AUTOLOAD of a kernel\'s system', 'sub sched::AUTOLOAD { print "s" if $sched::AUTOLOAD eq "sched::sched_switch" }', 's'],
	['a sub of a package that no kernel has', 'sub mydrv::open { print "m" }', ''],
	['a helper package', 'package Util; sub remove { print "u" }', ''],
	['AUTOLOAD of a helper package', 'package Util; sub AUTOLOAD { print "u" }', ''],
	['a class of the script', 'package Util; sub new { bless [] } sub remove { print "u" } package main; my $o = Util->new', ''],
	['said', 'use Zed handlers => ["mydrv"]; sub mydrv::open { print "m" } sub Util::remove { print "u" }', 'm'],
	['said of several', 'use Zed handlers => ["mydrv", "Util"]; sub mydrv::open { print "m" } sub Util::remove { print "u" }', 'mu'],
	['said in one string', 'use Zed handlers => "mydrv Util"; sub mydrv::open { print "m" } sub Util::remove { print "u" }', 'mu'],
	['said beside imports', 'use strict; use Zed "name", handlers => "mydrv", "cpu"; sub mydrv::open { print cpu() , ":", name() }', '0:open'],
	['said behind the subs', 'sub mydrv::open { print "m" } use Zed handlers => "mydrv"', 'm'],
	['said while the script runs', 'sub mydrv::open { print "m" } sub trace_begin { Zed::handlers("mydrv") }', 'm'],
	['said by a handler', 'sub mydrv::open { print "m" } sub sched::sched_switch { Zed::handlers(["mydrv"]) }', 'm'],
	['said as the trace has it', 'use Zed handlers => ["9-pipe", "mydrv"]; sub _9_pipe::open { print "p" } sub mydrv::open { print "m" }', 'mp'],
	['said of AUTOLOAD', 'use Zed handlers => "mydrv"; package mydrv; sub AUTOLOAD { print "m" }', 'm'],
	['said on the command line', 'sub mydrv::open { print "m" }', 'm', '-MZed=handlers,mydrv'],
	['an import into a package of handlers', 'package sched; use Tools', ''],
	['an import that is aliased', 'use Tools (); *sched::sched_switch = \&Tools::sched_switch', ''],
	['an import over a handler', 'sub sched::sched_switch { print "s" } no warnings; require Tools; sub trace_begin { *sched::sched_switch = \&Tools::sched_switch }', ''],
	['what a module evaluates', 'use Tools (); Tools::install()', ''],
	['an XSUB', 'use POSIX (); *sched::sched_switch = \&POSIX::abort', ''],
	['a constant', 'use constant X => 1; *sched::sched_switch = \&X', ''],
	['an AUTOLOAD that is imported', 'package sched; use Auto', ''],
	['a module that says so', 'use Says', 'sm'],
	['a module that does not', 'use Silent', ''],
	['a module that does not, in a script that does', 'use Zed handlers => ["sched", "mydrv"]; use Silent', ''],
	['a file that was required', "require '$lib/Silent.pm'", ''],
	['a module that says so and evaluates', 'use Evals', 's'],
	['trace_unhandled', 'sub Util::remove { print "u" } sub trace_unhandled { print $_[0] =~ s/::.*//r, " " }', 'sched mydrv Util 9-pipe '],
	['Zed::on', 'sub Util::remove { print "no" } Zed::on("Util:remove", sub { print "u" })', 'u'],
	['Zed::takes', 'Zed::takes("Util::remove", "path"); sub Util::remove { print "u" }', ''],
) {
	my ($what, $text, $out, @options) = @$_;
	is(called("no strict 'refs'; $text", "-I$lib", @options), $out, "$what: " . ($out eq '' ? 'is not called' : "'$out'"));
}
for my $bad ('main', 'CORE', 'UNIVERSAL', 'Zed', 'a::b', 'main::') {
	my $r = bare($dat, \"use Zed handlers => '$bad'");
	like("$r->{status} $r->{err}", qr/^255 Zed: '\Q$bad\E' cannot be a package of handlers at \S+ line 1\.$/m, "'$bad' can hold no handlers, said at its line");
}
is(bare({ stdin => script('sub sched::sched_switch { print "s" }') }, $dat, '-')->{out}, 's', 'a script on standard input has handlers');
is(bare('-e', 'sub sched::sched_switch { print "s" }', $dat)->{out}, 's', 'and so has -e');
like(bare("-I$lib", $dat, \'use Dies; eval q{die "x"}; print $@; sub trace_end { }')->{out}, qr/^x at \(eval \d+\) line 1\.$/, 'what the script evaluates is called as perl calls it');

# ---------------------------------------------------------------- zedperl -g

{
	my @perls = qw(main::remove_tree main::trace_end main::print_event CORE::exit UNIVERSAL::can Zed::stop strict::import warnings::warnif overload::StrVal
		Util::remove POSIX::abort sched::BEGIN sched::END sched::INIT sched::CHECK sched::UNITCHECK sched::AUTOLOAD sched::DESTROY sched::import sched::unimport);
	my @subs = qw(sched::sched_switch mydrv::close mydrv::open 9-x::a.b);
	my @odd = ("Ma'in::ev'il", 'Ma*n::e?', 'main::twins', 'main::secs', "Ma;die::x\ny");
	my %odd = ('main::twins' => $path_field . field_text('int path', 32, 4), 'main::secs' => field_text('int secs', 8, 4));
	my @names = sort @perls, @subs, @odd;
	my $many = trace(types => { map { $_ => $odd{$_} // $path_field } @names }, events => [map { [0, 1000 * $_, $names[$_], pack 'a28', 'victim'] } 0 .. $#names]);
	my $made = zedperl('-g', 'all', $many)->{out};
	is(join(' ', sort $made =~ /^sub (\w+::\w+)/mg), '_9_x::a_b mini::tick mydrv::close mydrv::open sched::sched_switch',
		'-g makes subs of what no module has and perl does not call (else: its script runs what a file wants)');
	is(join(' ', sort $made =~ /^Zed::on\('(\S+)'/mg), join(' ', sort map { s/::/:/r } @perls), 'and Zed::on of the rest');
	is(join(' ', $made =~ /^use Zed handlers => (.*)/mg), "['_9_x', 'mini', 'mydrv'];", 'and declares what no kernel has (else: it handles nothing of a driver)');
	my $r = bare($many, \$made);
	my @got = grep { !/^\t/ } split /\n/, $r->{out};
	is(scalar(@got), scalar(@names), 'each event is handled once') or diag $r->{out};
	is("$r->{status} $r->{err}", '0 ', 'the script that it made runs');
	is(scalar(() = $r->{out} =~ /^\tpath=victim$/mg), @perls + @subs, 'with the fields of the events');
}

done_testing();
