/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SPOOLTRY_H
#define ZED_SPOOLTRY_H

/*
 * For the tests of spools: a directory of its own, a spool in it that gets made pages as a recorder
 * gives them, and its recovery.
 */
#include "record/file/spool.h"
#include "t/lib/c/datparts.h"
#include "t/lib/c/tmpdir.h"

static char notes_text[4096];

static void hear(void *arg, enum note_level level, const char *text)
{
	size_t n = strlen(notes_text);

	snprintf(notes_text + n, sizeof(notes_text) - n, "%s\n", text);
}

static struct notes notes = { .say = hear };

/* The test's directory: on a disk, if there is one, as a tmpfs cannot take holes out of files. */
static void make_spool_dir(void)
{
	umask(027);
	make_dir("/var/tmp", "spool");
}

static int begin(struct output *o, struct err *e)
{
	static struct bytes b;
	struct meta m = { .p = b.p, .page_size = PAGE, .page_head = 16, .clock = "mono" };

	made_meta(&b);
	m.len = b.n;
	return o->ops->begin(o, &m, e);
}

/* Pages FIRST to LAST of CPU, full ones through a pipe, or the last one as a partly filled one. */
static int put_pages(struct output *o, int cpu, unsigned first, unsigned last, bool part,
		     struct err *e)
{
	uint8_t page[PAGE];
	size_t waiting = 0;
	int fd[2], rc = 0;

	if (pipe(fd) < 0)
		bail("pipe");
	for (unsigned i = first; i <= last && !rc; i++) {
		bool copied = part && i == last;

		made_page(page, cpu, i);
		if (!copied && write(fd[1], page, PAGE) != PAGE)
			bail("write to a pipe");
		waiting += copied ? 0 : PAGE;
		if (waiting && (waiting == 3 * PAGE || i == last)) { /* several at a time */
			rc = o->ops->splice(o, cpu, fd[0], waiting, e);
			waiting = 0;
		}
		if (copied && !rc)
			rc = o->ops->page(o, cpu, page, 16 + 16 * EVENTS, PAGE, e);
	}
	close(fd[0]);
	close(fd[1]);
	return rc;
}

__attribute__((unused)) static int end(struct output *o, uint64_t events, struct err *e)
{
	static const int cpus[] = { 0, 2 };
	static char stat[] = "entries: 0\nread events: 9\n";
	static char *const stats[] = { stat, NULL };
	struct output_end x = { .comms = "77 made\n",
				.comms_len = 8,
				.cpus = cpus,
				.stats = stats,
				.ncpus = 2,
				.events = events };

	return o->ops->end(o, &x, e);
}

/* What the head of a file names that was made with O; metadata alone are packed by zstd. */
__attribute__((unused)) static enum codec head_of(const struct spool_opts *o)
{
	return o->codec != CODEC_NONE || o->plain ? o->codec : CODEC_ZSTD;
}

static struct output *make(const char *name, struct spool_opts o, struct err *e)
{
	o.path = at(name);
	o.notes = &notes;
	o.ncpus = o.ncpus ? o.ncpus : CPUS;
	return spool_new(&o, e);
}

static struct output *must_make(const char *name, struct spool_opts o)
{
	struct err e;
	struct output *out = make(name, o, &e);
	char buf[1300];

	if (!out || begin(out, &e) < 0)
		bail("%s: %s", name, err_text(&e, buf, sizeof(buf)));
	return out;
}

__attribute__((unused)) static bool exists(const char *name)
{
	return access(at(name), F_OK) == 0;
}

__attribute__((unused)) static bool recovers(const char *name, const char *to, uint64_t want,
					     const char *what)
{
	uint64_t pages = 0;
	char buf[1300];
	struct err e;
	int rc = spool_recover(at(name), to ? at(to) : NULL, &notes, &pages, &e);

	if (!ok(rc == 0 && pages == want, "%s: recovered, %d pages", what, (int)want))
		diag("%d pages; %s", (int)pages, rc < 0 ? err_text(&e, buf, sizeof(buf)) : "");
	return rc == 0;
}

#endif
