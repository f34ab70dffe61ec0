// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_types: the types in the metadata of CTF 1.8 that are made of others: struct, variant, enum,
 * arrays, and names for types, which are known in their block and those in it.
 */
#include "reader/ctf/metadata/tsdl_priv.h"

#include <stdio.h>
#include <string.h>

/* A field, or what a typedef names: a name and the dimensions behind it. */
struct tsdl_declared {
	char name[TSDL_MAX_NAME];
	struct ctf_class *class;
};

static int type_and_name(struct tsdl *t, const struct tsdl_names *names, struct tsdl_declared *d);
static int members(struct tsdl *t, const struct tsdl_names *outer, struct ctf_class *of);

static const struct ctf_class *find(const struct tsdl_names *names, const char *name)
{
	for (; names; names = names->outer)
		for (const struct tsdl_named *n = names->first; n; n = n->next)
			if (!strcmp(n->name, name))
				return n->class;
	return NULL;
}

static int add_name(struct tsdl *t, struct tsdl_names *names, const char *name, struct ctf_class *c)
{
	struct tsdl_named *n;

	if (names->n++ == CTF_MAX_STREAMS)
		return tsdl_err(&t->lex, t->e, "more than %u types have names in one block",
				CTF_MAX_STREAMS);
	n = arena_alloc(&t->m->arena, sizeof(*n));
	n->name = arena_strndup(&t->m->arena, name, strlen(name));
	n->class = c;
	n->next = names->first;
	names->first = n;
	return 0;
}

static struct ctf_class *new_class(struct tsdl *t, enum ctf_kind kind)
{
	return ctf_class_new(t->m, kind, t->e);
}

/* The word here, with WHAT and a blank before it, into BUF. */
static int tagged(struct tsdl *t, const char *what, char *buf, size_t size)
{
	if (snprintf(buf, size, "%s %.*s", what, (int)t->lex.len, t->lex.text) >= (int)size)
		return tsdl_err(&t->lex, t->e, "a name has more than %zu bytes", size);
	return tsdl_go(t);
}

/* ---- paths ---- */

static const struct {
	const char *prefix;
	enum ctf_scope scope;
} SCOPES[] = {
	{ "trace.packet.header.", SCOPE_PACKET_HEADER },
	{ "stream.packet.context.", SCOPE_PACKET_CONTEXT },
	{ "stream.event.header.", SCOPE_EVENT_HEADER },
	{ "stream.event.context.", SCOPE_COMMON_CONTEXT },
	{ "event.context.", SCOPE_CONTEXT },
	{ "event.fields.", SCOPE_PAYLOAD },
};

static const struct ctf_path *new_path(struct tsdl *t, const char *text)
{
	struct ctf_path *path = arena_alloc(&t->m->arena, sizeof(*path));
	unsigned i = 0;

	path->scope = SCOPE_INNERMOST;
	for (unsigned s = 0; s < sizeof(SCOPES) / sizeof(SCOPES[0]); s++)
		if (!strncmp(text, SCOPES[s].prefix, strlen(SCOPES[s].prefix))) {
			path->scope = SCOPES[s].scope;
			text += strlen(SCOPES[s].prefix);
			break;
		}
	path->n = 1;
	for (const char *p = text; *p; p++)
		path->n += *p == '.';
	path->names = arena_alloc(&t->m->arena, path->n * sizeof(*path->names));
	while (i < path->n) {
		size_t len = strcspn(text, ".");

		path->names[i++] = arena_strndup(&t->m->arena, text, len);
		text += len + (text[len] == '.');
	}
	return path;
}

/* ---- struct, variant ---- */

/* "align(8)" behind a struct. */
static int struct_align(struct tsdl *t, struct ctf_class *c)
{
	struct ctf_class stated = { 0 };
	struct tsdl_value v = { 0 };

	if (!tsdl_is(&t->lex, "align"))
		return 0;
	TRY(tsdl_go(t));
	TRY(tsdl_want(t, '('));
	v.token = t->lex.token;
	v.number = t->lex.value;
	TRY(tsdl_align(t, &stated, &v));
	TRY(tsdl_go(t));
	if (c->align < stated.align)
		c->align = stated.align;
	return tsdl_want(t, ')');
}

static int no_type(struct tsdl *t, const char *name)
{
	return tsdl_err(&t->lex, t->e, "type \"%.80s\" is not defined", name);
}

/* Behind the word "struct".  ADD: where a name is added; NULL: it is known in nothing. */
static int structure(struct tsdl *t, const struct tsdl_names *names, struct tsdl_names *add,
		     struct ctf_class **out)
{
	char name[TSDL_MAX_NAME] = "";

	if (t->lex.token == TSDL_WORD && !tsdl_is(&t->lex, "align"))
		TRY(tagged(t, "struct", name, sizeof(name)));
	if (t->lex.mark != '{') {
		*out = (struct ctf_class *)find(names, name);
		return *out ? 0 : no_type(t, name);
	}
	*out = new_class(t, CTF_STRUCT);
	if (!*out)
		return -1;
	TRY(members(t, names, *out));
	TRY(struct_align(t, *out));
	return add && *name ? add_name(t, add, name, *out) : 0;
}

/* Behind the word "variant". */
static int variant(struct tsdl *t, const struct tsdl_names *names, struct tsdl_names *add,
		   struct ctf_class **out)
{
	char name[TSDL_MAX_NAME] = "", tag[TSDL_MAX_NAME] = "";
	const struct ctf_class *known;
	int rc;

	if (t->lex.token == TSDL_WORD)
		TRY(tagged(t, "variant", name, sizeof(name)));
	rc = tsdl_take(t, '<');
	if (rc > 0) {
		TRY(tsdl_path(t, tag, sizeof(tag)));
		TRY(tsdl_want(t, '>'));
	}
	TRY(rc);
	*out = new_class(t, CTF_VARIANT);
	if (!*out)
		return -1;
	if (t->lex.mark == '{') {
		TRY(members(t, names, *out));
		(*out)->align = 1; /* each of them is aligned by itself */
		if (add && *name)
			TRY(add_name(t, add, name, *out));
	} else {
		known = find(names, name);
		if (!known)
			return no_type(t, name);
		**out = *known;
	}
	if (*tag)
		(*out)->path = new_path(t, tag);
	return 0;
}

/* ---- enum ---- */

static int label_value(struct tsdl *t, uint64_t *to)
{
	int negative = tsdl_take(t, '-');

	TRY(negative);
	if (!negative)
		TRY(tsdl_take(t, '+'));
	if (t->lex.token != TSDL_NUMBER)
		return tsdl_err(&t->lex, t->e, "the value of an enumeration is a number");
	*to = negative ? -t->lex.value : t->lex.value;
	return tsdl_go(t);
}

static int labels(struct tsdl *t, struct ctf_class *c)
{
	struct ctf_label **tail = &c->labels;
	uint64_t next = 0;
	int rc;

	TRY(tsdl_want(t, '{'));
	while ((rc = tsdl_take(t, '}')) == 0) {
		struct ctf_label *l = arena_alloc(&t->m->arena, sizeof(*l));

		if (t->m->nclasses++ >= CTF_MAX_CLASSES)
			return tsdl_err(&t->lex, t->e, "more than %u types and labels",
					CTF_MAX_CLASSES);
		if (t->lex.token != TSDL_WORD && t->lex.token != TSDL_STRING)
			return tsdl_err(&t->lex, t->e, "a label of an enumeration is a word");
		l->name = arena_strndup(&t->m->arena, t->lex.text, t->lex.len);
		TRY(tsdl_go(t));
		rc = tsdl_take(t, '=');
		TRY(rc);
		if (rc)
			TRY(label_value(t, &next));
		l->range.first = l->range.last = next;
		if (t->lex.token == TSDL_RANGE) {
			TRY(tsdl_go(t));
			TRY(label_value(t, &l->range.last));
		}
		next = l->range.last + 1;
		*tail = l;
		tail = &l->next;
		rc = tsdl_take(t, ',');
		TRY(rc);
		if (!rc && t->lex.mark != '}')
			return tsdl_err(&t->lex, t->e, "a comma is missing between two labels");
	}
	return rc < 0 ? -1 : 0;
}

/* Behind the word "enum". */
static int enumeration(struct tsdl *t, const struct tsdl_names *names, struct tsdl_names *add,
		       struct ctf_class **out)
{
	char name[TSDL_MAX_NAME] = "";
	struct ctf_class *of = NULL;
	int rc;

	if (t->lex.token == TSDL_WORD)
		TRY(tagged(t, "enum", name, sizeof(name)));
	rc = tsdl_take(t, ':');
	TRY(rc);
	if (rc)
		TRY(tsdl_type(t, names, &of));
	if (!rc && t->lex.mark != '{') {
		*out = (struct ctf_class *)find(names, name);
		return *out ? 0 : no_type(t, name);
	}
	if (!of)
		of = (struct ctf_class *)find(names, "int");
	if (!of || of->kind != CTF_INT)
		return tsdl_err(&t->lex, t->e, "an enumeration is of no integer type");
	*out = new_class(t, CTF_INT);
	if (!*out)
		return -1;
	**out = *of;
	(*out)->is_enum = true;
	TRY(labels(t, *out));
	return add && *name ? add_name(t, add, name, *out) : 0;
}

/* ---- words ---- */

/*
 * Consecutive words, joined by blanks, into BUF.  With LAST, the last one goes there instead, as
 * the name of what is declared.
 */
static int words(struct tsdl *t, char *buf, size_t size, char *last)
{
	size_t n = 0, before = 0;

	buf[0] = '\0';
	while (t->lex.token == TSDL_WORD) {
		if (!tsdl_is(&t->lex, "const")) {
			before = n;
			n += snprintf(buf + n, size - n, "%s%.*s", n ? " " : "", (int)t->lex.len,
				      t->lex.text);
			if (n >= size)
				return tsdl_err(&t->lex, t->e,
						"the name of a type has more than %zu bytes", size);
		}
		TRY(tsdl_go(t));
	}
	if (!last)
		return 0;
	snprintf(last, size, "%s", buf + before + (before > 0));
	buf[before] = '\0';
	return 0;
}

/* The types that begin with a keyword: 1; else 0. */
static int keyword_type(struct tsdl *t, const struct tsdl_names *names, struct tsdl_names *add,
			struct ctf_class **c)
{
	static const char *const keywords[] = { "struct",  "variant",	     "enum",
						"integer", "floating_point", "string" };
	unsigned i = 0;
	int rc;

	while (i < 6 && !tsdl_is(&t->lex, keywords[i]))
		i++;
	if (i == 6)
		return 0;
	TRY(tsdl_go(t));
	if (t->depth == CTF_MAX_DEPTH)
		return tsdl_err(&t->lex, t->e, "more than %d types are in each other",
				CTF_MAX_DEPTH);
	t->depth++;
	if (i == 0)
		rc = structure(t, names, add, c);
	else if (i == 1)
		rc = variant(t, names, add, c);
	else if (i == 2)
		rc = enumeration(t, names, add, c);
	else if (i == 3)
		rc = tsdl_integer(t, c);
	else
		rc = i == 4 ? tsdl_float(t, c) : tsdl_string(t, c);
	t->depth--;
	return rc < 0 ? -1 : 1;
}

int tsdl_type(struct tsdl *t, const struct tsdl_names *names, struct ctf_class **c)
{
	char name[TSDL_MAX_NAME];
	int rc = keyword_type(t, names, NULL, c);

	if (rc)
		return rc < 0 ? -1 : 0;
	TRY(words(t, name, sizeof(name), NULL));
	*c = (struct ctf_class *)find(names, name);
	return *c ? 0 : no_type(t, name);
}

/* ---- declarations ---- */

/* "[16]" or "[length]" behind a name: the class becomes an array of what it was. */
static int dimension(struct tsdl *t, struct ctf_class **c)
{
	struct ctf_class *a = new_class(t, CTF_ARRAY);
	char path[TSDL_MAX_NAME];

	if (!a)
		return -1;
	a->elem = *c;
	a->align = (*c)->align;
	TRY(tsdl_go(t));
	if (t->lex.token == TSDL_NUMBER) {
		a->count = t->lex.value;
		TRY(tsdl_go(t));
	} else {
		a->kind = CTF_SEQUENCE;
		TRY(tsdl_path(t, path, sizeof(path)));
		a->path = new_path(t, path);
	}
	*c = a;
	return tsdl_want(t, ']');
}

/*
 * The dimensions of a name.  The first one is the outermost, as in C: so a second one is put
 * between the first and what it has.
 */
static int dimensions(struct tsdl *t, struct ctf_class **c)
{
	struct ctf_class **inner = c;
	unsigned n = 0;

	while (t->lex.mark == '[') {
		if (++n > CTF_MAX_DEPTH)
			return tsdl_err(&t->lex, t->e, "a field has more than %d dimensions",
					CTF_MAX_DEPTH);
		TRY(dimension(t, inner));
		inner = &(*inner)->elem;
	}
	return 0;
}

static int type_and_name(struct tsdl *t, const struct tsdl_names *names, struct tsdl_declared *d)
{
	char name[TSDL_MAX_NAME];
	int rc = keyword_type(t, names, NULL, &d->class);

	TRY(rc);
	d->name[0] = '\0';
	TRY(words(t, name, sizeof(name), d->name));
	if (rc)
		return *name ? no_type(t, name) : 0;
	d->class = (struct ctf_class *)find(names, name);
	return d->class ? 0 : no_type(t, name);
}

/* One more member NAME; a struct is as aligned as the most aligned of its members. */
static int add_member(struct tsdl *t, struct ctf_class *of, struct ctf_member ***tail,
		      const char *name, struct ctf_class *class)
{
	struct ctf_member *m = arena_alloc(&t->m->arena, sizeof(*m));

	if (!*name)
		return tsdl_err(&t->lex, t->e, "a field has no name");
	if (t->m->nclasses++ >= CTF_MAX_CLASSES)
		return tsdl_err(&t->lex, t->e, "more than %u types and fields", CTF_MAX_CLASSES);
	m->name = arena_strndup(&t->m->arena, name, strlen(name));
	m->class = class;
	if (of->align < class->align)
		of->align = class->align;
	of->nmembers++;
	**tail = m;
	*tail = &m->next;
	return 0;
}

/* "uint8_t a[4], b;" */
static int fields(struct tsdl *t, const struct tsdl_names *names, struct ctf_class *of,
		  struct ctf_member ***tail)
{
	struct tsdl_declared d;
	struct ctf_class *base;
	int rc;

	TRY(type_and_name(t, names, &d));
	base = d.class;
	for (;;) {
		TRY(dimensions(t, &d.class));
		TRY(add_member(t, of, tail, d.name, d.class));
		rc = tsdl_take(t, ',');
		TRY(rc);
		if (!rc)
			return tsdl_want(t, ';');
		d.class = base;
		TRY(words(t, d.name, sizeof(d.name), NULL));
	}
}

static int members(struct tsdl *t, const struct tsdl_names *outer, struct ctf_class *of)
{
	struct tsdl_names names = { .outer = outer };
	struct ctf_member **tail = &of->members;
	int rc;

	TRY(tsdl_want(t, '{'));
	while ((rc = tsdl_take(t, '}')) == 0) {
		if (tsdl_is(&t->lex, "typealias") || tsdl_is(&t->lex, "typedef")) {
			TRY(tsdl_declaration(t, &names));
			continue;
		}
		TRY(fields(t, &names, of, &tail));
	}
	return rc < 0 ? -1 : 0;
}

/* "typealias TYPE := NAME;" */
static int typealias(struct tsdl *t, struct tsdl_names *names)
{
	char name[TSDL_MAX_NAME];
	struct ctf_class *c;

	TRY(tsdl_type(t, names, &c));
	if (t->lex.token != TSDL_ASSIGN)
		return tsdl_err(&t->lex, t->e, "a typealias has := behind its type");
	TRY(tsdl_go(t));
	TRY(words(t, name, sizeof(name), NULL));
	if (!*name)
		return tsdl_err(&t->lex, t->e, "a typealias has no name");
	TRY(add_name(t, names, name, c));
	return tsdl_want(t, ';');
}

/* "typedef TYPE NAME[4];" */
static int type_definition(struct tsdl *t, struct tsdl_names *names)
{
	struct tsdl_declared d;

	TRY(type_and_name(t, names, &d));
	TRY(dimensions(t, &d.class));
	if (!*d.name)
		return tsdl_err(&t->lex, t->e, "a typedef has no name");
	TRY(add_name(t, names, d.name, d.class));
	return tsdl_want(t, ';');
}

int tsdl_declaration(struct tsdl *t, struct tsdl_names *names)
{
	struct ctf_class *c;
	int rc;

	if (tsdl_is(&t->lex, "typealias")) {
		TRY(tsdl_go(t));
		TRY(typealias(t, names));
		return 1;
	}
	if (tsdl_is(&t->lex, "typedef")) {
		TRY(tsdl_go(t));
		TRY(type_definition(t, names));
		return 1;
	}
	rc = keyword_type(t, names, names, &c);
	if (rc <= 0)
		return rc;
	TRY(tsdl_want(t, ';'));
	return 1;
}
