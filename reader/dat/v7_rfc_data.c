// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * v7_rfc_data: locates the data of an RFC file's CPUs.  Where the mails are ambiguous - whether
 * sizes include the header, whether data begin after it or at a page boundary - the bytes
 * themselves decide, once all options are known.
 */
#include "base/mem.h"
#include "reader/dat/buffers.h"
#include "reader/dat/v7_rfc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Could a sub-buffer begin at OFF?  It has a time and a commit that fits. */
static bool page_at(struct dat *d, uint64_t off, uint32_t page_size, uint64_t *ts)
{
	const struct page_layout *l = &d->layout;
	uint8_t head[16];
	struct err e;
	uint32_t word;

	if (input_read(&d->base.in, head, sizeof(head), off, &e) < 0)
		return false;
	*ts = bytes_u64(head, l->big_endian);
	word = bytes_u32(head + 8 + (l->big_endian && l->long_size == 8 ? 4 : 0), l->big_endian);
	return *ts && (word & 0x07ffffff) <= page_size - l->data_off;
}

/* The lowest offset above OFF at which something else is known to begin. */
static uint64_t boundary(const struct dat *d, uint64_t off)
{
	uint64_t least = d->base.in.size;

	for (unsigned i = 0; i < d->base.nbuffers; i++)
		for (unsigned k = 0; k < d->base.buffers[i].ncpus; k++) {
			uint64_t at = d->base.buffers[i].cpus[k].off;

			if (at > off && at < least)
				least = at;
		}
	for (unsigned i = 0; i < DAT_NIDS; i++) {
		uint64_t at = d->parts[i].present ? d->parts[i].off - RFC_HEAD : 0;

		if (at > off && at < least)
			least = at;
	}
	if (d->options_off > off && d->options_off < least)
		least = d->options_off;
	return least;
}

/* Bare pages: their start and size.  SIZE is from the option, for the section or its data. */
static int bare_pages(struct dat *d, const struct buffer *b, struct buffer_cpu *c,
		      const struct section *s, struct err *e)
{
	uint64_t page = b->page_size, at = s->off, aligned = (at + page - 1) / page * page, ts = 0;
	uint64_t end = boundary(d, s->head), pad, sizes[2] = { c->size, s->size };

	if (at != aligned && !page_at(d, at, page, &ts) && page_at(d, aligned, page, &ts))
		at = aligned;
	pad = at - s->off;
	for (unsigned i = 0; i < 2; i++) {
		/* The size alone, or including the header, the padding, or both. */
		const uint64_t extra[] = { 0, RFC_HEAD, pad, pad + RFC_HEAD };

		for (unsigned k = 0; k < 4; k++) {
			uint64_t n = sizes[i] - extra[k];

			if (sizes[i] < extra[k] || n % page || n > end || at > end - n || !n)
				continue;
			c->off = at;
			c->size = n;
			c->how = DAT_BARE;
			return 0;
		}
	}
	/*
	 * Truncated, or no interpretation of the size fits: use what is there, up to the next known
	 * part.
	 */
	if (at >= end)
		return err_set(e, ERR_FORMAT, s->head, "section with no room for a page");
	c->off = at;
	c->how = DAT_BARE;
	if (c->size % page == RFC_HEAD)
		c->size -= RFC_HEAD;
	/* The feed reports how much is missing past the end of the file. */
	if (end < d->base.in.size && c->size > end - at) {
		c->size = end - at;
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": data of cpu %d would run into what follows",
			 d->base.in.path, s->head, c->cpu);
	}
	return 0;
}

/*
 * Follow the chain of compressed pages from OFF to LIMIT or *PAGES of them; sets its end, and how
 * many are missing.
 */
static uint64_t chain_end(struct dat *d, uint64_t off, uint64_t limit, uint64_t *pages)
{
	uint8_t word[4];
	struct err e;

	for (; *pages && limit - off >= 4; --*pages) {
		uint64_t csize;

		if (input_read(&d->base.in, word, 4, off, &e) < 0)
			break;
		csize = bytes_u32(word, d->head.big_endian);
		if (!csize || csize > limit - off - 4)
			break;
		off += 4 + csize;
	}
	return off;
}

/* The number of pages by the map of B's CPU C, whose section is S; UINT64_MAX: not stated. */
static uint64_t mapped_pages(struct dat *d, const struct buffer *b, const struct buffer_cpu *c,
			     const struct section *s)
{
	const struct rfc *r = d->dialect;
	uint64_t pages = UINT64_MAX;

	for (unsigned i = 0; r && i < r->n; i++) {
		const struct rfc_map *m = &r->maps[i];

		if (m->off != c->off && m->off != s->off)
			continue;
		if (m->page_size == b->page_size)
			pages = (m->end - m->start) / m->page_size;
		else
			note_say(d->notes, NOTE_DAMAGE,
				 "%s: offset 0x%" PRIx64 ": the map of cpu %d has pages of %u "
				 "bytes, and its buffer of %u: it is not used",
				 d->base.in.path, m->off, c->cpu, m->page_size, b->page_size);
	}
	return pages;
}

static int paged(struct dat *d, const struct buffer *b, struct buffer_cpu *c, struct err *e)
{
	uint64_t pages, sizes[2], end;
	struct section s;

	TRY(dat7_rfc_section(d, c->off, &s, e));
	if (s.id != RFC_COMPRESSED)
		return err_set(e, ERR_FORMAT, c->off,
			       "compressed pages should be here, and section %u is", s.id);
	pages = mapped_pages(d, b, c, &s);
	sizes[0] = c->size;
	sizes[1] = s.size;
	end = d->base.in.size;
	if (pages == UINT64_MAX) {
		/* The size at which the chain ends exactly, with or without the header. */
		for (unsigned i = 0; i < 4; i++) {
			uint64_t n = sizes[i / 2] - (i % 2 ? RFC_HEAD : 0), any = UINT64_MAX;

			if (sizes[i / 2] < RFC_HEAD || n > end - s.off ||
			    chain_end(d, s.off, s.off + n, &any) != s.off + n)
				continue;
			c->size = n;
			goto found;
		}
		c->size = s.size;
	} else {
		end = boundary(d, c->off);
		c->size = chain_end(d, s.off, end, &pages) - s.off;
		/* Reading the pages reports what is wrong with the next one. */
		if (pages)
			c->size = end - s.off;
	}
found:
	c->off = s.off;
	c->how = DAT_PAGED;
	return 0;
}

static int one_section(struct dat *d, const struct buffer *b, struct buffer_cpu *c, struct err *e)
{
	struct section s;

	TRY(dat7_rfc_section(d, c->off, &s, e));
	if (s.id != DAT_BUFFER)
		return err_set(e, ERR_FORMAT, c->off,
			       "data of a CPU should be here, and section %u is", s.id);
	if (s.overrun)
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": data of cpu %d claim more bytes "
			 "than the file has",
			 d->base.in.path, c->off, c->cpu);
	if (!s.packed)
		return bare_pages(d, b, c, &s, e);
	c->off = s.off;
	c->size = s.size;
	c->usize = s.usize;
	c->how = DAT_INFLATE;
	return 0;
}

/*
 * The number of rows {u64 offset, u64 size} of a table at OFF if the file does not state it: as
 * many as look like pages in the file.  The clock's length follows, which is not a multiple of a
 * page.
 */
static unsigned count_rows(struct dat *d, uint64_t off)
{
	uint32_t page = d->layout.page_size;
	unsigned n = 0;
	uint8_t row[16];
	struct err e;

	while (page && n < DAT_MAX_CPUS &&
	       input_read(&d->base.in, row, 16, off + 16ull * n, &e) == 0) {
		uint64_t at = bytes_u64(row, d->head.big_endian),
			 size = bytes_u64(row + 8, d->head.big_endian);

		if (at % page || size % page || at > d->base.in.size)
			break;
		n++;
	}
	return n;
}

/* The first mail: a v6 block of the whole buffer.  Its contents replace B. */
static int flyrecord(struct dat *d, const struct buffer *b, struct err *e)
{
	uint64_t off = b->cpus[0].off;
	char *name = mem_strdup(b->name), marker[10];
	unsigned ncpus = d->base.cpu_count;
	int rc;

	rc = input_read(&d->base.in, marker, sizeof(marker), off, e);
	/* According to the mail sections begin with their header: the block may follow one. */
	if (rc == 0 && memcmp(marker, "flyrecord", 9) &&
	    bytes_u16((uint8_t *)marker, d->head.big_endian) == DAT_BUFFER) {
		off += RFC_HEAD;
		rc = input_read(&d->base.in, marker, sizeof(marker), off, e);
	}
	if (rc == 0 && memcmp(marker, "flyrecord", 9))
		rc = err_set(e, ERR_FORMAT, off, "data of buffer \"%.64s\" should be here", name);
	if (rc == 0 && !ncpus) {
		ncpus = count_rows(d, off + 10);
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": the number of CPUs is not "
			 "recorded: the table looks like %u",
			 d->base.in.path, off, ncpus);
	}
	if (rc == 0)
		rc = dat_flyrecord(d, off + 10, ncpus, true, name, e);
	free(name);
	return rc;
}

static void say_damage(struct dat *d, const struct buffer *b, struct err *e)
{
	err_within(e, "buffer \"%.64s\"", b->name);
	err_path(e, d->base.in.path);
	note_err(d->notes, NOTE_DAMAGE, e);
}

/* CPUs that only a map describes form the top buffer. */
static void add_mapped(struct dat *d)
{
	const struct rfc *r = d->dialect;
	struct buffer *b = NULL;

	for (unsigned i = 0; r && i < r->n; i++) {
		const struct rfc_map *m = &r->maps[i];
		bool known = false;

		for (unsigned k = 0; k < d->base.nbuffers; k++)
			for (unsigned j = 0; j < d->base.buffers[k].ncpus; j++) {
				uint64_t off = d->base.buffers[k].cpus[j].off;

				if (off == m->off || off + RFC_HEAD == m->off)
					known = true;
			}
		if (known)
			continue;
		if (!b)
			b = dat_add_buffer(d, "", "", m->page_size);
		dat_add_cpu(d, b, m->cpu, m->off, m->end - m->start, (enum dat_how)RFC_PAGED);
	}
}

void dat7_rfc_finish(struct dat *d)
{
	struct rfc *r = d->dialect;
	struct err e;

	add_mapped(d);
	/* v6 blocks first: they replace their buffer, so pointers into this list become invalid. */
	for (unsigned i = 0; i < d->base.nbuffers;) {
		struct buffer *b = &d->base.buffers[i];

		if (!b->ncpus || b->cpus[0].how != RFC_FLYRECORD) {
			i++;
			continue;
		}
		struct buffer was = *b;

		memmove(b, b + 1, (d->base.nbuffers - i - 1) * sizeof(*b));
		d->base.nbuffers--;
		if (flyrecord(d, &was, &e) < 0)
			say_damage(d, &was, &e);
		buffer_fini(&was);
		i = 0;
	}
	for (unsigned i = 0; i < d->base.nbuffers; i++) {
		struct buffer *b = &d->base.buffers[i];

		if (!b->page_size)
			b->page_size = d->layout.page_size;
		if (!*b->clock) {
			free(b->clock);
			b->clock = mem_strdup(d->texts.clock ? d->texts.clock : "local");
		}
		/* It is only in the header information, which may be damaged. */
		if (!dat_page_size_ok(b->page_size) && b->ncpus) {
			err_set(&e, ERR_FORMAT, b->cpus[0].off,
				"sub-buffers of %u byte%s: the data of %u CPU%s cannot be read",
				b->page_size, plural(b->page_size), b->ncpus, plural(b->ncpus));
			say_damage(d, b, &e);
			b->ncpus = 0;
		}
		for (unsigned k = 0; k < b->ncpus;) {
			struct buffer_cpu *c = &b->cpus[k];
			int rc = 0;

			if (c->how == RFC_SECTION)
				rc = one_section(d, b, c, &e);
			else if (c->how == RFC_PAGED)
				rc = paged(d, b, c, &e);
			if (rc < 0) {
				err_within(&e, "cpu %d", c->cpu);
				say_damage(d, b, &e);
				memmove(c, c + 1, (b->ncpus - k - 1) * sizeof(*c));
				b->ncpus--;
				continue;
			}
			k++;
		}
	}
	if (r)
		free(r->maps);
	free(r);
	d->dialect = NULL;
}
