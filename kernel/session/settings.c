// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settings: how an instance records: clock, options, sizes of its buffers, CPUs and tasks.
 */
#include "base/cpulist.h"
#include "kernel/session/session_priv.h"
#include "ring/header_page.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the clock, options, sizes ---- */

int session_clock_id(const char *clock)
{
	static const struct {
		const char *name;
		int id;
	} readable[] = { { "mono", CLOCK_MONOTONIC },
			 { "mono_raw", CLOCK_MONOTONIC_RAW },
			 { "boot", CLOCK_BOOTTIME },
			 { "tai", CLOCK_TAI } };

	for (unsigned i = 0; i < sizeof(readable) / sizeof(readable[0]); i++)
		if (!strcmp(clock, readable[i].name))
			return readable[i].id;
	return -1;
}

/* The clock: CLOCK, or the first of mono and local that this kernel has. */
static int set_clock(struct session *s, const char *clock, struct err *e)
{
	const char *want = clock ? clock : "mono";
	char *text = tracefs_text(s->dir, "trace_clock", NULL, e);
	bool found = false;
	char list[400] = "";
	size_t n = 0;

	if (!text)
		return -1;
	for (char *p = text; *p;) {
		size_t len = strcspn(p, " []\n");

		if (len && n < sizeof(list))
			n += snprintf(list + n, sizeof(list) - n, "%s%.*s", n ? " " : "", (int)len,
				      p);
		found |= len == strlen(want) && !strncmp(p, want, len);
		p += len + (p[len] != '\0');
	}
	free(text);
	if (!found && clock)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "this kernel has no clock '%.60s': it has %s", clock, list);
	if (!found) {
		want = "local";
		note_say(s->notes, NOTE_WARN,
			 "this kernel has no clock mono: recorded with local, "
			 "which may differ between CPUs");
	}
	TRY(tracefs_write(s->dir, "trace_clock", want, e));
	snprintf(s->clock, sizeof(s->clock), "%s", want);
	s->clock_id = session_clock_id(want);
	return 0;
}

/*
 * An instance begins with most trace_options of the top one, which others set for themselves: each
 * that changes what is recorded is set.  (Those that change texts only do not matter here.)
 */
static const char *const trace_options[] = {
	"overwrite", /* the oldest are overwritten, which the pages show */
	"record-cmd",	    "irq-info",		 "norecord-tgid",
	"nostacktrace",						     /* a stack after each event */
	"nouserstacktrace", "nodisable_on_free", "nopause-on-trace", /* reading `trace` stops it */
	"noevent-fork",						     /* with children: event-fork */
	"nofunction-fork",  "noverbose",	 "nocopy_trace_marker",
};

/* Did the user ask for what WORD, "noX", leaves out?  LACKS: the message if it is missing. */
static bool is_asked(const struct session_opts *o, const char *word, const char **lacks)
{
	const struct {
		const char *word;
		bool asked;
		const char *lacks;
	} all[] = {
		{ "noevent-fork", (o->npids || o->child.pid) && o->children, NULL },
		{ "nostacktrace", o->stacks, "this kernel cannot record stacks of events" },
		{ "nouserstacktrace", o->user_stacks,
		  "this kernel cannot record stacks of user programs: --user-stack has no effect" },
		{ "nocopy_trace_marker", o->markers, NULL },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(word, all[i].word)) {
			*lacks = all[i].lacks;
			return all[i].asked;
		}
	return false;
}

static int set_options(struct session *s, const struct session_opts *o, struct err *e)
{
	size_t n = (size_t)snprintf(s->settings, sizeof(s->settings), "options");

	for (unsigned i = 0; i < sizeof(trace_options) / sizeof(trace_options[0]); i++) {
		const char *word = trace_options[i];
		const char *lacks = NULL;
		bool asked = is_asked(o, word, &lacks);
		bool marks = asked && !strcmp(word, "nocopy_trace_marker");

		word += asked ? 2 : 0;
		if (tracefs_write(s->dir, "trace_options", word, e) < 0) {
			if (e->sys == EINVAL && lacks && asked)
				return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s", lacks);
			if (e->sys == EINVAL && marks)
				note_say(s->notes, NOTE_WARN,
					 "writes to %s/trace_marker are not recorded: this kernel "
					 "does not copy them to instances (option "
					 "copy_trace_marker); writes to %s/trace_marker are",
					 s->root, s->dir);
			if (e->sys == EINVAL && (!asked || marks))
				continue; /* this kernel does not have it */
			return -1;
		}
		if (n < sizeof(s->settings))
			n += (size_t)snprintf(s->settings + n, sizeof(s->settings) - n, " %s",
					      word);
	}
	return 0;
}

static int set_number(struct session *s, const char *file, unsigned n, struct err *e)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	return tracefs_write(s->dir, file, text, e);
}

bool session_set_percent(struct session *s, unsigned percent)
{
	char text[16];
	int len;

	if (!s->made)
		return false;
	if (s->percent.fd < 0)
		return !percent;
	if (s->percent.set == percent)
		return true;
	len = snprintf(text, sizeof(text), "%u\n", percent);
	if (pwrite(s->percent.fd, text, (size_t)len, 0) != len)
		return false;
	s->percent.set = percent;
	return true;
}

int session_read_pages(struct session *s, struct err *e)
{
	struct page_layout l = { .long_size = sizeof(long) };

	TRY(tracefs_layout(s->dir, &l, e));
	s->page_size = l.page_size;
	s->page_head = l.data_off;
	if (s->page_size < 512)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "this kernel does not show the size of its sub-buffers");
	return 0;
}

int session_set_sizes(struct session *s, const struct session_opts *o, struct err *e)
{
	char path[400];

	if (o->subbuf_kb && set_number(s, "buffer_subbuf_size_kb", o->subbuf_kb, e) < 0) {
		if (e->sys == ENOENT)
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "this kernel has sub-buffers of one size only (Linux 6.8 "
				       "and newer can change it)");
		return err_within(e, "sub-buffers of %u KiB", o->subbuf_kb);
	}
	if (o->buffer_kb && set_number(s, "buffer_size_kb", o->buffer_kb, e) < 0) {
		if (e->sys == ENOMEM)
			return err_set(e, ERR_SYS, ERR_NO_OFF,
				       "not enough memory for buffers of %u KiB per CPU: use a "
				       "smaller -b",
				       o->buffer_kb);
		return err_within(e, "buffers of %u KiB per CPU", o->buffer_kb);
	}
	snprintf(path, sizeof(path), "%s/buffer_percent", s->dir);
	s->percent.fd = open(path, O_WRONLY | O_CLOEXEC); /* from 5.0 on */
	s->percent.set = UINT_MAX;
	if (o->percent)
		session_set_percent(s, o->percent);
	return session_read_pages(s, e);
}

int session_set_buffers(struct session *s, const struct session_opts *o, struct err *e)
{
	TRY(set_clock(s, o->clock, e));
	return set_options(s, o, e);
}

/* ---- CPUs, tasks ---- */

static bool has_cpu(const struct session *s, int cpu)
{
	for (unsigned i = 0; i < s->ncpus; i++)
		if (s->cpus[i] == cpu)
			return true;
	return false;
}

/* "0,2-5" as the kernel's mask of hex words, the highest first. */
static int set_cpus(struct session *s, const char *list, struct err *e)
{
	uint64_t bits[CPULIST_MAX / 64] = { 0 };
	char mask[CPULIST_MAX / 32 * 9 + 1];
	size_t bad, n = 0;
	int top = CPULIST_MAX / 32 - 1;

	if (cpulist_parse(list, strlen(list), bits, &bad) < 0)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "--cpu: invalid list of CPUs '%.80s': expected 0,2-5, for example",
			       list);
	while (top > 0 && !(uint32_t)(bits[top / 2] >> top % 2 * 32))
		top--;
	for (int i = top; i >= 0; i--)
		n += snprintf(mask + n, sizeof(mask) - n, "%s%08x", n ? "," : "",
			      (uint32_t)(bits[i / 2] >> i % 2 * 32));
	for (int cpu = 0; cpu < CPULIST_MAX; cpu++)
		if (bits[cpu / 64] >> cpu % 64 & 1 && !has_cpu(s, cpu))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "--cpu %.80s: this machine has no "
				       "CPU %d (it has %u, the last is %d)",
				       list, cpu, s->ncpus, s->cpus[s->ncpus - 1]);
	return tracefs_write(s->dir, "tracing_cpumask", mask, e);
}

static int set_pids(struct session *s, struct err *e)
{
	char text[32];

	for (unsigned i = 0; i < s->numbers.npids; i++) {
		char path[400];
		int fd, rc;

		/* Opening the file with O_TRUNC would clear the earlier ones. */
		snprintf(path, sizeof(path), "%s/set_event_pid", s->dir);
		snprintf(text, sizeof(text), "%d ", (int)s->numbers.pids[i]);
		fd = open(path, O_WRONLY | O_CLOEXEC | (i ? O_APPEND : O_TRUNC));
		rc = fd < 0 ? -1 : (int)write(fd, text, strlen(text));
		if (rc < 0)
			err_sys(e, ERR_NO_OFF, "cannot record process %d only",
				(int)s->numbers.pids[i]);
		if (fd >= 0)
			close(fd);
		if (rc < 0)
			return err_path(e, path);
	}
	return 0;
}

int session_set_scope(struct session *s, const struct session_opts *o, struct err *e)
{
	if (o->cpus)
		TRY(set_cpus(s, o->cpus, e));
	return set_pids(s, e);
}
