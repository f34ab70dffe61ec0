/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_TOKEN_H
#define ZED_RECORD_NET_TOKEN_H

#include "base/err.h"

#include <stdint.h>

/*
 * A secret that a server and its clients share.  It is never sent: each side sends a random number,
 * and proves that it knows the secret by the HMAC (RFC 2104, with SHA-256) of both numbers, so that
 * a proof that somebody has recorded is worth nothing later.
 */
#define TOKEN_LEAST 16 /* bytes of a token */
#define TOKEN_MOST 1024
#define TOKEN_NONCE 32 /* bytes of a random number, and of a proof */

struct token {
	uint8_t p[TOKEN_MOST];
	size_t len;
};

enum token_side { TOKEN_OF_CLIENT, TOKEN_OF_SERVER };

/*
 * The contents of the file PATH, without the line's end.  -1 with E, which says what to do: it is
 * not a regular file, users besides its owner can read it, or it is too short or too long.
 */
int token_read(struct token *t, const char *path, struct err *e);

/* Forget it. */
void token_fini(struct token *t);

int token_nonce(uint8_t nonce[TOKEN_NONCE], struct err *e);

/* The proof of SIDE, whose own number is OURS. */
void token_prove(const struct token *t, enum token_side side, const uint8_t ours[TOKEN_NONCE],
		 const uint8_t theirs[TOKEN_NONCE], uint8_t proof[TOKEN_NONCE]);

/* Is PROOF that of SIDE?  Takes the same time for every wrong one. */
bool token_is_proof(const struct token *t, enum token_side side, const uint8_t ours[TOKEN_NONCE],
		    const uint8_t theirs[TOKEN_NONCE], const uint8_t *proof);

#endif
