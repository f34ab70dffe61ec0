/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_META_STORE_H
#define ZED_READER_ZEDSTREAM_META_STORE_H

#include "base/input.h"

/*
 * The metadata of the sources of a carrier.  A source is kept as long as the carrier, as a script
 * may still ask for its symbols, and the metadata of a machine are nearly the same each time:
 * common parts are stored once.  Their own bytes determine the cuts, so the data before a piece do
 * not matter.
 */
struct meta_store;

struct meta_store *metastore_new(void);
void metastore_free(struct meta_store *s);

/*
 * Store the SIZE bytes of the file FD, which may be closed afterwards.  The result is for an input
 * that is closed before S is freed.  NULL: FD cannot be read.
 */
struct input_held *metastore_add(struct meta_store *s, int fd, uint64_t size);

/* Bytes stored in S, shared ones counted once. */
uint64_t metastore_size(const struct meta_store *s);

#endif
