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
#define MAX_ENTRIES 262144 /* names that are examined */
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

int ctf_folder_open(const struct ctf *t, const struct ctf_trace *trace)
{
	return openat(t->base.in.fd, *trace->name ? trace->name : ".",
		      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The text of the metadata of TRACE, whose path is PATH. */
static int read_text(struct ctf *t, const struct ctf_trace *trace, const char *path,
		     struct ctf_metadata_text *text, struct err *e)
{
	int at = ctf_folder_open(t, trace), rc;
	struct input in;

	rc = at < 0 ? 1 : input_open_below(&in, at, path, METADATA, e);
	if (at >= 0)
		close(at);
	if (rc > 0) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "its metadata are gone");
		err_path(e, path);
	}
	if (rc != 0)
		return -1;
	rc = ctf_metadata_text(text, &in, e);
	input_close(&in);
	return rc;
}

/* An earlier chunk of TRACE that has the same metadata; NULL: none. */
static const struct ctf_trace *find_like(const struct ctf *t, const struct ctf_trace *trace,
					 const struct ctf_metadata_text *text)
{
	const char *whole = ctf_chunks_name(trace->name);

	for (unsigned i = trace->like; i-- > 0;) {
		const struct ctf_trace *other = &t->traces[i];

		if (other->meta->hash == text->hash && !strcmp(ctf_chunks_name(other->name), whole))
			return other;
	}
	return NULL;
}

bool ctf_folder_metadata(struct ctf *t, struct ctf_trace *trace)
{
	char *path = path_of(t, trace), *file = input_below(path, METADATA);
	struct ctf_metadata_text text = { .p = NULL };
	const struct ctf_trace *other;
	struct err e;

	if (read_text(t, trace, path, &text, &e) == 0) {
		other = find_like(t, trace, &text);
		if (other)
			trace->like = other->like;
		trace->meta = other ? other->meta : ctf_metadata_parse(&text, file, &e);
	}
	free(text.p);
	free(file);
	free(path);
	if (!trace->meta)
		note_err(t->notes, NOTE_DAMAGE, &e);
	return trace->meta;
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

/* The names of the data files in the directory AT, sorted; to be freed, each as well. */
static char **list_files(int at, unsigned *n)
{
	DIR *dir = io_folder(at, ".", 0);
	struct dirent *d;
	char **v = NULL;
	size_t cap = 0;

	*n = 0;
	while (dir && (d = readdir(dir)) && *n < MAX_ENTRIES) {
		struct stat st;

		if (d->d_name[0] == '.' || !strcmp(d->d_name, METADATA) ||
		    fstatat(at, d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(st.st_mode))
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

/* The file NAME of TRACE, whose directory is AT: PATH. */
static void add_file(struct ctf *t, struct ctf_trace *trace, int at, const char *path,
		     const char *name)
{
	struct input in;
	struct err e;
	int rc = input_open_below(&in, at, path, name, &e);

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
	close(in.fd);
	in.fd = -1;
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
 * Report the files of the trace at AT: PATH that are gone: LTTng writes an index of each,
 * index/NAME.idx.  Without the message a trace of which CPUs are missing would be taken for a whole
 * one.
 */
static void say_gone(struct ctf *t, int at, const char *path)
{
	static const char ending[] = ".idx";
	DIR *dir = io_folder(at, "index", O_NOFOLLOW);
	struct dirent *d;

	for (unsigned n = 0; dir && n < MAX_ENTRIES && (d = readdir(dir)); n++) {
		size_t len = strlen(d->d_name);
		char name[sizeof(d->d_name)];

		if (len < sizeof(ending) || !suffix_is(d->d_name, ending))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(len - strlen(ending)), d->d_name);
		if (faccessat(at, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
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
	int at = ctf_folder_open(t, trace);
	unsigned n = 0;
	char **v = at < 0 ? NULL : list_files(at, &n);

	if (at < 0)
		note_say(t->notes, NOTE_DAMAGE, "%s: cannot open this directory: %s", path,
			 strerror(errno));
	else
		say_gone(t, at, path);
	for (unsigned i = 0; i < n; i++) {
		add_file(t, trace, at, path, v[i]);
		free(v[i]);
	}
	if (at >= 0)
		close(at);
	free(v);
	free(path);
}
