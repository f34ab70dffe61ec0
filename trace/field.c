// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * field: finds the fields of a type by name, and formats a bit mask as the list of its CPUs.
 */
#include "trace/field.h"

#include "base/mem.h"
#include "base/suffix.h"

#include <stdlib.h>

const struct field *field_find_in(const struct field *fields, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

/* LTTng calls tid what ftrace calls pid: so "next_pid" is its next_tid. */
static const struct field *lttng_field(const struct etype *t, const char *name)
{
	size_t len = strlen(name);
	char tid[64];

	if (len < 3 || len >= sizeof(tid) || strcmp(name + len - 3, "pid") != 0)
		return NULL;
	memcpy(tid, name, len + 1);
	tid[len - 3] = 't';
	tid[len - 2] = 'i';
	tid[len - 1] = 'd';
	return field_find_in(t->fields, t->nfields, tid);
}

const struct field *field_find(const struct etype *t, const char *name)
{
	const struct field *f = field_find_in(t->fields, t->nfields, name);

	return f || !t->lttng ? f : lttng_field(t, name);
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

#define RANGES_BACK 64 /* that begin before a value, and are looked at */

/* The first label that begins after V. */
static unsigned label_after(const struct field_label *labels, unsigned n, int64_t v)
{
	unsigned low = 0;

	while (low < n) {
		unsigned mid = (low + n) / 2;

		if (labels[mid].value <= v)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

const char *field_label(const struct field *f, int64_t v)
{
	const struct field_label *labels = f->more ? f->more->labels : NULL;
	unsigned after = f->more ? label_after(labels, f->more->nlabels, v) : 0, found = after;

	for (unsigned i = after; i-- > 0 && after - i <= RANGES_BACK;) {
		if (found < after && labels[i].value != labels[found].value)
			break;
		if (labels[i].last >= v)
			found = i;
	}
	return found < after ? labels[found].name : NULL;
}

struct sorting {
	struct field_label label;
	unsigned order;
};

static int by_value(const void *pa, const void *pb)
{
	const struct sorting *a = pa, *b = pb;

	if (a->label.value != b->label.value)
		return a->label.value < b->label.value ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void field_sort_labels(struct field_label *labels, unsigned n)
{
	struct sorting *all = mem_alloc((n + 1) * sizeof(*all));

	for (unsigned i = 0; i < n; i++)
		all[i] = (struct sorting){ labels[i], i };
	qsort(all, n, sizeof(*all), by_value);
	for (unsigned i = 0; i < n; i++)
		labels[i] = all[i].label;
	free(all);
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
