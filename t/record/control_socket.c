// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control_socket: the socket of a running recorder: who may ask, what, and for how long.  Without
 * it a client keeps a recorder from its work, or another user sees what it does.
 *
 * of: programs/zedtrace/control_socket.c programs/zedtrace/ask.c
 */
#include "programs/zedtrace/control_socket.h"
#include "t/lib/c/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER 65534 /* nobody */
#define MS 1000000ull

static char folder[90], path[108];

static int client(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void say(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		diag("send: %s", strerror(errno));
}

/* What has come; "-" while nothing has, "" at the end. */
static const char *heard(int fd)
{
	static char text[2 * CONTROL_ANSWER];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return "-";
	text[n] = '\0';
	return text;
}

static void test_requests(struct control *c)
{
	struct pollfd fds[CONTROL_CLIENTS + 1];
	int one, two, three;

	is_u64(control_fds(c, fds, CONTROL_CLIENTS + 1), 1, "without clients: one to wait for");
	one = client();
	two = client();
	three = client();
	is_u64(control_look(c, 0), 0, "they have said nothing");
	is_u64(control_fds(c, fds, CONTROL_CLIENTS + 1), 4, "three more to wait for");
	say(one, "status\n");
	say(two, "snap");
	say(three, "reboot\n");
	is_u64(control_look(c, 1), CONTROL_STATUS, "one has a request, another half of one");
	is_str(heard(three), "failed\nthis recorder does not know that request",
	       "and an unknown one");
	is_str(heard(three), "", "which ends there");
	is_str(heard(one), "-", "the answer takes its time");
	is_u64(control_look(c, 2), 0, "a request comes once (else: it is done for ever)");
	say(two, "shot\n");
	is_u64(control_look(c, 3), CONTROL_SNAPSHOT, "the other half");
	control_answer(c, CONTROL_STATUS, true, "well");
	is_str(heard(one), "ok\nwell", "the answer");
	is_str(heard(two), "-", "of that request only");
	control_answer(c, CONTROL_SNAPSHOT, false, "no");
	is_str(heard(two), "failed\nno", "and the other");
	is_u64(control_fds(c, fds, CONTROL_CLIENTS + 1), 1, "and all are gone");
	close(one);
	close(two);
	close(three);
}

static void test_limits(struct control *c)
{
	int silent = client(), wordy = client(), gone = client(), crowd[CONTROL_CLIENTS + 1];
	char much[CONTROL_LINE + 1];
	unsigned full = 0;

	control_look(c, 0);
	memset(much, 'x', sizeof(much));
	much[sizeof(much) - 1] = '\0';
	say(wordy, much);
	close(gone);
	control_look(c, CONTROL_MS * MS - 1);
	is_str(heard(wordy), "failed\nthis recorder does not know that request",
	       "a line that is too long is one (else: memory)");
	is_str(heard(silent), "-", "who is silent may be, for a time");
	control_look(c, CONTROL_MS * MS);
	is_str(heard(silent), "", "and is dropped then (else: no place is left for others)");
	close(silent);
	close(wordy);
	for (unsigned i = 0; i <= CONTROL_CLIENTS; i++)
		crowd[i] = client();
	control_look(c, 0);
	for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
		say(crowd[i], "json\n");
	is_u64(control_look(c, 0), CONTROL_JSON, "as many as there is room for");
	control_answer(c, CONTROL_JSON, true, "{}");
	for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
		full += !strcmp(heard(crowd[i]), "ok\n{}");
	is_u64(full, CONTROL_CLIENTS, "each has its answer");
	say(crowd[CONTROL_CLIENTS], "status\n");
	is_u64(control_look(c, 0), CONTROL_STATUS, "and then the one that had to wait");
	control_answer(c, CONTROL_STATUS, true, "");
	for (unsigned i = 0; i <= CONTROL_CLIENTS; i++)
		close(crowd[i]);
}

static void test_user(struct control *c)
{
	struct stat st;
	int go[2], fd, status;
	pid_t pid;
	char text[200] = "";
	ssize_t n;

	ok(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600, "the socket is its user's alone");
	if (geteuid() || pipe(go) < 0) {
		ok(true, "another user # SKIP this process cannot become another user");
		return;
	}
	/* As if the file did not keep them out. */
	chmod(folder, 0755);
	chmod(path, 0666);
	pid = fork();
	if (pid == 0) {
		if (setgroups(0, NULL) || setresgid(OTHER, OTHER, OTHER) ||
		    setresuid(OTHER, OTHER, OTHER))
			_exit(1);
		fd = client();
		say(fd, "status\n");
		n = write(go[1], "", 1);
		while ((n = recv(fd, text, sizeof(text) - 1, 0)) < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 20000);
		_exit(n > 0 && !strcmp(text, "failed\nonly the recorder's user and root may ask") ?
			      0 :
			      2);
	}
	n = read(go[0], text, 1);
	is_u64(control_look(c, 0), 0, "another user's request is none (else: it sees what we do)");
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "and that is what it gets");
	chmod(path, 0600);
	chmod(folder, 0700);
}

static void test_asking(struct control *c)
{
	char stale[130], other[130];
	pid_t *pids, gone = fork(), asker;
	struct err e;
	bool good = false;
	char *text;
	int status;

	if (gone == 0)
		_exit(0);
	waitpid(gone, NULL, 0);
	snprintf(stale, sizeof(stale), "%s/%d.sock", folder, (int)gone);
	snprintf(other, sizeof(other), "%s/%d.txt", folder, (int)getpid());
	close(creat(stale, 0600));
	close(creat(other, 0600));
	is_u64(control_list(folder, &pids), 1, "one recorder has a socket");
	is_u64((uint64_t)*pids, (uint64_t)getpid(), "this one");
	ok(access(stale, F_OK) < 0 && access(other, F_OK) == 0,
	   "what a killed one left is removed, and nothing else");
	free(pids);
	unlink(other);
	text = control_ask(folder, gone, CONTROL_STATUS, 1000, &good, &e);
	ok(!text && strstr(e.msg, "not a recorder"), "a process that is not one");
	asker = fork();
	if (asker == 0) {
		text = control_ask(folder, getppid(), CONTROL_SNAPSHOT, 20000, &good, &e);
		_exit(text && good && !strcmp(text, "x.dat") ? 0 : 1);
	}
	for (unsigned i = 0; i < 4000 && !(control_look(c, 0) & CONTROL_SNAPSHOT); i++)
		poll(NULL, 0, 5);
	control_answer(c, CONTROL_SNAPSHOT, true, "x.dat");
	waitpid(asker, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "who asks gets what is answered");
	asker = fork();
	if (asker == 0) {
		text = control_ask(folder, getppid(), CONTROL_STATUS, 100, &good, &e);
		_exit(!text && strstr(e.msg, "did not answer") ? 0 : 1);
	}
	waitpid(asker, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "one that does not answer is named after a time (else: --status hangs)");
}

int main(void)
{
	struct notes none = { .say = NULL };
	struct control *c;
	char deep[200];

	tap_template(folder, sizeof(folder), "/tmp", "control");
	if (!mkdtemp(folder))
		bail("no temporary directory");
	snprintf(path, sizeof(path), "%s/%d.sock", folder, (int)getpid());
	setenv("RUNTIME_DIRECTORY", folder, 1);
	close(creat(path, 0600));
	c = control_open(&none);
	if (!ok(c, "what an earlier process of this number left is no obstacle"))
		bail("no socket");
	test_requests(c);
	test_limits(c);
	test_user(c);
	test_asking(c);
	control_close(c);
	ok(access(path, F_OK) < 0, "the socket is removed");
	snprintf(path, sizeof(path), "%s/4194305.sock", folder); /* no process has that number */
	close(creat(path, 0600));
	c = control_open(&none);
	ok(c && access(path, F_OK) < 0,
	   "a new one removes what killed ones left (else: they pile up)");
	control_close(c);
	memset(deep, 'x', sizeof(deep) - 1);
	deep[0] = '/';
	deep[sizeof(deep) - 1] = '\0';
	setenv("RUNTIME_DIRECTORY", deep, 1);
	ok(!control_open(&none), "a folder whose path is too long: no socket, and no harm");
	control_close(NULL);
	rmdir(folder);
	return tap_done();
}
