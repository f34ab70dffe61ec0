// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * effects: what names, forks, exits, mappings and losses change when their time has come.
 */
#include "base/mem.h"
#include "reader/perf/trace.h"

#include <inttypes.h>
#include <string.h>

#define MISC_EXEC (1u << 13)	     /* COMM: another program */
#define MISC_MAP_BUILD_ID (1u << 14) /* MMAP2: a build id in place of the inode */
#define MMAP2_FILE 40	  /* u32 major, minor, u64 inode; or u8 length, 3 bytes, the build id */
#define KSYMBOL_GONE 1	  /* KSYMBOL: u64 address, u32 length, u16 type, u16 flags: this one */
#define MAX_MAP_NAME 4095 /* bytes kept: PATH_MAX */
#define MAX_COMM 255	  /* bytes kept; the kernel's have 15 */

static int32_t number_at(const struct perf *f, const struct record *r, unsigned at)
{
	return (int32_t)perf_u32(f, r->p + at);
}

/* ---- names ---- */

/* The recorder's task TID is called NAME. */
static void set_name(struct perf *f, int32_t tid, const char *name, size_t len)
{
	if (tid <= 0)
		return;
	comm_table_set(f->tasks.names, tid, name, len);
	if (!f->tasks.foreign)
		comms_set(f->base.machine.comms, 0, tid, name, len);
}

void perf_is_foreign(struct perf *f)
{
	if (!f->tasks.foreign)
		comms_forget(f->base.machine.comms);
	f->tasks.foreign = true;
}

static void add_name(struct perf *f, const struct record *r)
{
	const char *name = (const char *)r->p + COMM_NAME;
	size_t len = strnlen(name, r->size - COMM_NAME);

	if (r->misc & MISC_EXEC)
		maps_forget(&f->tasks.maps, number_at(f, r, 8));
	set_name(f, number_at(f, r, 12), name, len < MAX_COMM ? len : MAX_COMM);
}

/* ---- mappings ---- */

static void say_maps(struct perf *f)
{
	if (!f->reports.maps)
		note_say(f->notes, NOTE_WARN,
			 "%s: maps more than %u files at a time, or names that are too long: call "
			 "chains lack some",
			 f->base.in.path, MAPS_MAX);
	f->reports.maps = true;
}

/*
 * The map of the kernel's image is named "[kernel.kallsyms]_text", and begins at that symbol's
 * address: so symbols of another kernel, or another boot, can be detected.
 */
static void take_kernel(struct perf *f, const struct perf_map *map, size_t len)
{
	static const char image[] = "[kernel.kallsyms]";
	const size_t n = sizeof(image) - 1;
	const char *name;
	uint64_t addr;

	if (len <= n || len - n > SYMBOL_MAX || memcmp(map->name, image, n) != 0)
		return;
	f->about.kernel_symbol = mem_strndup(map->name + n, len - n);
	f->about.kernel_address = map->off;
	/* perf record --buildid-mmap writes no feature BUILD_ID. */
	if (map->build_id && !f->about.build_ids.kernel)
		f->about.build_ids.kernel = map->build_id;
	name = f->about.kernel_symbol;
	if (f->base.machine.given && symbols_address(f->base.machine.given, name, &addr) &&
	    addr != map->off)
		note_say(f->notes, NOTE_WARN,
			 "%s: the kernel's symbols are those of another kernel or another boot, "
			 "and names of its functions wrong: %s was at %" PRIx64
			 ", --kallsyms has it at %" PRIx64,
			 f->base.in.path, name, map->off, addr);
}

/* Which file it was: the build id, or the device and inode, which MMAP has not. */
static void take_identity(struct perf *f, const struct record *r, struct perf_map *map)
{
	const uint8_t *p = r->p + MMAP2_FILE;

	if (r->type != RECORD_MMAP2)
		return;
	if (r->misc & MISC_MAP_BUILD_ID) {
		map->build_id = build_ids_keep(&f->about.build_ids, p + 4, p[0]);
		return;
	}
	map->major = perf_u32(f, p);
	map->minor = perf_u32(f, p + 4);
	map->inode = perf_u64(f, p + 8);
}

static void add_map(struct perf *f, const struct record *r)
{
	unsigned at = r->type == RECORD_MMAP ? MMAP_NAME : MMAP2_NAME;
	uint64_t start = perf_u64(f, r->p + 16), len = perf_u64(f, r->p + 24);
	struct perf_map map = {
		.start = start,
		.end = len > UINT64_MAX - start ? UINT64_MAX : start + len,
		.off = perf_u64(f, r->p + 32),
		.name = (const char *)r->p + at,
	};
	size_t name_len = strnlen(map.name, r->size - at);
	int32_t pid = number_at(f, r, 8);

	if (name_len > MAX_MAP_NAME)
		name_len = MAX_MAP_NAME;
	take_identity(f, r, &map);
	if (pid == MAPS_KERNEL && !f->about.kernel_symbol)
		take_kernel(f, &map, name_len);
	if (!maps_add(&f->tasks.maps, pid, &map, name_len))
		say_maps(f);
}

/* A function that the kernel makes while it runs, mostly a program of BPF, or that it removes. */
static void take_ksymbol(struct perf *f, const struct record *r)
{
	uint64_t start = perf_u64(f, r->p + 8), len = perf_u32(f, r->p + 16);
	struct perf_map map = {
		.start = start,
		.end = len > UINT64_MAX - start ? UINT64_MAX : start + len,
		.name = (const char *)r->p + KSYMBOL_NAME,
		.function = true,
	};
	unsigned flags = perf_u32(f, r->p + 20);
	size_t name_len = strnlen(map.name, r->size - KSYMBOL_NAME);

	/* type and flags are two u16. */
	flags = f->form.big_endian ? flags & 0xffff : flags >> 16;
	if (flags & KSYMBOL_GONE)
		maps_remove(&f->tasks.maps, MAPS_KERNEL, map.start, map.end);
	else if (!maps_add(&f->tasks.maps, MAPS_KERNEL, &map,
			   name_len < SYMBOL_MAX ? name_len : SYMBOL_MAX))
		say_maps(f);
}

/* ---- tasks ---- */

/* FORK and EXIT have u32 process, parent process, thread, parent thread. */
static void forked(struct perf *f, const struct record *r, uint64_t ts)
{
	int32_t process = number_at(f, r, 8), parent_process = number_at(f, r, 12);
	int32_t tid = number_at(f, r, 16), parent = number_at(f, r, 20);
	const char *parents = tid == parent ? NULL : comm_table_name(f->tasks.names, parent);
	char name[COMM_MAX + 1];
	size_t len;

	if (process != parent_process && !maps_fork(&f->tasks.maps, process, parent_process, ts))
		say_maps(f);
	if (!parents)
		return;
	/* Setting a name may invalidate pointers to others. */
	len = strlen(parents);
	memcpy(name, parents, len + 1);
	set_name(f, tid, name, len);
}

/* The threads of a process have its maps. */
static void exited(struct perf *f, const struct record *r)
{
	int32_t process = number_at(f, r, 8);

	if (process == number_at(f, r, 16))
		maps_forget(&f->tasks.maps, process);
}

/* ---- losses ---- */

/* N events were lost before the time of D. */
static void lose(struct perf *f, const struct due *d, uint64_t n)
{
	const struct perf_attr *a = d->attr;
	const uint8_t *at = a && d->ts ? record_from_end(&d->r, a->end_cpu, RECORD_HEAD_LEN) : NULL;
	uint32_t cpu = at ? perf_u32(f, at) : UINT32_MAX;

	f->losses.placed += n;
	if (cpu < f->ncpus)
		f->cpus[cpu].lost += n;
	else
		f->losses.anywhere += n;
}

void perf_effect(struct perf *f, const struct due *d)
{
	const struct record *r = &d->r;

	switch (r->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		add_map(f, r);
		break;
	case RECORD_KSYMBOL:
		take_ksymbol(f, r);
		break;
	case RECORD_COMM:
		add_name(f, r);
		break;
	case RECORD_FORK:
		forked(f, r, d->ts);
		break;
	case RECORD_EXIT:
		exited(f, r);
		break;
	case RECORD_LOST:
		lose(f, d, perf_u64(f, r->p + 16));
		break;
	case RECORD_LOST_SAMPLES:
		lose(f, d, perf_u64(f, r->p + 8));
		break;
	}
}
