#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# regen-data.sh: regenerates t/data from the full recordings: cuts each with cutdat.pl, has stock trace-cmd 3.1.6 print
# it, and checks that this output is a part, in order, of its output for the full recording.  Run from the checkout's
# root:  sh t/tools/regen-data.sh [NAME...]
# Needs trace-cmd 3.1.6 and zstd, and the recordings at $ZED_SHARED or ../shared.
set -eu
LC_ALL=C TZ=UTC
export LC_ALL TZ

full=${ZED_SHARED:-../shared}/data
out=t/data
cut="perl t/tools/cutdat.pl"
only=" $* "

fail() {
	echo "regen-data.sh: $*" >&2
	exit 1
}

test -f t/tools/cutdat.pl || fail "run it from the root of the checkout"
test -d "$full" || fail "$full is not there; set ZED_SHARED to the directory that holds data/"
for tool in trace-cmd zstd; do
	command -v $tool > /dev/null || fail "$tool is missing: apt-get install $tool"
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Exit 0 when every line of $1 is in stdin, in the same order.
part_of() {
	perl -e 'open my $f, "<", shift or die; my $want = <$f>; my $n = 0;
		while (defined $want && defined(my $l = <STDIN>)) {
			next if $l ne $want; $n++; $want = <$f> }
		exit 0 if !defined $want;
		print STDERR "line ", $n + 1, " is not in the reference: $want";
		exit 1' "$1"
}

# Those whose text by trace-cmd 3.4.0 is kept as well: its flags column, and its library's text.
newer=" kernel_text lost rt be_lost process marker_v6 i386_all tpk_ints tpk_arrays "

# The lines that 3.4.0 printed for the kept records, matched by task, CPU, time and event; and the lines between them
# that belong to no record.  3.4.0 itself is not needed.
newer_text() {
	zstd -dcq "$src.report340.txt.zst" | perl -e '
		my $line = qr/^(.*-\d+ +\[\d+\])(?: [.dDbBX][.NnplLbB][.hHsSzZ]\S{2,3})?( *\d+(?:\.\d+)?: \S+: )/;
		open my $f, "<", shift or die; my (%n, %lost, $all, $kept);
		while (<$f>) { /$line/ ? ($n{$1 . $2}++, $all++) : /DROPPED/ ? $lost{$_}++ : 0 }
		my ($keep, $before) = (0, "");
		while (<STDIN>) {
			if (/$line/) { $keep = $n{$1 . $2}-- > 0; $kept += $keep; print $before if $keep && $lost{$before}; $before = "" }
			elsif (/DROPPED/) { $before = $_; next }
			print if $keep || /^cpus=/ }
		exit($kept == $all ? 0 : 1)' "$dat.report.txt" > "$dat.report340.txt" || fail "$name: report340"
	gzip -9nf "$dat.report340.txt"
}

# cut NAME SOURCE [cutdat options]: the recording, its two goldens, the check.
make_one() {
	name=$1
	src=$full/$2
	shift 2
	case $only in "  " | *" $name "*) ;; *) return 0 ;; esac
	dat=$out/$name.dat
	from=$src
	if [ "${1:-}" = --as-v6 ]; then
		shift
		trace-cmd convert --file-version 6 -i "$src" -o "$tmp/v6.dat" > /dev/null 2>&1
		from=$tmp/v6.dat
	fi
	$cut "$@" "$from" "$dat"
	read=$dat
	# Debian's trace-cmd cannot read zlib: it gets the same cut, the same pages, uncompressed
	if [ "$(head -c 22 "$dat" | tail -c 4)" = zlib ]; then
		$cut "$@" --compression none "$from" "$tmp/plain.dat"
		read=$tmp/plain.dat
	fi
	trace-cmd report -i "$read" > "$dat.report.txt" 2> /dev/null
	trace-cmd report -R -i "$read" > "$dat.raw.txt" 2> /dev/null
	for kind in report raw; do
		zstd -dcq "$src.$kind.txt.zst" | part_of "$dat.$kind.txt" || fail "$name: $kind"
	done
	gzip -9nf "$dat.raw.txt"
	if [ -f "$src.kernel.txt.gz" ]; then
		# the kernel's lines of the kept records, matched by CPU and time
		gzip -dc "$src.kernel.txt.gz" | perl -e 'open my $f, "<", shift or die; my %n;
			while (<$f>) { $n{$1, $2}++ if /\[(\d+)\]\s*(\d+\.\d+): / }
			my $keep;
			while (<STDIN>) {
				$keep = /^#/ || $n{$1, $2}-- > 0
					if /^#|\[(\d+)\] \S+ +(\d+\.\d+): /;
				print if $keep }' \
			"$dat.report.txt" > "$dat.kernel.txt"
	fi
	case $newer in *" $name "*) newer_text ;; esac
	printf '%-24s %8d bytes, %6d lines\n' "$name" "$(wc -c < "$dat")" \
		"$(wc -l < "$dat.report.txt")"
}

mkdir -p $out
make_one demo            amd64-1/a01_v7_zstd.dat --skip 14 --pages 10 \
			 --keep sched --keep irq --keep timer --keep workqueue --keep raw_syscalls
make_one small_v7_none   amd64-1/a03_v7_none.dat --pages 2
make_one small_v7_zstd   trixie/d01_v7_zstd.dat --pages 2
make_one small_v7_zlib   amd64-full/a02_v7_zlib.dat --pages 2
make_one zlib_331        trixie/d02_v7_zlib.dat --pages 2
make_one small_v6        amd64-1/a04_v6.dat --pages 2
make_one small_be_none   s390x/b03_v7_none.dat --pages 3
make_one small_be_zstd   s390x/b01_v7_zstd.dat --pages 3
make_one small_be_v6     s390x/b04_v6.dat --pages 3
make_one be_lost         s390x/b08_lost_b8.dat --skip 206 --pages 3
make_one i386_zstd       i386/b01_v7_zstd.dat --pages 3
make_one i386_v6         i386/b04_v6.dat --pages 2
make_one i386_all        i386/b09_all_short.dat --pages 3
make_one armhf_zstd      armhf/b01_v7_zstd.dat --pages 3
make_one armhf_multibuf  armhf/b05_v7_multibuf.dat --pages 1
make_one armhf_lost      armhf/b08_lost_b8.dat --skip 357 --pages 3
make_one armhf_lost_count armhf/b08_lost_b8.dat --pages 1
make_one multibuf        amd64-1/a05_v7_multibuf.dat --pages 1
make_one multibuf_v6     amd64-1/a05_v7_multibuf.dat --as-v6 --pages 1
make_one multibuf_612    trixie/d05_v7_multibuf.dat --pages 1
make_one lost            amd64-lost/a08_extract_overwritten.dat --pages 3
make_one rt              amd64-rt/a13_rt_sched.dat --pages 2
make_one latency_v7      amd64-rt/a13_rt_wakeup_latency.dat
make_one latency_v6      amd64-rt/a13_rt_wakeup_latency_v6.dat
make_one subbuf16        trixie/d06_subbuf16.dat --pages 1
make_one stack           amd64-kt2/a15_kt_stack.dat --pages 1
make_one stack_alias     amd64-kt2/a15_kt_stack.dat --skip 3 --pages 1
make_one function_stack  amd64-ftrace/a06_function_stack.dat --pages 2
make_one fgraph          amd64-ftrace/a06_fgraph.dat --pages 1
make_one dynevents       amd64-ftrace/a06_dynevents.dat --pages 3
make_one marker_v6       amd64-ftrace/a06_marker_v6.dat
make_one tpk_ints        amd64-kt/a06_tpk_ints.dat
make_one tpk_arrays      amd64-kt/a06_tpk_arrays.dat
make_one tpk_rel         amd64-kt/a06_tpk_rel.dat
make_one kernel_text     amd64-kt/a15_kt_sched_irq.dat --pages 2
make_one misc            amd64-kt2/a15_kt_misc.dat --pages 2
make_one block           amd64-full/a10_block.dat --pages 2
make_one process         amd64-full/a10_process.dat
make_one clock_mono      amd64-clocks/a07_clock_mono.dat --pages 1
make_one clock_boot      amd64-clocks/a07_clock_boot.dat --pages 1
make_one clock_tsc       amd64-clocks/a07_clock_x86-tsc.dat --pages 1
make_one date            amd64-clocks/a07_date.dat --pages 1
make_one ts_offset       amd64-clocks/a07_ts_offset.dat --pages 1
make_one all_events      amd64-all/a09_all_short.dat --pages 2
make_one sparse_cpus     amd64-smp16/a12_smp16_offline3_7.dat --pages 1
make_one mostly_empty    amd64-smp16/a12_smp16_mostly_empty.dat
make_one empty           amd64-misc/a07_empty.dat --keep sched

size=$(find $out -type f -exec cat {} + | wc -c)
echo "t/data: $size bytes"
test "$size" -le 6291456 || fail "t/data is larger than 6 MiB"
