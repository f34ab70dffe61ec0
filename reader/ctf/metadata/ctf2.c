// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf2: the metadata of CTF 2: its fragments, and what they say of the trace, its clocks, streams
 * and events.
 */
#include "reader/ctf/metadata/ctf2.h"

#include "reader/ctf/metadata/ctf2_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- members ---- */

int ctf2_number(struct ctf2 *t, const struct json_value *v, const char *key, uint64_t most,
		uint64_t *to)
{
	const struct json_value *m = json_member(v, key);

	if (!m)
		return 0;
	if (m->kind != JSON_UINT || m->number > most)
		return CTF2_SAY(t, "%s must be a whole number from 0 to %" PRIu64, key, most);
	*to = m->number;
	return 1;
}

static int signed_number(struct ctf2 *t, const struct json_value *v, const char *key, int64_t *to)
{
	const struct json_value *m = json_member(v, key);

	if (!m)
		return 0;
	if (m->kind != JSON_NEGATIVE && (m->kind != JSON_UINT || m->number > INT64_MAX))
		return CTF2_SAY(t, "%s must be a whole number of 64 bits", key);
	*to = (int64_t)m->number;
	return 1;
}

const char *ctf2_kept(struct ctf2 *t, const char *text)
{
	return arena_strndup(&t->m->arena, text, strlen(text));
}

/* The structure in the member KEY of V, or NULL into *TO. */
static int scope_class(struct ctf2 *t, const struct json_value *v, const char *key,
		       struct ctf_class **to)
{
	const struct json_value *m = json_member(v, key);

	if (!m)
		return 0;
	t->named = false;
	if (ctf2_class(t, m, to) < 0)
		return err_within(t->e, "%s", key);
	return (*to)->kind == CTF_STRUCT ? 0 : CTF2_SAY(t, "%s must be a structure", key);
}

/* ---- preamble, trace, clock ---- */

/* The 16 numbers of V into TO.  1; 0: V is NULL; -1 with E. */
static int uuid_bytes(struct ctf2 *t, const struct json_value *v, uint8_t to[16])
{
	unsigned n = 0;

	if (!v)
		return 0;
	for (const struct json_value *b = v->first; b && n < 16; b = b->next)
		if (b->kind == JSON_UINT && b->number < 256)
			to[n++] = (uint8_t)b->number;
	return n == 16 && v->n == 16 ? 1 : CTF2_SAY(t, "uuid must be 16 bytes");
}

static int preamble(struct ctf2 *t, const struct json_value *v)
{
	const struct json_value *x = json_member(v, "extensions");
	uint64_t version = 0;
	int rc;

	TRY(ctf2_number(t, v, "version", UINT64_MAX, &version));
	if (version != 2)
		return CTF2_SAY(t, "version %" PRIu64 " of CTF is not known: 1.8 and 2 are",
				version);
	if (x && x->kind == JSON_OBJECT && x->n)
		return CTF2_SAY(t, "the trace uses extension \"%.80s\" of CTF, which is not known",
				x->first->key);
	rc = uuid_bytes(t, json_member(v, "uuid"), t->m->uuid);
	t->m->has_uuid = rc > 0;
	return rc < 0 ? -1 : 0;
}

static int trace_class(struct ctf2 *t, const struct json_value *v)
{
	const struct json_value *env = json_member(v, "environment");

	for (const struct json_value *x = env && env->kind == JSON_OBJECT ? env->first : NULL; x;
	     x = x->next) {
		struct ctf_env *item;

		if (!x->text)
			continue;
		item = arena_alloc(&t->m->arena, sizeof(*item));
		item->name = ctf2_kept(t, x->key);
		item->value = ctf2_kept(t, x->text);
		item->next = t->m->env;
		t->m->env = item;
	}
	return scope_class(t, v, "packet-header-field-class", &t->m->packet_header);
}

/* In the release candidates a clock has a UUID, 16 numbers. */
static int clock_uuid(struct ctf2 *t, const struct json_value *v, struct ctf_clock *k)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t uuid[16];
	char text[33];
	int rc = uuid_bytes(t, json_member(v, "uuid"), uuid);

	for (unsigned i = 0; rc > 0 && i < 16; i++) {
		text[2 * i] = digits[uuid[i] >> 4];
		text[2 * i + 1] = digits[uuid[i] & 15];
	}
	text[32] = '\0';
	if (rc > 0)
		k->uuid = ctf2_kept(t, text);
	return rc;
}

/* ... and no id: its name is one. */
static int clock_class(struct ctf2 *t, const struct json_value *v)
{
	const char *id = json_member_text(v, "id"), *name = json_member_text(v, "name");
	const struct json_value *offset = json_member(v, "offset-from-origin");
	const char *uid = json_member_text(v, "uid");
	struct ctf_clock *k;
	uint64_t cycles = 0;

	if (!id)
		id = name;
	if (!id)
		return CTF2_SAY(t, "the clock has no id");
	k = ctf_clock(t->m, id, strlen(id), t->e);
	if (!k)
		return -1;
	if (name)
		k->name = ctf2_kept(t, name);
	if (uid)
		k->uuid = ctf2_kept(t, uid);
	else
		TRY(clock_uuid(t, v, k));
	TRY(ctf2_number(t, v, "frequency", UINT64_MAX, &k->freq));
	if (!k->freq)
		return CTF2_SAY(t, "the frequency of a clock must be at least 1");
	TRY(signed_number(t, offset, "seconds", &k->offset_s));
	TRY(ctf2_number(t, offset, "cycles", INT64_MAX, &cycles));
	k->offset = (int64_t)cycles;
	return 0;
}

/* ---- stream, event ---- */

static int default_clock(struct ctf2 *t, const struct json_value *v, struct ctf_clock **to)
{
	const char *id = json_member_text(v, "default-clock-class-id");
	struct ctf_clock *k = t->m->clocks;

	if (!id)
		id = json_member_text(v, "default-clock-class-name");
	if (!id)
		return 0;
	while (k && strcmp(k->id, id) != 0)
		k = k->next;
	*to = k;
	return k ? 0 : CTF2_SAY(t, "clock \"%.80s\" is not defined before it", id);
}

/* LTTng's number of the CPU has no role, but a name. */
static void set_cpu(struct ctf_class *packet_context)
{
	for (struct ctf_member *m = packet_context ? packet_context->members : NULL; m; m = m->next)
		if (!strcmp(m->name, "cpu_id") && m->class->kind == CTF_INT)
			m->role = ROLE_CPU;
}

static int stream_class(struct ctf2 *t, const struct json_value *v)
{
	struct ctf_stream_class *s = arena_alloc(&t->m->arena, sizeof(*s));

	if (t->m->nstreams++ == CTF_MAX_STREAMS)
		return CTF2_SAY(t, "more than %u streams are described", CTF_MAX_STREAMS);
	TRY(ctf2_number(t, v, "id", UINT64_MAX, &s->id));
	if (ctf_stream_class(t->m, s->id))
		return CTF2_SAY(t, "stream %" PRIu64 " is described twice", s->id);
	TRY(default_clock(t, v, &s->clock));
	TRY(scope_class(t, v, "packet-context-field-class", &s->packet_context));
	TRY(scope_class(t, v, "event-record-header-field-class", &s->event_header));
	TRY(scope_class(t, v, "event-record-common-context-field-class", &s->common_context));
	set_cpu(s->packet_context);
	s->next = t->m->streams;
	t->m->streams = s;
	return 0;
}

static int event_class(struct ctf2 *t, const struct json_value *v)
{
	struct ctf_event_class *ev = arena_alloc(&t->m->arena, sizeof(*ev));
	const char *name = json_member_text(v, "name");
	char number[40];

	if (t->m->nevents++ == CTF_MAX_EVENTS)
		return CTF2_SAY(t, "more than %u events are described", CTF_MAX_EVENTS);
	TRY(ctf2_number(t, v, "id", UINT64_MAX, &ev->id));
	TRY(ctf2_number(t, v, "data-stream-class-id", UINT64_MAX, &ev->stream));
	TRY(scope_class(t, v, "specific-context-field-class", &ev->context));
	TRY(scope_class(t, v, "payload-field-class", &ev->payload));
	snprintf(number, sizeof(number), "event_%" PRIu64, ev->id);
	ev->name = ctf2_kept(t, name && *name ? name : number);
	ev->next = t->m->events;
	t->m->events = ev;
	return 0;
}

static int field_class_alias(struct ctf2 *t, const struct json_value *v)
{
	const struct json_value *class = json_member(v, "field-class");
	const char *name = json_member_text(v, "name");
	struct ctf2_alias *a;

	if (!name || !class)
		return CTF2_SAY(t, "it has no name, or no field-class");
	if (t->naliases++ == CTF_MAX_STREAMS)
		return CTF2_SAY(t, "more than %u classes have names", CTF_MAX_STREAMS);
	a = arena_alloc(&t->m->arena, sizeof(*a));
	TRY(ctf2_class(t, class, &a->class));
	a->name = ctf2_kept(t, name);
	a->next = t->aliases;
	t->aliases = a;
	return 0;
}

/* ---- fragments ---- */

static const struct {
	const char *type;
	int (*read)(struct ctf2 *t, const struct json_value *v);
} FRAGMENTS[] = {
	{ "preamble", preamble },
	{ "field-class-alias", field_class_alias },
	{ "trace-class", trace_class },
	{ "clock-class", clock_class },
	{ "data-stream-class", stream_class },
	{ "event-record-class", event_class },
};

/* Fragment N of the metadata.  Types that are not known are none of those that data need. */
static int fragment(struct ctf2 *t, unsigned n, const struct json_value *v)
{
	const char *type = json_member_text(v, "type"), *name = json_member_text(v, "name");

	if (!type)
		return CTF2_SAY(t, "fragment %u has no type", n);
	if (n == 1 && strcmp(type, "preamble") != 0)
		return CTF2_SAY(t, "the metadata do not begin with a preamble");
	for (unsigned i = 0; i < sizeof(FRAGMENTS) / sizeof(FRAGMENTS[0]); i++) {
		if (strcmp(FRAGMENTS[i].type, type) != 0)
			continue;
		if (FRAGMENTS[i].read(t, v) == 0)
			return 0;
		return err_within(t->e, "fragment %u (%s%s%.80s)", n, type, name ? " " : "",
				  name ? name : "");
	}
	return 0;
}

/* The LEN bytes at TEXT are fragment N, and FROM the whole. */
static int parse_fragment(struct ctf2 *t, unsigned n, const char *from, const char *text,
			  size_t len)
{
	struct arena arena = { .blocks = NULL };
	struct json_value v;
	int rc = json_tree_parse(&v, &arena, text, len, t->e);

	if (rc < 0) {
		t->e->off += (uint64_t)(text - from);
		err_within(t->e, "fragment %u", n);
	} else {
		rc = fragment(t, n, &v);
	}
	arena_fini(&arena);
	return rc;
}

static bool is_blank(const char *p, const char *end)
{
	while (p < end && (*p == '\n' || *p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	return p == end;
}

int ctf2_parse(struct ctf_meta *m, const char *text, size_t len, struct err *e)
{
	struct ctf2 t = { .m = m, .e = e };
	const char *p = text, *end = text + len;
	unsigned n = 0;

	if (!len || *p != CTF2_MARK)
		return err_set(e, ERR_FORMAT, 0, "no fragment of metadata begins here");
	while (p < end) {
		const char *next;

		p++;
		next = memchr(p, CTF2_MARK, end - p);
		if (!next)
			next = end;
		if (!is_blank(p, next))
			TRY(parse_fragment(&t, ++n, text, p, next - p));
		p = next;
	}
	/* As they stand in the text: of two with the same id the first one counts. */
	ctf_reverse_events(m);
	return 0;
}
