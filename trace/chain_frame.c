// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chain_frame: the addresses of a call chain one by one, and what is known of each: function,
 * module, file.
 */
#include "trace/chain_frame.h"

#include "trace/chain.h"
#include "trace/machine.h"

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

static void resolve_kernel(struct machine *m, uint64_t address, struct chain_frame *out)
{
	uint64_t size = 0;

	out->name = machine_kernel_symbol(m, address, &out->start, &size, &out->module);
	out->end = out->start + size;
	out->off = address - out->start;
}

static void resolve_code(struct machine *m, const struct event *ev, uint64_t address,
			 struct chain_frame *out)
{
	struct code_symbol code;

	if (!machine_code(m, ev, address, &code))
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
	struct machine *m = ev->type->machine;
	struct mapping at;

	memset(out, 0, sizeof(*out));
	if (kernel)
		resolve_kernel(m, address, out);
	if (out->name)
		return;
	out->module = NULL;
	if (m->ops && m->ops->mapped && m->ops->mapped(m->arg, ev, address, kernel, &at)) {
		out->file = at.file;
		out->file_off = at.off;
		out->build_id = at.build_id;
		out->build_id_len = at.build_id_len;
	}
	if (!kernel)
		resolve_code(m, ev, address, out);
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

	to = stpcpy(to, len ? "+0x" : "0x");
	*put_hex(to, f->name ? f->off : f->file ? f->file_off : address) = '\0';
	return buf;
}
