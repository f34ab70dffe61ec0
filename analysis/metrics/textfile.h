/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_METRICS_TEXTFILE_H
#define ZED_ANALYSIS_METRICS_TEXTFILE_H

#include "base/err.h"
#include "base/outbuf.h"

/*
 * PATH becomes TEXT at once: a reader meanwhile sees the old or the new one whole.  Others
 * may read it (0644), as node-exporter has a user of its own; its collector takes only names that
 * end in .prom, so it never sees the file that becomes PATH.  -1 with E: PATH is as it was.
 */
int metrics_file_write(const char *path, const struct outbuf *text, struct err *e);

#endif
