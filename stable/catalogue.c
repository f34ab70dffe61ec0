// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * catalogue: all stable events, from the embedded texts (stable/) and those that users add, sorted
 * by name.  A text with an error is rejected as a whole.
 */
#include "stable/catalogue.h"

#include "base/io.h"
#include "base/suffix.h"
#include "stable/definition.h"
#include "trace/names/shipped.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_TEXT (1u << 20) /* bytes of a file */
#define MAX_FILES 1024	    /* of a directory */
#define SUFFIX ".stable"

struct stable {
	struct definition **defs;
	unsigned n;
	size_t cap;
};

static int compare(const void *a, const void *b)
{
	const struct stable_event *x = &(*(struct definition *const *)a)->ev;
	const struct stable_event *y = &(*(struct definition *const *)b)->ev;
	int c = strcmp(x->system, y->system);

	return c ? c : strcmp(x->name, y->name);
}

static unsigned index_of(const struct stable *s, const char *system, const char *name)
{
	for (unsigned i = 0; i < s->n; i++)
		if (!strcmp(s->defs[i]->ev.name, name) && !strcmp(s->defs[i]->ev.system, system))
			return i;
	return s->n;
}

static void take(struct stable *s, struct definition *d)
{
	unsigned i = index_of(s, d->ev.system, d->ev.name);

	if (i < s->n) {
		definition_free(s->defs[i]);
		s->defs[i] = d;
		return;
	}
	s->defs = mem_grow(s->defs, &s->cap, s->n + 1, sizeof(*s->defs));
	s->defs[s->n++] = d;
}

static int too_large(struct err *e)
{
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "a catalogue of more than %u bytes", MAX_TEXT);
}

int stable_add(struct stable *s, const char *file, const char *text, size_t len, struct err *e)
{
	struct definition **defs;
	unsigned n;

	if (len > MAX_TEXT) {
		too_large(e);
		return err_path(e, file);
	}
	TRY(stableparse(file, text, len, STABLE_MAX_EVENTS - s->n, &defs, &n, e));
	for (unsigned i = 0; i < n; i++)
		take(s, defs[i]);
	free(defs);
	if (s->n)
		qsort(s->defs, s->n, sizeof(*s->defs), compare);
	return 0;
}

static int add_file(struct stable *s, const char *path, struct err *e)
{
	size_t len;
	char *text = io_text(open(path, O_RDONLY | O_CLOEXEC), MAX_TEXT, &len);
	int rc;

	if (text)
		rc = stable_add(s, path, text, len, e);
	else if (errno == EFBIG)
		rc = too_large(e);
	else
		rc = err_sys(e, ERR_NO_OFF, "cannot be read");
	free(text);
	return rc < 0 ? err_path(e, path) : 0;
}

static int is_catalogue(const struct dirent *d)
{
	return d->d_name[0] != '.' && suffix_is(d->d_name, SUFFIX);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_dir(struct stable *s, const char *path, struct err *e)
{
	struct dirent **names;
	int n = scandir(path, &names, is_catalogue, by_name), rc = 0;

	if (n < 0)
		rc = err_sys(e, ERR_NO_OFF, "cannot read it");
	else if (!n || n > MAX_FILES)
		rc = err_set(e, ERR_USAGE, ERR_NO_OFF,
			     n ? "more than %d files *" SUFFIX " in it" :
				 "no file *" SUFFIX " in it",
			     MAX_FILES);
	for (int i = 0; i < n; i++) {
		size_t len = strlen(path) + strlen(names[i]->d_name) + 2;
		char *full = mem_alloc(len);

		snprintf(full, len, "%s/%s", path, names[i]->d_name);
		if (rc == 0)
			rc = add_file(s, full, e);
		free(full);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return rc < 0 ? err_path(e, path) : 0;
}

int stable_add_path(struct stable *s, const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return add_dir(s, path, e);
	return add_file(s, path, e);
}

struct stable *stable_new(void)
{
	struct stable *s = mem_zalloc(sizeof(*s));
	struct err e;

	for (const struct stable_text *t = stable_texts; t->name; t++)
		if (suffix_is(t->name, SUFFIX))
			(void)stable_add(s, t->name, t->text, t->len, &e);
	return s;
}

void stable_free(struct stable *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->n; i++)
		definition_free(s->defs[i]);
	free(s->defs);
	free(s);
}

unsigned stable_count(const struct stable *s)
{
	return s->n;
}

const struct stable_event *stable_at(const struct stable *s, unsigned i)
{
	return &s->defs[i]->ev;
}

const struct stable_event *stable_find(const struct stable *s, const char *system, const char *name)
{
	unsigned i = index_of(s, system, name);

	return i < s->n ? &s->defs[i]->ev : NULL;
}
