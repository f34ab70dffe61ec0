/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_LEDGER_H
#define ZED_RECORD_NET_SERVER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the server and the processes of its clients know of each other: memory that they share, a
 * place for each client.  Each process writes to its own place only.  What one that went wrong
 * could write are numbers: at worst a limit is met too early.
 */
#define LEDGER_PLACES 64 /* clients at a time */
#define LEDGER_NAME 96

struct ledger_place {
	char host[48];		/* set by the server: whom limits are counted for, tcp_host() */
	_Atomic uint64_t heard; /* ms (tcp_now): when something came last */
	_Atomic uint64_t bytes; /* of the disk: its share of the total */
	_Atomic uint32_t ports; /* data connections that it asked for */
	_Atomic bool leave;	/* set by the server: it is to end, others wait for its place */
	char dir[LEDGER_NAME];	/* in the server's directory; "": none yet */
};

struct ledger {
	uint64_t max_total;    /* bytes that recordings may fill together; 0: no limit */
	_Atomic uint64_t kept; /* of them those whose clients are gone */
	_Atomic bool unread;   /* set by the server: its one stream takes no more */
	struct ledger_place places[LEDGER_PLACES];
};

/* NULL: no memory. */
struct ledger *ledger_new(void);
void ledger_free(struct ledger *l);

/* A place for a client of HOST; -1: all are taken. */
int ledger_enter(struct ledger *l, const char *host, uint64_t now);
/* It has ended: what it took is kept from now on. */
void ledger_leave(struct ledger *l, unsigned place);

/* The place that has been silent longest, of HOST (NULL: of all); -1: there is none. */
int ledger_silent(const struct ledger *l, const char *host);

/* May PLACE have N bytes more?  They are taken then. */
bool ledger_take(struct ledger *l, unsigned place, uint64_t n);
void ledger_give(struct ledger *l, unsigned place, uint64_t n);
uint64_t ledger_total(const struct ledger *l);

/* May PLACE open N data connections, where its host may have OF_HOST and all together ALL? */
bool ledger_take_ports(struct ledger *l, unsigned place, uint32_t n, uint32_t of_host,
		       uint32_t all);

#endif
