// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * admission: refuses requests that pages of other sites make: by the names in Host and Origin, and
 * by what browsers tell in Sec-Fetch-Site.
 */
#include "programs/zedperl/explore/admission.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SCHEME "http://"

void admission_init(struct admission *a, const char *host, bool any, unsigned port)
{
	bool v6 = strchr(host, ':') != NULL;

	snprintf(a->host, sizeof(a->host), "%s%.255s%s:%u", v6 ? "[" : "", host, v6 ? "]" : "",
		 port);
	snprintf(a->local, sizeof(a->local), "127.0.0.1:%u", port);
	snprintf(a->name, sizeof(a->name), "localhost:%u", port);
	a->any = any;
	a->port = port;
}

/*
 * "192.0.2.1:PORT" or "[2001:db8::1]:PORT": an address, which no other site can have as its name.
 */
static bool is_address(const char *s, unsigned port)
{
	const char *colon = strrchr(s, ':');
	unsigned char bits[16];
	char host[64], end[8];
	bool v6 = *s == '[';
	size_t len = colon ? (size_t)(colon - s) : 0;

	snprintf(end, sizeof(end), ":%u", port);
	if (!len || len >= sizeof(host) || strcmp(colon, end) != 0 || (v6 && s[len - 1] != ']'))
		return false;
	snprintf(host, sizeof(host), "%.*s", (int)(v6 ? len - 2 : len), s + v6);
	return inet_pton(v6 ? AF_INET6 : AF_INET, host, bits) == 1;
}

/* A host with its port, as in Host. */
static bool is_ours(const struct admission *a, const char *s)
{
	return !strcasecmp(s, a->host) || !strcmp(s, a->local) || !strcasecmp(s, a->name) ||
	       (a->any && is_address(s, a->port)) ||
	       /* A browser leaves out the port of the scheme. */
	       (a->port == 80 && (!strcmp(s, "127.0.0.1") || !strcasecmp(s, "localhost")));
}

static bool is_word(const char *s, const char *word)
{
	return s && !strcmp(s, word);
}

bool admission_passes(const struct admission *a, const struct admission_head *h, bool page)
{
	size_t n = strlen(SCHEME);

	if (h->hosts != 1 || !h->host || !is_ours(a, h->host))
		return false;
	if (h->origin && (strncmp(h->origin, SCHEME, n) != 0 || !is_ours(a, h->origin + n)))
		return false;
	if (!h->site || is_word(h->site, "same-origin") || is_word(h->site, "none"))
		return true;
	return page && is_word(h->mode, "navigate") && is_word(h->dest, "document");
}
