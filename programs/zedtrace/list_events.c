// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list_events: zedtrace -t, the events of the running kernel, from tracefs.
 */
#include "programs/zedtrace/zedtrace.h"

#include "base/mem.h"
#include "kernel/event_list.h"
#include "kernel/tracefs.h"
#include "trace/catalog.h"
#include "trace/machine.h"
#include "ring/header_page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
	const struct event_names *patterns; /* none: all events */
	bool details;
	struct notes *notes;
	struct tracefs_events events;
	char root[256];
	struct machine machine;
	bool ended; /* stdout takes no more lines */
};

static void add_line(struct list *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_line(struct list *l, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (l->ended)
		return;
	cli_puts(stdout, text);
	l->ended = putchar('\n') < 0;
}

/* The text of FILE of event EV, to be freed; NULL: it does not exist or cannot be read. */
static char *event_text(struct list *l, const struct tracefs_event *ev, const char *file,
			size_t *len, struct err *e)
{
	char dir[sizeof(l->root) + 300];
	int n = snprintf(dir, sizeof(dir), "%s/events/%s/%s", l->root, ev->system, ev->name);

	if (n < 0 || (size_t)n >= sizeof(dir)) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "%.40s:%.40s...: the name is too long",
			ev->system, ev->name);
		return NULL;
	}
	return tracefs_text(dir, file, len, e);
}

/* Events that cannot be enabled or filtered have no such file: disabled, no filter. */
static bool is_enabled(struct list *l, const struct tracefs_event *ev)
{
	struct err e;
	char *text = event_text(l, ev, "enable", NULL, &e);
	bool on = text && text[0] == '1';

	free(text);
	return on;
}

static void list_filter(struct list *l, const struct tracefs_event *ev)
{
	struct err e;
	char *text = event_text(l, ev, "filter", NULL, &e);
	char *p = text;

	add_line(l, "      filters:");
	if (!p || !*p || *p == '\n')
		add_line(l, "        none");
	while (p && *p) {
		size_t len = strcspn(p, "\n");

		if (len)
			add_line(l, "        %.*s", (int)(len < 900 ? len : 900), p);
		p += len + (p[len] == '\n');
	}
	free(text);
}

static void list_fields(struct list *l, const struct etype *t)
{
	for (unsigned i = 0; i < t->nfields; i++) {
		const struct field *f = &t->fields[i];
		/* "__data_loc char[] name" has its brackets in the type. */
		bool dim = f->dim && !strchr(f->type, '[');

		add_line(l, "      %s %s%s%s%s %u %u", f->name, f->type, dim ? "[" : "",
			 dim ? f->dim : "", dim ? "]" : "", f->off, f->size);
	}
}

static int list_details(struct list *l, const struct tracefs_event *ev, struct err *e)
{
	struct catalog *c = catalog_new();
	const struct etype *t;
	size_t len;
	char *format = event_text(l, ev, "format", &len, e);
	int rc = -1;

	if (!format)
		goto out;
	t = catalog_add(c, &l->machine, ev->system, format, len, e);
	if (!t || etype_resolve(c, t, e) < 0) {
		err_within(e, "%s:%s", ev->system, ev->name);
		goto out;
	}
	add_line(l, "    %s:%s %u %u %s", ev->system, ev->name, t->id, t->fixed,
		 is_enabled(l, ev) ? "enabled" : "disabled");
	list_fields(l, t);
	list_filter(l, ev);
	rc = 0;
out:
	catalog_free(c);
	free(format);
	return rc;
}

static void list_event(struct list *l, const struct tracefs_event *ev)
{
	struct err e;

	if (l->details) {
		if (list_details(l, ev, &e) == 0)
			return;
		note_err(l->notes, NOTE_WARN, &e);
	}
	add_line(l, "    %s:%s", ev->system, ev->name);
}

/* Needed to read the formats: the kernel's word size. */
static int read_layout(struct list *l, struct err *e)
{
	struct page_layout layout = { .long_size = sizeof(long) };

	TRY(tracefs_layout(l->root, &layout, e));
	l->machine.long_size = layout.long_size;
	return 0;
}

static int list_all(struct list *l, bool *chosen, struct err *e)
{
	const char *system = "";

	for (unsigned i = 0; i < l->patterns->n; i++)
		TRY(tracefs_match(&l->events, l->patterns->v[i], chosen, e));
	if (l->details)
		TRY(read_layout(l, e));
	add_line(l, "Available tracepoints:");
	add_line(l, "%s", "");
	for (unsigned i = 0; i < l->events.n && !l->ended; i++) {
		const struct tracefs_event *ev = &l->events.v[i];

		if (l->patterns->n && !chosen[i])
			continue;
		if (strcmp(ev->system, system))
			add_line(l, "%s", ev->system);
		system = ev->system;
		list_event(l, ev);
	}
	return 0;
}

int zedtrace_list(struct cli *c, struct zedtrace *z, struct err *e)
{
	struct list l = {
		.patterns = &z->events,
		.details = c->words.verbose,
		.notes = &c->run.notes,
	};
	bool *chosen;
	int rc;

	TRY(zedtrace_words(c, z, e));
	TRY(tracefs_find(l.root, sizeof(l.root), e));
	TRY(tracefs_events(&l.events, l.root, e));
	machine_init(&l.machine, NULL, NULL, l.notes);
	l.machine.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	l.machine.long_size = sizeof(long);
	chosen = mem_zalloc((size_t)l.events.n + 1);
	rc = list_all(&l, chosen, e);
	free(chosen);
	machine_fini(&l.machine);
	tracefs_events_fini(&l.events);
	return rc;
}
