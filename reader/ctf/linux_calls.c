// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * linux_calls: which system call an event of LTTng's kernel tracer is of, and its number.  LTTng
 * writes the name, syscall_entry_openat, where the kernel's own events have a number, and does not
 * write the machine, by whose table names have numbers.
 */
#include "base/ascii.h"
#include "reader/ctf/trace.h"
#include "trace/lttng_event.h"
#include "trace/names/syscalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TASKS (1u << 20) /* that are in a call */

/* A task, and the number of the call that it is in; -1: none. */
struct calling {
	int32_t task;
	int64_t nr;
};

struct ctf_calls {
	struct arena arena;
	struct sysnames table; /* of the machine */
	struct own_calls own;  /* calls without a number there */
	struct calling *calling;
	size_t cap;
	struct hash_index by_task; /* of calling */
};

/* Compat: of a program of another word size than the kernel's. */
static const struct {
	const char *prefix;
	enum lttng_call call;
} PREFIXES[] = {
	{ "syscall_entry_", LTTNG_ENTER },
	{ "syscall_exit_", LTTNG_EXIT },
	{ "compat_syscall_entry_", LTTNG_ENTER },
	{ "compat_syscall_exit_", LTTNG_EXIT },
	/* Before LTTng 2.6, with one event for all exits: */
	{ "sys_", LTTNG_ENTER },
	{ "compat_sys_", LTTNG_ENTER },
};

#define EXIT_OF_ALL "exit_syscall"
#define UNKNOWN "unknown" /* a call that LTTng has no name for: its events have a field id */

/*
 * LTTng takes the names of the kernel's functions, SYSCALL_DEFINE(newstat); programs know the calls
 * by those of asm/unistd.h.
 */
static const struct {
	const char *function, *call;
	bool always; /* also if there is a call of the function's name: another one */
} FUNCTIONS[] = {
	{ "newstat", "stat", false },	     { "newfstat", "fstat", false },
	{ "newlstat", "lstat", false },	     { "newuname", "uname", false },
	{ "umount", "umount2", true },	     { "oldumount", "umount", true },
	{ "sendfile64", "sendfile", false }, { "sysctl", "_sysctl", false },
	{ "llseek", "_llseek", false },
};

/* ---- which machine ---- */

/* Those that LTTng runs on. */
static const char *const MACHINES[] = {
	"x86_64", "aarch64", "i686", "armv7l",	    "ppc64le", "ppc64",
	"ppc",	  "s390x",   "mips", "loongarch64", "mips64",  "riscv64",
};

#define MACHINE_COUNT (sizeof(MACHINES) / sizeof(MACHINES[0]))
#define MANY_CALLS 100 /* of which the trace has events: those of all calls were recorded */

/* The call that the function NAME is, by TABLE; -1: there is none. */
static int64_t number_in(const struct sysnames *table, const char *name, const char **call)
{
	int64_t nr;

	*call = name;
	for (unsigned i = 0; i < sizeof(FUNCTIONS) / sizeof(FUNCTIONS[0]); i++) {
		if (strcmp(FUNCTIONS[i].function, name) != 0)
			continue;
		nr = FUNCTIONS[i].always ? -1 : sysnames_number(table, name);
		if (nr >= 0)
			return nr;
		*call = FUNCTIONS[i].call;
		break;
	}
	return sysnames_number(table, *call);
}

/* The call that an event NAME is the native entry of; or NULL. */
static const char *native_entry(const char *name)
{
	static const char *const NATIVE[] = { "syscall_entry_", "sys_" };

	for (unsigned i = 0; i < sizeof(NATIVE) / sizeof(NATIVE[0]); i++)
		if (!strncmp(name, NATIVE[i], strlen(NATIVE[i])))
			return name + strlen(NATIVE[i]);
	return NULL;
}

/* Has TABLE all native calls that M has events of?  *N: how many these are. */
static bool has_all(const struct sysnames *table, const struct ctf_meta *m, unsigned *n)
{
	const char *call;

	*n = 0;
	for (const struct ctf_event_class *ev = m->events; ev; ev = ev->next) {
		const char *name = native_entry(ev->name);

		if (!name || !strcmp(name, UNKNOWN))
			continue;
		if (number_in(table, name, &call) < 0)
			return false;
		++*n;
	}
	return true;
}

/* The machine that alone has all of the calls of M; NULL: several have, or none. */
static const char *machine_by_calls(const struct ctf_meta *m)
{
	const char *only = NULL;

	for (unsigned i = 0; i < MACHINE_COUNT; i++) {
		struct arena a = { 0 };
		struct sysnames table;
		unsigned n = 0;
		bool all = sysnames_load(&table, MACHINES[i], &a) && has_all(&table, m, &n);

		arena_fini(&a);
		if (all && (n < MANY_CALLS || only))
			return NULL;
		if (all)
			only = MACHINES[i];
	}
	return only;
}

/* Distributions put it into the release: 6.1.0-13-amd64, 5.14.0-70.el9.x86_64. */
static const char *machine_in_release(const char *release)
{
	static const struct {
		const char *word, *machine;
	} WORDS[] = {
		{ "x86_64", "x86_64" }, { "amd64", "x86_64" },	  { "aarch64", "aarch64" },
		{ "arm64", "aarch64" }, { "i686", "i686" },	  { "armv7hl", "armv7l" },
		{ "armmp", "armv7l" },	{ "ppc64le", "ppc64le" }, { "powerpc64le", "ppc64le" },
		{ "s390x", "s390x" },	{ "riscv64", "riscv64" }, { "loongarch64", "loongarch64" },
	};
	const char *end = release + strlen(release);

	for (unsigned i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
		size_t len = strlen(WORDS[i].word);
		const char *at = strstr(release, WORDS[i].word);

		if (at && at > release && !ascii_alnum(at[-1]) &&
		    (at + len == end || !ascii_alnum(at[len])))
			return WORDS[i].machine;
	}
	return NULL;
}

/* Only x86 has the events x86_exceptions_...; an address there has the machine's size. */
static const char *machine_by_exceptions(const struct ctf_meta *m)
{
	static const char prefix[] = "x86_exceptions_";

	for (const struct ctf_event_class *ev = m->events; ev; ev = ev->next)
		if (!strncmp(ev->name, prefix, strlen(prefix)) && ev->payload &&
		    ev->payload->members)
			return ev->payload->members->class->bits == 64 ? "x86_64" : "i686";
	return NULL;
}

const char *ctf_linux_machine(const struct ctf_meta *m)
{
	const char *stated = ctf_env(m, "machine"), *release = ctf_env(m, "kernel_release");
	const char *machine = stated;

	if (!machine && release)
		machine = machine_in_release(release);
	if (!machine)
		machine = machine_by_exceptions(m);
	if (!machine)
		machine = machine_by_calls(m);
	return machine ? machine : "unknown";
}

/* ---- the call of an event ---- */

static struct ctf_calls *calls_of(struct ctf *t)
{
	char machine[64];

	if (t->calls)
		return t->calls;
	t->calls = mem_zalloc(sizeof(*t->calls));
	sysnames_arch(&t->base.machine, machine, sizeof(machine));
	sysnames_load(&t->calls->table, machine, &t->calls->arena);
	t->base.machine.calls = &t->calls->own;
	return t->calls;
}

void ctf_calls_free(struct ctf *t)
{
	if (!t->calls)
		return;
	arena_fini(&t->calls->arena);
	index_fini(&t->calls->by_task);
	free(t->calls->calling);
	free(t->calls->own.names);
	free(t->calls);
}

/* Where the name of the call is in that of the event L; NULL: it is of none. */
static const char *call_in(struct lttng_event *l)
{
	if (!strcmp(l->name, EXIT_OF_ALL))
		l->call = LTTNG_EXIT;
	for (unsigned i = 0; i < sizeof(PREFIXES) / sizeof(PREFIXES[0]); i++) {
		size_t len = strlen(PREFIXES[i].prefix);

		if (strncmp(l->name, PREFIXES[i].prefix, len) != 0 || !l->name[len])
			continue;
		l->call = PREFIXES[i].call;
		return l->name + len;
	}
	return NULL;
}

void ctf_linux_call(struct ctf *t, struct lttng_event *l)
{
	const char *name = call_in(l);
	struct ctf_calls *calls;

	if (!name || !strcmp(name, UNKNOWN))
		return;
	calls = calls_of(t);
	l->call_nr = number_in(&calls->table, name, &l->call_name);
	if (l->call_nr < 0)
		l->call_nr = own_calls_number(&calls->own, l->call_name);
}

/* ---- which call a task returns from ---- */

bool ctf_calls_hide_exits(const struct ctf_meta *m)
{
	for (const struct ctf_event_class *ev = m->events; ev; ev = ev->next)
		if (!strcmp(ev->name, EXIT_OF_ALL))
			return true;
	return false;
}

bool ctf_is_exit_of_all(const char *name)
{
	return !strcmp(name, EXIT_OF_ALL);
}

static struct calling *find_task(const struct ctf_calls *calls, int32_t task)
{
	const struct hash_index *x = &calls->by_task;
	uint32_t hash = index_hash(x, (uint32_t)task), slot = index_home(x, hash), i;

	while (index_next(x, hash, &slot, &i))
		if (calls->calling[i].task == task)
			return &calls->calling[i];
	return NULL;
}

void ctf_call_begins(struct ctf *t, int32_t task, int64_t nr)
{
	struct ctf_calls *calls = calls_of(t);
	struct calling *c = task < 0 ? NULL : find_task(calls, task);
	uint32_t n = calls->by_task.n;

	if (c)
		c->nr = nr;
	if (c || task < 0)
		return;
	if (n == MAX_TASKS) {
		ctf_calls_forget(t);
		n = 0;
	}
	index_begin(&calls->by_task);
	calls->calling = mem_grow(calls->calling, &calls->cap, n + 1, sizeof(*calls->calling));
	calls->calling[n] = (struct calling){ task, nr };
	index_add(&calls->by_task, index_hash(&calls->by_task, (uint32_t)task), n);
}

int64_t ctf_call_ends(struct ctf *t, int32_t task)
{
	struct calling *c = task < 0 ? NULL : find_task(calls_of(t), task);
	int64_t nr = c ? c->nr : -1;

	if (c)
		c->nr = -1;
	return nr;
}

void ctf_calls_forget(struct ctf *t)
{
	if (t->calls)
		index_fini(&t->calls->by_task);
}
