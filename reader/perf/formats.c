// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * formats: TRACING_DATA, the formats of a recording's tracepoints with the kernel's symbols and
 * printk strings.  It has the form of trace.dat files before version 6 (format.md 12.5).
 */
#include "base/mem.h"
#include "reader/perf/trace.h"
#include "reader/perf/user_regs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x17\x08\x44tracing"
#define MAGIC_LEN 10
#define MAX_SYSTEM 256 /* bytes of a system's name */

uint8_t *perf_text(struct perf *f, uint64_t len, uint64_t off, struct err *e)
{
	struct perf_text *t;

	if (len > PERF_MAX_META - f->meta.bytes) {
		err_set(e, ERR_FORMAT, off,
			"another %" PRIu64 " bytes of formats, and a file may have %u MiB", len,
			PERF_MAX_META >> 20);
		return NULL;
	}
	f->meta.bytes += len;
	t = mem_alloc(sizeof(*t) + len + 1);
	t->next = f->meta.texts;
	f->meta.texts = t;
	t->bytes[len] = '\0';
	return t->bytes;
}

/* A text after its length, of WIDTH bytes. */
static int text(struct cursor *c, unsigned width, const char **p, size_t *len, struct err *e)
{
	const uint8_t *bytes;
	uint64_t n;
	uint32_t n32;

	if (width == 8) {
		TRY(cursor_u64(c, &n, e));
	} else {
		TRY(cursor_u32(c, &n32, e));
		n = n32;
	}
	TRY(cursor_bytes(c, n, &bytes, e));
	*p = (const char *)bytes;
	*len = n;
	return 0;
}

static int one_format(struct perf *f, struct cursor *c, const char *system, struct err *e)
{
	const struct etype *t;
	const char *p;
	struct err bad;
	size_t len;

	TRY(text(c, 8, &p, &len, e));
	if (f->meta.nformats++ == PERF_MAX_FORMATS)
		return err_set(e, ERR_FORMAT, c->base + c->pos - len,
			       "more than %u formats: the rest is left out", PERF_MAX_FORMATS);
	t = catalog_add(f->catalog, &f->base.machine, system, p, len, &bad);
	if (t) {
		idmap_add(&f->ids, t);
		return 0;
	}
	bad.off = c->base + c->pos - len;
	err_within(&bad, "system %s", system);
	err_path(&bad, f->base.in.path);
	note_err(f->notes, NOTE_DAMAGE, &bad);
	return 0;
}

static int formats(struct perf *f, struct cursor *c, struct err *e)
{
	uint32_t nsystems, n;
	const char *system;

	TRY(cursor_u32(c, &n, e));
	for (uint32_t i = 0; i < n; i++)
		TRY(one_format(f, c, "ftrace", e));
	TRY(cursor_u32(c, &nsystems, e));
	for (uint32_t s = 0; s < nsystems; s++) {
		TRY(cursor_str(c, &system, MAX_SYSTEM, e));
		TRY(cursor_u32(c, &n, e));
		for (uint32_t i = 0; i < n; i++)
			TRY(one_format(f, c, system, e));
	}
	return 0;
}

/* header_page or header_event: they describe a ring buffer, which perf.data does not have. */
static int pass_header(struct cursor *c, const char *want, struct err *e)
{
	const char *name, *p;
	size_t len;

	TRY(cursor_str(c, &name, 16, e));
	if (strcmp(name, want))
		return err_set(e, ERR_FORMAT, c->base + c->pos, "%s is expected here", want);
	return text(c, 8, &p, &len, e);
}

int perf_formats(struct perf *f, const uint8_t *p, uint64_t len, uint64_t off, struct err *e)
{
	const char *version;
	const uint8_t *magic;
	uint8_t big, longs;
	uint32_t page_size;
	struct cursor c;
	int rc;

	cursor_init(&c, p, len, off, false);
	TRY(cursor_bytes(&c, MAGIC_LEN, &magic, e));
	if (memcmp(magic, MAGIC, MAGIC_LEN))
		return err_set(e, ERR_FORMAT, off, "the formats do not begin as they should");
	TRY(cursor_str(&c, &version, 16, e));
	TRY(cursor_u8(&c, &big, e));
	TRY(cursor_u8(&c, &longs, e));
	if (big > 1 || (longs != 4 && longs != 8))
		return err_set(e, ERR_FORMAT, off + c.pos - 2,
			       "byte order %u and a long of %u byte%s", big, longs, plural(longs));
	if (f->meta.has_formats && big != f->base.machine.big_endian)
		return err_set(e, ERR_FORMAT, off,
			       "formats of another byte order than those before them: left out");
	f->meta.has_formats = true;
	c.big_endian = big;
	f->base.machine.big_endian = big;
	f->base.machine.swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	f->base.machine.long_size = longs;
	TRY(cursor_u32(&c, &page_size, e));
	TRY(pass_header(&c, "header_page", e));
	TRY(pass_header(&c, "header_event", e));
	rc = formats(f, &c, e);
	idmap_common(&f->ids);
	TRY(rc);
	TRY(text(&c, 4, &f->meta.kallsyms, &f->meta.kallsyms_len, e));
	TRY(text(&c, 4, &f->meta.printk, &f->meta.printk_len, e));
	/*
	 * Version 0.6 has task names after that: all that the kernel knew when the recording began.
	 * The records have names with times, so these are ignored.
	 */
	return 0;
}

static int text_of(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	const struct perf *f = arg;

	*p = "";
	*len = 0;
	switch (which) {
	case TEXT_KALLSYMS:
		*p = f->meta.kallsyms;
		*len = f->meta.kallsyms_len;
		break;
	case TEXT_PRINTK:
		*p = f->meta.printk;
		*len = f->meta.printk_len;
		break;
	case TEXT_UNAME:
		*p = f->about.uname;
		*len = f->about.uname ? strlen(f->about.uname) : 0;
		break;
	default:
		break;
	}
	if (!*len)
		*p = "";
	return 0;
}

const struct machine_ops perf_texts = { .text = text_of,
					.mapped = perf_mapped,
					.user_state = perf_user_state,
					.generation = perf_generation,
					.identity = perf_identity };
