/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_CTF_LAYOUT_PRIV_H
#define ZED_READER_CTF_CTF_LAYOUT_PRIV_H

#include "reader/ctf/ctf_layout.h"

/*
 * Shared by the files that compile: ctf_layout.c the parts of packets and events, ctf_steps.c the
 * classes in them, ctf_path.c what a field is counted or selected by.
 */

/* The structures around the one that is being compiled: where paths are looked up. */
struct ctf_frame {
	const struct ctf_frame *outer;
	const struct ctf_class *class;
	struct ctf_step *steps;
	unsigned done; /* of them; the next one is being compiled */
};

struct ctf_making {
	struct arena *arena;
	const struct ctf_meta *m;
	struct ctf_head *head;
	struct ctf_part *scopes[NSCOPES];
	const struct ctf_frame *frame;
	bool kept;    /* values go into the record, and have fields */
	bool aligned; /* the next bit is the first of a byte */
	unsigned nsteps, nslots, depth;
	unsigned *left; /* parts that may still be made, of all events */
	struct err *e;
};

/* The place of a value in the record: after what its holder has so far. */
struct ctf_place {
	uint64_t end;
	bool item; /* the holder is an item of a list, or in one */
};

#define CTF_SAY(k, name, fmt, ...) \
	err_set((k)->e, ERR_FORMAT, ERR_NO_OFF, "field %.80s: " fmt, name, ##__VA_ARGS__)

/* ---- ctf_path.c ---- */

/*
 * The step of the integer at PATH, which field NAME needs, with a slot for its number.  NULL with
 * E: it is not defined before it, or there are too many.
 */
struct ctf_step *ctf_path_step(struct ctf_making *k, const char *name, const struct ctf_path *path);

/* ---- ctf_steps.c ---- */

/* Compile the members of C into ST; *FIELDS gets their fields.  -1 with E. */
int ctf_members_make(struct ctf_making *k, const struct ctf_class *c, struct ctf_place *in,
		     struct ctf_step *st, struct field **fields);

#endif
