/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_TABLES_PARQUET_OBJECT_H
#define ZED_INTERP_TABLES_PARQUET_OBJECT_H

#include "interp/perl/perl_inc.h"

/*
 * What of Zed::Parquet (lib/Zed/Parquet.pm) is written in C: its object with its methods.  A file
 * that is still open when the object goes is completed then, but for one of a process that was
 * forked since: that leaves it to the one that began it.
 */
void tables_boot(pTHX);

#endif
