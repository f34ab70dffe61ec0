// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * token: a secret that a server and its clients share, and how each proves to the other that it
 * knows it.
 */
#include "record/net/token.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/version.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_file(int fd, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot read %.300s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%.300s is not a regular file", path);
	if (st.st_mode & 077)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%.300s: its mode is %04o, so that others than its owner can use "
			       "the token: chmod 600 %.300s",
			       path, st.st_mode & 07777, path);
	return 0;
}

static int take_file(struct token *t, int fd, const char *path, struct err *e)
{
	ssize_t n;

	TRY(check_file(fd, path, e));
	while (t->len < TOKEN_MOST) {
		n = read(fd, t->p + t->len, TOKEN_MOST - t->len);
		if (n < 0 && errno != EINTR)
			return err_sys(e, ERR_NO_OFF, "cannot read %.300s", path);
		if (n == 0)
			break;
		t->len += n > 0 ? (size_t)n : 0;
	}
	if (t->len && t->len < TOKEN_MOST && t->p[t->len - 1] == '\n')
		t->len--;
	if (t->len >= TOKEN_LEAST && t->len < TOKEN_MOST)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "%.300s has %s%zu byte%s: a token has %u to %u; (umask 077; head -c 24 "
		       "/dev/urandom | base64 > %.300s) makes one",
		       path, t->len < TOKEN_MOST ? "" : "at least ", t->len, plural(t->len),
		       TOKEN_LEAST, TOKEN_MOST - 1, path);
}

int token_read(struct token *t, const char *path, struct err *e)
{
	/* A FIFO is refused, not waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;

	t->len = 0;
	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot open %.300s", path);
	rc = take_file(t, fd, path, e);
	close(fd);
	if (rc < 0)
		token_fini(t);
	return rc;
}

void token_fini(struct token *t)
{
	explicit_bzero(t, sizeof(*t));
}

int token_nonce(uint8_t nonce[TOKEN_NONCE], struct err *e)
{
	/* So few bytes come in one piece. */
	if (getrandom(nonce, TOKEN_NONCE, 0) == TOKEN_NONCE)
		return 0;
	return err_sys(e, ERR_NO_OFF, "cannot get random numbers");
}

void token_prove(const struct token *t, enum token_side side, const uint8_t ours[TOKEN_NONCE],
		 const uint8_t theirs[TOKEN_NONCE], uint8_t proof[TOKEN_NONCE])
{
	/* With the NUL: a proof of one side cannot be sent back as one of the other. */
	static const char name[][16] = { "zedtrace client", "zedtrace server" };
	struct hmac_sha256_ctx c;

	_Static_assert(SHA256_DIGEST_SIZE == TOKEN_NONCE, "a proof is a whole digest");
	hmac_sha256_set_key(&c, t->len, t->p);
	hmac_sha256_update(&c, sizeof(name[0]), (const uint8_t *)name[side]);
	hmac_sha256_update(&c, TOKEN_NONCE, theirs);
	hmac_sha256_update(&c, TOKEN_NONCE, ours);
#if NETTLE_VERSION_MAJOR >= 4
	hmac_sha256_digest(&c, proof);
#else
	hmac_sha256_digest(&c, TOKEN_NONCE, proof);
#endif
	explicit_bzero(&c, sizeof(c));
}

bool token_is_proof(const struct token *t, enum token_side side, const uint8_t ours[TOKEN_NONCE],
		    const uint8_t theirs[TOKEN_NONCE], const uint8_t *proof)
{
	uint8_t right[TOKEN_NONCE];

	token_prove(t, side, ours, theirs, right);
	return memeql_sec(right, proof, sizeof(right));
}
