/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_LTT_H
#define ZED_READER_LTT_LTT_H

#include "trace/source.h"

/*
 * Traces of the Linux Trace Toolkit, 2003 to 2006: a directory that holds control/ and eventdefs/.
 * Generation 1 (no version in its files; info/system.xml is needed) and versions 0.4 to 0.7.
 *
 * Which files: any regular one whose name ends in _N, N being its CPU, that begins with the magic
 * number; in generation 1 cpu/N, and the files of control/.  All of them give events, as LTTV
 * showed them, in buffers: cpu_N is buffer "", any other is named by its path below the trace
 * without the number, "control/processes", "control/facilities".  flight-cpu_N, of the flight
 * recorder, counts as cpu_N where there is no such file; the same goes for other names.
 *
 * Times: those of LTTV.  0.4 to 0.7: ns since the CPUs' counter was zero (clock "tsc"); with
 * source_opts.wall the wall clock, as it was when the trace began, goes on by the counter (clock
 * "wall").  Generation 1: the wall clock at each block's start goes on by the counter, whose rate
 * is what the block's two ends tell.  Where the machine had no counter (has_tsc 0): the wall clock
 * at each block's start and microseconds from there.  source_opts.raw_ts: the counter itself.
 *
 * An event's pid is -1, as the trace does not tell it.  Nothing tells of lost events either:
 * lost_size is what a block has left.  A facility's events are FACILITY::EVENT; those that nothing
 * describes are left out, said once for each facility.
 */
extern const struct source_ops ltt_source;

#endif
