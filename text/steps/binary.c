// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Binary printks (trace_printk with a constant format): the record has the format's address and the
 * arguments as the kernel's vbin_printf() packs them: numbers at multiples of their size (8 bytes
 * at multiples of 4), strings unaligned, each with its NUL, and pointers whose %p reads memory as
 * the text formatted at that time.
 */
#include "text/steps/binary.h"

#include "text/steps/escape.h"
#include "text/steps/number.h"
#include "text/steps/steps_priv.h"


struct packed {
	const uint8_t *start, *p, *end;
	bool swap, short_of; /* the arguments ended before the format */
};

/* Offsets count from the start of the arguments, which the kernel aligns to 4. */
static uint64_t number(struct packed *a, unsigned size, bool is_signed)
{
	size_t align = size < 4 ? size : 4, off = a->p - a->start;
	uint64_t v;

	off = (off + align - 1) & ~(align - 1);
	if (off + size > (size_t)(a->end - a->start)) {
		a->short_of = true;
		return 0;
	}
	a->p = a->start + off;
	v = is_signed ? (uint64_t)field_load_signed(a->p, size, a->swap) :
			field_load(a->p, size, a->swap);
	a->p += size;
	return v;
}

static void string(struct outbuf *o, struct packed *a)
{
	size_t left = a->end - a->p, n = strnlen((const char *)a->p, left);

	if (!left)
		a->short_of = true;
	out_bytes(o, (const char *)a->p, n);
	a->p += n < left ? n + 1 : n;
}

/* Is the pointer itself packed, not the text of its target? */
static bool by_value(const char *form)
{
	return !form[0] || strchr("SsxKe", form[0]);
}

void binary_put_escaped(struct outbuf *o, const char *text)
{
	while (*text)
		out_char(o, escape_next(&text));
}

static void pointer(struct outbuf *o, struct machine *m, enum dialect dialect, struct packed *a,
		    struct spec *s)
{
	size_t at = o->len;
	uint64_t v;

	if (!by_value(s->form)) {
		string(o, a);
		return;
	}
	v = number(a, m->long_size, false);
	if (s->form[0] == 'S' || s->form[0] == 's') {
		pointer_symbol(o, m, dialect, s->form, v);
		spec_fit_text(o, at, s);
		return;
	}
	if (dialect == DIALECT_REPORT) {
		pointer_plain(o, v);
		return;
	}
	if (s->width < 0) {
		s->width = 2 * (int)m->long_size;
		s->zero = true;
	}
	spec_put_number(o, s, v);
}

void binary_put(struct outbuf *o, struct machine *m, enum dialect dialect, const char *fmt,
		struct span args, size_t from, size_t max)
{
	struct packed a = {
		.start = args.p, .p = args.p, .end = args.p + args.len, .swap = m->swap
	};
	struct spec s;
	size_t at;

	while (*fmt && o->len - from <= max) {
		if (*fmt != '%') {
			out_char(o, escape_next(&fmt));
			continue;
		}
		if (!spec_parse(&fmt, m->long_size, &s))
			return;
		s.bare_zero = dialect == DIALECT_REPORT;
		if (s.star_width)
			spec_set_width(&s, (int64_t)number(&a, 4, true));
		if (s.star_prec)
			spec_set_prec(&s, (int64_t)number(&a, 4, true));
		at = o->len;
		switch (s.letter) {
		case '%':
			out_char(o, '%');
			break;
		case 's':
			string(o, &a);
			spec_fit_text(o, at, &s);
			break;
		case 'c':
			out_char(o, (char)number(&a, 1, false));
			spec_fit_text(o, at, &s);
			break;
		case 'p':
			pointer(o, m, dialect, &a, &s);
			break;
		default:
			spec_put_number(o, &s, number(&a, s.size, s.is_signed));
		}
		if (a.short_of) {
			o->len = at;
			return;
		}
	}
}
