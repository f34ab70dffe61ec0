#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh DIR SECONDS [NAME...]: runs the fuzzers of DIR, each for SECONDS from a small corpus of made and
# real inputs.  What it finds stays in DIR as NAME.crash-*; exit 1 if there is anything.
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
			perl -It/lib -MMiniDat -e '
				my ($out, %o) = @ARGV;
				$o{instances} = [$o{instances}] if $o{instances};
				MiniDat->new(%o)->write($out)' "$corpus/mini$n" $args
		done
		for order in little big; do
			perl -It/lib -MStableFile -e 'StableFile::sample($ARGV[0], order => $ARGV[1])' \
				"$corpus/stable-$order" $order
			rm "$corpus/stable-$order.ends"
		done
		for f in t/data/*.dat t/bad/*.dat; do
			if [ -f "$f" ] && [ "$(wc -c < "$f")" -lt 30000 ]; then
				cp "$f" "$corpus/"
			fi
		done
		;;
	page_fuzz)
		perl -It/lib -MMiniDat -e '
			for my $o ([0, 0, 8], [1, 1, 8], [2, 0, 4], [3, 1, 4]) {
				my ($first, $big, $long) = @$o;
				my $d = MiniDat->new(big => $big, long => $long, page_size => 256);
				open my $fh, ">:raw", "$ARGV[0]/page$first" or die;
				print $fh chr $first, MiniDat::cpu_pages($d, 0, "");
			}' "$corpus"
		;;
	frames_fuzz)
		perl -It/lib -MMiniDat -MZedStream -e '
			for my $o ([0], [1], [0, big => 1], [1, big => 1, long => 4]) {
				my ($first, %o) = @$o;
				my $d = MiniDat->new(page_size => 512, pages => 2, ticks => 2, %o);
				my $s = ZedStream::from_dat($d->write("$ARGV[0].dat"), trim => $first, order => sub {
					my ($turn, @c) = @_; return reverse @c });
				$s->stats(0, "overrun: 3\n")->comm("77 late\n")->frame(99, "x")->end(1, 2);
				open my $fh, ">:raw", "$ARGV[0]/stream" . $n++ or die;
				print $fh chr $first, substr $s->{bytes}, 16;
				unlink "$ARGV[0].dat";
			}' "$corpus"
		;;
	format_fuzz | header_page_fuzz)
		perl -It/lib -MMiniDat -e '
			my ($dir, $name) = @ARGV;
			my $d = MiniDat->new;
			my @t = $name =~ /page/ ? MiniDat::header_page($d) : map { $_->[1] } $d->formats;
			for my $i (0 .. $#t) {
				open my $fh, ">:raw", "$dir/text$i" or die;
				print $fh $t[$i];
			}' "$corpus" "$name"
		;;
	print_fuzz)
		perl -e '
			my $i = 0;
			my $rec = pack("S C C l l x4 Q a8 C4 L L L L S6", 300, 1, 0, 7, 3, 99, "mini", 1, 2, 3,
				4, 4 << 16 | 52, 8 << 16 | 56, 4 << 16 | 4, 8 << 16 | 56, 1 .. 6);
			for my $p ("\"n=%d v=%llx\", REC->n, (unsigned long)REC->v",
				"\"%s\", __print_flags(REC->n, \"|\", { 1, \"a\" }, { 2, \"b\" })",
				"\"%s\", __print_symbolic(REC->n & 3, { 1, \"a\" }, { 2, \"b\" })",
				"\"%s %s\", __get_str(s), __get_rel_str(r)",
				"\"%s\", __print_array(__get_dynamic_array(a), __get_dynamic_array_len(a) / 4, 4)",
				"\"%s\", __print_hex(REC->raw, 4)", "\"%s\", __get_bitmask(m)",
				"\"%.*s %pS %pI4\", REC->n, REC->who, (void *)REC->v, REC->raw",
				"\"%d\", REC->n ? REC->v / REC->n : REC->n % 3 << 2") {
				open my $fh, ">:raw", "$ARGV[0]/print" . $i++ or die;
				print $fh $rec, $p;
			}' "$corpus"
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

for target in "$dir"/*_fuzz; do
	name=$(basename "$target")
	[ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	corpus=$dir/corpus/$name
	mkdir -p "$corpus"
	seed_corpus "$corpus" "$name"
	echo "== $name for $seconds s"
	if ! LSAN_OPTIONS=suppressions=t/lib/lsan.supp:print_suppressions=0 "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-max_len=32768 -print_final_stats=0 -verbosity=0 \
		-artifact_prefix="$dir/$name." "$corpus" > "$dir/$name.log" 2>&1; then
		echo "   FOUND something: $dir/$name.log"
		grep -E 'ERROR|runtime error|SUMMARY|Test unit written' "$dir/$name.log" | head -5
		status=1
	fi
done
exit $status
