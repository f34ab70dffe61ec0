// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf_file: starts zedsyms for one file, waits for its answer a bounded time, and takes the answer
 * apart: lines of text, as programs/zedsyms/zedsyms.c describes them.  The answer is as hostile as
 * the file.
 */
#include "symbols/elf_file.h"

#include "base/mem.h"
#include "base/mono.h"
#include "symbols/reader_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE 65536
#define HEAD "zedsyms 1"

/* ---- the process ---- */

/* What zedsyms is started with. */
struct elf_request {
	const char *reader;
	char *const *argv, *const *env;
	int fd;		  /* the file; -1: none */
	unsigned seconds; /* for all of it */
};

/* It gets the file and a pipe. */
static int start(const struct elf_request *r, int *out, pid_t *pid, struct err *e)
{
	struct reader_start s = { r->reader, r->argv, r->env, r->fd, -1, -1 };
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, ERR_NO_OFF, "pipe");
	s.out = ends[1];
	rc = reader_process_start(&s, pid, e);
	close(ends[1]);
	*out = ends[0];
	if (rc < 0)
		close(ends[0]);
	return rc;
}

/* All that comes from FD until its end, and a NUL; NULL with E: too much, or too late. */
static char *answer(int fd, unsigned seconds, size_t *len, struct err *e)
{
	uint64_t end = mono_ns() + seconds * 1000000000ull;
	size_t cap = 0;
	char *text = NULL;

	for (*len = 0; *len <= ELF_ANSWER_MOST;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		uint64_t now = mono_ns();
		ssize_t n;

		text = mem_grow(text, &cap, *len + PIECE + 1, 1);
		if (now >= end) {
			err_set(e, ERR_FORMAT, ERR_NO_OFF, "its symbols took more than %u seconds",
				seconds);
			free(text);
			return NULL;
		}
		if (poll(&p, 1, (int)((end - now) / 1000000) + 1) <= 0)
			continue;
		n = read(fd, text + *len, cap - *len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			text[*len] = '\0';
			return text;
		}
		*len += (size_t)n;
	}
	err_set(e, ERR_FORMAT, ERR_NO_OFF, "it has more than %u MiB of symbols",
		ELF_ANSWER_MOST >> 20);
	free(text);
	return NULL;
}

/* How the process ended, if not well: -1 with E. */
static int reap(pid_t pid, struct err *e)
{
	int sig = reader_process_end(pid);

	if (sig)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "broken, or too large: reading its symbols was ended by %s",
			       strsignal(sig));
	return 0;
}

/* ---- its answer ---- */

static bool hex(char **p, uint64_t *v)
{
	char *end;

	if (!strchr("0123456789abcdef", **p) || !**p)
		return false;
	errno = 0;
	*v = strtoull(*p, &end, 16);
	if (errno || (*end && *end != ' '))
		return false;
	*p = end + (*end == ' ');
	return true;
}

static bool take_id(struct elf_file *f, const char *p)
{
	size_t n = strlen(p) / 2;
	unsigned byte;

	if (!n || n > ELF_ID_MOST || strlen(p) % 2 || strspn(p, "0123456789abcdef") != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		sscanf(p + 2 * i, "%2x", &byte);
		f->build_id[i] = (uint8_t)byte;
	}
	f->build_id_len = n;
	return true;
}

static bool take_load(struct elf_file *f, char *p)
{
	struct elf_load l;

	if (!hex(&p, &l.off) || !hex(&p, &l.vaddr) || !hex(&p, &l.size) || *p)
		return false;
	if (f->nloads < ELF_LOADS_MOST)
		f->loads[f->nloads++] = l;
	return true;
}

static bool take_mark(struct elf_file *f, char *p)
{
	struct elf_mark *m = &f->marks[f->nmarks];

	if (f->nmarks == ELF_MARKS_MOST)
		return true;
	if (!hex(&p, &m->address) || !*p || strlen(p) >= sizeof(m->name))
		return false;
	snprintf(m->name, sizeof(m->name), "%s", p);
	f->nmarks++;
	return true;
}

static bool take_symbol(struct code_table *t, char *p)
{
	uint64_t start, size;

	if (!hex(&p, &start) || !hex(&p, &size) || !*p)
		return false;
	if (size > UINT64_MAX - start)
		size = UINT64_MAX - start;
	return code_table_add(t, start, start + size, p);
}

/* A debug file is beside its program, or in a folder of debug files. */
static bool take_link(struct elf_file *f, const char *p)
{
	if (strlen(p) > ELF_LINK_MOST || strchr(p, '/') || *p == '.')
		return true;
	snprintf(f->link, sizeof(f->link), "%s", p);
	return true;
}

/* WORD, a blank, and the rest: NULL: another line. */
static char *after(char *line, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(line, word, n) && line[n] == ' ' ? line + n + 1 : NULL;
}

static bool take_line(struct elf_file *f, char *line)
{
	char *p;

	if ((p = after(line, "s")))
		return take_symbol(&f->table, p);
	if ((p = after(line, "stub")))
		return take_symbol(&f->stubs, p);
	if ((p = after(line, "mark")))
		return take_mark(f, p);
	if ((p = after(line, "load")))
		return take_load(f, p);
	if ((p = after(line, "build-id")))
		return take_id(f, p);
	if ((p = after(line, "debuglink")))
		return take_link(f, p);
	if (!strcmp(line, "symtab"))
		return f->has_symtab = true;
	if (!strcmp(line, "dwarf"))
		return f->has_dwarf = true;
	return false;
}

/* TEXT, which F's names stay in.  -1 with E: it is not complete. */
static int take_answer(struct elf_file *f, char *text, size_t len, struct err *e)
{
	char *line = text, *nl, *why;
	bool first = true;

	f->table.text = text;
	f->table.text_len = len;
	for (; (nl = strchr(line, '\n')); line = nl + 1) {
		*nl = '\0';
		if (first && strcmp(line, HEAD) != 0)
			break;
		if (!first && (why = after(line, "error")))
			return err_set(e, ERR_FORMAT, ERR_NO_OFF, "%s", why);
		if (!first && !strcmp(line, "end")) {
			code_table_sort(&f->table);
			code_table_sort(&f->stubs);
			return 0;
		}
		if (!first && !take_line(f, line))
			break;
		first = false;
	}
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "its symbols cannot be read to their end");
}

static int ask(struct elf_file *f, const struct elf_request *r, struct err *e)
{
	struct err ended;
	char *text;
	size_t len;
	pid_t pid;
	int out;

	memset(f, 0, sizeof(*f));
	TRY(start(r, &out, &pid, e));
	text = answer(out, r->seconds, &len, e);
	close(out);
	if (!text)
		kill(pid, SIGKILL);
	if (reap(pid, &ended) < 0 && text) {
		*e = ended;
		free(text);
		return -1;
	}
	if (!text)
		return -1;
	if (take_answer(f, text, len, e) == 0)
		return 0;
	elf_file_fini(f);
	return -1;
}

int elf_file_read(struct elf_file *f, const char *reader, int fd, const uint8_t *id, size_t id_len,
		  struct err *e)
{
	char digits[READER_DIGITS];
	char *const argv[] = { (char *)"zedsyms",
			       id_len ? reader_process_digits(id, id_len, digits) : NULL, NULL };
	char *const env[] = { NULL };
	const struct elf_request r = { reader, argv, env, fd, ELF_SECONDS };

	return ask(f, &r, e);
}

int elf_file_fetch(struct elf_file *f, const char *reader, const char *urls, const char *what,
		   const uint8_t *id, size_t id_len, struct err *e)
{
	char digits[READER_DIGITS], **env = reader_process_env(urls);
	char *const argv[] = { (char *)"zedsyms", (char *)what,
			       reader_process_digits(id, id_len, digits), NULL };
	const struct elf_request r = { reader, argv, env, -1, ELF_FETCH_SECONDS };
	int rc = ask(f, &r, e);

	reader_process_env_free(env);
	return rc;
}

bool elf_file_vaddr(const struct elf_file *f, uint64_t off, uint64_t *vaddr)
{
	for (unsigned i = 0; i < f->nloads; i++) {
		const struct elf_load *l = &f->loads[i];

		if (off < l->off || off - l->off >= l->size)
			continue;
		*vaddr = l->vaddr + (off - l->off);
		return true;
	}
	return false;
}

void elf_file_fini(struct elf_file *f)
{
	code_table_fini(&f->table);
	code_table_fini(&f->stubs);
	memset(f, 0, sizeof(*f));
}
