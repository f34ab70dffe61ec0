// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scalar: LTT's scalar types in memory and in the checksum, by name and size, in each generation of
 * the language.
 */
#include "reader/ltt/facility/scalar.h"

/* The sizes of the document and of 0.4, in the order of its checksum's size index. */
static const struct ltt_size old_sizes[] = {
	{ "1", "int8_t", "uint8_t", NULL, LTT_W1 },
	{ "2", "int16_t", "uint16_t", NULL, LTT_W2 },
	{ "4", "int32_t", "uint32_t", "float", LTT_W4 },
	{ "8", "int64_t", "uint64_t", "double", LTT_W8 },
	{ "short", "short int", "unsigned short int", NULL, LTT_W2 },
	{ "medium", "int", "unsigned int", "float", LTT_W_INT },
	{ "long", "long int", "unsigned long int", "double", LTT_W_LONG },
};

#define NFIXED 4 /* this many of the first have the same width on all machines */

/* The types defined by their name alone. */
static const struct {
	const char *name, *word;
	uint8_t width;
	bool is_signed, is_char;
} plain[] = {
	{ "char", "signed char", LTT_W1, true, true },
	{ "uchar", "unsigned char", LTT_W1, false, false },
	{ "short", "short", LTT_W2, true, false },
	{ "ushort", "unsigned short", LTT_W2, false, false },
	{ "long", "long", LTT_W_LONG, true, false },
	{ "ulong", "unsigned long", LTT_W_LONG, false, false },
	{ "pointer", "void *", LTT_W_POINTER, false, false },
	{ "size_t", "size_t", LTT_W_SIZE_T, false, false },
	{ "ssize_t", "ssize_t", LTT_W_SIZE_T, true, false },
	{ "off_t", "off_t", LTT_W_SIZE_T, true, false },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_value(const struct attribute_value *v, const char *text)
{
	return v->text && v->len == strlen(text) && !memcmp(v->text, text, v->len);
}

/* The index of the tag's size= among the first MOST old_sizes. */
static int size_index(struct parse *s, const struct attributes *a, unsigned most, unsigned *out)
{
	for (unsigned i = 0; i < most; i++) {
		if (is_value(&a->size, old_sizes[i].name)) {
			*out = i;
			return 0;
		}
	}
	if (!a->size.text)
		return SAY_AT(s, &a->tag, "<%.*s> has no size=", SHOWN(&a->tag));
	return SAY_AT(s, &a->size, "a size that <%.*s> cannot have: '%.*s'", SHOWN(&a->tag),
		      SHOWN(&a->size));
}

int lttscalar_size(struct parse *s, const struct attributes *a, const struct ltt_size **out,
		   unsigned *index)
{
	TRY(size_index(s, a, COUNT(old_sizes), index));
	*out = &old_sizes[*index];
	return 0;
}

int lttscalar_parse(struct parse *s, struct ltt_type *t, const char *name,
		    const struct attributes *a)
{
	bool is_int = !strcmp(name, "int"), is_uint = !strcmp(name, "uint");
	bool fixed = !strcmp(name, "int_fixed") || !strcmp(name, "uint_fixed");
	unsigned i = 0;

	t->is_float = !strcmp(name, "float");
	t->is_signed = name[0] != 'u';
	if ((is_int || is_uint) && !lttscalar_old(s)) {
		/* Since 0.6 size= is ignored there. */
		t->width = LTT_W_INT;
		t->word = name;
		return 0;
	}
	if (is_int || is_uint || fixed || t->is_float) {
		TRY(size_index(s, a, fixed || !lttscalar_old(s) ? NFIXED : COUNT(old_sizes), &i));
		t->width = old_sizes[i].width;
		t->word = t->is_float  ? old_sizes[i].real :
			  t->is_signed ? old_sizes[i].sint :
					 old_sizes[i].uint;
		if (!t->word)
			return SAY_AT(s, &a->size, "no float has the size %s", old_sizes[i].name);
		/* A float has the same width on all machines. */
		if (t->is_float)
			t->width = strcmp(t->word, "float") ? LTT_W8 : LTT_W4;
		return 0;
	}
	for (i = 0; i < COUNT(plain); i++) {
		if (strcmp(name, plain[i].name))
			continue;
		t->width = plain[i].width;
		t->is_signed = plain[i].is_signed;
		t->is_char = plain[i].is_char;
		t->word = plain[i].word;
		return 0;
	}
	return 1;
}
