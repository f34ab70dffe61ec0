// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * said: a message of many processes in the same words is printed once, with the number of traces.
 * What a script prints itself stays as it is.
 */
#include "programs/zedperl/fleet/said.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OURS "zedperl: "
#define FAILURE_LINES 10 /* lines shown of a failed one's messages */

struct said_line {
	char *text;
	unsigned jobs, traces;
	unsigned printed; /* how often */
	unsigned met;	  /* in the current part */
};

/* The entry of the line TEXT; NULL: there is none. */
static struct said_line *find(const struct said *s, const char *text)
{
	uint32_t hash = index_hash_bytes(&s->index, text, strlen(text));
	uint32_t slot = index_home(&s->index, hash), i;

	while (index_next(&s->index, hash, &slot, &i))
		if (!strcmp(s->v[i].text, text))
			return &s->v[i];
	return NULL;
}

/* The same, made if there is none. */
static struct said_line *line_of(struct said *s, const char *text)
{
	struct said_line *at = find(s, text);
	uint32_t n = s->index.n;

	if (at)
		return at;
	s->v = mem_grow(s->v, &s->cap, n + 1, sizeof(*s->v));
	s->v[n] = (struct said_line){ .text = mem_strdup(text) };
	index_begin(&s->index);
	index_add(&s->index, index_hash_bytes(&s->index, text, strlen(text)), n);
	return &s->v[n];
}

/* Call EACH with every line of PATH, until it returns false. */
static void each_line(const char *path, bool (*each)(void *arg, const char *line), void *arg)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	bool more = f;

	while (more && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		more = each(arg, line);
	}
	if (f)
		fclose(f);
	free(line);
}

static bool is_ours(const char *line)
{
	return !strncmp(line, OURS, strlen(OURS));
}

struct added {
	struct said *s;
	unsigned traces;
};

static bool add_line(void *arg, const char *line)
{
	const struct added *a = arg;
	struct said_line *at;

	if (!is_ours(line))
		return true;
	at = line_of(a->s, line);
	at->jobs++;
	at->traces += a->traces;
	return true;
}

void said_add(struct said *s, const char *path, unsigned traces)
{
	each_line(path, add_line, &(struct added){ s, traces });
}

static bool print_line(void *arg, const char *line)
{
	struct said_line *at = is_ours(line) ? find(arg, line) : NULL;

	if (!at || at->jobs < 2) {
		fprintf(stderr, "%s\n", line);
	} else if (!at->printed) {
		fprintf(stderr, "%s (from %u traces)\n", line, at->traces);
		at->printed = 1;
	}
	return true;
}

void said_file(struct said *s, const char *path)
{
	each_line(path, print_line, s);
}

struct failure {
	struct cli *c;
	const char *first;
	unsigned n;
};

static bool failure_line(void *arg, const char *line)
{
	struct failure *f = arg;

	if (f->n++ == FAILURE_LINES) {
		fputs("    ...\n", stderr);
		return false;
	}
	if (is_ours(line))
		line += strlen(OURS);
	if (f->n == 1)
		cli_say(f->c, "%s: %s", f->first, line);
	else
		fprintf(stderr, "    %s\n", line);
	return true;
}

void said_failure(struct cli *c, const char *path, const char *first)
{
	struct failure f = { c, first, 0 };

	each_line(path, failure_line, &f);
	if (!f.n)
		cli_say(c, "%s", first);
}

static bool part_line(void *arg, const char *line)
{
	struct said_line *at = line_of(arg, line);

	if (++at->met > at->printed) {
		at->printed = at->met;
		fprintf(stderr, "%s\n", line);
	}
	return true;
}

void said_part(struct said *s, const char *path)
{
	for (uint32_t i = 0; i < s->index.n; i++)
		s->v[i].met = 0;
	each_line(path, part_line, s);
}

void said_fini(struct said *s)
{
	for (uint32_t i = 0; i < s->index.n; i++)
		free(s->v[i].text);
	free(s->v);
	index_fini(&s->index);
}
