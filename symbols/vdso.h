/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_VDSO_H
#define ZED_SYMBOLS_VDSO_H

/*
 * The vdso that the running kernel maps into this process, as a file in memory; -1: there is none.
 * It is no file on disk.
 */
int vdso_open(void);

#endif
