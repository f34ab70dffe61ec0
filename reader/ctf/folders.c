// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folders: finds the CTF traces in a directory, and the files of each.  A trace is a directory with
 * a file "metadata"; all others in it are its data, but for those in directories (index/).
 */
#include "base/ascii.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/suffix.h"
#include "reader/ctf/metadata/metadata.h"
#include "reader/ctf/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 8	   /* archives/CHUNK/ust/uid/1000/64-bit */
#define MAX_ENTRIES 65536  /* names that are examined */
#define PROBE_ENTRIES 4096 /* ... to find out whether there is a trace */

#define METADATA "metadata"

struct ctf_walk {
	int root;
	unsigned entries, most;
	/* What to do with a trace, whose directory is NAME below the root; false: enough. */
	bool (*found)(struct ctf_walk *w, const char *name);
	void *arg;
	bool ended; /* enough, or too many names */
};

/* Is NAME below AT the metadata of a CTF trace? */
static bool is_metadata(int at, const char *name)
{
	struct input in;
	struct err e;
	bool is;

	if (input_open_below(&in, at, "", name, &e) != 0)
		return false;
	is = ctf_metadata_probe(&in);
	input_close(&in);
	return is;
}

static void walk(struct ctf_walk *w, const char *below, unsigned depth)
{
	DIR *dir = io_folder(w->root, *below ? below : ".", O_NOFOLLOW);
	char *name = input_below(below, METADATA);
	struct dirent *d;

	if (is_metadata(w->root, name))
		w->ended |= !w->found(w, below);
	free(name);
	while (dir && !w->ended && (d = readdir(dir))) {
		struct stat st;

		if (d->d_name[0] == '.')
			continue;
		if (++w->entries > w->most) {
			w->ended = true;
			break;
		}
		name = input_below(below, d->d_name);
		if (depth < MAX_DEPTH && fstatat(w->root, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(st.st_mode))
			walk(w, name, depth + 1);
		free(name);
	}
	if (dir)
		closedir(dir);
}

static bool found_one(struct ctf_walk *w, const char *name)
{
	*(bool *)w->arg = true;
	return false;
}

bool ctf_folder_probe(int fd)
{
	bool found = false;
	struct ctf_walk w = {
		.root = fd, .most = PROBE_ENTRIES, .found = found_one, .arg = &found
	};

	walk(&w, "", 0);
	return found;
}

static bool add_trace(struct ctf_walk *w, const char *name)
{
	struct ctf *t = w->arg;
	struct ctf_trace *trace = &t->traces[t->ntraces];

	if (t->ntraces == CTF_MAX_TRACES)
		return false;
	memset(trace, 0, sizeof(*trace));
	trace->fd = openat(w->root, *name ? name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (trace->fd < 0) {
		note_say(t->notes, NOTE_DAMAGE, "%s: cannot look into directory %s: %s",
			 t->base.in.path, name, strerror(errno));
		return true;
	}
	trace->name = mem_strdup(name);
	t->ntraces++;
	return true;
}

static int by_name(const void *pa, const void *pb)
{
	const struct ctf_trace *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

void ctf_folder_traces(struct ctf *t)
{
	struct ctf_walk w = {
		.root = t->base.in.fd, .most = MAX_ENTRIES, .found = add_trace, .arg = t
	};

	t->traces = mem_zalloc(CTF_MAX_TRACES * sizeof(*t->traces));
	walk(&w, "", 0);
	if (w.ended)
		note_say(t->notes, NOTE_DAMAGE,
			 "%s: more than %u traces, or %u names: the others are left out",
			 t->base.in.path, CTF_MAX_TRACES, MAX_ENTRIES);
	qsort(t->traces, t->ntraces, sizeof(*t->traces), by_name);
}

/* The path of TRACE, to be freed. */
static char *path_of(const struct ctf *t, const struct ctf_trace *trace)
{
	return *trace->name ? input_below(t->base.in.path, trace->name) :
			      mem_strdup(t->base.in.path);
}

struct ctf_meta *ctf_folder_metadata(struct ctf *t, const struct ctf_trace *trace)
{
	char *path = path_of(t, trace);
	struct ctf_meta *m = NULL;
	struct input in;
	struct err e;
	int rc = input_open_below(&in, trace->fd, path, METADATA, &e);

	if (rc == 0) {
		m = ctf_metadata_read(&in, &e);
		input_close(&in);
	} else if (rc > 0) {
		err_set(&e, ERR_FORMAT, ERR_NO_OFF, "its metadata are gone");
		err_path(&e, path);
	}
	free(path);
	if (!m)
		note_err(t->notes, NOTE_DAMAGE, &e);
	return m;
}

/* The CPU in the name of a data file, channel0_3: the number behind its last '_'.  -1: none. */
static int cpu_in_name(const char *name)
{
	const char *cut = strrchr(name, '_');

	return cut ? ascii_number(cut + 1, CTF_MAX_CPUS - 1) : -1;
}

static int names_order(const void *pa, const void *pb)
{
	return strcmp(*(char *const *)pa, *(char *const *)pb);
}

/* The names of the files of TRACE, sorted; to be freed, each as well. */
static char **list_files(struct ctf *t, const struct ctf_trace *trace, unsigned *n)
{
	DIR *dir = io_folder(trace->fd, ".", 0);
	struct dirent *d;
	char **v = NULL;
	size_t cap = 0;

	*n = 0;
	while (dir && (d = readdir(dir)) && *n < MAX_ENTRIES) {
		struct stat st;

		if (d->d_name[0] == '.' || !strcmp(d->d_name, METADATA) ||
		    fstatat(trace->fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    S_ISDIR(st.st_mode))
			continue;
		v = mem_grow(v, &cap, *n + 1, sizeof(*v));
		v[(*n)++] = mem_strdup(d->d_name);
	}
	if (dir)
		closedir(dir);
	if (*n)
		qsort(v, *n, sizeof(*v), names_order);
	return v;
}

static void add_file(struct ctf *t, struct ctf_trace *trace, const char *path, const char *name)
{
	struct input in;
	struct err e;
	int rc = input_open_below(&in, trace->fd, path, name, &e);

	if (rc < 0)
		note_err(t->notes, NOTE_DAMAGE, &e);
	if (rc != 0)
		return;
	if (!in.size || t->nfiles == CTF_MAX_FILES) {
		if (in.size)
			note_say(t->notes, NOTE_DAMAGE,
				 "%s: is left out: a trace has more than %u files", in.path,
				 CTF_MAX_FILES);
		input_close(&in);
		return;
	}
	t->files[t->nfiles++] = ctf_packets_new(t, trace, &in, cpu_in_name(name));
}

/* A file of CPU is gone. */
static void miss_cpu(struct ctf *t, int cpu)
{
	struct missing *m = &t->base.missing;
	unsigned n = (unsigned)cpu + 1;

	if (cpu < 0)
		return;
	if (n > m->ncpus) {
		m->cpus = mem_realloc(m->cpus, n * sizeof(*m->cpus));
		memset(m->cpus + m->ncpus, 0, (n - m->ncpus) * sizeof(*m->cpus));
		m->ncpus = n;
	}
	m->cpus[cpu] = true;
}

/*
 * Report the files of TRACE that are gone: LTTng writes an index of each, index/NAME.idx.  Without
 * the message a trace of which CPUs are missing would be taken for a whole one.
 */
static void say_gone(struct ctf *t, const struct ctf_trace *trace, const char *path)
{
	static const char ending[] = ".idx";
	DIR *dir = io_folder(trace->fd, "index", O_NOFOLLOW);
	struct dirent *d;

	for (unsigned n = 0; dir && n < MAX_ENTRIES && (d = readdir(dir)); n++) {
		size_t len = strlen(d->d_name);
		char name[sizeof(d->d_name)];

		if (len < sizeof(ending) || !suffix_is(d->d_name, ending))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(len - strlen(ending)), d->d_name);
		if (faccessat(trace->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
			continue;
		miss_cpu(t, cpu_in_name(name));
		note_say(t->notes, NOTE_DAMAGE,
			 "%s/%s: is missing, and index/%s has it: its events "
			 "are left out",
			 path, name, d->d_name);
	}
	if (dir)
		closedir(dir);
}

void ctf_folder_files(struct ctf *t, struct ctf_trace *trace)
{
	char *path = path_of(t, trace);
	unsigned n;
	char **v = list_files(t, trace, &n);

	say_gone(t, trace, path);
	for (unsigned i = 0; i < n; i++) {
		add_file(t, trace, path, v[i]);
		free(v[i]);
	}
	free(v);
	free(path);
}
