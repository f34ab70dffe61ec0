/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_MACHINE_H
#define ZED_TRACE_MACHINE_H

#include "base/err.h"
#include "trace/cgroups/cgroups.h"
#include "trace/comms/comms.h"
#include "trace/finder.h"
#include "trace/symbols.h"

/*
 * What a source knows besides its events: byte order, word size, and texts of the traced machine
 * (symbols, trace_printk strings, command names), loaded and parsed at their first use.  Owned by
 * its source; everything returned is borrowed until the source is closed.
 */
enum machine_text {
	TEXT_KALLSYMS,
	TEXT_PRINTK,
	TEXT_CMDLINES,
	TEXT_UNAME,
	TEXT_CPUSTAT,
	TEXT_CGROUPS, /* not text: trace/cgroups/cgroup_log.h */
	NTEXT
};

struct event;
struct event_sample;
struct own_calls;
struct unwound;

struct machine_ops {
	/* The text WHICH (*LEN 0: none), borrowed; -1: it cannot be read. */
	int (*text)(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e);
	/*
	 * Live: the name of a task not known yet, into BUF; false: unknown.  May be NULL.  Not
	 * called again soon for the same task.
	 */
	bool (*comm)(void *arg, int32_t pid, char buf[16]);
	/*
	 * What the process of EV, or the kernel, has mapped at ADDRESS now, into OUT.  False:
	 * unknown.  May be NULL.
	 */
	bool (*mapped)(void *arg, const struct event *ev, uint64_t address, bool kernel,
		       struct mapping *out);
	/*
	 * perf.data: the registers and the stack that were copied with the sample S, into OUT;
	 * borrowed like its record.  False: none, or not those of a program that can be unwound.
	 * May be NULL.
	 */
	bool (*user_state)(void *arg, const struct event_sample *s, struct user_state *out);
	/*
	 * What these are, as a number: while it is the same, so is each answer of mapped();
	 * GENERATION_NONE: the functions there change with time.  NULL: it never changes.
	 */
#define GENERATION_NONE UINT64_MAX
	uint64_t (*generation)(void *arg, const struct event *ev, bool kernel);
	/*
	 * perf.data, which has no symbols: which kernel was traced, as far as is known now.  False:
	 * not stated.  May be NULL.
	 */
	bool (*identity)(void *arg, struct kernel_identity *out);
	/* The displayed time of a stamp of the trace clock.  NULL: the stamp itself. */
	uint64_t (*shown)(void *arg, uint64_t stamp);
};

struct machine {
	bool big_endian;
	bool swap;	    /* big_endian is not ours */
	unsigned long_size; /* bytes of the traced kernel's long: 4 or 8 */
	const struct machine_ops *ops;
	void *arg;
	struct notes *notes;		  /* for damage in a text found late; may be NULL */
	const char *path;		  /* of the source, for messages; NULL: none */
	struct symbols *symbols, *printk; /* made on demand */
	const struct symbols *given;	  /* instead of the source's own, borrowed; or NULL */
	const struct finder *finder;	  /* for names that the source lacks, borrowed; or NULL */
	const struct symbols *running;	  /* the finder's of the kernel */
	struct comms *comms;		  /* task names; see machine_share_tasks() */
	struct cgroups *cgroups;	  /* of tasks; the same */
	struct unwound *unwound;	  /* the last one: trace/unwound.h; or NULL */
	const struct own_calls *calls;	  /* its system calls without a number; or NULL */
	unsigned nfields;		  /* of its event types, parsed so far: catalog.c */
};

/*
 * The symbol that holds ADDR: the greatest one at or below it (an address past the last symbol
 * matches only exactly), of at most SYMBOL_MAX bytes.  *START gets its address, *MODULE its module
 * or NULL.  NULL: none.
 */
const char *machine_symbol(struct machine *s, uint64_t addr, uint64_t *start, const char **module);

/* The same as the kernel prints it, with *SIZE: symbols_kernel(). */
const char *machine_kernel_symbol(struct machine *s, uint64_t addr, uint64_t *start, uint64_t *size,
				  const char **module);

/* What the task of EV, or the KERNEL, has mapped at ADDRESS, into OUT.  False: not known. */
bool machine_mapped(struct machine *s, const struct event *ev, uint64_t address, bool kernel,
		    struct mapping *out);

/*
 * The function at ADDRESS, which is mapped by M (machine_mapped()), by the file of it, into OUT.
 * False: not known.
 */
bool machine_code(struct machine *s, const struct mapping *m, uint64_t address,
		  struct code_symbol *out);

/* finder.kernel_lines() of the traced kernel, which has to be known by its build id. */
unsigned machine_kernel_lines(struct machine *s, uint64_t address, bool caller,
			      const struct code_line **out);

/* The trace_printk string at ADDR exactly, without quotes, escapes as in the file; or NULL. */
const char *machine_printk(struct machine *s, uint64_t addr);

/* A text unchanged; *LEN 0 if there is none or it cannot be read (then a notice was given). */
const char *machine_raw(struct machine *s, enum machine_text which, size_t *len);

void machine_init(struct machine *s, const struct machine_ops *ops, void *arg, struct notes *notes);
void machine_fini(struct machine *s);

/* S and WITH, whose source outlives S, have the same tasks: share their names and cgroups. */
void machine_share_tasks(struct machine *s, const struct machine *with);

/* The cgroup of PID at NOW, the time of an event, borrowed until the next call; "?": unknown. */
const char *machine_cgroup(struct machine *s, uint64_t now, int32_t pid);

/*
 * Was the traced kernel Linux MAJOR.MINOR or later?  False if its release is unknown, or M is NULL.
 */
bool machine_since(struct machine *m, unsigned major, unsigned minor);

#endif
