// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscalls: names of system calls of one architecture by number, from stable/syscalls.txt: "arch
 * x86_64 amd64" with lines such as "0 read write open" below it.
 */
#include "trace/names/syscalls.h"

#include "base/glob.h"
#include "trace/names/shipped.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NR 65536 /* numbers from here on go to the far table */
#define MAX_FAR 1024

struct word {
	const char *s;
	size_t len;
};

/* The next word before END, moving *P after it; len 0: none. */
static struct word word_next(const char **p, const char *end)
{
	struct word w;

	while (*p < end && **p == ' ')
		(*p)++;
	w.s = *p;
	while (*p < end && **p != ' ')
		(*p)++;
	w.len = *p - w.s;
	return w;
}

/* Is the line "arch GLOB..." from S (after "arch") to END one for MACHINE? */
static bool is_for(const char *s, const char *end, const char *machine)
{
	char glob[64];
	struct word w;

	while ((w = word_next(&s, end)).len) {
		if (w.len >= sizeof(glob))
			continue;
		memcpy(glob, w.s, w.len);
		glob[w.len] = '\0';
		if (glob_match(glob, machine))
			return true;
	}
	return false;
}

/* NAME is that of call NR: store it, or count it while there are no arrays yet. */
static void put(struct sysnames *s, uint64_t nr, struct word name, struct arena *a)
{
	if (nr >= MAX_NR && !s->nfar)
		s->far_base = nr;
	if (nr >= MAX_NR && nr - s->far_base >= MAX_FAR)
		return;
	if (s->names && nr < MAX_NR)
		s->names[nr] = arena_strndup(a, name.s, name.len);
	else if (s->names)
		s->far[nr - s->far_base] = arena_strndup(a, name.s, name.len);
	else if (nr < MAX_NR && nr >= s->n)
		s->n = nr + 1;
	else if (nr >= MAX_NR && nr - s->far_base >= s->nfar)
		s->nfar = nr - s->far_base + 1;
}

/* One pass over the lines of MACHINE: counts if S has no names yet, else fills them in. */
static bool scan(struct sysnames *s, const struct stable_text *t, const char *machine,
		 struct arena *a)
{
	const char *line = t->text, *const end = t->text + t->len, *eol;
	bool ours = false, found = false;

	for (; line < end; line = eol + 1) {
		const char *p = line;
		struct word w;
		uint64_t nr;

		eol = memchr(line, '\n', end - line);
		if (!eol)
			eol = end;
		if (eol - line > 5 && !memcmp(line, "arch ", 5)) {
			ours = !found && is_for(line + 5, eol, machine);
			found |= ours;
			continue;
		}
		w = word_next(&p, eol);
		if (!ours || !w.len || *w.s < '0' || *w.s > '9')
			continue;
		nr = strtoull(w.s, NULL, 10);
		while ((w = word_next(&p, eol)).len)
			put(s, nr++, w, a);
	}
	return found;
}

void sysnames_arch(struct machine *m, char *arch, size_t size)
{
	size_t len;
	const char *p = machine_raw(m, TEXT_UNAME, &len), *word;

	while (len && (p[len - 1] == '\n' || p[len - 1] == ' ' || !p[len - 1]))
		len--;
	for (word = p + len; word > p && word[-1] != ' '; word--)
		;
	snprintf(arch, size, "%.*s", (int)(p + len - word), word);
	for (char *c = arch; *c; c++)
		if ((unsigned char)*c <= 0x20 || (unsigned char)*c >= 0x7f)
			*c = '?';
}

bool sysnames_load(struct sysnames *s, const char *machine, struct arena *a)
{
	const struct stable_text *t = stable_texts;

	*s = (struct sysnames){ 0 };
	while (t->name && strcmp(t->name, "syscalls.txt"))
		t++;
	if (!t->name || !scan(s, t, machine, a) || !s->n)
		return false;
	s->names = arena_alloc(a, s->n * sizeof(*s->names));
	s->far = arena_alloc(a, (s->nfar + 1) * sizeof(*s->far));
	return scan(s, t, machine, a);
}

bool sysnames_of_machine(struct sysnames *s, struct machine *m, const char *arch, struct arena *a)
{
	bool found = sysnames_load(s, arch, a);

	s->own = m->calls;
	return found;
}

int64_t sysnames_number(const struct sysnames *s, const char *name)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->names[i] && !strcmp(s->names[i], name))
			return i;
	for (unsigned i = 0; i < s->nfar; i++)
		if (s->far[i] && !strcmp(s->far[i], name))
			return (int64_t)(s->far_base + i);
	return -1;
}

int64_t own_calls_number(struct own_calls *own, const char *name)
{
	for (unsigned i = 0; i < own->n; i++)
		if (!strcmp(own->names[i], name))
			return SYSNAMES_OWN + i;
	if (own->n == SYSNAMES_MOST)
		return -1;
	own->names = mem_grow(own->names, &own->cap, own->n + 1, sizeof(*own->names));
	own->names[own->n++] = name;
	return SYSNAMES_OWN + own->n - 1;
}
