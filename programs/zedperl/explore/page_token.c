// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_token: the secret in the address of explore's page: a client that has it may ask.
 */
#include "programs/zedperl/explore/page_token.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int pagetoken_make(struct page_token *t, struct err *e)
{
	unsigned char bits[PAGE_TOKEN_LEN / 2];
	ssize_t n;

	do
		n = getrandom(bits, sizeof(bits), 0);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(bits))
		return err_sys(e, ERR_NO_OFF, "the kernel gives no random numbers");
	for (unsigned i = 0; i < sizeof(bits); i++)
		snprintf(t->text + 2 * (size_t)i, 3, "%02x", bits[i]);
	explicit_bzero(bits, sizeof(bits));
	return 0;
}

const char *pagetoken_below(const struct page_token *t, const char *path)
{
	volatile unsigned char other = 0;

	if (strnlen(path, PAGE_TOKEN_LEN + 2) < PAGE_TOKEN_LEN + 2)
		return NULL;
	for (unsigned i = 0; i < PAGE_TOKEN_LEN; i++)
		other |= (unsigned char)(path[1 + i] ^ t->text[i]);
	other |= (unsigned char)(path[0] ^ '/');
	other |= (unsigned char)(path[1 + PAGE_TOKEN_LEN] ^ '/');
	return other ? NULL : path + PAGE_TOKEN_LEN + 2;
}
