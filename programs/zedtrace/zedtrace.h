/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_ZEDTRACE_H
#define ZED_PROGRAMS_ZEDTRACE_ZEDTRACE_H

#include "programs/options.h"
#include "reader/kernel/event_names.h"
#include "reader/pages/codec.h"

#include <sys/types.h>

/* What zedtrace's command line said: filled by options.c, used by all the others. */
struct zedtrace {
	bool list, listen, cleanup;
	const char *recover, *convert; /* DIR, STREAM */

	/* What to record. */
	struct stable *stable;	   /* the shipped catalogue */
	struct event_names events; /* positionals, then those of --for */
	const char **filters;
	size_t nfilters, cap_filters;
	pid_t *pids;
	size_t npids, cap_pids;
	pid_t *exclude;
	size_t nexclude, cap_exclude;
	bool children;
	const char *cpus, *clock, *script;
	unsigned buffer_kb, subbuf_kb; /* 0: the kernel's */

	/* Where to, and until when. */
	const char *output, *host; /* NULL: not said */
	const char *compress;
	enum codec codec;
	uint64_t max_size;	  /* 0: no limit */
	uint64_t duration, slack; /* ns; 0: none; UINT64_MAX: the default */

	bool max_size_said;

	/* The server.  0: no limit. */
	const char *port, *addr, *dir, *user;
	uint64_t max_total, idle; /* bytes, ms */
	unsigned max_cpus;
	bool max_total_said, idle_said, max_cpus_said;
};

#define DEFAULT_OUTPUT "trace.dat"
#define DEFAULT_SLACK 20000000 /* ns */

/* Of a server; docs/zedtrace.pod states them. */
#define DEFAULT_MAX_SIZE (1ull << 30)
#define DEFAULT_MAX_TOTAL (10ull << 30)
#define DEFAULT_IDLE (24ull * 3600 * 1000)
#define DEFAULT_MAX_CPUS 1024

/* zedtrace's options.  Their sets fill the struct zedtrace that is cli_init()'s arg. */
extern const struct cli_spec ZEDTRACE_SPEC;

/* Fill Z->events with what the positionals stand for.  -1 with E. */
int zedtrace_words(struct cli *c, struct zedtrace *z, struct err *e);

/* Record; returns the exit status. */
int zedtrace_record(struct cli *c, struct zedtrace *z);

/* Serve (-l) until a signal; returns the exit status. */
int zedtrace_serve(struct cli *c, struct zedtrace *z);

#endif
