/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_FORMAT_H
#define ZED_READER_ZEDSTREAM_FORMAT_H

/*
 * The zed stream (docs/zed-stream.pod has the contract): a head, then frames {u32 kind, u32 len,
 * payload}, numbers little endian, whatever the traced machine is.  Shared by the reader
 * (zedstream.c) and the writer (record/file/zedstream_write.c).
 */
/* Any transfer that treats it as text damages it. */
#define FRAMES_MAGIC "\x89ZED\r\n\x1a\n"
#define FRAMES_MAGIC_LEN 8
#define FRAMES_VERSION 1
#define FRAMES_HEAD_LEN 16	     /* magic, u16 version, u16 flags (0), u32 longest payload */
#define FRAMES_FRAME_LEN 8	     /* u32 kind, u32 length of the payload */
#define FRAMES_MAX (8u << 20)	     /* bytes of a payload */
#define FRAMES_MAX_META (256u << 20) /* bytes of all META payloads together */

enum frame_kind {
	FRAME_META = 1, /* a piece of the beginning of a trace.dat v7 that is not compressed:
			   header, sections, one options section that ends in DONE(0) */
	FRAME_READY,	/* u64 bytes of META in all; u32 bytes of a sub-buffer; clock\0: pages
			   may follow */
	FRAME_PAGES,	/* u32 cpu; sub-buffers, each of full size but the last, which may end
			   with its data (and the count of lost events after them) */
	FRAME_ROUND,  /* u64 watermark; u32 n; n times u32 cpu: nothing earlier than watermark will
			  come, except from these CPUs, which had more to give */
	FRAME_COMM,   /* lines "PID COMM\n", as saved_cmdlines has them: newer than before */
	FRAME_FORMAT, /* system\0, then the text of an event's format: an event that is new */
	FRAME_STATS,  /* u32 cpu; text of per_cpu/cpuN/stats at the end */
	FRAME_END,    /* u64 events, u64 dropped: the recorder ended as it should */
	FRAME_NAMES = 9, /* names with their times (trace/comms/comm_log.h); before READY, empty:
			   they will be told, all up to a round's watermark before that round */
	FRAME_CLOCK,	 /* i64 ns to be added to this stream's times, u64 ns by which that may be
			 wrong: what the clock of who received it says; the first one counts */
	FRAME_TIME,	 /* u64: asks a server for its time (record/net/wire.h) */
};

/* A reader skips kinds that it does not know, but not those with this bit. */
#define FRAME_NEEDED 0x80000000u

/*
 * A frame of META or PAGES: u32 its kind, u32 the length of its payload, and this packed, one frame
 * of zstd.
 */
#define FRAME_PACKED (FRAME_NEEDED | 0x20)
#define FRAMES_PACKED_HEAD 8 /* bytes before what is packed */

/*
 * A carrier: zed streams of several sources in one.  Its first frame is a CARRIER; then these
 * alone, and an END.  Each begins with the number of a source, u32, not 0 but in CARRIER.
 */
enum carrier_kind {
	FRAME_CARRIER = FRAME_NEEDED | 0x10,
	FRAME_SOURCE, /* name\0: a source that is new */
	FRAME_PIECE,  /* bytes of its stream, after those that came before */
	FRAME_GONE,   /* there are no more of it */
};

#endif
