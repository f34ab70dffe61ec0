// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * assemble_meta: what follows the pages of a trace.dat: the kernel's statistics, names and cgroups
 * of tasks, what processes have mapped, and formats that came while it recorded.
 */
#include "record/file/assemble.h"

#include "base/mem.h"
#include "base/outbuf.h"
#include "trace/cgroups/cgroup_log.h"
#include "trace/comms/comm_log.h"
#include "trace/maps/map_log.h"
#include "record/comm_text.h"
#include "record/file/preamble.h"
#include "record/maps_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Find the formats. */
struct find_formats {
	const struct preamble *b;
	struct cursor c;
	uint8_t *own; /* to be freed */
	bool found;
};

static int find_formats(void *arg, unsigned id, const uint8_t *payload, size_t size, struct err *e)
{
	struct find_formats *f = arg;

	if (id != DAT_EVENT_FORMATS)
		return 0;
	free(f->own);
	TRY(preamble_section(f->b, payload, size, &f->c, &f->own, e));
	f->found = true;
	return 0;
}

/*
 * The section of formats once more, with those that came later: of two formats of one event a
 * reader uses the later.
 */
static int more_formats(const struct assembly *a, const struct preamble *b, struct dat7_writer *w,
			struct err *e)
{
	struct find_formats f = { .b = b };
	const char *p = a->formats, *end = p + a->formats_len;
	uint8_t *buf, *to;
	uint32_t systems = 0;
	int rc = dat7_each_option(b->p, b->len, find_formats, &f, e);

	if (rc == 0 && f.found)
		rc = cursor_u32(&f.c, &systems, e);
	if (rc < 0) {
		free(f.own);
		return -1;
	}
	/* A head of 12 bytes replaces the NUL of each text. */
	buf = mem_alloc(4 + cursor_left(&f.c) + 12 * (a->formats_len / 2 + 1) + a->formats_len);
	to = buf + 4;
	if (f.found)
		memcpy(to, f.c.p + f.c.pos, cursor_left(&f.c));
	to += cursor_left(&f.c);
	free(f.own);
	while (p < end) {
		const char *text = memchr(p, '\0', (size_t)(end - p)), *stop;

		if (!text || !(stop = memchr(text + 1, '\0', (size_t)(end - text - 1))))
			break; /* truncated */
		text++;
		memcpy(to, p, (size_t)(text - p));
		to += text - p;
		bytes_put(to, 1, 4, b->head.big_endian);
		bytes_put(to + 4, (uint64_t)(stop - text), 8, b->head.big_endian);
		memcpy(to + 12, text, (size_t)(stop - text));
		to += 12 + (stop - text);
		systems++;
		p = stop + 1;
	}
	bytes_put(buf, systems, 4, b->head.big_endian);
	rc = dat7_section(w, DAT_EVENT_FORMATS, "events format", buf, (size_t)(to - buf), e);
	free(buf);
	return rc;
}

static void add_stats(const struct assembly *a, struct dat7_writer *w)
{
	for (unsigned i = 0; i < a->nstats; i++) {
		size_t room;
		char *text;
		int len;

		if (!a->stats[i])
			continue;
		room = strlen(a->stats[i]) + 32;
		text = mem_alloc(room);
		len = snprintf(text, room, "CPU: %d\n%s", a->stat_cpus[i], a->stats[i]);
		dat7_option(w, DAT_CPUSTAT, text, (size_t)len + 1);
		free(text);
	}
}

struct names_text {
	const char *text;
	size_t len, log_len;
	uint8_t *log; /* to be freed, as is: */
	char *own;
};

/* Without a list of names one is made from those with times. */
static void names_text_init(struct names_text *t, const struct assembly *a)
{
	char *lines;
	size_t n;

	*t = (struct names_text){ .text = a->comms ? a->comms : "", .len = a->comms_len };
	if (!a->names_len)
		return;
	t->log = comm_log_sort(a->names, a->names_len, &t->log_len);
	if (a->comms_len)
		return;
	lines = comm_log_lines(t->log, t->log_len, &n);
	t->text = t->own = commtext_tidy(lines, n, &t->len);
	free(lines);
}

static int add_comms(const struct assembly *a, const struct preamble *b, struct dat7_writer *w,
		     struct err *e)
{
	struct names_text t;
	uint8_t *buf;
	int rc;

	names_text_init(&t, a);
	buf = mem_alloc(8 + t.len + 1 + COMM_LOG_MAGIC_LEN + t.log_len);
	memcpy(buf + 8, t.text, t.len);
	if (t.log_len) {
		/* For all other readers the text ends at a NUL. */
		memcpy(buf + 8 + t.len, "\0" COMM_LOG_MAGIC, 1 + COMM_LOG_MAGIC_LEN);
		t.len += 1 + COMM_LOG_MAGIC_LEN;
		memcpy(buf + 8 + t.len, t.log, t.log_len);
		t.len += t.log_len;
	}
	bytes_put(buf, t.len, 8, b->head.big_endian);
	rc = dat7_section(w, DAT_CMDLINES, "command lines", buf, 8 + t.len, e);
	free(buf);
	free(t.log);
	free(t.own);
	return rc;
}

/* The clock once more: of two such options a reader uses the later. */
static void add_wall(const struct assembly *a, struct dat7_writer *w)
{
	char text[DAT_WALL_TEXT];

	if (a->wall.known)
		dat7_option(w, DAT_TRACECLOCK, text, dat_wall_text(&a->wall, a->clock, text));
}

/* An option that is a log, behind the eight bytes MAGIC. */
static void add_log(struct dat7_writer *w, unsigned id, const char *magic, const void *log,
		    size_t len)
{
	struct outbuf out = { NULL };

	out_str(&out, magic);
	out_bytes(&out, log, len);
	dat7_option(w, id, out.p, out.len);
	outbuf_fini(&out);
}

static void add_cgroups(const struct assembly *a, struct dat7_writer *w)
{
	size_t len;
	uint8_t *log = cgroup_log_sort(a->cgroups, a->cgroups_len, &len);

	add_log(w, DAT_CGROUPS, CGROUP_LOG_MAGIC, log, len);
	free(log);
}

static void add_maps_text(void *arg, const char *text, size_t len)
{
	dat7_option(arg, DAT_PROCMAPS, text, len);
}

/* As trace-cmd has them, and with all that is known. */
static void add_maps(const struct assembly *a, struct dat7_writer *w)
{
	size_t len = map_log_whole(a->maps, a->maps_len);

	maps_text_each(a->maps, len, add_maps_text, w);
	add_log(w, DAT_MAPS, MAP_LOG_MAGIC, a->maps, len);
}

int tail_write(const struct assembly *a, const struct preamble *b, struct dat7_writer *w,
	       struct err *e)
{
	add_stats(a, w);
	add_wall(a, w);
	if (a->cgroups_len)
		add_cgroups(a, w);
	if (a->maps_len)
		add_maps(a, w);
	if (a->comms || a->names_len)
		TRY(add_comms(a, b, w, e));
	if (a->formats_len)
		TRY(more_formats(a, b, w, e));
	TRY(dat7_options(w, e));
	return dat7_finish(w, e);
}
