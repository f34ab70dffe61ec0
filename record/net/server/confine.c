// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * confine: what the server's processes can no longer do: be root (--user); and, of a client, take
 * more memory, file size, CPU time or time than the kernel's limits.
 */
#include "record/net/server/confine.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A sanitizer needs terabytes of address space, and time. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOW 10
#else
#define SLOW 1
#endif

/* ---- limits ---- */

/* Set the soft limit, which can be raised again; RLIM_INFINITY: to the hard limit. */
static void set_limit(int what, rlim_t n)
{
	struct rlimit l;

	if (getrlimit(what, &l) < 0)
		return;
	l.rlim_cur = l.rlim_max == RLIM_INFINITY || n < l.rlim_max ? n : l.rlim_max;
	setrlimit(what, &l);
}

static rlim_t cpu_used(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (rlim_t)t.tv_sec + 1;
}

void confine_begin(void)
{
	signal(SIGXFSZ, SIG_IGN); /* a failed write is an error like any other */
	signal(SIGXCPU, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	set_limit(RLIMIT_CORE, 0);
	if (SLOW == 1)
		set_limit(RLIMIT_AS, CONFINE_MEMORY);
	set_limit(RLIMIT_FSIZE, CONFINE_FILE);
	set_limit(RLIMIT_CPU, cpu_used() + CONFINE_CPU * SLOW);
	alarm(CONFINE_TIME);
}

void confine_run(void)
{
	alarm(0);
	set_limit(RLIMIT_FSIZE, RLIM_INFINITY);
	set_limit(RLIMIT_CPU, RLIM_INFINITY);
}

void confine_end(uint64_t bytes)
{
	set_limit(RLIMIT_CPU, cpu_used() + (CONFINE_END_CPU + (bytes >> 20)) * SLOW);
}

/* ---- the user ---- */

int runas_find(struct runas *r, const char *name, struct err *e)
{
	struct passwd *pw;

	errno = 0;
	pw = getpwnam(name);
	if (!pw && errno && errno != ENOENT)
		return err_sys(e, ERR_NO_OFF, "--user %s: cannot look up this user", name);
	if (!pw)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "--user %s: no such user", name);
	if (!pw->pw_uid)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "--user %s: this is root; name a user without privileges", name);
	if (geteuid() && geteuid() != pw->pw_uid)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "--user %s: only root can become another user", name);
	*r = (struct runas){ .uid = pw->pw_uid, .gid = pw->pw_gid };
	return 0;
}

int runas_become(const struct runas *r, const char *name, struct err *e)
{
	uid_t uid[3];
	gid_t gid[3];

	if (geteuid() == r->uid && getuid() == r->uid)
		return 0;
	if (setgroups(1, &r->gid) < 0 || setresgid(r->gid, r->gid, r->gid) < 0 ||
	    setresuid(r->uid, r->uid, r->uid) < 0)
		return err_sys(e, ERR_NO_OFF, "--user %s: cannot switch to this user", name);
	if (getresuid(&uid[0], &uid[1], &uid[2]) < 0 || getresgid(&gid[0], &gid[1], &gid[2]) < 0)
		return err_sys(e, ERR_NO_OFF, "--user %s: cannot read the user ids of the process",
			       name);
	for (unsigned i = 0; i < 3; i++)
		if (uid[i] != r->uid || gid[i] != r->gid)
			return err_set(e, ERR_SYS, ERR_NO_OFF,
				       "--user %s: the switch to this user failed", name);
	if (getgroups(0, NULL) != 1 || setuid(0) == 0 || setgid(0) == 0)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "--user %s: the process can still become root again", name);
	return 0;
}
