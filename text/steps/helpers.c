// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The output of print-format helpers: names of flags and numbers, bytes, arrays, masks and dumps,
 * like that of the kernel's functions.
 */
#include "base/ascii.h"
#include "trace/machine.h"
#include "text/steps/steps_priv.h"


static const char DIGITS[] = "0123456789abcdef";

static uint64_t narrowed(const struct table *t, uint64_t v)
{
	return t->wide ? v : (uint32_t)v;
}

static void rest(struct outbuf *o, uint64_t v)
{
	out_bytes(o, "0x", 2);
	out_hex(o, v);
}

void helper_flags(struct printing *p, const struct step *s)
{
	const struct table *t = &s->more->table;
	uint64_t flags = narrowed(t, step_number(p, &s->a));
	bool first = true;

	/* An entry of value 0 always matches while a flag is left, as in the kernel. */
	for (unsigned i = 0; i < t->n && flags; i++) {
		const struct table_entry *e = &t->v[i];

		if ((flags & e->value) != e->value)
			continue;
		flags &= ~e->value;
		if (!first)
			out_str(p->out, t->delim);
		first = false;
		out_bytes(p->out, e->name, e->len);
	}
	if (!flags)
		return;
	if (!first)
		out_str(p->out, t->delim);
	rest(p->out, flags);
}

void helper_symbolic(struct printing *p, const struct step *s)
{
	const struct table *t = &s->more->table;
	uint64_t v = narrowed(t, step_number(p, &s->a));
	unsigned lo = 0, hi = t->n;

	/* The first of several with this value. */
	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (t->v[mid].value < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < t->n && t->v[lo].value == v)
		out_bytes(p->out, t->v[lo].name, t->v[lo].len);
	else
		rest(p->out, v);
}

static void hex_byte(struct outbuf *o, uint8_t b)
{
	out_char(o, DIGITS[b >> 4]);
	out_char(o, DIGITS[b & 15]);
}

/* The first N bytes of S, or fewer if it has fewer. */
static uint32_t length(struct span s, uint64_t n)
{
	return (int32_t)n < 0 ? 0 : (uint32_t)n < s.len ? (uint32_t)n : s.len;
}

void helper_bytes(struct printing *p, const struct step *s)
{
	struct span bytes = step_bytes(p, s);
	uint32_t n = length(bytes, step_number(p, &s->more->b));

	for (uint32_t i = 0; i < n && !printing_full(p); i++) {
		if (i && !s->more->joined)
			out_char(p->out, ' ');
		hex_byte(p->out, bytes.p[i]);
	}
}

void helper_array(struct printing *p, const struct step *s)
{
	struct span bytes = step_bytes(p, s);
	uint64_t size = step_number(p, &s->more->c), n;
	bool swap = p->ev->type->machine && p->ev->type->machine->swap;

	out_char(p->out, '{');
	if (size != 1 && size != 2 && size != 4 && size != 8) {
		out_printf(p->out, "BAD SIZE:%u", (unsigned)size);
		size = 1;
	}
	n = bytes.len / size;
	if (s->more->b.from != OPERAND_NONE) {
		int32_t count = (int32_t)step_number(p, &s->more->b);

		n = count < 0 ? 0 : (uint64_t)count < n ? (uint64_t)count : n;
	}
	for (uint64_t i = 0; i < n && !printing_full(p); i++) {
		if (i)
			out_char(p->out, ',');
		rest(p->out, field_load(bytes.p + i * size, (unsigned)size, swap));
	}
	out_char(p->out, '}');
}

/* ---- masks ---- */

/* Bit I of a mask: longs in the machine's byte order. */
static bool bit(const struct printing *p, struct span bytes, unsigned i)
{
	const struct machine *m = p->ev->type->machine;

	return field_bit(&bytes, m ? m->long_size : 8, m && m->big_endian, i);
}

void helper_mask(struct printing *p, struct span bytes, unsigned bits)
{
	unsigned left = bits;

	while (left && !printing_full(p)) {
		/* The top word may have fewer bits than 32. */
		unsigned chunk = left % 32 ? left % 32 : 32, v = 0;

		for (unsigned i = 0; i < chunk; i++)
			v |= (unsigned)bit(p, bytes, left - chunk + i) << i;
		for (unsigned digit = (chunk + 3) / 4; digit-- > 0;)
			out_char(p->out, DIGITS[v >> (4 * digit) & 15]);
		left -= chunk;
		if (left)
			out_char(p->out, ',');
	}
}

void helper_mask_list(struct printing *p, struct span bytes, unsigned bits)
{
	bool first = true;

	for (unsigned i = 0, end; i < bits && !printing_full(p); i = end + 1) {
		for (end = i; end < bits && bit(p, bytes, end); end++)
			;
		if (end == i)
			continue;
		if (!first)
			out_char(p->out, ',');
		first = false;
		out_u64(p->out, i);
		if (end > i + 1) {
			out_char(p->out, '-');
			out_u64(p->out, end - 1);
		}
	}
}

/* ---- dumps ---- */

static void dump_row(struct printing *p, const struct step_more *m, const uint8_t *row, unsigned n)
{
	struct machine *machine = p->ev->type->machine;
	bool swap = machine && machine->swap;
	unsigned group = n % (unsigned)m->group ? 1 : (unsigned)m->group, width;
	size_t from = p->out->len;

	for (unsigned i = 0; i < n; i += group) {
		uint64_t v = field_load(row + i, group, swap);

		if (i)
			out_char(p->out, ' ');
		for (unsigned digit = 2 * group; digit-- > 0;)
			out_char(p->out, DIGITS[v >> (4 * digit) & 15]);
	}
	if (!m->ascii)
		return;
	width = (unsigned)m->row * 2 + (unsigned)m->row / group + 1;
	if (p->out->len - from < width)
		out_fill(p->out, ' ', width - (p->out->len - from));
	for (unsigned i = 0; i < n; i++)
		out_char(p->out, row[i] < 0x80 && ascii_print(row[i]) ? (char)row[i] : '.');
}

void helper_dump(struct printing *p, const struct step *s)
{
	const struct step_more *m = s->more;
	struct span bytes = step_bytes(p, s);
	uint32_t n = length(bytes, step_number(p, &m->b));

	out_char(p->out, '\n');
	for (uint32_t i = 0; i < n && !printing_full(p); i += (uint32_t)m->row) {
		uint32_t left = n - i;

		out_str(p->out, m->prefix);
		/* The address of the record in the kernel's buffer is not known. */
		if (m->prefix_type == 2)
			out_printf(p->out, "%.8x: ", i);
		dump_row(p, m, bytes.p + i, left < (uint32_t)m->row ? left : (uint32_t)m->row);
		out_char(p->out, '\n');
	}
}
