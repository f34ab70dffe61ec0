// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bprint: checks a record of trace_printk() in its binary form, and the format string that the
 * kernel keeps for it, before libtraceevent formats them: it trusts both.
 */
#include "reader/text/bprint.h"

#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/printfmt/conversion.h"

#include <ctype.h>

#define MAX_PRINTK 2048 /* bytes of a trace_printk string; the kernel's are below 1 KiB */
#define MAX_WIDTHS 2048 /* sum of its literal widths, or of its * arguments */

/*
 * The library walks the kernel's string to find the arguments in the record; widths that come from
 * the record must be sane.  EV is the copy with zeroes behind it.
 */
static bool widths_ok(const char *fmt, const struct event *ev, const struct field *buf,
		      unsigned long_size)
{
	const uint8_t *p = ev->data + buf->off, *end = ev->data + ev->size;
	bool clean = true, ok_stars = true, ok_all = true;
	uint64_t stars = 0;

	for (; *fmt && p < end; fmt++) {
		unsigned longs = 0, size;
		uint64_t v;

		if (*fmt != '%')
			continue;
again:
		fmt++;
		switch (*fmt) {
		case 'l':
			longs++;
			goto again;
		case 'L':
			longs = 2;
			goto again;
		case 'z':
		case 'Z':
			longs = 1;
			goto again;
		case '0' ... '9':
		case '.':
		case '#':
		case '+':
			goto again;
		case 'p':
		case 'd':
		case 'u':
		case 'i':
		case 'x':
		case 'X':
		case 'o':
		case '*':
			if (*fmt == 'p') {
				longs = 1;
				if (isalnum((unsigned char)fmt[1])) {
					clean = false;
					fmt++;
				}
			}
			size = *fmt == '*' || !longs ? 4 : longs == 1 ? long_size : 8;
			p = ev->data + (((size_t)(p - ev->data) + 3) & ~(size_t)3);
			v = field_load(p, size, buf->swap);
			p += size;
			stars += *fmt == '*' ? (uint32_t)v : 0;
			if ((uint32_t)v > PF_MAX_WIDTH || stars > MAX_WIDTHS) {
				ok_all = false;
				if (*fmt == '*')
					ok_stars = false;
			}
			if (*fmt == '*')
				goto again;
			break;
		case 's':
			p += strlen((const char *)p) + 1;
			break;
		case '%':
			break;
		case '\0':
			return ok_all;
		default:
			clean = false;
		}
	}
	return clean ? ok_stars : ok_all;
}

/* Are the conversions of this string safe for vsnprintf()? */
static bool printk_ok(struct bprints *b, const char *fmt)
{
	unsigned slot = ((uintptr_t)fmt >> 4) % BPRINT_SEEN, stars, width, widths = 0;
	const char *p = fmt, *why;
	struct pf_conv c;
	int r;

	if (b->seen[slot].fmt == fmt)
		return b->seen[slot].ok;
	while ((r = printfmt_conv(&p, &c, &stars, &width, &why)) > 0)
		widths += width;
	b->seen[slot].fmt = fmt;
	b->seen[slot].ok = !r && widths <= MAX_WIDTHS && strlen(fmt) <= MAX_PRINTK;
	return b->seen[slot].ok;
}

bool bprint_ok(struct bprints *b, const struct event *ev)
{
	const struct field *fmt = field_find(ev->type, "fmt"), *buf = field_find(ev->type, "buf"),
			   *ip = field_find(ev->type, "ip");
	struct machine *s = ev->type->machine;
	const char *text;

	if (!fmt || !buf || !ip || fmt->dim || ip->dim || fmt->off + fmt->size > ev->size ||
	    ip->off + ip->size > ev->size || buf->off > ev->size)
		return false;
	text = machine_printk(s, field_load(ev->data + fmt->off, fmt->size, fmt->swap));
	if (!text)
		return true;
	return printk_ok(b, text) && (!strchr(text, '*') || widths_ok(text, ev, buf, s->long_size));
}
