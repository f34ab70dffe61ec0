// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expr: parses the text of a filter expression, in the grammar of the kernel's filters, and words
 * the errors, with a caret under the column.
 */
#include "reader/filter/expr.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const OP_TEXT[] = { "==", "!=", "<", "<=", ">", ">=", "&", "~" };

#define SHOWN 72 /* columns of the text under an error */

int expr_complain(struct err *e, const char *text, size_t at, const char *fmt, ...)
{
	size_t len = strlen(text), from = at > SHOWN / 2 && len > SHOWN ? at - SHOWN / 2 : 0, n;
	char msg[480], line[SHOWN + 1];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	n = snprintf(line, sizeof(line), "%.*s", SHOWN, text + from);
	for (size_t i = 0; i < n && line[i]; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = ' ';
	err_set(e, ERR_USAGE, ERR_NO_OFF, "column %zu: %s", at + 1, msg);
	err_more(e, "  %s", line);
	return err_more(e, "  %*s", (int)(at - from) + 1, "^");
}

struct parser {
	struct expr *x;
	const char *text;
	size_t pos;
	unsigned depth;
	struct err *e;
};

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)p->text[p->pos]))
		p->pos++;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Take WORD if it stands here as a whole word. */
static bool take_word(struct parser *p, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(p);
	if (strncmp(p->text + p->pos, word, n) || is_word(p->text[p->pos + n]))
		return false;
	p->pos += n;
	return true;
}

static bool take(struct parser *p, const char *mark)
{
	size_t n = strlen(mark);

	skip_blanks(p);
	if (strncmp(p->text + p->pos, mark, n))
		return false;
	p->pos += n;
	return true;
}

/* Does TEXT begin with an operator that perl has for strings? */
static bool is_perls_word(const char *text)
{
	static const char *const words[] = { "eq ", "ne ", "lt ", "gt ", "le ", "ge " };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(text, words[i], 3))
			return true;
	return false;
}

static int take_op(struct parser *p, enum op *op)
{
	static const struct {
		const char *text;
		enum op op;
	} OPS[] = {
		/* the longer ones first */
		{ "==", OP_EQ }, { "!=", OP_NE }, { "<=", OP_LE },  { ">=", OP_GE },
		{ "<", OP_LT },	 { ">", OP_GT },  { "~", OP_GLOB }, { "&", OP_AND },
	};

	skip_blanks(p);
	for (size_t i = 0; i < sizeof(OPS) / sizeof(OPS[0]); i++) {
		if (OPS[i].op == OP_AND && !strncmp(p->text + p->pos, "&&", 2))
			continue;
		if (take(p, OPS[i].text)) {
			*op = OPS[i].op;
			return 0;
		}
	}
	if (is_perls_word(p->text + p->pos))
		return expr_complain(p->e, p->text, p->pos,
				     "'%.2s' is perl's; write == != < <= > or >=",
				     p->text + p->pos);
	if (!strncmp(p->text + p->pos, "=~", 2))
		return expr_complain(p->e, p->text, p->pos,
				     "'=~' is perl's; write ~ and a glob, comm ~ \"kw*\"");
	if (p->text[p->pos] == '=')
		return expr_complain(p->e, p->text, p->pos, "'=' compares nothing; write ==");
	return expr_complain(p->e, p->text, p->pos, "expected one of == != < <= > >= & ~");
}

static int take_value(struct parser *p, struct node *n)
{
	const char *s;
	size_t len;
	char q;

	skip_blanks(p);
	n->value_at = p->pos;
	s = p->text + p->pos;
	if (*s == '"' || *s == '\'') {
		q = *s++;
		n->quoted = true;
		len = strcspn(s, q == '"' ? "\"" : "'");
		if (!s[len])
			return expr_complain(p->e, p->text, p->pos, "this string has no end");
		p->pos += len + 2;
	} else {
		len = strcspn(s, " \t\r\n\v\f()&|\"'");
		if (!len || (len == 3 && !memcmp(s, "and", 3)) || (len == 2 && !memcmp(s, "or", 2)))
			return expr_complain(p->e, p->text, p->pos,
					     "expected a number or a string after %s",
					     OP_TEXT[n->op]);
		p->pos += len;
	}
	n->value = arena_strndup(&p->x->arena, s, len);
	return 0;
}

static struct node *new_node(struct parser *p, enum node_type type, const struct node *a,
			     const struct node *b)
{
	struct node *n = arena_alloc(&p->x->arena, sizeof(*n));

	n->type = type;
	n->a = a;
	n->b = b;
	return n;
}

static const struct node *parse_or(struct parser *p);

static const struct node *parse_pred(struct parser *p)
{
	struct node *n;
	enum op op = OP_EQ;
	size_t len = 0;
	const char *s;

	skip_blanks(p);
	s = p->text + p->pos;
	if (!isdigit((unsigned char)*s))
		while (is_word(s[len]))
			len++;
	if (!len) {
		expr_complain(p->e, p->text, p->pos,
			      *s ? "expected the name of a field" :
				   "the expression ends where a comparison should stand");
		return NULL;
	}
	if (++p->x->preds > EXPR_PREDS) {
		expr_complain(p->e, p->text, p->pos, "more than %d comparisons", EXPR_PREDS);
		return NULL;
	}
	n = new_node(p, NODE_PRED, NULL, NULL);
	n->at = p->pos;
	n->field = arena_strndup(&p->x->arena, s, len);
	p->pos += len;
	if (take_op(p, &op) < 0)
		return NULL;
	n->op = op;
	return take_value(p, n) < 0 ? NULL : n;
}

static const struct node *parse_unary(struct parser *p)
{
	const struct node *n;
	size_t at;

	if (p->depth++ >= EXPR_DEPTH) {
		expr_complain(p->e, p->text, p->pos, "nested deeper than %d", EXPR_DEPTH);
		return NULL;
	}
	skip_blanks(p);
	at = p->pos;
	if (take(p, "!") || take_word(p, "not")) {
		n = parse_unary(p);
		if (n)
			n = new_node(p, NODE_NOT, n, NULL);
	} else if (take(p, "(")) {
		n = parse_or(p);
		if (n && !take(p, ")")) {
			if (p->text[p->pos])
				expr_complain(p->e, p->text, p->pos,
					      "expected ')' or one of && || and or");
			else
				expr_complain(p->e, p->text, at, "this '(' is not closed");
			n = NULL;
		}
	} else {
		n = parse_pred(p);
	}
	p->depth--;
	return n;
}

static const struct node *parse_and(struct parser *p)
{
	const struct node *a = parse_unary(p), *b;

	while (a && (take(p, "&&") || take_word(p, "and"))) {
		b = parse_unary(p);
		a = b ? new_node(p, NODE_AND, a, b) : NULL;
	}
	return a;
}

static const struct node *parse_or(struct parser *p)
{
	const struct node *a = parse_and(p), *b;

	while (a && (take(p, "||") || take_word(p, "or"))) {
		b = parse_and(p);
		a = b ? new_node(p, NODE_OR, a, b) : NULL;
	}
	return a;
}

struct expr *expr_new(const char *text, size_t from, struct err *e)
{
	struct expr *x;
	struct parser p = { .pos = from, .e = e };

	if (strlen(text) > EXPR_TEXT) {
		err_set(e, ERR_USAGE, ERR_NO_OFF, "an expression of more than %d bytes", EXPR_TEXT);
		return NULL;
	}
	x = mem_zalloc(sizeof(*x));
	x->text = mem_strdup(text);
	p.x = x;
	p.text = x->text;
	x->top = parse_or(&p);
	if (x->top) {
		skip_blanks(&p);
		if (p.text[p.pos]) {
			expr_complain(e, p.text, p.pos,
				      p.text[p.pos] == ')' ? "this ')' closes nothing" :
							     "expected one of && || and or");
			x->top = NULL;
		}
	}
	if (!x->top) {
		expr_free(x);
		return NULL;
	}
	return x;
}

void expr_free(struct expr *x)
{
	if (!x)
		return;
	arena_fini(&x->arena);
	free(x->text);
	free(x);
}
