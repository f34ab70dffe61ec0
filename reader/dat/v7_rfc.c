// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * v7_rfc: the sections and options of version 7 as described by the RFC of June 2021 (both mails).
 * The exact place of the CPUs' data is determined later, by v7_rfc_data.
 */
#include "base/mem.h"
#include "reader/dat/buffers.h"
#include "reader/dat/v7_rfc.h"

#include <inttypes.h>
#include <string.h>

int dat7_rfc_section(struct dat *d, uint64_t off, struct section *s, struct err *e)
{
	uint64_t file = d->base.in.size, size;
	uint8_t head[RFC_HEAD];

	dat_tells(d, off, RFC_HEAD);
	if (off > file || file - off < RFC_HEAD)
		return err_set(e, ERR_FORMAT, file,
			       "the file ends here, and a section should begin at "
			       "0x%" PRIx64,
			       off);
	TRY(input_read(&d->base.in, head, RFC_HEAD, off, e));
	s->id = bytes_u16(head, d->head.big_endian);
	s->flags = bytes_u16(head + 2, d->head.big_endian);
	size = bytes_u64(head + 4, d->head.big_endian);
	s->usize = bytes_u64(head + 12, d->head.big_endian);
	s->head = off;
	s->off = off + RFC_HEAD;
	s->packed = s->flags & SECTION_PACKED;
	s->size = size < file - s->off ? size : file - s->off;
	/*
	 * If its size includes the header, a last section may seem to end that much after the file.
	 */
	s->overrun = size > file - s->head;
	s->next = size <= file - s->off ? s->off + size : UINT64_MAX;
	if (s->packed && d->codec == CODEC_NONE)
		return err_set(e, ERR_FORMAT, off,
			       "a compressed section in a file that says it has none");
	return 0;
}

static int rfc_options(struct dat *d, uint64_t off, struct cursor *c, uint8_t **buf, struct err *e)
{
	uint8_t word[8];
	uint64_t size;

	TRY(input_read(&d->base.in, word, 8, off, e));
	size = bytes_u64(word, d->head.big_endian);
	/* With or without itself: DONE ends the options, this only bounds them. */
	if (!size || size > d->base.in.size - off)
		return err_set(e, ERR_FORMAT, off,
			       "options of %" PRIu64 " byte%s are not in the file", size,
			       plural(size));
	return dat7_load_options(d, off + 8, size, c, buf, e);
}

/* {name, u32 n, n records}; or, in the first mail, {name, u64 offset of a v6 block} */
static int buffer_option(struct dat *d, struct cursor c, bool compressed, struct err *e)
{
	uint32_t ncpus, page_size = 0;
	const char *name;
	struct buffer *b;
	uint64_t off, size;

	TRY(cursor_str(&c, &name, 256, e));
	TRY(dat_buffer_claim(d->base.nbuffers, c.base, e));
	if (!compressed && cursor_left(&c) == 8) {
		TRY(cursor_u64(&c, &off, e));
		b = dat_add_buffer(d, name, "", 0);
		dat_add_cpu(d, b, 0, off, 1, (enum dat_how)RFC_FLYRECORD);
		return 0;
	}
	TRY(cursor_u32(&c, &ncpus, e));
	if (compressed) {
		TRY(cursor_u32(&c, &page_size, e));
		if (!dat_page_size_ok(page_size))
			return err_set(e, ERR_FORMAT, c.base,
				       "buffer \"%.64s\" has pages of %u byte%s", name, page_size,
				       plural(page_size));
	}
	if (ncpus > cursor_left(&c) / 20)
		return err_set(e, ERR_FORMAT, c.base,
			       "buffer \"%.64s\" has %u CPU%s in %" PRIu64 " byte%s", name, ncpus,
			       plural(ncpus), cursor_left(&c), plural(cursor_left(&c)));
	b = dat_add_buffer(d, name, "", page_size);
	for (uint32_t i = 0; i < ncpus; i++) {
		uint32_t cpu;

		TRY(cursor_u32(&c, &cpu, e));
		TRY(cursor_u64(&c, &off, e));
		TRY(cursor_u64(&c, &size, e));
		/* A CPU without data still has a section. */
		if (!off)
			note_say(d->notes, NOTE_DAMAGE,
				 "%s: offset 0x%" PRIx64 ": buffer \"%.64s\": cpu %u has no place "
				 "in the file",
				 d->base.in.path, c.base, name, cpu);
		else
			dat_add_cpu(d, b, cpu, off, size,
				    (enum dat_how)(compressed ? RFC_PAGED : RFC_SECTION));
	}
	if (cursor_left(&c))
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": buffer \"%.64s\": %" PRIu64 " bytes after its "
			 "%u CPUs",
			 d->base.in.path, c.base, name, cursor_left(&c), ncpus);
	return 0;
}

static int map_option(struct dat *d, struct cursor c, struct err *e)
{
	struct rfc_map m;
	struct rfc *r;

	TRY(cursor_u32(&c, &m.page_size, e));
	TRY(cursor_u32(&c, &m.cpu, e));
	TRY(cursor_u64(&c, &m.start, e));
	TRY(cursor_u64(&c, &m.end, e));
	TRY(cursor_u64(&c, &m.off, e));
	if (!dat_page_size_ok(m.page_size) || m.end < m.start || m.off >= d->base.in.size)
		return err_set(e, ERR_FORMAT, c.base, "invalid map of cpu %u", m.cpu);
	if (!d->dialect)
		d->dialect = mem_zalloc(sizeof(struct rfc));
	r = d->dialect;
	r->maps = mem_grow(r->maps, &r->cap, r->n + 1, sizeof(*r->maps));
	r->maps[r->n++] = m;
	return 0;
}

static int latency_option(struct dat *d, struct cursor c, struct err *e)
{
	struct section s;
	struct buffer *b;
	uint64_t off;

	TRY(cursor_u64(&c, &off, e));
	TRY(dat7_rfc_section(d, off, &s, e));
	if (s.id != RFC_LATENCY)
		return err_set(e, ERR_FORMAT, off, "latency text should be here, and section %u is",
			       s.id);
	b = dat_add_buffer(d, "", "", 4096);
	b->text = true;
	/*
	 * With the larger interpretation of the size it may overlap what follows; usize is the
	 * text's.
	 */
	if (!s.packed && s.usize < s.size)
		s.size = s.usize;
	dat_add_cpu(d, b, 0, s.off, s.size, s.packed ? DAT_INFLATE : DAT_BARE);
	return 0;
}

static bool rfc_option(struct dat *d, unsigned id, struct cursor payload, int *rc, struct err *e)
{
	switch (id) {
	case DAT_BUFFER:
		*rc = buffer_option(d, payload, false, e);
		return true;
	case RFC_COMPRESSED:
		*rc = buffer_option(d, payload, true, e);
		return true;
	case RFC_MAP:
		*rc = map_option(d, payload, e);
		return true;
	case RFC_LATENCY:
		*rc = latency_option(d, payload, e);
		return true;
	}
	return false;
}

/* Each CPU has its own section, so any number will do. */
static void rfc_orphan(struct dat *d, const struct section *s)
{
	struct buffer *b = NULL;

	for (unsigned i = 0; i < d->base.nbuffers; i++)
		if (!strcmp(d->base.buffers[i].name, "salvaged"))
			b = &d->base.buffers[i];
	if (!b) {
		b = dat_add_buffer(d, "salvaged", "", 0);
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": data found without their "
			 "table: CPU numbers are a guess",
			 d->base.in.path, s->head);
	}
	dat_add_cpu(d, b, b->ncpus, s->head, s->size, (enum dat_how)RFC_SECTION);
}

const struct dat7_dialect dat7_rfc = {
	.name = "v7 RFC",
	.loose = true,
	.section = dat7_rfc_section,
	.options = rfc_options,
	.option = rfc_option,
	.orphan = rfc_orphan,
	.finish = dat7_rfc_finish,
};
