// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parquet: the sink.  Each type of event has a shape, and a table for each machine and day; if
 * there are more types than a directory should have tables, the last ones share one.
 */
#include "sink/parquet/parquet.h"

#include "base/bytes.h"
#include "sink/parquet/name.h"
#include "sink/parquet/table_dirs.h"
#include "sink/parquet/shape.h"
#include "trace/machine.h"

#include <inttypes.h>
#include <stdlib.h>

#define MEMORY_MOST (20u << 20)	 /* bytes of all rows not yet written */
#define TABLES_MOST 4096	 /* a kernel has 2,500 events; few traces have 100 of them */
#define COLUMNS_MOST (64u << 10) /* of all tables */
#define DAY_NS 86400000000000u
#define DAY_UNKNOWN (-1)
#define NPAIRS 4

/* One file. */
struct out_table {
	char *path;
	const struct shape *shape; /* the columns: those of one of its types */
	struct parquet_table *t;
};

/* Where the events of a type go, for one machine and day. */
struct use {
	struct use *next;
	int64_t day;
	unsigned source;
	struct out_table *table;
};

/* A type of event, the losses, or the types that have no table of their own. */
struct outlet {
	struct shape *shape;
	char *name;	  /* of its files */
	struct use *uses; /* the one of the last event first */
};

struct parquet {
	struct sink sink;
	struct parquet_opts o;
	struct table_place place;
	const struct run_info *run;
	struct shape_traits traits;
	struct shape_machine *machines; /* by source */
	bool has_days, failed;
	struct parquet_pool *pool;
	struct out_table **tables;
	size_t ntables, cap_tables, ncolumns;
	struct outlet **outlets; /* by index of the type */
	size_t noutlets;
	struct outlet *lost, *other;
	struct parquet_pair pairs[NPAIRS + 1];
	struct outbuf path;
	struct shape_scratch scratch;
	uint64_t others; /* events in the table of the others */
};

/* ---- the run ---- */

/* Do all streams count ns? */
static bool counts_ns(const struct run_info *run)
{
	for (unsigned i = 0; i < run->nsources; i++) {
		const struct source *s = run->sources[i];

		if (s->nstreams && !s->clock_is_ns)
			return false;
		for (unsigned k = 0; k < s->nstreams; k++)
			if (s->streams[k]->from->ticks)
				return false;
	}
	return true;
}

static bool is_wall(const struct run_info *run)
{
	for (unsigned i = 0; i < run->nsources; i++)
		if (!run->sources[i]->is_wall)
			return false;
	return run->base == 0;
}

static void tell_pairs(struct parquet *p, bool wall)
{
	const struct parquet_pair pairs[NPAIRS] = {
		{ "zedperl.version", p->o.version },
		{ "zedperl.clock", source_clock(p->run->sources[0]) },
		{ "zedperl.ts", p->traits.ticks ? "ticks" :
				wall		? "ns since 1970 (UTC)" :
						  "ns of the clock" },
		{ "zedperl.machine", p->machines[0].len ? p->machines[0].name : "" },
	};

	memcpy(p->pairs, pairs, sizeof(pairs));
}

static enum verdict begin(struct sink *s, const struct run_info *run, struct err *e)
{
	struct parquet *p = (struct parquet *)s;
	bool wall = is_wall(run);

	p->run = run;
	p->machines = mem_zalloc((run->nsources + 1) * sizeof(*p->machines));
	for (unsigned i = 0; i < run->nsources; i++)
		p->machines[i] = shape_machine_of(&run->sources[i]->machine);
	p->traits = (struct shape_traits){
		.machines = p->machines,
		.ticks = !counts_ns(run),
		.has_file = run->nsources > 1,
		.no_machine = p->o.by_machine,
		.stacks = p->o.stacks,
		.names = p->o.names ? value_names_new() : NULL,
		.base = run->base,
	};
	p->has_days = wall && !p->traits.ticks;
	tell_pairs(p, wall);
	p->failed = place_begin(&p->place, e) < 0;
	if (p->failed)
		return SINK_ERR;
	if (p->o.by_day && !p->has_days)
		note_say(p->o.notes, NOTE_WARN, "--partition day: the trace has no date: day=%s",
			 PLACE_UNKNOWN);
	return SINK_MORE;
}

/* The name of a run's files in shared directories: the same for the same trace. */
static char *run_name(const struct parquet *p, const struct event *ev)
{
	const char *path = p->run->sources[0]->in.path, *base = strrchr(path, '/');
	struct outbuf o = { 0 };
	uint64_t h = 0;

	for (unsigned i = 0; i < p->run->nsources; i++) {
		struct source *s = p->run->sources[i];
		size_t len;
		const char *text = machine_raw(&s->machine, TEXT_UNAME, &len);

		h = bytes_hash(h, text, len);
		h = bytes_hash(h, &s->trace_id, sizeof(s->trace_id));
		if (!s->trace_id)
			h = bytes_hash(h, &ev->ts, sizeof(ev->ts));
	}
	name_file(&o, base ? base + 1 : path);
	out_printf(&o, "-%016" PRIx64, h);
	out_end(&o);
	return o.p;
}

/* ---- outlets and their tables ---- */

static struct outlet *outlet_new(struct parquet *p, enum shape_kind kind, const struct etype *t,
				 bool chains)
{
	struct outlet *o = mem_zalloc(sizeof(*o));
	struct outbuf name = { 0 };

	o->shape = shape_new(kind, t, chains, &p->traits);
	if (kind == SHAPE_EVENT) {
		name_file(&name, t->system);
		out_char(&name, '.');
		name_file(&name, t->name);
	} else {
		out_str(&name, kind == SHAPE_LOST ? "lost" : "other");
	}
	out_end(&name);
	o->name = name.p;
	return o;
}

static void outlet_free(struct outlet *o)
{
	if (!o)
		return;
	for (struct use *u = o->uses, *next; u; u = next) {
		next = u->next;
		free(u);
	}
	shape_free(o->shape);
	free(o->name);
	free(o);
}

/* Is there room for the table of another type with this many columns? */
static bool has_room(const struct parquet *p, const struct etype *t)
{
	return p->ntables < TABLES_MOST && p->ncolumns + (t->nfields - t->ncommon) < COLUMNS_MOST;
}

static struct outlet *outlet_of(struct parquet *p, const struct event *ev)
{
	const struct etype *t = ev->type;

	if (t->idx >= p->noutlets)
		p->outlets = mem_grow_zeroed(p->outlets, &p->noutlets, (size_t)t->idx + 1,
					     sizeof(struct outlet *));
	if (p->outlets[t->idx])
		return p->outlets[t->idx];
	if (has_room(p, t))
		return p->outlets[t->idx] = outlet_new(p, SHAPE_EVENT, t, ev->sample != NULL);
	if (!p->other) {
		p->other = outlet_new(p, SHAPE_OTHER, NULL, false);
		note_say(p->o.notes, NOTE_WARN,
			 "-f parquet: more than %u tables or %u columns: events of further "
			 "types are in the table \"other\", their fields as JSON",
			 TABLES_MOST, COLUMNS_MOST);
	}
	return p->outlets[t->idx] = p->other;
}

static struct out_table *table_new(struct parquet *p, const char *path, const struct shape *shape)
{
	struct out_table *t = mem_zalloc(sizeof(*t));
	unsigned n;
	const struct parquet_column *columns = shape_columns(shape, &n);

	t->path = mem_strdup(path);
	t->shape = shape;
	t->t = parquet_table_new(p->pool, path, columns, n, p->pairs);
	p->tables = mem_grow(p->tables, &p->cap_tables, p->ntables + 1, sizeof(*p->tables));
	p->tables[p->ntables++] = t;
	p->ncolumns += n;
	return t;
}

/* The table with this path and these columns; *IS_OTHER: it has other columns. */
static struct out_table *table_find(const struct parquet *p, const char *path,
				    const struct shape *shape, bool *is_other)
{
	*is_other = false;
	for (size_t i = 0; i < p->ntables; i++)
		if (!strcmp(p->tables[i]->path, path)) {
			*is_other = !shape_equal(p->tables[i]->shape, shape);
			return p->tables[i];
		}
	return NULL;
}

/* Types of several inputs share a table if they have the same name and the same columns. */
static struct out_table *table_of(struct parquet *p, const struct outlet *o, const char *machine,
				  int64_t day, struct err *e)
{
	struct out_table *t = NULL;
	struct outbuf name = { 0 };
	bool is_other = true;

	out_str(&name, o->name);
	for (unsigned n = 2; is_other; n++) {
		if (place_path(&p->place, &p->path, out_end(&name), machine, day, e) < 0)
			break;
		t = table_find(p, p->path.p, o->shape, &is_other);
		if (!t)
			t = table_new(p, p->path.p, o->shape);
		name.len = strlen(o->name);
		out_printf(&name, "~%u", n);
	}
	outbuf_fini(&name);
	return is_other ? NULL : t;
}

/* The table for EV, whose outlet is O: usually that of the event before. */
static struct out_table *use_of(struct parquet *p, struct outlet *o, const struct event *ev,
				struct err *e)
{
	int64_t day = p->o.by_day && p->has_days ? (int64_t)(ev->ts / DAY_NS) : DAY_UNKNOWN;
	unsigned source = p->o.by_machine ? ev->from->source : 0;
	const struct shape_machine *m = &p->machines[source];
	struct use **from = &o->uses, *u;
	struct out_table *t;

	while ((u = *from) && (u->day != day || u->source != source))
		from = &u->next;
	if (!u) {
		if (!p->place.run)
			p->place.run = run_name(p, ev);
		t = table_of(p, o, m->len ? m->name : NULL, day, e);
		if (!t)
			return NULL;
		u = mem_alloc(sizeof(*u));
		*u = (struct use){ .day = day, .source = source, .table = t };
	} else if (u != o->uses) {
		*from = u->next;
	} else {
		return u->table;
	}
	u->next = o->uses;
	o->uses = u;
	return u->table;
}

/* ---- events ---- */

static enum verdict put(struct parquet *p, struct outlet *o, const struct event *ev, struct err *e)
{
	const struct out_table *t = use_of(p, o, ev, e);

	if (t) {
		shape_row(o->shape, t->t, ev, &p->scratch);
		if (parquet_table_row(t->t, e) == 0)
			return SINK_MORE;
	}
	p->failed = true;
	return SINK_ERR;
}

static enum verdict lost(struct sink *s, const struct event *ev, struct err *e)
{
	struct parquet *p = (struct parquet *)s;

	if (!ev->lost)
		return SINK_MORE;
	if (!p->lost)
		p->lost = outlet_new(p, SHAPE_LOST, NULL, false);
	return put(p, p->lost, ev, e);
}

static enum verdict event(struct sink *s, const struct event *ev, struct err *e)
{
	struct parquet *p = (struct parquet *)s;
	struct outlet *o = outlet_of(p, ev);

	if (ev->lost && lost(s, ev, e) < 0)
		return SINK_ERR;
	p->others += o == p->other;
	return put(p, o, ev, e);
}

/* ---- the end ---- */

static int finish(struct parquet *p, struct err *e)
{
	for (size_t i = 0; i < p->ntables; i++)
		TRY(parquet_table_finish(p->tables[i]->t, e));
	for (size_t i = 0; i < p->ntables; i++)
		TRY(parquet_table_name(p->tables[i]->t, e));
	return 0;
}

static enum verdict end(struct sink *s, struct err *e)
{
	struct parquet *p = (struct parquet *)s;

	if (p->failed)
		return SINK_MORE;
	if (p->scratch.late)
		note_say(p->o.notes, NOTE_WARN,
			 "-f parquet: %" PRIu64
			 " time%s after the year 2262, the limit of a timestamp: written as the "
			 "last possible one",
			 p->scratch.late, plural(p->scratch.late));
	if (p->others)
		note_say(p->o.notes, NOTE_WARN,
			 "-f parquet: %" PRIu64 " event%s in the table \"other\"", p->others,
			 plural(p->others));
	p->failed = finish(p, e) < 0;
	return p->failed ? SINK_ERR : SINK_MORE;
}

static void close_sink(struct sink *s)
{
	struct parquet *p = (struct parquet *)s;

	for (size_t i = 0; i < p->ntables; i++) {
		parquet_table_free(p->tables[i]->t);
		if (p->failed)
			place_undo(&p->place, p->tables[i]->path);
		free(p->tables[i]->path);
		free(p->tables[i]);
	}
	for (size_t i = 0; i < p->noutlets; i++)
		if (p->outlets[i] != p->other)
			outlet_free(p->outlets[i]);
	outlet_free(p->lost);
	outlet_free(p->other);
	for (unsigned i = 0; p->run && i < p->run->nsources; i++)
		free(p->machines[i].name);
	place_fini(&p->place);
	parquet_pool_free(p->pool);
	outbuf_fini(&p->path);
	shape_scratch_fini(&p->scratch);
	value_names_free(p->traits.names);
	free(p->machines);
	free(p->outlets);
	free(p->tables);
	free(p);
}

static const struct sink_ops OPS = {
	.begin = begin,
	.event = event,
	.lost = lost,
	.end = end,
	.close = close_sink,
};

struct sink *parquet_new(const struct parquet_opts *o)
{
	struct parquet *p = mem_zalloc(sizeof(*p));

	p->sink.ops = &OPS;
	p->o = *o;
	p->place = (struct table_place){
		.dir = o->dir,
		.by_machine = o->by_machine,
		.by_day = o->by_day,
	};
	p->pool = parquet_pool_new(MEMORY_MOST, o->beat);
	return &p->sink;
}
