// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chain_frame: the addresses of a call chain one by one, and what is known of each: function,
 * module, file.
 */
#include "trace/chain_frame.h"

#include "trace/chain.h"
#include "trace/machine.h"

#include <stdio.h>
#include <string.h>

bool chain_next(const struct chain *c, uint32_t *i, uint64_t *address, bool *kernel)
{
	*kernel &= *i > 0;
	while (*i < c->n) {
		uint64_t ip = c->v[(*i)++];

		if (!chain_is_mark(ip)) {
			*address = ip;
			return true;
		}
		/* The kernel's own, not those of user space or of a guest. */
		if (chain_is_known(ip))
			*kernel = (int64_t)ip == CHAIN_KERNEL;
		*i += chain_has_cookie(ip);
	}
	return false;
}

/* A program of BPF, which came and went while the recording ran: its record names it. */
static void take_function(const struct mapping *at, uint64_t address, struct chain_frame *out)
{
	out->name = at->file;
	out->module = "bpf";
	out->off = at->off;
	out->start = address - at->off;
	out->end = out->start + at->function;
}

static void take_file(const struct mapping *at, struct chain_frame *out)
{
	out->file = at->file;
	out->file_off = at->off;
	out->build_id = at->build_id;
	out->build_id_len = at->build_id_len;
}

/* By a module's file, if the kernel's symbols have none of modules. */
static void resolve_module(struct machine *m, const struct mapping *at, uint64_t address,
			   struct chain_frame *out)
{
	struct code_symbol code;

	if (!machine_code(m, at, address, &code))
		return;
	out->name = code.name;
	out->module = code.file;
	out->off = code.off;
	out->start = address - code.off;
	out->end = out->start + (code.end - code.start);
}

static void resolve_kernel(struct machine *m, const struct event *ev, uint64_t address,
			   struct chain_frame *out)
{
	struct mapping at;
	bool mapped = machine_mapped(m, ev, address, true, &at);
	uint64_t size = 0;

	if (mapped && at.function) {
		take_function(&at, address, out);
		return;
	}
	out->name = machine_kernel_symbol(m, address, &out->start, &size, &out->module);
	out->end = out->start + size;
	out->off = address - out->start;
	if (out->name)
		return;
	out->module = NULL;
	if (!mapped)
		return;
	take_file(&at, out);
	resolve_module(m, &at, address, out);
}

static void resolve_code(struct machine *m, const struct event *ev, uint64_t address,
			 struct chain_frame *out)
{
	struct code_symbol code;
	struct mapping at;

	if (!machine_mapped(m, ev, address, false, &at))
		return;
	take_file(&at, out);
	if (!machine_code(m, &at, address, &code))
		return;
	out->name = code.name;
	out->off = code.off;
	out->start = code.start;
	out->end = code.end;
	if (code.file)
		out->file = code.file;
}

void chain_resolve(const struct event *ev, uint64_t address, bool kernel, struct chain_frame *out)
{
	memset(out, 0, sizeof(*out));
	if (kernel)
		resolve_kernel(ev->type->machine, ev, address, out);
	else
		resolve_code(ev->type->machine, ev, address, out);
}

/* ---- as they are shown ---- */

bool chain_has_lines(const struct event *ev)
{
	const struct finder *finder = ev->type->machine->finder;

	return finder && finder->lines;
}

unsigned chain_lines(const struct event *ev, uint64_t address, bool kernel, bool caller,
		     const struct code_line **out)
{
	struct machine *m = ev->type->machine;
	struct mapping at;

	if (!chain_has_lines(ev))
		return 0;
	if (kernel)
		return machine_kernel_lines(m, address, caller, out);
	return machine_mapped(m, ev, address, false, &at) ?
		       m->finder->lines(m->finder->arg, &at, caller, out) :
		       0;
}

/* The frame of a function that was inlined. */
static void take_inlined(const struct chain_walk *w, struct chain_frame *f)
{
	struct mapping at;

	memset(f, 0, sizeof(*f));
	f->name = *w->lines[w->line].function ? w->lines[w->line].function : "?";
	f->inlined = true;
	if (!w->kernel && machine_mapped(w->ev->type->machine, w->ev, w->address, false, &at))
		take_file(&at, f);
}

/* The next address that is not left out. */
static bool next_address(struct chain_walk *w)
{
	bool before, of_kernel;

	do {
		before = w->i > 0;
		of_kernel = w->kernel;
		if (!chain_next(&w->chain, &w->i, &w->address, &w->kernel))
			return false;
	} while (w->kernel ? w->no_kernel : w->no_user);
	/*
	 * The first one of the kernel, and of a program, is where the CPU was; those that were
	 * found by unwinding are within the calls.
	 */
	w->caller = before && of_kernel == w->kernel && w->i <= w->chain.n - w->chain.found;
	return true;
}

bool chain_walk_next(struct chain_walk *w, struct chain_frame *f)
{
	if (!w->within) {
		if (!next_address(w))
			return false;
		w->line = 0;
		w->nlines = chain_lines(w->ev, w->address, w->kernel, w->caller, &w->lines);
	}
	w->within = w->line + 1 < w->nlines;
	if (w->within)
		take_inlined(w, f);
	else
		chain_resolve(w->ev, w->address, w->kernel, f);
	if (w->line < w->nlines) {
		f->source = *w->lines[w->line].file ? w->lines[w->line].file : NULL;
		f->line = w->lines[w->line].line;
		w->line++;
	}
	return true;
}

/* VALUE as hexadecimal digits after TO; returns their end. */
static char *put_hex(char *to, uint64_t value)
{
	unsigned digits = value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;

	for (unsigned i = digits; i--; value >>= 4)
		to[i] = "0123456789abcdef"[value & 15];
	return to + digits;
}

#define OFFSET_MOST 20 /* "+0x", 16 digits, NUL */

const char *chain_text(const struct chain_frame *f, uint64_t address, char *buf, size_t size)
{
	const char *what = f->name ? f->name : f->file ? f->file : "";
	size_t len = strnlen(what, size - OFFSET_MOST);
	char *to = mempcpy(buf, what, len);

	if (f->inlined) {
		snprintf(to, size - len, " (inlined)");
		return buf;
	}
	to = stpcpy(to, len ? "+0x" : "0x");
	*put_hex(to, f->name ? f->off : f->file ? f->file_off : address) = '\0';
	return buf;
}

const char *chain_source(const struct chain_frame *f, char *buf, size_t size)
{
	if (f->line)
		snprintf(buf, size, "%s:%u", f->source, f->line);
	else
		snprintf(buf, size, "%s:?", f->source);
	return buf;
}
