// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attach: a session in an instance that another program made: its events are read, and none of its
 * settings are changed.
 */
#include "kernel/session/owner.h"
#include "kernel/session/session_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The instances that there are, for a message. */
static void name_others(const char *root, struct err *e)
{
	char list[200] = "", path[300];
	struct dirent **v;
	size_t len = 0;
	unsigned more = 0;
	int n;

	snprintf(path, sizeof(path), "%s/instances", root);
	n = scandir(path, &v, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (v[i]->d_name[0] != '.' && len + 62 > sizeof(list))
			more++;
		else if (v[i]->d_name[0] != '.')
			len += (size_t)snprintf(list + len, sizeof(list) - len, " %.60s",
						v[i]->d_name);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	if (more)
		err_more(e, "existing instances:%s and %u more; '.' is the top instance", list,
			 more);
	else if (*list)
		err_more(e, "existing instances:%s; '.' is the top instance", list);
	else
		err_within(e, "only the top instance ('.') exists");
}

static int find_instance(struct session *s, const char *name, struct err *e)
{
	struct stat st;

	if (!strcmp(name, ".")) {
		snprintf(s->dir, sizeof(s->dir), "%s", s->root);
		return 0;
	}
	if (!*name || *name == '.' || strchr(name, '/') || strlen(name) > 60)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "invalid instance name '%.80s' ('.' is the top instance)", name);
	snprintf(s->dir, sizeof(s->dir), "%.250s/instances/%s", s->root, name);
	if (stat(s->dir, &st) == 0) {
		s->lock = owner_share(s->dir);
		return 0;
	}
	if (errno != ENOENT) {
		err_sys(e, ERR_NO_OFF, "cannot stat it%s", geteuid() ? " (run it as root)" : "");
		return err_path(e, s->dir);
	}
	err_set(e, ERR_USAGE, ERR_NO_OFF, "no tracing instance '%s'", name);
	name_others(s->root, e);
	return -1;
}

/* The clock between the brackets of trace_clock: "local [mono] tai". */
static int read_clock(struct session *s, struct err *e)
{
	char *text = tracefs_text(s->dir, "trace_clock", NULL, e), *from;

	if (!text)
		return -1;
	from = strchr(text, '[');
	if (from)
		snprintf(s->clock, sizeof(s->clock), "%.*s", (int)strcspn(from + 1, "]\n"),
			 from + 1);
	free(text);
	s->clock_id = session_clock_id(s->clock);
	return *s->clock ? 0 :
			   err_set(e, ERR_FORMAT, ERR_NO_OFF,
				   "%s: trace_clock there names no clock", s->dir);
}

/* Is an event enabled there, or a tracer active?  Then the kernel has dropped older events. */
static bool is_in_use(const struct session *s)
{
	struct err none;
	char *events = tracefs_text(s->dir, "set_event", NULL, &none);
	char *tracer = tracefs_text(s->dir, "current_tracer", NULL, &none);
	bool used = (events && *events) || (tracer && strncmp(tracer, "nop", 3) != 0);

	free(events);
	free(tracer);
	return used;
}

/*
 * Persistent buffers have last_boot_info (6.12).  Since 6.14 it says "# Current" once they hold
 * events of this boot; before, it only has how far the kernel's code and data have moved (text
 * delta, data delta), which is 0 in this boot, and may be 0 after another one.
 */
static void look_at_boot(struct session *s)
{
	struct err none;
	char *text = tracefs_text(s->dir, "last_boot_info", NULL, &none);
	long code, data;
	bool told, stayed;

	if (text && *text && *text != '#') {
		told = sscanf(text, "text delta: %ld data delta: %ld", &code, &data) == 2;
		stayed = told && !code && !data;
		s->past = !stayed || !is_in_use(s);
		s->moved = told && code == data ? code : 0;
		for (char *p = text; (p = strpbrk(p, "\t\n"));)
			*p = *p == '\n' && !p[1] ? '\0' : ' ';
		if (s->past)
			note_say(s->notes, NOTE_WARN,
				 "%s: its events %s from an earlier boot: task names are unknown%s "
				 "(last_boot_info: %.60s)",
				 s->dir, stayed ? "may be" : "are",
				 stayed || s->moved ?
					 "" :
					 ", and function names may be wrong: they are those of "
					 "this kernel",
				 text);
	}
	free(text);
}

struct session *session_attach(const char *name, struct notes *n, struct err *e)
{
	struct session *s = mem_zalloc(sizeof(*s));

	session_init(s, n);
	s->attached = true;
	if (tracefs_find(s->root, sizeof(s->root), e) == 0 && find_instance(s, name, e) == 0 &&
	    tracefs_events(&s->choice.known, s->root, e) == 0 && read_clock(s, e) == 0 &&
	    session_read_pages(s, e) == 0 && session_open_cpus(s, e) == 0) {
		/* Any event that was once enabled may be in the buffers. */
		session_all_events(s);
		snprintf(s->settings, sizeof(s->settings), "instance %s", name);
		look_at_boot(s);
		return s;
	}
	session_close(s);
	return NULL;
}

bool session_is_ours(const struct session *s)
{
	return !s->attached;
}

bool session_is_past(const struct session *s)
{
	return s->past;
}
