// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * starter_keys: what is worth counting of an event that is not known, from the names and kinds of
 * its fields.
 */
#include "programs/script/starter_keys.h"

#include "programs/script/starter_events.h"
#include "trace/field.h"

#include <string.h>

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names) != 0)
		names++;
	return *names;
}

/* Can F be named in an expression? */
static bool is_operand(const struct field *f)
{
	static const char *const operators[] = { "and", "or", "not", NULL };

	return *f->name && starter_is_plain(f->name) && !(*f->name >= '0' && *f->name <= '9') &&
	       !is_one_of(f->name, operators);
}

/* The field of T's own called NAME; NULL: there is none. */
static const struct field *own_field(const struct etype *t, const char *name)
{
	for (unsigned i = t->ncommon; i < t->nfields; i++)
		if (!strcmp(t->fields[i].name, name))
			return &t->fields[i];
	return NULL;
}

const char *starter_key(const struct etype *t)
{
	const struct field *id = own_field(t, "id");

	if (!strcmp(t->system, "raw_syscalls") && id && field_is_int(id))
		return "syscall(id)";
	for (unsigned i = t->ncommon; i < t->nfields; i++)
		if (t->fields[i].kind == FIELD_STR && is_operand(&t->fields[i]))
			return t->fields[i].name;
	return own_field(t, "comm") ? NULL : "comm";
}

const struct field *starter_quantity(const struct etype *t)
{
	static const char *const names[] = {
		"runtime", "delay", "duration",	 "latency", "bytes",  "bytes_req",
		"nbytes",  "len",   "nr_sector", "sectors", "length", NULL,
	};

	for (unsigned i = t->ncommon; i < t->nfields; i++)
		if (field_is_int(&t->fields[i]) && is_one_of(t->fields[i].name, names))
			return &t->fields[i];
	return NULL;
}
