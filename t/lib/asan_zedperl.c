// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asan_zedperl: makes the sanitizer build of zedperl (and of nothing else) leave out the search for
 * leaks, as perl frees its arenas at exit only when PERL_DESTRUCT_LEVEL says so.
 */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
