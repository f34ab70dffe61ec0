// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ledger: what each client of the server uses, and all of them together, in memory shared by their
 * processes.
 */
#include "record/net/server/ledger.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct ledger *ledger_new(void)
{
	struct ledger *l = mmap(NULL, sizeof(*l), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return l == MAP_FAILED ? NULL : l;
}

void ledger_free(struct ledger *l)
{
	if (l)
		munmap(l, sizeof(*l));
}

int ledger_enter(struct ledger *l, const char *host, uint64_t now)
{
	for (unsigned i = 0; i < LEDGER_PLACES; i++) {
		struct ledger_place *p = &l->places[i];

		if (*p->host)
			continue;
		p->heard = now;
		p->bytes = 0;
		p->ports = 0;
		p->leave = false;
		*p->dir = '\0';
		snprintf(p->host, sizeof(p->host), "%s", host);
		return i;
	}
	return -1;
}

void ledger_leave(struct ledger *l, unsigned place)
{
	struct ledger_place *p = &l->places[place];

	l->kept += p->bytes;
	p->bytes = 0;
	p->ports = 0;
	*p->host = '\0';
}

unsigned ledger_taken(const struct ledger *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < LEDGER_PLACES; i++)
		n += *l->places[i].host != '\0';
	return n;
}

int ledger_silent(const struct ledger *l, const char *host)
{
	int found = -1;

	for (unsigned i = 0; i < LEDGER_PLACES; i++) {
		const struct ledger_place *p = &l->places[i];

		if (!*p->host || (host && strcmp(p->host, host)))
			continue;
		if (found < 0 || p->heard < l->places[found].heard)
			found = i;
	}
	return found;
}

uint64_t ledger_total(const struct ledger *l)
{
	uint64_t sum = l->kept, n;

	for (unsigned i = 0; i < LEDGER_PLACES; i++) {
		n = l->places[i].bytes;
		sum = sum > UINT64_MAX - n ? UINT64_MAX : sum + n;
	}
	return sum;
}

bool ledger_take(struct ledger *l, unsigned place, uint64_t n)
{
	/*
	 * Added before it is checked: of two clients that come together both may be refused, but
	 * never is one too many let in.
	 */
	l->places[place].bytes += n;
	if (!l->max_total || ledger_total(l) <= l->max_total)
		return true;
	l->places[place].bytes -= n;
	return false;
}

void ledger_give(struct ledger *l, unsigned place, uint64_t n)
{
	l->places[place].bytes -= n;
}

bool ledger_take_ports(struct ledger *l, unsigned place, uint32_t n, uint32_t of_host, uint32_t all)
{
	uint64_t same = 0, sum = 0;

	l->places[place].ports = n;
	for (unsigned i = 0; i < LEDGER_PLACES; i++) {
		const struct ledger_place *p = &l->places[i];

		if (!*p->host)
			continue;
		sum += p->ports;
		if (!strcmp(p->host, l->places[place].host))
			same += p->ports;
	}
	if (same <= of_host && sum <= all)
		return true;
	l->places[place].ports = 0;
	return false;
}
