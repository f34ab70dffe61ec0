/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLE_STATE_LETTERS_H
#define ZED_STABLE_STATE_LETTERS_H

#include "base/mem.h"
#include "trace/event.h"

/*
 * What an event's own print format says about the numbers in a field: read once, so that values
 * keep their meaning if a kernel renumbers them (16 was Z and 32 X up to 4.13; since then they are
 * swapped).
 */

/* The letters of task states, from the format's __print_flags table. */
struct letters {
	unsigned n;
	struct {
		uint64_t bits;
		char letter;
	} of[64];
	char none;     /* shown if no bit of the table is set: 'R' */
	bool numbered; /* values are 0, or a bit number of the table, from 1 on */
};

/*
 * The table for field F of T (resolved).  False: the print format has no table of single letters.
 * As ps shows them: 'x' (dead) is X.
 *
 * Linux 4.14 (commit 3f5fe9fef5b2, fixed in 4.15) stores the number of the state, 0 to 8, in a
 * field that its format describes as bits.  Only this kernel has letters for 0x40 (P) and 0x80 (I)
 * together with a "+" for 0x1000; later ones have the "+" at 0x100.
 */
bool letters_read(const struct etype *t, const struct field *f, struct letters *out);

/* The letter of V: of the first entry in the table's order whose bits are all set, else `none`. */
static inline char letters_of(const struct letters *l, uint64_t v)
{
	if (l->numbered)
		v = v && v <= 64 ? 1ull << (v - 1) : 0;
	for (unsigned i = 0; i < l->n; i++)
		if ((v & l->of[i].bits) == l->of[i].bits)
			return l->of[i].letter;
	return l->none;
}

/*
 * The bits of F that T's print format marks with a "+" (REC->f & BITS ? "+" : ""): the task was
 * preempted.  0: no such mark in the format.
 */
uint64_t mark_read(const struct etype *t, const struct field *f);

/*
 * The names of __print_symbolic for F, sorted by value; NULL and *N 0: no table.  Owned by A.
 */
struct value_name {
	uint64_t value;
	const char *name;
};

const struct value_name *symbols_read(const struct etype *t, const struct field *f, struct arena *a,
				      unsigned *n);

#endif
