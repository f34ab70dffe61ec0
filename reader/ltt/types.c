// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * types: the facilities of an LTT trace and their event types: finds the description of each, lays
 * its events out for the traced machine, and adds them to the catalog.
 */
#include "reader/ltt/facility/type.h"
#include "reader/ltt/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXTS (16u << 20) /* bytes of all description files of a trace */
#define MAX_FIELDS (1u << 20) /* of all layouts of a trace */
#define MAX_NAME 200	      /* bytes of the name of a facility */
#define BEAT 2		      /* time_heartbeat in core */

/*
 * Facility 0.  With an empty heartbeat, as written by kernels of 0.7, this text has their checksum,
 * 0x1A8DE486; up to 0.6 a heartbeat has fields.
 */
#define UINT(name) "<field name=" name "><uint size=4/></field>"
#define LOAD(event, ints) \
	"<event name=" event "><field name=name><string/></field>" UINT("checksum") UINT("id") \
		ints UINT("long_size") UINT("pointer_size") UINT("size_t_size") \
			UINT("has_alignment") "</event>"
#define CORE(ints, beat) \
	"<facility name=core>" LOAD("facility_load", ints) "<event name=facility_unload>" UINT( \
		"id") "</event>" \
		      "<event name=time_heartbeat>" beat \
		      "</event>" LOAD("state_dump_facility_load", ints) "</facility>"
#define BEAT_FIELDS(uint) \
	"<field name=timestamp><struct>" UINT("seconds") \
		UINT("nanoseconds") "<field name=cycle_count><" uint \
				    " size=8/></field></struct></field>"

static const char core_0_4[] = CORE("", BEAT_FIELDS("uint"));
static const char core_0_6[] = CORE(UINT("int_size"), BEAT_FIELDS("uint_fixed"));
static const char core_0_7[] = CORE(UINT("int_size"), "");

/* Generation 1: the facility of code 0, from the document, for traces that lack its file. */
static const char builtin[] =
	"<facility name=builtin>"
	"<event name=facility_load><struct><field name=name><string/></field>"
	"<field name=checksum><uint size=4/></field><field name=base_code><uint size=4/></field>"
	"</struct></event>"
	"<event name=block_start><typeref name=block_timestamp/></event>"
	"<event name=block_end><typeref name=block_timestamp/></event>"
	"<event name=time_heartbeat><typeref name=timestamp/></event>"
	"<type name=block_timestamp><struct><field name=timestamp><typeref name=timestamp/></field>"
	"<field name=block_id><uint size=4/></field></struct></type>"
	"<type name=timestamp><struct><field name=time><typeref name=timespec/></field>"
	"<field name=cycle_count><uint size=8/></field></struct></type>"
	"<type name=timespec><struct><field name=seconds><uint size=4/></field>"
	"<field name=nanoseconds><uint size=4/></field></struct></type></facility>";

static enum ltt_gen gen_of(const struct ltt *t)
{
	return t->old ? LTT_G1 : ltt_version_gen(&t->head);
}

/* ---- description files ---- */

/* Record the description file NAME, valid or not. */
static const struct ltt_facilities *keep_text(struct ltt *t, const char *name,
					      struct ltt_facilities *fac)
{
	t->texts = mem_grow(t->texts, &t->cap_texts, t->ntexts + 1, sizeof(*t->texts));
	t->texts[t->ntexts++] = (struct ltt_text){ mem_strdup(name), fac };
	return fac;
}

/* The description file NAME, or NULL: missing, or unusable (reported). */
static const struct ltt_facilities *find_text(struct ltt *t, const char *name)
{
	struct ltt_facilities *fac = NULL;
	char path[MAX_NAME + 64];
	struct err e;
	size_t len;
	char *text;

	for (unsigned i = 0; i < t->ntexts; i++)
		if (!strcmp(t->texts[i].name, name))
			return t->texts[i].fac;
	snprintf(path, sizeof(path), "eventdefs/%s", name);
	text = ltt_dir_read(t, path, LTT_MAX_TEXT, &len, &e);
	if (text && len > MAX_TEXTS - t->text_bytes) {
		err_set(&e, ERR_FORMAT, ERR_NO_OFF,
			"comes after %u bytes of descriptions, and "
			"more are not read",
			MAX_TEXTS);
	} else if (text) {
		t->text_bytes += len;
		fac = ltt_facilities_parse(text, len, gen_of(t), &e);
	}
	free(text);
	if (!fac && e.kind != ERR_NONE) {
		char full[1024];

		snprintf(full, sizeof(full), "%s/%s", t->base.in.path, path);
		err_path(&e, full);
		note_err(t->notes, NOTE_DAMAGE, &e);
	}
	return keep_text(t, name, fac);
}

/* A facility's name becomes a file name: it must not lead out of the directory. */
static bool is_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return n && !name[n] && n <= MAX_NAME;
}

/* Choose the facility in FAC: the one with the checksum, else the only one with the name. */
static bool choose(struct ltt *t, struct ltt_loaded *lo, const struct ltt_facilities *fac)
{
	unsigned n = ltt_facilities_count(fac), same = 0;

	for (unsigned i = 0; i < n; i++)
		if (ltt_facilities_checksum(fac, i) == lo->checksum &&
		    !strcmp(ltt_facilities_name(fac, i), lo->name)) {
			lo->text = fac;
			lo->fac = i;
			return true;
		}
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(ltt_facilities_name(fac, i), lo->name) || n == 1) {
			lo->fac = i;
			same++;
		}
	if (same != 1) {
		note_say(t->notes, NOTE_WARN,
			 "%s: facility %s has checksum 0x%08" PRIX32 ", and "
			 "of %u descriptions with its name none has that: its events cannot be "
			 "read",
			 t->base.in.path, lo->name, lo->checksum, same);
		return false;
	}
	lo->text = fac;
	if (lo->checksum || !t->old)
		note_say(t->notes, NOTE_WARN,
			 "%s: facility %s has checksum 0x%08" PRIX32 ", and "
			 "its description in eventdefs/ has 0x%08" PRIX32 ": it is used all the "
			 "same, and fields may be wrong",
			 t->base.in.path, lo->name, lo->checksum,
			 ltt_facilities_checksum(fac, lo->fac));
	return true;
}

static void find_description(struct ltt *t, struct ltt_loaded *lo)
{
	char file[MAX_NAME + 32];
	const struct ltt_facilities *fac;
	size_t n = strlen(lo->name);
	const char *arch;

	if (!is_name(lo->name)) {
		note_say(t->notes, NOTE_WARN,
			 "%s: no file can have the name of facility "
			 "\"%.80s\": its events cannot be read",
			 t->base.in.path, lo->name);
		return;
	}
	arch = !t->old && n >= 5 && !strcmp(lo->name + n - 5, "_arch") ?
		       ltt_arch_name(t->head.arch_type) :
		       NULL;
	snprintf(file, sizeof(file), "%s%s%s.xml", lo->name, arch ? "_" : "", arch ? arch : "");
	fac = find_text(t, file);
	if (fac)
		choose(t, lo, fac);
	else
		note_say(t->notes, NOTE_INFO,
			 "%s: facility %s has no description that can be used "
			 "(eventdefs/%s is wanted): its events cannot be read",
			 t->base.in.path, lo->name, file);
}

/* ---- types ---- */

/* LO's machine as seen in the files of machine K. */
static struct ltt_machine machine_in(const struct ltt *t, const struct ltt_loaded *lo, unsigned k)
{
	struct ltt_machine m = lo->machine;

	if (!t->old && !lo->id)
		return t->machines[k];
	m.swap = t->machines[k].swap;
	return m;
}

/* The type of event EV of LO, whose fields are the same on all machines of the trace. */
static void make_event(struct ltt *t, struct ltt_loaded *lo, unsigned ev)
{
	struct ltt_known *k = &lo->events[ev];
	const char *name = ltt_facilities_event(lo->text, lo->fac, ev);
	unsigned n = 0, more, id = t->old ? lo->id + ev : lo->id << 8 | ev;
	const struct field *fields = NULL;
	uint32_t fixed = 0, other;
	struct err e = { .kind = ERR_NONE };

	for (unsigned i = 0; i < t->nmachines; i++) {
		struct ltt_machine m = machine_in(t, lo, i);

		k->layouts[i] = ltt_layout_new(lo->text, lo->fac, ev, &m, &e);
		if (!k->layouts[i])
			goto fail;
		if (!i) {
			fields = ltt_layout_fields(k->layouts[i], &n, &fixed);
			continue;
		}
		ltt_layout_fields(k->layouts[i], &more, &other);
		if (more == n && other == fixed)
			continue;
		err_set(&e, ERR_FORMAT, ERR_NO_OFF,
			"its fields differ between the machines that "
			"the files of the trace come from");
		goto fail;
	}
	k->type = catalog_add_fields(t->catalog, &t->base.machine,
				     ltt_facilities_name(lo->text, lo->fac), name, id, fields, n,
				     fixed);
	return;
fail:
	note_say(t->notes, NOTE_WARN, "%s: event %s of facility %s cannot be read: %s",
		 t->base.in.path, name, lo->name, e.msg);
}

static void make_events(struct ltt *t, struct ltt_loaded *lo)
{
	uint64_t nfields;

	if (!lo->text)
		return;
	/* Names and typerefs are short, but their targets need not be. */
	nfields = (lo->text->nfields + 1) * t->nmachines;
	if (nfields > MAX_FIELDS - t->nfields) {
		note_say(t->notes, NOTE_WARN,
			 "%s: facility %s comes after as many fields as are "
			 "taken of a trace, %u: its events cannot be read",
			 t->base.in.path, lo->name, MAX_FIELDS);
		lo->text = NULL;
		return;
	}
	t->nfields += nfields;
	lo->nevents = ltt_facilities_nevents(lo->text, lo->fac);
	lo->events = mem_zalloc((lo->nevents + 1) * sizeof(*lo->events));
	for (unsigned i = 0; i < lo->nevents; i++)
		make_event(t, lo, i);
}

/* ---- loading ---- */

static struct ltt_loaded *add_loaded(struct ltt *t, const char *name, uint32_t checksum,
				     unsigned id, const struct ltt_machine *m)
{
	struct ltt_loaded *lo = mem_zalloc(sizeof(*lo));

	lo->name = mem_strdup(name);
	lo->checksum = checksum;
	lo->id = id;
	lo->machine = *m;
	t->loaded = mem_grow(t->loaded, &t->cap_loaded, t->nloaded + 1, sizeof(*t->loaded));
	t->loaded[t->nloaded++] = lo;
	return lo;
}

/* Use the built-in TEXT for LO. */
static void use_builtin(struct ltt *t, struct ltt_loaded *lo, const char *text)
{
	struct err e;

	lo->text = keep_text(t, "", ltt_facilities_parse(text, strlen(text), gen_of(t), &e));
	lo->fac = 0;
}

void ltt_known_core(struct ltt *t)
{
	struct ltt_loaded *lo = add_loaded(t, "core", 0, 0, &t->machines[0]);

	use_builtin(t, lo,
		    ltt_version_is_0_7(&t->head) ? core_0_7 :
		    gen_of(t) == LTT_0_4	 ? core_0_4 :
						   core_0_6);
	/* Older checksums cover types that the heartbeat never had. */
	if (ltt_version_is_0_7(&t->head))
		lo->checksum = ltt_facilities_checksum(lo->text, 0);
	make_events(t, lo);
	t->by_id[0] = lo;
}

const struct etype *ltt_known_beat(struct ltt *t)
{
	if (!t->empty_beat)
		t->empty_beat = catalog_add_fields(t->catalog, &t->base.machine, "core",
						   "time_heartbeat", BEAT, NULL, 0, 0);
	return t->empty_beat;
}

/* Generation 1: the events of LO get the codes from LO->id on. */
static void enter_codes(struct ltt *t, struct ltt_loaded *lo)
{
	for (unsigned i = 0; i < lo->nevents; i++) {
		unsigned code = lo->id + i;

		if (code >= LTT_CODES || t->by_code[code]) {
			note_say(t->notes, NOTE_WARN,
				 "%s: facility %s has its codes from %u on, "
				 "and %u cannot be its own: events from %s on cannot be read",
				 t->base.in.path, lo->name, lo->id, code,
				 ltt_facilities_event(lo->text, lo->fac, i));
			return;
		}
		t->by_code[code] = &lo->events[i];
	}
}

void ltt_known_load(struct ltt *t, const char *name, uint32_t checksum, unsigned id,
		    const struct ltt_machine *m)
{
	struct ltt_loaded *lo = add_loaded(t, name, checksum, id, m);

	find_description(t, lo);
	make_events(t, lo);
	if (t->old)
		enter_codes(t, lo);
	else
		t->by_id[id] = lo;
}

void ltt_known_first(struct ltt *t)
{
	static const char *const names[] = { "core", "builtin" };
	struct ltt_loaded *lo = NULL;

	t->by_code = mem_zalloc(LTT_CODES * sizeof(*t->by_code));
	t->block_start = t->block_end = LTT_CODES;
	for (unsigned i = 0; i < 2 && !lo; i++) {
		char file[32];
		const struct ltt_facilities *fac;

		snprintf(file, sizeof(file), "%s.xml", names[i]);
		fac = find_text(t, file);
		if (!fac)
			continue;
		lo = add_loaded(t, names[i], 0, 0, &t->machines[0]);
		if (!choose(t, lo, fac))
			lo->text = NULL;
	}
	if (!lo) {
		note_say(t->notes, NOTE_WARN,
			 "%s: eventdefs/ has neither core.xml nor builtin.xml "
			 "that can be used: only what the format's document has built in can be "
			 "read",
			 t->base.in.path);
		lo = add_loaded(t, "builtin", 0, 0, &t->machines[0]);
		use_builtin(t, lo, builtin);
	}
	make_events(t, lo);
	enter_codes(t, lo);
	for (unsigned i = 0; i < lo->nevents; i++) {
		const char *name = ltt_facilities_event(lo->text, lo->fac, i);

		if (!strcmp(name, "block_start"))
			t->block_start = i;
		else if (!strcmp(name, "block_end"))
			t->block_end = i;
	}
}

void ltt_known_fini(struct ltt *t)
{
	for (unsigned i = 0; i < t->nloaded; i++) {
		struct ltt_loaded *lo = t->loaded[i];

		for (unsigned k = 0; k < lo->nevents; k++)
			for (unsigned m = 0; m < LTT_MAX_MACHINES; m++)
				ltt_layout_free(lo->events[k].layouts[m]);
		free(lo->events);
		free(lo->name);
		free(lo);
	}
	for (unsigned i = 0; i < t->ntexts; i++) {
		ltt_facilities_free(t->texts[i].fac);
		free(t->texts[i].name);
	}
	free(t->loaded);
	free(t->texts);
	free(t->by_code);
}
