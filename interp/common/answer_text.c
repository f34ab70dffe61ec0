/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_text: the rows of an aggregation as a table that people read: numbers to the right, texts
 * to the left, no blanks at the end of a line.
 */
#include "interp/common/answer_text.h"

#include "base/err.h"
#include "interp/common/answer_bars.h"
#include "interp/common/columns.h"
#include "trace/field.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define NSEC UINT64_C(1000000000)

/* ---------------------------------------------------------------- values */

static void out_number(struct outbuf *o, struct number v)
{
	if (v.neg)
		out_i64(o, (int64_t)v.v);
	else
		out_u64(o, v.v);
}

/* At most six digits that count, or all of those before the point. */
static void out_double(struct outbuf *o, double v)
{
	char text[400];
	size_t len = (size_t)snprintf(text, sizeof(text), "%.15g", v);

	if (strspn(text + (*text == '-'), "0123456789") == len - (*text == '-')) {
		out_str(o, text);
		return;
	}
	len = (size_t)snprintf(text, sizeof(text), "%.6g", v);
	if (!strchr(text, 'e') || fabs(v) >= 1e18) {
		out_str(o, text);
		return;
	}
	if (fabs(v) >= 1) {
		out_printf(o, "%.0f", v);
		return;
	}
	len = (size_t)snprintf(text, sizeof(text), "%.9f", v);
	while (text[len - 1] == '0')
		len--;
	out_bytes(o, text, len);
}

static void out_sum(struct outbuf *o, const struct sum *s)
{
	if (!s->hi)
		out_u64(o, s->lo);
	else if (s->hi == -1 && s->lo >> 63)
		out_i64(o, (int64_t)s->lo);
	else
		out_double(o, sum_double(s));
}

static void out_bits(struct outbuf *o, const char *bits, uint32_t len)
{
	struct span span = { .p = (const uint8_t *)bits, .len = len };
	size_t need = field_bits(&span, 1, false, NULL, 0);

	field_bits(&span, 1, false, out_room(o, need + 1), need + 1);
	o->len += need;
}

static void out_part(struct outbuf *o, const struct key_part *p)
{
	size_t from = o->len;

	switch (p->kind) {
	case KEY_INT32:
	case KEY_INT64:
		out_i64(o, (int64_t)p->num);
		break;
	case KEY_UINT64:
		out_u64(o, p->num);
		break;
	case KEY_TEXT:
		out_bytes(o, p->text, p->len);
		out_plain(o, from, 0);
		break;
	case KEY_BITS:
		out_bits(o, p->text, p->len);
		break;
	case KEY_UNDEF:
		out_char(o, '-');
		break;
	}
}

/* ---------------------------------------------------------------- keys */

static void out_by(struct outbuf *o, const struct answer *v, unsigned i)
{
	if (answer_by_taken(v, i))
		out_str(o, "by_");
	out_str(o, v->by.v[i]);
}

static void cells_names(struct columns *t, const struct answer *v)
{
	for (unsigned i = 0; i < v->by.n; i++) {
		out_by(&t->text, v, i);
		columns_cell(t);
	}
}

static void cells_key(struct columns *t, const struct answer *v, const void *value)
{
	const uint64_t *key = agg_key(v->agg, value);
	struct key_part part;
	struct key_reader r;

	if (key)
		key_first(&r, key);
	for (unsigned i = 0; i < v->by.n; i++) {
		if (key) {
			key_next(&r, &part);
			out_part(&t->text, &part);
		} else if (!i) {
			out_str(&t->text, "(other)");
		}
		columns_cell(t);
	}
}

/* ---------------------------------------------------------------- rows of numbers */

static bool is_single(enum agg_kind kind)
{
	return kind <= AGG_AVG;
}

/* The columns of a row that are shown: a single number comes before the count. */
static void cells_columns(struct columns *t, const struct answer *v)
{
	const char *const *column = answer_columns(v->agg->spec.kind);
	bool single = is_single(v->agg->spec.kind);
	char percent[ANSWER_PERCENT];
	unsigned i;

	for (; *column; column++)
		if (strcmp(*column, "buckets") != 0 && !(single && !strcmp(*column, "count")))
			columns_word(t, *column);
	for (i = 0; i < v->npercents; i++)
		columns_word(t, answer_percent(v->percents[i], percent));
	if (single)
		columns_word(t, "count");
}

static void cell_number(struct columns *t, struct number v)
{
	out_number(&t->text, v);
	columns_cell(t);
}

static void cell_double(struct columns *t, double v)
{
	out_double(&t->text, v);
	columns_cell(t);
}

static void cell_sum(struct columns *t, const struct sum *s)
{
	out_sum(&t->text, s);
	columns_cell(t);
}

static void cell_count(struct columns *t, uint64_t n)
{
	out_u64(&t->text, n);
	columns_cell(t);
}

static void cells_stats(struct columns *t, const struct agg_stats *s)
{
	cell_count(t, s->n);
	cell_sum(t, &s->sum);
	cell_number(t, (struct number){ s->min, s->min_neg });
	cell_number(t, (struct number){ s->max, s->max_neg });
	cell_double(t, sum_double(&s->sum) / (double)s->n);
	cell_double(t, sqrt(agg_variance(s)));
}

static void cells_quantiles(struct columns *t, const struct answer *v, const struct agg_spread *s)
{
	const struct agg_bucket **b;
	size_t n;

	cell_count(t, s->n);
	cell_number(t, (struct number){ s->min, s->min_neg });
	cell_number(t, (struct number){ s->max, s->max_neg });
	b = agg_buckets(s, &n);
	for (unsigned i = 0; i < v->npercents; i++)
		cell_number(t, agg_quantile(v->agg, s, b, n, v->percents[i] / 100));
	free(b);
}

static void cells_values(struct columns *t, const struct answer *v, const void *value)
{
	const struct agg_extreme *extreme = value;
	const struct agg_sum *sum = value;

	switch (v->agg->spec.kind) {
	case AGG_SUM:
		cell_sum(t, &sum->sum);
		break;
	case AGG_AVG:
		cell_double(t, sum_double(&sum->sum) / (double)sum->n);
		break;
	case AGG_MIN:
	case AGG_MAX:
		cell_number(t, (struct number){ extreme->v, extreme->neg });
		break;
	case AGG_STATS:
		cells_stats(t, value);
		return;
	case AGG_QUANTILES:
		cells_quantiles(t, v, value);
		return;
	default:
		break;
	}
	cell_count(t, agg_n(v->agg, value));
}

static void print_rows(const struct answer *v, void **list, size_t n, struct outbuf *o)
{
	struct columns t = { .n = 0 };

	cells_names(&t, v);
	cells_columns(&t, v);
	columns_begin(&t);
	for (size_t i = 0; i < n; i++) {
		cells_key(&t, v, list[i]);
		cells_values(&t, v, list[i]);
	}
	columns_print(&t, o);
}

/* ---------------------------------------------------------------- top */

/* Is field I of the records a column of its own? */
static bool is_column(const struct answer *v, unsigned i)
{
	static const char *const own[] = { "value", "ts", "cpu", "comm", "sequence" };
	const char *name = v->fields.v[i];
	unsigned k;

	for (k = 0; k < sizeof(own) / sizeof(own[0]); k++)
		if (!strcmp(name, own[k]))
			return false;
	for (k = 0; k < v->by.n; k++)
		if (!answer_by_taken(v, k) && !strcmp(name, v->by.v[k]))
			return false;
	for (k = 0; k < i; k++)
		if (!strcmp(name, v->fields.v[k]))
			return false;
	return true;
}

static void cells_record(struct columns *t, const struct answer *v, const struct agg_record *r)
{
	struct key_part part;
	struct key_reader reader;

	cell_number(t, r->v);
	out_printf(&t->text, "%" PRIu64 ".%09" PRIu64, r->ts / NSEC, r->ts % NSEC);
	columns_cell(t);
	out_i64(&t->text, r->cpu);
	columns_cell(t);
	/* The name of the task comes before the fields that were asked for. */
	key_first(&reader, r->fields);
	key_next(&reader, &part);
	out_part(&t->text, &part);
	columns_cell(t);
	cell_count(t, r->seq);
	for (unsigned i = 0; i < v->fields.n; i++) {
		key_next(&reader, &part);
		if (!is_column(v, i))
			continue;
		if (!strcmp(v->fields.v[i], v->field))
			out_number(&t->text, r->v);
		else if (!strcmp(v->fields.v[i], "source"))
			out_u64(&t->text, r->source);
		else
			out_part(&t->text, &part);
		columns_cell(t);
	}
}

static void print_top(const struct answer *v, void **list, size_t n, struct outbuf *o)
{
	static const char *const own[] = { "ts", "cpu", "comm", "sequence" };
	struct columns t = { .n = 0 };
	const struct agg_record **r;
	size_t i, k, records;

	cells_names(&t, v);
	columns_word(&t, v->field);
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		columns_word(&t, own[i]);
	for (i = 0; i < v->fields.n; i++)
		if (is_column(v, (unsigned)i))
			columns_word(&t, v->fields.v[i]);
	columns_begin(&t);
	for (i = 0; i < n; i++) {
		r = agg_records(list[i], &records);
		for (k = 0; k < records; k++) {
			cells_key(&t, v, list[i]);
			cells_record(&t, v, r[k]);
		}
		free(r);
	}
	columns_print(&t, o);
}

/* ---------------------------------------------------------------- histograms */

static void print_spreads(const struct answer *v, void **list, size_t n, struct outbuf *o)
{
	const struct agg_spread *s;
	struct key_part part;
	struct key_reader r;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *key = agg_key(v->agg, list[i]);

		s = list[i];
		if (i)
			out_char(o, '\n');
		if (list[i] == v->agg->other)
			out_str(o, "(other)\n");
		else if (key)
			key_first(&r, key);
		for (unsigned k = 0; key && k < v->by.n; k++) {
			key_next(&r, &part);
			out_str(o, k ? ", " : "");
			out_by(o, v, k);
			out_char(o, ' ');
			out_part(o, &part);
			if (k + 1 == v->by.n)
				out_char(o, '\n');
		}
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a list has no NULL */
		out_printf(o, "  count %" PRIu64 ", min ", (uint64_t)s->n);
		out_number(o, (struct number){ s->min, s->min_neg });
		out_str(o, ", max ");
		out_number(o, (struct number){ s->max, s->max_neg });
		out_char(o, '\n');
		answer_bars(v->agg, s, o);
	}
}

/* ---------------------------------------------------------------- all */

void answer_title(const struct answer *v, struct outbuf *o)
{
	out_str(o, answer_kind(v->agg->spec.kind));
	if (v->field) {
		out_printf(o, " of %s", v->field);
		if (v->agg->is_time && !strpbrk(v->field, "*/"))
			out_str(o, " [ns]");
	}
	out_printf(o, ", %s", v->event);
	for (unsigned i = 0; i < v->by.n; i++)
		out_printf(o, "%s%s", i ? ", " : " by ", v->by.v[i]);
	if (v->where)
		out_printf(o, " where %s", v->where);
}

static void print_title(const struct answer *v, struct outbuf *o)
{
	size_t from = o->len;

	answer_title(v, o);
	out_plain(o, from, 0);
}

/* As an analysis has it. */
static void print_lost(const struct losses *l, struct outbuf *o)
{
	uint64_t placed = l->events - l->timeless, places = losses_unknown(l);
	const char *before = "lost meanwhile: ";

	if (placed || (places && !l->timeless)) {
		out_printf(o, "%s%" PRIu64 " event%s", before, placed, plural(placed));
		before = ", and ";
	}
	if (places) {
		out_printf(o, "%san unknown number at %" PRIu64 " place%s", before, places,
			   plural(places));
		before = ", and ";
	}
	if (l->timeless) {
		out_printf(o, "%s%" PRIu64 " at unknown times", before, l->timeless);
		before = ", and ";
	}
	if (*before == ',')
		out_char(o, '\n');
}

static bool is_hist(const struct answer *v)
{
	return v->agg->spec.kind == AGG_HIST || v->agg->spec.kind == AGG_LHIST;
}

static void print_list(const struct answer *v, const struct losses *lost, void **list, size_t n,
		       size_t limit, struct outbuf *o)
{
	size_t shown = n < limit ? n : limit;

	if (n && is_hist(v)) {
		if (shown) {
			print_title(v, o);
			out_char(o, '\n');
		}
		print_spreads(v, list, shown, o);
	} else if (shown) {
		(v->agg->spec.kind == AGG_TOP ? print_top : print_rows)(v, list, shown, o);
	}
	if (n > shown)
		out_printf(o, "... and %zu more\n", n - shown);
	if (!shown) {
		print_title(v, o);
		out_str(o, ": no events\n");
	}
	print_lost(lost, o);
}

void answer_print(const struct answer *v, const struct losses *lost, size_t limit, struct outbuf *o)
{
	size_t n;
	void **list = agg_list(v->agg, &n);

	print_list(v, lost, list, n, limit, o);
	free(list);
}

void answer_print_titled(const struct answer *v, const struct losses *lost, struct outbuf *o)
{
	size_t n;
	void **list = agg_list(v->agg, &n);

	if (n && !is_hist(v)) {
		print_title(v, o);
		out_char(o, '\n');
	}
	print_list(v, lost, list, n, SIZE_MAX, o);
	free(list);
}

static void out_seconds(struct outbuf *o, uint64_t ts, bool known)
{
	if (known)
		out_printf(o, "%" PRIu64 ".%09" PRIu64, ts / NSEC, ts % NSEC);
	else
		out_char(o, '?');
}

void answer_heading(uint64_t from, uint64_t to, bool known, bool total, struct outbuf *o)
{
	if (total) {
		out_str(o, "up to ");
	} else {
		out_seconds(o, from, known);
		out_str(o, " to ");
	}
	out_seconds(o, to, known);
	out_str(o, ":\n");
}
