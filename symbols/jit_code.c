// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit_code: the jitdumps of a run, each read once, and what to say of one that has no names.
 */
#include "symbols/jit_code.h"

#include "base/mem.h"
#include "symbols/jit_dump.h"
#include "symbols/places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct jit_file {
	char *path; /* as recorded */
	struct jit_dump dump;
};

struct jit_code {
	struct notes *notes;
	struct jit_file *v;
	size_t cap;
	unsigned n;
	uint64_t bytes;
};

struct jit_code *jit_code_new(struct notes *notes)
{
	struct jit_code *j = mem_zalloc(sizeof(*j));

	j->notes = notes;
	return j;
}

/*
 * The process whose file PATH is, by its name: the reader takes jit-PID.dump only.  -1: too large.
 */
static int32_t pid_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	unsigned long pid = slash ? strtoul(slash + sizeof("/jit-") - 1, NULL, 10) : ULONG_MAX;

	return pid > INT32_MAX ? -1 : (int32_t)pid;
}

static const char *why_not(enum jit_answer answer)
{
	switch (answer) {
	case JIT_FOREIGN:
		return "belongs to another user";
	case JIT_INVALID:
		return "is not a jitdump of its process";
	case JIT_OTHER_CLOCK:
		return "counts cycles of the CPU, not the time";
	case JIT_READ:
		break;
	}
	return NULL;
}

static void report(struct jit_code *j, const struct jit_file *f, enum jit_answer answer)
{
	const struct jit_dump *d = &f->dump;
	const char *why = why_not(answer);

	if (why)
		note_say(j->notes, NOTE_WARN, "%s %s: the code in it has no names", f->path, why);
	if (d->bad)
		note_say(j->notes, NOTE_WARN, "%s: invalid records left out: %u", f->path, d->bad);
	if (d->too_many)
		note_say(j->notes, NOTE_WARN,
			 "%s: more functions than are kept: later ones have no names", f->path);
	if (d->cut)
		note_say(j->notes, NOTE_INFO, "%s ends within a record: read up to there", f->path);
}

/* Read M's file into F, below ROOT. */
static void load(struct jit_code *j, struct jit_file *f, const struct mapping *m, const char *root)
{
	int fd;

	if (m->ts == UINT64_MAX) {
		note_say(j->notes, NOTE_WARN,
			 "%s has times of CLOCK_MONOTONIC, the recording has not (perf record -k "
			 "mono): the code in it has no names",
			 f->path);
		return;
	}
	if (!root) {
		note_say(j->notes, NOTE_INFO,
			 "%s is of another machine (--symfs DIR: where its files are)", f->path);
		return;
	}
	fd = j->bytes > JIT_DUMPS_MEMORY ? -1 : place_open(root, f->path, JIT_DUMP_MOST);
	if (fd < 0) {
		note_say(j->notes, NOTE_INFO, "%s cannot be opened: the code in it has no names",
			 f->path);
		return;
	}
	report(j, f, jit_dump_read(&f->dump, fd, pid_of(f->path)));
	j->bytes += jit_dump_bytes(&f->dump);
}

static const struct jit_file *file_of(struct jit_code *j, const struct mapping *m, const char *root)
{
	struct jit_file *f;

	for (unsigned i = 0; i < j->n; i++)
		if (!strcmp(j->v[i].path, m->jitdump))
			return &j->v[i];
	if (j->n == JIT_DUMPS_MOST)
		return NULL;
	j->v = mem_grow(j->v, &j->cap, j->n + 1, sizeof(*j->v));
	f = &j->v[j->n++];
	memset(f, 0, sizeof(*f));
	f->path = mem_strdup(m->jitdump);
	load(j, f, m, root);
	return f;
}

bool jit_code_at(struct jit_code *j, const struct mapping *m, const char *root, uint64_t address,
		 struct code_symbol *out)
{
	const struct jit_file *f = file_of(j, m, root);
	const struct jit_function *found = f && m->ts != UINT64_MAX ?
						   jit_dump_at(&f->dump, address, m->ts) :
						   NULL;

	if (!found)
		return false;
	*out = (struct code_symbol){ .name = jit_dump_name(&f->dump, found),
				     .file = f->path,
				     .start = found->start,
				     .end = found->end,
				     .off = address - found->start };
	return true;
}

void jit_code_free(struct jit_code *j)
{
	if (!j)
		return;
	for (unsigned i = 0; i < j->n; i++) {
		jit_dump_fini(&j->v[i].dump);
		free(j->v[i].path);
	}
	free(j->v);
	free(j);
}
