/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_SESSION_META_H
#define ZED_RECORD_SESSION_META_H

#include "record/output.h"

/*
 * The metadata of a session as the beginning of a trace.dat v7: header_page and header_event of the
 * instance, formats of the ftrace events and of those recorded (not of others in their subsystems),
 * kallsyms, printk_formats; options TRACECLOCK, UNAME, VERSION, CPUCOUNT, TRACEID.  What
 * cannot be read (kallsyms of a locked kernel) is reported and left empty.
 * DATE: an option DATE as well, with which readers show the time of day; -1 if S's clock does not
 * count ns.
 */
int meta_read(struct meta *m, struct session *s, bool date, struct notes *n, struct err *e);
void meta_fini(struct meta *m);

#endif
