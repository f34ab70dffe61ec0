// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * emit_stream_metadata: supplies the metadata of a stream in trace.dat's form: those at its
 * beginning, formats from FORMAT frames, names and cgroups of tasks, and mappings of processes.
 */
#include "base/outbuf.h"

#include "base/compare.h"
#include "trace/comms/comm_log.h"
#include "reader/zedstream/zedstream_priv.h"

#include <stdlib.h>
#include <string.h>

/* Formats from FORMAT frames, after those of the metadata. */
struct late_formats {
	const struct zedstream *f;
	const struct metadata_taker *to;
};

static int give_formats(const struct late_formats *l, const uint8_t *old, size_t len, struct err *e)
{
	bool big = l->f->meta->head.big_endian;
	uint8_t *buf = mem_alloc(len + l->f->formats_len + 12 * (size_t)l->f->nformats + 1), *p;
	uint64_t n = bytes_u32(old, big) + (uint64_t)l->f->nformats;
	int rc;

	memcpy(buf, old, len);
	bytes_put(buf, n, 4, big);
	p = buf + len;
	for (const struct format_text *t = l->f->formats; t; t = t->next) {
		size_t system = strlen((const char *)t->p) + 1, text = t->len - system;

		memcpy(p, t->p, system);
		p += system;
		bytes_put(p, 1, 4, big);
		bytes_put(p + 4, text, 8, big);
		memcpy(p + 12, t->p + system, text);
		p += 12 + text;
	}
	rc = l->to->section(l->to->arg, DAT_EVENT_FORMATS, buf, (size_t)(p - buf), e);
	free(buf);
	return rc;
}

static int pass_head(void *arg, bool big_endian, unsigned long_size, uint32_t page_size,
		     struct err *e)
{
	const struct metadata_taker *to = ((struct late_formats *)arg)->to;

	return to->head(to->arg, big_endian, long_size, page_size, e);
}

static int pass_section(void *arg, unsigned id, const void *p, size_t len, struct err *e)
{
	const struct late_formats *l = arg;

	if (id == DAT_EVENT_FORMATS && l->f->formats && len >= 4)
		return give_formats(l, p, len, e);
	return l->to->section(l->to->arg, id, p, len, e);
}

static int pass_option(void *arg, unsigned id, const void *p, size_t len, struct err *e)
{
	const struct metadata_taker *to = ((struct late_formats *)arg)->to;

	return to->option(to->arg, id, p, len, e);
}

/* One line; a newline in the name would end it. */
static void put_comm(struct outbuf *out, int32_t pid, const char *name)
{
	size_t at;

	out_i64(out, pid);
	out_char(out, ' ');
	at = out->len;
	out_str(out, name);
	for (; at < out->len; at++)
		if (out->p[at] == '\n')
			out->p[at] = '?';
	out_char(out, '\n');
}

/*
 * The current name of each task in the log, then the log, after a NUL, where other programs stop.
 */
static void put_log(struct zedstream *f, struct outbuf *out)
{
	struct comm_record r;
	int32_t *pids = NULL;
	size_t n = 0, cap = 0, at = 0, len;
	uint8_t *log;

	while (comm_log_next(f->names, f->names_len, &at, &r)) {
		pids = mem_grow(pids, &cap, n + 1, sizeof(*pids));
		pids[n++] = r.pid;
	}
	if (n)
		qsort(pids, n, sizeof(*pids), compare_i32);
	for (size_t i = 0; i < n; i++)
		if (!i || pids[i] != pids[i - 1])
			put_comm(out, pids[i], comms_name(f->base.machine.comms, pids[i]));
	free(pids);
	log = comm_log_sort(f->names, f->names_len, &len);
	out_bytes(out, "\0" COMM_LOG_MAGIC, 1 + COMM_LOG_MAGIC_LEN);
	out_bytes(out, (const char *)log, len);
	free(log);
}

/* The names known so far, as a trace.dat's command lines. */
static int give_comms(struct zedstream *f, const struct metadata_taker *to, struct err *e)
{
	struct comms *comms = f->base.machine.comms;
	unsigned n = comms_count(comms);
	struct outbuf out = { 0 };
	int rc;

	out_fill(&out, 0, 8);
	if (f->names_len)
		put_log(f, &out);
	for (unsigned i = 0; !f->names_len && i < n; i++) {
		int32_t pid;
		const char *name = comms_nth(comms, i, &pid);

		put_comm(&out, pid, name);
	}
	bytes_put((uint8_t *)out.p, out.len - 8, 8, f->meta->head.big_endian);
	rc = to->section(to->arg, DAT_CMDLINES, out.p, out.len, e);
	outbuf_fini(&out);
	return rc;
}

static int give_cgroups(struct zedstream *f, const struct metadata_taker *to, struct err *e)
{
	struct outbuf out = { 0 };
	size_t len;
	uint8_t *log;
	int rc;

	if (!f->cgroups.len)
		return 0;
	log = cgroup_log_sort(f->cgroups.p, f->cgroups.len, &len);
	out_bytes(&out, CGROUP_LOG_MAGIC, CGROUP_LOG_MAGIC_LEN);
	out_bytes(&out, (const char *)log, len);
	rc = to->option(to->arg, DAT_CGROUPS, out.p, out.len, e);
	outbuf_fini(&out);
	free(log);
	return rc;
}

static int give_maps(const struct zedstream *f, const struct metadata_taker *to, struct err *e)
{
	struct outbuf out = { 0 };
	int rc;

	if (!f->maps.len)
		return 0;
	out_bytes(&out, MAP_LOG_MAGIC, MAP_LOG_MAGIC_LEN);
	out_bytes(&out, (const char *)f->maps.p, f->maps.len);
	rc = to->option(to->arg, DAT_MAPS, out.p, out.len, e);
	outbuf_fini(&out);
	return rc;
}

int zedstream_metadata(struct source *s, const struct metadata_taker *to, struct err *e)
{
	struct zedstream *f = (struct zedstream *)s;
	struct late_formats late = { f, to };
	const struct metadata_taker pass = { pass_head, pass_section, pass_option, &late };

	TRY(dat_give_metadata(f->meta, false, &pass, e));
	TRY(give_cgroups(f, to, e));
	TRY(give_maps(f, to, e));
	return give_comms(f, to, e);
}
