/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_RATE_H
#define ZED_RECORD_NET_SERVER_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* Which hosts connect too often: each connection costs a process and two lines of the log. */
#define RATE_MS 60000
#define RATE_MAX 300  /* connections of a host in that time */
#define RATE_HOSTS 64 /* that are remembered; a new one replaces the oldest */

struct rate {
	struct rate_host {
		char name[48];	/* tcp_host(); "": free */
		uint64_t begun; /* ms: of its minute */
		unsigned n;	/* connections since */
	} hosts[RATE_HOSTS];
};

enum rate_is {
	RATE_FINE,
	RATE_FIRST_TOO_MANY, /* to be logged */
	RATE_TOO_MANY,
};

/* Count one more connection of HOST at NOW (ms). */
enum rate_is rate_count(struct rate *r, const char *host, uint64_t now);

#endif
