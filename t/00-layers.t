# SPDX-License-Identifier: GPL-2.0-or-later
#
# Holds the layers of docs/DESIGN.md: who may include whom, what the reader may not do, and the form of
# every file.  Without it one convenient #include makes the print sink reach into a source.
#
# of: .
use strict;
use warnings;
use Test::More;
use File::Find;

my (%text, @files);
find({ no_chdir => 1, wanted => sub {
	if (-d $_) {
		$File::Find::prune = 1 if m{^\./(\.git|build|t/data)$};
		return;
	}
	my $path = s{^\./}{}r;
	return if $path eq '.git';	# a worktree's is a file
	return if $path =~ /\.(dat|zst|gz|svg|gcno|gcda|orig|rej|swp)$|^(zedperl|zedprint|zedtrace)(\.new)?$/;
	return if -B $_ && -s _;
	push @files, $path;
} }, '.');
@files = sort @files;
for my $path (@files) {
	open my $fh, '<', $path or die "$path: $!\n";
	local $/;
	$text{$path} = <$fh>;
}

my @c = grep { m{\.[ch]$} && !m{^t/} } @files;
my @reader = grep { m{^(?:base|reader)/} } @c;

# path => [[line number, included name, is it in <>], ...]
my %include;
for my $path (@c, grep { m{^t/.*\.[ch]$} } @files) {
	my $n = 0;
	$include{$path} = [map { $n++; m{^\s*#\s*include\s*([<"])([^>"]+)} ? [$n, $2, $1 eq '<'] : () }
		split /\n/, $text{$path}];
}

# One test with the list of its offenders.
sub none(&$@) {
	my ($find, $what, @in) = @_;
	my @bad = map { $find->($_) } @in;
	ok(@in > 0 && !@bad, $what) or diag(@bad ? join "\n", @bad : 'there is nothing to look at');
}

# Every #include of FILES that RULE (path, name, in <>) says no to.
sub no_include {
	my ($what, $rule, @in) = @_;
	none {
		my $path = shift;
		return map { "$path:$_->[0]: includes $_->[1]" }
			grep { $rule->($path, $_->[1], $_->[2]) } @{$include{$path}};
	} $what, @in;
}

# Comments and string literals blanked, line numbers kept: what the compiler takes for code.
sub code {
	my $s = shift;
	$s =~ s{(//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')}
		{ my $m = $1; (my $nl = $m) =~ tr/\n//cd; ($m =~ /^"/ ? '""' : $m =~ /^'/ ? "' '" : ' ') . $nl }gse;
	return $s;
}
my %code = map { $_ => code($text{$_}) } @c;

# Lines of code in which RE matches.
sub lines_with {
	my ($path, $re) = @_;
	my $n = 0;
	return map { $n++; /$re/ ? "$path:$n: " . s/^\s+//r : () } split /\n/, $code{$path};
}

# ---- who may include whom ----

# A folder sees itself, base with what is below it, and what its line says; docs/DESIGN.md draws them.
my %sees = (
	'base' => [],
	'base/pack' => [],
	'base/parquet' => ['base/pack'],
	'reader/comms' => [],
	'reader/model' => ['reader/comms'],
	'reader/pages' => ['reader/model'],
	'reader/names' => ['reader/model'],
	'reader/expr' => ['reader/model', 'reader/names'],
	'reader/filter' => ['reader/model', 'reader/expr'],
	'reader/text/printfmt' => ['reader/model'],
	'reader/text/steps' => ['reader/model', 'reader/text/printfmt'],
	'reader/text/report' => ['reader/model', 'reader/text/steps'],
	'reader/text' => ['reader/model', 'reader/text/printfmt', 'reader/text/steps', 'reader/text/report'],
	'reader/stable' => ['reader/model', 'reader/names', 'reader/expr', 'reader/text/printfmt'],
	'reader/choose' => ['reader/model', 'reader/stable'],
	'reader/aggregate' => ['reader/model', 'reader/expr'],
	'metrics' => ['reader/aggregate'],
	'reader/synthetic' => ['reader/model', 'reader/stable', 'reader/expr', 'reader/choose'],
	'reader/timeline' => ['reader/model', 'reader/stable'],
	'reader/ltt/facility' => ['reader/model'],
	'reader/perf/attrs' => ['reader/model'],
	'reader/kernel' => ['reader/comms', 'reader/model', 'reader/pages'],
	'reader/kernel/session' => ['reader/kernel', 'reader/comms', 'reader/model', 'reader/pages'],
	'reader/kernel/live' => ['reader/kernel', 'reader/kernel/session', 'reader/comms', 'reader/model', 'reader/pages'],
	'reader' => ['reader/model', 'reader/filter'],
	(map { $_ => ['reader/model', 'reader/filter', 'reader/text', 'reader/stable'] } qw(print export export/perfetto export/parquet)),
	'interp/perl' => [],
	'interp/bind' => ['interp/perl', 'reader/model', 'reader/expr', 'reader/stable', 'reader/aggregate'],
	'interp/rows' => ['interp/perl', 'reader/model', 'reader/aggregate'],
	'interp/json' => ['interp/perl'],
	'interp/tables' => ['interp/perl', 'reader/text'],
	'interp/api' => [qw(metrics reader interp/perl interp/tables interp/bind interp/rows interp/json reader/model reader/names reader/filter reader/aggregate reader/synthetic reader/timeline reader/text reader/text/printfmt reader/stable)],
	'interp' => [qw(metrics reader interp/metrics interp/api interp/perl interp/tables interp/bind interp/rows reader/model reader/expr reader/filter reader/aggregate reader/synthetic reader/timeline reader/text reader/text/printfmt reader/stable)],
	'interp/metrics' => [qw(interp/api interp/perl interp/bind metrics reader/model reader/aggregate reader/synthetic)],
	'record' => [qw(reader reader/comms reader/model reader/pages reader/dat reader/zedstream reader/kernel reader/kernel/session)],
	'record/cut' => [qw(record reader reader/comms reader/model reader/pages reader/dat)],
	'record/file' => [qw(record reader reader/comms reader/model reader/pages reader/dat reader/zedstream)],
	'record/flight' => [qw(record record/file reader/kernel reader/kernel/session reader/comms reader/model reader/pages)],
	'record/net' => [qw(record record/file reader/comms reader/model reader/pages reader/zedstream)],
	'record/net/server' => [qw(record record/net record/file reader reader/comms reader/model reader/pages reader/dat reader/zedstream)],
);
# An input is a folder under reader/ that the probe table includes and that has no line above: it sees
# model and pages, and what its line here adds.
my %input_sees = (
	'reader/zedstream' => ['reader/comms', 'reader/dat'],
	'reader/perf' => ['reader/comms', 'reader/perf/attrs'],
	'reader/stablefile' => ['reader/stable'],
	'reader/ltt' => ['reader/ltt/facility'],
);
my @inputs = grep { m{^reader/\w+$} && !$sees{$_} } keys %{{ map { folder($_->[1]) => 1 } @{$include{'reader/open.c'}} }};
$sees{$_} = ['reader/model', 'reader/pages', @{$input_sees{$_} // []}] for @inputs;
$sees{programs} = [grep { $_ ne 'base' } keys %sees];
# Each program sees what they share, and no other program; those that trace share more.
$sees{"programs/$_"} = ['programs', @{$sees{programs}}] for qw(session cut terminal zedperl zedprint zedtrace);
$sees{"programs/zedperl/$_"} = ['programs', @{$sees{programs}}] for qw(fleet manual);
unshift @{$sees{'programs/zedperl'}}, 'programs/zedperl/fleet', 'programs/zedperl/manual';
unshift @{$sees{"programs/$_"}}, 'programs/session' for qw(zedperl zedtrace);
unshift @{$sees{"programs/$_"}}, 'programs/cut' for qw(zedperl zedprint);
unshift @{$sees{"programs/$_"}}, 'programs/terminal' for qw(zedperl/manual zedprint);
# One file more than its folder: what it sees besides, and why.
my %also = (
	# The probe table names every kind of input; live is opened by the programs.
	'reader/open' => [@inputs],
	# EVENT words of a command line may be stable events.
	'reader/kernel/event_names' => ['reader/stable'],
);

sub folder {
	return $_[0] =~ m{^(.*)/[^/]+$} ? $1 : '';
}

# What a folder may include, for messages.
sub allowed {
	my ($in) = @_;
	return "$in may include itself, base and its folders" . join('', map { ", $_" } @{$sees{$in} // []}) .
		' (%sees here; docs/DESIGN.md, section 2)';
}

none {
	my $in = folder($_[0]);
	return exists $sees{$in} ? () : "$_[0]: no rule says what " . ($in || 'the root') . ' may include: move the file' .
		' (docs/STYLE.md, Files), or give the folder a line in %sees here and in docs/DESIGN.md' .
		($in =~ m{^reader/} ? '; an input, in reader/open.c' : '');
} 'every .c and .h lies in a folder that has a rule', @c;

sub may_see {
	my ($path, $name) = @_;
	my ($from, $to) = (folder($path), folder($name));
	return 1 if $to eq $from || $to eq 'base' || ($to =~ m{^base/} && $from !~ m{^base(?:/|$)});
	return scalar grep { $_ eq $to } @{$sees{$from} // []}, @{$also{$path =~ s/\.[ch]$//r} // []};
}
none {
	my ($path) = @_;
	# zed_pm.h is made by the build: Zed.pm as a string.
	return map { "$path:$_->[0]: includes $_->[1]: " . allowed(folder($path)) }
		grep { !$_->[2] && $_->[1] ne 'interp/zed_pm.h' && !may_see($path, $_->[1]) } @{$include{$path}};
} 'a folder includes only what it may see', @c;
ok(!may_see('base/err.c', 'reader/model/event.h') && !may_see('base/err.c', 'base/pack/codec.h') && !may_see('print/zed.c', 'reader/pump.h') &&
	!may_see('reader/dat/v7.c', 'reader/zedstream/frames.h') && may_see('reader/open.c', 'reader/dat/dat.h'),
	'a back include would be seen');
none { -e $_[0] ? () : "t/00-layers.t has a rule for $_[0], which is not there" } 'no rule for what is not there',
	keys %sees, keys %input_sees, map { "$_.c" } keys %also;
no_include('an #include names its path from the root, as "reader/model/event.h"',
	sub { !$_[2] && $_[1] ne 'interp/zed_pm.h' && (!-e $_[1] || $_[1] =~ m{(?:^|/)\.\.?/|//}) }, @c, grep { m{^t/.*\.[ch]$} } keys %include);

# The page that strangers read first leaves none of them out.
none { $text{'docs/DESIGN.md'} =~ m{(?<![\w/])\Q$_[0]\E(?![\w/])} ? () : "docs/DESIGN.md does not name $_[0]" }
	'docs/DESIGN.md names every folder', keys %sees;
my ($who_sees_whom) = $text{'docs/DESIGN.md'} =~ /^## 2\. (.*?)^## 3\./ms;
my %line = map { $_ => 1 } map { /^\| ([^|]+) \|/ ? $1 =~ m{[\w/]+}g : () } split /\n/, $who_sees_whom // '';
my %is_input = map { $_ => 1 } @inputs;
none { $line{$_[0]} ? () : "docs/DESIGN.md, section 2: no line says what $_[0] sees" } 'and its section 2 has a line for each but the inputs',
	grep { !$is_input{$_} } sort keys %sees;

# A folder holds one kind of thing; of one kind there may be many.
my %rooms;
$rooms{folder($_)}{s/\.[ch]$//r} = 1 for @c;
none {
	my ($in) = @_;
	my @rooms = sort keys %{$rooms{$in}};
	return @rooms > 25 ? "$in has " . @rooms . ' rooms (a .c and its .h): a folder below it for those that belong together' : ();
} 'no folder has more than 25 rooms', sort keys %rooms;

# What another file defines is declared by its header, which the rules above see.
none { map { "$_: include the header that declares it" } lines_with($_[0], qr/^\s*extern\b/) } 'no .c declares by hand what another defines',
	grep { /\.c$/ } @c;

# Every folder of the tests is known to t/README.md: make check runs what it finds in all of them but a few.
my %tests = map { m{^t/(\w+)/} ? ($1 => 1) : () } @files;
none { $text{'t/README.md'} =~ m{^\| `\Q$_[0]\E/`}m ? () : "t/$_[0]: t/README.md has no line that says what it is for" }
	't/README.md tells of every folder of t/', sort keys %tests;
none { -d "t/$_[0]" ? () : "t/README.md tells of $_[0]/, which is not there" } 'and of no other',
	$text{'t/README.md'} =~ m{^\| `(\w+)/`}mg;

# The heads of tests, which t/tools/tests.pl reads: what they are about, and whether make test runs them.
my @tests = grep { m{^t/.*\.t$|^t/(?!(?:lib|fuzz|bench|data|tools)/).*\.c$} } @files;
none { $_[0] =~ m{^t/(?:\w+/[\w-]+|[\w-]+)\.[tc]$} ? () : "$_[0]: a test lies in t/ or a folder of it, and is named by letters and digits" }
	'make check finds each test', @tests;
sub head_lines {
	my ($path, $key) = @_;
	return map { defined && /^(?:#| \*) $key: (.*)$/ ? $1 : () } (split /\n/, $text{$path})[0 .. 29];
}
none {
	my ($path) = @_;
	my @of = map { split ' ' } head_lines($path, 'of');
	return "$path: no line 'of: PATH...' in its head says what it is about (else: make try does not run it)" if !@of;
	return map { "$path: of: $_, which is not there" } grep { !-e } @of;
} 'each test says which files or folders it is about', @tests;
none {
	my ($path) = @_;
	return map { "$path: runs: $_" } grep { !/^make check(?:; a small pass in make test)?$/ } head_lines($path, 'runs');
} 'and when it runs, if not always', @tests;
none { $text{$_[0]} !~ ($_[0] =~ m{\.c$} ? qr{\bZED_SMALL\b} : qr{\bsmall\(}) || grep({ /small pass/ } head_lines($_[0], 'runs')) ? () : "$_[0]: its head has no 'runs: make check; a small pass in make test'" }
	'what has a small pass says so', @tests;

no_include('only interp/perl/perl_inc.h includes perl\'s headers',
	sub { $_[1] =~ m{^(perl|EXTERN|XSUB|ppport)\.h$} && $_[0] ne 'interp/perl/perl_inc.h' }, @c);
none { lines_with($_[0], qr/\b(?:PL_(?:ppaddr|scopestack_ix|sig_pending|parser|perldb|origfilename|preambleav)|(?:op_(?:type|flags|ppaddr))
	|d?JMPENV\w*|CATCH_SET|STATUS_EXIT\w*|PERL_ASYNC_CHECK|PERLDBf\w+|OPf_\w+|Cv(?:ROOT|ISXSUB|XSUB|FILE|NAMED|ANON|GV)|HvMROMETA
	|IoANY|SV[fps]_(?!IVisUV|IsCOW)\w+|SVpav_\w+)\b/x) }
	'only interp/perl/perl_priv.h names what is inside of perl (else: a new perl breaks what nobody finds)',
	grep { m{^interp/} && $_ ne 'interp/perl/perl_priv.h' } @c;
no_include('only reader/text includes libtraceevent',
	sub { $_[1] =~ m{traceevent|event-parse|event-utils|trace-seq|kbuffer} && folder($_[0]) ne 'reader/text' }, @c);
no_include('only base/pack/codec.c includes zlib and zstd',
	sub { $_[1] =~ m{^(zlib|zconf|zstd\w*|zdict)\.h$} && $_[0] ne 'base/pack/codec.c' }, @c);

none { lines_with($_[0], qr/\b(?:v?printf|puts|putchar|perror|fputs|fputc|putc)\s*\(|\b(?:stdout|stderr)\b/) }
	'nothing in base/, reader/ or record/ prints', grep { m{^(?:base|reader|record)/.*\.c$} } @c;
none { lines_with($_[0], qr/(?<!\w)(?:_?exit|_Exit|quick_exit|err|errx|warn|warnx)\s*\(/) }
	'nothing in reader/ ends the process', grep { /\.c$/ } @reader;
none { lines_with($_[0], qr/\babort\s*\(/) } 'only mem.c aborts',
	grep { /\.c$/ && $_ ne 'base/mem.c' } @reader;
none { lines_with($_[0], qr/(?<!\w)mmap\s*\((?!.*\bMAP_ANONYMOUS\b)/) } 'no file is mapped', grep { /\.c$/ } @reader;
none { lines_with($_[0], qr/\b__u?int128/) } 'no number of 128 bits, which machines of 32 bits have no type for', @c;
none { lines_with($_[0], qr/\b(?:strcpy|strcat|sprintf|vsprintf|gets|alloca|strtok|system|popen)\s*\(/) }
	'no unbounded string functions', @c;

# What the linker sees is the truth; objects are there when make runs this test.
my $build = $ENV{ZED_BUILD} // '';
my @objects = $build ? grep { m{^\Q$build\E/(?!t/|build/)} } map { s/\.c$//r } map { "$build/$_" } grep { /\.c$/ } @c : ();
@objects = grep { -e } map { "$_.o" } @objects;

# What a tool prints of all objects, in one run: object => [lines].
sub of_objects {
	my ($tool, $head) = @_;
	my (%lines, $object);
	for (@objects ? `$tool @objects` : ()) {
		if (/$head/) { $object = $1 } elsif (defined $object) { push @{$lines{$object}}, $_ }
	}
	return \%lines;
}

# "NAME TYPE ..." of an object.
my $nm = of_objects('nm -f posix', qr/^(\S+\.o):$/);
sub symbols {
	return map { [(split ' ')[0, 1]] } @{$nm->{$_[0]} // []};
}
ok(keys %$nm == @objects, 'nm tells of every object (else: its symbols are not looked at)');

# The folders in an order in which each comes behind all that it needs; undef: there is a circle.
sub in_order {
	my (%needs) = @_;
	my (@order, %state);
	my $visit;
	$visit = sub {
		my ($f) = @_;
		return ($state{$f} // '') eq 'done' if $state{$f};
		$state{$f} = 'open';
		for (sort keys %{$needs{$f} // {}}) {
			return 0 if !$visit->($_);
		}
		$state{$f} = 'done';
		push @order, $f;
		return 1;
	};
	for (sort keys %needs) {
		return if !$visit->($_);
	}
	return \@order;
}

SKIP: {
	skip 'ZED_BUILD names no build', 3 if !@objects;
	my (%from, %needs, %why, @unseen);
	for my $object (@objects) {
		my $path = $object =~ s{^\Q$build\E/}{}r;
		$needs{folder($path)} //= {};
		$_->[1] =~ /^[TDRBCV]$/ and $from{$_->[0]} //= $path for symbols($object);
	}
	for my $object (@objects) {
		my $path = $object =~ s{^\Q$build\E/}{}r =~ s/o$/c/r;
		my $in = folder($path);
		for (grep { $_->[1] eq 'U' } symbols($object)) {
			my $definer = $from{$_->[0]} // next;
			my $to = folder($definer);
			next if $to eq $in;
			$needs{$in}{$to} = 1;
			$why{"$in -> $to"} //= "$path needs $_->[0]";
			push @unseen, "$path needs $_->[0] of " . ($definer =~ s/o$/c/r) . ': ' . allowed($in)
				if !may_see($path, $definer);
		}
	}
	# A function that is declared by hand, or reached through a third folder's header, needs no #include.
	ok(!@unseen, 'an object needs only what its folder may include') or diag(join "\n", @unseen);
	my $order = in_order(%needs);
	ok($order, 'the linker finds no circle between folders') or diag(map { "$_: $why{$_}\n" } sort keys %why);
	ok(!in_order(a => { b => 1 }, b => { c => 1 }, c => { a => 1 }), 'and would find one');
	diag 'folders, each behind what it needs: ', join ' ', @$order if $order;
}

SKIP: {
	skip 'ZED_BUILD names no build, or it is a sanitizer\'s, which has data of its own', 1
		if !@objects || $ENV{ZED_SAN};
	my @bad;
	for my $object (grep { m{^\Q$build\E/(?:base|reader)/} } @objects) {
		for (symbols($object)) {
			my ($name, $type) = @$_;
			next if $type !~ /^[bBdDcC]$/ || $name =~ /^__?(gcov|llvm|asan|ubsan)|^\.L/;
			push @bad, "$object: $name ($type)";
		}
	}
	# Tables of pointers are constant and yet relocated: those are in .data.rel.ro, which nm calls d.
	my $tables = of_objects('objdump -t', qr/^(\S+\.o):\s+file format/);
	@bad = grep {
		my ($object, $name) = /^(\S+): (\S+)/;
		!grep { /\s\.data\.rel\.ro\S*\s+\S+\s+\Q$name\E$/ } @{$tables->{$object} // []};
	} @bad;
	ok(!@bad, 'no globals in reader/ but constant tables') or diag(join "\n", @bad);
}

my $licence = 'SPDX-License-Identifier: GPL-2.0-or-later';
none {
	my $path = shift;
	my ($one, $two) = split /\n/, $text{$path};
	return (($one // '') . "\n" . ($two // '')) =~ /\Q$licence\E/ ? () : $path;
} 'the licence is named at the head of every file',
	grep { $_ ne 'COPYING' && !/(?:^|\/)\.gitignore$|^VERSION$|\.(?:md|json|txt|out|golden)$/
		# Debian says what these look like.
		&& !m{^debian/(?:changelog|copyright|source/format)$} } @files;

none {
	my $path = shift;
	my $n = 0;
	return map { $n++; 1 while s/^(.*?)\t/$1 . ' ' x (8 - length($1) % 8)/e;
		length > 100 ? "$path:$n: " . length() . ' columns' : () } split /\n/, $text{$path};
} 'no line of C is wider than 100 columns', @c, grep { m{^t/.*\.[ch]$} } @files;

none {
	my $path = shift;
	my $n = 0;
	return map { $n++; /[ \t]+$/ ? "$path:$n: blanks at the end" : () } split /\n/, $text{$path};
} 'no blanks at the ends of lines', @c;

none { $text{$_[0]} =~ m{\b(TODO|FIXME|XXX|HACK)\b} ? "$_[0]: $1" : () } 'nothing is left for later',
	@c, grep { m{^(?:interp|scripts|docs)/} } @files;

# A guard that two headers share hides one of them.
none {
	my $guard = 'ZED_' . uc($_[0]) =~ tr{/.-}{___}r;
	return $text{$_[0]} =~ /^#ifndef \Q$guard\E\n#define \Q$guard\E$/m ? () : "$_[0]: its include guard is not $guard";
} 'the guard of a header is its path', grep { /\.h$/ } @c;

# A paragraph of up to six lines.  A formula says less than the words that it forces on a file.
none {
	my $path = shift;
	return if $path !~ /\.c$/;
	my ($lines) = $text{$path} =~ m{\A(?:[^\n]*\n){1,4}?/\*\n((?: \* [^\n]*\n){1,6}) \*(?:/|\n)};
	return "$path: does not begin with a comment of up to six lines" if !$lines;
	return $lines =~ /\bturns?\b[^.:]*\binto\b/ ? "$path: 'turns ... into': say what it is for" : ();
} 'each .c begins by saying what it is for', @c;

# One idea a file: over 500 lines is a question, over 800 an answer.
my %long = map { my $n = () = $text{$_} =~ /\n/g; $n > 500 ? ($_ => $n) : () } @c;
diag("longer than 500 lines: $_ ($long{$_})") for sort { $long{$b} <=> $long{$a} } keys %long;
none { ($long{$_[0]} // 0) > 800 ? "$_[0]: $long{$_[0]} lines" : () } 'no file is longer than 800 lines', @c;

done_testing();
