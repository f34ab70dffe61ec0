// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sideband: what a recorder gives its output besides pages: names and cgroups of tasks, what
 * processes have mapped, losses as the kernel counts them, formats of new events.
 */
#include "record/sideband.h"

#include "base/mem.h"
#include "kernel/session/task_cgroups.h"
#include "kernel/session/task_maps.h"
#include "kernel/tracefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names, cgroups and maps ---- */

static void old_name(void *arg, pid_t pid, const char *name)
{
	comm_log_put(arg, 0, pid, name, strlen(name));
}

static void new_name(void *arg, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	struct sideband *b = arg;

	comm_log_put(&b->log, ts, pid, name, len);
	names_learn(b->names, pid, name, len);
}

/* Those that tasks have now: for an output, or its next file, that has none. */
static void give_present(struct sideband *b)
{
	if (b->watch)
		names_each(b->names, old_name, &b->log);
	if (b->cgroups)
		taskcgroups_all(b->cgroups, &b->moves);
	if (b->maps)
		taskmaps_all(b->maps, &b->mapped);
}

static int give_maps(struct sideband *b, struct err *e)
{
	int rc = b->mapped.len ? b->out->ops->maps(b->out, b->mapped.p, b->mapped.len, e) : 0;

	b->mapped.len = 0;
	return rc;
}

int sideband_watched(struct sideband *b, struct err *e)
{
	int rc = 0;

	if (b->watch)
		watch_read(b->watch, new_name, b);
	if (b->maps)
		taskmaps_follow(b->maps, b->watch, &b->mapped);
	if (b->cgroups)
		taskcgroups_follow(b->cgroups, b->watch, &b->moves);
	if (b->log.len)
		rc = b->out->ops->names(b->out, b->log.p, b->log.len, e);
	if (!rc && b->moves.len)
		rc = b->out->ops->cgroups(b->out, b->moves.p, b->moves.len, e);
	b->log.len = b->moves.len = 0;
	return rc ? rc : give_maps(b, e);
}

uint64_t sideband_due(const struct sideband *b, uint64_t until)
{
	uint64_t due = b->maps ? taskmaps_due(b->maps) : until;

	return due < until ? due : until;
}

int sideband_last(struct sideband *b, struct err *e)
{
	int rc = sideband_watched(b, e);

	if (b->watch)
		watch_say_lost(b->watch, b->notes);
	if (rc || !b->maps)
		return rc;
	taskmaps_last(b->maps, &b->mapped);
	taskmaps_say_missing(b->maps, b->notes);
	return give_maps(b, e);
}

/* Names that come without their times. */
static int give_names(struct sideband *b, struct err *e)
{
	const char *text;
	size_t len;

	if (!b->out->ops->comms || (b->watch && session_has_proc(b->s)))
		return 0;
	names_update(b->names, &text, &len);
	return len ? b->out->ops->comms(b->out, text, len, e) : 0;
}

int sideband_names(struct sideband *b, struct err *e)
{
	int rc = sideband_watched(b, e);

	return rc ? rc : give_names(b, e);
}

void sideband_all_names(struct sideband *b, struct output_end *end)
{
	names_all(b->names, &end->comms, &end->comms_len);
}

int sideband_again(struct sideband *b, struct err *e)
{
	memset(b->lost, 0, b->counts->n * sizeof(*b->lost));
	memset(b->told_lost, 0, b->counts->n * sizeof(*b->told_lost));
	if (b->maps)
		taskmaps_forget(b->maps);
	give_present(b);
	return sideband_watched(b, e);
}

/* ---- losses ---- */

void sideband_look_at_losses(struct sideband *b)
{
	for (unsigned i = 0; i < b->counts->n; i++)
		b->lost[i] = counts_lost(b->counts, i);
}

int sideband_losses(struct sideband *b, struct err *e)
{
	int rc = 0;

	for (unsigned i = 0; i < b->counts->n && b->out->ops->lost && !rc; i++) {
		if (b->lost[i] <= b->told_lost[i])
			continue;
		b->told_lost[i] = b->lost[i];
		rc = b->out->ops->lost(b->out, b->counts->cpus[i], b->lost[i], e);
	}
	return rc;
}

/* ---- formats ---- */

struct new_format {
	struct sideband *b;
	struct err *e;
	int rc;
};

static void give_format(void *arg, const struct tracefs_event *ev)
{
	struct new_format *f = arg;
	struct output *out = f->b->out;
	char dir[512];
	char *text;
	size_t len;

	if (f->rc || !out->ops->format)
		return;
	snprintf(dir, sizeof(dir), "%s/events/%s/%s", session_dir(f->b->s), ev->system, ev->name);
	text = tracefs_text(dir, "format", &len, f->e);
	if (!text) {
		note_err(f->b->notes, NOTE_DAMAGE, f->e);
		return;
	}
	f->rc = out->ops->format(out, ev->system, text, len, f->e);
	free(text);
}

int sideband_rescan(struct sideband *b, struct err *e)
{
	struct new_format f = { b, e, 0 };

	if (session_rescan(b->s, give_format, &f, e) < 0)
		note_err(b->notes, NOTE_WARN, e);
	return f.rc;
}

int sideband_change_step(struct sideband *b, struct err *e)
{
	struct new_format f = { b, e, 0 };

	session_change_step(b->s, give_format, &f);
	return f.rc;
}

/* ---- its life ---- */

/* What reports names with their times; NULL: nothing does. */
static struct watch *watch(struct sideband *b, struct watch_ahead *ahead)
{
	if (!b->out->takes_names || session_is_past(b->s)) {
		watch_drop(ahead);
		return NULL;
	}
	return ahead ? watch_take(ahead, b->notes) : watch_open(b->s, b->notes);
}

void sideband_open(struct sideband *b, struct watch_ahead *ahead, bool maps)
{
	const int *cpus;
	unsigned n = session_cpus(b->s, &cpus);

	b->lost = mem_zalloc((n + 1) * sizeof(*b->lost));
	b->told_lost = mem_zalloc((n + 1) * sizeof(*b->told_lost));
	/* The watch first, then the tasks that exist, so that none is missed. */
	b->watch = watch(b, ahead);
	b->names = names_new(session_is_past(b->s) ? NULL : session_root(b->s), b->watch != NULL,
			     session_has_proc(b->s));
	if (b->out->ops->cgroups)
		b->cgroups = taskcgroups_new(b->watch);
	if (maps && b->out->ops->maps)
		b->maps = taskmaps_new(b->s, b->watch);
	give_present(b);
}

void sideband_close(struct sideband *b)
{
	names_free(b->names);
	taskcgroups_free(b->cgroups);
	taskmaps_free(b->maps);
	watch_close(b->watch);
	free(b->log.p);
	free(b->moves.p);
	free(b->mapped.p);
	free(b->lost);
	free(b->told_lost);
}
