/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_STEPS_STEPS_PRIV_H
#define ZED_TEXT_STEPS_STEPS_PRIV_H

#include "base/outbuf.h"
#include "text/steps/code.h"
#include "text/steps/number.h"
#include "text/steps/steps.h"

/* Compiled by compile.c, run by steps_run.c and its parts: for this folder only. */

enum step_op {
	STEP_LITERAL,  /* only the text before it */
	STEP_DEC,      /* a decimal number without filling */
	STEP_HEX,      /* the same, hexadecimal */
	STEP_NUMBER,   /* any other number */
	STEP_CHAR,     /* %c */
	STEP_STRING,   /* bytes of the record up to their NUL */
	STEP_FETCHED,  /* the same in quotes, or (fault) if there are none */
	STEP_KSTRING,  /* a string at a kernel address */
	STEP_FLAGS,    /* __print_flags() */
	STEP_SYMBOLIC, /* __print_symbolic() */
	STEP_BYTES,    /* __print_hex(), __print_hex_str() */
	STEP_ARRAY,    /* __print_array(), __print_dynamic_array() */
	STEP_MASK,     /* __get_bitmask(), __get_cpumask(): "0000000f" */
	STEP_LIST,     /* __get_cpumask() in a report: "0-3" */
	STEP_DUMP,     /* __print_hex_dump() */
	STEP_CDB,      /* scsi_trace_parse_cdb() */
	STEP_XEN,      /* xen_hypercall_name() */
	STEP_SYMBOL,   /* %pS, %ps and their like */
	STEP_POINTER,  /* any other %p */
	STEP_STAR,     /* a width or precision of the next step is a number of the record */
	STEP_MARK,     /* begins the text that the next STEP_FIT cuts and pads */
	STEP_FIT,
	STEP_JZ,   /* to jump, if the number is 0 */
	STEP_JUMP, /* to jump */
};

struct table_entry {
	uint64_t value;
	const char *name;
	uint32_t len;
	uint32_t place; /* in the print format's table */
};

/* The table of a __print_flags() or __print_symbolic(). */
struct table {
	/* entries with a known value; of __print_symbolic() by value, then by place */
	const struct table_entry *v;
	unsigned n;
	const char *delim;
	bool wide; /* the _u64 kind: 64 bits on every machine */
};

/* For some steps only. */
struct step_more {
	struct operand b, c;	    /* STEP_BYTES: length; STEP_ARRAY: count, size of an item */
	struct operand width, prec; /* STEP_STAR */
	struct table table;
	const char *prefix; /* STEP_DUMP */
	int prefix_type, row, group;
	bool ascii;
	bool joined; /* STEP_BYTES: __print_hex_str() */
};

/* Texts of at most this many bytes are copied at full width: the bytes are there. */
#define STEP_TEXT_SHORT 16

struct step {
	uint8_t op;
	uint32_t text_len; /* of the literal text before it */
	const char *text;
	struct operand a;
	const struct field *field; /* instead of a: the bytes of this field */
	const struct step_more *more;
	uint32_t jump;
	struct spec spec;
};

/* The print format of one type. */
struct steps {
	const struct etype *type;
	enum dialect dialect;
	struct step *v;
	size_t cap;
	unsigned n;
	struct code code;
};

/* A record being printed. */
struct printing {
	const struct steps *steps;
	const struct event *ev;
	struct outbuf *out;
	size_t from, max; /* start of its text in out, and its maximum length */
	size_t thrown;	  /* bytes of text cut by a precision: they cost time, too */
};

static inline bool printing_full(const struct printing *p)
{
	return p->out->len - p->from + p->thrown > p->max;
}

/* The bytes that S prints. */
static inline struct span step_bytes(const struct printing *p, const struct step *s)
{
	struct span span;

	if (s->field) {
		field_span(s->field, p->ev, &span);
	} else {
		struct value v = code_run(p->steps->code.ops, &s->a, p->ev);

		span.p = v.p;
		span.len = v.len;
	}
	return span;
}

static inline uint64_t step_number(const struct printing *p, const struct operand *o)
{
	return operand_number(p->steps->code.ops, o, p->ev);
}

/* ---- probe.c ---- */

/* Is TYPE (resolved) an eprobe?  Only the traced kernel knew which event it is attached to. */
bool probe_of_event(const struct etype *type);

/* Make S print what the kernel prints for a probe if its print format differs. */
void probe_adapt(struct steps *s);

/* ---- helpers.c: the output of __print_flags() and the like ---- */

void helper_flags(struct printing *p, const struct step *s);
void helper_symbolic(struct printing *p, const struct step *s);
void helper_bytes(struct printing *p, const struct step *s);
void helper_array(struct printing *p, const struct step *s);
void helper_dump(struct printing *p, const struct step *s);

/* A mask of BITS bits as words from the top down, and as a list: "0,2-5". */
void helper_mask(struct printing *p, struct span bytes, unsigned bits);
void helper_mask_list(struct printing *p, struct span bytes, unsigned bits);

/* ---- texts.c: kernel functions that return a text ---- */

/* The parameters of the SCSI command BYTES: "lba=2048 txlen=8 protect=0", "-". */
void text_cdb(struct outbuf *o, struct span bytes);

/* "(mmu_update)"; nothing for an unknown number. */
void text_hypercall(struct outbuf *o, uint64_t op);

/* ---- pointer.c: the forms of %p ---- */

enum pointer_of { POINTER_NUMBER, POINTER_SYMBOL, POINTER_BYTES, POINTER_UNKNOWN };

/* The kind of argument of a %p followed by these letters. */
enum pointer_of pointer_kind(const char *form);

void pointer_put(struct printing *p, const struct step *s, const struct spec *spec);

/*
 * ADDR as a %p with the letters FORM prints it: "name+0x10/0x20 [module]", "name"; in a report
 * "name+0x10".
 */
#define SYMBOL_NAME_ONLY "n" /* our own form: without a module */
void pointer_symbol(struct outbuf *o, struct machine *m, enum dialect dialect, const char *form,
		    uint64_t addr);

/* A %p of a report: "0x1234", "(nil)". */
void pointer_plain(struct outbuf *o, uint64_t v);

#endif
