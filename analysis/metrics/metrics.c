/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics: the list of metrics, their valid names, and the series of those that a script updates.
 */
#include "analysis/metrics/metrics_priv.h"

#include "base/ascii.h"
#include "base/suffix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct metrics *metrics_new(struct notes *notes)
{
	struct metrics *all = mem_zalloc(sizeof(*all));

	all->notes = notes;
	return all;
}

static void metric_free(struct metric *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->nlabels; i++)
		free(m->labels[i]);
	free(m->labels);
	free(m->name);
	free(m->help);
	free(m->limits);
	free(m->series);
	free(m->only);
	free(m->other);
	free(m->percents);
	if (m->agg)
		table_fini(&m->told);
	else
		table_fini(&m->table);
	agg_put(m->agg);
	free(m);
}

void metrics_free(struct metrics *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++)
		metric_free(all->v[i]);
	free(all->v);
	free(all);
}

void metrics_ask(struct metrics *all, void (*tell)(void *arg), void *arg)
{
	all->tell = tell;
	all->tell_arg = arg;
}

enum metric_type metric_type(const struct metric *m)
{
	return m->type;
}

const char *metric_name(const struct metric *m)
{
	return m->name;
}

unsigned metric_nlabels(const struct metric *m)
{
	return m->nlabels;
}

const char *metric_label(const struct metric *m, unsigned i)
{
	return m->labels[i];
}

bool metric_is_aggregate(const struct metric *m)
{
	return m->agg != NULL;
}

/* ---------------------------------------------------------------- names */

static bool is_name(const char *s, bool colon)
{
	if (!ascii_letter(*s) && *s != '_' && !(colon && *s == ':'))
		return false;
	while (ascii_word(*s) || (colon && *s == ':'))
		s++;
	return !*s;
}

/* What follows a metric's name in its samples, by type; the first is that of the bare name. */
static const char *const SUFFIXES[][5] = {
	[METRIC_COUNTER] = { "", "_created" },
	[METRIC_GAUGE] = { "" },
	[METRIC_HISTOGRAM] = { "", "_bucket", "_count", "_sum", "_created" },
	[METRIC_SUMMARY] = { "", "_count", "_sum", "_created" },
};

/* The name of a counter's family is without _total. */
static size_t stem_len(enum metric_type type, const char *name)
{
	size_t n = strlen(name);

	return type == METRIC_COUNTER ? n - strlen("_total") : n;
}

/* Is NAME, of a metric or a sample, one of those of M? */
static bool has_name(const struct metric *m, const char *name)
{
	size_t stem = stem_len(m->type, m->name);

	if (!strcmp(name, m->name))
		return true;
	if (strncmp(name, m->name, stem))
		return false;
	for (unsigned i = 0; i < 5 && SUFFIXES[m->type][i]; i++)
		if (!strcmp(name + stem, SUFFIXES[m->type][i]))
			return true;
	return false;
}

static bool clashes(const struct metric *m, const struct metric_spec *s)
{
	size_t stem = stem_len(s->type, s->name);
	char name[256 + 16];

	if (has_name(m, s->name))
		return true;
	for (unsigned i = 0; i < 5 && SUFFIXES[s->type][i]; i++) {
		snprintf(name, sizeof(name), "%.*s%s", (int)stem, s->name, SUFFIXES[s->type][i]);
		if (has_name(m, name))
			return true;
	}
	return false;
}

static int check_name(const struct metrics *all, const struct metric_spec *s, struct err *e)
{
	if (!is_name(s->name, true) || strlen(s->name) > 255)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "invalid metric name '%s': expected letters, digits, _ and :, at "
			       "most 255, no digit first",
			       s->name);
	if ((s->type == METRIC_COUNTER) != suffix_is(s->name, "_total"))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       s->type == METRIC_COUNTER ?
				       "the name of a counter must end in _total: %s_total" :
				       "%s: only the name of a counter may end in _total",
			       s->name);
	for (size_t i = 0; i < all->n; i++)
		if (clashes(all->v[i], s))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "%s: the metric %s already uses that name, or samples with "
				       "it",
				       s->name, all->v[i]->name);
	if (all->n == METRICS_MAX)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "there are already %d metrics, the limit: use one metric with "
			       "labels for what differs in a few words",
			       METRICS_MAX);
	return 0;
}

static int check_labels(const struct metric_spec *s, struct err *e)
{
	if (s->nlabels > KEY_PARTS)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s: more than %d labels", s->name,
			       KEY_PARTS);
	for (unsigned i = 0; i < s->nlabels; i++) {
		const char *label = s->labels[i];

		if (!is_name(label, false) || !strncmp(label, "__", 2))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "%s: invalid label name '%s': expected letters, digits and "
				       "_, no digit first, not __ (labels => [...] names them)",
				       s->name, label);
		if ((s->type == METRIC_HISTOGRAM && !strcmp(label, "le")) ||
		    (s->type == METRIC_SUMMARY && !strcmp(label, "quantile")))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "%s: the label %s is reserved for the metric itself",
				       s->name, label);
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(label, s->labels[k]))
				return err_set(e, ERR_USAGE, ERR_NO_OFF,
					       "%s: two labels are called %s", s->name, label);
	}
	return 0;
}

static int check_limits(const struct metric_spec *s, struct err *e)
{
	if (s->nlimits > METRIC_LIMITS)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s: more than %d buckets", s->name,
			       METRIC_LIMITS);
	for (unsigned i = 0; i < s->nlimits; i++)
		if (!isfinite(s->limits[i]) || (i && s->limits[i] <= s->limits[i - 1]))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "%s: bucket limits must be increasing numbers; the limit "
				       "+Inf is added by itself",
				       s->name);
	return 0;
}

/* ---------------------------------------------------------------- making */

/* The limit TOLD in the unit of values: whole numbers are compared as such. */
static struct bucket_limit limit_of(double told, int scale)
{
	struct bucket_limit l = { .told = told };
	double d = scale < 0 ? told * pow(10, -scale) : told / pow(10, scale), near = round(d);

	/* 0.07 s is 70000000.00000001 ns only because 0.07 is not exact as a double. */
	if (fabs(d - near) <= fabs(d) * 1e-15)
		d = near;
	l.real = d;
	d = floor(d);
	if (d >= 0x1p64)
		l.whole.v = UINT64_MAX;
	else if (d >= 0)
		l.whole.v = (uint64_t)d;
	else if (d >= -0x1p63)
		l.whole = number_of((uint64_t)(int64_t)d, true);
	else
		l.none = true;
	return l;
}

static struct metric *metric_new(struct metrics *all, const struct metric_spec *s)
{
	struct metric *m = mem_zalloc(sizeof(*m));

	m->all = all;
	m->type = s->type;
	m->name = mem_strdup(s->name);
	m->help = mem_strdup(s->help ? s->help : "");
	m->labels = mem_alloc((s->nlabels + 1) * sizeof(*m->labels));
	m->nlabels = s->nlabels;
	for (unsigned i = 0; i < s->nlabels; i++)
		m->labels[i] = mem_strdup(s->labels[i]);
	m->scale = s->scale;
	m->max_series = s->max_series;
	m->nlimits = s->nlimits;
	m->limits = mem_alloc((s->nlimits + 1) * sizeof(*m->limits));
	for (unsigned i = 0; i < s->nlimits; i++)
		m->limits[i] = limit_of(s->limits[i], s->scale);
	all->v = mem_grow(all->v, &all->cap, all->n + 1, sizeof(*all->v));
	all->v[all->n++] = m;
	return m;
}

static int check_spec(const struct metrics *all, const struct metric_spec *s, struct err *e)
{
	TRY(check_name(all, s, e));
	TRY(check_labels(s, e));
	return check_limits(s, e);
}

static size_t series_size(const struct metric *m)
{
	size_t buckets = m->type == METRIC_HISTOGRAM ? m->nlimits + 1 : 0;

	return sizeof(struct series) + buckets * sizeof(uint64_t);
}

struct metric *metric_add(struct metrics *all, const struct metric_spec *s, struct err *e)
{
	struct metric *m;

	if (check_spec(all, s, e) < 0)
		return NULL;
	if (s->type == METRIC_SUMMARY) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"%s: a summary needs an aggregation (from => Zed::stats or "
			"Zed::quantiles); to observe values, use a histogram",
			s->name);
		return NULL;
	}
	m = metric_new(all, s);
	table_init(&m->table, series_size(m));
	/* A metric without labels exists from the beginning: a counter's first value is 0. */
	if (!m->nlabels)
		m->only = mem_zalloc(series_size(m));
	return m;
}

/* Can a metric of this type be made from this kind of aggregation? */
static bool makes(const struct metric_spec *s, const struct aggregate *a, enum metric_part part)
{
	enum agg_kind kind = a->spec.kind;
	bool spread = kind == AGG_HIST || kind == AGG_LHIST || kind == AGG_QUANTILES;

	switch (s->type) {
	case METRIC_HISTOGRAM:
		return (kind == AGG_HIST || kind == AGG_LHIST) && part == PART_OWN;
	case METRIC_SUMMARY:
		return (kind == AGG_STATS || kind == AGG_QUANTILES) && part == PART_OWN;
	case METRIC_COUNTER:
		if (part == PART_OWN)
			return kind == AGG_COUNT || kind == AGG_SUM;
		return (part == PART_COUNT && kind != AGG_TOP) ||
		       (part == PART_SUM && (kind == AGG_SUM || kind == AGG_STATS));
	case METRIC_GAUGE:
		if (part == PART_OWN)
			return !spread && kind != AGG_STATS && kind != AGG_TOP;
		if (part == PART_COUNT)
			return kind != AGG_TOP;
		if (part == PART_STDDEV)
			return kind == AGG_STATS;
		if (part == PART_MIN || part == PART_MAX)
			return spread || kind == AGG_STATS ||
			       kind == (part == PART_MIN ? AGG_MIN : AGG_MAX);
		return kind == AGG_STATS || kind == (part == PART_SUM ? AGG_SUM : AGG_AVG);
	}
	return false;
}

static const char *const TYPES[] = { "counter", "gauge", "histogram", "summary" };

struct metric *metric_add_aggregate(struct metrics *all, const struct metric_spec *s,
				    struct aggregate *a, enum metric_part part,
				    const double *percents, unsigned n, struct err *e)
{
	const struct lhist_steps *steps = &a->spec.steps;
	struct metric *m;

	if (check_spec(all, s, e) < 0)
		return NULL;
	if (!makes(s, a, part)) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"%s: this aggregation cannot be a %s: count and sum make counters, min, "
			"max and avg gauges, hist and lhist histograms, stats and quantiles "
			"summaries (with value => 'max' and the like, gauges); top cannot be a "
			"metric",
			s->name, TYPES[s->type]);
		return NULL;
	}
	if (s->type == METRIC_HISTOGRAM && a->spec.kind == AGG_LHIST &&
	    ((uint64_t)steps->to - (uint64_t)steps->from) / steps->step >= METRIC_LIMITS) {
		err_set(e, ERR_USAGE, ERR_NO_OFF, "%s: more than %d buckets", s->name,
			METRIC_LIMITS);
		return NULL;
	}
	if (a->table.index.n > s->max_series) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"%s: the aggregation already has %u keys (raise max_series => N)", s->name,
			a->table.index.n);
		return NULL;
	}
	m = metric_new(all, s);
	m->agg = agg_ref(a);
	m->part = part;
	if (a->spec.max_keys > s->max_series)
		a->spec.max_keys = s->max_series;
	m->npercents = n;
	m->percents = mem_alloc((n + 1) * sizeof(*m->percents));
	if (n)
		memcpy(m->percents, percents, n * sizeof(*percents));
	table_init(&m->told, sizeof(struct metric_value));
	return m;
}

/* ---------------------------------------------------------------- series */

/* The series for updates that have no room. */
static struct series *no_room(struct metric *m)
{
	if (!m->full)
		note_say(m->all->notes, NOTE_WARN,
			 "metric %s: more than %zu series (max_series raises the limit): %s",
			 m->name, m->nseries,
			 m->type == METRIC_GAUGE ? "further ones are left out" :
						   "further ones are counted together, as (other)");
	m->full = true;
	m->all->dropped++;
	if (m->type == METRIC_GAUGE)
		return NULL;
	if (!m->other)
		m->other = mem_zalloc(series_size(m));
	return m->other;
}

struct series *metric_series(struct metric *m, const struct key *k, unsigned words)
{
	struct series *s;
	uint32_t hash;

	if (m->only)
		return m->only;
	hash = table_hash(&m->table, k->w, words);
	s = table_find(&m->table, k->w, words, hash);
	if (s)
		return s;
	if (m->nseries >= m->max_series || m->key_bytes + words * 8 > METRIC_KEY_BYTES)
		return no_room(m);
	s = table_add(&m->table, k->w, words, hash);
	if (!s)
		return no_room(m);
	m->key_bytes += words * 8;
	m->series = mem_grow(m->series, &m->cap_series, m->nseries + 1, sizeof(*m->series));
	m->series[m->nseries++] = s;
	return s;
}

void series_add(struct series *s, const struct quantity *a)
{
	value_add(&s->value, a);
}

void series_sub(struct series *s, const struct quantity *a)
{
	value_sub(&s->value, a);
}

void series_set(struct series *s, const struct quantity *a)
{
	value_set(&s->value, a);
}

static bool is_above(const struct bucket_limit *l, const struct quantity *a)
{
	if (a->real)
		return a->d > l->real;
	return l->none || number_less(l->whole, a->n);
}

void series_observe(struct metric *m, struct series *s, const struct quantity *a)
{
	unsigned low = 0, high = m->nlimits;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (is_above(&m->limits[mid], a))
			low = mid + 1;
		else
			high = mid;
	}
	s->buckets[low]++;
	s->n++;
	s->negative |= a->real ? a->d < 0 : a->n.neg;
	value_add(&s->value, a);
}

uint64_t metrics_dropped(const struct metrics *all)
{
	return all->dropped;
}

uint64_t metrics_count(const struct metrics *all)
{
	uint64_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct metric *m = all->v[i];

		if (m->agg)
			n += m->agg->all ? 1 : m->agg->table.index.n;
		else
			n += (m->only != NULL) + (m->other != NULL) + m->nseries;
	}
	return n;
}
