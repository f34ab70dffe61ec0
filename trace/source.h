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
	const struct finder *finder;   /* of names that inputs lack; borrowed; or NULL */
	bool raw_ts;		       /* leave DATE, OFFSET, TIME_SHIFT and TSC2NSEC out */
	bool wall; /* LTT, perf.data, what a server received: times of the wall clock instead of
		      the recorded one */
	bool keep_names; /* zed streams: keep names with their times, for source_ops.metadata */
	/* Zed streams of a carrier: is their clock offset known; the offset, its error (ns). */
	bool compared;
	int64_t ahead;
	uint64_t wrong;
	int64_t day; /* with WALL: to be added to times of the clock that it was compared with */
	struct meta_store *store; /* ... holds their metadata; NULL: each its own */
	uint64_t slack;		  /* live: how late an event may become visible, ns */
	unsigned writer_ms;	  /* how long to wait for a writer of a FIFO; 0: for ever */
	const volatile int *stop; /* once it is set, the network is not waited for; or NULL */
};

/* A CPU's part of a buffer, as the file describes it. */
struct buffer_cpu {
	int cpu;
	uint64_t off, size; /* bytes in the file */
	uint64_t usize;	    /* their unpacked size; 0: not stated */
	unsigned how;	    /* how they are packed: the source's own number */
	bool cut;	    /* the file ends before they do */
};

struct buffer {
	char *name;	      /* "": the top one */
	char *clock;	      /* "local", "mono", ... ; "" if the file does not say */
	char *declared_clock; /* what the file declares; NULL: the same */
	uint32_t page_size;   /* sub-buffer size, bytes */
	struct buffer_cpu *cpus;
	unsigned ncpus;
	bool text; /* holds a latency tracer's text, not events: see source_text() */
};

/*
 * Receives what a trace.dat has besides its pages.  Each returns 0, or -1 with E, which ends the
 * call.  P is borrowed during the call.
 */
struct metadata_taker {
	/* Byte order, bytes of a long and of a sub-buffer, as the file's header states them. */
	int (*head)(void *arg, bool big_endian, unsigned long_size, uint32_t page_size,
		    struct err *e);
	/*
	 * The payload of a metadata section (ids and layout: format.md 1.8), and of an option
	 * (1.5); not the options that say where something is, or how many CPUs there are.
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
	/* Open; takes ownership of IN (closes it on failure too). */
	struct source *(*open)(struct input *in, struct catalog *c, const struct source_opts *o,
			       struct err *e);
	/*
	 * The next piece of the latency text of buffer B into BUF: returns bytes, 0 at its end, -1
	 * with E.  *POS starts at 0 and is managed by the source.
	 */
	ssize_t (*text)(struct source *s, const struct buffer *b, uint64_t *pos, char *buf,
			size_t size, struct err *e);
	/*
	 * Further lines about the source for a summary: calls LINE for each; the text is borrowed.
	 * May be NULL.
	 */
	void (*summary)(struct source *s,
			void (*line)(void *arg, const char *label, const char *text), void *arg);
	/*
	 * Give all metadata read so far to TO, in trace.dat's form.  Damaged parts are reported and
	 * skipped.  NULL: this kind has none of that form.
	 */
	int (*metadata)(struct source *s, const struct metadata_taker *to, struct err *e);
	/*
	 * The times of the first and the last record of each stream, into V (nstreams of them, set
	 * to PERIOD_NONE), found at both ends of its data without affecting later reads.  Damage is
	 * skipped silently, as reading will report it.  NULL: requires reading everything.
	 */
	void (*ends)(struct source *s, struct period *v);
	/*
	 * A time from which on, inclusive, it has N records or more, found at the end of its data
	 * as by ends(); 0: from its beginning.  NULL: requires reading everything.
	 */
	uint64_t (*last)(struct source *s, uint64_t n);
	/*
	 * How many records of each stream the recording had beyond those in the file, according to
	 * its statistics: into V (nstreams; entry 0: that stream is not asked for) the number, 0 if
	 * it is not far more.  A limit of the file's size, or a cut, has left out the first or the
	 * last ones.  Reads all data of these streams, independently of the run.  A stream whose
	 * data continue after the file's end has at least 1, asked for or not.  NULL: unknown.
	 */
	void (*lacks)(struct source *s, uint64_t *v);
	/*
	 * Containers of sources, which have no events but a watermark_stream: the next source
	 * received, opened; NULL: none now, or, with WAIT, no more at all.  Failures to open are
	 * reported.  Called again when a stream had nothing.  The container is closed after the
	 * sources that it returned.
	 */
	struct source *(*more)(struct source *s, bool wait);
	/*
	 * Descriptors to poll while waiting (live); NULL for files.  Returns how many, at most MAX.
	 * May lower or raise wait_ms (struct source), by `held`.
	 */
	int (*fds)(struct source *s, struct pollfd *fds, int max);
	/*
	 * Live kinds, NULL for files: stop what feeds the source; what is buffered is still
	 * delivered, then PULL_EOF.  May be called once.
	 */
	void (*stop)(struct source *s);
	void (*close)(struct source *s);
};

/* What a file that is cut off lacks. */
struct missing {
	uint64_t
		bytes; /* that its headers refer to after its end, at least; 0: it is not cut off */
	bool *cpus;    /* [ncpus], owned: should it have records of that CPU, and has none? */
	unsigned ncpus;
};

/* The tasks that events were recorded for, if the recording says so. */
enum recorded_tasks { RECORDED_UNKNOWN, RECORDED_ALL, RECORDED_CHOSEN };

struct source {
	const struct source_ops *ops;
	struct input in;
	const char *dir; /* IN is one of the files of this directory, which is the input; or NULL */
	unsigned num;	 /* order of opening, from 0 */
	struct machine machine;
	const char *dialect;	 /* "v7", "v7 RFC", "v6", "raw pages" */
	const char *compression; /* "none", "zlib", "zstd" */
	bool pages_bare;	 /* only metadata is compressed */
	uint64_t held;		 /* live, for fds(): the time of the earliest event held back */
	int wait_ms;		 /* ... and its answer: how long to poll these descriptors */
	uint64_t heard;		 /* live: changes whenever something has come from it */
	bool left;		 /* stop() was called, and the recording continues without us */
	bool salvaged;	    /* the recording was not finished; its parts were found by search */
	bool clock_is_ns;   /* times are ns and can be shown as seconds */
	bool is_wall;	    /* they count from 1970 (UTC): the trace has its date */
	bool lossless;	    /* set by ends(): nothing was lost between its records */
	uint64_t trace_id;  /* of the recording, 0: not stated */
	unsigned cpu_count; /* CPUs of the traced machine, 0: not stated */
	enum recorded_tasks tasks;
	struct missing missing;
	struct buffer *buffers;
	unsigned nbuffers;
	struct stream
		*watermark_stream; /* delivers no events, only a watermark that limits all others;
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

/* True if a buffer holds latency text, even if there is nothing else. */
bool source_has_text(const struct source *s);

/* The clock of a source's times ("local", "mono", ...): that of its first buffer with events. */
const char *source_clock(const struct source *s);

/*
 * Do its times count ns?  That is not whether they are shown as seconds (clock_is_ns), as trace-cmd
 * shows them: "boot" counts ns and is shown raw; "uptime" counts 1/100 s and is shown as if it
 * counted ns.
 */
bool source_counts_ns(const struct source *s);

#endif
