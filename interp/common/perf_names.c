// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_names: the arguments of perf's handlers by name, and perf's names for tasks and files.
 */
#include "interp/common/perf_names.h"

#include "trace/field.h"
#include "trace/machine.h"

#include <stdio.h>
#include <string.h>

/* Fields that kernels no longer have, with the value they always had (Linux 4.3 to 5.13). */
static const struct {
	const char *system, *event, *field;
	int value;
} gone[] = {
	{ "sched", "sched_wakeup", "success", 1 },
	{ "sched", "sched_wakeup_new", "success", 1 },
	{ "sched", "sched_waking", "success", 1 },
};

const int *perf_value_gone(const struct etype *t, const char *name)
{
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		if (!strcmp(t->system, gone[i].system) && !strcmp(t->name, gone[i].event) &&
		    !strcmp(name, gone[i].field))
			return &gone[i].value;
	return NULL;
}

/* ---- arguments by name ---- */

/* The arguments from the call chain on. */
struct perf_offer {
	const struct etype *t;
	const char *last;
	unsigned n; /* of all arguments */
};

static const char *offer_name(const struct perf_offer *o, unsigned i)
{
	unsigned field = i - PERF_LEAD + o->t->ncommon;

	if (i == PERF_CHAIN)
		return "common_callchain";
	return field < o->t->nfields ? o->t->fields[field].name : o->last;
}

static bool is_named(const struct perf_offer *o, unsigned i, const char *variable)
{
	return !strcmp(variable, offer_name(o, i)) ||
	       (i == PERF_CHAIN && !strcmp(variable, "callchain"));
}

/* The number of the argument NAME, from FROM on, or -1. */
static int offered_at(const struct perf_offer *o, unsigned from, const char *name)
{
	for (unsigned i = from; *name && i < o->n; i++)
		if (is_named(o, i, name))
			return i;
	return -1;
}

/*
 * Unknown variables between two known ones are the arguments between these, if their number is the
 * same; after the last known one, those that follow it.  FROM and TO: the known ones, TO may be the
 * end.
 */
static void fill_between(const struct perf_offer *o, int *at, unsigned from, unsigned to,
			 unsigned end)
{
	unsigned width = (to < end ? (unsigned)at[to] : at[from] + to - from) - at[from];

	if (width != to - from)
		return;
	for (unsigned i = from + 1; i < to && at[from] + i - from < o->n; i++)
		at[i] = at[from] + i - from;
}

static void fill_gaps(const struct perf_offer *o, int *at, unsigned n)
{
	unsigned last = PERF_COMM;

	for (unsigned i = PERF_CHAIN; i < n; i++) {
		if (at[i] < 0)
			continue;
		fill_between(o, at, last, i, n);
		last = i;
	}
	fill_between(o, at, last, n, n);
}

bool perf_args_moved(const struct etype *t, const char *last, const char *const *names, unsigned n,
		     int *at)
{
	struct perf_offer o = { .t = t, .last = last };
	unsigned i, from = PERF_CHAIN;
	bool moved = false;

	o.n = PERF_LEAD + t->nfields - t->ncommon + (last != NULL);
	for (i = 0; i < n; i++)
		at[i] = i;
	for (i = PERF_CHAIN; i < n; i++) {
		at[i] = offered_at(&o, from, names[i]);
		if (at[i] < 0) {
			if (offered_at(&o, PERF_CHAIN, names[i]) >= 0)
				break;
			/* "cc", whatever comes after it. */
			if (i == PERF_CHAIN)
				at[i] = i;
			continue;
		}
		from = at[i] + 1;
		moved |= at[i] != (int)i;
	}
	if (i < n || !moved) {
		for (i = 0; i < n; i++)
			at[i] = i;
		return false;
	}
	fill_gaps(&o, at, n);
	return true;
}

/* ---- tasks and files ---- */

const char *perf_task_name(const struct event *ev, char buf[PERF_TASK_BUF])
{
	const char *text = comms_name(ev->type->machine->comms, ev->pid);

	if (__builtin_expect(*text != '<', 1))
		return text;
	if (!strcmp(text, "<idle>"))
		return "swapper";
	if (strcmp(text, "<...>") != 0)
		return text;
	snprintf(buf, PERF_TASK_BUF, ":%d", ev->pid);
	return buf;
}

const char *perf_file_name(const struct chain_frame *f, bool kernel, char buf[PERF_FILE_BUF])
{
	static const char image[] = "[kernel.kallsyms]";

	if (!kernel || (!f->name && !f->file))
		return f->file;
	if (f->name && f->module) {
		snprintf(buf, PERF_FILE_BUF, "[%.*s]", PERF_FILE_BUF - 3, f->module);
		return buf;
	}
	if (f->name || !strncmp(f->file, image, sizeof(image) - 1))
		return image;
	return f->file;
}
