// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwinder: has `zedsyms unwind` unwind stacks, and answers its questions: which file is mapped at
 * an address.  What it says is as hostile as the files that it reads.
 */
#include "symbols/unwinder.h"

#include "base/mem.h"
#include "base/mono.h"
#include "symbols/reader_process.h"
#include "symbols/unwind_wire.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

/* A file that was sent. */
struct sent_file {
	uint64_t address; /* one in it ... */
	uint64_t off;	  /* ... and where that is in the file */
	int fd;		  /* of code_files */
};

/* The memory of one process, as zedsyms knows it. */
struct process_files {
	const void *owner; /* NULL: unused */
	int32_t pid;
	uint64_t used; /* the turn in which it was last needed */
	bool fresh;    /* zedsyms has yet to forget what was there before */
	struct sent_file *v;
	size_t cap;
	unsigned n;
};

struct unwinder {
	const char *reader;
	struct code_files *files;
	struct notes *notes;
	int fd; /* -1: not started */
	pid_t pid;
	pid_t self; /* the process that started it: a fork of it does not share the socket */
	bool over;  /* no more stacks are unwound; this was said */
	uint64_t turn, spent;
	struct process_files spaces[UNWIND_SPACES];
};

struct unwinder *unwinder_new(const char *reader, struct code_files *files, struct notes *notes)
{
	struct unwinder *u = mem_zalloc(sizeof(*u));

	u->reader = reader;
	u->files = files;
	u->notes = notes;
	u->fd = -1;
	return u;
}

/* ---- the process ---- */

static int start(struct unwinder *u, struct err *e)
{
	char *const argv[] = { (char *)"zedsyms", (char *)"unwind", NULL };
	char *const env[] = { NULL };
	const struct timeval most = { .tv_sec = UNWIND_SECONDS };
	struct reader_start s = { u->reader, argv, env, -1, -1, -1 };
	int ends[2], rc;

	if (!u->reader)
		return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			       "zedsyms, which does it, is not beside this program (it is built "
			       "where libdw is: Debian's libdw-dev)");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(e, ERR_NO_OFF, "socketpair");
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
	setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	s.in = ends[1];
	rc = reader_process_start(&s, &u->pid, e);
	close(ends[1]);
	if (rc < 0) {
		close(ends[0]);
		return rc;
	}
	u->fd = ends[0];
	u->self = getpid();
	return 0;
}

/* The signal that ended it; 0: this did. */
static int stop(struct unwinder *u)
{
	if (u->fd < 0)
		return 0;
	close(u->fd);
	u->fd = -1;
	if (u->self != getpid())
		return 0;
	kill(u->pid, SIGKILL);
	return reader_process_end(u->pid);
}

/* No stack is unwound any more: say why, once. */
static void give_up(struct unwinder *u, struct err *e)
{
	int sig = stop(u);
	char how[80] = "";

	u->over = true;
	if (sig && sig != SIGKILL)
		snprintf(how, sizeof(how), " (zedsyms was ended by %s)", strsignal(sig));
	err_within(e, "stacks of programs are not unwound%s%s", u->turn > 1 ? " from here on" : "",
		   how);
	note_err(u->notes, NOTE_WARN, e);
}

/* ---- messages ---- */

static int sent_all(ssize_t n, size_t len, struct err *e)
{
	if (n == (ssize_t)len)
		return 0;
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "zedsyms %s",
		       n < 0 && errno == EAGAIN ? "takes too long" : "has ended");
}

static int send_job(const struct unwinder *u, const struct unwind_job *job, const uint8_t *stack,
		    struct err *e)
{
	struct iovec parts[] = { { (void *)job, sizeof(*job) }, { (void *)stack, job->len } };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t n;

	do
		n = sendmsg(u->fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return sent_all(n, sizeof(*job) + job->len, e);
}

static int send_mapped(const struct unwinder *u, const struct unwind_mapped *mapped, int fd,
		       struct err *e)
{
	struct iovec part = { (void *)mapped, sizeof(*mapped) };
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with = { .bytes = { 0 } };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		m.msg_control = with.bytes;
		m.msg_controllen = sizeof(with.bytes);
		with.head.cmsg_level = SOL_SOCKET;
		with.head.cmsg_type = SCM_RIGHTS;
		with.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&with.head), &fd, sizeof(fd));
	}
	do
		n = sendmsg(u->fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return sent_all(n, sizeof(*mapped), e);
}

/* What zedsyms says: one of them, by its kind. */
union unwind_reply {
	uint32_t kind;
	struct unwind_where where;
	struct unwind_frames frames;
};

/* Is the reply of LEN bytes complete? */
static bool is_whole(const union unwind_reply *r, size_t len)
{
	if (len == sizeof(r->where) && r->kind == UNWIND_WHERE)
		return true;
	return len >= offsetof(struct unwind_frames, ips) && r->kind == UNWIND_DONE &&
	       r->frames.n <= UNWIND_FRAMES &&
	       len == offsetof(struct unwind_frames, ips) + 8 * (size_t)r->frames.n;
}

/* A reply to the job that was sent at BEGAN. */
static int receive(const struct unwinder *u, uint64_t began, union unwind_reply *r, struct err *e)
{
	ssize_t n;

	do
		n = recv(u->fd, r, sizeof(*r), 0);
	while (n < 0 && errno == EINTR);
	if ((n < 0 && errno == EAGAIN) || mono_ns() - began > UNWIND_SECONDS * 1000000000ull)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "a stack took more than %u seconds: its program's unwind tables "
			       "are broken, or too large",
			       UNWIND_SECONDS);
	if (n <= 0)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "zedsyms has ended: the unwind tables of a program are broken, or "
			       "too large");
	if (!is_whole(r, n))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "zedsyms answers what was not asked");
	return 0;
}

/* ---- the memory of processes ---- */

static bool is_mapped(const struct unwinder *u, const struct sent_file *s,
		      const struct address_space *as)
{
	struct mapping m;

	return as->at(as->arg, s->address, &m) && m.off == s->off &&
	       code_files_program(u->files, &m) == s->fd;
}

/* What zedsyms has of S is no longer what AS has mapped. */
static bool has_changed(const struct unwinder *u, const struct process_files *s,
			const struct address_space *as)
{
	for (unsigned i = 0; i < s->n; i++)
		if (!is_mapped(u, &s->v[i], as))
			return true;
	return false;
}

/* The space of AS: its own, or, for a new one, the one not needed for longest. */
static struct process_files *files_of(struct unwinder *u, const struct address_space *as)
{
	struct process_files *s = &u->spaces[0];

	for (unsigned i = 0; i < UNWIND_SPACES; i++) {
		struct process_files *other = &u->spaces[i];

		if (other->owner == as->owner && other->pid == as->pid) {
			s = other;
			break;
		}
		if (other->used < s->used)
			s = other;
	}
	if (s->owner != as->owner || s->pid != as->pid || has_changed(u, s, as)) {
		s->owner = as->owner;
		s->pid = as->pid;
		s->fresh = true;
		s->n = 0;
	}
	s->used = u->turn;
	return s;
}

/*
 * Was the file FD sent with this place of it?  Then it cannot be used, as zedsyms asks again.
 */
static bool was_sent(const struct process_files *s, uint64_t place, int fd)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i].fd == fd && s->v[i].address - s->v[i].off == place)
			return true;
	return false;
}

static int answer(struct unwinder *u, struct process_files *s, const struct address_space *as,
		  uint64_t address, struct err *e)
{
	struct unwind_mapped mapped = { .kind = UNWIND_MAPPED };
	struct mapping m;
	int fd = -1;

	if (s->n < UNWIND_MODULES && as->at(as->arg, address, &m))
		fd = code_files_program(u->files, &m);
	if (fd >= 0 && !was_sent(s, address - m.off, fd)) {
		s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
		s->v[s->n++] = (struct sent_file){ address, m.off, fd };
		mapped.found = 1;
		mapped.off = m.off;
	}
	return send_mapped(u, &mapped, mapped.found ? fd : -1, e);
}

/* ---- one stack ---- */

static int unwind(struct unwinder *u, const struct user_state *state,
		  const struct address_space *as, union unwind_reply *r, unsigned most,
		  struct err *e)
{
	struct process_files *s = files_of(u, as);
	uint64_t began = mono_ns();
	struct unwind_job job = { .kind = UNWIND_JOB,
				  .space = s - u->spaces,
				  .fresh = s->fresh,
				  .arch = state->arch,
				  .most = most < UNWIND_FRAMES ? most : UNWIND_FRAMES,
				  .known = state->known,
				  .len = state->len < UNWIND_STACK_MOST ? state->len :
									  UNWIND_STACK_MOST,
				  .pc = state->pc,
				  .sp = state->sp };

	memcpy(job.regs, state->regs, sizeof(job.regs));
	s->fresh = false;
	TRY(send_job(u, &job, state->stack, e));
	for (unsigned asked = 0; asked <= UNWIND_QUESTIONS; asked++) {
		TRY(receive(u, began, r, e));
		if (r->kind == UNWIND_DONE && r->frames.n <= job.most)
			return 0;
		if (r->kind == UNWIND_DONE)
			break;
		TRY(answer(u, s, as, r->where.address, e));
	}
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "zedsyms answers what was not asked");
}

static bool is_late(const struct unwinder *u)
{
	return u->spent > UNWIND_NS_FREE && u->spent - UNWIND_NS_FREE > u->turn * UNWIND_NS_EACH;
}

unsigned unwinder_stack(struct unwinder *u, const struct user_state *s,
			const struct address_space *space, uint64_t *ips, unsigned most)
{
	uint64_t began = mono_ns();
	union unwind_reply r;
	struct err e;
	int rc;

	if (u->over || !most)
		return 0;
	u->turn++;
	rc = u->fd < 0 ? start(u, &e) : 0;
	if (rc == 0 && u->self != getpid())
		return 0;
	if (rc == 0)
		rc = unwind(u, s, space, &r, most, &e);
	u->spent += mono_ns() - began;
	if (rc == 0 && is_late(u))
		rc = err_set(&e, ERR_FORMAT, ERR_NO_OFF, "it takes too long: %" PRIu64 " s so far",
			     u->spent / 1000000000);
	if (rc < 0) {
		give_up(u, &e);
		return 0;
	}
	memcpy(ips, r.frames.ips, r.frames.n * sizeof(*ips));
	return r.frames.n;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	stop(u);
	for (unsigned i = 0; i < UNWIND_SPACES; i++)
		free(u->spaces[i].v);
	free(u);
}
