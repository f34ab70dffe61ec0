// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asan_zedperl: keeps the sanitizer build of zedperl (and nothing else) from looking for leaks, as
 * perl frees its arenas at exit only if PERL_DESTRUCT_LEVEL says so.
 */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
