// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dat_meta: the metadata and options of a trace.dat, in any version: event types, texts, clocks and
 * the layout of pages.
 */
#include "base/mem.h"
#include "reader/dat/mapped.h"
#include "ring/header_page.h"
#include "trace/cgroups/cgroup_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- metadata ---- */

int dat_meta_claim(struct dat *d, uint64_t off, uint64_t size, uint64_t len, struct err *e)
{
	if (len > DAT_MAX_META - d->counts.meta_bytes)
		return err_set(e, ERR_FORMAT, off,
			       "another %" PRIu64 " bytes of metadata, and a "
			       "file may have %u MiB",
			       len, DAT_MAX_META >> 20);
	if (len > DAT_META_FREE && (len - DAT_META_FREE) / DAT_META_RATIO > size)
		return err_set(e, ERR_FORMAT, off,
			       "%" PRIu64 " bytes of metadata should unpack to "
			       "%" PRIu64 ": over %u times as much",
			       size, len, DAT_META_RATIO);
	d->counts.meta_bytes += len;
	return 0;
}

int dat_part_load(struct dat *d, struct dat_part *p, struct err *e)
{
	uint64_t len = p->packed ? p->usize : p->size;
	uint8_t *packed;
	struct unpacker *u;
	int64_t n;

	if (p->loaded)
		return 0;
	if (p->size > d->base.in.size || p->off > d->base.in.size - p->size) {
		if (p->packed || p->off > d->base.in.size)
			return err_set(e, ERR_FORMAT, p->off,
				       "%" PRIu64 " byte%s of metadata run%s past "
				       "the end of the file",
				       p->size, plural(p->size), p->size == 1 ? "s" : "");
		/* A truncated text may still be useful. */
		len = p->size = d->base.in.size - p->off;
	}
	if (!p->packed && len > DAT_MAX_META - d->counts.meta_bytes) {
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": %" PRIu64 " bytes of "
			 "metadata: as much of them is read as makes %u MiB with the rest",
			 d->base.in.path, p->off, len, DAT_MAX_META >> 20);
		len = p->size = DAT_MAX_META - d->counts.meta_bytes;
	}
	TRY(dat_meta_claim(d, p->off, p->size, len, e));
	p->data = mem_alloc(len + 1);
	if (!p->packed) {
		if (input_read(&d->base.in, p->data, len, p->off, e) < 0)
			goto fail;
		n = len;
	} else {
		packed = mem_alloc(p->size);
		u = unpacker_new(d->codec);
		n = input_read(&d->base.in, packed, p->size, p->off, e);
		if (n == 0)
			n = unpacker_block(u, packed, p->size, p->data, len, p->off, e);
		unpacker_free(u);
		free(packed);
		if (n < 0)
			goto fail;
		if ((uint64_t)n != len && !p->loose) {
			err_set(e, ERR_FORMAT, p->off,
				"metadata unpacks to %" PRId64 " byte%s and not to %" PRIu64, n,
				plural(n), len);
			goto fail;
		}
	}
	p->len = n;
	p->data[n] = '\0';
	p->loaded = true;
	return 0;
fail:
	free(p->data);
	p->data = NULL;
	return -1;
}

static void part_cursor(struct dat *d, const struct dat_part *p, struct cursor *c)
{
	/* Offsets in unpacked bytes are not file offsets: report the part's start. */
	cursor_init(c, p->data, p->len, p->off, d->head.big_endian);
}

/*
 * Payloads of metadata: each uses the valid parts and reports the rest; -1 only if nothing is
 * valid.
 */
static int header_info(struct dat *d, struct cursor c, struct err *e)
{
	struct page_layout l = d->layout;
	const uint8_t *text;
	const char *name;
	uint64_t len;

	TRY(cursor_str(&c, &name, 16, e));
	if (strcmp(name, "header_page"))
		return err_set(e, ERR_FORMAT, c.base, "header_page is expected here");
	TRY(cursor_u64(&c, &len, e));
	TRY(cursor_bytes(&c, len, &text, e));
	if (header_page_parse(&l, (const char *)text, len, d->head.long_size, e) < 0) {
		e->off = c.base;
		return -1;
	}
	if (l.page_size < l.data_off + 8)
		return err_set(e, ERR_FORMAT, c.base, "sub-buffers of %u byte%s are not possible",
			       l.page_size, plural(l.page_size));
	d->layout = l;
	/* header_event is the same for every kernel; it is not needed. */
	return 0;
}

static int one_format(struct dat *d, struct cursor *c, const char *system, struct err *e)
{
	const struct etype *t;
	const uint8_t *text;
	uint64_t len;
	struct err bad;

	TRY(cursor_u64(c, &len, e));
	TRY(cursor_bytes(c, len, &text, e));
	if (d->counts.formats++ == DAT_MAX_TYPES)
		return err_set(e, ERR_FORMAT, c->base + c->pos - len,
			       "more than %u formats: the rest is left out", DAT_MAX_TYPES);
	t = catalog_add(d->catalog, &d->base.machine, system, (const char *)text, len, &bad);
	if (t) {
		idmap_add(&d->ids, t);
	} else {
		bad.off = c->base + c->pos - len;
		err_within(&bad, "system %s", system);
		err_path(&bad, d->base.in.path);
		note_err(d->notes, NOTE_DAMAGE, &bad);
	}
	return 0;
}

static int ftrace_events(struct dat *d, struct cursor c, struct err *e)
{
	uint32_t n;

	TRY(cursor_u32(&c, &n, e));
	for (uint32_t i = 0; i < n; i++)
		TRY(one_format(d, &c, "ftrace", e));
	return 0;
}

static int event_formats(struct dat *d, struct cursor c, struct err *e)
{
	uint32_t nsystems, n;
	const char *system;

	TRY(cursor_u32(&c, &nsystems, e));
	for (uint32_t s = 0; s < nsystems; s++) {
		TRY(cursor_str(&c, &system, 256, e));
		TRY(cursor_u32(&c, &n, e));
		for (uint32_t i = 0; i < n; i++)
			TRY(one_format(d, &c, system, e));
	}
	return 0;
}

void dat_read_formats(struct dat *d)
{
	static const struct {
		enum dat_id id;
		const char *name;
		int (*read)(struct dat *d, struct cursor c, struct err *e);
	} readers[] = {
		{ DAT_HEADER_INFO, "header info", header_info },
		{ DAT_FTRACE_EVENTS, "ftrace formats", ftrace_events },
		{ DAT_EVENT_FORMATS, "event formats", event_formats },
	};
	struct cursor c;
	struct err e;

	for (unsigned i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		struct dat_part *p = &d->parts[readers[i].id];
		int rc;

		if (!p->present) {
			if (readers[i].id != DAT_FTRACE_EVENTS)
				note_say(d->notes, NOTE_DAMAGE, "%s: it has no %s", d->base.in.path,
					 readers[i].name);
			continue;
		}
		rc = dat_part_load(d, p, &e);
		if (rc == 0) {
			part_cursor(d, p, &c);
			rc = readers[i].read(d, c, &e);
		}
		if (rc < 0) {
			err_within(&e, "%s", readers[i].name);
			err_path(&e, d->base.in.path);
			note_err(d->notes, NOTE_DAMAGE, &e);
		}
	}
	d->base.machine.big_endian = d->head.big_endian;
	d->base.machine.long_size = d->layout.long_size;
	idmap_common(&d->ids);
}

/* The option CGROUPS, without its magic. */
static void cgroups_of(const struct dat *d, const char **p, size_t *len)
{
	for (size_t i = 0; i < d->kept.n; i++) {
		const struct dat_option *o = &d->kept.v[i];

		if (o->id != DAT_CGROUPS || o->len < CGROUP_LOG_MAGIC_LEN ||
		    memcmp(o->p, CGROUP_LOG_MAGIC, CGROUP_LOG_MAGIC_LEN) != 0)
			continue;
		*p = (const char *)o->p + CGROUP_LOG_MAGIC_LEN;
		*len = o->len - CGROUP_LOG_MAGIC_LEN;
	}
}

/* The machine's texts: {u32 or u64 size, text} in a part, or an option's string. */
static int text_of(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	static const enum dat_id ids[NTEXT] = {
		[TEXT_KALLSYMS] = DAT_KALLSYMS,
		[TEXT_PRINTK] = DAT_PRINTK,
		[TEXT_CMDLINES] = DAT_CMDLINES,
	};
	struct dat *d = arg;
	struct dat_part *part;
	struct cursor c;
	uint64_t size;
	uint32_t size32;

	*len = 0;
	*p = "";
	if (which == TEXT_UNAME || which == TEXT_CPUSTAT) {
		*p = which == TEXT_UNAME ? d->texts.uname : d->cpustat.p;
		*len = *p ? strlen(*p) : 0;
		return 0;
	}
	if (which == TEXT_CGROUPS) {
		cgroups_of(d, p, len);
		return 0;
	}
	part = &d->parts[ids[which]];
	if (!part->present)
		return 0;
	if (dat_part_load(d, part, e) < 0)
		goto fail;
	part_cursor(d, part, &c);
	if (which == TEXT_CMDLINES) {
		if (cursor_u64(&c, &size, e) < 0)
			goto fail;
	} else {
		if (cursor_u32(&c, &size32, e) < 0)
			goto fail;
		size = size32;
	}
	/* kallsyms may have changed while it was copied (format.md 9, 16): use what is there. */
	*len = size < cursor_left(&c) ? size : cursor_left(&c);
	*p = (const char *)c.p + c.pos;
	return 0;
fail:
	return err_path(e, d->base.in.path);
}

static uint64_t shown(void *arg, uint64_t stamp)
{
	return clock_apply(&((struct dat *)arg)->clock, 0, stamp);
}

const struct machine_ops dat_texts = {
	.text = text_of, .shown = shown, .mapped = dat_mapped, .generation = dat_generation
};

/* ---- options ---- */

/* A copy of the payload as a string, up to its first NUL. */
static char *payload_string(const struct cursor *c)
{
	return mem_strndup((const char *)c->p, strnlen((const char *)c->p, c->len));
}

static void add_cpustat(struct dat *d, const struct cursor *c)
{
	size_t n = strnlen((const char *)c->p, c->len);

	d->cpustat.p = mem_grow(d->cpustat.p, &d->cpustat.cap, d->cpustat.len + n + 2, 1);
	memcpy(d->cpustat.p + d->cpustat.len, c->p, n);
	d->cpustat.len += n;
	d->cpustat.p[d->cpustat.len++] = '\n';
	d->cpustat.p[d->cpustat.len] = '\0';
}

char *dat_active_clock(const char *text, size_t len)
{
	const char *open = memchr(text, '[', len), *close;

	if (open && (close = memchr(open, ']', text + len - open)))
		return mem_strndup(open + 1, close - open - 1);
	len = strcspn(text, " \n");
	return mem_strndup(text, len);
}

bool dat_option_claim(struct dat *d, uint64_t off)
{
	if (d->counts.options < DAT_MAX_OPTIONS) {
		d->counts.options++;
		return true;
	}
	if (d->counts.options++ == DAT_MAX_OPTIONS)
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": more than %u options: "
			 "the rest is left out",
			 d->base.in.path, off, DAT_MAX_OPTIONS);
	return false;
}

static void keep_option(struct dat *d, unsigned id, const struct cursor *c)
{
	struct dat_option *o;

	d->kept.v = mem_grow(d->kept.v, &d->kept.cap, d->kept.n + 1, sizeof(*d->kept.v));
	o = &d->kept.v[d->kept.n++];
	*o = (struct dat_option){ .id = id, .len = c->len, .p = mem_alloc(c->len + 1) };
	memcpy(o->p, c->p, c->len);
}

void dat_option(struct dat *d, unsigned id, struct cursor payload)
{
	struct err e;
	uint32_t n;
	int rc = 0;

	keep_option(d, id, &payload);
	switch (id) {
	case DAT_DATE:
		if (!d->raw_ts)
			rc = clock_date(&d->clock, payload, &e);
		d->base.is_wall |= !d->raw_ts && rc == 0;
		break;
	case DAT_OFFSET:
		if (!d->raw_ts)
			rc = clock_offset(&d->clock, payload, &e);
		break;
	case DAT_TIME_SHIFT:
		/* Too short for its header: trace-cmd ignores it silently. */
		if (!d->raw_ts && payload.len >= 16)
			rc = clock_time_shift(&d->clock, payload, &e);
		break;
	case DAT_TSC2NSEC:
		if (!d->raw_ts)
			rc = clock_tsc2nsec(&d->clock, payload, &e);
		break;
	case DAT_TRACECLOCK:
		if (payload.len > 1) {
			char *text = payload_string(&payload);

			free(d->texts.clock);
			d->texts.clock = dat_active_clock(text, strlen(text));
			dat_wall_parse(&d->wall, text);
			free(text);
		}
		break;
	case DAT_CPUSTAT:
		add_cpustat(d, &payload);
		break;
	case DAT_TRACEID:
		if (payload.len >= 8)
			rc = cursor_u64(&payload, &d->base.trace_id, &e);
		break;
	case DAT_UNAME:
		free(d->texts.uname);
		d->texts.uname = payload_string(&payload);
		break;
	case DAT_VERSION:
		free(d->texts.version);
		d->texts.version = payload_string(&payload);
		break;
	case DAT_CPUCOUNT:
		rc = cursor_u32(&payload, &n, &e);
		/*
		 * Written in the recorder's order, and files may be rewritten on other machines
		 * (trap 11).
		 */
		if (rc == 0 && n > DAT_MAX_CPU && __builtin_bswap32(n) <= DAT_MAX_CPU)
			n = __builtin_bswap32(n);
		if (rc == 0 && n > DAT_MAX_CPU)
			rc = err_set(&e, ERR_FORMAT, payload.base, "%u CPUs are not possible", n);
		if (rc == 0)
			d->base.cpu_count = n;
		break;
	}
	if (rc < 0) {
		err_within(&e, "option %u", id);
		err_path(&e, d->base.in.path);
		note_err(d->notes, NOTE_DAMAGE, &e);
	}
}
