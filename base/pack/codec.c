// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * codec: compresses and decompresses blocks; the only file that knows zlib and zstd.
 */
#include "base/pack/codec.h"

#include "base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static const char *const names[] = {
	[CODEC_NONE] = "none",
	[CODEC_ZLIB] = "zlib",
	[CODEC_ZSTD] = "zstd",
};

int codec_find(const char *name)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

const char *codec_name(enum codec c)
{
	return names[c];
}

struct unpacker {
	enum codec codec;
	ZSTD_DCtx *zstd;
	z_stream zlib;
	bool zlib_open;
};

struct unpacker *unpacker_new(enum codec c)
{
	struct unpacker *u = mem_zalloc(sizeof(*u));

	u->codec = c;
	if (c == CODEC_ZSTD) {
		u->zstd = mem_check(ZSTD_createDCtx());
	}
	return u;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->zstd);
	if (u->zlib_open)
		inflateEnd(&u->zlib);
	free(u);
}

void unpacker_window(struct unpacker *u, int log)
{
	if (u->zstd)
		ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, log);
}

/* A fresh zlib stream; the working memory is kept between blocks. */
static int zlib_start(struct unpacker *u, uint64_t off, struct err *e)
{
	int rc = u->zlib_open ? inflateReset(&u->zlib) : inflateInit(&u->zlib);

	if (rc != Z_OK)
		return err_set(e, ERR_FORMAT, off, "zlib cannot start (%d)", rc);
	u->zlib_open = true;
	return 0;
}

int64_t unpacker_block(struct unpacker *u, const uint8_t *src, size_t len, uint8_t *dst,
		       size_t size, uint64_t off, struct err *e)
{
	size_t n;
	int rc;

	switch (u->codec) {
	case CODEC_ZSTD:
		n = ZSTD_decompressDCtx(u->zstd, dst, size, src, len);
		if (ZSTD_isError(n))
			return err_set(e, ERR_FORMAT, off, "damaged zstd block: %s",
				       ZSTD_getErrorName(n));
		return n;
	case CODEC_ZLIB:
		if (len > UINT_MAX || size > UINT_MAX)
			return err_set(e, ERR_FORMAT, off, "zlib block larger than 4 GiB");
		TRY(zlib_start(u, off, e));
		u->zlib.next_in = (uint8_t *)src;
		u->zlib.avail_in = len;
		u->zlib.next_out = dst;
		u->zlib.avail_out = size;
		rc = inflate(&u->zlib, Z_FINISH);
		if (rc != Z_STREAM_END)
			return err_set(e, ERR_FORMAT, off, "damaged zlib block: %s",
				       u->zlib.msg ? u->zlib.msg :
						     "no end of the stream at the end of the "
						     "block");
		return size - u->zlib.avail_out;
	default:
		if (len > size)
			return err_set(e, ERR_FORMAT, off, "block larger than its declared size");
		memcpy(dst, src, len);
		return len;
	}
}

static int64_t zstd_stream(struct unpacker *u, const uint8_t **src, size_t *len, uint8_t *dst,
			   size_t size, bool *end, uint64_t off, struct err *e)
{
	ZSTD_inBuffer in = { .src = *src, .size = *len };
	ZSTD_outBuffer out = { .dst = dst, .size = size };
	size_t n = ZSTD_decompressStream(u->zstd, &out, &in);

	if (ZSTD_isError(n))
		return err_set(e, ERR_FORMAT, off, "damaged zstd data: %s", ZSTD_getErrorName(n));
	*src += in.pos;
	*len -= in.pos;
	*end = n == 0;
	return out.pos;
}

int64_t unpacker_stream(struct unpacker *u, const uint8_t **src, size_t *len, uint8_t *dst,
			size_t size, bool *end, uint64_t off, struct err *e)
{
	int rc;

	*end = false;
	if (u->codec == CODEC_ZSTD)
		return zstd_stream(u, src, len, dst, size, end, off, e);
	if (!u->zlib_open)
		TRY(zlib_start(u, off, e));
	u->zlib.next_in = (uint8_t *)*src;
	u->zlib.avail_in = *len;
	u->zlib.next_out = dst;
	u->zlib.avail_out = size;
	rc = inflate(&u->zlib, Z_NO_FLUSH);
	*src = u->zlib.next_in;
	*len = u->zlib.avail_in;
	if (rc == Z_STREAM_END)
		*end = true;
	else if (rc != Z_OK && rc != Z_BUF_ERROR)
		return err_set(e, ERR_FORMAT, off, "damaged zlib data: %s",
			       u->zlib.msg ? u->zlib.msg : "unknown error");
	return size - u->zlib.avail_out;
}

struct packer {
	enum codec codec;
	ZSTD_CCtx *zstd;
};

struct packer *packer_new(enum codec c)
{
	struct packer *p = mem_zalloc(sizeof(*p));

	p->codec = c;
	if (c == CODEC_ZSTD) {
		p->zstd = mem_check(ZSTD_createCCtx());
		ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_contentSizeFlag, 0);
	}
	return p;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p);
}

void packer_level(struct packer *p, int level)
{
	if (p->zstd)
		ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level);
}

void packer_sized(struct packer *p)
{
	if (p->zstd)
		ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_contentSizeFlag, 1);
}

size_t packer_bound(const struct packer *p, size_t len)
{
	switch (p->codec) {
	case CODEC_ZSTD:
		return ZSTD_compressBound(len);
	case CODEC_ZLIB:
		return compressBound(len);
	default:
		return len;
	}
}

int64_t packer_block(struct packer *p, const uint8_t *src, size_t len, uint8_t *dst, size_t size,
		     struct err *e)
{
	uLongf made = size;
	size_t n;
	int rc;

	switch (p->codec) {
	case CODEC_ZSTD:
		n = ZSTD_compress2(p->zstd, dst, size, src, len);
		if (ZSTD_isError(n))
			return err_set(e, ERR_SYS, ERR_NO_OFF, "zstd cannot compress: %s",
				       ZSTD_getErrorName(n));
		return n;
	case CODEC_ZLIB:
		rc = compress2(dst, &made, src, len, Z_DEFAULT_COMPRESSION);
		if (rc != Z_OK)
			return err_set(e, ERR_SYS, ERR_NO_OFF, "zlib cannot compress: %s",
				       zError(rc));
		return made;
	default:
		if (len > size)
			return err_set(e, ERR_SYS, ERR_NO_OFF, "no room for the compressed block");
		memcpy(dst, src, len);
		return len;
	}
}

const char *codec_version(enum codec c)
{
	return c == CODEC_ZSTD ? ZSTD_versionString() : c == CODEC_ZLIB ? zlibVersion() : "";
}

const char *codec_versions(char *buf, size_t size)
{
	snprintf(buf, size, "zlib %s, zstd %s", zlibVersion(), ZSTD_versionString());
	return buf;
}
