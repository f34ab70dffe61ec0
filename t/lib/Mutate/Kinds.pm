# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mutate::Kinds: small inputs of each kind, from writers that share no code with the readers and from real recordings,
# with a map of all their parts, for Mutate.  Texts and pages are changed before the writers add the lengths, so that
# the changes pass the checks of these.
#
#	my $in = Mutate::Kinds::make($r, $kind);		# of one of @Mutate::Kinds::KINDS
package Mutate::Kinds;
use strict;
use warnings;
no warnings 'portable';
use File::Path ();
use Files;
use Mutate;
use Mutate::Map;
use Mutate::Texts;
use Write::Dat;
use Write::Ltt;
use Write::Perf;
use Write::Rfc;
use Write::RfcSource;
use Write::StableFile;
use Write::ZedStream;

our @KINDS = qw(v7 v7 v7z v6 rfc ltt stable stream stream spool real real perfdata perfdata);
my %KIND = (v7 => \&v7, v7z => sub { return v7(@_, compression => 'zlib', slack => $_[0]->chance(4) ? 3 : 0) },
	v6 => sub { return v7(@_, version => 6) }, rfc => \&rfc, ltt => \&ltt, stable => \&stable, stream => \&stream,
	spool => \&spool, real => \&real, perfdata => \&perfdata);
my $PAGE = $Mutate::Map::PAGE;

# WHOLE: nothing is changed.
sub make {
	my ($r, $kind, $whole) = @_;
	my $in = { kind => $kind, path => 'in.dat', said => [], whole => $whole };
	$KIND{$kind}->($r, $in);
	return $in if $whole;
	# If nothing was changed before writing, change it now; sometimes both.
	$r->input($in) if !grep({ / / } @{$in->{said}}) || $r->chance(4);
	$r->input($in) while $r->chance(5);
	return $in;
}

# A file of this process, as the cases are shared out among several.
sub own_path { return temp_dir() . "/$_[0].$$" }

# Fills IN with what MAKE returns for this NAME, made once.
my %made;
sub once {
	my ($in, $name, $make) = @_;
	my $c = $made{"$in->{kind} $name"} //= $make->();
	%$in = (%$in, %$c, files => { %{$c->{files}} }, parts => [@{$c->{parts}}]);
	return $in;
}

# ---------------------------------------------------------------- Write::Dat and inputs made from it

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
	Mutate::Map::of_dat($in);
	return $in;
}

sub rfc {
	my ($r, $in) = @_;
	my %o = mini_options($r, $in, changes($r, $in), single => 1, instances => []);
	my $header_page = delete $o{header_page};	# its reader trusts it
	# It reads these, and dies on invalid ones.
	delete $o{options} if grep { $_->[0] =~ /^(?:0|3|8|1[6-9]|2\d)\z/ } @{$o{options} // []};
	my $d = Write::Dat->new(%o);
	my $path = own_path('rfc');
	my $s = Write::RfcSource::source_read($d->write($path));
	$s->{header_page} = $header_page if defined $header_page;
	my $buffer = $r->pick(qw(mail1 mail2 mail2 pages));
	my $zip = $buffer eq 'pages' ? 'zlib' : $r->pick('none', 'none', 'zlib');
	Write::Rfc::rfc_write($s, $path, compression => $zip, buffer => $buffer,
		options_size => $r->pick(qw(body all)), sizes => $r->pick(qw(body all)), place => $r->pick(qw(boundary aligned behind)),
		$zip eq 'zlib' && $r->chance(4) ? (zip_cpu => 1) : (),
		chain => $r->pick(1, 1, 3), $buffer eq 'pages' && $r->chance(2) ? (map => $r->pick(qw(section data))) : ());
	$in->{files} = { '' => slurp($path) };
	$in->{events} = $d->events;
	Mutate::Map::of_dat($in, 'rfc');
	return $in;
}

# A recording of one buffer: its head and the pages of each of its two CPUs.
sub stream_of {
	my ($r, $in, $change) = @_;
	my $d = Write::Dat->new(mini_options($r, $in, $change, single => 1, instances => [], big => 0, long => 8));
	my @cpus = map {
		my $cpu = $_;
		[map { substr $d->{bytes}, $d->at("buffer.cpu$cpu.page$_"), $PAGE } 0 .. $d->{pages} - 1];
	} 0, 1;
	return ($d, meta_of($d), @cpus);
}

# The head of a recording of D: its sections and one options section, without buffers.
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

# Each frame kind's numbers, and the snippets for those of text.
my %FRAME = (2 => '8 meta length, 4 page size', 3 => '4 cpu of a frame', 4 => '8 floor, 4 busy', 5 => $SNIPPETS{cmdlines},
	6 => $SNIPPETS{format}, 7 => $SNIPPETS{cmdlines}, 8 => '8 events, 8 lost');

sub stream {
	my ($r, $in) = @_;
	my ($d, $meta, @cpus) = stream_of($r, $in, changes($r, $in));
	if (!$in->{whole} && $r->chance(6)) {
		my %m = (files => { '' => $meta }, big => 0, said => $in->{said}, layout => $in->{layout});
		Mutate::Map::of_dat(\%m);
		$r->input(\%m);
		$meta = $m{files}{''};
		$in->{loose} = 1 if $m{loose};
	}
	my $s = Write::ZedStream->new(meta => $meta, page_size => $PAGE, clock => 'local', piece => $r->pick(1 << 20, 300));
	$s->comm("77 mini\n1 init\n");
	for my $i (0 .. $#{$cpus[0]}) {
		$s->pages($_, $cpus[$_][$i]) for 0, 1;
		$s->round($i < $#{$cpus[0]} ? unpack('Q<', $cpus[0][$i + 1]) : 2 * $Write::Dat::BASE, 1);
	}
	$s->format(mini => late_format('"n=%d", REC->n'));
	$s->stats(0, "entries: 0\noverrun: 3\n")->comm("77 later\n")->end(scalar $d->events, 0);
	@$in{qw(files events big)} = ({ '' => $s->{bytes} }, scalar $d->events, 0);
	$in->{sizes} = [$PAGE, $PAGE - 1, $PAGE + 1, 4, 8 << 20];
	my $m = Mutate::Map->new($in);
	$m->block(0, 8, 'magic');
	$m->row(8, '2 stream version, 2, 4 largest frame');
	my @at = @{$s->{at}};
	for my $i (0 .. $#at) {
		my ($off, $kind) = @{$at[$i]};
		my $len = ($i < $#at ? $at[$i + 1][0] : $m->size) - $off - 8;
		# A stream without one whole frame is still valid.
		my $loose = $kind == 3 ? '!' : '';
		$m->row($off, "4 kind of frame $kind$loose, 4 length of frame $kind");
		$m->block($off, 8 + $len, "frame $kind", loose => $loose);
		$m->page($off + 12, $len - 4) if $kind == 3;
		ref $FRAME{$kind} ? $m->text($off + 8, $len, "text of frame $kind", $FRAME{$kind}, fixed => 1)
			: $m->row($off + 8, $FRAME{$kind} // '');
	}
	return $in;
}

sub late_format { return Write::Dat::format_text('late', 302, "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n", @_) }

# The files of a recorder that died: layout SPLIT of record/file/spool_dir.h.
sub spool {
	my ($r, $in) = @_;
	my ($d, $meta, @cpus) = stream_of($r, $in, changes($r, $in));
	my %m = (files => { '' => $meta }, big => 0, layout => $in->{layout});
	Mutate::Map::of_dat(\%m);
	@$in{qw(path events big)} = ('in.dat.zed', scalar $d->events, 0);
	$in->{files} = { meta => $meta, comms => "77 mini\n1 init\n", map => "zedtrace-spool 1\nmeta " . length($meta) . "\nring 0\nclock local\n",
		formats => "mini\0" . late_format('"n"') . "\0", map { ("cpu$_" => join '', @{$cpus[$_]}) } 0, 1 };
	$in->{parts} = [map { { %$_, file => 'meta' } } @{$m{parts}}];
	for ([comms => 'cmdlines'], [map => 'map'], [formats => 'format']) {
		my ($file, $like) = @$_;
		Mutate::Map->new($in, $file)->text(0, length $in->{files}{$file}, $file, $SNIPPETS{$like});
	}
	for my $cpu (0, 1) {
		my $m = Mutate::Map->new($in, "cpu$cpu", loose => 1, tail => 1);
		$m->page($PAGE * $_, $PAGE, 'spooled page'), $m->block($PAGE * $_, $PAGE, 'spooled block') for 0 .. $#{$cpus[$cpu]};
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
	my $at = index($bytes, "\ndata\n") + 6;
	@$in{qw(files events big)} = ({ '' => $bytes }, 8, $big);
	$in->{sizes} = [length($bytes) - $at, 23];
	my $m = Mutate::Map->new($in);
	# Any word of the text may mean that less is there.
	$m->text(0, $at, 'text', $SNIPPETS{stable}, loose => 1);
	$m->block(0, 26, 'magic');
	# A record begins: event, stream, size of 24 bits, pid, sequence, time.
	my $row = '2 event of a record!, 2 stream of a record, ' . ($big ? '1, 2 size of a record!' : '2 size of a record!, 1')
		. ', 4 pid, 8 sequence, 8 time';
	while ($at + 27 <= length $bytes) {
		my $size = substr $bytes, $at + 4, 3;
		my $end = $m->row($at, $row)->{end} + unpack $big ? 'N' : 'V', $big ? "\0$size" : "$size\0";
		$m->block($at, $end - $at, 'record');
		$m->num($_, 1, 'payload') for $at + 27 .. $end - 1;
		$at = $end;
	}
	return $in;
}

# ---------------------------------------------------------------- LTT, of each version

sub ltt {
	my ($r, $in) = @_;
	my $version = $r->pick('0.4', '0.5', '0.6', '0.7', 'G1');
	my $big = $r->below(2);
	push @{$in->{said}}, $version;
	return once($in, "$version $big", sub {
		my $g1 = $version eq 'G1';
		my $w = $g1 ? Write::Ltt->sample_g1(3, 12, big => $big) : ltt_writer($version, $big);
		my $dir = own_path('ltt');
		$w->write($dir);
		my %new = (path => 'in', big => $big, sizes => [700, $g1 ? 6 : $w->header_size], events => scalar(() = $w->manifest));
		for my $path (glob "$dir/* $dir/*/*") {
			$new{files}{substr $path, 1 + length $dir} = slurp($path) if -f $path;
		}
		File::Path::remove_tree($dir);
		ltt_blocks(Mutate::Map->new(\%new, $_, loose => 1), $g1 ? 30 : $w->header_size) for sort keys %{$new{files}};
		for my $e ($w->manifest) {
			my $m = Mutate::Map->new(\%new, $g1 ? $e->{group} eq 'cpu' ? "cpu/$e->{cpu}" : $e->{group} : "$e->{group}_$e->{cpu}");
			# No record of G1 has its length: everything after a wrong one is misread until the block ends.
			$m->row($e->{at}, $g1 ? '2 code of a record!, 4 time of a record'
				: '4 time of a record, 1 facility of a record!, 1 event of a record!, 2 size of a record!');
			$m->block($e->{at}, $e->{end} - $e->{at}, 'record', loose => 1);
		}
		for my $file ($g1 ? sort grep { m{^cpu/} } keys %{$new{files}} : ()) {
			my $m = Mutate::Map->new(\%new, $file, loose => 1);
			$m->num(700 * $_ - 4, 4, 'lost size of a block') for 1 .. $m->size / 700;
		}
		return \%new;
	});
}

sub ltt_writer {
	my ($version, $big) = @_;
	my $U4 = [uint => 4];
	my $w = Write::Ltt->new(version => $version, buf_size => 700, big => $big, align => $big ? 4 : 0, arch => $big ? 8 : 4);
	$w->facility(name => 'mini', id => 4, events => [[tick => [n => $U4]], [text => [s => ['string'], n => $U4]],
		[list => [s => [seq => [uint => 1], [seq => $U4, [uint => 2]]]]]]);
	$w->facility(name => 'other', id => 5, types => { pair => [struct => a => $U4, b => ['string']] },
		events => [[two => [p => [array => 2, [ref => 'pair']], c => [enum => 4, [red => undef], [blue => undef]]]]]);
	for my $n (1 .. 20) {
		my ($cpu, $tsc) = ($n % 2, 1_000_000 + 1000 * $n);
		$w->event($cpu, $tsc, 'mini::tick', { n => $n });
		$w->event($cpu, $tsc + 1, 'mini::text', { s => "text $n", n => $n });
		$w->event($cpu, $tsc + 2, 'mini::list', { s => [[1, 2, 3], [$n]] });
		$w->event($cpu, $tsc + 3, 'other::two', { p => [{ a => 1, b => 'x' }, { a => $n, b => 'yy' }], c => 'blue' });
	}
	return $w;
}

# The blocks of 700 bytes of one file and the words of their heads; or its text.
sub ltt_blocks {
	my ($m, $head) = @_;
	return $m->text(0, $m->size, "text of $m->{file}", $SNIPPETS{xml}) if $m->{file} =~ /\.xml$/;
	for (my $at = 0; $at < $m->size; $at += 700) {
		$m->block($at, 700, 'block', tail => 1);
		for (my $o = 0; $o + 4 <= $head; $o += 4) {
			$m->num($at + $o, 4, "word $o of a block's head"), $m->num($at + $o + $_, 1, "byte of a block's head") for 0, 1;
		}
	}
	return;
}

# ---------------------------------------------------------------- perf.data: files, saved pipes, directories

sub perfdata {
	my ($r, $in) = @_;
	my $form = $r->pick('file', 'file', 'pipe', 'packed', 'dir');
	my $big = $form eq 'packed' ? 0 : $r->below(2);
	push @{$in->{said}}, $form;
	return once($in, "$form $big", sub {
		my $path = own_path('perf');
		my $w = Write::Perf::example($path, big => $big, $form eq 'pipe' ? (pipe => 1) : $form eq 'packed' ? (zstd => 1) : ());
		my %new = (files => { '' => slurp($path) }, path => 'in.dat', events => 18, big => $big, sizes => [8, 24, 40, 104, 112, 128, 65_535]);
		if ($form eq 'dir') {
			$new{path} = 'in';
			# The records of each CPU, in order of time, are a file of their own; data keeps the rest.
			my $m = Mutate::Map->new(\%new);
			my %of = (data => '', 0 => '', 1 => '');
			my @samples;
			perf_records($m, perf_section($m, 40), sub {
				my ($at, $len, $type) = @_;
				my $bytes = substr $new{files}{''}, $at, $len;
				# IDENTIFIER IP TID TIME CPU
				push @samples, [$m->get($at + 32, 8), $m->get($at + 40, 4), $bytes] if $type == 9;
				$of{data} .= $bytes if $type != 9 && $type != 68;
			});
			$of{$_->[1]} .= $_->[2] for sort { $a->[0] <=> $b->[0] } @samples;
			my $f = Write::Perf::example_head(big => $big);
			$f->{data} = $of{data};
			$new{files} = { data => $f->bytes, 'data.0' => $of{0}, 'data.1' => $of{1} };
			perf_walk(Mutate::Map->new(\%new, "data.$_", loose => 1), 0, length $of{$_}) for 0, 1;
		}
		perf_head(Mutate::Map->new(\%new, $form eq 'dir' ? 'data' : '', loose => 1));
		return \%new;
	});
}

# Where the section that AT describes begins and ends.
sub perf_section { my ($m, $at) = @_; my ($off, $size) = map { $m->get($at + $_, 8) } 0, 8; return ($off, $off + $size) }

my $ATTR = join ', ', map { /^\d+$/ ? $_ : "$_ of an event" } '4 type', '4 size', '8 config', '8 period', '8 sample_type',
	'8 read_format', '8 flags', 24, '8 branches', '8 registers', 4, '4 clock';

sub perf_head {
	my ($m) = @_;
	$m->num(0, 8, 'magic', loose => 0);
	return perf_walk($m, 16, $m->size) if $m->num(8, 8, 'size of the header') == 16;
	$m->row(16, join ', ', '8 size of an event', ('8 section') x 6, ('8 features') x 4);
	my ($at, $end) = perf_section($m, 24);
	for (; $at < $end; $at += 128) {
		$m->row($at, $ATTR);
		my $ids = $m->row($at + 112, '8 offset of ids, 8 size of ids');
		$m->num($ids->{offset} + 8 * $_, 8, 'id') for 0 .. $ids->{size} / 8 - 1;
	}
	(my $data, my $table) = perf_section($m, 40);
	perf_walk($m, $data, $table);
	for my $bit (grep { $m->get(72, 8) >> $_ & 1 } 0 .. 63) {
		my $f = $m->row($table, '8 offset of a feature, 8 size of a feature');
		my ($off, $len) = @$f{qw(offset size)};
		$m->num($off + 4 * $_, 4, 'word of a feature') for 0 .. ($len < 400 ? $len / 4 - 1 : 100);
		$m->text($off, $len, "feature $bit", $SNIPPETS{format}, fixed => 1);
		$table = $f->{end};
	}
	return;
}

# Call F with offset, size, type of each record.
sub perf_records {
	my ($m, $at, $end, $f) = @_;
	while ($at + 8 <= $end) {
		my ($type, $size) = ($m->get($at, 4), $m->get($at + 6, 2));
		last if $size < 8;
		$f->($at, $size, $type);
		# Formats are after their record.
		$size += $m->get($at + 8, 4) if $type == 66;
		$at += $size;
	}
	return;
}

# A reader cannot detect a record that was replaced or removed.
sub perf_walk {
	my ($m, $at, $end) = @_;
	perf_records($m, $at, $end, sub {
		my ($off, $size, $type) = @_;
		$m->row($off, "4 type of a record, 2 misc of a record, 2 size of a record $type");
		$m->block($off, $size, "record $type", tail => 1);
		$m->num($off + 8 + 8 * $_, 8, "word of a record $type") for 0 .. ($size - 8) / 8 - 1;
		$m->num($off + 8 + 4 * $_, 4, "half a word of a record $type") for 0 .. ($size - 8) / 4 - 1;
		$m->row($off + 8, $ATTR) if $type == 64;
	});
	return;
}

# ---------------------------------------------------------------- real recordings

my @real = qw(tpk_rel tpk_ints tpk_arrays armhf_lost mostly_empty stack_alias be_lost armhf_lost_count armhf_zstd small_be_zstd
	i386_zstd function_stack latency_v7 process block rt zlib_331 small_v7_zlib misc);

sub real {
	my ($r, $in) = @_;
	my $name = $r->pick(@real);
	push @{$in->{said}}, $name;
	return once($in, $name, sub {
		my %new = (files => { '' => slurp("t/data/$name.dat") });
		# Of a latency tracer: a text.
		$new{events} = $name =~ /^latency/ ? 0 : scalar(() = `gzip -dc t/data/$name.dat.raw.txt.gz` =~ /^.*?\[\d+\]/mg);
		Mutate::Map::of_dat(\%new);
		return \%new;
	});
}

1;
