// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rebuild: writes a format text from the fields that we have parsed.  libtraceevent only sees such
 * texts, whose lines its parser can handle.
 */
#include "text/rebuild.h"

#include "base/ascii.h"
#include "trace/field.h"


/* bytes; types with a field beyond it are not passed to the library */
#define MAX_EXTENT 65536

/* The words and stars of TYPE; without attributes in parentheses, but with brackets. */
static void put_type(struct outbuf *o, const char *type)
{
	unsigned depth = 0;
	bool space = false;

	for (const char *p = type; *p; p++) {
		if (*p == '(' || *p == ')') {
			depth += *p == '(' ? 1 : depth ? -1 : 0;
		} else if (!depth && !strncmp(p, "__attribute__", 13)) {
			p += 12;
		} else if (!depth && (ascii_word(*p) || *p == '*' || *p == '[' || *p == ']')) {
			if (space)
				out_char(o, ' ');
			space = false;
			out_char(o, *p);
		} else {
			space = true;
		}
	}
}

/* The last word in the brackets: the library only uses that. */
static void put_dim(struct outbuf *o, const char *dim)
{
	const char *end = dim + strlen(dim), *p;

	while (end > dim && !ascii_alnum(end[-1]) && end[-1] != '_')
		end--;
	for (p = end; p > dim && (ascii_word(p[-1])); p--)
		;
	out_char(o, '[');
	out_bytes(o, p, end - p);
	out_char(o, ']');
}

static bool name_ok(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (!ascii_alnum(*s) && *s != '_')
			return false;
	return true;
}

static bool put_fields(struct outbuf *o, const struct etype *t, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		const struct field *f = &t->fields[i];
		bool in_type = strchr(f->type, '[');

		if (!name_ok(f->name) || (uint64_t)f->off + f->size > MAX_EXTENT)
			return false;
		out_str(o, "\tfield:");
		put_type(o, *f->type ? f->type : "int");
		out_char(o, ' ');
		out_str(o, f->name);
		if (f->dim && !in_type)
			put_dim(o, f->dim);
		out_printf(o, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", f->off, f->size,
			   f->is_signed);
	}
	out_char(o, '\n');
	return true;
}

bool rebuild_format(struct outbuf *o, const struct etype *t)
{
	const struct field *type = field_find(t, "common_type");

	/*
	 * The library finds a record's event by these two bytes: they must be at the same place in
	 * every type.
	 */
	if (!name_ok(t->name) || !type || type->off || type->size != 2 ||
	    type >= t->fields + t->ncommon)
		return false;
	out_printf(o, "name: %s\nID: %u\nformat:\n", t->name, t->id);
	if (!put_fields(o, t, 0, t->ncommon) || !put_fields(o, t, t->ncommon, t->nfields))
		return false;
	out_str(o, "print fmt: \"\"\n");
	out_end(o);
	return true;
}
