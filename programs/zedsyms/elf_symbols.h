/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDSYMS_ELF_SYMBOLS_H
#define ZED_PROGRAMS_ZEDSYMS_ELF_SYMBOLS_H

#include <stdio.h>

/*
 * Write what is used of the ELF file FD, which is closed, to OUT, in lines (zedsyms.c); no symbols
 * if its build id is not ID (hexadecimal; NULL: any).  NULL: all is written; else a text of why it
 * is not an ELF file that can be read.
 */
const char *elf_symbols_write(int fd, const char *id, FILE *out);

#endif
