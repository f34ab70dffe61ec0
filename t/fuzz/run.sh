#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh DIR SECONDS [NAME...]: runs the fuzzers of DIR, each for SECONDS from a small corpus of made and
# real inputs.  What it finds stays in DIR as NAME.crash-*; exit 1 if there is anything, or if
# one reads nothing of its inputs.
set -eu
dir=$1 seconds=$2
shift 2
status=0

seed_corpus() {
	corpus=$1 name=$2
	case $name in
	file_fuzz)
		n=0
		for args in "version 7" "compression zstd" "compression zlib big 1" \
			"version 6 big 1 long 4" "version 6 instances foo" "instances foo"; do
			n=$((n + 1))
			# shellcheck disable=SC2086  # words
			perl -It/lib -MWrite::Dat -e '
				my ($out, %o) = @ARGV;
				$o{instances} = [$o{instances}] if $o{instances};
				Write::Dat->new(%o)->write($out)' "$corpus/mini$n" $args
		done
		for order in little big; do
			perl -It/lib -MWrite::StableFile -e 'Write::StableFile::sample($ARGV[0], order => $ARGV[1])' \
				"$corpus/stable-$order" $order
			rm "$corpus/stable-$order.ends"
		done
		perl -It/lib -MWrite::RfcSource -MWrite::Rfc -e '
			my $s = Write::RfcSource::source_cut(Write::RfcSource::source_read("t/data/small_v7_none.dat"), pages => [0, 1]);
			my $n = 0;
			Write::Rfc::rfc_write($s, "$ARGV[0]/rfc" . $n++, %$_) for {}, { compression => "zlib" },
				{ buffer => "mail1" }, { compression => "zlib", buffer => "pages" }, { sizes => "all" },
				{ front => 1 }, { chain => 3 }, { map => "section" }' "$corpus"
		for f in t/data/*.dat t/bad/*.dat; do
			if [ -f "$f" ] && [ "$(wc -c < "$f")" -lt 30000 ]; then
				cp "$f" "$corpus/"
			fi
		done
		;;
	ctf_fuzz)
		perl -It/lib -MWrite::Ctf=ctf_head,ctf_packets -e '
			for my $big (0, 1) {
				my $event = sub { my ($w) = @_; $w->align(16)->int(-2, 3)->int(5, 13)->float(1.5)->string("text")->int(2, 8)->int(7, 32)->int(8, 32)->int(1, 8)->string("x") };
				my $text = ctf_head(big => $big, with => "\tevent.context := struct { uint32_t _vtid; uint8_t _procname[17]; };") . q(
					event { name = "a:b"; id = 3; stream_id = 0; fields := struct {
						integer { size = 3; align = 1; signed = true; } _three; integer { size = 13; align = 1; } _rest;
						floating_point { exp_dig = 8; mant_dig = 24; align = 8; } _f; string _s; uint8_t __w_length; uint32_t _w[ __w_length ];
						enum : uint8_t { num = 0, word = 1 ... 3 } _tag; variant <_tag> { uint32_t num; string word; } _v; } align(16); };);
				open my $fh, ">:raw", "$ARGV[0]/ctf$big" or die;
				print $fh $text, "\0", ctf_packets({ big => $big }, { begin => 1, end => 9, events => [[3, 5, $event]] });
			}' "$corpus"
		;;
	ctf2_fuzz)
		perl -It/lib -MWrite::Ctf=ctf_packets -MWrite::Ctf2=ctf2_array,ctf2_event,ctf2_head,ctf2_int,ctf2_metadata,ctf2_place,ctf2_struct -e '
			for my $n (0 .. 3) {
				my $o = { big => $n & 1, rc => $n & 2 };
				my ($i, $text) = (ctf2_int($o, 8), { type => "null-terminated-string", encoding => "utf-16le" });
				my $place = ctf2_place($o, "event-record-payload", "n");
				my $class = ctf2_struct(three => ctf2_int($o, -3), bits => ctf2_int($o, 12, "bit-order" => "last-to-first"),
					n => ctf2_int($o, 8, mappings => { one => [[1, 1]] }), leb => { type => "variable-length-signed-integer" }, text => $text,
					list => ctf2_array(ctf2_struct(a => $i), "length-field-location" => $place),
					bytes => { type => "dynamic-length-string", encoding => "utf-32be", "length-field-location" => $place },
					v => { type => "variant", "selector-field-location" => $place, options => [{ "field-class" => $i, "selector-field-ranges" => [[0, 4]] }] },
					o => { type => "optional", "selector-field-location" => $place, "field-class" => "alias" });
				my $event = sub { my ($w) = @_; $w->int(-2, 3)->int(5, 12)->int(1, 8)->leb(-300, 1)->bytes("x\0\0\0")->int(7, 8)->bytes("y")->int(9, 8)->int(8, 8) };
				open my $fh, ">:raw", "$ARGV[0]/ctf2-$n" or die;
				print $fh ctf2_metadata(ctf2_head($o), { type => "field-class-alias", name => "alias", "field-class" => $i }, ctf2_event(3, "a:b", $class)),
					"\0", ctf_packets($o, { begin => 1, end => 9, events => [[3, 5, $event]] });
			}' "$corpus"
		;;
	perfdata_fuzz)
		perl -It/lib -MWrite::Perf -e '
			my ($dir, $n) = ($ARGV[0], 0);
			sub seed {
				my ($form, $head, $bytes) = @_;
				open my $fh, ">:raw", "$dir/perf" . $n++ or die;
				print $fh pack("C v", $form, $head), $bytes;
			}
			for my $o ({}, { big => 1, long => 4 }, { pipe => 1 }, { pipe => 1, big => 1 }, { unfinished => 1 }, { zstd => 1 }) {
				my $path = Write::Perf::example("$dir/made", %$o);
				local (@ARGV, $/) = $path;
				my $bytes = <>;
				seed($o->{pipe} ? 1 : 0, 0, $bytes);
				# The samples of a file without an end are packed; of a pipe, what follows the formats.
				my $at = $o->{unfinished} ? unpack("Q<", substr $bytes, 40, 8) : $o->{pipe} && !$o->{big} ? index($bytes, "five") - 16 : 0;
				seed($o->{pipe} ? 3 : 2, $at, $bytes) if $at > 0;
				unlink $path;
			}
			for my $f (glob "t/data/perf/*.data") {
				next if -d $f || -s $f > 60000;
				local (@ARGV, $/) = $f;
				seed($f =~ /pipe/ ? 1 : 0, 0, scalar <>);
			}' "$corpus"
		;;
	page_fuzz)
		perl -It/lib -MWrite::Dat -e '
			for my $o ([0, 0, 8], [1, 1, 8], [2, 0, 4], [3, 1, 4]) {
				my ($first, $big, $long) = @$o;
				my $d = Write::Dat->new(big => $big, long => $long, page_size => 256);
				open my $fh, ">:raw", "$ARGV[0]/page$first" or die;
				print $fh chr $first, Write::Dat::cpu_pages($d, 0, "");
			}' "$corpus"
		;;
	frames_fuzz)
		perl -It/lib -MWrite::Dat -MWrite::ZedStream -e '
			for my $o ([0], [1], [0, big => 1], [1, big => 1, long => 4]) {
				my ($first, %o) = @$o;
				my $d = Write::Dat->new(page_size => 512, pages => 2, ticks => 2, %o);
				my $s = Write::ZedStream::from_dat($d->write("$ARGV[0].dat"), trim => $first, order => sub {
					my ($turn, @c) = @_; return reverse @c });
				$s->stats(0, "overrun: 3\n")->comm("77 late\n")->frame(99, "x")->end(1, 2);
				open my $fh, ">:raw", "$ARGV[0]/stream" . $n++ or die;
				print $fh chr $first, substr $s->{bytes}, 16;
				unlink "$ARGV[0].dat";
				# Two of it in a carrier.
				my $b = pack("V V V", 0x80000010, 4, 0) . join "", map { pack "V V V Z*", 0x80000011, 6, $_, "x" } 1, 2;
				for my $at (map { $_ * 300 } 0 .. length($s->{bytes}) / 300) {
					my $piece = substr $s->{bytes}, $at, 300;
					$b .= pack("V V V", 0x80000012, 4 + length $piece, $_) . $piece for 1, 2;
				}
				open $fh, ">:raw", "$ARGV[0]/carrier" . $n++ or die;
				print $fh chr $first, $b, pack "V V V V V Q< Q<", 0x80000013, 4, 1, 8, 16, 0, 0;
			}' "$corpus"
		;;
	net_fuzz)
		perl -It/lib -MWrite::Dat -MWrite::ZedStream -e '
			for my $o ([0], [1, big => 1], [0, compression => "zlib"]) {
				my ($names, %o) = @$o;
				my $d = Write::Dat->new(page_size => 512, pages => 2, ticks => 2, %o);
				my $meta = substr($d->{bytes}, 0, $d->at("options.done")) . "\0" x 8;
				my $s = Write::ZedStream->new(meta => $meta, page_size => 512, names => $names, piece => 700);
				$s->frame(11, "12345678")->frame(10, pack "q< Q<", -5, 9);
				$s->names([5, 1, "init"]) if $names;
				$s->pages(0, Write::Dat::cpu_pages($d, 0, ""))->round(5, 1)->pages(1, "x" x 40)->comm("77 late\n");
				$s->format("sys", ($d->formats)[0][1])->stats(0, "overrun: 3\n")->frame(99, "x")->end(1, 2);
				open my $fh, ">:raw", "$ARGV[0]/client" . $n++ or die;
				print $fh $s->{bytes};
				# The same, packed.
				my $p = Write::ZedStream->new(page_size => 512);
				$p->packed(1, $_) for unpack "(a700)*", $meta;
				$p->frame(9, "") if $names;
				$p->frame(2, pack "Q< V Z*", length $meta, 512, "mono")->frame(11, "12345678");
				$p->packed(3, pack("V", $_) . Write::Dat::cpu_pages($d, 0, ""))->round(5, 1) for 0, 1;
				$p->frame(0x80000020, pack "V3", 3, 20, 0xfd2fb528) if $names;
				open $fh, ">:raw", "$ARGV[0]/packed" . $n++ or die;
				print $fh $p->end(1, 2)->{bytes};
			}' "$corpus"
		;;
	index_fuzz)
		perl -e '
			for my $i (1 .. 12) {
				open my $fh, ">:raw", "$ARGV[0]/index$i" or die;
				print $fh pack "n*", map { $_ * 7919 * $i % 65536 } 1 .. 90;
			}' "$corpus"
		;;
	expr_fuzz)
		perl -e '
			my $i = 0;
			my $rec = pack("S C C l l L Q a8 C x s L L L q a36", 300, 1, 0, 7, -3, 99, 1 << 63, "kw/0:1", 200, -2,
				10 << 16 | 56, 8 << 16 | 68, 8 << 16 | 80, -5, "/etc/fstab");
			for my $x ("n < 100 && who ~ \"kw*\"", "!n == 1 || not (v & 0x10) and s != /etc/fstab", "m & CPUS{0,2-5} || cpu == CPUS{1}",
				"who == kw/0:1 or who == s or b == 200", "(n << 2) + u * -3 / (b - 200) % 7 > 1.5ms ^ 3 | ~h", "log2(v) + 1",
				"symbol(v) == schedule && errno(h) ~ \"ENO*\"", "dev(u)", "syscall(b)", "end.ts - start.ts",
				"start.n == end.n && start.who == end.s and end.u > 0xffffffff", "-n == 017 || +5 <= w", "event == \"mini:tick\"") {
				open my $fh, ">:raw", "$ARGV[0]/expr" . $i++ or die;
				print $fh $rec, $x;
			}' "$corpus"
		;;
	format_fuzz | header_page_fuzz)
		perl -It/lib -MWrite::Dat -e '
			my ($dir, $name) = @ARGV;
			my $d = Write::Dat->new;
			my @t = $name =~ /page/ ? Write::Dat::header_page($d) : map { $_->[1] } $d->formats;
			for my $i (0 .. $#t) {
				open my $fh, ">:raw", "$dir/text$i" or die;
				print $fh $t[$i];
			}' "$corpus" "$name"
		;;
	steps_fuzz)
		perl -e '
			my $i = 0;
			for my $order (0 .. 3) {
				my $b = $order & 1 ? ">" : "<";
				my $rec = pack("S$b C C l$b l$b c x3 Q$b a8 C4 L$b L$b L$b L$b S$b*", 300, 1, 0, 7, 3, -5, 99, "mini",
					1, 2, 3, 4, 4 << 16 | 52, 8 << 16 | 56, 4 << 16 | 4, 8 << 16 | 56, 1 .. 6);
				for my $p ("\"n=%d v=%llx %#06x %-8lu|\", REC->n, (unsigned long)REC->v, REC->c, REC->v >> 3",
					"\"%s %s\", __print_flags(REC->n, \"|\", { 1, \"a\" }, { 1UL << 1, \"b\" }), REC->n ? REC->who : \"-\"",
					"\"%10s\", __print_symbolic(REC->n & 3, { 1, \"a\" }, { HRTIMER_MODE_REL_HARD, \"b\" })",
					"\"%s %s %c\", __get_str(s), __get_rel_str(r), REC->who[REC->n]",
					"\"%s\", __print_array(__get_dynamic_array(a), __get_dynamic_array_len(a) / 4, 4)",
					"\"%s %s\", __print_hex(REC->raw, 4), __print_hex_str(__get_dynamic_array(s), REC->n)",
					"\"%s %s\", __get_bitmask(m), __print_dynamic_array(a, 4)",
					"\"%.*s %pS %pI4 %pI6c %pISpc %pM\", REC->n, REC->who, (void *)REC->v, REC->raw, __get_dynamic_array(s), __get_sockaddr(s), REC->who",
					"\"%*ph %*pbl %pUb %pNF %pa\", 5, REC->who, 16, REC->raw, REC->who, REC->who, &REC->v",
					"\"%s\", __print_hex_dump(\"x\", 2, 16, 4, REC->who, 8, 1)",
					"\"%d %d\", REC->n ? REC->v / REC->n : REC->n % 3 << 2, !REC->n && ~REC->v || REC->c < 0",
					"\"%d %llu\", *(u16 *)(__get_dynamic_array(a) + REC->n), __print_ns_to_secs(REC->v)",
					"\"%s\", REC->n > 2 ? (REC->c ? \"x\" : __get_str(s)) : \"y\"") {
					open my $fh, ">:raw", "$ARGV[0]/steps" . $i++ or die;
					print $fh chr($order), $rec, $p;
				}
			}' "$corpus"
		;;
	text_fuzz)
		perl -It/lib -MWrite::Dat -MWrite::PluginEvents -e '
			my ($dir, $source) = @ARGV;
			my ($n, $i, %place) = (0, 0);
			open my $c, "<", $source or die "$source: $!\n";
			while (<$c>) { $place{$2} //= $i++ while /\{ "(\w+)", "(\w+)" \}/g }
			sub seed {
				my ($place, $flags, $format, $printk, $record) = @_;
				open my $fh, ">:raw", "$dir/text" . $n++ or die;
				print $fh chr $place, chr $flags, $format, "\0", $printk, "\0", $record;
			}
			my $d = bless { pid => 7, big => 0, long => 8 }, "Write::Dat";
			my ($fields, $rec);
			for my $spec (plugin_events()) {
				my ($format, $record) = plugin_make($spec, {}, {});
				my $body = $format->[1] =~ s/\A.*?\nformat:\n//sr;
				$rec = $record->($d);
				seed($place{$spec->[1]}, 0, $body, "", $rec) if defined $place{$spec->[1]};
				seed(0, 0, $body =~ s/print fmt: \K.*/"%d", REC->common_pid\n/r, "", $rec);
			}
			my $text = Write::Dat::format_text("x", 1, "", "") =~ s/\A.*?\nformat:\n//sr;
			my $bprint = $text =~ s/\nprint fmt/\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;
\tfield:const char * fmt;\toffset:16;\tsize:8;\tsigned:0;
\tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0;\n$&/r =~ s/print fmt: /$&"%ps: %s", (void *)REC->ip, REC->fmt/r;
			seed($place{bprint}, 0, $bprint, $_, pack("S C C l Q Q L*", 300, 0, 0, 7, 0xc0001000, 0xc0003000, 3 .. 12))
				for "n %d\\n", "%*d %.*s %c|%s", "%llx %pS %ps %zu %5.3s %hhd %p", "%-*d %+d %#x";
			my $kinds = join "", map { "\tfield:$_->[0];\toffset:$_->[1];\tsize:$_->[2];\tsigned:$_->[3];\n" }
				["int n", 8, 4, 1], ["u64 v", 16, 8, 0], ["char who[8]", 24, 8, 1], ["u8 raw[4]", 32, 4, 0],
				["__data_loc char[] s", 36, 4, 1], ["__data_loc u32[] a", 40, 4, 0],
				["__rel_loc char[] r", 44, 4, 1], ["__data_loc cpumask_t m", 48, 4, 0], ["u16 h[3]", 52, 6, 0],
				["u16 tail[]", 60, 0, 0];
			$rec = pack("S C C l l x4 Q a8 C4 L L L L S3 x2 S8", 300, 1, 0, 7, 3, 99, "mini", 1, 2, 3,
				4, 4 << 16 | 60, 8 << 16 | 60, 4 << 16 | 12, 8 << 16 | 60, 1 .. 11);
			for my $p ("\"n=%d v=%llx\", REC->n, (unsigned long)REC->v", "\"%s\", REC->n > 3 ? \"a\" : \"b\"",
				"\"%s\", __print_flags(REC->n & 7, \"|\", { 1, \"a\" }, { 2, \"b\" })",
				"\"%s\", __print_symbolic(REC->n & 3, { 1, \"a\" }, { 2, \"b\" })",
				"\"%s %s\", __get_str(s), __get_rel_str(r)", "\"%d\", REC->h[1] / ((u8 *)__get_dynamic_array(a))[2]",
				"\"%s\", __print_array(__get_dynamic_array(a), __get_dynamic_array_len(a) / 4, 4)",
				"\"%s %s\", __print_hex(REC->raw, 4), __print_hex_str(__get_dynamic_array(s), 3)",
				"\"%s %s\", __get_bitmask(m), __get_cpumask(m)", "\"%pI4 %pI6c %pISpc %pM %*ph %pUb\", REC->raw, "
					. "__get_dynamic_array(s), __get_sockaddr(s), REC->who, 5, REC->who, REC->who",
				"\"%.*s %pS %ps %c %u\", REC->n, REC->who, (void *)REC->v, REC->v, REC->n, sizeof(u64)",
				"\"%d %d\", REC->n ? REC->v / REC->n : REC->n % 3 << 2, !REC->n && ~REC->v",
				"\"%s\", scsi_trace_parse_cdb(p, __get_dynamic_array(s), 4)",
				"\"%d %s\", __le16_to_cpup((__le16 *)__get_dynamic_array(a)), xen_hypercall_name(REC->n)",
				"\"%s %u\", jbd2_dev_to_name(REC->v), jiffies_to_msecs(REC->v)", "\"%d\", is_writable_pte(REC->v)") {
				seed(0, $_, $text =~ s/\nprint fmt: /$kinds$&$p/r, "", $rec) for 0, 1;
			}' "$corpus" t/fuzz/text_fuzz.c
		;;
	desc_fuzz)
		printf '0array:char comm; size:8; count:4; align:8; signed:1;\nfield:u8 b; size:3;\nfield:u64 c; align:1; size:61;\0abcdefghijkl' > "$corpus/bits"
		printf '1field:int irq; size:32; signed:1;\ndynamic:char name; size:8;\ndynamic:u16 l; size:12; align:16;\nabsent:int x;\0\0\0\0\041\0\005\0\014\0\003\0\022eth0\0\0abc' > "$corpus/dynamic"
		;;
	stable_fuzz)
		perl -e '
			my ($dir, @files) = @ARGV;
			my $rec = pack("S C C l l x4 Q a8 C4 L L L S x2 S22", 300, 1, 0, 7, 3, 7, "mini", 1, 2, 3,
				4, 4 << 16 | 52, 8 << 16 | 56, 4 << 16 | 4, 60, 1 .. 22);
			my $all = "event a::b\npurpose p\nfrom mini:tick | x:y where n > 2 # c\n"
				. "field:int n; align:32; size:32; signed:1; = nix | n or 3 * 512 default undef clip\n"
				. "field:char l; size:8; = letter(n) default \"?\"\nfield:bool m; size:1; = mark(n)\n"
				. "dynamic:char y; size:8; = symbol(v)\narray:char w; size:8; count:4; = who clip\n"
				. "array:u8 p; size:8; count:8; = be64(v)\nfield:u8 rw; size:8; = rw(s)\n"
				. "dynamic:u64 a; size:64;\ndynamic:char s; size:8;\ndynamic:char r; size:8; = r | old\n"
				. "array:u12 t; size:12; count:3; = tail clip\nfield:u8 f; size:8; = from(mini:tick)\n"
				. "dynamic:char c; size:8; = common_comm\ndynamic:char q; size:8; = syscall(n)\n"
				. "absent:int z;\n";
			my $n = 0;
			for my $text ($all, map { local (@ARGV, $/) = $_; <> =~ s/\w+:\w+ \| |(?<=from )\s+\w+:\w+/mini:tick/gr } @files) {
				open my $fh, ">:raw", "$dir/stable" . $n++ or die;
				print $fh $rec, $text;
			}' "$corpus" stable/*.stable
		;;
	ltt_fuzz)
		perl -e '
			my $n = 0;
			sub seed {
				my ($flags, $xml, $payload) = @_;
				open my $fh, ">:raw", "$ARGV[0]/ltt" . $n++ or die;
				print $fh chr($flags), $xml, "\0", $payload;
			}
			for my $f (0 .. 63) {
				seed($f, "<facility name=f><event name=e>"
					. ($f % 3 == 2 ? "" : "<struct>") . join("", map {
						"<field name=x>$_</field>"
					} "<uint size=4/>", "<string/>", $f % 3 == 2
						? ("<enum><label name=A value=1/>B</enum>", "<pointer/>",
							"<sequence><uchar/><array size=2><char/></array></sequence>")
						: ("<enum size=1>A B</enum>", "<float size=8/>",
							"<sequence size=1><typeref name=t/></sequence>"),
					"<union><field name=a><uint size=4/></field></union>")
					. ($f % 3 == 2 ? "" : "</struct>") . "</event><type name=t><struct>"
					. "<field name=s><string/></field></struct></type></facility>",
					"\1\2\3\4text\0\0\0\0" . "\1\0\0\0" x 12);
			}
			for my $xml (glob "t/data/ltt-g1/eventdefs/*.xml") {
				open my $fh, "<:raw", $xml or die;
				local $/;
				seed(0, scalar(<$fh>), "\1\2\3\4" x 8 . "name\0");
			}' "$corpus"
		;;
	texts_fuzz)
		printf '\001ffffffff81000000 T _text\nffffffffc0001000 t x\t[mod]\n' > "$corpus/kallsyms"
		printf '\0010xffffffff82000000 : "fmt %%d\\n"\n' > "$corpus/printk"
		printf '\0011 systemd\n77 mini task\n' > "$corpus/cmdlines"
		printf '\0000x5f5e100' > "$corpus/date"
		;;
	esac
}

# text_fuzz with a libtraceevent and plugins that are instrumented as well, where their source can be had;
# otherwise it is the one that make built, with the library of this system.
instrument_text() {
	t/fuzz/libtraceevent.sh "$dir/libtraceevent" || return 0
	# shellcheck disable=SC2046  # words
	clang -std=gnu11 -O1 -g -w -fno-strict-aliasing -iquote . -D_GNU_SOURCE \
		-D_FILE_OFFSET_BITS=64 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -rdynamic \
		-I "$dir/libtraceevent/include" -o "$dir/text_fuzz" t/fuzz/text_fuzz.c \
		$(find base reader -name '*.c') build/stabletext.c \
		"$dir/libtraceevent/libtraceevent.a" -lzstd -lz -ldl -lm
}
case " ${*:-text_fuzz} " in *" text_fuzz "*) instrument_text ;; esac

for target in "$dir"/*_fuzz; do
	name=$(basename "$target")
	[ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	corpus=$dir/corpus/$name
	mkdir -p "$corpus"
	seed_corpus "$corpus" "$name"
	echo "== $name for $seconds s"
	if ! LSAN_OPTIONS=suppressions=t/lib/c/lsan.supp:print_suppressions=0 "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-max_len=65536 -print_final_stats=1 -artifact_prefix="$dir/$name." \
		"$corpus" > "$dir/$name.log" 2>&1; then
		echo "   FOUND something: $dir/$name.log"
		grep -E 'ERROR|runtime error|SUMMARY|Test unit written' "$dir/$name.log" | head -5
		status=1
	fi
	# What the run was worth: inputs tried, edges reached, inputs kept.
	sed -n 's/^stat::number_of_executed_units: */   executions: /p' "$dir/$name.log" | tail -1
	grep -o 'cov: [0-9]* ft: [0-9]* corp: [0-9]*' "$dir/$name.log" | tail -1 | sed 's/^/   /'
	# Of seeds that are told apart it keeps several: one input is as good as any where none of them is read.
	if ! grep -q 'corp: \([2-9]\|[1-9][0-9]\)' "$dir/$name.log"; then
		echo "   reads nothing of its inputs: $dir/$name.log"
		status=1
	fi
done
exit $status
