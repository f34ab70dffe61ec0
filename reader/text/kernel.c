// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own text of an event: by the steps of its print format, or by the kernel's own
 * function where it has one.  What is known of a type is found when its first record comes.
 */
#include "reader/text/kernel.h"

#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/printfmt/record.h"
#include "reader/text/raw.h"
#include "reader/text/steps/ftrace.h"
#include "reader/text/steps/steps.h"

#include <stdlib.h>

/* What is done with the records of a type. */
struct kind {
	enum { KIND_NEW, KIND_RAW, KIND_STEPS, KIND_OWN } how;
	struct steps *steps;
	struct own own;
	uint8_t *binary; /* rawtext_fields() */
	const struct field *flags, *count;
	bool lazy; /* flag 2 is "reschedule lazily" */
};

struct kerntext {
	struct notes *notes;
	struct arena arena;
	struct kind **kinds; /* by index of the type */
	size_t compiled;     /* bytes of print formats */
	size_t nkinds;
};

/*
 * Bytes of print formats that are compiled; steps take up to 20 times as much.  All of Linux 6.18
 * come to 700,000.
 */
#define COMPILED_MAX (4u << 20)

#define CUT " [CUT]" /* what a text ends with that is too long */

struct kerntext *kerntext_new(struct notes *notes)
{
	struct kerntext *k = mem_zalloc(sizeof(*k));

	k->notes = notes;
	return k;
}

void kerntext_free(struct kerntext *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->nkinds; i++)
		if (k->kinds[i])
			steps_free(k->kinds[i]->steps);
	free(k->kinds);
	arena_fini(&k->arena);
	free(k);
}

static const struct field *small_field(const struct etype *t, const char *name)
{
	const struct field *f = field_find(t, name);

	return f && f->loc == FIELD_AT && f->size == 1 ? f : NULL;
}

static struct kind *look_at(struct kerntext *k, const struct etype *type)
{
	struct kind *kind = arena_alloc(&k->arena, sizeof(*kind));
	const char *why = NULL;

	k->kinds[type->idx] = kind;
	kind->flags = small_field(type, "common_flags");
	kind->count = small_field(type, "common_preempt_count");
	/*
	 * Since Linux 6.13 flag 2 says that a task is to be rescheduled lazily; before, that the
	 * machine does not tell whether interrupts are off.
	 */
	kind->lazy = own_since(type->machine, 6, 13);
	kind->binary = arena_alloc(&k->arena, type->nfields + 1);
	if (own_find(type, &kind->own)) {
		kind->how = KIND_OWN;
		return kind;
	}
	k->compiled += type->print_len;
	if (k->compiled <= COMPILED_MAX)
		kind->steps = steps_compile(type, &k->arena, &why);
	else
		why = "too many print formats";
	kind->how = kind->steps ? KIND_STEPS : KIND_RAW;
	if (why && k->notes)
		note_say(k->notes, NOTE_INFO,
			 kind->steps ? "%s:%s: '?' is shown for %s" :
				       "%s:%s: its fields are shown raw: %s",
			 type->system, type->name, why);
	return kind;
}

static struct kind *kind_of(struct kerntext *k, const struct etype *type)
{
	size_t n = k->nkinds;

	if (type->idx >= n) {
		k->kinds = mem_grow(k->kinds, &k->nkinds, (size_t)type->idx + 1, sizeof(*k->kinds));
		memset(k->kinds + n, 0, (k->nkinds - n) * sizeof(*k->kinds));
	}
	return k->kinds[type->idx] ? k->kinds[type->idx] : look_at(k, type);
}

static void put_name(struct outbuf *o, const struct etype *t)
{
	/* Names of stable events and of facilities say little without their system. */
	if (!t->format_len) {
		out_str(o, t->system);
		out_bytes(o, "::", 2);
	}
	out_str(o, t->name);
	out_bytes(o, ": ", 2);
}

void kerntext_put(struct kerntext *k, const struct event *ev, struct outbuf *o, bool named)
{
	const struct etype *t = ev->type;
	size_t max = pf_text_max(ev->size), from;
	struct kind *kind;
	bool done = false;

	if (!t->known) {
		out_printf(o, "Unknown type %u", t->id);
		return;
	}
	if (!t->format_len) {
		if (named)
			put_name(o, t);
		rawtext_plain(o, ev, max);
		return;
	}
	kind = kind_of(k, t);
	if (named && kind->how != KIND_OWN)
		put_name(o, t);
	from = o->len;
	if (kind->how == KIND_STEPS)
		done = steps_run(kind->steps, ev, o, max);
	if (kind->how == KIND_OWN && ev->size >= t->fixed) {
		kind->own.put(&kind->own, ev, o, max);
		done = true;
	}
	if (!done) {
		out_str(o, "[FAILED TO PARSE]");
		rawtext_fields(o, ev, kind->binary, max);
	}
	if (o->len - from > max) {
		o->len = from + max - strlen(CUT);
		out_str(o, CUT);
	}
	if (o->len > from && o->p[o->len - 1] == '\n')
		o->len--;
}

/* Bits of common_flags. */
enum {
	FLAG_IRQS_OFF = 0x01,
	FLAG_LAZY = 0x02, /* before Linux 6.13: nobody knows whether interrupts are off */
	FLAG_RESCHED = 0x04,
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
	FLAG_PREEMPT = 0x20, /* the reschedule is needed by the count of preemption */
	FLAG_NMI = 0x40,
	FLAG_BH_OFF = 0x80,
};

static char irqs(unsigned flags, bool lazy)
{
	if (flags & FLAG_BH_OFF)
		return flags & FLAG_IRQS_OFF ? 'D' : 'b';
	return flags & FLAG_IRQS_OFF ? 'd' : !lazy && flags & FLAG_LAZY ? 'X' : '.';
}

static char resched(unsigned flags, bool lazy)
{
	/* By: needed, lazily, by preemption. */
	static const char by[8] = ".pnNlLbB";
	unsigned i = (flags & FLAG_PREEMPT ? 1 : 0) | (flags & FLAG_RESCHED ? 2 : 0) |
		     (lazy && flags & FLAG_LAZY ? 4 : 0);

	return by[i];
}

static char context(unsigned flags)
{
	bool hard = flags & FLAG_HARDIRQ;

	if (flags & FLAG_NMI)
		return hard ? 'Z' : 'z';
	if (flags & FLAG_SOFTIRQ)
		return hard ? 'H' : 's';
	return hard ? 'h' : '.';
}

void kerntext_flags(struct kerntext *k, const struct event *ev, char buf[KERNTEXT_FLAGS])
{
	static const char depth[] = ".123456789abcdef";
	const struct kind *kind;
	unsigned flags, count;

	memset(buf, '.', KERNTEXT_FLAGS);
	if (!ev->type->known || !ev->type->format_len || ev->size < ev->type->fixed)
		return;
	kind = kind_of(k, ev->type);
	flags = kind->flags ? ev->data[kind->flags->off] : 0;
	count = kind->count ? ev->data[kind->count->off] : 0;
	buf[0] = irqs(flags, kind->lazy);
	buf[1] = resched(flags, kind->lazy);
	buf[2] = context(flags);
	buf[3] = depth[count & 15];
	buf[4] = depth[count >> 4];
}

const char *kerntext_comm(struct machine *m, int32_t pid)
{
	return m->watched ? machine_comm(m, pid) : machine_comm_untimed(m, pid);
}
