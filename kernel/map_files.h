/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_MAP_FILES_H
#define ZED_KERNEL_MAP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What processes have mapped: /proc/PID/maps (proc_pid_maps(5)), and the files themselves by
 * /proc/PID/map_files, which leads to the one that is mapped, whatever its path leads to by now.
 */
struct map_line {
	uint64_t start, end, off; /* off: in the file */
	bool executable;
	uint32_t major, minor; /* the file's device */
	uint64_t inode;	       /* 0: not a file */
	const char *path;      /* LEN bytes of the text */
	size_t len;	       /* 0: memory without a name */
};

/*
 * The text of PID's maps, to be freed; "": it has no memory, as a kernel thread, or has just ended.
 * NULL: it has ended, or may not be looked at.
 */
char *map_files_text(pid_t pid);

/* The line at *AT of such a text; *AT moves past it.  Invalid ones are skipped.  False: no more. */
bool map_files_line(const char **at, struct map_line *l);

/*
 * When the file that PID has mapped by L was last changed (ctime, ns).  False: it is not a regular
 * file, has been unmapped, or this process may not see it (CAP_SYS_ADMIN, CAP_CHECKPOINT_RESTORE).
 */
bool map_files_changed(pid_t pid, const struct map_line *l, uint64_t *changed);

/*
 * The build id of that file, its ELF note, into ID; returns its length, 0: none.  It is read as
 * any program reads a file: one on a server that does not answer takes as long as that.  (A file
 * system of a user, by FUSE, refuses other users, even root, unless it is mounted for all.)
 */
#define MAP_FILES_ID 64
unsigned map_files_id(pid_t pid, const struct map_line *l, uint8_t id[MAP_FILES_ID]);

/* The same of the ELF file FD, which stays open. */
unsigned map_files_elf_id(int fd, uint8_t id[MAP_FILES_ID]);

#endif
