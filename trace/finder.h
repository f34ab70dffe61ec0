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
	const char *boot;   /* instead of these: the number of the boot (random/boot_id), digits */
	int64_t written;    /* time of the recording's last byte: seconds since 1970 */
};

/* What a process, or the kernel, has mapped at an address. */
struct mapping {
	const char *file; /* its path as recorded, "[vdso]", "//anon" */
	bool kernel;	  /* the kernel has: FILE is a module's, "/lib/modules/.../x.ko" */
	/*
	 * The kernel's: this is one function, named FILE, of as many bytes, such as a program of
	 * BPF; else 0.
	 */
	uint64_t function;
	const char *host;    /* of the recording; NULL: not stated */
	int32_t pid;	     /* the process, by the recorder's number */
	uint64_t start, end; /* the addresses that are mapped with it; 0, 0: not stated */
	uint64_t off;	     /* the address's offset in the file, or, if from_base, ... */
	bool from_base;	     /* ... how far it is from where the file's first segment is mapped */
	const uint8_t *build_id;
	size_t build_id_len;   /* 0: the recording has none for this file */
	uint32_t major, minor; /* its device ... */
	uint64_t inode;	       /* ... and its number there; 0: not stated */
	int64_t written;       /* as kernel_identity.written; 0: not known */
	/*
	 * The file in which the process writes the code that it compiles (jit-PID.dump), by its
	 * path as recorded; NULL: none.
	 */
	const char *jitdump;
	uint64_t ts; /* when: ns of CLOCK_MONOTONIC, the clock of that file; TS_UNKNOWN: another */
};

/* A function; texts are borrowed until the finder is closed. */
struct code_symbol {
	const char *name;
	/* Instead of the mapping's: /tmp/perf-12.map; the name of a module; NULL: that one. */
	const char *file;
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

/* A function that code is of, and where in its source; texts as above. */
struct code_line {
	const char *function; /* "": not known */
	const char *file;     /* as the compiler had it; "": not known */
	unsigned line;	      /* 0: not known */
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
	 * The function of a program, a library or a module at ADDRESS, which is mapped by M.
	 * False: not known; the finder reports why, once for each file or at its end.
	 */
	bool (*code)(void *arg, const struct mapping *m, uint64_t address, struct code_symbol *out);
	/*
	 * The addresses of the functions that S is in, of a process whose memory is SPACE, into
	 * IPS, at most MOST, the innermost first: trace/unwound.h says which.  Returns how many; 0:
	 * it cannot be unwound; the finder reports why, once.  May be NULL.
	 */
	unsigned (*unwind)(void *arg, const struct user_state *s, const struct address_space *space,
			   uint64_t *ips, unsigned most);
	/*
	 * The functions that the code mapped by M is of, by what the compiler says, into *OUT,
	 * borrowed until the next call: the innermost first, the last one is the function itself,
	 * those before it were inlined.  CALLER: M's address is one that a call returns to: what is
	 * before it is meant.  Returns how many; 0: not known.  NULL: it was not asked for.
	 */
	unsigned (*lines)(void *arg, const struct mapping *m, bool caller,
			  const struct code_line **out);
	/* The same for ADDRESS in the image of the recording ID's kernel; NULL if lines is. */
	unsigned (*kernel_lines)(void *arg, const struct kernel_identity *id, uint64_t address,
				 bool caller, const struct code_line **out);
	void *arg;
};

#endif
