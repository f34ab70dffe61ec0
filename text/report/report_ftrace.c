// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks, trace_printk and trace_marker_raw.
 */
#include "text/report/handlers_priv.h"
#include "text/steps/binary.h"

/* The bytes of field I up to the record's end, whatever length it declares. */
static struct span tail(const struct own *own, unsigned i, const struct event *ev)
{
	uint32_t off = own->field[i]->off;

	return off < ev->size ? (struct span){ ev->data + off, ev->size - off } :
				(struct span){ ev->data, 0 };
}

/* caller: addresses up to one of all ones; one line each, with the function */
void kernel_stack(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	struct machine *m = ev->type->machine;
	unsigned size = m->long_size;
	struct span s = tail(own, 0, ev);
	const char *name, *module;
	size_t from = o->len;
	uint64_t start;

	out_str(o, "<stack trace >");
	for (uint32_t i = 0; i + size <= s.len && o->len - from <= max; i += size) {
		uint64_t ip = field_load(s.p + i, size, m->swap);

		if (ip == UINT64_MAX || (size == 4 && ip == UINT32_MAX))
			break;
		name = machine_symbol(m, ip, &start, &module);
		out_bytes(o, "\n=> ", 4);
		if (name) {
			out_str(o, name);
			out_bytes(o, " (", 2);
		}
		out_hex(o, ip);
		if (name)
			out_char(o, ')');
	}
}

/* id, buf */
void raw_data(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	static const char digits[] = "0123456789abcdef";
	struct span s = tail(own, 1, ev);

	out_bytes(o, "# ", 2);
	out_hex(o, handler_number(own, 0, ev));
	for (uint32_t i = 0; i < s.len; i++) {
		const char b[3] = { ' ', digits[s.p[i] >> 4], digits[s.p[i] & 15] };

		out_bytes(o, b, 3);
	}
}

/* The function that called trace_printk, and its format. */
static const char *printk(const struct own *own, const struct event *ev, struct outbuf *o)
{
	struct machine *m = ev->type->machine;
	uint64_t format = handler_number(own, 1, ev), start, ip = handler_number(own, 0, ev);
	const char *module, *name = machine_symbol(m, ip, &start, &module);
	const char *text = machine_printk(m, format);

	if (name)
		out_str(o, name);
	else
		out_printf(o, "0x%llx", (unsigned long long)ip);
	out_bytes(o, ": ", 2);
	if (!text)
		out_printf(o, "(0x%llx)", (unsigned long long)format);
	return text;
}

/* ip, fmt, buf */
void printk_binary(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	const char *format = printk(own, ev, o);

	if (format)
		binary_put(o, ev->type->machine, DIALECT_REPORT, format, tail(own, 2, ev), o->len,
			   max);
}

/* ip, str */
void printk_string(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	const char *text = printk(own, ev, o);

	if (text)
		binary_put_escaped(o, text);
}
