// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_chunks: puts together what LTTng cuts into pieces.  When a session is rotated, what was
 * recorded so far is moved to archives/CHUNK/, where it is a trace like any other; with limits for
 * the size of files, a stream has several.  Counts of lost events and numbers of packets go on from
 * one piece to the next.
 */
#include "base/ascii.h"
#include "base/mem.h"
#include "reader/ctf/packet_head.h"

#include <stdlib.h>
#include <string.h>

/* Is this the name of a chunk: the time of its begin first, "20260102T030405"? */
static bool is_chunk(const char *name)
{
	for (unsigned i = 0; i < 15; i++)
		if (i == 8 ? name[i] != 'T' : !ascii_digit(name[i]))
			return false;
	return true;
}

const char *ctf_chunks_name(const char *name)
{
	static const char archives[] = "archives/";
	const char *rest;

	if (!strncmp(name, archives, sizeof(archives) - 1))
		name += sizeof(archives) - 1;
	if (!is_chunk(name))
		return name;
	rest = strchr(name, '/');
	return rest ? rest + 1 : "";
}

unsigned ctf_chunks_traces(struct ctf *t)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->ntraces; i++) {
		struct ctf_trace *trace = &t->traces[i];
		unsigned k = 0;

		trace->whole = ctf_chunks_name(trace->name);
		while (k < i && strcmp(t->traces[k].whole, trace->whole) != 0)
			k++;
		trace->buffer = k < i ? t->traces[k].buffer : n++;
	}
	return n;
}

/* ---- files ---- */

static const char *file_name(const struct ctf_packets *f)
{
	const char *slash = strrchr(f->in.path, '/');

	return slash ? slash + 1 : f->in.path;
}

/*
 * By data stream: the trace, its class, the CPU, and the number of the stream, which some tracers
 * leave 0; where there is none, the name of the file.
 */
static int compare_streams(const struct ctf_packets *a, const struct ctf_packets *b)
{
	const bool numbered = ctf_has(a, ROLE_STREAM) && ctf_has(b, ROLE_STREAM);
	const uint64_t x[] = { a->trace->buffer, a->types->class->id, (uint64_t)a->to->cpu,
			       ctf_has(a, ROLE_STREAM), numbered ? a->bits.roles[ROLE_STREAM] : 0 };
	const uint64_t y[] = { b->trace->buffer, b->types->class->id, (uint64_t)b->to->cpu,
			       ctf_has(b, ROLE_STREAM), numbered ? b->bits.roles[ROLE_STREAM] : 0 };

	for (unsigned i = 0; i < sizeof(x) / sizeof(x[0]); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return numbered ? 0 : strcmp(file_name(a), file_name(b));
}

static int stream_order(const void *pa, const void *pb)
{
	const struct ctf_packets *a = *(struct ctf_packets *const *)pa;
	const struct ctf_packets *b = *(struct ctf_packets *const *)pb;
	int c = compare_streams(a, b);

	if (c)
		return c;
	if (a->bits.clock != b->bits.clock)
		return a->bits.clock < b->bits.clock ? -1 : 1;
	return a->num < b->num ? -1 : a->num > b->num;
}

void ctf_chunks_files(struct ctf *t)
{
	struct ctf_packets **v = mem_alloc((t->nfiles + 1) * sizeof(struct ctf_packets *));

	memcpy(v, t->files, t->nfiles * sizeof(*v));
	qsort(v, t->nfiles, sizeof(*v), stream_order);
	for (unsigned i = 1; i < t->nfiles; i++)
		if (!compare_streams(v[i - 1], v[i]))
			v[i]->after = v[i - 1];
	free(v);
}

void ctf_chunks_continue(struct ctf_packets *f)
{
	const struct ctf_packets *before = f->after;
	uint64_t counted, part;

	f->given = true;
	if (!before)
		return;
	if (f->numbered && before->numbered)
		f->lost_some |= f->begin > before->number + 1;
	counted = before->discarded;
	part = f->lost < counted ? f->lost : counted;
	f->lost -= part;
	counted -= part;
	f->later -= f->later < counted ? f->later : counted;
}
