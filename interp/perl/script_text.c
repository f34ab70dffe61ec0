// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script_text: makes a script die when its text cannot be read to the end.  Perl itself treats a
 * failed read as the end of the file, and runs what it has read.
 */
#include "interp/perl/script_text.h"

#include "interp/perl/perl_priv.h"

#include <errno.h>
#include <string.h>

static Perl_keyword_plugin_t next_plugin;

/* A source filter that changes nothing: below it is the file, which has the error. */
static I32 read_text(pTHX_ int idx, SV *text, int max)
{
	I32 n = FILTER_READ(idx + 1, text, max);

	if (PRIV_SOURCE && PerlIO_error(PRIV_SOURCE))
		Perl_croak(aTHX_ "cannot read %s after line %ld: %s\n", CopFILE(PL_curcop),
			   (long)CopLINE(PL_curcop), strerror(errno));
	return n;
}

/* Is the file that is being compiled read through read_text()? */
static bool is_watched(pTHX)
{
	AV *filters = PRIV_SOURCE_FILTERS;

	for (SSize_t i = 0; filters && i <= av_len(filters); i++) {
		SV **slot = av_fetch(filters, i, 0);

		if (slot && SvTYPE(*slot) == SVt_PVIO &&
		    PRIV_FILTER_FN(*slot) == FPTR2DPTR(void *, read_text))
			return true;
	}
	return false;
}

/*
 * Called at each word of a program: from the first word of a file on, the rest is read through us.
 */
static int at_word(pTHX_ char *word, STRLEN len, OP **op)
{
	if (PRIV_SOURCE && !is_watched(aTHX))
		filter_add(read_text, NULL);
	return next_plugin(aTHX_ word, len, op);
}

void scripttext_watch(void)
{
	next_plugin = PL_keyword_plugin;
	PL_keyword_plugin = at_word;
}

void scripttext_unwatch(void)
{
	PL_keyword_plugin = next_plugin;
}
