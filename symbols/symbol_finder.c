// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol_finder: the places of names that a recording lacks, as one object for its machine.
 */
#include "symbols/symbol_finder.h"

#include "base/io.h"
#include "kernel/running_kernel.h"
#include "trace/symbols.h"

#include <stdlib.h>
#include <string.h>

static const struct symbols *running(struct symbol_finder *f, const struct kernel_identity *id,
				     struct err *e)
{
	struct symbols **t;
	bool older;

	if (running_kernel_check(id, &older, e) < 0)
		return NULL;
	t = &f->running[older];
	if (!*t)
		*t = running_kernel_symbols(!older, e);
	return *t && running_kernel_check_boot(*t, id, e) == 0 ? *t : NULL;
}

/* The symbols of the text FD, which is closed, if they are of ID's boot; the caller's. */
static struct symbols *read_cached(int fd, const struct kernel_identity *id)
{
	struct symbols_lost lost;
	struct symbols *t;
	struct err e;
	size_t len;
	char *text = io_text(fd, KALLSYMS_MOST, &len);

	if (!text)
		return NULL;
	t = symbols_kallsyms(text, len, &lost);
	free(text);
	if (running_kernel_check_boot(t, id, &e) == 0)
		return t;
	symbols_free(t);
	return NULL;
}

static bool is_of(const struct cached_kernel *k, const struct kernel_identity *id)
{
	struct err e;

	return k->build_id_len == id->build_id_len &&
	       !memcmp(k->build_id, id->build_id, id->build_id_len) &&
	       running_kernel_check_boot(k->symbols, id, &e) == 0;
}

/* Those of perf's cache, which has one boot of a build. */
static const struct symbols *cached(struct symbol_finder *f, const struct kernel_identity *id)
{
	struct cached_kernel *k = &f->cached[f->ncached];

	if (!id->build_id_len || id->build_id_len > KERNEL_ID_MOST)
		return NULL;
	for (unsigned i = 0; i < f->ncached; i++)
		if (is_of(&f->cached[i], id))
			return f->cached[i].symbols;
	for (unsigned n = 0; f->ncached < KERNELS_MOST; n++) {
		int fd = code_files_cached(f->files, id->build_id, id->build_id_len, "kallsyms", n);

		if (fd == -2)
			break;
		k->symbols = fd < 0 ? NULL : read_cached(fd, id);
		if (!k->symbols)
			continue;
		k->build_id_len = id->build_id_len;
		memcpy(k->build_id, id->build_id, id->build_id_len);
		f->ncached++;
		return k->symbols;
	}
	return NULL;
}

static int kernel(void *arg, const struct kernel_identity *id, const struct symbols **out,
		  struct err *e)
{
	*out = running(arg, id, e);
	if (!*out)
		*out = cached(arg, id);
	return *out ? 0 : -1;
}

static bool code(void *arg, const struct mapping *m, uint64_t address, struct code_symbol *out)
{
	return code_files_at(((struct symbol_finder *)arg)->files, m, address, out);
}

static unsigned unwind(void *arg, const struct user_state *s, const struct address_space *space,
		       uint64_t *ips, unsigned most)
{
	return unwinder_stack(((struct symbol_finder *)arg)->unwinder, s, space, ips, most);
}

void symbol_finder_init(struct symbol_finder *f, const struct code_files_opts *o)
{
	memset(f, 0, sizeof(*f));
	f->finder = (struct finder){ .kernel = kernel, .code = code, .unwind = unwind, .arg = f };
	f->files = code_files_new(o);
	f->unwinder = unwinder_new(o->reader, f->files, o->notes);
}

void symbol_finder_fini(struct symbol_finder *f)
{
	unwinder_free(f->unwinder);
	code_files_free(f->files);
	symbols_free(f->running[0]);
	symbols_free(f->running[1]);
	for (unsigned i = 0; i < f->ncached; i++)
		symbols_free(f->cached[i].symbols);
	memset(f, 0, sizeof(*f));
}
