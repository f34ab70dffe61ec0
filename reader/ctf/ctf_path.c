// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_path: finds the integer that says how long a field is, or what is in it.
 */
#include "reader/ctf/ctf_layout_priv.h"

#include <string.h>

/* The step of the field NAMES[0..N] among the first DONE members of C. */
static struct ctf_step *step_below(const struct ctf_class *c, struct ctf_step *steps, unsigned done,
				   const char *const *names, unsigned n)
{
	unsigned i = 0;

	for (const struct ctf_member *m = c->members; m && i < done; m = m->next, i++) {
		if (strcmp(m->name, names[0]) != 0)
			continue;
		if (n == 1)
			return &steps[i];
		if (m->class->kind != CTF_STRUCT)
			return NULL;
		return step_below(m->class, steps[i].sub, m->class->nmembers, names + 1, n - 1);
	}
	return NULL;
}

/* Is NAME the member of F that is being compiled? */
static bool is_current(const struct ctf_frame *f, const char *name)
{
	const struct ctf_member *m = f->class->members;

	for (unsigned i = 0; m && i < f->done; i++)
		m = m->next;
	return m && !strcmp(m->name, name);
}

/*
 * The same in the structure of frame F.  A path may lead through what is being compiled: the item
 * of an array, the option of a variant, in which the field that needs it is, too; *WITHIN is the
 * next frame in it, or NULL.
 */
static struct ctf_step *step_from(const struct ctf_frame *f, const struct ctf_frame *const *within,
				  const char *const *names, unsigned n)
{
	while (n > 1 && *within && is_current(f, names[0])) {
		f = *within++;
		names++;
		n--;
	}
	return step_below(f->class, f->steps, f->done, names, n);
}

/* Where a path begins: frame OUT of those from the innermost one on. */
static struct ctf_step *step_around(const struct ctf_making *k, unsigned out,
				    const struct ctf_path *path)
{
	const struct ctf_frame *around[CTF_MAX_DEPTH + 2], *within[CTF_MAX_DEPTH + 2];
	unsigned n = 0, i;

	for (const struct ctf_frame *f = k->frame; f && n <= CTF_MAX_DEPTH; f = f->outer)
		around[n++] = f;
	if (out >= n)
		return NULL;
	for (i = 0; i < out; i++)
		within[i] = around[out - 1 - i];
	within[i] = NULL;
	return step_from(around[out], within, path->names, path->n);
}

/* The scope that is being compiled is found by its outermost frame; those before it are whole. */
static struct ctf_step *step_in_scope(const struct ctf_making *k, const struct ctf_path *path)
{
	struct ctf_part *part = k->scopes[path->scope];
	unsigned out = 0;

	if (!part || !part->class)
		return NULL;
	for (const struct ctf_frame *f = k->frame; f; f = f->outer, out++)
		if (!f->outer && f->class == part->class)
			return step_around(k, out, path);
	return step_below(part->class, part->step.sub, part->step.nsub, path->names, path->n);
}

static struct ctf_step *find(const struct ctf_making *k, const struct ctf_path *path)
{
	struct ctf_step *st = NULL;

	if (path->scope == SCOPE_EXACT)
		return step_around(k, path->out, path);
	if (path->scope != SCOPE_INNERMOST)
		return step_in_scope(k, path);
	for (const struct ctf_frame *f = k->frame; f && !st; f = f->outer)
		st = step_below(f->class, f->steps, f->done, path->names, path->n);
	return st;
}

struct ctf_step *ctf_path_step(struct ctf_making *k, const char *name, const struct ctf_path *path)
{
	struct ctf_step *st;
	unsigned *n, most;
	bool in_head;

	if (!path || !path->n) {
		CTF_SAY(k, name, "what says its length or selects its contents is not named");
		return NULL;
	}
	st = find(k, path);
	if (!st || st->class->kind != CTF_INT) {
		CTF_SAY(k, name, "integer \"%.80s\" is not defined before it",
			path->names[path->n - 1]);
		return NULL;
	}
	if (st->slot >= 0)
		return st;
	/* A step of a header is shared by all events, and its slot, too. */
	in_head = !k->kept || path->scope < SCOPE_COMMON_CONTEXT;
	n = in_head ? &k->head->nslots : &k->nslots;
	most = in_head ? CTF_HEAD_SLOTS : CTF_SLOTS;
	if (*n >= most) {
		CTF_SAY(k, name, "with it, more than %u lengths and selectors are needed", most);
		return NULL;
	}
	st->slot = (*n)++;
	return st;
}
