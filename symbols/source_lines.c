// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source_lines: asks a process of zedsyms for the lines of addresses, and keeps its answers.  They
 * are as hostile as the file.
 */
#include "symbols/source_lines.h"

#include "base/hash_index.h"
#include "base/mem.h"
#include "base/mono.h"
#include "symbols/reader_process.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE 4096

/* An address, and its lines: N from FIRST on. */
struct lines_of {
	uint64_t address;
	uint32_t first, n;
};

struct source_lines {
	const char *reader;
	char *path;
	struct notes *notes;
	bool begun; /* the process has been started; it has the file, or has ended */
	int fd;	    /* the file until then; -1: the process asks a server for it: */
	const char *urls, *what;
	char id[READER_DIGITS];
	int peer; /* the process's standard input and output; -1: it does not run */
	pid_t pid;
	uint64_t spent; /* ns of waiting for answers */
	char *answer;	/* the current one */
	size_t cap;
	struct hash_index by_address;
	struct lines_of *places;
	size_t places_cap;
	struct code_line *lines;
	size_t n, lines_cap;
	struct hash_index by_text;
	const char **texts;
	size_t texts_cap;
	struct arena arena;
};

struct source_lines *source_lines_new(const char *reader, int fd, const char *path,
				      struct notes *notes)
{
	struct source_lines *s = mem_zalloc(sizeof(*s));

	s->reader = reader;
	s->path = mem_strdup(path);
	s->notes = notes;
	s->fd = fd;
	s->peer = -1;
	return s;
}

struct source_lines *source_lines_of_server(const char *reader, const struct lines_server *from,
					    const char *path, struct notes *notes)
{
	struct source_lines *s = source_lines_new(reader, -1, path, notes);

	s->urls = from->urls;
	s->what = from->what;
	reader_process_digits(from->id, from->id_len, s->id);
	return s;
}

/* ---- the process ---- */

static void stop(struct source_lines *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	if (s->peer < 0)
		return;
	close(s->peer);
	s->peer = -1;
	kill(s->pid, SIGKILL);
	reader_process_end(s->pid);
}

static int start(struct source_lines *s, struct err *e)
{
	char *const argv[] = { (char *)"zedsyms", (char *)"lines", (char *)s->what, s->id, NULL };
	char *const none[] = { NULL }, **env = NULL;
	struct reader_start r = { s->reader, argv, none, -1, -1, s->fd };
	int ends[2], rc;

	s->begun = true;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(e, ERR_NO_OFF, "socketpair");
	if (s->what)
		r.env = env = reader_process_env(s->urls);
	r.in = r.out = ends[1];
	rc = reader_process_start(&r, &s->pid, e);
	if (env)
		reader_process_env_free(env);
	close(ends[1]);
	if (rc < 0) {
		close(ends[0]);
		return -1;
	}
	s->peer = ends[0];
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	return 0;
}

/* Is an answer of LEN bytes complete: has it a line of one full stop at its end? */
static bool is_complete(const char *answer, size_t len)
{
	return len >= 2 && !memcmp(answer + len - 2, ".\n", 2) &&
	       (len == 2 || answer[len - 3] == '\n');
}

/* What the process says of ADDRESS to s->answer.  -1 with E: nothing, or not in time. */
static int ask(struct source_lines *s, uint64_t address, struct err *e)
{
	uint64_t end = mono_ns() + LINES_SECONDS * 1000000000ull, now;
	char request[24];
	int n = snprintf(request, sizeof(request), "%" PRIx64 "\n", address);
	size_t len = 0;

	if (send(s->peer, request, (size_t)n, MSG_NOSIGNAL) != n)
		return err_sys(e, ERR_NO_OFF, "its reader");
	while (!is_complete(s->answer, len)) {
		struct pollfd p = { .fd = s->peer, .events = POLLIN };
		ssize_t got;

		now = mono_ns();
		if (now >= end)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF, "one took more than %u seconds",
				       LINES_SECONDS);
		if (len > LINES_ANSWER_MOST)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF, "one is too long");
		if (poll(&p, 1, (int)((end - now) / 1000000) + 1) <= 0)
			continue;
		s->answer = mem_grow(s->answer, &s->cap, len + PIECE + 1, 1);
		got = read(s->peer, s->answer + len, s->cap - len - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF, "its reader has ended");
		len += (size_t)got;
	}
	s->answer[len] = '\0';
	return 0;
}

/* ---- its answer ---- */

/* TEXT, kept once; "": there are too many. */
static const char *kept(struct source_lines *s, const char *text)
{
	uint32_t hash, slot, i, n = s->by_text.n;
	size_t len = strlen(text);
	char *to;

	index_begin(&s->by_text);
	hash = index_hash_bytes(&s->by_text, text, len);
	slot = index_home(&s->by_text, hash);
	while (index_next(&s->by_text, hash, &slot, &i))
		if (!strcmp(s->texts[i], text))
			return s->texts[i];
	if (n == LINES_TEXTS)
		return "";
	to = arena_alloc(&s->arena, len + 1);
	memcpy(to, text, len + 1);
	s->texts = mem_grow(s->texts, &s->texts_cap, n + 1, sizeof(*s->texts));
	s->texts[n] = to;
	index_add(&s->by_text, hash, n);
	return to;
}

/* "LINE TAB NAME TAB FILE" */
static bool take_line(struct source_lines *s, char *p)
{
	unsigned long line = strtoul(p, &p, 10);
	char *name = p + 1, *file = *p == '\t' ? strchr(name, '\t') : NULL;

	if (!file)
		return false;
	*file++ = '\0';
	s->lines = mem_grow(s->lines, &s->lines_cap, s->n + 1, sizeof(*s->lines));
	s->lines[s->n++] = (struct code_line){ .function = kept(s, name),
					       .file = kept(s, file),
					       .line = line <= INT32_MAX ? (unsigned)line : 0 };
	return true;
}

static int take_answer(struct source_lines *s, struct err *e)
{
	char *line = s->answer, *nl;

	for (; (nl = strchr(line, '\n')); line = nl + 1) {
		*nl = '\0';
		if (!strcmp(line, "."))
			return 0;
		if (!strncmp(line, "error ", 6))
			return err_set(e, ERR_FORMAT, ERR_NO_OFF, "%s", line + 6);
		if (strncmp(line, "f ", 2) != 0 || !take_line(s, line + 2))
			break;
	}
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "one cannot be read");
}

/* Ask for ADDRESS; its lines are the last ones then.  -1: there are none, and never will be. */
static int find(struct source_lines *s, uint64_t address)
{
	uint64_t began = mono_ns();
	struct err e;
	int rc = 0;

	if (!s->begun)
		rc = start(s, &e);
	else if (s->peer < 0)
		return -1;
	if (rc == 0 && (s->spent > LINES_NS || s->n >= LINES_MOST))
		rc = err_set(&e, ERR_FORMAT, ERR_NO_OFF, "too many, or they take too long");
	if (rc == 0)
		rc = ask(s, address, &e);
	if (rc == 0)
		rc = take_answer(s, &e);
	s->spent += mono_ns() - began;
	if (rc == 0)
		return 0;
	stop(s);
	err_within(&e, "lines of %s", s->path);
	note_err(s->notes, NOTE_WARN, &e);
	return -1;
}

unsigned source_lines_at(struct source_lines *s, uint64_t address, const struct code_line **out)
{
	uint32_t hash, slot, i, n = s->by_address.n;
	size_t first = s->n;

	index_begin(&s->by_address);
	hash = index_hash(&s->by_address, address);
	slot = index_home(&s->by_address, hash);
	while (index_next(&s->by_address, hash, &slot, &i))
		if (s->places[i].address == address) {
			*out = s->lines + s->places[i].first;
			return s->places[i].n;
		}
	if (n >= LINES_MOST || find(s, address) < 0) {
		s->n = first;
		return 0;
	}
	s->places = mem_grow(s->places, &s->places_cap, n + 1, sizeof(*s->places));
	s->places[n] = (struct lines_of){ address, (uint32_t)first, (uint32_t)(s->n - first) };
	index_add(&s->by_address, hash, n);
	*out = s->lines + first;
	return s->places[n].n;
}

void source_lines_free(struct source_lines *s)
{
	if (!s)
		return;
	stop(s);
	index_fini(&s->by_address);
	index_fini(&s->by_text);
	arena_fini(&s->arena);
	free(s->texts);
	free(s->lines);
	free(s->places);
	free(s->answer);
	free(s->path);
	free(s);
}
