// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program: runs a bound expression on an event.  A single comparison of a plain number does not get
 * here: program_pass() makes it where it is called.
 */
#include "reader/filter/program_priv.h"

#include "base/glob.h"
#include "reader/model/machine.h"

#include <string.h>

#define NSEC 1000000000ull

bool program_string(const struct pred *p, const char *s, size_t len)
{
	bool same;

	if (p->op == OP_GLOB)
		return glob_match_len(p->str, s, len);
	same = len == p->len && !memcmp(s, p->str, len);
	return same == (p->op == OP_EQ);
}

static uint64_t mask_word(const struct pred *p, uint64_t i)
{
	return i < p->len ? p->mask[i] : 0;
}

/* The event's set of bits, 64 at a time, for any word size and byte order of the traced kernel. */
static bool mask_pass(const struct pred *p, const struct event *ev)
{
	const struct field *f = p->field;
	unsigned elem = f->elem == 4 ? 4 : 8, per = 8 / elem;
	bool same = true, meet = false;
	struct span s;
	uint64_t words;

	field_span(f, ev, &s);
	words = (s.len + 7ull) / 8;
	for (uint64_t i = 0; i < words || i < p->len; i++) {
		uint64_t w = 0, c = mask_word(p, i);

		for (unsigned k = 0; k < per; k++)
			if ((i * per + k + 1) * elem <= s.len)
				w |= field_load(s.p + (i * per + k) * elem, elem, f->swap)
				     << 32 * k;
		same &= w == c;
		meet |= (w & c) != 0;
	}
	return p->op == OP_AND ? meet : same == (p->op == OP_EQ);
}

/* A CPU number against a set: & asks whether it is in the set, == whether it is all of the set. */
static bool member_pass(const struct pred *p, uint64_t v)
{
	bool in = v / 64 < p->len && p->mask[v / 64] >> v % 64 & 1;
	unsigned n = 0;

	if (p->op == OP_AND)
		return in;
	for (uint32_t i = 0; i < p->len; i++)
		n += __builtin_popcountll(p->mask[i]);
	return (in && n == 1) == (p->op == OP_EQ);
}

/* Everything but plain numbers. */
static __attribute__((noinline)) bool pred_pass(const struct compiled *w, const struct pred *p,
						const struct event *ev)
{
	const char *comm;
	struct span s;

	switch (p->load) {
	case LOAD_STR:
		field_span(p->field, ev, &s);
		return program_string(p, (const char *)s.p,
				      s.len ? strnlen((const char *)s.p, s.len) : 0);
	case LOAD_COMM:
		comm = machine_comm(w->machine,
				    p->field ? (int32_t)field_scalar(p->field, ev) : ev->pid);
		return program_string(p, comm, strlen(comm));
	case LOAD_INSTANCE:
		return program_string(p, ev->from->instance, strlen(ev->from->instance));
	case LOAD_MASK:
		return mask_pass(p, ev);
	default:
		return p->num;
	}
}

static inline bool number_pass(const struct pred *p, uint64_t v)
{
	return program_number(p->is_and, p->outside, p->num, p->span, v);
}

static uint64_t scalar(const struct compiled *w, const struct pred *p, const struct event *ev)
{
	switch (p->load) {
	case LOAD_CPU:
		return (uint64_t)ev->cpu;
	case LOAD_PID:
		return (uint64_t)ev->pid;
	case LOAD_TS:
		return ev->ts - *w->base;
	case LOAD_SECS:
		return (ev->ts - *w->base) / NSEC;
	case LOAD_NSECS:
		return (ev->ts - *w->base) % NSEC;
	case LOAD_SEQUENCE:
		return ev->seq;
	case LOAD_SOURCE:
		return ev->from->source;
	default:
		return field_scalar(p->field, ev);
	}
}

/* A number that takes longer to load, or is compared with a set of CPUs. */
static __attribute__((noinline)) bool scalar_pass(const struct compiled *w, const struct pred *p,
						  const struct event *ev)
{
	uint64_t v = scalar(w, p, ev);

	return p->mask ? member_pass(p, v) : number_pass(p, v);
}

bool program_run(const struct program *head, const struct event *ev)
{
	const struct compiled *w = (const struct compiled *)head;
	uint16_t at = w->entry;

	/* Every jump leads to a comparison laid down earlier, so this ends. */
	do {
		const struct pred *p = &w->preds[at];
		bool yes;

		if (p->load == LOAD_S32)
			yes = number_pass(p, field_load_signed(ev->data + p->off, 4, false));
		else if (p->load == LOAD_U64)
			yes = number_pass(p, field_load(ev->data + p->off, 8, false));
		else if (p->load == LOAD_U32)
			yes = number_pass(p, field_load(ev->data + p->off, 4, false));
		else if (p->load <= LOAD_SOURCE)
			yes = scalar_pass(w, p, ev);
		else
			yes = pred_pass(w, p, ev);
		at = yes ? p->yes : p->no;
	} while (at < REJECT);
	return at == ACCEPT;
}
