// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedsyms: reads one ELF file, its standard input, and writes its functions to standard output, in
 * lines; or answers addresses with lines of the source.  zedperl and zedprint start it for each
 * file that a stack leads to: a process of its own, with limits, as the file may be anything
 * (symbols/README.md).  As "zedsyms unwind" it unwinds the stacks of a run (symbols/unwind_wire.h).
 */
#include "programs/zedsyms/demangle.h"
#include "programs/zedsyms/elf_symbols.h"
#include "programs/zedsyms/fetch.h"
#include "programs/zedsyms/inlines.h"
#include "programs/zedsyms/unwind.h"
#include "symbols/unwind_wire.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Numbers are hexadecimal, names have no control characters:
 *
 *	zedsyms 1
 *	build-id ABCDEF
 *	load OFFSET ADDRESS SIZE	a segment: bytes of the file from OFFSET on, at ADDRESS
 *	debuglink NAME			.gnu_debuglink
 *	symtab				it has a .symtab: its symbols are all
 *	dwarf				it has lines of the source ("zedsyms lines": inlines.h)
 *	mark ADDRESS NAME		_text, _stext: where a kernel's image begins
 *	s ADDRESS SIZE NAME		a function; in order of addresses, one for each
 *	stub ADDRESS SIZE NAME@plt	the code of a PLT that calls a function of a library
 *	end
 *
 * or, in place of "end", "error TEXT".  A file whose build id is not BUILD-ID has no lines from
 * "mark" on.  Of a module of the kernel, which is not linked, addresses are offsets in its .text.
 */
#define HEAD "zedsyms 1\n"

#define LINES_FILE 3 /* "zedsyms lines": the file's descriptor; standard input has addresses */

#define CPU_SECONDS 15
#define LINES_CPU_SECONDS 60 /* of a process that answers for a whole run */
#define FILES_MOST 16
#define MEMORY_FREE (1ull << 30) /* bytes, plus ... */
#define MEMORY_TIMES 4		 /* ... this many times the size of the file */
#define OUT_BUFFER (1u << 16)

/* For all stacks of a run; for each one the unwinder has limits. */
#define UNWIND_MEMORY (4ull << 30) /* bytes of addresses, most of which are mapped files */
#define UNWIND_CPU_SECONDS 36000
#define UNWIND_FILES (UNWIND_SPACES * UNWIND_MODULES + FILES_MOST)

static void limit(int what, rlim_t most)
{
	struct rlimit l = { most, most };

	setrlimit(what, &l);
}

/* The sanitizers take address space by the terabyte. */
static void limit_memory(rlim_t most)
{
#ifndef __SANITIZE_ADDRESS__
	limit(RLIMIT_AS, most);
#endif
}

/* Not more than what this process may have. */
static void limit_files(rlim_t most)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_max < most)
		most = now.rlim_max;
	limit(RLIMIT_NOFILE, most);
}

/* For the file FD. */
static rlim_t memory_for(int fd)
{
	struct stat st;

	return MEMORY_FREE + (fstat(fd, &st) == 0 ? MEMORY_TIMES * (rlim_t)st.st_size : 0);
}

/* Before a byte of a file is looked at. */
static void confine(rlim_t memory, rlim_t seconds, rlim_t files)
{
	limit_memory(memory);
	limit(RLIMIT_CPU, seconds);
	limit(RLIMIT_CORE, 0);
	limit_files(files);
	limit(RLIMIT_NPROC, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	unsetenv("DEBUGINFOD_URLS");
}

/* The file WHAT of the build id ID that a server has becomes LINES_FILE.  The reason if not. */
static const char *fetch_lines(const char *what, const char *id)
{
	const char *why;
	int fd = fetch_open(what, id, &why);

	if (!why && fd != LINES_FILE && dup2(fd, LINES_FILE) < 0)
		why = strerror(errno);
	return why;
}

/* Answer addresses until there are no more; from now on nothing can be opened. */
static int lines(const char *why)
{
	char request[32];

	confine(memory_for(LINES_FILE), LINES_CPU_SECONDS, FILES_MOST);
	closefrom(LINES_FILE + 1);
	limit(RLIMIT_NOFILE, LINES_FILE + 1);
	if (!why)
		why = inlines_serve(LINES_FILE, stdin, stdout);
	/* As the answer to the first address. */
	if (why && fgets(request, sizeof(request), stdin))
		printf("error %s\n.\n", why);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}

static int usage(void)
{
	fputs("usage: zedsyms [BUILD-ID] < FILE: the functions of an ELF file, one a line\n"
	      "       zedsyms executable|debuginfo BUILD-ID: of one from DEBUGINFOD_URLS\n"
	      "       zedsyms unwind < SOCKET: the callers in copies of stacks\n"
	      "       zedsyms lines 3< FILE: functions and lines of addresses, one a line\n"
	      "       zedsyms lines executable|debuginfo BUILD-ID: of one from DEBUGINFOD_URLS\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const char *why = NULL, *id = argc > 1 ? argv[argc - 1] : NULL;
	int fd;

	if (argc == 2 && !strcmp(argv[1], "--version")) {
		printf("libdw %s, names of C++ and Rust %s\n", dwfl_version(NULL),
		       DEMANGLES ? "by libiberty" : "as they are linked (built without libiberty)");
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "unwind")) {
		confine(UNWIND_MEMORY, UNWIND_CPU_SECONDS, UNWIND_FILES);
		return unwind_serve(STDIN_FILENO);
	}
	if (argc == 2 && !strcmp(argv[1], "lines"))
		return lines(NULL);
	if (argc == 4 && !strcmp(argv[1], "lines"))
		return lines(fetch_lines(argv[2], argv[3]));
	if (argc > 3 || (argc < 3 && isatty(STDIN_FILENO)))
		return usage();
	fd = argc == 3 ? fetch_open(argv[1], id, &why) : dup(STDIN_FILENO);
	confine(memory_for(fd), CPU_SECONDS, FILES_MOST);
	setvbuf(stdout, NULL, _IOFBF, OUT_BUFFER);
	fputs(HEAD, stdout);
	if (!why)
		why = elf_symbols_write(fd, id, stdout);
	if (why)
		printf("error %s\n", why);
	else
		puts("end");
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
