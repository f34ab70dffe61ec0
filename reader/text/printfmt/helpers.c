// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * helpers: the functions that a print format may call.  Those of the kernel's headers
 * (__print_flags() with its table, __get_str(), __print_array() and the like), sizeof(), and those
 * that libtraceevent's plugins add.
 */
#include "reader/text/printfmt/parse_priv.h"

#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/printfmt/constants.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* Functions that plugins add: how many arguments, and which one is a pointer (-1: none). */
static const struct {
	const char *name;
	unsigned nargs;
	int pointer;
} functions[] = {
	{ "jbd2_dev_to_name", 1, -1 },	 { "jiffies_to_msecs", 1, -1 },
	{ "__le16_to_cpup", 1, 0 },	 { "scsi_trace_parse_cdb", 3, 1 },
	{ "xen_hypercall_name", 1, -1 }, { "is_writable_pte", 1, -1 },
};

/* { value, "name" }, ... up to the closing parenthesis. */
static enum tok parse_table(struct parser *p, struct pf_node *n, const char *delim)
{
	struct flag_table *table = arena_alloc(p->l.arena, sizeof(*table));
	struct flag_name *names = NULL;
	const struct pf_node *f = n->a;
	size_t cap = 0;
	enum tok t;

	do {
		struct pf_node *value = parser_node(p), *name = parser_node(p);
		const struct pf_node *whole;
		struct flag_name *e;
		int64_t v = 0;

		t = parser_item(p);
		if (!parser_is(p, t, T_OP, "{"))
			break;
		/* The kernel's compiler takes an empty entry, too, as the end of a table. */
		if (p->kernel) {
			t = parser_item(p);
			if (parser_is(p, t, T_OP, "}")) {
				t = parser_item(p);
				break;
			}
			t = grammar_expr(p, value, t);
		} else {
			t = parser_expr(p, value);
		}
		if (!parser_is(p, t, T_DELIM, ",")) {
			parser_fail(p, "a table entry without its name");
			break;
		}
		t = parser_arg(p, name);
		/* Some tables end with a "(void *)0". */
		while (name->kind == PF_CAST)
			name = name->a;
		if (!parser_is(p, t, T_OP, "}") ||
		    !(name->kind == PF_STRING || name->kind == PF_ATOM)) {
			parser_fail(p, "a table entry without its }");
			break;
		}
		whole = value;
		while (value->kind == PF_CAST)
			value = value->a;
		if (value->kind != PF_ATOM && value->kind != PF_STRING &&
		    !fmtconst_table(value, &v) && !p->kernel) {
			parser_fail(p, "a table entry that is no constant");
			break;
		}
		names = mem_grow(names, &cap, table->n + 1, sizeof(*names));
		e = &names[table->n++];
		e->tree = whole;
		e->value = value->kind == PF_OP ? (uint64_t)v : fmtconst_word(value->text);
		e->name = name->text;
		e->is_word = value->kind != PF_OP && !isdigit((unsigned char)*value->text) &&
			     *value->text != '-';
		t = parser_item(p);
	} while (parser_is(p, t, T_DELIM, ","));
	if (names) {
		struct flag_name *keep = arena_alloc(p->l.arena, table->n * sizeof(*keep));

		memcpy(keep, names, table->n * sizeof(*keep));
		table->names = keep;
	}
	free(names);
	if (p->l.why)
		return T_ERROR;
	if (!parser_is(p, t, T_DELIM, ")"))
		return parser_fail(p, "a table without its end");
	while (f && f->kind == PF_CAST)
		f = f->a;
	table->field = f && f->kind == PF_FIELD ? f->field : NULL;
	table->delim = delim;
	n->table = table;
	*p->tables = table;
	p->tables = (const struct flag_table **)&table->next;
	return parser_item(p);
}

enum tok parser_flags(struct parser *p, struct pf_node *n, bool flags)
{
	const char *delim = flags ? "" : NULL;
	enum tok t;

	n->kind = flags ? PF_FLAGS : PF_SYMBOLIC;
	n->a = parser_node(p);
	t = parser_arg(p, n->a);
	while (t == T_OP && !p->l.why)
		t = parser_op(p, n->a, t);
	if (!parser_is(p, t, T_DELIM, ","))
		return parser_fail(p, "a table without its value");
	if (flags) {
		t = parser_item(p);
		if (t == T_ITEM || t == T_STRING || t == T_CHAR) {
			delim = p->l.text;
			t = parser_item(p);
		}
		if (!parser_is(p, t, T_DELIM, ","))
			return parser_fail(p, "a table without its delimiter");
	}
	return parse_table(p, n, delim);
}

/* An expression that ends with the delimiter END. */
static struct pf_node *parse_until(struct parser *p, const char *end)
{
	struct pf_node *n = parser_node(p);
	enum tok t = parser_expr(p, n);

	if (!parser_is(p, t, T_DELIM, end)) {
		parser_fail(p, "a helper with too many or too few arguments");
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
	return p->l.why ? T_ERROR : parser_item(p);
}

/* A helper whose one argument is the bare name of a field. */
static enum tok parse_named(struct parser *p, struct pf_node *n, enum pf_kind kind)
{
	enum tok t;

	n->kind = kind;
	if (parser_token(p) != T_ITEM)
		return parser_fail(p, "a helper without its field");
	n->text = p->l.text;
	n->field = field_find(p->type, p->l.text);
	if (!n->field)
		return parser_fail(p, "a field that does not exist");
	if (!parser_is(p, parser_token(p), T_DELIM, ")"))
		return parser_fail(p, "a helper with too many arguments");
	t = parser_item(p);
	/* The library calls this an error, and leaks. */
	if (kind == PF_DYN && parser_is(p, t, T_OP, "["))
		return parser_fail(p, "an index behind __get_dynamic_array()");
	return t;
}

static enum tok parse_expect(struct parser *p, struct pf_node *n)
{
	enum tok t = parser_arg(p, n);

	if (!parser_is(p, t, T_DELIM, ",") || parser_token(p) != T_ITEM ||
	    !parser_is(p, parser_token(p), T_DELIM, ")"))
		return parser_fail(p, "__builtin_expect() that is none");
	return parser_item(p);
}

static bool size_is_new(const char *type)
{
	return strcmp(type, "int");
}

enum tok parser_sizeof(struct parser *p, struct pf_node *n)
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
	enum tok t = parser_item(p);
	char *text;

	if (parser_is(p, t, T_ITEM, "unsigned")) {
		t = parser_item(p);
		if (t != T_ITEM) {
			size = 4;
			goto out;
		}
	}
	if (t != T_ITEM)
		return parser_fail(p, "sizeof() without a type");
	if (!strcmp(p->l.text, "long")) {
		t = parser_item(p);
		size = long_size;
		if (!parser_is(p, t, T_ITEM, "long"))
			goto out;
		size = 8;
	} else if (!strcmp(p->l.text, "REC") && !(p->lacks & PF_LACKS_SIZEOF)) {
		const struct field *f;

		if (!parser_is(p, parser_item(p), T_OP, "->") || parser_token(p) != T_ITEM)
			return parser_fail(p, "sizeof() of no field");
		f = field_find(p->type, p->l.text);
		if (!f || f->dim)
			return parser_fail(p, "sizeof() of what has no size");
		size = f->size;
	} else {
		for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !size; i++)
			if (!strcmp(p->l.text, sizes[i].type))
				size = sizes[i].size;
		if (!size || (p->lacks & PF_LACKS_SIZEOF && size_is_new(p->l.text)))
			return parser_fail(p, "sizeof() of an unknown type");
	}
	t = parser_item(p);
out:
	if (!parser_is(p, t, T_DELIM, ")"))
		return parser_fail(p, "sizeof() without its end");
	text = arena_alloc(p->l.arena, 16);
	snprintf(text, 16, "%u", size);
	n->kind = PF_ATOM;
	n->text = text;
	return parser_item(p);
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
		struct pf_node *arg = parser_node(p), *inner;
		enum tok t = parser_arg(p, arg);

		if (!parser_is(p, t, T_DELIM, i + 1 < functions[which].nargs ? "," : ")"))
			return parser_fail(p, "a function with too many or too few arguments");
		/* A cast to anything but a pointer would cut the address. */
		for (inner = arg; inner->kind == PF_CAST && inner->a && is_pointer(inner->text);)
			inner = inner->a;
		if ((int)i == functions[which].pointer && inner->kind != PF_DYN)
			return parser_fail(p, "a function that would follow a wild pointer");
		*next = arg;
		next = &arg->next;
	}
	return parser_token(p);
}

enum tok parser_helper(struct parser *p, struct pf_node *n, const char *name)
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
		return parser_flags(p, n, true);
	if (!strcmp(name, "__print_symbolic"))
		return parser_flags(p, n, false);
	if (!strcmp(name, "__print_hex") || !strcmp(name, "__print_hex_str"))
		return parse_array(p, n, true);
	if (!strcmp(name, "__print_array"))
		return parse_array(p, n, false);
	if (!strcmp(name, "__builtin_expect"))
		return parse_expect(p, n);
	if (!strcmp(name, "sizeof"))
		return parser_sizeof(p, n);
	for (unsigned i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!strcmp(name, named[i].name))
			return parse_named(p, n, named[i].kind);
	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(name, functions[i].name))
			return parse_call(p, n, i);
	return parser_fail(p, "a function that is not known");
}
