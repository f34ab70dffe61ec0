// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user_regs: the registers and the stack of a sample, as an unwinder needs them.
 */
#include "reader/perf/user_regs.h"

#include "reader/perf/trace.h"

#include <string.h>

enum { ABI_32 = 1, ABI_64 }; /* enum perf_sample_regs_abi */

#define PC 64	/* in place of DWARF's number: it has none, or another role */
#define NONE 65 /* ... not needed for unwinding */

/* By perf's number. */
static const uint8_t X86_64[] = { 0,	3,    2,    1,	  4, 5, 6,  7,	PC, NONE, NONE, NONE,
				  NONE, NONE, NONE, NONE, 8, 9, 10, 11, 12, 13,	  14,	15 };
static const uint8_t I386[] = { 0, 3, 1, 2, 6, 7, 5, 4, PC };
static const uint8_t ARM64[] = { 0,  1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 11, 12, 13, 14, 15, 16,
				 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, PC };

static const struct user_arch_regs {
	const char *name; /* as uname -m has it */
	unsigned abi;	  /* of the program */
	enum user_arch arch;
	const uint8_t *dwarf;
	uint8_t n;
	uint8_t sp; /* DWARF's number */
} ARCHS[] = {
	{ "x86_64", ABI_64, USER_X86_64, X86_64, sizeof(X86_64), 7 },
	{ "x86_64", ABI_32, USER_I386, I386, sizeof(I386), 4 },
	{ "i386", ABI_32, USER_I386, I386, sizeof(I386), 4 },
	{ "i686", ABI_32, USER_I386, I386, sizeof(I386), 4 },
	{ "aarch64", ABI_64, USER_ARM64, ARM64, sizeof(ARM64), 31 },
};

static void say_other_arch(struct perf *f, const char *name, bool known)
{
	if (known && !f->reports.abi)
		note_say(f->notes, NOTE_WARN, "%s: stacks of 32-bit programs are not unwound",
			 f->base.in.path);
	if (!known && !f->reports.arch)
		note_say(f->notes, NOTE_WARN,
			 "%s: the architecture %s: its copied stacks are not unwound (those of "
			 "x86_64, i386 and aarch64 are)",
			 f->base.in.path, name);
	f->reports.abi |= known;
	f->reports.arch |= !known;
}

/* That of a program of ABI on F's machine; NULL: another one, which is reported. */
static const struct user_arch_regs *arch_of(struct perf *f, uint64_t abi)
{
	const char *name = f->about.arch ? f->about.arch : "unknown";
	bool known = false;

	/* A sample of a kernel thread has none. */
	if (!abi)
		return NULL;
	for (size_t i = 0; i < sizeof(ARCHS) / sizeof(ARCHS[0]) && !f->form.big_endian; i++) {
		if (strcmp(ARCHS[i].name, name) != 0)
			continue;
		if (ARCHS[i].abi == abi)
			return &ARCHS[i];
		known = true;
	}
	say_other_arch(f, name, known);
	return NULL;
}

bool perf_user_state(void *arg, const struct event_sample *s, struct user_state *out)
{
	struct perf *f = arg;
	const uint8_t *p = s->record + s->regs_at;
	const struct user_arch_regs *a;
	bool has_pc = false;

	if (s->attr->tid == NOWHERE)
		return false;
	a = arch_of(f, perf_u64(f, p));
	if (!a)
		return false;
	*out = (struct user_state){ .arch = a->arch,
				    .pid = (int32_t)perf_u32(f, s->record + s->attr->tid),
				    .stack = s->record + s->stack_at,
				    .len = s->stack_len };
	for (uint64_t left = s->regs; left; left &= left - 1) {
		unsigned perf_number = __builtin_ctzll(left);
		unsigned to = perf_number < a->n ? a->dwarf[perf_number] : NONE;

		p += 8;
		if (to < USER_REGS) {
			out->regs[to] = perf_u64(f, p);
			out->known |= 1u << to;
		} else if (to == PC) {
			out->pc = perf_u64(f, p);
			has_pc = true;
		}
	}
	out->sp = out->regs[a->sp];
	return has_pc && out->known >> a->sp & 1;
}
