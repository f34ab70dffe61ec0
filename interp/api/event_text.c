/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_text: the functions of Zed that return texts: the event as text, the symbol of an address,
 * the name of a task, the names of flags, a string that is safe to show, and the probable meaning
 * of a mistyped word.
 */
#include "base/glob.h"
#include "base/plain.h"
#include "interp/api/api.h"
#include "interp/common/symbol_at.h"
#include "interp/common/table_names.h"
#include "trace/chain_frame.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/engine.h"
#include "text/printfmt/constant.h"
#include "text/printfmt/printfmt_parse.h"

#include <stdlib.h>
#include <string.h>

struct api_texts {
	struct engine *text;
	struct outbuf buf; /* its last message */
	struct table_names names;
	struct arena arena;
};

static struct api_texts *texts_of(struct perlsink *ps)
{
	if (!ps->texts)
		ps->texts = mem_zalloc(sizeof(*ps->texts));
	return ps->texts;
}

void api_free(struct perlsink *ps)
{
	if (!ps->texts)
		return;
	engine_free(ps->texts->text);
	outbuf_fini(&ps->texts->buf);
	table_names_fini(&ps->texts->names);
	arena_fini(&ps->texts->arena);
	free(ps->texts);
	ps->texts = NULL;
}

XS_INTERNAL(api_text)
{
	dXSARGS;
	struct api_texts *texts;
	CURRENT("text");

	texts = texts_of(ps);
	if (!texts->text)
		texts->text = engine_new(DIALECT_KERNEL, ps->o.notes);
	/* For a stable event: the text of the record that it is made from. */
	PERL_UNUSED_VAR(ev);
	texts->buf.len = 0;
	engine_put(texts->text, ps->ev, &texts->buf, false);
	EXTEND(SP, 1);
	RETURN_SV(newSVpvn(out_end(&texts->buf), texts->buf.len));
}

XS_INTERNAL(api_symbol)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct event *ev = api_current(aTHX_ ps, "symbol");
	struct symbol_at at;

	api_usage(aTHX_ items != 1, "Zed::symbol(ADDRESS)");
	symbol_at(ev, SvUV(ST(0)), &at);
	if (GIMME_V == G_LIST) {
		if (!at.name)
			XSRETURN_EMPTY;
		EXTEND(SP, 3);
		ST(0) = sv_2mortal(newSVpv(at.name, 0));
		ST(1) = sv_2mortal(newSVuv(at.off));
		ST(2) = at.module ? sv_2mortal(newSVpv(at.module, 0)) : &PL_sv_undef;
		XSRETURN(3);
	}
	if (!at.name)
		XSRETURN_UNDEF;
	RETURN_SV(!at.off ? newSVpv(at.name, 0) : newSVpvf("%s+0x%" UVxf, at.name, (UV)at.off));
}

struct machine *api_machine_with_tasks(pTHX_ struct perlsink *ps, SV *source)
{
	struct source *from = NULL;

	if (!source && ps->ev)
		return ps->ev->type->machine;
	if (!source)
		from = pump_source(ps->o.run, 0);
	else if (SvIV(source) >= 0 && SvIV(source) <= INT_MAX)
		from = pump_source(ps->o.run, SvIV(source));
	return from ? &from->machine : NULL;
}

XS_INTERNAL(api_cgroup_of)
{
	dXSARGS;
	struct machine *s;

	api_usage(aTHX_ items != 1 && items != 2, "Zed::cgroup_of(PID [, SOURCE])");
	s = api_machine_with_tasks(aTHX_ SINK, items == 2 ? ST(1) : NULL);
	if (!s)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(machine_cgroup(s, s->comms->now, SvIV(ST(0))), 0));
}

XS_INTERNAL(api_inlined)
{
	dXSARGS;
	const struct event *ev = api_current(aTHX_ SINK, "inlined");
	const struct code_line *lines = NULL;
	uint64_t address;
	bool caller;
	unsigned n;

	api_usage(aTHX_ items != 1 && items != 2, "Zed::inlined(ADDRESS [, CALLER])");
	caller = items == 2 && SvTRUE(ST(1)) && !chain_whole(ev).found;
	address = SvUV(ST(0));
	n = chain_lines(ev, address, address >> 63, caller, &lines);
	/* The last one is the function itself. */
	n -= n > 0;
	SP -= items;
	EXTEND(SP, (SSize_t)n + 1);
	for (unsigned i = 0; i < n; i++)
		PUSHs(sv_2mortal(newSVpv(*lines[i].function ? lines[i].function : "?", 0)));
	if (GIMME_V != G_LIST) {
		SP -= n;
		PUSHs(sv_2mortal(newSVuv(n)));
	}
	PUTBACK;
}

XS_INTERNAL(api_comm_of)
{
	dXSARGS;
	struct machine *s;

	api_usage(aTHX_ items != 1 && items != 2, "Zed::comm_of(PID [, SOURCE])");
	s = api_machine_with_tasks(aTHX_ SINK, items == 2 ? ST(1) : NULL);
	if (!s)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(comms_name(s->comms, SvIV(ST(0))), 0));
}

/* ---------------------------------------------------------------- flags */

static const struct etype *type_named(const struct perlsink *ps, const char *event)
{
	return table_names_type(ps->o.run->catalog, ps->ev ? ps->ev->type : NULL, event);
}

/* Zed::flag_str and Zed::symbol_str: ([EVENT,] FIELD [, VALUE]). */
static SV *named_value(pTHX_ struct perlsink *ps, SV **args, int items, bool flags)
{
	const char *fn = flags ? "flag_str" : "symbol_str", *name;
	const struct etype *type;
	const struct field *f;
	struct outbuf o = { 0 };
	SV *sv;
	UV v;

	if (items < 1 || items > 3)
		Perl_croak(aTHX_ "usage: Zed::%s([EVENT,] FIELD [, VALUE])", fn);
	if (items == 3) {
		type = type_named(ps, SvPV_nolen(args[0]));
		args++;
	} else {
		/* A stable event has no print format; the record that it is made of has. */
		api_current(aTHX_ ps, fn);
		type = ps->ev->type;
	}
	name = SvPV_nolen(args[0]);
	f = type ? field_find(type, name) : NULL;
	if (!f)
		return NULL;
	if (items > 1) {
		v = SvIOK(args[1]) && !SvIsUV(args[1]) ? (UV)SvIV(args[1]) : SvUV(args[1]);
	} else {
		if (!field_is_int(f))
			return NULL;
		v = field_scalar(f, ps->ev);
	}
	if (!table_names_put(&texts_of(ps)->names, type, f, v, flags, &o)) {
		outbuf_fini(&o);
		return NULL;
	}
	sv = newSVpvn(out_end(&o), o.len);
	outbuf_fini(&o);
	return sv;
}

XS_INTERNAL(api_flag_str)
{
	dXSARGS;
	SV *sv = named_value(aTHX_ SINK, api_args(aTHX_ & ST(0), items), items, true);

	if (!sv)
		XSRETURN_UNDEF;
	RETURN_SV(sv);
}

XS_INTERNAL(api_symbol_str)
{
	dXSARGS;
	SV *sv = named_value(aTHX_ SINK, api_args(aTHX_ & ST(0), items), items, false);

	if (!sv)
		XSRETURN_UNDEF;
	RETURN_SV(sv);
}

/* ---------------------------------------------------------------- whole tables */

/* Does N, or a node below it, look something up in TABLE? */
static bool looks_up(const struct pf_node *n, const struct flag_table *table)
{
	if (!n)
		return false;
	if ((n->kind == PF_FLAGS || n->kind == PF_SYMBOLIC) && n->table == table)
		return true;
	return looks_up(n->a, table) || looks_up(n->b, table);
}

/* N is REC->F & MASK ? "yes" : "no": into AV as [mask, yes, no].  False: it is something else. */
static bool add_mark(pTHX_ AV *av, const struct pf_node *n, const struct field *f)
{
	const struct pf_node *test, *texts;
	uint64_t mask;
	AV *mark;

	if (n->kind != PF_OP || strcmp(n->op, "?"))
		return false;
	test = n->a;
	texts = n->b;
	if (!test || test->kind != PF_OP || strcmp(test->op, "&") || !test->a ||
	    test->a->kind != PF_FIELD || test->a->field != f || !test->b ||
	    !constant_value(test->b, &mask) || !texts || texts->kind != PF_OP || !texts->a ||
	    texts->a->kind != PF_STRING || !texts->b || texts->b->kind != PF_STRING)
		return false;
	mark = newAV();
	av_push(mark, newSVuv(mask));
	av_push(mark, newSVpv(texts->a->text, 0));
	av_push(mark, newSVpv(texts->b->text, 0));
	av_push(av, newRV_noinc((SV *)mark));
	return true;
}

/*
 * What the print format of TYPE shows right after the name from TABLE, by other bits of F:
 * the "+" of a task that was preempted.
 */
static AV *marks_behind(pTHX_ struct api_texts *texts, const struct etype *type,
			const struct flag_table *table, const struct field *f)
{
	const struct flag_table *first = table_names_tables(&texts->names, type), *same;
	const struct printfmt *pf;
	const struct pf_node *n;
	const char *why;
	AV *av = newAV();

	pf = printfmt_parse(type, &texts->arena, &why);
	if (!pf)
		return av;
	/* It was read again: the table at the same place is the same. */
	for (same = pf->tables; same && first != table; first = first->next)
		same = same->next;
	for (n = pf->args; n && !looks_up(n, same);)
		n = n->next;
	for (n = n ? n->next : NULL; n && add_mark(aTHX_ av, n, f);)
		n = n->next;
	return av;
}

/*
 * Zed::_table(EVENT, FIELD, IS_FLAGS), for Perf::Trace::Core: the table in which the print format
 * of EVENT looks FIELD up: { values => [[number, name]...], bits => those of the field }, and for
 * flags delim; rest: whether bits without a name are shown; none: the text for no flags; marks.
 */
XS_INTERNAL(api_table)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct api_texts *texts = texts_of(ps);
	const struct flag_table *table;
	const struct etype *type;
	const struct field *f;
	const char *text = "";
	size_t len = 0;
	bool flags;
	unsigned i;
	AV *values;
	HV *hv;

	api_usage(aTHX_ items != 3, "Zed::_table(EVENT, FIELD, IS_FLAGS)");
	type = type_named(ps, SvPV_nolen(ST(0)));
	f = type ? field_find(type, SvPV_nolen(ST(1))) : NULL;
	flags = SvTRUE(ST(2));
	table = f ? printfmt_table_for(table_names_tables(&texts->names, type), f, flags) : NULL;
	if (!table)
		XSRETURN_UNDEF;
	hv = newHV();
	values = newAV();
	for (i = 0; i < table->n; i++) {
		AV *pair;

		if (!table->names[i].known)
			continue;
		pair = newAV();
		av_push(pair, newSVuv(table->names[i].value));
		av_push(pair, newSVpv(table->names[i].name, 0));
		av_push(values, newRV_noinc((SV *)pair));
	}
	hv_stores(hv, "values", newRV_noinc((SV *)values));
	hv_stores(hv, "bits", newSVuv(f->size < 8 ? 8 * f->size : 64));
	if (flags) {
		hv_stores(hv, "delim", newSVpv(table->delim, 0));
		hv_stores(hv, "rest", newSViv(table->field != NULL));
		if (!table->field)
			len = table_names_none(type, &text);
		hv_stores(hv, "none", newSVpvn(text, len));
		hv_stores(hv, "marks",
			  newRV_noinc((SV *)marks_behind(aTHX_ texts, type, table, f)));
	}
	RETURN_SV(newRV_noinc((SV *)hv));
}

/* Zed::_tables(IS_FLAGS): the events and fields that have one, as "event", "field", ... */
XS_INTERNAL(api_tables)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct catalog *c = ps->o.run->catalog;
	bool flags;
	unsigned i, k;
	struct err e;

	api_usage(aTHX_ items != 1, "Zed::_tables(IS_FLAGS)");
	flags = SvTRUE(ST(0));
	SP -= items;
	for (i = 0; i < catalog_count(c); i++) {
		const struct etype *t = catalog_at(c, i);
		const struct flag_table *tables;

		if (!t->known || etype_resolve(c, t, &e) < 0)
			continue;
		tables = table_names_tables(&texts_of(ps)->names, t);
		for (k = t->ncommon; tables && k < t->nfields; k++) {
			if (!printfmt_table_for(tables, &t->fields[k], flags))
				continue;
			EXTEND(SP, 2);
			PUSHs(sv_2mortal(newSVpvf("%s::%s", t->system, t->name)));
			PUSHs(sv_2mortal(newSVpv(t->fields[k].name, 0)));
		}
	}
	PUTBACK;
}

/* ---------------------------------------------------------------- any string */

/* Text for display and for files of lines; a string of characters stays one of characters. */
XS_INTERNAL(api_plain)
{
	dXSARGS;
	size_t len, need;
	const char *p;
	SV *out;

	if (items != 1)
		croak_xs_usage(cv, "string");
	SvGETMAGIC(ST(0));
	if (!SvOK(ST(0)))
		XSRETURN_UNDEF;
	p = SvPV_nomg(ST(0), len);
	need = plain_len(p, len, 0);
	out = sv_2mortal(newSV(need + 1));
	plain_write(SvPVX(out), p, len, 0);
	SvPVX(out)[need] = '\0';
	SvCUR_set(out, need);
	SvPOK_only(out);
	if (SvUTF8(ST(0)))
		SvUTF8_on(out);
	ST(0) = out;
	XSRETURN(1);
}

/* Arguments that are read one after another, as strings. */
struct mask_words {
	PerlInterpreter *perl;
	SV **v;
	I32 n;
};

static const char *next_word(void *arg)
{
	struct mask_words *w = arg;
	dTHXa(w->perl);
	SV *sv;

	if (!w->n)
		return NULL;
	w->n--;
	sv = *w->v++;
	return SvPV_nolen(sv);
}

/* _nearest(WORD, NAMES...): the name that was probably meant, or undef. */
XS_INTERNAL(api_nearest)
{
	dXSARGS;
	struct mask_words w = { .perl = SINK->perl, .v = &ST(1), .n = items - 1 };
	const char *near;

	if (items < 1)
		croak_xs_usage(cv, "word, names");
	near = nearest_name(SvPV_nolen(ST(0)), next_word, &w);
	if (!near)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(near, 0));
}

const struct api_sub API_TEXT[] = {
	{ "Zed::text", api_text },
	{ "Zed::symbol", api_symbol },
	{ "Zed::inlined", api_inlined },
	{ "Zed::comm_of", api_comm_of },
	{ "Zed::cgroup_of", api_cgroup_of },
	{ "Zed::flag_str", api_flag_str },
	{ "Zed::symbol_str", api_symbol_str },
	{ "Zed::plain", api_plain },
	{ "Zed::_nearest", api_nearest },
	{ "Zed::_table", api_table },
	{ "Zed::_tables", api_tables },
	{ .name = NULL },
};
