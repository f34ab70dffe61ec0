// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text: prints a record by its print format, through libtraceevent and its plugins.  The library
 * checks nothing that it is given, so it gets only types and records that have been checked, and
 * these as copies with room behind them.
 */
#include "reader/text/text.h"

#include "base/outbuf.h"
#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/bprint.h"
#include "reader/text/method.h"
#include "reader/text/printfmt/record.h"
#include "reader/text/raw.h"
#include "reader/text/version.h"

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* zeroes behind the copy of a record: more than any offset and length reach */
#define SLACK (192u << 10)

struct text {
	struct text_opts opts;
	struct arena arena;
	struct handle **handles; /* one for each machine */
	unsigned nhandles;
	struct method *methods; /* by the idx of the type */
	size_t nmethods;
	struct trace_seq seq;
	struct outbuf out;
	uint8_t *scratch;
	size_t scratch_size, dirty;
	unsigned lacks; /* what this library does not know: PF_LACKS_* */
	struct functrace functions;
};

static struct handle *handle_of(struct text *t, struct machine *s)
{
	struct handle *h;

	for (unsigned i = 0; i < t->nhandles; i++)
		if (t->handles[i]->machine == s)
			return t->handles[i];
	h = handle_new(s, t->opts.plugins, t->nhandles ? NULL : t->opts.notes);
	if (!h)
		return NULL;
	t->handles = mem_realloc(t->handles, (t->nhandles + 1) * sizeof(*t->handles));
	t->handles[t->nhandles++] = h;
	return h;
}

static struct method *method_of(struct text *t, const struct etype *type)
{
	const struct method_maker with = {
		.arena = &t->arena,
		.functions = &t->functions,
		.notes = t->opts.notes,
		.lacks = t->lacks,
	};
	struct method *m;

	if (type->idx >= t->nmethods) {
		size_t n = t->nmethods;

		t->methods = mem_grow(t->methods, &t->nmethods, type->idx + 1, sizeof(*t->methods));
		memset(t->methods + n, 0, (t->nmethods - n) * sizeof(*t->methods));
	}
	m = &t->methods[type->idx];
	if (m->how == METHOD_NEW)
		method_choose(m, &with, type, handle_of(t, type->machine));
	return m;
}

/* A copy of EV's record with zeroes behind it. */
static void copy_record(struct text *t, const struct event *ev)
{
	if (t->scratch_size < (size_t)ev->size + SLACK) {
		free(t->scratch);
		t->scratch_size = (size_t)ev->size * 2 + SLACK;
		t->scratch = mem_zalloc(t->scratch_size);
		t->dirty = 0;
	}
	memcpy(t->scratch, ev->data, ev->size);
	if (t->dirty > ev->size)
		memset(t->scratch + ev->size, 0, t->dirty - ev->size);
	t->dirty = ev->size;
}

static bool record_ok(struct text *t, struct method *m, const struct event *ev)
{
	uint16_t id;

	if (ev->size < 2 || m->need > ev->size)
		return false;
	id = field_load(ev->data, 2, ev->type->machine->swap);
	if (id != ev->type->id)
		return false;
	return !m->bprint || bprint_ok(&handle_of(t, ev->type->machine)->bprints, ev);
}

/* Text longer than EV may have is cut, and ends with a mark. */
static void cut_off(char *p, size_t *len, const struct event *ev)
{
	static const char mark[] = " [CUT]";
	size_t max = pf_text_max(ev->size);

	if (*len <= max)
		return;
	memcpy(p + max - sizeof(mark) + 1, mark, sizeof(mark));
	*len = max;
}

static const char *raw_text(struct text *t, struct method *m, const struct event *ev, size_t *len)
{
	out_str(&t->out, "[FAILED TO PARSE]");
	rawtext_fields(&t->out, ev, m->binary, pf_text_max(ev->size));
	*len = t->out.len;
	cut_off(out_end(&t->out), len, ev);
	return t->out.p;
}

/*
 * Let the library print the copy.  A record that is not safe for the print format may still be for
 * a plugin, which prints without it.  NULL: it is safe for neither.
 */
static const char *library_text(struct text *t, struct method *m, const struct event *copy,
				size_t *len)
{
	struct tep_record r = {
		.ts = copy->ts,
		.size = copy->size,
		.record_size = copy->size,
		.data = (void *)copy->data,
		.cpu = copy->cpu,
		.ref_count = 1,
	};

	if (t->seq.state != TRACE_SEQ__GOOD) {
		trace_seq_destroy(&t->seq);
		trace_seq_init(&t->seq);
	}
	trace_seq_reset(&t->seq);
	if (m->plugcheck)
		m->event->handler = plugcheck_record(m->plugcheck, copy) ? m->handler : NULL;
	errno = 0;
	if (!m->risky || printfmt_record_ok(m->pf, copy))
		tep_print_event(m->event->tep, &t->seq, &r, "%s", TEP_PRINT_INFO);
	else if (!m->event->handler || m->event->handler(&t->seq, &r, m->event, m->event->context))
		return NULL;
	trace_seq_terminate(&t->seq);
	handle_had_memory();
	*len = t->seq.len;
	cut_off(t->seq.buffer, len, copy);
	return t->seq.buffer;
}

const char *text_info(struct text *t, const struct event *ev, size_t *len)
{
	const struct etype *type = ev->type;
	const char *text = NULL;
	struct event copy;
	struct method *m;

	t->out.len = 0;
	if (!type->known) {
		*len = 15;
		return "[UNKNOWN EVENT]";
	}
	if (!type->format_len) {
		/* No kernel has a print format for it. */
		rawtext_plain(&t->out, ev, pf_text_max(ev->size));
		*len = t->out.len;
		cut_off(out_end(&t->out), len, ev);
		return t->out.p;
	}
	m = method_of(t, type);
	if (m->how == METHOD_RAW)
		return raw_text(t, m, ev, len);
	copy_record(t, ev);
	copy = *ev;
	copy.data = t->scratch;
	if (record_ok(t, m, &copy))
		text = library_text(t, m, &copy, len);
	return text ? text : raw_text(t, m, ev, len);
}

const char *text_comm(struct text *t, const struct event *ev, int32_t pid)
{
	struct handle *h = handle_of(t, ev->type->machine);

	return h ? handle_comm(h, pid) : "<...>";
}

struct text *text_new(const struct text_opts *o)
{
	struct text *t = mem_zalloc(sizeof(*t));

	t->opts = *o;
	errno = 0;
	t->lacks = textlib_lacks();
	trace_seq_init(&t->seq);
	handle_had_memory();
	return t;
}

void text_free(struct text *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->nhandles; i++)
		handle_free(t->handles[i]);
	free(t->handles);
	free(t->methods);
	free(t->scratch);
	trace_seq_destroy(&t->seq);
	outbuf_fini(&t->out);
	functrace_fini(&t->functions);
	arena_fini(&t->arena);
	free(t);
}
