// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demangle: the names of C++ and of Rust (both its manglings), by libiberty, as binutils and perf
 * have them.
 */
#include "programs/zedsyms/demangle.h"

#ifdef ZED_LIBIBERTY
#include <libiberty/demangle.h>
#include <string.h>

const _Bool DEMANGLES = 1;

const char *demangle(const char *name)
{
	const char *shown = NULL;

	/* _Z: C++ and Rust until 2021; _R: Rust since. */
	if (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2))
		shown = cplus_demangle(name, DMGL_AUTO);
	return shown && *shown ? shown : name;
}
#else
const _Bool DEMANGLES = 0;

const char *demangle(const char *name)
{
	return name;
}
#endif
