// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * job_list: the traces of -j, how they are divided, and the command line of a process.
 */
#include "programs/zedperl/job_list.h"

#include "programs/zedperl/fleet/folder.h"
#include "programs/zedperl/fleet/tell.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "reader/open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART 64		       /* traces of one process, at most */
#define PART_BYTES (16u << 20) /* and bytes, if it is more than one */
#define ROUNDS 4	       /* parts for each process, at least, so that all end together */

static void add_trace(struct job_list *l, char *path)
{
	struct job_trace t = { .path = path, .alone = true };
	struct stat st;

	t.hash = bytes_hash(0, path, strlen(path) + 1);
	if (stat(path, &st) == 0) {
		t.size = st.st_size;
		t.alone = !S_ISREG(st.st_mode);
		t.once = t.alone && !S_ISDIR(st.st_mode);
		t.hash = bytes_hash(t.hash, &st.st_size, sizeof(st.st_size));
		t.hash = bytes_hash(t.hash, &st.st_mtim, sizeof(st.st_mtim));
	}
	l->v = mem_grow(l->v, &l->cap, (size_t)l->n + 1, sizeof(*l->v));
	l->v[l->n++] = t;
}

/* Names that end in NUL, if there is one, or in newlines. */
static bool read_names(struct job_list *l, struct cli *c, const char *path, unsigned jobs)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *f = is_stdin ? stdin : fopen(path, "re");
	char *text = NULL, *p, *end;
	size_t cap = 0, len = 0, n;
	int sep, broken;

	if (f && !is_stdin && source_is_trace(path)) {
		cli_say(c,
			"%s: is a trace, and --files-from reads a list of names: zedperl -j %u "
			"SCRIPT %s",
			path, jobs, path);
		fclose(f);
		return false;
	}
	if (!f) {
		cli_say(c, "%s: cannot read the list of traces: %s", path, strerror(errno));
		return false;
	}
	do {
		text = mem_grow(text, &cap, len + 65537, 1);
		n = fread(text + len, 1, 65536, f);
		len += n;
	} while (n);
	broken = ferror(f) ? errno : 0;
	if (f != stdin)
		fclose(f);
	if (broken) {
		cli_say(c, "%s: cannot read the list of traces: %s", path, strerror(broken));
		free(text);
		return false;
	}
	sep = memchr(text, 0, len) ? 0 : '\n';
	text[len] = (char)sep;
	for (p = text; p < text + len; p = end + 1) {
		end = memchr(p, sep, text + len + 1 - p);
		if (end > p)
			add_trace(l, mem_strndup(p, end - p));
	}
	free(text);
	return true;
}

/*
 * What the script declares.  APART: it keeps several inputs apart, so that the state of one run on
 * them equals the merged states of runs on each, as in analyses.
 */
struct script_traits {
	bool apart;
	bool timeless; /* no event matters for a later one */
	bool answers;  /* states are followed, and the answer is cut to a part */
};

static struct script_traits read_script(const struct zedperl *z, uint64_t *hash)
{
	FILE *f = z->script.path ? fopen(z->script.path, "re") :
		  z->script.code ? fmemopen(z->script.code, strlen(z->script.code), "r") :
				   NULL;
	struct script_traits said = { .apart = false };
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	while (f && (len = getline(&line, &cap, f)) > 0) {
		*hash = bytes_hash(*hash, line, len);
		said.apart = said.apart || !strcmp(line, "# zedperl: keeps traces apart\n");
		said.timeless = said.timeless || !strcmp(line, JOB_LIST_TIMELESS "\n");
		said.answers = said.answers || !strcmp(line, JOB_LIST_ANSWERS "\n");
	}
	free(line);
	if (f)
		fclose(f);
	return said;
}

void job_list_look(struct zedperl *z)
{
	uint64_t hash = 0;
	struct script_traits said = read_script(z, &hash);

	z->running.timeless = said.timeless;
	z->running.answers = said.answers;
}

/*
 * In how many parts of its time the single trace is read, if the script allows it.  Each part's
 * process reads all of it, so there are no more parts than processes.
 */
static unsigned count_parts(const struct job_list *l, struct cli *c, const struct zedperl *z,
			    struct script_traits said)
{
	const char *path = l->v[0].path, *why = NULL;

	if (l->n != 1 || z->fleet.each || z->fleet.jobs == 1)
		return 0;
	if (c->words.head || c->words.tail)
		why = "--head and --tail choose of the whole";
	else if (!source_has_parts(path))
		why = "only a file, or a CTF trace, can be read in parts of its time";
	else if (said.answers && !said.timeless)
		why = "what follows states reads all of it up to the end of each part (--part K/N "
		      "does so)";
	if (!why)
		return z->fleet.jobs;
	cli_say(c, "%s: one trace, one process: %s", path, why);
	return 0;
}

static int by_hash(const void *a, const void *b)
{
	const struct job_trace *x = *(const struct job_trace *const *)a;
	const struct job_trace *y = *(const struct job_trace *const *)b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* A trace named twice is run once: its second state would be left out. */
static void drop_doubles(struct job_list *l)
{
	struct job_trace **of = mem_alloc((l->n + 1ul) * sizeof(*of));
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++)
		of[i] = &l->v[i];
	qsort(of, l->n, sizeof(*of), by_hash);
	for (unsigned i = 1; i < l->n; i++)
		of[i]->again = of[i]->hash == of[i - 1]->hash &&
			       !strcmp(of[i]->path, of[i - 1]->path);
	for (unsigned i = 0; i < l->n; i++) {
		if (l->v[i].again)
			free(l->v[i].path);
		else
			l->v[n++] = l->v[i];
	}
	l->n = n;
	free(of);
}

/* The option as passed to a process; NULL: it controls the processes.  To be freed. */
static char *word_for_it(const struct cli_given *g)
{
	return g->row->opt->traits & CLI_FLEET ? NULL : cli_given_word(g);
}

bool job_list_read(struct job_list *l, struct cli *c, struct zedperl *z)
{
	struct script_traits said;
	unsigned rounds;

	for (int i = 0; i < z->fleet.nfiles; i++)
		add_trace(l, mem_strdup(z->fleet.files[i]));
	if (z->fleet.files_from && !read_names(l, c, z->fleet.files_from, z->fleet.jobs))
		return false;
	if (!l->n && z->fleet.files_from) {
		cli_say(c, "%s: the list names no trace",
			strcmp(z->fleet.files_from, "-") ? z->fleet.files_from : "standard input");
		return false;
	}
	if (!l->n) {
		cli_usage(c, true, "no trace given: zedperl -j N SCRIPT TRACE...");
		return false;
	}
	for (unsigned i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].path, "-")) {
			cli_usage(c, true,
				  "-: no process of -j has our standard input: "
				  "zedperl --map - SCRIPT, then --reduce; a file is ./-");
			return false;
		}
	if (!z->fleet.each)
		drop_doubles(l);
	/* States of another version cannot be used by this one. */
	l->options = bytes_hash(0, ZED_VERSION, sizeof(ZED_VERSION));
	for (size_t i = 0; i < c->ngiven; i++) {
		char *word = word_for_it(&c->given[i]);

		if (word)
			l->options = bytes_hash(l->options, word, strlen(word) + 1);
		free(word);
	}
	for (size_t i = 1; i < z->perl.argc; i++)
		l->options = bytes_hash(l->options, z->perl.argv[i], strlen(z->perl.argv[i]) + 1);
	said = read_script(z, &l->options);
	l->parts = count_parts(l, c, z, said);
	rounds = l->n / (z->fleet.jobs * ROUNDS);
	l->most = z->fleet.each || !said.apart || (cli_traits(c) & CLI_APART) ? 1 :
		  rounds < 1						      ? 1 :
		  rounds > PART						      ? PART :
										rounds;
	return true;
}

unsigned job_list_part(const struct job_list *l, const struct zedperl *z, unsigned first)
{
	uint64_t bytes = l->v[first].size;
	unsigned n = 1;

	if (l->v[first].alone)
		return 1;
	while (n < l->most && first + n < l->n && !l->v[first + n].alone &&
	       bytes + l->v[first + n].size <= PART_BYTES)
		bytes += l->v[first + n++].size;
	return n;
}

const char **job_list_words(const struct job_list *l, const struct cli *c, const struct zedperl *z,
			    unsigned first, unsigned n)
{
	size_t at = 0, script = 1;
	const char **words = mem_zalloc((c->ngiven + z->perl.argc + 2ul * n + 11) * sizeof(*words));

	words[at++] = TELL_NAME;
	/* All but the last are placeholders, replaced by job_list_output(). */
	while (at < 7)
		words[at++] = "--force-merge";
	for (size_t i = 0; i < c->ngiven; i++) {
		words[at] = word_for_it(&c->given[i]);
		at += words[at] != NULL;
	}
	for (unsigned i = first; i < first + n; i++) {
		words[at++] = "-i";
		words[at++] = l->v[i].path;
	}
	/* After "--" of perl's own command line: the script and its arguments. */
	while (script < z->perl.argc && strcmp(z->perl.argv[script], "--"))
		script++;
	words[at++] = "--";
	for (script++; script < z->perl.argc; script++)
		words[at++] = z->perl.argv[script];
	return words;
}

const char **job_list_output(const char **words, const char *out)
{
	words[1] = "--map";
	words[2] = "-o";
	words[3] = out;
	return words;
}

const char **job_list_part_word(const char **words, const char *part)
{
	words[4] = "--part";
	words[5] = part;
	return words;
}

/* ---- the folder of the states ---- */

/* Can it be written to?  If not, errno says why. */
static bool is_folder(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode) && access(path, W_OK | X_OK) == 0;
}

/*
 * What is wrong with the folder PATH, in which names depend on the existing files; NULL: nothing.
 */
static const char *is_of_others(const char *path)
{
	const char *why = NULL;
	DIR *dir = opendir(path);
	struct dirent *d;
	struct stat st;

	if (!dir || fstat(dirfd(dir), &st) < 0)
		why = "cannot look into it";
	else if (st.st_uid != geteuid())
		why = "belongs to another user: name a folder of your own";
	else if (st.st_mode & (S_IWGRP | S_IWOTH))
		why = "others can write to it: chmod go-w, or name another folder";
	while (!why && (d = readdir(dir)))
		if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISLNK(st.st_mode))
			why = "there are symbolic links in it, which are not followed: remove them";
	if (dir)
		closedir(dir);
	return why;
}

bool job_list_folder(struct cli *c, struct zedperl *z)
{
	const char *tmp = getenv("TMPDIR"), *why;

	if (z->fleet.resume && !z->fleet.each) {
		why = is_folder(z->fleet.resume) ? is_of_others(z->fleet.resume) : NULL;
		if (why) {
			cli_say(c, "--resume %s: %s", z->fleet.resume, why);
			return false;
		}
		if ((mkdir(z->fleet.resume, 0700) == 0 || errno == EEXIST) &&
		    is_folder(z->fleet.resume)) {
			z->fleet.folder = mem_strdup(z->fleet.resume);
			return true;
		}
	} else {
		tmp = tmp && *tmp ? tmp : "/tmp";
		z->fleet.folder_is_ours = true;
		z->fleet.folder = folder_make(tmp, &z->fleet.folder_lock);
		if (z->fleet.folder)
			return true;
	}
	cli_say(c, "%s: cannot make the folder for states: %s",
		z->fleet.resume ? z->fleet.resume : tmp, strerror(errno));
	return false;
}

void job_list_fini(struct job_list *l)
{
	for (unsigned i = 0; i < l->n; i++)
		free(l->v[i].path);
	free(l->v);
}
