// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * identity: recognizes a trace when a job that was run twice gives its state twice.
 */
#include "programs/zedperl/identity.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ENDS 65536 /* bytes of a file's beginning and end that are hashed */

static uint64_t hash_part(const struct source *s, uint64_t h, uint64_t off)
{
	uint8_t buf[4096];
	struct err e;
	ssize_t n;

	for (uint64_t end = off + ENDS; off < end; off += n) {
		n = input_read_some(&s->in, buf, sizeof(buf), off, &e);
		if (n <= 0)
			break;
		h = bytes_hash(h, buf, n);
	}
	return h;
}

/* The system as the trace describes it, and its clock. */
static uint64_t hash_system(struct source *s)
{
	const char *clock = source_clock(s), *text;
	uint64_t h = 0;
	size_t len = 0;

	text = machine_raw(&s->machine, TEXT_UNAME, &len);
	h = bytes_hash(h, text, len);
	return bytes_hash(h, clock ? clock : "", clock ? strlen(clock) + 1 : 1);
}

/* The recorder's number of S, and what the files of a rotation, which share it, differ in. */
static uint64_t hash_recording(struct source *s)
{
	size_t len = 0;
	const char *text = machine_raw(&s->machine, TEXT_CPUSTAT, &len);

	return bytes_hash(bytes_hash(0, &s->trace_id, sizeof(s->trace_id)), text, len);
}

void identity_of(struct source *s, const struct pump_stats *st, uint64_t chosen, unsigned part,
		 unsigned parts, char *out, size_t size)
{
	uint64_t h;
	char which[48] = "", of[24] = "";

	if (parts)
		snprintf(of, sizeof(of), "+%u.%u", part, parts);
	if (chosen)
		snprintf(which, sizeof(which), "-%016" PRIx64 "%s", chosen, of);
	else
		snprintf(which, sizeof(which), "%s", of);
	if (s->trace_id) {
		snprintf(out, size, "t%016" PRIx64 "%s", hash_recording(s), which);
		return;
	}
	h = hash_system(s);
	if (s->in.piped || s->in.is_dir || s->dir) {
		h = bytes_hash(h, &st->first_ts, sizeof(st->first_ts));
		h = bytes_hash(h, &st->last_ts, sizeof(st->last_ts));
		h = bytes_hash(h, &st->records, sizeof(st->records));
		snprintf(out, size, "r%016" PRIx64 "%s", h, which);
		return;
	}
	h = bytes_hash(h, &s->in.size, sizeof(s->in.size));
	h = hash_part(s, h, 0);
	h = hash_part(s, h, s->in.size > 2 * ENDS ? s->in.size - ENDS : ENDS);
	snprintf(out, size, "f%016" PRIx64 "%s", h, which);
}
