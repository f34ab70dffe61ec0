/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perl_name: the name of an event's sub in Perl, and the names that a handler cannot have.
 */
#include "interp/bind/perl_name.h"

#include "base/ascii.h"

#include <string.h>

/* Write S as part of a Perl name into BUF, as far as it fits; returns the length it needs. */
static size_t perl_word(const char *s, bool lead, char *buf, size_t size)
{
	size_t n = 0;

	if (lead && (ascii_digit(*s) || !*s)) {
		if (n < size)
			buf[n] = '_';
		n++;
	}
	for (; *s; s++, n++)
		if (n < size)
			buf[n] = ascii_word(*s) ? *s : '_';
	return n;
}

size_t perl_identifier(const char *s, char *buf, size_t size)
{
	size_t room = size - 1, n = perl_word(s, true, buf, room);

	buf[n < room ? n : room] = 0;
	return n;
}

size_t bind_name(const struct etype *t, char *buf, size_t size, size_t *system)
{
	size_t n, room = size ? size - 1 : 0;

	n = perl_word(t->system, true, buf, room);
	if (system)
		*system = n;
	if (n + 2 <= room)
		memcpy(buf + n, "::", 2);
	n += 2;
	n += perl_word(t->name, false, buf + (n < room ? n : room), n < room ? room - n : 0);
	if (size)
		buf[n < room ? n : room] = 0;
	return n;
}

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

bool perl_calls(const char *name)
{
	static const char *const names[] = {
		"BEGIN",   "UNITCHECK", "CHECK",      "INIT",	"END",	    "AUTOLOAD",
		"DESTROY", "CLONE",	"CLONE_SKIP", "import", "unimport", NULL,
	};

	return is_one_of(name, names);
}

bool perl_reserves(const char *package)
{
	static const char *const names[] = {
		"main",	     "CORE",   "UNIVERSAL", "DB",      "Zed",	 "lib",
		"utf8",	     "re",     "mro",	    "version", "strict", "warnings",
		"Internals", "PerlIO", "Regexp",    "SUPER",   NULL,
	};

	return is_one_of(package, names);
}
