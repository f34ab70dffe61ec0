// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf2_classes: the classes of fields in the metadata of CTF 2.
 */
#include "reader/ctf/metadata/ctf2_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the types of one kind differ in. */
enum { SIGNED = 1, BOOLEAN = 2, TEXT = 4, FLAGS = 8 };

static struct ctf_class *new_class(struct ctf2 *t, enum ctf_kind kind)
{
	return ctf_class_new(t->m, kind, t->e);
}

/* ---- places of fields ---- */

static int scope_of(struct ctf2 *t, const struct json_value *v, uint8_t *scope)
{
	static const char *const names[] = {
		[SCOPE_PACKET_HEADER] = "packet-header",
		[SCOPE_PACKET_CONTEXT] = "packet-context",
		[SCOPE_EVENT_HEADER] = "event-record-header",
		[SCOPE_COMMON_CONTEXT] = "event-record-common-context",
		[SCOPE_CONTEXT] = "event-record-specific-context",
		[SCOPE_PAYLOAD] = "event-record-payload",
	};

	for (unsigned i = 0; v && v->kind == JSON_STRING && i < NSCOPES; i++)
		if (!strcmp(names[i], v->text)) {
			*scope = i;
			return 0;
		}
	return CTF2_SAY(t, "the place of a field does not begin with the name of a scope");
}

/* The names of a path: a null leads to the structure around what was reached so far. */
static int path_names(struct ctf2 *t, const struct json_value *list, const struct json_value *v,
		      struct ctf_path *path)
{
	path->names = arena_alloc(&t->m->arena, (list->n + 1) * sizeof(*path->names));
	for (; v; v = v->next)
		if (v->kind == JSON_STRING)
			path->names[path->n++] = ctf2_kept(t, v->text);
		else if (v->kind == JSON_NULL && path->n)
			path->n--;
		else if (v->kind == JSON_NULL && path->scope == SCOPE_EXACT)
			path->out++;
		else
			return CTF2_SAY(t, "the place of a field is a list of names");
	return path->n ? 0 : CTF2_SAY(t, "the place of a field has no name");
}

/* The member KEY of V: {origin, path}, or a list that begins with the origin. */
static int location(struct ctf2 *t, const struct json_value *v, const char *key,
		    const struct ctf_path **out)
{
	const struct json_value *m = json_member(v, key), *origin, *list;
	struct ctf_path *path;

	if (!m)
		return CTF2_SAY(t, "%s is missing", key);
	path = arena_alloc(&t->m->arena, sizeof(*path));
	path->scope = SCOPE_EXACT;
	*out = path;
	if (m->kind == JSON_ARRAY) {
		TRY(scope_of(t, m->first, &path->scope));
		return path_names(t, m, m->first->next, path);
	}
	origin = json_member(m, "origin");
	if (origin)
		TRY(scope_of(t, origin, &path->scope));
	list = json_member(m, "path");
	if (!list || list->kind != JSON_ARRAY)
		return CTF2_SAY(t, "%s has no path", key);
	return path_names(t, list, list->first, path);
}

/* ---- ranges and names of values ---- */

static bool is_whole(const struct json_value *v)
{
	return v && (v->kind == JSON_UINT || v->kind == JSON_NEGATIVE);
}

static int range(struct ctf2 *t, const struct json_value *v, struct ctf_range *out)
{
	if (v->kind != JSON_ARRAY || v->n != 2 || !is_whole(v->first) || !is_whole(v->first->next))
		return CTF2_SAY(t, "a range must be two whole numbers of 64 bits");
	*out = (struct ctf_range){ v->first->number, v->first->next->number };
	return 0;
}

/* "selector-field-ranges" of V; none: they stay as they are. */
static int ranges(struct ctf2 *t, const struct json_value *v, const struct ctf_range **out,
		  unsigned *n)
{
	const struct json_value *list = json_member(v, "selector-field-ranges");
	struct ctf_range *to;

	if (!list)
		return 0;
	if (list->kind != JSON_ARRAY)
		return CTF2_SAY(t, "selector-field-ranges must be an array");
	*out = to = arena_alloc(&t->m->arena, (list->n + 1) * sizeof(*to));
	for (const struct json_value *r = list->first; r; r = r->next)
		TRY(range(t, r, &to[(*n)++]));
	return 0;
}

/* The member KEY of V, "mappings" or "flags": {name: [range, ...]}. */
static int labels(struct ctf2 *t, const struct json_value *v, const char *key, struct ctf_class *c)
{
	const struct json_value *m = json_member(v, key);
	struct ctf_label **tail = &c->labels;

	for (m = m && m->kind == JSON_OBJECT ? m->first : NULL; m; m = m->next) {
		const char *name = ctf2_kept(t, m->key);

		for (const struct json_value *r = m->first; r; r = r->next) {
			struct ctf_label *l = arena_alloc(&t->m->arena, sizeof(*l));

			if (t->m->nclasses++ >= CTF_MAX_CLASSES)
				return CTF2_SAY(t, "more than %u types and names of values",
						CTF_MAX_CLASSES);
			l->name = name;
			TRY(range(t, r, &l->range));
			*tail = l;
			tail = &l->next;
		}
	}
	return 0;
}

static int mappings(struct ctf2 *t, const struct json_value *v, struct ctf_class *c)
{
	TRY(labels(t, v, "mappings", c));
	c->is_enum = c->labels != NULL;
	return 0;
}

static int flags_of(struct ctf2 *t, const struct json_value *v, struct ctf_class *c)
{
	TRY(labels(t, v, "flags", c));
	c->is_flags = c->labels != NULL;
	return 0;
}

/* ---- numbers ---- */

static const struct {
	const char *name;
	enum ctf_role role;
} ROLES[] = {
	{ "packet-magic-number", ROLE_MAGIC },
	{ "data-stream-class-id", ROLE_STREAM_CLASS },
	{ "data-stream-id", ROLE_STREAM },
	{ "packet-total-length", ROLE_PACKET_SIZE },
	{ "packet-content-length", ROLE_CONTENT_SIZE },
	{ "default-clock-timestamp", ROLE_PACKET_BEGIN },
	{ "packet-end-default-clock-timestamp", ROLE_PACKET_END },
	{ "discarded-event-record-counter-snapshot", ROLE_DISCARDED },
	{ "packet-sequence-number", ROLE_PACKET_NUMBER },
	{ "event-record-class-id", ROLE_EVENT_CLASS },
};

static void set_roles(struct ctf_class *c, const struct json_value *v)
{
	const struct json_value *list = json_member(v, "roles");

	for (const struct json_value *r = list ? list->first : NULL; r; r = r->next)
		for (unsigned i = 0; i < sizeof(ROLES) / sizeof(ROLES[0]); i++)
			if (r->kind == JSON_STRING && !strcmp(ROLES[i].name, r->text))
				c->roles |= 1u << ROLES[i].role;
	c->is_time = c->roles >> ROLE_PACKET_BEGIN & 1;
}

static int alignment(struct ctf2 *t, const struct json_value *v, const char *key, uint32_t *to)
{
	uint64_t align = 1;

	TRY(ctf2_number(t, v, key, UINT64_MAX, &align));
	if (!align || align > 4096 || (align & (align - 1)))
		return CTF2_SAY(t, "%s must be a power of 2, up to 4096 bits", key);
	if (*to < align)
		*to = align;
	return 0;
}

/* The first order that is stated is that of the trace. */
static int order(struct ctf2 *t, const struct json_value *v, struct ctf_class *c)
{
	const char *bytes = json_member_text(v, "byte-order");
	const char *bits = json_member_text(v, "bit-order");
	bool big;

	if (!bytes || (strcmp(bytes, "little-endian") != 0 && strcmp(bytes, "big-endian") != 0))
		return CTF2_SAY(t, "byte-order must be little-endian or big-endian");
	big = bytes[0] == 'b';
	c->order = big ? ORDER_BIG : ORDER_LITTLE;
	if (!t->ordered)
		t->m->big = big;
	t->ordered = true;
	if (bits && strcmp(bits, "first-to-last") != 0 && strcmp(bits, "last-to-first") != 0)
		return CTF2_SAY(t, "bit-order must be first-to-last or last-to-first");
	c->reversed = bits && (bits[0] == 'l') != big;
	return 0;
}

static int fixed_number(struct ctf2 *t, const struct json_value *v, struct ctf_class *c,
			unsigned flags)
{
	uint64_t bits = 0;

	TRY(ctf2_number(t, v, "length", UINT64_MAX, &bits));
	if (c->kind == CTF_FLOAT && bits != 16 && bits != 32 && bits != 64)
		return CTF2_SAY(t, "a floating point number has 16, 32 or 64 bits, not %" PRIu64,
				bits);
	if (!bits || bits > 64)
		return CTF2_SAY(t, "length must be 1 to 64 bits, not %" PRIu64, bits);
	c->bits = bits;
	c->is_signed = flags & SIGNED;
	c->is_bool = flags & BOOLEAN;
	TRY(order(t, v, c));
	TRY(alignment(t, v, "alignment", &c->align));
	set_roles(c, v);
	return flags & FLAGS ? flags_of(t, v, c) : mappings(t, v, c);
}

static int variable_number(struct ctf2 *t, const struct json_value *v, struct ctf_class *c,
			   unsigned flags)
{
	c->leb = true;
	c->align = 8;
	c->is_signed = flags & SIGNED;
	set_roles(c, v);
	return mappings(t, v, c);
}

/* ---- texts and bytes ---- */

static int encoding(struct ctf2 *t, const struct json_value *v, struct ctf_class *c)
{
	static const struct {
		const char *name;
		uint8_t unit, order;
	} names[] = {
		{ "utf-8", 0, ORDER_NATIVE }, { "utf-16le", 2, ORDER_LITTLE },
		{ "utf-16be", 2, ORDER_BIG }, { "utf-32le", 4, ORDER_LITTLE },
		{ "utf-32be", 4, ORDER_BIG },
	};
	const char *is = json_member_text(v, "encoding");
	unsigned i = 0;

	while (is && i < 5 && strcmp(names[i].name, is) != 0)
		i++;
	if (i == 5)
		return CTF2_SAY(t,
				"encoding \"%.40s\": utf-8, utf-16le, utf-16be, utf-32le and "
				"utf-32be are known",
				is);
	c->unit = names[i].unit;
	c->order = names[i].order;
	return 0;
}

static int string(struct ctf2 *t, const struct json_value *v, struct ctf_class *c, unsigned flags)
{
	c->align = 8;
	return encoding(t, v, c);
}

/* How many items C has. */
static int count(struct ctf2 *t, const struct json_value *v, struct ctf_class *c)
{
	int rc;

	if (c->kind == CTF_SEQUENCE)
		return location(t, v, "length-field-location", &c->path);
	rc = ctf2_number(t, v, "length", UINT64_MAX, &c->count);
	return rc ? rc : CTF2_SAY(t, "length is missing");
}

/* Text or a BLOB whose length in bytes is known. */
static int bytes(struct ctf2 *t, const struct json_value *v, struct ctf_class *c, unsigned flags)
{
	c->align = 8;
	c->elem = new_class(t, CTF_INT);
	if (!c->elem)
		return -1;
	c->elem->bits = c->elem->align = 8;
	c->elem->order = ORDER_LITTLE;
	c->elem->text = flags & TEXT;
	TRY(count(t, v, c));
	return flags & TEXT ? encoding(t, v, c) : 0;
}

/* ---- what holds others ---- */

static int array(struct ctf2 *t, const struct json_value *v, struct ctf_class *c, unsigned flags)
{
	const struct json_value *elem = json_member(v, "element-field-class");

	if (!elem)
		return CTF2_SAY(t, "element-field-class is missing");
	TRY(count(t, v, c));
	TRY(ctf2_class(t, elem, &c->elem));
	c->align = c->elem->align;
	return alignment(t, v, "minimum-alignment", &c->align);
}

/* The members of a structure or the options of a variant, of which one may lack a name. */
static int member(struct ctf2 *t, const struct json_value *v, struct ctf_class *of,
		  struct ctf_member *m)
{
	const struct json_value *class = json_member(v, "field-class");
	const char *name = json_member_text(v, "name");
	char number[16];

	snprintf(number, sizeof(number), "_%u", of->nmembers);
	if (of->kind == CTF_STRUCT && !name)
		return CTF2_SAY(t, "a member of a structure has no name");
	m->name = ctf2_kept(t, name ? name : number);
	if (!class)
		return CTF2_SAY(t, "%.80s has no field-class", m->name);
	if (ctf2_class(t, class, &m->class) == 0)
		return of->kind == CTF_STRUCT ? 0 : ranges(t, v, &m->ranges, &m->nranges);
	if (!t->named)
		err_within(t->e, "field %.80s", m->name);
	t->named = true;
	return -1;
}

static int members(struct ctf2 *t, const struct json_value *list, struct ctf_class *c)
{
	struct ctf_member **tail = &c->members;

	for (const struct json_value *v = list ? list->first : NULL; v; v = v->next) {
		struct ctf_member *m = arena_alloc(&t->m->arena, sizeof(*m));

		TRY(member(t, v, c, m));
		*tail = m;
		tail = &m->next;
		c->nmembers++;
	}
	return 0;
}

static int structure(struct ctf2 *t, const struct json_value *v, struct ctf_class *c,
		     unsigned flags)
{
	TRY(members(t, json_member(v, "member-classes"), c));
	for (const struct ctf_member *m = c->members; m; m = m->next)
		if (c->align < m->class->align)
			c->align = m->class->align;
	return alignment(t, v, "minimum-alignment", &c->align);
}

static int variant(struct ctf2 *t, const struct json_value *v, struct ctf_class *c, unsigned flags)
{
	TRY(location(t, v, "selector-field-location", &c->path));
	TRY(members(t, json_member(v, "options"), c));
	for (const struct ctf_member *m = c->members; m; m = m->next)
		if (!m->ranges)
			return CTF2_SAY(t, "option %.80s has no selector-field-ranges", m->name);
	return 0;
}

static int optional(struct ctf2 *t, const struct json_value *v, struct ctf_class *c, unsigned flags)
{
	const struct json_value *class = json_member(v, "field-class");

	if (!class)
		return CTF2_SAY(t, "field-class is missing");
	TRY(location(t, v, "selector-field-location", &c->path));
	TRY(ranges(t, v, &c->ranges, &c->nranges));
	return ctf2_class(t, class, &c->elem);
}

/* ---- any of them ---- */

static const struct {
	const char *type;
	int (*read)(struct ctf2 *t, const struct json_value *v, struct ctf_class *c,
		    unsigned flags);
	enum ctf_kind kind;
	unsigned flags;
} TYPES[] = {
	{ "fixed-length-unsigned-integer", fixed_number, CTF_INT, 0 },
	{ "fixed-length-signed-integer", fixed_number, CTF_INT, SIGNED },
	{ "fixed-length-bit-array", fixed_number, CTF_INT, 0 },
	{ "fixed-length-bit-map", fixed_number, CTF_INT, FLAGS },
	{ "fixed-length-boolean", fixed_number, CTF_INT, BOOLEAN },
	{ "fixed-length-floating-point-number", fixed_number, CTF_FLOAT, 0 },
	{ "variable-length-unsigned-integer", variable_number, CTF_INT, 0 },
	{ "variable-length-signed-integer", variable_number, CTF_INT, SIGNED },
	{ "null-terminated-string", string, CTF_STRING, 0 },
	{ "static-length-string", bytes, CTF_ARRAY, TEXT },
	{ "dynamic-length-string", bytes, CTF_SEQUENCE, TEXT },
	{ "static-length-blob", bytes, CTF_ARRAY, 0 },
	{ "dynamic-length-blob", bytes, CTF_SEQUENCE, 0 },
	{ "structure", structure, CTF_STRUCT, 0 },
	{ "static-length-array", array, CTF_ARRAY, 0 },
	{ "dynamic-length-array", array, CTF_SEQUENCE, 0 },
	{ "variant", variant, CTF_VARIANT, 0 },
	{ "optional", optional, CTF_OPTION, 0 },
	/* Of the release candidates. */
	{ "fixed-length-unsigned-enumeration", fixed_number, CTF_INT, 0 },
	{ "fixed-length-signed-enumeration", fixed_number, CTF_INT, SIGNED },
	{ "variable-length-unsigned-enumeration", variable_number, CTF_INT, 0 },
	{ "variable-length-signed-enumeration", variable_number, CTF_INT, SIGNED },
};

static int find_alias(struct ctf2 *t, const char *name, struct ctf_class **out)
{
	for (const struct ctf2_alias *a = t->aliases; a; a = a->next)
		if (!strcmp(a->name, name)) {
			*out = a->class;
			return 0;
		}
	return CTF2_SAY(t, "class \"%.80s\" is not defined before it", name);
}

int ctf2_class(struct ctf2 *t, const struct json_value *v, struct ctf_class **out)
{
	const char *type = json_member_text(v, "type");
	const unsigned n = sizeof(TYPES) / sizeof(TYPES[0]);
	unsigned i = 0;
	int rc;

	if (v->kind == JSON_STRING)
		return find_alias(t, v->text, out);
	if (!type)
		return CTF2_SAY(t, "a class of fields has no type");
	while (i < n && strcmp(TYPES[i].type, type) != 0)
		i++;
	if (i == n)
		return CTF2_SAY(t, "type \"%.80s\" of fields is not known", type);
	if (t->depth == CTF_MAX_DEPTH)
		return CTF2_SAY(t, "more than %d types are in each other", CTF_MAX_DEPTH);
	*out = new_class(t, TYPES[i].kind);
	if (!*out)
		return -1;
	t->depth++;
	rc = TYPES[i].read(t, v, *out, TYPES[i].flags);
	t->depth--;
	return rc;
}
