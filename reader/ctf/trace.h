/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_TRACE_H
#define ZED_READER_CTF_TRACE_H

#include "base/hash_index.h"
#include "reader/ctf/ctf_layout.h"
#include "trace/source.h"

/*
 * The parts of a CTF input, shared by the files of this folder: ctf.c opens it, folders.c finds its
 * traces and their files, ctf_files.c opens these when they are read, ctf_types.c compiles what
 * their streams hold, packets.c reads the packets of a file and packet_head.c their heads,
 * ctf_chunks.c puts the pieces of a trace together, ctf_window.c passes over packets of other
 * times, ctf_index.c reads the indexes that say where these are, ctf_ends.c finds the first and the
 * last events by them, ctf_stacks.c has call chains and what processes have mapped, ctf_tasks.c
 * follows who runs, ctf_stream.c brings the events of all files into one order.
 *
 * One input may hold several traces: LTTng writes one for the kernel, and one for each user.
 */
#define CTF_MAX_TRACES 4096 /* chunks of a rotated session among them */
#define CTF_MAX_FILES 16384 /* of events, */
#define CTF_MAX_OPEN 128    /* so many of them open at once */
#define CTF_MAX_CPUS 65536

/* What an event of LTTng's kernel tracer says about what its CPU does. */
enum ctf_says {
	SAYS_NOTHING,
	SAYS_SWITCH, /* `task` runs no longer, `next` does */
	SAYS_STATE,  /* of the list of the tasks at its start: `task` is called `name` */
	SAYS_IRQ_BEGINS,
	SAYS_IRQ_ENDS,
	SAYS_HRTIMER_BEGINS, /* within an interrupt that may have no events of its own */
	SAYS_HRTIMER_ENDS,
	SAYS_SOFTIRQ_BEGINS, /* of `vec` */
	SAYS_SOFTIRQ_ENDS,
	SAYS_CALL_BEGINS, /* where exits do not say of which one they are */
	SAYS_CALL_ENDS,
	/* Of LTTng-UST: which files a process has mapped. */
	SAYS_MAPS_BEGIN, /* a list of all follows */
	SAYS_MAPPED,	 /* `path` at `base` */
	SAYS_BUILD_ID,	 /* of what is mapped at `base` */
	SAYS_UNMAPPED,
};

/* An event of a stream. */
struct ctf_known {
	uint64_t id;
	const struct etype *type;
	const struct ctf_event_class *class;
	struct ctf_layout layout;
	const struct field *tid;      /* the task that caused it; or NULL */
	bool tid_is_virtual;	      /* by its number in its PID namespace */
	const struct field *cpu;      /* where, if it is not that of its packet; or NULL */
	const struct field *procname; /* a context: that task's name; or NULL */
	const struct field *flags;    /* common_flags, for ctf_task() to fill in; or NULL */
	const struct field *call;     /* the number of the call that returns, likewise; or NULL */
	int64_t enters;		      /* the number of the call that it is the entry of; or -1 */
	const struct field *own_call; /* ... or the field that has it; or NULL */
	enum ctf_says says;
	const struct field *kernel_stack, *user_stack; /* contexts; NULL: none */
	const struct field *process;		       /* a context: the task's process; or NULL */
	const struct field *base, *length, *path, *build_id; /* of a mapping; each may be NULL */
	const struct field *task, *next, *name, *vec;	     /* what it says; each may be NULL */
};

/* What one stream of a trace may hold. */
struct ctf_types {
	const struct ctf_stream_class *class; /* NULL: packets without a stream */
	struct ctf_head head;
	const struct ctf_clock *clock; /* or NULL: events have no time */
	struct ctf_known *known;
	unsigned n;
	struct hash_index by_id;
	bool has_switch; /* who runs is known from its events */
};

struct ctf;
struct ctf_trace;
struct ctf_calls;
struct lttng_event;
struct ctf_maps;

/* The events of one CPU of a trace. */
struct ctf_cpu {
	struct stream base; /* must be first: a stream of the source */
	struct ctf *of;
	struct ctf_trace *trace;
	struct origin from;
	struct stream *counts; /* of its events: its own; live: that of the first CPU */
	int cpu;
	uint64_t seq, last; /* number and time of its last record; TS_UNKNOWN: none */
};

/* What was known of a trace before newer metadata came: packets that are being read refer to it. */
struct ctf_before {
	struct ctf_before *next;
	struct ctf_meta *meta;
	struct ctf_types *types;
	unsigned ntypes;
};

struct ctf_trace {
	char *name;	   /* below the input: "kernel"; "" if it is the input itself */
	const char *whole; /* ... without that of its chunk: of several, which are one trace */
	unsigned buffer;   /* of the source: one for all chunks of a trace */
	unsigned like;	   /* number of the first trace with the same metadata, whose these are */
	struct ctf_meta *meta;
	struct arena arena;   /* of layouts */
	struct ctf_head head; /* of packets whose stream is not known yet */
	struct ctf_types *types;
	unsigned ntypes;
	struct ctf_before *before; /* live: the newest first */
	bool is_kernel;		   /* its events are those of a kernel, */
	bool is_perf;		   /* and perf converted them from a perf.data */
	bool has_irqs;		   /* LTTng's events say when a CPU is in an interrupt */
	int32_t process;	   /* whose events these are, if of one; 0: it is not stated */
	bool hides_exits;	   /* ... and do not say which call returns */
	uint64_t overlapping;	   /* packets that begin before the one before them ended */
};

struct ctf_packets;
struct ctf_live;
struct ctf_live_stream;

/* A CPU: the task on it, and the one whose name an event's context gave last.  -1: unknown. */
struct ctf_running {
	int32_t task, named;
	uint8_t irqs, softirqs; /* that have begun there, in each other */
	bool of_hrtimers;	/* the latest softirq runs timers of high resolution */
};

struct ctf {
	struct source base; /* must be first */
	struct catalog *catalog;
	struct notes *notes;
	bool wall, raw; /* the times requested by the options */
	struct ctf_trace *traces;
	unsigned ntraces;
	struct ctf_cpu **cpus; /* [ncpus] all streams of the source, the first one multiplexed */
	unsigned ncpus;
	unsigned left;		    /* parts that layouts may still have */
	struct ctf_packets **files; /* [nfiles] */
	unsigned nfiles;
	struct ctf_packets *open[CTF_MAX_OPEN]; /* [nopen] ctf_files.c */
	unsigned nopen, oldest;
	struct ctf_packets **heap; /* those that have an event, the earliest first */
	unsigned nheap;
	unsigned begun;		     /* files whose first event was looked for */
	struct ctf_packets *given;   /* its event is with the caller */
	uint64_t done, total;	     /* bytes of all files, for progress */
	uint64_t newest;	     /* time of the latest event so far */
	struct ctf_running *running; /* [nrunning] by CPU */
	unsigned nrunning;
	struct ctf_calls *calls; /* linux_calls.c */
	struct ctf_maps *maps;	 /* ctf_stacks.c; NULL: no event has a stack of a program */
	uint64_t *chain;	 /* of the current event */
	size_t chain_cap;
	char *uname;
	const char *host;	 /* in the metadata; or NULL */
	struct ctf_live *live;	 /* a session of a relay daemon; NULL: a directory */
	const struct etype *any; /* for events that only report losses */
	uint8_t *blank;		 /* any->fixed bytes */
};

/* ---- folders.c ---- */

/* Does the directory FD, or one up to three levels below it, hold a CTF trace? */
bool ctf_folder_probe(int fd);

/* Find the traces, into t->traces (name), sorted by name. */
void ctf_folder_traces(struct ctf *t);

/* The directory of TRACE, to be closed; -1: errno says why. */
int ctf_folder_open(const struct ctf *t, const struct ctf_trace *trace);

/* Append the data files of TRACE to t->files.  What cannot be opened is reported. */
void ctf_folder_files(struct ctf *t, struct ctf_trace *trace);

/*
 * The metadata of TRACE, into trace->meta: those of an earlier chunk (trace->like), if their text
 * is the same.  trace->like is the number that TRACE will have.  False: reported.
 */
bool ctf_folder_metadata(struct ctf *t, struct ctf_trace *trace);

/* ---- ctf_files.c ---- */

/*
 * Have F's file open, to be read: another one may be closed for it.  -1 with E: it is gone, or was
 * replaced, since it was found.
 */
int ctf_files_open(struct ctf_packets *f, struct err *e);

/* F is not read now. */
void ctf_files_close(struct ctf_packets *f);

/* ---- ctf_types.c ---- */

/* Compile the streams of TRACE, and add the types of its events to the catalog. */
void ctf_types_make(struct ctf *t, struct ctf_trace *trace);
void ctf_types_fini(struct ctf_trace *trace);

/*
 * The same for newer metadata of TRACE, META, which are taken over: events that are as before keep
 * their types.
 */
void ctf_types_renew(struct ctf *t, struct ctf_trace *trace, struct ctf_meta *meta);

/* The types of the stream ID, or NULL. */
const struct ctf_types *ctf_types_of(const struct ctf_trace *trace, uint64_t id);

/* The event ID of TYPES, or NULL. */
const struct ctf_known *ctf_types_event(const struct ctf_types *types, uint64_t id);

/* ---- packets.c ---- */

/* Where a packet begins, and what the packets before it left. */
struct ctf_mark {
	uint64_t packet;	    /* offset in the file */
	uint64_t discarded, number; /* of the packet before */
	uint64_t finish, clock;
	bool numbered;
};

/* A file of packets, and its next event. */
struct ctf_packets {
	struct input in;
	struct ctf_packets *after; /* the one whose data it continues, or NULL */
	struct ctf *t;
	struct ctf_trace *trace;
	int cpu; /* of its name; -1: none */
	unsigned num;
	struct ctf_live_stream *live; /* its packets come from there; NULL: they are in the file */
	bool fed;		      /* ... and there may be more: ctf_packets_feed() */
	bool cut;		      /* ... or would have been: events after its end are lost */
	struct ctf_cpu *to;	      /* where its events count; set at the first packet */
	/* Some of the file's bytes. */
	uint8_t *buf;
	size_t cap, len;
	uint64_t at; /* offset of buf in the file */
	/* The packet. */
	uint64_t packet, size; /* offset in the file of this one, or the next one; bytes */
	bool open;
	const struct ctf_types *types;
	struct ctf_in bits;
	uint64_t finish; /* the clock at its end; 0: not stated */
	/* Losses. */
	uint64_t discarded, number; /* of the packet before */
	bool numbered;
	uint64_t begin; /* number of the first packet */
	uint64_t later; /* lost after the last event of this packet */
	uint64_t lost;	/* before the next event */
	bool lost_some; /* ... and an unknown number */
	/* Packets that are passed over: ctf_window.c. */
	struct ctf_mark mark; /* of this packet */
	struct ctf_mark sure; /* of the first one passed over by the index */
	struct ctf_index *index;
	unsigned entry;	 /* of the index */
	bool indexed;	 /* the index was looked for */
	bool past;	 /* a packet says that it begins after the window */
	bool whole;	 /* this packet is to be read */
	uint64_t passed; /* bytes of the packet before, if it was passed over by its head */
	uint64_t jumped; /* ... of those before, by the index */
	/* The next event. */
	const struct ctf_known *known; /* NULL: it only reports losses, at the file's end */
	struct ctf_record rec;
	uint64_t ts;
	uint64_t off;	   /* of its header */
	bool fresh, first; /* no event of the packet was read yet; this is its first one */
	bool given;	   /* an event of the file was given */
	bool all;	   /* unwanted ones are given, too */
	bool sleeps;	   /* ts is when its first packet begins: no event was looked for yet */
};

/* IN is taken over. */
struct ctf_packets *ctf_packets_new(struct ctf *t, struct ctf_trace *trace, const struct input *in,
				    int cpu);
void ctf_packets_free(struct ctf_packets *f);

/* F is not read for a while, or ever: it keeps only where it is. */
void ctf_packets_rest(struct ctf_packets *f);

/*
 * Read the first packet's header, so that f->to is known.  False: the file holds no packet that can
 * be read (reported).
 */
bool ctf_packets_begin(struct ctf_packets *f);

/*
 * Go to the next event.  PULL_AGAIN: no wanted one for a while.  PULL_ERR with E: a piece is
 * damaged; the next call continues after it.
 */
enum pull ctf_packets_next(struct ctf_packets *f, struct err *e);

/*
 * Open the next packet, after the one that is open, which need not have been read: f->mark is where
 * it begins, f->bits is at its first event.  PULL_EOF: there is none.  PULL_ERR: as above.
 */
enum pull ctf_packets_head(struct ctf_packets *f, struct err *e);

/* Continue at M. */
void ctf_packets_go(struct ctf_packets *f, const struct ctf_mark *m);

/*
 * The LEN bytes at P, which are taken over, are the next packet of F, which is at its end.  While
 * f->fed, ctf_packets_next() returns PULL_WAIT at the end of a packet.
 */
void ctf_packets_feed(struct ctf_packets *f, uint8_t *p, size_t len);

/* The time of CYCLES of the clock of TYPES. */
uint64_t ctf_time(const struct ctf *t, const struct ctf_types *types, uint64_t cycles);

/* ---- ctf_chunks.c ---- */

/* The name of a trace without those of its chunk and of the directory of chunks. */
const char *ctf_chunks_name(const char *name);

/* Which traces of T are chunks of one: sets `whole` and `buffer`.  Returns how many buffers. */
unsigned ctf_chunks_traces(struct ctf *t);

/* Which of the files, whose first packets are open, continue others: sets `after`. */
void ctf_chunks_files(struct ctf *t);

/*
 * The first event of F is going to be given, so the file before it has been read: what was lost in
 * that one, whose counts F continues, is not lost here.
 */
void ctf_chunks_continue(struct ctf_packets *f);

/* ---- ctf_index.c ---- */

/* A packet, as the index of its file has it; times are in cycles. */
struct ctf_index_entry {
	uint64_t offset, size; /* bytes */
	uint64_t begin, end;
	uint64_t discarded, stream, number;
};

struct ctf_index {
	struct ctf_index_entry *v; /* [n] consecutive packets, from the file's begin on */
	unsigned n;
	bool numbered; /* entries have numbers */
};

/*
 * The index of the data file OF of TRACE.  NULL: there is none, or it does not fit the file
 * (reported).
 */
struct ctf_index *ctf_index_read(const struct ctf *t, const struct ctf_trace *trace,
				 const struct input *of);
void ctf_index_free(struct ctf_index *x);

/* Report that the index of OF does not fit it. */
void ctf_index_doubt(struct notes *notes, const struct input *of);

/* ---- ctf_window.c ---- */

/* Is the packet that is open, of which no event was read yet, of another time? */
bool ctf_window_passes(struct ctf_packets *f);

/* May packets of F before a window be passed over, as nothing in them is needed later? */
bool ctf_window_may_skip_head(const struct ctf_packets *f);

/* Move f->mark over packets that are of another time by the index. */
void ctf_window_jump(struct ctf_packets *f);

/*
 * The packet at f->mark was OPENED, or cannot be.  False: what the index says of it is not true; it
 * is dropped, and f->sure is where to continue.
 */
bool ctf_window_holds(struct ctf_packets *f, bool opened);

/* Does the head of the packet that is open say what X, of the index, says? */
bool ctf_window_agrees(const struct ctf_packets *f, const struct ctf_index_entry *x);

/* ---- ctf_ends.c ---- */

/* source_ops.ends, which sets source.lossless as well, and .last. */
void ctf_ends(struct source *s, struct period *v);
uint64_t ctf_last(struct source *s, uint64_t n);

/* ---- ctf_stacks.c ---- */

/* Find the contexts of K's events that are call chains. */
void ctf_stacks_find(struct ctf_known *k);

/* Set the chain of EV, an event of K with one, and whose it is. */
void ctf_stacks_put(struct ctf *t, const struct ctf_known *k, struct event *ev);

/* Have events of M stacks of programs? */
bool ctf_stacks_are_in(const struct ctf_meta *m);

struct ctf_maps *ctf_maps_new(void);
void ctf_maps_free(struct ctf_maps *m); /* NULL is fine */

/* What the event NAME says of mappings. */
enum ctf_says ctf_maps_says(const char *name);

/* F's event EV, which says something of them.  Call in order of time. */
void ctf_maps_take(struct ctf *t, const struct ctf_packets *f, const struct event *ev);

/* machine_ops.mapped and .generation. */
bool ctf_mapped(void *arg, const struct event *ev, uint64_t address, bool kernel,
		struct mapping *out);
uint64_t ctf_generation(void *arg, const struct event *ev, bool kernel);

/* ---- ctf_tasks.c ---- */

/*
 * The task that caused F's event, -1: unknown.  Call in order of time: it keeps who runs on from a
 * switch up to a loss, in which interrupts that is, which it writes into the record (common_flags),
 * and names of tasks.
 */
int32_t ctf_task(struct ctf *t, const struct ctf_packets *f);

/* ---- ctf.c ---- */

/* A source without traces yet, which gets IN. */
struct ctf *ctf_new(const struct source_ops *ops, const struct input *in, struct catalog *c,
		    const struct source_opts *o);

/* What the metadata of TRACE say of it and its machine. */
void ctf_learn(struct ctf *t, struct ctf_trace *trace);

/* The machine, as the first trace describes it. */
void ctf_describe(struct ctf *t);

/* N buffers for those of the traces, or one for all. */
void ctf_make_buffers(struct ctf *t, unsigned n);
void ctf_make_streams(struct ctf *t);
void ctf_close(struct source *s);

/* The stream of CPU of TRACE: made if there is none. */
struct ctf_cpu *ctf_cpu(struct ctf *t, struct ctf_trace *trace, int cpu);

/* ---- ctf_live.c ---- */

/*
 * Have a packet of each stream that may have an event before those in t->heap.  PULL_OK: it is so;
 * PULL_WAIT: it is unknown yet; PULL_AGAIN: ask again; PULL_EOF: nothing more will come.
 */
enum pull ctf_live_refill(struct ctf *t);

/* F, which had an event, is at the end of its packet. */
void ctf_live_wait(struct ctf_packets *f);
void ctf_live_close(struct ctf_live *l);

/* ---- ctf_stream.c ---- */

/* F has an event, and is not among the others yet. */
void ctf_stream_add(struct ctf *t, struct ctf_packets *f);

extern const struct stream_ops ctf_stream_ops;

/* ---- linux_names.c ---- */

/*
 * The system and the name by which the event NAME of LTTng's kernel tracer is known in tracefs,
 * into SYSTEM and OWN.  System "lttng": it has no counterpart.
 */
void ctf_linux_name(const char *name, char *system, size_t system_size, char *own, size_t own_size);

/*
 * What the numbers in SYSTEM:NAME mean in the kernel RELEASE ("4.4.0-116"), in the form of a print
 * format; "": nothing is known of it.
 */
const char *ctf_linux_print(const char *system, const char *name, const char *release);

/* ---- linux_calls.c ---- */

/*
 * The machine whose kernel LTTng traced, as uname -m has it: M states it, or its kernel's release
 * does, or no other one has all of the system calls that M has events of.  "unknown".
 */
const char *ctf_linux_machine(const struct ctf_meta *m);

/* Set what L, whose name is set, says about a system call.  Numbers are those of T's machine. */
void ctf_linux_call(struct ctf *t, struct lttng_event *l);
void ctf_calls_free(struct ctf *t);

/*
 * Up to version 2.5 LTTng has one event for the exits of all calls, which does not say of which:
 * does M have it, and is it NAME?
 */
bool ctf_calls_hide_exits(const struct ctf_meta *m);
bool ctf_is_exit_of_all(const char *name);

/* TASK (-1: unknown) enters call NR; which one it returns from, -1: unknown. */
void ctf_call_begins(struct ctf *t, int32_t task, int64_t nr);
int64_t ctf_call_ends(struct ctf *t, int32_t task);

/* Events were lost: what tasks call is unknown. */
void ctf_calls_forget(struct ctf *t);

#endif
