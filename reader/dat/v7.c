// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * v7: the reader of version 7, in either dialect.  Finds the parts of a file by its chain of
 * options sections, or, if that is missing or broken, by walking the sections.
 */
#include "reader/dat/v7.h"

#include "base/mem.h"
#include "reader/dat/buffers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS (64u << 20) /* bytes of one options section */

int dat7_load_options(struct dat *d, uint64_t off, uint64_t max, struct cursor *c, uint8_t **buf,
		      struct err *e)
{
	uint64_t file = d->base.in.size;

	dat_tells(d, off, 0);
	if (off > file)
		return err_set(e, ERR_FORMAT, file,
			       "the file ends here, and options should begin at 0x%" PRIx64, off);
	if (max > file - off)
		max = file - off;
	if (max > MAX_OPTIONS)
		max = MAX_OPTIONS;
	TRY(dat_meta_claim(d, off, max, max, e));
	*buf = mem_alloc(max + 1);
	if (input_read(&d->base.in, *buf, max, off, e) < 0) {
		free(*buf);
		*buf = NULL;
		return -1;
	}
	cursor_init(c, *buf, max, off, d->head.big_endian);
	return 0;
}

/* Enter a metadata section as the part with its id.  Used by location options and by salvage. */
static int enter_part(struct dat *d, const struct dat7_dialect *dialect, unsigned id, uint64_t off,
		      struct err *e)
{
	struct section s;

	TRY(dialect->section(d, off, &s, e));
	if (s.id != id)
		return err_set(e, ERR_FORMAT, off, "section %u should be here, and %u is", id,
			       s.id);
	if (s.overrun)
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": section %u claims more bytes than the file has",
			 d->base.in.path, off, id);
	if (dialect->payload)
		TRY(dialect->payload(d, &s, e));
	if (d->parts[id].present)
		d->superseded |= 1u << id;
	d->parts[id] = (struct dat_part){ .present = true,
					  .packed = s.packed,
					  .off = s.off,
					  .size = s.size,
					  .usize = s.usize,
					  .loose = dialect->loose };
	return 0;
}

/* ---- the chain of options ---- */

static void say_damage(struct dat *d, struct err *e)
{
	err_path(e, d->base.in.path);
	note_err(d->notes, NOTE_DAMAGE, e);
}

static void one_option(struct dat *d, const struct dat7_dialect *dialect, unsigned id,
		       struct cursor payload)
{
	struct cursor c = payload;
	struct err e;
	uint64_t off;
	int rc = 0;

	if (!dialect->option(d, id, payload, &rc, &e)) {
		if (id >= DAT_HEADER_INFO && id <= DAT_CMDLINES) {
			if (payload.len < 8)
				return; /* ignored, as trace-cmd does */
			rc = cursor_u64(&c, &off, &e);
			if (rc == 0)
				rc = enter_part(d, dialect, id, off, &e);
		} else if (id < DAT_NIDS || id == DAT_CGROUPS || id == DAT_MAPS) {
			dat_option(d, id, payload);
		} else {
			note_say(d->notes, NOTE_INFO,
				 "%s: offset 0x%" PRIx64 ": option %u is not known, skipped",
				 d->base.in.path, payload.base, id);
		}
	}
	if (rc < 0)
		say_damage(d, &e);
}

static bool visit(struct dat7_visited *v, uint64_t off)
{
	if (v->n == DAT7_MAX_SECTIONS || dat7_was_visited(v, off))
		return false;
	v->off[v->n++] = off;
	return true;
}

/* One options section; *NEXT is the offset of the next one, 0 at the end of the chain. */
static int options_section(struct dat *d, const struct dat7_dialect *dialect, uint64_t off,
			   uint64_t *next, struct err *e)
{
	struct cursor c = { 0 }, payload = { 0 };
	uint8_t *buf = NULL;
	uint16_t id;
	uint32_t len;
	int rc;

	*next = 0;
	TRY(dialect->options(d, off, &c, &buf, e));
	for (;;) {
		rc = cursor_u16(&c, &id, e);
		if (rc == 0)
			rc = cursor_u32(&c, &len, e);
		if (rc == 0)
			rc = cursor_sub(&c, len, &payload, e);
		if (rc < 0) {
			err_within(e, "options");
			break;
		}
		if (id == DAT_DONE) {
			if (payload.len >= 8)
				rc = cursor_u64(&payload, next, e);
			break;
		}
		if (!dat_option_claim(d, payload.base))
			break;
		one_option(d, dialect, id, payload);
	}
	free(buf);
	return rc;
}

/* Follow the chain from OFF.  False: it is broken, and the rest has to be searched for. */
static bool follow_chain(struct dat *d, const struct dat7_dialect *dialect, uint64_t off,
			 struct dat7_visited *v)
{
	struct err e;
	uint64_t next;

	while (off) {
		if (!visit(v, off)) {
			err_set(&e, ERR_FORMAT, off, "the options lead in a circle");
			say_damage(d, &e);
			return false; /* search for what the loop cut off */
		}
		if (options_section(d, dialect, off, &next, &e) < 0) {
			say_damage(d, &e);
			return false;
		}
		off = next;
	}
	return true;
}

/*
 * Walk the sections from the first one: once for metadata and options, then (WANT_DATA) for data
 * without an option, which need the metadata.
 */
static void salvage(struct dat *d, const struct dat7_dialect *dialect, struct dat7_visited *v,
		    bool want_data)
{
	uint64_t off = d->head.len;
	struct section s;
	struct err e;

	while (off < d->base.in.size && dialect->section(d, off, &s, &e) == 0 && s.id < DAT_NIDS) {
		bool unfinished = !s.size && s.id != DAT_BUFFER;

		if (want_data) {
			/* The size is written last: an unfinished section extends to the end. */
			if (s.id == DAT_BUFFER && s.next == s.off && s.off < d->base.in.size &&
			    !dat7_told_of(d, &s)) {
				struct section after;

				if (dialect->section(d, s.off, &after, &e) < 0 ||
				    after.id >= DAT_NIDS || after.next == UINT64_MAX) {
					s.size = d->base.in.size - s.off;
					s.next = UINT64_MAX;
				}
			}
			if (s.id == DAT_BUFFER && s.size && !dat7_told_of(d, &s))
				dialect->orphan(d, &s);
		} else if (s.id == DAT_DONE) {
			uint64_t next;

			if (visit(v, off) && options_section(d, dialect, off, &next, &e) < 0)
				say_damage(d, &e);
		} else if (s.id >= DAT_HEADER_INFO && s.id <= DAT_CMDLINES &&
			   !d->parts[s.id].present && !unfinished) {
			if (enter_part(d, dialect, s.id, off, &e) < 0)
				say_damage(d, &e);
		}
		if (s.next == UINT64_MAX || unfinished)
			return;
		off = s.next;
	}
}

/* ---- the header ---- */

/* Up to the end of the header; DIALECT is known. */
static int take_header(struct dat *d, const struct dat7_dialect *dialect, struct cursor *c,
		       const char **name, struct err *e)
{
	const char *version;

	if (dialect == &dat7_shipped)
		TRY(cursor_u32(c, &d->head.page_size, e));
	TRY(cursor_str(c, name, 32, e));
	TRY(cursor_str(c, &version, 64, e));
	return cursor_u64(c, &d->options_off, e);
}

/* The rest of the header, from the byte that distinguishes the dialects. */
static int read_header(struct dat *d, const struct dat7_dialect **dialect, struct err *e)
{
	uint8_t head[512];
	const char *name;
	struct cursor c;
	ssize_t n = input_read_some(&d->base.in, head, sizeof(head), 0, e);
	int codec;

	if (n < 0)
		return -1;
	cursor_init(&c, head, n, 0, d->head.big_endian);
	c.pos = d->head.len;
	if (!cursor_left(&c))
		return err_minus(dat_head_cut(c.pos, n, e));
	if (head[c.pos] >= 'a' && head[c.pos] <= 'z')
		*dialect = &dat7_rfc;
	else if (!head[c.pos])
		*dialect = &dat7_shipped;
	else
		return err_set(e, ERR_FORMAT, c.pos,
			       "the header is neither of trace-cmd nor of the RFC");
	if (take_header(d, *dialect, &c, &name, e) < 0)
		return (size_t)n < sizeof(head) ? err_minus(dat_head_cut(c.pos, n, e)) : -1;
	if (*dialect == &dat7_shipped) {
		if (!dat_page_size_ok(d->head.page_size))
			return err_set(e, ERR_FORMAT, d->head.len,
				       "a page size of %u byte%s is not possible",
				       d->head.page_size, plural(d->head.page_size));
		d->layout.page_size = d->head.page_size;
	}
	codec = codec_find(name);
	if (codec < 0)
		return err_set(e, ERR_UNKNOWN, d->head.len,
			       "compression \"%s\" is not known (zlib and "
			       "zstd are; try trace-cmd convert --compression zstd)",
			       name);
	d->codec = codec;
	d->base.compression = codec_name(codec);
	d->head.len = c.pos;
	return 0;
}

/* Compressed, except for the data of all CPUs? */
static bool is_bare(const struct dat *d)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->base.nbuffers; i++)
		for (unsigned k = 0; k < d->base.buffers[i].ncpus; k++, n++)
			if (d->base.buffers[i].cpus[k].how != DAT_BARE)
				return false;
	return n && d->codec != CODEC_NONE;
}

int dat7_read(struct dat *d, struct err *e)
{
	const struct dat7_dialect *dialect;
	uint64_t before = d->notes ? d->notes->damage : 0;
	struct dat7_visited *v;
	bool whole;

	TRY(read_header(d, &dialect, e));
	d->base.dialect = dialect->name;
	v = mem_zalloc(sizeof(*v));
	if (!d->options_off) {
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: the recording was not finished (options offset 0): "
			 "what is in it is searched for",
			 d->base.in.path);
		whole = false;
	} else {
		whole = follow_chain(d, dialect, d->options_off, v);
		if (whole && dialect == &dat7_shipped && d->with_data)
			whole = !dat7_misses(d, v);
	}
	if (!whole) {
		d->base.salvaged = true;
		salvage(d, dialect, v, false);
	}
	dat_read_formats(d);
	if (!whole)
		salvage(d, dialect, v, true);
	free(v);
	if (dialect->finish)
		dialect->finish(d);
	else if (whole && d->with_data)
		dat7_rest(d);
	d->base.pages_bare = is_bare(d);
	/* Unless something worse has been reported. */
	if (d->with_data && !d->base.nbuffers && d->notes && d->notes->damage == before)
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": no option describes a buffer: "
			 "formats only, no events",
			 d->base.in.path, d->options_off);
	return 0;
}
