/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_OPENED_H
#define ZED_INTERP_PYTHON_BASE_OPENED_H

#include "run/times.h"
#include "run/synthetic/event_choice.h"
#include "symbols/symbol_finder.h"

#include <stddef.h>

struct trace_index;

/* A list of texts, owned. */
struct open_texts {
	char **v;
	size_t n, cap;
};

/* A time: a text as --start has it; NULL: NS, if given. */
struct open_time {
	char *text;
	uint64_t ns;
	bool given;
};

/* What zed.open() was given; owned.  Zeroed: nothing. */
struct open_words {
	struct open_texts paths;  /* "-": standard input */
	struct open_texts events; /* as --event */
	struct open_texts where;  /* as -F */
	struct open_texts stable; /* as --stable */
	struct open_time start, end;
	char *cpus, *pids, *tasks; /* as --cpu, --pid, --comm; NULL: all */
	bool relative, strict;
};

void open_words_fini(struct open_words *w);
void open_texts_add(struct open_texts *t, const char *text, size_t len);

/*
 * Messages about the inputs, until Python can be given them as warnings: they come while it must
 * not be called.  At most OPEN_MESSAGES are kept.
 */
#define OPEN_MESSAGES 1000
struct open_messages {
	char **v;
	size_t n, cap;
	uint64_t more; /* were not kept */
};

/* Inputs that zed.open() has opened, with all that the run over them needs. */
struct opened {
	struct pump pump;
	struct event_choice choice;
	struct words *events; /* NULL: all */
	struct stable *stable;
	struct synthetic *synthetic;
	struct symbol_finder finder;
	char *reader; /* the path of zedsyms; NULL: it is not there */
	struct trace_index **indexes;
	unsigned nindexes;
	uint64_t start, end; /* 0 and UINT64_MAX: open */
	struct notes notes;
	struct open_messages messages;
};

/* Open what W says; W is borrowed while the result lives.  NULL with E. */
struct opened *opened_new(const struct open_words *w, struct err *e);
void opened_free(struct opened *o);

/* Can W be read a second time: is it no pipe, FIFO or the like? */
bool opened_again(const struct opened *o);

/* The stage to ask for the events. */
struct stage *opened_start(struct opened *o);

/* The next message, to be freed; NULL: no more. */
char *opened_message(struct opened *o);

/* Add a message. */
void opened_say(struct opened *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
