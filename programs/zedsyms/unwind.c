// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind: finds the callers in copies of stacks, by libdw and the unwind tables of files that are
 * asked for when a frame is in one first.  As perf: a caller's address is one less than that of the
 * return, so that it is within the call.
 */
#include "programs/zedsyms/unwind.h"

#include "base/mem.h"
#include "programs/zedsyms/open_files.h"
#include "symbols/unwind_wire.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define THREAD 1    /* a number of the one thread that a space has */
#define SP_X86_64 7 /* DWARF's number of rsp */
#define PC_X86_64 16
#define PC_I386 8

/* The files of a process, where they are mapped. */
struct unwind_space {
	Dwfl *dwfl;	   /* NULL: unused */
	bool attached;	   /* it knows the functions below */
	unsigned nmodules; /* that were reported to it */
};

struct unwind_work {
	int fd;
	uint8_t *message; /* the job and its stack */
	struct unwind_job job;
	const uint8_t *stack; /* job.len bytes from stack_at on */
	uint64_t stack_at;
	struct unwind_space *space; /* its own */
	unsigned asked;		    /* questions */
	struct unwind_frames out;
	struct unwind_space spaces[UNWIND_SPACES];
};

/* ---- questions ---- */

/* The unwinder has gone, or says what it does not say. */
static _Noreturn void leave(int status)
{
	_exit(status);
}

/* The descriptor that came with M; -1: none. */
static int descriptor_of(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* The file that is mapped at ADDRESS, and where that is in it; -1: none. */
static int ask(struct unwind_work *w, uint64_t address, uint64_t *off)
{
	const struct unwind_where where = { .kind = UNWIND_WHERE, .address = address };
	struct unwind_mapped mapped;
	struct iovec part = { &mapped, sizeof(mapped) };
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with;
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = with.bytes,
			    .msg_controllen = sizeof(with.bytes) };
	ssize_t n;

	if (send(w->fd, &where, sizeof(where), MSG_NOSIGNAL) != sizeof(where))
		leave(0);
	do
		n = recvmsg(w->fd, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(mapped) || mapped.kind != UNWIND_MAPPED)
		leave(n > 0);
	*off = mapped.off;
	return descriptor_of(&m);
}

/* ---- files ---- */

/* Is ELF of a program of the architecture ARCH? */
static bool is_of(Elf *elf, uint32_t arch)
{
	GElf_Ehdr head;

	static const struct {
		unsigned class, machine;
	} is[] = { [USER_X86_64] = { ELFCLASS64, EM_X86_64 },
		   [USER_ARM64] = { ELFCLASS64, EM_AARCH64 },
		   [USER_I386] = { ELFCLASS32, EM_386 } };

	return arch < sizeof(is) / sizeof(is[0]) && gelf_getehdr(elf, &head) &&
	       head.e_ident[EI_CLASS] == is[arch].class && head.e_ident[EI_DATA] == ELFDATA2LSB &&
	       head.e_machine == is[arch].machine;
}

/*
 * How far the addresses in memory are from those that ELF was linked for, when the byte at OFF of
 * it is at ADDRESS.  False: that byte is not loaded.
 */
static bool find_bias(Elf *elf, uint64_t address, uint64_t off, uint64_t *bias)
{
	size_t n;

	if (elf_getphdrnum(elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD || off < p.p_offset ||
		    off - p.p_offset >= p.p_filesz)
			continue;
		*bias = address - (p.p_vaddr + (off - p.p_offset));
		return true;
	}
	return false;
}

static bool bias_of(const struct unwind_work *w, int fd, uint64_t address, uint64_t off,
		    uint64_t *bias)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool found = elf && is_of(elf, w->job.arch) && find_bias(elf, address, off, bias);

	elf_end(elf);
	return found;
}

/* Let libdw know the file that is mapped at ADDRESS, if any. */
static void add_module(struct unwind_work *w, uint64_t address)
{
	struct unwind_space *s = w->space;
	Dwfl_Module *mod;
	uint64_t off, bias;
	char name[16];
	int fd;

	if (w->asked == UNWIND_QUESTIONS || s->nmodules == UNWIND_MODULES)
		return;
	w->asked++;
	fd = ask(w, address, &off);
	if (fd < 0)
		return;
	if (!bias_of(w, fd, address, off, &bias)) {
		close(fd);
		return;
	}
	snprintf(name, sizeof(name), "%u", s->nmodules++);
	dwfl_report_begin_add(s->dwfl);
	mod = dwfl_report_elf(s->dwfl, name, name, fd, bias, true);
	dwfl_report_end(s->dwfl, NULL, NULL);
	if (!mod)
		close(fd);
}

static void need_module(struct unwind_work *w, uint64_t address)
{
	if (!dwfl_addrmodule(w->space->dwfl, address))
		add_module(w, address);
}

/* ---- memory and registers ---- */

/* The SIZE (4 or 8) bytes at P, which is little-endian as this machine is. */
static uint64_t word_at(const void *p, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, p, size);
	return value;
}

/* The LEN bytes at the address AT that ELF was linked for. */
static bool read_file(Elf *elf, uint64_t at, size_t len, uint64_t *value)
{
	size_t n, size = 0;
	const char *bytes = elf_rawfile(elf, &size);

	if (!bytes || elf_getphdrnum(elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;
		uint64_t into;

		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD || at < p.p_vaddr)
			continue;
		into = at - p.p_vaddr;
		if (p.p_filesz < len || into > p.p_filesz - len || p.p_offset > size ||
		    size - p.p_offset < len || into > size - p.p_offset - len)
			continue;
		*value = word_at(bytes + p.p_offset + into, len);
		return true;
	}
	return false;
}

/* Bytes of a word of the program. */
static size_t word_size(const struct unwind_work *w)
{
	return w->job.arch == USER_I386 ? 4 : 8;
}

static bool read_stack(const struct unwind_work *w, uint64_t at, uint64_t *value)
{
	uint64_t into = at - w->stack_at, len = word_size(w);

	if (at < w->stack_at || w->job.len < len || into > w->job.len - len)
		return false;
	*value = word_at(w->stack + into, len);
	return true;
}

/* In a file that a frame was in, as it is mapped. */
static bool read_mapped(Dwfl *dwfl, uint64_t at, size_t len, uint64_t *value)
{
	Dwfl_Module *mod = dwfl_addrmodule(dwfl, at);
	GElf_Addr bias = 0;
	Elf *elf = mod ? dwfl_module_getelf(mod, &bias) : NULL;

	return elf && read_file(elf, at - bias, len, value);
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *value, void *arg)
{
	const struct unwind_work *w = arg;
	uint64_t word;

	if (!read_stack(w, at, &word) && !read_mapped(dwfl, at, word_size(w), &word))
		return false;
	*value = word;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct unwind_work *w = arg;
	const Dwarf_Word pc = w->job.pc;

	for (unsigned i = 0; i < USER_REGS; i++) {
		const Dwarf_Word value = w->job.regs[i];

		if (w->job.known >> i & 1 &&
		    !dwfl_thread_state_registers(thread, (int)i, 1, &value))
			return false;
	}
	/* Where DWARF has a number for it. */
	if (w->job.arch != USER_ARM64 &&
	    !dwfl_thread_state_registers(thread, w->job.arch == USER_I386 ? PC_I386 : PC_X86_64, 1,
					 &pc))
		return false;
	dwfl_thread_state_register_pc(thread, pc);
	return true;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return THREAD;
}

static const Dwfl_Thread_Callbacks THREADS = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* ---- frames ---- */

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct unwind_work *w = arg;
	bool exact; /* it was interrupted there, not called from there */
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL) || !pc)
		return DWARF_CB_ABORT;
	/* To see which it is, libdw unwinds it. */
	need_module(w, pc - 1);
	need_module(w, pc);
	if (!dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	w->out.ips[w->out.n++] = exact ? pc : pc - 1;
	return w->out.n < w->job.most ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/*
 * An entry of a PLT on x86-64, "jmp *X; push N; jmp Y", for which lld writes no unwind table: its
 * caller's address is on top of the stack.  Without a table, libdw would go by the frame pointer.
 */
static void pass_stub(struct unwind_work *w)
{
	uint64_t pc = w->job.pc, first, second, back;

	if (w->job.arch != USER_X86_64 || w->job.most < 2 ||
	    !read_mapped(w->space->dwfl, pc, 8, &first) ||
	    !read_mapped(w->space->dwfl, pc + 8, 8, &second) || (first & 0xffff) != 0x25ff ||
	    (first >> 48 & 0xff) != 0x68 || (second >> 24 & 0xff) != 0xe9 ||
	    !read_stack(w, w->job.sp, &back) || !back)
		return;
	w->out.ips[w->out.n++] = pc;
	w->job.pc = back - 1;
	w->job.sp += 8;
	w->job.regs[SP_X86_64] = w->job.sp;
	need_module(w, w->job.pc);
}

static void end_space(struct unwind_space *s)
{
	if (s->dwfl)
		dwfl_end(s->dwfl);
	*s = (struct unwind_space){ .dwfl = NULL };
}

static void unwind(struct unwind_work *w)
{
	struct unwind_space *s = w->space;
	unsigned found;

	if (w->job.fresh)
		end_space(s);
	if (!s->dwfl)
		s->dwfl = dwfl_begin(&OPEN_FILES);
	if (!s->dwfl)
		leave(1);
	need_module(w, w->job.pc);
	pass_stub(w);
	/* It learns the architecture from the first file. */
	if (!s->attached && s->nmodules)
		s->attached = dwfl_attach_state(s->dwfl, NULL, THREAD, &THREADS, w);
	found = w->out.n;
	if (s->attached)
		dwfl_getthread_frames(s->dwfl, THREAD, take_frame, w);
	/* It does not get to its first frame where no file is known. */
	if (w->out.n == found)
		w->out.ips[w->out.n++] = w->job.pc;
}

/* ---- jobs ---- */

static bool take_job(struct unwind_work *w, size_t len)
{
	if (len < sizeof(w->job))
		return false;
	memcpy(&w->job, w->message, sizeof(w->job));
	w->stack = w->message + sizeof(w->job);
	if (w->job.kind != UNWIND_JOB || w->job.len != len - sizeof(w->job) ||
	    w->job.space >= UNWIND_SPACES || !w->job.most || w->job.most > UNWIND_FRAMES)
		return false;
	w->stack_at = w->job.sp;
	w->space = &w->spaces[w->job.space];
	w->asked = 0;
	w->out.kind = UNWIND_DONE;
	w->out.n = 0;
	return true;
}

int unwind_serve(int fd)
{
	const size_t most = sizeof(struct unwind_job) + UNWIND_STACK_MOST;
	struct unwind_work *w = mem_zalloc(sizeof(*w));

	w->fd = fd;
	w->message = mem_alloc(most);
	elf_version(EV_CURRENT);
	for (;;) {
		ssize_t n = recv(fd, w->message, most, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		if (!take_job(w, n))
			return 1;
		unwind(w);
		n = offsetof(struct unwind_frames, ips) + 8 * (size_t)w->out.n;
		if (send(fd, &w->out, n, MSG_NOSIGNAL) != n)
			return 0;
	}
}
