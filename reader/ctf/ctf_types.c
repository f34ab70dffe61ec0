// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_types: the types of events of a CTF trace: compiles their layouts, and adds them to the
 * catalog under the names by which handlers know them.
 */
#include "base/suffix.h"
#include "reader/ctf/metadata/metadata.h"
#include "reader/ctf/trace.h"
#include "trace/field.h"
#include "trace/lttng_event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 1024 /* bytes of the name of a system or an event that are kept */

/* The clock that a step of PART sets. */
static const struct ctf_clock *clock_below(const struct ctf_step *st)
{
	const struct ctf_clock *k = st->clock ? st->class->clock : NULL;

	for (unsigned i = 0; i < st->nsub && !k; i++)
		k = clock_below(&st->sub[i]);
	return k;
}

static const struct ctf_clock *clock_of(const struct ctf_types *ty)
{
	const struct ctf_clock *k = clock_below(&ty->head.event_header.step);

	if (!k)
		k = clock_below(&ty->head.packet_context.step);
	return k || !ty->class ? k : ty->class->clock;
}

/*
 * NAME as system and name: "ros2:callback_start" as it is written, LTTng's of the kernel by a
 * table.  Others are of the system "ctf".
 */
static void split_name(const struct ctf_trace *trace, const char *name, char *system, char *own)
{
	const char *colon = strchr(name, ':');

	if (colon && colon > name && colon[1]) {
		snprintf(system, MAX_NAME, "%.*s", (int)(colon - name), name);
		snprintf(own, MAX_NAME, "%s", colon + 1);
	} else if (trace->is_kernel) {
		ctf_linux_name(name, system, MAX_NAME, own, MAX_NAME);
	} else {
		snprintf(system, MAX_NAME, "ctf");
		snprintf(own, MAX_NAME, "%s", name);
	}
}

/* The integer NAME among the N at FIELDS, or NULL. */
static const struct field *integer(const struct field *fields, unsigned n, const char *name)
{
	const struct field *f = field_find_in(fields, n, name);

	return f && field_is_int(f) && f->loc == FIELD_AT ? f : NULL;
}

/*
 * Where an event says by itself which task it is of, and which CPU: in LTTng's contexts (tid; vtid
 * is the number in the program's PID namespace), or in the fields that perf adds.
 */
static void find_task(const struct ctf_trace *trace, struct ctf_known *k)
{
	const struct ctf_layout *l = &k->layout;

	if (trace->is_perf) {
		k->tid = integer(l->fields, l->nfields, "perf_tid");
		k->cpu = integer(l->fields, l->nfields, "perf_cpu");
		return;
	}
	k->tid = integer(l->fields, l->nfields, CTF_CONTEXT "tid");
	k->tid_is_virtual = !k->tid;
	if (!k->tid)
		k->tid = integer(l->fields, l->nfields, CTF_CONTEXT "vtid");
	k->process = integer(l->fields, l->nfields, CTF_CONTEXT "pid");
	if (!k->process)
		k->process = integer(l->fields, l->nfields, CTF_CONTEXT "vpid");
	k->procname = field_find_in(l->fields, l->nfields, CTF_CONTEXT "procname");
	if (k->procname && k->procname->kind != FIELD_STR)
		k->procname = NULL;
}

/* ---- LTTng-UST ---- */

/* What K's events say of what a process has mapped, if that is needed. */
static void set_maps(struct ctf *t, struct ctf_known *k)
{
	const struct ctf_layout *l = &k->layout;

	k->says = t->maps ? ctf_maps_says(k->class->name) : SAYS_NOTHING;
	if (k->says == SAYS_NOTHING)
		return;
	k->base = integer(l->fields, l->nfields, "baddr");
	k->length = integer(l->fields, l->nfields, "memsz");
	k->path = field_find_in(l->fields, l->nfields, "path");
	if (k->path && k->path->kind != FIELD_STR)
		k->path = NULL;
	k->build_id = field_find_in(l->fields, l->nfields, "build_id");
	if (k->build_id && k->build_id->kind != FIELD_BYTES)
		k->build_id = NULL;
}

/* ---- LTTng's kernel tracer ---- */

/* What the event of tracefs' name SYSTEM:NAME says. */
static enum ctf_says says_of(const char *system, const char *name)
{
	static const struct {
		const char *system, *name;
		enum ctf_says says;
	} EVENTS[] = {
		{ "sched", "sched_switch", SAYS_SWITCH },
		{ LTTNG_SYSTEM, "lttng_statedump_process_state", SAYS_STATE },
		{ "irq", "irq_handler_entry", SAYS_IRQ_BEGINS },
		{ "irq", "irq_handler_exit", SAYS_IRQ_ENDS },
		{ "irq", "softirq_entry", SAYS_SOFTIRQ_BEGINS },
		{ "irq", "softirq_exit", SAYS_SOFTIRQ_ENDS },
		{ "timer", "hrtimer_expire_entry", SAYS_HRTIMER_BEGINS },
		{ "timer", "hrtimer_expire_exit", SAYS_HRTIMER_ENDS },
	};

	for (unsigned i = 0; i < sizeof(EVENTS) / sizeof(EVENTS[0]); i++)
		if (!strcmp(EVENTS[i].name, name) && !strcmp(EVENTS[i].system, system))
			return EVENTS[i].says;
	if (strcmp(system, "irq_vectors") != 0)
		return SAYS_NOTHING;
	return suffix_is(name, "_entry") ? SAYS_IRQ_BEGINS :
	       suffix_is(name, "_exit")	 ? SAYS_IRQ_ENDS :
					   SAYS_NOTHING;
}

/* Do LTTng's events of M say when a CPU is in an interrupt, and in a softirq? */
static bool has_irqs(const struct ctf_meta *m)
{
	bool irqs = false, softirqs = false;

	for (const struct ctf_event_class *ev = m->events; ev; ev = ev->next) {
		irqs |= !strcmp(ev->name, "irq_handler_entry");
		/* Before LTTng 2.7 without the system. */
		softirqs |= !strcmp(ev->name, "irq_softirq_entry") ||
			    !strcmp(ev->name, "softirq_entry");
	}
	return irqs && softirqs;
}

/* The fields of K's events, after ftrace's common_flags, for which their records get a byte. */
static void add_flags(struct ctf_trace *trace, struct ctf_known *k)
{
	struct ctf_layout *l = &k->layout;
	struct field *fields = arena_alloc(&trace->arena, (l->nfields + 1) * sizeof(*fields));

	fields[0] = (struct field){
		.name = "common_flags",
		.type = "unsigned char",
		.off = l->fixed,
		.size = 1,
		.elem = 1,
		.kind = FIELD_UINT,
		.loc = FIELD_AT,
	};
	memcpy(fields + 1, l->fields, l->nfields * sizeof(*fields));
	l->fields = fields;
	l->nfields++;
	l->fixed++;
	k->flags = fields;
}

/* Room in the records of K's events for the number of a call. */
static void add_call(struct ctf_trace *trace, struct ctf_known *k)
{
	struct field *f = arena_alloc(&trace->arena, sizeof(*f));

	*f = (struct field){
		.name = "id",
		.type = "long",
		.off = k->layout.fixed,
		.size = 8,
		.elem = 8,
		.kind = FIELD_INT,
		.loc = FIELD_AT,
		.is_signed = true,
	};
	k->layout.fixed += f->size;
	k->call = f;
}

/* The call that K's event L enters or leaves, where an exit does not say it. */
static void set_call(const struct ctf_trace *trace, struct ctf_known *k,
		     const struct lttng_event *l)
{
	const struct ctf_layout *of = &k->layout;

	if (!trace->hides_exits || l->call == LTTNG_NO_CALL || k->says != SAYS_NOTHING)
		return;
	k->says = l->call == LTTNG_ENTER ? SAYS_CALL_BEGINS : SAYS_CALL_ENDS;
	k->enters = l->call_name ? l->call_nr : -1;
	k->own_call = l->call_name ? NULL : integer(of->fields, of->nfields, "id");
}

/* An event of LTTng's kernel tracer, which is in the catalog. */
static void set_kernel(struct ctf *t, struct ctf_trace *trace, struct ctf_types *ty,
		       struct ctf_known *k, bool is_new)
{
	const char *release = ctf_env(trace->meta, "kernel_release");
	struct lttng_event *l = arena_alloc(&trace->arena, sizeof(*l));
	const struct etype *type = k->type;
	const struct ctf_layout *of = &k->layout;

	l->name = k->class->name;
	l->call_field = k->call;
	ctf_linux_call(t, l);
	if (is_new)
		catalog_set_lttng(t->catalog, (struct etype *)type, l, k->flags ? 1 : 0,
				  ctf_linux_print(type->system, type->name,
						  release ? release : ""));
	k->says = says_of(type->system, type->name);
	k->task = integer(of->fields, of->nfields, k->says == SAYS_SWITCH ? "prev_tid" : "tid");
	k->next = integer(of->fields, of->nfields, "next_tid");
	k->vec = integer(of->fields, of->nfields, "vec");
	set_call(trace, k, l);
	k->name = field_find_in(of->fields, of->nfields, "name");
	if (k->says != SAYS_SWITCH)
		return;
	ty->has_switch = true;
	/* There is no list of names: those in switches before the first question count as well. */
	comms_want(t->base.machine.comms);
}

static bool is_same_field(const struct field *a, const struct field *b)
{
	return !strcmp(a->name, b->name) && a->kind == b->kind && a->loc == b->loc &&
	       a->off == b->off && a->size == b->size && a->elem == b->elem &&
	       a->count == b->count && a->is_signed == b->is_signed && a->swap == b->swap &&
	       !a->more && !b->more;
}

/*
 * The type that EV had by older metadata, if its fields are those of L; or NULL.  Fields that are
 * made of others are not compared: their events get a new type.
 */
static const struct etype *type_before(const struct ctf_trace *trace,
				       const struct ctf_event_class *ev, const struct ctf_layout *l)
{
	for (const struct ctf_before *b = trace->before; b; b = b->next)
		for (unsigned i = 0; i < b->ntypes; i++) {
			const struct ctf_known *k;
			unsigned n = 0;

			if (b->types[i].class->id != ev->stream)
				continue;
			k = ctf_types_event(&b->types[i], ev->id);
			if (!k || strcmp(k->class->name, ev->name) != 0 ||
			    k->layout.nfields != l->nfields || k->layout.fixed != l->fixed)
				continue;
			while (n < l->nfields && is_same_field(&k->layout.fields[n], &l->fields[n]))
				n++;
			if (n == l->nfields)
				return k->type;
		}
	return NULL;
}

static void add_event(struct ctf *t, struct ctf_trace *trace, struct ctf_types *ty,
		      const struct ctf_event_class *ev)
{
	struct ctf_known *k = &ty->known[ty->n];
	char system[MAX_NAME], own[MAX_NAME];
	struct err e;
	bool is_new;

	if (ctf_types_event(ty, ev->id)) {
		note_say(t->notes, NOTE_WARN,
			 "%s: event %.80s has the number %" PRIu64
			 " of another: the first one counts",
			 t->base.in.path, ev->name, ev->id);
		return;
	}
	memset(k, 0, sizeof(*k));
	if (ctf_layout_compile(&k->layout, &trace->arena, &ty->head, trace->meta, ty->class, ev,
			       &t->left, &e) < 0) {
		err_within(&e, "event %.80s cannot be read", ev->name);
		err_path(&e, t->base.in.path);
		note_err(t->notes, NOTE_DAMAGE, &e);
		return;
	}
	split_name(trace, ev->name, system, own);
	if (trace->has_irqs)
		add_flags(trace, k);
	if (trace->hides_exits && ctf_is_exit_of_all(ev->name))
		add_call(trace, k);
	k->type = type_before(trace, ev, &k->layout);
	is_new = !k->type;
	if (is_new)
		k->type = catalog_add_fields(t->catalog, &t->base.machine, system, own,
					     (unsigned)ev->id, k->layout.fields, k->layout.nfields,
					     k->layout.fixed);
	k->id = ev->id;
	k->class = ev;
	ctf_stacks_find(k);
	if (!trace->is_kernel)
		set_maps(t, k);
	if (trace->is_kernel && !trace->is_perf)
		set_kernel(t, trace, ty, k, is_new);
	find_task(trace, k);
	index_begin(&ty->by_id);
	index_add(&ty->by_id, index_hash(&ty->by_id, k->id), ty->n);
	ty->n++;
	if (!t->any)
		t->any = k->type;
}

static bool make_types(struct ctf *t, struct ctf_trace *trace, struct ctf_types *ty,
		       const struct ctf_stream_class *class)
{
	struct err e;

	ty->class = class;
	if (ctf_head_compile(&ty->head, trace->meta, class, &t->left, &e) < 0) {
		err_within(&e, "stream %" PRIu64 " cannot be read", class->id);
		err_path(&e, t->base.in.path);
		note_err(t->notes, NOTE_DAMAGE, &e);
		ctf_head_fini(&ty->head);
		return false;
	}
	ty->clock = clock_of(ty);
	ty->known = mem_zalloc((trace->meta->nevents + 1) * sizeof(*ty->known));
	return true;
}

/* The types of TRACE are those of FROM, whose metadata it has. */
static void share_types(struct ctf_trace *trace, const struct ctf_trace *from)
{
	trace->head = from->head;
	trace->types = from->types;
	trace->ntypes = from->ntypes;
	trace->has_irqs = from->has_irqs;
	trace->hides_exits = from->hides_exits;
}

void ctf_types_make(struct ctf *t, struct ctf_trace *trace)
{
	struct ctf_meta *m = trace->meta;
	struct err e;

	if (!t->live && &t->traces[trace->like] != trace) {
		share_types(trace, &t->traces[trace->like]);
		return;
	}
	t->left += (unsigned)(m->size / CTF_PART_BYTES);
	trace->types = mem_zalloc((m->nstreams + 1) * sizeof(*trace->types));
	if (ctf_head_compile(&trace->head, m, NULL, &t->left, &e) < 0) {
		err_within(&e, "the header of packets cannot be read");
		err_path(&e, t->base.in.path);
		note_err(t->notes, NOTE_DAMAGE, &e);
		return;
	}
	trace->has_irqs = trace->is_kernel && !trace->is_perf && has_irqs(m);
	trace->hides_exits = trace->is_kernel && !trace->is_perf && ctf_calls_hide_exits(m);
	for (const struct ctf_stream_class *s = m->streams; s; s = s->next)
		trace->ntypes += make_types(t, trace, &trace->types[trace->ntypes], s);
	for (const struct ctf_event_class *ev = m->events; ev; ev = ev->next) {
		struct ctf_types *ty = (struct ctf_types *)ctf_types_of(trace, ev->stream);

		if (ty)
			add_event(t, trace, ty, ev);
		else
			note_say(t->notes, NOTE_WARN,
				 "%s: event %.80s is of stream %" PRIu64 ", which is not described",
				 t->base.in.path, ev->name, ev->stream);
	}
}

void ctf_types_renew(struct ctf *t, struct ctf_trace *trace, struct ctf_meta *meta)
{
	struct ctf_before *b = mem_alloc(sizeof(*b));

	*b = (struct ctf_before){ trace->before, trace->meta, trace->types, trace->ntypes };
	trace->before = b;
	trace->meta = meta;
	trace->types = NULL;
	trace->ntypes = 0;
	ctf_head_fini(&trace->head);
	memset(&trace->head, 0, sizeof(trace->head));
	ctf_types_make(t, trace);
}

static void free_types(struct ctf_types *types, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		ctf_head_fini(&types[i].head);
		index_fini(&types[i].by_id);
		free(types[i].known);
	}
	free(types);
}

void ctf_types_fini(struct ctf_trace *trace)
{
	free_types(trace->types, trace->ntypes);
	while (trace->before) {
		struct ctf_before *b = trace->before;

		trace->before = b->next;
		free_types(b->types, b->ntypes);
		ctf_metadata_free(b->meta);
		free(b);
	}
	ctf_head_fini(&trace->head);
	arena_fini(&trace->arena);
}

const struct ctf_types *ctf_types_of(const struct ctf_trace *trace, uint64_t id)
{
	for (unsigned i = 0; i < trace->ntypes; i++)
		if (trace->types[i].class->id == id)
			return &trace->types[i];
	return NULL;
}

const struct ctf_known *ctf_types_event(const struct ctf_types *types, uint64_t id)
{
	const struct hash_index *x = &types->by_id;
	uint32_t hash = index_hash(x, id), slot = index_home(x, hash), i;

	while (index_next(x, hash, &slot, &i))
		if (types->known[i].id == id)
			return &types->known[i];
	return NULL;
}
