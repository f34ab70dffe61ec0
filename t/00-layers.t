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
	return if $path =~ /\.(dat|zst|gz|svg|gcno|gcda|orig|rej|swp)$|^(zedperl|zedpython|zedprint|zedtrace|zedsyms)(\.new)?$/;
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
# The library: all that is below sinks, the recorder and the interpreter.
my $library = qr{^(?:base|trace|expr|ring|text|kernel|stable|reader|symbols|analysis|run|index)/};
my @reader = grep { $_ =~ $library } @c;

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

# A room, a folder of the root with those in it, sees itself and what its line says; docs/DESIGN.md, section 2, says why.
my @floors = (
	base => [],
	trace => ['base'],
	expr => ['base', 'trace'],
	ring => ['base', 'trace'],
	text => ['base', 'trace'],
	kernel => [qw(base trace ring)],
	stable => [qw(base trace expr text)],
	reader => [qw(base trace ring kernel stable)],
	symbols => [qw(base trace kernel)],
	analysis => [qw(base trace expr stable)],
	sink => [qw(base trace text stable)],
	run => [qw(base trace expr stable reader)],
	record => [qw(base trace ring kernel reader)],
	index => [qw(base trace stable analysis run)],
	interp => [qw(base trace expr text stable symbols analysis run index)],
	programs => [qw(base trace expr ring text kernel stable reader symbols analysis sink run record index interp)],
);
my %sees = @floors;
# In a room a folder sees those above it and below it, and of those beside it what its line says: no input sees another, no
# sink, no program.
my %beside = (
	'base/parquet' => ['base/pack'],
	'text/steps' => ['text/printfmt'],
	'text/report' => ['text/steps'],
	'reader/zedstream' => ['reader/dat'],
	'analysis/metrics' => ['analysis/aggregate'],
	'run/synthetic' => ['run/choose', 'run/filter'],
	'record/flight' => ['record/file'],
	'record/net' => ['record/file'],
	(map { $_ => ['interp/common', 'interp/perl'] } qw(interp/bind interp/json interp/rows interp/tables)),
	'interp/api' => [map { "interp/$_" } qw(common perl bind json rows tables)],
	'interp/metrics' => [map { "interp/$_" } qw(api bind perl)],
	# Python lies beside Perl.
	'interp/python' => ['interp/common'],
	(map { $_ => ['interp/python/base'] } qw(interp/python/script interp/python/perf)),
	'programs/script' => ['programs/session'],
	'programs/zedperl' => [map { "programs/$_" } qw(cut script session terminal)],
	'programs/zedperl/mcp' => ['programs/zedperl/explore'],
	'programs/zedpython' => [map { "programs/$_" } qw(script session)],
	'programs/zedprint' => [map { "programs/$_" } qw(cut terminal)],
	'programs/zedtrace' => ['programs/session'],
);
# Opens inputs: for those who have a run, and for a recording that is counted when it is finished.
my $opener = 'reader/open.h';
my %opens = map { $_ => 1 } qw(reader/open.c record/count.c);

sub folder {
	return $_[0] =~ m{^(.*)/[^/]+$} ? $1 : '';
}

sub room {
	return ($_[0] =~ m{^(\w+)})[0] // '';
}

sub is_around {
	my ($above, $below) = @_;
	return $above eq $below || index($below, "$above/") == 0;
}

# May a file of the folder FROM include one of the folder TO?
sub may_see {
	my ($from, $to) = @_;
	return scalar grep { $_ eq room($to) } @{$sees{room($from)} // []} if room($from) ne room($to);
	return 1 if is_around($from, $to) || is_around($to, $from);
	return scalar grep { is_around($_->[0], $from) && is_around($_->[1], $to) }
		map { my $f = $_; map { [$f, $_] } @{$beside{$f}} } keys %beside;
}

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

none {
	my $in = room($_[0]);
	return $sees{$in} ? () : "$_[0]: no line says what " . (folder($_[0]) || 'the root') . ' may include: move the file (docs/STYLE.md, Files)';
} 'every .c and .h lies in a room', @c;
my %arrow;
none {
	my ($path) = @_;
	my $in = folder($path);
	# zed_pm.h is made by the build: Zed.pm as a string.
	my @names = grep { !$_->[2] && $_->[1] ne 'interp/zed_pm.h' } @{$include{$path}};
	$arrow{$in}{folder($_->[1])} = $path for grep { folder($_->[1]) ne $in } @names;
	return map { "$path:$_->[0]: includes $_->[1]; " . room($in) . ' sees ' . (join(', ', @{$sees{room($in)}}) || 'nothing') . ' (@floors here; docs/DESIGN.md, section 2)' }
		grep { !may_see($in, folder($_->[1])) } @names;
} 'a folder includes only what it may see', @c;
no_include("$opener is for the run and the programs", sub { $_[1] eq $opener && !$opens{$_[0]} && room($_[0]) !~ /^(?:run|programs)$/ }, @c);
ok(!may_see('base', 'trace') && !may_see('sink/print', 'run') && !may_see('reader/dat', 'reader/zedstream') && may_see('reader/zedstream', 'reader/dat') &&
	!may_see('programs/zedprint', 'programs/zedperl') && may_see('programs/zedperl/manual', 'programs/terminal') && may_see('reader', 'reader/dat'),
	'a back include would be seen');
# The lines above cannot make one: each names earlier ones only.
my %seen;
ok(!(grep { my $bad = grep { !$seen{$_} } @{$floors[2 * $_ + 1]}; $seen{$floors[2 * $_]} = 1; $bad } 0 .. $#floors / 2), 'rooms see only those above them in the list');
ok(in_order(%arrow), 'no circle of folders') or diag(map { my $f = $_; map { "$f -> $_: $arrow{$f}{$_}\n" } sort keys %{$arrow{$f}} } sort keys %arrow);
ok(!in_order(a => { b => 1 }, b => { c => 1 }, c => { a => 1 }), 'and one would be found');
none { -e $_[0] ? () : "t/00-layers.t has a line for $_[0], which is not there" } 'no line for what is not there', keys %sees, keys %beside, $opener, keys %opens;
no_include('an #include names its path from the root, as "trace/event.h"',
	sub { !$_[2] && $_[1] ne 'interp/zed_pm.h' && (!-e $_[1] || $_[1] =~ m{(?:^|/)\.\.?/|//}) }, @c, grep { m{^t/.*\.[ch]$} } keys %include);

# The page that strangers read first has a line for each.
my ($who_sees_whom) = $text{'docs/DESIGN.md'} =~ /^## 2\. (.*?)^## 3\./ms;
none {
	my ($room) = @_;
	my ($line) = ($who_sees_whom // '') =~ /^\| \d+ \| `\Q$room\E` \|(.*)\|$/m;
	my $says = $line ? ($line =~ /\| ([^|]*)\s*$/)[0] =~ s/\s+$//r : 'nothing';
	my $is = $room eq 'programs' ? 'all' : @{$sees{$room}} ? join(' ', @{$sees{$room}}) : '-';
	return $says eq $is ? () : "docs/DESIGN.md, section 2: $room sees '$says'; here: '$is'";
} 'docs/DESIGN.md says what each room sees', keys %sees;
# What the pages of the design call by name: `merge_next`, `struct err`, `source_ops.ends`, `NEXT_IDLE`.
my %word;
for my $path (grep { m{\.(?:[ch]|p[lm])$} && !m{^t/} } @files) {
	$word{$_} = 1 for $text{$path} =~ /\w+/g;
}
$word{s{.*/}{}r =~ s/\.\w+$//r} = 1 for @files;
none {
	my ($path) = @_;
	return map { "$path: `$_` is in no source" } grep { grep { !$word{$_} } /\w+/g }
		$text{$path} =~ /`((?:struct |enum )?[A-Za-z]\w*(?:(?:\.|->|::)\w+)*_\w+|[A-Z]\w*_\w+|(?:struct|enum) \w+|[a-z]\w+(?:\.|->)[a-z]\w{2,})(?:\(\))?`/g;
} 'what docs/DESIGN.md and the README.md of folders name is in the code (else: they tell of what has gone)',
	'docs/DESIGN.md', grep { m{^(?!t/|docs/).+/README\.md$} } @files;
my %base;
push @{$base{s{.*/}{}r}}, $_ for grep { /\.c$/ } @c;
none { @{$base{$_[0]}} > 1 ? join ', ', @{$base{$_[0]}} : () } 'no two .c have one name: debuggers and ctags go by it', sort keys %base;
my %tag;
for my $path (@c) {
	push @{$tag{$1}}, $path while $code{$path} =~ /^\s*(?:(?:static|const)\s+)*((?:struct|union|enum) \w+) \{/mg;
}
none { @{$tag{$_[0]}} > 1 ? "$_[0]: " . join ', ', @{$tag{$_[0]}} : () } 'and no two structs: they go by that as well', sort keys %tag;

# A folder holds one kind of thing; of one kind there may be many.
my %rooms;
$rooms{folder($_)}{s/\.[ch]$//r} = 1 for @c;
none {
	my ($in) = @_;
	my @rooms = sort keys %{$rooms{$in}};
	return @rooms > 30 ? "$in has " . @rooms . ' modules (a .c and its .h): a folder below it for those that belong together' : ();
} 'no folder has more than 30 modules', sort keys %rooms;

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
no_include('only interp/python/base/python_inc.h includes Python.h (else: what has to stand before it does not everywhere)',
	sub { $_[1] =~ m{^(?:Python|structmember)\.h$|^(?:cpython|internal)/} && $_[0] ne 'interp/python/base/python_inc.h' }, @c);
# A folder of one language names nothing of the other: the linker would see it too late, as each program has one of them.
none {
	my ($path) = @_;
	my $python = $path =~ m{^interp/python/};
	return map { "$path:$_->[0]: includes $_->[1]" } grep { my $of = folder($_->[1]);
		$python ? $of =~ m{^interp/(?!python\b|common$)} || $_->[1] =~ m{^interp/(?:perlsink|delivery)\.h$} : $of =~ m{^interp/python\b} } @{$include{$path}};
} 'Perl and Python do not know each other (else: neither can be built without the other)', grep { m{^interp/} } @c;

none { lines_with($_[0], qr/\b(?:PL_(?:ppaddr|scopestack_ix|sig_pending|parser|perldb|origfilename|preambleav)|(?:op_(?:type|flags|ppaddr))
	|d?JMPENV\w*|CATCH_SET|STATUS_EXIT\w*|PERL_ASYNC_CHECK|PERLDBf\w+|OPf_\w+|Cv(?:ROOT|ISXSUB|XSUB|FILE|NAMED|ANON|GV)|HvMROMETA
	|IoANY|SV[fps]_(?!IVisUV|IsCOW)\w+|SVpav_\w+)\b/x) }
	'only interp/perl/perl_priv.h names what is inside of perl (else: a new perl breaks what nobody finds)',
	grep { m{^interp/} && $_ ne 'interp/perl/perl_priv.h' } @c;
no_include('only text includes libtraceevent',
	sub { $_[1] =~ m{traceevent|event-parse|event-utils|trace-seq|kbuffer} && folder($_[0]) ne 'text' }, @c);
no_include('only base/pack/codec.c includes zlib and zstd',
	sub { $_[1] =~ m{^(zlib|zconf|zstd\w*|zdict)\.h$} && $_[0] ne 'base/pack/codec.c' }, @c);
my %nettle = map { $_ => 1 } qw(record/net/token.c programs/zedperl/explore/explore_page.c);
no_include('two files include nettle', sub { $_[1] =~ m{^nettle/} && !$nettle{$_[0]} }, @c);
no_include('one file includes libmicrohttpd', sub { $_[1] eq 'microhttpd.h' && $_[0] ne 'programs/zedperl/explore/explore_server.c' }, @c);

no_include('only programs/zedsyms includes elfutils and libiberty (else: a fault in them ends more than that process)',
	sub { $_[1] =~ m{^(elfutils/|gelf|libelf|dwarf|libiberty/)} && folder($_[0]) ne 'programs/zedsyms' }, @c);

none { lines_with($_[0], qr/\b(?:v?printf|puts|putchar|perror|fputs|fputc|putc)\s*\(|\b(?:stdout|stderr)\b/) }
	'nothing in the library or in record/ prints', grep { /\.c$/ && ($_ =~ $library || m{^record/}) } @c;
none { lines_with($_[0], qr/(?<!\w)(?:_?exit|_Exit|quick_exit|err|errx|warn|warnx)\s*\(/) }
	'nothing in the library ends the process', grep { /\.c$/ } @reader;
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

SKIP: {
	skip 'ZED_BUILD names no build', 2 if !@objects;
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
			push @unseen, "$path needs $_->[0] of " . ($definer =~ s/o$/c/r)
				if !may_see($in, $to);
		}
	}
	# A function that is declared by hand, or reached through a third folder's header, needs no #include.
	ok(!@unseen, 'an object needs only what its folder may include') or diag(join "\n", @unseen);
	my $order = in_order(%needs);
	ok($order, 'the linker finds no circle between folders') or diag(map { "$_: $why{$_}\n" } sort keys %why);
	diag 'folders, each behind what it needs: ', join ' ', @$order if $order;
}

SKIP: {
	skip 'ZED_BUILD names no build, or it is a sanitizer\'s, which has data of its own', 1
		if !@objects || $ENV{ZED_SAN};
	my @bad;
	for my $object (grep { s{^\Q$build\E/}{}r =~ $library } @objects) {
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
		!grep { /\s\.data\.rel\.ro\S*\s+\S+\s+(?:\.hidden\s+)?\Q$name\E$/ } @{$tables->{$object} // []};
	} @bad;
	ok(!@bad, 'no globals in the library but constant tables') or diag(join "\n", @bad);
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

# The lines of more than MOST columns, a tab being up to eight.
sub wide {
	my ($path, $most, @lines) = @_;
	my $n = 0;
	return map { $n++; 1 while s/^(.*?)\t/$1 . ' ' x (8 - length($1) % 8)/e;
		length > $most ? "$path:$n: " . length() . ' columns' : () } @lines;
}

none {
	my $path = shift;
	return wide($path, 100, split /\n/, $text{$path});
} 'no line of C is wider than 100 columns', @c, grep { m{^t/.*\.[ch]$} } @files;

# A command to copy, and what a script says of itself to the programs, are one line however long.
none {
	my $path = shift;
	my ($code, $manual) = split /^__END__$/m, $text{$path};
	return wide($path, 120, map { /^# zed\w+: / ? '' : $_ } split /\n/, $code),
		wide("$path: manual", 120, map { /^ / ? '' : $_ } split /\n/, $manual // '');
} 'no line of Perl is wider than 120 columns', grep { m{^(?:scripts|lib|interp)/.*\.p[lm]$} } @files;

none {
	my $path = shift;
	my $n = 0;
	return map { $n++; /[ \t]+$/ ? "$path:$n: blanks at the end" : () } split /\n/, $text{$path};
} 'no blanks at the ends of lines', @c;

none { $text{$_[0]} =~ m{\b(TODO|FIXME|XXX|HACK)\b} ? "$_[0]: $1" : () } 'nothing is left for later',
	@c, grep { m{^(?:interp|scripts|docs)/} } @files;

# ---- words ----

# What a message does not say (docs/STYLE.md, Words), and the good English that looks like it.
my %UNFIT = (
	'is no' => qr/(?<!\bthere )\bis no (?!longer\b|more\b)/i,
	'is none' => qr/(?<!\bthere )\bis none\b/i,
	'of nothing' => qr/\bof nothing\b/i,
	'nobody' => qr/\bnobody\b/i,
	'told' => qr/\btold\b/i,
);

# [line, string] of all string literals of a text; of C those that stand side by side are one.
sub strings_of_c {
	my ($s) = @_;
	# Comments and characters ('"') go; the lines stay.
	$s =~ s{("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)*'}{ defined $1 ? $1 : $& =~ tr/\n//cdr }gse;
	my ($n, @strings) = (1);
	while ($s =~ m{(\n)|((?:"(?:[^"\\\n]|\\.)*"(?:\s|PRI\w+)*)+)}g) {
		my ($text, $is_string) = ($2 // $1, defined $2);
		push @strings, [$n, $text =~ s/"(?:\s|PRI\w+)*"//gr] if $is_string;
		$n += $text =~ tr/\n//;
	}
	return @strings;
}

# Of Perl and JavaScript: those within a line, without manuals and comments.
sub strings_of_script {
	my ($s) = @_;
	$s =~ s/^__END__\n.*//ms;
	$s =~ s{^=\w.*?(?:^=cut\b[^\n]*|\z)}{ $& =~ tr/\n//cdr }gmse;
	my $n = 0;
	return map { $n++; my $line = s{(?:^|\s)(?:#|//)\s.*}{}r; map { [$n, $_] } $line =~ /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/g }
		split /\n/, $s;
}

sub unfit {
	my ($string) = @_;
	return grep { $string =~ $UNFIT{$_} } sort keys %UNFIT;
}

none {
	my ($path) = @_;
	return map { my ($n, $string) = @$_; map { "$path:$n: '$_': $string" } unfit($string) }
		$path =~ /\.[ch]$/ ? strings_of_c($text{$path}) : strings_of_script($text{$path});
} 'messages have the words of the field (docs/STYLE.md, Words; else: nobody can search for them)',
	@c, grep { m{^(?:interp|lib|scripts)/.*\.p[lm]$|^page/.*\.js$} } @files;
is_deeply([map { [$_->[0], unfit($_->[1])] } strings_of_c(qq{/* is no "told" */\nf('"', "%s is "\n  "no port" PRIu64 "x");\ng("there is no event", "is no longer");\n}),
	strings_of_script(qq{# told\nmy \$x = "nobody"; # 'told'\n=head1 told\n\n=cut\nsay 'a sum of nothing';\n})],
	[[2, 'is no'], [4], [4], [2, 'nobody'], [6, 'of nothing']], 'and an unfit one would be found');

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
