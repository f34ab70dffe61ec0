// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The labels before each line if a run has several buffers: the name of the instance, or of the
 * file if there are several files.
 */
#include "sink/print/print_priv.h"

#include <stdlib.h>

const char *print_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *print_make_label(const char *name, size_t width)
{
	size_t len = strlen(name);
	char *label = mem_alloc(width + 3);

	memset(label, ' ', width + 2);
	memcpy(label + width - len, name, len);
	if (len)
		label[width] = ':';
	label[width + 2] = '\0';
	return label;
}

size_t print_label_width(const struct run_info *run)
{
	size_t width = 0, len;

	for (unsigned i = 0; i < run->nsources && run->nsources > 1; i++) {
		len = strlen(print_base_name(run->sources[i]->in.path));
		width = len > width ? len : width;
	}
	return width;
}

static const char *buffer_label(const struct run_info *run, const struct source *s,
				const struct buffer *b)
{
	return !*b->name && run->nsources > 1 ? print_base_name(s->in.path) : b->name;
}

void print_labels(struct print *p)
{
	const struct run_info *run = p->run;
	size_t width = print_label_width(run), len;
	unsigned n = 0;

	for (unsigned i = 0; i < run->nsources; i++) {
		const struct source *s = run->sources[i];

		for (unsigned k = 0; k < s->nbuffers; k++, n++) {
			len = strlen(s->buffers[k].name);
			width = len > width ? len : width;
		}
	}
	if (n < 2)
		return;
	p->labels = mem_zalloc(n * sizeof(*p->labels));
	for (unsigned i = 0; i < run->nsources; i++) {
		const struct source *s = run->sources[i];

		for (unsigned k = 0; k < s->nbuffers; k++)
			p->labels[p->nlabels++] =
				print_make_label(buffer_label(run, s, &s->buffers[k]), width);
	}
}

void print_label(struct print *p, const struct event *ev)
{
	if (ev->from->buffer < p->nlabels)
		out_str(&p->out, p->labels[ev->from->buffer]);
}
