// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parse: turns the text behind "print fmt:" into trees of the shape that libtraceevent gives
 * them, and refuses what it would die of while parsing: deep nesting, unknown fields, constants
 * divided by zero.  check.c then judges the trees.
 */
#include "reader/text/parse.h"

#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/constants.h"
#include "reader/text/lex.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 16 /* words of one atom: "unsigned long long" */
#define MAX_OPS 512  /* operators in a row; the library recurses for each */

struct parser {
	const struct etype *type;
	struct lexer l;
	unsigned depth, ops, lacks;
	const struct flag_table **tables;
};

/* Functions that the library's plugins bring: their number of arguments, and which is a pointer. */
static const struct {
	const char *name;
	unsigned nargs;
	int pointer;
} functions[] = {
	{ "jbd2_dev_to_name", 1, -1 },	 { "jiffies_to_msecs", 1, -1 },
	{ "__le16_to_cpup", 1, 0 },	 { "scsi_trace_parse_cdb", 3, 1 },
	{ "xen_hypercall_name", 1, -1 }, { "is_writable_pte", 1, -1 },
};

static enum tok fail(struct parser *p, const char *why)
{
	return lex_fail(&p->l, why);
}

static bool is(const struct parser *p, enum tok t, enum tok want, const char *text)
{
	return t == want && !strcmp(p->l.text, text);
}

static enum tok lex(struct parser *p)
{
	return lex_any(&p->l);
}

static enum tok lex_item(struct parser *p)
{
	return lex_line(&p->l);
}

static struct pf_node *node(struct parser *p)
{
	return arena_alloc(p->l.arena, sizeof(struct pf_node));
}

static const char *join(struct parser *p, const char *a, const char *between, const char *b)
{
	size_t n = strlen(a) + strlen(between) + strlen(b) + 1;
	char *text = arena_alloc(p->l.arena, n);

	snprintf(text, n, "%s%s%s", a, between, b);
	return text;
}

static void set_op(struct pf_node *n, const char *op)
{
	n->kind = PF_OP;
	snprintf(n->op, sizeof(n->op), "%s", op);
}

/*
 * The library's ranks: the greater, the nearer to the root.  -1: no operator that may follow a
 * value.
 */
static int rank(const char *op)
{
	static const struct {
		const char *op;
		int rank;
	} ranks[] = {
		{ "++", 3 }, { "--", 3 }, { "~", 4 },	{ "!", 4 },   { "*", 6 },   { "/", 6 },
		{ "%", 6 },  { "+", 7 },  { "-", 7 },	{ ">>", 8 },  { "<<", 8 },  { "<", 9 },
		{ ">", 9 },  { "<=", 9 }, { ">=", 9 },	{ "==", 10 }, { "!=", 10 }, { "&", 11 },
		{ "^", 12 }, { "|", 13 }, { "&&", 14 }, { "||", 15 }, { "?", 16 },
	};

	for (unsigned i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		if (!strcmp(op, ranks[i].op))
			return ranks[i].rank;
	return -1;
}

static enum tok parse_token(struct parser *p, struct pf_node *n, enum tok t);
static enum tok parse_op(struct parser *p, struct pf_node *n, enum tok t);

static enum tok parse_arg(struct parser *p, struct pf_node *n)
{
	return parse_token(p, n, lex(p));
}

/* An argument and the operators behind it. */
static enum tok parse_expr(struct parser *p, struct pf_node *n)
{
	enum tok t = parse_arg(p, n);

	return t == T_OP ? parse_op(p, n, t) : t;
}

static enum tok parse_cond(struct parser *p, struct pf_node *top)
{
	struct pf_node *colon = node(p), *left = node(p), *right = node(p);
	enum tok t = parse_arg(p, left);

	while (t == T_OP && strcmp(p->l.text, ":"))
		t = parse_op(p, left, t);
	if (!is(p, t, T_OP, ":"))
		return fail(p, "a ? without its :");
	set_op(colon, ":");
	colon->a = left;
	colon->b = right;
	t = parse_arg(p, right);
	top->b = colon;
	return t;
}

static bool binary(const char *op)
{
	return rank(op) >= 6 && strcmp(op, "?");
}

/* The operator in P->text, of which N is the left side, or which is unary in N. */
static enum tok parse_op_here(struct parser *p, struct pf_node *n)
{
	struct pf_node *left = node(p), *right = NULL;
	const char *op = p->l.text;
	int prio;
	enum tok t;

	if (n->kind == PF_OP && !n->a) {
		if (op[1] || !strchr("~!+-", op[0]))
			return fail(p, "an operator where a value should be");
		n->a = left;
		n->b = right = node(p);
		t = parse_arg(p, right);
	} else if (!strcmp(op, "?")) {
		*left = *n;
		set_op(n, "?");
		n->a = left;
		n->b = NULL;
		n->prio = 0;
		t = parse_cond(p, n);
	} else if (binary(op)) {
		*left = *n;
		set_op(n, op);
		n->a = left;
		n->b = NULL;
		n->prio = left->kind == PF_NONE ? 0 : rank(op);
		t = lex_item(p);
		if (!strcmp(op, "*") && is(p, t, T_DELIM, ")")) {
			/* "struct x *)": a type, not a product. */
			if (left->kind != PF_ATOM)
				return fail(p, "a pointer to something that is no type");
			*n = *left;
			n->text = join(p, left->text, " ", "*");
			return t;
		}
		right = node(p);
		t = parse_token(p, right, t);
		if (t == T_ERROR)
			return t;
		if (right->kind == PF_OP && rank(n->op) < rank(right->op)) {
			struct pf_node tmp;

			n->b = right->a;
			tmp = *n;
			*n = *right;
			*right = tmp;
			n->a = right;
		} else {
			n->b = right;
		}
	} else if (!strcmp(op, "[")) {
		struct pf_node *index = node(p);

		*left = *n;
		set_op(n, "[");
		n->a = left;
		n->prio = 0;
		t = parse_arg(p, index);
		if (!is(p, t, T_OP, "]"))
			return fail(p, "a [ without its ]");
		n->b = index;
		t = lex_item(p);
	} else {
		return fail(p, "an unknown operator");
	}
	if (t != T_OP || !strcmp(p->l.text, ":"))
		return t;
	prio = rank(p->l.text);
	if (prio < 0)
		return fail(p, "an operator that cannot stand there");
	if (prio > n->prio || !right)
		return parse_op(p, n, t);
	return parse_op(p, right, t);
}

static enum tok parse_op(struct parser *p, struct pf_node *n, enum tok t)
{
	if (++p->ops > MAX_OPS)
		return fail(p, "too many operators in a row");
	t = parse_op_here(p, n);
	p->ops--;
	return t;
}

/* Behind "REC": "->name", or the ")" of "(REC)->name". */
static enum tok parse_entry(struct parser *p, struct pf_node *n)
{
	enum tok t = lex_item(p);

	if (is(p, t, T_DELIM, ")"))
		return T_ITEM;
	if (!is(p, t, T_OP, "->") || lex(p) != T_ITEM)
		return fail(p, "REC without a field");
	n->kind = PF_FIELD;
	n->text = p->l.text;
	n->field = field_find(p->type, p->l.text);
	/* The library dies of these inside of __print_flags. */
	if (!n->field)
		return fail(p, "a field that does not exist");
	return lex(p);
}

static enum tok parse_paren(struct parser *p, struct pf_node *n)
{
	enum tok t = parse_expr(p, n);

	if (is(p, t, T_ITEM, ")"))
		return parse_entry(p, n);
	if (!is(p, t, T_DELIM, ")"))
		return fail(p, "a ( without its )");
	t = lex_item(p);
	if (t == T_ITEM || t == T_STRING || t == T_CHAR || is(p, t, T_DELIM, "(")) {
		struct pf_node *item = node(p);

		if (n->kind != PF_ATOM && n->kind != PF_STRING)
			return fail(p, "a cast to something that is no type");
		n->kind = PF_CAST;
		n->a = item;
		t = parse_token(p, item, t);
	}
	return t;
}

/* { value, "name" }, ... up to what is no entry. */
static enum tok parse_table(struct parser *p, struct pf_node *n, const char *delim)
{
	struct flag_table *table = arena_alloc(p->l.arena, sizeof(*table));
	struct flag_name *names = NULL;
	const struct pf_node *f = n->a;
	size_t cap = 0;
	enum tok t;

	do {
		struct pf_node *value = node(p), *name = node(p);
		struct flag_name *e;
		int64_t v;

		t = lex_item(p);
		if (!is(p, t, T_OP, "{"))
			break;
		t = parse_expr(p, value);
		if (!is(p, t, T_DELIM, ",")) {
			fail(p, "a table entry without its name");
			break;
		}
		t = parse_arg(p, name);
		/* "(void *)0" ends the tables of some. */
		while (name->kind == PF_CAST)
			name = name->a;
		if (!is(p, t, T_OP, "}") || !(name->kind == PF_STRING || name->kind == PF_ATOM)) {
			fail(p, "a table entry without its }");
			break;
		}
		while (value->kind == PF_CAST)
			value = value->a;
		if (value->kind != PF_ATOM && value->kind != PF_STRING &&
		    !fmtconst_table(value, &v)) {
			fail(p, "a table entry that is no constant");
			break;
		}
		names = mem_grow(names, &cap, table->n + 1, sizeof(*names));
		e = &names[table->n++];
		e->value = value->kind == PF_OP ? (uint64_t)v : fmtconst_word(value->text);
		e->name = name->text;
		e->is_word = value->kind != PF_OP && !isdigit((unsigned char)*value->text) &&
			     *value->text != '-';
		t = lex_item(p);
	} while (is(p, t, T_DELIM, ","));
	if (names) {
		struct flag_name *keep = arena_alloc(p->l.arena, table->n * sizeof(*keep));

		memcpy(keep, names, table->n * sizeof(*keep));
		table->names = keep;
	}
	free(names);
	if (p->l.why)
		return T_ERROR;
	if (!is(p, t, T_DELIM, ")"))
		return fail(p, "a table without its end");
	while (f && f->kind == PF_CAST)
		f = f->a;
	table->field = f && f->kind == PF_FIELD ? f->field : NULL;
	table->delim = delim;
	n->table = table;
	*p->tables = table;
	p->tables = (const struct flag_table **)&table->next;
	return lex_item(p);
}

static enum tok parse_flags(struct parser *p, struct pf_node *n, bool flags)
{
	const char *delim = flags ? "" : NULL;
	enum tok t;

	n->kind = flags ? PF_FLAGS : PF_SYMBOLIC;
	n->a = node(p);
	t = parse_arg(p, n->a);
	while (t == T_OP && !p->l.why)
		t = parse_op(p, n->a, t);
	if (!is(p, t, T_DELIM, ","))
		return fail(p, "a table without its value");
	if (flags) {
		t = lex_item(p);
		if (t == T_ITEM || t == T_STRING || t == T_CHAR) {
			delim = p->l.text;
			t = lex_item(p);
		}
		if (!is(p, t, T_DELIM, ","))
			return fail(p, "a table without its delimiter");
	}
	return parse_table(p, n, delim);
}

/* An expression that ends with the delimiter END. */
static struct pf_node *parse_until(struct parser *p, const char *end)
{
	struct pf_node *n = node(p);
	enum tok t = parse_expr(p, n);

	if (!is(p, t, T_DELIM, end)) {
		fail(p, "a helper with too many or too few arguments");
		return NULL;
	}
	return n;
}

static enum tok parse_array(struct parser *p, struct pf_node *n, bool hex)
{
	n->kind = hex ? PF_HEX : PF_ARRAY;
	n->a = parse_until(p, ",");
	if (n->a)
		n->b = parse_until(p, hex ? ")" : ",");
	if (!hex && n->b)
		n->c = parse_until(p, ")");
	return p->l.why ? T_ERROR : lex_item(p);
}

/* A helper whose one argument is the bare name of a field. */
static enum tok parse_named(struct parser *p, struct pf_node *n, enum pf_kind kind)
{
	enum tok t;

	n->kind = kind;
	if (lex(p) != T_ITEM)
		return fail(p, "a helper without its field");
	n->text = p->l.text;
	n->field = field_find(p->type, p->l.text);
	if (!n->field)
		return fail(p, "a field that does not exist");
	if (!is(p, lex(p), T_DELIM, ")"))
		return fail(p, "a helper with too many arguments");
	t = lex_item(p);
	/* The library takes this for an error, and leaks. */
	if (kind == PF_DYN && is(p, t, T_OP, "["))
		return fail(p, "an index behind __get_dynamic_array()");
	return t;
}

static enum tok parse_expect(struct parser *p, struct pf_node *n)
{
	enum tok t = parse_arg(p, n);

	if (!is(p, t, T_DELIM, ",") || lex(p) != T_ITEM || !is(p, lex(p), T_DELIM, ")"))
		return fail(p, "__builtin_expect() that is none");
	return lex_item(p);
}

static bool size_is_new(const char *type)
{
	return strcmp(type, "int");
}

static enum tok parse_sizeof(struct parser *p, struct pf_node *n)
{
	static const struct {
		const char *type;
		unsigned size;
	} sizes[] = {
		{ "int", 4 },	{ "__u64", 8 }, { "u64", 8 },	{ "__s64", 8 }, { "s64", 8 },
		{ "__u32", 4 }, { "u32", 4 },	{ "__s32", 4 }, { "s32", 4 },	{ "__u16", 2 },
		{ "u16", 2 },	{ "__s16", 2 }, { "s16", 2 },	{ "__u8", 1 },	{ "u8", 1 },
		{ "__8", 1 },	{ "s8", 1 },
	};
	unsigned size = 0, long_size = p->type->machine ? p->type->machine->long_size : 8;
	enum tok t = lex_item(p);
	char *text;

	if (is(p, t, T_ITEM, "unsigned")) {
		t = lex_item(p);
		if (t != T_ITEM) {
			size = 4;
			goto out;
		}
	}
	if (t != T_ITEM)
		return fail(p, "sizeof() without a type");
	if (!strcmp(p->l.text, "long")) {
		t = lex_item(p);
		size = long_size;
		if (!is(p, t, T_ITEM, "long"))
			goto out;
		size = 8;
	} else if (!strcmp(p->l.text, "REC") && !(p->lacks & PF_LACKS_SIZEOF)) {
		const struct field *f;

		if (!is(p, lex_item(p), T_OP, "->") || lex(p) != T_ITEM)
			return fail(p, "sizeof() of no field");
		f = field_find(p->type, p->l.text);
		if (!f || f->dim)
			return fail(p, "sizeof() of what has no size");
		size = f->size;
	} else {
		for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !size; i++)
			if (!strcmp(p->l.text, sizes[i].type))
				size = sizes[i].size;
		if (!size || (p->lacks & PF_LACKS_SIZEOF && size_is_new(p->l.text)))
			return fail(p, "sizeof() of an unknown type");
	}
	t = lex_item(p);
out:
	if (!is(p, t, T_DELIM, ")"))
		return fail(p, "sizeof() without its end");
	text = arena_alloc(p->l.arena, 16);
	snprintf(text, 16, "%u", size);
	n->kind = PF_ATOM;
	n->text = text;
	return lex_item(p);
}

static bool is_pointer(const char *type)
{
	return *type && type[strlen(type) - 1] == '*';
}

static enum tok parse_call(struct parser *p, struct pf_node *n, unsigned which)
{
	struct pf_node **next = &n->a;

	n->kind = PF_FUNC;
	n->text = functions[which].name;
	for (unsigned i = 0; i < functions[which].nargs; i++) {
		struct pf_node *arg = node(p), *inner;
		enum tok t = parse_arg(p, arg);

		if (!is(p, t, T_DELIM, i + 1 < functions[which].nargs ? "," : ")"))
			return fail(p, "a function with too many or too few arguments");
		/* A cast to anything but a pointer would cut the address. */
		for (inner = arg; inner->kind == PF_CAST && inner->a && is_pointer(inner->text);)
			inner = inner->a;
		if ((int)i == functions[which].pointer && inner->kind != PF_DYN)
			return fail(p, "a function that would follow a wild pointer");
		*next = arg;
		next = &arg->next;
	}
	return lex(p);
}

static enum tok parse_function(struct parser *p, struct pf_node *n, const char *name)
{
	static const struct {
		const char *name;
		enum pf_kind kind;
	} named[] = {
		{ "__get_str", PF_GET_STR },
		{ "__get_rel_str", PF_GET_STR },
		{ "__get_bitmask", PF_BITMASK },
		{ "__get_rel_bitmask", PF_BITMASK },
		{ "__get_cpumask", PF_BITMASK },
		{ "__get_rel_cpumask", PF_BITMASK },
		{ "__get_dynamic_array", PF_DYN },
		{ "__get_rel_dynamic_array", PF_DYN },
		{ "__get_sockaddr", PF_DYN },
		{ "__get_sockaddr_rel", PF_DYN },
		{ "__get_rel_sockaddr", PF_DYN },
		{ "__get_dynamic_array_len", PF_DYN_LEN },
		{ "__get_rel_dynamic_array_len", PF_DYN_LEN },
	};

	if (!strcmp(name, "__print_flags"))
		return parse_flags(p, n, true);
	if (!strcmp(name, "__print_symbolic"))
		return parse_flags(p, n, false);
	if (!strcmp(name, "__print_hex") || !strcmp(name, "__print_hex_str"))
		return parse_array(p, n, true);
	if (!strcmp(name, "__print_array"))
		return parse_array(p, n, false);
	if (!strcmp(name, "__builtin_expect"))
		return parse_expect(p, n);
	if (!strcmp(name, "sizeof"))
		return parse_sizeof(p, n);
	for (unsigned i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!strcmp(name, named[i].name))
			return parse_named(p, n, named[i].kind);
	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(name, functions[i].name))
			return parse_call(p, n, i);
	return fail(p, "a function that is not known");
}

static enum tok parse_word(struct parser *p, struct pf_node *n)
{
	const char *word = p->l.text;
	unsigned words = 1;
	enum tok t;

	if (!strcmp(word, "REC"))
		return parse_entry(p, n);
	t = lex_item(p);
	if (is(p, t, T_DELIM, "("))
		return parse_function(p, n, word);
	for (; t == T_ITEM; t = lex_item(p)) {
		if (++words > MAX_WORDS)
			return fail(p, "too many words in a row");
		word = join(p, word, " ", p->l.text);
	}
	n->kind = PF_ATOM;
	n->text = word;
	return t;
}

static enum tok parse_token_here(struct parser *p, struct pf_node *n, enum tok t)
{
	char *number;

	switch (t) {
	case T_ITEM:
		return parse_word(p, n);
	case T_STRING:
		n->kind = PF_STRING;
		n->text = p->l.text;
		return lex_item(p);
	case T_CHAR:
		number = arena_alloc(p->l.arena, 16);
		snprintf(number, 16, "%d", p->l.text[0]);
		n->kind = PF_ATOM;
		n->letter = true;
		n->text = number;
		return lex_item(p);
	case T_DELIM:
		if (p->l.text[0] == '(')
			return parse_paren(p, n);
		/* fall through */
	case T_OP:
		set_op(n, p->l.text);
		n->a = NULL;
		return parse_op(p, n, t);
	default:
		return fail(p, "an argument that is missing");
	}
}

static enum tok parse_token(struct parser *p, struct pf_node *n, enum tok t)
{
	if (p->l.why)
		return T_ERROR;
	if (++p->depth > PF_MAX_DEPTH + p->ops)
		return fail(p, "nesting too deep");
	t = parse_token_here(p, n, t);
	p->depth--;
	return t;
}

static int parse_args(struct parser *p, struct printfmt *pf)
{
	struct pf_node **next = &pf->args;
	enum tok t;

	do {
		struct pf_node *n = node(p);

		t = parse_expr(p, n);
		if (p->l.why)
			return -1;
		*next = n;
		next = &n->next;
		while (t == T_NEWLINE)
			t = lex_item(p);
		if (t != T_END && !is(p, t, T_DELIM, ","))
			return fail(p, "something behind an argument"), -1;
		if (fmtconst_zero_divisor(n))
			return fail(p, "a division by zero"), -1;
	} while (t != T_END);
	return 0;
}

/* Old ftrace formats name no arguments: they are the fields. */
static void fields_as_args(struct parser *p, struct printfmt *pf)
{
	const struct etype *t = p->type;
	struct pf_node **next = &pf->args;

	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		struct pf_node *n = node(p);

		n->kind = PF_FIELD;
		n->field = &t->fields[i];
		n->text = n->field->name;
		*next = n;
		next = &n->next;
	}
}

static int parse_text(struct parser *p, struct printfmt *pf)
{
	enum tok t = lex_item(p);

	if (t != T_STRING)
		return fail(p, "no format string"), -1;
	pf->text = p->l.text;
	while ((t = lex_item(p)) == T_STRING) {
		pf->text = join(p, pf->text, "", p->l.text);
		if (p->l.tokens > 64)
			return fail(p, "too many strings"), -1;
	}
	if (p->l.why)
		return -1;
	if (t == T_END) {
		if (!strcmp(p->type->system, "ftrace"))
			fields_as_args(p, pf);
		return 0;
	}
	if (!is(p, t, T_DELIM, ","))
		return fail(p, "something behind the format string"), -1;
	return parse_args(p, pf);
}

static struct printfmt *parse(const struct etype *t, unsigned lacks, struct arena *a,
			      const char **why)
{
	struct printfmt *pf = arena_alloc(a, sizeof(*pf));
	struct parser p = {
		.type = t,
		.tables = &pf->tables,
		.lacks = lacks,
		.l = { .arena = a, .p = t->print, .end = t->print + t->print_len },
	};

	pf->type = t;
	pf->lacks = lacks;
	*why = NULL;
	if (!t->print_len || t->print_len > PF_MAX_SIZE || memchr(t->print, 0, t->print_len)) {
		fail(&p, t->print_len ? "too long a format" : "no format");
	} else {
		p.l.buf = mem_alloc(t->print_len + 1);
		parse_text(&p, pf);
		free(p.l.buf);
	}
	*why = p.l.why;
	return pf;
}

struct printfmt *printfmt_parse(const struct etype *t, unsigned lacks, struct arena *a,
				const char **why)
{
	struct printfmt *pf = parse(t, lacks, a, why);

	if (*why)
		return NULL;
	for (const struct flag_table *table = pf->tables; table; table = table->next)
		for (unsigned i = 0; i < table->n; i++)
			pf->table_steps += table->names[i].is_word ? PF_WORD_STEPS : 1;
	return pf;
}

const struct flag_table *printfmt_tables(const struct etype *t, struct arena *a)
{
	const char *why;

	/* A format that goes wrong further on still has the tables that stand before. */
	return parse(t, 0, a, &why)->tables;
}

const struct pf_node *printfmt_args(const struct etype *t, struct arena *a)
{
	const char *why;

	return parse(t, 0, a, &why)->args;
}
