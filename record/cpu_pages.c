// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpu_pages: takes sub-buffers out of the kernel and gives them to an output.  Full ones go by
 * splice; partly filled ones are read, so that a slow trace is seen soon and the end is whole.
 */
#include "record/cpu_pages.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIPE_SIZE (1 << 20)	/* what an unprivileged process may ask for */
#define COMMIT_SIZE 0x07ffffffu /* of a sub-buffer's commit word (format.md 4.1) */
#define FEW 4			/* sub-buffers that are read rather than spliced */
#define LAST_TRIES 5		/* drains after tracing is off, until the kernel says empty */

int cpupages_init(struct cpu_pages *p, struct session *s, struct output *out, struct notes *notes,
		  struct err *e)
{
	const int *cpus;
	unsigned n = session_cpus(s, &cpus);
	int size;

	*p = (struct cpu_pages){ .s = s, .out = out, .notes = notes, .n = n };
	p->page_size = session_page_size(s);
	p->v = mem_zalloc((n + 1) * sizeof(*p->v));
	p->page = mem_alloc(p->page_size);
	for (unsigned i = 0; i < n; i++) {
		p->v[i].cpu = cpus[i];
		p->v[i].fd = session_fd(s, cpus[i]);
	}
	if (pipe2(p->pipe, O_CLOEXEC) < 0) {
		p->pipe[0] = p->pipe[1] = -1;
		return err_sys(e, ERR_NO_OFF, "cannot create a pipe");
	}
	/*
	 * A sub-buffer takes one slot of the pipe, whatever its size; there is a slot for each
	 * page.  A user who has many pipes gets a small one.
	 */
	fcntl(p->pipe[1], F_SETPIPE_SZ, PIPE_SIZE);
	size = fcntl(p->pipe[1], F_GETPIPE_SZ);
	if (size < 0)
		return err_sys(e, ERR_NO_OFF, "cannot get the size of a pipe");
	p->chunk = (size_t)((long)size / sysconf(_SC_PAGESIZE)) * p->page_size;
	if (p->chunk > CPU_TURN)
		p->chunk = CPU_TURN > p->page_size ? CPU_TURN / p->page_size * p->page_size :
						     p->page_size;
	return 0;
}

void cpupages_fini(struct cpu_pages *p)
{
	for (int i = 0; p->page && i < 2; i++)
		if (p->pipe[i] >= 0)
			close(p->pipe[i]);
	free(p->v);
	free(p->page);
	*p = (struct cpu_pages){ 0 };
}

/* Reading the file of a CPU failed: give that CPU up, and report it. */
static void leave_cpu(struct cpu_pages *p, struct cpu_source *c, const char *what)
{
	struct err e;

	err_sys(&e, ERR_NO_OFF,
		"cpu %d: cannot %s trace_pipe_raw: its events are missing from here on", c->cpu,
		what);
	note_err(p->notes, NOTE_DAMAGE, &e);
	c->fd = -1;
}

/* Nothing there now; the buffer of a CPU that is not (yet) online answers the same. */
static bool is_dry(ssize_t n)
{
	return n == 0 || (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ENODEV));
}

/*
 * Full sub-buffers of C, at most LIMIT bytes.  0, or the output's answer.  A splice that gives
 * fewer than were asked for has taken all there were: continuing would take the sub-buffers that
 * the writer fills meanwhile one by one, each at the cost of many.
 */
static int take_full(struct cpu_pages *p, struct cpu_source *c, uint64_t limit, struct err *e)
{
	uint64_t done = 0, before = p->out->bytes;

	c->busy = false;
	while (c->fd >= 0 && done < limit) {
		size_t want = limit - done < p->chunk ? (limit - done + p->page_size - 1) /
								p->page_size * p->page_size :
							p->chunk;
		ssize_t n = splice(c->fd, NULL, p->pipe[1], NULL, want, SPLICE_F_NONBLOCK);
		int rc;

		if (is_dry(n))
			return 0;
		if (n < 0) {
			leave_cpu(p, c, "splice from");
			return 0;
		}
		rc = p->out->ops->splice(p->out, c->cpu, p->pipe[0], n, e);
		c->bytes += p->out->bytes - before;
		if (rc || p->out->away)
			return rc;
		before = p->out->bytes;
		done += n;
		if ((size_t)n < want)
			return 0;
	}
	c->busy = c->fd >= 0;
	return 0;
}

/*
 * How much of a sub-buffer matters: header, data, and the count of lost events after them; with
 * room for a kernel whose long is 8 bytes.
 */
static uint32_t page_used(const struct cpu_pages *p)
{
	uint32_t used = 8 + 8 + (bytes_u32(p->page + 8, false) & COMMIT_SIZE) + 8;

	/* The offset of the commit word's low half depends on the size of the kernel's long. */
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ || used > p->page_size)
		return p->page_size;
	return used;
}

/*
 * Read one sub-buffer of C, which may be partly filled, as a copy: the kernel continues to write
 * after what was copied.  Returns its bytes; 0: there is none, or C was given up.
 */
static uint32_t read_page(struct cpu_pages *p, struct cpu_source *c)
{
	ssize_t n = c->fd < 0 ? 0 : read(c->fd, p->page, p->page_size);

	if (is_dry(n))
		return 0;
	if (n < 0) {
		leave_cpu(p, c, "read");
		return 0;
	}
	memset(p->page + n, 0, p->page_size - n);
	return (uint32_t)n;
}

/* Give the sub-buffer that was read to the output. */
static int give_page(struct cpu_pages *p, struct cpu_source *c, struct err *e)
{
	uint64_t before = p->out->bytes;
	int rc = p->out->ops->page(p->out, c->cpu, p->page, page_used(p), p->page_size, e);

	c->bytes += p->out->bytes - before;
	return rc;
}

/*
 * Partly filled sub-buffers.  Giving one away makes new events (its reader is woken), so taking
 * everything might never end: up to TIME of the trace clock is enough.  0, or the output's answer.
 */
static int take_rest(struct cpu_pages *p, struct cpu_source *c, uint64_t time, uint64_t limit,
		     struct err *e)
{
	uint64_t done = 0, first = 0;

	c->busy = false;
	while (c->fd >= 0 && done < limit && first < time) {
		int rc;

		if (!read_page(p, c))
			return 0;
		/* The time of the page's first record, as the kernel wrote it. */
		memcpy(&first, p->page, sizeof(first));
		rc = give_page(p, c, e);
		if (rc || p->out->away)
			return rc;
		done += p->page_size;
	}
	c->busy = c->fd >= 0 && first < time;
	return 0;
}

/*
 * All that C has, up to TIME.  A splice that finds no full sub-buffer costs the kernel some twenty
 * events of its own (memory that it takes and gives back), which a trace of all events would show:
 * so a few are read first, and mostly there are no others.
 */
static int take_all(struct cpu_pages *p, struct cpu_source *c, uint64_t time, uint64_t limit,
		    struct err *e)
{
	int rc = take_rest(p, c, time, (uint64_t)FEW * p->page_size, e);

	if (!rc && c->busy && !p->out->away)
		rc = take_full(p, c, limit, e);
	else
		return rc;
	return rc || c->busy || p->out->away ? rc : take_rest(p, c, time, limit, e);
}

int cpupages_take(struct cpu_pages *p, uint64_t time, uint64_t limit, struct err *e)
{
	for (unsigned i = 0; i < p->n; i++) {
		struct cpu_source *c = &p->v[i];
		int rc = time ? take_all(p, c, time, limit, e) : take_full(p, c, limit, e);

		if (rc || p->out->away)
			return rc;
	}
	return 0;
}

int cpupages_sample(struct cpu_pages *p,
		    void (*see)(void *arg, int cpu, const uint8_t *p, uint32_t len), void *arg,
		    struct err *e)
{
	for (unsigned i = 0; i < p->n; i++) {
		struct cpu_source *c = &p->v[i];
		uint32_t len = read_page(p, c);
		int rc;

		if (!len)
			continue;
		see(arg, c->cpu, p->page, len);
		rc = give_page(p, c, e);
		if (rc)
			return rc;
	}
	return 0;
}

/* Writers that were in the middle of a record finish within these tries. */
int cpupages_drain(struct cpu_pages *p, struct err *e)
{
	for (unsigned try = 0; try < LAST_TRIES; try++) {
		bool left = false;
		int rc = cpupages_take(p, UINT64_MAX, UINT64_MAX, e);

		if (rc || p->out->away)
			return rc;
		for (unsigned i = 0; i < p->n; i++) {
			struct cpu_stats st;

			if (p->v[i].fd >= 0 &&
			    session_stats(p->s, p->v[i].cpu, &st, NULL, e) == 0 && st.entries)
				left = true;
		}
		if (!left)
			return 0;
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	}
	return 0;
}
