// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * running_kernel: is a recording of the kernel that runs now, and of this boot?  Only then its
 * symbols are those of the recording: names of another boot would be wrong ones.
 */
#include "kernel/running_kernel.h"

#include "base/io.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define MAX_TEXT (64u << 20)  /* of kallsyms */
#define MAX_NOTES (64u << 10) /* of /sys/kernel/notes, which has some hundred bytes */
#define MAX_STAT (16u << 20)  /* of /proc/stat, a line for each CPU and a long one */
#define MAX_BOOT_ID 64	      /* of the boot's number */
#define NOTE_BUILD_ID 3	      /* elf.h: NT_GNU_BUILD_ID */

bool running_kernel_is_host(const char *host)
{
	struct utsname u;

	return host && uname(&u) == 0 && !strcmp(host, u.nodename);
}

static char *text_of(const char *path, size_t most, size_t *len)
{
	return io_text(open(path, O_RDONLY | O_CLOEXEC), most, len);
}

/* Notes are u32 name length, data length, type; then name and data, each padded to 4. */
static bool has_build_id(const char *notes, size_t len, const uint8_t *id, size_t id_len)
{
	uint32_t head[3];

	for (size_t at = 0; len - at >= sizeof(head);) {
		uint64_t data, next;

		memcpy(head, notes + at, sizeof(head));
		data = at + sizeof(head) + (((uint64_t)head[0] + 3) & ~(uint64_t)3);
		next = data + (((uint64_t)head[1] + 3) & ~(uint64_t)3);
		if (next > len)
			return false;
		if (head[2] == NOTE_BUILD_ID && head[0] == 4 &&
		    !memcmp(notes + at + sizeof(head), "GNU", 4))
			return head[1] >= id_len && !memcmp(notes + data, id, id_len);
		at = next;
	}
	return false;
}

static int is_this_build(const struct kernel_identity *id, struct err *e)
{
	size_t len;
	char *notes;
	bool same;

	if (!id->build_id_len)
		return 0;
	notes = text_of("/sys/kernel/notes", MAX_NOTES, &len);
	if (!notes)
		return err_sys(e, ERR_NO_OFF, "cannot read /sys/kernel/notes");
	same = has_build_id(notes, len, id->build_id, id->build_id_len);
	free(notes);
	return same ? 0 :
		      err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			      "recorded with another build of Linux %s: --kallsyms FILE names "
			      "them, a copy of that machine's /proc/kallsyms, or a vmlinux with "
			      "its build id (--debug-dir)",
			      id->release);
}

bool running_kernel_is_build(const uint8_t *id, size_t id_len)
{
	size_t len;
	char *notes = id_len ? text_of("/sys/kernel/notes", MAX_NOTES, &len) : NULL;
	bool same = notes && has_build_id(notes, len, id, id_len);

	free(notes);
	return same;
}

static int is_this_kernel(const struct kernel_identity *id, struct err *e)
{
	struct utsname u;

	if (uname(&u) < 0)
		return err_sys(e, ERR_NO_OFF, "uname");
	if (strcmp(u.release, id->release) || (id->host && strcmp(u.nodename, id->host)))
		return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			       "recorded on %s, Linux %s: --kallsyms FILE names them, a copy of "
			       "that machine's /proc/kallsyms, or a vmlinux with its build id "
			       "(--debug-dir)",
			       id->host ? id->host : "another machine", id->release);
	return is_this_build(id, e);
}

/* Was the recording finished before this boot?  Without KASLR addresses do not tell. */
static bool is_older(const struct kernel_identity *id)
{
	int64_t booted = 0;
	const char *line;
	size_t len;
	char *text;

	if (!id->written)
		return false;
	text = text_of("/proc/stat", MAX_STAT, &len);
	line = text ? strstr(text, "\nbtime ") : NULL;
	if (line && sscanf(line, " btime %" SCNd64, &booted) != 1)
		booted = 0;
	free(text);
	return id->written < booted;
}

int running_kernel_check(const struct kernel_identity *id, bool *older, struct err *e)
{
	*older = is_older(id);
	return is_this_kernel(id, e);
}

static int other_boot(struct err *e)
{
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "recorded before this machine was booted, when the kernel was at other "
		       "addresses: --kallsyms FILE names them, a copy of /proc/kallsyms of then");
}

/* Remove the lines of modules from TEXT: they end in "[module]". */
static size_t drop_modules(char *text)
{
	char *to = text;
	size_t n;

	for (char *line = text; *line; line += n) {
		n = strcspn(line, "\n");
		n += line[n] == '\n';
		if (memchr(line, '[', n))
			continue;
		memmove(to, line, n);
		to += n;
	}
	*to = '\0';
	return (size_t)(to - text);
}

/* Is A the same number as B, as text, wherever either has a '-'? */
static bool is_same_number(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "-");
		b += strspn(b, "-\n");
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

static int is_this_boot(const char *boot, struct err *e)
{
	size_t len;
	char *text = text_of("/proc/sys/kernel/random/boot_id", MAX_BOOT_ID, &len);
	bool same = text && is_same_number(boot, text);

	free(text);
	return same ? 0 : other_boot(e);
}

int running_kernel_check_boot(const struct symbols *t, const struct kernel_identity *id,
			      struct err *e)
{
	uint64_t address;

	if (id->boot)
		return is_this_boot(id->boot, e);
	return symbols_address(t, id->symbol, &address) && address == id->address ? 0 :
										    other_boot(e);
}

struct symbols *running_kernel_symbols(bool modules, struct err *e)
{
	struct symbols_lost lost;
	uint64_t greatest;
	struct symbols *t;
	char *text;
	size_t len;

	text = text_of("/proc/kallsyms", MAX_TEXT, &len);
	if (!text) {
		err_sys(e, ERR_NO_OFF, "cannot read /proc/kallsyms");
		return NULL;
	}
	if (!modules)
		len = drop_modules(text);
	t = symbols_kallsyms(text, len, &lost);
	free(text);
	if (symbols_count(t, &greatest) && greatest)
		return t;
	err_set(e, ERR_USAGE, ERR_NO_OFF,
		"the kernel hides its addresses from this user (kptr_restrict): run this as root, "
		"or name a copy of /proc/kallsyms that root made: --kallsyms");
	symbols_free(t);
	return NULL;
}
