/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDSYMS_OPEN_FILES_H
#define ZED_PROGRAMS_ZEDSYMS_OPEN_FILES_H

#include <elfutils/libdwfl.h>

/* For dwfl_begin(): of files that are open already; libdw looks for none by itself. */
extern const Dwfl_Callbacks OPEN_FILES;

#endif
