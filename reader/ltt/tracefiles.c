// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefiles: finds the tracefiles in the directory of an LTT trace by their names, opens and sorts
 * them.  Whether a file really is a tracefile is checked later.
 */
#include "base/ascii.h"
#include "base/io.h"
#include "base/mem.h"
#include "reader/ltt/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 8	  /* of directories below the trace */
#define MAX_ENTRIES 65536 /* names that are examined */
#define MAX_CPU 65535	  /* highest CPU number */
#define FLIGHT "flight-"  /* prefix of the flight recorder's channels */

struct walk {
	struct ltt *t;
	unsigned entries;
	bool full; /* too many names or files */
};

static bool is_dir_at(int fd, const char *name)
{
	struct stat st;

	return fstatat(fd, name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

bool ltt_dir_probe(int fd)
{
	return is_dir_at(fd, "control") && is_dir_at(fd, "eventdefs");
}

char *ltt_dir_read(const struct ltt *t, const char *name, size_t max, size_t *len, struct err *e)
{
	struct input in;
	char *text = NULL;
	int rc;

	e->kind = ERR_NONE;
	rc = input_open_below(&in, t->base.in.fd, t->base.in.path, name, e);
	if (rc)
		return NULL;
	if (in.size > max) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF,
			"has more than the %zu bytes that are read of "
			"such a file",
			max);
	} else {
		text = mem_zalloc(in.size + 1);
		*len = in.size;
		if (input_read(&in, text, in.size, 0, e) < 0) {
			free(text);
			text = NULL;
		}
	}
	if (!text)
		err_path(e, in.path);
	input_close(&in);
	return text;
}

void ltt_file_fini(struct ltt_file *f)
{
	input_close(&f->in);
	free(f->group);
}

/* Add the tracefile NAME, below the trace, of GROUP (takes ownership) and CPU. */
static void add_file(struct walk *w, const char *name, char *group, int cpu)
{
	struct ltt *t = w->t;
	struct ltt_file f = { .group = group, .cpu = cpu };
	struct err e;
	int rc;

	if (t->nfiles == LTT_MAX_FILES) {
		w->full = true;
		free(group);
		return;
	}
	rc = input_open_below(&f.in, t->base.in.fd, t->base.in.path, name, &e);
	if (rc < 0)
		note_err(t->notes, NOTE_DAMAGE, &e);
	if (rc == 0 && f.in.size) {
		t->files[t->nfiles++] = f;
		return;
	}
	if (rc == 0)
		input_close(&f.in);
	free(group);
}

/* Add NAME, below the trace, if it is named like a tracefile.  Returns whether it is. */
static bool take_name(struct walk *w, const char *name, bool old)
{
	const char *base = strrchr(name, '/'), *cut;
	int cpu = 0;

	base = base ? base + 1 : name;
	if (!old) {
		cut = strrchr(base, '_');
		cpu = cut && cut > base ? ascii_number(cut + 1, MAX_CPU) : -1;
		if (cpu >= 0)
			add_file(w, name, mem_strndup(name, cut - name), cpu);
		return cpu >= 0;
	}
	/* Generation 1: cpu/N, and one file of each kind in control/ for all CPUs. */
	if (!strncmp(name, "cpu/", 4) && base == name + 4)
		cpu = ascii_number(base, MAX_CPU);
	else if (strncmp(name, "control/", 8) != 0 || base != name + 8)
		cpu = -1;
	if (cpu >= 0)
		add_file(w, name, base == name + 4 ? mem_strdup("cpu") : mem_strdup(name), cpu);
	return cpu >= 0;
}

static void walk(struct walk *w, const char *below, unsigned depth, bool old);

static void take_entry(struct walk *w, const char *below, const struct dirent *d, unsigned depth,
		       bool old)
{
	char *name = input_below(below, d->d_name);
	struct stat st;

	/* A tracefile that is not a regular file is reported: its events are missing. */
	if (fstatat(w->t->base.in.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (!S_ISDIR(st.st_mode))
			take_name(w, name, old);
		else if (!(old && take_name(w, name, old)) && depth < MAX_DEPTH)
			walk(w, name, depth + 1, old);
	}
	free(name);
}

static void walk(struct walk *w, const char *below, unsigned depth, bool old)
{
	DIR *dir = io_folder(w->t->base.in.fd, *below ? below : ".", 0);
	struct dirent *d;

	if (!dir) {
		note_say(w->t->notes, NOTE_DAMAGE, "%s: cannot look into directory %s: %s",
			 w->t->base.in.path, *below ? below : ".", strerror(errno));
		return;
	}
	while (!w->full && (d = readdir(dir))) {
		if (d->d_name[0] == '.' || (!*below && !strcmp(d->d_name, "eventdefs")))
			continue;
		if (++w->entries > MAX_ENTRIES)
			w->full = true;
		else
			take_entry(w, below, d, depth, old);
	}
	closedir(dir);
}

/* "flight-cpu" is "cpu" if the trace has no "cpu". */
static void join_flight(struct ltt *t)
{
	for (unsigned i = 0; i < t->nfiles; i++) {
		char *base = strrchr(t->files[i].group, '/'), *plain;
		bool taken = false;

		base = base ? base + 1 : t->files[i].group;
		if (strncmp(base, FLIGHT, strlen(FLIGHT)) != 0)
			continue;
		plain = mem_strdup(t->files[i].group);
		memmove(plain + (base - t->files[i].group), base + strlen(FLIGHT),
			strlen(base + strlen(FLIGHT)) + 1);
		for (unsigned k = 0; k < t->nfiles && !taken; k++)
			taken = t->files[k].cpu == t->files[i].cpu &&
				!strcmp(t->files[k].group, plain);
		if (taken) {
			free(plain);
			continue;
		}
		free(t->files[i].group);
		t->files[i].group = plain;
	}
}

static int by_group(const void *pa, const void *pb)
{
	const struct ltt_file *a = pa, *b = pb;
	bool cpu_a = !strcmp(a->group, "cpu"), cpu_b = !strcmp(b->group, "cpu");
	int d = strcmp(a->group, b->group);

	if (cpu_a != cpu_b)
		return cpu_a ? -1 : 1;
	if (!d)
		d = (a->cpu > b->cpu) - (a->cpu < b->cpu);
	return d ? d : strcmp(a->in.path, b->in.path);
}

void ltt_dir_find(struct ltt *t, bool old)
{
	struct walk w = { .t = t };

	if (!t->files)
		t->files = mem_zalloc(LTT_MAX_FILES * sizeof(*t->files));
	walk(&w, "", 0, old);
	if (w.full)
		note_say(t->notes, NOTE_DAMAGE,
			 "%s: more than %u tracefiles or %u names: the "
			 "others are left out",
			 t->base.in.path, LTT_MAX_FILES, MAX_ENTRIES);
	join_flight(t);
	qsort(t->files, t->nfiles, sizeof(*t->files), by_group);
}
