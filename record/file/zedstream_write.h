/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_ZEDSTREAM_WRITE_H
#define ZED_RECORD_FILE_ZEDSTREAM_WRITE_H

#include "record/output.h"

/* A zed stream (docs/zed-stream.pod) to FD, borrowed: a pipe, a file, a socket. */
struct output *zedstream_write_new(int fd, struct err *e);

/* Before it begins: pack its metadata and pages with zstd. */
void zedstream_write_pack(struct output *o);

/*
 * For a reader that acknowledges in *REACHED (borrowed, bytes of the stream) what it has stored:
 * found() goes by that.  The output fails if nothing is taken for PATIENCE ns.
 */
void zedstream_write_acked(struct output *o, const uint64_t *reached, uint64_t patience);

/* Write what is held, and nothing more: the stream stays without an end.  As output_ops. */
int zedstream_write_flush(struct output *o, struct err *e);

/* No more of it can be written, whatever the descriptor says: found() is called next. */
void zedstream_write_broken(struct output *o);

/*
 * For a reader that acknowledges: how many events were lost, as those sub-buffers of CPU say that
 * it has not acknowledged (ring/loss_mark.h).
 */
uint64_t zedstream_write_missed(const struct output *o, int cpu);

/* Write one more frame, of KIND, at once.  As output_ops. */
int zedstream_write_frame(struct output *o, uint32_t kind, const void *p, size_t len,
			  struct err *e);

/* Bytes of the stream so far. */
uint64_t zedstream_write_length(const struct output *o);

#endif
