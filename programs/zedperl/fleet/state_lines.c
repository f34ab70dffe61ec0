// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * state_lines: the lines with states in some files: which are complete, and their traces.  Only
 * that is kept; a state is read again when its turn comes.
 */
#include "programs/zedperl/fleet/state_lines.h"

#include "base/bytes.h"
#include "base/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 262144
#define SUM_HEAD "{\"sum\":\""

int state_line_head(char *out, size_t size, const char *key, const char *body, size_t len)
{
	return snprintf(out, size, "%s\t" SUM_HEAD "%016" PRIx64 "\",", key,
			bytes_hash(0, body, len));
}

/* ---- traces ---- */

/* The end of the string whose opening quote is at P; NULL: it has no end. */
static const char *string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p < end ? p + 1 : NULL;
}

static const char *is_key(const char *p, const char *end)
{
	static const char key[] = "\"id\":\"";

	return (size_t)(end - p) > sizeof(key) - 1 && !memcmp(p, key, sizeof(key) - 1) ?
		       p + sizeof(key) - 2 :
		       NULL;
}

/*
 * Could the string from P to NEXT be a key "id" that is_key() does not recognize: with an escape in
 * it, or with blanks after it?  We never write one.
 */
static bool is_hidden_id(const char *p, const char *next, const char *end)
{
	static const char id[] = "\"id\"";
	const char *at = next;

	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
		at++;
	return at < end && *at == ':' &&
	       (memchr(p, '\\', next - p) ||
		((size_t)(next - p) == sizeof(id) - 1 && !memcmp(p, id, sizeof(id) - 1)));
}

/* The identities in the array of traces that BODY begins with.  NULL, or what is wrong. */
static const char *find_ids(struct state_lines *l, struct state_line *v, const char *p,
			    const char *end)
{
	static const char head[] = "\"traces\":[";
	const char *value, *next;
	size_t cap = 0;
	int depth = 1;

	if ((size_t)(end - p) < sizeof(head) || memcmp(p, head, sizeof(head) - 1) != 0)
		return "does not name its traces";
	for (p += sizeof(head) - 1; p < end && depth;) {
		if (*p != '"') {
			depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
			p++;
			continue;
		}
		value = depth == 2 ? is_key(p, end) : NULL;
		next = string_end(value ? value : p, end);
		if (!next)
			break;
		if (depth == 2 && !value && is_hidden_id(p, next, end))
			return "has a trace with an invalid identity";
		if (value) {
			if (next - value - 2 > STATE_ID || next - value < 3 ||
			    memchr(value, '\\', next - value))
				return "has a trace with an invalid identity";
			v->ids = mem_grow(v->ids, &cap, v->ntraces + 1, sizeof(*v->ids));
			v->ids[v->ntraces++] = arena_strndup(&l->arena, value + 1,
							     next - value - 2);
		}
		p = next;
	}
	if (depth || !v->ntraces)
		return "does not name its traces";
	qsort(v->ids, v->ntraces, sizeof(*v->ids), compare_text);
	for (unsigned i = 1; i < v->ntraces; i++)
		if (!strcmp(v->ids[i], v->ids[i - 1]))
			return "has a trace twice";
	return NULL;
}

/* ---- one line ---- */

/* NULL: it was added; "": it is empty; or what is wrong. */
static const char *take_line(struct state_lines *l, const char *key, const char *line, size_t len,
			     uint64_t off)
{
	struct state_line v = { .file = l->nfiles - 1 };
	const char *tab = memchr(line, '\t', len), *body, *why;
	char sum[20];
	size_t n;

	if (len && line[len - 1] == '\r')
		len--;
	if (!len)
		return "";
	if (!tab || len < 12 || memcmp(line, "zed-state-", 10) != 0)
		return "is not a state of zedperl --map";
	if (key && memcmp(line, key, strcspn(key, "/") + 1) != 0)
		return "is a state of another version of zedperl";
	if (key && ((size_t)(tab - line) != strlen(key) || memcmp(line, key, tab - line) != 0))
		return "is a state of another script, of another version of it, or with other "
		       "arguments";
	n = tab + 1 - line;
	if (len < n + sizeof(SUM_HEAD) - 1 + 18 + 1 || line[len - 1] != '}' ||
	    memcmp(tab + 1, SUM_HEAD, sizeof(SUM_HEAD) - 1) != 0)
		return "is damaged";
	body = tab + 1 + sizeof(SUM_HEAD) - 1 + 18;
	v.off = off + (body - line);
	v.len = len - 1 - (body - line);
	v.sum = bytes_hash(0, body, v.len);
	snprintf(sum, sizeof(sum), "%016" PRIx64 "\",", v.sum);
	if (memcmp(body - 18, sum, 18) != 0)
		return "is damaged";
	why = find_ids(l, &v, body, body + v.len);
	if (why) {
		free(v.ids);
		return why;
	}
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = v;
	return NULL;
}

/* ---- files ---- */

/* Reads a file's lines: LEN bytes of L->buf are those from OFF on. */
struct line_window {
	uint64_t off;
	size_t len;
	uint64_t number;
	bool skips; /* up to the end of a line that is too long */
	const char *too_long;
};

/* Take all complete lines that are here; the rest moves to the front. */
static void take_lines(struct state_lines *l, struct line_window *at, const char *path,
		       const char *key, void (*wrong)(void *, const char *, uint64_t, const char *),
		       void *arg, bool last)
{
	char *p = l->buf, *end = l->buf + at->len, *nl;
	const char *why;

	while (p < end && ((nl = memchr(p, '\n', end - p)) || last)) {
		nl = nl ? nl : end;
		at->number++;
		why = at->skips ? at->too_long :
				  take_line(l, key, p, nl - p, at->off + (p - l->buf));
		at->skips = false;
		if (why && *why)
			wrong(arg, path, at->number, why);
		p = nl < end ? nl + 1 : end;
	}
	at->off += p - l->buf;
	at->len = end - p;
	memmove(l->buf, p, at->len);
	if (at->len <= STATE_LINE)
		return;
	at->skips = true;
	at->off += at->len;
	at->len = 0;
}

/* CUT: the copy ends in a line that is too long. */
static int read_all(struct state_lines *l, const struct input *in, const char *path,
		    const char *key, void (*wrong)(void *, const char *, uint64_t, const char *),
		    void *arg, bool cut, struct err *e)
{
	struct line_window at = {
		.too_long = cut ? "is longer than 64 MiB, and nothing after it is read" :
				  "is too long",
	};
	ssize_t n;

	do {
		l->buf = mem_grow(l->buf, &l->cap_buf, at.len + BLOCK, 1);
		n = input_read_some(in, l->buf + at.len, BLOCK, at.off + at.len, e);
		if (n < 0)
			return -1;
		at.len += n;
		take_lines(l, &at, path, key, wrong, arg, !n);
	} while (n);
	if (at.skips)
		wrong(arg, path, at.number + 1, at.too_long);
	return 0;
}

int state_lines_add(struct state_lines *l, const char *path, const char *key,
		    void (*wrong)(void *arg, const char *path, uint64_t number, const char *why),
		    void *arg, struct err *e)
{
	struct state_file f = { .path = path };
	int rc;

	if (input_open(&f.in, path, e) < 0)
		return -1;
	f.piped = f.in.piped;
	rc = f.in.is_dir ?
		     err_set(e, ERR_FORMAT, ERR_NO_OFF, "is a directory, not a file with states") :
		     input_spool_lines(&f.in, STATE_LINE, e);
	l->files = mem_grow(l->files, &l->cap_files, l->nfiles + 1, sizeof(*l->files));
	l->files[l->nfiles++] = f;
	if (rc >= 0)
		rc = read_all(l, &f.in, path, key, wrong, arg, rc > 0, e);
	l->files[l->nfiles - 1].is_open = f.piped && rc == 0;
	if (!f.piped || rc < 0)
		input_close(&f.in);
	return rc;
}

/* The file of that number, opened again if it was closed.  NULL with E. */
static const struct input *open_again(struct state_lines *l, unsigned number, struct err *e)
{
	struct state_file *f = &l->files[number];

	if (f->is_open)
		return &f->in;
	if (l->open >= 0) {
		input_close(&l->files[l->open].in);
		l->files[l->open].is_open = false;
	}
	l->open = -1;
	if (input_open(&f->in, f->path, e) < 0)
		return NULL;
	l->open = (int)number;
	f->is_open = true;
	return &f->in;
}

const char *state_lines_body(struct state_lines *l, const struct state_line *v, struct err *e)
{
	const struct input *in = open_again(l, v->file, e);

	if (!in)
		return NULL;
	l->buf = mem_grow(l->buf, &l->cap_buf, v->len + 1, 1);
	if (input_read(in, l->buf, v->len, v->off, e) < 0)
		return NULL;
	l->buf[v->len] = 0;
	if (bytes_hash(0, l->buf, v->len) == v->sum)
		return l->buf;
	err_set(e, ERR_FORMAT, v->off, "changed while it was read");
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(**(const char **const *)a, **(const char **const *)b);
}

bool *state_lines_shared(const struct state_lines *l)
{
	bool *shared = mem_zalloc(l->n + 1);
	size_t n = 0, had = 0;
	const char ***ids;

	for (size_t k = 0; k < l->n; k++)
		n += l->v[k].ntraces;
	ids = mem_alloc((n + 1) * sizeof(*ids));
	for (size_t k = 0; k < l->n; k++)
		for (unsigned m = 0; m < l->v[k].ntraces; m++)
			ids[had++] = &l->v[k].ids[m];
	qsort(ids, n, sizeof(*ids), by_name);
	for (size_t k = 0; k < l->n; k++)
		for (unsigned m = 0; m < l->v[k].ntraces; m++) {
			const char **id = &l->v[k].ids[m],
				   ***at = bsearch(&id, ids, n, sizeof(*ids), by_name);

			shared[k] |= (at > ids && !strcmp(*at[-1], *id)) ||
				     (at + 1 < ids + n && !strcmp(*at[1], *id));
		}
	free(ids);
	return shared;
}

void state_lines_fini(struct state_lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].ids);
	for (unsigned i = 0; i < l->nfiles; i++)
		if (l->files[i].is_open)
			input_close(&l->files[i].in);
	free(l->files);
	free(l->v);
	free(l->buf);
	arena_fini(&l->arena);
}
