# SPDX-License-Identifier: GPL-2.0-or-later
#
# MutateSeeds: small inputs of each kind, from writers that share nothing with the readers and from real
# recordings, with a map of where everything in them is, for Mutate.  What texts and pages say is changed before
# the writers put the lengths around them, so that it gets past the checks of these.
#
#	my $in = MutateSeeds::make($r, $kind);		# of one of @MutateSeeds::KINDS
package MutateSeeds;
use strict;
use warnings;
no warnings 'portable';
use File::Temp ();
use LttWriter;
use MiniDat;
use Mutate;
use RfcSource;
use RfcWriter;
use StableFile;
use ZedStream;

my $PAGE = 512;	# bytes of a sub-buffer, as few as readers take
our @KINDS = qw(v7 v7 v7z v6 rfc ltt stable stream stream spool real real);
my $tmp = File::Temp->newdir('zedmutate.XXXXXX', TMPDIR => 1);

sub slurp {
	my $path = shift;
	open my $fh, '<:raw', $path or die "$path: $!\n";
	local $/;
	return scalar <$fh> // '';
}

# Hostile pieces, by what they are put into.
my $FIELD = "offset:8;\tsize:4;\tsigned:1;";
our %SNIPPETS = (
	format => [
		(map { "\tfield:$_;\t$FIELD" } 'int n', 'char x[4294967295]', 'char x[-1]', 'char x[0]', 'int x[2147483647][4]',
			'__data_loc char[] x', '__rel_loc char[] x', '__data_loc u8[65536] x', 'struct list_head x', 'unsigned long long x',
			"char \e[31mx[8]", 'int __proto__', 'cpumask_t * x', 'char *x', '__data_loc cpumask_t x', 'float x',
			'x' x 5000, 'int common_pid', 'int (*x)(int)', 'int a; int b', 'u8 ip[16]'),
		"\tfield:int late;\toffset:65000;\tsize:4;\tsigned:1;", "\tfield:int wide;\toffset:8;\tsize:4294967295;\tsigned:1;",
		"\tfield:int minus;\toffset:-8;\tsize:4;\tsigned:1;", "\tfield:char rest[];\toffset:12;\tsize:0;\tsigned:0;",
		"\tfield:int odd;\toffset:9;\tsize:3;\tsigned:1;", 'name: ' . 'n' x 3000, "name: \e]0;x\x07", 'ID: 300', 'ID: 0', 'ID: 65536',
		(map { "print fmt: $_" } '"%s", REC->n', '"%1024d", REC->n', '"%*d", REC->n, 1', '"%n", REC->n', '"%.*s", REC->n, REC->who',
			'"%d", REC->n / (REC->n - REC->n)', '"%d", 1 % 0', '"%s", __get_str(n)', '"%s", __get_str(nowhere)',
			'"%s", __print_flags(REC->n, "", {0, "a"}, {-1, "b"})', '"%s", __print_symbolic(REC->n, {})',
			'"%s", __print_hex(REC->who, 1 << 30)', '"%s", __print_array(REC->who, -1, 8)', '"%pI6c %pM %pS", REC->who, REC->who, REC->n',
			'"%s", ' . '(' x 3000 . '1' . ')' x 3000, '"' . '%d' x 400 . '", REC->n', '"%d", REC->n ? REC->n : REC->n ? 1 : 2',
			'"%s", __get_dynamic_array(n)', '"%d", (u8)(REC->n)', '"%d", *(REC->n)', '"%d", ((struct x *)REC->n)->y', '"%lld %hhx %c", REC->n',
			'"%d", REC->who[70000]', '"%s", REC->who + 4096', '"%d", sizeof(REC->who)', '"unfinished', '"%d" "%d"', '"%#*.*llx"'),
	],
	ksyms => ["ffffffffffffffff T top\n", "0 t zero\n", "c0001000 T \e[2Jclear\t[mod]\n", "c0001000 T " . 'x' x 9000 . "\n", "zz T no\n"],
	printk => ["0xc0003000 : \"%s%n\\n\"\n", "0x0 : \"\n", "0xffffffffffffffff : \"a\\x\"\n", ": \"\"\n"],
	cmdlines => ["77 \e[31mred\n", "77 \n", "-1 minus\n", "4294967295 max\n", "2147483648 big\n", "99999999999999999999 huge\n", " \n",
		"78 a\nb\n", "77 " . 'c' x 5000 . "\n", "0 idle\n"],
	header_page => ["\tfield: char data;\toffset:16;\tsize:4294967295;\tsigned:1;\n", "\tfield: local_t commit;\toffset:0;\tsize:8;\tsigned:1;\n",
		"\tfield: local_t commit;\toffset:8;\tsize:3;\tsigned:1;\n", "\tfield: char data;\toffset:0;\tsize:0;\tsigned:1;\n"],
	xml => ['<field name=x><array size=4294967295><uint size=4/></array></field>', '<typeref name=t/>', '<', '</facility>', '<!--',
		'<field name=x><sequence size=1><sequence size=1><string/></sequence></sequence></field>', '<type name=t><typeref name=t/></type>',
		'<event name="' . "\e[31m" . '">', '<struct>' x 400, '<uint_fixed size=3/>', '<enum size=4><label name=A value=99999999999/></enum>'],
	stable => ["field:u64 x; size:4294967295;\n", "dynamic:char x; size:8;\n", "array:u8 x; size:8; count:4294967295;\n", "machine 0 \"\\x1b[31m\"\n",
		"event 65535 a::b\n", "event 7 sched::switch\n", "mark 65532 end\n", "stream 3 cpu 4294967295 trace 0 buffer \"\"\n", "task 12 \"a\nb\"\n",
		"field:int z; align:4294967295; size:1;\n", "absent:int q;\n", "data\n", "byte_order: big\n", "record\n", "times: ticks\n", "clock: \e[1m\n"],
	map => ["plan 0 0 4294967296\n", "plan -1 0 0\n", "ring 18446744073709551615\n", "meta 18446744073709551615\n", "planned\n"],
);

# ---------------------------------------------------------------- MiniDat and what is made of it

my @HOSTILE_SYSTEM = (qw(main CORE lib POSIX Zed UNIVERSAL utf8 mini), '', "m\e[1m", "a\nb", 'x' x 300, '0', 'a::b', '../up');
my @HOSTILE_NAME = (qw(BEGIN END AUTOLOAD DESTROY trace_end exit import can stop tick), '', "t\x07", 'y' x 300, '9', 'a::b');

# Options for MiniDat; some of its texts or pages are changed if CHANGE.
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
	my $plain = bless { %o, at => {}, bytes => '', pid => 77, comm => 'mini', page_size => $o{page_size} }, 'MiniDat';
	$plain->{data_off} = 8 + $o{long};
	if ($what <= 3) {
		my @f = map { [@$_] } MiniDat::formats($plain);
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
		$o{$which} = $r->text(MiniDat->can($which)->(bless { %$plain, clock => 'local' }, 'MiniDat'),
			@{$SNIPPETS{$how{$which} // $which}});
		Mutate::said($in, 0, "text of $which");
	} elsif ($what == 5) {
		$o{header_page} = $r->text(MiniDat::header_page($plain), @{$SNIPPETS{header_page}});
		Mutate::said($in, 1, 'text of header_page');
	} elsif ($what == 6) {
		$o{options} = [[$r->below(30), $r->pick('', "\0" x 8, "\xff" x $r->below(64), pack('V', $r->number(4, 32)), "text\0",
			pack('Q<V*', map { $r->number(8, 32) } 0 .. $r->below(20)))]];
		Mutate::said($in, 1, "one more option $o{options}[0][0]");
	} else {
		my $n = $r->below(6);
		$o{make_pages} = sub {
			my ($d, $cpu, $instance) = @_;
			my @pages = MiniDat::cpu_pages($d, $cpu, $instance);
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
	my $d = MiniDat->new(mini_options($r, $in, changes($r, $in), %more));
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
	my $d = MiniDat->new(%o);
	my $path = "$tmp/rfc";
	my $s = RfcSource::source_read($d->write($path));
	$s->{header_page} = $told if defined $told;
	my $buffer = $r->pick(qw(mail1 mail2 mail2 pages));
	my $zip = $buffer eq 'pages' ? 'zlib' : $r->pick('none', 'none', 'zlib');
	RfcWriter::rfc_write($s, $path, compression => $zip, buffer => $buffer,
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
	my $d = MiniDat->new(mini_options($r, $in, $change, single => 1, instances => [], big => 0, long => 8));
	my $path = "$tmp/stream.dat";
	$d->write($path);
	my $meta = meta_of($d);
	my @pages = map { my $cpu = $_; [map { substr $d->{bytes}, $d->at("buffer.cpu$cpu.page$_"), $PAGE } 0 .. $d->{pages} - 1] } 0, 1;
	return ($d, $meta, @pages);
}

# What heads a recording of D: its sections and one options section, without buffers.
sub meta_of {
	my ($d) = @_;
	my $m = bless { %$d, bytes => '', at => {}, compression => 'none' }, 'MiniDat';
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
	my $s = ZedStream->new(meta => $meta, page_size => $PAGE, clock => 'local', piece => $r->pick(1 << 20, 300));
	$s->comm("77 mini\n1 init\n");
	my $floor = $MiniDat::BASE;
	for my $i (0 .. $#{$cpus[0]}) {
		$s->pages($_, $cpus[$_][$i]) for 0, 1;
		$s->round($i < $#{$cpus[0]} ? unpack('Q<', $cpus[0][$i + 1]) : 2 * $MiniDat::BASE, 1);
	}
	$s->format(mini => MiniDat::format_text('late', 302, "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n", '"n=%d", REC->n'));
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
		formats => "mini\0" . MiniDat::format_text('late', 302, "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n", '"n"') . "\0",
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

# ---------------------------------------------------------------- the map of a trace.dat

sub num { my ($file, $off, $len, $name, $loose) = @_;
	return { file => $file, off => $off, len => $len, type => 'num', name => $name, loose => $loose } }
sub block { my ($off, $len, $name, %o) = @_; return { file => '', off => $off, len => $len, type => 'block', name => $name, %o } }

sub map_dat {
	my ($in) = @_;
	my $b = \$in->{files}{''};
	my $big = $in->{big} // ord substr $$b, 12, 1;
	$in->{big} = $big;
	my $p = $in->{parts} = [];
	my $N = sub { my ($off, $len, $name, $loose) = @_; push @$p, num('', $off, $len, $name, $loose); return at($b, $off, $len, $big) };
	my $long = ord substr $$b, 13, 1;
	push @$p, block(0, 10, 'magic');
	$N->(12, 1, 'byte order');
	$N->(13, 1, 'size of long');
	my $page_size = $N->(14, 4, 'page size');
	$in->{sizes} = [$page_size, 8, 16, 20];
	$in->{layout} //= { big => $big, commit => 8, commit_size => $long, data_off => 8 + $long };
	my $v7 = substr($$b, 10, 2) eq "7\0";
	return $v7 ? map_7($in, $b, $p, $N) : map_6($in, $b, $p, $N, $page_size);
}

sub at { my ($b, $off, $len, $big) = @_; return $off + $len <= length $$b ? Mutate::get($$b, $off, $len, $big) : 0 }
sub zlen { my ($b, $off) = @_; my $e = index $$b, "\0", $off; return $e < 0 ? 0 : $e + 1 - $off }

sub map_texts {
	my ($in, $b, $p, $N, $id, $at, $end) = @_;
	if ($id == 16) {
		push @$p, block($at, 12, 'word header_page');
		my $n = $N->($at + 12, 8, 'size of header_page');
		$at += 20 + $n;
		$N->($at + 13, 8, 'size of header_event');
		return $at + 21 + at($b, $at + 13, 8, $in->{big});
	} elsif ($id == 17) {
		my $n = $N->($at, 4, 'number of ftrace formats');
		$at += 4;
		for (1 .. $n) {
			my $len = $N->($at, 8, 'size of a format');
			push @$p, block($at, 8 + $len, 'ftrace format');
			$at += 8 + $len;
			last if $at >= $end;
		}
		return $at;
	} elsif ($id == 18) {
		my $systems = $N->($at, 4, 'number of systems');
		$at += 4;
		for (1 .. $systems) {
			my $begin = $at;
			$at += zlen($b, $at);
			my $n = $N->($at, 4, 'number of formats');
			$at += 4;
			for (1 .. $n) {
				my $len = $N->($at, 8, 'size of a format');
				push @$p, block($at, 8 + $len, 'format');
				$at += 8 + $len;
				return $at if $at >= $end;
			}
			push @$p, block($begin, $at - $begin, 'system');
		}
		return $at;
	}
	my $w = $id == 21 ? 8 : 4;
	return $at + $w + $N->($at, $w, 'size of a text');
}

sub map_pages {
	my ($in, $b, $p, $off, $len, $size) = @_;
	for (my $at = $off; $at + $size <= $off + $len && $at + $size <= length $$b && $size >= 64; $at += $size) {
		push @$p, { file => '', off => $at, len => $size, type => 'page', name => 'page' }, block($at, $size, 'block of a page');
	}
	return;
}

sub map_7 {
	my ($in, $b, $p, $N) = @_;
	my $big = $in->{big};
	my $n = zlen($b, 18);
	my $zip = substr($$b, 18, $n) ne "none\0";
	push @$p, block(18, $n, 'compression');
	my $root = 18 + $n + zlen($b, 18 + $n);
	my $next = $N->($root, 8, 'offset of options');
	my %section = (%{$in->{sections} // {}});
	for (1 .. 20) {
		last if !$next || $next + 16 > length $$b;
		my $flags = $N->($next + 2, 2, 'flags of options');
		$N->($next, 2, 'id of options');
		my $size = $N->($next + 8, 8, 'size of options');
		my ($at, $end) = ($next + 16, $next + 16 + $size);
		if ($flags & 1) {
			$N->($at, 4, 'packed size of options');
			$N->($at + 4, 4, 'full size of options');
			push @$p, block($at + 8, at($b, $at, 4, $big), 'packed options') if at($b, $at, 4, $big);
			last;
		}
		$next = 0;
		while ($at + 6 <= $end && $at + 6 <= length $$b) {
			my $id = $N->($at, 2, 'id of option');
			my $len = $N->($at + 2, 4, "size of option $id");
			my $data = $at + 6;
			push @$p, block($at, 6 + $len, "option $id");
			if ($id == 0) {
				$next = $N->($data, 8, 'offset behind DONE');
			} elsif ($id >= 16 && $id <= 21 && $len == 8) {
				my $sec = $N->($data, 8, "offset of section $id");
				map_section($in, $b, $p, $N, $id, $sec) if $sec && $sec + 16 < length $$b;
			} elsif ($id == 3) {
				map_buffer($in, $b, $p, $N, $data, $len, $zip);
			} elsif ($len && $len <= 8 && $len != 3) {
				push @$p, num('', $data, $_, "option $id") for grep { $_ == $len } 1, 2, 4, 8;
			}
			$at = $data + $len;
			last if $id == 0;
		}
	}
	return;
}

sub map_section {
	my ($in, $b, $p, $N, $id, $at) = @_;
	$N->($at, 2, "id of section $id");
	my $flags = $N->($at + 2, 2, "flags of section $id");
	my $size = $N->($at + 8, 8, "size of section $id");
	push @$p, block($at, 16 + $size, "section $id") if $at + 16 + $size <= length $$b;
	if ($flags & 1) {
		my $n = $N->($at + 16, 4, 'packed size of a section');
		$N->($at + 20, 4, 'full size of a section');
		push @$p, block($at + 24, $n, 'packed bytes') if $at + 24 + $n <= length $$b;
	} else {
		map_texts($in, $b, $p, $N, $id, $at + 16, $at + 16 + $size);
	}
	return;
}

sub map_buffer {
	my ($in, $b, $p, $N, $data, $len, $zip) = @_;
	my $big = $in->{big};
	my $sec = $N->($data, 8, 'offset of a buffer');
	$N->($sec, 2, 'id of a buffer');
	$N->($sec + 2, 2, 'flags of a buffer');
	$N->($sec + 8, 8, 'size of a buffer');
	my $at = $data + 8;
	$at += zlen($b, $at) for 1, 2;
	push @$p, block($data + 8, $at - $data - 8, 'names of a buffer') if $at > $data + 8;
	my $size = $N->($at, 4, 'page size of a buffer');
	my $cpus = $N->($at + 4, 4, 'CPUs of a buffer');
	$at += 8;
	for (1 .. $cpus) {
		last if $at + 20 > $data + $len;
		push @$p, block($at, 20, 'entry of a CPU');
		$N->($at, 4, 'number of a CPU');
		my $off = $N->($at + 4, 8, 'offset of a CPU');
		my $n = $N->($at + 12, 8, 'size of a CPU');
		if (!$zip) {
			map_pages($in, $b, $p, $off, $n, $size);
		} elsif ($n) {
			my $chunks = $N->($off, 4, 'number of chunks');
			my $c = $off + 4;
			for (1 .. $chunks) {
				last if $c + 8 > $off + $n;
				my $z = $N->($c, 4, 'packed size of a chunk');
				$N->($c + 4, 4, 'full size of a chunk');
				push @$p, block($c, 8 + $z, 'chunk');
				$c += 8 + $z;
			}
		}
		$at += 20;
	}
	return;
}

sub map_6 {
	my ($in, $b, $p, $N, $page_size) = @_;
	my $at = 18;
	for my $id (16 .. 21) {
		my $end = map_texts($in, $b, $p, $N, $id, $at, length $$b);
		push @$p, block($at, $end - $at, "part $id");
		$at = $end;
	}
	my $cpus = $N->($at, 4, 'number of CPUs');
	push @$p, block($at + 4, 10, 'word options');
	$at += 4;
	my @buffers;
	if (substr($$b, $at, 7) eq 'options') {
		$at += 10;
		while (1) {
			my $id = $N->($at, 2, 'id of option');
			$at += 2;
			last if !$id;
			my $len = $N->($at, 4, "size of option $id");
			push @$p, block($at - 2, 6 + $len, "option $id");
			push @buffers, $N->($at + 4, 8, 'offset of an instance') if $id == 3;
			$at += 4 + $len;
			last if $at + 2 > length $$b;
		}
	}
	for my $where ($at, @buffers) {
		next if $where + 10 > length $$b || substr($$b, $where, 9) ne 'flyrecord';
		push @$p, block($where, 10, 'word flyrecord');
		my $e = $where + 10;
		for (1 .. $cpus) {
			my ($off, $len) = ($N->($e, 8, 'offset of a CPU'), $N->($e + 8, 8, 'size of a CPU'));
			push @$p, block($e, 16, 'entry of a CPU');
			map_pages($in, $b, $p, $off, $len, $page_size);
			$e += 16;
		}
		$N->($e, 8, 'size of a clock');
	}
	return;
}

# ---------------------------------------------------------------- the RFC's dialect

sub map_rfc {
	my ($in, $zip) = @_;
	my $b = \$in->{files}{''};
	my $big = $in->{big};
	my $p = $in->{parts} = [];
	my $N = sub { my ($off, $len, $name, $loose) = @_; push @$p, num('', $off, $len, $name, $loose); return at($b, $off, $len, $big) };
	push @$p, block(0, 10, 'magic');
	$N->(12, 1, 'byte order');
	$N->(13, 1, 'size of long');
	my $n = zlen($b, 14);
	push @$p, block(14, $n, 'compression');
	my $root = 14 + $n + zlen($b, 14 + $n);
	my $next = $N->($root, 8, 'offset of options');
	$in->{sizes} = [$PAGE, 20];
	for (1 .. 20) {
		last if !$next || $next + 8 > length $$b;
		my $size = $N->($next, 8, 'size of options');
		my ($at, $end) = ($next + 8, $next + 8 + $size);
		$next = 0;
		while ($at + 6 <= $end && $at + 6 <= length $$b) {
			my $id = $N->($at, 2, 'id of option');
			my $len = $N->($at + 2, 4, "size of option $id");
			my $data = $at + 6;
			push @$p, block($at, 6 + $len, "option $id");
			if ($id == 0) {
				$next = $N->($data, 8, 'offset behind DONE');
			} elsif ($id >= 16 && $id <= 21) {
				my $s = $N->($data, 8, "offset of section $id");
				rfc_section($b, $N, $s, $id);
				map_texts($in, $b, $p, $N, $id, $s + 20, length $$b) if !at($b, $s + 2, 2, $big);
			} elsif ($id == 3 || $id == 22) {
				my $c = $data + zlen($b, $data);
				my $cpus = $N->($c, 4, 'CPUs of a buffer');
				$c += 4;
				$N->($c, 4, 'page size of a buffer'), $c += 4 if $id == 22;
				for (; $c + 20 <= $data + $len; $c += 20) {
					push @$p, block($c, 20, 'entry of a CPU');
					$N->($c, 4, 'number of a CPU');
					my $s = $N->($c + 4, 8, 'offset of a CPU');
					$N->($c + 12, 8, 'size of a CPU');
					rfc_section($b, $N, $s, 'of a CPU') if $s + 20 < length $$b;
					$N->($s + 20, 4, 'size of a packed page') if $id == 22 && $s + 24 < length $$b;
				}
			} elsif ($id == 23) {
				$N->($data + 4 * $_, 4, 'page map') for 0 .. $len / 4 - 1;
			}
			$at = $data + $len;
			last if $id == 0;
		}
	}
	# Pages lie where their first stamp is one of ours.
	my $stamp = substr Mutate::pack_num($MiniDat::BASE, 8, $big), ($big ? 0 : 3), 5;
	my $at = -1;
	while (($at = index $$b, $stamp, $at + 1) >= 0) {
		my $off = $big ? $at : $at - 3;
		push @$p, { file => '', off => $off, len => $PAGE, type => 'page', name => 'page' } if $off >= 0 && $off + $PAGE <= length $$b;
	}
	return;
}

sub rfc_section {
	my ($b, $N, $at, $id) = @_;
	return if $at + 20 > length $$b;
	$N->($at, 2, "type of section $id");
	$N->($at + 2, 2, "flags of section $id");
	$N->($at + 4, 8, "size of section $id");
	$N->($at + 12, 8, "full size of section $id");
	return;
}

# ---------------------------------------------------------------- LTT

my %ltt;	# variant => [files, events, blocks: [file, offset, length, header], big]

sub ltt {
	my ($r, $in) = @_;
	my $version = $r->pick('0.4', '0.5', '0.6', '0.7', 'G1');
	my $variant = $r->below(2);
	my $l = $ltt{"$version $variant"} //= $version eq 'G1' ? ltt_g1($variant) : ltt_new($version, $variant);
	@$in{qw(path files events big)} = ('in', { %{$l->{files}} }, $l->{events}, $l->{big});
	$in->{parts} = [@{$l->{parts}}];
	$in->{sizes} = [$l->{size}, $l->{head}];
	push @{$in->{said}}, $version;
	return $in;
}

sub ltt_files {
	my ($w) = @_;
	my $dir = "$tmp/ltt" . rand;
	$w->write($dir);
	my %files;
	for my $path (split /\n/, `cd '$dir' && find . -type f`) {
		$files{$path =~ s{^\./}{}r} = slurp("$dir/$path");
	}
	system 'rm', '-rf', $dir;
	return \%files;
}

my $U4 = [uint => 4];

sub ltt_new {
	my ($version, $variant) = @_;
	my $w = LttWriter->new(version => $version, buf_size => 700, big => $variant, align => $variant ? 4 : 0, arch => $variant ? 8 : 4);
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
	my $l = { files => ltt_files($w), big => $variant, size => 700, head => $w->header_size };
	$l->{events} = () = $w->manifest;
	ltt_parts($l, 700, $w->header_size);
	# Records, by where the writer has put them.
	for my $e ($w->manifest) {
		my $file = ($e->{group} eq 'cpu' ? 'cpu' : $e->{group}) . "_$e->{cpu}";
		push @{$l->{parts}}, num($file, $e->{at}, 4, 'time of a record', 0), num($file, $e->{at} + 4, 1, 'facility of a record', 1),
			num($file, $e->{at} + 5, 1, 'event of a record', 1), num($file, $e->{at} + 6, 2, 'size of a record', 1),
			{ file => $file, off => $e->{at}, len => $e->{end} - $e->{at}, type => 'block', name => 'record', loose => 1, tail => 0 };
	}
	return $l;
}

sub ltt_g1 {
	my ($variant) = @_;
	my $w = LttWriter->new(version => 'G1', buf_size => 700, big => $variant, xml => { types_last => 1 });
	$w->facility(name => 'core', id => 0, load => '', types => {
		stamp => [struct => timestamp => [struct => time => [struct => seconds => $U4, nanoseconds => $U4],
			cycle_count => [uint => 8]], block_id => $U4],
	}, events => [[facility_load => [name => ['string'], checksum => $U4, base_code => $U4]],
		[block_start => [ref => 'stamp']], [block_end => [ref => 'stamp']], [tick => [n => $U4]], [text => [s => ['string']]], [none => []]]);
	$w->{fac0} = $w->{order}[0];
	for my $cpu (0, 1) {
		for my $b (0 .. 2) {
			my $c = (1 + $b) * 1_000_000_000;
			$w->block($cpu, from => [1000 + $b, 5 + $cpu, $c], to => [1000 + $b, 900_000, $c + 350_000_000]);
			$w->event($cpu, $c + 1_000_000 * $_, (qw(core::tick core::text core::none))[$_ % 3], { n => $_, s => "t $_" }) for 1 .. 12;
		}
	}
	my $l = { files => ltt_files($w), big => $variant, size => 700, head => 6 };
	$l->{events} = () = $w->manifest;
	ltt_parts($l, 700, 30);
	for my $e ($w->manifest) {
		my $file = $e->{group} eq 'cpu' ? "cpu/$e->{cpu}" : $e->{group};
		# No record tells its length here: what is behind a wrong one is misread until the block ends.
		push @{$l->{parts}}, num($file, $e->{at}, 2, 'code of a record', 1), num($file, $e->{at} + 2, 4, 'time of a record', 0),
			{ file => $file, off => $e->{at}, len => $e->{end} - $e->{at}, type => 'block', name => 'record', loose => 1 };
	}
	push @{$l->{parts}}, map { my $f = $_; map { num($f, 700 * $_ - 4, 4, 'lost size of a block', 1) } 1 .. length($l->{files}{$f}) / 700 }
		grep { m{^cpu/} } keys %{$l->{files}};
	return $l;
}

sub ltt_parts {
	my ($l, $size, $head) = @_;
	my $p = $l->{parts} = [];
	for my $file (sort keys %{$l->{files}}) {
		my $len = length $l->{files}{$file};
		if ($file =~ /\.xml$/) {
			push @$p, { file => $file, off => 0, len => $len, type => 'text', name => "text of $file", snippets => $SNIPPETS{xml}, loose => 1 };
			next;
		}
		for (my $at = 0; $at < $len; $at += $size) {
			push @$p, { file => $file, off => $at, len => $size, type => 'block', name => 'block', loose => 1, tail => 1 };
			for (my $o = 0; $o + 4 <= $head; $o += 4) {
				push @$p, num($file, $at + $o, 4, "word $o of a block's head", 1), num($file, $at + $o + $_, 1, "byte of a block's head", 1)
					for 0, 1;
			}
		}
	}
	return;
}

# ---------------------------------------------------------------- stable files

sub stable {
	my ($r, $in) = @_;
	my $path = "$tmp/stable";
	my $big = $r->below(2);
	StableFile::sample($path, order => $big ? 'big' : 'little');
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
	&{"MutateSeeds::$kind"}($r, $in);
	return $in if $whole;
	# What was not changed before it was written is changed now; sometimes both.
	$r->input($in) if !grep({ / / } @{$in->{said}}) || $r->chance(4);
	$r->input($in) while $r->chance(5);
	return $in;
}

1;
