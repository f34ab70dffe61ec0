// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_symbols: the running kernel's symbols as the events of a session need them: events of the
 * previous boot come from a kernel at other addresses.  The kernel takes a tenth of a second to
 * list them, and a session mostly waits while it is set up: so they can be read meanwhile.
 */
#include "kernel/session/session_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the kernel's code begins, by the text; UINT64_MAX: it does not say. */
static uint64_t first_code(const char *text)
{
	uint64_t addr = UINT64_MAX;
	const char *at = strstr(text, " _stext\n");

	while (at && at > text && at[-1] != '\n')
		at--;
	if (at && sscanf(at, "%" SCNx64, &addr) != 1)
		addr = UINT64_MAX;
	return addr;
}

/*
 * TEXT with the addresses from FROM on reduced by BY, and without modules; the same length or less.
 */
static void move(char *text, size_t *len, uint64_t from, uint64_t by)
{
	char *to = text, *line = text;

	while (*line) {
		size_t n = strcspn(line, "\n"), digits = strspn(line, "0123456789abcdef");
		char hex[17];
		uint64_t addr = digits && digits <= 16 ? strtoull(line, NULL, 16) : 0;

		n += line[n] == '\n';
		if (memchr(line, '[', n)) {
			line += n;
			continue;
		}
		memmove(to, line, n);
		if (addr >= from &&
		    snprintf(hex, sizeof(hex), "%0*" PRIx64, (int)digits, addr - by) == (int)digits)
			memcpy(to, hex, digits);
		to += n;
		line += n;
	}
	*to = '\0';
	*len = (size_t)(to - text);
}

/* ---- reading ahead ---- */

static void *read_symbols(void *arg)
{
	struct sess_symbols *y = arg;

	y->text = tracefs_text("/proc", "kallsyms", &y->len, &y->why);
	return NULL;
}

void session_symbols_begin(struct session *s)
{
	s->symbols.runs = session_thread(&s->symbols.thread, read_symbols, &s->symbols);
}

/* What was read ahead, once; NULL with E: nothing could be. */
static char *take_symbols(struct sess_symbols *y, size_t *len, struct err *e)
{
	char *text;

	pthread_join(y->thread, NULL);
	y->runs = false;
	text = y->text;
	y->text = NULL;
	*len = y->len;
	*e = y->why;
	return text;
}

void session_symbols_end(struct session *s)
{
	struct err none;
	size_t len;

	/* A forked child does not have the thread. */
	if (s->symbols.runs && s->owner == getpid())
		free(take_symbols(&s->symbols, &len, &none));
}

char *session_kallsyms(struct session *s, size_t *len, struct err *e)
{
	char *text = s->symbols.runs ? take_symbols(&s->symbols, len, e) :
				       tracefs_text("/proc", "kallsyms", len, e);

	if (text && s->moved)
		move(text, len, first_code(text), (uint64_t)s->moved);
	return text;
}
