/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_PACKET_HEAD_H
#define ZED_READER_CTF_PACKET_HEAD_H

#include "reader/ctf/trace.h"

#define CTF_MAGIC 0xc1fc1fc1u
#define CTF_SOME_BYTES (64u << 10) /* of a file that are read at once */

/*
 * Have at least NEED bytes of F's file from OFF on in memory, or all up to its end: *P; SOME are
 * read at once, if NEED is fewer.  Returns how many there are; -1 with E.
 */
int64_t ctf_fetch(struct ctf_packets *f, uint64_t off, uint64_t need, uint64_t some,
		  const uint8_t **p, struct err *e);

/* The same of the packet, from byte FROM of it on, in f->bits. */
int ctf_show(struct ctf_packets *f, uint64_t from, uint64_t need, uint64_t some, struct err *e);

/*
 * Read the head of the packet at f->packet: its sizes, times, what was lost, its types; f->bits is
 * then at its first event.  -1 with E: none that can be read begins there.
 */
int ctf_open_packet(struct ctf_packets *f, struct err *e);

/* Did the head, or the event, that was read last have a field of ROLE: in f->bits.roles? */
static inline bool ctf_has(const struct ctf_packets *f, enum ctf_role role)
{
	return f->bits.has >> role & 1;
}

#endif
