// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_find: which file has the functions of a mapping, and whether it is the one that was traced.
 */
#include "symbols/code_files_priv.h"

#include "base/mem.h"
#include "base/mono.h"
#include "base/suffix.h"
#include "kernel/running_kernel.h"
#include "symbols/perf_map_file.h"
#include "symbols/places.h"
#include "symbols/source_lines.h"
#include "symbols/vdso.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---- an ELF file ---- */

/* Is ELF the one that F is of? */
static bool is_needed(const struct code_file *f, const struct elf_file *elf)
{
	return !f->id_len ||
	       (elf->build_id_len == f->id_len && !memcmp(elf->build_id, f->id, f->id_len));
}

/* Are lines of the source asked for, does ELF have them, and no other file before it? */
static bool has_lines(const struct code_files *c, struct code_file *f, const struct elf_file *elf)
{
	if (!c->o.lines || f->lines || !elf->has_dwarf)
		return false;
	f->too_many = c->nlines == CODE_LINES_MOST;
	return !f->too_many;
}

static void keep_lines(struct code_files *c, struct code_file *f, struct source_lines *lines)
{
	f->lines = lines;
	f->debug_lines = f->elf;
	c->nlines++;
}

/* Keep FD, from which ELF was read, for them. */
static void keep_file_lines(struct code_files *c, struct code_file *f, int fd,
			    const struct elf_file *elf)
{
	if (!has_lines(c, f, elf))
		return;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd >= 0)
		keep_lines(c, f, source_lines_new(c->o.reader, fd, f->file, c->o.notes));
}

/*
 * Read FD, which is PATH below ROOT and closed here, unless it is kept, into F.  False: not the one
 * that is needed.
 */
static bool read_elf(struct code_files *c, struct code_file *f, int fd, const char *root,
		     const char *path, struct elf_file *elf)
{
	static const uint8_t NONE = 0; /* as a build id, no file's: its symbols are not read */
	uint64_t began = mono_ns();
	struct err e;
	bool kept;
	int rc;

	if (fd < 0)
		return false;
	rc = elf_file_read(elf, c->o.reader, fd, c->keep ? &NONE : f->id, c->keep ? 1 : f->id_len,
			   &e);
	kept = c->keep && rc == 0 && is_needed(f, elf);
	if (kept)
		*c->keep = fd;
	else if (!c->keep && rc == 0 && is_needed(f, elf))
		keep_file_lines(c, f, fd, elf);
	if (!kept)
		close(fd);
	c->spent += mono_ns() - began;
	if (rc < 0) {
		err_within(&e, "symbols of %s/%s", strcmp(root, "/") ? root : "",
			   path + (*path == '/'));
		note_err(c->o.notes, NOTE_WARN, &e);
		f->lack = CODE_BROKEN;
		return false;
	}
	if (is_needed(f, elf))
		return true;
	elf_file_fini(elf);
	if (f->lack == CODE_NO_FILE)
		f->lack = CODE_OTHER_ID;
	return false;
}

static bool try_elf(struct code_files *c, struct code_file *f, const char *root, const char *path,
		    struct elf_file *elf)
{
	return root && read_elf(c, f, place_open(root, path, CODE_FILE_SIZE), root, path, elf);
}

/* The Nth folder of build ids: ~/.debug and those of --debug-dir.  False: there is none. */
static bool id_folder(const struct code_files *c, unsigned n, const char **folder)
{
	if (n <= c->o.ndebug_dirs)
		*folder = n ? c->o.debug_dirs[n - 1] : c->cache;
	return n <= c->o.ndebug_dirs;
}

int code_files_cached(const struct code_files *c, const uint8_t *id, size_t len, const char *what,
		      unsigned n)
{
	char of_id[PLACE_ID_SIZE], path[PLACE_ID_SIZE + 16];
	const char *root;

	if (!id_folder(c, n, &root))
		return -2;
	snprintf(path, sizeof(path), "%s/%s", place_of_id(id, len, of_id), what);
	return root ? place_open(root, path, CODE_FILE_SIZE) : -1;
}

/* The entry WHAT ("elf", "debug") of perf's cache for F's build id. */
static bool try_cache(struct code_files *c, struct code_file *f, const char *what,
		      struct elf_file *elf)
{
	const char *root;

	for (unsigned n = 0; id_folder(c, n, &root); n++)
		if (read_elf(c, f, code_files_cached(c, f->id, f->id_len, what, n),
			     root ? root : "", what, elf))
			return true;
	return false;
}

/* What a server has for F's build id: "executable" or "debuginfo". */
static bool try_server(struct code_files *c, struct code_file *f, const char *what,
		       struct elf_file *elf)
{
	const struct lines_server from = { c->o.urls, what, f->id, f->id_len };
	struct err e;

	if (!c->o.urls || c->keep)
		return false;
	if (elf_file_fetch(elf, c->o.reader, c->o.urls, what, f->id, f->id_len, &e) < 0) {
		err_within(&e, "%s: its %s from debuginfod", f->file, what);
		note_err(c->o.notes, NOTE_INFO, &e);
		return false;
	}
	if (!is_needed(f, elf)) {
		elf_file_fini(elf);
		return false;
	}
	if (has_lines(c, f, elf))
		keep_lines(c, f, source_lines_of_server(c->o.reader, &from, f->file, c->o.notes));
	return true;
}

const char *code_root_of(const struct code_files *c, const struct mapping *m)
{
	if (c->o.symfs)
		return c->o.symfs;
	return running_kernel_is_host(m->host) ? "/" : NULL;
}

/*
 * The name of a module by its file, to be freed: "snd_pcm" of /lib/modules/.../snd-pcm.ko.xz; its
 * own functions are named with it, as the kernel does.
 */
static char *module_of(const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	const char *end = strstr(base, ".ko");
	char *name = mem_strndup(base, end ? (size_t)(end - base) : strlen(base));

	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

/* The path without what the kernel puts after that of a file that was removed since. */
static const char *path_of(const char *file, char buf[PATH_MAX])
{
	snprintf(buf, PATH_MAX, "%.*s", (int)suffix_stem(file, " (deleted)"), file);
	return buf;
}

static bool find_program(struct code_files *c, struct code_file *f, const struct mapping *m,
			 struct elf_file *elf)
{
	const char *root = code_root_of(c, m);
	char path[PATH_MAX];

	if (!strcmp(f->file, "[vdso]"))
		return root && !c->o.symfs && read_elf(c, f, vdso_open(), "", f->file, elf);
	if (try_cache(c, f, "elf", elf))
		return true;
	if (f->lack == CODE_NO_FILE && !root)
		f->lack = CODE_ELSEWHERE;
	return try_elf(c, f, root, path_of(f->file, path), elf) ||
	       try_server(c, f, "executable", elf);
}

/* Is ST the file that M maps, as far as that is known?  It has not changed since. */
static bool is_unchanged(const struct stat *st, const struct mapping *m)
{
	if (st->st_ctime > m->written)
		return false;
	return m->from_base || (st->st_ino == m->inode && major(st->st_dev) == m->major &&
				minor(st->st_dev) == m->minor);
}

/*
 * Without a build id: the file of that device and inode, if it has not changed since the recording
 * was written.  Its build id, if any, is then F's, for its debug file.  A trace.dat has neither:
 * then the path has to do, of this machine, or below the folder that the user says has its files.
 */
static bool find_same_inode(struct code_files *c, struct code_file *f, const struct mapping *m,
			    struct elf_file *elf)
{
	const char *root = code_root_of(c, m);
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (c->o.symfs ? !m->from_base : !m->written || !(m->inode || m->from_base) || !root)
		return false;
	fd = place_open(root, path_of(f->file, path), CODE_FILE_SIZE);
	if (fd < 0)
		return false;
	if (!c->o.symfs && (fstat(fd, &st) < 0 || !is_unchanged(&st, m))) {
		close(fd);
		return false;
	}
	if (!read_elf(c, f, fd, root, path, elf))
		return false;
	f->id_len = elf->build_id_len;
	memcpy(f->id, elf->build_id, f->id_len);
	return true;
}

/* ---- its debug file ---- */

/* DIR/.build-id/ab/cdef.debug, or DIR/FOLDER/LINK. */
static bool try_debug_dir(struct code_files *c, struct code_file *f, const char *dir,
			  const char *folder, struct elf_file *elf)
{
	char id[PLACE_ID_SIZE], path[PATH_MAX + ELF_LINK_MOST + 16];

	snprintf(path, sizeof(path), "%s.debug", place_of_id(f->id, f->id_len, id));
	if (try_elf(c, f, dir, path, elf))
		return true;
	if (!*f->elf->link)
		return false;
	snprintf(path, sizeof(path), "%s/%s", folder, f->elf->link);
	return try_elf(c, f, dir, path, elf);
}

static bool find_debug(struct code_files *c, struct code_file *f, const struct mapping *m,
		       struct elf_file *elf)
{
	const char *root = code_root_of(c, m);
	char folder[PATH_MAX], path[PATH_MAX + ELF_LINK_MOST + 16], *slash;

	path_of(f->file, folder);
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	if (try_cache(c, f, "debug", elf))
		return true;
	if (root && slash && *f->elf->link) {
		snprintf(path, sizeof(path), "%s/%s", folder, f->elf->link);
		if (strcmp(path, f->file) != 0 && try_elf(c, f, root, path, elf))
			return true;
		snprintf(path, sizeof(path), "%s/.debug/%s", folder, f->elf->link);
		if (try_elf(c, f, root, path, elf))
			return true;
	}
	for (unsigned i = 0; i < c->o.ndebug_dirs; i++)
		if (try_debug_dir(c, f, c->o.debug_dirs[i], folder, elf))
			return true;
	snprintf(path, sizeof(path), "%s" CODE_DEBUG_DIR, c->o.symfs ? c->o.symfs : "");
	return try_debug_dir(c, f, path, folder, elf) || try_server(c, f, "debuginfo", elf);
}

/*
 * The symbols of a debug file are at the addresses that the program was linked for; prelink may
 * have moved the program since.
 */
static void use_debug(struct code_file *f, struct elf_file *debug)
{
	if (debug->nloads && f->elf->nloads)
		f->debug_ahead = debug->loads[0].vaddr - f->elf->loads[0].vaddr;
	if (!debug->table.n || f->elf->has_symtab) {
		elf_file_fini(debug);
		return;
	}
	f->ahead = f->debug_ahead;
	/* The program's stubs keep their names. */
	f->elf->stubs.text = f->elf->table.text;
	f->elf->table.text = NULL;
	code_table_fini(&f->elf->table);
	f->elf->table = debug->table;
}

/* Is there more to be had in its debug file? */
static bool lacks_debug(const struct code_files *c, const struct code_file *f)
{
	return !f->elf->has_symtab || (c->o.lines && !f->lines && !f->elf->has_dwarf);
}

void code_find_elf(struct code_files *c, struct code_file *f, const struct mapping *m)
{
	struct elf_file elf, debug;

	if (!c->o.reader) {
		f->lack = CODE_NO_READER;
		return;
	}
	if (f->id_len || (m->from_base && c->o.symfs))
		f->lack = CODE_NO_FILE;
	else
		f->lack = code_root_of(c, m) ? CODE_NO_ID : CODE_ELSEWHERE;
	if (!(f->id_len ? find_program(c, f, m, &elf) : find_same_inode(c, f, m, &elf)))
		return;
	f->elf = mem_alloc(sizeof(elf));
	*f->elf = elf;
	f->table = &f->elf->table;
	f->shown = m->kernel ? module_of(f->file) : NULL;
	if (lacks_debug(c, f) && f->id_len && find_debug(c, f, m, &debug))
		use_debug(f, &debug);
	f->lack = f->table->n ? CODE_FOUND : CODE_EMPTY;
	c->bytes += code_table_bytes(f->table);
}

int code_find_again(struct code_files *c, struct code_file *f, const struct mapping *m)
{
	enum code_lack lack = f->lack;
	struct elf_file elf;
	int fd = -1;

	c->keep = &fd;
	if (f->stated ? find_program(c, f, m, &elf) : find_same_inode(c, f, m, &elf))
		elf_file_fini(&elf);
	c->keep = NULL;
	f->lack = lack;
	return fd;
}

/* ---- code that a process compiled itself ---- */

void code_find_map(struct code_files *c, struct code_file *f, const struct mapping *m)
{
	const char *root = code_root_of(c, m);
	char path[48];
	unsigned bad;
	int fd;

	f->lack = root ? CODE_NO_FILE : CODE_ELSEWHERE;
	if (!root)
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", f->pid);
	fd = place_open(root, path, PERF_MAP_MOST);
	if (fd < 0)
		return;
	if (!perf_map_read(&f->own, fd, &bad)) {
		note_say(c->o.notes, NOTE_WARN,
			 "%s is of another user, or cannot be read: its functions have no names",
			 path);
		f->lack = CODE_BROKEN;
		return;
	}
	if (bad)
		note_say(c->o.notes, NOTE_WARN, "%s: invalid lines left out: %u", path, bad);
	f->table = &f->own;
	f->shown = mem_strdup(path);
	f->lack = CODE_FOUND;
	c->bytes += code_table_bytes(&f->own);
}
