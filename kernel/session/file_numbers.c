// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_numbers: the files of a log of mappings, by path, device, inode and time of change.
 */
#include "kernel/session/file_numbers.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct mapped_file {
	char *path;
	uint32_t major, minor;
	uint64_t inode, changed;
	uint8_t id[MAP_FILES_ID], id_len;
};

static uint32_t hash_of(const struct file_numbers *f, const struct map_line *l)
{
	return index_hash_two(&f->index, index_hash_bytes(&f->index, l->path, l->len), l->inode);
}

static bool is_file(const struct mapped_file *m, const struct map_line *l, uint64_t changed)
{
	return m->inode == l->inode && m->major == l->major && m->minor == l->minor &&
	       m->changed == changed && !strncmp(m->path, l->path, l->len) && !m->path[l->len];
}

static void log_file(const struct file_numbers *f, uint32_t i, struct map_log_buf *log)
{
	const struct mapped_file *m = &f->v[i];

	map_log_put_file(log, i,
			 &(struct map_file){ .major = m->major,
					     .minor = m->minor,
					     .inode = m->inode,
					     .id = m->id,
					     .id_len = m->id_len,
					     .path_len = (uint16_t)strlen(m->path),
					     .path = m->path });
}

bool file_number(struct file_numbers *f, pid_t pid, const struct map_line *l,
		 struct map_log_buf *log, uint32_t *number)
{
	uint64_t changed = 0;
	struct mapped_file *m;
	uint32_t hash, slot;

	index_begin(&f->index);
	hash = hash_of(f, l);
	slot = index_home(&f->index, hash);
	/* One that is written anew may get the number that the old one had. */
	if (l->inode)
		map_files_changed(pid, l, &changed);
	while (index_next(&f->index, hash, &slot, number))
		if (is_file(&f->v[*number], l, changed))
			return true;
	*number = f->index.n;
	if (*number == FILE_NUMBERS) {
		f->beyond++;
		return false;
	}
	f->v = mem_grow(f->v, &f->cap, *number + 1u, sizeof(*f->v));
	m = &f->v[*number];
	*m = (struct mapped_file){ .path = mem_strndup(l->path, l->len),
				   .major = l->major,
				   .minor = l->minor,
				   .inode = l->inode,
				   .changed = changed };
	if (changed)
		m->id_len = (uint8_t)map_files_id(pid, l, m->id);
	index_add(&f->index, hash, *number);
	log_file(f, *number, log);
	return true;
}

void file_numbers_log(const struct file_numbers *f, struct map_log_buf *log)
{
	for (uint32_t i = 0; i < f->index.n; i++)
		log_file(f, i, log);
}

void file_numbers_fini(struct file_numbers *f)
{
	for (uint32_t i = 0; i < f->index.n; i++)
		free(f->v[i].path);
	index_fini(&f->index);
	free(f->v);
}
