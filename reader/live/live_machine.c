// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_machine: what a live source knows of this machine, from /proc and tracefs: symbols, printk
 * strings, statistics, and the names and cgroups of tasks with their times.
 */
#include "base/mem.h"
#include "base/mono.h"
#include "kernel/procs.h"
#include "kernel/session/others.h"
#include "kernel/session/watch.h"
#include "kernel/tracefs.h"
#include "reader/live/live_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define COMMS_AGE 1000000000ull /* ns: saved_cmdlines is not read more often */
#define WATCH_EVERY 2000000ull	/* ns: reading names costs a system call for each CPU */

/* ---- texts ---- */

/*
 * "CPU: 0" and the kernel's statistics, for each CPU.  What other readers took is known once we
 * have read everything else.
 */
static char *cpu_stats(struct live *l, size_t *len)
{
	bool touched = others_say(l->others, l->notes);
	uint64_t by_others = 0;
	char *all = NULL;
	size_t cap = 0;

	*len = 0;
	for (unsigned i = 0; i < l->base.nstreams; i++) {
		const struct cpu_stats *before = &l->before[i];
		struct cpu_stats st;
		char head[32], *text;
		uint64_t read, others;
		struct err e;
		size_t n, k;

		if (others_stats(l->others, l->session, l->origins[i].cpu, &l->totals[i], &st,
				 &text, &e) < 0) {
			note_err(l->notes, NOTE_WARN, &e);
			continue;
		}
		if (!session_is_ours(l->session) || l->totals[i].reset) {
			char *whole = text;

			text = session_stats_since(whole, &st, before, true);
			free(whole);
		}
		read = st.read - before->read;
		others = read > l->base.streams[i]->seen ? read - l->base.streams[i]->seen : 0;
		/* What we read since the last look before a reset is not in the kernel's count. */
		if (others < livefeed_others(l->feeds[i]))
			others = livefeed_others(l->feeds[i]);
		if (touched && l->time.stopped && !l->base.streams[i]->unread) {
			text = others_in_stats(text, others);
			by_others += others;
		}
		n = snprintf(head, sizeof(head), "CPU: %d\n", l->origins[i].cpu);
		k = strlen(text);
		all = mem_grow(all, &cap, *len + n + k + 1, 1);
		memcpy(all + *len, head, n);
		memcpy(all + *len + n, text, k + 1);
		*len += n + k;
		free(text);
	}
	others_say_read(by_others, l->notes);
	return all;
}

static char *uname_text(size_t *len)
{
	struct utsname u;
	char line[400];

	if (uname(&u) < 0)
		return NULL;
	*len = snprintf(line, sizeof(line), "%s %s %s %s", u.sysname, u.nodename, u.release,
			u.machine);
	return mem_strdup(line);
}

static char *load(struct live *l, enum machine_text which, size_t *len)
{
	struct err e;
	char *text = NULL;

	switch (which) {
	case TEXT_KALLSYMS:
		text = session_kallsyms(l->session, len, &e);
		break;
	case TEXT_PRINTK:
		text = tracefs_text(session_root(l->session), "printk_formats", len, &e);
		break;
	case TEXT_CMDLINES:
		if (session_is_past(l->session))
			return NULL;
		text = tracefs_text(session_root(l->session), "saved_cmdlines", len, &e);
		break;
	case TEXT_UNAME:
		return uname_text(len);
	case TEXT_CPUSTAT:
		return cpu_stats(l, len);
	case TEXT_CGROUPS:
	case NTEXT:
		return NULL;
	}
	/* Names and symbols are optional, not part of the trace. */
	if (!text)
		note_err(l->notes, NOTE_INFO, &e);
	return text;
}

static int text_of(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	struct live *l = arg;

	/* The statistics are those at the end; all others are read once. */
	if (!l->asked[which]) {
		l->asked[which] = true;
		l->texts[which] = load(l, which, &l->text_lens[which]);
	}
	*p = l->texts[which] ? l->texts[which] : "";
	*len = l->texts[which] ? l->text_lens[which] : 0;
	return 0;
}

/* The name of PID in saved_cmdlines, which also has ended tasks. */
static bool saved_comm(struct live *l, int32_t pid, char buf[16])
{
	uint64_t now = mono_ns();
	char key[16];
	size_t n;

	if (!l->comms || now - l->comms_at >= COMMS_AGE) {
		struct err e;
		size_t len;

		free(l->comms);
		l->comms = tracefs_text(session_root(l->session), "saved_cmdlines", &len, &e);
		if (!l->comms)
			l->comms = mem_strdup("");
		l->comms_at = now;
	}
	n = snprintf(key, sizeof(key), "%d ", pid);
	for (const char *line = l->comms; *line;) {
		size_t k = strcspn(line, "\n");

		if (k > n && !memcmp(line, key, n)) {
			snprintf(buf, 16, "%.*s", (int)(k - n < 15 ? k - n : 15), line + n);
			return strcmp(buf, "<...>") != 0;
		}
		line += k + (line[k] == '\n');
	}
	return false;
}

static bool comm_of(void *arg, int32_t pid, char buf[16])
{
	struct live *l = arg;

	if (session_is_past(l->session))
		return false;
	return (session_has_proc(l->session) && procs_comm(pid, buf)) || saved_comm(l, pid, buf);
}

const struct machine_ops LIVE_MACHINE = {
	.text = text_of, .comm = comm_of, .mapped = live_mapped, .generation = live_generation
};

/* ---- names and cgroups with their times ---- */

static void new_name(void *arg, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	comms_set(arg, ts, pid, name, len);
}

static void old_name(void *arg, pid_t pid, const char *name)
{
	comms_set(arg, 0, pid, name, strlen(name));
}

/* Pass on the cgroups in LOG. */
static void give_cgroups(struct live *l, struct cgroup_log_buf *log)
{
	struct machine *m = &l->base.machine;
	struct cgroup_record r;
	size_t at = 0;

	while (cgroup_log_next(log->p, log->len, &at, &r))
		cgroups_add(m->cgroups, m->comms->now, &r);
	log->len = 0;
}

/* What the watch has just seen of them. */
static void follow_cgroups(struct live *l)
{
	if (!l->cgroups)
		return;
	taskcgroups_follow(l->cgroups, l->watch, &l->moves);
	give_cgroups(l, &l->moves);
}

static enum pull next_watermark(struct stream *s, struct err *e)
{
	struct live *l = (struct live *)((char *)s - offsetof(struct live, watermark_stream));
	uint64_t wall = mono_ns(), watermark;
	bool last = l->time.stopped && wall >= l->time.stopped_at + LIVE_SETTLE;

	if (!last && l->watched_at && wall - l->watched_at < WATCH_EVERY)
		return PULL_WAIT;
	l->watched_at = wall;
	watermark = live_watermark(&l->time, wall);
	watch_read(l->watch, new_name, l->base.machine.comms);
	follow_cgroups(l);
	live_maps_look(l, last);
	if (last) {
		watch_say_lost(l->watch, l->notes);
		return PULL_EOF;
	}
	if (watermark > s->watermark)
		s->watermark = watermark;
	return PULL_WAIT;
}

static const struct stream_ops watermark_ops = { .next = next_watermark };

void live_watch_names(struct live *l)
{
	l->watch = session_is_past(l->session) ? NULL : watch_open(l->session, l->notes);
	if (!l->watch)
		return;
	/* In a PID namespace the present names are unknown: those in events are taken as well. */
	if (session_has_proc(l->session)) {
		comms_expect_all(l->base.machine.comms);
		procs_each(old_name, l->base.machine.comms);
	}
	l->cgroups = taskcgroups_new(l->watch);
	if (l->cgroups) {
		taskcgroups_all(l->cgroups, &l->moves);
		give_cgroups(l, &l->moves);
	}
	l->watermark_from = (struct origin){ .path = l->base.in.path, .instance = l->buffer.name };
	l->watermark_stream = (struct stream){ .ops = &watermark_ops,
					       .from = &l->watermark_from,
					       .multiplexed = true };
	l->base.watermark_stream = &l->watermark_stream;
}
