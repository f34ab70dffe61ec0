// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map_files: reads what a process has mapped, and of a mapped file when it was changed and the
 * build id.  The file may be anybody's: every length in it is checked.
 */
#include "kernel/map_files.h"

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/io.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TEXT (16u << 20) /* bytes of maps: the kernel allows 65,530 lines */
#define MAX_SEGMENTS 64	     /* of an ELF file; those after them are not looked at */
#define MAX_NOTES 4096	     /* bytes of a segment of notes */

/* ---- lines ---- */

char *map_files_text(pid_t pid)
{
	char path[64];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	return io_text(open(path, O_RDONLY | O_CLOEXEC), MAX_TEXT, &len);
}

/* A number in BASE (10 or 16) at *P, and AFTER it. */
static bool take_number(const char **p, unsigned base, char after, uint64_t *v)
{
	const char *at = *p;

	for (*v = 0; ascii_digit(*at) || (base == 16 && *at >= 'a' && *at <= 'f'); at++) {
		if (*v > (UINT64_MAX - 15) / base)
			return false;
		*v = *v * base + (uint64_t)(ascii_digit(*at) ? *at - '0' : *at - 'a' + 10);
	}
	if (at == *p || *at != after)
		return false;
	*p = at + 1;
	return true;
}

/* "START-END PERM OFF MAJOR:MINOR INODE PATH" up to END: padded with blanks before the path. */
static bool read_line(const char *p, const char *end, struct map_line *l)
{
	uint64_t major, minor;

	if (!take_number(&p, 16, '-', &l->start) || !take_number(&p, 16, ' ', &l->end) ||
	    end - p < 5 || p[4] != ' ')
		return false;
	l->executable = p[2] == 'x';
	p += 5;
	if (!take_number(&p, 16, ' ', &l->off) || !take_number(&p, 16, ':', &major) ||
	    !take_number(&p, 16, ' ', &minor) || !take_number(&p, 10, ' ', &l->inode))
		return false;
	while (p < end && *p == ' ')
		p++;
	l->major = (uint32_t)major;
	l->minor = (uint32_t)minor;
	l->path = p;
	l->len = (size_t)(end - p);
	return l->start < l->end;
}

bool map_files_line(const char **at, struct map_line *l)
{
	while (**at) {
		const char *line = *at, *end = line + strcspn(line, "\n");

		*at = *end ? end + 1 : end;
		if (read_line(line, end, l))
			return true;
	}
	return false;
}

/* ---- the files ---- */

static void name_of(pid_t pid, const struct map_line *l, char path[80])
{
	snprintf(path, 80, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, l->start, l->end);
}

bool map_files_changed(pid_t pid, const struct map_line *l, uint64_t *changed)
{
	struct statx st;
	char path[80];

	name_of(pid, l, path);
	/* Without asking a file server, which may be dead. */
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE | STATX_CTIME, &st) < 0 ||
	    !S_ISREG(st.stx_mode))
		return false;
	*changed = (uint64_t)st.stx_ctime.tv_sec * 1000000000ull + st.stx_ctime.tv_nsec;
	return true;
}

unsigned map_files_id(pid_t pid, const struct map_line *l, uint8_t id[MAP_FILES_ID])
{
	char path[80];
	struct stat st;
	unsigned len = 0;
	int found, fd;

	/* What is opened is what was looked at: no device, even if one is mapped there now. */
	name_of(pid, l, path);
	found = open(path, O_PATH | O_CLOEXEC);
	if (found < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	/* Who has a lease on it does not make us wait. */
	fd = fstat(found, &st) == 0 && S_ISREG(st.st_mode) ?
		     open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) :
		     -1;
	close(found);
	if (fd < 0)
		return 0;
	len = map_files_elf_id(fd, id);
	close(fd);
	return len;
}

/* ---- the build id of an ELF file ---- */

/* Where a number of a 64-bit or a 32-bit file is, and its size. */
struct elf_place {
	unsigned wide, narrow;
	unsigned wide_size, narrow_size;
};

#define PLACE(type, member) \
	{ \
		offsetof(Elf64_##type, member), offsetof(Elf32_##type, member), \
			sizeof(((Elf64_##type *)0)->member), sizeof(((Elf32_##type *)0)->member) \
	}

static const struct elf_place PHOFF = PLACE(Ehdr, e_phoff), PHENTSIZE = PLACE(Ehdr, e_phentsize),
			      PHNUM = PLACE(Ehdr, e_phnum), TYPE = PLACE(Phdr, p_type),
			      OFFSET = PLACE(Phdr, p_offset), FILESZ = PLACE(Phdr, p_filesz),
			      ALIGN = PLACE(Phdr, p_align);

struct elf_head {
	bool wide, big;
};

static uint64_t number(const struct elf_head *h, const uint8_t *p, const struct elf_place *at)
{
	unsigned size = h->wide ? at->wide_size : at->narrow_size;

	p += h->wide ? at->wide : at->narrow;
	return size == 8 ? bytes_u64(p, h->big) :
	       size == 4 ? bytes_u32(p, h->big) :
			   bytes_u16(p, h->big);
}

/*
 * Notes are u32 name length, data length, type; then name and data, each padded to ALIGN, which is
 * 8 for some (.note.gnu.property), else 4.
 */
static unsigned id_in_notes(const struct elf_head *h, const uint8_t *p, size_t len, uint64_t align,
			    uint8_t id[MAP_FILES_ID])
{
	const uint64_t pad = align == 8 ? 7 : 3;

	for (size_t at = 0; len - at >= 12;) {
		uint64_t name = bytes_u32(p + at, h->big), size = bytes_u32(p + at + 4, h->big);
		uint64_t data = (at + 12 + name + pad) & ~pad, next = (data + size + pad) & ~pad;

		if (data > len || size > len - data)
			return 0;
		if (bytes_u32(p + at + 8, h->big) == NT_GNU_BUILD_ID && name == 4 &&
		    !memcmp(p + at + 12, "GNU", 4) && size && size <= MAP_FILES_ID) {
			memcpy(id, p + data, size);
			return (unsigned)size;
		}
		if (next > len)
			return 0;
		at = next;
	}
	return 0;
}

static unsigned id_in_segment(int fd, const struct elf_head *h, const uint8_t *segment,
			      uint8_t id[MAP_FILES_ID])
{
	uint64_t size = number(h, segment, &FILESZ);
	uint8_t notes[MAX_NOTES];
	ssize_t n;

	if (number(h, segment, &TYPE) != PT_NOTE)
		return 0;
	n = io_pread(fd, notes, size < sizeof(notes) ? size : sizeof(notes),
		     number(h, segment, &OFFSET));
	return n > 0 ? id_in_notes(h, notes, (size_t)n, number(h, segment, &ALIGN), id) : 0;
}

unsigned map_files_elf_id(int fd, uint8_t id[MAP_FILES_ID])
{
	uint8_t head[sizeof(Elf64_Ehdr)] = { 0 }, segment[sizeof(Elf64_Phdr)];
	struct elf_head h;
	uint64_t off, each, n;
	unsigned len = 0;
	size_t size;

	if (io_pread(fd, head, sizeof(head), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(head, ELFMAG, SELFMAG) != 0 || head[EI_CLASS] < ELFCLASS32 ||
	    head[EI_CLASS] > ELFCLASS64)
		return 0;
	h = (struct elf_head){ head[EI_CLASS] == ELFCLASS64, head[EI_DATA] == ELFDATA2MSB };
	size = h.wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	off = number(&h, head, &PHOFF);
	each = number(&h, head, &PHENTSIZE);
	n = number(&h, head, &PHNUM);
	if (each < size || off > INT64_MAX / 2)
		return 0;
	for (uint64_t i = 0; i < n && i < MAX_SEGMENTS && !len; i++) {
		if (io_pread(fd, segment, size, off + i * each) != (ssize_t)size)
			return 0;
		len = id_in_segment(fd, &h, segment, id);
	}
	return len;
}
