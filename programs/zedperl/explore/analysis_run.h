/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_ANALYSIS_RUN_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_ANALYSIS_RUN_H

#include "base/outbuf.h"
#include "base/err.h"

#define ANALYSIS_OUT (32u << 20)  /* bytes of an answer, at most */
#define ANALYSIS_SAID (64u << 10) /* ... and of its messages that are kept */

/* A command line, growing: for exec, and to be shown. */
struct analysis_words {
	char **argv; /* NULL-terminated */
	size_t n, cap;
	const char *program; /* how the first word is shown; NULL: zedperl */
};

void analysis_word(struct analysis_words *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void analysis_words_fini(struct analysis_words *w);

/* The words as a shell takes them, the first one as `program`. */
void analysis_shown(const struct analysis_words *w, struct outbuf *o);

/*
 * Run them, without a shell: what goes to standard output is appended to OUT, the messages to
 * SAID. *STATUS: its exit status, or 128 + the signal that ended it.  -1 with E: it could not be
 * started, or writes more than ANALYSIS_OUT; then it is ended.  It ends with this process.
 */
int analysis_run(const struct analysis_words *w, struct outbuf *out, struct outbuf *said,
		 int *status, struct err *e);

#endif
