// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_scalars: the types in the metadata of CTF 1.8 that are one value, and their attributes:
 * integer { ... }, floating_point { ... }, string { ... }.
 */
#include "reader/ctf/metadata/tsdl_priv.h"

#include <string.h>

int tsdl_align(struct tsdl *t, struct ctf_class *c, const struct tsdl_value *v)
{
	if (v->token != TSDL_NUMBER || v->negative || !v->number || v->number > 4096 ||
	    (v->number & (v->number - 1)))
		return tsdl_err(&t->lex, t->e, "an alignment is a power of 2, up to 4096 bits");
	c->align = v->number;
	return 0;
}

static int set_order(struct tsdl *t, struct ctf_class *c, const struct tsdl_value *v)
{
	if (!strcmp(v->text, "native"))
		c->order = ORDER_NATIVE;
	else if (!strcmp(v->text, "le"))
		c->order = ORDER_LITTLE;
	else if (!strcmp(v->text, "be") || !strcmp(v->text, "network"))
		c->order = ORDER_BIG;
	else
		return tsdl_err(&t->lex, t->e, "byte order \"%.40s\": le, be, network or native",
				v->text);
	return 0;
}

/* "clock.NAME.value" */
static int set_clock(struct tsdl *t, struct ctf_class *c, const struct tsdl_value *v)
{
	static const char before[] = "clock.", behind[] = ".value";
	size_t len = strlen(v->text);
	const size_t around = sizeof(before) + sizeof(behind) - 2;

	if (len <= around || strncmp(v->text, before, sizeof(before) - 1) != 0 ||
	    strcmp(v->text + len - (sizeof(behind) - 1), behind) != 0)
		return tsdl_err(&t->lex, t->e,
				"an integer's map is clock.NAME.value, not \"%.40s\"", v->text);
	c->clock = ctf_clock(t->m, v->text + sizeof(before) - 1, len - around, t->e);
	return c->clock ? 0 : -1;
}

/* Read "{ KEY = VALUE; ... }" and give each to SET. */
static int attributes(struct tsdl *t, struct ctf_class *c,
		      int (*set)(struct tsdl *t, struct ctf_class *c, const char *key,
				 const struct tsdl_value *v))
{
	struct tsdl_value v;
	char key[64];
	int rc;

	TRY(tsdl_want(t, '{'));
	while ((rc = tsdl_take(t, '}')) == 0) {
		TRY(tsdl_path(t, key, sizeof(key)));
		TRY(tsdl_want(t, '='));
		TRY(tsdl_value(t, &v));
		TRY(set(t, c, key, &v));
	}
	return rc < 0 ? -1 : 0;
}

static int integer_attribute(struct tsdl *t, struct ctf_class *c, const char *key,
			     const struct tsdl_value *v)
{
	if (!strcmp(key, "size")) {
		if (v->token != TSDL_NUMBER || v->negative || v->number < 1 || v->number > 64)
			return tsdl_err(&t->lex, t->e, "an integer has 1 to 64 bits");
		c->bits = v->number;
	} else if (!strcmp(key, "align")) {
		return tsdl_align(t, c, v);
	} else if (!strcmp(key, "signed")) {
		c->is_signed = tsdl_yes(v);
	} else if (!strcmp(key, "byte_order")) {
		return set_order(t, c, v);
	} else if (!strcmp(key, "encoding")) {
		c->text = !strcmp(v->text, "UTF8") || !strcmp(v->text, "ASCII") ||
			  !strcmp(v->text, "utf8") || !strcmp(v->text, "ascii");
	} else if (!strcmp(key, "map")) {
		return set_clock(t, c, v);
	}
	return 0;
}

int tsdl_integer(struct tsdl *t, struct ctf_class **out)
{
	struct ctf_class *c = *out = ctf_class_new(t->m, CTF_INT, t->e);

	if (!c)
		return -1;
	c->align = 0;
	TRY(attributes(t, c, integer_attribute));
	if (!c->bits)
		return tsdl_err(&t->lex, t->e, "an integer has no size");
	if (!c->align)
		c->align = c->bits % 8 ? 1 : 8;
	c->text = c->text && c->bits == 8;
	return 0;
}

static int float_attribute(struct tsdl *t, struct ctf_class *c, const char *key,
			   const struct tsdl_value *v)
{
	if (!strcmp(key, "exp_dig") || !strcmp(key, "mant_dig")) {
		if (v->token != TSDL_NUMBER || v->negative || v->number > 64)
			return tsdl_err(&t->lex, t->e, "a floating point number has 32 or 64 bits");
		c->bits += v->number;
	} else if (!strcmp(key, "align")) {
		return tsdl_align(t, c, v);
	} else if (!strcmp(key, "byte_order")) {
		return set_order(t, c, v);
	}
	return 0;
}

int tsdl_float(struct tsdl *t, struct ctf_class **out)
{
	struct ctf_class *c = *out = ctf_class_new(t->m, CTF_FLOAT, t->e);

	if (!c)
		return -1;
	TRY(attributes(t, c, float_attribute));
	if (c->bits != 32 && c->bits != 64)
		return tsdl_err(&t->lex, t->e, "a floating point number has 32 or 64 bits, not %u",
				c->bits);
	return 0;
}

static int string_attribute(struct tsdl *t, struct ctf_class *c, const char *key,
			    const struct tsdl_value *v)
{
	return 0;
}

int tsdl_string(struct tsdl *t, struct ctf_class **out)
{
	struct ctf_class *c = *out = ctf_class_new(t->m, CTF_STRING, t->e);

	if (!c)
		return -1;
	c->align = 8;
	return t->lex.mark == '{' ? attributes(t, c, string_attribute) : 0;
}
