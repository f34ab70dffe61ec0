/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_METADATA_CTF2_H
#define ZED_READER_CTF_METADATA_CTF2_H

#include "reader/ctf/metadata/model.h"

#define CTF2_MARK 0x1e /* the byte before each fragment (RFC 7464) */

/*
 * Fill M from the metadata of CTF 2, LEN bytes: fragments of JSON, each after a CTF2_MARK.  M is
 * zeroed before; its strings are its own.  -1 with E, which names the fragment.
 *
 * Two dialects are known: CTF2-SPEC-2.0, and the release candidates before it (CTF2-SPECRC), in
 * which a stream names its clock, enumerations are types of their own, and the place of a field is
 * a list of names that begins with its scope.
 */
int ctf2_parse(struct ctf_meta *m, const char *text, size_t len, struct err *e);

#endif
