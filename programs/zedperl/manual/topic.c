// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * topic: shows the pages, the manuals of scripts and modules, and their entries about functions, by
 * name.
 */
#include "programs/zedperl/manual/topic.h"

#include "base/glob.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "base/suffix.h"
#include "interp/perl/interp.h"
#include "programs/installed.h"
#include "programs/terminal/pager.h"
#include "programs/zedperl/manual/about.h"
#include "programs/zedperl/manual/entry.h"
#include "programs/zedperl/manual/option.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_PAGE "help"
#define LICENCE "<!-- SPDX" /* the first line of a page may be that */
#define ALL_TOPICS "topics" /* not a page: lists the topics */
#define FUNCTIONS "scripts" /* the page of the functions of Zed, and of the subs that are called */

#define OPTIONS "Options of that name (zedperl help PROGRAM):"

/* ---- finding a topic ---- */

static bool is_page(const char *path)
{
	return access(path, R_OK) == 0;
}

/* The file of the page TOPIC in DIR, into PATH. */
static bool find_page(const char *dir, const char *topic, char path[PATH_MAX])
{
	static const char *const before[] = { "", "zedperl-", "zed-" };
	/* For a folder of pages, its index page. */
	static const char *const behind[] = { ".txt", ".md", ".pod", "/README.md" };

	for (unsigned i = 0; i < 12; i++) {
		int n = snprintf(path, PATH_MAX, "%s/%s%s%s", dir, before[i / 4], topic,
				 behind[i % 4]);

		if (n < PATH_MAX && is_page(path))
			return true;
	}
	return false;
}

/* The file of the module whose name is TOPIC, "Zed::Table", or its first LEN letters, in DIR. */
static bool find_module(const char *dir, const char *topic, size_t len, char path[PATH_MAX])
{
	char name[NAME_MAX];
	size_t n = 0;

	for (const char *s = topic; s < topic + len && n < sizeof(name) - 1; s++) {
		bool colons = s[0] == ':' && s[1] == ':';

		name[n++] = colons ? '/' : *s;
		s += colons;
	}
	name[n] = '\0';
	return snprintf(path, PATH_MAX, "%s/%s.pm", dir, name) < PATH_MAX && is_page(path);
}

/* Into PATH; false: there is no such topic. */
static bool find_topic(const char *topic, char path[PATH_MAX])
{
	char *docs = installed_folder("docs"), *lib = installed_modules(), *script = NULL;
	bool found = false;

	/* Pages may be in a folder: fleet/slurm. ./mine.pl is the user's file. */
	if (topic[0] != '/' && topic[0] != '.' && !strstr(topic, "./"))
		found = (docs && find_page(docs, topic, path)) ||
			(lib && find_module(lib, topic, strlen(topic), path));
	if (!found && (script = installed_find(topic)))
		found = snprintf(path, PATH_MAX, "%s", script) < PATH_MAX;
	free(docs);
	free(lib);
	free(script);
	return found;
}

/* ---- functions ---- */

/* The functions of Zed and the subs that zedperl calls; NULL: that page is missing. */
static struct entries *all_functions(void)
{
	char *docs = installed_folder("docs"), path[PATH_MAX];
	struct entries *all = docs && find_page(docs, FUNCTIONS, path) ? entries_read(path) : NULL;

	free(docs);
	return all;
}

/* The functions of the module before the last "::" of TOPIC, "Zed::Table::add"; NULL: none. */
static struct entries *module_functions(const char *topic, char module[NAME_MAX])
{
	const char *name = entry_short(topic);
	size_t len = name - topic >= 2 ? (size_t)(name - topic) - 2 : 0;
	char *lib = installed_modules(), path[PATH_MAX];
	struct entries *all = NULL;

	if (lib && len && len < NAME_MAX && find_module(lib, topic, len, path)) {
		snprintf(module, NAME_MAX, "%.*s", (int)len, topic);
		all = entries_read(path);
	}
	free(lib);
	return all;
}

/* The entry of the function TOPIC in its page, a POD, the caller's; NULL: not a function. */
static char *find_function(const char *topic)
{
	char name[NAME_MAX], zed[NAME_MAX + 8], module[NAME_MAX], where[NAME_MAX + 16];
	struct entries *of_module, *all = all_functions();
	char *found = NULL;

	/* Zed::keep() and Zed::keep(FROM, TO) as well. */
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(topic, "("), topic);
	snprintf(zed, sizeof(zed), "Zed::%s", name);
	of_module = module_functions(name, module);
	if (of_module) {
		snprintf(where, sizeof(where), "zedperl help %s", module);
		found = entries_find(of_module, entry_short(name), true, where);
	}
	if (!found && all) {
		snprintf(where, sizeof(where), "zedperl help %s", FUNCTIONS);
		found = entries_find(all, name, false, where);
		found = found ? found : entries_find(all, zed, false, where);
		/* A method of one of the objects: rows. */
		found = found ? found : entries_find(all, name, true, where);
	}
	entries_free(of_module);
	entries_free(all);
	return found;
}

/* ---- similar names ---- */

/* All possible topics. */
struct topic_names {
	char **list;
	size_t n, cap, at;
};

static void add_name(struct topic_names *all, const char *before, const char *name, size_t len)
{
	struct outbuf o = { 0 };

	out_str(&o, before);
	out_bytes(&o, name, len);
	all->list = mem_grow(all->list, &all->cap, all->n + 1, sizeof(*all->list));
	all->list[all->n++] = out_end(&o);
}

/* Add the files of the folder DIR that end in END, without END, with BEFORE in front. */
static void add_files(struct topic_names *all, const char *dir, const char *before, const char *end)
{
	DIR *d = dir ? opendir(dir) : NULL;
	size_t n = strlen(end);
	struct dirent *f;

	while (d && (f = readdir(d)))
		if (f->d_name[0] != '.' && suffix_is(f->d_name, end))
			add_name(all, before, f->d_name, strlen(f->d_name) - n);
	if (d)
		closedir(d);
}

/* Add functions by their short names, with BEFORE in front. */
static void add_functions(struct topic_names *all, const struct entries *of, const char *before)
{
	const char *name;

	for (size_t i = 0; of && (name = entries_name(of, i)); i++)
		add_name(all, before, entry_short(name), strlen(entry_short(name)));
}

static void add_written(struct topic_names *all, const struct entries *of)
{
	const char *name;

	for (size_t i = 0; of && (name = entries_name(of, i)); i++)
		if (*name != '$')
			add_name(all, "", name, strlen(name));
}

static const char *next_name(void *arg)
{
	struct topic_names *all = arg;

	return all->at < all->n ? all->list[all->at++] : NULL;
}

/* The topic with a name near TOPIC, the caller's; NULL: none. */
static char *find_near(const char *topic)
{
	char *docs = installed_folder("docs"), *lib = installed_modules(), module[NAME_MAX];
	char *scripts = installed_folder("scripts"), modules[PATH_MAX], before[NAME_MAX + 2];
	char *near;
	struct entries *of_module = module_functions(topic, module), *functions = all_functions();
	struct topic_names all = { 0 };
	const char *name;

	add_files(&all, scripts, "", ".pl");
	add_files(&all, docs, "", ".md");
	add_files(&all, docs, "", ".pod");
	if (lib && snprintf(modules, sizeof(modules), "%s/Zed", lib) < PATH_MAX)
		add_files(&all, modules, "Zed::", ".pm");
	add_written(&all, functions);
	add_functions(&all, functions, "");
	if (of_module) {
		snprintf(before, sizeof(before), "%s::", module);
		add_functions(&all, of_module, before);
	}
	name = nearest_name(topic, next_name, &all);
	near = name ? mem_strdup(name) : NULL;
	for (size_t i = 0; i < all.n; i++)
		free(all.list[i]);
	free(all.list);
	entries_free(of_module);
	entries_free(functions);
	free(scripts);
	free(docs);
	free(lib);
	return near;
}

/* ---- all topics ---- */

static int is_shown(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* The name by which find_page() finds the page that is called NAME. */
static const char *short_page(const char *name)
{
	static const char *const before[] = { "zedperl-", "zed-" };

	for (unsigned i = 0; i < 2; i++)
		if (!strncmp(name, before[i], strlen(before[i])))
			return name + strlen(before[i]);
	return name;
}

/* A line for each file of the folder DIR that ends in END, named BEFORE plus its name. */
static void list_files(const char *dir, const char *before, const char *end)
{
	struct dirent **found = NULL;
	int n = dir ? scandir(dir, &found, is_shown, alphasort) : 0;

	for (int i = 0; i < n; i++) {
		char *name = found[i]->d_name, path[PATH_MAX], topic[2 * NAME_MAX], text[512];

		if (suffix_is(name, end) && strcmp(name, "README.md") &&
		    snprintf(path, sizeof(path), "%s/%s", dir, name) < PATH_MAX) {
			installed_purpose(path, text, sizeof(text));
			snprintf(topic, sizeof(topic), "%s%.*s", before,
				 (int)(strlen(name) - strlen(end)), name);
			printf("%-20s %s\n", short_page(topic), text);
		}
		free(found[i]);
	}
	free(found);
}

/* The folders of pages in DOCS: the index page, and the others. */
static void list_folders(const char *docs)
{
	struct dirent **found = NULL;
	int n = docs ? scandir(docs, &found, is_shown, alphasort) : 0;

	for (int i = 0; i < n; i++) {
		char *name = found[i]->d_name, dir[PATH_MAX], path[PATH_MAX], text[512];

		if (snprintf(dir, sizeof(dir), "%s/%s", docs, name) < PATH_MAX &&
		    snprintf(path, sizeof(path), "%s/README.md", dir) < PATH_MAX && is_page(path)) {
			char before[NAME_MAX + 2];

			installed_purpose(path, text, sizeof(text));
			printf("%-20s %s\n", name, text);
			snprintf(before, sizeof(before), "%s/", name);
			list_files(dir, before, ".md");
		}
		free(found[i]);
	}
	free(found);
}

static int show_topics(struct cli *c)
{
	char *docs = installed_folder("docs"), *lib = installed_modules(), modules[PATH_MAX];
	struct entries *functions = all_functions();
	const char *name, *last = "";

	list_files(docs, "", ".md");
	list_files(docs, "", ".pod");
	list_folders(docs);
	installed_list(c, stdout);
	if (lib && snprintf(modules, sizeof(modules), "%s/Zed", lib) < PATH_MAX)
		list_files(modules, "Zed::", ".pm");
	for (size_t i = 0; functions && (name = entries_name(functions, i)); i++) {
		if (*name == '$' || strstr(name, "->") || !strcmp(name, last))
			continue;
		printf("%-20s %s\n", name,
		       strncmp(name, "Zed::", 5) ? "a sub of a script, called by zedperl" :
						   "a function of Zed");
		last = name;
	}
	entries_free(functions);
	free(docs);
	free(lib);
	return cli_end_output(c, CLI_OK);
}

/* ---- showing it ---- */

/* As it is, without the licence line: .txt and .md are readable as they are. */
static int show_text(struct cli *c, const char *path)
{
	FILE *in = fopen(path, "re");
	char buf[4096];
	size_t n;

	if (!in) {
		cli_say(c, "%s: %s", path, strerror(errno));
		return CLI_USAGE;
	}
	if (fgets(buf, sizeof(buf), in) && strncmp(buf, LICENCE, strlen(LICENCE)) != 0)
		fputs(buf, stdout);
	while ((n = fread(buf, 1, sizeof(buf), in)) > 0)
		fwrite(buf, 1, n, stdout);
	fclose(in);
	return cli_end_output(c, CLI_OK);
}

static void boot_nothing(struct interp *in, void *arg)
{
}

/* A POD: the text HOW is "text", else the file of that name. */
static int show_pod(const char *how, const char *pod)
{
	static const char code[] =
		"use Pod::Text; my ($how, $pod) = @ARGV; "
		"my $p = Pod::Text->new(width => 96, utf8 => 1, indent => $how eq 'text' ? 0 : 4); "
		"$p->output_string(\\my $text); "
		"$how eq 'text' ? $p->parse_string_document($pod) : $p->parse_file($pod); "
		"die qq{zedperl: $pod has no manual\\n} if !$p->content_seen; "
		/* The script may be untrusted: made plain (base/plain.h). */
		"utf8::encode($text) if utf8::is_utf8($text); "
		"$text =~ s/([\\x00-\\x08\\x0b-\\x1f\\x7f]|\\xc2[\\x80-\\x9f]|\\xd8\\x9c|"
		"\\xe2\\x80[\\x8e\\x8f\\xa8-\\xae]|\\xe2\\x81[\\xa6-\\xa9])/"
		"join '', map { sprintf '\\\\x%02x', ord } split m{}, $1/ge; "
		"binmode STDOUT; print $text;";
	char zed[] = "zedperl", e[] = "-e", end[] = "--";
	char *words[] = { zed, e, (char *)code, end, (char *)how, (char *)pod, NULL };
	char **argv = words;
	struct interp *in;
	int argc = 6, status;

	in = interp_new(&argc, &argv, &environ);
	if (!in)
		return CLI_DAMAGE;
	status = interp_load(in, argc, argv, boot_nothing, NULL) == INTERP_OK ? CLI_OK : CLI_DAMAGE;
	return interp_end(in, status);
}

/* What else a word leads to.  False: nothing. */
static bool show_about(const char *word)
{
	bool any = about_show(word, "Analyses and pages about this word (zedperl help NAME):");

	return option_show(word, any ? "\n" OPTIONS : OPTIONS) || any;
}

int topic_show(struct cli *c, const char *topic)
{
	char path[PATH_MAX], *entry, *near;
	pid_t pager;
	int status;

	/* Zed.pm for plain perl has a part of that page as its manual. */
	if (topic && !strcmp(topic, "Zed"))
		topic = FUNCTIONS;
	if (topic && !strcmp(topic, ALL_TOPICS)) {
		pager = pager_begin();
		status = show_topics(c);
		pager_end(pager);
		return status;
	}
	if (find_topic(topic ? topic : FIRST_PAGE, path)) {
		pager = pager_begin();
		status = suffix_is(path, ".txt") || suffix_is(path, ".md") ? show_text(c, path) :
									     show_pod("file", path);
		pager_end(pager);
		return status;
	}
	if (!topic) {
		cli_say(c, "the pages are not installed beside this program: make install puts "
			   "them into share/zedperl/docs; zedperl --help lists the options");
		return CLI_USAGE;
	}
	entry = find_function(topic);
	if (entry) {
		status = show_pod("text", entry);
		free(entry);
		show_about(topic);
		return cli_end_output(c, status);
	}
	if (show_about(topic))
		return cli_end_output(c, CLI_OK);
	near = find_near(topic);
	status = near ? cli_usage(c, false,
				  "%s: no page, script, module or function of that name: did you "
				  "mean %s?",
				  topic, near) :
			cli_usage(c, false,
				  "%s: no page, script, module or function of that name: zedperl "
				  "help topics lists them all",
				  topic);
	free(near);
	return status;
}
