// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stable_head: chooses the stable events that can be made of a trace, and writes the text at the
 * beginning of an export: its records, streams, machines and tasks.
 */
#include "base/mem.h"
#include "sink/stable_file/stable_priv.h"
#include "trace/machine.h"
#include "stable/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TASKS (1u << 20) /* names written for one machine */

/* What stable.c puts before each payload, and into its marks. */
static const char RECORD[] = "field:u16 event; align:8; size:16;\nfield:u16 stream; align:8; "
			     "size:16;\nfield:u32 size; align:8; size:24;\nfield:pid_t pid; "
			     "align:8; size:32; signed:1;\nfield:u64 sequence; align:8; "
			     "size:64;\nfield:u64 time; align:8; size:64;\n";

static const char LOST[] = "field:u32 count; align:8; size:32;\n";
static const char TASK[] = "field:u16 machine; align:8; size:16;\nfield:pid_t pid; align:8; "
			   "size:32; signed:1;\ndynamic:char name; align:8; size:8;\n";
static const char END[] = "field:u64 records; align:8; size:64;\n";

/* NAME in "", at most MOST bytes of it. */
static void quoted(struct outbuf *o, const char *name, size_t len, size_t most)
{
	out_char(o, '"');
	for (size_t i = 0; i < len && i < most; i++) {
		unsigned char c = name[i];

		if (c == '"' || c == '\\') {
			out_char(o, '\\');
			out_char(o, c);
		} else if (c < 0x20 || c > 0x7e) {
			out_printf(o, "\\x%02x", c);
		} else {
			out_char(o, c);
		}
	}
	out_char(o, '"');
}

static unsigned machine_of(struct stableout *s, struct machine *machine)
{
	for (unsigned i = 0; i < s->nmachines; i++)
		if (s->machines[i] == machine)
			return i;
	s->machines = mem_grow(s->machines, &s->machines_cap, s->nmachines + 1,
			       sizeof(*s->machines));
	s->machines[s->nmachines] = machine;
	return s->nmachines++;
}

static int no_room(const struct export_entry *x, const char *field, struct err *e)
{
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "%s::%s: the description of field '%.60s' is too long for a line", x->system,
		       x->name, field);
}

/* Make the description of X: that of EV, without the items that this trace does not have. */
static int describe(struct stableout *s, struct export_entry *x, const struct stable_event *ev,
		    struct err *e)
{
	const struct desc *full = &ev->desc;
	const struct etype *t = stable_map_type(x->map);
	char line[1024];

	x->fields = arena_alloc(&s->arena, (full->n + 1) * sizeof(*x->fields));
	memcpy(x->fields, t->fields + t->ncommon, full->n * sizeof(*x->fields));
	for (unsigned i = 0; i < full->n; i++) {
		size_t len;

		if (x->fields[i].kind == FIELD_NONE)
			len = snprintf(line, sizeof(line), "absent:%s %s;", full->items[i].type,
				       full->items[i].name);
		else
			len = desc_text(full, i, line, sizeof(line));
		if (len >= sizeof(line))
			return no_room(x, full->items[i].name, e);
		TRY(desc_add(&x->desc, line, len, i + 1, NULL, e));
	}
	TRY(desc_finish(&x->desc, e));
	x->desc.fields = x->fields;
	return 0;
}

/* Make the description of X, whose records are T's. */
static int describe_type(struct stableout *s, struct export_entry *x, const struct etype *t,
			 struct err *e)
{
	unsigned n = t->nfields - t->ncommon;
	char line[1024];

	x->fields = arena_alloc(&s->arena, (n + 1) * sizeof(*x->fields));
	memcpy(x->fields, t->fields + t->ncommon, n * sizeof(*x->fields));
	for (unsigned i = 0; i < n; i++) {
		const struct field *f = &x->fields[i];
		unsigned bits = f->elem * 8u;
		size_t len;

		if (f->loc == FIELD_AT)
			len = snprintf(line, sizeof(line),
				       "field:%s %s; align:64; size:64; signed:%d;",
				       f->is_time   ? DESC_TIME :
				       f->is_signed ? "s64" :
						      "u64",
				       f->name, f->is_signed);
		else if (f->kind == FIELD_STR)
			len = snprintf(line, sizeof(line), "dynamic:char %s; align:8; size:8;",
				       f->name);
		else
			len = snprintf(line, sizeof(line),
				       "dynamic:%s%u %s; align:%u; size:%u; signed:%d;",
				       f->is_signed ? "s" : "u", bits, f->name, bits, bits,
				       f->is_signed);
		if (len >= sizeof(line))
			return no_room(x, f->name, e);
		TRY(desc_add(&x->desc, line, len, i + 1, NULL, e));
	}
	TRY(desc_finish(&x->desc, e));
	x->desc.fields = x->fields;
	return 0;
}

/* A new entry for events made from T; NULL with E: there are too many. */
static struct export_entry *new_entry(struct stableout *s, const struct etype *t, struct err *e)
{
	struct export_entry *x, **last;

	if (s->nentries == STABLE_MAX_ENTRIES - NMARKS) {
		err_set(e, ERR_USAGE, ERR_NO_OFF, "more than %u events to export",
			STABLE_MAX_ENTRIES - NMARKS);
		return NULL;
	}
	x = arena_alloc(&s->arena, sizeof(*x));
	x->number = s->nentries;
	x->machine = machine_of(s, t->machine);
	s->entries = mem_grow(s->entries, &s->entries_cap, s->nentries + 1, sizeof(*s->entries));
	s->entries[s->nentries++] = x;
	for (last = &s->of_type[t->idx]; *last;)
		last = &(*last)->next;
	*last = x;
	return x;
}

/* Add an entry for EV if it can be made from T. */
static int add_entry(struct stableout *s, const struct stable_event *ev, const struct etype *t,
		     struct err *e)
{
	int from = stable_takes(ev, s->run->catalog, t);
	struct stable_map *map;
	struct export_entry *x;
	struct err why;

	if (from < 0)
		return 0;
	map = stable_map_new(ev, s->run->catalog, from, t, s->o.notes, &why);
	if (!map)
		return 0; /* --stable-check says why */
	x = new_entry(s, t, e);
	if (!x) {
		stable_map_free(map);
		return -1;
	}
	x->system = ev->system;
	x->name = ev->name;
	x->purpose = ev->purpose;
	x->map = map;
	return describe(s, x, ev, e);
}

/* Add an entry for the synthetic events of type T. */
static int add_synthetic(struct stableout *s, const struct etype *t, struct err *e)
{
	struct export_entry *x = new_entry(s, t, e);

	if (!x)
		return -1;
	x->system = t->system;
	x->name = t->name;
	x->purpose = "from one event to another, as --synthetic defined it";
	return describe_type(s, x, t, e);
}

static int find_entries(struct stableout *s, struct err *e)
{
	const struct catalog *c = s->run->catalog;
	uint8_t *want;

	s->ntypes = catalog_count(c);
	s->of_type = mem_zalloc((s->ntypes + 1) * sizeof(*s->of_type));
	for (unsigned i = 0; i < stable_count(s->o.stable); i++)
		for (unsigned k = 0; k < s->ntypes; k++)
			if (!catalog_at(c, k)->stable && !catalog_at(c, k)->synthetic)
				TRY(add_entry(s, stable_at(s->o.stable, i), catalog_at(c, k), e));
	for (unsigned k = 0; k < s->ntypes; k++)
		if (catalog_at(c, k)->synthetic)
			TRY(add_synthetic(s, catalog_at(c, k), e));
	want = mem_zalloc(s->ntypes + 1);
	for (unsigned k = 0; k < s->ntypes; k++)
		want[k] = s->of_type[k] != NULL;
	if (s->o.want)
		s->o.want(s->o.arg, want);
	else
		catalog_want(s->run->catalog, want);
	free(want);
	if (s->nmachines > STABLE_MAX_MACHINES)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "more than %u machines to export",
			       STABLE_MAX_MACHINES);
	return 0;
}

static int put_streams(struct stableout *s, struct err *e)
{
	const struct run_info *run = s->run;
	unsigned buffers = 0;

	for (unsigned i = 0; i < run->nsources; i++) {
		s->nstreams += run->sources[i]->nstreams;
		buffers += run->sources[i]->nbuffers;
	}
	if (s->nstreams > STABLE_MAX_STREAMS || buffers > STABLE_MAX_BUFFERS)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "more than %u streams or %u buffers to export", STABLE_MAX_STREAMS,
			       STABLE_MAX_BUFFERS);
	s->streams = mem_zalloc((s->nstreams + 1) * sizeof(*s->streams));
	s->last = s->streams;
	for (unsigned i = 0, n = 0; i < run->nsources; i++)
		for (unsigned k = 0; k < run->sources[i]->nstreams; k++, n++) {
			const struct stream *st = run->sources[i]->streams[k];

			s->streams[n] = (struct out_stream){
				.from = st->from,
				.s = st,
				.number = n,
			};
			out_printf(&s->out, "stream %u cpu %d trace %u buffer ", n, st->from->cpu,
				   i);
			quoted(&s->out, st->from->instance, strlen(st->from->instance),
			       STABLE_MAX_NAME);
			out_char(&s->out, '\n');
		}
	qsort(s->streams, s->nstreams, sizeof(*s->streams), out_stream_compare);
	return 0;
}

static void put_tasks(struct stableout *s, struct comms *comms)
{
	unsigned n = comms_count(comms);
	int32_t pid;

	for (unsigned i = 0; i < n && i < MAX_TASKS && s->out.len < STABLE_MAX_HEAD / 2; i++) {
		const char *name = comms_nth(comms, i, &pid);

		out_printf(&s->out, "task %d ", pid);
		quoted(&s->out, name, strlen(name), STABLE_MAX_NAME);
		out_char(&s->out, '\n');
	}
}

static void put_description(struct outbuf *o, const struct desc *d)
{
	char line[1024];

	for (unsigned i = 0; i < d->n; i++) {
		desc_text(d, i, line, sizeof(line));
		out_str(o, line);
		out_char(o, '\n');
	}
}

/* A text written by people, as one line. */
static void put_purpose(struct outbuf *o, const char *text)
{
	out_str(o, "purpose ");
	for (; *text; text++)
		out_char(o, (unsigned char)*text < 0x20 ? ' ' : *text);
	out_char(o, '\n');
}

static void put_machine(struct stableout *s, unsigned num)
{
	struct machine *machine = s->machines[num];
	struct outbuf *o = &s->out;
	size_t len;
	const char *uname = machine_raw(machine, TEXT_UNAME, &len), *nl;

	len = len ? strnlen(uname, len) : 0;
	nl = len ? memchr(uname, '\n', len) : NULL;
	out_printf(o, "machine %u ", num);
	quoted(o, uname, nl ? (size_t)(nl - uname) : len, STABLE_MAX_UNAME);
	out_char(o, '\n');
	put_tasks(s, machine->comms);
	for (unsigned i = 0; i < s->nentries; i++) {
		const struct export_entry *x = s->entries[i];

		if (x->machine != num)
			continue;
		out_printf(o, "event %u %s::%s\n", x->number, x->system, x->name);
		put_purpose(o, x->purpose);
		put_description(o, &x->desc);
	}
}

/* The clock of all inputs: the pump has made sure that they have the same. */
static void put_clock(struct stableout *s)
{
	const struct run_info *run = s->run;
	const char *clock = run->nsources ? source_clock(run->sources[0]) : "";
	unsigned cpus = 0;
	bool ns = true;

	for (unsigned i = 0; i < run->nsources; i++) {
		const struct source *src = run->sources[i];

		if (src->cpu_count > cpus)
			cpus = src->cpu_count;
		if (src->nstreams && !src->clock_is_ns)
			ns = false;
	}
	out_str(&s->out, "clock: ");
	for (size_t i = 0; i < 63 && clock[i]; i++)
		out_char(&s->out,
			 clock[i] > 0x20 && clock[i] < 0x7f && clock[i] != '#' ? clock[i] : '_');
	out_printf(&s->out, "%s\ntimes: %s\ncpus: %u\n", *clock ? "" : "unknown",
		   ns ? "ns" : "ticks", cpus);
}

int stableout_text(struct stableout *s, struct err *e)
{
	struct outbuf *o = &s->out;

	TRY(find_entries(s, e));
	out_str(o, STABLE_MAGIC);
	out_printf(o, "byte_order: %s\n", s->o.big_endian ? "big" : "little");
	put_clock(s);
	out_printf(o, "record\n%smark %u end\n%smark %u lost\n%smark %u task\n%s", RECORD, MARK_END,
		   END, MARK_LOST, LOST, MARK_TASK, TASK);
	TRY(put_streams(s, e));
	for (unsigned i = 0; i < s->nmachines; i++)
		put_machine(s, i);
	out_str(o, "data\n");
	return 0;
}
