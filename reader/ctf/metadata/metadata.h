/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_METADATA_METADATA_H
#define ZED_READER_CTF_METADATA_METADATA_H

#include "base/input.h"
#include "reader/ctf/metadata/model.h"

/* Does IN, a file named "metadata", begin like the metadata of a CTF trace? */
bool ctf_metadata_probe(const struct input *in);

/*
 * Read the metadata file IN: the text of CTF 1.8 or the JSON of CTF 2, either of them also in
 * packets, of either byte order.  NULL with E, whose path is that of IN.  Free with
 * ctf_metadata_free().
 */
struct ctf_meta *ctf_metadata_read(const struct input *in, struct err *e);

void ctf_metadata_free(struct ctf_meta *m);

#endif
