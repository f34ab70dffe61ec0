/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDSYMS_PLT_H
#define ZED_PROGRAMS_ZEDSYMS_PLT_H

#include <libelf.h>
#include <stdio.h>

/*
 * Write the stubs of ELF's PLT, in which calls of other libraries' functions begin, to OUT, as
 * lines "stub ADDRESS SIZE NAME@plt".  No table has names for them; as for perf, the Nth stub is
 * that of the Nth relocation of .rela.plt.  None of a machine whose stubs are not known, of a
 * static program, or if the section has not the size that they would take.
 */
void plt_write(Elf *elf, FILE *out);

#endif
