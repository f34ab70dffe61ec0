// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kept: what the last calls have computed.
 */
#include "programs/zedperl/mcp/kept.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void drop(struct kept_call *c)
{
	for (unsigned i = 0; c->key.len && i < WORK_RUNS; i++)
		if (c->printed[i] >= 0)
			close(c->printed[i]);
	outbuf_fini(&c->key);
	*c = (struct kept_call){ .bytes = 0 };
}

static struct kept_call *find(struct kept_calls *k, const struct outbuf *key)
{
	for (unsigned i = 0; i < KEPT_CALLS; i++) {
		struct kept_call *c = &k->v[i];

		if (c->key.len && c->key.len == key->len && !memcmp(c->key.p, key->p, key->len))
			return c;
	}
	return NULL;
}

int kept_files(struct kept_calls *k, const struct outbuf *key, struct work *w, struct err *e)
{
	struct kept_call *c = find(k, key);

	for (unsigned i = 0; i < w->nruns && !w->is_direct; i++) {
		w->printed[i] = c && c->printed[i] >= 0 ? fcntl(c->printed[i], F_DUPFD_CLOEXEC, 3) :
							  memfd_create("printed", MFD_CLOEXEC);
		if (w->printed[i] < 0)
			return err_sys(e, ERR_NO_OFF, "cannot prepare an answer");
	}
	if (c)
		c->used = ++k->calls;
	return 0;
}

static uint64_t size_of(const struct work *w)
{
	uint64_t bytes = 0;
	struct stat st;

	for (unsigned i = 0; i < WORK_RUNS; i++)
		if (w->printed[i] >= 0 && fstat(w->printed[i], &st) == 0)
			bytes += (uint64_t)st.st_size;
	return bytes;
}

static struct kept_call *oldest(struct kept_calls *k)
{
	struct kept_call *old = NULL;

	for (unsigned i = 0; i < KEPT_CALLS; i++)
		if (k->v[i].key.len && (!old || k->v[i].used < old->used))
			old = &k->v[i];
	return old;
}

static struct kept_call *place(struct kept_calls *k)
{
	for (unsigned i = 0; i < KEPT_CALLS; i++)
		if (!k->v[i].key.len)
			return &k->v[i];
	drop(oldest(k));
	return place(k);
}

/* Until BYTES more may be kept. */
static void make_room(struct kept_calls *k, uint64_t bytes)
{
	for (uint64_t all = bytes;; all = bytes) {
		for (unsigned i = 0; i < KEPT_CALLS; i++)
			all += k->v[i].bytes;
		if (all <= KEPT_BYTES || !oldest(k))
			return;
		drop(oldest(k));
	}
}

void kept_add(struct kept_calls *k, const struct outbuf *key, struct work *w)
{
	uint64_t bytes = size_of(w);
	struct kept_call *c;

	if (w->is_direct || bytes > KEPT_BYTES || find(k, key))
		return;
	make_room(k, bytes);
	c = place(k);
	out_bytes(&c->key, key->p, key->len);
	c->bytes = bytes;
	c->used = ++k->calls;
	for (unsigned i = 0; i < WORK_RUNS; i++) {
		c->printed[i] = w->printed[i];
		w->printed[i] = -1;
	}
}

void kept_fini(struct kept_calls *k)
{
	for (unsigned i = 0; i < KEPT_CALLS; i++)
		drop(&k->v[i]);
}
