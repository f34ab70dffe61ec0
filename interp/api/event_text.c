/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_text: the functions of Zed that return texts: the event as text, the symbol of an address,
 * the name of a task, the names of flags, a string that is safe to show, and the probable meaning
 * of a mistyped word.
 */
#include "base/glob.h"
#include "base/plain.h"
#include "interp/api/api.h"
#include "trace/chain_frame.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/engine.h"
#include "text/field_value.h"
#include "text/printfmt/constant.h"
#include "text/printfmt/printfmt_parse.h"

#include <stdlib.h>
#include <string.h>

/* Tables of __print_flags and __print_symbolic of one event type. */
struct type_tables {
	const struct etype *type;
	const struct flag_table *tables;
};

struct api_texts {
	struct engine *text;
	struct outbuf buf; /* its last message */
	struct arena arena;
	struct type_tables *known;
	size_t nknown, cap;
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
	arena_fini(&ps->texts->arena);
	free(ps->texts->known);
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

/*
 * The kernel's function at ADDR.  What a perf.data says of it comes first: a program of BPF may
 * have the address of one that is in the symbols; modules that these lack are found by their files.
 */
static const char *kernel_function(const struct event *ev, uint64_t addr, uint64_t *start,
				   const char **module)
{
	struct machine *m = ev->type->machine;
	const char *name = NULL;
	struct chain_frame f;
	struct mapping at;
	bool mapped = machine_mapped(m, ev, addr, true, &at);

	if (!mapped || !at.function)
		name = machine_symbol(m, addr, start, module);
	if (name || !mapped)
		return name;
	chain_resolve(ev, addr, true, &f);
	*start = f.start;
	*module = f.module;
	return f.name;
}

XS_INTERNAL(api_symbol)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct event *ev = api_current(aTHX_ ps, "symbol");
	const char *name, *module = NULL;
	struct machine *m = ev->type->machine;
	struct code_symbol code;
	struct mapping at;
	uint64_t addr, start = 0;

	api_usage(aTHX_ items != 1, "Zed::symbol(ADDRESS)");
	addr = SvUV(ST(0));
	/* What a program has mapped is not the kernel's. */
	if (machine_mapped(m, ev, addr, false, &at) && machine_code(m, &at, addr, &code)) {
		name = code.name;
		module = code.file;
		start = addr - code.off;
	} else {
		name = kernel_function(ev, addr, &start, &module);
	}
	if (GIMME_V == G_LIST) {
		if (!name)
			XSRETURN_EMPTY;
		EXTEND(SP, 3);
		ST(0) = sv_2mortal(newSVpv(name, 0));
		ST(1) = sv_2mortal(newSVuv(addr - start));
		ST(2) = module ? sv_2mortal(newSVpv(module, 0)) : &PL_sv_undef;
		XSRETURN(3);
	}
	if (!name)
		XSRETURN_UNDEF;
	RETURN_SV(addr == start ? newSVpv(name, 0) :
				  newSVpvf("%s+0x%" UVxf, name, (UV)(addr - start)));
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

static const struct flag_table *tables_of(struct api_texts *texts, const struct etype *t)
{
	size_t i;

	for (i = 0; i < texts->nknown; i++)
		if (texts->known[i].type == t)
			return texts->known[i].tables;
	texts->known = mem_grow(texts->known, &texts->cap, texts->nknown + 1,
				sizeof(*texts->known));
	texts->known[texts->nknown].type = t;
	texts->known[texts->nknown].tables = printfmt_tables(t, &texts->arena);
	return texts->known[texts->nknown++].tables;
}

/* EVENT is "system::name" or "system:name"; only a type with exactly that name is accepted. */
static const struct etype *type_named(pTHX_ struct perlsink *ps, const char *event)
{
	const struct etype *t = ps->ev ? ps->ev->type : NULL;
	const char *colon = strchr(event, ':');
	char system[256];
	struct err e;

	if (!colon || (size_t)(colon - event) >= sizeof(system))
		return NULL;
	memcpy(system, event, colon - event);
	system[colon - event] = 0;
	event = colon + (colon[1] == ':' ? 2 : 1);
	if (t && !strcmp(t->system, system) && !strcmp(t->name, event))
		return t;
	t = catalog_find(ps->o.run->catalog, system, event, 0);
	return t && etype_resolve(ps->o.run->catalog, t, &e) == 0 ? t : NULL;
}

/*
 * sched_switch prints (prev_state & MASK) ? __print_flags(prev_state & MASK, ...) : "R": the
 * text for no flags at all.  Returns its length, 0: none; *AT points into the type's print
 * format.
 */
static size_t otherwise(const struct etype *t, const char **at)
{
	const char *p = t->print, *end = p + t->print_len, *quote;
	bool quoted = false, colon = false;
	int depth = 0;

	p = t->print_len ? memmem(p, end - p, "__print_flags", 13) : NULL;
	for (; p && p < end; p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == '(')
			depth++;
		else if (!quoted && *p == ')' && --depth == 0)
			break;
	}
	p = p ? p + 1 : end;
	while (p < end && (*p == ' ' || *p == ':'))
		colon |= *p++ == ':';
	if (!colon || p >= end || *p != '"')
		return 0;
	p++;
	quote = memchr(p, '"', end - p);
	*at = p;
	return quote ? quote - p : 0;
}

static SV *flag_names(pTHX_ const struct flag_table *t, const struct etype *type, UV v)
{
	SV *sv = newSVpvs("");
	const char *text = "";
	size_t len;
	UV left = v;
	unsigned i;

	for (i = 0; i < t->n; i++) {
		UV bits = t->names[i].value;

		if (!t->names[i].known || (bits ? (left & bits) != bits : v != 0))
			continue;
		Perl_sv_catpvf(aTHX_ sv, "%s%s", SvCUR(sv) ? t->delim : "", t->names[i].name);
		left &= ~bits;
	}
	/* An expression masks the field first: the bits outside of the mask are not flags. */
	if (left && t->field)
		Perl_sv_catpvf(aTHX_ sv, "%s0x%" UVxf, SvCUR(sv) ? t->delim : "", left);
	if (!SvCUR(sv) && !t->field) {
		len = otherwise(type, &text);
		sv_catpvn(sv, text, len);
	}
	return sv;
}

static SV *symbol_name(pTHX_ const struct flag_table *t, const struct field *f, UV v)
{
	UV mask = f && f->size < 8 ? ((UV)1 << (8 * f->size)) - 1 : ~(UV)0;
	unsigned i;

	/* A negative value of a 32-bit field is listed with 32 bits, or with 64. */
	for (i = 0; i < t->n; i++)
		if (t->names[i].known && ((t->names[i].value ^ v) & mask) == 0)
			return newSVpv(t->names[i].name, 0);
	return NULL;
}

/* The names of the bits of V, a value of F, whose bits have names without a print format. */
static SV *bit_names(pTHX_ const struct field *f, UV v)
{
	struct outbuf o = { 0 };
	SV *sv;

	if (!v)
		return newSVpvs("");
	value_flags(&o, f, v);
	sv = newSVpvn(o.p, o.len);
	outbuf_fini(&o);
	return sv;
}

/* Zed::flag_str and Zed::symbol_str: ([EVENT,] FIELD [, VALUE]). */
static SV *named_value(pTHX_ struct perlsink *ps, SV **args, int items, bool flags)
{
	const char *fn = flags ? "flag_str" : "symbol_str", *name;
	const struct etype *type;
	const struct flag_table *table;
	const struct field *f;
	UV v;

	if (items < 1 || items > 3)
		Perl_croak(aTHX_ "usage: Zed::%s([EVENT,] FIELD [, VALUE])", fn);
	if (items == 3) {
		type = type_named(aTHX_ ps, SvPV_nolen(args[0]));
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
	if (flags && f->kind == FIELD_UINT && f->more)
		return bit_names(aTHX_ f, v);
	table = printfmt_table_for(tables_of(texts_of(ps), type), f, flags);
	if (!table)
		return NULL;
	if (flags && f->size < 8 && field_is_int(f))
		v &= ((UV)1 << (8 * f->size)) - 1;
	return flags ? flag_names(aTHX_ table, type, v) : symbol_name(aTHX_ table, f, v);
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
	const struct flag_table *first = tables_of(texts, type), *same;
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
	type = type_named(aTHX_ ps, SvPV_nolen(ST(0)));
	f = type ? field_find(type, SvPV_nolen(ST(1))) : NULL;
	flags = SvTRUE(ST(2));
	table = f ? printfmt_table_for(tables_of(texts, type), f, flags) : NULL;
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
			len = otherwise(type, &text);
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
		tables = tables_of(texts_of(ps), t);
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
