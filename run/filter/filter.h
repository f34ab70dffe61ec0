/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_FILTER_FILTER_H
#define ZED_RUN_FILTER_FILTER_H

#include "base/glob.h"
#include "trace/catalog.h"

/*
 * Which events a sink sees.  Terms given by the user are joined by "and" across kinds (cpu, pid,
 * task name, cgroup, time, instance, expressions).  An event type without an expression passes,
 * unless expressions were given and none names it: -F 'sched: prio < 100' leaves events of other
 * systems in (as the kernel's filters do).
 */
struct filter;

struct filter *filter_new(void);
void filter_free(struct filter *f);

/* "0,2-5"; CPUs not in any list are rejected. -1 with E on bad text. */
int filter_cpus(struct filter *f, const char *list, struct err *e);
/* "12,34": common_pid is one of these. */
int filter_pids(struct filter *f, const char *list, struct err *e);
/* "sh,kworker*": the task of common_pid has one of these names at that time (comm_list.h). */
int filter_comms(struct filter *f, const char *list, struct err *e);
/*
 * "/system.slice": the task of common_pid is in this cgroup, or below it, at that time
 * (cgroup_list.h); may be given several times.
 */
int filter_cgroup(struct filter *f, const char *path, struct err *e);
/* Only this buffer ("" the top one); may be given several times. */
int filter_instance(struct filter *f, const char *name, struct err *e);
/*
 * Only types for which TAKES(ARG, TYPE) is true: asked once for each type, in filter_compile() or
 * when it is first met.
 */
void filter_types(struct filter *f, bool (*takes)(void *arg, const struct etype *t), void *arg);
/*
 * OTHER(ARG, SYSTEM, EVENT): does that name mean events of other names?  Called if no input has
 * such an event, for the message.
 */
void filter_other_names(struct filter *f,
			bool (*other)(void *arg, const char *system, const char *event), void *arg);
/* Times in ns of the merged clock; either end inclusive.  0 and UINT64_MAX: open. */
void filter_times(struct filter *f, uint64_t start, uint64_t end);
/* Is TS one of them? */
bool filter_has_time(const struct filter *f, uint64_t ts);
/* The times that can pass, from *START to *END; false: all. */
bool filter_window(const struct filter *f, uint64_t *start, uint64_t *end);
/* Does it select by times only? */
bool filter_only_times(const struct filter *f);
/* What is subtracted from times in expressions (--relative), read for each event; borrowed. */
void filter_base(struct filter *f, const uint64_t *base);
/*
 * 'SUBSYS[:EVENT]: EXPR' (SUBSYS and EVENT may be globs).  The operators of the kernel's filters
 * (== != < <= > >= & ~ && || ! and parentheses) and the words and, or, not; strings in "" or bare
 * after == != ~; the event's fields, and pseudo fields (pseudo.h; event is "sched:sched_switch");
 * numbers decimal, 0x, 0octal, signed.  -1 with E, which shows the column.
 */
int filter_expr(struct filter *f, const char *text, struct err *e);

/*
 * Compile for the types that C has now; later ones are compiled when they are first met.  An
 * expression that fits no event (no such system, or none of its events has the field) is an error
 * that suggests the nearest name.  If it fits only some of the events, those that lack the field
 * pass unfiltered, as in the kernel, and a notice says so.
 */
int filter_compile(struct filter *f, struct catalog *c, struct notes *n, struct err *e);

/* Does EV pass?  No allocation once its type has been met. */
bool filter_pass(struct filter *f, const struct event *ev);

/*
 * Does EV pass apart from times, CPUs and tasks?  These select a part of the answer; the rest of
 * the filter says which events the answer is made from.  (NEXT_BEYOND)
 */
bool filter_pass_kind(struct filter *f, const struct event *ev);

/* The I-th of the pids that are asked for, in their order.  False: no more. */
bool filter_pid(const struct filter *f, size_t i, int32_t *pid);

/* Are names of tasks asked for? */
bool filter_has_comms(const struct filter *f);
/* The I-th of them, a pattern; NULL: no more. */
const char *filter_comm(const struct filter *f, size_t i);
/* Can a task with that name have events that pass? */
bool filter_takes_comm(const struct filter *f, const char *name);

/*
 * The earliest and the latest time of the events checked by filter_pass(), for a message
 * that says why none passed; false: there was no event.
 */
bool filter_met(const struct filter *f, uint64_t *first, uint64_t *last);

/* The next pid, from the *I-th on, that no event had; *I is moved past it.  False: no more. */
bool filter_unmet_pid(const struct filter *f, size_t *i, int32_t *pid);

/* The same of names of tasks; NULL: no more. */
const char *filter_unmet_comm(const struct filter *f, size_t *i);

/* The same of cgroups. */
const char *filter_unmet_cgroup(const struct filter *f, size_t *i);

/* Are cgroups asked for? */
bool filter_has_cgroups(const struct filter *f);
/* The I-th of them, a path; NULL: no more. */
const char *filter_cgroup_at(const struct filter *f, size_t i);
/* Can the task PID of M have events that pass at NOW, by its cgroup? */
bool filter_takes_cgroup(const struct filter *f, struct machine *m, uint64_t now, int32_t pid);

/* Are there expressions (filter_expr)? */
bool filter_has_expr(const struct filter *f);

/* Does everything pass? */
bool filter_empty(const struct filter *f);

/* Can any event of that type pass?  (To leave types out: catalog_want.) */
bool filter_takes_type(const struct filter *f, const struct etype *t);
/* Are CPUs asked for? */
bool filter_has_cpus(const struct filter *f);
/* Can any event of that CPU pass?  (To leave whole streams out.) */
bool filter_takes_cpu(const struct filter *f, int cpu);
/* Can any event of that instance pass? */
bool filter_takes_instance(const struct filter *f, const char *name);

#endif
