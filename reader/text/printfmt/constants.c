// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * constants: computes the constants of a print format as libtraceevent does while it parses: the
 * values in tables, and the operators that it folds.
 */
#include "reader/text/printfmt/constants.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool fmtconst_table(const struct pf_node *n, int64_t *out)
{
	int64_t l = 0, r = 0;

	if (n->kind == PF_ATOM || n->kind == PF_STRING) {
		*out = strtoll(n->text, NULL, 0);
		return true;
	}
	if (n->kind == PF_CAST)
		return fmtconst_table(n->a, out);
	if (n->kind != PF_OP || !n->a || !n->b || !fmtconst_table(n->b, &r))
		return false;
	if (n->a->kind != PF_NONE && !fmtconst_table(n->a, &l))
		return false;
	if (n->a->kind == PF_NONE && !strchr("-+~", n->op[0]))
		return false;
	switch (n->op[0]) {
	case '|':
		*out = n->op[1] ? l || r : l | r;
		return true;
	case '&':
		*out = n->op[1] ? l && r : l & r;
		return true;
	case '<':
		*out = n->op[1] == '<' ? (int64_t)((uint64_t)l << (r & 63)) :
		       n->op[1] == '=' ? l <= r :
					 l < r;
		return true;
	case '>':
		*out = n->op[1] == '>' ? l >> (r & 63) : n->op[1] == '=' ? l >= r : l > r;
		return true;
	case '=':
		*out = l == r;
		return n->op[1] == '=';
	case '!':
		*out = l != r;
		return n->op[1] == '=';
	case '-':
		*out = (int64_t)((uint64_t)l - (uint64_t)r);
		return true;
	case '+':
		*out = (int64_t)((uint64_t)l + (uint64_t)r);
		return true;
	case '~':
		*out = ~r;
		return true;
	}
	return false;
}

/* Kernels leave the names of enum values in tables (format.md 5.4). */
uint64_t fmtconst_word(const char *word)
{
	static const char *const softirqs[] = {
		"HI",	    "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
		"IRQ_POLL", "TASKLET", "SCHED",	 "HRTIMER", "RCU",
	};
	size_t n = strlen(word);

	if (isdigit((unsigned char)word[0]) || word[0] == '-')
		return strtoll(word, NULL, 0) < 0 ? (uint64_t)strtoll(word, NULL, 0) :
						    strtoull(word, NULL, 0);
	for (unsigned i = 0; i < sizeof(softirqs) / sizeof(softirqs[0]); i++) {
		size_t k = strlen(softirqs[i]);

		if (n == k + 8 && !memcmp(word, softirqs[i], k) && !strcmp(word + k, "_SOFTIRQ"))
			return i;
	}
	/* The name of IRQ_POLL from 2.6.32 to 4.4, which the library does not know. */
	if (!strcmp(word, "BLOCK_IOPOLL_SOFTIRQ"))
		return 5;
	return !strcmp(word, "HRTIMER_RESTART");
}

static uint64_t atom_value(const struct pf_node *n)
{
	return strtoull(n->text, NULL, 0);
}

static bool constant(const struct pf_node *n, uint64_t *v);

/* What the library folds before it has seen a record; false: it leaves the operator alone. */
static bool fold(const struct pf_node *n, uint64_t *out)
{
	uint64_t l, r;

	if (!n->a || !n->b || !constant(n->a, &l) || !constant(n->b, &r))
		return false;
	switch (n->op[0]) {
	case '>':
		*out = n->op[1] == '>' ? l >> (r & 63) : n->op[1] == '=' ? l >= r : l > r;
		return true;
	case '<':
		*out = n->op[1] == '<' ? l << (r & 63) : n->op[1] == '=' ? l <= r : l < r;
		return true;
	case '&':
		*out = n->op[1] ? l && r : l & r;
		return true;
	case '|':
		*out = n->op[1] ? l || r : l | r;
		return true;
	case '-':
		*out = l - r;
		return true;
	case '+':
		*out = l + r;
		return true;
	case '*':
		*out = l * r;
		return true;
	case '^':
		*out = l ^ r;
		return true;
	case '/':
		*out = r ? l / r : 0;
		return true;
	case '%':
		*out = r ? l % r : 0;
		return true;
	case '=':
		*out = l == r;
		return true;
	case '!':
		*out = l != r;
		return true;
	}
	return false;
}

static bool constant(const struct pf_node *n, uint64_t *v)
{
	if (n->kind == PF_ATOM || n->kind == PF_STRING) {
		*v = atom_value(n);
		return true;
	}
	return n->kind == PF_OP && fold(n, v);
}

static bool has_letter(const struct pf_node *n)
{
	return n && (n->letter || has_letter(n->a) || has_letter(n->b));
}

bool fmtconst_zero_divisor(const struct pf_node *n)
{
	uint64_t v;

	for (; n; n = n->next) {
		if (n->kind == PF_OP && (n->op[0] == '/' || n->op[0] == '%') && n->b &&
		    constant(n->b, &v) && (!v || has_letter(n->b)))
			return true;
		if ((n->a && fmtconst_zero_divisor(n->a)) ||
		    (n->b && fmtconst_zero_divisor(n->b)) || (n->c && fmtconst_zero_divisor(n->c)))
			return true;
	}
	return false;
}
