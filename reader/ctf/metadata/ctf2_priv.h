/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_METADATA_CTF2_PRIV_H
#define ZED_READER_CTF_METADATA_CTF2_PRIV_H

#include "base/json_tree.h"
#include "reader/ctf/metadata/model.h"

/* Shared by the files of the parser: ctf2.c reads fragments, ctf2_classes.c classes of fields. */

/* A named class: of the fragments "field-class-alias". */
struct ctf2_alias {
	struct ctf2_alias *next;
	const char *name;
	struct ctf_class *class;
};

struct ctf2 {
	struct ctf_meta *m;
	struct ctf2_alias *aliases;
	unsigned naliases, depth;
	bool ordered; /* the byte order of the trace is known */
	bool named;   /* the error names the field */
	struct err *e;
};

#define CTF2_SAY(t, ...) err_set((t)->e, ERR_FORMAT, ERR_NO_OFF, __VA_ARGS__)

/* ---- ctf2.c ---- */

/*
 * The member KEY of V, a number from 0 to MOST: into *TO, which is left alone where there is none.
 * 1: there is one; 0; -1 with E: it is not such a number.
 */
int ctf2_number(struct ctf2 *t, const struct json_value *v, const char *key, uint64_t most,
		uint64_t *to);

/* TEXT, kept with the metadata. */
const char *ctf2_kept(struct ctf2 *t, const char *text);

/* ---- ctf2_classes.c ---- */

/* The class that V describes, or names if it is a string.  -1 with E. */
int ctf2_class(struct ctf2 *t, const struct json_value *v, struct ctf_class **out);

#endif
