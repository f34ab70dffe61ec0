/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PACK_CODEC_H
#define ZED_BASE_PACK_CODEC_H

#include "base/err.h"

/*
 * Compression by name.  One block in, one block out; the sizes are known before unpacking
 * (trace-cmd stores both; its zstd frames do not state the content size).
 */
enum codec { CODEC_NONE, CODEC_ZLIB, CODEC_ZSTD };

/* The codec called NAME ("none", "zlib", "zstd"); -1: not one of ours. */
int codec_find(const char *name);
const char *codec_name(enum codec c);

/* A decompressor's working memory, reused from block to block.  NULL is never returned. */
struct unpacker;
struct unpacker *unpacker_new(enum codec c);
void unpacker_free(struct unpacker *u);

/*
 * Refuse zstd streams with a window of more than 1 << LOG bytes, as one takes that much memory.
 * The default is 27.
 */
void unpacker_window(struct unpacker *u, int log);

/*
 * Unpack SRC of LEN bytes into DST of at most SIZE.  Returns the bytes made, or -1 with E (kind
 * ERR_FORMAT, OFF as its offset).
 */
int64_t unpacker_block(struct unpacker *u, const uint8_t *src, size_t len, uint8_t *dst,
		       size_t size, uint64_t off, struct err *e);

/*
 * For one long stream, of zlib or zstd: give input (*SRC, *LEN are advanced) and take output.
 * Returns the bytes put into DST; *END is set when the stream is complete.
 */
int64_t unpacker_stream(struct unpacker *u, const uint8_t **src, size_t *len, uint8_t *dst,
			size_t size, bool *end, uint64_t off, struct err *e);

/* A compressor's working memory, reused from block to block.  NULL is never returned. */
struct packer;
struct packer *packer_new(enum codec c);
void packer_free(struct packer *p);

/* zstd: compress at LEVEL from now on; 0: its default. */
void packer_level(struct packer *p, int level);

/* zstd: let frames state their content size, which readers other than trace-cmd prefer. */
void packer_sized(struct packer *p);

/* The maximum packed size of LEN bytes. */
size_t packer_bound(const struct packer *p, size_t len);

/*
 * Pack SRC of LEN bytes into DST of SIZE: an RFC 1950 stream, or one zstd frame without its content
 * size, as trace-cmd writes them (format.md 1.1), unless packer_sized() was called.  Returns the
 * bytes made, or -1 with E.
 */
int64_t packer_block(struct packer *p, const uint8_t *src, size_t len, uint8_t *dst, size_t size,
		     struct err *e);

/* The version that C's library reports ("1.5.4"); "" for none. */
const char *codec_version(enum codec c);

/* "zlib 1.2.13, zstd 1.5.4": the libraries in use, by their own version strings.  Returns BUF. */
const char *codec_versions(char *buf, size_t size);

#endif
