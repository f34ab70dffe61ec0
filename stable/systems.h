/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLE_SYSTEMS_H
#define ZED_STABLE_SYSTEMS_H

#include <stdbool.h>

/*
 * Is PACKAGE (a system's name as a Perl package, with _ for bytes that a package cannot have) one
 * of the known event systems of kernels and LTT (stable/systems.txt)?
 */
bool systems_has(const char *package);

#endif
