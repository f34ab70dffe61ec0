// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rate: how often each host connects, and whether that is too often.
 */
#include "record/net/server/rate.h"

#include <stdio.h>
#include <string.h>

static struct rate_host *host_of(struct rate *r, const char *name, uint64_t now)
{
	struct rate_host *h = &r->hosts[0];

	for (unsigned i = 0; i < RATE_HOSTS; i++) {
		if (!strcmp(r->hosts[i].name, name))
			return &r->hosts[i];
		if (r->hosts[i].begun < h->begun)
			h = &r->hosts[i];
	}
	*h = (struct rate_host){ .begun = now };
	snprintf(h->name, sizeof(h->name), "%s", name);
	return h;
}

enum rate_is rate_count(struct rate *r, const char *host, uint64_t now)
{
	struct rate_host *h = host_of(r, host, now);

	if (now - h->begun > RATE_MS) {
		h->begun = now;
		h->n = 0;
	}
	if (h->n <= RATE_MAX)
		h->n++;
	else
		return RATE_TOO_MANY;
	return h->n > RATE_MAX ? RATE_FIRST_TOO_MANY : RATE_FINE;
}
