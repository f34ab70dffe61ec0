// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * method: chooses how the records of a type are printed.  The library is told of the type, in a
 * format text made from our own fields, if its print format passes our checks and the library has
 * then understood it as we did; else its records are shown as raw fields.
 */
#include "reader/text/method.h"

#include "base/outbuf.h"
#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/library.h"
#include "reader/text/printfmt/check.h"
#include "reader/text/printfmt/conversion.h"
#include "reader/text/printfmt/parse.h"
#include "reader/text/rebuild.h"

#include <errno.h>
#include <string.h>

/* Does a %s of PF look an address up among the trace_printk strings? */
static bool wants_printk(const struct printfmt *pf, unsigned long_size)
{
	for (unsigned i = 0; i < pf->nconvs; i++) {
		const struct field *f = pf->convs[i].arg->field;

		if (pf->convs[i].kind == CONV_STRING && f && !f->dim && f->size == long_size)
			return true;
		if (pf->convs[i].kind == CONV_STRING && pf->convs[i].arg->kind == PF_OP)
			return true;
	}
	return false;
}

/* Is there a rule for the plugin that would print records of this type, and does it hold? */
static bool plugin_fits(const struct etype *type, const struct flag_table *tables)
{
	const struct plugcheck *pc = plugcheck_find(type->system, type->name);

	return pc && plugcheck_type(pc, type, tables);
}

/* Let the plugin print what it can, and the print format the rest. */
static void plug(const struct method_maker *with, struct method *m, const struct etype *type,
		 bool fits)
{
	const struct plugcheck *pc = plugcheck_find(type->system, type->name);

	if (!m->event->handler)
		return;
	if (!fits) {
		m->event->handler = NULL;
		note_say(with->notes, NOTE_INFO,
			 "%s:%s: printed by its print format: it is not what libtraceevent's "
			 "plugin takes it for",
			 type->system, type->name);
		return;
	}
	functrace_take(with->functions, m->event);
	m->handler = m->event->handler;
	if (plugcheck_by_record(pc))
		m->plugcheck = pc;
}

static const char *make_ready(const struct method_maker *with, struct method *m,
			      const struct etype *type, struct handle *h)
{
	struct outbuf o = { 0 };
	struct arena scratch = { 0 };
	const struct printfmt *parsed;
	const char *why;
	bool put, plugged, symbols = false;
	unsigned table_steps;

	parsed = printfmt_parse(type, with->lacks, &scratch, &why);
	plugged = parsed && plugin_fits(type, parsed->tables);
	table_steps = parsed ? parsed->table_steps : 0;
	arena_fini(&scratch);
	if (!parsed)
		return why;
	/* Two types with the same id: the library would find the first for both. */
	if (tep_find_event(h->tep, type->id))
		return "another event has its number";
	if (!textlib_same_fields(type))
		return "the library takes its fields for others";
	put = rebuild_format(&o, type, true);
	if (put)
		tep_parse_event(h->tep, o.p, o.len, type->system);
	handle_had_memory();
	outbuf_fini(&o);
	if (!put)
		return "fields that the library cannot be told of";
	m->event = tep_find_event(h->tep, type->id);
	if (!m->event || strcmp(m->event->name, type->name))
		return "the library does not know it";
	m->how = METHOD_LIBRARY;
	m->pf = arena_alloc(with->arena, sizeof(*m->pf));
	m->pf->type = type;
	m->pf->lacks = with->lacks;
	m->pf->table_steps = table_steps;
	m->bprint = m->event->flags & TEP_EVENT_FL_ISBPRINT;
	if (m->event->flags & TEP_EVENT_FL_FAILED) {
		/* It would print raw fields then; ours do not depend on its checks. */
		return "the library cannot parse it";
	}
	m->pf->text = m->event->print_fmt.format;
	if (m->pf->text) {
		m->pf->args = textlib_args(type, m->event, with->arena, &symbols);
		if (printfmt_check(m->pf, with->arena, &why) < 0)
			return why;
		m->risky = m->pf->risky;
	}
	if (symbols)
		handle_words(h, m->pf->args);
	plug(with, m, type, plugged);
	if (m->bprint || wants_printk(m->pf, h->machine->long_size))
		handle_printk(h);
	return NULL;
}

void method_choose(struct method *m, const struct method_maker *with, const struct etype *type,
		   struct handle *h)
{
	const char *why;

	errno = 0;
	why = h ? make_ready(with, m, type, h) : "no memory";
	handle_had_memory();
	if (why) {
		m->how = METHOD_RAW;
		note_say(with->notes, NOTE_INFO, "%s:%s: its fields are shown raw: %s",
			 type->system, type->name, why);
	}
	m->binary = arena_alloc(with->arena, type->nfields + 1);
	for (unsigned i = 0; i < type->nfields; i++)
		if (type->fields[i].off > m->need)
			m->need = type->fields[i].off;
}
