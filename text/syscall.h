/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_SYSCALL_H
#define ZED_TEXT_SYSCALL_H

#include "base/mem.h"
#include "text/steps/tracers.h"

/*
 * System calls, which the kernel also prints by dedicated functions.  Fill OWN if TYPE (resolved)
 * is the entry or exit of one; allocates from A.
 */
bool syscall_find(const struct etype *type, struct arena *a, struct own *own);

#endif
