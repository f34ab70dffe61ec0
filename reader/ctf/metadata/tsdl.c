// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl: the metadata of CTF 1.8: the blocks trace, env, clock, stream and event, and what a field's
 * name says in them.
 */
#include "reader/ctf/metadata/tsdl.h"

#include "base/ascii.h"
#include "reader/ctf/metadata/tsdl_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the parts of a line ---- */

int tsdl_go(struct tsdl *t)
{
	return tsdl_next(&t->lex, t->e);
}

int tsdl_take(struct tsdl *t, char mark)
{
	if (t->lex.mark != mark)
		return 0;
	TRY(tsdl_go(t));
	return 1;
}

int tsdl_want(struct tsdl *t, char mark)
{
	char shown[64];

	if (t->lex.mark != mark)
		return tsdl_err(&t->lex, t->e, "'%c' is missing before %s", mark,
				tsdl_shown(&t->lex, shown, sizeof(shown)));
	return tsdl_go(t);
}

int tsdl_path(struct tsdl *t, char *buf, size_t size)
{
	char shown[64];
	size_t n = 0;

	for (;;) {
		if (t->lex.token != TSDL_WORD)
			return tsdl_err(&t->lex, t->e, "a name is missing before %s",
					tsdl_shown(&t->lex, shown, sizeof(shown)));
		if (n + t->lex.len + 2 > size)
			return tsdl_err(&t->lex, t->e, "a name has more than %zu bytes", size);
		memcpy(buf + n, t->lex.text, t->lex.len);
		n += t->lex.len;
		buf[n] = '\0';
		TRY(tsdl_go(t));
		if (t->lex.mark != '.' && t->lex.token != TSDL_ARROW)
			return 0;
		buf[n++] = '.';
		TRY(tsdl_go(t));
	}
}

int tsdl_value(struct tsdl *t, struct tsdl_value *v)
{
	int negative = tsdl_take(t, '-');

	TRY(negative);
	if (!negative)
		TRY(tsdl_take(t, '+'));
	v->negative = negative;
	v->token = t->lex.token;
	v->number = t->lex.value;
	v->text[0] = '\0';
	if (v->token == TSDL_WORD) {
		TRY(tsdl_path(t, v->text, sizeof(v->text)));
		return tsdl_want(t, ';');
	}
	if (v->token != TSDL_NUMBER && v->token != TSDL_STRING)
		return tsdl_err(&t->lex, t->e, "a value is missing behind '='");
	memcpy(v->text, t->lex.text, t->lex.len);
	v->text[t->lex.len] = '\0';
	TRY(tsdl_go(t));
	return tsdl_want(t, ';');
}

bool tsdl_yes(const struct tsdl_value *v)
{
	if (v->token == TSDL_NUMBER)
		return v->number != 0;
	return !strcmp(v->text, "true") || !strcmp(v->text, "TRUE");
}

static char *kept(struct tsdl *t, const struct tsdl_value *v)
{
	return arena_strndup(&t->m->arena, v->text, strlen(v->text));
}

/* ---- blocks ---- */

/* One block: the names of its types, and what its assignments are for. */
struct tsdl_block {
	struct tsdl_names names;
	int (*value)(struct tsdl *t, struct tsdl_block *b, const char *key,
		     const struct tsdl_value *v);
	int (*type)(struct tsdl *t, struct tsdl_block *b, const char *key, struct ctf_class *c);
	void *of;
};

/* "KEY = VALUE;" or "KEY := TYPE;" */
static int assignment(struct tsdl *t, struct tsdl_block *b)
{
	struct tsdl_value v;
	struct ctf_class *c;
	char key[256];

	TRY(tsdl_path(t, key, sizeof(key)));
	if (t->lex.token == TSDL_ASSIGN) {
		TRY(tsdl_go(t));
		TRY(tsdl_type(t, &b->names, &c));
		TRY(tsdl_want(t, ';'));
		return b->type ? b->type(t, b, key, c) : 0;
	}
	TRY(tsdl_want(t, '='));
	TRY(tsdl_value(t, &v));
	return b->value(t, b, key, &v);
}

static int block(struct tsdl *t, struct tsdl_block *b)
{
	int rc;

	TRY(tsdl_want(t, '{'));
	while ((rc = tsdl_take(t, '}')) == 0) {
		rc = tsdl_declaration(t, &b->names);
		if (!rc)
			rc = assignment(t, b);
		TRY(rc);
	}
	TRY(rc);
	return tsdl_want(t, ';');
}

static int need_number(struct tsdl *t, const char *key, const struct tsdl_value *v)
{
	if (v->token != TSDL_NUMBER)
		return tsdl_err(&t->lex, t->e, "%.40s is a number", key);
	return 0;
}

static int signed_value(struct tsdl *t, const char *key, const struct tsdl_value *v, int64_t *to)
{
	TRY(need_number(t, key, v));
	if (v->number > INT64_MAX)
		return tsdl_err(&t->lex, t->e, "%.40s has more than 63 bits", key);
	*to = v->negative ? -(int64_t)v->number : (int64_t)v->number;
	return 0;
}

/* ---- roles ---- */

static const struct {
	const char *name;
	enum ctf_scope scope;
	enum ctf_role role;
} ROLES[] = {
	{ "magic", SCOPE_PACKET_HEADER, ROLE_MAGIC },
	{ "stream_id", SCOPE_PACKET_HEADER, ROLE_STREAM_CLASS },
	{ "stream_instance_id", SCOPE_PACKET_HEADER, ROLE_STREAM },
	{ "packet_size", SCOPE_PACKET_CONTEXT, ROLE_PACKET_SIZE },
	{ "content_size", SCOPE_PACKET_CONTEXT, ROLE_CONTENT_SIZE },
	{ "timestamp_begin", SCOPE_PACKET_CONTEXT, ROLE_PACKET_BEGIN },
	{ "timestamp_end", SCOPE_PACKET_CONTEXT, ROLE_PACKET_END },
	{ "events_discarded", SCOPE_PACKET_CONTEXT, ROLE_DISCARDED },
	{ "packet_seq_num", SCOPE_PACKET_CONTEXT, ROLE_PACKET_NUMBER },
	{ "cpu_id", SCOPE_PACKET_CONTEXT, ROLE_CPU },
	{ "id", SCOPE_EVENT_HEADER, ROLE_EVENT_CLASS },
};

/* An event's id is in a variant, if it is a large one: so the members of members are looked at. */
static void set_roles(struct ctf_class *c, enum ctf_scope scope, unsigned depth)
{
	for (struct ctf_member *m = c->members; m; m = m->next) {
		for (unsigned i = 0; i < sizeof(ROLES) / sizeof(ROLES[0]); i++)
			if (ROLES[i].scope == scope && !strcmp(ROLES[i].name, m->name) &&
			    m->class->kind == CTF_INT)
				m->role = ROLES[i].role;
		if (depth && scope == SCOPE_EVENT_HEADER)
			set_roles(m->class, scope, depth - 1);
	}
}

/* C is what a packet or an event has in SCOPE: into *TO. */
static int set_scope(struct tsdl *t, enum ctf_scope scope, struct ctf_class *c,
		     struct ctf_class **to)
{
	if (c->kind != CTF_STRUCT)
		return tsdl_err(&t->lex, t->e,
				"the header, the context and the fields of a packet "
				"or an event are a struct");
	set_roles(c, scope, 2);
	*to = c;
	return 0;
}

/* ---- trace, env, clock ---- */

static int uuid_bytes(struct tsdl *t, const char *text, uint8_t to[16])
{
	unsigned n = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '-')
			continue;
		if (!ascii_hex(*p) || n == 32)
			return tsdl_err(&t->lex, t->e, "\"%.40s\" is not a UUID", text);
		to[n / 2] = (uint8_t)(to[n / 2] << 4 |
				      (ascii_digit(*p) ? *p - '0' : (*p | 0x20) - 'a' + 10));
		n++;
	}
	if (n != 32)
		return tsdl_err(&t->lex, t->e, "\"%.40s\" is not a UUID", text);
	return 0;
}

static int trace_value(struct tsdl *t, struct tsdl_block *b, const char *key,
		       const struct tsdl_value *v)
{
	if (!strcmp(key, "byte_order")) {
		if (strcmp(v->text, "le") != 0 && strcmp(v->text, "be") != 0)
			return tsdl_err(&t->lex, t->e, "the byte order of a trace is le or be");
		t->m->big = v->text[0] == 'b';
	} else if (!strcmp(key, "uuid")) {
		TRY(uuid_bytes(t, v->text, t->m->uuid));
		t->m->has_uuid = true;
	}
	return 0;
}

static int trace_type(struct tsdl *t, struct tsdl_block *b, const char *key, struct ctf_class *c)
{
	if (!strcmp(key, "packet.header"))
		return set_scope(t, SCOPE_PACKET_HEADER, c, &t->m->packet_header);
	return 0;
}

static int env_value(struct tsdl *t, struct tsdl_block *b, const char *key,
		     const struct tsdl_value *v)
{
	struct ctf_env *env = arena_alloc(&t->m->arena, sizeof(*env));

	env->name = arena_strndup(&t->m->arena, key, strlen(key));
	env->value = kept(t, v);
	env->next = t->m->env;
	t->m->env = env;
	return 0;
}

/* The clock's name may come after its other values: they are kept until its end. */
static int clock_value(struct tsdl *t, struct tsdl_block *b, const char *key,
		       const struct tsdl_value *v)
{
	struct ctf_clock *k = b->of;

	if (!strcmp(key, "name")) {
		k->name = kept(t, v);
	} else if (!strcmp(key, "uuid")) {
		k->uuid = kept(t, v);
	} else if (!strcmp(key, "freq")) {
		TRY(need_number(t, key, v));
		if (!v->number || v->negative)
			return tsdl_err(&t->lex, t->e, "the frequency of a clock is 0 or less");
		k->freq = v->number;
	} else if (!strcmp(key, "offset_s")) {
		return signed_value(t, key, v, &k->offset_s);
	} else if (!strcmp(key, "offset")) {
		return signed_value(t, key, v, &k->offset);
	} else if (!strcmp(key, "absolute")) {
		k->absolute = tsdl_yes(v);
	}
	return 0;
}

static int clock_block(struct tsdl *t, struct tsdl_block *b)
{
	struct ctf_clock *read = arena_alloc(&t->m->arena, sizeof(*read)), *k, *next;

	*read = (struct ctf_clock){ .uuid = "", .freq = 1000000000, .absolute = true };
	b->value = clock_value;
	b->of = read;
	TRY(block(t, b));
	if (!read->name)
		return tsdl_err(&t->lex, t->e, "a clock has no name");
	k = ctf_clock(t->m, read->name, strlen(read->name), t->e);
	if (!k)
		return -1;
	next = k->next;
	read->id = read->name;
	*k = *read;
	k->next = next;
	return 0;
}

/* ---- stream, event ---- */

static int stream_value(struct tsdl *t, struct tsdl_block *b, const char *key,
			const struct tsdl_value *v)
{
	struct ctf_stream_class *s = b->of;

	if (strcmp(key, "id") != 0)
		return 0;
	TRY(need_number(t, key, v));
	s->id = v->number;
	return 0;
}

static int stream_type(struct tsdl *t, struct tsdl_block *b, const char *key, struct ctf_class *c)
{
	struct ctf_stream_class *s = b->of;

	if (!strcmp(key, "packet.context"))
		return set_scope(t, SCOPE_PACKET_CONTEXT, c, &s->packet_context);
	if (!strcmp(key, "event.header"))
		return set_scope(t, SCOPE_EVENT_HEADER, c, &s->event_header);
	if (!strcmp(key, "event.context"))
		return set_scope(t, SCOPE_COMMON_CONTEXT, c, &s->common_context);
	return 0;
}

static int stream_block(struct tsdl *t, struct tsdl_block *b)
{
	struct ctf_stream_class *s = arena_alloc(&t->m->arena, sizeof(*s));

	if (t->m->nstreams++ == CTF_MAX_STREAMS)
		return tsdl_err(&t->lex, t->e, "more than %u streams are described",
				CTF_MAX_STREAMS);
	b->value = stream_value;
	b->type = stream_type;
	b->of = s;
	TRY(block(t, b));
	if (ctf_stream_class(t->m, s->id))
		return tsdl_err(&t->lex, t->e, "stream %" PRIu64 " is described twice", s->id);
	s->next = t->m->streams;
	t->m->streams = s;
	return 0;
}

static int event_value(struct tsdl *t, struct tsdl_block *b, const char *key,
		       const struct tsdl_value *v)
{
	struct ctf_event_class *ev = b->of;

	if (!strcmp(key, "name")) {
		ev->name = kept(t, v);
	} else if (!strcmp(key, "id")) {
		TRY(need_number(t, key, v));
		ev->id = v->number;
	} else if (!strcmp(key, "stream_id")) {
		TRY(need_number(t, key, v));
		ev->stream = v->number;
	}
	return 0;
}

static int event_type(struct tsdl *t, struct tsdl_block *b, const char *key, struct ctf_class *c)
{
	struct ctf_event_class *ev = b->of;

	if (!strcmp(key, "context"))
		return set_scope(t, SCOPE_CONTEXT, c, &ev->context);
	if (!strcmp(key, "fields"))
		return set_scope(t, SCOPE_PAYLOAD, c, &ev->payload);
	return 0;
}

static int event_block(struct tsdl *t, struct tsdl_block *b)
{
	struct ctf_event_class *ev = arena_alloc(&t->m->arena, sizeof(*ev));

	if (t->m->nevents++ == CTF_MAX_EVENTS)
		return tsdl_err(&t->lex, t->e, "more than %u events are described", CTF_MAX_EVENTS);
	b->value = event_value;
	b->type = event_type;
	b->of = ev;
	TRY(block(t, b));
	if (!ev->name)
		return tsdl_err(&t->lex, t->e, "an event has no name");
	ev->next = t->m->events;
	t->m->events = ev;
	return 0;
}

/* ---- all of it ---- */

static int ignored_value(struct tsdl *t, struct tsdl_block *b, const char *key,
			 const struct tsdl_value *v)
{
	return 0;
}

/* One block at the top, the word of which is here. */
static int top_block(struct tsdl *t, const struct tsdl_names *names)
{
	struct tsdl_block b = { .names = { .outer = names }, .value = ignored_value };
	char shown[64];

	if (tsdl_is(&t->lex, "trace")) {
		b.value = trace_value;
		b.type = trace_type;
	} else if (tsdl_is(&t->lex, "env")) {
		b.value = env_value;
	} else if (tsdl_is(&t->lex, "clock")) {
		TRY(tsdl_go(t));
		return clock_block(t, &b);
	} else if (tsdl_is(&t->lex, "stream")) {
		TRY(tsdl_go(t));
		return stream_block(t, &b);
	} else if (tsdl_is(&t->lex, "event")) {
		TRY(tsdl_go(t));
		return event_block(t, &b);
	} else if (!tsdl_is(&t->lex, "callsite")) {
		return tsdl_err(&t->lex, t->e, "%s begins nothing that metadata have",
				tsdl_shown(&t->lex, shown, sizeof(shown)));
	}
	TRY(tsdl_go(t));
	return block(t, &b);
}

/* Without any stream there is one all the same, of which the metadata have nothing to say. */
static void add_stream(struct ctf_meta *m)
{
	if (m->streams || !m->events)
		return;
	m->streams = arena_alloc(&m->arena, sizeof(*m->streams));
	m->nstreams = 1;
}

int tsdl_parse(struct ctf_meta *m, const char *text, size_t len, struct err *e)
{
	struct tsdl t = { .m = m, .e = e };
	struct tsdl_names names = { 0 };

	m->is_tsdl = true;
	tsdl_lex_init(&t.lex, text, len);
	TRY(tsdl_go(&t));
	while (t.lex.token != TSDL_END) {
		int rc = tsdl_declaration(&t, &names);

		if (!rc)
			rc = top_block(&t, &names);
		TRY(rc);
	}
	/* As they stand in the text: of two with the same id the first one counts. */
	ctf_reverse_events(m);
	add_stream(m);
	return 0;
}
