// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proc_maps: the mappings of processes, sorted, and the one at an address.  A library has several
 * one after another, and its first one is where its addresses count from.
 */
#include "reader/dat/proc_maps.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct proc_map {
	int32_t pid;
	uint32_t number; /* in order of the file: of two that overlap the later one is right */
	uint64_t start, end, base;
	const char *path; /* in proc_maps.text */
};

struct proc_maps {
	struct proc_map *v; /* by pid, then by start */
	size_t n, cap;
	char *text;	    /* of all options, as strings */
	unsigned bad, more; /* invalid lines; those beyond PROC_MAPS_MOST */
};

/* ---- the text of an option: "PID COUNT COMMAND", then lines "START END PATH" ---- */

static bool hex(const char **p, uint64_t *v)
{
	const char *at = *p;

	for (*v = 0; (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f'); at++) {
		if (*v >> 60)
			return false;
		*v = *v << 4 | (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	}
	if (at == *p || *at != ' ')
		return false;
	*p = at + 1;
	return true;
}

static void take_line(struct proc_maps *m, int32_t pid, const char *line, size_t first)
{
	const struct proc_map *before = m->n > first ? &m->v[m->n - 1] : NULL;
	struct proc_map x = { .pid = pid, .number = m->n };

	if (!hex(&line, &x.start) || !hex(&line, &x.end) || x.end <= x.start || !*line) {
		m->bad++;
		return;
	}
	if (m->n == PROC_MAPS_MOST) {
		m->more++;
		return;
	}
	x.path = line;
	x.base = before && !strcmp(before->path, line) && before->end <= x.start ? before->base :
										   x.start;
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
	m->v[m->n++] = x;
}

/* TEXT is a string; its lines become strings. */
static void take_text(struct proc_maps *m, char *text)
{
	size_t first = m->n;
	const char *p = text;
	char *nl;
	uint64_t pid;

	if (!hex(&p, &pid) || pid > INT32_MAX) {
		m->bad++;
		return;
	}
	nl = strchr(text, '\n');
	for (char *line = nl ? nl + 1 : NULL; line && *line; line = nl ? nl + 1 : NULL) {
		nl = strchr(line, '\n');
		if (nl)
			*nl = '\0';
		take_line(m, (int32_t)pid, line, first);
	}
}

/* ---- all of them ---- */

static int by_place(const void *a, const void *b)
{
	const struct proc_map *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool is_maps(const struct dat_option *o)
{
	return o->id == DAT_PROCMAPS && o->len && !o->p[o->len - 1];
}

static void take_options(struct proc_maps *m, const struct dat *d)
{
	size_t len = 0;
	char *to;

	for (size_t i = 0; i < d->kept.n; i++)
		len += is_maps(&d->kept.v[i]) ? d->kept.v[i].len : 0;
	to = m->text = mem_alloc(len + 1);
	for (size_t i = 0; i < d->kept.n; i++) {
		const struct dat_option *o = &d->kept.v[i];

		if (!is_maps(o))
			continue;
		memcpy(to, o->p, o->len);
		take_text(m, to);
		to += o->len;
	}
}

static struct proc_maps *parse(const struct dat *d)
{
	struct proc_maps *m = mem_zalloc(sizeof(*m));

	take_options(m, d);
	if (m->n)
		qsort(m->v, m->n, sizeof(*m->v), by_place);
	if (m->bad)
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: mappings of processes: invalid lines left out: %u", d->base.in.path,
			 m->bad);
	if (m->more)
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: mappings of processes: at most %u are kept, left out: %u",
			 d->base.in.path, PROC_MAPS_MOST, m->more);
	return m;
}

/* The mapping of PID at ADDRESS; NULL: none. */
static const struct proc_map *find(const struct proc_maps *m, int32_t pid, uint64_t address)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct proc_map *x = &m->v[mid];

		if (x->pid < pid || (x->pid == pid && x->start <= address))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || m->v[lo - 1].pid != pid || address >= m->v[lo - 1].end)
		return NULL;
	return &m->v[lo - 1];
}

bool proc_maps_find(struct dat *d, int32_t pid, uint64_t address, struct mapping *out)
{
	const struct proc_map *x;

	if (!d->maps)
		d->maps = parse(d);
	x = find(d->maps, pid, address);
	if (!x)
		return false;
	*out = (struct mapping){ .file = x->path,
				 .pid = pid,
				 .off = address - x->base,
				 .from_base = true,
				 .written = d->written };
	return true;
}

void proc_maps_free(struct proc_maps *m)
{
	if (!m)
		return;
	free(m->v);
	free(m->text);
	free(m);
}
