// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions that a print format may call for a number or bytes of the record: dynamic arrays
 * and their lengths, byte orders, times, and those that just return their argument.
 */
#include "text/steps/code.h"

#include "trace/machine.h"

#include <string.h>

static const struct ctype INT_TYPE = { .size = 4, .is_signed = true };

const struct field *code_field(struct code *c, const struct pf_node *n)
{
	const struct field *f = NULL;

	if (n && !n->next && n->kind == PF_ATOM)
		f = field_find(c->type, n->text);
	if (!f)
		code_fail(c, "a helper without its field");
	return f;
}

/* Functions of one argument that give a number. */
static const struct {
	const char *name;
	enum { AS_IT_IS, WRITABLE, SECS, NSECS, SWAP16, SWAP32, SWAP64 } what;
	bool big; /* a swap: from big endian, else from little */
} NUMBERS[] = {
	{ "__builtin_expect", AS_IT_IS, false },
	{ "likely", AS_IT_IS, false },
	{ "unlikely", AS_IT_IS, false },
	{ "pte_val", AS_IT_IS, false },
	{ "pmd_val", AS_IT_IS, false },
	{ "pud_val", AS_IT_IS, false },
	{ "p4d_val", AS_IT_IS, false },
	{ "pgd_val", AS_IT_IS, false },
	{ "native_make_pte", AS_IT_IS, false },
	{ "native_make_pmd", AS_IT_IS, false },
	{ "native_make_pud", AS_IT_IS, false },
	{ "native_make_p4d", AS_IT_IS, false },
	{ "native_make_pgd", AS_IT_IS, false },
	{ "is_writable_pte", WRITABLE, false },
	{ "__print_ns_to_secs", SECS, false },
	{ "__print_ns_without_secs", NSECS, false },
	{ "ntohs", SWAP16, true },
	{ "htons", SWAP16, true },
	{ "be16_to_cpu", SWAP16, true },
	{ "__be16_to_cpu", SWAP16, true },
	{ "ntohl", SWAP32, true },
	{ "htonl", SWAP32, true },
	{ "be32_to_cpu", SWAP32, true },
	{ "__be32_to_cpu", SWAP32, true },
	{ "be64_to_cpu", SWAP64, true },
	{ "__be64_to_cpu", SWAP64, true },
	{ "le16_to_cpu", SWAP16, false },
	{ "__le16_to_cpu", SWAP16, false },
	{ "le32_to_cpu", SWAP32, false },
	{ "__le32_to_cpu", SWAP32, false },
	{ "le64_to_cpu", SWAP64, false },
	{ "__le64_to_cpu", SWAP64, false },
	/* The same for data at an address. */
	{ "__le16_to_cpup", SWAP16, false },
	{ "__le32_to_cpup", SWAP32, false },
	{ "__le64_to_cpup", SWAP64, false },
	{ "__be16_to_cpup", SWAP16, true },
	{ "__be32_to_cpup", SWAP32, true },
	{ "__be64_to_cpup", SWAP64, true },
};

static void scaled(struct code *c, int op, struct ctype *t)
{
	*t = (struct ctype){ .size = 8 };
	code_const(c, 1000000000);
	code_sized(c, op, -1, *t);
	if (op == OP_MOD)
		t->size = 4;
}

static bool number_function(struct code *c, const struct pf_node *n, unsigned which,
			    struct ctype *t)
{
	bool big_endian = c->type->machine && c->type->machine->big_endian, at;
	unsigned size = 0;

	if (!n->a)
		return code_fail(c, "a function without its argument");
	if (!code_value(c, n->a, t))
		return false;
	switch (NUMBERS[which].what) {
	case AS_IT_IS:
		return true;
	case WRITABLE:
		/* x86: PT_WRITABLE_MASK */
		*t = (struct ctype){ .size = 8 };
		code_const(c, 2);
		code_sized(c, OP_AND, -1, *t);
		return true;
	case SECS:
		scaled(c, OP_DIV, t);
		return true;
	case NSECS:
		scaled(c, OP_MOD, t);
		return true;
	case SWAP16:
		size = 2;
		break;
	case SWAP32:
		size = 4;
		break;
	case SWAP64:
		size = 8;
		break;
	}
	at = strlen(n->text) > 4 && !strcmp(n->text + strlen(n->text) - 4, "cpup");
	if (at != t->bytes)
		return code_fail(c, "a byte order of something else than a number");
	*t = (struct ctype){ .size = size };
	if (at) {
		code_const(c, 0);
		code_sized(c, OP_INDEX, -1, *t);
		c->ops[c->n - 1].swap = c->type->machine && c->type->machine->swap;
	}
	if (NUMBERS[which].big != big_endian)
		code_sized(c, OP_BSWAP, 0, *t);
	return true;
}

bool code_function(struct code *c, const struct pf_node *n, struct ctype *t)
{
	static const char *const arrays[] = {
		"__get_dynamic_array", "__get_rel_dynamic_array", "__get_str",
		"__get_rel_str",       "__get_sockaddr",	  "__get_rel_sockaddr",
		"__get_sockaddr_rel",  "__get_bitmask",		  "__get_rel_bitmask",
		"__get_cpumask",       "__get_rel_cpumask",
	};
	const struct field *f;

	if (!strcmp(n->text, "__get_dynamic_array_len") ||
	    !strcmp(n->text, "__get_rel_dynamic_array_len")) {
		f = code_field(c, n->a);
		if (!f)
			return false;
		code_emit(c, OP_LEN, 1)->u.field = f;
		*t = INT_TYPE;
		return true;
	}
	for (unsigned i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		if (strcmp(n->text, arrays[i]))
			continue;
		f = code_field(c, n->a);
		if (!f)
			return false;
		code_emit(c, OP_SPAN, 1)->u.field = f;
		*t = code_items(f);
		return true;
	}
	for (unsigned i = 0; i < sizeof(NUMBERS) / sizeof(NUMBERS[0]); i++)
		if (!strcmp(n->text, NUMBERS[i].name))
			return number_function(c, n, i, t);
	c->untold = n->text;
	return code_fail(c, "a function of the kernel");
}
