/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_CLIENT_DIR_H
#define ZED_RECORD_NET_SERVER_CLIENT_DIR_H

#include "base/err.h"
#include "record/net/server/ledger.h"

/*
 * The server's directory, with one for each client: ADDRESS-YYYY-MM-DD-HH:MM:SS ("-2", "-3"
 * after it for more in the same second).  It is opened once; no link in it is followed, and
 * nothing that is there already is opened for writing.
 */
#define SERVEDIR_MODE 0700
#define SERVEDIR_FILE 0600

/*
 * Open NAME, as the user we are now.  A directory that others may write to is reported to N.
 * Returns its descriptor; -1 with E.
 */
int servedir_open(const char *name, struct notes *n, struct err *e);

/* Make a directory for a client at address FROM; NAME gets its name.  Returns its descriptor. */
int servedir_make(int dir, const char *from, char name[LEDGER_NAME], struct err *e);

/* An unnamed file in it. */
int servedir_nameless(int dir, struct err *e);

/* Bytes on disk of all recordings in it, without those of the clients connected now. */
uint64_t servedir_bytes(int dir, const struct ledger *living);

#endif
