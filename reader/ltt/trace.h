/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_TRACE_H
#define ZED_READER_LTT_TRACE_H

#include "reader/ltt/tsc_clock.h"
#include "reader/ltt/block_head.h"
#include "reader/ltt/info.h"
#include "trace/source.h"

/*
 * The parts of an LTT trace, shared by the files of this folder: ltt.c opens it, tracefiles.c finds
 * its files, control.c reads its list of facilities, types.c keeps these, ltt_stream.c and
 * ltt_stream_gen1.c read events.
 */
#define LTT_MAX_FILES 1024 /* tracefiles: each stays open */
#define LTT_MAX_MACHINES 4 /* different byte orders, pointer sizes and alignments */
#define LTT_IDS 256	   /* facilities of a trace: the id is a byte */
#define LTT_CODES 65536	   /* events of a trace of generation 1: the code has 16 bits */

/* A tracefile. */
struct ltt_file {
	struct input in; /* its path begins with the trace's */
	char *group;	 /* path without the trace's and the number: "control/modules" */
	int cpu;
	struct ltt_head head; /* not in generation 1 */
	unsigned machine;     /* index of ltt.machines */
	struct origin from;
	uint64_t unclosed; /* blocks read so far that were never closed */
};

/* An event of a facility. */
struct ltt_known {
	const struct etype *type; /* NULL: cannot be read */
	struct ltt_layout *layouts[LTT_MAX_MACHINES];
	bool said; /* its size differs from that of its type: reported */
};

/* A facility declared by the trace. */
struct ltt_loaded {
	char *name;
	uint32_t checksum; /* from the trace; 0: not stated */
	unsigned id;	   /* generation 1: the code of its first event */
	struct ltt_machine machine;
	const struct ltt_facilities *text; /* NULL: no description fits */
	unsigned fac;			   /* in text */
	unsigned nevents;
	struct ltt_known *events;
	bool said; /* its skipped events were reported */
};

/* A description file that was read, valid or not. */
struct ltt_text {
	char *name;		    /* of the file */
	struct ltt_facilities *fac; /* NULL: it cannot be used */
};

/* Generation 1: the source of the counter's rate for blocks without one. */
enum ltt_rate { RATE_KNOWN, RATE_ROUGH, RATE_NONE };

/* A trace of either generation: most members are common to both, so there is one struct. */
struct ltt {
	struct source base; /* must be first */
	struct catalog *catalog;
	struct notes *notes;
	bool old;	      /* generation 1 */
	bool wall, raw;	      /* the times requested by the options */
	struct ltt_head head; /* trace-wide values: those of the facilities of the lowest CPU */
	struct ltt_clock clock;
	struct ltt_file *files;
	unsigned nfiles;
	struct ltt_machine machines[LTT_MAX_MACHINES];
	unsigned nmachines;
	struct ltt_info info;
	/* Facilities. */
	struct ltt_text *texts;
	size_t cap_texts;
	unsigned ntexts;
	size_t text_bytes;
	uint64_t nfields;
	struct ltt_loaded **loaded; /* in the order of loading */
	size_t cap_loaded;
	unsigned nloaded;
	struct ltt_loaded *by_id[LTT_IDS]; /* not in generation 1 */
	bool strange[LTT_IDS];		   /* this id was never loaded: reported */
	uint64_t skipped;		   /* undescribed events */
	/* Generation 1. */
	struct ltt_known **by_code; /* LTT_CODES of them */
	uint32_t block_size;
	const struct etype *empty_beat;	 /* NULL: not used yet */
	unsigned block_start, block_end; /* codes; LTT_CODES: none */
	enum ltt_rate rate;		 /* the source of clock's; reported once */
};

/* ---- tracefiles.c ---- */

/* Does the directory FD have control/ and eventdefs/, as every trace has? */
bool ltt_dir_probe(int fd);

/*
 * Find the files: NAME_N anywhere below the trace (not in eventdefs), or those of generation 1.
 * They are opened and sorted: cpu first, then by group and CPU.  Empty files and non-regular files
 * are skipped.
 */
void ltt_dir_find(struct ltt *t, bool old);

/* The file NAME below the trace, at most MAX bytes, plus a NUL; *LEN its length.  NULL: missing (E:
 * ERR_NONE), or with E. */
char *ltt_dir_read(const struct ltt *t, const char *name, size_t max, size_t *len, struct err *e);

void ltt_file_fini(struct ltt_file *f);

/* ---- control.c ---- */

#define LTT_FACILITIES "control/facilities" /* the group of the files that list facilities */

/* Load the facilities listed by these files. */
void ltt_load(struct ltt *t);

/* ---- types.c ---- */

/* Facility 0: the events that every trace has. */
void ltt_known_core(struct ltt *t);

/* The trace has loaded facility NAME as ID (not 0, and not yet taken), for machine M. */
void ltt_known_load(struct ltt *t, const char *name, uint32_t checksum, unsigned id,
		    const struct ltt_machine *m);

/* Generation 1: the facility whose first event has code 0, before any event is read. */
void ltt_known_first(struct ltt *t);

void ltt_known_fini(struct ltt *t);

/* The type of an empty heartbeat, where heartbeats have fields; made when it is first needed. */
const struct etype *ltt_known_beat(struct ltt *t);

/* ---- ltt_stream.c, ltt_stream_gen1.c ---- */

struct stream *ltt_stream(struct ltt *t, struct ltt_file *f);
struct stream *ltt_old_stream(struct ltt *t, struct ltt_file *f);

/* Determine the counter's rate, into t->clock, from any block that has it. */
void ltt_old_rate(struct ltt *t);

/* ---- ltt_summary.c ---- */

/* See source_ops.summary. */
void ltt_summary(struct source *src, void (*line)(void *arg, const char *label, const char *text),
		 void *arg);

#endif
