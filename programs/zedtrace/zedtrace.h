/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_ZEDTRACE_H
#define ZED_PROGRAMS_ZEDTRACE_ZEDTRACE_H

#include "programs/amount.h"
#include "programs/session/session_options.h"
#include "programs/event_names.h"
#include "record/net/token.h"
#include "base/pack/codec.h"
#include "record/file/file_names.h"

/* The modes of zedtrace; one bit each: the number of the mode in zedtrace_options.c. */
enum zedtrace_mode {
	RECORD = 1,
	LIST = 2,
	LISTEN = 4,
	RECOVER = 8,
	CONVERT = 16,
	CLEANUP = 32,
	EXTRACT = 64,
	STATUS = 128,
	SNAPSHOT = 256,
};

/* zedtrace's command line: filled by zedtrace_options.c, used by all others. */
struct zedtrace {
	const char *extract;	       /* save what this instance holds */
	const char *instance;	       /* read this one, which belongs to another program */
	const char *recover, *convert; /* DIR, STREAM */

	/* What to record. */
	struct stable *stable;	   /* the shipped catalogue */
	struct event_names events; /* positionals, then those of --for */
	struct session_words words;
	const char *script;
	struct session_tracer tracer; /* may name events */

	/* Output, and limits. */
	const char *output, *host; /* NULL: not given */
	uint64_t reconnect;	   /* ms; 0: not; UINT64_MAX: for ever */
	const char *token_file;	   /* NULL: not given */
	struct token token;	   /* its contents */
	enum codec codec;
	bool plain;		    /* do not even pack the metadata */
	uint64_t max_size;	    /* 0: no limit */
	struct amount rotate;	    /* of each file; 0: one file */
	struct amount flight;	    /* kept in the kernel; 0: everything is read */
	struct cli_texts when;	    /* "SYS[:EVENT][: EXPR]": what writes a file of --flight */
	struct cli_texts synthetic; /* definitions of events made of two, for these */
	struct keep keep;	    /* files of these two */
	const char *exec;	    /* run for each completed file; NULL: nothing */
	bool date, no_maps;	    /* no_maps: user stacks without what processes have mapped */
	unsigned prio, percent;	    /* -r, --buffer-percent; 0: not given */

	struct unattended {
		const char *config; /* a file of settings; NULL: none */
		bool check;	    /* only check it */
		char **argv;	    /* the whole command line, which a reload reads again */
		int argc;
		const char *who; /* --status, --snapshot: a process number; NULL: not given */
		bool json;
	} unattended;

	struct serving {
		const char *port, *addr, *dir, *user;
		uint64_t max_total, idle; /* bytes, ms; 0: no limit */
		unsigned max_cpus;
		bool stay; /* -l -o -: do not end with the last client */
	} serving;
};

/* Limits of a server; docs/zedtrace.pod describes them. */
#define ZEDTRACE_INIT \
	{ \
		.words = SESSION_WORDS_INIT, .serving = { \
			.max_total = 10ull << 30, \
			.idle = 24ull * 3600 * 1000, \
			.max_cpus = 1024, \
		} \
	}

#define DEFAULT_OUTPUT "trace.dat"

#define DEFAULT_MAX_SIZE (1ull << 30) /* that a server accepts from a client */

/* zedtrace's options.  Their sets fill the struct zedtrace that is cli_init()'s arg. */
extern const struct cli_spec ZEDTRACE_SPEC;

/* Free what the options and words have made. */
void zedtrace_fini(struct zedtrace *z);

/*
 * The mode they select; 0 if they do not go together, which was reported.  Nothing has been opened
 * or changed by then.
 */
enum zedtrace_mode zedtrace_asked(struct cli *c, struct zedtrace *z);

/* Fill Z->events with the events that the positionals name.  -1 with E. */
int zedtrace_words(struct cli *c, struct zedtrace *z, struct err *e);

/* The same, and the events of --for.  -1 with E. */
int zedtrace_events(struct cli *c, struct zedtrace *z, struct err *e);

/*
 * Start what runs the program of --exec, before anything raises our priority; *Q: NULL without the
 * option.  0, or the exit status; errors were reported.
 */
struct exec_queue;
int zedtrace_exec(struct cli *c, const struct zedtrace *z, struct exec_queue **q);

#define ZEDTRACE_EXEC_LIMIT (60ull * 1000000000) /* ns for it at the end */

/* Record; returns the exit status. */
int zedtrace_record(struct cli *c, struct zedtrace *z);

/*
 * Keep the newest events in the kernel (--flight), and write them to a file at SIGUSR1, at each
 * event of --when, and without --when at the end.  Returns the exit status.
 */
int zedtrace_flight(struct cli *c, struct zedtrace *z);

/*
 * List what the running kernel offers (-t): "Available tracepoints:", each subsystem and under it
 * its events, sorted.  With -v for each event what its files tell: "NAME ID SIZE STATE" (bytes of a
 * record's fixed part; enabled or disabled), a line "NAME TYPE OFFSET SIZE" for each field and
 * "filters:" with the filter or "none".  State and filter are those of the top instance.  An event
 * whose files cannot be read is reported (NOTE_WARN) and shown by its name.  -1 with E: no tracefs,
 * or a pattern that names nothing.
 */
int zedtrace_list(struct cli *c, struct zedtrace *z, struct err *e);

/* --check-config: check events and filters, where this kernel shows them.  The exit status. */
int zedtrace_check(struct cli *c, struct zedtrace *z);

/* --status, --snapshot: ask running recorders; returns the exit status. */
int zedtrace_ask(struct cli *c, struct zedtrace *z, enum zedtrace_mode mode);

/* Serve (-l) until a signal; returns the exit status. */
int zedtrace_serve(struct cli *c, struct zedtrace *z);

#endif
