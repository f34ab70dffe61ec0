# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mutate::Seeds: small inputs of each kind, from writers that share nothing with the readers and from real
# recordings, with a map of where everything in them is, for Mutate.  What texts and pages say is changed before
# the writers put the lengths around them, so that it gets past the checks of these.
#
#	my $in = Mutate::Seeds::make($r, $kind);		# of one of @Mutate::Seeds::KINDS
package Mutate::Seeds;
use strict;
use warnings;
no warnings 'portable';
use Write::Dat;
use Mutate;
use Mutate::Ltt;
use Mutate::Map;
use Mutate::Perf;
use Mutate::Texts;
use Write::RfcSource;
use Write::Rfc;
use Write::StableFile;
use Run::Program;
use Write::ZedStream;

our @KINDS = qw(v7 v7 v7z v6 rfc ltt stable stream stream spool real real perfdata perfdata);

# A file of this process, as the cases are shared out among several.
sub own_path { return zed_tmp() . "/$_[0].$$" }

# ---------------------------------------------------------------- Write::Dat and what is made of it

# Options for Write::Dat; some of its texts or pages are changed if CHANGE.
sub mini_options {
	my ($r, $in, $change, %o) = @_;
	%o = (ticks => 2, page_size => $PAGE, big => $r->chance(3) ? 1 : 0, long => $r->chance(3) ? 4 : 8, %o);
	if ($r->chance(4) && !$o{single}) {
		$o{instances} = [$r->chance(4) ? $r->pick("\e[1m", "a\nb", 'i' x 200, '../x') : 'foo'];
	}
	$in->{big} = $o{big};
	$in->{layout} = { big => $o{big}, commit => 8, commit_size => $o{long}, data_off => 8 + $o{long} };
	return %o if !$change;
	my $what = $r->below(10);
	my $plain = bless { %o, at => {}, bytes => '', pid => 77, comm => 'mini', page_size => $o{page_size} }, 'Write::Dat';
	$plain->{data_off} = 8 + $o{long};
	if ($what <= 3) {
		my @f = map { [@$_] } Write::Dat::formats($plain);
		my $i = $r->below(scalar @f);
		if ($r->chance(6)) {
			$f[$i][0] = $r->pick(@HOSTILE_SYSTEM);
			$in->{loose} = 1 if $f[$i][0] eq '';
			Mutate::said($in, 0, "system of format $i");
		} elsif ($r->chance(5)) {
			my $name = $r->pick(@HOSTILE_NAME);
			$f[$i][1] =~ s/^name: \w+/name: $name/;
			Mutate::said($in, $name eq '', "name of format $i");
		} else {
			$f[$i][1] = $r->text($f[$i][1], @{$SNIPPETS{format}});
			Mutate::said($in, 0, "text of format $i");
		}
		$o{formats} = \@f;
	} elsif ($what == 4) {
		my $which = $r->pick(qw(kallsyms printk cmdlines uname trace_clock));
		my %how = (kallsyms => 'ksyms', uname => 'cmdlines', trace_clock => 'cmdlines');
		$o{$which} = $r->text(Write::Dat->can($which)->(bless { %$plain, clock => 'local' }, 'Write::Dat'),
			@{$SNIPPETS{$how{$which} // $which}});
		Mutate::said($in, 0, "text of $which");
	} elsif ($what == 5) {
		$o{header_page} = $r->text(Write::Dat::header_page($plain), @{$SNIPPETS{header_page}});
		Mutate::said($in, 1, 'text of header_page');
	} elsif ($what == 6) {
		$o{options} = [[$r->below(30), $r->pick('', "\0" x 8, "\xff" x $r->below(64), pack('V', $r->number(4, 32)), "text\0",
			pack('Q<V*', map { $r->number(8, 32) } 0 .. $r->below(20)))]];
		Mutate::said($in, 1, "one more option $o{options}[0][0]");
	} else {
		my $n = $r->below(6);
		$o{make_pages} = sub {
			my ($d, $cpu, $instance) = @_;
			my @pages = Write::Dat::cpu_pages($d, $cpu, $instance);
			return @pages if $n-- != 0;
			my $i = $r->below(scalar @pages);
			my ($page, $loose, $what) = $r->page($pages[$i], $in->{layout});
			$pages[$i] = $page;
			Mutate::said($in, $loose, "CPU $cpu page $i: $what");
			return @pages;
		};
	}
	return %o;
}

sub changes { my ($r, $in) = @_; return !$in->{whole} && !$r->chance(3) }

sub v7 {
	my ($r, $in, %more) = @_;
	my $d = Write::Dat->new(mini_options($r, $in, changes($r, $in), %more));
	$in->{files} = { '' => $d->{bytes} };
	$in->{events} = $d->events;
	map_dat($in);
	return $in;
}
sub v7z { my ($r, $in) = @_; return v7($r, $in, compression => 'zlib', slack => $r->chance(4) ? 3 : 0) }
sub v6 { my ($r, $in) = @_; return v7($r, $in, version => 6) }

sub rfc {
	my ($r, $in) = @_;
	my %o = mini_options($r, $in, changes($r, $in), single => 1, instances => []);
	my $told = delete $o{header_page};	# its reader believes what it finds there
	# It reads these, and dies of what makes no sense.
	delete $o{options} if grep { $_->[0] =~ /^(?:0|3|8|1[6-9]|2\d)\z/ } @{$o{options} // []};
	my $d = Write::Dat->new(%o);
	my $path = own_path('rfc');
	my $s = Write::RfcSource::source_read($d->write($path));
	$s->{header_page} = $told if defined $told;
	my $buffer = $r->pick(qw(mail1 mail2 mail2 pages));
	my $zip = $buffer eq 'pages' ? 'zlib' : $r->pick('none', 'none', 'zlib');
	Write::Rfc::rfc_write($s, $path, compression => $zip, buffer => $buffer,
		options_size => $r->pick(qw(body all)), sizes => $r->pick(qw(body all)), place => $r->pick(qw(boundary aligned behind)), $zip eq 'zlib' && $r->chance(4) ? (zip_cpu => 1) : (),
		chain => $r->pick(1, 1, 3), $buffer eq 'pages' && $r->chance(2) ? (map => $r->pick(qw(section data))) : ());
	$in->{files} = { '' => slurp($path) };
	$in->{events} = $d->events;
	map_rfc($in, $zip);
	return $in;
}

# A real page size is told by nothing but the mapped texts: what follows looks at the shape alone.
sub stream_of {
	my ($r, $in, $change) = @_;
	my $d = Write::Dat->new(mini_options($r, $in, $change, single => 1, instances => [], big => 0, long => 8));
	my $path = own_path('stream.dat');
	$d->write($path);
	my $meta = meta_of($d);
	my @pages = map { my $cpu = $_; [map { substr $d->{bytes}, $d->at("buffer.cpu$cpu.page$_"), $PAGE } 0 .. $d->{pages} - 1] } 0, 1;
	return ($d, $meta, @pages);
}

# What heads a recording of D: its sections and one options section, without buffers.
sub meta_of {
	my ($d) = @_;
	my $m = bless { %$d, bytes => '', at => {}, compression => 'none' }, 'Write::Dat';
	$m->file_head;
	$m->put("none\0\0", 'compression');
	$m->put($m->u64(0), 'options_offset');
	my %place;
	for my $s ([16, $m->headers_payload], [17, $m->ftrace_payload], [18, $m->formats_payload],
		[19, $m->u32(length $m->kallsyms) . $m->kallsyms], [20, $m->u32(length $m->printk) . $m->printk],
		[21, $m->u64(length $m->cmdlines) . $m->cmdlines]) {
		$place{$s->[0]} = length $m->{bytes};
		$m->section($s->[0], "s$s->[0]", $s->[1]);
	}
	$m->poke('options_offset', $m->u64(length $m->{bytes}));
	$m->options_section('options', (map { [$_, $m->u64($place{$_})] } sort keys %place),
		[4, $m->trace_clock], [5, $m->uname . "\0"], @{$d->{options}}, [8, $m->u32($m->{cpus})]);
	return $m->{bytes};
}

sub stream {
	my ($r, $in) = @_;
	my ($d, $meta, @cpus) = stream_of($r, $in, changes($r, $in));
	if (!$in->{whole} && $r->chance(6)) {
		my %m = (files => { '' => $meta }, big => 0, said => $in->{said}, layout => $in->{layout});
		map_dat(\%m);
		$r->input(\%m);
		$meta = $m{files}{''};
		$in->{loose} = 1 if $m{loose};
	}
	my $s = Write::ZedStream->new(meta => $meta, page_size => $PAGE, clock => 'local', piece => $r->pick(1 << 20, 300));
	$s->comm("77 mini\n1 init\n");
	my $floor = $Write::Dat::BASE;
	for my $i (0 .. $#{$cpus[0]}) {
		$s->pages($_, $cpus[$_][$i]) for 0, 1;
		$s->round($i < $#{$cpus[0]} ? unpack('Q<', $cpus[0][$i + 1]) : 2 * $Write::Dat::BASE, 1);
	}
	$s->format(mini => Write::Dat::format_text('late', 302, "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n", '"n=%d", REC->n'));
	$s->stats(0, "entries: 0\noverrun: 3\n")->comm("77 later\n")->end(scalar $d->events, 0);
	$in->{files} = { '' => $s->{bytes} };
	$in->{events} = $d->events;
	$in->{parts} = [{ file => '', off => 0, len => 8, type => 'block', name => 'magic' },
		num('', 8, 2, 'stream version'), num('', 12, 4, 'largest frame')];
	$in->{sizes} = [$PAGE, $PAGE - 1, $PAGE + 1, 4, 8 << 20];
	$in->{big} = 0;
	my @at = @{$s->{at}};
	for my $i (0 .. $#at) {
		my ($off, $kind) = @{$at[$i]};
		my $end = $i < $#at ? $at[$i + 1][0] : length $s->{bytes};
		my $len = $end - $off - 8;
		push @{$in->{parts}}, num('', $off, 4, "kind of frame $kind", $kind == 3), num('', $off + 4, 4, "length of frame $kind"),
			# A stream from which a whole frame was taken is a sound one.
			{ file => '', off => $off, len => 8 + $len, type => 'block', name => "frame $kind", loose => $kind == 3 };
		push @{$in->{parts}}, { file => '', off => $off + 12, len => $len - 4, type => 'page', name => 'page' },
			num('', $off + 8, 4, 'cpu of a frame') if $kind == 3;
		push @{$in->{parts}}, num('', $off + 8, 8, 'floor'), num('', $off + 16, 4, 'busy') if $kind == 4;
		push @{$in->{parts}}, num('', $off + 8, 8, 'meta length'), num('', $off + 16, 4, 'page size') if $kind == 2;
		push @{$in->{parts}}, num('', $off + 8, 8, 'events'), num('', $off + 16, 8, 'lost') if $kind == 8;
		push @{$in->{parts}}, { file => '', off => $off + 8, len => $len, type => 'text', name => "text of frame $kind", fixed => 1,
			snippets => $kind == 6 ? $SNIPPETS{format} : $SNIPPETS{cmdlines} } if $kind >= 5 && $kind <= 7;
	}
	return $in;
}

# What a recorder that died leaves: layout SPLIT of record/spooldir.h.
sub spool {
	my ($r, $in) = @_;
	my ($d, $meta, @cpus) = stream_of($r, $in, changes($r, $in));
	$in->{path} = 'in.dat.zed';
	$in->{files} = { meta => $meta, comms => "77 mini\n1 init\n", map => "zedtrace-spool 1\nmeta " . length($meta) . "\nring 0\nclock local\n",
		formats => "mini\0" . Write::Dat::format_text('late', 302, "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n", '"n"') . "\0",
		map { ("cpu$_" => join '', @{$cpus[$_]}) } 0, 1 };
	$in->{events} = $d->events;
	$in->{big} = 0;
	my %m = (files => { '' => $meta }, big => 0, layout => $in->{layout});
	map_dat(\%m);
	$in->{parts} = [map { { %$_, file => 'meta' } } @{$m{parts}}];
	for my $f (qw(comms map formats)) {
		push @{$in->{parts}}, { file => $f, off => 0, len => length $in->{files}{$f}, type => 'text', name => $f,
			snippets => $SNIPPETS{{ comms => 'cmdlines', map => 'map', formats => 'format' }->{$f}} };
	}
	for my $cpu (0, 1) {
		push @{$in->{parts}}, map { my $p = $_; map { { file => "cpu$cpu", off => $PAGE * $p, len => $PAGE, type => $_, name => 'spooled ' . $_,
			loose => 1, tail => 1 } } 'page', 'block' } 0 .. $#{$cpus[$cpu]};
	}
	return $in;
}

# ---------------------------------------------------------------- stable files

sub stable {
	my ($r, $in) = @_;
	my $path = own_path('stable');
	my $big = $r->below(2);
	Write::StableFile::sample($path, order => $big ? 'big' : 'little');
	my $bytes = slurp($path);
	my @ends = split /\n/, slurp("$path.ends");
	my $head = index($bytes, "\ndata\n") + 6;
	@$in{qw(files events big)} = ({ '' => $bytes }, 8, $big);
	$in->{sizes} = [length($bytes) - $head, 23];
	# Any word of the text may mean that less is there.
	$in->{parts} = [{ file => '', off => 0, len => $head, type => 'text', name => 'text', snippets => $SNIPPETS{stable}, loose => 1 },
		block(0, 26, 'magic')];
	my $at = $head;
	# A record begins: event, stream, size of 24 bits, pid, sequence, time.
	while ($at + 27 <= length $bytes) {
		my $size = $big ? Mutate::get("\0" . substr($bytes, $at + 4, 3), 0, 4, 1) : Mutate::get(substr($bytes, $at + 4, 3) . "\0", 0, 4, 0);
		push @{$in->{parts}}, num('', $at, 2, 'event of a record', 1), num('', $at + 2, 2, 'stream of a record'),
			num('', $at + ($big ? 5 : 4), 2, 'size of a record', 1), num('', $at + 7, 4, 'pid'), num('', $at + 11, 8, 'sequence'),
			num('', $at + 19, 8, 'time'), block($at, 27 + $size, 'record');
		push @{$in->{parts}}, num('', $at + 27 + $_, 1, 'payload') for 0 .. $size - 1;
		$at += 27 + $size;
	}
	return $in;
}

# ---------------------------------------------------------------- real recordings

my @real = qw(tpk_rel tpk_ints tpk_arrays armhf_lost mostly_empty stack_alias be_lost armhf_lost_count armhf_zstd small_be_zstd
	i386_zstd function_stack latency_v7 process block rt zlib_331 small_v7_zlib misc);
my %real;

sub real {
	my ($r, $in) = @_;
	my $name = $r->pick(@real);
	my $c = $real{$name} //= do {
		my $path = "t/data/$name.dat";
		my %c = (files => { '' => slurp($path) }, events => scalar(() = `gzip -dc $path.raw.txt.gz` =~ /^.*?\[\d+\]/mg));
		$c{events} = 0 if $name =~ /^latency/;	# a text
		$c{layout} = { big => ord substr($c{files}{''}, 12, 1), commit => 8, commit_size => ord substr($c{files}{''}, 13, 1),
			data_off => 8 + ord substr($c{files}{''}, 13, 1) };
		map_dat(\%c);
		\%c;
	};
	%$in = (%$in, %$c, files => { %{$c->{files}} }, parts => [@{$c->{parts}}]);
	push @{$in->{said}}, $name;
	return $in;
}

# WHOLE: nothing is changed.
sub make {
	my ($r, $kind, $whole) = @_;
	my $in = { kind => $kind, path => 'in.dat', said => [], whole => $whole };
	no strict 'refs';
	&{"Mutate::Seeds::$kind"}($r, $in);
	return $in if $whole;
	# What was not changed before it was written is changed now; sometimes both.
	$r->input($in) if !grep({ / / } @{$in->{said}}) || $r->chance(4);
	$r->input($in) while $r->chance(5);
	return $in;
}

1;
