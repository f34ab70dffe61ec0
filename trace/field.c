// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * field: finds the fields of a type by name, and formats a bit mask as the list of its CPUs.
 */
#include "trace/field.h"

#include "base/suffix.h"

const struct field *field_find_in(const struct field *fields, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

const struct field *field_find(const struct etype *t, const char *name)
{
	return field_find_in(t->fields, t->nfields, name);
}

bool field_bit(const struct span *s, unsigned elem, bool big_endian, unsigned bit)
{
	unsigned byte = bit / 8;

	/* Bit n is in long n / (8 * elem); a big-endian long has its low byte last. */
	if (big_endian)
		byte = byte / elem * elem + (elem - 1 - byte % elem);
	return byte < s->len && s->p[byte] >> (bit % 8) & 1;
}

/* V in digits; returns how many. */
static unsigned put_number(char *to, unsigned v)
{
	char digits[10];
	unsigned n = 0, i;

	do {
		digits[n++] = '0' + v % 10;
		v /= 10;
	} while (v);
	for (i = 0; i < n; i++)
		to[i] = digits[n - 1 - i];
	return n;
}

/* Append LEN bytes and a NUL to the N bytes of BUF, if they fit; returns LEN. */
static size_t append(char *buf, size_t size, size_t n, const char *item, size_t len)
{
	if (n + len < size) {
		memcpy(buf + n, item, len);
		buf[n + len] = '\0';
	}
	return len;
}

size_t field_bits(const struct span *s, unsigned elem, bool swap, char *buf, size_t size)
{
	bool big_endian = swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	bool cut = s->len > FIELD_BITS_MAX / 8;
	unsigned nbits = cut ? FIELD_BITS_MAX : s->len * 8;
	size_t n = 0;

	if (size)
		buf[0] = '\0';
	for (unsigned bit = 0; bit < nbits; bit++) {
		unsigned last = bit;
		unsigned len = 0;
		char item[32];

		if (!field_bit(s, elem, big_endian, bit))
			continue;
		while (last + 1 < nbits && field_bit(s, elem, big_endian, last + 1))
			last++;
		if (n)
			item[len++] = ',';
		len += put_number(item + len, bit);
		if (last > bit) {
			item[len++] = '-';
			len += put_number(item + len, last);
		}
		n += append(buf, size, n, item, len);
		bit = last;
	}
	if (cut)
		n += append(buf, size, n, FIELD_BITS_CUT, strlen(FIELD_BITS_CUT));
	return n;
}

const char *field_label(const struct field *f, int64_t v)
{
	unsigned low = 0, high = f->more ? f->more->nlabels : 0;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (f->more->labels[mid].value < v)
			low = mid + 1;
		else
			high = mid;
	}
	return f->more && low < f->more->nlabels && f->more->labels[low].value == v ?
		       f->more->labels[low].name :
		       NULL;
}

const struct field *field_of_task(const struct etype *t)
{
	const struct field *own = t->fields + t->ncommon, *found = NULL, *f;
	unsigned n = t->nfields - t->ncommon;

	if (!t->stable)
		return NULL;
	f = field_find_in(own, n, "pid");
	if (f || !field_find_in(own, n, "comm"))
		return f;
	for (unsigned i = 0; i < n; i++) {
		if (!suffix_is(own[i].name, "_pid"))
			continue;
		if (found)
			return NULL;
		found = &own[i];
	}
	return found;
}
