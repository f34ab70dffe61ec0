/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_FORMAT_H
#define ZED_READER_ZEDSTREAM_FORMAT_H

/*
 * The zed stream (docs/zed-stream.pod has the contract): a head, then frames {u32 kind, u32 len,
 * payload}, numbers are little-endian, whatever the traced machine.  Shared by the reader
 * (zedstream.c) and the writer (record/file/zedstream_write.c).
 */
/* A transfer in text mode damages it. */
#define FRAMES_MAGIC "\x89ZED\r\n\x1a\n"
#define FRAMES_MAGIC_LEN 8
#define FRAMES_VERSION 1
#define FRAMES_HEAD_LEN 16	     /* magic, u16 version, u16 flags (0), u32 longest payload */
#define FRAMES_FRAME_LEN 8	     /* u32 kind, u32 length of the payload */
#define FRAMES_MAX (8u << 20)	     /* bytes of a payload */
#define FRAMES_MAX_META (256u << 20) /* total bytes of META payloads */

enum frame_kind {
	FRAME_META = 1,	 /* a piece of the beginning of a trace.dat v7 that is not compressed:
			   header, sections, one options section that ends in DONE(0) */
	FRAME_READY,	 /* u64 total bytes of META; u32 bytes of a sub-buffer; clock\0: pages
			   may follow */
	FRAME_PAGES,	 /* u32 cpu; sub-buffers, each of full size except the last, which may end
			   with its data (and the count of lost events after them) */
	FRAME_ROUND,	 /* u64 watermark; u32 n; n times u32 cpu: nothing earlier than watermark
			  follows, except from these CPUs, which had more data */
	FRAME_COMM,	 /* lines "PID COMM\n", as saved_cmdlines has them: newer names */
	FRAME_FORMAT,	 /* system\0, then the text of an event's format: a new event */
	FRAME_STATS,	 /* u32 cpu; final text of per_cpu/cpuN/stats */
	FRAME_END,	 /* u64 events, u64 dropped: the recorder ended normally */
	FRAME_NAMES = 9, /* names with their times (trace/comms/comm_log.h); before READY, empty:
			   names will follow, all up to a round's watermark before that round */
	FRAME_CLOCK,	 /* i64 ns to add to this stream's times, u64 ns uncertainty of that, from
			 comparing clocks with the receiver; the first one is used */
	FRAME_TIME,	 /* u64: asks a server for its time (record/net/wire.h) */
	FRAME_LOST,	 /* u32 cpu; u64 events lost so far, by the kernel's statistics: all gaps
			   that are among them are in PAGES before */
	FRAME_WALL,    /* carrier, after CARRIER: i64 ns to add to the receiver's clock for the time
			since 1970 (UTC), u64 ns uncertainty of that */
	FRAME_CGROUPS, /* of tasks, with their times (trace/cgroups/cgroup_log.h): only in a
			  stream with NAMES, all up to a round's watermark before that round */
	FRAME_MAPS,    /* what processes have mapped (trace/maps/map_log.h): whole records, in the
			  order of the stream */
};

/* A reader skips unknown kinds, except those with this bit. */
#define FRAME_NEEDED 0x80000000u

/*
 * A META or PAGES frame: u32 its kind, u32 the length of its payload, then the payload as one zstd
 * frame.
 */
#define FRAME_PACKED (FRAME_NEEDED | 0x20)
#define FRAMES_PACKED_HEAD 8 /* bytes before the packed data */

/*
 * A carrier: zed streams of several sources in one.  Its first frame is a CARRIER; then only these,
 * and an END.  Each begins with the number of a source, u32, 0 only in CARRIER.
 */
enum carrier_kind {
	FRAME_CARRIER = FRAME_NEEDED | 0x10,
	FRAME_SOURCE, /* name\0: a new source */
	FRAME_PIECE,  /* the next bytes of its stream */
	FRAME_GONE,   /* its stream has ended */
};

#endif
