// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * installed: the scripts and modules that come with zedperl: their places, names and manuals.
 */
#include "programs/installed.h"

#include "base/mem.h"
#include "base/suffix.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".pl"
#define HEAD "=head1 NAME"
#define WITHIN_LEAST 4 /* letters of a part of a name that are enough to identify it */
#define NEAR_MOST 2    /* letters by which a misspelt name may differ */

/* ---- places ---- */

static char *join(const char *dir, const char *name, const char *suffix)
{
	size_t size = strlen(dir) + strlen(name) + strlen(suffix) + 2;
	char *path = mem_alloc(size);

	snprintf(path, size, "%s%s%s%s", dir, *dir ? "/" : "", name, suffix);
	return path;
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_script(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* The folder of the program's own file.  False: not known. */
static bool program_dir(char dir[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", dir, PATH_MAX - 1);
	char *end;

	if (n <= 0)
		return false;
	dir[n] = '\0';
	end = strrchr(dir, '/');
	if (!end || end == dir)
		return false;
	*end = '\0';
	return true;
}

/* Remove the last folder from PATH if it is called NAME (NULL: any). */
static bool cut_off(char *path, const char *name)
{
	char *last = strrchr(path, '/');

	if (!last || (name && strcmp(last + 1, name)))
		return false;
	*last = '\0';
	return true;
}

/*
 * A program in bin/ has its files in share/; that of a checkout is at its top, or in build/VARIANT.
 */
char *installed_folder(const char *name)
{
	char dir[PATH_MAX], above[PATH_MAX], *root, *path;

	if (!program_dir(dir))
		return NULL;
	memcpy(above, dir, sizeof(above));
	if (cut_off(dir, "bin"))
		root = join(dir, "share/zedperl", "");
	else if (cut_off(above, NULL) && cut_off(above, "build"))
		root = mem_strdup(above);
	else
		root = mem_strdup(dir);
	path = join(root, name, "");
	free(root);
	if (is_dir(path))
		return path;
	free(path);
	return NULL;
}

char *installed_program(const char *name)
{
	char dir[PATH_MAX], *path;

	if (!program_dir(dir))
		return NULL;
	path = cut_off(dir, "bin") ? join(dir, "libexec/zedperl/", name) : join(dir, name, "");
	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

char *installed_modules(void)
{
	return installed_folder("lib");
}

/* ---- names ---- */

/* DIR/NAME or DIR/NAME.pl, whichever is a file; NULL: neither. */
static char *script_in(const char *dir, const char *name)
{
	static const char *const suffixes[] = { "", SUFFIX };

	for (unsigned i = 0; i < 2; i++) {
		char *path = join(dir, name, suffixes[i]);

		if (is_script(path))
			return path;
		free(path);
	}
	return NULL;
}

char *installed_find(const char *name)
{
	char *path = NULL, *dir;

	/* Ours comes first: a file in the current directory may have come with a trace. */
	if (suffix_is(name, SUFFIX))
		path = script_in("", name);
	if (!path && *name && !strchr(name, '/')) {
		dir = installed_folder("scripts");
		if (dir)
			path = script_in(dir, name);
		free(dir);
	}
	return path ? path : script_in("", name);
}

bool installed_is(const char *name)
{
	char *dir = strchr(name, '/') ? NULL : installed_folder("scripts");
	char *path = dir && *name ? script_in(dir, name) : NULL;
	bool is = path != NULL;

	free(path);
	free(dir);
	return is;
}

bool installed_alone(const char *name)
{
	static const char line[] = "\n# zedperl: reads no trace itself\n";
	/* What may be a trace does not say itself that it is a script. */
	char *path = suffix_is(name, SUFFIX) || installed_is(name) ? installed_find(name) : NULL;
	char head[1024];
	FILE *in = path ? fopen(path, "re") : NULL;
	size_t n = 0;

	if (in) {
		n = fread(head, 1, sizeof(head) - 1, in);
		fclose(in);
	}
	head[n] = '\0';
	free(path);
	return !strncmp(head, "#!", 2) && strstr(head, line);
}

static int is_listed(const struct dirent *d)
{
	return d->d_name[0] != '.' && suffix_is(d->d_name, SUFFIX);
}

void installed_each(void (*each)(const char *name, const char *path, void *arg), void *arg)
{
	char *dir = installed_folder("scripts");
	struct dirent **found = NULL;
	int n = dir ? scandir(dir, &found, is_listed, alphasort) : 0;

	for (int i = 0; i < n; i++) {
		char *path = join(dir, found[i]->d_name, "");

		found[i]->d_name[strlen(found[i]->d_name) - strlen(SUFFIX)] = '\0';
		each(found[i]->d_name, path, arg);
		free(path);
		free(found[i]);
	}
	free(found);
	free(dir);
}

/* The edit distance in letters inserted, removed or changed; more than MOST: MOST + 1. */
static unsigned distance(const char *a, const char *b, unsigned most)
{
	size_t n = strlen(b);
	unsigned row[NAME_MAX + 1];

	if (n > NAME_MAX)
		return most + 1;
	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 0; a[i]; i++) {
		unsigned corner = row[0], best;

		row[0] = best = i + 1;
		for (size_t k = 0; k < n; k++) {
			unsigned change = corner + (a[i] != b[k]);
			unsigned other = 1 + (row[k] < row[k + 1] ? row[k] : row[k + 1]);

			corner = row[k + 1];
			row[k + 1] = change < other ? change : other;
			if (row[k + 1] < best)
				best = row[k + 1];
		}
		if (best > most)
			return most + 1;
	}
	return row[n];
}

struct nearest {
	const char *name;
	unsigned least;
	char *is;
};

/* The first one whose name contains the word: "latency". */
static void look_within(const char *name, const char *path, void *arg)
{
	struct nearest *n = arg;

	if (!n->is && strlen(n->name) >= WITHIN_LEAST && strstr(name, n->name))
		n->is = mem_strdup(name);
}

static void look_near(const char *name, const char *path, void *arg)
{
	struct nearest *n = arg;
	unsigned away = distance(n->name, name, NEAR_MOST);

	if (away >= n->least)
		return;
	n->least = away;
	free(n->is);
	n->is = mem_strdup(name);
}

char *installed_near(const char *name)
{
	struct nearest n = { .name = name, .least = NEAR_MOST + 1 };

	installed_each(look_near, &n);
	if (!n.is)
		installed_each(look_within, &n);
	return n.is;
}

/* ---- manuals ---- */

void installed_purpose(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	bool here = false, page = suffix_is(path, ".md");
	char line[512];

	*buf = '\0';
	while (f && !*buf && fgets(line, sizeof(line), f)) {
		const char *dash = strstr(line, " - ");

		line[strcspn(line, "\n")] = '\0';
		if (page && !strncmp(line, "# ", 2))
			snprintf(buf, size, "%s", line + 2);
		else if (line[0] == '=')
			here = !strncmp(line, HEAD, strlen(HEAD));
		else if (here && dash)
			snprintf(buf, size, "%s", dash + 3);
	}
	if (f)
		fclose(f);
}

static void list_one(const char *name, const char *path, void *arg)
{
	char text[512];
	FILE *to = arg;

	installed_purpose(path, text, sizeof(text));
	fprintf(to, "%-20s %s\n", name, text);
}

int installed_list(struct cli *c, FILE *to)
{
	char *dir = installed_folder("scripts");

	if (!dir) {
		cli_say(c, "no scripts are installed with this program: make install puts them "
			   "into share/zedperl/scripts");
		return CLI_DAMAGE;
	}
	free(dir);
	installed_each(list_one, to);
	return CLI_OK;
}
