/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_STEPS_NUMBER_H
#define ZED_TEXT_STEPS_NUMBER_H

#include "base/outbuf.h"

#include <stdint.h>

#define SPEC_MAX_WIDTH 1024 /* also for precisions, and for those from a record */

/* A conversion of the kernel's vsnprintf(): parsed, from % to its letter. */
struct spec {
	char letter;  /* d u x o c s p %; i is d, X is x with upper */
	uint8_t size; /* bytes of the number that are used: 1, 2, 4, 8 */
	uint8_t base; /* 8, 10, 16 */
	bool is_signed, upper, left, plus, space, special, zero;
	bool bare_zero; /* special: 0 has no prefix, as the C library prints it */
	bool star_width, star_prec;
	int width, prec; /* -1: none */
	char form[8];	 /* letters and digits after a %p */
};

/*
 * Parse the conversion at *P, which points at its %, and move *P past it.  LONG_SIZE: of the traced
 * machine.  False: not a conversion of the kernel's.
 */
bool spec_parse(const char **p, unsigned long_size, struct spec *s);

/* A width or precision from the record. */
void spec_set_width(struct spec *s, int64_t v);
void spec_set_prec(struct spec *s, int64_t v);

/* Is it printed without padding and sign? */
static inline bool spec_is_bare(const struct spec *s)
{
	return s->width <= 0 && s->prec < 0 && !s->plus && !s->space && !s->special && !s->upper &&
	       !s->star_width && !s->star_prec;
}

/* Format V by S; cut and pad the text from FROM on as S says for strings. */
void spec_put_number(struct outbuf *o, const struct spec *s, uint64_t v);
void spec_fit_text(struct outbuf *o, size_t from, const struct spec *s);

/* V truncated to SIZE bytes, and extended by its sign. */
static inline uint64_t number_extend(uint64_t v, unsigned size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2:
		return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4:
		return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	}
	return v;
}

/* V as S says: the same. */
static inline uint64_t spec_value(const struct spec *s, uint64_t v)
{
	return number_extend(v, s->size, s->is_signed);
}

#endif
