// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * err: errors as values, which gain context on their way up to main; and notices, which go to the
 * function that main gave.
 */
#include "base/err.h"

#include "base/plain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef err_set
#undef err_sys
#undef err_within
#undef err_path
#undef err_more

/* Format FMT into TO and make it plain (plain.h): the arguments may come out of a file. */
__attribute__((format(printf, 3, 0))) static void say_plain(char *to, size_t size, const char *fmt,
							    va_list ap)
{
	char text[1280];

	vsnprintf(text, sizeof(text), fmt, ap);
	plain_text(to, size, text);
}

int err_set(struct err *e, enum err_kind kind, uint64_t off, const char *fmt, ...)
{
	va_list ap;

	e->kind = kind;
	e->sys = 0;
	e->off = off;
	e->path[0] = '\0';
	va_start(ap, fmt);
	say_plain(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *e, uint64_t off, const char *fmt, ...)
{
	int sys = errno;
	va_list ap;
	size_t n;

	err_set(e, ERR_SYS, off, "%s", "");
	va_start(ap, fmt);
	say_plain(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof(e->msg) - n, "%s%s", n ? ": " : "", strerror(sys));
	e->sys = sys;
	return -1;
}

int err_within(struct err *e, const char *fmt, ...)
{
	char was[sizeof(e->msg)];
	va_list ap;
	size_t n;

	memcpy(was, e->msg, sizeof(was));
	va_start(ap, fmt);
	say_plain(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", was);
	return -1;
}

int err_path(struct err *e, const char *path)
{
	if (!e->path[0])
		snprintf(e->path, sizeof(e->path), "%s", path);
	return -1;
}

int err_more(struct err *e, const char *fmt, ...)
{
	size_t n = strlen(e->msg);
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	say_plain(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(e->msg + n, sizeof(e->msg) - n, "\n%s", text);
	return -1;
}

const char *err_text(const struct err *e, char *buf, size_t size)
{
	char off[40] = "", path[4 * sizeof(e->path)];

	if (e->off != ERR_NO_OFF)
		snprintf(off, sizeof(off), "offset 0x%" PRIx64 ": ", e->off);
	snprintf(buf, size, "%s%s%s%s", plain_text(path, sizeof(path), e->path),
		 e->path[0] ? ": " : "", off, e->msg);
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

bool err_is_full(const struct err *e)
{
	return e->kind == ERR_SYS && (e->sys == ENOSPC || e->sys == EDQUOT);
}

void note_say(struct notes *n, enum note_level level, const char *fmt, ...)
{
	char text[1280];
	va_list ap;

	if (!n)
		return;
	/* A thread of a recorder may say something as well. */
	if (level == NOTE_DAMAGE)
		__atomic_add_fetch(&n->damage, 1, __ATOMIC_RELAXED);
	va_start(ap, fmt);
	say_plain(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n->say)
		n->say(n->arg, level, text);
}

void note_err(struct notes *n, enum note_level level, const struct err *e)
{
	char text[1280];

	note_say(n, level, "%s", err_text(e, text, sizeof(text)));
}
