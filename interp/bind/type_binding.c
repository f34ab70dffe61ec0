/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * type_binding: the list of what is called for one event type, in order: the sub of its name, subs
 * of stable events, handlers of Zed::on, or trace_unhandled alone; and the list of aggregations
 * that take it.
 */
#include "base/mem.h"
#include "interp/bind/bind.h"
#include "interp/bind/perl_name.h"
#include "interp/perl/perl_priv.h"
#include "interp/perl/sub_args.h"
#include "trace/lttng_event.h"

#include <stdlib.h>
#include <string.h>

/*
 * The GV of T's handler in its package, or NULL.  With AUTOLOAD in the package every name in it is
 * callable, unless a sub of that name is not a handler.
 */
static GV *find_handler(pTHX_ const struct bind *b, const struct etype *t, bool autoload)
{
	char name[BIND_NAME];
	size_t system, len = bind_name(t, name, sizeof(name), &system);
	GV *gv;

	if (len >= sizeof(name) || perl_calls(name + system + 2))
		return NULL;
	gv = gv_fetchpvn_flags(name, len, autoload ? GV_ADD : 0, SVt_PVCV);
	if (!gv || !isGV_with_GP(gv))
		return NULL;
	if (autoload && !GvCV(gv))
		return gv;
	return bind_callable(aTHX_ b, gv) ? gv : NULL;
}

void binding_free(pTHX_ struct binding *b)
{
	while (b) {
		struct binding *next = b->next;

		args_free(aTHX_ b->plan);
		expr_test_free(b->where);
		stable_map_free(b->map);
		measure_free(b->measure);
		SvREFCNT_dec((SV *)b->gv);
		free(b);
		b = next;
	}
}

/* The list of T's bindings being made; the previous ones are reused if they still fit. */
struct binding_slot {
	struct bind *b;
	const struct etype *t;
	struct binding *old, *list, **tail;
	bool changed;
};

/*
 * Append the binding of that kind and code to the list: the existing one, or a new one.  GV
 * and NAMED: one of them is NULL.  SUB: the name of GV's sub.  No Perl code can run in here.
 */
static struct binding *slot_add(pTHX_ struct binding_slot *s, enum bind_kind kind, GV *gv,
				struct named *named, const char *sub)
{
	struct takes *takes = sub ? bind_takes_of(s->b, sub) : NULL;
	struct binding **at = &s->old, *it;

	while (*at && ((*at)->kind != kind || (*at)->gv != gv || (*at)->named != named ||
		       (*at)->takes != takes))
		at = &(*at)->next;
	it = *at;
	if (it) {
		/* One that preceded it was removed, or follows it now. */
		s->changed |= at != &s->old;
		*at = it->next;
	} else {
		it = mem_zalloc(sizeof(*it));
		it->kind = kind;
		it->gv = (GV *)SvREFCNT_inc_simple((SV *)gv);
		it->named = named;
		it->takes = takes;
		it->type = s->t;
		s->changed = true;
	}
	it->next = NULL;
	*s->tail = it;
	s->tail = &it->next;
	return it;
}

/* Let IT see stable event EV in place of the raw one.  False: EV cannot be made from this type. */
static bool slot_map(struct binding_slot *s, struct binding *it, const struct stable_event *ev,
		     unsigned from)
{
	struct err e;

	if (it->map)
		return true;
	it->map = stable_map_new(ev, s->b->catalog, from, s->t, s->b->notes, &e);
	if (!it->map)
		return false;
	it->stable = ev;
	it->type = stable_map_type(it->map);
	return true;
}

/* Remove the binding added last; AT pointed to it. */
static void slot_drop(pTHX_ struct binding_slot *s, struct binding **at)
{
	binding_free(aTHX_ * at);
	*at = NULL;
	s->tail = at;
}

/* T's handler under LTTng's own name for it, lttng::irq_softirq_entry; or NULL. */
static GV *find_second(pTHX_ const struct bind *b, const struct etype *t, struct etype *second)
{
	if (!t->lttng)
		return NULL;
	*second = (struct etype){ .system = LTTNG_SYSTEM, .name = t->lttng->name };
	return find_handler(aTHX_ b, second, false);
}

static void slot_sub(pTHX_ struct binding_slot *s, const struct bind_system *system)
{
	GV *gv = system->stash ? find_handler(aTHX_ s->b, s->t, system->autoload) : NULL;
	const struct etype *called = s->t;
	struct etype second;
	char name[BIND_NAME];

	if (!gv) {
		gv = find_second(aTHX_ s->b, s->t, &second);
		called = gv ? &second : s->t;
	}
	/*
	 * A sub that was undefined keeps its place: it may be defined again.  Not if its name is
	 * now that of something that no event may call.
	 */
	if (!gv && s->old && s->old->kind == BIND_SUB && !priv_has_body(GvCV(s->old->gv)))
		gv = s->old->gv;
	if (!gv)
		return;
	bind_name(called, name, sizeof(name), NULL);
	slot_add(aTHX_ s, BIND_SUB, gv, NULL, name);
}

static void slot_stable(pTHX_ struct binding_slot *s)
{
	struct bind *b = s->b;
	char name[BIND_NAME];
	size_t i;

	for (i = 0; i < b->nstable_subs; i++) {
		const struct stable_event *ev = b->stable_subs[i].event;
		int from = stable_takes(ev, b->catalog, s->t);
		struct binding **at = s->tail, *it;

		if (from < 0)
			continue;
		snprintf(name, sizeof(name), "%s::%s", ev->system, ev->name);
		it = slot_add(aTHX_ s, BIND_STABLE, b->stable_subs[i].gv, NULL, name);
		if (!slot_map(s, it, ev, from))
			slot_drop(aTHX_ s, at);
	}
}

/* Handler H is for this type, but its filter, if it has one, may not bind. */
static void slot_named(pTHX_ struct binding_slot *s, struct named *h)
{
	struct binding **at = s->tail, *it;
	enum named_match match;
	unsigned from = 0;
	struct err e;
	bool lacks;

	match = h->dead ? NAMED_NO : named_matches(h, s->b->catalog, s->t, &from);
	if (match == NAMED_NO)
		return;
	it = slot_add(aTHX_ s, h->plan ? BIND_MEASURE : BIND_NAMED, NULL, h, NULL);
	if (match == NAMED_STABLE && !slot_map(s, it, h->stable, from)) {
		slot_drop(aTHX_ s, at);
		return;
	}
	/* A damaged format has no fields; that is reported when a record of the type is met. */
	if ((h->where || h->plan) && match == NAMED_RAW)
		etype_resolve(s->b->catalog, s->t, &e);
	if (h->where && !it->where)
		it->where = expr_test_bind(h->expr, it->type, &s->b->names, &lacks, &e);
	if (h->plan && !it->measure)
		it->measure = measure_new(h->plan, it->type, &e);
	if ((h->where && !it->where) || (h->plan && !it->measure))
		slot_drop(aTHX_ s, at);
}

/* perf gives trace_unhandled no samples without a format, such as cycles. */
static bool is_count_for_perf(const struct bind *b, const struct etype *t)
{
	return b->convention == CONVENTION_PERF && !t->format_len && !strcmp(t->system, "perf");
}

bool bind_type(pTHX_ struct bind *b, const struct etype *t, const struct bind_system *system)
{
	struct binding_slot s = { .b = b, .t = t, .old = b->bound[t->idx] };
	struct binding_slot fed = { .b = b, .t = t, .old = b->fed[t->idx] };
	size_t i;

	s.tail = &s.list;
	fed.tail = &fed.list;
	if (system->stash || t->lttng || s.old)
		slot_sub(aTHX_ & s, system);
	if (b->nstable_subs)
		slot_stable(aTHX_ & s);
	for (i = 0; i < b->nnamed; i++)
		slot_named(aTHX_ b->named[i]->plan ? &fed : &s, b->named[i]);
	if (!s.list && b->unhandled && !is_count_for_perf(b, t))
		slot_add(aTHX_ & s, BIND_UNHANDLED, b->unhandled, NULL, NULL);
	if (b->process)
		slot_add(aTHX_ & s, BIND_PROCESS, b->process, NULL, NULL);
	s.changed |= s.old || fed.old || fed.changed;
	b->bound[t->idx] = s.list;
	b->fed[t->idx] = fed.list;
	b->want[t->idx] = s.list || fed.list;
	/*
	 * Last: a destructor of an object that the script left in its arguments may run, and even
	 * exit.
	 */
	binding_free(aTHX_ s.old);
	binding_free(aTHX_ fed.old);
	return s.changed;
}

/* Report, once, the fields that SUB takes and T does not have. */
static void say_takes(struct bind *b, struct takes *takes, const struct etype *t)
{
	char list[500];
	size_t n = 0;
	unsigned i;

	if (takes->said)
		return;
	for (i = 0; i < takes->fields.n; i++)
		if (!args_has(t, takes->fields.v[i], true) && n < sizeof(list))
			n += snprintf(list + n, sizeof(list) - n, "%s%.64s", n ? ", " : "",
				      takes->fields.v[i]);
	if (!n)
		return;
	takes->said = true;
	note_say(b->notes, NOTE_WARN,
		 "sub %s takes fields that %s:%s does not have in this trace: they are undef: %s",
		 takes->sub, t->system, t->name, list);
}

/* Report, once, how the names of the sub's variables were matched. */
static void say_fit(struct bind *b, struct binding *it, const struct perf_fit *fit)
{
	char name[BIND_NAME];

	if (it->fit_said || !fit->by_name)
		return;
	it->fit_said = true;
	bind_name(it->type, name, sizeof(name), NULL);
	if (fit->old)
		note_say(b->notes, NOTE_WARN,
			 "sub %s takes no $common_callchain, which older versions of perf did not "
			 "pass: it gets its arguments by name%s%s",
			 name, *fit->missing ? "; " : "", fit->missing);
	else
		note_say(b->notes, NOTE_WARN,
			 "sub %s was written for %s of another kernel, with its fields in another "
			 "order: it gets them by name%s%s",
			 name, it->type->name, *fit->missing ? "; " : "", fit->missing);
}

static struct arg_plan *plan_perf(pTHX_ struct bind *b, struct binding *it, const CV *cv)
{
	struct sub_args *sub = mem_alloc(sizeof(*sub));
	struct perf_fit fit;

	/* The old plan is freed last: it may hold objects that the script left in it. */
	struct arg_plan *was = it->plan;

	subargs_look(aTHX_ cv, sub);
	/*
	 * The names that trace_unhandled has for its arguments do not refer to this event's fields.
	 */
	it->plan = args_perf(aTHX_ it->type, it->takes ? &it->takes->fields : NULL, sub,
			     it->kind == BIND_UNHANDLED ? NULL : &fit);
	it->root = priv_root(cv);
	it->subs = b->subs;
	free(sub);
	if (it->kind != BIND_UNHANDLED)
		say_fit(b, it, &fit);
	args_free(aTHX_ was);
	return it->plan;
}

struct arg_plan *bind_plan(pTHX_ struct bind *b, struct binding *it, const CV *cv)
{
	if (it->kind == BIND_PROCESS)
		it->plan = args_process(aTHX);
	else if (it->named)
		it->plan = args_named(aTHX_ it->type, &it->named->args, false);
	else if (b->convention == CONVENTION_PERF)
		plan_perf(aTHX_ b, it, cv);
	else if (it->takes)
		it->plan = args_named(aTHX_ it->type, &it->takes->fields, true);
	else
		it->plan = args_zed(aTHX_ it->type, it->kind == BIND_UNHANDLED);
	if (it->takes)
		say_takes(b, it->takes, it->type);
	return it->plan;
}

static bool is_word_of(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words) != 0)
		words++;
	return *words != NULL;
}

/*
 * Do the first variables of CV have the names used in all of perf's scripts?  However it fills
 * them: from a list, one after the other with shift, or by a signature.
 */
static bool is_of_perf(const CV *cv, const struct sub_args *sub)
{
	static const char *const first[] = { "event_name", "event", "name", "ev", NULL };
	static const char *const second[] = { "context", "ctx", NULL };
	const char *v[4];

	for (unsigned i = 0; i < 4; i++)
		v[i] = !sub->listed ? subargs_variable(cv, i) : i < sub->n ? sub->v[i].name : "";
	return (is_word_of(v[0], first) && is_word_of(v[1], second)) ||
	       (!strcmp(v[2], "common_cpu") && !strcmp(v[3], "common_secs"));
}

/* ... and those of process_event? */
static bool is_perfs_process(const CV *cv, const struct sub_args *sub)
{
	static const char *const third[] = { "sample", NULL };
	static const char *const second[] = { "attr", NULL };
	const char *v[3];

	for (unsigned i = 0; i < 3; i++)
		v[i] = !sub->listed ? subargs_variable(cv, i) : i < sub->n ? sub->v[i].name : "";
	return is_word_of(v[1], second) && is_word_of(v[2], third);
}

static void say_perf(struct bind *b, const char *package, const char *sub, const char *takes)
{
	b->convention = CONVENTION_PERF;
	b->handlers_changed = true;
	note_say(b->notes, NOTE_WARN,
		 "sub %s%s%s takes (%s, ...): the script is run as perf does (zedperl-perf(7)); "
		 "--perf confirms this, --zed turns it off",
		 package ? package : "", package ? "::" : "", sub, takes);
}

bool bind_convention(pTHX_ struct bind *b)
{
	struct sub_args *sub;
	GV *gv;
	unsigned i;

	if (b->convention != CONVENTION_OPEN)
		return false;
	sub = mem_alloc(sizeof(*sub));
	for (i = 0; i < b->nbound; i++) {
		const struct binding *it = b->bound[i];

		if (!it || !it->gv || it->takes)
			continue;
		subargs_look(aTHX_ GvCV(it->gv), sub);
		if (!is_of_perf(GvCV(it->gv), sub))
			continue;
		say_perf(b, it->kind == BIND_UNHANDLED ? NULL : HvNAME_get(GvSTASH(it->gv)),
			 GvNAME(it->gv), "$event_name, $context");
		break;
	}
	gv = bind_main(aTHX_ "main::process_event");
	if (gv && b->convention == CONVENTION_OPEN) {
		subargs_look(aTHX_ GvCV(gv), sub);
		if (is_perfs_process(GvCV(gv), sub))
			say_perf(b, NULL, "process_event", "$event, $attr, $sample");
	}
	free(sub);
	return b->convention == CONVENTION_PERF;
}
