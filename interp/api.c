/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * api: the functions of the Zed module: turns questions of the script about the current event
 * into answers of the model.  Nothing here is on the per-event path unless the script calls it.
 */
#include "base/plain.h"
#include "interp/perlsink_priv.h"
#include "interp/zed_pm.h"
#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/printfmt/parse.h"
#include "reader/text/text.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Tables of __print_flags and __print_symbolic of one event type. */
struct api_tables {
	const struct etype *type;
	const struct flag_table *tables;
};

struct api {
	struct text *text;
	struct arena arena;
	struct api_tables *known;
	size_t nknown, cap;
};

#define SINK ((struct perlsink *)XSANY.any_ptr)

/* The current event, or a croak that names the function. */
static const struct event *current(pTHX_ struct perlsink *ps, const char *fn)
{
	if (!ps->ev)
		Perl_croak(aTHX_ "Zed::%s: no current event (call it from a handler)", fn);
	return ps->seen;
}

static void usage(pTHX_ bool wrong, const char *text)
{
	if (wrong)
		Perl_croak(aTHX_ "usage: %s", text);
}

#define CURRENT(fn) \
	struct perlsink *ps = SINK; \
	const struct event *ev = current(aTHX_ ps, fn); \
	usage(aTHX_ items != 0, "Zed::" fn "()")

#define RETURN_SV(sv) \
	do { \
		ST(0) = sv_2mortal(sv); \
		XSRETURN(1); \
	} while (0)

/* ---------------------------------------------------------------- of the event itself */

XS_INTERNAL(api_ts)
{
	dXSARGS;
	CURRENT("ts");

	EXTEND(SP, 1);
	RETURN_SV(newSVuv(ev->ts - ps->args.base));
}

XS_INTERNAL(api_pid)
{
	dXSARGS;
	CURRENT("pid");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSViv(ev->pid));
}

XS_INTERNAL(api_comm)
{
	dXSARGS;
	CURRENT("comm");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(machine_comm(ev->type->machine, ev->pid), 0));
}

XS_INTERNAL(api_cpu)
{
	dXSARGS;
	CURRENT("cpu");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSViv(ev->cpu));
}

XS_INTERNAL(api_event)
{
	dXSARGS;
	CURRENT("event");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpvf("%s::%s", ev->type->system, ev->type->name));
}

XS_INTERNAL(api_system)
{
	dXSARGS;
	CURRENT("system");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(ev->type->system, 0));
}

XS_INTERNAL(api_name)
{
	dXSARGS;
	CURRENT("name");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(ev->type->name, 0));
}

XS_INTERNAL(api_instance)
{
	dXSARGS;
	CURRENT("instance");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(ev->from->instance, 0));
}

XS_INTERNAL(api_source)
{
	dXSARGS;
	CURRENT("source");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(ev->from->path, 0));
}

XS_INTERNAL(api_source_index)
{
	dXSARGS;
	CURRENT("source_index");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSViv(ev->from->source));
}

XS_INTERNAL(api_lost)
{
	dXSARGS;
	CURRENT("lost");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	if (ev->lost == LOST_UNKNOWN)
		XSRETURN_UNDEF;
	RETURN_SV(newSVuv(ev->lost));
}

/* ---------------------------------------------------------------- fields */

XS_INTERNAL(api_field)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct event *ev = current(aTHX_ ps, "field");
	const struct field *f;

	usage(aTHX_ items != 1, "Zed::field(NAME)");
	f = field_find(ev->type, SvPV_nolen(ST(0)));
	if (!f)
		XSRETURN_UNDEF;
	args_begin(&ps->args, ev);
	RETURN_SV(args_value(aTHX_ f, ev, &ps->args));
}

XS_INTERNAL(api_fields)
{
	dXSARGS;
	unsigned i, own;
	CURRENT("fields");

	own = ev->type->nfields - ev->type->ncommon;
	if (GIMME_V != G_LIST) {
		EXTEND(SP, 1);
		RETURN_SV(newSVuv(own));
	}
	EXTEND(SP, 2 * own);
	args_begin(&ps->args, ev);
	for (i = 0; i < own; i++) {
		const struct field *f = &ev->type->fields[ev->type->ncommon + i];

		ST(2 * i) = sv_2mortal(newSVpv(f->name, 0));
		ST(2 * i + 1) = sv_2mortal(args_value(aTHX_ f, ev, &ps->args));
	}
	XSRETURN(2 * own);
}

XS_INTERNAL(api_common)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct event *ev;
	const char *name;
	unsigned i;

	usage(aTHX_ items != 1, "Zed::common(NAME)");
	current(aTHX_ ps, "common");
	/* Stable events have none, but the records that they are made of do. */
	ev = ps->ev;
	name = SvPV_nolen(ST(0));
	args_begin(&ps->args, ev);
	for (i = 0; i < ev->type->ncommon; i++) {
		const struct field *f = &ev->type->fields[i];
		bool prefixed = !strncmp(f->name, "common_", 7);

		if (!strcmp(f->name, name) || (prefixed && !strcmp(f->name + 7, name)))
			RETURN_SV(args_value(aTHX_ f, ev, &ps->args));
	}
	XSRETURN_UNDEF;
}

/* ---------------------------------------------------------------- texts of the traced machine */

XS_INTERNAL(api_text)
{
	dXSARGS;
	const char *text;
	size_t len;
	CURRENT("text");

	if (!ps->api->text) {
		struct text_opts o = { .plugins = true, .notes = ps->o.notes };

		ps->api->text = text_new(ps->o.catalog, &o);
	}
	/* Of a stable event: the text of the record that it is made of. */
	PERL_UNUSED_VAR(ev);
	text = text_info(ps->api->text, ps->ev, &len);
	EXTEND(SP, 1);
	RETURN_SV(newSVpvn(text, len));
}

XS_INTERNAL(api_symbol)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct event *ev = current(aTHX_ ps, "symbol");
	const char *name, *module = NULL;
	uint64_t addr, start = 0;

	usage(aTHX_ items != 1, "Zed::symbol(ADDRESS)");
	addr = SvUV(ST(0));
	name = machine_symbol(ev->type->machine, addr, &start, &module);
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

XS_INTERNAL(api_comm_of)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct machine *s = NULL;

	usage(aTHX_ items != 1 && items != 2, "Zed::comm_of(PID [, SOURCE])");
	if (items == 2 && SvIV(ST(1)) >= 0 && SvIV(ST(1)) <= INT_MAX)
		s = ps->o.machine(ps->o.arg, SvIV(ST(1)));
	else if (items == 1)
		s = ps->ev ? ps->ev->type->machine : ps->o.machine(ps->o.arg, 0);
	if (!s)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(machine_comm(s, SvIV(ST(0))), 0));
}

/* ---------------------------------------------------------------- flags */

static const struct flag_table *tables_of(struct api *api, const struct etype *t)
{
	size_t i;

	for (i = 0; i < api->nknown; i++)
		if (api->known[i].type == t)
			return api->known[i].tables;
	api->known = mem_grow(api->known, &api->cap, api->nknown + 1, sizeof(*api->known));
	api->known[api->nknown].type = t;
	api->known[api->nknown].tables = printfmt_tables(t, &api->arena);
	return api->known[api->nknown++].tables;
}

/*
 * The table for FIELD: that which looks the field itself up, or else the only one whose value is
 * an expression (sched_switch masks prev_state first).
 */
static const struct flag_table *table_for(const struct flag_table *t, const struct field *f,
					  bool flags)
{
	const struct flag_table *expr = NULL;
	unsigned n = 0;

	for (; t; t = t->next) {
		if (flags != (t->delim != NULL))
			continue;
		if (t->field == f)
			return t;
		if (!t->field) {
			n++;
			expr = t;
		}
	}
	return n == 1 ? expr : NULL;
}

/* EVENT is "system::name" or "system:name"; only a type with that very name will do. */
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
	t = catalog_find(ps->o.catalog, system, event, 0);
	return t && etype_resolve(ps->o.catalog, t, &e) == 0 ? t : NULL;
}

/*
 * sched_switch prints (prev_state & MASK) ? __print_flags(prev_state & MASK, ...) : "R": what
 * stands in for no flags at all.  Returns its length, 0: nothing of the kind; *AT is in the
 * type's print format.
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

		if (bits ? (left & bits) != bits : v != 0)
			continue;
		Perl_sv_catpvf(aTHX_ sv, "%s%s", SvCUR(sv) ? t->delim : "", t->names[i].name);
		left &= ~bits;
	}
	/* An expression masks the field first: what it leaves out is no flag. */
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
		if (((t->names[i].value ^ v) & mask) == 0)
			return newSVpv(t->names[i].name, 0);
	return NULL;
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
		current(aTHX_ ps, fn);
		type = ps->ev->type;
	}
	name = SvPV_nolen(args[0]);
	f = type ? field_find(type, name) : NULL;
	if (!f)
		return NULL;
	if (items > 1) {
		v = SvIOK(args[1]) && !SvIsUV(args[1]) ? (UV)SvIV(args[1]) : SvUV(args[1]);
	} else {
		if (f->kind != FIELD_UINT && f->kind != FIELD_INT)
			return NULL;
		v = field_scalar(f, ps->ev);
	}
	table = table_for(tables_of(ps->api, type), f, flags);
	if (!table)
		return NULL;
	if (flags && f->size < 8 && (f->kind == FIELD_UINT || f->kind == FIELD_INT))
		v &= ((UV)1 << (8 * f->size)) - 1;
	return flags ? flag_names(aTHX_ table, type, v) : symbol_name(aTHX_ table, f, v);
}

XS_INTERNAL(api_flag_str)
{
	dXSARGS;
	SV *sv = named_value(aTHX_ SINK, &ST(0), items, true);

	if (!sv)
		XSRETURN_UNDEF;
	RETURN_SV(sv);
}

XS_INTERNAL(api_symbol_str)
{
	dXSARGS;
	SV *sv = named_value(aTHX_ SINK, &ST(0), items, false);

	if (!sv)
		XSRETURN_UNDEF;
	RETURN_SV(sv);
}

/* ---------------------------------------------------------------- of the run */

static int by_event(const void *a, const void *b)
{
	const struct etype *x = *(const struct etype *const *)a;
	const struct etype *y = *(const struct etype *const *)b;
	int c = strcmp(x->system, y->system);

	return c ? c : strcmp(x->name, y->name);
}

XS_INTERNAL(api_events)
{
	dXSARGS;
	struct catalog *c = SINK->o.catalog;
	unsigned i, n = 0, out = 0, count = catalog_count(c);
	const struct etype **types;

	usage(aTHX_ items != 0, "Zed::events()");
	SINK->bind.asked = true;
	/* A mortal holds the list: nothing is left behind if perl has no memory for the names. */
	types = (const struct etype **)SvPVX(sv_2mortal(newSV((count + 1) * sizeof(*types))));
	for (i = 0; i < count; i++)
		if (catalog_at(c, i)->known)
			types[n++] = catalog_at(c, i);
	qsort(types, n, sizeof(*types), by_event);
	EXTEND(SP, (SSize_t)n + 1);
	for (i = 0; i < n; i++) {
		if (i && !by_event(&types[i - 1], &types[i]))
			continue;
		ST(out) = sv_2mortal(newSVpvf("%s::%s", types[i]->system, types[i]->name));
		out++;
	}
	if (GIMME_V != G_LIST)
		RETURN_SV(newSVuv(out));
	XSRETURN(out);
}

XS_INTERNAL(api_stop)
{
	dXSARGS;
	struct perlsink *ps = SINK;

	usage(aTHX_ items != 0, "Zed::stop()");
	if (ps->phase == PHASE_LOAD)
		Perl_croak(aTHX_ "Zed::stop: the run has not begun "
				 "(call it from trace_begin or a handler)");
	ps->stop = true;
	ps->in->attention |= INTERP_STOP;
	XSRETURN_EMPTY;
}

/*
 * In %SIG for INT, TERM and PIPE (live: HUP too) from before the script is compiled: the first one
 * ends the run with trace_end, a second one, or one where there is no run to end, the script.
 */
XS_INTERNAL(api_signal)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const char *name = items ? SvPV_nolen(ST(0)) : "";
	int sig = !strcmp(name, "INT")	? SIGINT :
		  !strcmp(name, "TERM") ? SIGTERM :
		  !strcmp(name, "HUP")	? SIGHUP :
					  SIGPIPE;
	bool running = (ps->phase == PHASE_BEGIN || ps->phase == PHASE_EVENTS) && !ps->signal;

	if (running && sig != SIGPIPE && !ps->halted && ps->o.halt &&
	    !(ps->in->attention & INTERP_FORKED) && ps->o.halt(ps->o.arg)) {
		ps->halted = true;
	} else if (running && (sig == SIGPIPE || !ps->halted)) {
		ps->signal = sig;
		ps->stop = true;
		ps->in->attention |= INTERP_STOP;
	} else if (sig != SIGPIPE || ps->phase == PHASE_LOAD) {
		PL_exit_flags |= PERL_EXIT_EXPECTED;
		my_exit(sig == SIGPIPE ? 128 + sig : 130);
	}
	XSRETURN_EMPTY;
}

/* Text for eyes and for files of lines; a string of characters stays one of characters. */
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

/* What of the module is written in Perl. */
XS_INTERNAL(api_load)
{
	dXSARGS;

	PERL_UNUSED_VAR(items);
	hv_stores(get_hv("INC", GV_ADD), "Zed.pm", newSVpvs("Zed.pm"));
	eval_pv(embed_Zed_pm, TRUE);
	XSRETURN_EMPTY;
}

void api_boot(pTHX_ struct perlsink *ps)
{
	static const struct {
		const char *name;
		XSUBADDR_t fn;
	} subs[] = {
		{ "Zed::ts", api_ts },
		{ "Zed::pid", api_pid },
		{ "Zed::tid", api_pid },
		{ "Zed::comm", api_comm },
		{ "Zed::cpu", api_cpu },
		{ "Zed::event", api_event },
		{ "Zed::system", api_system },
		{ "Zed::name", api_name },
		{ "Zed::instance", api_instance },
		{ "Zed::source", api_source },
		{ "Zed::source_index", api_source_index },
		{ "Zed::lost", api_lost },
		{ "Zed::field", api_field },
		{ "Zed::fields", api_fields },
		{ "Zed::common", api_common },
		{ "Zed::text", api_text },
		{ "Zed::symbol", api_symbol },
		{ "Zed::comm_of", api_comm_of },
		{ "Zed::flag_str", api_flag_str },
		{ "Zed::symbol_str", api_symbol_str },
		{ "Zed::events", api_events },
		{ "Zed::stop", api_stop },
		{ "Zed::plain", api_plain },
		{ "Zed::_load", api_load },
		{ "Zed::_signal", api_signal },
	};
	static const char *const signals[] = { "INT", "TERM", "PIPE", "HUP" };
	CV *cv = NULL;
	HV *sig;
	unsigned i;

	ps->api = mem_zalloc(sizeof(*ps->api));
	for (i = 0; i < sizeof(subs) / sizeof(subs[0]); i++) {
		cv = newXS(subs[i].name, subs[i].fn, __FILE__);
		CvXSUBANY(cv).any_ptr = ps;
	}
	/* cv is Zed::_signal */
	sig = get_hv("SIG", GV_ADD);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]) - !ps->o.halt; i++) {
		SV **slot = hv_fetch(sig, signals[i], strlen(signals[i]), 1);

		sv_setsv(*slot, sv_2mortal(newRV_inc((SV *)cv)));
		SvSETMAGIC(*slot);
	}
	/* What -M does: Perl that is compiled before the script's first line. */
	if (!PL_preambleav)
		PL_preambleav = newAV();
	av_unshift(PL_preambleav, 1);
	av_store(PL_preambleav, 0, newSVpvs("BEGIN { Zed::_load() }"));
}

void api_free(struct perlsink *ps)
{
	if (!ps->api)
		return;
	text_free(ps->api->text);
	arena_fini(&ps->api->arena);
	free(ps->api->known);
	free(ps->api);
}
