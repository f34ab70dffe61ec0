// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compiles a print format to its steps, once for a type: each conversion of the format string with
 * its argument is a step, with the text before it.  A choice between strings becomes jumps between
 * steps, so no step has a string as its value.
 */
#include "text/steps/steps.h"

#include "base/ascii.h"
#include "trace/machine.h"
#include "text/printfmt/form.h"
#include "text/printfmt/named_parts.h"
#include "text/printfmt/printfmt_parse.h"
#include "text/steps/escape.h"
#include "text/steps/steps_priv.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_STEPS 1024	 /* of a print format */
#define MAX_ENTRIES 4096 /* of all its tables */
#define MAX_NEST 32	 /* of ?: between strings */

struct compiler {
	struct steps *s;
	struct arena *arena;   /* holds the result */
	struct arena *scratch; /* holds the trees: freed after compiling */
	struct outbuf text;    /* literal text for the next step */
	unsigned entries, nest;
	const char *why, *untold;
};

static bool fail(struct compiler *c, const char *why)
{
	if (!c->why)
		c->why = why;
	return false;
}

static unsigned long_size(const struct compiler *c)
{
	return c->s->type->machine ? c->s->type->machine->long_size : 8;
}

/* ---- text ---- */

static const char *unescaped(struct compiler *c, const char *text, size_t *len)
{
	char *out = arena_alloc(c->arena, strlen(text) + 1);
	size_t n = 0;

	while (*text)
		out[n++] = escape_next(&text);
	*len = n;
	return out;
}

/* ---- steps ---- */

static struct step *add(struct compiler *c, enum step_op op)
{
	struct steps *s = c->s;
	struct step *step;
	char *text;

	if (s->n == MAX_STEPS) {
		fail(c, "too many steps");
		s->n--;
	}
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	step = &s->v[s->n++];
	memset(step, 0, sizeof(*step));
	step->op = op;
	text = arena_alloc(c->arena, c->text.len + STEP_TEXT_SHORT);
	if (c->text.len)
		memcpy(text, c->text.p, c->text.len);
	step->text = text;
	step->text_len = c->text.len;
	c->text.len = 0;
	return step;
}

/* Pending text belongs to the previous step: a jump to here must not skip it. */
static unsigned here(struct compiler *c)
{
	if (c->text.len)
		add(c, STEP_LITERAL);
	return c->s->n;
}

static struct step_more *more(struct compiler *c, struct step *s)
{
	struct step_more *m = arena_alloc(c->arena, sizeof(*m));

	s->more = m;
	return m;
}

static bool operand(struct compiler *c, const struct pf_node *n, struct operand *o)
{
	if (n && code_compile(&c->s->code, n, o))
		return true;
	return fail(c, c->s->code.why ? c->s->code.why : "fewer arguments than conversions");
}

static bool number(struct compiler *c, const struct pf_node *n, struct operand *o)
{
	if (!operand(c, n, o))
		return false;
	return !o->type.bytes || fail(c, "an address where a number should be");
}

/* Bytes of the record: of a named field, or the target of an expression. */
static bool bytes(struct compiler *c, const struct pf_node *n, struct step *s)
{
	const struct code *code = &c->s->code;
	struct operand o;

	if (!operand(c, n, &o))
		return false;
	if (!o.type.bytes)
		return fail(c, "data at an address of the kernel");
	s->a = o;
	s->field = code_only_field(code, &o);
	return true;
}

static bool is_name(const struct pf_node *n, const char *a, const char *b)
{
	return n->kind == PF_FUNC && (!strcmp(n->text, a) || !strcmp(n->text, b));
}

/* ---- tables ---- */

static int by_value(const void *a, const void *b)
{
	const struct table_entry *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static bool table(struct compiler *c, const struct pf_node *n, struct step *s)
{
	const struct flag_table *from = n->table;
	bool wide = long_size(c) == 8 || strstr(n->text, "_u64");
	struct step_more *m = more(c, s);
	struct table_entry *v, *to;
	size_t len;

	if (!from || (c->entries += from->n) > MAX_ENTRIES)
		return fail(c, "tables that are too long");
	v = to = arena_alloc(c->arena, (from->n + 1) * sizeof(*v));
	for (unsigned i = 0; i < from->n; i++) {
		struct code code = { .type = c->s->type };
		const struct flag_name *e = &from->names[i];
		struct operand o;

		/* A 0 in place of a name ends the table. */
		if (!strcmp(e->name, "0") || !strcmp(e->name, "NULL"))
			break;
		if (code_compile(&code, e->tree, &o) && o.from == OPERAND_CONST) {
			to->value = wide ? o.value : (uint32_t)o.value;
			to->name = unescaped(c, e->name, &len);
			to->len = len;
			to->place = i;
			to++;
		}
		free(code.ops);
	}
	m->table.n = to - v;
	if (n->kind == PF_SYMBOLIC)
		qsort(v, m->table.n, sizeof(*v), by_value);
	m->table.v = v;
	m->table.delim = from->delim ? unescaped(c, from->delim, &len) : "";
	m->table.wide = wide;
	return number(c, n->a, &s->a);
}

/* ---- strings ---- */

static bool string(struct compiler *c, const struct pf_node *n);

static bool choice(struct compiler *c, const struct pf_node *n)
{
	unsigned test, end, target;
	struct step *s;

	if (++c->nest > MAX_NEST)
		return fail(c, "nesting too deep");
	s = add(c, STEP_JZ);
	if (!operand(c, n->a, &s->a))
		return false;
	test = c->s->n - 1;
	if (!string(c, n->b->a))
		return false;
	/* Literal text of the first side goes before the jump. */
	add(c, STEP_JUMP);
	end = c->s->n - 1;
	c->s->v[test].jump = c->s->n;
	if (!string(c, n->b->b))
		return false;
	target = here(c);
	c->s->v[end].jump = target;
	c->nest--;
	return true;
}

/* The field that N, the first of some arguments, names. */
static const struct field *first_field(struct compiler *c, const struct pf_node *n)
{
	struct pf_node alone = *n;

	alone.next = NULL;
	return code_field(&c->s->code, &alone);
}

static bool array(struct compiler *c, const struct pf_node *n)
{
	struct step *s = add(c, STEP_ARRAY);
	struct step_more *m = more(c, s);

	if (!strcmp(n->text, "__print_array"))
		return n->a->next && bytes(c, n->a, s) && number(c, n->a->next, &m->b) &&
		       number(c, n->a->next->next, &m->c);
	/* __print_dynamic_array(field, size of an item): all that the field has */
	s->field = first_field(c, n->a);
	return s->field && number(c, n->a->next, &m->c);
}

static bool dump(struct compiler *c, const struct pf_node *n)
{
	const struct pf_node *args[7] = { n->a };
	struct step *s = add(c, STEP_DUMP);
	struct step_more *m = more(c, s);
	struct operand o[4];
	size_t len;

	for (unsigned i = 0; i < 7; i++) {
		if (i)
			args[i] = args[i - 1]->next;
		if (!args[i])
			return fail(c, "a helper with too few arguments");
	}
	if (args[0]->kind != PF_STRING)
		return fail(c, "a prefix that is not a string");
	m->prefix = unescaped(c, args[0]->text, &len);
	for (unsigned i = 0; i < 4; i++) {
		if (i < 1 && args[1]->kind == PF_ATOM && !ascii_digit(*args[1]->text)) {
			/* enum: DUMP_PREFIX_NONE, DUMP_PREFIX_ADDRESS, DUMP_PREFIX_OFFSET */
			o[0].value = strstr(args[1]->text, "OFFSET")  ? 2 :
				     strstr(args[1]->text, "ADDRESS") ? 1 :
									0;
			continue;
		}
		if (!number(c, args[i < 3 ? i + 1 : 6], &o[i]) || o[i].from != OPERAND_CONST)
			return fail(c, "a dump whose shape is not constant");
	}
	m->prefix_type = (int)o[0].value;
	m->row = o[1].value == 32 ? 32 : 16;
	m->group = o[2].value == 2 || o[2].value == 4 || o[2].value == 8 ? (int)o[2].value : 1;
	m->ascii = o[3].value;
	return bytes(c, args[4], s) && number(c, args[5], &m->b);
}

static bool helper(struct compiler *c, const struct pf_node *n, bool *is)
{
	struct step *s;
	bool cpus;

	*is = true;
	if (is_name(n, "__print_hex", "__print_hex_str")) {
		struct step_more *m;

		s = add(c, STEP_BYTES);
		m = more(c, s);
		m->joined = !strcmp(n->text, "__print_hex_str");
		return n->a && bytes(c, n->a, s) && number(c, n->a->next, &m->b);
	}
	if (is_name(n, "__print_array", "__print_dynamic_array"))
		return n->a && n->a->next && array(c, n);
	if (n->kind == PF_FUNC && !strcmp(n->text, "__print_hex_dump"))
		return dump(c, n);
	if (is_name(n, "scsi_trace_parse_cdb", "xen_hypercall_name")) {
		bool cdb = n->text[0] == 's';

		s = add(c, cdb ? STEP_CDB : STEP_XEN);
		/* The first argument of one of them is its output buffer. */
		return cdb ? n->a && n->a->next && bytes(c, n->a->next, s) : number(c, n->a, &s->a);
	}
	cpus = is_name(n, "__get_cpumask", "__get_rel_cpumask");
	if (cpus || is_name(n, "__get_bitmask", "__get_rel_bitmask")) {
		s = add(c, cpus && c->s->dialect == DIALECT_REPORT ? STEP_LIST : STEP_MASK);
		s->field = code_field(&c->s->code, n->a);
		return s->field ? true : fail(c, "a helper without its field");
	}
	*is = false;
	return true;
}

/* Steps that print N, an argument of %s. */
static bool string(struct compiler *c, const struct pf_node *n)
{
	const struct field *only;
	struct operand o;
	struct step *s;
	bool is;

	if (!n)
		return fail(c, "fewer arguments than conversions");
	switch (n->kind) {
	case PF_STRING:
		for (const char *p = n->text; *p;)
			out_char(&c->text, escape_next(&p));
		return true;
	case PF_FLAGS:
	case PF_SYMBOLIC:
		return table(c, n, add(c, n->kind == PF_FLAGS ? STEP_FLAGS : STEP_SYMBOLIC));
	case PF_FUNC:
		if (!helper(c, n, &is))
			return fail(c, c->s->code.why ? c->s->code.why :
							"a helper that is used wrongly");
		if (is)
			return true;
		break;
	case PF_CAST:
		if (strchr(n->text, '*'))
			return string(c, n->a);
		break;
	case PF_OP:
		if (!strcmp(n->op, "?"))
			return choice(c, n);
		break;
	default:
		break;
	}
	if (!operand(c, n, &o))
		return false;
	only = code_only_field(&c->s->code, &o);
	s = add(c, o.type.bytes ? STEP_STRING : STEP_KSTRING);
	s->a = o;
	s->field = only;
	return true;
}

/* ---- conversions ---- */

/* The argument of a conversion with STARS in it: these come first. */
static bool stars(struct compiler *c, const struct pf_node **arg, const struct spec *spec)
{
	struct step_more *m;
	struct step *s;

	if (!spec->star_width && !spec->star_prec)
		return true;
	s = add(c, STEP_STAR);
	m = more(c, s);
	if (spec->star_width) {
		if (!*arg || !number(c, *arg, &m->width))
			return fail(c, "a width without its argument");
		*arg = (*arg)->next;
	}
	if (spec->star_prec) {
		if (!*arg || !number(c, *arg, &m->prec))
			return fail(c, "a precision without its argument");
		*arg = (*arg)->next;
	}
	return true;
}

static bool text_conversion(struct compiler *c, const struct pf_node *arg, const struct spec *spec)
{
	bool fit = spec->width > 0 || spec->prec >= 0 || spec->star_width || spec->star_prec;

	if (fit)
		add(c, STEP_MARK);
	if (spec->letter == 's') {
		if (!string(c, arg))
			return false;
	} else {
		struct step *s = add(c, STEP_CHAR);

		if (!number(c, arg, &s->a))
			return false;
	}
	if (fit)
		add(c, STEP_FIT)->spec = *spec;
	return true;
}

static bool pointer_conversion(struct compiler *c, const struct pf_node *arg,
			       const struct spec *spec)
{
	enum pointer_of of = pointer_kind(spec->form);
	bool fit = of == POINTER_SYMBOL && (spec->width > 0 || spec->prec >= 0);
	struct step *s;

	if (of == POINTER_UNKNOWN)
		return fail(c, "a form of %p that is not known");
	if (fit)
		add(c, STEP_MARK);
	s = add(c, of == POINTER_SYMBOL ? STEP_SYMBOL : STEP_POINTER);
	s->spec = *spec;
	if (of == POINTER_BYTES) {
		if (!bytes(c, arg, s))
			return false;
	} else if (!number(c, arg, &s->a)) {
		return false;
	}
	if (fit)
		add(c, STEP_FIT)->spec = *spec;
	return true;
}

static bool one_argument(struct compiler *c, const struct pf_node *a, const struct spec *spec)
{
	struct step *s;

	if (spec->letter == 's' || spec->letter == 'c')
		return text_conversion(c, a, spec);
	if (spec->letter == 'p')
		return pointer_conversion(c, a, spec);
	s = add(c, STEP_NUMBER);
	s->spec = *spec;
	s->spec.bare_zero = c->s->dialect == DIALECT_REPORT;
	if (spec_is_bare(spec) && spec->base != 8)
		s->op = spec->base == 10 ? STEP_DEC : STEP_HEX;
	return number(c, a, &s->a);
}

/* The state before an argument, to return to. */
struct before {
	const char *text;
	size_t len;
	unsigned n, code;
};

static void go_back(struct compiler *c, const struct before *b)
{
	struct steps *s = c->s;

	s->code.untold = NULL;
	s->code.why = c->why = NULL;
	s->n = b->n;
	s->code.n = b->code;
	c->nest = 0;
	c->text.len = 0;
	out_bytes(&c->text, b->text, b->len);
}

/* "a function of the kernel: jiffies_to_msecs" */
static const char *what(struct compiler *c)
{
	char text[120];

	snprintf(text, sizeof(text), "%s: %.40s", c->why, c->s->code.untold);
	return arena_strndup(c->arena, text, strlen(text));
}

/* "jiffies_to_msecs(1250)": a function that only the kernel had, of a recorded number. */
static bool called(struct compiler *c, const struct pf_node *n)
{
	struct step *s;

	if (n->kind != PF_FUNC || !n->a || n->a->next)
		return false;
	out_str(&c->text, n->text);
	out_char(&c->text, '(');
	s = add(c, STEP_DEC);
	if (!number(c, n->a, &s->a))
		return false;
	s->spec = (struct spec){ .letter = 'd', .base = 10, .size = 8, .width = -1, .prec = -1 };
	s->spec.is_signed = s->a.type.is_signed;
	out_char(&c->text, ')');
	return true;
}

/*
 * An argument that only the traced kernel could compute is shown as "?", or by what it is computed
 * from: the rest of the text is more useful than raw fields.
 */
static bool conversion(struct compiler *c, const struct pf_node **arg, const struct spec *spec)
{
	struct steps *s = c->s;
	struct before b;
	const struct pf_node *a;

	if (!stars(c, arg, spec))
		return false;
	a = *arg;
	if (!a)
		return fail(c, "fewer arguments than conversions");
	*arg = a->next;
	b = (struct before){ .n = s->n, .code = s->code.n, .len = c->text.len };
	b.text = arena_strndup(c->scratch, b.len ? c->text.p : "", b.len);
	if (one_argument(c, a, spec))
		return true;
	if (!s->code.untold || s->code.why != c->why)
		return false;
	c->untold = what(c);
	go_back(c, &b);
	if (!called(c, a)) {
		go_back(c, &b);
		out_char(&c->text, '?');
	}
	return true;
}

static bool compile(struct compiler *c, const char *text, const struct pf_node *arg)
{
	bool kernel = c->s->dialect == DIALECT_KERNEL;
	struct spec spec;
	size_t len;

	if (kernel && probe_of_event(c->s->type)) {
		out_str(&c->text, "(?)");
		c->untold = "the event that it is attached to";
	}
	text = unescaped(c, text, &len);
	for (const char *p = text; p < text + len;) {
		/* Synthetic events: the kernel puts no comma between fields. */
		if (kernel && *p == ',' && p[1] == ' ' &&
		    !strcmp(c->s->type->system, "synthetic")) {
			p++;
			continue;
		}
		if (*p != '%') {
			out_char(&c->text, *p++);
			continue;
		}
		if (!spec_parse(&p, long_size(c), &spec))
			return fail(c, "a conversion that is not known");
		if (spec.letter == '%') {
			out_char(&c->text, '%');
			continue;
		}
		if (!conversion(c, &arg, &spec))
			return false;
	}
	if (c->text.len)
		add(c, STEP_LITERAL);
	if (kernel)
		probe_adapt(c->s);
	return !c->why;
}

/* PF, whose trees are in SCRATCH, as steps_compile() says. */
static struct steps *compile_format(const struct etype *type, enum dialect dialect,
				    const struct printfmt *pf, struct arena *a,
				    struct arena *scratch, const char **why)
{
	struct steps *s = arena_alloc(a, sizeof(*s));
	struct compiler c = { .s = s, .arena = a, .scratch = scratch };

	s->type = type;
	s->dialect = dialect;
	s->code.type = type;
	compile(&c, pf->text, pf->args);
	outbuf_fini(&c.text);
	*why = c.why ? c.why : c.untold;
	if (!c.why)
		return s;
	steps_free(s);
	return NULL;
}

struct steps *steps_compile(const struct etype *type, enum dialect dialect, const char *form,
			    struct arena *a, const char **why)
{
	struct arena scratch = { 0 };
	struct printfmt *pf = printfmt_parse(type, &scratch, why);
	struct steps *s = NULL;

	if (pf && form && *form)
		form_apply(pf, form, &scratch);
	if (pf)
		s = compile_format(type, dialect, pf, a, &scratch, why);
	arena_fini(&scratch);
	return s;
}

void steps_compile_names(const struct etype *type, struct steps **of, struct arena *a)
{
	struct arena scratch = { 0 };
	const struct pf_named *part = NULL;
	const struct printfmt *pf;
	const char *why;

	pf = printfmt_parse(type, &scratch, &why);
	if (pf)
		part = printfmt_named(pf, &scratch);
	for (; part; part = part->next) {
		struct steps *s = compile_format(type, DIALECT_REPORT, &part->part, a, &scratch,
						 &why);

		/* A name that depends on what only the traced kernel knew is none. */
		if (s && why)
			steps_free(s);
		else
			of[part->field - type->fields] = s;
	}
	arena_fini(&scratch);
}

void steps_free(struct steps *s)
{
	if (!s)
		return;
	free(s->v);
	free(s->code.ops);
	s->v = NULL;
	s->code.ops = NULL;
}
