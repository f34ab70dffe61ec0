/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDSYMS_UNWIND_H
#define ZED_PROGRAMS_ZEDSYMS_UNWIND_H

/*
 * Unwind the stacks that come from the socket FD, as symbols/unwind_wire.h describes it, until it
 * is closed.  The exit status: 1: something else came.
 */
int unwind_serve(int fd);

#endif
