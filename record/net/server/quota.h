/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_QUOTA_H
#define ZED_RECORD_NET_SERVER_QUOTA_H

#include "base/err.h"
#include "record/net/server/ledger.h"

/*
 * How much one client of the server may put on the disk: its own limit (--max-size), and what is
 * left of the limit for all recordings together (--max-total), which the ledger counts.
 */
struct quota {
	struct ledger *ledger;
	unsigned place;	    /* the client's place in it */
	uint64_t max_size;  /* bytes; 0: no limit */
	uint32_t page_size; /* the least that is allocated from the limits at a time */

	uint64_t left;	  /* what is left of its own limit */
	uint64_t granted; /* allocated from both limits, and not used yet */
	bool limited;	  /* more was asked for than is left */
	bool no_total;	  /* ... as other recordings have the rest */
};

/*
 * Set the limits, less META bytes of metadata and names, and less what a file of NCPUS CPUs has
 * besides pages.  -1 with E: that leaves no room for a page.
 */
int quota_begin(struct quota *q, uint64_t meta, unsigned ncpus, struct err *e);

/* Are N more bytes allowed?  If so, they count as used. */
bool quota_take(struct quota *q, uint64_t n);

/* Sets the error that the limit for all recordings is reached; returns -1. */
int quota_no_total(const struct ledger *l, struct err *e);

/* A limit as it was probably given: "10 GiB", "200 KiB".  Returns BUF. */
const char *quota_text(uint64_t bytes, char buf[32]);

#endif
