/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric_value: what a metric holds, and how it is written: whole numbers digit by digit, doubles
 * as the shortest text that reads as the same number.
 */
#include "analysis/metrics/metric_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGITS 40 /* of 128 bits: 39 */

double quantity_double(const struct quantity *a)
{
	return a->real ? a->d : number_double(a->n);
}

static void sum_sub(struct sum *s, struct number a)
{
	uint64_t lo = s->lo;

	s->lo -= a.v;
	s->hi -= (lo < a.v) - a.neg;
}

void value_add(struct metric_value *v, const struct quantity *a)
{
	if (a->real)
		v->part += a->d;
	else
		sum_add(&v->whole, a->n);
}

void value_sub(struct metric_value *v, const struct quantity *a)
{
	if (a->real)
		v->part -= a->d;
	else
		sum_sub(&v->whole, a->n);
}

void value_set(struct metric_value *v, const struct quantity *a)
{
	*v = (struct metric_value){ .part = 0 };
	value_add(v, a);
}

struct metric_value value_of_sum(const struct sum *s)
{
	return (struct metric_value){ .whole = *s };
}

struct metric_value value_of_double(double d)
{
	return (struct metric_value){ .part = d };
}

static double value_double(const struct metric_value *v)
{
	return sum_double(&v->whole) + v->part;
}

bool value_less(const struct metric_value *v, const struct metric_value *w)
{
	if (v->part == 0 && w->part == 0)
		return sum_less(&v->whole, &w->whole);
	return value_double(v) < value_double(w);
}

/*
 * The decimal digits of the absolute value of S, without leading zeros; "0" for 0.  Returns how
 * many.
 */
static unsigned sum_digits(const struct sum *s, char out[DIGITS])
{
	uint64_t lo = s->lo, hi = (uint64_t)s->hi;
	uint32_t limbs[4];
	char back[DIGITS];
	unsigned n = 0, i;

	if (s->hi < 0) {
		lo = ~lo + 1;
		hi = ~hi + !lo;
	}
	limbs[0] = (uint32_t)(hi >> 32);
	limbs[1] = (uint32_t)hi;
	limbs[2] = (uint32_t)(lo >> 32);
	limbs[3] = (uint32_t)lo;
	do {
		uint64_t rest = 0;

		for (i = 0; i < 4; i++) {
			rest = rest << 32 | limbs[i];
			limbs[i] = (uint32_t)(rest / 10);
			rest %= 10;
		}
		back[n++] = (char)('0' + rest);
	} while (limbs[0] | limbs[1] | limbs[2] | limbs[3]);
	for (i = 0; i < n; i++)
		out[i] = back[n - 1 - i];
	return n;
}

static void out_sum(struct outbuf *o, const struct sum *s, int scale)
{
	char digits[DIGITS];
	unsigned n = sum_digits(s, digits), decimals;

	if (n == 1 && digits[0] == '0') {
		out_char(o, '0');
		return;
	}
	if (s->hi < 0)
		out_char(o, '-');
	if (scale >= 0) {
		out_bytes(o, digits, n);
		out_fill(o, '0', (unsigned)scale);
		return;
	}
	decimals = (unsigned)-scale;
	if (n > decimals)
		out_bytes(o, digits, n - decimals);
	else
		out_char(o, '0');
	while (decimals && n && digits[n - 1] == '0') {
		n--;
		decimals--;
	}
	if (!decimals)
		return;
	out_char(o, '.');
	if (n < decimals) {
		out_fill(o, '0', decimals - n);
		out_bytes(o, digits, n);
	} else {
		out_bytes(o, digits + n - decimals, decimals);
	}
}

/* NaN and infinity.  False: D is a number. */
static bool out_special(struct outbuf *o, double d)
{
	if (isnan(d))
		out_str(o, "NaN");
	else if (isinf(d))
		out_str(o, d < 0 ? "-Inf" : "+Inf");
	else
		return false;
	return true;
}

/* How many digits distinguish D from all other doubles: 15 to 17. */
static int digits_of(double d)
{
	char text[40];
	int n = 15;

	for (; n < 17; n++) {
		snprintf(text, sizeof(text), "%.*e", n - 1, d);
		if (strtod(text, NULL) == d)
			break;
	}
	return n;
}

static void out_double(struct outbuf *o, double d)
{
	if (!out_special(o, d))
		out_printf(o, "%.*g", digits_of(d), d);
}

void value_text(struct outbuf *o, const struct metric_value *v, int scale)
{
	double d;

	if (v->part == 0) {
		out_sum(o, &v->whole, scale);
		return;
	}
	d = value_double(v);
	/* Divided by a power of ten, not multiplied by a power that is not exact as a double. */
	out_double(o, scale < 0 ? d / pow(10, -scale) : d * pow(10, scale));
}

void value_label(struct outbuf *o, double d)
{
	int digits, exponent;
	char text[40], *e;

	if (out_special(o, d))
		return;
	digits = digits_of(d);
	snprintf(text, sizeof(text), "%.*e", digits - 1, d);
	e = strchr(text, 'e');
	exponent = atoi(e + 1);
	/* The significant digits. */
	while (digits > 1 && e[-1] == '0') {
		digits--;
		e--;
	}
	if (exponent < -4 || exponent >= 6) {
		out_printf(o, "%.*e", digits - 1, d);
		return;
	}
	out_printf(o, "%.*f", digits - 1 > exponent ? digits - 1 - exponent : 1, d);
}
