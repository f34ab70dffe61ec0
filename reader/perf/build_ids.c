// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_ids: the build ids of a recording's files, by their names: they decide whether a file of
 * today is the one that was traced.
 */
#include "reader/perf/build_ids.h"

#include <string.h>

/* Of an entry's header (tools/lib/perf: struct perf_record_header_build_id). */
#define HEAD_LEN 8
#define MISC_MODE 7
#define MISC_KERNEL 1
#define MISC_SIZE (1u << 15) /* the length of the id is stated */
#define HOST_PID UINT32_MAX  /* not a guest's file */
#define ID_FIELD 24	     /* the id, its length, three bytes */

const struct perf_build_id *build_ids_keep(struct perf_build_ids *b, const uint8_t *p, size_t len)
{
	struct perf_build_id id = { .len = 0 };
	bool any = false;

	if (len > BUILD_ID_MOST)
		len = BUILD_ID_MOST;
	for (size_t i = 0; i < len; i++)
		any |= p[i] != 0;
	if (!any || b->ids.n == BUILD_IDS_MAX)
		return NULL;
	id.len = (uint8_t)len;
	memcpy(id.bytes, p, len);
	return (const void *)perf_names_keep(&b->ids, (const char *)&id, sizeof(id));
}

/* Is it the kernel's image?  Modules have the kernel's mode too. */
static bool is_image(const char *file, size_t len)
{
	static const char symbols[] = "[kernel.kallsyms]", image[] = "/vmlinux";

	return (len >= sizeof(symbols) - 1 && !memcmp(file, symbols, sizeof(symbols) - 1)) ||
	       memmem(file, len, image, sizeof(image) - 1);
}

int build_ids_entry(struct perf_build_ids *b, uint16_t misc, struct cursor c, struct err *e)
{
	const struct perf_build_id *id;
	const uint8_t *field, *file;
	uint32_t pid;
	size_t len;

	TRY(cursor_u32(&c, &pid, e));
	TRY(cursor_bytes(&c, ID_FIELD, &field, e));
	len = cursor_left(&c);
	TRY(cursor_bytes(&c, len, &file, e));
	len = strnlen((const char *)file, len);
	id = build_ids_keep(b, field, misc & MISC_SIZE ? field[BUILD_ID_MOST] : BUILD_ID_MOST);
	if (pid != HOST_PID || !id || !len || b->by_file.n >= BUILD_IDS_MAX)
		return 0;
	*perf_names_at(&b->by_file, (const char *)file, len, 0) = id;
	if ((misc & MISC_MODE) == MISC_KERNEL && is_image((const char *)file, len))
		b->kernel = id;
	return 0;
}

int build_ids_feature(struct perf_build_ids *b, struct cursor c, struct err *e)
{
	struct cursor entry;
	uint32_t type;
	uint16_t misc, size;

	while (cursor_left(&c) >= HEAD_LEN) {
		TRY(cursor_u32(&c, &type, e));
		TRY(cursor_u16(&c, &misc, e));
		TRY(cursor_u16(&c, &size, e));
		if (size < HEAD_LEN)
			return err_set(e, ERR_FORMAT, c.base + c.pos, "entry of %u byte%s", size,
				       plural(size));
		TRY(cursor_sub(&c, size - HEAD_LEN, &entry, e));
		TRY(build_ids_entry(b, misc, entry, e));
	}
	return 0;
}

const struct perf_build_id *build_ids_of(struct perf_build_ids *b, const char *file)
{
	if (!b->by_file.n)
		return NULL;
	return *perf_names_at(&b->by_file, file, strlen(file), 0);
}

void build_ids_fini(struct perf_build_ids *b)
{
	perf_names_fini(&b->by_file);
	perf_names_fini(&b->ids);
}
