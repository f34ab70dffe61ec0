// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count: the numbers in the final report; reads a finished trace.dat as any reader does.
 */
#include "record/count.h"

#include "base/mem.h"
#include "reader/open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Count records until another stream has to be read first (true), or up to the end. */
static bool read_some(struct stream *st, const struct source *s, struct notes *n)
{
	enum pull got;
	struct err e;

	do {
		got = stream_next(st, &e);
		if (got == PULL_ERR) {
			err_path(&e, s->in.path);
			note_err(n, NOTE_DAMAGE, &e);
		}
	} while (got == PULL_OK || got == PULL_ERR);
	return got == PULL_AGAIN;
}

/* All streams in turns: those of one zed stream come out of the same bytes. */
static void read_all(const struct source *s, struct notes *n)
{
	bool *over = mem_zalloc(s->nstreams + 1), left = true;

	while (left) {
		left = false;
		for (unsigned i = 0; i < s->nstreams; i++) {
			over[i] = over[i] || !read_some(s->streams[i], s, n);
			left |= !over[i];
		}
	}
	free(over);
}

static void count_stream(struct count *c, const struct source *s, const struct stream *st)
{
	struct count_cpu *k = &c->cpus[c->ncpus];
	const struct buffer *b = &s->buffers[st->from->buffer];

	*k = (struct count_cpu){ .cpu = st->from->cpu, .events = st->seen, .dropped = st->lost };
	for (unsigned i = 0; i < b->ncpus; i++)
		if (b->cpus[i].cpu == k->cpu)
			k->bytes = b->cpus[i].size;
	c->events += k->events;
	c->dropped += k->dropped;
	c->bytes += k->bytes;
	c->gaps += st->lost_unknown;
	c->ncpus++;
}

int count_file(struct count *c, const char *path, struct notes *n, struct err *e)
{
	struct source_opts o = { .notes = n };
	struct catalog *types = catalog_new();
	struct source *s = source_open(path, 0, types, &o, e);

	*c = (struct count){ 0 };
	if (s) {
		/* No events are asked for: the streams count them and build nothing. */
		uint8_t *none = mem_zalloc(catalog_count(types) + 1);

		catalog_want(types, none);
		free(none);
		read_all(s, n);
		c->cpus = mem_zalloc((s->nstreams + 1) * sizeof(*c->cpus));
		for (unsigned i = 0; i < s->nstreams; i++)
			if (!*s->streams[i]->from->instance)
				count_stream(c, s, s->streams[i]);
		source_close(s);
	}
	catalog_free(types);
	return s ? 0 : -1;
}

void count_fini(struct count *c)
{
	free(c->cpus);
	*c = (struct count){ 0 };
}

char *count_text(const struct count *c, unsigned cpus)
{
	char *text = NULL;
	size_t len;
	FILE *f = mem_check(open_memstream(&text, &len));
	unsigned next = 0;

	fprintf(f, "Channel: trace\n");
	for (unsigned cpu = 0; cpu < cpus || next < c->ncpus; cpu++) {
		struct count_cpu none = { .cpu = cpu }, *k = &none;

		if (next < c->ncpus && (!cpus || c->cpus[next].cpu == (int)cpu))
			k = &c->cpus[next++];
		fprintf(f, "CPU %d: %" PRIu64 " event%s, %" PRIu64 " KiB data\n", k->cpu, k->events,
			plural(k->events), (k->bytes + 1023) >> 10);
	}
	fprintf(f, "Total: %" PRIu64 " event%s (dropped %" PRIu64 "%s), %" PRIu64 " KiB data",
		c->events, plural(c->events), c->dropped, c->gaps ? " and more" : "",
		(c->bytes + 1023) >> 10);
	mem_close(f);
	return mem_check(text);
}
