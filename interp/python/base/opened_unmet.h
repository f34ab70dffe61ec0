/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_OPENED_UNMET_H
#define ZED_INTERP_PYTHON_BASE_OPENED_UNMET_H

struct opened;

/*
 * O was read to its end: add messages (opened_say()) about the arguments of zed.open() that no
 * event met, as programs/unmet.h has for options.
 */
void opened_say_unmet(struct opened *o);

#endif
