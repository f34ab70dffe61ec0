// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_files: the files of a run with functions, what an address in one is, and what to say of
 * those that have no names.
 */
#include "symbols/code_files_priv.h"

#include "base/mem.h"
#include "symbols/jit_code.h"
#include "symbols/perf_map_file.h"
#include "symbols/source_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMED_MOST 3 /* files in a message */
#define LEAST_PAGE 4096

struct code_files *code_files_new(const struct code_files_opts *o)
{
	struct code_files *c = mem_zalloc(sizeof(*c));
	const char *home = getenv("HOME");
	size_t size = home ? strlen(home) + sizeof("/.debug") : 0;

	c->o = *o;
	c->jit = jit_code_new(o->notes);
	if (!home || *home != '/')
		return c;
	c->cache = mem_alloc(size);
	snprintf(c->cache, size, "%s/.debug", home);
	return c;
}

static bool is_same(const struct code_file *f, const struct mapping *m, int32_t pid)
{
	if (f->pid != pid || f->stated != (m->build_id_len != 0) || strcmp(f->file, m->file))
		return false;
	if (f->stated)
		return f->id_len == m->build_id_len && !memcmp(f->id, m->build_id, f->id_len);
	return f->from_base == m->from_base && f->inode == m->inode && f->major == m->major &&
	       f->minor == m->minor;
}

/* M's file, read if it is asked for the first time.  NULL: too many. */
static struct code_file *file_of(struct code_files *c, const struct mapping *m, bool jit)
{
	uint32_t hash, slot, i, n = c->index.n;
	int32_t pid = jit ? m->pid : 0;
	struct code_file *f;

	index_begin(&c->index);
	hash = index_hash_two(&c->index, index_hash_bytes(&c->index, m->file, strlen(m->file)),
			      (uint32_t)pid);
	slot = index_home(&c->index, hash);
	while (index_next(&c->index, hash, &slot, &i))
		if (is_same(c->v[i], m, pid))
			return c->v[i];
	if (n == CODE_FILES_MOST)
		return NULL;
	f = mem_zalloc(sizeof(*f));
	f->file = mem_strdup(m->file);
	f->pid = pid;
	f->id_len = m->build_id_len < ELF_ID_MOST ? m->build_id_len : ELF_ID_MOST;
	f->stated = f->id_len != 0;
	if (f->stated)
		memcpy(f->id, m->build_id, f->id_len);
	f->inode = m->inode;
	f->from_base = m->from_base;
	f->major = m->major;
	f->minor = m->minor;
	c->v = mem_grow(c->v, &c->cap, n + 1, sizeof(struct code_file *));
	c->v[n] = f;
	index_add(&c->index, hash, n);
	if (c->bytes > CODE_FILES_MEMORY || c->spent > CODE_FILES_NS)
		f->lack = CODE_TOO_MANY;
	else if (jit)
		code_find_map(c, f, m);
	else
		code_find_elf(c, f, m);
	return f;
}

/* The address that F's program was linked for, of what M maps; false: that is not loaded. */
static bool linked_at(const struct code_file *f, const struct mapping *m, uint64_t *at)
{
	if (!m->from_base)
		return elf_file_vaddr(f->elf, m->off, at);
	if (!f->elf->nloads)
		return false;
	*at = m->off + (f->elf->loads[0].vaddr & ~(uint64_t)(LEAST_PAGE - 1));
	return true;
}

/* Memory by a name of its own, where some engines have their code. */
static bool is_memfd(const char *file)
{
	static const char memfd[] = "/memfd:";

	return !strncmp(file, memfd, sizeof(memfd) - 1);
}

bool code_files_at(struct code_files *c, const struct mapping *m, uint64_t address,
		   struct code_symbol *out)
{
	bool jit = perf_map_is_for(m->file);
	const struct code_entry *found = NULL, *stub = NULL;
	uint64_t at = address;
	struct code_file *f;

	if (m->jitdump && (jit || is_memfd(m->file)) &&
	    jit_code_at(c->jit, m, code_root_of(c, m), address, out))
		return true;
	if (!jit && *m->file != '/' && strcmp(m->file, "[vdso]") != 0)
		return false;
	f = file_of(c, m, jit);
	if (!f)
		return false;
	if (f->table && (jit || linked_at(f, m, &at))) {
		found = code_table_at(f->table, at + f->ahead);
		if (!found && f->elf)
			stub = found = code_table_at(&f->elf->stubs, at);
	}
	if (!found) {
		f->unnamed++;
		return false;
	}
	at = (stub ? at : at + f->ahead) - found->start;
	out->name = found->name;
	out->file = f->shown;
	out->off = at;
	out->start = (jit ? address : m->off) - at;
	out->end = out->start + (found->end - found->start);
	return true;
}

int code_files_program(struct code_files *c, const struct mapping *m)
{
	struct code_file *f;

	if (perf_map_is_for(m->file) || (*m->file != '/' && strcmp(m->file, "[vdso]") != 0))
		return -1;
	f = file_of(c, m, false);
	if (!f || !f->elf)
		return -1;
	if (!f->opened) {
		f->opened = true;
		f->fd = c->nopen < CODE_FILES_OPEN ? code_find_again(c, f, m) : -1;
		c->nopen += f->fd >= 0;
	}
	return f->fd;
}

unsigned code_files_lines(struct code_files *c, const struct mapping *m, bool caller,
			  const struct code_line **out)
{
	struct code_file *f = m->kernel || *m->file != '/' ? NULL : file_of(c, m, false);
	struct mapping before = *m;
	uint64_t at;

	before.off -= caller;
	if (!f || !f->lines || m->off < caller || !linked_at(f, &before, &at))
		return 0;
	return source_lines_at(f->lines, at + (f->debug_lines ? f->debug_ahead : 0), out);
}

/* ---- what has no names ---- */

static const struct {
	const char *why;
	enum note_level level;
} LACKS[CODE_LACKS] = {
	[CODE_ELSEWHERE] = { "of another machine (--symfs DIR: where its files are)", NOTE_INFO },
	[CODE_NO_READER] = { "zedsyms, which reads ELF files, is not beside this program (it is "
			     "built where libdw is: Debian's libdw-dev)",
			     NOTE_INFO },
	[CODE_NO_ID] = { "the recording has no build id of them, and they have changed since "
			 "(perf record --buildid-all stores all)",
			 NOTE_INFO },
	[CODE_NO_FILE] = { "not found", NOTE_INFO },
	[CODE_OTHER_ID] = { "the files here are not those that were recorded (another build id; "
			    "--symfs, --debug-dir)",
			    NOTE_WARN },
	[CODE_EMPTY] = { "they have no symbols (their debug files are found by build id; "
			 "--debug-dir DIR)",
			 NOTE_INFO },
	[CODE_TOO_MANY] = { "too many or too large files for one run", NOTE_WARN },
};

/* "FILE, FILE and 3 more" into BUF; how many there are. */
static unsigned list(const struct code_files *c, enum code_lack lack, uint64_t *unnamed, char *buf,
		     size_t size)
{
	unsigned n = 0;
	size_t len = 0;

	*unnamed = 0;
	for (uint32_t i = 0; i < c->index.n; i++) {
		const struct code_file *f = c->v[i];

		if (f->lack != lack)
			continue;
		*unnamed += f->unnamed;
		if (n++ < NAMED_MOST && len < size)
			len += snprintf(buf + len, size - len, "%s%s", len ? ", " : "", f->file);
	}
	if (n > NAMED_MOST && len < size)
		snprintf(buf + len, size - len, " and %u more", n - NAMED_MOST);
	return n;
}

/* --inline: how many files have no lines. */
static void report_lines(const struct code_files *c)
{
	unsigned without = 0, too_many = 0;

	for (uint32_t i = 0; i < c->index.n; i++) {
		too_many += c->v[i]->too_many;
		without += c->v[i]->elf && !c->v[i]->lines && !c->v[i]->too_many;
	}
	if (without)
		note_say(c->o.notes, NOTE_INFO,
			 "no lines of the source in %u file%s without DWARF (debug "
			 "files are found by build id; --debug-dir DIR)",
			 without, plural(without));
	if (too_many)
		note_say(c->o.notes, NOTE_WARN,
			 "no lines of the source of %u file%s: those of %u are shown in one run",
			 too_many, plural(too_many), CODE_LINES_MOST);
}

void code_files_report(const struct code_files *c)
{
	char files[512];
	uint64_t unnamed;

	if (c->o.lines)
		report_lines(c);

	for (enum code_lack lack = CODE_FOUND; lack < CODE_LACKS; lack++) {
		unsigned n = LACKS[lack].why ? list(c, lack, &unnamed, files, sizeof(files)) : 0;

		if (n)
			note_say(c->o.notes, LACKS[lack].level,
				 "addresses without a name: %" PRIu64 " in %u file%s: %s: %s",
				 unnamed, n, plural(n), files, LACKS[lack].why);
	}
}

void code_files_free(struct code_files *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->index.n; i++) {
		struct code_file *f = c->v[i];

		if (f->elf)
			elf_file_fini(f->elf);
		if (f->opened && f->fd >= 0)
			close(f->fd);
		code_table_fini(&f->own);
		source_lines_free(f->lines);
		free(f->elf);
		free(f->shown);
		free(f->file);
		free(f);
	}
	index_fini(&c->index);
	jit_code_free(c->jit);
	free(c->v);
	free(c->cache);
	free(c);
}
