/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_META_STORE_H
#define ZED_READER_ZEDSTREAM_META_STORE_H

#include "base/input.h"

/*
 * The metadata of the sources of a carrier.  A source is kept as long as the carrier lasts, as a
 * script may still ask for a symbol of it, and the metadata of one machine are nearly the same each
 * time: what they have in common is kept once.  They are cut where their own bytes say so, so that
 * what stands before a piece does not matter.
 */
struct meta_store;

struct meta_store *metastore_new(void);
void metastore_free(struct meta_store *s);

/*
 * Keep the SIZE bytes of the file FD, which may be closed then.  The answer is given to an input
 * that is closed before S is freed.  NULL: FD cannot be read.
 */
struct input_held *metastore_add(struct meta_store *s, int fd, uint64_t size);

/* Bytes that S has, each once. */
uint64_t metastore_size(const struct meta_store *s);

#endif
