/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_PREAMBLE_H
#define ZED_RECORD_FILE_PREAMBLE_H

#include "base/bytes.h"
#include "record/dat_write.h"

/* The sections in the beginning of a recording's trace.dat, read from a file or memory. */
struct preamble {
	uint8_t *p; /* freed by the owner of the struct */
	size_t len;
	struct dat7_head head;
	uint64_t done_off;
};

/* Read the first LEN bytes of FD.  -1 with E, B->p is freed then. */
int preamble_load(struct preamble *b, int fd, uint64_t len, struct err *e);

/*
 * The section that the location option PAYLOAD (format.md 1.8) of B points to, into OUT: bytes of
 * B, or, if it had to be unpacked, of *OWN, which is to be freed (else it is NULL).  -1 with E, and
 * *OWN is NULL.
 */
int preamble_section(const struct preamble *b, const uint8_t *payload, size_t size,
		     struct cursor *out, uint8_t **own, struct err *e);

/*
 * Write its sections and options again, packed as W does.  -1 with E: also if they unpack to more
 * than DAT_MAX_META, or if an option points to a section that is not known here.
 */
int preamble_repack(const struct preamble *b, struct dat7_writer *w, struct err *e);

/*
 * The beginning of LEN bytes at P with its sections packed (zstd): most of it is the kernel's
 * symbols, which then take a sixth of the space.  To be freed; NULL if that cannot be done: it is
 * packed already, or has sections that only its sender understands.
 */
uint8_t *preamble_pack(const uint8_t *p, size_t len, size_t *packed_len);

/* Read exactly LEN bytes at OFF of FD.  -1 with E, also if the file ends before. */
int load_at(int fd, uint8_t *p, size_t len, uint64_t off, struct err *e);

#endif
