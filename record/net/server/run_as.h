/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_RUN_AS_H
#define ZED_RECORD_NET_SERVER_RUN_AS_H

#include "base/err.h"

#include <sys/types.h>

/* Who a server is once it listens (--user). */
struct runas {
	uid_t uid;
	gid_t gid;
};

/* The user NAME.  -1 with E: there is none. */
int runas_find(struct runas *r, const char *name, struct err *e);

/* Become R for good, groups and all; verified.  -1 with E: then nothing may go on. */
int runas_become(const struct runas *r, const char *name, struct err *e);

#endif
