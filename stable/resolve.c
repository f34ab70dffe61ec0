// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve: finds on one raw type, for each field of a stable event, the first available source, and
 * makes a step from it; or says why there is none.
 */
#include "base/plain.h"
#include "trace/field.h"
#include "trace/lttng_event.h"
#include "trace/machine.h"
#include "stable/step.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SHOWN 12 /* entries of a table in a field's source */

struct resolver {
	struct stable_map *m;
	const struct desc_item *it;
	const struct field *open; /* of the stable event, for its kind */
	const struct stable_expr *x;
	struct err *e;
	/* why no alternative fits: "has no field 'a' or 'b'" */
	char missing[256];
	char why[256];
	/* notes on the one that fits */
	char more[512];
};

enum { NOT_HERE, BOUND }; /* results for an alternative; -1: refused, with E */

__attribute__((format(printf, 2, 3))) static int not_here(struct resolver *b, const char *fmt, ...)
{
	va_list ap;

	if (b->why[0])
		return NOT_HERE;
	va_start(ap, fmt);
	vsnprintf(b->why, sizeof(b->why), fmt, ap);
	va_end(ap);
	return NOT_HERE;
}

__attribute__((format(printf, 2, 3))) static int refuse(struct resolver *b, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(b->e, ERR_USAGE, ERR_NO_OFF, "%s:%s %s", b->m->raw->system, b->m->raw->name,
		       text);
}

__attribute__((format(printf, 2, 3))) static void say_more(struct resolver *b, const char *fmt, ...)
{
	size_t n = strlen(b->more);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(b->more + n, sizeof(b->more) - n, fmt, ap);
	va_end(ap);
}

/* The raw field NAME, or NULL; then it is noted as missing. */
static const struct field *raw_field(struct resolver *b, const char *name)
{
	const struct field *f = field_find(b->m->raw, name);
	size_t n = strlen(b->missing);

	if (!f)
		snprintf(b->missing + n, sizeof(b->missing) - n, "%s'%s'", n ? " or " : "", name);
	return f;
}

static const char *kind_text(const struct field *f)
{
	switch (f->kind) {
	case FIELD_STR:
		return "a text";
	case FIELD_BYTES:
		return "bytes";
	case FIELD_ARRAY:
		return "an array of numbers";
	case FIELD_BITMASK:
		return "a mask of CPUs";
	case FIELD_NONE:
		return "nothing";
	}
	return "a number";
}

static int other_kind(struct resolver *b, const struct field *f, const char *want)
{
	return not_here(b, "has %s in '%s', where %s is promised", kind_text(f), f->name, want);
}

/* Do HAVE bits fit into the promised size? */
static int check_width(struct resolver *b, const char *name, unsigned have)
{
	if (have <= b->it->size)
		return BOUND;
	if (!b->x->clip)
		return refuse(b, "has %u bit%s in '%s', '%s' promises %u: say clip", have,
			      plural(have), name, b->it->name, b->it->size);
	say_more(b, " (clipped to %u bit%s)", b->it->size, plural(b->it->size));
	return BOUND;
}

static struct num *num_of(struct num *n, const struct field *f)
{
	n->op = NUM_RAW;
	n->size = f->size;
	n->swap = f->swap;
	n->is_signed = f->is_signed;
	n->off = f->off;
	n->field = f;
	return n;
}

/* The numeric raw field NAME into N. */
static int bind_raw_number(struct resolver *b, const char *name, struct num *n)
{
	const struct field *f = raw_field(b, name);

	if (!f)
		return NOT_HERE;
	if (!field_is_int(f))
		return other_kind(b, f, "a number");
	num_of(n, f);
	return BOUND;
}

static int bind_mark(struct resolver *b, const struct stable_term *t, struct num *n)
{
	int rc = bind_raw_number(b, t->name, n);

	if (rc != BOUND)
		return rc;
	n->op = NUM_MARK;
	n->is_signed = false;
	n->value = mark_read(b->m->raw, n->field);
	if (!n->value)
		return not_here(b, "marks nothing in '%s' by its print format", t->name);
	say_more(b, ": bits 0x%llx", (unsigned long long)n->value);
	return BOUND;
}

/* LTTng's event of one system call: its name says what others have in their field id. */
static bool is_call(const struct resolver *b, const char *name)
{
	const struct lttng_event *l = b->m->raw->lttng;

	return l && (l->call_name || l->call_field) && !strcmp(name, "id");
}

static int bind_call_number(struct resolver *b, struct num *n)
{
	if (b->m->raw->lttng->call_field) {
		num_of(n, b->m->raw->lttng->call_field);
		say_more(b, ": that of the call that its task entered");
		return BOUND;
	}
	n->op = NUM_CONST;
	n->value = (uint64_t)b->m->raw->lttng->call_nr;
	say_more(b, ": %lld, of the event's name", (long long)n->value);
	return BOUND;
}

/* A request's letters: a mask in LTTng's events. */
static int bind_rw(struct resolver *b, const struct stable_term *t, struct num *n)
{
	n->op = NUM_RW;
	n->field = raw_field(b, t->name);
	if (!n->field)
		return NOT_HERE;
	if (n->field->kind == FIELD_STR)
		return BOUND;
	if (!b->m->raw->lttng || !field_is_int(n->field))
		return other_kind(b, n->field, "a text");
	num_of(n, n->field);
	n->op = NUM_MARK;
	n->is_signed = false;
	n->value = LTTNG_RWBS_WRITE | LTTNG_RWBS_DISCARD | LTTNG_RWBS_FLUSH;
	say_more(b, ": bits 0x%llx", (unsigned long long)n->value);
	return BOUND;
}

static bool is_from(const struct stable_map *m, const char *name)
{
	const char *colon = strchr(name, ':');
	size_t n = colon ? (size_t)(colon - name) : 0;

	return !strcmp(colon ? colon + 1 : name, m->raw->name) &&
	       (!colon || (strlen(m->raw->system) == n && !memcmp(m->raw->system, name, n)));
}

/* T as a number. */
static int bind_number(struct resolver *b, const struct stable_term *t, struct num *n)
{
	int rc;

	n->times = t->times;
	switch (t->op) {
	case TERM_FIELD:
		if (is_call(b, t->name))
			return bind_call_number(b, n);
		rc = bind_raw_number(b, t->name, n);
		return rc != BOUND || t->be64 ? rc : check_width(b, t->name, 8 * n->size);
	case TERM_PRIO:
		rc = bind_raw_number(b, t->name, n);
		if (rc == BOUND && b->m->raw->lttng) {
			n->plus = LTTNG_PRIO;
			say_more(b, ": and %d, which LTTng subtracts", LTTNG_PRIO);
		}
		return rc != BOUND || t->be64 ? rc : check_width(b, t->name, 8 * n->size);
	case TERM_PID:
		n->op = NUM_PID;
		return t->be64 ? BOUND : check_width(b, "common_pid", 32);
	case TERM_CPU:
		n->op = NUM_CPU;
		return t->be64 ? BOUND : check_width(b, "common_cpu", 32);
	case TERM_MARK:
		return bind_mark(b, t, n);
	case TERM_RW:
		return bind_rw(b, t, n);
	}
	n->op = NUM_CONST;
	n->value = t->num;
	if (t->op == TERM_FROM) {
		n->value = is_from(b->m, t->name);
		say_more(b, ": %u", (unsigned)n->value);
	}
	return BOUND;
}

static int bind_numbers(struct resolver *b, const struct stable_alt *alt, struct stable_step *s)
{
	struct num *nums = arena_alloc(&b->m->arena, alt->n * sizeof(*nums));

	s->op = STEP_NUM;
	s->nums = nums;
	s->nnums = alt->n;
	s->constant = true;
	for (unsigned i = 0; i < alt->n; i++) {
		int rc = bind_number(b, &alt->terms[i], &nums[i]);

		if (rc != BOUND)
			return rc;
		s->constant &= nums[i].op == NUM_CONST;
	}
	if (alt->terms[0].be64)
		s->op = STEP_BE64;
	return BOUND;
}

static int bind_letter(struct resolver *b, const struct stable_term *t, struct stable_step *s)
{
	struct letters *letters = arena_alloc(&b->m->arena, sizeof(*letters));
	struct num *n = arena_alloc(&b->m->arena, sizeof(*n));
	int rc = bind_raw_number(b, t->name, n);

	if (rc != BOUND)
		return rc;
	if (!letters_read(b->m->raw, n->field, letters))
		return not_here(b, "names no letters for '%s' in its print format", t->name);
	n->is_signed = false;
	s->op = STEP_LETTER;
	s->nums = n;
	s->letters = letters;
	say_more(b, ": ");
	for (unsigned i = 0; i < letters->n && i < MAX_SHOWN; i++)
		say_more(b, "%llu %c, ",
			 letters->numbered ? __builtin_ctzll(letters->of[i].bits) + 1ull :
					     (unsigned long long)letters->of[i].bits,
			 letters->of[i].letter);
	say_more(b, "%selse %c", letters->n > MAX_SHOWN ? "..., " : "", letters->none);
	return BOUND;
}

/* A field of one character. */
static int bind_byte(struct resolver *b, const struct stable_term *t, struct stable_step *s)
{
	const struct field *f;

	if (t->op == TERM_LETTER)
		return bind_letter(b, t, s);
	s->op = STEP_BYTE;
	if (t->op == TERM_STR) {
		s->text = t->str;
		s->len = 1;
		s->constant = true;
		return BOUND;
	}
	f = s->field = raw_field(b, t->name);
	if (!f)
		return NOT_HERE;
	if (f->size != 1)
		return refuse(b, "has %s of %u bytes in '%s', '%s' promises one letter",
			      kind_text(f), f->size, f->name, b->it->name);
	return f->kind == FIELD_STR || field_is_int(f) ? BOUND : other_kind(b, f, "a letter");
}

/* Does the array F, with items of ELEM bytes, fit into the promised one? */
static int check_count(struct resolver *b, const struct field *f)
{
	unsigned have = f->loc == FIELD_AT ? f->size / f->elem : 0;

	if (b->it->kind != DESC_ARRAY || have <= b->it->count)
		return BOUND;
	if (!b->x->clip)
		return refuse(b, "has %u item%s in '%s', '%s' promises %u: say clip", have,
			      plural(have), f->name, b->it->name, b->it->count);
	say_more(b, " (clipped to %u)", b->it->count);
	return BOUND;
}

static int set_text(struct stable_step *s, const char *text, size_t len)
{
	s->str = STR_CONST;
	s->text = text;
	s->len = len;
	s->constant = true;
	return BOUND;
}

/* The names of numbers: symbol(), syscall(). */
static int bind_name_of(struct resolver *b, const struct stable_term *t, struct stable_step *s)
{
	const struct lttng_event *l = b->m->raw->lttng;
	struct num *n = arena_alloc(&b->m->arena, sizeof(*n));
	char machine[64];
	int rc;

	if (t->op == TERM_SYSCALL && is_call(b, t->name) && l->call_name) {
		say_more(b, ": %s, of the event's name", l->call_name);
		return set_text(s, l->call_name, strlen(l->call_name));
	}
	rc = is_call(b, t->name) ? bind_call_number(b, n) : bind_raw_number(b, t->name, n);
	if (rc != BOUND)
		return rc;
	s->nums = n;
	if (t->op == TERM_SYMBOL) {
		s->str = STR_SYMBOL;
		s->names = symbols_read(b->m->raw, n->field, &b->m->arena, &s->nnames);
		say_more(b, s->nnames ? ": " : ": numbers (its print format has no names)");
		for (unsigned i = 0; i < s->nnames && i < MAX_SHOWN; i++)
			say_more(b, "%s%llu %s", i ? ", " : "",
				 (unsigned long long)s->names[i].value, s->names[i].name);
		say_more(b, s->nnames > MAX_SHOWN ? ", ..." : "");
		return BOUND;
	}
	s->str = STR_SYSCALL;
	sysnames_arch(b->m->raw->machine, machine, sizeof(machine));
	if (!machine[0])
		say_more(b, ": numbers (the trace does not name its machine)");
	else if (sysnames_of_machine(&b->m->sysnames, b->m->raw->machine, machine, &b->m->arena))
		say_more(b, ": names of %s", machine);
	else
		say_more(b, ": numbers (no names are known for %s)", machine);
	return BOUND;
}

/* LTTng's mask, in letters. */
static int bind_rwbs(struct resolver *b, const struct field *f, struct stable_step *s)
{
	s->str = STR_RWBS;
	s->nums = num_of(arena_alloc(&b->m->arena, sizeof(struct num)), f);
	say_more(b, ": the letters of its bits");
	return BOUND;
}

static int bind_text(struct resolver *b, const struct stable_term *t, struct stable_step *s)
{
	const struct field *f;

	s->op = STEP_STR;
	switch (t->op) {
	case TERM_COMM:
		s->str = STR_COMM;
		return BOUND;
	case TERM_STR:
		return set_text(s, t->str, t->len);
	case TERM_SYMBOL:
	case TERM_SYSCALL:
		return bind_name_of(b, t, s);
	}
	f = s->field = raw_field(b, t->name);
	s->str = STR_FIELD;
	if (!f)
		return NOT_HERE;
	if (b->m->raw->lttng && field_is_int(f) && !strcmp(f->name, "rwbs"))
		return bind_rwbs(b, f, s);
	if (f->kind != FIELD_STR)
		return other_kind(b, f, "a text");
	return check_count(b, f);
}

static int bind_array(struct resolver *b, const struct stable_term *t, struct stable_step *s)
{
	const struct field *f = raw_field(b, t->name);
	int rc;

	s->op = STEP_ARRAY;
	s->field = f;
	if (!f)
		return NOT_HERE;
	if (f->kind != FIELD_ARRAY && f->kind != FIELD_BYTES &&
	    (f->kind != FIELD_STR || b->open->kind != FIELD_BYTES))
		return other_kind(b, f, b->open->kind == FIELD_BYTES ? "bytes" : "an array");
	rc = check_width(b, f->name, 8 * f->elem);
	return rc == BOUND ? check_count(b, f) : rc;
}

static int bind_alt(struct resolver *b, const struct stable_alt *alt, struct stable_step *s)
{
	const struct stable_term *t = alt->terms;
	enum field_kind want = b->open->kind;

	b->more[0] = '\0';
	memset(s, 0, sizeof(*s));
	if (want == FIELD_INT || want == FIELD_UINT || t->be64)
		return bind_numbers(b, alt, s);
	if (want == FIELD_STR)
		return b->it->kind == DESC_FIELD ? bind_byte(b, t, s) : bind_text(b, t, s);
	return bind_array(b, t, s);
}

/* Why no alternative of the current field fits. */
static const char *reason(const struct resolver *b, char *buf, size_t size)
{
	if (b->missing[0])
		snprintf(buf, size, "has no field %s", b->missing);
	else
		snprintf(buf, size, "%s", b->why);
	return buf;
}

__attribute__((format(printf, 3, 4))) static void set_source(struct resolver *b, unsigned i,
							     const char *fmt, ...)
{
	char text[1024], plain[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	plain_text(plain, sizeof(plain), text);
	b->m->sources[i] = arena_strndup(&b->m->arena, plain, strlen(plain));
}

/* The step for field I.  NOT_HERE: this trace has no source, and the definition allows that. */
static int bind_item(struct resolver *b, unsigned i, struct stable_step *s)
{
	struct stable_alt given = { .terms = &b->x->value, .n = 1 };
	char why[600];

	if (b->it->kind == DESC_ABSENT) {
		set_source(b, i, "nothing: absent by its description");
		return NOT_HERE;
	}
	for (unsigned j = 0; j < b->x->n; j++) {
		int rc = bind_alt(b, &b->x->alts[j], s);

		if (rc == NOT_HERE)
			continue;
		if (rc == BOUND)
			set_source(b, i, "%s%s", b->x->alts[j].text, b->more);
		return rc;
	}
	reason(b, why, sizeof(why));
	switch (b->x->default_kind) {
	case DEFAULT_UNDEF:
		set_source(b, i, "nothing: %s %s", b->m->raw->name, why);
		return NOT_HERE;
	case DEFAULT_VALUE:
		TRY(bind_alt(b, &given, s));
		if (b->x->value.op == TERM_STR)
			set_source(b, i, "\"%s\" (%s %s)", b->x->value.str, b->m->raw->name, why);
		else
			set_source(b, i, "%s%llu (%s %s)", b->x->value.neg ? "-" : "",
				   (unsigned long long)(b->x->value.neg ? -b->x->value.num :
									  b->x->value.num),
				   b->m->raw->name, why);
		return BOUND;
	}
	return refuse(b, "%s", why);
}

int stablebind(struct stable_map *m, struct err *e)
{
	const struct desc *full = &m->ev->desc;

	m->steps = arena_alloc(&m->arena, full->n * sizeof(*m->steps));
	m->sources = arena_alloc(&m->arena, full->n * sizeof(*m->sources));
	for (unsigned i = 0; i < full->n; i++) {
		struct stable_step *s = &m->steps[m->nsteps];
		struct resolver b = {
			.m = m,
			.it = &full->items[i],
			.open = &full->fields[i],
			.x = m->ev->exprs[i],
			.e = e,
		};
		int rc = bind_item(&b, i, s);

		if (rc < 0)
			return -1;
		if (rc == BOUND) {
			s->item = i;
			m->nsteps++;
		}
	}
	return 0;
}
