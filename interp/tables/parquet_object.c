/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parquet_object: the object of Zed::Parquet: a table of a script's own rows.
 */
#include "interp/tables/parquet_object.h"

#include "interp/tables/cell.h"

#include <stdlib.h>
#include <unistd.h>

#define CLASS "Zed::Parquet"
#define COLUMNS_MOST 10000
#define MEMORY_MOST (16u << 20) /* of rows that are not yet written */

/* What hangs on an object, and goes with it. */
struct script_table {
	struct parquet_pool *pool;
	struct parquet_table *table; /* NULL: it is closed */
	struct parquet_column *columns;
	struct value *row;
	struct outbuf scratch;
	struct arena names;
	char *path;
	unsigned n;
	pid_t pid; /* of who began it */
	bool failed;
};

/* The file is whole, and has its name; or there is none. */
static int complete(struct script_table *s, struct err *e)
{
	struct parquet_table *t = s->table;
	int rc = 0;

	s->table = NULL;
	/* The file of a process that was forked from belongs to that. */
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
	/* From here on it goes with the object, whatever dies. */
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
	/* To ask a tied one for its value runs Perl, which may move the stack, and drop these. */
	held = (AV *)sv_2mortal((SV *)newAV());
	av_extend(held, items);
	for (i = 0; i < s->n; i++)
		av_push(held, SvREFCNT_inc_simple_NN(ST((int)i + 1)));
	for (i = 0; i < s->n; i++)
		if (!value_from(aTHX_ AvARRAY(held)[i], &s->columns[i], &s->row[i], &s->scratch,
				&why))
			croak(CLASS ": %s: column %s: '%" SVf "' is not %s", s->path,
			      s->columns[i].name, SVfARG(AvARRAY(held)[i]), why);
	if (!s->table)
		croak(CLASS ": %s is closed", s->path);
	to = parquet_table_columns(s->table);
	for (i = 0; i < s->n; i++)
		value_put(&to[i], &s->row[i], parquet_table_tools(s->table));
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
