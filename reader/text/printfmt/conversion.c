// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * conversion: finds the conversions of a format string, one after another, with flags, widths, and
 * the letters that the kernel has behind %p.
 */
#include "reader/text/printfmt/conversion.h"

#include <ctype.h>
#include <string.h>

/* How many letters behind %p belong to it. */
static unsigned pointer_letters(const char *p)
{
	unsigned n = 1;

	switch (*p) {
	case 'F':
	case 'S':
	case 'f':
	case 's':
		return 1;
	case 'M':
	case 'm':
		return p[1] == 'R' || p[1] == 'F' ? 2 : 1;
	case 'I':
	case 'i':
		if (p[1] == 'S')
			for (n = 2; p[n] && strchr("pfs", p[n]); n++)
				;
		else if (p[1] == '4' || p[1] == '6')
			n = 2;
		else
			return 1;
		if (p[1] != '6' && p[n] && strchr("hnlb", p[n]))
			n++;
		if (p[1] != '4' && p[n] == 'c')
			n++;
		return n;
	case 'U':
		return p[1] && strchr("LlBb", p[1]) ? 2 : 1;
	case 'h':
		return p[1] && strchr("CDN", p[1]) ? 2 : 1;
	}
	return 0;
}

int printfmt_conv(const char **p, struct pf_conv *c, unsigned *stars, unsigned *width,
		  const char **why)
{
	const char *s = *p;
	unsigned number = 0;

	memset(c, 0, sizeof(*c));
	*stars = *width = 0;
	while (*s && !(*s == '%' && s[1] != '%')) {
		if ((*s == '\\' || *s == '%') && s[1])
			s++;
		s++;
	}
	*p = s;
	if (!*s)
		return 0;
	c->spec = s;
	for (s++; *s; s++) {
		if (isdigit((unsigned char)*s)) {
			number = number * 10 + (*s - '0');
			if (number > PF_MAX_WIDTH) {
				*why = "too wide a conversion";
				return -1;
			}
			continue;
		}
		*width += number;
		number = 0;
		switch (*s) {
		case '#':
		case '.':
		case '-':
		case '+':
			continue;
		case 'h':
			c->longs--;
			continue;
		case 'l':
			c->longs++;
			continue;
		case 'L':
			c->longs = 2;
			continue;
		case 'z':
		case 'Z':
			c->longs = 1;
			continue;
		case '*':
			++*stars;
			continue;
		case 'p':
			c->kind = CONV_POINTER;
			c->letter = pointer_letters(s + 1) ? s[1] : 0;
			s += pointer_letters(s + 1);
			break;
		case 's':
			/* vsnprintf() would take the text for wide characters. */
			if (c->longs || memchr(c->spec, 'l', s - c->spec) ||
			    memchr(c->spec, 'L', s - c->spec) ||
			    memchr(c->spec, 'z', s - c->spec)) {
				*why = "a %s of wide characters";
				return -1;
			}
			c->kind = CONV_STRING;
			c->letter = 's';
			break;
		case 'c':
			if (c->longs > 0) {
				*why = "a wide character";
				return -1;
			}
			/* fall through */
		case 'd':
		case 'u':
		case 'i':
		case 'x':
		case 'X':
		case 'o':
			c->kind = CONV_NUMBER;
			c->letter = *s;
			break;
		default:
			/* The library prints these as ">c<" and takes no argument. */
			c->letter = '>';
			break;
		}
		c->spec_len = s + 1 - c->spec;
		*p = s + 1;
		if (c->spec_len > 30 || c->longs < -2 || c->longs > 2) {
			*why = "a conversion that makes no sense";
			return -1;
		}
		return 1;
	}
	*p = s;
	c->spec_len = s - c->spec;
	c->letter = '>';
	return 1;
}

bool pf_conv_of_symbol(const struct pf_conv *c)
{
	return c->kind == CONV_POINTER && c->letter && strchr("FfSs", c->letter);
}
