// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * buffers: the list of a trace.dat's buffers and of each CPU's data.  The readers of all versions
 * fill it; impossible entries are rejected here.
 */
#include "reader/dat/buffers.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool dat_page_size_ok(uint32_t size)
{
	return size >= 512 && size <= 8u << 20 && !(size & (size - 1));
}

int dat_buffer_claim(unsigned n, uint64_t off, struct err *e)
{
	if (n < DAT_MAX_BUFFERS)
		return 0;
	return err_set(e, ERR_FORMAT, off, "more than %u buffers: the rest is left out",
		       DAT_MAX_BUFFERS);
}

struct buffer *dat_add_buffer(struct dat *d, const char *name, const char *clock,
			      uint32_t page_size)
{
	struct source *s = &d->base;
	unsigned at = s->nbuffers;

	for (unsigned i = 0; i < s->nbuffers; i++)
		if (!*name && !*s->buffers[i].name) {
			buffer_fini(&s->buffers[i]);
			at = i;
		}
	if (at == s->nbuffers) {
		s->buffers = mem_realloc(s->buffers, (s->nbuffers + 1) * sizeof(*s->buffers));
		s->nbuffers++;
		/* The top buffer is first: it wins ties of time. */
		if (!*name) {
			memmove(s->buffers + 1, s->buffers, at * sizeof(*s->buffers));
			at = 0;
		}
	}
	memset(&s->buffers[at], 0, sizeof(s->buffers[at]));
	s->buffers[at].name = mem_strdup(name);
	s->buffers[at].clock = mem_strdup(clock);
	s->buffers[at].page_size = page_size ? page_size : d->layout.page_size;
	return &s->buffers[at];
}

void dat_miss_cpu(struct dat *d, uint32_t cpu)
{
	struct missing *m = &d->base.missing;

	if (cpu >= DAT_MAX_CPUS)
		return;
	if (cpu >= m->ncpus) {
		m->cpus = mem_realloc(m->cpus, (cpu + 1) * sizeof(*m->cpus));
		memset(m->cpus + m->ncpus, 0, (cpu + 1 - m->ncpus) * sizeof(*m->cpus));
		m->ncpus = cpu + 1;
	}
	m->cpus[cpu] = true;
}

static bool has_cpu(const struct buffer *b, int cpu)
{
	for (unsigned i = 0; i < b->ncpus; i++)
		if (b->cpus[i].cpu == cpu)
			return true;
	return false;
}

void dat_settle_missing(struct dat *d)
{
	struct missing *m = &d->base.missing;
	unsigned n = d->base.cpu_count;

	if (d->claims.declared_end > d->base.in.size)
		m->bytes = d->claims.declared_end - d->base.in.size;
	/* Without the table of CPUs, it is not known which of them had data. */
	for (unsigned cpu = 0; d->base.salvaged && m->bytes && cpu < n; cpu++)
		if (!d->base.nbuffers || !has_cpu(&d->base.buffers[0], cpu))
			dat_miss_cpu(d, cpu);
	if (m->bytes)
		dat_miss_empty(d);
	/* The machine has no more CPUs, whatever a damaged table has. */
	if (n && m->ncpus > n)
		m->ncpus = n;
}

void dat_add_cpu(struct dat *d, struct buffer *b, uint32_t cpu, uint64_t off, uint64_t size,
		 enum dat_how how)
{
	uint64_t file = d->base.in.size, there = off < file ? file - off : 0;
	unsigned i;

	if (!size)
		return;
	dat_tells(d, off, size);
	if (there > size)
		there = size;
	if (!there)
		dat_miss_cpu(d, cpu);
	/* Data of two CPUs do not overlap: claims of more than the file are damage. */
	if (cpu >= DAT_MAX_CPU || off > file || b->ncpus == DAT_MAX_CPUS ||
	    d->counts.cpus == DAT_MAX_STREAMS || d->claims.claimed + there > 2 * file) {
		/* A table in the wrong place has hundreds of these: one is enough. */
		if (d->counts.bad_cpus++ < DAT_MAX_SAID)
			note_say(d->notes, d->counts.bad_cpus > 1 ? NOTE_INFO : NOTE_DAMAGE,
				 "%s: offset 0x%" PRIx64 ": buffer \"%s\": cpu %u of %" PRIu64
				 " bytes is not in the file: left out",
				 d->base.in.path, off, b->name, cpu, size);
		return;
	}
	for (i = 0; i < b->ncpus; i++)
		if (b->cpus[i].cpu == (int)cpu) {
			note_say(d->notes, NOTE_DAMAGE,
				 "%s: offset 0x%" PRIx64 ": buffer \"%s\" has "
				 "cpu %u twice: the first is taken",
				 d->base.in.path, off, b->name, cpu);
			return;
		}
	d->claims.claimed += there;
	d->counts.cpus++;
	/* Chunk lists may be four bytes longer than declared (feed_chunks). */
	dat_claim_data(d, off, there, how == DAT_CHUNKS ? 4 : 0);
	b->cpus = mem_realloc(b->cpus, (b->ncpus + 1) * sizeof(*b->cpus));
	for (i = b->ncpus++; i > 0 && b->cpus[i - 1].cpu > (int)cpu; i--)
		b->cpus[i] = b->cpus[i - 1];
	b->cpus[i] = (struct buffer_cpu){
		.cpu = cpu, .off = off, .size = size, .how = how, .cut = there < size
	};
}

/*
 * The clock named by the text at OFF, which follows its length; NULL: none.  In a few old files it
 * is damaged; then the clock is assumed to be local.
 */
static char *flyrecord_clock(struct dat *d, uint64_t off)
{
	char text[512];
	uint8_t word[8];
	struct err e = { .kind = ERR_NONE };
	uint64_t n = 0;

	if (input_read(&d->base.in, word, 8, off, &e) == 0)
		n = bytes_u64(word, d->head.big_endian);
	if (n >= sizeof(text))
		n = 0;
	dat_claim(d, off, 8 + n);
	if (n && input_read(&d->base.in, text, n, off + 8, &e) == 0)
		return dat_active_clock(text, n);
	if (e.kind == ERR_SYS) {
		err_within(&e, "the name of the clock");
		err_path(&e, d->base.in.path);
		note_err(d->notes, NOTE_DAMAGE, &e);
	}
	return NULL;
}

int dat_flyrecord(struct dat *d, uint64_t off, unsigned ncpus, bool with_clock, const char *name,
		  struct err *e)
{
	uint8_t *table = mem_alloc(16 * (size_t)ncpus + 8);
	struct buffer *b;
	char *clock = NULL;
	int rc = -1;

	if (input_read(&d->base.in, table, 16 * (size_t)ncpus, off, e) < 0)
		goto out;
	dat_claim(d, off - 10, 10 + 16 * (uint64_t)ncpus);
	off += 16 * (size_t)ncpus;
	if (with_clock)
		clock = flyrecord_clock(d, off);
	b = dat_add_buffer(d, name, clock ? clock : "local", d->head.page_size);
	for (unsigned cpu = 0; cpu < ncpus; cpu++)
		dat_add_cpu(d, b, cpu, bytes_u64(table + 16 * (size_t)cpu, d->head.big_endian),
			    bytes_u64(table + 16 * (size_t)cpu + 8, d->head.big_endian), DAT_BARE);
	rc = 0;
out:
	free(clock);
	free(table);
	return rc;
}
