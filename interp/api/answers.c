/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answers: the functions by which the methods of Zed::Aggregate, written in Perl, read an
 * aggregation.
 */
#include "interp/api/api.h"
#include "interp/api/handle.h"
#include "interp/rows/rows.h"
#include "interp/rows/state.h"

#include <stdlib.h>

#define SELF(fn, wrong) \
	struct handle *h; \
	api_usage(aTHX_ items < 1 || (wrong), fn); \
	h = handle_of(aTHX_ ST(0)); \
	h->asked = true

/* The percents of a quantiles object, or none. */
static AV *quantiles_of(pTHX_ SV *self)
{
	SV **sv = SvTYPE(SvRV(self)) == SVt_PVHV ? hv_fetchs((HV *)SvRV(self), "quantiles", 0) :
						   NULL;

	return sv && SvROK(*sv) && SvTYPE(SvRV(*sv)) == SVt_PVAV ? (AV *)SvRV(*sv) : NULL;
}

static void drop_list(pTHX_ void *list)
{
	PERL_UNUSED_CONTEXT;
	free(list);
}

static void drop_aggregate(pTHX_ void *agg)
{
	PERL_UNUSED_CONTEXT;
	agg_put(agg);
}

/* rows: a reference to an array of rows: the key (undef: other) and the values (values_av). */
XS_INTERNAL(api_rows)
{
	dXSARGS;
	SELF("$aggregation->rows()", items != 1);
	AV *rows = (AV *)sv_2mortal((SV *)newAV()), *quantiles = quantiles_of(aTHX_ ST(0));
	size_t n, i;
	void **list = agg_list(h->agg, &n);

	/* The percents are the script's, and may be objects that die. */
	ENTER;
	SAVEDESTRUCTOR_X(drop_list, list);
	for (i = 0; i < n; i++)
		av_push(rows, newRV_noinc((SV *)rows_row(aTHX_ h->agg, list[i], quantiles)));
	LEAVE;
	RETURN_SV(newRV_inc((SV *)rows));
}

/* total: as one row. */
XS_INTERNAL(api_total)
{
	dXSARGS;
	SELF("$aggregation->total()", items != 1);
	struct aggregate *t = agg_total(h->agg);
	SV *row;

	ENTER;
	SAVEDESTRUCTOR_X(drop_aggregate, t);
	row = newRV_noinc((SV *)rows_row(aTHX_ t, t->all, quantiles_of(aTHX_ ST(0))));
	LEAVE;
	RETURN_SV(row);
}

/* get KEY...: the row, or undef. */
XS_INTERNAL(api_get)
{
	dXSARGS;
	SELF("$aggregation->get(KEY...)", false);
	void *value;

	if ((unsigned)items - 1 != h->agg->spec.nby)
		Perl_croak(aTHX_ "Zed::Aggregate::get: a key of this aggregation has %u part%s",
			   h->agg->spec.nby, plural(h->agg->spec.nby));
	value = rows_find(aTHX_ h->agg, api_args(aTHX_ & ST(1), items - 1));
	if (!value || !agg_n(h->agg, value))
		XSRETURN_UNDEF;
	RETURN_SV(newRV_noinc((SV *)rows_row(aTHX_ h->agg, value, quantiles_of(aTHX_ ST(0)))));
}

/* clear: forget all events and losses. */
XS_INTERNAL(api_clear)
{
	dXSARGS;
	SELF("$aggregation->clear()", items != 1);

	if (h->rises)
		Perl_croak(aTHX_ "Zed::Aggregate::clear: a metric that never decreases uses it");
	agg_clear(h->agg);
	h->before = h->during = h->ps->lost;
	h->merged = (struct losses){ 0 };
	XSRETURN_EMPTY;
}

XS_INTERNAL(api_stop_one)
{
	dXSARGS;
	SELF("$aggregation->stop()", items != 1);

	handle_stop(h);
	XSRETURN_EMPTY;
}

/* What was lost while H ran. */
static struct losses lost_by(const struct handle *h)
{
	struct losses l = h->stopped ? h->during : h->ps->lost;

	losses_subtract(&l, &h->before);
	losses_add(&l, &h->merged);
	return l;
}

/*
 * _losses: lost events; places without a number; of these, those whose numbers are known together;
 * of the events, those lost at unknown times.
 */
XS_INTERNAL(api_losses)
{
	dXSARGS;
	SELF("$aggregation->_losses()", items != 1);
	struct losses l = lost_by(h);

	EXTEND(SP, 4);
	ST(0) = sv_2mortal(newSVuv(l.events));
	ST(1) = sv_2mortal(newSVuv(l.unsized));
	ST(2) = sv_2mortal(newSVuv(l.summed));
	ST(3) = sv_2mortal(newSVuv(l.timeless));
	XSRETURN(4);
}

/* In list context the number of lost events, and of places whose events are not among them. */
XS_INTERNAL(api_lost)
{
	dXSARGS;
	SELF("$aggregation->lost()", items != 1);
	struct losses l = lost_by(h);

	if (GIMME_V != G_LIST)
		RETURN_SV(newSVuv(l.events));
	EXTEND(SP, 2);
	ST(0) = sv_2mortal(newSVuv(l.events));
	ST(1) = sv_2mortal(newSVuv(losses_unknown(&l)));
	XSRETURN(2);
}

/* _is_time: are its values ns? */
XS_INTERNAL(api_is_time)
{
	dXSARGS;
	SELF("$aggregation->_is_time()", items != 1);

	RETURN_SV(newSViv(h->agg->is_time));
}

/* Its text as a scalar, the caller's. */
static SV *text_sv(pTHX_ struct outbuf *o)
{
	SV *sv = newSVpvn(out_end(o), o->len);

	outbuf_fini(o);
	return sv;
}

/* _title: what is counted, of which event, in which unit, for which keys. */
XS_INTERNAL(api_title)
{
	dXSARGS;
	SELF("$aggregation->_title()", items != 1);
	struct outbuf o = { 0 };

	answer_title(&h->answer, &o);
	RETURN_SV(text_sv(aTHX_ & o));
}

/* _text(LIMIT): the table of as many rows; LIMIT undef: of all. */
XS_INTERNAL(api_table_text)
{
	dXSARGS;
	SELF("$aggregation->_text(LIMIT)", items != 2);
	SV *limit = ST(1);
	struct losses lost = lost_by(h);
	size_t rows = SIZE_MAX;
	struct outbuf o = { 0 };

	SvGETMAGIC(limit);
	if (SvOK(limit))
		rows = SvNV_nomg(limit) > 0 ? (size_t)SvUV_nomg(limit) : 0;
	answer_print(&h->answer, &lost, rows, &o);
	RETURN_SV(text_sv(aTHX_ & o));
}

/* _titled: all of it, with the title as a line above the table. */
XS_INTERNAL(api_titled)
{
	dXSARGS;
	SELF("$aggregation->_titled()", items != 1);
	struct losses lost = lost_by(h);
	struct outbuf o = { 0 };

	answer_print_titled(&h->answer, &lost, &o);
	RETURN_SV(text_sv(aTHX_ & o));
}

/* size: keys and bytes. */
XS_INTERNAL(api_size)
{
	dXSARGS;
	SELF("$aggregation->size()", items != 1);

	EXTEND(SP, 2);
	ST(0) = sv_2mortal(newSVuv(h->agg->table.index.n));
	ST(1) = sv_2mortal(newSVuv(agg_bytes(h->agg)));
	XSRETURN(2);
}

/* _state: the rows of a state. */
XS_INTERNAL(api_state)
{
	dXSARGS;
	SELF("$aggregation->_state()", items != 1);
	AV *rows = (AV *)sv_2mortal((SV *)newAV());
	size_t n, i;
	void **list = agg_list(h->agg, &n);

	for (i = 0; i < n; i++)
		av_push(rows, newRV_noinc((SV *)state_row(aTHX_ h->agg, list[i])));
	free(list);
	RETURN_SV(newRV_inc((SV *)rows));
}

/*
 * _merge(ROWS, LOST, UNSIZED, SUMMED, TIMELESS): the rows of a state of the same kind; returns
 * undef, or the number of the row that is invalid.  Then nothing has changed.
 */
XS_INTERNAL(api_merge)
{
	dXSARGS;
	SELF("$aggregation->_merge(ROWS, LOST, UNSIZED, SUMMED, TIMELESS)", items != 6);
	SV **args = api_args(aTHX_ & ST(0), items);
	struct aggregate *from;
	SSize_t i, n;
	struct losses lost = { 0 };
	struct err e;
	AV *rows;

	if (!SvROK(args[1]) || SvTYPE(SvRV(args[1])) != SVt_PVAV)
		RETURN_SV(newSViv(0));
	lost.events = SvUV(args[2]);
	lost.unsized = SvUV(args[3]);
	lost.summed = SvUV(args[4]);
	lost.timeless = SvUV(args[5]);
	rows = (AV *)SvRV(args[1]);
	n = av_len(rows) + 1;
	from = agg_new(&h->agg->spec, h->agg->at, NULL);
	from->spec.max_keys = TABLE_MOST;
	/* An invalid row may croak too: for characters where bytes should be. */
	ENTER;
	SAVEDESTRUCTOR_X(drop_aggregate, from);
	for (i = 0; i < n; i++) {
		SV **row = av_fetch(rows, i, 0);

		if (row && SvROK(*row) && SvTYPE(SvRV(*row)) == SVt_PVAV &&
		    state_take(aTHX_ from, (AV *)SvRV(*row)))
			continue;
		LEAVE;
		RETURN_SV(newSViv(i));
	}
	agg_merge(h->agg, from, &e);
	LEAVE;
	losses_add(&h->merged, &lost);
	XSRETURN_UNDEF;
}

const struct api_sub API_ANSWERS[] = {
	{ "Zed::Aggregate::_rows", api_rows },
	{ "Zed::Aggregate::_total", api_total },
	{ "Zed::Aggregate::_get", api_get },
	{ "Zed::Aggregate::_state", api_state },
	{ "Zed::Aggregate::_merge", api_merge },
	{ "Zed::Aggregate::_size", api_size },
	{ "Zed::Aggregate::_title", api_title },
	{ "Zed::Aggregate::_text", api_table_text },
	{ "Zed::Aggregate::_titled", api_titled },
	{ "Zed::Aggregate::_is_time", api_is_time },
	{ "Zed::Aggregate::clear", api_clear },
	{ "Zed::Aggregate::stop", api_stop_one },
	{ "Zed::Aggregate::lost", api_lost },
	{ "Zed::Aggregate::_losses", api_losses },
	{ .name = NULL },
};
