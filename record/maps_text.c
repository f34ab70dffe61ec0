// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maps_text: the last look at each process as a text of trace-cmd's.
 */
#include "record/maps_text.h"

#include "base/hash_index.h"
#include "base/mem.h"
#include "base/outbuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct last_look {
	int32_t pid;
	struct map_record r; /* where the mappings are: another process's, if it is like that */
};

struct text_file {
	struct map_file f;
	bool fits; /* it can be in such a text */
};

struct maps_text {
	struct text_file *files; /* by number */
	size_t cap_files;
	uint32_t nfiles;
	struct last_look *v;
	size_t cap;
	struct hash_index by_pid; /* of V */
};

static struct last_look *look_of(struct maps_text *t, int32_t pid)
{
	uint32_t hash = index_hash(&t->by_pid, (uint32_t)pid);
	uint32_t slot = index_home(&t->by_pid, hash), i;

	while (index_next(&t->by_pid, hash, &slot, &i))
		if (t->v[i].pid == pid)
			return &t->v[i];
	return NULL;
}

/* Can it be in such a text: is it a file, and without blanks in its path? */
static bool fits(const struct map_file *f)
{
	if (!f->inode)
		return false;
	for (uint16_t i = 0; i < f->path_len; i++)
		if ((unsigned char)f->path[i] <= ' ')
			return false;
	return true;
}

static void take_file(struct maps_text *t, const struct map_record *r)
{
	struct text_file *to;

	if (r->number > UINT16_MAX)
		return;
	t->files = mem_grow_zeroed(t->files, &t->cap_files, r->number + 1u, sizeof(*t->files));
	if (t->nfiles <= r->number)
		t->nfiles = r->number + 1;
	to = &t->files[r->number];
	map_log_file(r, &to->f);
	to->fits = fits(&to->f);
}

static void take_look(struct maps_text *t, const struct map_record *r)
{
	const struct last_look *like = r->number ? look_of(t, (int32_t)r->number) : NULL;
	struct map_record now = like ? like->r : *r;
	struct last_look *to = look_of(t, r->pid);

	if (!to) {
		t->v = mem_grow(t->v, &t->cap, t->by_pid.n + 1u, sizeof(*t->v));
		to = &t->v[t->by_pid.n];
		index_add(&t->by_pid, index_hash(&t->by_pid, (uint32_t)r->pid), t->by_pid.n);
	}
	*to = (struct last_look){ r->pid, now };
}

/* The file of X, if it can be in such a text. */
static const struct map_file *file_of(const struct maps_text *t, const struct map_entry *x)
{
	const struct text_file *file = x->file < t->nfiles ? &t->files[x->file] : NULL;

	return file && file->fits ? &file->f : NULL;
}

/* The lines of L into OUT; returns how many, and in *FIRST the first file. */
static unsigned put_lines(const struct maps_text *t, const struct last_look *l, struct outbuf *out,
			  const struct map_file **first)
{
	uint32_t n = map_log_count(&l->r);
	struct map_entry x, next;
	unsigned lines = 0;
	char range[48];

	for (uint32_t i = 0; i < n; i++) {
		const struct map_file *f;
		int len;

		map_log_entry(&l->r, i, &x);
		f = file_of(t, &x);
		/* Of one file the last has its end. */
		if (i + 1 < n) {
			map_log_entry(&l->r, i + 1, &next);
			if (next.file == x.file && next.base == x.base)
				continue;
		}
		if (!f)
			continue;
		*first = lines++ ? *first : f;
		len = snprintf(range, sizeof(range), "%" PRIx64 " %" PRIx64 " ", x.base, x.end);
		out_bytes(out, range, (size_t)len);
		out_bytes(out, f->path, f->path_len);
		out_char(out, '\n');
	}
	return lines;
}

static size_t give_text(const struct maps_text *t, const struct last_look *l,
			void (*give)(void *arg, const char *text, size_t len), void *arg)
{
	struct outbuf lines = { 0 }, text = { 0 };
	const struct map_file *first = NULL;
	unsigned n = put_lines(t, l, &lines, &first);
	size_t len = 0;
	char head[48];

	if (n) {
		snprintf(head, sizeof(head), "%x %x ", (unsigned)l->pid, n);
		out_str(&text, head);
		/* In place of the command: what it runs, as far as that is known. */
		out_bytes(&text, first->path, first->path_len);
		out_char(&text, '\n');
		out_bytes(&text, lines.p, lines.len);
		out_char(&text, '\0');
		len = text.len;
		give(arg, text.p, len);
	}
	outbuf_fini(&lines);
	outbuf_fini(&text);
	return len;
}

void maps_text_each(const uint8_t *p, size_t len,
		    void (*give)(void *arg, const char *text, size_t len), void *arg)
{
	struct maps_text t = { NULL };
	struct map_record r;
	size_t at = 0, given = 0, seen = 0;

	index_begin(&t.by_pid);
	while (map_log_next(p, len, &at, &r)) {
		if (r.pid)
			take_look(&t, &r);
		else
			take_file(&t, &r);
	}
	/* A small log can have many processes that are like one with many mappings. */
	for (uint32_t i = 0; i < t.by_pid.n && given < MAPS_TEXT_MAX && seen < MAPS_TEXT_SEEN;
	     i++) {
		given += give_text(&t, &t.v[i], give, arg);
		seen += 1 + map_log_count(&t.v[i].r);
	}
	index_fini(&t.by_pid);
	free(t.files);
	free(t.v);
}
