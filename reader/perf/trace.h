/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_TRACE_H
#define ZED_READER_PERF_TRACE_H

#include "trace/comms/comm_table.h"
#include "trace/source.h"
#include "reader/perf/attrs/attrs.h"
#include "reader/perf/groups.h"
#include "reader/perf/perf_intake.h"
#include "reader/perf/maps.h"
#include "reader/perf/order.h"

/*
 * A perf.data while it is read.  perf_head.c and features.c learn what it is from a file's header,
 * or records.c from the first records of a pipe; then records.c takes record after record into the
 * order, and perf.c hands out what comes out of it.
 */

/* What a file may cost, whatever it says. */
#define PERF_MAX_META (64u << 20)   /* bytes of formats and texts together */
#define PERF_MAX_FEATURE (4u << 20) /* of another feature; EVENT_DESC of a large machine has 2 */
#define PERF_MAX_CPUS 8192	    /* no kernel is built for more */
#define PERF_MAX_FORMATS 65536	    /* the numbers of events have 16 bits */
#define PERF_MAX_FILES 8192	    /* data.N of a directory */
#define PERF_RECORDS 128	    /* types of records that are counted apart */
#define PERF_MAX_SAID 100	    /* notices of one file */
#define PERF_UNPACKERS_FREE (128u << 20) /* bytes for unpacking the files of a directory ... */
#define PERF_UNPACKERS_RATIO 32		 /* ... and so many times their size */
#define PERF_MAX_WAITING (256u << 20)	 /* bytes of entries that wait for their time ... */
#define PERF_WAITING_FREE (64u << 20)	 /* ... of a small file this, and 32 times its size */
#define PERF_WAITING_RATIO 32

/* The record types and features that are looked at (format.md 12.3 and 12.4). */
enum perf_record {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_LOST_SAMPLES = 13,
	RECORD_USER = 64, /* from here on they are perf's own */
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_THREAD_MAP = 73,
	RECORD_AUXTRACE = 71,
	RECORD_EVENT_UPDATE = 78,
	RECORD_HEADER_FEATURE = 80,
};

enum perf_feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_GROUP_DESC = 17,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_BITS = 256,
};

/* A CPU of the recording. */
struct perf_cpu {
	struct stream base; /* must be first; only that of the first one gives events */
	struct perf *f;
	struct origin from;
	uint64_t seq;  /* of the last event */
	uint64_t lost; /* before the next one */
	uint64_t last; /* time of the last event; TS_UNKNOWN: none yet */
	struct trail trail;
	bool follows; /* the trail's row goes on with the next event */
};

/* One file of records: the only one, or one of a directory's. */
struct perf_file {
	struct input in; /* of a directory's; else not used */
	struct intake intake;
	bool sorted; /* its records are in order: a directory's */
	bool over;
	uint64_t newest; /* sorted: the time of its last record */
};

struct perf {
	struct source base; /* must be first */
	struct catalog *catalog;
	struct notes *notes, few, *told; /* notes is &few, which passes on PERF_MAX_SAID */
	unsigned said;
	bool big_endian, swap;
	bool pipe_form; /* the header is in records, though it may be saved in a file */
	bool piped;
	bool is_dir;
	struct input dir; /* then base.in is the file data in it */
	struct idmap ids;
	struct perf_attrs attrs;
	struct buffer buffer;
	struct perf_cpu *cpus;
	unsigned ncpus;		  /* of the streams */
	unsigned told_cpus;	  /* by NRCPUS and ID_INDEX */
	struct perf_file **files; /* room for PERF_MAX_FILES + 1, if it is a directory */
	unsigned nfiles;
	struct perf_file *now; /* the one that is read, ... */
	unsigned turn;	       /* ... for so many more records */
	uint64_t data_off, data_end;
	struct record held; /* the first record of a pipe that is not of its header */
	bool has_held;
	/* Texts: formats in the order that they came. */
	struct perf_text *texts;
	uint64_t meta_bytes;
	unsigned nformats;
	bool has_formats;
	const char *kallsyms, *printk;
	size_t kallsyms_len, printk_len;
	char *host, *release, *version, *arch, *cmdline, *uname;
	bool has_clock_data;
	uint64_t wall_ns, clock_ns; /* CLOCK_DATA: both are of one moment */
	uint64_t shift;		    /* ns that are added to all times: to those of the wall clock */
	/* Order. */
	struct order order;
	struct entry *given;
	struct perf_group group;       /* of that one, or the one before it */
	uint64_t limit;		       /* what is not later can go out */
	uint64_t round;		       /* the largest time before the round at hand */
	uint64_t largest;	       /* time read so far */
	uint64_t last;		       /* time given */
	uint64_t passed[PERF_RECORDS]; /* records that nothing is made of, by type; 0: others */
	struct perf_maps maps;	       /* at that time */
	struct comm_table *names;      /* of tasks at that time, by the recorder's numbers */
	bool foreign; /* these are of a pid namespace: the kernel has others for the same tasks */
	char given_name[COMM_MAX + 1]; /* of the task of given, by that number */
	bool maps_said;
	bool kernel_seen; /* check_kernel() */
	bool too_late_said, no_time_said, cpu_said, id_said, tp_said;
	/* Losses: told with their places, and told in sum at the end. */
	uint64_t lost, lost_sum;
	uint64_t lost_anywhere;	 /* before the next event, whatever its CPU */
	uint64_t deadline;	 /* of a pipe that has been told to stop; 0: none */
	const struct etype *any; /* a type for what only tells of losses */
	uint8_t *blank;		 /* a record of it */
	uint64_t bytes_total, bytes_done;
	uint64_t unpackers; /* bytes that those of a directory may still take */
	uint64_t id_bytes;  /* of all sections of ids */
};

struct perf_text {
	struct perf_text *next;
	uint8_t bytes[];
};

/* ---- perf_head.c: the header of a file ---- */

/* Is it a perf.data?  *BIG is its byte order. */
bool perf_head_probe(const struct input *in, bool *big_endian);

/* Of one that is: is it what perf writes to a pipe, whose header is in records? */
bool perf_head_is_piped(const struct input *in);

/*
 * Read the header of F's input: attrs, ids and features, and where the data are.  -1 with E: it is
 * no perf.data, or nothing of it can be read.
 */
int perf_head_read(struct perf *f, struct err *e);

/* ---- features.c ---- */

/* Take the payload C of feature NUMBER.  -1 with E: it is damaged; what was read of it counts. */
int perf_feature(struct perf *f, unsigned number, struct cursor c, struct err *e);

/* What --summary shows besides. */
void perf_summary(struct source *s, void (*line)(void *arg, const char *label, const char *text),
		  void *arg);

/* The clock of the samples, as ftrace calls it, to be freed. */
char *perf_clock(const struct perf *f);

/* ---- formats.c: the formats of tracepoints, and texts of the machine ---- */

/*
 * Room for LEN bytes of metadata at OFF, which lives as long as F; NULL with E if they are more
 * than a file may have.
 */
uint8_t *perf_text(struct perf *f, uint64_t len, uint64_t off, struct err *e);

/* Take the LEN bytes P of TRACING_DATA, from perf_text(), at OFF of the file. */
int perf_formats(struct perf *f, const uint8_t *p, uint64_t len, uint64_t off, struct err *e);

extern const struct machine_ops perf_texts;

/* machine_ops.mapped */
const char *perf_mapped(void *arg, const struct event_sample *s, uint64_t address, bool kernel,
			uint64_t *off);

/* ---- records.c ---- */

/*
 * Take one record of the file T: into the order, or at once if it is of the header.  PULL_ERR: it
 * is damaged, and left out.
 */
enum pull perf_record(struct perf *f, struct perf_file *t, const struct record *r, struct err *e);

/* Is it a record of a pipe's header? */
bool perf_is_head(const struct record *r);

/* The type of A's samples: made at the first. */
const struct etype *perf_type_of(struct perf *f, struct perf_attr *a);

/* The type of A's counts, with the fields that the samples of LAYOUT have. */
const struct etype *perf_count_type(struct perf *f, struct perf_attr *a, struct perf_attr *layout);

/* ---- perf_stream.c ---- */

extern const struct stream_ops perf_stream_ops;

/* The time of X, which is not an event, has come: a name, a loss. */
void perf_effect(struct perf *f, const struct entry *x);

/*
 * The recorder's numbers of tasks are not the kernel's: its names are not those of the kernel's
 * numbers.
 */
void perf_is_foreign(struct perf *f);

/* ---- sample.c ---- */

/* Put the SAMPLE R into the order. */
enum pull perf_sample(struct perf *f, struct perf_file *t, const struct record *r, struct err *e);

/* ---- counter_events.c: samples without a format: cycles, page faults ---- */

/* Give A its fields. */
void perf_count_fields(struct perf_attr *a);

/* Where in a record of A's its period is. */
size_t perf_count_period(const struct perf_attr *a);

/* Bytes that a record of A's for S has, all of its arrays included. */
uint32_t perf_count_size(const struct perf_attr *a, const struct sample *s);

/* Write that record to DST. */
void perf_count_record(const struct perf_attr *a, const struct sample *s, bool swap, uint8_t *dst);

/* A name for A, if the recording tells none: into BUF. */
const char *perf_count_name(const struct perf_attr *a, char *buf, size_t size);

/* ---- perf_dir.c: directories of perf record --threads ---- */

bool perf_dir_probe(const struct input *in);

/* Make the file data in it F's input.  -1 with E. */
int perf_dir_open(struct perf *f, struct err *e);

/* Add the files data.N. */
void perf_dir_files(struct perf *f);

/* Numbers of the file at P, which need not be aligned. */
static inline uint32_t perf_u32(const struct perf *f, const uint8_t *p)
{
	uint32_t v;

	__builtin_memcpy(&v, p, 4);
	return f->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t perf_u64(const struct perf *f, const uint8_t *p)
{
	uint64_t v;

	__builtin_memcpy(&v, p, 8);
	return f->swap ? __builtin_bswap64(v) : v;
}

#endif
