// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames_in: takes the frames of a zed stream apart for an output: what convert reads from a file
 * or a pipe, and a server from its client.
 */
#include "record/file/frames_in.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "trace/cgroups/cgroup_log.h"
#include "trace/comms/comm_log.h"
#include "trace/maps/map_log.h"
#include "reader/zedstream/format.h"
#include "record/comm_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STATS 4096 /* bytes of a CPU's statistics */
#define MAX_SAID 4     /* frames that are invalid: more are counted */

int frames_in_bad(struct frames_in *in, const struct frame *f, const char *what)
{
	if (in->bad++ >= MAX_SAID)
		return 0;
	note_say(in->notes, NOTE_DAMAGE,
		 "%s: offset 0x%" PRIx64 ": frame of kind %u, %u byte%s, %s: left out", in->path,
		 f->off, f->kind, f->len, plural(f->len), what);
	return 0;
}

static bool may(struct frames_in *in, size_t bytes)
{
	return !in->may || in->may(in->arg, bytes);
}

static int take_pages(struct frames_in *in, const struct frame *f, struct err *e)
{
	uint32_t size = in->page_size, cpu, len;
	int rc = 0;

	if (f->len <= 4)
		return frames_in_bad(in, f, "has no page");
	cpu = bytes_u32(f->p, false);
	if (cpu >= in->ncpus)
		return frames_in_bad(in, f, "is of an undeclared CPU");
	for (uint32_t at = 4; at < f->len && !rc; at += len) {
		const uint8_t *p = f->p + at;

		len = f->len - at < size ? f->len - at : size;
		if (len < 16)
			return frames_in_bad(in, f, "ends within a page header");
		if (len < size) {
			if (!in->spare)
				in->spare = mem_alloc(size);
			memcpy(in->spare, p, len);
			memset(in->spare + len, 0, size - len);
			p = in->spare;
		}
		if (in->page)
			rc = in->page(in->arg, (int)cpu, p, len,
				      f->off + FRAMES_FRAME_LEN + at + len, e);
		else
			rc = in->out->ops->page(in->out, (int)cpu, p, len, size, e);
	}
	return rc;
}

static int take_round(struct frames_in *in, const struct frame *f, struct err *e)
{
	uint64_t watermark;
	uint32_t n;
	int *busy, rc;

	if (f->len < 12)
		return frames_in_bad(in, f, "is too short");
	watermark = bytes_u64(f->p, false);
	n = bytes_u32(f->p + 8, false);
	if (n > in->ncpus || f->len != 12 + 4 * n)
		return frames_in_bad(in, f, "does not have as many CPUs as it declares");
	if (!in->out->ops->round)
		return 0;
	busy = mem_alloc((n + 1) * sizeof(*busy));
	for (uint32_t i = 0; i < n; i++)
		busy[i] = (int)(bytes_u32(f->p + 12 + 4 * (size_t)i, false) & INT32_MAX);
	rc = in->out->ops->round(in->out, watermark, busy, n, e);
	free(busy);
	return rc;
}

static int take_comms(struct frames_in *in, const struct frame *f, struct err *e)
{
	if (f->len > in->max_comms - in->comms_len || !may(in, f->len))
		return frames_in_bad(in, f, "has more names than the limit allows");
	in->comms = mem_grow(in->comms, &in->comms_cap, in->comms_len + f->len + 1, 1);
	memcpy(in->comms + in->comms_len, f->p, f->len);
	in->comms_len += f->len;
	return in->out->ops->comms ? in->out->ops->comms(in->out, (const char *)f->p, f->len, e) :
				     0;
}

static int take_names(struct frames_in *in, const struct frame *f, struct err *e)
{
	struct comm_record r;
	size_t at = 0;
	int rc;

	if (!in->out->ops->names)
		return 0;
	while (comm_log_next(f->p, f->len, &at, &r))
		;
	if (!may(in, at))
		return frames_in_bad(in, f, "has more names than the limit allows");
	rc = at ? in->out->ops->names(in->out, f->p, at, e) : 0;
	return rc || at == f->len ? rc : frames_in_bad(in, f, "has invalid names");
}

static int take_cgroups(struct frames_in *in, const struct frame *f, struct err *e)
{
	size_t whole = cgroup_log_whole(f->p, f->len);
	int rc;

	if (!in->out->ops->cgroups)
		return 0;
	if (!may(in, whole))
		return frames_in_bad(in, f, "has more cgroups than the limit allows");
	rc = whole ? in->out->ops->cgroups(in->out, f->p, whole, e) : 0;
	return rc || whole == f->len ? rc : frames_in_bad(in, f, "has invalid cgroups");
}

static int take_maps(struct frames_in *in, const struct frame *f, struct err *e)
{
	size_t whole = map_log_whole(f->p, f->len);
	int rc;

	if (!in->out->ops->maps)
		return 0;
	if (!may(in, whole))
		return frames_in_bad(in, f, "has more mappings than the limit allows");
	rc = whole ? in->out->ops->maps(in->out, f->p, whole, e) : 0;
	return rc || whole == f->len ? rc : frames_in_bad(in, f, "has invalid mappings");
}

static int take_format(struct frames_in *in, const struct frame *f, struct err *e)
{
	const uint8_t *nul = memchr(f->p, '\0', f->len);

	if (!nul || nul == f->p || nul - f->p > 255)
		return frames_in_bad(in, f, "names no system");
	if (!may(in, f->len))
		return frames_in_bad(in, f, "exceeds the limit");
	return in->out->ops->format ?
		       in->out->ops->format(in->out, (const char *)f->p, (const char *)nul + 1,
					    (size_t)(f->p + f->len - nul - 1), e) :
		       0;
}

static int take_stats(struct frames_in *in, const struct frame *f)
{
	uint32_t cpu;

	if (f->len < 4 || f->len > 4 + MAX_STATS)
		return frames_in_bad(in, f, "is not the statistics of a CPU");
	cpu = bytes_u32(f->p, false);
	if (cpu >= in->ncpus || in->nstats >= in->ncpus)
		return frames_in_bad(in, f, "is of an undeclared CPU");
	if (!may(in, f->len))
		return frames_in_bad(in, f, "exceeds the limit");
	in->stat_cpus = mem_grow(in->stat_cpus, &in->cpus_cap, in->nstats + 1u, sizeof(int));
	in->stats = mem_grow(in->stats, &in->stats_cap, in->nstats + 1u, sizeof(char *));
	in->stat_cpus[in->nstats] = (int)cpu;
	in->stats[in->nstats++] = mem_strndup((const char *)f->p + 4,
					      strnlen((const char *)f->p + 4, f->len - 4));
	return 0;
}

static int take_clock(struct frames_in *in, const struct frame *f, struct err *e)
{
	if (f->len < 16)
		return frames_in_bad(in, f, "is too short");
	return in->out->ops->clock ? in->out->ops->clock(in->out, (int64_t)bytes_u64(f->p, false),
							 bytes_u64(f->p + 8, false), e) :
				     0;
}

static int take_lost(struct frames_in *in, const struct frame *f, struct err *e)
{
	uint32_t cpu;

	if (f->len < 12)
		return frames_in_bad(in, f, "is too short");
	cpu = bytes_u32(f->p, false);
	if (cpu >= in->ncpus)
		return frames_in_bad(in, f, "is of an undeclared CPU");
	return in->out->ops->lost ?
		       in->out->ops->lost(in->out, (int)cpu, bytes_u64(f->p + 4, false), e) :
		       0;
}

static int take_end(struct frames_in *in, const struct frame *f)
{
	if (f->len < 16)
		return frames_in_bad(in, f, "is too short");
	in->end.events = bytes_u64(f->p, false);
	in->end.dropped = bytes_u64(f->p + 8, false);
	in->ended = true;
	return 0;
}

int frames_in_take(struct frames_in *in, const struct frame *f, struct err *e)
{
	switch (f->kind) {
	case FRAME_PAGES:
		return take_pages(in, f, e);
	case FRAME_ROUND:
		return take_round(in, f, e);
	case FRAME_COMM:
		return take_comms(in, f, e);
	case FRAME_NAMES:
		return take_names(in, f, e);
	case FRAME_CGROUPS:
		return take_cgroups(in, f, e);
	case FRAME_MAPS:
		return take_maps(in, f, e);
	case FRAME_FORMAT:
		return take_format(in, f, e);
	case FRAME_STATS:
		return take_stats(in, f);
	case FRAME_CLOCK:
		return take_clock(in, f, e);
	case FRAME_LOST:
		return take_lost(in, f, e);
	case FRAME_END:
		return take_end(in, f);
	case FRAME_PACKED:
		return frames_in_bad(in, f, "cannot be unpacked");
	case FRAME_META:
	case FRAME_READY:
		return frames_in_bad(in, f, "comes too late");
	default:
		return frame_pass(f, e);
	}
}

int frames_in_end(struct frames_in *in, const char *spare, size_t len, struct err *e)
{
	size_t tidy_len = 0;
	char *tidy = in->comms ? commtext_tidy(in->comms, in->comms_len, &tidy_len) : NULL;
	int rc;

	if (in->bad > MAX_SAID)
		note_say(in->notes, NOTE_DAMAGE, "%s: more invalid frames left out: %" PRIu64,
			 in->path, in->bad - MAX_SAID);
	in->end.comms = tidy ? tidy : spare;
	in->end.comms_len = tidy ? tidy_len : len;
	in->end.cpus = in->stat_cpus;
	in->end.stats = in->stats;
	in->end.ncpus = in->nstats;
	rc = in->out->ops->end(in->out, &in->end, e);
	free(tidy);
	return rc;
}

void frames_in_fini(struct frames_in *in)
{
	for (unsigned i = 0; i < in->nstats; i++)
		free(in->stats[i]);
	free(in->stats);
	free(in->stat_cpus);
	free(in->comms);
	free(in->spare);
}
