// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame_cache: sets of a few frames each, by a hash of the address and of what its process has
 * mapped.  The keys of a set are side by side: finding a frame is mostly waiting for memory.  A
 * frame without a name is not kept, as the finder counts these, nor one that has it for a time.
 */
#include "trace/frame_cache.h"

#include "trace/machine.h"

#include <stdlib.h>

#define SET_BITS 11
#define WAYS 4

struct frame_key {
	const struct machine *machine; /* NULL: no frame */
	uint64_t address;
	uint64_t mode; /* the generation of its mappings, twice, and 1 for the kernel */
};

struct frame_set {
	struct frame_key keys[WAYS];
	unsigned next; /* the one that a new frame replaces */
};

void frame_cache_event(struct frame_cache *c, const struct event *ev)
{
	const struct machine *m = ev->type->machine;
	bool changes = m->ops && m->ops->generation;

	for (int kernel = 0; kernel < 2; kernel++)
		c->generations[kernel] = changes ? m->ops->generation(m->arg, ev, kernel) : 0;
	c->ev = ev;
	if (c->sets)
		return;
	c->sets = mem_zalloc(sizeof(*c->sets) << SET_BITS);
	c->frames = mem_zalloc(sizeof(*c->frames) * WAYS << SET_BITS);
}

static bool is_same(const struct frame_key *a, const struct frame_key *b)
{
	return a->address == b->address && a->mode == b->mode && a->machine == b->machine;
}

static struct cached_frame *begin(struct cached_frame *f, const struct chain_frame *frame)
{
	f->frame = *frame;
	f->text.len = 0;
	f->number = f->scope = 0;
	return f;
}

struct cached_frame *frame_cache_at(struct frame_cache *c, uint64_t address, bool kernel)
{
	const struct frame_key key = { c->ev->type->machine, address,
				       c->generations[kernel] << 1 | kernel };
	uint64_t hash = (address ^ key.mode << 32) * 0x9e3779b97f4a7c15u;
	size_t at = hash >> (64 - SET_BITS);
	struct frame_set *s = &c->sets[at];
	bool lasts = c->generations[kernel] != GENERATION_NONE;
	struct chain_frame frame;

	for (unsigned i = 0; lasts && i < WAYS; i++)
		if (is_same(&s->keys[i], &key))
			return &c->frames[at * WAYS + i];
	chain_resolve(c->ev, address, kernel, &frame);
	if (!frame.name || !lasts)
		return begin(&c->other, &frame);
	s->next = (s->next + 1) % WAYS;
	s->keys[s->next] = key;
	return begin(&c->frames[at * WAYS + s->next], &frame);
}

void frame_cache_fini(struct frame_cache *c)
{
	for (size_t i = 0; c->frames && i < (size_t)WAYS << SET_BITS; i++)
		outbuf_fini(&c->frames[i].text);
	outbuf_fini(&c->other.text);
	free(c->frames);
	free(c->sets);
}
