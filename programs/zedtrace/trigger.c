// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trigger: notices the events of --when as they happen.
 */
#include "programs/zedtrace/trigger.h"

#include "base/mem.h"
#include "kernel/filter_text.h"
#include "kernel/tracefs.h"
#include "ring/record_count.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_KB 64 /* of a CPU: what has no room was one event too many anyway */

struct trigger {
	struct session *session;
	const int *cpus;
	unsigned ncpus;
	uint8_t *page;
};

/* Add the event of "SYS[:EVENT]: EXPR", or of "SYS[:EVENT]" alone. */
static int add_event(struct event_names *names, const char *text, const char ***filters,
		     unsigned *n, struct err *e)
{
	char *pattern, *expr;
	int rc;

	if (!strstr(text, ": "))
		return event_names_add(names, text, e);
	TRY(kfilter_split(text, &pattern, &expr, e));
	rc = event_names_add(names, pattern, e);
	free(pattern);
	free(expr);
	(*filters)[(*n)++] = text;
	return rc;
}

static int begin(struct trigger *t, struct zedtrace *z, struct notes *n, struct err *e)
{
	const char **filters = mem_zalloc((z->when.n + 1) * sizeof(*filters));
	struct session_opts o = { .buffer_kb = BUFFER_KB, .beside = SESSION_WHEN, .notes = n };
	struct event_names names;
	int rc;

	rc = event_names_init(&names, z->stable, e);
	if (rc == 0) {
		for (size_t i = 0; i < z->when.n && rc >= 0; i++)
			rc = add_event(&names, z->when.v[i], &filters, &o.nfilters, e);
		o.events = (const char *const *)names.v;
		o.nevents = names.n;
		o.filters = filters;
		t->session = rc < 0 ? NULL : session_open(&o, e);
		event_names_fini(&names);
	}
	free(filters);
	if (!t->session)
		return err_within(e, "--when");
	t->ncpus = session_cpus(t->session, &t->cpus);
	t->page = mem_alloc(session_page_size(t->session));
	/* The first event wakes. */
	TRY(tracefs_write(session_dir(t->session), "buffer_percent", "0", e));
	TRY(session_exclude(t->session, getpid(), e));
	return session_start(t->session, e);
}

struct trigger *trigger_open(struct zedtrace *z, struct notes *n, struct err *e)
{
	struct trigger *t = mem_zalloc(sizeof(*t));

	if (begin(t, z, n, e) == 0)
		return t;
	trigger_close(t);
	return NULL;
}

void trigger_close(struct trigger *t)
{
	if (!t)
		return;
	session_close(t->session);
	free(t->page);
	free(t);
}

const char *trigger_dir(const struct trigger *t)
{
	return session_dir(t->session);
}

unsigned trigger_fds(const struct trigger *t, struct pollfd *fds, unsigned max)
{
	unsigned n = t->ncpus < max ? t->ncpus : max;

	for (unsigned i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = session_fd(t->session, t->cpus[i]),
					  .events = POLLIN };
	return n;
}

bool trigger_look(struct trigger *t)
{
	uint32_t size = session_page_size(t->session), head = session_page_head(t->session);
	unsigned events = 0;

	for (unsigned i = 0; i < t->ncpus; i++) {
		int fd = session_fd(t->session, t->cpus[i]);
		unsigned pages = BUFFER_KB * 1024u / size + 1;
		ssize_t n;

		while (fd >= 0 && pages-- && (n = read(fd, t->page, size)) > 0)
			events += records_in_page(t->page, (uint32_t)n, head);
	}
	return events;
}
