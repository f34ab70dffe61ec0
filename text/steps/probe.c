// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes: the kernel prints the probe's address as a symbol, while their print formats have a
 * number.
 */
#include "text/steps/steps_priv.h"

#include <stdio.h>

/*
 * An eprobe only has its own fields, and a print format that begins with a blank, " pid=%u
 * comm=...", as the kernel prints "(sched.sched_switch)" before it.
 */
bool probe_of_event(const struct etype *type)
{
	const struct field *f = &type->fields[type->ncommon];
	size_t len;

	if (type->nfields == type->ncommon || !strncmp(f->name, "__probe", 7))
		return false;
	len = strlen(f->name);
	return type->print_len > len + 3 && !memcmp(type->print, "\" ", 2) &&
	       !memcmp(type->print + 2, f->name, len) && type->print[2 + len] == '=';
}

/* The field FIRST of a probe, which is in step I as %lx. */
static bool is_place(const struct steps *s, unsigned i, const char *first)
{
	const struct field *f = field_find(s->type, first);

	return f && i < s->n && s->v[i].op == STEP_HEX && s->v[i].a.from == OPERAND_FIELD &&
	       s->v[i].a.off == f->off;
}

static void as_symbol(struct step *s, const char *form)
{
	s->op = STEP_SYMBOL;
	snprintf(s->spec.form, sizeof(s->spec.form), "%s", form);
}

/*
 * A string that could not be read is recorded with 0 bytes, without a NUL: the kernel prints
 * (fault) for it, without the print format's quotes.
 */
static void strings(struct steps *s)
{
	for (unsigned i = 0; i + 1 < s->n; i++) {
		struct step *at = &s->v[i], *next = at + 1;

		if (at->op != STEP_STRING || !at->text_len || at->text[at->text_len - 1] != '"' ||
		    !next->text_len || *next->text != '"')
			continue;
		at->op = STEP_FETCHED;
		at->text_len--;
		next->text++;
		next->text_len--;
	}
}

/*
 * Print formats of probes have addresses as numbers, "(%lx)" and "(%lx <- %lx)"; the kernel prints
 * symbols: "(do_sys_open+0x0/0xd6)", "(sys_openat+0xc/0xe <- do_sys_open)", the caller first.
 * Addresses of user space stay numbers, with 0x.
 */
static void places(struct steps *s)
{
	struct step *v = s->v;
	struct operand func;

	if (!s->n || v[0].text_len != 1 || v[0].text[0] != '(')
		return;
	if (is_place(s, 0, "__probe_ip")) {
		as_symbol(&v[0], "S");
	} else if (is_place(s, 0, "__probe_func") && is_place(s, 1, "__probe_ret_ip")) {
		func = v[0].a;
		v[0].a = v[1].a;
		v[1].a = func;
		as_symbol(&v[0], "S");
		as_symbol(&v[1], SYMBOL_NAME_ONLY);
	}
}

void probe_adapt(struct steps *s)
{
	if (probe_of_event(s->type) || field_find(s->type, "__probe_ip") ||
	    field_find(s->type, "__probe_func"))
		strings(s);
	places(s);
}
