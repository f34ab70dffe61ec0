/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_SCRIPT_PYTHON_START_H
#define ZED_INTERP_PYTHON_SCRIPT_PYTHON_START_H

#include "interp/python/base/python_inc.h"
#include "interp/python/script/pyscript.h"

/*
 * Start Python, as python3 itself does, with the module zed built in.  False: *WHY says why not,
 * a constant text.
 */
bool python_start(const struct py_line *line, const char **why);

/* Is the script a file, which has a folder; and not standard input, or -e? */
bool python_is_file(const struct py_line *line);

/* sys.path: -I, the script's folder, then Python's own.  -1: an exception is set. */
int python_set_path(const struct py_line *line);

#endif
