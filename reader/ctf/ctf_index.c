// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_index: reads the index that LTTng writes of a data file: index/NAME.idx, an entry for each
 * packet.  Big endian: u32 magic, major, minor, bytes of an entry; entries of u64: offset, bits of
 * the packet, bits in use, first and last time, events discarded so far, stream; since 1.1 also the
 * stream's number and the packet's.
 */
#include "base/bytes.h"
#include "base/io.h"
#include "base/mem.h"
#include "reader/ctf/trace.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC 0xc1f1dcc1u
#define HEAD 16
#define ENTRY_1_0 (7 * 8)
#define ENTRY_1_1 (9 * 8)
#define MAX_ENTRY 4096
#define MAX_ENTRIES (1u << 20)

static void read_entry(struct ctf_index_entry *x, const uint8_t *p, bool numbered)
{
	*x = (struct ctf_index_entry){
		.offset = bytes_u64(p, true),
		.size = bytes_u64(p + 8, true) / 8,
		.begin = bytes_u64(p + 24, true),
		.end = bytes_u64(p + 32, true),
		.discarded = bytes_u64(p + 40, true),
		.stream = bytes_u64(p + 48, true),
		.number = numbered ? bytes_u64(p + 64, true) : 0,
	};
}

/* Do the packets follow each other, in the file as in time, and does the file of SIZE have them? */
static bool is_sound(const struct ctf_index *x, uint64_t size)
{
	uint64_t offset = 0;

	for (unsigned i = 0; i < x->n; i++) {
		const struct ctf_index_entry *v = &x->v[i];

		if (v->offset != offset || !v->size || v->size > size - offset || v->end < v->begin)
			return false;
		if (i && (v->begin < v[-1].begin || v->end < v[-1].end ||
			  v->discarded < v[-1].discarded))
			return false;
		offset += v->size;
	}
	return true;
}

/* The entries in the LEN bytes at P, into X; false: they are not an index of a file of SIZE. */
static bool parse(struct ctf_index *x, const uint8_t *p, uint64_t len, uint64_t size)
{
	uint32_t entry;

	if (len < HEAD || bytes_u32(p, true) != MAGIC || bytes_u32(p + 4, true) != 1)
		return false;
	entry = bytes_u32(p + 12, true);
	if (entry < ENTRY_1_0 || entry > MAX_ENTRY || (len - HEAD) / entry > MAX_ENTRIES)
		return false;
	x->n = (unsigned)((len - HEAD) / entry);
	x->numbered = entry >= ENTRY_1_1;
	x->v = mem_alloc((x->n + 1) * sizeof(*x->v));
	for (unsigned i = 0; i < x->n; i++)
		read_entry(&x->v[i], p + HEAD + (uint64_t)i * entry, x->numbered);
	return is_sound(x, size);
}

static struct ctf_index *read_index(const struct input *in, uint64_t size)
{
	struct ctf_index *x = mem_zalloc(sizeof(*x));
	uint8_t *p = mem_alloc(in->size + 1);
	struct err e;

	if (input_read(in, p, in->size, 0, &e) < 0 || !parse(x, p, in->size, size)) {
		ctf_index_free(x);
		x = NULL;
	}
	free(p);
	return x;
}

struct ctf_index *ctf_index_read(const struct ctf *t, const struct ctf_trace *trace,
				 const struct input *of)
{
	const char *slash = strrchr(of->path, '/'), *base = slash ? slash + 1 : of->path;
	int at = ctf_folder_open(t, trace);
	DIR *dir = at < 0 ? NULL : io_folder(at, "index", O_NOFOLLOW);
	char name[NAME_MAX + 8];
	struct ctf_index *x = NULL;
	struct input in;
	struct err e;

	snprintf(name, sizeof(name), "%s.idx", base);
	if (dir && input_open_below(&in, dirfd(dir), "index", name, &e) == 0) {
		if (in.size <= (uint64_t)MAX_ENTRIES * ENTRY_1_1)
			x = read_index(&in, of->size);
		if (!x)
			ctf_index_doubt(t->notes, of);
		input_close(&in);
	}
	if (dir)
		closedir(dir);
	if (at >= 0)
		close(at);
	return x;
}

void ctf_index_doubt(struct notes *notes, const struct input *of)
{
	note_say(notes, NOTE_WARN, "%s: its index does not fit it, and is not used", of->path);
}

void ctf_index_free(struct ctf_index *x)
{
	if (!x)
		return;
	free(x->v);
	free(x);
}
