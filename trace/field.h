/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_FIELD_H
#define ZED_TRACE_FIELD_H

#include "trace/event.h"

#include <string.h>

/*
 * Reading one field of one record.  Fixed fields are inside any delivered record (etype.fixed was
 * checked once); dynamic ones are checked here, against the record.
 */

/* Is F a single integer (an enum is not)? */
static inline bool field_is_int(const struct field *f)
{
	return f->kind == FIELD_INT || f->kind == FIELD_UINT;
}

/* Load SIZE (1, 2, 4, 8) bytes at P, swapped if SWAP, zero-extended. */
static inline uint64_t field_load(const uint8_t *p, unsigned size, bool swap)
{
	uint16_t h;
	uint32_t w;
	uint64_t d;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&h, p, 2);
		return swap ? __builtin_bswap16(h) : h;
	case 4:
		memcpy(&w, p, 4);
		return swap ? __builtin_bswap32(w) : w;
	case 8:
		memcpy(&d, p, 8);
		return swap ? __builtin_bswap64(d) : d;
	}
	return 0;
}

/* The same, sign-extended. */
static inline int64_t field_load_signed(const uint8_t *p, unsigned size, bool swap)
{
	uint64_t v = field_load(p, size, swap);

	switch (size) {
	case 1:
		return (int8_t)v;
	case 2:
		return (int16_t)v;
	case 4:
		return (int32_t)v;
	}
	return (int64_t)v;
}

/* Store the low SIZE (1, 2, 4, 8) bytes of V at P, swapped if SWAP. */
static inline void field_store(uint8_t *p, unsigned size, bool swap, uint64_t v)
{
	uint16_t h = swap ? __builtin_bswap16((uint16_t)v) : (uint16_t)v;
	uint32_t w = swap ? __builtin_bswap32((uint32_t)v) : (uint32_t)v;

	switch (size) {
	case 1:
		*p = (uint8_t)v;
		return;
	case 2:
		memcpy(p, &h, 2);
		return;
	case 4:
		memcpy(p, &w, 4);
		return;
	case 8:
		v = swap ? __builtin_bswap64(v) : v;
		memcpy(p, &v, 8);
		return;
	}
}

/* A scalar field (FIELD_UINT, FIELD_INT, FIELD_ENUM) as 64 bits, sign-extended where signed. */
static inline uint64_t field_scalar(const struct field *f, const struct event *ev)
{
	if (f->is_signed)
		return (uint64_t)field_load_signed(ev->data + f->off, f->size, f->swap);
	return field_load(ev->data + f->off, f->size, f->swap);
}

/* A FIELD_FLOAT. */
static inline double field_float(const struct field *f, const struct event *ev)
{
	uint64_t v = field_load(ev->data + f->off, f->size, f->swap);
	uint32_t w = (uint32_t)v;
	double d;
	float s;

	if (f->size == 4) {
		memcpy(&s, &w, 4);
		return s;
	}
	memcpy(&d, &v, 8);
	return d;
}

/*
 * The name of value V of a FIELD_ENUM, or NULL.  Of several the one whose range begins last counts,
 * and of these the first.
 */
const char *field_label(const struct field *f, int64_t v);

/* Sort N labels for that; equal ones stay in their order. */
void field_sort_labels(struct field_label *labels, unsigned n);

/*
 * A view of EV for the functions here in which the FIELD_STRUCT, or the item of a FIELD_LIST, at P
 * is the record: offsets of its members count from P.
 */
static inline struct event field_inside(const struct event *ev, const uint8_t *p)
{
	struct event in = *ev;

	in.data = p;
	in.size = ev->size - (uint32_t)(p - ev->data);
	return in;
}

struct span {
	const uint8_t *p;
	uint32_t len; /* bytes */
};

/*
 * The bytes of a field: of the record itself for FIELD_AT, of the dynamic part otherwise.  Returns
 * false, with a span of length 0, when the record's own offset or length points outside of the
 * record. Borrowed from the event.
 */
static inline bool field_span(const struct field *f, const struct event *ev, struct span *out)
{
	uint64_t word, start, len;

	out->p = ev->data;
	out->len = 0;
	switch (f->loc) {
	case FIELD_AT:
		/* An array declared longer than what the kernel stores ends with the record. */
		if (f->off > ev->size)
			return false;
		out->p = ev->data + f->off;
		out->len = f->size <= ev->size - f->off ? f->size : ev->size - f->off;
		return true;
	case FIELD_TAIL:
		if (f->off > ev->size)
			return false;
		out->p = ev->data + f->off;
		out->len = ev->size - f->off;
		return true;
	case FIELD_LOC16:
		start = field_load(ev->data + f->off, 2, f->swap);
		if (start > ev->size)
			return false;
		len = ev->size - start;
		break;
	case FIELD_SPAN:
		start = field_load(ev->data + f->off, 4, false);
		len = field_load(ev->data + f->off + 4, 4, false);
		if (start + len > ev->size)
			return false;
		break;
	default:
		word = field_load(ev->data + f->off, 4, f->swap);
		start = word & 0xffff;
		len = word >> 16;
		if (f->loc == FIELD_REL_LOC)
			start += (uint64_t)f->off + f->size;
		if (start + len > ev->size)
			return false;
	}
	out->p = ev->data + start;
	out->len = len;
	return true;
}

/* The field called NAME among N, or NULL. */
const struct field *field_find_in(const struct field *fields, unsigned n, const char *name);

/*
 * The field called NAME of T (resolved), or NULL; of LTTng's events also by the kernel's name.  A
 * look-up by name: not for the hot path.
 */
const struct field *field_find(const struct etype *t, const char *name);

/*
 * The field with the pid of the task that T (resolved) is about, for "pid", "tid" and "comm" where
 * T has no field of that name.  NULL: the task that was running.  Only a stable event can be about
 * another task: the one of its field pid or, if it has comm but no pid, of its only field ..._pid
 * (wakeup_pid).  So pid and comm always belong to the same task.
 */
const struct field *field_of_task(const struct etype *t);

/*
 * The number of bits of a mask that are read: no kernel is built for more CPUs.  A longer mask
 * costs no more, and its list ends with a mark.
 */
#define FIELD_BITS_MAX 8192
#define FIELD_BITS_CUT "[CUT]"

/* Is that BIT of a mask set?  ELEM: bytes of a kernel long. */
bool field_bit(const struct span *s, unsigned elem, bool big_endian, unsigned bit);

/*
 * Write the list of set bits of a FIELD_BITMASK span, "0,2-5", to BUF; returns the length it
 * needs (as snprintf does).  ELEM: bytes of a kernel long.
 */
size_t field_bits(const struct span *s, unsigned elem, bool swap, char *buf, size_t size);

#endif
