/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * openmetrics: the metrics as served: OpenMetrics 1.0, or the older text format, which
 * node-exporter reads.  Labels may come from an attacker: each byte that is not readable UTF-8
 * becomes a character of its own, so that two series never become one.
 */
#include "analysis/metrics/metrics_priv.h"

#include <math.h>

static const char *const TYPES[] = { "counter", "gauge", "histogram", "summary" };

/* ---------------------------------------------------------------- label values */

/* Byte C that is not text: U+EF00 + C, as in JSON. */
static void out_byte(struct outbuf *o, uint8_t c)
{
	out_char(o, (char)0xee);
	out_char(o, (char)(0xbc | c >> 6));
	out_char(o, (char)(0x80 | (c & 0x3f)));
}

/*
 * The bytes of the character at S, of LEN bytes; 0: it is not shown as it is: not UTF-8, a control
 * character, or one of those that represent bytes.
 */
static unsigned char_len(const uint8_t *s, size_t len)
{
	unsigned n = *s < 0x80 ? 1 :
		     *s < 0xc2 ? 0 :
		     *s < 0xe0 ? 2 :
		     *s < 0xf0 ? 3 :
		     *s < 0xf5 ? 4 :
				 0;
	uint32_t c;

	if (n == 1)
		return (*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f ? 0 : 1;
	if (!n || n > len)
		return 0;
	c = *s & (0x7fu >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)) || c < 0xa0 ||
	    (c >= 0xd800 && c < 0xe000) || (c >= 0xef00 && c < 0xf000))
		return 0;
	return n;
}

static void out_escaped(struct outbuf *o, uint8_t c)
{
	if (c == '\n') {
		out_str(o, "\\n");
		return;
	}
	if (c == '"' || c == '\\')
		out_char(o, '\\');
	out_char(o, (char)c);
}

/* STRANGE: by its first letter it would be taken for something else, a number or a word of ours. */
static void out_label(struct outbuf *o, const char *text, size_t len, bool strange)
{
	const uint8_t *s = (const uint8_t *)text, *end = s + len;

	if (strange)
		out_byte(o, s < end ? *s++ : 0);
	while (s < end) {
		unsigned n = char_len(s, (size_t)(end - s));

		if (n == 1)
			out_escaped(o, *s);
		else if (n)
			out_bytes(o, (const char *)s, n);
		else
			out_byte(o, *s);
		s += n ? n : 1;
	}
}

/* Bit n is a member: "0,2-5". */
static void out_set(struct outbuf *o, const struct key_part *p)
{
	const uint8_t *bits = (const uint8_t *)p->text;
	unsigned n = p->len * 8, i = 0, from;
	bool any = false;

	while (i < n) {
		if (!(bits[i / 8] >> i % 8 & 1)) {
			i++;
			continue;
		}
		for (from = i; i < n && (bits[i / 8] >> i % 8 & 1);)
			i++;
		if (any)
			out_char(o, ',');
		any = true;
		out_u64(o, from);
		if (i - 1 > from) {
			out_char(o, '-');
			out_u64(o, i - 1);
		}
	}
}

static bool is_text(const struct key_part *p, const char *text)
{
	return p->len == strlen(text) && !memcmp(p->text, text, p->len);
}

/* MIXED: the label has numbers or sets, too. */
static void out_part(struct outbuf *o, const struct key_part *p, bool mixed)
{
	switch (p->kind) {
	case KEY_UNDEF:
		out_str(o, "(none)");
		return;
	case KEY_INT32:
	case KEY_INT64:
		out_i64(o, (int64_t)p->num);
		return;
	case KEY_UINT64:
		out_u64(o, p->num);
		return;
	case KEY_TEXT:
		out_label(o, p->text, p->len,
			  mixed || is_text(p, "(none)") || is_text(p, "(other)"));
		return;
	case KEY_BITS:
		out_set(o, p);
		return;
	}
}

/* ---------------------------------------------------------------- samples */

static void out_stem(struct writer *w)
{
	const char *name = w->m->name;

	out_bytes(w->o, name, strlen(name) - (w->m->type == METRIC_COUNTER ? strlen("_total") : 0));
}

static void write_head(struct writer *w, const struct metric_row *row, const char *suffix,
		       const char *extra, double of)
{
	const struct metric *m = w->m;
	struct outbuf *o = w->o;
	struct key_reader r;
	struct key_part part;

	out_str(o, m->name);
	out_str(o, suffix);
	if (!m->nlabels && !extra)
		return;
	out_char(o, '{');
	if (row->key)
		key_first(&r, row->key);
	for (unsigned i = 0; i < m->nlabels; i++) {
		if (i)
			out_char(o, ',');
		out_str(o, m->labels[i]);
		out_str(o, "=\"");
		if (row->key) {
			key_next(&r, &part);
			out_part(o, &part, w->mixed >> i & 1);
		} else {
			out_str(o, "(other)");
		}
		out_char(o, '"');
	}
	if (extra) {
		if (m->nlabels)
			out_char(o, ',');
		out_str(o, extra);
		out_str(o, "=\"");
		value_label(o, of);
		out_char(o, '"');
	}
	out_char(o, '}');
}

void write_sample(struct writer *w, const struct metric_row *row, const char *suffix,
		  const char *extra, double of, const struct metric_value *v, int scale)
{
	write_head(w, row, suffix, extra, of);
	out_char(w->o, ' ');
	value_text(w->o, v, scale);
	out_char(w->o, '\n');
}

void write_count(struct writer *w, const struct metric_row *row, const char *suffix,
		 const char *extra, double of, uint64_t n)
{
	write_head(w, row, suffix, extra, of);
	out_char(w->o, ' ');
	out_u64(w->o, n);
	out_char(w->o, '\n');
}

static void write_series(struct writer *w, const struct metric *m, const struct series *s,
			 const struct metric_row *row)
{
	uint64_t n = 0;

	if (m->type != METRIC_HISTOGRAM) {
		write_sample(w, row, "", NULL, 0, &s->value, m->scale);
		return;
	}
	for (unsigned i = 0; i <= m->nlimits; i++) {
		n += s->buckets[i];
		write_count(w, row, "_bucket", "le", i < m->nlimits ? m->limits[i].told : INFINITY,
			    n);
	}
	if (!s->negative)
		write_sample(w, row, "_sum", NULL, 0, &s->value, m->scale);
	write_count(w, row, "_count", NULL, 0, s->n);
}

static void write_own(struct writer *w, const struct metric *m)
{
	struct metric_row row = { .key = NULL };

	if (m->only)
		write_series(w, m, m->only, &row);
	for (size_t i = 0; i < m->nseries; i++) {
		row.key = table_key(&m->table, m->series[i]);
		write_series(w, m, m->series[i], &row);
	}
	row = (struct metric_row){ .other = true };
	if (m->other)
		write_series(w, m, m->other, &row);
}

/* ---------------------------------------------------------------- families */

static void write_help(struct writer *w)
{
	const char *s = w->m->help;
	struct outbuf *o = w->o;

	for (; *s; s++) {
		if (*s == '\\')
			out_str(o, "\\\\");
		else if (*s == '\n')
			out_str(o, "\\n");
		else if (*s == '"' && w->form == FORM_OPENMETRICS)
			out_str(o, "\\\"");
		else
			out_char(o, *s);
	}
}

static void write_metric(struct writer *w, struct metric *m)
{
	struct outbuf *o = w->o;

	w->m = m;
	w->mixed = 0;
	for (unsigned i = 0; i < 2; i++) {
		/*
		 * Help first, as in Prometheus' own libraries; OpenMetrics does not specify the
		 * order.
		 */
		if (!i && !*m->help)
			continue;
		out_str(o, i ? "# TYPE " : "# HELP ");
		if (w->form == FORM_OPENMETRICS)
			out_stem(w);
		else
			out_str(o, m->name);
		out_char(o, ' ');
		if (i)
			out_str(o, TYPES[m->type]);
		else
			write_help(w);
		out_char(o, '\n');
	}
	if (m->agg)
		metric_write_aggregate(w, m);
	else
		write_own(w, m);
}

void metrics_text(struct metrics *all, enum metrics_form form, struct outbuf *o)
{
	struct writer w = { .o = o, .form = form };

	if (all->tell)
		all->tell(all->tell_arg);
	for (size_t i = 0; i < all->n; i++)
		write_metric(&w, all->v[i]);
	if (form == FORM_OPENMETRICS)
		out_str(o, "# EOF\n");
}
