// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * store: keeps the bytes of many CPUs in one file until the place of each in the result is known.
 */
#include "record/cut/store.h"

#include "base/mem.h"
#include "base/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a row that lie together. */
struct stored_piece {
	uint64_t off, len;
};

int store_open(struct store *s, const char *path, struct err *e)
{
	char *name;

	s->end = 0;
	s->fd = outfile_beside(path, &name, e);
	if (s->fd < 0)
		return -1;
	unlink(name);
	free(name);
	return 0;
}

void store_close(struct store *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

int row_flush(struct store *s, struct stored_row *r, struct err *e)
{
	struct stored_piece *last = r->n ? &r->pieces[r->n - 1] : NULL;

	if (!r->len)
		return 0;
	TRY(write_at(s->fd, r->buf, r->len, s->end, e));
	if (!last || last->off + last->len != s->end) {
		r->pieces = mem_grow(r->pieces, &r->cap_pieces, r->n + 1, sizeof(*r->pieces));
		last = &r->pieces[r->n++];
		*last = (struct stored_piece){ .off = s->end };
	}
	last->len += r->len;
	s->end += r->len;
	r->len = 0;
	return 0;
}

int row_add(struct store *s, struct stored_row *r, const void *p, size_t len, size_t cap,
	    struct err *e)
{
	if (r->len + len > cap)
		TRY(row_flush(s, r, e));
	r->buf = mem_grow(r->buf, &r->cap, r->len + len, 1);
	memcpy(r->buf + r->len, p, len);
	r->len += len;
	r->size += len;
	return 0;
}

ssize_t row_read(const struct store *s, struct stored_row *r, void *buf, size_t len, uint64_t at,
		 struct err *e)
{
	const struct stored_piece *p;
	uint64_t in;
	ssize_t n;

	while (r->piece < r->n && at - r->begin >= r->pieces[r->piece].len)
		r->begin += r->pieces[r->piece++].len;
	if (r->piece == r->n)
		return 0;
	p = &r->pieces[r->piece];
	in = at - r->begin;
	if (len > p->len - in)
		len = p->len - in;
	do {
		n = pread(s->fd, buf, len, (off_t)(p->off + in));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys(e, ERR_NO_OFF, "cannot read the kept copy of it");
	if (!n)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the kept copy of it is no longer there");
	return n;
}

void row_fini(struct stored_row *r)
{
	free(r->buf);
	free(r->pieces);
}
