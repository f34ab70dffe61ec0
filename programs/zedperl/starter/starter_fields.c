/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starter_fields: the fields of an event in a starter script: their names as a list, a variable for
 * each, and how they are printed.
 */
#include "programs/zedperl/starter/starter_fields.h"

#include "base/mem.h"
#include "base/plain.h"
#include "programs/zedperl/starter/starter_names.h"

#include <stdlib.h>
#include <string.h>

void starter_wrapped(FILE *to, const char *lead, char **words, unsigned n, const char *end)
{
	size_t column = 8 + strlen(lead);
	unsigned i;

	fprintf(to, "\t%s", lead);
	for (i = 0; i < n; i++) {
		size_t len = strlen(words[i]) + 2;

		if (i && column + len > 90) {
			fputs("\n\t\t", to);
			column = 16;
		} else if (i) {
			fputc(' ', to);
		}
		fprintf(to, "%s%s", words[i], i + 1 < n ? "," : "");
		column += len;
	}
	fputs(end, to);
}

/* Can S precede "=>" without quotes? */
static bool is_bareword(const char *s)
{
	return *s && !(*s >= '0' && *s <= '9') && starter_is_plain(s);
}

/* The arguments that show field F, in variable NAME: its label and its value. */
static char *shown(const struct field *f, const char *name, bool arrow)
{
	const char *call = f->kind == FIELD_BYTES ? "in_hex(" : "";
	char text[5 * NAME_SIZE], label[4 * NAME_SIZE];
	char *p;

	plain_text(label, sizeof(label), f->name);
	for (p = label; *p; p++)
		if (*p == '\'' || (*p == '\\' && (!p[1] || p[1] == '\\')))
			*p = '_';
	snprintf(text, sizeof(text),
		 arrow && is_bareword(label) ? "%s => %s$%s%s" : "'%s', %s$%s%s", label, call, name,
		 *call ? ")" : "");
	return mem_strdup(text);
}

/* S as a Perl string with exactly its bytes as the value. */
static char *literal(const char *s)
{
	char *text = mem_zalloc(4 * strlen(s) + 3), *to = text;

	*to++ = '"';
	for (; *s; s++) {
		unsigned char c = *s;

		if (c < 0x20 || c >= 0x7f || strchr("\"\\$@", c))
			to += snprintf(to, 5, "\\x%02x", c);
		else
			*to++ = c;
	}
	*to++ = '"';
	return text;
}

void starter_field_names(const struct etype *t, const char *const *lead, unsigned nlead,
			 size_t column, FILE *to)
{
	unsigned own = t->nfields - t->ncommon, i;
	bool plain = true;

	for (i = t->ncommon; i < t->nfields; i++)
		plain = plain && *t->fields[i].name && starter_is_plain(t->fields[i].name);
	column += fprintf(to, plain ? "qw(" : "(");
	for (i = 0; i < nlead + own; i++) {
		const char *name = i < nlead ? lead[i] : t->fields[t->ncommon + i - nlead].name;
		char *word = plain ? mem_strdup(name) : literal(name);
		size_t len = strlen(word) + !plain;

		if (i && column + 1 + len + 3 > 90) {
			fputs("\n\t", to);
			column = 8;
		} else if (i) {
			fputc(' ', to);
			column++;
		}
		fprintf(to, "%s%s", word, plain || i + 1 == nlead + own ? "" : ",");
		column += len;
		free(word);
	}
	fputc(')', to);
}

void starter_arguments(const struct etype *t, const char *const *lead, unsigned nlead, FILE *to)
{
	unsigned own = t->nfields - t->ncommon, n;
	char(*names)[NAME_SIZE] = mem_zalloc((nlead + own + 1) * sizeof(*names));
	char **words = mem_zalloc((nlead + own + 1) * sizeof(*words));
	char var[NAME_SIZE + 1];

	n = starter_variables(t, lead, nlead, names);
	for (unsigned i = 0; i < n; i++) {
		snprintf(var, sizeof(var), "$%s", names[i]);
		words[i] = mem_strdup(var);
	}
	if (n)
		starter_wrapped(to, "my (", words, n, ") = @_;\n\n");
	for (unsigned i = 0; i < n; i++)
		free(words[i]);
	free(words);
	free(names);
}

void starter_show(const struct etype *t, const char *const *lead, unsigned nlead, const char *call,
		  bool arrows, FILE *to)
{
	unsigned own = t->nfields - t->ncommon;
	char(*names)[NAME_SIZE] = mem_zalloc((nlead + own + 1) * sizeof(*names));
	char **words = mem_zalloc((own + 1) * sizeof(*words));

	starter_variables(t, lead, nlead, names);
	for (unsigned i = 0; i < own; i++)
		words[i] = shown(&t->fields[t->ncommon + i], names[nlead + i], arrows);
	starter_wrapped(to, call, words, own, ");\n");
	for (unsigned i = 0; i < own; i++)
		free(words[i]);
	free(words);
	free(names);
}

const char STARTER_FLAT[] =
	"# Arrays and structures are references.  Names are anybody's: Zed::plain() keeps them\n"
	"# from steering the terminal.\n"
	"sub flat\n"
	"{\n"
	"\tmy ($value) = @_;\n"
	"\n"
	"\treturn '[' . join(' ', map { flat($_) } @$value) . ']' if ref $value eq 'ARRAY';\n"
	"\treturn '{' . join(' ', map { Zed::plain($_) . '=' . flat($value->{$_}) }\n"
	"\t\tsort keys %$value) . '}'\n"
	"\t\tif ref $value;\n"
	"\treturn defined $value ? Zed::plain($value) : '(none)';\n"
	"}\n";

const char STARTER_HEX[] = "\n"
			   "sub in_hex\n"
			   "{\n"
			   "\tmy ($bytes) = @_;\n"
			   "\n"
			   "\treturn defined $bytes ? unpack('H*', $bytes) : undef;\n"
			   "}\n";
