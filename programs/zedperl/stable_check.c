// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stable_check: zedperl --stable-check, a table of the stable events that a trace, or the running
 * kernel, has.
 */
#include "programs/zedperl/zedperl.h"

#include "base/mem.h"
#include "base/plain.h"
#include "kernel/event_list.h"
#include "kernel/tracefs.h"
#include "reader/open.h"
#include "ring/header_page.h"
#include "stable/map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* ---- one table ---- */

/* The formats of one source. */
struct view {
	struct catalog *catalog;
	struct machine *machine;
	struct notes *notes;
	const struct stable *stable;
	FILE *to;
};

/* A stable event on one of the raw types that it can be made from; without MAP: why not. */
struct made {
	const struct etype *type;
	const char *where;
	struct stable_map *map;
	char reason[400];
};

#define NAME_COLUMN 26
#define MOST_RAW 8 /* raw events of one stable event that are shown: LTTng has one for each call */

/* NAME in its column; a longer one is followed by a blank. */
static void print_name(FILE *to, const char *lead, const char *name, const char *more)
{
	char text[600], plain[4 * sizeof(text)];
	int n;

	snprintf(text, sizeof(text), "%s%s%s", lead, name, more);
	n = fprintf(to, "%s", plain_text(plain, sizeof(plain), text));
	fprintf(to, "%*s", n < NAME_COLUMN - 1 ? NAME_COLUMN - n : 1, "");
}

static int by_raw(const void *a, const void *b)
{
	const struct made *x = a, *y = b;

	return etype_compare(x->type, y->type);
}

/* Everything that EV can be made from, sorted; to be freed by free_made(). */
static struct made *find_made(const struct view *v, const struct stable_event *ev, unsigned *n)
{
	struct made *l = NULL;
	size_t cap = 0;

	*n = 0;
	for (unsigned i = 0; i < catalog_count(v->catalog); i++) {
		const struct etype *t = catalog_at(v->catalog, i);
		int from = t->machine == v->machine ? stable_takes(ev, v->catalog, t) : -1;
		struct made *m;
		struct err e;

		if (from < 0)
			continue;
		l = mem_grow(l, &cap, *n + 1, sizeof(*l));
		m = &l[(*n)++];
		memset(m, 0, sizeof(*m));
		m->type = t;
		m->where = ev->from[from].where;
		m->map = stable_map_new(ev, v->catalog, from, t, v->notes, &e);
		if (!m->map)
			err_text(&e, m->reason, sizeof(m->reason));
	}
	if (*n)
		qsort(l, *n, sizeof(*l), by_raw);
	return l;
}

static void free_made(struct made *l, unsigned n)
{
	while (n)
		stable_map_free(l[--n].map);
	free(l);
}

/* Field I: one line, or one for each raw event if these differ. */
static void print_field(FILE *to, const struct desc_item *item, const struct made *l, unsigned n,
			unsigned i)
{
	const char *first = NULL;
	bool same = true;

	for (unsigned k = 0; k < n; k++) {
		const char *text = l[k].map ? stable_map_source(l[k].map, i) : NULL;

		if (text && first)
			same &= !strcmp(text, first);
		else if (text)
			first = text;
	}
	print_name(to, "  ", item->name, "");
	if (same) {
		fprintf(to, "%s\n", first ? first : "");
		return;
	}
	for (unsigned k = 0, indent = 0; k < n && k < MOST_RAW; k++) {
		if (!l[k].map)
			continue;
		fprintf(to, "%*s%s:%s: %s\n", (int)indent, "", l[k].type->system, l[k].type->name,
			stable_map_source(l[k].map, i));
		indent = NAME_COLUMN;
	}
	if (n > MOST_RAW)
		fprintf(to, "%*sand so on\n", NAME_COLUMN, "");
}

static void print_made(const struct view *v, const struct stable_event *ev, const struct made *l,
		       unsigned n)
{
	const char *lead = "";

	for (unsigned k = 0; k < n && k < MOST_RAW; k++) {
		if (!l[k].map)
			continue;
		fprintf(v->to, "%s%s:%s%s%s", lead, l[k].type->system, l[k].type->name,
			l[k].where ? " where " : "", l[k].where ? l[k].where : "");
		lead = ", ";
	}
	if (n > MOST_RAW)
		fprintf(v->to, " and %u more", n - MOST_RAW);
	putc('\n', v->to);
	for (unsigned k = 0; k < n; k++)
		if (!l[k].map) {
			print_name(v->to, "  ", "", "");
			fprintf(v->to, "not from %s:%s: %s\n", l[k].type->system, l[k].type->name,
				l[k].reason);
		}
	for (unsigned i = 0; i < ev->desc.n; i++)
		print_field(v->to, &ev->desc.items[i], l, n, i);
}

/* A stable event that is in the file itself, as written by --export. */
static const struct etype *find_written(const struct view *v, const struct stable_event *ev)
{
	const struct etype *t = catalog_find(v->catalog, ev->system, ev->name, 0);

	while (t && (t->machine != v->machine || !t->stable))
		t = catalog_find(v->catalog, ev->system, ev->name, t->idx + 1);
	return t;
}

static void print_written(const struct view *v, const struct etype *t)
{
	struct err e;

	fprintf(v->to, "the file's own\n");
	if (etype_resolve(v->catalog, t, &e) < 0) {
		if (t->machine->path)
			err_path(&e, t->machine->path);
		note_err(v->notes, NOTE_DAMAGE, &e);
	}
	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		print_name(v->to, "  ", t->fields[i].name, "");
		fprintf(v->to, "%s\n",
			t->fields[i].kind == FIELD_NONE ? "nothing" : "as it was written");
	}
}

static void print_event(const struct view *v, const struct stable_event *ev)
{
	const struct etype *written = find_written(v, ev);
	struct made *made;
	char reason[500];
	unsigned n;

	print_name(v->to, ev->system, "::", ev->name);
	if (written) {
		print_written(v, written);
		return;
	}
	if (stable_is_shadowed(ev, v->catalog, v->machine)) {
		fprintf(v->to, "a raw event of this name is there, and wins\n");
		return;
	}
	if (!stable_available(ev, v->catalog, v->machine, reason, sizeof(reason))) {
		fprintf(v->to, "not available: %s\n", reason);
		return;
	}
	made = find_made(v, ev, &n);
	print_made(v, ev, made, n);
	free_made(made, n);
}

static char *make_table(struct view *v)
{
	char *text = NULL;
	size_t len = 0;

	v->to = mem_check(open_memstream(&text, &len));
	for (unsigned i = 0; i < stable_count(v->stable); i++)
		print_event(v, stable_at(v->stable, i));
	mem_close(v->to);
	return mem_check(text);
}

/* ---- files ---- */

static char *table_of(struct cli *c, const struct stable *s, const char *path, unsigned num)
{
	struct view v = { .catalog = catalog_new(), .notes = &c->run.notes, .stable = s };
	struct source *source;
	char *text = NULL;
	struct err e;

	source = source_open(path, num, v.catalog, &c->words.source, &e);
	if (source) {
		v.machine = &source->machine;
		text = make_table(&v);
		source_close(source);
	} else {
		cli_say_err(c, &e);
		c->run.failed++;
	}
	catalog_free(v.catalog);
	return text;
}

static void print_input(const char *path)
{
	cli_puts(stdout, path);
	fputs(":\n", stdout);
}

/* Each different table once, with the names of the inputs that have it. */
static void print_tables(const struct cli *c, char *const *tables)
{
	bool any = false;

	for (unsigned i = 0; i < c->words.inputs.n; i++) {
		bool seen = !tables[i];

		for (unsigned k = 0; k < i && !seen; k++)
			seen = tables[k] && !strcmp(tables[k], tables[i]);
		if (seen)
			continue;
		if (any)
			putchar('\n');
		any = true;
		for (unsigned k = i; k < c->words.inputs.n && c->words.inputs.n > 1; k++)
			if (tables[k] && !strcmp(tables[k], tables[i]))
				print_input(c->words.inputs.v[k]);
		fputs(tables[i], stdout);
	}
}

int check_inputs(struct cli *c, const struct stable *s)
{
	char **tables = mem_zalloc((c->words.inputs.n + 1) * sizeof(*tables));
	int status;

	for (unsigned i = 0; i < c->words.inputs.n && !(c->words.strict && c->run.failed); i++)
		tables[i] = table_of(c, s, c->words.inputs.v[i], i);
	print_tables(c, tables);
	if (c->run.failed == c->words.inputs.n || (c->words.strict && c->run.failed))
		status = CLI_USAGE;
	else
		status = c->run.failed || c->run.notes.damage ? CLI_DAMAGE : CLI_OK;
	for (unsigned i = 0; i < c->words.inputs.n; i++)
		free(tables[i]);
	free(tables);
	return status;
}

/* ---- the running kernel ---- */

struct kernel {
	char root[256];
	struct tracefs_events events;
	struct machine machine;
	char **formats; /* the text that the types point into */
	size_t nformats, cap;
	char uname[300];
};

/*
 * Of the texts only the machine's architecture is needed: it determines the names of system calls.
 */
static int text_of(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	struct kernel *k = arg;

	*p = which == TEXT_UNAME ? k->uname : "";
	*len = strlen(*p);
	return 0;
}

static const struct machine_ops TEXTS = { .text = text_of };

static void read_machine(struct kernel *k)
{
	struct utsname u;

	if (uname(&u) == 0)
		snprintf(k->uname, sizeof(k->uname), "%s %s %s %s", u.sysname, u.nodename,
			 u.release, u.machine);
}

/* Is EV, or its name, used by any stable event? */
static bool is_used(const struct stable *s, const struct tracefs_event *ev)
{
	if (stable_find(s, ev->system, ev->name))
		return true;
	for (unsigned i = 0; i < stable_count(s); i++) {
		const struct stable_event *st = stable_at(s, i);

		for (unsigned k = 0; k < st->nfrom; k++)
			for (unsigned a = 0; a < st->from[k].n; a++)
				if (!strcmp(st->from[k].alts[a].name, ev->name) &&
				    !strcmp(st->from[k].alts[a].system, ev->system))
					return true;
	}
	return false;
}

/* A format that cannot be read is damage: the event would be reported as missing. */
static void add_format(struct kernel *k, struct view *v, const struct tracefs_event *ev)
{
	char path[700], *text;
	struct err e;
	size_t len;

	snprintf(path, sizeof(path), "events/%s/%s/format", ev->system, ev->name);
	text = tracefs_text(k->root, path, &len, &e);
	if (text) {
		k->formats = mem_grow(k->formats, &k->cap, k->nformats + 1, sizeof(*k->formats));
		k->formats[k->nformats++] = text;
		if (catalog_add(v->catalog, &k->machine, ev->system, text, len, &e))
			return;
	}
	note_err(v->notes, NOTE_DAMAGE, &e);
}

static int read_layout(struct kernel *k, struct err *e)
{
	struct page_layout layout = { .big_endian = k->machine.big_endian };

	TRY(tracefs_layout(k->root, &layout, e));
	k->machine.long_size = layout.long_size;
	return 0;
}

int check_kernel(struct cli *c, const struct stable *s)
{
	struct view v = { .catalog = catalog_new(), .notes = &c->run.notes, .stable = s };
	struct kernel k = { .nformats = 0 };
	int status = CLI_USAGE;
	struct err e;
	char *text;

	machine_init(&k.machine, &TEXTS, &k, &c->run.notes);
	k.machine.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	read_machine(&k);
	if (tracefs_find(k.root, sizeof(k.root), &e) < 0 || read_layout(&k, &e) < 0 ||
	    tracefs_events(&k.events, k.root, &e) < 0) {
		cli_say_err(c, &e);
	} else {
		v.machine = &k.machine;
		for (unsigned i = 0; i < k.events.n; i++)
			if (is_used(s, &k.events.v[i]))
				add_format(&k, &v, &k.events.v[i]);
		text = make_table(&v);
		fputs(text, stdout);
		free(text);
		status = c->run.notes.damage ? CLI_DAMAGE : CLI_OK;
	}
	catalog_free(v.catalog);
	machine_fini(&k.machine);
	tracefs_events_fini(&k.events);
	while (k.nformats)
		free(k.formats[--k.nformats]);
	free(k.formats);
	return status;
}
