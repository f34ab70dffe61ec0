// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source: functions for any open input, whatever its kind.
 */
#include "trace/source.h"

#include <stdlib.h>
#include <string.h>

void source_close(struct source *s)
{
	if (s)
		s->ops->close(s);
}

void source_fini(struct source *s)
{
	for (unsigned i = 0; i < s->nstreams; i++)
		if (s->streams[i]->ops->close)
			s->streams[i]->ops->close(s->streams[i]);
	free(s->streams);
	free(s->missing.cpus);
	machine_fini(&s->machine);
	input_close(&s->in);
}

void buffer_fini(struct buffer *b)
{
	free(b->name);
	free(b->clock);
	free(b->declared_clock);
	free(b->cpus);
}

bool source_has_text(const struct source *s)
{
	for (unsigned i = 0; i < s->nbuffers; i++)
		if (s->buffers[i].text)
			return true;
	return false;
}

const char *source_clock(const struct source *s)
{
	for (unsigned i = 0; i < s->nbuffers; i++)
		if (s->buffers[i].ncpus)
			return s->buffers[i].clock;
	return s->nbuffers ? s->buffers[0].clock : "";
}

bool source_counts_ns(const struct source *s)
{
	const char *clock = source_clock(s);

	return !strcmp(clock, "boot") || (s->clock_is_ns && strcmp(clock, "uptime") != 0);
}
