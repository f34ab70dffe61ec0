// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_unpack: executes the steps of a layout at the bits of a packet.
 */
#include "reader/ctf/ctf_layout.h"
#include "trace/field.h"

#include <inttypes.h>
#include <stdlib.h>

#define MORE 1 /* bytes are needed that are not in memory */

struct unpacking {
	struct ctf_in *in;
	struct ctf_record *r;
	struct err *e;
};

static int run(struct unpacking *u, const struct ctf_step *st, uint32_t base);

#define DO(x) \
	do { \
		int rc_ = (x); \
		if (rc_) \
			return rc_; \
	} while (0)

#define SAY(u, ...) err_set((u)->e, ERR_FORMAT, (u)->in->pos / 8, __VA_ARGS__)

/* ---- the packet's bits ---- */

static inline void align(struct ctf_in *in, uint32_t bits)
{
	in->pos = (in->pos + bits - 1) & ~(uint64_t)(bits - 1);
}

/* BITS more are wanted from in->pos on. */
static inline int need(struct unpacking *u, const struct ctf_step *st, uint64_t bits)
{
	struct ctf_in *in = u->in;

	if (in->pos > in->end || bits > in->end - in->pos)
		return SAY(u, "%s: %" PRIu64 " bits are needed, and the packet has %" PRIu64,
			   st->name, bits, in->pos > in->end ? 0 : in->end - in->pos);
	return (in->pos + bits + 7) / 8 > in->from + in->have ? MORE : 0;
}

/* The byte at in->pos. */
static inline const uint8_t *here(const struct ctf_in *in)
{
	return in->p + (in->pos / 8 - in->from);
}

/*
 * BITS of them (1 to 64), which are there: little endian from the low bit of a byte, big endian
 * from the high one.
 */
static uint64_t load_bits(const struct ctf_in *in, unsigned bits, bool big)
{
	const uint8_t *p = here(in);
	unsigned shift = in->pos % 8, got = 0;
	uint64_t v = 0;

	while (got < bits) {
		unsigned n = 8 - shift < bits - got ? 8 - shift : bits - got;
		uint64_t part = (big ? *p >> (8 - shift - n) : *p >> shift) & ((1u << n) - 1);

		v = big ? v << n | part : v | part << got;
		got += n;
		shift = 0;
		p++;
	}
	return v;
}

static uint64_t extend_sign(uint64_t v, unsigned bits)
{
	return bits && bits < 64 && v >> (bits - 1) ? v | UINT64_MAX << bits : v;
}

/* ---- the record ---- */

void ctf_record_begin(struct ctf_record *r, uint32_t fixed)
{
	if (r->cap < fixed + 1u)
		r->data = mem_grow(r->data, &r->cap, fixed + 1u, 1);
	memset(r->data, 0, fixed);
	r->size = fixed;
}

/* Add SIZE bytes, all 0; they begin at *AT.  Pointers into the record become invalid. */
static int extend(struct unpacking *u, const struct ctf_step *st, uint64_t size, uint32_t *at)
{
	struct ctf_record *r = u->r;

	if (size > CTF_MAX_RECORD - r->size)
		return SAY(u, "%s: with it the record has more than %u bytes", st->name,
			   CTF_MAX_RECORD);
	if (r->cap <= r->size + size)
		r->data = mem_grow(r->data, &r->cap, r->size + size + 1, 1);
	*at = r->size;
	memset(r->data + r->size, 0, size);
	r->size += size;
	return 0;
}

/* The value of ST is LEN bytes at AT of the record; its holder begins at BASE. */
static void put_span(struct unpacking *u, const struct ctf_step *st, uint32_t base, uint32_t at,
		     uint32_t len)
{
	uint32_t span[2] = { at - base, len };

	memcpy(u->r->data + base + st->to, span, sizeof(span));
}

/* ---- numbers ---- */

/* A time stamp of BITS bits: the lowest ones of the next time that has them. */
static uint64_t widen(uint64_t clock, uint64_t v, unsigned bits)
{
	uint64_t mask;

	if (bits == 64)
		return v;
	mask = ((uint64_t)1 << bits) - 1;
	if (v < (clock & mask))
		clock += mask + 1;
	return (clock & ~mask) | v;
}

/* What else a number is for. */
static inline void note_number(struct ctf_in *in, const struct ctf_step *st, uint64_t v)
{
	if (st->slot >= 0)
		in->slots[st->slot] = v;
	if (st->clock)
		in->clock = v = widen(in->clock, v, st->op == CTF_LEB ? 64 : st->bits);
	else if (st->ends)
		v = widen(in->clock, v, st->op == CTF_LEB ? 64 : st->bits);
	for (unsigned left = st->roles; left; left &= left - 1)
		in->roles[__builtin_ctz(left)] = v;
	in->has |= st->roles;
}

static uint64_t reverse_bits(uint64_t v, unsigned bits)
{
	uint64_t out = 0;

	for (unsigned i = 0; i < bits; i++)
		out |= (v >> i & 1) << (bits - 1 - i);
	return out;
}

/* The bits of a float of 16 bits as those of one of 32 (IEEE 754). */
static uint32_t widen_half(uint32_t v)
{
	uint32_t sign = (v & 0x8000) << 16, exponent = v >> 10 & 31, fraction = v & 0x3ff;

	if (exponent == 31)
		return sign | 0x7f800000 | fraction << 13;
	if (!exponent && !fraction)
		return sign;
	if (!exponent) {
		/* The leading 1 of such a small number is in its fraction. */
		for (exponent = 1; !(fraction & 0x400); exponent--)
			fraction <<= 1;
		fraction &= 0x3ff;
	}
	return sign | (exponent + 127 - 15) << 23 | fraction << 13;
}

static int run_whole(struct unpacking *u, const struct ctf_step *st, uint32_t base)
{
	const uint8_t *p;

	DO(need(u, st, st->bits));
	p = here(u->in);
	if (st->size)
		memcpy(u->r->data + base + st->to, p, st->size);
	if (st->slot >= 0 || st->clock || st->roles)
		note_number(u->in, st,
			    st->is_signed ? (uint64_t)field_load_signed(p, st->bits / 8, st->swap) :
					    field_load(p, st->bits / 8, st->swap));
	u->in->pos += st->bits;
	return 0;
}

static int run_bits(struct unpacking *u, const struct ctf_step *st, uint32_t base)
{
	uint64_t v;

	DO(need(u, st, st->bits));
	v = load_bits(u->in, st->bits, st->big);
	if (st->reversed)
		v = reverse_bits(v, st->bits);
	if (st->is_signed)
		v = extend_sign(v, st->bits);
	if (st->truth)
		v = v != 0;
	if (st->half)
		v = widen_half((uint32_t)v);
	if (st->size)
		field_store(u->r->data + base + st->to, st->size, false, v);
	note_number(u->in, st, v);
	u->in->pos += st->bits;
	return 0;
}

/* Groups of 7 bits, the lowest first; the high bit of a byte says that another one follows. */
static int run_leb(struct unpacking *u, const struct ctf_step *st, uint32_t base)
{
	struct ctf_in *in = u->in;
	uint64_t v = 0, group;
	unsigned shift = 0;
	uint8_t byte;

	do {
		DO(need(u, st, 8));
		byte = *here(in);
		group = byte & 0x7f;
		if (shift >= 64 || (shift == 63 && group > 1 && !(st->is_signed && group == 0x7f)))
			return SAY(u, "%s: a number of more than 64 bits", st->name);
		v |= group << shift;
		shift += 7;
		in->pos += 8;
	} while (byte & 0x80);
	if (st->is_signed && shift < 64)
		v = extend_sign(v, shift);
	if (st->size)
		field_store(u->r->data + base + st->to, st->size, false, v);
	note_number(in, st, v);
	return 0;
}

/* ---- what has no fixed size ---- */

static int run_text(struct unpacking *u, const struct ctf_step *st, uint32_t base)
{
	struct ctf_in *in = u->in;
	uint64_t at = in->pos / 8, end = in->end / 8, stop = in->from + in->have;
	const uint8_t *from, *nul;
	uint32_t to;
	size_t len;

	if (at >= end)
		return SAY(u, "%s: a string is needed, and the packet ends", st->name);
	from = here(in);
	if (stop > end)
		stop = end;
	nul = stop > at ? memchr(from, 0, stop - at) : NULL;
	if (!nul && stop < end && stop - at <= CTF_MAX_RECORD)
		return MORE;
	if (!nul || (size_t)(nul + 1 - from) > CTF_MAX_RECORD)
		return SAY(u, "%s: a string has no end within its packet, or more than %u bytes",
			   st->name, CTF_MAX_RECORD);
	len = nul + 1 - from;
	if (st->span) {
		DO(extend(u, st, len, &to));
		memcpy(u->r->data + to, from, len);
		put_span(u, st, base, to, len);
	}
	in->pos += len * 8;
	return 0;
}

/* Bytes of a text up to its NUL, a unit of UNIT bytes, among LEFT; LEFT: there is none. */
static uint64_t before_nul(const uint8_t *p, uint64_t left, unsigned unit)
{
	static const uint8_t nul[4];
	uint64_t n = 0;

	while (n + unit <= left && memcmp(p + n, nul, unit) != 0)
		n += unit;
	return n + unit <= left ? n : left;
}

/* The length of a text of such units, bytes, and whether a NUL follows it. */
static int wide_length(struct unpacking *u, const struct ctf_step *st, uint64_t *len, bool *nul)
{
	struct ctf_in *in = u->in;
	uint64_t at = in->pos / 8, end = in->end / 8, stop = in->from + in->have;

	*nul = !st->counted && st->count == UINT64_MAX;
	*len = st->counted ? in->slots[st->from] : st->count;
	if (!*nul && *len > CTF_MAX_RECORD / 2)
		return SAY(u, "%s: a string of %" PRIu64 " bytes", st->name, *len);
	if (!*nul)
		return need(u, st, *len * 8);
	if (at >= end)
		return SAY(u, "%s: a string is needed, and the packet ends", st->name);
	if (stop > end)
		stop = end;
	*len = stop > at ? before_nul(here(in), stop - at, st->size) : 0;
	if (stop > at && *len < stop - at && *len <= CTF_MAX_RECORD / 2)
		return 0;
	if (stop < end && stop - at <= CTF_MAX_RECORD / 2)
		return MORE;
	return SAY(u, "%s: a string has no end within its packet, or more than %u bytes", st->name,
		   CTF_MAX_RECORD / 2);
}

static int run_wide(struct unpacking *u, const struct ctf_step *st, uint32_t base)
{
	uint64_t len;
	uint32_t to;
	bool nul;

	DO(wide_length(u, st, &len, &nul));
	if (st->span) {
		DO(extend(u, st, 2 * len + 1, &to));
		u->r->size = to + 1 +
			     ctf_wide_to_utf8(here(u->in), len, st->size, st->big, u->r->data + to);
		u->r->data[u->r->size - 1] = 0;
		put_span(u, st, base, to, u->r->size - to);
	}
	u->in->pos += (len + (nul ? st->size : 0)) * 8;
	return 0;
}

/* N numbers without a gap. */
static int run_flat(struct unpacking *u, const struct ctf_step *st, uint64_t n, uint32_t at)
{
	const struct ctf_step *sub = st->sub;

	if (n > u->in->end / sub->bits)
		return SAY(u, "%s: %" PRIu64 " items are more than a packet has", st->name, n);
	DO(need(u, st, n * sub->bits));
	if (!st->bare)
		memcpy(u->r->data + at, here(u->in), n * sub->own);
	u->in->pos += n * sub->bits;
	return 0;
}

static bool is_flat(const struct ctf_step *sub)
{
	return sub->op == CTF_WHOLE && sub->align <= sub->bits && sub->slot < 0;
}

static int run_items(struct unpacking *u, const struct ctf_step *st, uint32_t base)
{
	const struct ctf_step *sub = st->sub;
	uint64_t n = st->counted ? u->in->slots[st->from] : st->count;
	uint32_t at = base + st->to;

	if (n > CTF_MAX_RECORD)
		return SAY(u, "%s: %" PRIu64 " items", st->name, n);
	if (st->span) {
		DO(extend(u, st, n * sub->own, &at));
		put_span(u, st, base, at, n * sub->own);
	}
	align(u->in, sub->align);
	if (is_flat(sub))
		return n ? run_flat(u, st, n, at) : 0;
	if (n > u->in->items)
		return SAY(u, "%s: with it an event has more than %u items", st->name,
			   CTF_MAX_RECORD);
	u->in->items -= n;
	for (uint64_t i = 0; i < n; i++)
		DO(run(u, sub, at + i * sub->own));
	return 0;
}

/* Does V select ST? */
static bool selects(const struct ctf_step *st, uint64_t v, bool is_signed)
{
	for (unsigned i = 0; i < st->nranges; i++) {
		const struct ctf_range *g = &st->ranges[i];

		if (is_signed ? (int64_t)v >= (int64_t)g->first && (int64_t)v <= (int64_t)g->last :
				v >= g->first && v <= g->last)
			return true;
	}
	return !st->nranges && !st->ranges && v;
}

static int run_choice(struct unpacking *u, const struct ctf_step *st, uint32_t base)
{
	uint64_t v = u->in->slots[st->from];

	for (unsigned i = 0; i < st->nsub; i++)
		if (selects(&st->sub[i], v, st->is_signed))
			return run(u, &st->sub[i], base + st->to);
	if (st->class->kind == CTF_OPTION)
		return 0;
	return SAY(u, "%s: %" PRIu64 " selects none of its options", st->name, v);
}

/* ---- any step ---- */

static int run_copy(struct unpacking *u, const struct ctf_step *st, uint32_t base)
{
	DO(need(u, st, (uint64_t)st->own * 8));
	memcpy(u->r->data + base + st->to, here(u->in), st->own);
	u->in->pos += (uint64_t)st->own * 8;
	return 0;
}

static int run(struct unpacking *u, const struct ctf_step *st, uint32_t base)
{
	align(u->in, st->align);
	switch ((enum ctf_op)st->op) {
	case CTF_COPY:
		return run_copy(u, st, base);
	case CTF_WHOLE:
		return run_whole(u, st, base);
	case CTF_BITS:
		return run_bits(u, st, base);
	case CTF_LEB:
		return run_leb(u, st, base);
	case CTF_TEXT:
		return run_text(u, st, base);
	case CTF_WIDE:
		return run_wide(u, st, base);
	case CTF_ITEMS:
		return run_items(u, st, base);
	case CTF_CHOICE:
		return run_choice(u, st, base);
	case CTF_PARTS:
		break;
	}
	for (unsigned i = 0; i < st->nsub; i++)
		DO(run(u, &st->sub[i], base + st->to));
	return 0;
}

int ctf_unpack(struct ctf_in *in, const struct ctf_part *part, struct ctf_record *r, uint32_t base,
	       struct err *e)
{
	struct unpacking u = { in, r, e };

	return part->class ? run(&u, &part->step, base) : 0;
}
