// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * handle: libtraceevent's handle for one traced machine.  Tells the library what its printing asks
 * for: byte order, symbols, trace_printk strings, plugins; and asks it for the names of tasks that
 * its plugins have seen.
 */
#include "reader/text/handle.h"

#include "base/outbuf.h"
#include "reader/model/machine.h"
#include "reader/text/function_trace.h"
#include "reader/text/printfmt/tree.h"
#include "reader/text/rebuild.h"
#include "reader/text/version.h"

#include <traceevent/event-parse.h>
#include <traceevent/event-utils.h>

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces the library's own, to keep it silent: our messages on formats say more. */
int tep_vprint(const char *name, enum tep_loglevel level, bool print_err, const char *fmt,
	       va_list ap)
{
	return 0;
}

static char *symbol_at(void *priv, unsigned long long *addr, char **module)
{
	const char *mod = NULL, *name;
	uint64_t start;

	name = machine_symbol(priv, *addr, &start, &mod);
	if (!name)
		return NULL;
	*addr = start;
	*module = (char *)mod;
	return (char *)name;
}

void handle_free(struct handle *h)
{
	if (h->plugins)
		tep_unload_plugins(h->plugins, h->tep);
	tep_free(h->tep);
	for (unsigned i = 0; i < h->nwords; i++)
		free(h->words[i]);
	free(h);
}

struct handle *handle_new(struct machine *m, bool plugins, struct notes *n)
{
	const int one = 1;
	struct handle *h = mem_zalloc(sizeof(*h));

	h->machine = m;
	errno = 0;
	h->tep = tep_alloc();
	if (!h->tep) {
		handle_had_memory();
		free(h);
		return NULL;
	}
	tep_set_file_bigendian(h->tep, m->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(h->tep, *(const char *)&one ? TEP_LITTLE_ENDIAN : TEP_BIG_ENDIAN);
	tep_set_long_size(h->tep, m->long_size);
	tep_set_page_size(h->tep, 4096);
	tep_set_function_resolver(h->tep, symbol_at, m);
	for (unsigned i = 0; i < HANDLE_COMMS; i++)
		h->comms[i].pid = -1;
	if (plugins) {
		h->plugins = tep_load_plugins(h->tep);
		if (!textlib_plugins(h->plugins))
			note_say(n, NOTE_WARN,
				 "libtraceevent's plugins are not installed: some events "
				 "(sched_switch, function, kmem) look otherwise than in trace-cmd "
				 "report; install libtraceevent1-plugin");
	}
	functrace_register(h->tep);
	handle_had_memory();
	return h;
}

void handle_printk(struct handle *h)
{
	struct outbuf o = { 0 };
	unsigned n;

	if (h->printk)
		return;
	h->printk = true;
	n = machine_printk_count(h->machine);
	for (unsigned i = 0; i < n; i++) {
		uint64_t addr;
		const char *fmt = machine_printk_at(h->machine, i, &addr);

		/*
		 * It takes one \n and a quote off the end, and reads before the beginning of a
		 * string that is too short to have them.
		 */
		o.len = 0;
		out_str(&o, fmt);
		out_str(&o, "\\n\"");
		tep_register_print_string(h->tep, out_end(&o), addr);
	}
	outbuf_fini(&o);
}

/*
 * A bare word in an expression is the address of a symbol of that name.  The library asks
 * symbol_at() for names of addresses, but this direction it looks up itself, so it has to be told.
 */
static void register_word(struct handle *h, const char *word)
{
	size_t len, n = strlen(word) + 1;
	const char *p, *end, *hit, *line;
	char needle[128];

	if (n >= sizeof(needle) || !rebuild_name_ok(word) || isdigit((unsigned char)*word))
		return;
	for (unsigned i = 0; i < h->nwords; i++)
		if (!strcmp(h->words[i], word))
			return;
	if (h->nwords == HANDLE_WORDS)
		return;
	h->words[h->nwords++] = mem_strdup(word);
	snprintf(needle, sizeof(needle), " %s", word);
	p = hit = machine_raw(h->machine, TEXT_KALLSYMS, &len);
	end = p + len;
	while (len && (hit = memmem(hit, end - hit, needle, n))) {
		/* "ADDRESS TYPE NAME", then a tab or the line's end. */
		if (hit - p >= 3 && hit[-2] == ' ' && hit[-1] != 'A' && hit[-1] != 'a' &&
		    (hit + n == end || hit[n] == '\n' || hit[n] == '\t' || hit[n] == ' ')) {
			char digits[20] = "";

			line = hit - 2;
			while (line > p && line[-1] != '\n' && hit - line < 19)
				line--;
			memcpy(digits, line, hit - 2 - line);
			tep_register_function(h->tep, needle + 1, strtoull(digits, NULL, 16), NULL);
			return;
		}
		hit += n;
	}
}

void handle_words(struct handle *h, const struct pf_node *n)
{
	for (; n; n = n->next) {
		if (n->kind == PF_ATOM)
			register_word(h, n->text);
		handle_words(h, n->a);
		handle_words(h, n->b);
		handle_words(h, n->c);
	}
}

const char *handle_comm(struct handle *h, int32_t pid)
{
	unsigned slot = (unsigned)pid % HANDLE_COMMS;
	const char *comm;

	/* The library is given no names: it knows those that its plugins find in records. */
	if (!machine_is_told(h->machine))
		comm = machine_comm_stock(h->machine, pid);
	else if (h->machine->watched)
		comm = machine_comm(h->machine, pid);
	else
		comm = machine_comm_untimed(h->machine, pid);
	if (strcmp(comm, "<...>"))
		return comm;
	if (h->comms[slot].pid == pid && pid >= 0)
		return h->comms[slot].comm;
	comm = tep_data_comm_from_pid(h->tep, pid);
	/* Only names are kept: where there is none yet, one may still come. */
	if (strcmp(comm, "<...>")) {
		h->comms[slot].pid = pid;
		h->comms[slot].comm = comm;
	}
	return comm;
}
