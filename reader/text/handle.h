/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_HANDLE_H
#define ZED_READER_TEXT_HANDLE_H

#include "base/err.h"
#include "base/mem.h"
#include "reader/text/bprint.h"

#include <errno.h>

struct machine;
struct pf_node;
struct tep_handle;
struct tep_plugin_list;

#define HANDLE_COMMS 1024
#define HANDLE_WORDS 64 /* that are looked for in kallsyms: each is a pass over it */

/* The library's handle for one machine, and what it has been told of that. */
struct handle {
	struct machine *machine;
	struct tep_handle *tep;
	struct tep_plugin_list *plugins;
	bool printk;
	char *words[HANDLE_WORDS]; /* looked for among the symbols, found or not */
	unsigned nwords;
	struct {
		int pid;
		const char *comm;
	} comms[HANDLE_COMMS];
	struct bprints bprints;
};

/*
 * A handle for M (borrowed), with the library's PLUGINS if they are wanted; N hears that there are
 * none.  NULL: the library gives no handle.
 */
struct handle *handle_new(struct machine *m, bool plugins, struct notes *n);
void handle_free(struct handle *h);

/* Tell the library the machine's trace_printk strings. */
void handle_printk(struct handle *h);

/* Tell it the addresses of the symbols that N and what follows it name by bare words. */
void handle_words(struct handle *h, const struct pf_node *n);

/* The name of PID, see text_comm(). */
const char *handle_comm(struct handle *h, int32_t pid);

/*
 * The library goes on without memory that it did not get, and prints less.  So errno is set to 0
 * before a call of it, and this comes behind.
 */
static inline void handle_had_memory(void)
{
	if (errno == ENOMEM)
		mem_check(NULL);
}

#endif
