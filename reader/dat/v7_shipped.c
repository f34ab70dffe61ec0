// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * v7_shipped: version 7 as trace-cmd has written it since 3.0: its section headers, the options
 * that describe buffers, and data whose option is missing.
 */
#include "reader/dat/buffers.h"
#include "reader/dat/v7.h"

#include <inttypes.h>
#include <string.h>

static int shipped_section(struct dat *d, uint64_t off, struct section *s, struct err *e)
{
	uint64_t file = d->base.in.size, size;
	uint8_t head[24];

	dat_tells(d, off, 16);
	if (off > file || file - off < 16)
		return err_set(e, ERR_FORMAT, file,
			       "the file ends here, and a section should begin at "
			       "0x%" PRIx64,
			       off);
	TRY(input_read(&d->base.in, head, 16, off, e));
	s->id = bytes_u16(head, d->head.big_endian);
	s->flags = bytes_u16(head + 2, d->head.big_endian);
	size = bytes_u64(head + 8, d->head.big_endian);
	s->head = off;
	s->off = off + 16;
	s->packed = s->flags & SECTION_PACKED;
	s->usize = s->size = size < file - s->off ? size : file - s->off;
	s->overrun = size > file - s->off;
	dat_tells(d, s->off, size);
	s->next = s->overrun ? UINT64_MAX : s->off + size;
	return 0;
}

/* An ordinary packed payload begins with its two sizes. */
static int packed_sizes(struct dat *d, struct section *s, struct err *e)
{
	uint8_t words[8];
	uint64_t csize;

	if (!s->packed)
		return 0;
	if (s->size < 8)
		return err_set(e, ERR_FORMAT, s->off, "a compressed section of %" PRIu64 " byte%s",
			       s->size, plural(s->size));
	TRY(input_read(&d->base.in, words, 8, s->off, e));
	csize = bytes_u32(words, d->head.big_endian);
	s->usize = bytes_u32(words + 4, d->head.big_endian);
	s->off += 8;
	s->size -= 8;
	/* Big-endian recorders before 3.3.2 stored 0 here; 3.0 left slack after csize. */
	if (!csize || !s->usize || csize > s->size)
		return err_set(e, ERR_FORMAT, s->off - 8,
			       "compressed section with sizes %" PRIu64 " and %" PRIu64
			       " in %" PRIu64 " byte%s",
			       csize, s->usize, s->size, plural(s->size));
	s->size = csize;
	return 0;
}

static int unpack_options(struct dat *d, const struct section *s, struct cursor *c, uint8_t **buf,
			  struct err *e)
{
	struct dat_part part = {
		.present = true, .packed = true, .off = s->off, .size = s->size, .usize = s->usize
	};

	TRY(dat_part_load(d, &part, e));
	*buf = part.data;
	cursor_init(c, part.data, part.len, s->off, d->head.big_endian);
	return 0;
}

static int shipped_options(struct dat *d, uint64_t off, struct cursor *c, uint8_t **buf,
			   struct err *e)
{
	struct section s;

	TRY(shipped_section(d, off, &s, e));
	if (s.id != DAT_DONE)
		return err_set(e, ERR_FORMAT, off, "options should begin here, and section %u does",
			       s.id);
	if (s.packed) {
		TRY(packed_sizes(d, &s, e));
		return unpack_options(d, &s, c, buf, e);
	}
	return dat7_load_options(d, s.off, s.size, c, buf, e);
}

/* A BUFFER option's numbers, in one byte order. */
struct shipped_buffer {
	uint64_t off;
	const char *name, *clock;
	uint32_t page_size, ncpus;
	struct cursor cpus; /* ncpus records of {u32 id, u64 offset, u64 size} */
};

static int parse_buffer(struct cursor c, uint64_t file, struct shipped_buffer *b, struct err *e)
{
	TRY(cursor_u64(&c, &b->off, e));
	TRY(cursor_str(&c, &b->name, 256, e));
	TRY(cursor_str(&c, &b->clock, 64, e));
	TRY(cursor_u32(&c, &b->page_size, e));
	TRY(cursor_u32(&c, &b->ncpus, e));
	if (b->ncpus > cursor_left(&c) / 20)
		return err_set(e, ERR_FORMAT, c.base,
			       "buffer \"%.64s\" has %u CPU%s in %" PRIu64 " byte%s", b->name,
			       b->ncpus, plural(b->ncpus), cursor_left(&c),
			       plural(cursor_left(&c)));
	if (!dat_page_size_ok(b->page_size))
		return err_set(e, ERR_FORMAT, c.base,
			       "buffer \"%.64s\" has sub-buffers of %u byte%s", b->name,
			       b->page_size, plural(b->page_size));
	if (b->off >= file)
		return err_set(e, ERR_FORMAT, c.base,
			       "buffer \"%.64s\" lies at 0x%" PRIx64 ", past the end of the file",
			       b->name, b->off);
	return cursor_sub(&c, b->ncpus * 20ull, &b->cpus, e);
}

static int buffer_option(struct dat *d, struct cursor payload, struct err *e)
{
	struct shipped_buffer sb;
	struct section s;
	struct buffer *b;
	struct err other;

	/*
	 * Numbers are in the recorder's byte order; a file rewritten on another machine has both
	 * (trap 11).
	 */
	if (parse_buffer(payload, d->base.in.size, &sb, e) < 0) {
		struct cursor swapped = payload;

		swapped.big_endian = !swapped.big_endian;
		if (parse_buffer(swapped, d->base.in.size, &sb, &other) < 0)
			return -1;
	}
	TRY(shipped_section(d, sb.off, &s, e));
	if (s.id != DAT_BUFFER)
		return err_set(e, ERR_FORMAT, sb.off,
			       "data of buffer \"%.64s\" should be here, and section %u is",
			       sb.name, s.id);
	TRY(dat_buffer_claim(d->base.nbuffers, payload.base, e));
	/* An instance may have its own sub-buffer size; that of the top buffer is in the header. */
	if (!*sb.name && sb.page_size != d->head.page_size)
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": buffer \"\" has sub-buffers of %u bytes, and "
			 "the file header says %u",
			 d->base.in.path, payload.base, sb.page_size, d->head.page_size);
	b = dat_add_buffer(d, sb.name, sb.clock, sb.page_size);
	for (uint32_t i = 0; i < sb.ncpus; i++) {
		uint64_t off, size;
		uint32_t cpu;

		TRY(cursor_u32(&sb.cpus, &cpu, e));
		TRY(cursor_u64(&sb.cpus, &off, e));
		TRY(cursor_u64(&sb.cpus, &size, e));
		dat_add_cpu(d, b, cpu, off, size, s.packed ? DAT_CHUNKS : DAT_BARE);
	}
	return 0;
}

static int text_option(struct dat *d, struct cursor payload, struct err *e)
{
	const char *name, *clock;
	struct section s;
	struct buffer *b;
	uint64_t off;

	TRY(cursor_u64(&payload, &off, e));
	TRY(cursor_str(&payload, &name, 256, e));
	TRY(cursor_str(&payload, &clock, 64, e));
	TRY(shipped_section(d, off, &s, e));
	if (s.id != DAT_BUFFER_TEXT)
		return err_set(e, ERR_FORMAT, off, "latency text should be here, and section %u is",
			       s.id);
	TRY(dat_buffer_claim(d->base.nbuffers, payload.base, e));
	b = dat_add_buffer(d, name, clock, 4096);
	b->text = true;
	dat_add_cpu(d, b, 0, s.off, s.size, s.packed ? DAT_CHUNKS : DAT_BARE);
	return 0;
}

static bool shipped_option(struct dat *d, unsigned id, struct cursor payload, int *rc,
			   struct err *e)
{
	switch (id) {
	case DAT_BUFFER:
		*rc = buffer_option(d, payload, e);
		return true;
	case DAT_BUFFER_TEXT:
		*rc = text_option(d, payload, e);
		return true;
	case DAT_LAST_BOOT:
	case DAT_BTF_FILE:
	case DAT_MODULES:
		return true; /* known, but not needed */
	}
	return false;
}

/*
 * A BUFFER section without an option (the recorder or the file ended before it was written).  Bare
 * pages: a CPU ends where the time decreases.  Chunk lists: each begins at a page boundary.  CPUs
 * are numbered in order.
 */
static void salvage_buffer(struct dat *d, const struct section *s)
{
	uint32_t page = d->layout.page_size;
	uint64_t end = s->off + s->size, off, from, last = 0;
	struct buffer *b;
	unsigned cpu = 0;
	bool cut = false; /* the file ends within the last one */
	uint8_t head[8];
	struct err e;

	if (!dat_page_size_ok(page))
		return;
	b = dat_add_buffer(d, d->base.nbuffers ? "salvaged" : "",
			   d->texts.clock ? d->texts.clock : "local", page);
	off = from = (s->off + page - 1) / page * page;
	if (s->packed) {
		while (off < end && input_read(&d->base.in, head, 4, off, &e) == 0) {
			uint32_t n = bytes_u32(head, d->head.big_endian), csize;

			/* The count is written last: a killed recorder leaves 0. */
			if (!n)
				n = UINT32_MAX;
			from = off;
			off += 4;
			for (; n && off + 8 <= end; n--) {
				if (input_read(&d->base.in, head, 8, off, &e) < 0)
					break;
				csize = bytes_u32(head, d->head.big_endian);
				if (!csize || csize > end - off - 8)
					break;
				off += 8 + (uint64_t)csize;
			}
			if (off - from > 4) {
				dat_add_cpu(d, b, cpu++, from, off - from, DAT_CHUNKS);
				cut = n > 0;
			}
			off = (off + page - 1) / page * page;
			if (cpu == DAT_MAX_CPU)
				break;
		}
	} else {
		for (; off + page <= end && cpu < DAT_MAX_CPU; off += page) {
			uint64_t ts;

			if (input_read(&d->base.in, head, 8, off, &e) < 0)
				break;
			ts = bytes_u64(head, d->head.big_endian);
			if (ts && ts < last) {
				dat_add_cpu(d, b, cpu++, from, off - from, DAT_BARE);
				from = off;
			}
			if (ts)
				last = ts;
		}
		cut = off > from;
		if (off > from)
			dat_add_cpu(d, b, cpu++, from, off - from, DAT_BARE);
	}
	if (cut && s->overrun && b->ncpus)
		b->cpus[b->ncpus - 1].cut = true;
	note_say(d->notes, NOTE_DAMAGE,
		 "%s: offset 0x%" PRIx64 ": data of %u CPU%s found without their "
		 "table: CPU numbers are a guess",
		 d->base.in.path, s->head, cpu, plural(cpu));
}

const struct dat7_dialect dat7_shipped = {
	.name = "v7",
	.section = shipped_section,
	.payload = packed_sizes,
	.options = shipped_options,
	.option = shipped_option,
	.orphan = salvage_buffer,
};
