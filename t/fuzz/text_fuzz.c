// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text_fuzz: one event as report prints it: by a handler of ours, by a plugin of libtraceevent once
 * its rule has passed (these are instrumented here as well), by its print format.  A byte that says
 * which event, a byte of flags (big endian, long of 4, records of another type), then, each up to a
 * NUL, the format's text behind its name and the string that a binary printk names; the rest is the
 * record.
 */
#include "base/outbuf.h"
#include "t/fuzz/fuzz.h"

#include <traceevent/event-parse.h>

#define ID 300
#define KALLSYMS "c0000000 T first\nc0001000 T start\nc0002000 t end\t[mini]\n"

static const char *const events[][2] = {
	{ "mini", "tick" },
	{ "mini", "tick" },
	{ "sched", "sched_switch" },
	{ "sched", "sched_wakeup" },
	{ "sched", "sched_wakeup_new" },
	{ "ftrace", "function" },
	{ "ftrace", "func_repeats" },
	{ "ftrace", "kernel_stack" },
	{ "ftrace", "raw_data" },
	{ "ftrace", "funcgraph_entry" },
	{ "ftrace", "funcgraph_exit" },
	{ "ftrace", "bprint" },
	{ "ftrace", "bputs" },
	{ "ftrace", "print" },
	{ "timer", "hrtimer_start" },
	{ "timer", "hrtimer_expire_entry" },
	{ "kmem", "kfree" },
	{ "kmem", "kmem_cache_alloc_node" },
	{ "tlb", "tlb_flush" },
	{ "syscalls", "sys_enter_futex" },
	{ "kvm", "kvm_exit" },
	{ "kvm", "kvm_entry" },
	{ "kvm", "kvm_emulate_insn" },
	{ "kvm", "kvm_nested_vmexit" },
	{ "kvm", "kvm_nested_vmexit_inject" },
	{ "kvmmmu", "kvm_mmu_get_page" },
	{ "kvmmmu", "kvm_mmu_sync_page" },
	{ "kvmmmu", "kvm_mmu_zap_page" },
	{ "mac80211", "drv_bss_info_changed" },
	{ "scsi", "scsi_dispatch_cmd_start" },
};

/* The texts of a trace that names are looked up in. */
static int given_text(void *arg, enum machine_text which, const char **p, size_t *len,
		      struct err *e)
{
	struct outbuf *printk = arg;

	*p = which == TEXT_KALLSYMS ? KALLSYMS : which == TEXT_PRINTK ? printk->p : "";
	*len = which == TEXT_PRINTK ? printk->len : strlen(*p);
	return 0;
}

static const struct machine_ops ops = { given_text };

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* One handle is never freed: the plugins stay loaded. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static struct tep_handle *tep;
	static struct tep_plugin_list *plugins;

	tep = tep_alloc();
	plugins = tep ? tep_load_plugins(tep) : NULL;
	if (!plugins)
		abort();
	return 0;
}

static void print(struct fuzz *f, const struct etype *t, const uint8_t *rec, uint32_t len)
{
	static const struct origin from = { .path = "fuzz", .instance = "" };
	struct engine *text = engine_new(DIALECT_REPORT, &f->notes);
	struct event ev = { .type = t, .data = rec, .size = len, .from = &from, .pid = 7, .ts = 1 };
	struct outbuf out = { 0 };

	/* What the first event leaves behind is there at the second. */
	for (unsigned i = 0; i < 2; i++) {
		out.len = 0;
		engine_put(text, &ev, &out, false);
		drive_eat(&f->d, out.p, out.len);
		engine_report_comm(text, t->machine, ev.pid);
	}
	engine_free(text);
	outbuf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size, *format = data + 2, *fmt, *tail;
	const char *const *event;
	struct outbuf text = { .p = NULL }, printk = { .p = NULL };
	const struct etype *t;
	struct fuzz f;
	struct err e;
	uint8_t *rec;

	if (size < 4 || !(fmt = memchr(format, 0, end - format)) ||
	    !(tail = memchr(fmt + 1, 0, end - fmt - 1)))
		return 0;
	event = events[data[0] % (sizeof(events) / sizeof(events[0]))];
	out_printf(&text, "name: %s\nID: %u\nformat:\n", event[1], ID);
	out_bytes(&text, (const char *)format, fmt - format);
	out_printf(&printk, "0xc0003000 : \"%s\"\n", (const char *)fmt + 1);
	tail++;
	fuzz_begin(&f, data[1] & 1, data[1] & 2 ? 4 : 8);
	f.machine.ops = &ops;
	f.machine.arg = &printk;
	t = catalog_add(f.catalog, &f.machine, event[0], text.p, text.len, &e);
	if (t && etype_resolve(f.catalog, t, &e) == 0 && t->fixed <= end - tail && end - tail > 2) {
		rec = (uint8_t *)fuzz_copy(tail, end - tail);
		if (!(data[1] & 4)) {
			rec[data[1] & 1] = ID & 0xff;
			rec[!(data[1] & 1)] = ID >> 8;
		}
		print(&f, t, rec, end - tail);
		free(rec);
	}
	fuzz_end(&f);
	outbuf_fini(&text);
	outbuf_fini(&printk);
	return 0;
}
