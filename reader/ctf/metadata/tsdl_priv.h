/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_METADATA_TSDL_PRIV_H
#define ZED_READER_CTF_METADATA_TSDL_PRIV_H

#include "reader/ctf/metadata/model.h"
#include "reader/ctf/metadata/tsdl_lex.h"

/* Shared by the files of the parser: tsdl.c reads blocks, tsdl_types.c and tsdl_scalars.c types. */

#define TSDL_MAX_NAME 1024 /* bytes of the name of a type, which may have several words */

/* A named type: "uint8_t", "unsigned long", "struct packet_context". */
struct tsdl_named {
	struct tsdl_named *next;
	const char *name;
	struct ctf_class *class;
};

/* The names of one block; those of the blocks around it are known in it. */
struct tsdl_names {
	const struct tsdl_names *outer;
	struct tsdl_named *first;
	unsigned n;
};

struct tsdl {
	struct tsdl_lex lex;
	struct ctf_meta *m;
	unsigned depth;
	struct err *e;
};

/* ---- tsdl.c ---- */

/* Go to the next token. */
int tsdl_go(struct tsdl *t);

/* If the current token is MARK, go on: 1; else 0.  -1 with E. */
int tsdl_take(struct tsdl *t, char mark);

/* The same; it must be. */
int tsdl_want(struct tsdl *t, char mark);

/* The value of "KEY = value;" */
struct tsdl_value {
	enum tsdl_token token; /* TSDL_NUMBER, TSDL_STRING, or TSDL_WORD: words with dots */
	bool negative;
	uint64_t number; /* its magnitude */
	char text[TSDL_MAX_TOKEN + 1];
};

/* Words with dots between, "event.header", into BUF. */
int tsdl_path(struct tsdl *t, char *buf, size_t size);

/* After the '=': the value, and the ';'. */
int tsdl_value(struct tsdl *t, struct tsdl_value *v);

bool tsdl_yes(const struct tsdl_value *v);

/* ---- tsdl_scalars.c ---- */

/* Behind the words "integer", "floating_point" and "string". */
int tsdl_integer(struct tsdl *t, struct ctf_class **out);
int tsdl_float(struct tsdl *t, struct ctf_class **out);
int tsdl_string(struct tsdl *t, struct ctf_class **out);

/* V, in bits, becomes the alignment of C. */
int tsdl_align(struct tsdl *t, struct ctf_class *c, const struct tsdl_value *v);

/* ---- tsdl_types.c ---- */

/* A type without a name behind it: ends at what cannot belong to it. */
int tsdl_type(struct tsdl *t, const struct tsdl_names *names, struct ctf_class **c);

/*
 * If a declaration of a type (typealias, typedef, struct, enum, variant) begins here, read it with
 * its ';', add it to NAMES: 1; else 0.
 */
int tsdl_declaration(struct tsdl *t, struct tsdl_names *names);

#endif
