// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_names: the symbols of the kernel that was traced: of this boot, or of the same build,
 * moved to where that boot had it.
 */
#include "symbols/kernel_names.h"

#include "base/io.h"
#include "base/outbuf.h"
#include "kernel/running_kernel.h"
#include "symbols/elf_file.h"
#include "symbols/places.h"
#include "trace/symbols.h"

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

/* The symbols of the file FD, which is closed; NULL: it is not ID's vmlinux, or has none. */
static struct symbols *read_image(struct kernel_names *k, const struct kernel_identity *id, int fd,
				  const char *path)
{
	struct symbols *t = NULL;
	struct elf_file elf;
	struct err e;
	int rc;

	if (fd < 0)
		return NULL;
	rc = elf_file_read(&elf, k->o->reader, fd, id->build_id, id->build_id_len, &e);
	close(fd);
	if (rc < 0) {
		err_within(&e, "symbols of %s", path);
		note_err(k->o->notes, NOTE_WARN, &e);
		return NULL;
	}
	if (is_build(&elf, id))
		t = of_image(&elf, id);
	elf_file_fini(&elf);
	return t;
}

static struct symbols *try_image(struct kernel_names *k, const struct kernel_identity *id,
				 const char *root, const char *path)
{
	return read_image(k, id, place_open(root, path, CODE_FILE_SIZE), path);
}

/* perf's cache has it as "elf", if perf buildid-cache put it there. */
static struct symbols *of_cached_image(struct kernel_names *k, const struct kernel_identity *id)
{
	static const char *const names[] = { "elf", "vmlinux", "debug" };
	struct symbols *t = NULL;

	for (unsigned n = 0; !t; n++)
		for (unsigned i = 0; !t && i < sizeof(names) / sizeof(names[0]); i++) {
			int fd = code_files_cached(k->files, id->build_id, id->build_id_len,
						   names[i], n);

			if (fd == -2)
				return NULL;
			t = read_image(k, id, fd, names[i]);
		}
	return t;
}

/* Below folders of debug files, as .build-id/ab/cdef.debug. */
static struct symbols *of_debug_image(struct kernel_names *k, const struct kernel_identity *id)
{
	char of_id[PLACE_ID_SIZE], path[PLACE_ID_SIZE + 32];
	struct symbols *t = NULL;

	place_of_id(id->build_id, id->build_id_len, of_id);
	snprintf(path, sizeof(path), "%s.debug", of_id);
	for (unsigned i = 0; !t && i < k->o->ndebug_dirs; i++)
		t = try_image(k, id, k->o->debug_dirs[i], path);
	snprintf(path, sizeof(path), CODE_DEBUG_DIR "/%s.debug", of_id);
	return t ? t : try_image(k, id, k->o->symfs ? k->o->symfs : "/", path);
}

/* A release is a part of a path, and comes from the recording. */
static bool is_release(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+_~");

	return n && !s[n] && n <= RELEASE_MOST && *s != '.';
}

/* Where distributions, and make, put it; the build id decides, so of any machine. */
static struct symbols *of_named_image(struct kernel_names *k, const struct kernel_identity *id)
{
	static const char *const places[][2] = {
		{ "/boot/vmlinux-", "" },
		{ CODE_DEBUG_DIR "/boot/vmlinux-", "" },
		{ CODE_DEBUG_DIR "/boot/vmlinux-", ".debug" },
		{ CODE_DEBUG_DIR "/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/lib/modules/", "/vmlinux" },
	};
	char path[PATH_MAX];
	struct symbols *t = NULL;

	if (!is_release(id->release))
		return NULL;
	for (unsigned i = 0; !t && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s%s", places[i][0], id->release, places[i][1]);
		t = try_image(k, id, k->o->symfs ? k->o->symfs : "/", path);
	}
	return t;
}

static struct symbols *of_server(struct kernel_names *k, const struct kernel_identity *id)
{
	struct symbols *t = NULL;
	struct elf_file elf;
	struct err e;

	if (!k->o->urls)
		return NULL;
	if (elf_file_fetch(&elf, k->o->reader, k->o->urls, "debuginfo", id->build_id,
			   id->build_id_len, &e) < 0) {
		err_within(&e, "the kernel's debuginfo from debuginfod");
		note_err(k->o->notes, NOTE_INFO, &e);
		return NULL;
	}
	if (is_build(&elf, id))
		t = of_image(&elf, id);
	elf_file_fini(&elf);
	return t;
}

/* ---- all of them ---- */

static struct symbols *of_build(struct kernel_names *k, const struct kernel_identity *id)
{
	struct symbols *t = of_running(id);

	if (!t)
		t = of_cached_text(k, id);
	if (t || !k->o->reader)
		return t;
	t = of_cached_image(k, id);
	if (!t)
		t = of_debug_image(k, id);
	if (!t)
		t = of_named_image(k, id);
	return t ? t : of_server(k, id);
}

static bool is_same(const struct kernel_of_build *b, const struct kernel_identity *id)
{
	return b->build_id_len == id->build_id_len && b->address == id->address &&
	       !memcmp(b->build_id, id->build_id, id->build_id_len) &&
	       !strcmp(b->symbol, id->symbol);
}

/* Those of ID's build, looked for once. */
static const struct symbols *find_build(struct kernel_names *k, const struct kernel_identity *id)
{
	struct kernel_of_build *b = &k->builds[k->nbuilds];

	if (!id->build_id_len || id->build_id_len > KERNEL_ID_MOST ||
	    strlen(id->symbol) > KERNEL_SYMBOL_MOST)
		return NULL;
	for (unsigned i = 0; i < k->nbuilds; i++)
		if (is_same(&k->builds[i], id))
			return k->builds[i].symbols;
	if (k->nbuilds == KERNELS_MOST)
		return NULL;
	b->build_id_len = id->build_id_len;
	memcpy(b->build_id, id->build_id, id->build_id_len);
	snprintf(b->symbol, sizeof(b->symbol), "%s", id->symbol);
	b->address = id->address;
	b->symbols = of_build(k, id);
	k->nbuilds++;
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
	for (unsigned i = 0; i < k->nbuilds; i++)
		symbols_free(k->builds[i].symbols);
}
