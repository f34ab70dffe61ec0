// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * input_key: by what an input is recognized as the one that was indexed: its size, the time of its
 * last change, and its beginning and end.
 */
#include "index/index_priv.h"

#include "base/bytes.h"

#include <sys/stat.h>

#define ENDS 16384 /* bytes of its beginning and of its end */

static uint64_t hash_part(const struct source *s, uint64_t h, uint64_t off)
{
	uint8_t buf[ENDS];
	struct err e;
	ssize_t n = input_read_some(&s->in, buf, sizeof(buf), off, &e);

	return n > 0 ? bytes_hash(h, buf, (size_t)n) : h;
}

bool index_key_of(const struct source *s, struct index_key *out)
{
	struct stat st;

	if (s->in.piped || s->in.is_dir || s->in.held || s->dir || s->ops->stop || s->in.fd < 0 ||
	    fstat(s->in.fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	*out = (struct index_key){
		.size = s->in.size,
		.changed = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec,
	};
	out->ends = hash_part(s, 0, 0);
	if (s->in.size > ENDS)
		out->ends = hash_part(s, out->ends, s->in.size - ENDS);
	return true;
}
