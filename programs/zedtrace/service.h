/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_SERVICE_H
#define ZED_PROGRAMS_ZEDTRACE_SERVICE_H

#include "programs/zedtrace/zedtrace.h"

/*
 * A recorder that is left running: what asks it (its socket, SIGUSR1, SIGHUP), and what it reports
 * to the service manager that started it.  Only one with --rotate, --flight or --config is asked.
 */
struct service;
struct pollfd;

/* What is asked for. */
enum service_asked {
	SERVICE_STATUS = 1,   /* service_status() */
	SERVICE_SNAPSHOT = 2, /* service_snapshot(), now or later */
	SERVICE_RELOAD = 4,   /* service_reloaded(), now or later */
	SERVICE_SIGNAL = 8,   /* as SERVICE_SNAPSHOT, by SIGUSR1: without an answer */
};

struct service_status {
	const char *state;  /* "recording" */
	const char *output; /* the file, or what names several; REMOTE: the host, or "-" */
	bool remote;
	uint64_t ns; /* since the start */
	uint64_t events, lost, bytes;
	bool kept;	  /* EVENTS are those that wait in the buffers: there is no rate */
	unsigned files;	  /* completed ones */
	const char *last; /* of these; NULL: none */
	bool execs;	  /* --exec is given: */
	unsigned failed;  /* for so many files its program was not run, or failed */
};

/* Catches the signals of Z's recorder that ask for something. */
struct service *service_open(struct cli *c, const struct zedtrace *z);
void service_close(struct service *s); /* NULL is fine */

/* It records, from here on; it ends, which may take long. */
void service_ready(struct service *s);
void service_ending(struct service *s);

/* For poll(), as of struct recorder_guest; at most RECORDER_GUEST_FDS. */
unsigned service_fds(const struct service *s, struct pollfd *fds, unsigned max, uint64_t *until);

/*
 * What is asked for, of enum service_asked, each once.  READY: poll() reported a descriptor.  NOW:
 * CLOCK_MONOTONIC, ns.  To be called several times a second: the manager waits for a sign of life.
 */
unsigned service_look(struct service *s, bool ready, uint64_t now);

/* The answers.  TEXT: the file, or why there is none. */
void service_status(struct service *s, const struct service_status *st);
void service_snapshot(struct service *s, bool ok, const char *text);
void service_reloaded(struct service *s);

#endif
