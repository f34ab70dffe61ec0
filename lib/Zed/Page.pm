# SPDX-License-Identifier: GPL-2.0-or-later
#
# Page: an analysis' answer as one HTML file that needs nothing else, with tables and pictures.
package Zed::Page;
use strict;
use warnings;

use Digest::SHA ();
use Encode ();
use JSON::PP ();
use Zed::Sections;
use Zed::Units;

our $VERSION = '0.1';

# The files of page/ that a page is made from, in this order; each is one idea. The last one begins: main.js draws one
# answer, report.js several.
my @CODE = qw(base.js colors.js table.js histogram.js arrow.js timeline-data.js timeline-draw.js timeline-walk.js
	timeline.js heat.js flame.js chain.js whiskers.js answer.js begin.js);
my $EVENTS = 100_000;	# single ones, at most
our $ROOM = 4_900_000;	# bytes of a page, if its tables leave room for a time line
my $ROWS = 2000;	# of each table; a page is for people

# The licence text that has to accompany every copy of d3.
my $LICENCE = defined &Zed::page_part ? Zed::page_part('d3-licence.txt') // '' : '';

# Why a page cannot be made, or nothing.
sub missing {
	return if defined Zed::page_part('d3.min.js');
	return 'this zedperl was built without d3, which draws the page: install node-d3 (or name its file: make ' .
		'D3=.../d3.min.js), then make';
}

# Characters from bytes of a trace: bytes that are not UTF-8 are shown as \xNN.
sub _text {
	my ($bytes) = @_;
	return utf8::is_utf8($bytes) ? $bytes : Encode::decode('UTF-8', $bytes, Encode::FB_PERLQQ);
}

# The stretch of time that a row of TABLE is about, its task, and whether that waits in it; undef: none.
sub _span {
	my ($table, $row) = @_;
	my $span = $table->{span};
	my ($from, $to) = map { $row->{s/^[-+]//r} // return } @$span;
	$to = $from + $to if $span->[1] =~ /^\+/;
	$from = $to - $from if $span->[0] =~ /^-/;
	return { from => $from, to => $to, defined $row->{pid} ? (pid => $row->{pid} + 0) : (),
		$table->{waits} ? (waits => 1) : () };
}

sub letters { return _text($_[0]) }

# A table (Zed::Table's data) of at most MOST rows, times as ns after BASE: numbers of JavaScript have 53 bits.
sub _table {
	my ($table, $base, $most) = @_;
	my $data = $table->data($most);
	my @times = map { $_->{key} } grep { $_->{type} =~ /^(?:time|tick)\z/ } @{$data->{columns}};
	my @texts = map { $_->{key} } grep { $_->{type} eq 'text' } @{$data->{columns}};
	my $left = $table->rows - $most;
	$data->{left} = $left if $left > 0;
	for my $i ($table->{span} ? 0 .. $#{$data->{rows}} : ()) {
		my $span = _span($table, $table->{rows}[$i]) // next;
		$span->{$_} -= $base for qw(from to);
		$data->{rows}[$i]{'$span'} = $span;
	}
	if (grep { $_->{type} eq 'varied' } @{$data->{columns}}) {
		$data->{rows}[$_]{'$type'} = Zed::Units::of_trace($table->{rows}[$_]{type} // 'number') // 'number'
			for 0 .. $#{$data->{rows}};
	}
	for my $row (@{$data->{rows}}, $data->{all} // ()) {
		$row->{$_} -= $base for grep { defined $row->{$_} } @times;
		$row->{$_} = _text($row->{$_}) for grep { defined $row->{$_} } @texts;
	}
	$_->{head} = _text($_->{head}) for @{$data->{columns}};
	$data->{title} = _text($data->{title}) if defined $data->{title};
	$data->{name} = $table->{name};
	$data->{sorted} = $table->sorted;
	$data->{whole} = JSON::PP::true() if $table->{whole};
	return $data;
}

# Bytes as text that a page can unpack.
sub _packed {
	my ($bytes) = @_;
	require Compress::Raw::Zlib;
	require MIME::Base64;
	my ($deflate) = Compress::Raw::Zlib::Deflate->new(-WindowBits => -Compress::Raw::Zlib::MAX_WBITS(),
		-AppendOutput => 1);
	my $out = '';
	$deflate->deflate($bytes, $out);
	$deflate->flush($out);
	return MIME::Base64::encode_base64($out, '');
}

# A time line's data as JSON and its bytes, by the id of their elements: as fine as there is ROOM for.
sub _timeline {
	my ($timeline, $base, $room) = @_;
	my ($json, %bytes);
	for my $halvings (0 .. 16) {
		my $data;
		$data = $timeline->answer($EVENTS >> $halvings / 2, $halvings) // return;
		return if !$data->{has_switches};
		%bytes = map { $_->[0] => _packed(delete $data->{$_->[1]}) } ['cells-cpu', 'cpu_cells'],
			['cells-task', 'task_cells'], ['marks', 'marks'];
		$json = json(_timeline_names($data, $base));
		my $size = length $json;
		$size += length for values %bytes;
		last if $size <= $room;
	}
	return ($json, \%bytes);
}

sub _timeline_names {
	my ($data, $base) = @_;
	my $sources = 1;
	for my $cpu (@{$data->{cpus}}) {
		$sources = $cpu->[1] + 1 if $cpu->[1] >= $sources;
	}
	$_->[0] = _text(Zed::plain($_->[0])) for @{$data->{people}}, @{$data->{tasks}};
	$data->{types} = [map { _text(Zed::plain($_)) } @{$data->{types}}];
	return { %$data, sources => $sources, start => $data->{start} - $base, end => $data->{end} - $base };
}

# A picture's texts as characters, its times after BASE.
sub _picture {
	my ($picture, $base) = @_;
	my %p = %$picture;
	$p{$_} = _text($p{$_}) for grep { defined $p{$_} } qw(title unit);
	$p{start} -= $base if defined $p{start};
	$p{stacks} = [map { [_text(Zed::plain($_->[0])), $_->[1]] } @{$p{stacks}}] if $p{stacks};
	$p{rows} = [map { +{ %$_, name => _text(Zed::plain($_->{name})) } } @{$p{rows}}] if $p{kind} eq 'whiskers';
	$p{parts} = [map {
		my $part = $_;
		my @texts = grep { defined $part->{$_} } qw(what actor detail);
		+{ %$part, from => $part->{from} - $base, to => $part->{to} - $base,
			map { $_ => _text(Zed::plain($part->{$_})) } @texts };
	} @{$p{parts}}] if $p{parts};
	return \%p;
}

# The text of a script element: nothing in it ends the element, and all of it is ASCII.
sub json {
	my ($data) = @_;
	return JSON::PP->new->canonical->ascii->encode($data) =~ s/</\\u003c/gr;
}

sub _part {
	my ($name) = @_;
	return Zed::page_part($name) // die "Zed::Page: this zedperl has no $name\n";
}

sub _hash { return "'sha256-" . Digest::SHA::sha256_base64($_[0]) . "='" }

# The contents of the element "data": of WHAT (see below) everything but the time line.
sub data {
	my ($what, $base, $most) = @_;
	my %data = (%$what, base => sprintf('%d', $base),
		map({ defined $what->{$_} ? ($_ => $what->{$_} - $base) : () } qw(start end)),
		tables => [map { _table($_, $base, $most // $ROWS) } @{$what->{tables}}],
		pictures => [map { _picture($_, $base) } @{$what->{pictures}}]);
	delete $data{timeline};
	return \%data;
}

# WHAT: its contents (see below). The bytes of the page.
sub html {
	my ($what) = @_;
	my $base = $what->{start} // 0;
	return _page(json(data($what, $base)), 'main.js', $what->{script}, $what->{timeline}, $base);
}

# The same of a report: REPORT is its data (Zed::Sections), with several answers, whose times are after BASE.
sub report {
	my ($report, $timeline, $base) = @_;
	return _page(Zed::Sections::json($report), 'report.js', $report->{script}, $timeline, $base);
}

# JSON is its data, which the file BEGINS draws.
sub _page {
	my ($json, $begins, $name, $line, $base) = @_;
	my $library = _part('d3.min.js');
	my $code = join "\n", map { _part($_) } @CODE, $begins;
	my $style = _part('page.css');
	my $room = $ROOM - length join '', $json, $library, $code, $style, $LICENCE;
	my ($timeline, $bytes) = $line ? _timeline($line, $base, $room) : ();
	my $elements = defined $timeline ? qq(<script type="application/json" id="timeline-data">$timeline</script>\n)
		: '';
	$elements .= join '', map { qq(<script type="application/octet-stream" id="$_">$bytes->{$_}</script>\n) }
		sort keys %{$bytes // {}};
	my $title = _text($name) =~ s/([&<>"])/'&#' . ord($1) . ';'/ger;
	my $policy = join '; ', q(default-src 'none'), 'script-src ' . join(' ', map { _hash($_) } $library, $code),
		'style-src ' . _hash($style), q(base-uri 'none'), q(form-action 'none');
	return <<"END";
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="zedperl">
<title>$title</title>
<style>$style</style>
</head>
<body>
<header><h1></h1><p class="facts" id="facts"></p><div id="lost"></div></header>
<main>
<div id="answer"></div><div id="timeline"></div><div id="pictures"></div><div id="pair" class="pair"></div>
<div id="tables"></div>
</main>
<footer>Made by zedperl. This page loads nothing and sends nothing.</footer>
<div id="tip" class="tip" role="status" hidden></div>
<noscript>The tables and pictures of this page are drawn by its own script, which is switched off here.</noscript>
<!-- $LICENCE-->
<script type="application/json" id="data">$json</script>
$elements<script>$library</script>
<script>$code</script>
</body>
</html>
END
}

# Writes the page to FILE, which only its owner can read: it shows the activity of every user of that machine.
sub write {	## no critic (ProhibitBuiltinHomonyms)
	my ($file, $what) = @_;
	return write_file($file, html($what));
}

# Why FILE cannot be made or replaced, or undef: a device would be gone, and so would a trace that is open here.
sub refusal {
	my ($file) = @_;
	my ($folder) = $file =~ m{\A(.*/)[^/]*\z}s;
	return 'there is no such folder' if !-d ($folder // '.');
	return "no right to write to its folder: $!" if !-w _;
	my @to = stat $file or return;
	return 'is not a regular file: name one' if !-f _;
	for (glob '/proc/self/fd/*') {
		my @open = stat or next;
		return 'would overwrite what is read: name another file' if $open[0] == $to[0] && $open[1] == $to[1];
	}
	return;
}

# Writes BYTES to FILE, which only its owner can read, and which is replaced when all is written.
sub write_file {
	my ($file, $bytes) = @_;
	return write_files([$file, $bytes]);
}

# Writes all of them or, if one cannot be written, none.
sub write_files {
	my @new;
	my $fail = sub {
		my ($file, $why) = @_;
		unlink map { $_->[0] } @new;
		die "$file: $why\n";
	};
	require Fcntl;
	for (@_) {
		my ($file, $bytes) = @$_;
		my $no = refusal($file);
		$fail->($file, $no) if defined $no;
		sysopen my $fh, "$file.$$.new", Fcntl::O_WRONLY() | Fcntl::O_CREAT() | Fcntl::O_EXCL(), 0600
			or $fail->($file, "$!");
		push @new, ["$file.$$.new", $file];
		binmode $fh;
		print {$fh} $bytes or $fail->($file, "$!");
		close $fh or $fail->($file, "$!");
	}
	while (my $one = shift @new) {
		rename $one->[0], $one->[1] or do { my $why = "$!"; unlink $one->[0]; $fail->($one->[1], $why) };
	}
	return;
}

1;

__END__

=head1 NAME

Zed::Page - an answer as one HTML file

=head1 SYNOPSIS

    use Zed::Page;

    my $why = Zed::Page::missing();
    die "$why\n" if defined $why;
    Zed::Page::write('answer.html', { script => 'mine', trace => {}, start => $from, end => $to,
        tables => [$table], pictures => [], notes => [] });

=head1 DESCRIPTION

Makes the page of B<--html>; analyses that are made with Zed::Report have that option. The page is
one file that loads nothing: its Content-Security-Policy allows only the scripts and the style sheet
whose hashes it names. The pictures are drawn by d3, which becomes part of zedperl when that is
built. Names from a trace are always shown as text, with control characters and characters that
change the direction of writing as C<\xNN>.

=head1 FUNCTIONS

=over

=item Zed::Page::missing()

Why this zedperl cannot make a page, or undef.

=item Zed::Page::write(FILE, WHAT)

Writes the page, which replaces FILE when it is complete, or dies with a message. Only its owner can
read it. WHAT is a reference to a hash:

=over

=item script, what

The heading: the analysis, and its subject.

=item start, end

In ns.

=item trace

clock, uname, cpus: all optional.

=item tables

References to Zed::Table. The page has at most 2000 rows of each, and says how many more there are.

=item pictures

References to hashes, whose members depend on C<kind>. C<histogram>: C<name>, C<title>, C<rows> of
C<from>, C<to>, C<n>; C<quantiles>. C<heat>: the result of Zed::Heat. C<flame>: C<stacks>,
references to [STACK, WEIGHT], the frames joined by C<;>, the outermost first; C<rest>, if there are
more: C<n> and C<weight> of these; C<unit>: C<ns> or the thing counted. C<chain>: C<parts>,
references to hashes with C<from>, C<to> (ns), C<what>, C<actor> (its lane) and perhaps C<detail>
and C<pid>; each begins where the one before it ends. C<whiskers>: C<rows>, references to hashes with C<name>, C<by>
(a change, as a part), C<low> and C<high>, its bounds, C<least> and C<most>, what is allowed, and C<verdict>.

=item timeline

The result of Zed::timeline(); it is drawn if the trace has the scheduler's events.

=item notes, lost_text

The notes, in the form of Zed::Report: those with a C<level> are shown under the heading, the others
at the end of the page. The text about lost events.

=item limit

How many rows of a table are shown before the reader asks for more.

=back

=item Zed::Page::write_file(FILE, BYTES)

Replaces FILE when all is written; only its owner can read it. Dies with the message of
Zed::Page::refusal().

=item Zed::Page::write_files([FILE, BYTES]...)

The same for several files; if one cannot be written, none is.

=item Zed::Page::refusal(FILE)

Why FILE must not be made or replaced: its folder does not exist or cannot be written, it is a
device or a folder, or it is a trace that is being read. Undef otherwise.

=item Zed::Page::letters(BYTES)

BYTES as a string of characters: those of UTF-8, and other bytes as C<\xNN>.

=item Zed::Page::html(WHAT)

The page of Zed::Page::write() as a string of bytes.

=item Zed::Page::data(WHAT, BASE, [MOST])

The data of that page, without the time line, as plain data: times are ns after BASE; at most MOST rows (2000) of each
table, whose C<left> is how many more there are. Analyses print it with B<--page-data>.

=item Zed::Page::json(DATA)

That as JSON in ASCII, without a C<E<lt>>.

=item Zed::Page::report(REPORT, TIMELINE, BASE)

The page of several answers (Zed::Sections), with one time line.

=back

=head1 SEE ALSO

Zed::Report, Zed::Table

=head1 LICENCE

GPL-2.0-or-later

=cut
