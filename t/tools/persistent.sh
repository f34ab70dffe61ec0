#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# persistent.sh VMLINUZ: zedtrace --extract on a buffer that outlives a panic.  A virtual machine with that kernel (6.12
# or newer, x86; on Debian: from the unpacked linux-image package) traces into reserved memory, panics, boots again, and
# saves the buffer: zedprint must print it as the kernel's own trace file showed it.  Needs qemu-system-x86,
# busybox-static and cpio; takes a minute or two.
set -eu

kernel=${1:?usage: t/tools/persistent.sh VMLINUZ}
bin=${ZED_BIN_DIR:-build/gcc}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
root=$dir/root

mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/tmp"
cp "$(command -v busybox)" "$root/bin/busybox"
cp "$bin/zedtrace" "$root/bin/"
ldd "$bin/zedtrace" | grep -o '/[^ ]*' | while read -r lib; do
	mkdir -p "$root$(dirname "$lib")"
	cp -L "$lib" "$root$lib"
done

cat >"$root/init" <<'EOF'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev
mount -t tracefs t /sys/kernel/tracing; mount -t tmpfs t /tmp
i=/sys/kernel/tracing/instances/kept
if dmesg | grep -q 'is from previous boot'; then
	cat $i/trace >/tmp/trace.txt
	zedtrace --extract kept -o /tmp/kept.dat 2>/tmp/said
	stty raw -F /dev/ttyS1
	tar czf - -C /tmp . | base64 >/dev/ttyS1
	sleep 1
	poweroff -f
fi
for event in sched_switch sched_waking sched_process_fork sched_process_exec sched_process_exit; do
	echo 1 >$i/events/sched/$event/enable
done
echo 1 >$i/tracing_on
echo 'before the panic' >$i/trace_marker
n=0
while [ $n -lt 60 ]; do /bin/busybox true; usleep 5000; n=$((n + 1)); done
echo c >/proc/sysrq-trigger
EOF
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$dir/initrd"

# Without cmpxchg16b: qemu 7.2 gets its flags wrong.  A machine that resets itself keeps its memory.
timeout 300 qemu-system-x86_64 -machine q35 -accel tcg -cpu Nehalem,-cx16 -smp 2 -m 512 -display none -monitor none \
	-nic none -no-user-config -serial "file:$dir/console" -serial "file:$dir/out" -kernel "$kernel" -initrd "$dir/initrd" \
	-append "console=ttyS0 quiet nokaslr panic=1 reserve_mem=20M:2M:trace trace_instance=kept^traceoff@trace"

if ! base64 -di "$dir/out" | tar xzf - -C "$dir"; then
	tail -20 "$dir/console"
	echo 'not ok: the second boot gave nothing'
	exit 1
fi
cat "$dir/said"
"$bin/zedprint" -f kernel "$dir/kept.dat" | grep -v '^#' >"$dir/ours.txt"
grep -v '^#' "$dir/trace.txt" >"$dir/theirs.txt"
events=$(wc -l <"$dir/theirs.txt")
# The kernel may discard the buffer of a CPU that was writing at the panic; hardly of both.
if [ "$events" -ge 100 ] && diff "$dir/theirs.txt" "$dir/ours.txt" >"$dir/diff"; then
	echo "ok: $events events of before the panic, as the kernel shows them"
else
	head -20 "$dir/diff" 2>/dev/null || :
	echo "not ok: $events events that the kernel showed, and the file holds others"
	exit 1
fi
