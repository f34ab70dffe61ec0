/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http: serves the metrics: as much of HTTP/1.1 as a scrape needs.  Requests are hostile: their
 * size, time and number are limited, and no part of one is repeated in an answer.
 */
#include "programs/http.h"

#include "base/ascii.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LINGER_MS 1000 /* for the client to close first, so that it gets the whole answer */
#define ACCEPTS 32     /* in a turn */

/* The metrics as last written, for all requests at the same time. */
struct http_page {
	unsigned refs;
	uint64_t made;
	struct outbuf text;
};

struct http_client {
	int fd; /* -1: free */
	enum { READING, WRITING, LINGERING } state;
	uint64_t since; /* when the state was entered */
	uint64_t moved; /* when data was last received or sent */
	char request[HTTP_REQUEST];
	size_t got;
	struct outbuf head;	/* of the answer, with a short body */
	struct http_page *page; /* NULL: none */
	size_t sent;		/* sent of both together */
};

struct http {
	int fd;
	bool full; /* other clients wait for a place */
	char name[256];
	http_text *text;
	void *arg;
	struct http_page *pages[2]; /* by form; the newest; or NULL */
	struct http_client clients[HTTP_CLIENTS];
};

struct http *http_new(int fd, const char *name, http_text *text, void *arg)
{
	struct http *h = mem_zalloc(sizeof(*h));

	h->fd = fd;
	snprintf(h->name, sizeof(h->name), "%s", name);
	h->text = text;
	h->arg = arg;
	for (unsigned i = 0; i < HTTP_CLIENTS; i++)
		h->clients[i].fd = -1;
	return h;
}

/* ---------------------------------------------------------------- pages */

static void page_put(struct http_page *p)
{
	if (!p || --p->refs)
		return;
	outbuf_fini(&p->text);
	free(p);
}

static struct http_page *page_get(struct http *h, enum metrics_form form, uint64_t now)
{
	struct http_page *p = h->pages[form];

	if (!p || now - p->made >= HTTP_FRESH_MS) {
		page_put(p);
		p = h->pages[form] = mem_zalloc(sizeof(*p));
		p->refs = 1;
		p->made = now;
		h->text(h->arg, form, &p->text);
	}
	p->refs++;
	return p;
}

/* ---------------------------------------------------------------- clients */

static void client_free(struct http_client *c)
{
	if (c->fd < 0)
		return;
	close(c->fd);
	c->fd = -1;
	outbuf_fini(&c->head);
	memset(&c->head, 0, sizeof(c->head));
	page_put(c->page);
	c->page = NULL;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	for (unsigned i = 0; i < HTTP_CLIENTS; i++)
		client_free(&h->clients[i]);
	page_put(h->pages[0]);
	page_put(h->pages[1]);
	close(h->fd);
	free(h);
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", whatever the locale. */
static void out_date(struct outbuf *o)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	time_t now = time(NULL);
	struct tm t;

	if (!gmtime_r(&now, &t))
		return;
	out_printf(o, "Date: %.3s, %02d %.3s %d %02d:%02d:%02d GMT\r\n", days + 3 * t.tm_wday,
		   t.tm_mday, months + 3 * t.tm_mon, t.tm_year + 1900, t.tm_hour, t.tm_min,
		   t.tm_sec);
}

/* Head of an answer with LEN bytes of TYPE; MORE: further lines of the head. */
static void out_head(struct outbuf *o, const char *status, const char *type, size_t len,
		     const char *more)
{
	out_printf(o, "HTTP/1.1 %s\r\n", status);
	out_date(o);
	out_printf(o,
		   "Content-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
		   "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n%s\r\n",
		   type, len, more);
}

static void answer(struct http_client *c, uint64_t now)
{
	c->state = WRITING;
	c->since = now;
	c->sent = 0;
}

static void refuse(struct http_client *c, const char *status, const char *more, uint64_t now)
{
	out_head(&c->head, status, "text/plain; charset=utf-8", strlen(status) + 1, more);
	out_str(&c->head, status);
	out_char(&c->head, '\n');
	answer(c, now);
}

/* ---------------------------------------------------------------- requests */

/* Where the head of the request ends; NULL: not yet. */
static const char *head_end(const struct http_client *c)
{
	const char *p = c->request, *end = p + c->got;

	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		p++;
		if (p < end && *p == '\n')
			return p;
		if (end - p >= 2 && p[0] == '\r' && p[1] == '\n')
			return p;
	}
	return NULL;
}

/* Is there WORD in the LEN bytes at S? */
static bool mentions(const char *s, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (; len >= n; s++, len--)
		if (!strncasecmp(s, word, n))
			return true;
	return false;
}

/*
 * What the lines of a head from P to END accept: OpenMetrics, unless they name only the older
 * format.
 */
static enum metrics_form form_of(const char *p, const char *end)
{
	bool open = false, text = false;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl : end) - p);

		if (len > 7 && !strncasecmp(p, "accept:", 7)) {
			open |= mentions(p + 7, len - 7, "application/openmetrics-text");
			text |= mentions(p + 7, len - 7, "text/plain");
		}
		p += len + 1;
	}
	return text && !open ? FORM_PROMETHEUS : FORM_OPENMETRICS;
}

/* The path of TARGET, LEN bytes of it: "http://host/metrics?x" is /metrics. */
static bool is_metrics(const char *target, size_t len)
{
	static const char path[] = "/metrics";
	size_t n = sizeof(path) - 1;

	if (len > 7 && !strncasecmp(target, "http://", 7)) {
		const char *slash = memchr(target + 7, '/', len - 7);

		if (!slash)
			return false;
		len -= (size_t)(slash - target);
		target = slash;
	}
	return len >= n && !memcmp(target, path, n) && (len == n || target[n] == '?');
}

/* Is the value of a Host, LEN bytes at S, an address, localhost or NAME, with a port or without? */
static bool is_ours(const char *name, const char *s, size_t len)
{
	const char *colon;

	while (len && (*s == ' ' || *s == '\t'))
		s++, len--;
	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t' || s[len - 1] == '\r'))
		len--;
	/* A bare IPv6 address has colons, and without brackets it is not a name. */
	if (len && *s == '[')
		return true;
	colon = memchr(s, ':', len);
	if (colon)
		len = (size_t)(colon - s);
	for (size_t i = 0; i < len; i++)
		if (!ascii_digit(s[i]) && s[i] != '.')
			return (len == 9 && !strncasecmp(s, "localhost", 9)) ||
			       (len == strlen(name) && !strncasecmp(s, name, len));
	return true;
}

/* No line of a head from P to END names another host. */
static bool hosts_are_ours(const char *name, const char *p, const char *end)
{
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl : end) - p);

		if (len > 5 && !strncasecmp(p, "host:", 5) && !is_ours(name, p + 5, len - 5))
			return false;
		p += len + 1;
	}
	return true;
}

static bool is_method(const char *s, size_t len, const char *method)
{
	return len == strlen(method) && !memcmp(s, method, len);
}

static void give_page(struct http *h, struct http_client *c, enum metrics_form form, bool body,
		      uint64_t now)
{
	static const char *const types[] = {
		[FORM_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
		[FORM_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
	};
	struct http_page *p = page_get(h, form, now);

	out_head(&c->head, "200 OK", types[form], p->text.len, "");
	if (body)
		c->page = p;
	else
		page_put(p);
	answer(c, now);
}

/* The request is complete: its head ends at END. */
static void take_request(struct http *h, struct http_client *c, const char *end, uint64_t now)
{
	const char *line = c->request, *nl = memchr(line, '\n', (size_t)(end - line));
	size_t len = (size_t)(nl - line), method, target;
	const char *at, *version;
	bool get, head;

	if (len && line[len - 1] == '\r')
		len--;
	at = memchr(line, ' ', len);
	method = at ? (size_t)(at - line) : 0;
	version = at ? memchr(at + 1, ' ', len - method - 1) : NULL;
	if (!method || !version || line + len - version != 9 ||
	    strncmp(version, " HTTP/", 6) != 0 || !ascii_digit(version[6]) || version[7] != '.' ||
	    !ascii_digit(version[8])) {
		refuse(c, "400 Bad Request", "", now);
		return;
	}
	if (version[6] != '1') {
		refuse(c, "505 HTTP Version Not Supported", "", now);
		return;
	}
	target = (size_t)(version - at - 1);
	get = is_method(line, method, "GET");
	head = is_method(line, method, "HEAD");
	if (!hosts_are_ours(h->name, nl + 1, end))
		refuse(c, "421 Misdirected Request", "", now);
	else if (!is_metrics(at + 1, target))
		refuse(c, "404 Not Found", "", now);
	else if (!get && !head)
		refuse(c, "405 Method Not Allowed", "Allow: GET, HEAD\r\n", now);
	else
		give_page(h, c, form_of(nl + 1, end), get, now);
}

/* ---------------------------------------------------------------- a turn */

static void client_read(struct http *h, struct http_client *c, uint64_t now)
{
	const char *end;
	ssize_t n = recv(c->fd, c->request + c->got, sizeof(c->request) - c->got, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (now - c->since >= HTTP_READ_MS)
			refuse(c, "408 Request Timeout", "", now);
		return;
	}
	if (n <= 0) {
		client_free(c);
		return;
	}
	c->got += (size_t)n;
	c->moved = now;
	end = head_end(c);
	if (end)
		take_request(h, c, end, now);
	else if (c->got == sizeof(c->request))
		refuse(c, "431 Request Header Fields Too Large", "", now);
	else if (now - c->since >= HTTP_READ_MS)
		refuse(c, "408 Request Timeout", "", now);
}

/* Send what is left: of the head, then of the page. */
static size_t next_piece(const struct http_client *c, const char **p)
{
	if (c->sent < c->head.len) {
		*p = c->head.p + c->sent;
		return c->head.len - c->sent;
	}
	if (!c->page)
		return 0;
	*p = c->page->text.p + (c->sent - c->head.len);
	return c->page->text.len - (c->sent - c->head.len);
}

static void client_write(struct http_client *c, uint64_t now)
{
	const char *p;
	size_t len;

	while ((len = next_piece(c, &p))) {
		ssize_t n = send(c->fd, p, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			if (now - c->since >= HTTP_WRITE_MS)
				client_free(c);
			return;
		}
		if (n <= 0) {
			client_free(c);
			return;
		}
		c->sent += (size_t)n;
		c->moved = now;
	}
	/* Closing with unread bytes would discard the answer. */
	shutdown(c->fd, SHUT_WR);
	c->state = LINGERING;
	c->since = now;
}

static void client_linger(struct http_client *c, uint64_t now)
{
	ssize_t n = recv(c->fd, c->request, sizeof(c->request), MSG_DONTWAIT);

	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR) || now - c->since >= LINGER_MS)
		client_free(c);
}

static void client_turn(struct http *h, struct http_client *c, uint64_t now)
{
	if (c->fd >= 0 && c->state == READING)
		client_read(h, c, now);
	if (c->fd >= 0 && c->state == WRITING)
		client_write(c, now);
	if (c->fd >= 0 && c->state == LINGERING)
		client_linger(c, now);
}

/*
 * A free place; or that of a client that has its answer, or of the one with no progress for
 * longest.  NULL: all make progress, and another one has to wait.
 */
static struct http_client *place_for(struct http *h, uint64_t now)
{
	struct http_client *stalled = NULL, *done = NULL;

	for (unsigned i = 0; i < HTTP_CLIENTS; i++) {
		struct http_client *c = &h->clients[i];

		if (c->fd < 0)
			return c;
		if (c->state == LINGERING && (!done || c->since < done->since))
			done = c;
		else if (!stalled || c->moved < stalled->moved)
			stalled = c;
	}
	if (done)
		return done;
	if (now - stalled->moved >= HTTP_STALLED_MS)
		return stalled;
	for (unsigned i = 0; i < HTTP_CLIENTS; i++)
		if (now - h->clients[i].since >= HTTP_PRESSED_MS)
			return &h->clients[i];
	return NULL;
}

void http_turn(struct http *h, uint64_t now)
{
	h->full = false;
	for (unsigned i = 0; i < HTTP_CLIENTS; i++)
		client_turn(h, &h->clients[i], now);
	for (unsigned i = 0; i < ACCEPTS; i++) {
		struct http_client *c = place_for(h, now);
		int fd;

		h->full = !c;
		if (!c)
			return;
		fd = accept4(h->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0)
			return;
		client_free(c);
		c->fd = fd;
		c->state = READING;
		c->since = c->moved = now;
		c->got = 0;
		client_turn(h, c, now);
	}
}

int http_fds(const struct http *h, struct pollfd *v, int room, int *ms)
{
	int n = 0;

	/* A client that waits gets a place as soon as one of the others stalls. */
	if (h->full && (*ms < 0 || *ms > HTTP_STALLED_MS))
		*ms = HTTP_STALLED_MS;
	if (room > 0 && !h->full)
		v[n++] = (struct pollfd){ .fd = h->fd, .events = POLLIN };
	for (unsigned i = 0; i < HTTP_CLIENTS && n < room; i++) {
		const struct http_client *c = &h->clients[i];

		if (c->fd >= 0)
			v[n++] = (struct pollfd){
				.fd = c->fd,
				.events = c->state == WRITING ? POLLOUT : POLLIN,
			};
	}
	return n;
}
