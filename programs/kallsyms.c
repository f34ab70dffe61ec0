// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kallsyms: the kernel's symbols from a file named by the user, for traces without symbols, or in
 * place of theirs.
 */
#include "programs/kallsyms.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define MAX_TEXT (64u << 20) /* a distribution's kernel with all its modules has 20 MiB */

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
	size_t len;
	char *text = io_text(open(path, O_RDONLY | O_CLOEXEC), MAX_TEXT, &len);
	struct symbols_lost lost;
	struct symbols *t;

	if (!text) {
		if (errno == EFBIG)
			err_set(e, ERR_USAGE, ERR_NO_OFF,
				"larger than %u MiB: no kernel has that many symbols",
				MAX_TEXT >> 20);
		else
			err_sys(e, ERR_NO_OFF, "cannot be read");
		return err_path(e, path);
	}
	t = symbols_kallsyms(text, len, &lost);
	free(text);
	if (check(t, &lost, e) < 0) {
		symbols_free(t);
		return err_path(e, path);
	}
	say_lost(path, &lost, n);
	*out = t;
	return 0;
}
