/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_HANDSHAKE_H
#define ZED_RECORD_NET_SERVER_HANDSHAKE_H

#include "record/net/server/pages_in.h"
#include "record/net/server/one_client.h"
#include "record/net/server/stream_in.h"

/* A client as it has introduced itself, before its pages. */
struct peer {
	struct wire_reader reader; /* of its control connection */
	unsigned ncpus;
	uint32_t page_size;
	bool zed;		   /* a client of ours */
	bool one;		   /* ... that sends a zed stream on its one connection */
	bool paced;		   /* ... and can be told how often */
	bool watched;		   /* it sends names with their times */
	struct pages_in *pages_in; /* its data connections; NULL: it did not get this far, or ONE */
	struct stream_in *stream;  /* ONE: its stream, after READY; NULL: not begun */
	struct meta_check meta_check; /* its metadata, checked */
};

/*
 * Take a client from the first byte to the end of its metadata, within fixed times.  -1 with E, and
 * P filled as far as it got.  Call fini in any case.
 */
int handshake_run(struct peer *p, const struct serve_opts *o, struct err *e);
void peer_fini(struct peer *p);

#endif
