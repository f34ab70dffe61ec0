/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parquet_object: the object of Zed::Parquet: a table of a script's own rows, whose scalars become
 * numbers in the range of their column, and texts in UTF-8.
 */
#include "interp/tables/parquet_object.h"

#include "base/parquet/table.h"
#include "text/utf8_text.h"

#include <stdlib.h>
#include <unistd.h>

#define CLASS "Zed::Parquet"
#define COLUMNS_MOST 10000
#define MEMORY_MOST (16u << 20) /* bytes of rows not yet written */
#define TEXT_MOST (64u << 20)	/* bytes of one text */

/* ---- cells ---- */

/*
 * One value of a row, read from Perl before any of the row is entered: reading may run Perl, and
 * die.
 */
struct table_cell {
	bool is_null;
	uint64_t number; /* or the bits of a double */
	const char *text;
	uint32_t len;
	uint64_t *items; /* of a list */
};

/* The whole number in SV, and whether it is negative. */
static bool whole(pTHX_ SV *sv, uint64_t *v, bool *neg)
{
	const char *s;
	STRLEN len;
	UV uv;
	NV nv;
	int what;

	if (SvIOK(sv) && !SvNOK(sv)) {
		*neg = !SvIsUV(sv) && SvIVX(sv) < 0;
		*v = SvIsUV(sv) ? (uint64_t)SvUVX(sv) : (uint64_t)SvIVX(sv);
		return true;
	}
	if (!SvNOK(sv)) {
		s = SvPV_nomg(sv, len);
		what = grok_number(s, len, &uv);
		*neg = what & IS_NUMBER_NEG;
		*v = *neg ? ~(uint64_t)uv + 1 : (uint64_t)uv;
		if ((what & ~IS_NUMBER_NEG) == IS_NUMBER_IN_UV)
			return !*neg || uv <= 1ull << 63;
		if (!what)
			return false;
	}
	/* With a fraction or an exponent: 1e9 is the same as 1000000000. */
	nv = SvNV_nomg(sv);
	*neg = nv < 0;
	if (!(nv >= -9223372036854775808.0 && nv < 18446744073709551616.0))
		return false;
	*v = *neg ? (uint64_t)(int64_t)nv : (uint64_t)nv;
	return *neg ? (NV)(int64_t)*v == nv : (NV)*v == nv;
}

/* Does the number fit the column's type? */
static bool fits(const struct parquet_column *c, uint64_t v, bool neg)
{
	static const unsigned BITS[] = { 8, 16, 32, 64 };
	bool is_signed = parquet_traits(c->type)->is_signed;
	unsigned bits = c->type == PARQUET_TIME ? 64 : BITS[c->type & 3];

	if (neg)
		return is_signed && (int64_t)v >= INT64_MIN >> (64 - bits);
	return v <= UINT64_MAX >> (64 - bits + is_signed);
}

static bool number_from(pTHX_ SV *sv, const struct parquet_column *c, uint64_t *to,
			const char **why)
{
	bool neg = false;
	double d;
	float f;

	SvGETMAGIC(sv);
	*why = "a number";
	if (!SvOK(sv) || SvROK(sv))
		return false;
	if (parquet_traits(c->type)->is_float) {
		uint32_t bits;

		if (!looks_like_number(sv))
			return false;
		d = (double)SvNV_nomg(sv);
		f = (float)d;
		memcpy(&bits, &f, 4);
		memcpy(to, &d, 8);
		if (c->type == PARQUET_FLOAT)
			*to = bits;
		return true;
	}
	*why = "a whole number that fits";
	return whole(aTHX_ sv, to, &neg) && fits(c, *to, neg);
}

static bool list_from(pTHX_ SV *sv, const struct parquet_column *c, struct table_cell *v,
		      const char **why)
{
	AV *av;
	SSize_t n;

	*why = "an array reference or undef";
	if (!SvROK(sv) || SvTYPE(SvRV(sv)) != SVt_PVAV)
		return false;
	av = (AV *)SvRV(sv);
	n = av_len(av) + 1;
	if (n > (SSize_t)(TEXT_MOST / sizeof(*v->items)))
		return false;
	v->len = (uint32_t)n;
	v->items = (uint64_t *)SvPVX(sv_2mortal(newSV((STRLEN)n * sizeof(*v->items) + 1)));
	for (SSize_t i = 0; i < n; i++) {
		SV **item = av_fetch(av, i, 0);

		if (!item || !number_from(aTHX_ * item, c, &v->items[i], why))
			return false;
	}
	return true;
}

static bool text_from(pTHX_ SV *sv, const struct parquet_column *c, struct table_cell *v,
		      struct outbuf *scratch, const char **why)
{
	STRLEN len;
	const char *s;
	SV *copy;

	if (c->type == PARQUET_BINARY && SvUTF8(sv)) {
		*why = "bytes, not characters";
		copy = sv_2mortal(newSVsv_nomg(sv));
		if (!sv_utf8_downgrade(copy, TRUE))
			return false;
		sv = copy;
	}
	s = SvPV_nomg(sv, len);
	*why = "less than 64 MiB long";
	if (len > TEXT_MOST)
		return false;
	if (c->type != PARQUET_BINARY && !plain_ascii(s, len)) {
		scratch->len = 0;
		out_room(scratch, 1);
		utf8_text(scratch, s, len);
		s = scratch->p;
		len = scratch->len;
	}
	/* Perl's buffer may change before the row is entered. */
	copy = sv_2mortal(newSVpvn(s, len));
	v->text = SvPVX(copy);
	v->len = (uint32_t)len;
	return true;
}

/*
 * SV as the value of column C, into V; its memory is held until perl's next statement, and SCRATCH
 * is the caller's.  False: it is invalid; *WHY says what it should be.
 */
static bool cell_from(pTHX_ SV *sv, const struct parquet_column *c, struct table_cell *v,
		      struct outbuf *scratch, const char **why)
{
	*v = (struct table_cell){ .is_null = false };
	SvGETMAGIC(sv);
	v->is_null = !SvOK(sv);
	if (v->is_null)
		return true;
	if (c->list)
		return list_from(aTHX_ sv, c, v, why);
	if (parquet_traits(c->type)->size)
		return number_from(aTHX_ sv, c, &v->number, why);
	return text_from(aTHX_ sv, c, v, scratch, why);
}

/* Put V into the column TO. */
static void cell_put(struct column *to, const struct table_cell *v, struct column_tools *tools)
{
	uint64_t *items;

	if (v->is_null) {
		column_null(to);
	} else if (to->what->list) {
		items = column_list(to, v->len);
		if (v->len)
			memcpy(items, v->items, v->len * sizeof(*items));
	} else if (to->traits->size) {
		column_number(to, v->number);
	} else {
		column_text(to, v->text, v->len, tools);
	}
}

/* ---- the object ---- */

/* The C side of an object, freed with it. */
struct script_table {
	struct parquet_pool *pool;
	struct parquet_table *table; /* NULL: it is closed */
	struct parquet_column *columns;
	struct table_cell *row;
	struct outbuf scratch;
	struct arena names;
	char *path;
	unsigned n;
	pid_t pid; /* the process that began it */
	bool failed;
};

/* The file is complete, and has its name; or there is none. */
static int complete(struct script_table *s, struct err *e)
{
	struct parquet_table *t = s->table;
	int rc = 0;

	s->table = NULL;
	/* The file belongs to the process that began it, not to a forked child. */
	if (s->pid != getpid())
		return 0;
	if (!s->failed)
		rc = parquet_table_finish(t, e) < 0 ? -1 : parquet_table_name(t, e);
	parquet_table_free(t);
	return rc;
}

static int free_table(pTHX_ SV *sv, MAGIC *mg)
{
	struct script_table *s = (struct script_table *)mg->mg_ptr;
	bool ours = s->pid == getpid();
	char text[400];
	struct err e;

	PERL_UNUSED_VAR(sv);
	if (s->table && complete(s, &e) < 0)
		warn(CLASS ": %s\n", err_text(&e, text, sizeof(text)));
	if (ours)
		parquet_pool_free(s->pool);
	outbuf_fini(&s->scratch);
	arena_fini(&s->names);
	free(s->columns);
	free(s->row);
	free(s->path);
	free(s);
	return 0;
}

static const MGVTBL table_magic = { .svt_free = free_table };

static struct script_table *table_of(pTHX_ SV *sv, const char *fn)
{
	MAGIC *mg = SvROK(sv) ? mg_findext(SvRV(sv), PERL_MAGIC_ext, &table_magic) : NULL;

	if (!mg)
		croak(CLASS "::%s: this is not a table of " CLASS "->new", fn);
	return (struct script_table *)mg->mg_ptr;
}

__attribute__((noreturn)) static void croak_err(pTHX_ const struct err *e)
{
	char text[400];

	croak(CLASS ": %s", err_text(e, text, sizeof(text)));
}

/* "list uint64" or "uint64". */
static bool type_from(const char *type, struct parquet_column *c)
{
	c->list = !strncmp(type, "list ", 5);
	c->type = parquet_type_find(type + (c->list ? 5 : 0));
	c->optional = true;
	return c->type != PARQUET_TYPES && (!c->list || parquet_traits(c->type)->size);
}

/* Zed::Parquet::_new(OBJECT, FILE, NAME, TYPE, ...): FILE is in bytes, all are strings. */
XS_INTERNAL(tables_new)
{
	dXSARGS;
	struct script_table *s;
	STRLEN len;
	const char *path;
	int i;

	if (items < 4 || items % 2 || items / 2 - 1 > COLUMNS_MOST || !SvROK(ST(0)))
		croak(CLASS "->new(FILE, NAME => TYPE, ...)");
	path = SvPV(ST(1), len);
	if (!len || strlen(path) != len)
		croak(CLASS "->new(FILE, NAME => TYPE, ...): FILE is not a file name");
	s = mem_zalloc(sizeof(*s));
	/* From here on it is freed with the object, whatever dies. */
	sv_magicext(SvRV(ST(0)), NULL, PERL_MAGIC_ext, &table_magic, (const char *)s, 0);
	s->pid = getpid();
	s->path = mem_strdup(path);
	s->n = (unsigned)(items / 2 - 1);
	s->columns = mem_zalloc(s->n * sizeof(*s->columns));
	s->row = mem_zalloc(s->n * sizeof(*s->row));
	for (i = 2; i < items; i += 2) {
		struct parquet_column *c = &s->columns[i / 2 - 1];
		const char *name = SvPVutf8(ST(i), len);

		c->name = arena_strndup(&s->names, name, len);
		if (!type_from(SvPV_nolen(ST(i + 1)), c))
			croak(CLASS "->new: column %s: unknown type '%s'", c->name,
			      SvPV_nolen(ST(i + 1)));
	}
	s->pool = parquet_pool_new(MEMORY_MOST, NULL);
	s->table = parquet_table_new(s->pool, s->path, s->columns, s->n, NULL);
	XSRETURN_EMPTY;
}

/* $table->row(VALUE, ...) */
XS_INTERNAL(tables_row)
{
	dXSARGS;
	struct script_table *s = table_of(aTHX_ items ? ST(0) : &PL_sv_undef, "row");
	struct column *to;
	const char *why = "";
	struct err e;
	AV *held;
	unsigned i;

	if (!s->table)
		croak(CLASS ": %s is closed", s->path);
	if ((unsigned)items != s->n + 1)
		croak(CLASS ": %s: a row needs %u values, not %d", s->path, s->n, (int)items - 1);
	/* Reading a tied one runs Perl, which may move the stack, and drop these. */
	held = (AV *)sv_2mortal((SV *)newAV());
	av_extend(held, items);
	for (i = 0; i < s->n; i++)
		av_push(held, SvREFCNT_inc_simple_NN(ST((int)i + 1)));
	for (i = 0; i < s->n; i++)
		if (!cell_from(aTHX_ AvARRAY(held)[i], &s->columns[i], &s->row[i], &s->scratch,
			       &why))
			croak(CLASS ": %s: column %s: '%" SVf "' is not %s", s->path,
			      s->columns[i].name, SVfARG(AvARRAY(held)[i]), why);
	if (!s->table)
		croak(CLASS ": %s is closed", s->path);
	to = parquet_table_columns(s->table);
	for (i = 0; i < s->n; i++)
		cell_put(&to[i], &s->row[i], parquet_table_tools(s->table));
	if (parquet_table_row(s->table, &e) < 0) {
		s->failed = true;
		complete(s, &e);
		croak_err(aTHX_ & e);
	}
	XSRETURN_EMPTY;
}

/* $table->close */
XS_INTERNAL(tables_close)
{
	dXSARGS;
	struct script_table *s = table_of(aTHX_ items ? ST(0) : &PL_sv_undef, "close");
	struct err e;

	if (s->table && complete(s, &e) < 0)
		croak_err(aTHX_ & e);
	XSRETURN_EMPTY;
}

/* $table->rows */
XS_INTERNAL(tables_rows)
{
	dXSARGS;
	const struct script_table *s = table_of(aTHX_ items ? ST(0) : &PL_sv_undef, "rows");

	ST(0) = sv_2mortal(newSVuv(s->table ? (UV)parquet_table_rows(s->table) : 0));
	XSRETURN(1);
}

void tables_boot(pTHX)
{
	newXS(CLASS "::_new", tables_new, __FILE__);
	newXS(CLASS "::row", tables_row, __FILE__);
	newXS(CLASS "::rows", tables_rows, __FILE__);
	newXS(CLASS "::close", tables_close, __FILE__);
}
