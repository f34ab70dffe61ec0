/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_METADATA_TSDL_H
#define ZED_READER_CTF_METADATA_TSDL_H

#include "reader/ctf/metadata/model.h"

/*
 * Fill M from the text of CTF 1.8's metadata (TSDL): LEN bytes, outside of packets.  M is zeroed
 * before; its strings are its own.  -1 with E: "line N: ...".
 */
int tsdl_parse(struct ctf_meta *m, const char *text, size_t len, struct err *e);

#endif
