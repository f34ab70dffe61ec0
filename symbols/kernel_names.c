// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_names: the symbols of the kernel that was traced, and lines of its source: of this boot,
 * or of the same build, moved to where that boot had it.
 */
#include "symbols/kernel_names.h"

#include "base/io.h"
#include "base/outbuf.h"
#include "kernel/running_kernel.h"
#include "symbols/elf_file.h"
#include "symbols/places.h"
#include "symbols/source_lines.h"
#include "trace/symbols.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RELEASE_MOST 64 /* bytes: uname(2) */

/* Those of the running kernel, if it is of the recording's boot. */
static const struct symbols *running(struct kernel_names *k, const struct kernel_identity *id,
				     struct err *e)
{
	struct symbols **t;
	bool older;

	if (running_kernel_check(id, &older, e) < 0)
		return NULL;
	t = &k->running[older];
	if (!*t)
		*t = running_kernel_symbols(!older, e);
	return *t && running_kernel_check_boot(*t, id, e) == 0 ? *t : NULL;
}

/* T where ID's boot had it; NULL, and T is freed: it lacks ID's symbol, or hides addresses. */
static struct symbols *moved_to(struct symbols *t, const struct kernel_identity *id)
{
	uint64_t address;

	if (!symbols_address(t, id->symbol, &address) || !address) {
		symbols_free(t);
		return NULL;
	}
	if (address != id->address)
		symbols_move(t, id->address - address);
	return t;
}

static struct symbols *of_text(const char *text, size_t len, const struct kernel_identity *id)
{
	struct symbols_lost lost;

	return moved_to(symbols_kallsyms(text, len, &lost), id);
}

static struct symbols *of_running(const struct kernel_identity *id)
{
	struct symbols *t = NULL;
	struct err e;

	if (running_kernel_is_build(id->build_id, id->build_id_len))
		t = running_kernel_symbols(false, &e);
	return t ? moved_to(t, id) : NULL;
}

static struct symbols *of_cached_text(struct kernel_names *k, const struct kernel_identity *id)
{
	struct symbols *t = NULL;
	size_t len;
	int fd;

	for (unsigned n = 0; !t; n++) {
		char *text;

		fd = code_files_cached(k->files, id->build_id, id->build_id_len, "kallsyms", n);
		if (fd == -2)
			break;
		text = fd < 0 ? NULL : io_text(fd, KALLSYMS_MOST, &len);
		if (text)
			t = of_text(text, len, id);
		free(text);
	}
	return t;
}

/* ---- builds ---- */

static bool is_same(const struct kernel_of_build *b, const struct kernel_identity *id)
{
	return b->build_id_len == id->build_id_len && b->address == id->address &&
	       !memcmp(b->build_id, id->build_id, id->build_id_len) &&
	       !strcmp(b->symbol, id->symbol);
}

/* What is known of ID's build; NULL: the recording has no build id, or there are too many. */
static struct kernel_of_build *build_of(struct kernel_names *k, const struct kernel_identity *id)
{
	struct kernel_of_build *b = &k->builds[k->nbuilds];

	if (!id->build_id_len || id->build_id_len > KERNEL_ID_MOST ||
	    strlen(id->symbol) > KERNEL_SYMBOL_MOST)
		return NULL;
	for (unsigned i = 0; i < k->nbuilds; i++)
		if (is_same(&k->builds[i], id))
			return &k->builds[i];
	if (k->nbuilds == KERNELS_MOST)
		return NULL;
	b->build_id_len = id->build_id_len;
	memcpy(b->build_id, id->build_id, id->build_id_len);
	snprintf(b->symbol, sizeof(b->symbol), "%s", id->symbol);
	b->address = id->address;
	k->nbuilds++;
	return b;
}

/* ---- vmlinux ---- */

/* The functions of a vmlinux, in the form of kallsyms: that table finds them as the kernel does. */
static struct symbols *of_image(const struct elf_file *elf, const struct kernel_identity *id)
{
	struct outbuf text = { 0 };
	struct symbols *t;
	uint64_t end = 0;

	for (size_t i = 0; i < elf->table.n; i++) {
		out_hex(&text, elf->table.v[i].start);
		out_str(&text, " t ");
		out_str(&text, elf->table.v[i].name);
		out_char(&text, '\n');
		if (elf->table.v[i].end > end)
			end = elf->table.v[i].end;
	}
	/* After the functions that are at the same addresses: those names are shown. */
	for (unsigned i = 0; i < elf->nmarks; i++)
		out_printf(&text, "%" PRIx64 " T %s\n", elf->marks[i].address, elf->marks[i].name);
	out_printf(&text, "%" PRIx64 " T _end\n", end);
	t = of_text(out_end(&text), text.len, id);
	outbuf_fini(&text);
	return t;
}

static bool is_build(const struct elf_file *elf, const struct kernel_identity *id)
{
	return elf->build_id_len == id->build_id_len &&
	       !memcmp(elf->build_id, id->build_id, id->build_id_len);
}

/* Reads ELF, ID's vmlinux, in the file FD (-1: a server's).  True: it has what is needed. */
typedef bool take_image(struct kernel_of_build *b, const struct kernel_names *k,
			const struct kernel_identity *id, const struct elf_file *elf, int fd);

/* What is looked for, for whom. */
struct image_search {
	const struct kernel_names *k;
	const struct kernel_identity *id;
	struct kernel_of_build *to;
	take_image *take;
};

/* The file FD, which is closed.  False: it is not ID's vmlinux, or lacks what is looked for. */
static bool read_image(const struct image_search *s, int fd, const char *path)
{
	const struct kernel_names *k = s->k;
	struct elf_file elf;
	bool found = false;
	struct err e;
	int rc;

	if (fd < 0)
		return false;
	rc = elf_file_read(&elf, k->o->reader, fd, s->id->build_id, s->id->build_id_len, &e);
	if (rc < 0) {
		err_within(&e, "symbols of %s", path);
		note_err(k->o->notes, NOTE_WARN, &e);
	} else {
		found = is_build(&elf, s->id) && s->take(s->to, k, s->id, &elf, fd);
		elf_file_fini(&elf);
	}
	close(fd);
	return found;
}

static bool try_image(const struct image_search *s, const char *root, const char *path)
{
	return read_image(s, place_open(root, path, CODE_FILE_SIZE), path);
}

/* That of --vmlinux: the user's own path. */
static bool try_given(const struct image_search *s)
{
	const char *path = s->k->o->vmlinux;

	return path && read_image(s, open(path, O_RDONLY | O_CLOEXEC), path);
}

/* perf's cache has it as "elf", if perf buildid-cache put it there. */
static bool try_cached(const struct image_search *s)
{
	static const char *const names[] = { "elf", "vmlinux", "debug" };

	for (unsigned n = 0;; n++)
		for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			int fd = code_files_cached(s->k->files, s->id->build_id,
						   s->id->build_id_len, names[i], n);

			if (fd == -2)
				return false;
			if (read_image(s, fd, names[i]))
				return true;
		}
}

/* Below folders of debug files, as .build-id/ab/cdef.debug. */
static bool try_debug_dirs(const struct image_search *s)
{
	const struct code_files_opts *o = s->k->o;
	char of_id[PLACE_ID_SIZE], path[PLACE_ID_SIZE + 32];

	place_of_id(s->id->build_id, s->id->build_id_len, of_id);
	snprintf(path, sizeof(path), "%s.debug", of_id);
	for (unsigned i = 0; i < o->ndebug_dirs; i++)
		if (try_image(s, o->debug_dirs[i], path))
			return true;
	snprintf(path, sizeof(path), CODE_DEBUG_DIR "/%s.debug", of_id);
	return try_image(s, o->symfs ? o->symfs : "/", path);
}

/* A release is a part of a path, and comes from the recording. */
static bool is_release(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+_~");

	return n && !s[n] && n <= RELEASE_MOST && *s != '.';
}

/* Where distributions, and make, put it; the build id decides, so of any machine. */
static bool try_named(const struct image_search *s)
{
	static const char *const places[][2] = {
		{ "/boot/vmlinux-", "" },
		{ CODE_DEBUG_DIR "/boot/vmlinux-", "" },
		{ CODE_DEBUG_DIR "/boot/vmlinux-", ".debug" },
		{ CODE_DEBUG_DIR "/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/lib/modules/", "/vmlinux" },
	};
	const char *root = s->k->o->symfs ? s->k->o->symfs : "/";
	char path[PATH_MAX];

	if (!is_release(s->id->release))
		return false;
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s%s", places[i][0], s->id->release, places[i][1]);
		if (try_image(s, root, path))
			return true;
	}
	return false;
}

static bool try_server(const struct image_search *s)
{
	const struct kernel_names *k = s->k;
	struct elf_file elf;
	struct err e;
	bool found;

	if (!k->o->urls)
		return false;
	if (elf_file_fetch(&elf, k->o->reader, k->o->urls, "debuginfo", s->id->build_id,
			   s->id->build_id_len, &e) < 0) {
		err_within(&e, "the kernel's debuginfo from debuginfod");
		note_err(k->o->notes, NOTE_INFO, &e);
		return false;
	}
	found = is_build(&elf, s->id) && s->take(s->to, k, s->id, &elf, -1);
	elf_file_fini(&elf);
	return found;
}

static bool find_image(const struct image_search *s)
{
	return s->k->o->reader && (try_given(s) || try_cached(s) || try_debug_dirs(s) ||
				   try_named(s) || try_server(s));
}

static bool take_symbols(struct kernel_of_build *b, const struct kernel_names *k,
			 const struct kernel_identity *id, const struct elf_file *elf, int fd)
{
	b->symbols = of_image(elf, id);
	return b->symbols;
}

/* ---- its lines ---- */

static bool take_lines(struct kernel_of_build *b, const struct kernel_names *k,
		       const struct kernel_identity *id, const struct elf_file *elf, int fd)
{
	const struct lines_server server = { k->o->urls, "debuginfo", id->build_id,
					     id->build_id_len };
	unsigned i = 0;

	while (i < elf->nmarks && strcmp(elf->marks[i].name, id->symbol) != 0)
		i++;
	if (i == elf->nmarks || !elf->has_dwarf)
		return false;
	b->ahead = elf->marks[i].address - id->address;
	if (fd < 0) {
		b->lines = source_lines_of_server(k->o->reader, &server, "vmlinux", k->o->notes);
		return true;
	}
	fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd >= 0)
		b->lines = source_lines_new(k->o->reader, fd, "vmlinux", k->o->notes);
	return b->lines;
}

unsigned kernel_names_lines(struct kernel_names *k, const struct kernel_identity *id,
			    uint64_t address, bool caller, const struct code_line **out)
{
	struct kernel_of_build *b = build_of(k, id);

	if (!b)
		return 0;
	if (!b->lined) {
		const struct image_search s = { k, id, b, take_lines };

		b->lined = true;
		if (!find_image(&s))
			note_say(k->o->notes, NOTE_INFO,
				 "no lines of the source of the kernel: no vmlinux with its build "
				 "id has DWARF (--vmlinux FILE)");
	}
	return b->lines ? source_lines_at(b->lines, address - caller + b->ahead, out) : 0;
}

/* ---- all of them ---- */

/* The symbols of B, for ID. */
static void find_symbols(struct kernel_names *k, const struct kernel_identity *id,
			 struct kernel_of_build *b)
{
	const struct image_search s = { k, id, b, take_symbols };

	b->named = true;
	b->symbols = of_running(id);
	if (!b->symbols)
		b->symbols = of_cached_text(k, id);
	if (!b->symbols)
		find_image(&s);
}

/* Those of ID's build, looked for once. */
static const struct symbols *find_build(struct kernel_names *k, const struct kernel_identity *id)
{
	struct kernel_of_build *b = build_of(k, id);

	if (!b)
		return NULL;
	if (!b->named)
		find_symbols(k, id, b);
	return b->symbols;
}

int kernel_names_find(struct kernel_names *k, const struct kernel_identity *id,
		      const struct symbols **out, struct err *e)
{
	*out = running(k, id, e);
	if (!*out)
		*out = find_build(k, id);
	return *out ? 0 : -1;
}

void kernel_names_init(struct kernel_names *k, const struct code_files_opts *o,
		       const struct code_files *files)
{
	k->o = o;
	k->files = files;
}

void kernel_names_fini(struct kernel_names *k)
{
	symbols_free(k->running[0]);
	symbols_free(k->running[1]);
	for (unsigned i = 0; i < k->nbuilds; i++) {
		symbols_free(k->builds[i].symbols);
		source_lines_free(k->builds[i].lines);
	}
}
