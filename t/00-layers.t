# SPDX-License-Identifier: GPL-2.0-or-later
#
# Holds the layers of docs/DESIGN.md: who may include whom, what the reader may not do, and the form of
# every file.  Without it one convenient #include makes the print sink reach into a source.
use strict;
use warnings;
use Test::More;
use File::Find;

my (%text, @files);
find({ no_chdir => 1, wanted => sub {
	if (-d $_) {
		$File::Find::prune = 1 if m{^\./(\.git|build|t/data|t/bad)$};
		return;
	}
	my $path = s{^\./}{}r;
	return if $path eq '.git';	# a worktree's is a file
	return if $path =~ /\.(dat|zst|gz|gcno|gcda|orig|rej|swp)$|^(zedperl|zedprint|zedtrace)(\.new)?$/;
	return if -B $_ && -s _;
	push @files, $path;
} }, '.');
@files = sort @files;
for my $path (@files) {
	open my $fh, '<', $path or die "$path: $!\n";
	local $/;
	$text{$path} = <$fh>;
}

my @c = grep { m{^(?:[^/]+|reader/.+|interp/.+|record/.+)\.[ch]$} } @files;
my @reader = grep { m{^reader/} } @c;

# path => [[line number, included name, is it in <>], ...]
my %include;
for my $path (@c) {
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

no_include('only interp/perl_inc.h includes perl\'s headers',
	sub { $_[1] =~ m{^(perl|EXTERN|XSUB|ppport)\.h$} && $_[0] ne 'interp/perl_inc.h' }, @c);
no_include('only text.c, textlib.c and functrace.c include libtraceevent', sub {
	return $_[1] =~ m{traceevent|event-parse|event-utils|trace-seq|kbuffer} &&
		$_[0] !~ m{^reader/(?:text|textlib|functrace)\.c$};
}, @c);
no_include('only codec.c includes zlib and zstd',
	sub { $_[1] =~ m{^(zlib|zconf|zstd\w*|zdict)\.h$} && $_[0] ne 'reader/codec.c' }, @c);

my %kind = map { $_ => 1 } qw(dat6 dat7 live frames net ltt perfdata raw stabledat);
no_include('no kind of source includes another', sub {
	my ($me) = $_[0] =~ m{^reader/(\w+)\.[ch]$};
	my ($other) = $_[1] =~ m{^(?:reader/)?(\w+)\.h$};
	return $me && $other && $kind{$me} && $kind{$other} && $me ne $other;
}, @reader);
no_include('nothing but zedtrace.c and its tests includes record/', sub {
	return $_[1] =~ m{^record/} && $_[0] !~ m{^record/} && $_[0] !~ /^zedtrace(_run)?\.c$/;
}, @c);
no_include('reader/ never includes interp/, record/ or a main program\'s header', sub {
	return $_[1] =~ m{interp/|record/|^(\.\./)?cli\.h$} || -e "interp/$_[1]" && !-e "reader/$_[1]";
}, @reader);

# The direction of flow: what a file's layer is, and which layers it may see.
my %layer = (
	(map { $_ => 0 } qw(err mem bytes input glob cpulist plain commline)),
	(map { $_ => 1 } qw(event field catalog schema commlog commtime naming stream feed)),
	(map { $_ => 2 } qw(ring codec format clock tracefs procs kfilter
		session session_priv sessevents sessfilter sessclean watch printfmt)),
	(map { $_ => 3 } qw(dat raw frameread framemeta livefeed), grep { $_ ne 'raw' } keys %kind),
	(map { $_ => 4 } qw(open merge filter pump sink)),
);
no_include('the base knows nothing of traces', sub {
	my ($me) = $_[0] =~ m{^reader/(\w+)\.[ch]$};
	my ($other) = $_[1] =~ m{^(?:reader/)?(\w+)\.h$};
	return 0 if $_[2] || !defined $me || !defined $other || ($layer{$me} // 9) != 0;
	return ($layer{$other} // 9) > 0;
}, @reader);
no_include('no source, stream or mechanism knows of merge, filter, pump or a sink', sub {
	my ($me) = $_[0] =~ m{^reader/(\w+)\.[ch]$};
	my ($other) = $_[1] =~ m{^(?:reader/)?(\w+)\.h$};
	return 0 if $_[2] || !defined $other || ($layer{$me} // 4) >= 4;
	return $other =~ /^(open|merge|filter|pump|sink|print\w*)$/ && $other ne 'printfmt';
}, @reader);
no_include('no sink reaches a source, a stream or a feed', sub {
	return 0 if $_[0] !~ m{^interp/|^reader/(?:stableout|print(?!fmt))\w*\.[ch]$};
	return $_[1] =~ m{(?:^|/)(open|pump|feed|ring|merge|input|dat|dat6|dat7|raw|codec)\.h$};
}, @c);

none { lines_with($_[0], qr/\b(?:v?printf|puts|putchar|perror|fputs|fputc|putc)\s*\(|\b(?:stdout|stderr)\b/) }
	'nothing in reader/ or record/ prints', grep { m{^(?:reader|record)/.*\.c$} } @c;
none { lines_with($_[0], qr/(?<!\w)(?:_?exit|_Exit|quick_exit|err|errx|warn|warnx)\s*\(/) }
	'nothing in reader/ ends the process', grep { /\.c$/ } @reader;
none { lines_with($_[0], qr/\babort\s*\(/) } 'only mem.c aborts',
	grep { /\.c$/ && $_ ne 'reader/mem.c' } @reader;
none { lines_with($_[0], qr/(?<!\w)mmap\s*\(/) } 'no file is mapped', grep { /\.c$/ } @reader;
none { lines_with($_[0], qr/\b(?:strcpy|strcat|sprintf|vsprintf|gets|alloca|strtok|system|popen)\s*\(/) }
	'no unbounded string functions', @c;

# What the linker sees is the truth about globals; objects are there when make runs this test.
SKIP: {
	my $build = $ENV{ZED_BUILD} // '';
	my @objects = $build ? glob("$build/reader/*.o") : ();
	skip 'ZED_BUILD names no build, or it is a sanitizer\'s, which has data of its own', 1
		if !@objects || $ENV{ZED_SAN};
	my @bad;
	for my $object (@objects) {
		for (`nm -f posix $object`) {
			my ($name, $type) = split ' ';
			next if $type !~ /^[bBdDcC]$/ || $name =~ /^__?(gcov|llvm|asan|ubsan)|^\.L/;
			push @bad, "$object: $name ($type)";
		}
	}
	# Tables of pointers are constant and yet relocated: those are in .data.rel.ro, which nm calls d.
	@bad = grep {
		my ($object, $name) = /^(\S+): (\S+)/;
		`objdump -t $object` !~ /\s\.data\.rel\.ro\S*\s+\S+\s+\Q$name\E$/m;
	} @bad;
	ok(!@bad, 'no globals in reader/ but constant tables') or diag(join "\n", @bad);
}

my $licence = 'SPDX-License-Identifier: GPL-2.0-or-later';
none {
	my $path = shift;
	my ($one, $two) = split /\n/, $text{$path};
	return (($one // '') . "\n" . ($two // '')) =~ /\Q$licence\E/ ? () : $path;
} 'the licence is named at the head of every file',
	grep { $_ ne 'COPYING' && !/(?:^|\/)\.gitignore$|^VERSION$|\.(?:md|json|txt|out|golden)$/ } @files;

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

none {
	my $path = shift;
	return if $path !~ /\.c$/;
	my $head = join "\n", (split /\n/, $text{$path})[0 .. 8];
	my ($base) = $path =~ m{(\w+)\.c$};
	return $head =~ m{/\*\n \* \Q$base\E\b} ? () : "$path: does not begin with what it turns into what";
} 'each .c begins by saying what it turns into what', @c;

# One idea a file: over 500 lines is a question, over 800 an answer.
my %long = map { my $n = () = $text{$_} =~ /\n/g; $n > 500 ? ($_ => $n) : () } @c;
diag("longer than 500 lines: $_ ($long{$_})") for sort { $long{$b} <=> $long{$a} } keys %long;
none { ($long{$_[0]} // 0) > 800 ? "$_[0]: $long{$_[0]} lines" : () } 'no file is longer than 800 lines', @c;

done_testing();
