// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model: makes and finds the parts of a CTF trace's metadata.
 */
#include "reader/ctf/metadata/model.h"

#include <string.h>

const char *ctf_env(const struct ctf_meta *m, const char *name)
{
	for (const struct ctf_env *v = m->env; v; v = v->next)
		if (!strcmp(v->name, name))
			return v->value;
	return NULL;
}

struct ctf_stream_class *ctf_stream_class(const struct ctf_meta *m, uint64_t id)
{
	struct ctf_stream_class *s = m->streams;

	while (s && s->id != id)
		s = s->next;
	return s;
}

void ctf_reverse_events(struct ctf_meta *m)
{
	struct ctf_event_class *out = NULL, *next;

	for (struct ctf_event_class *ev = m->events; ev; ev = next) {
		next = ev->next;
		ev->next = out;
		out = ev;
	}
	m->events = out;
}

struct ctf_class *ctf_class_new(struct ctf_meta *m, enum ctf_kind kind, struct err *e)
{
	struct ctf_class *c;

	if (m->nclasses == CTF_MAX_CLASSES) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "has more than %u types", CTF_MAX_CLASSES);
		return NULL;
	}
	m->nclasses++;
	c = arena_alloc(&m->arena, sizeof(*c));
	c->kind = kind;
	c->align = 1;
	return c;
}

struct ctf_clock *ctf_clock(struct ctf_meta *m, const char *id, size_t len, struct err *e)
{
	struct ctf_clock **at = &m->clocks, *k;

	for (; *at; at = &(*at)->next)
		if (strlen((*at)->id) == len && !memcmp((*at)->id, id, len))
			return *at;
	if (m->nclocks++ == CTF_MAX_STREAMS) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "has more than %u clocks", CTF_MAX_STREAMS);
		return NULL;
	}
	k = arena_alloc(&m->arena, sizeof(*k));
	k->id = k->name = arena_strndup(&m->arena, id, len);
	k->uuid = "";
	k->freq = 1000000000;
	k->absolute = true;
	return *at = k;
}
