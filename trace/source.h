/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_SOURCE_H
#define ZED_TRACE_SOURCE_H

#include "base/input.h"
#include "trace/catalog.h"
#include "trace/machine.h"
#include "trace/stream.h"

struct pollfd;
struct meta_store;

/* One input: what it is, its buffers, and a stream for each CPU of each of them. */

struct source_opts {
	struct notes *notes;
	const char
		*meta; /* raw OUTPUT.cpuN files: the trace.dat that holds their formats, or NULL */
	const struct symbols *symbols; /* of all inputs, instead of their own; borrowed; or NULL */
	bool raw_ts;		       /* leave DATE, OFFSET, TIME_SHIFT and TSC2NSEC out */
	bool wall;	 /* LTT, perf.data: times of the wall clock instead of the recorded one */
	bool keep_names; /* zed streams: names with their times are kept, for source_ops.metadata */
	/* Zed streams of a carrier: is it known what is to be added to their times, ns?  And by how
	 * much that may be wrong. */
	bool compared;
	int64_t ahead;
	uint64_t wrong;
	struct meta_store *store; /* ... where their metadata are kept; NULL: each for itself */
	uint64_t slack;		  /* live: how much later than its time an event may be seen, ns */
	unsigned writer_ms;	  /* how long to wait for a writer of a FIFO; 0: for ever */
};

/* A CPU's part of a buffer, as the file tells it. */
struct buffer_cpu {
	int cpu;
	uint64_t off, size; /* bytes in the file */
	uint64_t usize;	    /* what they should unpack to; 0: not stated */
	unsigned how;	    /* how they are packed: the source's own number */
};

struct buffer {
	char *name;	      /* "" is the top one */
	char *clock;	      /* "local", "mono", ... ; "" where the file does not say */
	char *declared_clock; /* what the file says it is; NULL: the same */
	uint32_t page_size;   /* sub-buffer size, bytes */
	struct buffer_cpu *cpus;
	unsigned ncpus;
	bool text; /* holds a latency tracer's text, no events: see source_text() */
};

/*
 * Takes what a trace.dat has beside its pages.  Each returns 0, or -1 with E, which ends it.  P is
 * borrowed during the call.
 */
struct metadata_taker {
	/* Byte order, bytes of a long and of a sub-buffer, as the file's header states them. */
	int (*head)(void *arg, bool big_endian, unsigned long_size, uint32_t page_size,
		    struct err *e);
	/*
	 * The payload of a metadata section (ids and layout: format.md 1.8), and of an option
	 * (1.5); no options that say where something is, nor how many CPUs there are.
	 */
	int (*section)(void *arg, unsigned id, const void *p, size_t len, struct err *e);
	int (*option)(void *arg, unsigned id, const void *p, size_t len, struct err *e);
	void *arg;
};

struct source_ops {
	const char *name; /* "trace.dat v7" */
	/* Reads a pipe as it comes; for all other kinds it is spooled to a file before open(). */
	bool takes_pipe;
	/* Does IN look like one of ours?  Never consumes; sees INPUT_HEAD bytes of a pipe. */
	bool (*probe)(const struct input *in);
	/* Open; takes IN over (closes it on failure too). */
	struct source *(*open)(struct input *in, struct catalog *c, const struct source_opts *o,
			       struct err *e);
	/*
	 * The next piece of the latency text of buffer B into BUF: returns bytes, 0 at its end, -1
	 * with E. *POS starts at 0 and is the source's to use.
	 */
	ssize_t (*text)(struct source *s, const struct buffer *b, uint64_t *pos, char *buf,
			size_t size, struct err *e);
	/*
	 * What else there is to say of the source, as a summary shows it: a call of LINE for each
	 * line, whose text is borrowed.  May be NULL.
	 */
	void (*summary)(struct source *s,
			void (*line)(void *arg, const char *label, const char *text), void *arg);
	/*
	 * Give all metadata to TO, as a trace.dat has them: what has been read of them so far.
	 * What is damaged of them is reported and left out.  NULL: this kind has none of that form.
	 */
	int (*metadata)(struct source *s, const struct metadata_taker *to, struct err *e);
	/*
	 * When the first and the last record of each stream happened, into V (nstreams of them, set
	 * to PERIOD_NONE): found at both ends of its data, and nothing that is read later is
	 * touched.  What is damaged there is passed over, as reading it will tell.  NULL: only
	 * reading all of it can tell.
	 */
	void (*ends)(struct source *s, struct period *v);
	/*
	 * Kinds that bring sources, and have no events of their own but a watermark_stream: the
	 * next one that has come, opened; NULL: none now, or, with WAIT, there will be none any
	 * more.  What cannot be opened is reported.  It is asked again when a stream had nothing.
	 * It is closed after all that it has brought.
	 */
	struct source *(*more)(struct source *s, bool wait);
	/*
	 * Descriptors to poll while waiting (live); NULL for files.  Returns how many, at most MAX.
	 * May lower or raise wait_ms (struct source), by `held`.
	 */
	int (*fds)(struct source *s, struct pollfd *fds, int max);
	/*
	 * Live kinds, NULL for files: end what feeds the source; what is there is still given, then
	 * PULL_EOF.  May be called once.
	 */
	void (*stop)(struct source *s);
	void (*close)(struct source *s);
};

/* Of which tasks events were recorded, as far as the recording tells. */
enum recorded_tasks { RECORDED_UNKNOWN, RECORDED_ALL, RECORDED_CHOSEN };

struct source {
	const struct source_ops *ops;
	struct input in;
	const char *dir; /* IN is one of the files of this directory, which is the input; or NULL */
	unsigned num;	 /* order of opening, from 0 */
	struct machine machine;
	const char *dialect;	 /* "v7", "v7 RFC", "v6", "raw pages" */
	const char *compression; /* "none", "zlib", "zstd" */
	bool pages_bare;	 /* that is of the metadata alone */
	uint64_t held;	  /* live, for fds(): the time of the earliest event that is held back */
	int wait_ms;	  /* ... and its answer: how long the wait for these descriptors may last */
	bool left;	  /* stop() was asked, and the recording goes on without us */
	bool salvaged;	  /* the recording was not finished; what is here was found by search */
	bool clock_is_ns; /* times are ns and can be shown as seconds */
	bool is_wall;	  /* they count from 1970 (UTC): the trace tells its date */
	uint64_t trace_id;  /* of the recording, 0: not stated */
	unsigned cpu_count; /* CPUs of the traced machine, 0: not stated */
	enum recorded_tasks tasks;
	struct buffer *buffers;
	unsigned nbuffers;
	struct stream
		*watermark_stream; /* gives no event, but a watermark that all streams keep to;
					   NULL: none */
	struct stream **streams;   /* owned; in order buffers x CPUs */
	unsigned nstreams;
};

/* Close S and all that it owns; NULL is fine. */
void source_close(struct source *s);

/*
 * For the close() of a kind: first, as its streams may use what it frees itself.  Closes the
 * streams and the input, frees the list of streams and the machine.
 */
void source_fini(struct source *s);

/* Frees the texts and the list of CPUs of a buffer that owns them. */
void buffer_fini(struct buffer *b);

/* True if a buffer holds latency text; true for sources that have nothing else too. */
bool source_has_text(const struct source *s);

/*
 * The clock that a source's times are of ("local", "mono", ...): that of its first buffer with
 * events.
 */
const char *source_clock(const struct source *s);

#endif
