/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_CONFINE_H
#define ZED_RECORD_NET_SERVER_CONFINE_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * A second line of defence around a client's process: the kernel kills it if it uses more than any
 * honest client can cause, and the server reports that.
 */
#define CONFINE_MEMORY (512u << 20) /* bytes of address space */
#define CONFINE_FILE (256u << 20)   /* bytes of a file, until there are pages */
#define CONFINE_CPU 20		    /* seconds of CPU time for the beginning ... */
#define CONFINE_TIME 240	    /* ... and of real time */
#define CONFINE_END_CPU 60	    /* seconds of CPU time for the end, and one for each MiB */

void confine_begin(void);	  /* Before the first byte is read. */
void confine_run(void);		  /* When pages come: they are limited elsewhere. */
void confine_end(uint64_t bytes); /* When the file of BYTES is put together and counted. */

/* The user that a server becomes once it listens (--user). */
struct runas {
	uid_t uid;
	gid_t gid;
};

/* Look up the user NAME.  -1 with E: there is no such user. */
int runas_find(struct runas *r, const char *name, struct err *e);

/* Become R for good, with its groups; verified.  -1 with E: the caller must not continue. */
int runas_become(const struct runas *r, const char *name, struct err *e);

#endif
