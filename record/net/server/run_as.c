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
		return err_sys(e, ERR_NO_OFF, "--user %s: cannot look for this user", name);
	if (!pw)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "--user %s: there is no such user", name);
	if (!pw->pw_uid)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "--user %s: that is root, which is to be "
			       "given up",
			       name);
	if (geteuid() && geteuid() != pw->pw_uid)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "--user %s: only root can become another "
			       "user",
			       name);
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
		return err_sys(e, ERR_NO_OFF, "--user %s: cannot become this user", name);
	if (getresuid(&uid[0], &uid[1], &uid[2]) < 0 || getresgid(&gid[0], &gid[1], &gid[2]) < 0)
		return err_sys(e, ERR_NO_OFF, "--user %s: cannot see who we are", name);
	for (unsigned i = 0; i < 3; i++)
		if (uid[i] != r->uid || gid[i] != r->gid)
			return err_set(e, ERR_SYS, ERR_NO_OFF,
				       "--user %s: we have not become this "
				       "user",
				       name);
	if (getgroups(0, NULL) != 1 || setuid(0) == 0 || setgid(0) == 0)
		return err_set(e, ERR_SYS, ERR_NO_OFF, "--user %s: root can be had back", name);
	return 0;
}
