/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_TABLES_PARQUET_OBJECT_H
#define ZED_INTERP_TABLES_PARQUET_OBJECT_H

#include "interp/perl/perl_inc.h"

/*
 * The C part of Zed::Parquet (lib/Zed/Parquet.pm): its object with its methods.  A file that is
 * still open when the object is freed is completed then, except in a forked child, which leaves it
 * to the process that began it.
 */
void tables_boot(pTHX);

#endif
