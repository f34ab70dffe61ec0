// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events printed by the plugins of libtraceevent: finds and calls their handlers.  Handlers do not
 * check their input, so they only get types and records that have been checked; records are copies
 * with room after them.
 */
#include "text/plugins.h"

#include "base/ascii.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/plugin_rules.h"

#include <traceevent/event-parse.h>
#include <traceevent/event-utils.h>
#include <traceevent/trace-seq.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* zeroes after the copy of a record: more than any offset and length reach */
#define SLACK (192u << 10)

/* bytes; types with a field beyond it are not passed to the library */
#define MAX_EXTENT 65536

/* The library's handle for one machine. */
struct plugin_handle {
	const struct machine *machine;
	struct tep_handle *tep;
	struct tep_plugin_list *list;
	struct plugin_handle *next;
};

struct plugin {
	struct tep_event *event;
	const struct plugcheck *rule;
};

struct plugins {
	struct notes *notes;
	struct arena arena;
	struct plugin_handle *handles;
	struct trace_seq seq;
	uint8_t *scratch;
	size_t scratch_size, dirty;
	bool missing; /* "no plugins installed" was reported */
};

/* Replaces the library's function to silence it: our own messages about formats are better. */
int tep_vprint(const char *name, enum tep_loglevel level, bool print_err, const char *fmt,
	       va_list ap)
{
	return 0;
}

/*
 * Without memory the library continues and prints less.  So errno is set to 0 before it is called,
 * and this checks it afterwards.
 */
static void had_memory(void)
{
	if (errno == ENOMEM)
		mem_check(NULL);
}

struct plugins *plugins_new(struct notes *notes)
{
	struct plugins *ps = mem_zalloc(sizeof(*ps));

	ps->notes = notes;
	errno = 0;
	trace_seq_init(&ps->seq);
	had_memory();
	return ps;
}

void plugins_free(struct plugins *ps)
{
	if (!ps)
		return;
	for (struct plugin_handle *h = ps->handles; h; h = h->next) {
		if (h->list)
			tep_unload_plugins(h->list, h->tep);
		tep_free(h->tep);
	}
	trace_seq_destroy(&ps->seq);
	free(ps->scratch);
	arena_fini(&ps->arena);
	free(ps);
}

/* The number of plugins in LIST. */
static unsigned count(struct tep_plugin_list *list)
{
	struct trace_seq s;
	unsigned n = 0;

	trace_seq_init(&s);
	tep_print_plugins(&s, "", "\n", list);
	trace_seq_terminate(&s);
	for (const char *p = s.buffer; p && *p; p++)
		n += *p == '\n';
	if (!list || !s.buffer || strstr(s.buffer, "no plugins"))
		n = 0;
	trace_seq_destroy(&s);
	return n;
}

static struct plugin_handle *handle_of(struct plugins *ps, const struct machine *m)
{
	const int one = 1;
	struct plugin_handle *h;

	for (h = ps->handles; h; h = h->next)
		if (h->machine == m)
			return h;
	h = arena_alloc(&ps->arena, sizeof(*h));
	h->machine = m;
	h->tep = mem_check(tep_alloc());
	h->next = ps->handles;
	ps->handles = h;
	tep_set_file_bigendian(h->tep, m->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(h->tep, *(const char *)&one ? TEP_LITTLE_ENDIAN : TEP_BIG_ENDIAN);
	tep_set_long_size(h->tep, (int)m->long_size);
	tep_set_page_size(h->tep, 4096);
	h->list = tep_load_plugins(h->tep);
	return h;
}

/* ---- a type as the library gets it ---- */

/* Are our fields from *F up to END (excluded) the same as THEIRS? */
static bool same_list(const struct field **f, const struct field *end,
		      const struct tep_format_field *theirs)
{
	for (; theirs; theirs = theirs->next, ++*f) {
		bool dynamic;

		if (*f == end)
			return false;
		dynamic = (*f)->loc != FIELD_AT && (*f)->loc != FIELD_TAIL;
		if (strcmp((*f)->name, theirs->name) || (int)(*f)->off != theirs->offset ||
		    (int)(*f)->size != theirs->size ||
		    dynamic != !!(theirs->flags & TEP_FIELD_IS_DYNAMIC) ||
		    ((*f)->loc == FIELD_REL_LOC) != !!(theirs->flags & TEP_FIELD_IS_RELATIVE))
			return false;
	}
	return *f == end;
}

/* Does the library understand each field of TYPE as we do? */
static bool same_fields(const struct etype *type, const struct tep_event *event)
{
	const struct field *f = type->fields, *own = f + type->ncommon;

	return same_list(&f, own, event->format.common_fields) &&
	       same_list(&f, type->fields + type->nfields, event->format.fields);
}

/* The words and stars of TYPE; without attributes in parentheses, but with brackets. */
static void put_type(struct outbuf *o, const char *type)
{
	unsigned depth = 0;
	bool space = false;

	for (const char *p = type; *p; p++) {
		if (*p == '(' || *p == ')') {
			depth += *p == '(' ? 1 : depth ? -1 : 0;
		} else if (!depth && !strncmp(p, "__attribute__", 13)) {
			p += 12;
		} else if (!depth && (ascii_word(*p) || *p == '*' || *p == '[' || *p == ']')) {
			if (space)
				out_char(o, ' ');
			space = false;
			out_char(o, *p);
		} else {
			space = true;
		}
	}
}

/* The last word in the brackets: the library only uses that. */
static void put_dim(struct outbuf *o, const char *dim)
{
	const char *end = dim + strlen(dim), *p;

	while (end > dim && !ascii_alnum(end[-1]) && end[-1] != '_')
		end--;
	for (p = end; p > dim && (ascii_word(p[-1])); p--)
		;
	out_char(o, '[');
	out_bytes(o, p, end - p);
	out_char(o, ']');
}

static bool name_ok(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (!ascii_alnum(*s) && *s != '_')
			return false;
	return true;
}

static bool put_fields(struct outbuf *o, const struct etype *t, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		const struct field *f = &t->fields[i];
		bool in_type = strchr(f->type, '[');

		if (!name_ok(f->name) || (uint64_t)f->off + f->size > MAX_EXTENT)
			return false;
		out_str(o, "\tfield:");
		put_type(o, *f->type ? f->type : "int");
		out_char(o, ' ');
		out_str(o, f->name);
		if (f->dim && !in_type)
			put_dim(o, f->dim);
		out_printf(o, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", f->off, f->size,
			   f->is_signed);
	}
	out_char(o, '\n');
	return true;
}

/*
 * Append a NUL-terminated format text of T (resolved), made from its parsed fields and an empty
 * print format: the library only sees such texts, whose lines its parser can handle.  False: T
 * cannot be described to it; discard what was appended.
 */
static bool put_format(struct outbuf *o, const struct etype *t)
{
	const struct field *type = field_find(t, "common_type");

	/*
	 * The library finds a record's event by these two bytes: they must be at the same place in
	 * every type.
	 */
	if (!name_ok(t->name) || !type || type->off || type->size != 2 ||
	    type >= t->fields + t->ncommon)
		return false;
	out_printf(o, "name: %s\nID: %u\nformat:\n", t->name, t->id);
	if (!put_fields(o, t, 0, t->ncommon) || !put_fields(o, t, t->ncommon, t->nfields))
		return false;
	out_str(o, "print fmt: \"\"\n");
	out_end(o);
	return true;
}

/* ---- which handler ---- */

/*
 * The library's event for TYPE, once its fields have been described; NULL: it understands them
 * differently.
 */
static struct tep_event *told(struct plugin_handle *h, const struct etype *type)
{
	struct tep_event *event = NULL;
	struct outbuf o = { 0 };

	/* Of two types with the same id the library would always find the first. */
	if (!tep_find_event(h->tep, type->id) && put_format(&o, type)) {
		tep_parse_event(h->tep, o.p, o.len, type->system);
		event = tep_find_event(h->tep, type->id);
	}
	outbuf_fini(&o);
	return event && !strcmp(event->name, type->name) && same_fields(type, event) ? event : NULL;
}

const struct plugin *plugins_find(struct plugins *ps, const struct etype *type)
{
	const struct plugcheck *rule = plugcheck_find(type->system, type->name);
	struct tep_event *event = NULL;
	struct plugin *p;
	struct plugin_handle *h;

	if (!rule || !type->machine)
		return NULL;
	errno = 0;
	h = handle_of(ps, type->machine);
	if (!count(h->list)) {
		if (!ps->missing)
			note_say(ps->notes, NOTE_WARN,
				 "libtraceevent's plugins are not installed: %s:%s looks otherwise "
				 "than in trace-cmd report; install libtraceevent1-plugin",
				 type->system, type->name);
		ps->missing = true;
		return NULL;
	}
	if (plugcheck_type(rule, type))
		event = told(h, type);
	had_memory();
	if (event && !event->handler)
		return NULL;
	if (!event) {
		note_say(ps->notes, NOTE_INFO,
			 "%s:%s: printed by its print format: it is not what libtraceevent's "
			 "plugin takes it for",
			 type->system, type->name);
		return NULL;
	}
	p = arena_alloc(&ps->arena, sizeof(*p));
	p->event = event;
	p->rule = rule;
	return p;
}

/* A copy of EV's record with zeroes after it. */
static uint8_t *copied(struct plugins *ps, const struct event *ev)
{
	if (ps->scratch_size < (size_t)ev->size + SLACK) {
		free(ps->scratch);
		ps->scratch_size = (size_t)ev->size * 2 + SLACK;
		ps->scratch = mem_zalloc(ps->scratch_size);
		ps->dirty = 0;
	}
	memcpy(ps->scratch, ev->data, ev->size);
	if (ps->dirty > ev->size)
		memset(ps->scratch + ev->size, 0, ps->dirty - ev->size);
	ps->dirty = ev->size;
	return ps->scratch;
}

bool plugin_put(struct plugins *ps, const struct plugin *p, const struct event *ev,
		struct outbuf *o)
{
	struct tep_record r = {
		.ts = ev->ts,
		.size = (int)ev->size,
		.record_size = (int)ev->size,
		.cpu = ev->cpu,
		.ref_count = 1,
	};

	if (!plugcheck_record(p->rule, ev))
		return false;
	r.data = copied(ps, ev);
	if (ps->seq.state != TRACE_SEQ__GOOD) {
		trace_seq_destroy(&ps->seq);
		trace_seq_init(&ps->seq);
	}
	trace_seq_reset(&ps->seq);
	errno = 0;
	if (p->event->handler(&ps->seq, &r, p->event, p->event->context))
		return false;
	trace_seq_terminate(&ps->seq);
	had_memory();
	out_bytes(o, ps->seq.buffer, ps->seq.len);
	return true;
}

const char *plugins_version(char *buf, size_t size)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_plugin_list *list = tep ? tep_load_plugins(tep) : NULL;
	unsigned n = count(list);

	snprintf(buf, size,
		 "libtraceevent"
#ifdef LIBTRACEEVENT_VERSION
		 " " LIBTRACEEVENT_VERSION
#endif
		 ", %u plugin%s",
		 n, plural(n));
	if (list)
		tep_unload_plugins(list, tep);
	tep_free(tep);
	return buf;
}
