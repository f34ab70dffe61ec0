/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_STEPS_TRACERS_H
#define ZED_TEXT_STEPS_TRACERS_H

#include "base/outbuf.h"
#include "trace/event.h"

/*
 * Events that the kernel prints by dedicated functions, not by their print format: here those of
 * the tracers (system ftrace).
 */
#define OWN_FIELDS 8

enum graph { GRAPH_NONE, GRAPH_ENTRY, GRAPH_EXIT };

struct memory;
struct syscall;
struct calls;

struct own {
	/* Append the text of EV, a record at least as long as its fields; MAX bytes are enough. */
	void (*put)(const struct own *own, const struct event *ev, struct outbuf *o, size_t max);
	const struct field *field[OWN_FIELDS]; /* NULL: not in this machine's format */
	const struct syscall *syscall;	       /* system calls */
	struct memory *memory;		       /* report/: state from earlier records */
	struct calls *calls;		       /* report/: the current calls */
	enum graph graph;		       /* report/: the function is field[0] */
	const char *form; /* not NULL: followed by the print format's steps, in this form */
};

/* Fill OWN if TYPE (resolved) is one of these. */
bool own_find(const struct etype *type, struct own *own);

#endif
