// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * block_head: decodes the headers of an LTT block, in five layouts and two byte orders.
 */
#include "reader/ltt/block_head.h"

#include "trace/field.h"

#include <inttypes.h>

/* Offsets: the block's own fields from its start, the trace header's from that header's start. */
struct ltt_version {
	const char *name;
	enum ltt_gen gen;
	uint8_t major, minor;
	uint8_t head; /* of the trace header, from the block's start */
	uint8_t tsc, lost, size;
	uint8_t stamp;	     /* bytes of a word of the block's wall clock; 0: none */
	uint8_t freq;	     /* start_freq; then start_tsc, start_monotonic */
	uint8_t start, word; /* start_time: two words of `word` bytes */
	bool scale;	     /* has freq_scale; older ones have has_tsc there */
};

static const struct ltt_version versions[] = {
	{ "0.4", LTT_0_4, 0, 4, 56, 8, 48, 52, 4, 23, 47, 4, false },
	{ "0.4 (64 bits)", LTT_0_4, 0, 4, 72, 16, 64, 68, 8, 23, 47, 8, false },
	{ "0.5", LTT_0_4, 0, 5, 72, 16, 64, 68, 8, 23, 47, 8, false },
	{ "0.6", LTT_0_6, 0, 6, 72, 16, 64, 68, 8, 23, 47, 8, false },
	{ "0.7", LTT_0_6, 0, 7, 40, 0, 32, 36, 0, 26, 50, 8, true },
};

/* Offsets in the trace header, common to all. */
enum {
	ARCH_TYPE = 4,
	ARCH_VARIANT = 8,
	FLOAT_ORDER = 12,
	ARCH_SIZE = 16,
	MAJOR = 17,
	MINOR = 18,
	FLIGHT = 19,
	HEARTBEAT = 20,
	ALIGNMENT = 21,
	HAS_TSC = 22,
	FREQ_SCALE = 22,
};

#define NVERSIONS (sizeof(versions) / sizeof(versions[0]))
#define NS 1000000000ull

static const char *const archs[] = {
	NULL, "i386", "ppc", "sh", "s390", "mips", "arm", "ppc64", "x86_64", "c2", "powerpc",
};

static bool is_magic(const uint8_t *p, bool *swap)
{
	*swap = field_load(p, 4, true) == LTT_MAGIC;
	return *swap || field_load(p, 4, false) == LTT_MAGIC;
}

static unsigned head_len(const struct ltt_version *v)
{
	return v->start + 2u * v->word;
}

/* Seconds and microseconds, WORD bytes each; an impossible time becomes the greatest one. */
static uint64_t wall_time(const uint8_t *p, unsigned word, bool swap)
{
	uint64_t s = field_load(p, word, swap), us = field_load(p + word, word, swap);

	if (s > INT64_MAX / NS - 1 || us > INT64_MAX / NS)
		return INT64_MAX;
	return s * NS + us * 1000;
}

static const struct ltt_version *find_version(const uint8_t *p, size_t len, bool *swap,
					      struct err *e)
{
	unsigned odd = 0;

	for (unsigned i = 0; i < NVERSIONS; i++) {
		const struct ltt_version *v = &versions[i];

		if (len < v->head + MINOR + 1u || !is_magic(p + v->head, swap))
			continue;
		odd = v->head;
		if (p[odd + MAJOR] == v->major && p[odd + MINOR] == v->minor)
			return v;
	}
	if (odd)
		err_set(e, ERR_FORMAT, odd + MAJOR,
			"is of trace version %u.%u, and 0.4 to 0.7 can "
			"be read",
			p[odd + MAJOR], p[odd + MINOR]);
	else
		err_set(e, ERR_UNKNOWN, ERR_NO_OFF, "has not the magic number of a tracefile");
	return NULL;
}

int ltt_align_of(uint32_t told, unsigned arch_size)
{
	/* The document says 1 for yes; kernels wrote the size of a pointer. */
	if (told == 1)
		return arch_size;
	if (told & (told - 1) || told > 128)
		return -1;
	return told > 8 ? 8 : told;
}

int ltt_head_read(struct ltt_head *h, const uint8_t *p, size_t len, struct err *e)
{
	bool swap;
	const struct ltt_version *v = find_version(p, len, &swap, e);
	const uint8_t *t;
	int align;

	if (!v)
		return -1;
	memset(h, 0, sizeof(*h));
	h->version = v;
	h->first = v->head + head_len(v);
	if (len < h->first)
		return err_set(e, ERR_FORMAT, len, "ends within its first header");
	t = p + v->head;
	h->swap = swap;
	h->big_endian = swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	h->arch_type = field_load(t + ARCH_TYPE, 4, swap);
	h->arch_variant = field_load(t + ARCH_VARIANT, 4, swap);
	h->float_order = field_load(t + FLOAT_ORDER, 4, false);
	h->arch_size = t[ARCH_SIZE];
	h->flight = t[FLIGHT];
	h->heartbeat = t[HEARTBEAT];
	h->told_align = t[ALIGNMENT];
	h->tsc = v->scale || t[HAS_TSC];
	h->scale = v->scale ? field_load(t + FREQ_SCALE, 4, swap) : 1000;
	h->freq = field_load(t + v->freq, 8, swap);
	h->start_tsc = field_load(t + v->freq + 8, 8, swap);
	h->start_ns = wall_time(t + v->start, v->word, swap);
	h->block_size = field_load(p + v->size, 4, swap);
	if (h->arch_size != 4 && h->arch_size != 8)
		return err_set(e, ERR_FORMAT, v->head + ARCH_SIZE,
			       "has pointers of %u byte%s, and 4 or 8 are possible", h->arch_size,
			       plural(h->arch_size));
	align = ltt_align_of(h->told_align, h->arch_size);
	if (align < 0)
		return err_set(e, ERR_FORMAT, v->head + ALIGNMENT, "has an alignment of %u",
			       h->told_align);
	h->align = align;
	if (h->block_size < h->first || h->block_size > LTT_MAX_BLOCK)
		return err_set(e, ERR_FORMAT, v->size,
			       "has blocks of %u byte%s, and %u to %u can "
			       "be read",
			       h->block_size, plural(h->block_size), h->first, LTT_MAX_BLOCK);
	return 0;
}

int ltt_block_read(const struct ltt_head *h, const uint8_t *p, struct ltt_block *b, struct err *e)
{
	const struct ltt_version *v = h->version;
	const uint8_t *t = p + v->head;
	bool swap;

	if (!is_magic(t, &swap) || swap != h->swap)
		return err_set(e, ERR_FORMAT, v->head, "a block without the magic number");
	if (t[MAJOR] != v->major || t[MINOR] != v->minor)
		return err_set(e, ERR_FORMAT, v->head + MAJOR, "a block of another version, %u.%u",
			       t[MAJOR], t[MINOR]);
	b->tsc = field_load(p + v->tsc, 8, swap);
	b->ns = v->stamp ? wall_time(p, v->stamp, swap) : 0;
	b->lost = field_load(p + v->lost, 4, swap);
	b->size = field_load(p + v->size, 4, swap);
	if (b->size != h->block_size)
		return err_set(e, ERR_FORMAT, v->size,
			       "a block of %u byte%s, where the first one "
			       "has %u",
			       b->size, plural(b->size), h->block_size);
	if (b->lost != LTT_OPEN && b->lost > b->size - h->first)
		return err_set(e, ERR_FORMAT, v->lost,
			       "a block of %u bytes that says %u of them "
			       "are empty",
			       b->size, b->lost);
	return 0;
}

const char *ltt_version_name(const struct ltt_head *h)
{
	return h->version->name;
}

enum ltt_gen ltt_version_gen(const struct ltt_head *h)
{
	return h->version->gen;
}

bool ltt_version_is_0_7(const struct ltt_head *h)
{
	return h->version->scale;
}

const char *ltt_arch_name(uint32_t arch_type)
{
	return arch_type < sizeof(archs) / sizeof(archs[0]) ? archs[arch_type] : NULL;
}
