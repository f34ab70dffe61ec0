// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * limits WORD... PROGRAM ARG...: becomes PROGRAM, with what each WORD says:
 *
 *	v=KIB t=SECONDS f=BYTES n=FILES	limits of address space, CPU time, file size and open files,
 *					soft and hard (n=64s: the soft one alone)
 *	<PATH >PATH 2>PATH		its streams
 *	NAME=VALUE			a variable of its environment
 *
 * limits each WORD... PROGRAM ARG... ';' WORD... PROGRAM ARG... ';' ...: runs one after another,
 * and prints "STATUS LATE" of each, as of wait().  Here w=SECONDS is a word as well: after that
 * time it is late and gets SIGABRT, and SIGKILL 10 seconds later.
 *
 * A shell would be a larger program, started once more for each run of a test, and forking a perl
 * costs more than many a run.
 * Exit status 125: what a WORD says cannot be done; 127: PROGRAM cannot be run.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	char letter;
	int resource;
	rlim_t unit; /* bytes, seconds or files of one of the limit's number */
} limits[] = {
	{ 'v', RLIMIT_AS, 1024 },
	{ 't', RLIMIT_CPU, 1 },
	{ 'f', RLIMIT_FSIZE, 1 },
	{ 'n', RLIMIT_NOFILE, 1 },
};

static pid_t running;
static volatile sig_atomic_t late;

/* Sets the limit that WORD names; false if it names none. */
static int set(const char *word)
{
	struct rlimit r;
	char *end;
	rlim_t n;

	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (word[0] != limits[i].letter)
			continue;
		n = strtoull(word + 2, &end, 10) * limits[i].unit;
		if (end == word + 2 || (*end && strcmp(end, "s")) ||
		    getrlimit(limits[i].resource, &r) < 0)
			return 0;
		r.rlim_cur = n;
		if (!*end)
			r.rlim_max = n;
		return setrlimit(limits[i].resource, &r) == 0;
	}
	return word[0] == 'w';
}

static int redirect(int fd, const char *path, int flags)
{
	int opened = open(path, flags, 0666);

	return opened >= 0 && dup2(opened, fd) == fd && (opened == fd || close(opened) == 0);
}

/* Does what WORD says: 1 if it could, 0 if not, -1 if this is the program. */
static int obey(char *word)
{
	if (word[0] == '<')
		return redirect(0, word + 1, O_RDONLY);
	if (word[0] == '>')
		return redirect(1, word + 1, O_WRONLY | O_CREAT | O_TRUNC);
	if (word[0] == '2' && word[1] == '>')
		return redirect(2, word + 2, O_WRONLY | O_CREAT | O_TRUNC);
	if (word[0] && word[1] == '=')
		return set(word);
	if (word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '=')
		return putenv(word) == 0;
	return -1;
}

static int become(char **word)
{
	int did;

	for (; *word && (did = obey(*word)) >= 0; word++) {
		if (!did) {
			fprintf(stderr, "limits: %s: not what can be set\n", *word);
			return 125;
		}
	}
	if (!*word) {
		fprintf(stderr, "usage: limits [each] WORD... PROGRAM ARG...\n");
		return 125;
	}
	execvp(*word, word);
	perror(*word);
	return 127;
}

static void too_long(int sig)
{
	(void)sig;
	kill(running, late++ ? SIGKILL : SIGABRT);
	alarm(10);
}

static void run(char **word)
{
	int status = 0;

	late = 0;
	running = fork();
	if (!running)
		_exit(become(word));
	for (char **w = word; *w && (*w)[0] && (*w)[1] == '='; w++)
		if (**w == 'w')
			alarm(atoi(*w + 2));
	while (running > 0 && waitpid(running, &status, 0) < 0)
		;
	alarm(0);
	printf("%d %d\n", running > 0 ? status : 125 << 8, late > 0);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sigaction a = { .sa_handler = too_long };
	char **word = argv + 2;

	if (argc < 2 || strcmp(argv[1], "each"))
		return become(argv + 1);
	sigaction(SIGALRM, &a, NULL);
	for (int i = 2; i <= argc; i++) {
		if (i < argc && strcmp(argv[i], ";"))
			continue;
		argv[i] = NULL;
		if (*word)
			run(word);
		word = argv + i + 1;
	}
	return 0;
}
