// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_head: the header of a perf.data file: its events, the ids of their records, the place of the
 * data, and the table of features after them.
 */
#include "base/mem.h"
#include "reader/perf/perf.h"
#include "reader/perf/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The header, offsets in bytes (format.md 12.1). */
enum {
	AT_SIZE = 8,
	AT_ATTR_SIZE = 16,
	AT_ATTRS = 24,
	AT_DATA = 40,
	AT_FEATURES = 72,
	HEAD_PIPE = 16, /* the size stated by a pipe */
	HEAD_OLD = 72,	/* before features were added */
	HEAD_LEN = 104,
};

#define SECTION_LEN 16 /* offset and size of a section, u64 each */
#define MAX_ATTR_SIZE 4096
#define IDS_AT_ONCE 8192

bool perf_head_probe(const struct input *in, bool *big_endian)
{
	uint8_t head[HEAD_PIPE];
	struct err e;

	if (input_read(in, head, sizeof(head), 0, &e) < 0)
		return false;
	*big_endian = false;
	if (!memcmp(head, PERF_MAGIC, PERF_MAGIC_LEN))
		return true;
	*big_endian = true;
	if (!memcmp(head, PERF_MAGIC_SWAPPED, PERF_MAGIC_LEN))
		return true;
	if (memcmp(head, PERF_MAGIC_OLD, PERF_MAGIC_LEN))
		return false;
	/* The first version has the same magic in both orders: its size is a small number. */
	*big_endian = bytes_u64(head + AT_SIZE, false) > UINT32_MAX;
	return true;
}

bool perf_head_is_piped(const struct input *in)
{
	uint8_t head[HEAD_PIPE];
	struct err e;
	bool big;

	return perf_head_probe(in, &big) && input_read(in, head, sizeof(head), 0, &e) == 0 &&
	       bytes_u64(head + AT_SIZE, big) == HEAD_PIPE;
}

/* Report a bad part of the header, and continue without it. */
static void damaged(struct perf *f, struct err *e, const char *what)
{
	err_within(e, "%s", what);
	err_path(e, f->base.in.path);
	note_err(f->notes, NOTE_DAMAGE, e);
}

struct feature_section {
	uint64_t off, size;
};

static struct feature_section section_at(const uint8_t *p, bool big_endian)
{
	return (struct feature_section){ bytes_u64(p, big_endian), bytes_u64(p + 8, big_endian) };
}

/* Is all of S within the file? */
static int check_section(const struct perf *f, const struct feature_section *s, struct err *e)
{
	uint64_t size = f->base.in.size;

	if (s->off <= size && s->size <= size - s->off)
		return 0;
	return err_set(e, ERR_FORMAT, s->off,
		       "%" PRIu64 " byte%s, which run past the end of the file", s->size,
		       plural(s->size));
}

static int read_ids(struct perf *f, const struct feature_section *s, unsigned attr, struct err *e)
{
	uint64_t done = 0, n = s->size / 8;
	uint8_t *p;
	int rc = 0;

	if (!n)
		return 0;
	TRY(check_section(f, s, e));
	if (n > PERF_MAX_IDS)
		return err_set(e, ERR_FORMAT, s->off, "%" PRIu64 " ids, where %u are the most", n,
			       PERF_MAX_IDS);
	/* Events do not share sections. */
	if (s->size > f->base.in.size - f->meta.id_bytes)
		return err_set(e, ERR_FORMAT, s->off,
			       "the sections of ids are larger together than the file: left out");
	f->meta.id_bytes += s->size;
	if (n > f->attrs.most_ids)
		f->attrs.most_ids = n;
	p = mem_alloc(8 * IDS_AT_ONCE);
	while (done < n && rc == 0) {
		uint64_t len = n - done < IDS_AT_ONCE ? n - done : IDS_AT_ONCE;

		rc = input_read(&f->base.in, p, 8 * len, s->off + 8 * done, e);
		for (uint64_t i = 0; i < len && rc == 0; i++)
			rc = attrs_add_id(&f->attrs, perf_u64(f, p + 8 * i), attr, e);
		done += len;
	}
	free(p);
	return rc;
}

static int read_attrs(struct perf *f, const struct feature_section *s, uint64_t stride,
		      struct err *e)
{
	uint8_t p[MAX_ATTR_SIZE];
	struct cursor c;

	if (stride < 64 + SECTION_LEN || stride > MAX_ATTR_SIZE)
		return err_set(e, ERR_FORMAT, AT_ATTR_SIZE,
			       "descriptions of events with %" PRIu64 " byte%s, where %u to %u are "
			       "possible",
			       stride, plural(stride), 64 + SECTION_LEN, MAX_ATTR_SIZE);
	TRY(check_section(f, s, e));
	for (uint64_t at = 0; at + stride <= s->size; at += stride) {
		struct feature_section ids;
		struct err bad;

		TRY(input_read(&f->base.in, p, stride, s->off + at, e));
		cursor_init(&c, p, stride - SECTION_LEN, s->off + at, f->form.big_endian);
		if (!attrs_add(&f->attrs, c, e))
			return -1;
		ids = section_at(p + stride - SECTION_LEN, f->form.big_endian);
		if (read_ids(f, &ids, f->attrs.n - 1, &bad) < 0)
			damaged(f, &bad, "ids of an event");
	}
	return 0;
}

/* ---- features ---- */

static int read_feature(struct perf *f, unsigned number, const struct feature_section *s,
			struct err *e)
{
	struct cursor c;
	uint8_t *p;
	int rc;

	TRY(check_section(f, s, e));
	if (number == FEATURE_TRACING_DATA) {
		p = perf_text(f, s->size, s->off, e);
		if (!p || input_read(&f->base.in, p, s->size, s->off, e) < 0)
			return -1;
		return perf_formats(f, p, s->size, s->off, e);
	}
	if (s->size > PERF_MAX_FEATURE)
		return err_set(e, ERR_FORMAT, s->off, "%" PRIu64 " bytes, where %u are the most",
			       s->size, PERF_MAX_FEATURE);
	p = mem_alloc(s->size + 1);
	rc = input_read(&f->base.in, p, s->size, s->off, e);
	cursor_init(&c, p, s->size, s->off, f->form.big_endian);
	if (rc == 0)
		rc = perf_feature(f, number, c, e);
	free(p);
	return rc;
}

/* Those that read_feature() knows; the others may be missing or damaged. */
static bool is_needed(unsigned number)
{
	switch (number) {
	case FEATURE_TRACING_DATA:
	case FEATURE_BUILD_ID:
	case FEATURE_HOSTNAME:
	case FEATURE_OSRELEASE:
	case FEATURE_VERSION:
	case FEATURE_ARCH:
	case FEATURE_NRCPUS:
	case FEATURE_CMDLINE:
	case FEATURE_EVENT_DESC:
	case FEATURE_COMPRESSED:
	case FEATURE_CLOCK_DATA:
		return true;
	}
	return false;
}

/*
 * The bits of the features, as 64-bit words of the file's order.  Big-endian 32-bit machines wrote
 * them as words of 32 bits: then HOSTNAME, which all files have, is set only in that reading.
 */
static void feature_bits(const uint8_t *p, bool big_endian, uint64_t bits[4])
{
	for (unsigned i = 0; i < 4; i++)
		bits[i] = bytes_u64(p + 8 * i, big_endian);
	if (!big_endian || bits[0] >> FEATURE_HOSTNAME & 1)
		return;
	for (unsigned i = 0; i < 4; i++)
		bits[i] = (uint64_t)bytes_u32(p + 8 * i + 4, true) << 32 |
			  bytes_u32(p + 8 * i, true);
}

/* By the header, what follows the data ends at TOLD.  Is it all in the file? */
static void say_cut(struct perf *f, uint64_t told)
{
	if (told <= f->base.in.size)
		return;
	f->base.missing.bytes = told - f->base.in.size;
	note_say(f->reports.to, NOTE_DAMAGE,
		 "%s: the file is cut off or damaged: it has %" PRIu64
		 " bytes, and its headers refer to at least %" PRIu64
		 ": the data are complete, some of what follows them (formats, names, the "
		 "machine) is missing",
		 f->base.in.path, f->base.in.size, told);
}

/* The table is after the data: a section for each bit that is set. */
static void read_features(struct perf *f, const uint64_t bits[4], uint64_t table)
{
	uint64_t at = table, told = table;
	struct feature_section got[FEATURE_BITS] = { 0 };
	uint8_t p[SECTION_LEN];
	struct err e;

	for (unsigned i = 0; i < FEATURE_BITS; i++) {
		if (!(bits[i / 64] >> (i % 64) & 1))
			continue;
		if (input_read(&f->base.in, p, sizeof(p), at, &e) < 0) {
			damaged(f, &e, "table of features");
			told = at + SECTION_LEN > told ? at + SECTION_LEN : told;
			break;
		}
		got[i] = section_at(p, f->form.big_endian);
		at += SECTION_LEN;
		if (got[i].size < UINT64_MAX - got[i].off && got[i].off + got[i].size > told)
			told = got[i].off + got[i].size;
	}
	for (unsigned i = 0; i < FEATURE_BITS; i++) {
		char what[32];

		if (!got[i].size || !is_needed(i))
			continue;
		snprintf(what, sizeof(what), "feature %u", i);
		if (read_feature(f, i, &got[i], &e) < 0)
			damaged(f, &e, what);
	}
	say_cut(f, told);
}

int perf_head_read(struct perf *f, struct err *e)
{
	uint8_t head[HEAD_LEN] = { 0 };
	struct feature_section attrs, data;
	uint64_t size, bits[4] = { 0 }, table;
	ssize_t n = input_read_some(&f->base.in, head, sizeof(head), 0, e);

	if (n < 0)
		return -1;
	size = bytes_u64(head + AT_SIZE, f->form.big_endian);
	if (size == HEAD_PIPE) {
		f->form.records = true;
		f->in.data_off = HEAD_PIPE;
		f->in.data_end = UINT64_MAX;
		return 0;
	}
	if (size < HEAD_OLD)
		return err_set(e, ERR_FORMAT, AT_SIZE,
			       "the header has %" PRIu64 " byte%s by its own size, and needs %u",
			       size, plural(size), HEAD_LEN);
	if (n < HEAD_OLD)
		return err_set(e, ERR_FORMAT, n,
			       "the file is cut off: it ends within its header, after %zd byte%s, "
			       "and no event can be read: copy it again, or record again",
			       n, plural(n));
	attrs = section_at(head + AT_ATTRS, f->form.big_endian);
	data = section_at(head + AT_DATA, f->form.big_endian);
	if (read_attrs(f, &attrs, bytes_u64(head + AT_ATTR_SIZE, f->form.big_endian), e) < 0) {
		if (!f->attrs.n)
			return err_within(e, "events");
		damaged(f, e, "events");
	}
	if (!f->attrs.n)
		return err_set(e, ERR_FORMAT, AT_ATTRS,
			       "has no events (perf record was killed before it began?)");
	f->in.data_off = data.off;
	f->in.data_end = f->base.in.size;
	if (data.off > f->base.in.size)
		return err_set(e, ERR_FORMAT, AT_DATA,
			       "data at 0x%" PRIx64 ", beyond the end of the file", data.off);
	if (!data.size) {
		/* perf writes it last. */
		f->base.salvaged = true;
		return 0;
	}
	if (data.size > f->base.in.size - data.off) {
		note_say(f->notes, NOTE_DAMAGE,
			 "%s: the file is cut: %" PRIu64 " of %" PRIu64 " bytes of data are there, "
			 "everything after them is missing",
			 f->base.in.path, f->base.in.size - data.off, data.size);
		f->base.missing.bytes = data.size - (f->base.in.size - data.off);
		return 0;
	}
	f->in.data_end = table = data.off + data.size;
	if (size >= HEAD_LEN && n == HEAD_LEN) {
		feature_bits(head + AT_FEATURES, f->form.big_endian, bits);
		read_features(f, bits, table);
	}
	return 0;
}
