// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * printfmt: turns the text behind "print fmt:" into trees of the shape that libtraceevent gives them,
 * and refuses what it would die of while parsing: deep nesting, unknown fields, constants divided by
 * zero.  printcheck.c then judges the trees.
 */
#include "printfmt.h"
#include "field.h"
#include "schema.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS 32768	/* tokens of a format */
#define MAX_WORDS 16		/* words of one atom: "unsigned long long" */
#define MAX_OPS 512		/* operators in a row; the library recurses for each */

enum tok { T_ERROR, T_END, T_NEWLINE, T_OP, T_DELIM, T_ITEM, T_STRING, T_CHAR };

struct parser {
	const struct etype *type;
	struct arena *arena;
	const char *p, *end;
	char *buf;		/* as long as the whole text: a string is put together here */
	const char *text;	/* of the token, NUL-terminated, in the arena */
	unsigned depth, ops, tokens, lacks;
	const char *why;
	const struct flag_table **tables;
};

/* Functions that the library's plugins bring: their number of arguments, and which is a pointer. */
static const struct { const char *name; unsigned nargs; int pointer; } functions[] = {
	{ "jbd2_dev_to_name", 1, -1 },
	{ "jiffies_to_msecs", 1, -1 },
	{ "__le16_to_cpup", 1, 0 },
	{ "scsi_trace_parse_cdb", 3, 1 },
	{ "xen_hypercall_name", 1, -1 },
	{ "is_writable_pte", 1, -1 },
};

static enum tok fail(struct parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return T_ERROR;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A string up to QUOTE, joined with those that follow it if it is a double quote. */
static enum tok lex_string(struct parser *p, char quote)
{
	char *out = p->buf, last = quote;

	for (;;) {
		const char *q;

		for (;; p->p++) {
			char c;

			if (p->p == p->end)
				return fail(p, "a string without its end");
			c = *p->p;
			if (c == quote && last != '\\')
				break;
			if (c != '\n' && !isprint((unsigned char)c))
				return fail(p, "a string with unprintable bytes");
			*out++ = c;
			last = c == '\\' && last == '\\' ? 0 : c;
		}
		p->p++;
		if (quote != '"')
			break;
		for (q = p->p; q < p->end && isspace((unsigned char)*q); q++)
			;
		if (q == p->end || *q != '"')
			break;
		p->p = q + 1;
		last = quote;
	}
	p->text = arena_strndup(p->arena, p->buf, out - p->buf);
	return quote == '"' ? T_STRING : T_CHAR;
}

static enum tok lex_op(struct parser *p)
{
	const char *s = p->p++;
	size_t left = p->end - s, n = 1;
	char c = *s, next = left > 1 ? s[1] : 0;

	switch (c) {
	case '-':
		if (next == '>') {
			n = 2;
			break;
		}
		/* fall through */
	case '+': case '|': case '&': case '<': case '>':
		if (next == c) {
			n = 2;
			if ((c == '<' || c == '>') && left > 2 && s[2] == '=')
				n = 3;
		} else if (next == '=') {
			n = 2;
		}
		break;
	case '!': case '=':
		n = next == '=' ? 2 : 1;
		break;
	}
	p->p = s + n;
	p->text = arena_strndup(p->arena, s, n);
	return T_OP;
}

/* The words that old mac80211 formats were left with, and what they stand for. */
static const char *macro_word(const char *word)
{
	if (!strcmp(word, "LOCAL_PR_FMT"))
		return "%s";
	if (!strcmp(word, "STA_PR_FMT"))
		return " sta:%pM";
	if (!strcmp(word, "VIF_PR_FMT"))
		return " vif:%p(%d)";
	return NULL;
}

/* The next token; a newline is one. */
static enum tok lex(struct parser *p)
{
	const char *s, *macro;
	char c;

	if (p->why)
		return T_ERROR;
	p->text = "";
	while (p->p < p->end && *p->p != '\n' && isspace((unsigned char)*p->p))
		p->p++;
	if (p->p == p->end)
		return T_END;
	if (++p->tokens > MAX_TOKENS)
		return fail(p, "too many words");
	s = p->p;
	c = *s;
	if (c == '\n') {
		p->p++;
		return T_NEWLINE;
	}
	if (c == '"' || c == '\'') {
		p->p++;
		return lex_string(p, c);
	}
	if (c == '(' || c == ')' || c == ',') {
		p->p++;
		p->text = c == '(' ? "(" : c == ')' ? ")" : ",";
		return T_DELIM;
	}
	if (is_word(c)) {
		while (p->p < p->end && is_word(*p->p))
			p->p++;
		p->text = arena_strndup(p->arena, s, p->p - s);
		macro = macro_word(p->text);
		if (!macro)
			return T_ITEM;
		p->text = macro;
		return T_STRING;
	}
	if (!isprint((unsigned char)c))
		return fail(p, "unprintable bytes");
	return lex_op(p);
}

/* The next token that is no newline. */
static enum tok lex_item(struct parser *p)
{
	enum tok t;

	do {
		t = lex(p);
	} while (t == T_NEWLINE);
	return t;
}

static bool is(const struct parser *p, enum tok t, enum tok want, const char *text)
{
	return t == want && !strcmp(p->text, text);
}

static struct pf_node *node(struct parser *p)
{
	return arena_alloc(p->arena, sizeof(struct pf_node));
}

static void set_op(struct pf_node *n, const char *op)
{
	n->kind = PF_OP;
	snprintf(n->op, sizeof(n->op), "%s", op);
}

/* The library's ranks: the greater, the nearer to the root.  -1: no operator that may follow a value. */
static int rank(const char *op)
{
	static const struct { const char *op; int rank; } ranks[] = {
		{ "++", 3 }, { "--", 3 }, { "~", 4 }, { "!", 4 }, { "*", 6 }, { "/", 6 }, { "%", 6 },
		{ "+", 7 }, { "-", 7 }, { ">>", 8 }, { "<<", 8 }, { "<", 9 }, { ">", 9 },
		{ "<=", 9 }, { ">=", 9 }, { "==", 10 }, { "!=", 10 }, { "&", 11 }, { "^", 12 },
		{ "|", 13 }, { "&&", 14 }, { "||", 15 }, { "?", 16 },
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

	while (t == T_OP && strcmp(p->text, ":"))
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
	const char *op = p->text;
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
			char *type;

			/* "struct x *)": a type, not a product. */
			if (left->kind != PF_ATOM)
				return fail(p, "a pointer to something that is no type");
			type = arena_alloc(p->arena, strlen(left->text) + 3);
			sprintf(type, "%s *", left->text);
			*n = *left;
			n->text = type;
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
	if (t != T_OP || !strcmp(p->text, ":"))
		return t;
	prio = rank(p->text);
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
	n->text = p->text;
	n->field = field_find(p->type, p->text);
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

static uint64_t atom_value(const struct pf_node *n)
{
	return strtoull(n->text, NULL, 0);
}

/* What the library computes for an entry of a table; false: it cannot. */
static bool table_value(const struct pf_node *n, int64_t *out)
{
	int64_t l = 0, r = 0;

	if (n->kind == PF_ATOM || n->kind == PF_STRING) {
		*out = strtoll(n->text, NULL, 0);
		return true;
	}
	if (n->kind == PF_CAST)
		return table_value(n->a, out);
	if (n->kind != PF_OP || !n->a || !n->b || !table_value(n->b, &r))
		return false;
	if (n->a->kind != PF_NONE && !table_value(n->a, &l))
		return false;
	if (n->a->kind == PF_NONE && !strchr("-+~", n->op[0]))
		return false;
	switch (n->op[0]) {
	case '|':
		*out = n->op[1] ? l || r : l | r;
		return true;
	case '&':
		*out = n->op[1] ? l && r : l & r;
		return true;
	case '<':
		*out = n->op[1] == '<' ? (int64_t)((uint64_t)l << (r & 63)) :
		       n->op[1] == '=' ? l <= r : l < r;
		return true;
	case '>':
		*out = n->op[1] == '>' ? l >> (r & 63) : n->op[1] == '=' ? l >= r : l > r;
		return true;
	case '=':
		*out = l == r;
		return n->op[1] == '=';
	case '!':
		*out = l != r;
		return n->op[1] == '=';
	case '-':
		*out = (int64_t)((uint64_t)l - (uint64_t)r);
		return true;
	case '+':
		*out = (int64_t)((uint64_t)l + (uint64_t)r);
		return true;
	case '~':
		*out = ~r;
		return true;
	}
	return false;
}

/* Names for numbers that kernels leave in tables as words (format.md 5.4). */
static uint64_t word_value(const char *word)
{
	static const char *const softirqs[] = {
		"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER",
		"RCU",
	};
	size_t n = strlen(word);

	if (isdigit((unsigned char)word[0]) || word[0] == '-')
		return strtoll(word, NULL, 0) < 0 ? (uint64_t)strtoll(word, NULL, 0) :
						    strtoull(word, NULL, 0);
	for (unsigned i = 0; i < sizeof(softirqs) / sizeof(softirqs[0]); i++) {
		size_t k = strlen(softirqs[i]);

		if (n == k + 8 && !memcmp(word, softirqs[i], k) && !strcmp(word + k, "_SOFTIRQ"))
			return i;
	}
	return !strcmp(word, "HRTIMER_RESTART");
}

/* { value, "name" }, ... up to what is no entry. */
static enum tok parse_table(struct parser *p, struct pf_node *n, const char *delim)
{
	struct flag_table *table = arena_alloc(p->arena, sizeof(*table));
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
		if (value->kind != PF_ATOM && value->kind != PF_STRING && !table_value(value, &v)) {
			fail(p, "a table entry that is no constant");
			break;
		}
		names = mem_grow(names, &cap, table->n + 1, sizeof(*names));
		e = &names[table->n++];
		e->value = value->kind == PF_OP ? (uint64_t)v : word_value(value->text);
		e->name = name->text;
		t = lex_item(p);
	} while (is(p, t, T_DELIM, ","));
	if (table->n) {
		struct flag_name *keep = arena_alloc(p->arena, table->n * sizeof(*keep));

		memcpy(keep, names, table->n * sizeof(*keep));
		table->names = keep;
	}
	free(names);
	if (p->why)
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
	while (t == T_OP && !p->why)
		t = parse_op(p, n->a, t);
	if (!is(p, t, T_DELIM, ","))
		return fail(p, "a table without its value");
	if (flags) {
		t = lex_item(p);
		if (t == T_ITEM || t == T_STRING || t == T_CHAR) {
			delim = p->text;
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
	return p->why ? T_ERROR : lex_item(p);
}

/* A helper whose one argument is the bare name of a field. */
static enum tok parse_named(struct parser *p, struct pf_node *n, enum pf_kind kind)
{
	enum tok t;

	n->kind = kind;
	if (lex(p) != T_ITEM)
		return fail(p, "a helper without its field");
	n->text = p->text;
	n->field = field_find(p->type, p->text);
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
	static const struct { const char *type; unsigned size; } sizes[] = {
		{ "int", 4 }, { "__u64", 8 }, { "u64", 8 }, { "__s64", 8 }, { "s64", 8 },
		{ "__u32", 4 }, { "u32", 4 }, { "__s32", 4 }, { "s32", 4 }, { "__u16", 2 },
		{ "u16", 2 }, { "__s16", 2 }, { "s16", 2 }, { "__u8", 1 }, { "u8", 1 }, { "__8", 1 },
		{ "s8", 1 },
	};
	unsigned size = 0, long_size = p->type->schema ? p->type->schema->long_size : 8;
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
	if (!strcmp(p->text, "long")) {
		t = lex_item(p);
		size = long_size;
		if (!is(p, t, T_ITEM, "long"))
			goto out;
		size = 8;
	} else if (!strcmp(p->text, "REC") && !(p->lacks & PF_LACKS_SIZEOF)) {
		const struct field *f;

		if (!is(p, lex_item(p), T_OP, "->") || lex(p) != T_ITEM)
			return fail(p, "sizeof() of no field");
		f = field_find(p->type, p->text);
		if (!f || f->dim)
			return fail(p, "sizeof() of what has no size");
		size = f->size;
	} else {
		for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !size; i++)
			if (!strcmp(p->text, sizes[i].type))
				size = sizes[i].size;
		if (!size || (p->lacks & PF_LACKS_SIZEOF && size_is_new(p->text)))
			return fail(p, "sizeof() of an unknown type");
	}
	t = lex_item(p);
out:
	if (!is(p, t, T_DELIM, ")"))
		return fail(p, "sizeof() without its end");
	text = arena_alloc(p->arena, 16);
	snprintf(text, 16, "%u", size);
	n->kind = PF_ATOM;
	n->text = text;
	return lex_item(p);
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
		for (inner = arg; inner->kind == PF_CAST; inner = inner->a)
			;
		if ((int)i == functions[which].pointer && inner->kind != PF_DYN)
			return fail(p, "a function that would follow a wild pointer");
		*next = arg;
		next = &arg->next;
	}
	return lex(p);
}

static enum tok parse_function(struct parser *p, struct pf_node *n, const char *name)
{
	static const struct { const char *name; enum pf_kind kind; } named[] = {
		{ "__get_str", PF_GET_STR }, { "__get_rel_str", PF_GET_STR },
		{ "__get_bitmask", PF_BITMASK }, { "__get_rel_bitmask", PF_BITMASK },
		{ "__get_cpumask", PF_BITMASK }, { "__get_rel_cpumask", PF_BITMASK },
		{ "__get_dynamic_array", PF_DYN }, { "__get_rel_dynamic_array", PF_DYN },
		{ "__get_sockaddr", PF_DYN }, { "__get_sockaddr_rel", PF_DYN },
		{ "__get_rel_sockaddr", PF_DYN },
		{ "__get_dynamic_array_len", PF_DYN_LEN }, { "__get_rel_dynamic_array_len", PF_DYN_LEN },
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
	const char *word = p->text;
	unsigned words = 1;
	enum tok t;

	if (!strcmp(word, "REC"))
		return parse_entry(p, n);
	t = lex_item(p);
	if (is(p, t, T_DELIM, "("))
		return parse_function(p, n, word);
	for (; t == T_ITEM; t = lex_item(p)) {
		char *longer;

		if (++words > MAX_WORDS)
			return fail(p, "too many words in a row");
		longer = arena_alloc(p->arena, strlen(word) + strlen(p->text) + 2);
		sprintf(longer, "%s %s", word, p->text);
		word = longer;
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
		n->text = p->text;
		return lex_item(p);
	case T_CHAR:
		number = arena_alloc(p->arena, 16);
		snprintf(number, 16, "%d", p->text[0]);
		n->kind = PF_ATOM;
		n->letter = true;
		n->text = number;
		return lex_item(p);
	case T_DELIM:
		if (p->text[0] == '(')
			return parse_paren(p, n);
		/* fall through */
	case T_OP:
		set_op(n, p->text);
		n->a = NULL;
		return parse_op(p, n, t);
	default:
		return fail(p, "an argument that is missing");
	}
}

static enum tok parse_token(struct parser *p, struct pf_node *n, enum tok t)
{
	if (p->why)
		return T_ERROR;
	if (++p->depth > PF_MAX_DEPTH + p->ops)
		return fail(p, "nesting too deep");
	t = parse_token_here(p, n, t);
	p->depth--;
	return t;
}

static bool constant(const struct pf_node *n, uint64_t *v);

/* What the library folds before it has seen a record; false: it leaves the operator alone. */
static bool fold(const struct pf_node *n, uint64_t *out)
{
	uint64_t l, r;

	if (!n->a || !n->b || !constant(n->a, &l) || !constant(n->b, &r))
		return false;
	switch (n->op[0]) {
	case '>':
		*out = n->op[1] == '>' ? l >> (r & 63) : n->op[1] == '=' ? l >= r : l > r;
		return true;
	case '<':
		*out = n->op[1] == '<' ? l << (r & 63) : n->op[1] == '=' ? l <= r : l < r;
		return true;
	case '&':
		*out = n->op[1] ? l && r : l & r;
		return true;
	case '|':
		*out = n->op[1] ? l || r : l | r;
		return true;
	case '-':
		*out = l - r;
		return true;
	case '+':
		*out = l + r;
		return true;
	case '*':
		*out = l * r;
		return true;
	case '^':
		*out = l ^ r;
		return true;
	case '/':
		*out = r ? l / r : 0;
		return true;
	case '%':
		*out = r ? l % r : 0;
		return true;
	case '=':
		*out = l == r;
		return true;
	case '!':
		*out = l != r;
		return true;
	}
	return false;
}

static bool constant(const struct pf_node *n, uint64_t *v)
{
	if (n->kind == PF_ATOM || n->kind == PF_STRING) {
		*v = atom_value(n);
		return true;
	}
	return n->kind == PF_OP && fold(n, v);
}

static bool has_letter(const struct pf_node *n)
{
	return n && (n->letter || has_letter(n->a) || has_letter(n->b));
}

/* Is there a constant divided by a constant zero in N? */
static bool divides_by_zero(const struct pf_node *n)
{
	uint64_t v;

	for (; n; n = n->next) {
		if (n->kind == PF_OP && (n->op[0] == '/' || n->op[0] == '%') && n->b &&
		    constant(n->b, &v) && (!v || has_letter(n->b)))
			return true;
		if ((n->a && divides_by_zero(n->a)) || (n->b && divides_by_zero(n->b)) ||
		    (n->c && divides_by_zero(n->c)))
			return true;
	}
	return false;
}

static int parse_args(struct parser *p, struct printfmt *pf)
{
	struct pf_node **next = &pf->args;
	enum tok t;

	do {
		struct pf_node *n = node(p);

		t = parse_expr(p, n);
		if (p->why)
			return -1;
		*next = n;
		next = &n->next;
		while (t == T_NEWLINE)
			t = lex_item(p);
		if (t != T_END && !is(p, t, T_DELIM, ","))
			return fail(p, "something behind an argument"), -1;
		if (divides_by_zero(n))
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
	pf->text = p->text;
	while ((t = lex_item(p)) == T_STRING) {
		char *both = arena_alloc(p->arena, strlen(pf->text) + strlen(p->text) + 1);

		sprintf(both, "%s%s", pf->text, p->text);
		pf->text = both;
		if (p->tokens > 64)
			return fail(p, "too many strings"), -1;
	}
	if (p->why)
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

static struct printfmt *parse(const struct etype *t, unsigned lacks, struct arena *a, const char **why)
{
	struct printfmt *pf = arena_alloc(a, sizeof(*pf));
	struct parser p = {
		.type = t, .arena = a, .p = t->print, .end = t->print + t->print_len,
		.tables = &pf->tables, .lacks = lacks,
	};

	pf->type = t;
	pf->lacks = lacks;
	*why = NULL;
	if (!t->print_len || t->print_len > PF_MAX_SIZE || memchr(t->print, 0, t->print_len)) {
		fail(&p, t->print_len ? "too long a format" : "no format");
	} else {
		p.buf = mem_alloc(t->print_len + 1);
		parse_text(&p, pf);
		free(p.buf);
	}
	*why = p.why;
	return pf;
}

struct printfmt *printfmt_parse(const struct etype *t, unsigned lacks, struct arena *a,
				const char **why)
{
	struct printfmt *pf = parse(t, lacks, a, why);

	return *why ? NULL : pf;
}

const struct flag_table *printfmt_tables(const struct etype *t, struct arena *a)
{
	const char *why;

	/* A format that goes wrong further on still has the tables that stand before. */
	return parse(t, 0, a, &why)->tables;
}
