// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run_as: makes root another user, who can no longer be root.
 */
#include "record/net/server/run_as.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

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
