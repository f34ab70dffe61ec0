/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SCHEMA_H
#define ZED_SCHEMA_H

#include "err.h"

/*
 * What a source knows besides its events: byte order, word size, and texts of the traced machine
 * (symbols, trace_printk strings, command names), which are loaded and parsed when first asked for.
 * Owned by its source; everything returned is borrowed until the source is closed.
 */
enum schema_text { TEXT_KALLSYMS, TEXT_PRINTK, TEXT_CMDLINES, TEXT_UNAME, TEXT_CPUSTAT, NTEXT };

struct schema_ops {
	/* The text WHICH (*LEN 0: there is none), borrowed; -1: it cannot be read. */
	int (*text)(void *arg, enum schema_text which, const char **p, size_t *len, struct err *e);
	/*
	 * Live: the name of a task that is not known yet, into BUF; false: nobody knows.  May be
	 * NULL.  Not asked again soon for the same task.
	 */
	bool (*comm)(void *arg, int32_t pid, char buf[16]);
};

struct schema {
	bool big_endian;
	bool swap;		/* big_endian is not ours */
	unsigned long_size;	/* bytes of the traced kernel's long: 4 or 8 */
	const struct schema_ops *ops;
	void *arg;
	struct notes *notes;	/* for damage in a text found late; may be NULL */
	const char *path;	/* of the source, for messages; NULL: there is none */
	struct symtab *symbols, *printk;	/* made on demand */
	struct comms *comms;
	bool learnt;		/* some name has come by schema_learn_comm() */
};

/*
 * The symbol that holds ADDR: the greatest one at or below it (an address past the last symbol
 * matches only exactly).  *START gets its address, *MODULE its module or NULL.  NULL: none.
 */
const char *schema_symbol(struct schema *s, uint64_t addr, uint64_t *start, const char **module);

/* The trace_printk string at ADDR exactly, without quotes, escapes as in the file; or NULL. */
const char *schema_printk(struct schema *s, uint64_t addr);

/* The number of trace_printk strings, and the I-th (*ADDR its address). */
unsigned schema_printk_count(struct schema *s);
const char *schema_printk_at(struct schema *s, unsigned i, uint64_t *addr);

/* The command name of PID: "<idle>" for 0, "<...>" for an unknown one.  Never NULL. */
const char *schema_comm(struct schema *s, int32_t pid);

/*
 * As trace-cmd 3.1.6 reads the text: the first line of a name that has more, and "<...>" for all
 * tasks behind it, as it stops there.
 */
const char *schema_comm_stock(struct schema *s, int32_t pid);

/*
 * Live: PID is called NAME (LEN bytes, of which 255 are kept) from now on.  What was returned for
 * PID before is no longer valid.  Of a million names the oldest give way.
 */
void schema_learn_comm(struct schema *s, int32_t pid, const char *name, size_t len);

/* Live: may names come, or change, while events are read? */
bool schema_learns(const struct schema *s);

/* The number of known command names, and the I-th (in the file's order, *PID its process). */
unsigned schema_comm_count(struct schema *s);
const char *schema_comm_at(struct schema *s, unsigned i, int32_t *pid);

/* A text as it is; *LEN 0 when there is none or it cannot be read (then a notice was given). */
const char *schema_raw(struct schema *s, enum schema_text which, size_t *len);

void schema_init(struct schema *s, const struct schema_ops *ops, void *arg, struct notes *notes);
void schema_fini(struct schema *s);

#endif
