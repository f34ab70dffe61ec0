/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_NUMBER_TABLES_H
#define ZED_INTERP_COMMON_NUMBER_TABLES_H

#include "trace/source.h"

/*
 * Names of the numbers of errors and system calls on the machines that the inputs of a run were
 * recorded on: read at the first use, kept in *T, NULL before.
 */
struct number_tables;

/*
 * The name of the error NR, not negative, on the machine M of the input S; S NULL: on most
 * machines.  NULL: it has none.
 */
const char *number_tables_errno(struct number_tables **t, const struct source *s, struct machine *m,
				uint64_t nr);

/* The name of the system call NR there.  NULL: it has none, or the machine is not stated. */
const char *number_tables_syscall(struct number_tables **t, const struct source *s,
				  struct machine *m, uint64_t nr);

void number_tables_free(struct number_tables *t); /* NULL is fine */

#endif
