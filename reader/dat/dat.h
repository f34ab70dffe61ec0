/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_DAT_DAT_H
#define ZED_READER_DAT_DAT_H

#include "base/bytes.h"
#include "trace/source.h"
#include "reader/dat/wall.h"
#include "ring/clock.h"
#include "base/pack/codec.h"
#include "ring/feed.h"
#include "ring/ring.h"

/*
 * Common to versions 6 and 7 of trace.dat (format.md 1.1, 1.5, 1.8, 3).  dat.c opens the file and
 * reads its first bytes; v6.c and v7.c locate its parts and enter them: data in the list of buffers
 * (buffers.h), metadata in parts and options (dat_meta.c).  Finally dat.c makes the streams.
 */

/* The file begins: 17 08 44 "tracing" VERSION\0 order longsize ... */
#define DAT_MAGIC "\x17\x08\x44tracing"
#define DAT_MAGIC_LEN 10

/* Option ids; location options have the id of the section they point to. */
enum dat_id {
	DAT_DONE,
	DAT_DATE,
	DAT_CPUSTAT,
	DAT_BUFFER,
	DAT_TRACECLOCK,
	DAT_UNAME,
	DAT_HOOK,
	DAT_OFFSET,
	DAT_CPUCOUNT,
	DAT_VERSION,
	DAT_PROCMAPS,
	DAT_TRACEID,
	DAT_TIME_SHIFT,
	DAT_GUEST,
	DAT_TSC2NSEC,
	DAT_STRINGS, /* a section only; in the RFC: LATENCY */
	DAT_HEADER_INFO,
	DAT_FTRACE_EVENTS,
	DAT_EVENT_FORMATS,
	DAT_KALLSYMS,
	DAT_PRINTK,
	DAT_CMDLINES,
	DAT_BUFFER_TEXT, /* in our reading of the RFC: BUFFER_COMPRESSED */
	DAT_BTF_FILE,	 /* there: BUFFER_COMPRESSED_MAP */
	DAT_LAST_BOOT,
	DAT_MODULES,
	DAT_NIDS,
	/*
	 * Our own, far from those that trace-cmd adds one by one; it skips unknown ones.  After
	 * CGROUP_LOG_MAGIC it has the cgroups of tasks (trace/cgroups/cgroup_log.h), after
	 * MAP_LOG_MAGIC what processes have mapped (trace/maps/map_log.h).
	 */
	DAT_CGROUPS = 0x7a63,
	DAT_MAPS = 0x7a6d,
};

/*
 * Limits on the cost of a file.  Real ones stay far below: a distribution's kernel with all its
 * modules has 15 MiB of kallsyms and 10 MiB of formats, 5,000 events, and metadata that are packed
 * at most 16 : 1 (measured; 22 : 1 by the best level of zstd).
 */
#define DAT_MAX_META (64u << 20) /* bytes of all metadata of a file, unpacked */
#define DAT_META_RATIO 64	 /* a packed part unpacks to this many times its size ... */
#define DAT_META_FREE (1u << 20) /* ... plus this, at most */
#define DAT_MAX_TYPES 65536	 /* formats; event ids have 16 bits */
#define DAT_MAX_OPTIONS 65536	 /* CPUs and instances make a few thousand */
#define DAT_MAX_BUFFERS 1024
#define DAT_MAX_STREAMS 65536 /* total CPUs of all buffers */
#define DAT_MAX_SAID 100      /* notices of one file; the rest is only counted */
#define DAT_MAX_CPU 65536     /* CPU numbers are below */
#define DAT_MAX_CPUS 8192     /* maximum of any kernel */

/* A part of the metadata; loaded on demand, kept until the source is closed. */
struct dat_part {
	bool present, packed, loaded, loose; /* loose: usize is only an upper bound (RFC) */
	uint64_t off, size;		     /* payload in the file, packed or not */
	uint64_t usize;			     /* packed: its unpacked size */
	uint8_t *data;
	size_t len;
};

/* Bytes of the file that are referenced. */
struct dat_claim {
	uint64_t off, end;
	uint64_t data_end; /* end of a CPU's data; else off */
};

/* The origin of a stream: indices of a buffer, and of a CPU's entry in it. */
struct dat_place {
	unsigned buffer, cpu;
};

/* An option that dat_option() took, with a copy of its payload. */
struct dat_option {
	unsigned id;
	size_t len;
	uint8_t *p;
};

/* Notices of a file: at most DAT_MAX_SAID of them are forwarded. */
struct dat_reports {
	struct notes few, *to; /* to: the caller's */
	unsigned said, informed;
};

/* What was met so far, for the limits. */
struct dat_counts {
	uint64_t meta_bytes; /* unpacked */
	unsigned formats, options, cpus;
	unsigned bad_cpus; /* CPU entries that were rejected */
};

struct dat_head {
	bool big_endian;
	unsigned long_size; /* of the recording process */
	uint32_t page_size; /* 0: not stated (RFC) */
	uint64_t len;	    /* bytes of the file header */
};

struct dat_texts {
	char *clock; /* the active one of TRACECLOCK; NULL: not stated */
	char *uname, *version;
	char *host; /* that of uname, once asked for; NULL: not stated */
};

/* All CPUSTAT options, as in the file. */
struct dat_cpustat {
	char *p;
	size_t len, cap;
};

/* Those of dat_option(), in order. */
struct dat_kept {
	struct dat_option *v;
	size_t n, cap;
};

/* Pages and what is between them (rest.c). */
struct dat_claims {
	uint64_t declared_end; /* the size that the file should have */
	uint64_t claimed;      /* bytes of all CPUs' data */
	struct dat_claim *v;
	size_t n, cap;
};

struct proc_maps;
struct map_table;

struct dat {
	struct source base; /* must be first */
	struct catalog *catalog;
	struct notes *notes; /* those of reports, which forwards them */
	struct dat_reports reports;
	struct dat_counts counts;
	bool raw_ts;
	bool shows_wall;      /* times of day are asked for ... */
	struct dat_wall wall; /* ... and may be stated */
	bool with_data;	      /* make streams, not only formats */
	struct dat_head head;
	uint64_t options_off; /* v7 */
	enum codec codec;
	struct page_layout layout; /* of the top buffer */
	struct clock clock;	   /* of the top buffer ... */
	struct clock plain;	   /* ... and of instances: without TIME_SHIFT */
	struct idmap ids;
	struct dat_part parts[DAT_NIDS];
	struct dat_texts texts;
	struct dat_cpustat cpustat;
	struct origin *origins;
	struct dat_place *places; /* of each stream */
	struct feed_pool pool;
	struct dat_kept kept;
	struct proc_maps *maps;	 /* of processes, once asked for (proc_maps.h); or NULL */
	struct map_table *looks; /* the same, by time (mapped.h); or NULL */
	bool looks_cut;		 /* ... from which some are left out, as was reported */
	int64_t written;	 /* time of the file's last change, s since 1970; 0: not known */
	uint32_t superseded;	 /* bits of parts: a later option named another section */
	struct dat_claims claims;
	void *dialect;	   /* state of the dialect until it has finished */
	struct feed *text; /* of the latency text being read */
};

/*
 * Account for LEN more bytes of metadata in memory, from SIZE bytes at OFF of the file; -1 with E
 * if that exceeds the limit of a file.
 */
int dat_meta_claim(struct dat *d, uint64_t off, uint64_t size, uint64_t len, struct err *e);

/* Load part P (no-op if it is loaded).  -1 with E. */
int dat_part_load(struct dat *d, struct dat_part *p, struct err *e);

/* The machine's texts, from the parts and options of the struct dat that is its arg. */
extern const struct machine_ops dat_texts;

/*
 * The name in brackets of a trace_clock text ("local [mono] boot"), or its first word.  To be
 * freed.
 */
char *dat_active_clock(const char *text, size_t len);

/*
 * Load and parse header info and formats from the parts that are present; damage is reported, not
 * fatal.
 */
void dat_read_formats(struct dat *d);

/* Count another option, at OFF; false: too many, which is reported. */
bool dat_option_claim(struct dat *d, uint64_t off);

/* Handle an option that means the same in all versions; ignore others.  Damage is reported. */
void dat_option(struct dat *d, unsigned id, struct cursor payload);

/* Note that the file refers to SIZE bytes at OFF, present or not: for dat_say_cut(). */
void dat_tells(struct dat *d, uint64_t off, uint64_t size);

/* Once all is read: report that the file is truncated, and the consequences. */
void dat_say_cut(struct dat *d);

/* Note that SIZE bytes at OFF are read. */
void dat_claim(struct dat *d, uint64_t off, uint64_t size);

/* Note that SIZE bytes at OFF are a CPU's data, and possibly SLACK bytes after them. */
void dat_claim_data(struct dat *d, uint64_t off, uint64_t size, uint64_t slack);

/* Are the bytes between FROM and TO all 0? */
bool dat_blank(const struct dat *d, uint64_t from, uint64_t to);

/*
 * Report unclaimed non-zero bytes between FROM and TO as damage (recorders leave zeroes between
 * CPUs, up to a page boundary); and data that overlap with what follows.
 */
void dat_rest(struct dat *d, uint64_t from, uint64_t to);

/* Is SIZE a possible sub-buffer size? */
bool dat_page_size_ok(uint32_t size);

/* Decide which clock each buffer really had, from everything the file says. */
void dat_settle_clocks(struct dat *d);

/* Show times of day, if they are asked for, and another machine has compared its clock. */
void dat_use_wall(struct dat *d);

/* -1: the file, of SIZE bytes, ends before what its header has at OFF. */
int dat_head_cut(uint64_t off, uint64_t size, struct err *e);

/* The readers of the two versions: from the end of the common header to the list of buffers. */
int dat6_read(struct dat *d, struct err *e);
int dat7_read(struct dat *d, struct err *e);

/* The parameters of stream I of D, except its feed. */
struct ring_opts dat_ring(struct dat *d, unsigned i);

/* All pages of stream I. */
struct feed *dat_feed(struct dat *d, struct feed_pool *pool, unsigned i);

/* source_ops.metadata.  CMDLINES false: without task names. */
int dat_metadata(struct source *s, const struct metadata_taker *to, struct err *e);
int dat_give_metadata(struct dat *d, bool cmdlines, const struct metadata_taker *to, struct err *e);

/* Once there are streams: the CPUs whose data the file cuts off before their first record. */
void dat_miss_empty(struct dat *d);

/* source_ops.ends */
void dat_ends(struct source *s, struct period *v);
void dat_lacks(struct source *s, uint64_t *v);

/* Open the trace.dat IN (takes ownership).  WITH_DATA false: no streams are made (for --meta). */
struct dat *dat_open(struct input *in, struct catalog *c, const struct source_opts *o,
		     bool with_data, struct err *e);
void dat_close(struct source *s);

extern const struct source_ops dat_source; /* trace.dat */
extern const struct source_ops raw_source; /* bare pages, formats from another file */

#endif
