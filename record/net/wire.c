// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire: messages of trace-cmd's protocol V3 on a control connection, both ways.  No length is used
 * before it is checked.
 */
#include "record/net/wire.h"

#include "base/bytes.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

/* A message at the beginning of the buffer: 1; 0: incomplete; -1: invalid. */
static int parse(struct wire_reader *r, struct wire_msg *m, struct err *e)
{
	uint32_t size, fixed;

	if (r->have < WIRE_HEAD)
		return 0;
	size = bytes_u32(r->buf, true);
	fixed = bytes_u32(r->buf + 8, true);
	if (size < WIRE_HEAD || size > WIRE_MAX || fixed > size - WIRE_HEAD)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "invalid message of %u byte%s with a fixed part of %u (must be 12 "
			       "to %u)",
			       size, plural(size), fixed, WIRE_MAX);
	if (r->have < size)
		return 0;
	*m = (struct wire_msg){ .command = bytes_u32(r->buf + 4, true),
				.fixed = r->buf + WIRE_HEAD,
				.fixed_len = fixed,
				.data = r->buf + WIRE_HEAD + fixed,
				.data_len = size - WIRE_HEAD - fixed };
	r->used = size;
	return 1;
}

int wire_take(struct wire_reader *r, int fd, struct wire_msg *m, struct err *e)
{
	ssize_t n;
	int rc;

	memmove(r->buf, r->buf + r->used, r->have - r->used);
	r->have -= r->used;
	r->used = 0;
	for (;;) {
		rc = parse(r, m, e);
		if (rc)
			return rc;
		n = recv(fd, r->buf + r->have, sizeof(r->buf) - r->have, MSG_DONTWAIT);
		if (n > 0)
			r->have += n;
		else if (n == 0)
			return WIRE_END;
		else if (errno == EAGAIN)
			return 0;
		else if (errno != EINTR)
			return err_sys(e, ERR_NO_OFF, "cannot receive");
	}
}

int wire_recv(struct wire_reader *r, int fd, struct wire_msg *m, const struct tcp_wait *w,
	      struct err *e)
{
	unsigned left = w->ms;
	int rc;

	for (;;) {
		rc = wire_take(r, fd, m, e);
		if (rc < 0)
			return -1;
		if (rc == WIRE_END)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the peer hung up");
		if (rc)
			return 0;
		rc = tcp_poll(fd, POLLIN, w, &left, e);
		if (rc < 0)
			return -1;
		if (rc == 0 || !left)
			return err_set(e, ERR_SYS, ERR_NO_OFF,
				       tcp_stopped(w) ? "stopped" : "no message for %u seconds",
				       w->ms / 1000);
	}
}

int wire_send(int fd, unsigned command, const void *fixed, uint32_t fixed_len, const void *data,
	      uint32_t data_len, const struct tcp_wait *w, struct err *e)
{
	uint8_t buf[WIRE_MAX];
	uint32_t size = WIRE_HEAD + fixed_len + data_len;

	if (fixed_len > WIRE_DATA || data_len > WIRE_DATA - fixed_len)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "message of %u bytes is too long", size);
	bytes_put(buf, size, 4, true);
	bytes_put(buf + 4, command, 4, true);
	bytes_put(buf + 8, fixed_len, 4, true);
	if (fixed_len)
		memcpy(buf + WIRE_HEAD, fixed, fixed_len);
	if (data_len)
		memcpy(buf + WIRE_HEAD + fixed_len, data, data_len);
	return tcp_send(fd, buf, size, w, e);
}
