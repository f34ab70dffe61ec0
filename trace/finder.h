/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_FINDER_H
#define ZED_TRACE_FINDER_H

#include "base/err.h"
#include "trace/user_state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names of code that a recording does not have itself: a program gives a machine a finder
 * (source_opts.finder), which looks for them in the running kernel and in files.
 */
struct symbols;

/* Which kernel, and which boot of it, a recording is of; what is not stated is NULL or 0. */
struct kernel_identity {
	const char *host, *release; /* as of uname(2) */
	const uint8_t *build_id;
	size_t build_id_len;
	const char *symbol; /* one of its symbols ... */
	uint64_t address;   /* ... and its address then */
	int64_t written;    /* time of the recording's last byte: seconds since 1970 */
};

/* What a process has mapped at an address. */
struct mapping {
	const char *file; /* its path as recorded, "[vdso]", "//anon" */
	const char *host; /* of the recording; NULL: not stated */
	int32_t pid;	  /* the process, by the recorder's number */
	uint64_t off;	  /* the address's offset in the file, or, if from_base, ... */
	bool from_base;	  /* ... how far it is from where the file's first segment is mapped */
	const uint8_t *build_id;
	size_t build_id_len;   /* 0: the recording has none for this file */
	uint32_t major, minor; /* its device ... */
	uint64_t inode;	       /* ... and its number there; 0: not stated */
	int64_t written;       /* as kernel_identity.written; 0: not known */
};

/* A function; texts are borrowed until the finder is closed. */
struct code_symbol {
	const char *name;
	const char *file;    /* instead of the mapping's: /tmp/perf-12.map; NULL: that one */
	uint64_t start, end; /* as mapping.off */
	uint64_t off;	     /* of the address in the function */
};

/* The memory of a process, at the moment of a sample. */
struct address_space {
	/* What it has mapped at ADDRESS, into OUT.  False: unknown. */
	bool (*at)(void *arg, uint64_t address, struct mapping *out);
	void *arg;
	const void *owner; /* the machine that the process ran on: its pids are its own */
	int32_t pid;
};

struct finder {
	/*
	 * The symbols of the recording ID's kernel, if they are of its boot, into *OUT; borrowed
	 * until the finder is closed.  -1 with E: there are none (ERR_UNKNOWN: the recording is of
	 * another machine).
	 */
	int (*kernel)(void *arg, const struct kernel_identity *id, const struct symbols **out,
		      struct err *e);
	/*
	 * The function of a program or library at ADDRESS, which is mapped by M.  False: not known;
	 * the finder reports why, once for each file or at its end.
	 */
	bool (*code)(void *arg, const struct mapping *m, uint64_t address, struct code_symbol *out);
	/*
	 * The addresses of the functions that S is in, of a process whose memory is SPACE, into
	 * IPS, at most MOST, the innermost first: trace/unwound.h says which.  Returns how many; 0:
	 * it cannot be unwound; the finder reports why, once.  May be NULL.
	 */
	unsigned (*unwind)(void *arg, const struct user_state *s, const struct address_space *space,
			   uint64_t *ips, unsigned most);
	void *arg;
};

#endif
