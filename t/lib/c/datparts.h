/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_DATPARTS_H
#define ZED_DATPARTS_H

/*
 * For the tests of what is recorded: pages that tell which they are, and a trace.dat v7 of such
 * pages taken apart by nothing but the description of the format.
 */
#include "base/mem.h"
#include "base/pack/codec.h"
#include "t/lib/c/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096
#define CPUS 4
#define EVENTS 3 /* in a page */

/* ---- what is put in ---- */

struct bytes {
	uint8_t p[1 << 17];
	size_t n;
};

static void num(struct bytes *b, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->p[b->n++] = (uint8_t)(v >> (8 * i));
}

static void str(struct bytes *b, const char *s, size_t n)
{
	memcpy(b->p + b->n, s, n);
	b->n += n;
}

static const char page_text[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char tick_text[] =
	"name: tick\nID: 300\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned int n;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"n=%u\", REC->n\n";

static void section(struct bytes *b, unsigned id, const struct bytes *payload)
{
	num(b, id, 2);
	num(b, 0, 2);
	num(b, UINT32_MAX, 4);
	num(b, payload->n, 8);
	str(b, (const char *)payload->p, payload->n);
}

__attribute__((unused)) static void made_meta(struct bytes *b)
{
	static struct bytes s;
	uint64_t place[3];

	b->n = 0;
	str(b, "\x17\x08\x44tracing7\0", 12);
	num(b, 0, 1);
	num(b, 8, 1);
	num(b, PAGE, 4);
	str(b, "none\0", 6);
	num(b, 0, 8);
	place[0] = b->n;
	s.n = 0;
	str(&s, "header_page", 12);
	num(&s, sizeof(page_text) - 1, 8);
	str(&s, page_text, sizeof(page_text) - 1);
	str(&s, "header_event", 13);
	num(&s, 0, 8);
	section(b, 16, &s);
	place[1] = b->n;
	s.n = 0;
	num(&s, 0, 4);
	section(b, 17, &s);
	place[2] = b->n;
	num(&s, 0, 0);
	s.n = 0;
	num(&s, 1, 4);
	str(&s, "made", 5);
	num(&s, 1, 4);
	num(&s, sizeof(tick_text) - 1, 8);
	str(&s, tick_text, sizeof(tick_text) - 1);
	section(b, 18, &s);
	for (unsigned i = 0; i < 8; i++) /* the header's offset of the options */
		b->p[24 + i] = (uint8_t)((uint64_t)b->n >> (8 * i));
	s.n = 0;
	for (unsigned i = 0; i < 3; i++) {
		num(&s, 16 + i, 2);
		num(&s, 8, 4);
		num(&s, place[i], 8);
	}
	num(&s, 4, 2);
	num(&s, 13, 4);
	str(&s, "local [mono]\0", 13);
	num(&s, 8, 2);
	num(&s, 4, 4);
	num(&s, CPUS, 4);
	num(&s, 0, 2);
	num(&s, 8, 4);
	num(&s, 0, 8);
	section(b, 0, &s);
}

/* The NTH page of CPU: EVENTS ticks, whose number tells which page it is. */
static void made_page(uint8_t *p, int cpu, unsigned nth)
{
	static struct bytes b;

	b.n = 0;
	num(&b, 1000000 + nth * 1000ull, 8);
	num(&b, EVENTS * 16, 8);
	for (unsigned i = 0; i < EVENTS; i++) {
		num(&b, 10 << 5 | 3, 4);
		num(&b, 300, 2);
		num(&b, 0, 2);
		num(&b, 77, 4);
		num(&b, (uint64_t)cpu << 24 | nth, 4);
	}
	memset(p, 0, PAGE);
	memcpy(p, b.p, b.n);
}

/* ---- what comes out ---- */

struct got {
	uint8_t *file;
	size_t size;
	unsigned sections, chain, npages[16], flags, ncpus;
	uint32_t page[16][4096];	/* the numbers in the pages, in the order of the file */
	const uint8_t *formats, *comms; /* unpacked */
	uint8_t *own[2];
	bool packed; /* both were */
	char stat[256], name[64], clock[64];
	const char *wrong;
};

static uint64_t rd(const struct got *g, uint64_t off, unsigned size)
{
	uint64_t v = 0;

	if (off + size > g->size)
		return UINT64_MAX;
	while (size--)
		v = v << 8 | g->file[off + size];
	return v;
}

static void got_page(struct got *g, unsigned cpu, const uint8_t *p)
{
	uint8_t want[PAGE];
	uint32_t n = p[28] | p[29] << 8 | p[30] << 16;

	made_page(want, (int)cpu, n);
	if (memcmp(want, p, PAGE))
		g->wrong = "a page is not as it was put in";
	if (cpu < 16 && g->npages[cpu] < 4096)
		g->page[cpu][g->npages[cpu]++] = n;
}

static void got_cpu(struct got *g, unsigned cpu, uint64_t off, uint64_t size, enum codec codec)
{
	if (off % PAGE || off + size > g->size || cpu >= 16) {
		g->wrong = "a CPU's data lie where none can be";
		return;
	}
	if (codec == CODEC_NONE) {
		for (uint64_t i = 0; i + PAGE <= size; i += PAGE)
			got_page(g, cpu, g->file + off + i);
		if (size % PAGE)
			g->wrong = "not whole pages";
		return;
	}
	for (uint64_t n = rd(g, off, 4), p = off + 4; n; n--) {
		uint64_t csize = rd(g, p, 4), usize = rd(g, p + 4, 4);
		struct unpacker *u = unpacker_new(codec);
		uint8_t *buf = mem_zalloc(10 * PAGE);
		struct err e;

		if (usize > 10 * PAGE || p + 8 + csize > off + size ||
		    unpacker_block(u, g->file + p + 8, csize, buf, usize, 0, &e) != (int64_t)usize)
			g->wrong = "a chunk that cannot be unpacked";
		else
			for (uint64_t i = 0; i < usize; i += PAGE)
				got_page(g, cpu, buf + i);
		if (codec == CODEC_ZSTD && (g->file[p + 8 + 4] & 0xe0))
			g->wrong = "a zstd frame tells its size, and stock's do not";
		p += 8 + csize;
		if (n == 1 && p != off + size)
			g->wrong = "the size of a CPU's chunks is not what they have";
		unpacker_free(u);
		free(buf);
	}
}

/* The payload of the section at OFF, unpacked into *OWN where it is packed. */
static const uint8_t *got_part(struct got *g, uint64_t off, enum codec codec, uint8_t **own)
{
	uint64_t csize = rd(g, off + 16, 4), usize = rd(g, off + 20, 4);
	struct unpacker *u;
	struct err e;

	g->packed = rd(g, off + 2, 2) == 1;
	if (!g->packed)
		return g->file + off + 16;
	if (csize + 8 != rd(g, off + 8, 8) || off + 24 + csize > g->size || usize > 1 << 20) {
		g->wrong = "a packed section whose sizes contradict";
		return NULL;
	}
	free(*own);
	*own = mem_zalloc(usize + 1);
	u = unpacker_new(codec);
	if (unpacker_block(u, g->file + off + 24, csize, *own, usize, 0, &e) != (int64_t)usize)
		g->wrong = "a section that cannot be unpacked";
	unpacker_free(u);
	return *own;
}

static void got_options(struct got *g, uint64_t off, enum codec codec)
{
	for (;;) {
		uint64_t id, len, p;

		if (rd(g, off, 2) != 0 || g->chain++ > 8) {
			g->wrong = "no options where they should be";
			return;
		}
		for (p = off + 16;; p += 6 + len) {
			id = rd(g, p, 2);
			len = rd(g, p + 2, 4);
			if (p + 6 + len > g->size) {
				g->wrong = "options past the end";
				return;
			}
			if (id == 18)
				g->formats = got_part(g, rd(g, p + 6, 8), codec, &g->own[0]);
			if (id == 21)
				g->comms = got_part(g, rd(g, p + 6, 8), codec, &g->own[1]);
			if (id == 2)
				snprintf(g->stat, sizeof(g->stat), "%s", g->file + p + 6);
			if (id == 3) {
				uint64_t q = p + 14;

				if (rd(g, rd(g, p + 6, 8), 2) != 3)
					g->wrong = "no BUFFER section where the option says";
				g->flags = (unsigned)rd(g, rd(g, p + 6, 8) + 2, 2);
				snprintf(g->name, sizeof(g->name), "%s", g->file + q);
				q += strlen(g->name) + 1;
				snprintf(g->clock, sizeof(g->clock), "%s", g->file + q);
				q += strlen(g->clock) + 1;
				if (rd(g, q, 4) != PAGE)
					g->wrong = "another page size";
				g->ncpus = (unsigned)rd(g, q + 4, 4);
				for (uint64_t n = g->ncpus, k = 0; k < n; k++)
					got_cpu(g, (unsigned)rd(g, q + 8 + 20 * k, 4),
						rd(g, q + 12 + 20 * k, 8),
						rd(g, q + 20 + 20 * k, 8),
						g->flags ? codec : CODEC_NONE);
			}
			if (!id)
				break;
		}
		off = rd(g, p + 6, 8);
		if (!off)
			return;
	}
}

/* The file PATH, whose head must name CODEC: its pages are packed where their section says so. */
__attribute__((unused)) static struct got *got(const char *path, enum codec codec)
{
	static struct got *g;
	struct stat st;
	int fd = open(path, O_RDONLY);
	uint64_t p = 18;

	if (g) {
		free(g->file);
		free(g->own[0]);
		free(g->own[1]);
	}
	free(g);
	g = mem_zalloc(sizeof(*g));
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size > 64 << 20) {
		g->wrong = "there is no such file";
		return g;
	}
	g->size = (size_t)st.st_size;
	g->file = mem_alloc(g->size + 1);
	if (pread(fd, g->file, g->size, 0) != st.st_size)
		g->wrong = "it cannot be read";
	close(fd);
	if (strcmp((char *)g->file + p, codec_name(codec)))
		g->wrong = "its head names another compression";
	p += strlen((char *)g->file + p) + 1;
	p += strlen((char *)g->file + p) + 1;
	got_options(g, rd(g, p, 8), codec);
	for (p += 8; p < g->size; g->sections++) {
		if (rd(g, p + 8, 8) > g->size) {
			g->wrong = "a section without a size";
			break;
		}
		p += 16 + rd(g, p + 8, 8);
	}
	if (p != g->size)
		g->wrong = "the sections do not lie back to back";
	return g;
}

/* CPU has exactly the pages FIRST to LAST, in their order. */
__attribute__((unused)) static bool has_pages(const struct got *g, unsigned cpu, unsigned first,
					      unsigned last)
{
	if (g->npages[cpu] != last - first + 1)
		return false;
	for (unsigned i = 0; i < g->npages[cpu]; i++)
		if (g->page[cpu][i] != first + i)
			return false;
	return true;
}

__attribute__((unused)) static void is_sound(const struct got *g, const char *what)
{
	if (!ok(!g->wrong, "%s: a sound trace.dat (else: nothing reads it)", what))
		diag("%s", g->wrong);
}

#endif
