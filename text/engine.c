// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine: the text of an event, in the kernel's form or trace-cmd's: by the steps of its print
 * format, or by our own function if there is one.  A type is prepared at its first record.
 */
#include "text/engine.h"

#include "trace/field.h"
#include "trace/machine.h"
#include "text/plugins.h"
#include "text/raw_fields.h"
#include "text/report/report_handlers.h"
#include "text/steps/tracers.h"
#include "text/steps/steps.h"
#include "text/syscall.h"

#include <stdlib.h>

/* How the records of a type are printed. */
struct print_kind {
	enum { KIND_RAW, KIND_STEPS, KIND_OWN } how;
	struct steps *steps;
	const struct plugin *plugin; /* prints what it supports */
	struct own own;
	uint8_t *binary; /* rawtext_fields() */
	struct flags flags;
};

struct engine {
	enum dialect dialect;
	struct memory memory;	 /* DIALECT_REPORT */
	struct plugins *plugins; /* the same */
	struct notes *notes;
	struct arena arena;
	struct print_kind **kinds; /* by index of the type */
	size_t compiled;	   /* bytes of print formats */
	size_t nkinds;
};

/*
 * Maximum bytes of compiled print formats; steps take up to 20 times as much.  All of Linux 6.18's
 * have 700,000.
 */
#define COMPILED_MAX (4u << 20)

#define CUT " [CUT]" /* ends a text that was cut */

struct engine *engine_new(enum dialect dialect, struct notes *notes)
{
	struct engine *k = mem_zalloc(sizeof(*k));

	k->dialect = dialect;
	k->notes = notes;
	if (dialect == DIALECT_REPORT)
		k->plugins = plugins_new(notes);
	return k;
}

void engine_free(struct engine *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->nkinds; i++)
		if (k->kinds[i])
			steps_free(k->kinds[i]->steps);
	free(k->kinds);
	memory_fini(&k->memory);
	plugins_free(k->plugins);
	arena_fini(&k->arena);
	free(k);
}

/* Is there a function for records of TYPE, instead of its print format? */
static bool find_own(struct engine *k, const struct etype *type, struct own *own)
{
	return k->dialect == DIALECT_REPORT ?
		       report_find(type, &k->memory, own) :
		       own_find(type, own) || syscall_find(type, &k->arena, own);
}

static struct print_kind *look_at(struct engine *k, const struct etype *type)
{
	struct print_kind *kind = arena_alloc(&k->arena, sizeof(*kind));
	const char *why = NULL;

	k->kinds[type->idx] = kind;
	flags_init(&kind->flags, type);
	kind->binary = arena_alloc(&k->arena, type->nfields + 1);
	if (!find_own(k, type, &kind->own)) {
		memset(&kind->own, 0, sizeof(kind->own));
		if (k->plugins)
			kind->plugin = plugins_find(k->plugins, type);
	} else if (!kind->own.form) {
		kind->how = KIND_OWN;
		return kind;
	}
	k->compiled += type->print_len;
	if (k->compiled <= COMPILED_MAX)
		kind->steps = steps_compile(type, k->dialect, kind->own.form, &k->arena, &why);
	else
		why = "too many print formats";
	kind->how = kind->steps ? KIND_STEPS : KIND_RAW;
	if (why && k->notes)
		note_say(k->notes, NOTE_INFO,
			 kind->steps ? "%s:%s: not as the kernel has it: %s" :
				       "%s:%s: its fields are shown raw: %s",
			 type->system, type->name, why);
	return kind;
}

static struct print_kind *kind_of(struct engine *k, const struct etype *type)
{
	size_t n = k->nkinds;

	if (type->idx >= n)
		k->kinds = mem_grow_zeroed(k->kinds, &k->nkinds, (size_t)type->idx + 1,
					   sizeof(*k->kinds));
	return k->kinds[type->idx] ? k->kinds[type->idx] : look_at(k, type);
}

static void put_name(struct outbuf *o, const struct etype *t)
{
	/* Names of stable events and of facilities need their system. */
	if (!t->format_len) {
		out_str(o, t->system);
		out_bytes(o, "::", 2);
	}
	out_str(o, t->name);
	out_bytes(o, ": ", 2);
}

void engine_put(struct engine *k, const struct event *ev, struct outbuf *o, bool named)
{
	const struct etype *t = ev->type;
	size_t max = steps_text_max(ev->size), from;
	struct print_kind *kind;
	bool done = false;

	if (!t->known) {
		if (k->dialect == DIALECT_REPORT)
			out_str(o, "[UNKNOWN EVENT]");
		else
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
	if (kind->own.put && ev->size >= t->fixed) {
		kind->own.put(&kind->own, ev, o, max);
		done = kind->how == KIND_OWN;
	}
	if (kind->plugin && ev->size >= t->fixed)
		done = plugin_put(k->plugins, kind->plugin, ev, o);
	if (!done && kind->how == KIND_STEPS)
		done = steps_run(kind->steps, ev, o, max);
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

size_t engine_flags(struct engine *k, const struct event *ev, char *buf)
{
	if (!ev->type->known || !ev->type->format_len || ev->size < ev->type->fixed)
		return flags_none(buf);
	return flags_put(&kind_of(k, ev->type)->flags, k->dialect, ev, buf);
}

enum graph engine_graph(struct engine *k, const struct event *ev, uint64_t *func)
{
	const struct own *own;

	if (!ev->type->known || !ev->type->format_len || ev->size < ev->type->fixed)
		return GRAPH_NONE;
	own = &kind_of(k, ev->type)->own;
	if (own->graph)
		*func = field_scalar(own->field[0], ev);
	return own->graph;
}

const char *engine_report_comm(struct engine *k, struct machine *m, int32_t pid)
{
	const char *comm;

	/* Names with times are not in the file's list, which is all that trace-cmd reads. */
	if (!comms_are_streamed(m->comms))
		comm = comms_stock_name(m->comms, pid);
	else
		comm = comms_recorded_name(m->comms, pid);
	return strcmp(comm, "<...>") ? comm : memory_comm(&k->memory, m, pid);
}
