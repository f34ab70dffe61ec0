// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control: reads the facility files in control/ of an LTT trace, before any event of another file,
 * and enters the loaded facilities in the table.
 */
#include "reader/ltt/trace.h"
#include "trace/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Fields of facility_load; which of them exist depends on the version. */
struct load_fields {
	const struct field *name, *checksum, *id, *ints, *longs, *pointers, *sizes, *align;
};

static void find_fields(struct load_fields *lf, const struct etype *type, bool old)
{
	lf->name = field_find(type, "name");
	lf->checksum = field_find(type, "checksum");
	lf->id = field_find(type, old ? "base_code" : "id");
	lf->ints = field_find(type, "int_size");
	lf->longs = field_find(type, "long_size");
	lf->pointers = field_find(type, "pointer_size");
	lf->sizes = field_find(type, "size_t_size");
	lf->align = field_find(type, "has_alignment");
}

static uint64_t load_number(const struct field *f, const struct event *ev)
{
	return f && field_is_int(f) ? field_scalar(f, ev) : 0;
}

/* The machine as described by facility_load.  False: impossible. */
static bool load_machine(const struct load_fields *lf, const struct event *ev,
			 struct ltt_machine *m)
{
	int align = ltt_align_of(load_number(lf->align, ev), m->arch_size);

	if (lf->ints)
		m->int_size = load_number(lf->ints, ev);
	m->long_size = load_number(lf->longs, ev);
	m->pointer_size = load_number(lf->pointers, ev);
	m->size_t_size = load_number(lf->sizes, ev);
	m->align = align < 0 ? 0 : align;
	return align >= 0 && (m->int_size == 2 || m->int_size == 4 || m->int_size == 8) &&
	       (m->long_size == 4 || m->long_size == 8) &&
	       (m->pointer_size == 4 || m->pointer_size == 8) &&
	       (m->size_t_size == 4 || m->size_t_size == 8);
}

static void load_facility(struct ltt *t, const struct ltt_file *f, const struct event *ev)
{
	struct ltt_machine m = t->machines[f->machine];
	struct load_fields lf;
	struct span name;
	char text[256];
	uint64_t id;

	find_fields(&lf, ev->type, t->old);
	if (!lf.name || !field_span(lf.name, ev, &name))
		return;
	snprintf(text, sizeof(text), "%.*s", (int)(name.len < 255 ? name.len : 255),
		 (const char *)name.p);
	id = load_number(lf.id, ev);
	/* Ids are never reused, so a second load is from another CPU and adds nothing. */
	if (!t->old && id < LTT_IDS && t->by_id[id])
		return;
	if (t->old && (!id || (id < LTT_CODES && t->by_code[id])))
		return;
	if (id >= (t->old ? LTT_CODES : LTT_IDS))
		note_say(t->notes, NOTE_WARN,
			 "%s: offset 0x%" PRIx64 ": facility %s is loaded as %" PRIu64
			 ", which no event can name",
			 f->in.path, ev->off, text, id);
	else if (!t->old && !load_machine(&lf, ev, &m))
		note_say(t->notes, NOTE_WARN,
			 "%s: offset 0x%" PRIx64 ": facility %s is loaded "
			 "with sizes of int, long, pointer and size_t that no machine has: its "
			 "events cannot be read",
			 f->in.path, ev->off, text);
	else
		ltt_known_load(t, text, load_number(lf.checksum, ev), id, &m);
}

static bool is_load(const struct etype *type)
{
	return !strcmp(type->name, "facility_load") ||
	       !strcmp(type->name, "state_dump_facility_load");
}

/*
 * Read a file of facilities to its end, before events of other files.  Problems of the file itself
 * are reported when it is read again, like all other files.
 */
static void load_file(struct ltt *t, struct ltt_file *f)
{
	struct stream *s = t->old ? ltt_old_stream(t, f) : ltt_stream(t, f);
	struct notes *notes = t->notes;
	bool damaged = false;
	enum pull rc;
	struct err e;

	do {
		t->notes = NULL;
		rc = s->ops->next(s, &e);
		t->notes = notes;
		if (rc == PULL_OK && is_load(s->ev.type))
			load_facility(t, f, &s->ev);
		if (rc == PULL_ERR && !damaged) {
			err_within(&e, "some facilities may not be known");
			err_path(&e, f->in.path);
			note_err(t->notes, NOTE_DAMAGE, &e);
			damaged = true;
		}
	} while (rc != PULL_EOF);
	s->ops->close(s);
	f->unclosed = 0;
}

void ltt_load(struct ltt *t)
{
	enum ltt_rate rate = t->rate;

	for (unsigned i = 0; i < t->nfiles; i++)
		if (!strcmp(t->files[i].group, LTT_FACILITIES))
			load_file(t, &t->files[i]);
	if (t->nloaded == 1 && !t->old)
		note_say(t->notes, NOTE_WARN,
			 "%s: control/facilities_N describe no facility: only "
			 "events of core can be read",
			 t->base.in.path);
	for (unsigned i = 0; i < t->nloaded; i++) {
		t->loaded[i]->said = false;
		for (unsigned k = 0; k < t->loaded[i]->nevents; k++)
			t->loaded[i]->events[k].said = false;
	}
	memset(t->strange, 0, sizeof(t->strange));
	t->skipped = 0;
	t->rate = rate;
}
