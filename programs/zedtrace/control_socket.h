/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_CONTROL_SOCKET_H
#define ZED_PROGRAMS_ZEDTRACE_CONTROL_SOCKET_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The socket at which a running recorder is asked: FOLDER/PID.sock, for its own user and root only
 * (mode 0600, and SO_PEERCRED is checked).  A client sends one line, "status", "json" or
 * "snapshot", and gets "ok" or "failed" as the first line, then text, up to the end.  A client has
 * CONTROL_MS for its line and CONTROL_ANSWER bytes of answer; CONTROL_CLIENTS are served at once,
 * further ones wait.  Nothing on the recorder's side waits.
 */
struct control;
struct pollfd;

#define CONTROL_CLIENTS 8
#define CONTROL_LINE 64
#define CONTROL_ANSWER 8192
#define CONTROL_MS 2000

enum control_request {
	CONTROL_STATUS = 1,
	CONTROL_JSON = 2,
	CONTROL_SNAPSHOT = 4,
	CONTROL_REQUESTS = 3, /* how many there are */
};

/* The words for them in a request, by the number of their bit. */
extern const char *const CONTROL_WORDS[CONTROL_REQUESTS];

/*
 * The folder of the sockets into BUF: that of RUNTIME_DIRECTORY (a service's), for root
 * /run/zedtrace, else XDG_RUNTIME_DIR/zedtrace.  False: there is none.
 */
bool control_folder(char *buf, size_t size);

/*
 * Listen.  The folder is made if it is missing.  NULL: that is not possible, which is reported to N
 * as information: recording does not depend on it.
 */
struct control *control_open(struct notes *n);
void control_close(struct control *c); /* removes the socket; NULL is fine */

/* The descriptors to wait for, at most MAX into FDS: up to CONTROL_CLIENTS + 1. */
unsigned control_fds(const struct control *c, struct pollfd *fds, unsigned max);

/*
 * Take what has arrived by NOW (CLOCK_MONOTONIC, ns).  Returns the requests that came, of enum
 * control_request: each is to be answered, now or later.
 */
unsigned control_look(struct control *c, uint64_t now);

/* Answer all clients that wait for REQUEST. */
void control_answer(struct control *c, enum control_request request, bool ok, const char *text);

/* ---- for who asks ---- */

/*
 * The recorders that have a socket in FOLDER, by number, into PIDS, to be freed; how many.  What
 * killed ones left there is removed.
 */
unsigned control_list(const char *folder, pid_t **pids);

/*
 * Ask process PID for REQUEST, and wait MS for the answer: its text, to be freed, *OK as its first
 * line says.  NULL with E.
 */
char *control_ask(const char *folder, pid_t pid, enum control_request request, unsigned ms,
		  bool *ok, struct err *e);

#endif
