/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_LEDGER_H
#define ZED_RECORD_NET_SERVER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the server and the processes of its clients know of each other: memory that they share, a
 * place for each client.  Each process writes to its own place only (and to PAGED).  A process that
 * misbehaves can only write wrong numbers: at worst a limit is reached too early.
 */
#define LEDGER_PLACES 64 /* clients at a time */
#define LEDGER_NAME 96

struct ledger_place {
	char host[48];		/* set by the server: the host that limits apply to, tcp_host() */
	_Atomic uint64_t heard; /* ms (tcp_now): when something last came */
	_Atomic uint64_t bytes; /* bytes on disk: its share of the total */
	_Atomic uint32_t ports; /* data connections that it asked for */
	_Atomic bool leave;	/* set by the server: it shall end, others wait for its place */
	char dir[LEDGER_NAME];	/* in the server's directory; "": none yet */
};

struct ledger {
	uint64_t max_total;	/* bytes that recordings may fill together; 0: no limit */
	_Atomic uint64_t kept;	/* bytes of recordings whose clients have ended */
	_Atomic bool unread;	/* set by the server: its single stream accepts no more */
	_Atomic uint64_t paged; /* ms (tcp_now): when any client last sent pages; set by all */
	struct ledger_place places[LEDGER_PLACES];
};

/* NULL: out of memory. */
struct ledger *ledger_new(void);
void ledger_free(struct ledger *l);

/* A place for a client of HOST; -1: all are taken. */
int ledger_enter(struct ledger *l, const char *host, uint64_t now);
/* It has ended: its bytes count as recorded from now on. */
void ledger_leave(struct ledger *l, unsigned place);

/* How many places are taken. */
unsigned ledger_taken(const struct ledger *l);

/* The place that has been silent longest, of HOST (NULL: of all); -1: there is none. */
int ledger_silent(const struct ledger *l, const char *host);

/* May PLACE have N more bytes?  If so, they are now allocated to it. */
bool ledger_take(struct ledger *l, unsigned place, uint64_t n);
void ledger_give(struct ledger *l, unsigned place, uint64_t n);
uint64_t ledger_total(const struct ledger *l);

/* May PLACE open N data connections, where its host may have OF_HOST and all hosts together ALL? */
bool ledger_take_ports(struct ledger *l, unsigned place, uint32_t n, uint32_t of_host,
		       uint32_t all);

#endif
