// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asan_script: keeps the sanitizer builds of zedperl and zedpython (and nothing else) from looking
 * for leaks: perl frees its arenas at exit only if PERL_DESTRUCT_LEVEL says so, and python keeps
 * what its modules hold.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
