/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_ERR_H
#define ZED_BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

/*
 * Errors are values.  A function that can fail takes a struct err, fills it and returns -1, so that
 * every failing line reads "return err_set(...);".  Each layer on the way up adds what it knows
 * with err_within(); the main program prints the result once.  A struct err owns nothing.
 */
enum err_kind {
	ERR_NONE,
	ERR_SYS,     /* the system refused: errno is kept in sys */
	ERR_FORMAT,  /* the bytes are not what they should be: damage */
	ERR_UNKNOWN, /* the kind of input is unknown */
	ERR_USAGE,   /* the user asked for something impossible */
};

#define ERR_NO_OFF UINT64_MAX /* the error has no place in a file */

struct err {
	enum err_kind kind;
	int sys;
	uint64_t off; /* bytes from the start of the file, or ERR_NO_OFF */
	char path[256];
	char msg[768]; /* plain (plain.h); newlines are err_more()'s */
};

/* Fill E; returns -1.  OFF is the file offset of the fault or ERR_NO_OFF. */
int err_set(struct err *e, enum err_kind kind, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* As err_set() with kind ERR_SYS; ": " and strerror(errno) are appended.  Returns -1. */
int err_sys(struct err *e, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "TEXT: " before the message: what the caller was doing.  Returns -1. */
int err_within(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Name the file, unless a deeper layer has named one.  Returns -1. */
int err_path(struct err *e, const char *path);

/* A further line, which main shows under the message.  Returns -1. */
int err_more(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "PATH: offset 0xN: MESSAGE" into BUF: always terminated, plain, and one line.  Returns BUF. */
const char *err_text(const struct err *e, char *buf, size_t size);

/* Was it the disk, or the quota, that had no room left? */
bool err_is_full(const struct err *e);

/* "%u byte%s": one byte, two bytes. */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The compiler cannot see that these always return -1; with this it can. */
static inline int err_minus(int rc)
{
	(void)rc;
	return -1;
}

#define err_set(...) err_minus(err_set(__VA_ARGS__))
#define err_sys(...) err_minus(err_sys(__VA_ARGS__))
#define err_within(...) err_minus(err_within(__VA_ARGS__))
#define err_path(...) err_minus(err_path(__VA_ARGS__))
#define err_more(...) err_minus(err_more(__VA_ARGS__))

#define TRY(x) \
	do { \
		if ((x) < 0) \
			return -1; \
	} while (0)

/*
 * Notices: messages of a reader that are not failures.  The reader never prints; main gives it one
 * of these.  Text is one line without a newline, borrowed during the call.
 */
enum note_level {
	NOTE_INFO,   /* shown with -v */
	NOTE_WARN,   /* shown; the result is still whole */
	NOTE_DAMAGE, /* shown; something of the input was skipped: exit status 1 */
};

struct notes {
	void (*say)(void *arg, enum note_level level, const char *text);
	void *arg;
	uint64_t damage; /* how many NOTE_DAMAGE were given */
};

/* Give one notice.  N may be NULL: then it is dropped. */
void note_say(struct notes *n, enum note_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Give the text of E as a notice. */
void note_err(struct notes *n, enum note_level level, const struct err *e);

#endif
