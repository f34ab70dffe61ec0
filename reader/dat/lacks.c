// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lacks: the CPUs of a trace.dat whose data continue after the file's end, or that have far fewer
 * records than the kernel's statistics in it count.  Pages were left out: the oldest by trace-cmd
 * record -m or zedtrace --max-size, any by a tool that shortened the file.
 */
#include "reader/dat/buffers.h"
#include "trace/cpustat.h"

/*
 * While the recorder still read, the statistics may count a page twice, as read and as there
 * (found in 5 of 50 complete recordings: up to two pages, 170 records).
 */
#define PAGES_TWICE 2
#define LEAST_RECORD 16 /* bytes of one: a common header, and a field */

static bool is_far_more(uint64_t counted, uint64_t here, uint32_t page_size)
{
	uint64_t more = counted > here ? counted - here : 0;

	return more > counted / 2 ||
	       (more > counted / 8 && more > (uint64_t)page_size / LEAST_RECORD * PAGES_TWICE);
}

static uint64_t count_records(struct dat *d, struct feed_pool *pool, unsigned i)
{
	struct ring_opts o = dat_ring(d, i);
	struct stream *s;
	uint64_t n;
	struct err e;

	o.feed = dat_feed(d, pool, i);
	s = ring_stream(&o);
	while (stream_next(s, &e) != PULL_EOF)
		;
	n = s->seen;
	s->ops->close(s);
	return n;
}

/* How many records the statistics count that were left for the file; 0: they say nothing. */
static uint64_t counted_of(struct dat *d, int cpu)
{
	const char *p = d->cpustat.p, *end = p + d->cpustat.len;
	struct cpustat st;

	while (cpustat_next(&p, end, &st))
		if (st.cpu == cpu) {
			uint64_t all = st.entries + st.read, off = st.others + st.left_out;

			return all > off ? all - off : 0;
		}
	return 0;
}

void dat_lacks(struct source *s, uint64_t *v)
{
	struct dat *d = (struct dat *)s;
	struct feed_pool pool;

	/* Its limits hold for all CPUs: what this costs is bounded as what reading them costs. */
	feed_pool_init(&pool, d->codec, s->in.size, s->nstreams);
	for (unsigned i = 0; i < s->nstreams; i++) {
		const struct dat_place *at = &d->places[i];
		bool cut = s->buffers[at->buffer].cpus[at->cpu].cut;
		/* The statistics are of one buffer. */
		uint64_t counted = (v[i] || cut) && s->nbuffers == 1 && d->cpustat.p ?
					   counted_of(d, s->streams[i]->from->cpu) :
					   0;
		uint64_t here = counted ? count_records(d, &pool, i) : 0;

		if (cut)
			v[i] = counted > here ? counted - here : 1;
		else
			v[i] = counted && is_far_more(counted, here, s->buffers[0].page_size) ?
				       counted - here :
				       0;
	}
	feed_pool_fini(&pool);
}
