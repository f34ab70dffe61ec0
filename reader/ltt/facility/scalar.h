/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_FACILITY_SCALAR_H
#define ZED_READER_LTT_FACILITY_SCALAR_H

#include "reader/ltt/facility/tag.h"

/*
 * The scalars of LTT's facility descriptions: their names in each generation, their widths, and
 * their names in the checksum.
 */
struct ltt_size {
	const char *name;		/* as in size= */
	const char *sint, *uint, *real; /* in the checksum; real NULL: no such float */
	uint8_t width;			/* enum ltt_width */
};

/* Traces before 0.6 have sizes, later ones C types. */
static inline bool lttscalar_old(const struct parse *s)
{
	return s->f->gen < LTT_0_6;
}

/* The size= of a tag of the document or 0.4, and its index in the checksum. */
int lttscalar_size(struct parse *s, const struct attributes *a, const struct ltt_size **out,
		   unsigned *index);

/* Make T, all zero, the scalar NAME.  1: no scalar of this name. */
int lttscalar_parse(struct parse *s, struct ltt_type *t, const char *name,
		    const struct attributes *a);

#endif
