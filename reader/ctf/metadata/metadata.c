// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metadata: reads the file "metadata" of a CTF trace: takes the text out of its packets, if it is
 * in some, and has it parsed by the language that it begins with.
 */
#include "reader/ctf/metadata/metadata.h"

#include "base/bytes.h"
#include "reader/ctf/metadata/ctf2.h"
#include "reader/ctf/metadata/tsdl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * A packet's header (CTF 1.8.3, 7.1): u32 magic, 16 bytes UUID, u32 checksum, u32 content bits, u32
 * packet bits, five u8: compression, encryption, checksum scheme, major, minor.
 */
#define META_MAGIC 0x75d11d57u
#define META_HEAD 37

static const char TSDL_BEGIN[] = "/* CTF 1.8";

static bool is_packets(const uint8_t *p, size_t len, bool *big)
{
	if (len < META_HEAD)
		return false;
	*big = bytes_u32(p, true) == META_MAGIC;
	return *big || bytes_u32(p, false) == META_MAGIC;
}

bool ctf_metadata_probe(const struct input *in)
{
	uint8_t head[META_HEAD];
	struct err e;
	ssize_t n = input_read_some(in, head, sizeof(head), 0, &e);
	bool big;

	if (n <= 0)
		return false;
	return is_packets(head, n, &big) || (head[0] == CTF2_MARK && memchr(head, '{', n)) ||
	       ((size_t)n >= sizeof(TSDL_BEGIN) - 1 &&
		!memcmp(head, TSDL_BEGIN, sizeof(TSDL_BEGIN) - 1));
}

/* Join the text of the packets, in place: *LEN gets its length.  A token may be cut between two. */
static int unpack(uint8_t *p, size_t *len, bool big, struct err *e)
{
	size_t at = 0, to = 0;

	while (*len - at >= META_HEAD) {
		uint32_t content = bytes_u32(p + at + 24, big), size = bytes_u32(p + at + 28, big);

		if (bytes_u32(p + at, big) != META_MAGIC)
			return err_set(e, ERR_FORMAT, at, "no packet of metadata begins here");
		if (p[at + 32] || p[at + 33])
			return err_set(
				e, ERR_FORMAT, at,
				"the metadata are compressed or encrypted, which no tracer does");
		if (content % 8 || size % 8 || content / 8 < META_HEAD || size < content ||
		    size / 8 > *len - at)
			return err_set(e, ERR_FORMAT, at,
				       "a packet of metadata has %" PRIu32 " of %" PRIu32
				       " bits, and %zu bytes follow",
				       content, size, *len - at);
		memmove(p + to, p + at + META_HEAD, content / 8 - META_HEAD);
		to += content / 8 - META_HEAD;
		at += size / 8;
	}
	if (at != *len)
		return err_set(e, ERR_FORMAT, at, "the metadata end within the header of a packet");
	*len = to;
	return 0;
}

static int read_text(const struct input *in, uint8_t *p, size_t *len, struct err *e)
{
	bool big;

	TRY(input_read(in, p, *len, 0, e));
	return is_packets(p, *len, &big) ? unpack(p, len, big, e) : 0;
}

int ctf_metadata_text(struct ctf_metadata_text *text, const struct input *in, struct err *e)
{
	*text = (struct ctf_metadata_text){ .len = in->size, .size = in->size };
	if (in->size > CTF_MAX_METADATA) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "has more than the %u MiB that are read",
			CTF_MAX_METADATA >> 20);
		return err_path(e, in->path);
	}
	text->p = mem_alloc(in->size + 1);
	if (read_text(in, text->p, &text->len, e) < 0)
		return err_path(e, in->path);
	text->hash = bytes_hash(bytes_hash(0, &text->len, sizeof(text->len)), text->p, text->len);
	return 0;
}

struct ctf_meta *ctf_metadata_parse(const struct ctf_metadata_text *text, const char *path,
				    struct err *e)
{
	struct ctf_meta *m = mem_zalloc(sizeof(*m));
	const char *p = (const char *)text->p;

	m->size = text->size;
	m->hash = text->hash;
	if ((text->len && *text->p == CTF2_MARK ? ctf2_parse(m, p, text->len, e) :
						  tsdl_parse(m, p, text->len, e)) == 0)
		return m;
	err_path(e, path);
	ctf_metadata_free(m);
	return NULL;
}

struct ctf_meta *ctf_metadata_read(const struct input *in, struct err *e)
{
	struct ctf_metadata_text text;
	struct ctf_meta *m = NULL;

	if (ctf_metadata_text(&text, in, e) == 0)
		m = ctf_metadata_parse(&text, in->path, e);
	free(text.p);
	return m;
}

void ctf_metadata_free(struct ctf_meta *m)
{
	if (!m)
		return;
	arena_fini(&m->arena);
	free(m);
}
