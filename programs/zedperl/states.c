// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * states: what --map writes and --reduce reads: one line a state.  Chooses those of all given
 * states that together have each trace once.
 */
#include "programs/zedperl/states.h"

#include "base/bytes.h"
#include "base/hash_index.h"
#include "base/io.h"
#include "base/suffix.h"
#include "programs/stop.h"
#include "programs/cut/target.h"
#include "programs/zedperl/fleet/state_lines.h"
#include "reader/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOLD 10 /* lines that are wrong, one by one */

struct states {
	struct cli *c;
	struct zedperl *z;
	struct target target;
	char *line; /* of this run: the beginning of its line, and its body */
	size_t head, len;
	struct state_lines lines;
	size_t *order; /* of the lines, in the order of merging */
	size_t at;
	bool chosen;
	int status; /* of the program, unless the run has another */
	uint64_t wrong, twice;
};

/* ---- the key ---- */

static uint64_t hash_file(uint64_t h, const char *path)
{
	FILE *f = path ? fopen(path, "re") : NULL;
	char buf[4096];
	size_t n;

	while (f && (n = fread(buf, 1, sizeof(buf), f)) > 0)
		h = bytes_hash(h, buf, n);
	if (f)
		fclose(f);
	return h;
}

/* Only letters, digits and the like, allowed in words of any engine. */
static void write_name(char *out, size_t size, const char *script)
{
	const char *base = script ? strrchr(script, '/') : NULL;
	size_t n = 0;

	for (base = base ? base + 1 : script ? script : "-e"; *base && n + 1 < size; base++)
		out[n++] = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789_.-",
				  *base) ?
				   *base :
				   '_';
	out[n] = 0;
	out[suffix_stem(out, ".pl")] = 0;
}

/* perl's switches and the texts of -e are words of its command line, up to "--". */
static void write_key(const struct states *s, const char *with, char *out, size_t size)
{
	const struct zedperl *z = s->z;
	uint64_t h = bytes_hash(0, ZED_VERSION, sizeof(ZED_VERSION));
	char name[64];

	for (size_t i = 1; i < z->perl.argc && strcmp(z->perl.argv[i], "--"); i++)
		if (strncmp(z->perl.argv[i], "-I", 2) != 0)
			h = bytes_hash(h, z->perl.argv[i], strlen(z->perl.argv[i]) + 1);
	h = hash_file(h, z->script.path);
	h = bytes_hash(h, with, strlen(with) + 1);
	write_name(name, sizeof(name), z->script.path);
	snprintf(out, size, "zed-state-1/%s/%016llx", name, (unsigned long long)h);
}

bool states_is_one(const char *path)
{
	static const char head[] = "zed-state-";
	struct stat st;
	FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	char buf[sizeof(head)] = "";
	bool is = f && fgets(buf, sizeof(buf), f) && !strcmp(buf, head);

	if (f)
		fclose(f);
	return is;
}

/* ---- writing ---- */

/* The script prints to our stderr: only the state is written to our output. */
static int take_stdout(struct target *t, struct err *e)
{
	*t = (struct target){ .fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), .own = true };
	if (t->fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot write");
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot write");
	return 0;
}

struct states *states_new(struct cli *c, struct zedperl *z)
{
	struct states *s = mem_zalloc(sizeof(*s));
	struct err e, other;

	s->c = c;
	s->z = z;
	s->lines.open = -1;
	s->target.fd = -1;
	if (!z->map)
		return s;
	if (z->output && strcmp(z->output, "-")) {
		if (target_open(&s->target, c, z->output, true, "-o", &e) == 0)
			return s;
		err_path(&e, z->output);
	} else if (take_stdout(&s->target, &e) == 0) {
		return s;
	}
	cli_say_err(c, &e);
	target_close(&s->target, false, &other);
	free(s);
	return NULL;
}

void states_write(struct states *s, const char *with, const char *body, size_t len)
{
	char key[STATE_KEY], head[STATE_KEY + 64];

	write_key(s, with, key, sizeof(key));
	s->head = state_line_head(head, sizeof(head), key, body, len);
	s->len = s->head + len + 2;
	if (s->len > STATE_LINE) {
		cli_say(s->c,
			"the state has %zu MiB, and a line that --reduce reads has at most %u: let "
			"the script keep less, or max_keys its aggregations",
			(s->len >> 20) + 1, STATE_LINE >> 20);
		s->status = CLI_DAMAGE;
		return;
	}
	s->line = mem_alloc(s->len);
	memcpy(s->line, head, s->head);
	memcpy(s->line + s->head, body, len);
	memcpy(s->line + s->len - 2, "}\n", 2);
}

static int write_state(int fd, const char *p, size_t len, struct err *e)
{
	return io_write(fd, p, len) ? 0 : err_sys(e, ERR_NO_OFF, "cannot write the state");
}

/* ---- reading ---- */

static const char *shown(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

static void tell_wrong(void *arg, const char *path, uint64_t number, const char *why)
{
	struct states *s = arg;

	if (s->wrong++ < TOLD)
		cli_say(s->c, "%s: line %llu %s: left out", shown(path), (unsigned long long)number,
			why);
}

/* Those with the most traces first, as they may contain others. */
static int by_size(const void *a, const void *b, void *arg)
{
	const struct state_lines *l = arg;
	const struct state_line *x = &l->v[*(const size_t *)a];
	const struct state_line *y = &l->v[*(const size_t *)b];
	int c = 0;

	if (x->ntraces != y->ntraces)
		return x->ntraces > y->ntraces ? -1 : 1;
	for (unsigned i = 0; i < x->ntraces && !c; i++)
		c = strcmp(x->ids[i], y->ids[i]);
	if (c)
		return c;
	if (x->len != y->len)
		return x->len > y->len ? -1 : 1;
	return x->sum < y->sum ? -1 : x->sum > y->sum;
}

/* A set of texts. */
struct name_set {
	const char **v;
	size_t cap;
	struct hash_index index; /* of V */
};

static bool names_have(const struct name_set *set, const char *name)
{
	uint32_t hash = index_hash_bytes(&set->index, name, strlen(name));
	uint32_t slot = index_home(&set->index, hash), i;

	while (index_next(&set->index, hash, &slot, &i))
		if (!strcmp(set->v[i], name))
			return true;
	return false;
}

static void names_add(struct name_set *set, struct arena *arena, const char *name)
{
	uint32_t n = set->index.n;

	if (names_have(set, name))
		return;
	set->v = mem_grow(set->v, &set->cap, n + 1, sizeof(*set->v));
	set->v[n] = arena_strndup(arena, name, strlen(name));
	index_add(&set->index, index_hash_bytes(&set->index, name, strlen(name)), n);
}

static void drop_line(struct states *s, struct state_line *v, unsigned known)
{
	v->dropped = true;
	if (known == v->ntraces) {
		s->twice++;
		return;
	}
	tell_wrong(s, s->lines.files[v->file].path, 0,
		   known ? "has traces that another state has too, and others that it has not "
			   "(reduce the states of single traces)" :
			   "is of a trace that other states have in other parts");
}

/*
 * Parts of a trace's time are "ID+2.7".  Is that ID, or the trace that it is a part of, in KNOWN?
 * *CLASH: some part of it is, but it is not known which.  ADD: add it.
 */
static bool knows(struct states *s, struct name_set *known, const char *id, bool *clash, bool add)
{
	const char *plus = strchr(id, '+'), *of = plus ? strchr(plus, '.') : NULL;
	size_t len = plus ? (size_t)(plus - id) : strlen(id);
	char whole[STATE_ID + 1], any[STATE_ID + 2], cut[2 * STATE_ID];

	snprintf(whole, sizeof(whole), "%.*s", (int)len, id);
	snprintf(any, sizeof(any), "%s+", whole);
	snprintf(cut, sizeof(cut), "%s%s", any, of ? of : "");
	if (add) {
		names_add(known, &s->lines.arena, id);
		if (plus) {
			names_add(known, &s->lines.arena, any);
			names_add(known, &s->lines.arena, cut);
		}
		return true;
	}
	*clash |= names_have(known, any) && !(plus && names_have(known, cut));
	return names_have(known, id) || (plus && names_have(known, whole));
}

/* Choose what is merged, independently of the order of the lines. */
static void choose(struct states *s)
{
	struct state_lines *l = &s->lines;
	struct name_set known = { 0 };

	index_begin(&known.index);
	s->order = mem_alloc((l->n + 1) * sizeof(*s->order));
	for (size_t i = 0; i < l->n; i++)
		s->order[i] = i;
	qsort_r(s->order, l->n, sizeof(*s->order), by_size, l);
	for (size_t i = 0; i < l->n; i++) {
		struct state_line *v = &l->v[s->order[i]];
		unsigned have = 0;
		bool clash = false;

		for (unsigned k = 0; k < v->ntraces; k++)
			have += knows(s, &known, v->ids[k], &clash, false);
		if (have || clash) {
			drop_line(s, v, have);
			continue;
		}
		for (unsigned k = 0; k < v->ntraces; k++)
			knows(s, &known, v->ids[k], &clash, true);
	}
	index_fini(&known.index);
	free(known.v);
}

struct part_of {
	const char *id; /* "ID+2.7" */
	size_t len;	/* of ID */
	unsigned file;
};

static int by_whole(const void *a, const void *b)
{
	const struct part_of *x = a, *y = b;
	int c = memcmp(x->id, y->id, x->len < y->len ? x->len : y->len);

	return c ? c : x->len < y->len ? -1 : x->len > y->len;
}

/* Report an answer for a trace of which some parts are missing. */
static void tell_parts(struct states *s)
{
	const struct state_lines *l = &s->lines;
	struct part_of *v = NULL;
	size_t n = 0, cap = 0, next;

	for (size_t i = 0; i < l->n; i++)
		for (unsigned k = 0; k < l->v[i].ntraces && !l->v[i].dropped; k++) {
			const char *id = l->v[i].ids[k], *plus = strchr(id, '+');

			if (!plus)
				continue;
			v = mem_grow(v, &cap, n + 1, sizeof(*v));
			v[n++] = (struct part_of){ id, plus - id, l->v[i].file };
		}
	if (n)
		qsort(v, n, sizeof(*v), by_whole);
	for (size_t i = 0; i < n; i = next) {
		const char *dot = strchr(v[i].id + v[i].len, '.');
		unsigned long parts = dot ? strtoul(dot + 1, NULL, 10) : 0;

		for (next = i + 1; next < n && !by_whole(&v[i], &v[next]);)
			next++;
		if (next - i >= parts)
			continue;
		cli_say(s->c,
			"%s: of its trace only %zu of %lu parts are there: the others are "
			"missing in the answer",
			shown(l->files[v[i].file].path), next - i, parts);
		s->c->run.failed++;
	}
	free(v);
}

static bool read_lines(struct states *s, const char *with)
{
	unsigned n = s->z->fleet.nfiles ? s->z->fleet.nfiles : 1;
	char key[STATE_KEY];
	const char *path;
	struct err e;

	write_key(s, with, key, sizeof(key));
	for (unsigned i = 0; i < n && !cli_stop; i++) {
		path = s->z->fleet.nfiles ? s->z->fleet.files[i] : "-";
		if (!states_is_one(path) && source_is_trace(path)) {
			cli_say(s->c,
				"%s: is a trace, and --reduce reads states: zedperl --map %s "
				"SCRIPT makes one: left out",
				path, path);
			s->c->run.failed++;
			continue;
		}
		if (state_lines_add(&s->lines, path, key, tell_wrong, s, &e) == 0)
			continue;
		err_path(&e, shown(path));
		cli_say_err(s->c, &e);
		s->c->run.failed++;
	}
	choose(s);
	if (!s->z->map)
		tell_parts(s);
	if (s->wrong > TOLD)
		cli_say(s->c, "and %llu more lines that are left out",
			(unsigned long long)(s->wrong - TOLD));
	if (s->wrong)
		s->c->run.failed++;
	if (s->twice)
		note_say(&s->c->run.notes, NOTE_INFO,
			 "%llu state%s of traces that another has too: each counts once",
			 (unsigned long long)s->twice, plural(s->twice));
	if (!s->lines.n)
		cli_say(s->c, "there is no state to reduce");
	return s->lines.n;
}

const char *states_next(struct states *s, const char *with, size_t *len, bool *failed)
{
	const struct state_line *v;
	const char *body;
	struct err e;

	if (!s->chosen) {
		s->chosen = true;
		if (!read_lines(s, with)) {
			s->status = CLI_USAGE;
			*failed = true;
			return NULL;
		}
	}
	while (s->at < s->lines.n) {
		v = &s->lines.v[s->order[s->at++]];
		if (v->dropped)
			continue;
		body = state_lines_body(&s->lines, v, &e);
		*len = v->len;
		if (body)
			return body;
		err_path(&e, shown(s->lines.files[v->file].path));
		cli_say_err(s->c, &e);
		s->status = CLI_DAMAGE;
		*failed = true;
		return NULL;
	}
	return NULL;
}

void states_bad(struct states *s, const char *why)
{
	const struct state_line *v = &s->lines.v[s->order[s->at - 1]];

	bool left_out = *why == STATE_LEFT_OUT;

	cli_say(s->c, "%s: the state at offset %llu %s: %s", shown(s->lines.files[v->file].path),
		(unsigned long long)v->off, left_out ? "is left out" : "makes no sense",
		why + left_out);
	if (!left_out)
		s->at = s->lines.n;
	s->status = CLI_DAMAGE;
}

/* ---- the end ---- */

int states_end(struct states *s, bool keep, int status)
{
	struct err e;

	status = s->status > status ? s->status : status;
	keep = keep && s->line;
	if (s->z->map) {
		if (keep && write_state(s->target.fd, s->line, s->len, &e) < 0) {
			keep = false;
			cli_say_err(s->c, &e);
			status = status ? status : CLI_DAMAGE;
		}
		if (target_close(&s->target, keep, &e) < 0) {
			err_path(&e, s->z->output ? s->z->output : "-");
			cli_say_err(s->c, &e);
			status = status ? status : CLI_DAMAGE;
		}
	}
	state_lines_fini(&s->lines);
	free(s->order);
	free(s->line);
	free(s);
	return status;
}
