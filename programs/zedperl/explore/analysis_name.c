// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis_name: which analyses can be asked for.
 */
#include "programs/zedperl/explore/analysis_name.h"

#include "base/mem.h"
#include "programs/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_MOST (1u << 20) /* bytes that are looked at */

struct analysis_ask {
	const char *name;
	char *path; /* of the installed script; NULL: none */
};

static void look_for(const char *name, const char *path, void *arg)
{
	struct analysis_ask *a = arg;

	if (!a->path && !strcmp(name, a->name))
		a->path = mem_strdup(path);
}

/* Analyses are made with Zed::Report, and have its options. */
static bool is_report(const char *path)
{
	char *text = mem_alloc(SCRIPT_MOST + 1);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, SCRIPT_MOST, f) : 0;
	bool is;

	if (f)
		fclose(f);
	text[n] = '\0';
	is = strstr(text, "\nuse Zed::Report;") != NULL;
	free(text);
	return is;
}

int analysis_check_name(const char *name, struct err *e)
{
	struct analysis_ask a = { .name = name };
	bool is;

	installed_each(look_for, &a);
	is = a.path && is_report(a.path) && !installed_alone(name);
	free(a.path);
	if (is)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "no analysis '%s'", name);
}
