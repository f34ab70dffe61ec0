// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * said: a message of many processes in the same words is printed once, with the number of traces.
 * What a script prints itself stays as it is.
 */
#include "programs/zedperl/fleet/said.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAILURE_LINES 10 /* lines shown of a failed one's messages */

struct said_line {
	char *text; /* NULL: the place is free */
	unsigned jobs, traces;
	unsigned printed; /* how often */
	unsigned met;	  /* in the current part */
};

static struct said_line *place_of(struct said *s, const char *text)
{
	size_t i = bytes_hash(0, text, strlen(text)) & (s->slots - 1);

	while (s->v[i].text && strcmp(s->v[i].text, text) != 0)
		i = (i + 1) & (s->slots - 1);
	return &s->v[i];
}

static void grow(struct said *s)
{
	struct said old = *s;

	s->slots = old.slots ? 2 * old.slots : 64;
	s->v = mem_zalloc(s->slots * sizeof(*s->v));
	for (size_t i = 0; i < old.slots; i++)
		if (old.v[i].text)
			*place_of(s, old.v[i].text) = old.v[i];
	free(old.v);
}

/* The entry of the line TEXT, made if there is none. */
static struct said_line *line_of(struct said *s, const char *text)
{
	struct said_line *at;

	if (2 * s->n >= s->slots)
		grow(s);
	at = place_of(s, text);
	if (!at->text) {
		at->text = mem_strdup(text);
		s->n++;
	}
	return at;
}

static bool is_ours(const char *line)
{
	return !strncmp(line, "zedperl: ", 9);
}

void said_add(struct said *s, const char *path, unsigned traces)
{
	FILE *f = fopen(path, "re");
	struct said_line *at;
	char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (!is_ours(line))
			continue;
		at = line_of(s, line);
		at->jobs++;
		at->traces += traces;
	}
	free(line);
	if (f)
		fclose(f);
}

static void print_line(struct said *s, const char *line)
{
	struct said_line *at = s->slots && is_ours(line) ? place_of(s, line) : NULL;

	if (!at || !at->text || at->jobs < 2) {
		fprintf(stderr, "%s\n", line);
	} else if (!at->printed) {
		fprintf(stderr, "%s (from %u traces)\n", line, at->traces);
		at->printed = 1;
	}
}

void said_file(struct said *s, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		print_line(s, line);
	}
	if (f)
		fclose(f);
	free(line);
}

void said_failure(struct cli *c, const char *path, const char *first)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	unsigned n = 0;

	while (f && getline(&line, &cap, f) > 0) {
		const char *text = strncmp(line, "zedperl: ", 9) ? line : line + 9;

		if (n++ == FAILURE_LINES) {
			fputs("    ...\n", stderr);
			break;
		}
		line[strcspn(line, "\n")] = 0;
		if (n == 1)
			cli_say(c, "%s: %s", first, text);
		else
			fprintf(stderr, "    %s\n", text);
	}
	if (!n)
		cli_say(c, "%s", first);
	if (f)
		fclose(f);
	free(line);
}

void said_part(struct said *s, const char *path)
{
	FILE *f = fopen(path, "re");
	struct said_line *at;
	char *line = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < s->slots; i++)
		s->v[i].met = 0;
	while (f && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		at = line_of(s, line);
		if (++at->met <= at->printed)
			continue;
		at->printed = at->met;
		fprintf(stderr, "%s\n", line);
	}
	if (f)
		fclose(f);
	free(line);
}

void said_fini(struct said *s)
{
	for (size_t i = 0; i < s->slots; i++)
		free(s->v[i].text);
	free(s->v);
}
