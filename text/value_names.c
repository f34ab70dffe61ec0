// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * value_names: the names of numbers in records, field by field: steps made from parts of the print
 * format, and the table of system calls.
 */
#include "text/value_names.h"

#include "base/mem.h"
#include "text/field_value.h"
#include "text/steps/steps.h"
#include "trace/field.h"
#include "trace/names/syscalls.h"

#include <stdlib.h>

/* Maximum bytes of print formats that are compiled, as in the engine. */
#define COMPILED_MAX (4u << 20)

#define HEX_MAX 18 /* "0x" and 64 bits */

/* The calls of a machine. */
struct machine_calls {
	struct machine_calls *next;
	const struct machine *machine;
	struct sysnames names;
};

struct type_names {
	bool any;
	unsigned nfields;
	const struct field *call; /* the number of a system call, or NULL */
	const struct sysnames *calls;
	struct steps *steps[]; /* by field */
};

struct value_names {
	struct arena arena;
	struct machine_calls *calls;
	struct type_names **types; /* by index of the type */
	size_t ntypes;
	size_t compiled; /* bytes of print formats */
};

struct value_names *value_names_new(void)
{
	return mem_zalloc(sizeof(struct value_names));
}

void value_names_free(struct value_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->ntypes; i++)
		for (unsigned k = 0; n->types[i] && k < n->types[i]->nfields; k++)
			steps_free(n->types[i]->steps[k]);
	free(n->types);
	arena_fini(&n->arena);
	free(n);
}

/* ---- system calls ---- */

static const struct sysnames *calls_of(struct value_names *n, struct machine *m)
{
	struct machine_calls *c = n->calls;
	char arch[64];

	while (c && c->machine != m)
		c = c->next;
	if (!c) {
		c = arena_alloc(&n->arena, sizeof(*c));
		c->machine = m;
		c->next = n->calls;
		n->calls = c;
		sysnames_arch(m, arch, sizeof(arch));
		sysnames_of_machine(&c->names, m, arch, &n->arena);
	}
	return &c->names;
}

/* The field of T with the number of a system call; NULL: none. */
static const struct field *call_field(const struct etype *t)
{
	bool raw = !strcmp(t->system, "raw_syscalls");

	if (!raw && strcmp(t->system, "syscalls") != 0)
		return NULL;
	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		const struct field *f = &t->fields[i];

		/* "nr" before Linux 4.8. */
		if (field_is_int(f) && !f->dim &&
		    (raw ? !strcmp(f->name, "id") :
			   !strcmp(f->name, "__syscall_nr") || !strcmp(f->name, "nr")))
			return f;
	}
	return NULL;
}

/* ---- types ---- */

static bool has_flags(const struct field *f)
{
	return f->kind == FIELD_UINT && f->more;
}

static struct type_names *look_at(struct value_names *n, const struct etype *t)
{
	struct type_names *x = arena_alloc(&n->arena,
					   sizeof(*x) + t->nfields * sizeof(struct steps *));

	x->nfields = t->nfields;
	for (unsigned i = 0; i < t->nfields; i++)
		x->any |= has_flags(&t->fields[i]);
	if (!t->known || !t->format_len || !t->machine)
		return x;
	x->call = call_field(t);
	if (x->call)
		x->calls = calls_of(n, t->machine);
	n->compiled += t->print_len;
	if (n->compiled <= COMPILED_MAX)
		steps_compile_names(t, x->steps, &n->arena);
	x->any |= x->call != NULL;
	for (unsigned i = 0; i < t->nfields; i++)
		x->any |= x->steps[i] != NULL;
	return x;
}

const struct type_names *value_names_of(struct value_names *n, const struct etype *t)
{
	if (t->idx >= n->ntypes)
		n->types = mem_grow_zeroed(n->types, &n->ntypes, (size_t)t->idx + 1,
					   sizeof(*n->types));
	if (!n->types[t->idx])
		n->types[t->idx] = look_at(n, t);
	return n->types[t->idx]->any ? n->types[t->idx] : NULL;
}

/* ---- values ---- */

static bool put_call(const struct type_names *t, const struct event *ev, struct outbuf *o)
{
	const struct field *f = t->call;
	int64_t nr = field_load_signed(ev->data + f->off, f->size, f->swap);
	const char *name = nr < 0 ? NULL : sysnames_of(t->calls, nr);

	if (name)
		out_str(o, name);
	return name;
}

/* A print format shows a number without a name as a hexadecimal one. */
static bool is_name(const char *p, size_t len)
{
	return len && !(len > 1 && len <= HEX_MAX && p[0] == '0' && p[1] == 'x');
}

bool value_name_any(const struct type_names *names, const struct etype *t, unsigned i)
{
	return names->steps[i] || names->call == &t->fields[i] || has_flags(&t->fields[i]);
}

bool value_name_put(const struct type_names *t, unsigned i, const struct event *ev,
		    struct outbuf *o)
{
	const struct field *f = &ev->type->fields[i];
	const struct steps *s = t->steps[i];
	size_t from = o->len;

	if (has_flags(f)) {
		value_flags(o, f, field_scalar(f, ev));
		if (is_name(o->p + from, o->len - from) && o->p[from] != '0')
			return true;
		o->len = from;
		return false;
	}
	if (t->call == f)
		return put_call(t, ev, o);
	if (s && steps_run(s, ev, o, steps_text_max(ev->size)) &&
	    is_name(o->p + from, o->len - from))
		return true;
	o->len = from;
	return false;
}
