// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kallsyms: the kernel's symbols from a file named by the user, for traces without symbols, or in
 * place of theirs.
 */
#include "programs/kallsyms.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_TEXT (64u << 20) /* a distribution's kernel with all its modules has 20 MiB */

struct kallsyms_text {
	char *p;
	size_t cap, len;
};

/* Read to the end: /proc/kallsyms does not report its size. */
static int read_text(int fd, struct kallsyms_text *t, struct err *e)
{
	for (;;) {
		ssize_t n;

		t->p = mem_grow(t->p, &t->cap, t->len + 65536, 1);
		n = read(fd, t->p + t->len, t->cap - t->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, ERR_NO_OFF, "cannot be read");
		if (!n)
			return 0;
		t->len += n;
		if (t->len > MAX_TEXT)
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "larger than %u MiB: no kernel has that many symbols",
				       MAX_TEXT >> 20);
	}
}

static int check(const struct symbols *t, const struct symbols_lost *lost, struct err *e)
{
	uint64_t greatest;
	unsigned n = symbols_count(t, &greatest);

	if (n <= lost->bad)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "not the text of /proc/kallsyms: expected lines ADDRESS TYPE NAME");
	if (greatest)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "all addresses are 0: the kernel hid them (kptr_restrict): copy the file as "
		       "root");
}

static void say_lost(const char *path, const struct symbols_lost *lost, struct notes *n)
{
	if (lost->bad)
		note_say(n, NOTE_DAMAGE, "%s: invalid lines left out: %u", path, lost->bad);
	if (lost->more)
		note_say(n, NOTE_DAMAGE, "%s: limit of %u symbols reached, left out: %u", path,
			 SYMBOLS_MAX, lost->more);
	if (lost->cut)
		note_say(n, NOTE_DAMAGE, "%s: names longer than %u bytes, truncated: %u", path,
			 SYMBOL_MAX, lost->cut);
}

int kallsyms_read(const char *path, struct notes *n, struct symbols **out, struct err *e)
{
	int rc, fd = open(path, O_RDONLY | O_CLOEXEC);
	struct kallsyms_text text = { .p = NULL };
	struct symbols_lost lost;
	struct symbols *t;

	if (fd < 0) {
		err_sys(e, ERR_NO_OFF, "cannot be opened");
		return err_path(e, path);
	}
	rc = read_text(fd, &text, e);
	close(fd);
	if (rc == 0) {
		t = symbols_kallsyms(text.p, text.len, &lost);
		rc = check(t, &lost, e);
		if (rc == 0) {
			say_lost(path, &lost, n);
			*out = t;
		} else {
			symbols_free(t);
		}
	}
	free(text.p);
	return rc < 0 ? err_path(e, path) : 0;
}
