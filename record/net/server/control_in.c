// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control_in: what a client sends on its control connection while its pages come: names with their
 * times, signs of life, its statistics, and its end.
 */
#include "record/net/server/pages_in.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ODD 16    /* commands that are invalid here */
#define MAX_TOLD 8192 /* messages of a client of ours at its end */
#define MAX_ALIVE 64  /* beyond one a second */

/* What a client of ours sends at its end.  False: the message is something else. */
static bool take_told(struct pages_in_run *r, const struct wire_msg *m)
{
	struct pages_in_told *t = &r->told;
	uint32_t cpu;

	if (++t->messages > MAX_TOLD)
		return false;
	switch (m->command) {
	case WIRE_ZED_COMMS:
		if (t->comms_len + m->data_len > WIRE_MAX_COMMS)
			return false;
		if (!quota_take(r->quota, m->data_len))
			return true;
		t->comms = mem_grow(t->comms, &t->comms_cap, t->comms_len + m->data_len + 1, 1);
		memcpy(t->comms + t->comms_len, m->data, m->data_len);
		t->comms_len += m->data_len;
		return true;
	case WIRE_ZED_STATS:
		cpu = m->fixed_len >= 4 ? bytes_u32(m->fixed, true) : UINT32_MAX;
		if (cpu >= r->ncpus)
			return false;
		if (!quota_take(r->quota, m->data_len))
			return true;
		if (!t->stats)
			t->stats = mem_zalloc(r->ncpus * sizeof(*t->stats));
		free(t->stats[cpu]);
		t->stats[cpu] = mem_strndup((const char *)m->data,
					    strnlen((const char *)m->data, m->data_len));
		return true;
	case WIRE_ZED_TOTAL:
		if (m->fixed_len < 16)
			return false;
		t->total = true;
		t->events = bytes_u64(m->fixed, true);
		t->dropped = bytes_u64(m->fixed + 8, true);
		return true;
	}
	return false;
}

/* Names with their times, while it records.  False: the message is something else. */
static bool take_names(struct pages_in_run *r, const struct wire_msg *m)
{
	uint64_t watermark;
	struct err e;

	if (m->command != WIRE_ZED_NAMES || !r->meta_check->meta.watched || m->fixed_len < 8)
		return false;
	if (!quota_take(r->quota, WIRE_HEAD + m->data_len))
		return true;
	/* An output that fails will fail for pages. */
	if (m->data_len && r->out->ops->names(r->out, m->data, m->data_len, &e) == OUTPUT_GONE)
		r->gone = true;
	watermark = bytes_u64(m->fixed, true);
	if (watermark > r->names_watermark)
		r->names_watermark = watermark;
	r->place->heard = tcp_now();
	return true;
}

void pages_in_told_fini(struct pages_in_told *t, unsigned ncpus)
{
	for (unsigned i = 0; t->stats && i < ncpus; i++)
		free(t->stats[i]);
	free(t->stats);
	free(t->comms);
	*t = (struct pages_in_told){ 0 };
}

/* A sign of life, allowed once a second. */
static bool take_alive(struct pages_in_run *r, struct control_in *c)
{
	uint64_t now = tcp_now();

	r->place->heard = now;
	return ++c->alive <= MAX_ALIVE + (now - c->begin) / 1000;
}

bool control_take(struct control_in *c, struct pages_in_run *r)
{
	struct tcp_wait w = r->wait;
	struct wire_msg m;
	struct err bad;
	int rc;

	w.ms = 1000;
	while ((rc = wire_take(r->reader, r->control, &m, &bad)) == 1) {
		if (m.command == WIRE_CLOSE) {
			r->closed = true;
			return true;
		}
		if (m.command == WIRE_ZED_ALIVE && take_alive(r, c))
			continue;
		if (take_names(r, &m) || take_told(r, &m)) {
			c->heard = tcp_now();
			if (r->quota->limited)
				return true;
			continue;
		}
		if (++c->odd > MAX_ODD) {
			r->why = "it sent too many unexpected commands";
			return true;
		}
		if (wire_send(r->control, WIRE_NOT_SUPP, NULL, 0, NULL, 0, &w, &bad) < 0)
			return true;
	}
	if (rc < 0)
		r->why = bad.kind == ERR_FORMAT ? "it sent a message with an invalid length" :
						  "the connection broke";
	return rc != 0;
}
