/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_LTT_H
#define ZED_READER_LTT_LTT_H

#include "trace/source.h"

/*
 * Traces of the Linux Trace Toolkit, 2003 to 2006: a directory with control/ and eventdefs/.
 * Generation 1 (no version in its files; info/system.xml is needed) and versions 0.4 to 0.7.
 *
 * Files: any regular one whose name ends in _N, N being its CPU, and that begins with the magic
 * number; in generation 1 cpu/N, and the files of control/.  All of them have events, in buffers as
 * shown by LTTV: cpu_N is buffer "", any other is named by its path below the trace without the
 * number, "control/processes", "control/facilities".  flight-cpu_N, of the flight recorder, counts
 * as cpu_N if there is no such file; likewise for other names.
 *
 * Times: those of LTTV.  0.4 to 0.7: ns since the CPUs' counter was zero (clock "tsc"); with
 * source_opts.wall the wall clock at the start of the trace, advanced by the counter (clock
 * "wall").  Generation 1: the wall clock at each block's start, advanced by the counter, whose rate
 * follows from the block's two ends.  If the machine had no counter (has_tsc 0): the wall clock at
 * each block's start plus microseconds.  source_opts.raw_ts: the counter itself.
 *
 * An event's pid is -1, as the trace does not have it.  Lost events are not recorded either:
 * lost_size is the unused rest of a block.  A facility's events are FACILITY::EVENT; undescribed
 * ones are skipped, and reported once for each facility.
 */
extern const struct source_ops ltt_source;

#endif
