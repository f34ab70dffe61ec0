/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_TRACE_H
#define ZED_READER_PERF_TRACE_H

#include "trace/comms/comm_table.h"
#include "trace/source.h"
#include "reader/perf/attrs/attrs.h"
#include "reader/perf/build_ids.h"
#include "reader/perf/groups.h"
#include "reader/perf/perf_intake.h"
#include "reader/perf/maps.h"
#include "reader/perf/order.h"

/*
 * State of a perf.data being read.  perf_head.c and features.c parse a file's header, or records.c
 * the first records of a pipe; then records.c adds each record to the order, and perf_stream.c
 * delivers its output: samples as events (sample.c), the others by their effects (effects.c).
 */

/* Limits on the cost of a file. */
#define PERF_MAX_META (64u << 20)   /* bytes of formats and texts */
#define PERF_MAX_FEATURE (4u << 20) /* for other features; EVENT_DESC of a large machine has 2 */
#define PERF_MAX_CPUS 8192	    /* maximum of any kernel */
#define PERF_MAX_FORMATS 65536	    /* event ids have 16 bits */
#define PERF_MAX_FILES 8192	    /* data.N of a directory */
#define PERF_RECORDS 128	    /* record types counted separately */
#define PERF_MAX_SAID 100	    /* notices of one file */
#define PERF_UNPACKERS_FREE (128u << 20) /* bytes for unpacking the files of a directory ... */
#define PERF_UNPACKERS_RATIO 32		 /* ... plus this many times their size */
#define PERF_MAX_WAITING (256u << 20)	 /* bytes of waiting records ... */
#define PERF_WAITING_FREE (64u << 20)	 /* ... for a small file this plus 32 times its size */
#define PERF_WAITING_RATIO 32

/* The features that are used (format.md 12.4). */
enum perf_feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
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
	struct stream base; /* must be first; only the first CPU's delivers events */
	struct perf *f;
	struct origin from;
	uint64_t seq;  /* of the last event */
	uint64_t lost; /* before the next event */
	uint64_t last; /* time of the last event; TS_UNKNOWN: none yet */
	struct trail trail;
	bool follows; /* the trail's run continues with the next event */
};

/* One file of records: the only one, or one of a directory's. */
struct perf_file {
	struct input in; /* of a directory; else unused */
	struct intake intake;
	bool sorted; /* its records are sorted: in a directory */
	bool over;
	uint64_t newest; /* sorted: the time of its last record */
};

/* Notices of a file: PERF_MAX_SAID are forwarded, and some are given once. */
struct perf_reports {
	struct notes few, *to; /* to: the caller's */
	unsigned said;
	bool maps, too_late, no_time, cpu, id, tp, arch, abi;
};

struct perf_form {
	bool big_endian, swap;
	bool records; /* the header is in records, though possibly saved in a file */
	bool piped;
	bool is_dir;
};

/* The files of records, and how far they are read. */
struct perf_files {
	struct perf_file **files; /* room for PERF_MAX_FILES + 1, if it is a directory */
	unsigned nfiles;
	struct perf_file *now; /* the current one, ... */
	unsigned turn;	       /* ... for this many more records */
	uint64_t data_off, data_end;
	struct record held; /* the first record of a pipe after its header */
	bool has_held;
	uint64_t total, done; /* bytes */
	uint64_t unpackers;   /* bytes left for those of a directory */
};

/* Texts of the machine: formats in the order of arrival. */
struct perf_meta {
	struct perf_text *texts;
	uint64_t bytes;
	unsigned nformats;
	bool has_formats;
	const char *kallsyms, *printk;
	size_t kallsyms_len, printk_len;
	uint64_t id_bytes; /* of all sections of ids */
};

/* What features say of the recording. */
struct perf_about {
	char *host, *release, *version, *arch, *cmdline, *uname;
	unsigned cpus; /* from NRCPUS and ID_INDEX */
	struct perf_build_ids build_ids;
	/* A symbol of the kernel, by the name of its map, and where it was; NULL: not stated. */
	char *kernel_symbol;
	uint64_t kernel_address;
	int64_t written; /* time of the file's last change, s since 1970; 0: it is a pipe */
};

/* CLOCK_DATA: both were taken at the same moment. */
struct perf_wall {
	bool known;
	uint64_t wall_ns, clock_ns;
	uint64_t shift; /* ns added to all times, for the wall clock */
};

/* Records that wait for their time.  Times in ns. */
struct perf_due {
	struct intake_blocks blocks;
	struct order order;
	struct perf_given given; /* the sample delivered last ... */
	bool giving;		 /* ... of whose group there may be more */
	struct perf_group group; /* of `given`, or the sample before it */
	uint64_t limit;		 /* records up to here can be delivered */
	uint64_t round;		 /* the largest time before the current round */
	uint64_t last;		 /* delivered */
};

/* Tasks and their memory at the time of the last delivery. */
struct perf_tasks {
	struct perf_maps maps;
	struct comm_table *names; /* by the recorder's numbers */
	bool foreign;		  /* these are a pid namespace's numbers: the kernel's differ */
	char given_name[COMM_MAX + 1]; /* name of the task of `given`, by that number */
};

/* Losses: reported with their places, and as a total at the end. */
struct perf_losses {
	uint64_t placed, total;
	uint64_t anywhere;	  /* before the next event, whatever its CPU */
	const struct etype *type; /* of an event that only reports losses */
	uint8_t *blank;		  /* an empty record of it */
};

struct perf {
	struct source base; /* must be first */
	struct catalog *catalog;
	struct notes *notes; /* those of reports, which forwards them */
	struct perf_reports reports;
	struct perf_form form;
	struct input dir; /* if open, base.in is the file "data" in it */
	struct perf_files in;
	struct idmap ids;
	struct perf_attrs attrs;
	struct buffer buffer;
	struct perf_cpu *cpus;
	unsigned ncpus; /* number of streams */
	struct perf_meta meta;
	struct perf_about about;
	struct perf_wall wall;
	struct perf_due due;
	uint64_t passed[PERF_RECORDS]; /* skipped records, by type; 0: others */
	struct perf_tasks tasks;
	struct perf_losses losses;
	uint64_t deadline; /* for a pipe that was asked to stop; 0: none */
};

struct perf_text {
	struct perf_text *next;
	uint8_t bytes[];
};

/* ---- perf_head.c: the header of a file ---- */

/* Is it a perf.data?  *BIG is its byte order. */
bool perf_head_probe(const struct input *in, bool *big_endian);

/* Is this perf.data of the pipe form, whose header is in records? */
bool perf_head_is_piped(const struct input *in);

/*
 * Read the header of F's input: attrs, ids and features, and the place of the data.  -1 with E: it
 * is not a perf.data, or entirely unreadable.
 */
int perf_head_read(struct perf *f, struct err *e);

/* ---- features.c ---- */

/* Parse the payload C of feature NUMBER.  -1 with E: it is damaged; what was parsed is kept. */
int perf_feature(struct perf *f, unsigned number, struct cursor c, struct err *e);

/* Further lines for --summary. */
void perf_summary(struct source *s, void (*line)(void *arg, const char *label, const char *text),
		  void *arg);

/* The clock of the samples, by ftrace's name, to be freed. */
char *perf_clock(const struct perf *f);

/* ---- formats.c: the formats of tracepoints, and texts of the machine ---- */

/*
 * Room for LEN bytes of metadata at OFF, valid as long as F; NULL with E if that exceeds the limit
 * of a file.
 */
uint8_t *perf_text(struct perf *f, uint64_t len, uint64_t off, struct err *e);

/* Parse the LEN bytes P of TRACING_DATA, from perf_text(), at OFF of the file. */
int perf_formats(struct perf *f, const uint8_t *p, uint64_t len, uint64_t off, struct err *e);

extern const struct machine_ops perf_texts;

/* machine_ops.mapped, .generation, .identity */
bool perf_mapped(void *arg, const struct event *ev, uint64_t address, bool kernel,
		 struct mapping *out);
uint64_t perf_generation(void *arg, const struct event *ev, bool kernel);
bool perf_identity(void *arg, struct kernel_identity *out);

/* ---- records.c ---- */

/*
 * Read one record of the file T: it goes into the order, or takes effect at once if it belongs to
 * the header.  PULL_ERR: it is damaged, and skipped.
 */
enum pull perf_record(struct perf *f, struct perf_file *t, const struct record *r, struct err *e);

/* Does it belong to a pipe's header? */
bool perf_is_head(const struct record *r);

/* The type of A's samples, created at the first one. */
const struct etype *perf_type_of(struct perf *f, struct perf_attr *a);

/* The type of A's counts, with the fields of LAYOUT's samples. */
const struct etype *perf_count_type(struct perf *f, struct perf_attr *a, struct perf_attr *layout);

/* ---- perf_stream.c ---- */

extern const struct stream_ops perf_stream_ops;

/* ---- effects.c ---- */

/* Apply D, which is not a sample: its time has come, or it has none, and takes effect at once. */
void perf_effect(struct perf *f, const struct due *d);

/*
 * The recorder's task numbers are not the kernel's: its names do not apply to the kernel's numbers.
 */
void perf_is_foreign(struct perf *f);

/* ---- sample.c ---- */

/* Put the SAMPLE R into the order. */
enum pull perf_sample(struct perf *f, struct perf_file *t, const struct record *r, struct err *e);

/* Complete f->due.given, whose `due` is a SAMPLE. */
void perf_sample_due(struct perf *f);

/* ---- counter_events.c: samples without a format: cycles, page faults ---- */

/* Give A its fields. */
void perf_count_fields(struct perf_attr *a);

/* The offset of the period in a record of A. */
size_t perf_count_period(const struct perf_attr *a);

/* The size of A's record for S, including its arrays. */
uint32_t perf_count_size(const struct perf_attr *a, const struct sample *s);

/* Write that record to DST. */
void perf_count_record(const struct perf_attr *a, const struct sample *s, bool swap, uint8_t *dst);

/* Make a name for A in BUF, if the recording has none. */
const char *perf_count_name(const struct perf_attr *a, char *buf, size_t size);

/* ---- perf_dir.c: directories of perf record --threads ---- */

bool perf_dir_probe(const struct input *in);

/* Make the file "data" in it F's input.  -1 with E. */
int perf_dir_open(struct perf *f, struct err *e);

/* Add the files data.N. */
void perf_dir_files(struct perf *f);

/* Numbers of the file at P, which need not be aligned. */
static inline uint32_t perf_u32(const struct perf *f, const uint8_t *p)
{
	uint32_t v;

	__builtin_memcpy(&v, p, 4);
	return f->form.swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t perf_u64(const struct perf *f, const uint8_t *p)
{
	uint64_t v;

	__builtin_memcpy(&v, p, 8);
	return f->form.swap ? __builtin_bswap64(v) : v;
}

#endif
