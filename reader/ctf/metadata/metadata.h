/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_METADATA_METADATA_H
#define ZED_READER_CTF_METADATA_METADATA_H

#include "base/input.h"
#include "reader/ctf/metadata/model.h"

/* Does IN, a file named "metadata", begin like the metadata of a CTF trace? */
bool ctf_metadata_probe(const struct input *in);

/* What is in a file of metadata: LEN bytes at P, which are the caller's, to be freed. */
struct ctf_metadata_text {
	uint8_t *p;
	size_t len;
	uint64_t size, hash; /* bytes of the file; of the text */
};

/*
 * The text in the metadata file IN, taken out of its packets if it is in some, into TEXT, whose p
 * is to be freed in any case.  -1 with E, whose path is that of IN.
 */
int ctf_metadata_text(struct ctf_metadata_text *text, const struct input *in, struct err *e);

/* What TEXT, of the file PATH, describes.  NULL with E, whose path is set. */
struct ctf_meta *ctf_metadata_parse(const struct ctf_metadata_text *text, const char *path,
				    struct err *e);

/*
 * Read the metadata file IN: the text of CTF 1.8 or the JSON of CTF 2, either of them also in
 * packets, of either byte order.  NULL with E, whose path is that of IN.  Free with
 * ctf_metadata_free().
 */
struct ctf_meta *ctf_metadata_read(const struct input *in, struct err *e);

void ctf_metadata_free(struct ctf_meta *m);

#endif
