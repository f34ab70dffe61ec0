// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * suffix: the ends of names of files.  Without it a file ".dat" has an empty name, or "x.data"
 * loses its last letters.
 *
 * of: base/suffix.h
 */
#include "base/suffix.h"
#include "t/lib/c/tap.h"

int main(void)
{
	ok(suffix_is("a.dat", ".dat") && suffix_is("dir/.dat.dat", ".dat"), "a name ends in it");
	ok(!suffix_is("a.data", ".dat") && !suffix_is("a.da", ".dat") && !suffix_is("", ".dat"),
	   "or does not (else: another kind of file is taken for one)");
	ok(!suffix_is(".dat", ".dat"), "it alone is not a name with an end");
	is_u64(suffix_stem("a.dat", ".dat"), 1, "the end is cut off");
	is_u64(suffix_stem("a.data", ".dat"), 6, "another one is not");
	is_u64(suffix_stem(".dat", ".dat"), 4, "and no name becomes empty");
	return tap_done();
}
