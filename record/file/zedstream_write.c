// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedstream_write: the output that writes a zed stream to a descriptor.  Small frames are held
 * until a round ends: each write wakes the consumer, which shows in the trace.  What was copied is
 * counted, for a consumer that exits early.
 */
#include "record/file/zedstream_write.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/pack/codec.h"
#include "trace/cgroups/cgroup_log.h"
#include "trace/comms/comm_log.h"
#include "trace/maps/map_log.h"
#include "reader/zedstream/format.h"
#include "ring/loss_mark.h"
#include "ring/record_count.h"
#include "record/count.h"
#include "record/file/byte_out.h"
#include "record/delivered.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE (1u << 20)   /* bytes of metadata, names, pages in one frame */
#define STATS_MAX 4096	   /* bytes of a CPU's statistics */
#define COPY (64u << 10)   /* bytes of pages copied at a time, about: they stay in a cache */
#define REMEMBERED 4096	   /* frames, before those that have been read are forgotten */
#define FLUSH_NS 10000000  /* for partly filled pages: short, but each time wakes the consumer */
#define QUIET_NS 500000000 /* nothing comes: only a consumer that merges others waits for rounds */

struct frame_writer {
	struct output base; /* must be first */
	struct byte_out out;
	uint8_t *copy; /* pages that are not spliced: copy_len bytes, whole pages */
	size_t copy_len;
	uint32_t page_size, page_head; /* of a sub-buffer (struct meta) */
	int32_t self;		       /* the same */
	struct delivered delivered;    /* what was copied, by frame */
	struct delivered marks; /* losses that sub-buffers tell, for a reader that acknowledges */
	struct count *found;	/* reads a file again that could not be completed; or NULL */
	int found_rc;
	bool watched;	       /* names come with their times */
	struct packer *packer; /* for META and PAGES; NULL: not packed */
	uint8_t *packed;       /* packed_cap bytes, after a payload's head */
	size_t packed_cap;
	uint64_t saved; /* bytes by which packing has made the stream shorter */
};

/* A frame whose payload is HEAD, then BODY; held, if there is room. */
static int put_frame(struct frame_writer *w, uint32_t kind, const void *head, size_t head_len,
		     const void *body, size_t body_len, struct err *e)
{
	uint8_t h[FRAMES_FRAME_LEN];
	struct iovec v[] = {
		{ h, sizeof(h) },
		{ (void *)head, head_len },
		{ (void *)body, body_len },
	};

	if (head_len + body_len > FRAMES_MAX)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%zu bytes do not fit into a frame of the stream",
			       head_len + body_len);
	bytes_put(h, kind, 4, false);
	bytes_put(h + 4, head_len + body_len, 4, false);
	if (!byteout_has_room(&w->out, sizeof(h) + head_len + body_len))
		return byteout_put(&w->out, v, 3, e);
	for (int i = 0; i < 3; i++)
		byteout_hold(&w->out, v[i].iov_base, v[i].iov_len);
	return 0;
}

#define LEVEL 1 /* of zstd: fast enough for the rate of events */

/* The same of META or PAGES, which may be packed; HEAD is at most 4 bytes. */
static int put_bulk(struct frame_writer *w, uint32_t kind, const void *head, size_t head_len,
		    const void *body, size_t body_len, struct err *e)
{
	size_t len = head_len + body_len, bound;
	uint8_t *plain;
	int64_t n;

	if (!w->packer || len > FRAMES_MAX)
		return put_frame(w, kind, head, head_len, body, body_len, e);
	bound = packer_bound(w->packer, len) + FRAMES_PACKED_HEAD;
	w->packed = mem_grow(w->packed, &w->packed_cap, bound + len, 1);
	plain = w->packed + bound;
	if (head_len)
		memcpy(plain, head, head_len);
	memcpy(plain + head_len, body, body_len);
	n = packer_block(w->packer, plain, len, w->packed + FRAMES_PACKED_HEAD,
			 bound - FRAMES_PACKED_HEAD, e);
	if (n < 0)
		return -1;
	/* What does not become shorter is sent as it is. */
	if ((size_t)n + FRAMES_PACKED_HEAD >= len)
		return put_frame(w, kind, head, head_len, body, body_len, e);
	bytes_put(w->packed, kind, 4, false);
	bytes_put(w->packed + 4, (uint32_t)len, 4, false);
	w->saved += len - ((size_t)n + FRAMES_PACKED_HEAD);
	return put_frame(w, FRAME_PACKED, NULL, 0, w->packed, (size_t)n + FRAMES_PACKED_HEAD, e);
}

/* ---- pages ---- */

/* The length of the stream as its reader counts it: a server counts unpacked bytes. */
static uint64_t length(const struct frame_writer *w)
{
	return w->out.queued + (w->out.reached ? w->saved : 0);
}

/* A piece with EVENTS of CPU ends END bytes from the stream's beginning. */
static void piece_taken(struct frame_writer *w, int cpu, unsigned events, uint64_t end)
{
	if (w->out.file)
		return;
	if (w->delivered.n >= REMEMBERED && w->delivered.n % 256 == 0)
		delivered_forget(&w->delivered, byteout_read(&w->out));
	delivered_add(&w->delivered, cpu, events, end);
}

/*
 * The LEN bytes of pages at P end END bytes from the stream's beginning.  A reader that
 * acknowledges what it stores does so page by page; otherwise the events count with the frame, and
 * their number is returned.
 */
static unsigned pages_taken(struct frame_writer *w, int cpu, const uint8_t *p, size_t len,
			    uint64_t end)
{
	unsigned events = 0;

	for (size_t at = 0; at + w->page_size <= len; at += w->page_size) {
		unsigned in_page = records_in_page(p + at, w->page_size, w->page_head);

		if (w->out.reached)
			piece_taken(w, cpu, in_page, end - len + at + w->page_size);
		else
			events += in_page;
	}
	return events;
}

/* The losses before these pages, as they have them: they are in the stream with them. */
static void marks_taken(struct frame_writer *w, int cpu, const uint8_t *p, size_t len, uint64_t end)
{
	if (!w->out.reached)
		return;
	if (w->marks.n >= REMEMBERED && w->marks.n % 256 == 0)
		delivered_forget(&w->marks, byteout_read(&w->out));
	for (size_t at = 0; at < len; at += w->page_size) {
		size_t n = len - at < w->page_size ? len - at : w->page_size;

		delivered_add(&w->marks, cpu, (unsigned)loss_of_page(p + at, n, w->page_head),
			      end - len + at + n);
	}
}

/* Read exactly LEN bytes of PIPE. */
static int read_pipe(int pipe, uint8_t *to, size_t len, struct err *e)
{
	while (len) {
		ssize_t n = read(pipe, to, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(e, ERR_NO_OFF, "cannot read pages out of the pipe");
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Copy LEN bytes of PIPE, whole pages of CPU, after what is held. */
static int copy_pipe(struct frame_writer *w, int cpu, int pipe, size_t len, struct err *e)
{
	unsigned events = 0;

	if (!w->copy)
		w->copy = mem_alloc(w->copy_len);
	while (len) {
		size_t n = len < w->copy_len ? len : w->copy_len;
		struct iovec v = { w->copy, n };
		int rc;

		TRY(read_pipe(pipe, w->copy, n, e));
		events += pages_taken(w, cpu, w->copy, n, length(w) + n);
		marks_taken(w, cpu, w->copy, n, length(w) + n);
		rc = byteout_put(&w->out, &v, 1, e);
		if (rc)
			return rc;
		len -= n;
	}
	piece_taken(w, cpu, events, w->out.queued);
	return 0;
}

/* LEN bytes of PIPE, whole pages of CPU: without a copy where that can be. */
static int move_pipe(struct frame_writer *w, int cpu, int pipe, size_t len, struct err *e)
{
	size_t n;
	int rc = 0;

	for (; len; len -= n) {
		n = byteout_splice(&w->out, pipe, len, &rc, e);
		if (!n)
			break;
	}
	return len && !rc ? copy_pipe(w, cpu, pipe, len, e) : rc;
}

/* LEN bytes of PIPE, whole pages of CPU, packed: a frame for as many as stay in a cache. */
static int pack_pipe(struct frame_writer *w, int cpu, int pipe, size_t len, struct err *e)
{
	uint8_t head[4];
	int rc = 0;

	if (!w->copy)
		w->copy = mem_alloc(w->copy_len);
	bytes_put(head, cpu, 4, false);
	while (len && !rc) {
		size_t n = len < w->copy_len ? len : w->copy_len;

		TRY(read_pipe(pipe, w->copy, n, e));
		marks_taken(w, cpu, w->copy, n, length(w) + FRAMES_FRAME_LEN + sizeof(head) + n);
		rc = put_bulk(w, FRAME_PAGES, head, sizeof(head), w->copy, n, e);
		if (!rc)
			piece_taken(w, cpu, pages_taken(w, cpu, w->copy, n, length(w)), length(w));
		len -= n;
	}
	return rc;
}

static int put_pipe(struct output *o, int cpu, int pipe, size_t len, struct err *e)
{
	struct frame_writer *w = (struct frame_writer *)o;
	uint8_t h[FRAMES_FRAME_LEN + 4];
	int rc = 0;

	/* A pipe holds less than a frame may have. */
	if (len > FRAMES_MAX - 4)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%zu bytes of pages do not fit into a frame of the stream", len);
	if (w->packer) {
		rc = pack_pipe(w, cpu, pipe, len, e);
		o->bytes += rc ? 0 : len;
		return rc;
	}
	bytes_put(h, FRAME_PAGES, 4, false);
	bytes_put(h + 4, 4 + len, 4, false);
	bytes_put(h + 8, cpu, 4, false);
	if (!byteout_has_room(&w->out, sizeof(h)))
		rc = byteout_flush(&w->out, e);
	if (rc == 0) {
		byteout_hold(&w->out, h, sizeof(h));
		/* Spliced pages bypass what is held. */
		if (!w->out.no_splice)
			rc = byteout_flush(&w->out, e);
	}
	if (rc == 0)
		rc = move_pipe(w, cpu, pipe, len, e);
	if (rc == 0)
		o->bytes += len;
	return rc;
}

static int put_page(struct output *o, int cpu, const uint8_t *p, uint32_t used, uint32_t page_size,
		    struct err *e)
{
	struct frame_writer *w = (struct frame_writer *)o;
	uint8_t head[4];
	int rc;

	bytes_put(head, cpu, 4, false);
	marks_taken(w, cpu, p, used, length(w) + FRAMES_FRAME_LEN + sizeof(head) + used);
	rc = put_bulk(w, FRAME_PAGES, head, sizeof(head), p, used, e);
	if (rc)
		return rc;
	piece_taken(w, cpu, records_own_in_page(p, used, w->page_head, w->self, &o->own),
		    length(w));
	o->bytes += used;
	return 0;
}

/* ---- the rest ---- */

static int put_head(struct output *o, const struct meta *m, struct err *e)
{
	struct frame_writer *w = (struct frame_writer *)o;
	uint8_t head[FRAMES_HEAD_LEN] = FRAMES_MAGIC, ready[12];
	int rc = 0;

	w->out.stop = o->stop;
	w->out.notes = o->notes;
	w->page_size = m->page_size;
	w->page_head = m->page_head;
	w->self = m->self;
	w->copy_len = COPY > m->page_size ? COPY / m->page_size * m->page_size : m->page_size;
	if (m->len > FRAMES_MAX_META || m->page_size > FRAMES_MAX - 4)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%zu bytes of metadata, sub-buffers of %u bytes: a stream cannot "
			       "hold that",
			       m->len, m->page_size);
	head[8] = FRAMES_VERSION;
	bytes_put(head + 12, FRAMES_MAX, 4, false);
	byteout_hold(&w->out, head, sizeof(head));
	for (size_t at = 0; !rc && at < m->len; at += PIECE)
		rc = put_bulk(w, FRAME_META, NULL, 0, m->p + at,
			      m->len - at < PIECE ? m->len - at : PIECE, e);
	if (rc == 0 && m->watched)
		rc = put_frame(w, FRAME_NAMES, NULL, 0, NULL, 0, e);
	w->watched = m->watched;
	bytes_put(ready, m->len, 8, false);
	bytes_put(ready + 8, m->page_size, 4, false);
	if (rc == 0)
		rc = put_frame(w, FRAME_READY, ready, sizeof(ready), m->clock, strlen(m->clock) + 1,
			       e);
	return rc ? rc : byteout_flush(&w->out, e);
}

int zedstream_write_frame(struct output *o, uint32_t kind, const void *p, size_t len, struct err *e)
{
	struct frame_writer *w = (struct frame_writer *)o;
	int rc = put_frame(w, kind, NULL, 0, p, len, e);

	return rc ? rc : byteout_flush(&w->out, e);
}

static int put_round(struct output *o, uint64_t watermark, const int *busy, unsigned n,
		     struct err *e)
{
	uint8_t *p = mem_alloc(12 + 4 * (size_t)n);
	int rc;

	bytes_put(p, watermark, 8, false);
	bytes_put(p + 8, n, 4, false);
	for (unsigned i = 0; i < n; i++)
		bytes_put(p + 12 + 4 * (size_t)i, busy[i], 4, false);
	rc = put_frame((struct frame_writer *)o, FRAME_ROUND, p, 12 + 4 * (size_t)n, NULL, 0, e);
	free(p);
	return rc ? rc : byteout_flush(&((struct frame_writer *)o)->out, e);
}

/* Whole lines, in frames of about PIECE bytes. */
static int put_comms(struct output *o, const char *text, size_t len, struct err *e)
{
	int rc = 0;

	while (len && !rc) {
		size_t n = len;

		if (n > PIECE) {
			const char *nl = memrchr(text, '\n', PIECE);

			n = nl ? (size_t)(nl + 1 - text) : PIECE;
		}
		rc = put_frame((struct frame_writer *)o, FRAME_COMM, NULL, 0, text, n, e);
		text += n;
		len -= n;
	}
	return rc;
}

/* Whole records, in frames of about PIECE bytes. */
static int put_names(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct comm_record r;
	size_t at = 0, from = 0;
	int rc = 0;

	while (!rc && comm_log_next(p, len, &at, &r))
		if (at - from > PIECE - COMM_LOG_HEAD - COMM_LOG_MAX_NAME || at == len) {
			rc = put_frame((struct frame_writer *)o, FRAME_NAMES, NULL, 0, p + from,
				       at - from, e);
			from = at;
		}
	return rc;
}

/* The same of the cgroups of tasks. */
static int put_cgroups(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct cgroup_record r;
	size_t at = 0, from = 0;
	int rc = 0;

	while (!rc && cgroup_log_next(p, len, &at, &r))
		if (at - from > PIECE - CGROUP_LOG_HEAD - CGROUP_PATH_MAX || at == len) {
			rc = put_frame((struct frame_writer *)o, FRAME_CGROUPS, NULL, 0, p + from,
				       at - from, e);
			from = at;
		}
	return rc;
}

/* The same of what processes have mapped. */
static int put_maps(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct map_record r;
	size_t at = 0, from = 0;
	int rc = 0;

	while (!rc && map_log_next(p, len, &at, &r))
		if (at - from > PIECE - MAP_LOG_RECORD || at == len) {
			rc = put_frame((struct frame_writer *)o, FRAME_MAPS, NULL, 0, p + from,
				       at - from, e);
			from = at;
		}
	return rc;
}

static int put_format(struct output *o, const char *system, const char *text, size_t len,
		      struct err *e)
{
	return put_frame((struct frame_writer *)o, FRAME_FORMAT, system, strlen(system) + 1, text,
			 len, e);
}

static int put_clock(struct output *o, int64_t offset, uint64_t wrong, struct err *e)
{
	uint8_t b[16];

	bytes_put(b, (uint64_t)offset, 8, false);
	bytes_put(b + 8, wrong, 8, false);
	return zedstream_write_frame(o, FRAME_CLOCK, b, sizeof(b), e);
}

static int put_lost(struct output *o, int cpu, uint64_t lost, struct err *e)
{
	uint8_t b[12];

	bytes_put(b, cpu, 4, false);
	bytes_put(b + 4, lost, 8, false);
	return put_frame((struct frame_writer *)o, FRAME_LOST, b, sizeof(b), NULL, 0, e);
}

static int put_end(struct output *o, const struct output_end *end, struct err *e)
{
	struct frame_writer *w = (struct frame_writer *)o;
	uint8_t b[16];
	/* Some names may have been read too late for their time; they are sent all the same. */
	int rc = w->watched ? 0 : put_comms(o, end->comms, end->comms_len, e);

	for (unsigned i = 0; i < end->ncpus && !rc; i++) {
		if (!end->stats || !end->stats[i])
			continue;
		bytes_put(b, end->cpus[i], 4, false);
		rc = put_frame(w, FRAME_STATS, b, 4, end->stats[i],
			       strnlen(end->stats[i], STATS_MAX), e);
	}
	bytes_put(b, end->events, 8, false);
	bytes_put(b + 8, end->dropped, 8, false);
	if (rc == 0)
		rc = put_frame(w, FRAME_END, b, sizeof(b), NULL, 0, e);
	return rc ? rc : byteout_flush(&w->out, e);
}

/* The events of CPU in the part of the file that was written; -1 if it cannot be read. */
static int64_t found_in_file(struct frame_writer *w, int cpu)
{
	char path[64];
	struct err none;

	if (!w->found) {
		if (!w->out.broken)
			byteout_flush(&w->out, &none);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", w->out.fd);
		w->found = mem_zalloc(sizeof(*w->found));
		w->found_rc = count_file(w->found, path, NULL, &none);
	}
	for (unsigned i = 0; i < w->found->ncpus; i++)
		if (w->found->cpus[i].cpu == cpu)
			return (int64_t)w->found->cpus[i].events;
	return w->found_rc;
}

static int64_t found(struct output *o, int cpu)
{
	struct frame_writer *w = (struct frame_writer *)o;

	if (w->out.file)
		return found_in_file(w, cpu);
	if (w->out.socket)
		return -1;
	if (w->out.broken)
		delivered_settle(&w->delivered, byteout_read(&w->out));
	return (int64_t)delivered_events(&w->delivered, cpu);
}

static void close_writer(struct output *o)
{
	struct frame_writer *w = (struct frame_writer *)o;

	if (w->found)
		count_fini(w->found);
	free(w->found);
	delivered_fini(&w->delivered);
	delivered_fini(&w->marks);
	packer_free(w->packer);
	free(w->packed);
	free(w->copy);
	byteout_fini(&w->out);
	free(w);
}

static const struct output_ops writer_ops = {
	.begin = put_head,
	.splice = put_pipe,
	.page = put_page,
	.round = put_round,
	.comms = put_comms,
	.names = put_names,
	.cgroups = put_cgroups,
	.maps = put_maps,
	.format = put_format,
	.lost = put_lost,
	.clock = put_clock,
	.end = put_end,
	.found = found,
	.close = close_writer,
};

struct output *zedstream_write_new(int fd, struct err *e)
{
	struct frame_writer *w = mem_zalloc(sizeof(*w));

	if (byteout_init(&w->out, fd, e) < 0) {
		free(w);
		return NULL;
	}
	w->base.ops = &writer_ops;
	w->base.flush_ns = FLUSH_NS;
	w->base.quiet_ns = QUIET_NS;
	w->base.takes_names = true;
	return &w->base;
}

void zedstream_write_pack(struct output *o)
{
	struct frame_writer *w = (struct frame_writer *)o;

	w->packer = packer_new(CODEC_ZSTD);
	packer_level(w->packer, LEVEL);
}

void zedstream_write_acked(struct output *o, const uint64_t *reached, uint64_t patience)
{
	struct frame_writer *w = (struct frame_writer *)o;

	w->out.reached = reached;
	w->out.patience = patience;
}

void zedstream_write_broken(struct output *o)
{
	((struct frame_writer *)o)->out.broken = true;
}

uint64_t zedstream_write_missed(const struct output *o, int cpu)
{
	const struct frame_writer *w = (const struct frame_writer *)o;

	return delivered_missing(&w->marks, cpu, byteout_read(&w->out));
}

uint64_t zedstream_write_length(const struct output *o)
{
	return length((const struct frame_writer *)o);
}

int zedstream_write_flush(struct output *o, struct err *e)
{
	return byteout_flush(&((struct frame_writer *)o)->out, e);
}
