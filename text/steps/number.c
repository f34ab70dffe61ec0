// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The conversions of the kernel's vsnprintf(), which differ from C's: %#x of 0 has 0x, a 0 flag
 * applies despite a precision, and letters after %p select its form.
 */
#include "text/steps/number.h"

#include "base/ascii.h"


static int decimal(const char **p)
{
	int v = 0;

	for (; ascii_digit(**p); (*p)++)
		if (v <= SPEC_MAX_WIDTH)
			v = v * 10 + (**p - '0');
	return v < SPEC_MAX_WIDTH ? v : SPEC_MAX_WIDTH;
}

static void flags(const char **p, struct spec *s)
{
	for (;; (*p)++) {
		switch (**p) {
		case '-':
			s->left = true;
			break;
		case '+':
			s->plus = true;
			break;
		case ' ':
			s->space = true;
			break;
		case '#':
			s->special = true;
			break;
		case '0':
			s->zero = true;
			break;
		default:
			return;
		}
	}
}

/* h, hh, l, ll, L, z, t, j: the size of the number that follows. */
static void length(const char **p, unsigned long_size, struct spec *s)
{
	s->size = 4;
	switch (**p) {
	case 'h':
		s->size = (*p)[1] == 'h' ? 1 : 2;
		*p += s->size == 1 ? 2 : 1;
		break;
	case 'l':
		s->size = (*p)[1] == 'l' ? 8 : long_size;
		*p += (*p)[1] == 'l' ? 2 : 1;
		break;
	case 'L':
	case 'q':
	case 'j':
		s->size = 8;
		(*p)++;
		break;
	case 'z':
	case 'Z':
	case 't':
		s->size = long_size;
		(*p)++;
		break;
	}
}

bool spec_parse(const char **p, unsigned long_size, struct spec *s)
{
	unsigned n = 0;

	memset(s, 0, sizeof(*s));
	s->width = s->prec = -1;
	(*p)++;
	flags(p, s);
	if (**p == '*') {
		s->star_width = true;
		(*p)++;
	} else if (ascii_digit(**p)) {
		s->width = decimal(p);
	}
	if (**p == '.') {
		(*p)++;
		s->prec = 0;
		if (**p == '*') {
			s->star_prec = true;
			(*p)++;
		} else {
			s->prec = decimal(p);
		}
	}
	length(p, long_size, s);
	s->base = 10;
	s->letter = **p;
	switch (**p) {
	case 'd':
	case 'i':
		s->is_signed = true;
		s->letter = 'd';
		break;
	case 'u':
	case 'c':
	case 's':
	case '%':
		break;
	case 'o':
		s->base = 8;
		break;
	case 'X':
		s->upper = true;
		s->letter = 'x';
		/* fall through */
	case 'x':
		s->base = 16;
		break;
	case 'p':
		s->base = 16;
		s->size = long_size;
		while (ascii_alnum((*p)[1]) && n < sizeof(s->form) - 1)
			s->form[n++] = *++*p;
		break;
	default:
		return false;
	}
	(*p)++;
	return true;
}

void spec_set_width(struct spec *s, int64_t v)
{
	v = (int32_t)v;
	if (v < 0) {
		s->left = true;
		v = -v;
	}
	s->width = v < SPEC_MAX_WIDTH ? (int)v : SPEC_MAX_WIDTH;
}

void spec_set_prec(struct spec *s, int64_t v)
{
	v = (int32_t)v;
	s->prec = v < 0 ? 0 : v < SPEC_MAX_WIDTH ? (int)v : SPEC_MAX_WIDTH;
}

void spec_put_number(struct outbuf *o, const struct spec *s, uint64_t v)
{
	const char *set = s->upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char digits[24], sign = 0;
	int n = 0, width = s->width, prec = s->prec;
	bool prefix, zero;

	v = spec_value(s, v);
	if (s->is_signed && (int64_t)v < 0) {
		sign = '-';
		v = -v;
	} else if (s->is_signed && (s->plus || s->space)) {
		sign = s->plus ? '+' : ' ';
	}
	zero = !v;
	prefix = s->special && !(zero && (s->base == 8 || s->bare_zero));
	do {
		digits[n++] = set[v % s->base];
		v /= s->base;
	} while (v);
	if (prec < n)
		prec = n;
	width -= (sign != 0) + (prefix ? s->base == 16 ? 2 : 1 : 0) + prec;
	if (width > 0 && !s->left && !s->zero)
		out_fill(o, ' ', width);
	if (sign)
		out_char(o, sign);
	if (prefix) {
		out_char(o, '0');
		if (s->base == 16)
			out_char(o, s->upper ? 'X' : 'x');
	}
	if (width > 0 && !s->left && s->zero)
		out_fill(o, '0', width);
	out_fill(o, '0', prec - n);
	while (n)
		out_char(o, digits[--n]);
	if (width > 0 && s->left)
		out_fill(o, ' ', width);
}

void spec_fit_text(struct outbuf *o, size_t from, const struct spec *s)
{
	size_t len = o->len - from, pad;

	if (s->prec >= 0 && len > (size_t)s->prec)
		len = s->prec;
	o->len = from + len;
	if (s->width <= 0 || (size_t)s->width <= len)
		return;
	pad = s->width - len;
	out_room(o, pad);
	if (!s->left) {
		memmove(o->p + from + pad, o->p + from, len);
		memset(o->p + from, ' ', pad);
	} else {
		memset(o->p + from + len, ' ', pad);
	}
	o->len += pad;
}
