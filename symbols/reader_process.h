/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_READER_PROCESS_H
#define ZED_SYMBOLS_READER_PROCESS_H

#include "base/err.h"

#include <sys/types.h>

/* The process of zedsyms: it gets these descriptors and an environment, and nothing else. */
struct reader_start {
	const char *path; /* of zedsyms */
	char *const *argv, *const *env;
	int in, out; /* its standard input and output; -1: /dev/null */
	int file;    /* its descriptor 3; -1: none */
};

/* Start it.  -1 with E. */
int reader_process_start(const struct reader_start *s, pid_t *pid, struct err *e);

/* Wait for its end.  The signal that ended it; 0: none, or not known. */
int reader_process_end(pid_t pid);

#endif
