/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregation_rows: the answer of an aggregation as Python's values: numbers exact, also sums that
 * exceed 64 bits.
 */
#include "interp/python/aggregation_object.h"

#include "trace/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- values */

static PyObject *number_value(struct number v)
{
	return v.neg ? PyLong_FromLongLong((int64_t)v.v) : PyLong_FromUnsignedLongLong(v.v);
}

/* hi * 2^64 + lo */
static PyObject *wide_value(int64_t hi, uint64_t lo)
{
	PyObject *high = PyLong_FromLongLong(hi), *low = PyLong_FromUnsignedLongLong(lo);
	PyObject *bits = PyLong_FromLong(64), *shifted, *sum = NULL;

	shifted = high && bits ? PyNumber_Lshift(high, bits) : NULL;
	if (shifted && low)
		sum = PyNumber_Add(shifted, low);
	Py_XDECREF(shifted);
	Py_XDECREF(bits);
	Py_XDECREF(low);
	Py_XDECREF(high);
	return sum;
}

static PyObject *sum_value(const struct sum *s)
{
	if (!s->hi)
		return PyLong_FromUnsignedLongLong(s->lo);
	if (s->hi == -1 && s->lo >> 63)
		return PyLong_FromLongLong((int64_t)s->lo);
	return wide_value(s->hi, s->lo);
}

static PyObject *bits_value(const char *bits, uint32_t len)
{
	struct span span = { .p = (const uint8_t *)bits, .len = len };
	size_t need = field_bits(&span, 1, false, NULL, 0);
	char *text = mem_alloc(need + 1);
	PyObject *o;

	field_bits(&span, 1, false, text, need + 1);
	o = PyUnicode_DecodeASCII(text, (Py_ssize_t)need, NULL);
	free(text);
	return o;
}

static PyObject *part_value(const struct key_part *p)
{
	switch (p->kind) {
	case KEY_INT32:
	case KEY_INT64:
		return PyLong_FromLongLong((int64_t)p->num);
	case KEY_UINT64:
		return PyLong_FromUnsignedLongLong(p->num);
	case KEY_TEXT:
		return py_text(p->text, p->len);
	case KEY_BITS:
		return bits_value(p->text, p->len);
	case KEY_UNDEF:
		break;
	}
	Py_RETURN_NONE;
}

/* Put V, a new reference or NULL, into DICT.  -1: an exception is set. */
static int put(PyObject *dict, const char *name, PyObject *v)
{
	PyObject *key = v ? py_text(name, strlen(name)) : NULL;
	int rc = key ? PyDict_SetItem(dict, key, v) : -1;

	Py_XDECREF(key);
	Py_XDECREF(v);
	return rc;
}

/* Append V, a new reference or NULL, to LIST. */
static int push(PyObject *list, PyObject *v)
{
	int rc = v ? PyList_Append(list, v) : -1;

	Py_XDECREF(v);
	return rc;
}

static PyObject *none(void)
{
	Py_RETURN_NONE;
}

/* LIST, or, if RC is -1, NULL. */
static PyObject *finished(PyObject *list, int rc)
{
	if (rc == 0)
		return list;
	Py_DECREF(list);
	return NULL;
}

/* ---------------------------------------------------------------- one key's values */

static PyObject *bucket_value(const struct aggregate *a, const struct agg_bucket *b)
{
	struct bounds in = agg_bounds(a, b->at);
	bool steps = a->spec.kind == AGG_LHIST;

	return Py_BuildValue("(NNK)",
			     steps && b->at == SPREAD_BELOW ? none() : number_value(in.low),
			     steps && b->at == SPREAD_ABOVE ? none() : number_value(in.high),
			     (unsigned long long)b->n);
}

static PyObject *buckets_value(const struct aggregate *a, const struct agg_bucket *const *b,
			       size_t n)
{
	PyObject *list = PyList_New(0);
	int rc = list ? 0 : -1;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = push(list, bucket_value(a, b[i]));
	return list ? finished(list, rc) : NULL;
}

static int put_spread(PyObject *d, const struct answer *v, const struct agg_spread *s)
{
	const struct agg_bucket **b;
	char percent[ANSWER_PERCENT];
	size_t n;
	int rc;

	b = agg_buckets(s, &n);
	rc = put(d, "min", number_value((struct number){ s->min, s->min_neg }));
	if (rc == 0)
		rc = put(d, "max", number_value((struct number){ s->max, s->max_neg }));
	if (rc == 0)
		rc = put(d, "buckets", buckets_value(v->agg, b, n));
	for (unsigned i = 0; i < v->npercents && rc == 0; i++)
		rc = put(d, answer_percent(v->percents[i], percent),
			 number_value(agg_quantile(v->agg, s, b, n, v->percents[i] / 100)));
	free(b);
	return rc;
}

static int put_stats(PyObject *d, const struct agg_stats *s)
{
	if (put(d, "sum", sum_value(&s->sum)) < 0 ||
	    put(d, "min", number_value((struct number){ s->min, s->min_neg })) < 0 ||
	    put(d, "max", number_value((struct number){ s->max, s->max_neg })) < 0 ||
	    put(d, "mean", PyFloat_FromDouble(sum_double(&s->sum) / (double)s->n)) < 0)
		return -1;
	return put(d, "stddev", PyFloat_FromDouble(sqrt(agg_variance(s))));
}

/* As put(), unless there is a value of that name that is not None. */
static int put_missing(PyObject *d, const char *name, PyObject *v)
{
	PyObject *key = py_text(name, strlen(name)), *old;
	int rc = -1;

	old = key ? PyDict_GetItemWithError(d, key) : NULL;
	if (v && key && !PyErr_Occurred())
		rc = old && old != Py_None ? 0 : PyDict_SetItem(d, key, v);
	Py_XDECREF(key);
	Py_XDECREF(v);
	return rc;
}

static PyObject *record_value(const struct answer *v, const struct agg_record *r)
{
	PyObject *d = PyDict_New();
	struct key_part part;
	struct key_reader reader;
	int rc;

	if (!d)
		return NULL;
	/* The name of the task comes before the fields that were asked for. */
	key_first(&reader, r->fields);
	key_next(&reader, &part);
	rc = put(d, "value", number_value(r->v)) < 0 || put(d, v->field, number_value(r->v)) < 0 ||
			     put(d, "ts", PyLong_FromUnsignedLongLong(r->ts)) < 0 ||
			     put(d, "cpu", PyLong_FromLong(r->cpu)) < 0 ||
			     put(d, "comm", part_value(&part)) < 0 ||
			     put(d, "sequence", PyLong_FromUnsignedLongLong(r->seq)) < 0 ||
			     put(d, "source", PyLong_FromUnsignedLong(r->source)) < 0 ?
		     -1 :
		     0;
	for (unsigned i = 0; i < v->fields.n && rc == 0; i++) {
		key_next(&reader, &part);
		rc = put_missing(d, v->fields.v[i], part_value(&part));
	}
	/* A field of the record's own name does not hide what was asked for. */
	if (rc == 0)
		rc = put(d, v->field, number_value(r->v));
	return finished(d, rc);
}

static PyObject *records_value(const struct answer *v, const void *value)
{
	const struct agg_record **r;
	PyObject *list = PyList_New(0);
	int rc = list ? 0 : -1;
	size_t n;

	r = agg_records(value, &n);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = push(list, record_value(v, r[i]));
	free(r);
	return list ? finished(list, rc) : NULL;
}

/* The only number of a kind that has one. */
static PyObject *single_value(const struct answer *v, const void *value)
{
	const struct agg_extreme *extreme = value;
	const struct agg_sum *sum = value;

	switch (v->agg->spec.kind) {
	case AGG_SUM:
		return sum_value(&sum->sum);
	case AGG_AVG:
		return PyFloat_FromDouble(sum_double(&sum->sum) / (double)sum->n);
	case AGG_MIN:
	case AGG_MAX:
		return number_value((struct number){ extreme->v, extreme->neg });
	default:
		return PyLong_FromUnsignedLongLong(agg_n(v->agg, value));
	}
}

static bool is_single(const struct answer *v)
{
	return v->agg->spec.kind <= AGG_AVG;
}

/* VALUE's columns into the dict D. */
static int put_columns(PyObject *d, const struct answer *v, const void *value)
{
	enum agg_kind kind = v->agg->spec.kind;

	if (put(d, "count", PyLong_FromUnsignedLongLong(agg_n(v->agg, value))) < 0)
		return -1;
	switch (kind) {
	case AGG_COUNT:
		return 0;
	case AGG_STATS:
		return put_stats(d, value);
	case AGG_HIST:
	case AGG_LHIST:
	case AGG_QUANTILES:
		return put_spread(d, v, value);
	case AGG_TOP:
		return put(d, "records", records_value(v, value));
	default:
		return put(d, answer_kind(kind), single_value(v, value));
	}
}

/* The answer for VALUE: a number, or a dict. */
static PyObject *answer_value(const struct answer *v, const void *value)
{
	PyObject *d;

	if (is_single(v))
		return single_value(v, value);
	d = PyDict_New();
	return d ? finished(d, put_columns(d, v, value)) : NULL;
}

/* ---------------------------------------------------------------- rows */

static int put_by(PyObject *d, const struct answer *v, unsigned i, PyObject *value)
{
	char name[256];

	if (!answer_by_taken(v, i))
		return put(d, v->by.v[i], value);
	snprintf(name, sizeof(name), "by_%s", v->by.v[i]);
	return put(d, name, value);
}

static int put_key(PyObject *d, const struct answer *v, const void *value)
{
	const uint64_t *key = agg_key(v->agg, value);
	struct key_part part;
	struct key_reader r;
	int rc = 0;

	if (key)
		key_first(&r, key);
	for (unsigned i = 0; i < v->by.n && rc == 0; i++) {
		if (key)
			key_next(&r, &part);
		rc = put_by(d, v, i, key ? part_value(&part) : none());
	}
	return rc;
}

static PyObject *row_value(const struct answer *v, const void *value)
{
	PyObject *d = PyDict_New();
	int rc;

	if (!d)
		return NULL;
	rc = put_key(d, v, value);
	if (rc == 0)
		rc = put_columns(d, v, value);
	if (rc == 0 && value == v->agg->other)
		rc = PyDict_SetItemString(d, "other", Py_True);
	return finished(d, rc);
}

/* The key of VALUE, which has one. */
static PyObject *key_value(const struct answer *v, const void *value)
{
	const uint64_t *key = agg_key(v->agg, value);
	struct key_part part = { .kind = KEY_UNDEF };
	struct key_reader r;
	PyObject *tuple, *o;

	if (key)
		key_first(&r, key);
	if (v->by.n == 1) {
		key_next(&r, &part);
		return part_value(&part);
	}
	tuple = PyTuple_New(v->by.n);
	for (unsigned i = 0; tuple && i < v->by.n; i++) {
		key_next(&r, &part);
		o = part_value(&part);
		if (o)
			PyTuple_SET_ITEM(tuple, i, o);
		else
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *item_value(const struct answer *v, const void *value)
{
	PyObject *key = key_value(v, value), *of = key ? answer_value(v, value) : NULL;

	if (of)
		return Py_BuildValue("(NN)", key, of);
	Py_XDECREF(key);
	return NULL;
}

/* MAKE of each value, as a list; OTHER: also of `other`. */
static PyObject *list_of(const struct answer *v,
			 PyObject *(*make)(const struct answer *, const void *), bool other)
{
	PyObject *list = PyList_New(0);
	int rc = list ? 0 : -1;
	void **values;
	size_t n, i;

	values = agg_list(v->agg, &n);
	for (i = 0; i < n && rc == 0; i++)
		if (other || values[i] != v->agg->other)
			rc = push(list, make(v, values[i]));
	free(values);
	return list ? finished(list, rc) : NULL;
}

PyObject *aggregation_rows(const struct answer *v)
{
	return list_of(v, row_value, true);
}

PyObject *aggregation_keys(const struct answer *v)
{
	return list_of(v, key_value, false);
}

size_t aggregation_count(const struct answer *v)
{
	size_t n, other = agg_n(v->agg, v->agg->other) > 0;

	free(agg_list(v->agg, &n));
	return n - other;
}

PyObject *aggregation_items(const struct answer *v)
{
	return list_of(v, item_value, false);
}

/* ---------------------------------------------------------------- one row */

PyObject *aggregation_get(const struct answer *v, PyObject *key)
{
	void *value = aggregation_find(v, key);

	return value && agg_n(v->agg, value) ? answer_value(v, value) : NULL;
}

/* As if there was a row without an event. */
static PyObject *empty_total(const struct answer *v)
{
	const char *const *column = answer_columns(v->agg->spec.kind);
	char percent[ANSWER_PERCENT];
	PyObject *d;
	int rc = 0;

	if (v->agg->spec.kind == AGG_COUNT || v->agg->spec.kind == AGG_SUM)
		return PyLong_FromLong(0);
	if (is_single(v))
		return none();
	d = PyDict_New();
	if (!d)
		return NULL;
	for (; *column && rc == 0; column++)
		rc = put(d, *column, strcmp(*column, "count") ? none() : PyLong_FromLong(0));
	for (unsigned i = 0; i < v->npercents && rc == 0; i++)
		rc = put(d, answer_percent(v->percents[i], percent), none());
	return finished(d, rc);
}

PyObject *aggregation_total(const struct answer *v)
{
	struct answer all = *v;
	PyObject *o;

	all.agg = agg_total(v->agg);
	o = agg_n(all.agg, all.agg->all) ? answer_value(&all, all.agg->all) : empty_total(&all);
	agg_put(all.agg);
	return o;
}

static PyObject *by_name(const struct answer *v, unsigned i)
{
	return answer_by_taken(v, i) ? PyUnicode_FromFormat("by_%s", v->by.v[i]) :
				       py_text(v->by.v[i], strlen(v->by.v[i]));
}

PyObject *aggregation_columns(const struct answer *v)
{
	const char *const *column = answer_columns(v->agg->spec.kind);
	char percent[ANSWER_PERCENT];
	PyObject *list = PyList_New(0);
	int rc = 0;

	if (!list)
		return NULL;
	for (unsigned i = 0; i < v->by.n && rc == 0; i++)
		rc = push(list, by_name(v, i));
	for (; *column && rc == 0; column++)
		rc = push(list, PyUnicode_FromString(*column));
	for (unsigned i = 0; i < v->npercents && rc == 0; i++)
		rc = push(list, PyUnicode_FromString(answer_percent(v->percents[i], percent)));
	return finished(list, rc);
}
