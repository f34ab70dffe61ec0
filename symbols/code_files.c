// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_files: which file has the functions of a mapping, whether it is the one that was traced, and
 * what to say if there is none.
 */
#include "symbols/code_files.h"

#include "base/hash_index.h"
#include "base/mem.h"
#include "base/mono.h"
#include "base/suffix.h"
#include "kernel/running_kernel.h"
#include "symbols/elf_file.h"
#include "symbols/jit_code.h"
#include "symbols/perf_map_file.h"
#include "symbols/places.h"
#include "symbols/source_lines.h"
#include "symbols/vdso.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NAMED_MOST 3 /* files in a message */
#define LEAST_PAGE 4096

/* Why the functions of a file have no names. */
enum code_lack {
	CODE_FOUND,
	CODE_ELSEWHERE, /* of another machine, and no folder with its files was given */
	CODE_NO_READER,
	CODE_NO_ID,
	CODE_NO_FILE,
	CODE_OTHER_ID,
	CODE_BROKEN, /* reported when it was read */
	CODE_EMPTY,
	CODE_TOO_MANY,
	CODE_LACKS
};

struct code_file {
	char *file;
	int32_t pid; /* of JIT code; else 0 */
	uint8_t id[ELF_ID_MOST];
	size_t id_len;
	bool stated; /* the recording has the id; else it is that of the file */
	uint32_t major, minor;
	uint64_t inode;
	bool from_base; /* its mappings are */
	enum code_lack lack;
	uint64_t unnamed;	       /* addresses in it without a name */
	struct elf_file *elf;	       /* the program; NULL: JIT code */
	struct code_table own, *table; /* table: own, or that of elf */
	/* What is added to the program's addresses for those of the table, of its debug file. */
	uint64_t ahead, debug_ahead;
	char *shown;		    /* code_symbol.file: of JIT code, of modules; else NULL */
	struct source_lines *lines; /* NULL: it has none, or they were not asked for */
	bool debug_lines;	    /* those of its debug file */
	bool too_many;		    /* it has them, but CODE_LINES_MOST others were before it */
	bool opened;		    /* fd was asked for ... */
	int fd;			    /* ... and is the program; -1: none */
};

struct code_files {
	struct code_files_opts o;
	char *cache; /* ~/.debug; NULL: no home */
	struct jit_code *jit;
	unsigned nlines; /* files with lines */
	struct hash_index index;
	struct code_file **v;
	size_t cap;
	uint64_t bytes; /* of all tables */
	uint64_t spent; /* ns of reading files */
	int *keep; /* of the file that is needed only the head is read, and it stays open here */
	unsigned nopen;
};

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

/* ---- one file ---- */

/* Is ELF the one that F is of? */
static bool is_needed(const struct code_file *f, const struct elf_file *elf)
{
	return !f->id_len ||
	       (elf->build_id_len == f->id_len && !memcmp(elf->build_id, f->id, f->id_len));
}

/*
 * Keep FD for lines of the source, if they are asked for and ELF, which was read from it, has them.
 */
static void keep_lines(struct code_files *c, struct code_file *f, int fd,
		       const struct elf_file *elf)
{
	if (!c->o.lines || f->lines || !elf->has_dwarf)
		return;
	if (c->nlines == CODE_LINES_MOST) {
		f->too_many = true;
		return;
	}
	fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		return;
	f->lines = source_lines_new(c->o.reader, fd, f->file, c->o.notes);
	f->debug_lines = f->elf;
	c->nlines++;
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
		keep_lines(c, f, fd, elf);
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
	struct err e;

	if (!c->o.urls || c->keep)
		return false;
	if (elf_file_fetch(elf, c->o.reader, c->o.urls, what, f->id, f->id_len, &e) < 0) {
		err_within(&e, "%s: its %s from debuginfod", f->file, what);
		note_err(c->o.notes, NOTE_INFO, &e);
		return false;
	}
	if (is_needed(f, elf))
		return true;
	elf_file_fini(elf);
	return false;
}

/* The folder that F's path, as recorded, is below; NULL: it is another machine's. */
static const char *root_of(const struct code_files *c, const struct mapping *m)
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
	const char *root = root_of(c, m);
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
	const char *root = root_of(c, m);
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
	const char *root = root_of(c, m);
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

static void load_elf(struct code_files *c, struct code_file *f, const struct mapping *m)
{
	struct elf_file elf, debug;

	if (!c->o.reader) {
		f->lack = CODE_NO_READER;
		return;
	}
	if (f->id_len || (m->from_base && c->o.symfs))
		f->lack = CODE_NO_FILE;
	else
		f->lack = root_of(c, m) ? CODE_NO_ID : CODE_ELSEWHERE;
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

/* ---- code that a process compiled itself ---- */

static void load_map(struct code_files *c, struct code_file *f, const struct mapping *m)
{
	const char *root = root_of(c, m);
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

/* ---- all of them ---- */

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
		load_map(c, f, m);
	else
		load_elf(c, f, m);
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
	    jit_code_at(c->jit, m, root_of(c, m), address, out))
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

/* Find F's program again, only to open it. */
static int open_program(struct code_files *c, struct code_file *f, const struct mapping *m)
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
		f->fd = c->nopen < CODE_FILES_OPEN ? open_program(c, f, m) : -1;
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
