/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * origin: the file that a sub was written in, from perl's own name for it, such as
 * "(eval 7)[Foo.pm:12]".
 */
#include "interp/perl/origin.h"
#include "interp/perl/perl_priv.h"

#include <string.h>

static const char EVAL[] = "(eval ";

const char *origin_of(const char *file, size_t *len)
{
	const char *end = file + strlen(file), *p;

	while ((size_t)(end - file) >= sizeof(EVAL) - 1 && !memcmp(file, EVAL, sizeof(EVAL) - 1)) {
		p = memchr(file, ')', end - file);
		if (!p || p + 1 >= end || p[1] != '[') {
			*len = 0;
			return end;
		}
		file = p + 2;
		p = memrchr(file, ':', end - file);
		end = p ? p : end;
	}
	*len = end - file;
	return file;
}

bool origin_is_script(pTHX_ const char *file)
{
	const char *from;
	size_t len;

	if (!file)
		return false;
	from = origin_of(file, &len);
	return !len ||
	       (PRIV_SCRIPT && strlen(PRIV_SCRIPT) == len && !memcmp(PRIV_SCRIPT, from, len));
}
