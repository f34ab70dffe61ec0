// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * request: what explore's page may ask for: the views, and each parameter with its bounds.
 * Nothing that is asked names a file or is code.
 */
#include "programs/zedperl/explore/request.h"

#include "base/ascii.h"
#include "base/plain.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DEEP_MOST 4096 /* bytes of a request's text */

/* ---- the parameters ---- */

enum {
	FROM = 1 << 0,
	TO = 1 << 1,
	CELLS = 1 << 2,
	TASKS = 1 << 3,
	NTASKS = 1 << 4,
	FIRST = 1 << 5,
	COUNT = 1 << 6,
	FILTER = 1 << 7,
	FIELDS = 1 << 8,
	WHAT = 1 << 9,
	AT = 1 << 10,
	ROW = 1 << 11,
	DIR = 1 << 12,
	NAME = 1 << 13,
	CPU = 1 << 14,
	PID = 1 << 15,
	COMM = 1 << 16,
	ARGS = 1 << 17,
};

static const struct explore_view VIEWS[] = {
	{ .name = "alive" },
	{ "head", view_head, 0, 0 },
	{ "findings", view_findings, 0, 0 },
	{ "lanes", view_lanes, FROM | TO | CELLS | TASKS | NTASKS, FROM | TO | CELLS },
	{ "events", view_events, FROM | TO | FIRST | COUNT | FILTER | FIELDS, 0 },
	{ "find", view_find, WHAT | AT | ROW | DIR, WHAT | AT },
	{ "answer", view_answer, NAME | FROM | TO | CPU | PID | COMM | ARGS, NAME },
	{ .name = NULL },
};

const struct explore_view *view_find_named(const char *name)
{
	for (const struct explore_view *v = VIEWS; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

/* A number in decimal, from LEAST to MOST; the last is below UINT64_MAX. */
static int take_number(const char *value, uint64_t least, uint64_t most, uint64_t *out)
{
	char *end;

	if (!ascii_digit(*value) || strlen(value) > 20)
		return -1;
	errno = 0;
	*out = strtoull(value, &end, 10);
	return *end || errno || *out < least || *out > most ? -1 : 0;
}

static int take_u32(const char *value, uint64_t least, uint64_t most, uint32_t *out)
{
	uint64_t v;

	TRY(take_number(value, least, most, &v));
	*out = (uint32_t)v;
	return 0;
}

/* A task's number as the kernel has it. */
static int take_pid(const char *value, int64_t *out)
{
	uint64_t v;

	TRY(take_number(value, 0, INT32_MAX, &v));
	*out = (int64_t)v;
	return 0;
}

/* Text without control characters, which no name or expression needs. */
static int take_text(const char *value, char *to, size_t size)
{
	size_t len = strlen(value);

	if (len >= size)
		return -1;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)value[i] < 0x20 || value[i] == 0x7f)
			return -1;
	memcpy(to, value, len + 1);
	return 0;
}

/* SOURCE:PID,... */
static int take_tasks(const char *value, struct request *q)
{
	while (*value) {
		struct request_task *t = &q->tasks[q->nlanes];
		size_t len = strcspn(value, ",");
		char text[40], *colon;

		if (q->nlanes == REQUEST_TASKS || len >= sizeof(text))
			return -1;
		memcpy(text, value, len);
		text[len] = '\0';
		colon = strchr(text, ':');
		if (!colon)
			return -1;
		*colon = '\0';
		TRY(take_u32(text, 0, UINT16_MAX, &t->source));
		TRY(take_pid(colon + 1, &t->pid));
		q->nlanes++;
		value += len + (value[len] == ',');
	}
	return 0;
}

/* ---- options of analyses ---- */

/* Those that neither write a file nor make an answer too large; analyses have some of them. */
static const struct arg_kind {
	const char *name;
	enum { ARG_NONE, ARG_ROWS, ARG_NUMBER, ARG_WORD, ARG_TEXT, ARG_TIME } kind;
} ARGS_TAKEN[] = {
	{ "limit", ARG_ROWS }, { "worst", ARG_NUMBER },	    { "by", ARG_WORD },
	{ "kind", ARG_WORD },  { "unit", ARG_WORD },	    { "weight", ARG_WORD },
	{ "task", ARG_TEXT },  { "start", ARG_TIME },	    { "end", ARG_TIME },
	{ "new", ARG_NONE },   { "strict-loss", ARG_NONE }, { "legs", ARG_NONE },
	{ "wall", ARG_NONE },  { NULL, ARG_NONE },
};

#define ARG_MOST 10000 /* rows, cases */

static int check_arg(const struct arg_kind *k, const char *value)
{
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.-";
	uint64_t n;

	switch (k->kind) {
	case ARG_NONE:
		return *value ? -1 : 0;
	case ARG_ROWS: /* 0 would be all */
		return take_number(value, 1, ARG_MOST, &n);
	case ARG_NUMBER:
		return take_number(value, 0, ARG_MOST, &n);
	case ARG_WORD:
		return *value && *value != '-' && !value[strspn(value, word)] ? 0 : -1;
	case ARG_TIME:
		return *value && !value[strspn(value, "0123456789.")] ? 0 : -1;
	default:
		return *value ? 0 : -1;
	}
}

int request_arg(struct request_arg *to, const char *name, const char *value)
{
	const struct arg_kind *k = ARGS_TAKEN;

	while (k->name && strcmp(k->name, name) != 0)
		k++;
	if (!k->name)
		return -1;
	to->name = k->name;
	TRY(take_text(value, to->value, sizeof(to->value)));
	return check_arg(k, to->value);
}

/* NAME or NAME=VALUE, separated by commas. */
static int take_args(const char *value, struct request *q)
{
	while (*value) {
		char text[sizeof(q->args->value) + 32], *is;
		size_t len = strcspn(value, ",");

		if (q->nargs == REQUEST_ARGS || len >= sizeof(text))
			return -1;
		memcpy(text, value, len);
		text[len] = '\0';
		is = strchr(text, '=');
		if (is)
			*is++ = '\0';
		TRY(request_arg(&q->args[q->nargs++], text, is ? is : ""));
		value += len + (value[len] == ',');
	}
	return 0;
}

/* The name of an analysis: no path. */
static int take_name(const char *value, struct request *q)
{
	if (!*value || value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return -1;
	return take_text(value, q->name, sizeof(q->name));
}

/* ---- a request ---- */

static int take_from(const char *value, struct request *q)
{
	return take_number(value, 0, UINT64_MAX - 1, &q->from);
}

static int take_to(const char *value, struct request *q)
{
	return take_number(value, 0, UINT64_MAX - 1, &q->to);
}

static int take_cells(const char *value, struct request *q)
{
	return take_u32(value, 1, REQUEST_CELLS, &q->cells);
}

static int take_ntasks(const char *value, struct request *q)
{
	return take_u32(value, 0, REQUEST_TASKS, &q->ntasks);
}

static int take_first(const char *value, struct request *q)
{
	return take_number(value, 0, UINT64_MAX - 1, &q->first);
}

static int take_count(const char *value, struct request *q)
{
	return take_u32(value, 1, REQUEST_COUNT, &q->count);
}

static int take_filter(const char *value, struct request *q)
{
	return take_text(value, q->filter, sizeof(q->filter));
}

static int take_fields(const char *value, struct request *q)
{
	q->fields = !strcmp(value, "1");
	return q->fields || !strcmp(value, "0") ? 0 : -1;
}

static int take_what(const char *value, struct request *q)
{
	return *value ? take_text(value, q->what, sizeof(q->what)) : -1;
}

static int take_at(const char *value, struct request *q)
{
	return take_number(value, 0, UINT64_MAX - 1, &q->at);
}

static int take_row(const char *value, struct request *q)
{
	q->has_row = true;
	return take_number(value, 0, UINT64_MAX - 1, &q->row);
}

static int take_dir(const char *value, struct request *q)
{
	q->dir = !strcmp(value, "-1") ? -1 : 1;
	return q->dir < 0 || !strcmp(value, "1") ? 0 : -1;
}

static int take_cpu(const char *value, struct request *q)
{
	q->has_cpu = true;
	return take_u32(value, 0, UINT16_MAX, &q->cpu);
}

static int take_one_pid(const char *value, struct request *q)
{
	q->has_pid = true;
	return take_pid(value, &q->pid);
}

static int take_comm(const char *value, struct request *q)
{
	return *value ? take_text(value, q->comm, sizeof(q->comm)) : -1;
}

static const struct param {
	const char *name;
	unsigned bit;
	int (*take)(const char *value, struct request *q);
	const char *expects;
} PARAMS[] = {
	{ "from", FROM, take_from, "a time: ns after the trace's first event" },
	{ "to", TO, take_to, "a time: ns after the trace's first event" },
	{ "cells", CELLS, take_cells, "1 to 4096" },
	{ "tasks", TASKS, take_tasks, "SOURCE:PID,..., at most 64" },
	{ "ntasks", NTASKS, take_ntasks, "0 to 64" },
	{ "first", FIRST, take_first, "the number of a row" },
	{ "count", COUNT, take_count, "1 to 1000" },
	{ "filter", FILTER, take_filter, "an expression of less than 512 bytes" },
	{ "fields", FIELDS, take_fields, "0 or 1" },
	{ "what", WHAT, take_what, "a text of 1 to 511 bytes" },
	{ "at", AT, take_at, "a time: ns after the trace's first event" },
	{ "row", ROW, take_row, "the number of a row" },
	{ "dir", DIR, take_dir, "1 or -1" },
	{ "name", NAME, take_name, "the name of an analysis" },
	{ "cpu", CPU, take_cpu, "the number of a CPU" },
	{ "pid", PID, take_one_pid, "the number of a task" },
	{ "comm", COMM, take_comm, "the name of a task" },
	{ "args", ARGS, take_args, "options of analyses that explore knows, NAME=VALUE,..." },
	{ .name = NULL },
};

void request_begin(struct request_reader *r, const struct explore_view *v, struct request *to)
{
	*r = (struct request_reader){ .view = v, .to = to };
	*to = (struct request){
		.to = UINT64_MAX, .cells = 1000, .ntasks = 8, .count = 100, .dir = 1
	};
}

int request_take(struct request_reader *r, const char *name, const char *value, size_t len,
		 struct err *e)
{
	const struct param *p = PARAMS;

	while (p->name && strcmp(p->name, name) != 0)
		p++;
	if (!p->name || !(p->bit & r->view->takes))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s takes no parameter '%.40s'",
			       r->view->name, name);
	if (p->bit & r->given)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s is given twice", p->name);
	r->given |= p->bit;
	if (value && strlen(value) == len && p->take(value, r->to) == 0)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "invalid %s: expected %s", p->name, p->expects);
}

int request_end(struct request_reader *r, struct err *e)
{
	unsigned both = r->given & (FROM | TO);

	for (const struct param *p = PARAMS; p->name; p++)
		if (p->bit & r->view->needs & ~r->given)
			return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s needs %s", r->view->name,
				       p->name);
	if (both && both != (FROM | TO))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "from and to go together");
	if (r->to->from > r->to->to)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "from is later than to");
	r->to->ranged = both != 0;
	return 0;
}

/* ---- as text ---- */

static int hex_digit(char c)
{
	return ascii_digit(c)	    ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 :
				      -1;
}

/* %XX and '+' in place; the length, or -1. */
static ssize_t unescape(char *s)
{
	char *to = s, *from = s;

	for (; *from; from++) {
		int high, low;

		if (*from != '%') {
			*to++ = *from == '+' ? ' ' : *from;
			continue;
		}
		high = hex_digit(from[1]);
		low = high < 0 ? -1 : hex_digit(from[2]);
		if (low < 0)
			return -1;
		*to++ = (char)(high * 16 + low);
		from += 2;
	}
	*to = '\0';
	return to - s;
}

int request_parse(const char *text, const struct explore_view **v, struct request *to,
		  struct err *e)
{
	struct request_reader r;
	char copy[DEEP_MOST], *rest, *one;

	if (strlen(text) >= sizeof(copy))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "a request has less than %d bytes",
			       DEEP_MOST);
	memcpy(copy, text, strlen(text) + 1);
	rest = copy;
	one = strsep(&rest, "?");
	*v = view_find_named(one);
	if (!*v)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "no view '%.40s'", one);
	request_begin(&r, *v, to);
	while ((one = strsep(&rest, "&"))) {
		char *value = strchr(one, '=');
		ssize_t len;

		if (!value)
			return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%.40s' has no value", one);
		*value++ = '\0';
		len = unescape(value);
		if (len < 0)
			return err_set(e, ERR_USAGE, ERR_NO_OFF, "invalid escape in %.40s", one);
		TRY(request_take(&r, one, value, (size_t)len, e));
	}
	return request_end(&r, e);
}
