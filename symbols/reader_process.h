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

/*
 * The environment of one that asks servers of debuginfod, URLS: our own, in which the library finds
 * its cache and a proxy, with these.  Borrows from ours; freed by reader_process_env_free().
 */
char **reader_process_env(const char *urls);
void reader_process_env_free(char **env);

/* The LEN bytes of a build id in digits, into BUF, returned. */
#define READER_ID_MOST 64
#define READER_DIGITS (2 * READER_ID_MOST + 1)
char *reader_process_digits(const uint8_t *id, size_t len, char buf[READER_DIGITS]);

/* Wait for its end.  The signal that ended it; 0: none, or not known. */
int reader_process_end(pid_t pid);

#endif
