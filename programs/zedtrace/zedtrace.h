/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_ZEDTRACE_H
#define ZED_PROGRAMS_ZEDTRACE_ZEDTRACE_H

#include "programs/amount.h"
#include "programs/session/session_options.h"
#include "programs/event_names.h"
#include "base/pack/codec.h"

/* What zedtrace's command line said: filled by zedtrace_options.c, used by all the others. */
struct zedtrace {
	bool list, listen, cleanup;
	const char *extract;	       /* save what this instance holds */
	const char *instance;	       /* read this one, which is somebody else's */
	const char *recover, *convert; /* DIR, STREAM */

	/* What to record. */
	struct stable *stable;	   /* the shipped catalogue */
	struct event_names events; /* positionals, then those of --for */
	struct session_words words;
	const char *script;
	struct session_tracer tracer; /* may stand for events */

	/* Where to, and until when. */
	const char *output, *host; /* NULL: not said */
	const char *compress;
	enum codec codec;
	uint64_t max_size; /* 0: no limit */
	bool max_size_said;
	struct amount rotate; /* of each file; 0: one file */
	struct amount flight; /* kept in the kernel; 0: everything is read */
	const char **when;    /* "SYS[:EVENT][: EXPR]": what writes a file of --flight */
	size_t nwhen, cap_when;
	unsigned keep; /* files of these two; 0: all */
	bool date;
	unsigned prio, percent; /* -r, --buffer-percent; 0: not said */

	/* The server.  0: no limit. */
	const char *port, *addr, *dir, *user;
	uint64_t max_total, idle; /* bytes, ms */
	unsigned max_cpus;
	bool max_total_said, idle_said, max_cpus_said;
	bool stay; /* -l -o -: no end with the last client */
};

#define DEFAULT_OUTPUT "trace.dat"

/* Of a server; docs/zedtrace.pod states them. */
#define DEFAULT_MAX_SIZE (1ull << 30)
#define DEFAULT_MAX_TOTAL (10ull << 30)
#define DEFAULT_IDLE (24ull * 3600 * 1000)
#define DEFAULT_MAX_CPUS 1024

/* zedtrace's options.  Their sets fill the struct zedtrace that is cli_init()'s arg. */
extern const struct cli_spec ZEDTRACE_SPEC;

/* Fill Z->events with what the positionals stand for.  -1 with E. */
int zedtrace_words(struct cli *c, struct zedtrace *z, struct err *e);

/* The same, and the events of --for.  -1 with E. */
int zedtrace_events(struct cli *c, struct zedtrace *z, struct err *e);

/* Record; returns the exit status. */
int zedtrace_record(struct cli *c, struct zedtrace *z);

/* Serve (-l) until a signal; returns the exit status. */
int zedtrace_serve(struct cli *c, struct zedtrace *z);

#endif
