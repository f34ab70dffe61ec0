/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_CTF_H
#define ZED_READER_CTF_CTF_H

#include "trace/source.h"

/* The directory of a CTF trace, or one that holds several: of LTTng, babeltrace, perf, barectf. */
extern const struct source_ops ctf_source;

#endif
