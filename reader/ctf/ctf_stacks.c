// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_stacks: the call chains that LTTng's kernel tracer records as contexts (callstack-kernel,
 * callstack-user), and which files processes have mapped, as LTTng-UST's state dump and its events
 * of libraries say: by these, addresses of programs have names.
 */
#include "base/mem.h"
#include "reader/ctf/trace.h"
#include "trace/chain.h"
#include "trace/field.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PROCESSES (1u << 16)
#define MAX_MAPS 4096	      /* of one process */
#define MAX_TEXTS (16u << 20) /* bytes of all paths and build ids */
#define MAX_BUILD_ID 64	      /* bytes */

struct ust_map {
	uint64_t start, end;
	const char *path;
	const uint8_t *build_id;
	size_t build_id_len;
};

struct ust_process {
	int32_t pid;
	uint64_t changed; /* number of the last change, of all processes */
	struct ust_map *v;
	unsigned n;
	size_t cap;
};

struct ctf_maps {
	struct ust_process *v;
	size_t cap;
	struct hash_index by_pid;
	uint64_t changes;
	struct arena arena; /* of paths and build ids */
	size_t texts;
};

/* ---- chains ---- */

static const struct field *addresses(const struct ctf_layout *l, const char *name)
{
	const struct field *f = field_find_in(l->fields, l->nfields, name);

	return f && f->kind == FIELD_ARRAY && f->loc == FIELD_SPAN &&
			       (f->elem == 4 || f->elem == 8) ?
		       f :
		       NULL;
}

void ctf_stacks_find(struct ctf_known *k)
{
	k->kernel_stack = addresses(&k->layout, CTF_CONTEXT "callstack_kernel");
	k->user_stack = addresses(&k->layout, CTF_CONTEXT "callstack_user");
}

/*
 * Append MARK and the addresses in EV's F, which old kernels end with -1, to TO; nothing if there
 * are none.  Returns the end.
 */
static uint64_t *append(uint64_t *to, const struct event *ev, const struct field *f,
			enum chain_mark mark)
{
	uint64_t none = f->elem == 4 ? UINT32_MAX : UINT64_MAX, *begin = to;
	struct span s;

	if (!field_span(f, ev, &s))
		return to;
	*to++ = (uint64_t)mark;
	for (uint32_t i = 0; i + f->elem <= s.len; i += f->elem) {
		uint64_t address = field_load(s.p + i, f->elem, f->swap);

		if (!address || address == none)
			break;
		if (!chain_is_mark(address))
			*to++ = address;
	}
	return to == begin + 1 ? begin : to;
}

void ctf_stacks_put(struct ctf *t, const struct ctf_known *k, struct event *ev)
{
	uint64_t *to;

	/* Of an address of 4 bytes at least, and two marks. */
	t->chain = mem_grow(t->chain, &t->chain_cap, ev->size / 4 + 3, sizeof(*t->chain));
	to = t->chain;
	if (k->kernel_stack)
		to = append(to, ev, k->kernel_stack, CHAIN_KERNEL);
	if (k->user_stack)
		to = append(to, ev, k->user_stack, CHAIN_USER);
	ev->nchain = (uint32_t)(to - t->chain);
	ev->chain = ev->nchain ? t->chain : NULL;
	ev->process = k->process ? (int32_t)field_scalar(k->process, ev) : ev->pid;
}

/* ---- what processes have mapped ---- */

static bool has_member(const struct ctf_class *c, const char *name)
{
	for (const struct ctf_member *m = c ? c->members : NULL; m; m = m->next)
		if (!strcmp(m->name, name) || (m->name[0] == '_' && !strcmp(m->name + 1, name)))
			return true;
	return false;
}

bool ctf_stacks_are_in(const struct ctf_meta *m)
{
	static const char name[] = "callstack_user";

	for (const struct ctf_stream_class *s = m->streams; s; s = s->next)
		if (has_member(s->common_context, name))
			return true;
	for (const struct ctf_event_class *ev = m->events; ev; ev = ev->next)
		if (has_member(ev->context, name))
			return true;
	return false;
}

enum ctf_says ctf_maps_says(const char *name)
{
	static const struct {
		const char *name;
		enum ctf_says says;
	} EVENTS[] = {
		{ "lttng_ust_statedump:start", SAYS_MAPS_BEGIN },
		{ "lttng_ust_statedump:bin_info", SAYS_MAPPED },
		{ "lttng_ust_statedump:build_id", SAYS_BUILD_ID },
		{ "lttng_ust_dl:dlopen", SAYS_MAPPED },
		{ "lttng_ust_dl:build_id", SAYS_BUILD_ID },
		{ "lttng_ust_dl:dlclose", SAYS_UNMAPPED },
		{ "lttng_ust_lib:load", SAYS_MAPPED },
		{ "lttng_ust_lib:build_id", SAYS_BUILD_ID },
		{ "lttng_ust_lib:unload", SAYS_UNMAPPED },
	};

	for (unsigned i = 0; i < sizeof(EVENTS) / sizeof(EVENTS[0]); i++)
		if (!strcmp(EVENTS[i].name, name))
			return EVENTS[i].says;
	return SAYS_NOTHING;
}

static struct ust_process *find_process(const struct ctf_maps *m, int32_t pid)
{
	uint32_t hash = index_hash(&m->by_pid, (uint32_t)pid), slot = index_home(&m->by_pid, hash);
	uint32_t i;

	while (index_next(&m->by_pid, hash, &slot, &i))
		if (m->v[i].pid == pid)
			return &m->v[i];
	return NULL;
}

/* The same, made if there is none; NULL: too many. */
static struct ust_process *process_at(struct ctf_maps *m, int32_t pid)
{
	struct ust_process *p = find_process(m, pid);
	uint32_t n = m->by_pid.n;

	if (p || n == MAX_PROCESSES)
		return p;
	index_begin(&m->by_pid);
	m->v = mem_grow(m->v, &m->cap, n + 1, sizeof(*m->v));
	m->v[n] = (struct ust_process){ .pid = pid };
	index_add(&m->by_pid, index_hash(&m->by_pid, (uint32_t)pid), n);
	return &m->v[n];
}

/* The mapping of P that begins at BASE; NULL: none. */
static struct ust_map *map_at(const struct ust_process *p, uint64_t base)
{
	for (unsigned i = 0; p && i < p->n; i++)
		if (p->v[i].start == base)
			return &p->v[i];
	return NULL;
}

/* A copy of LEN bytes at P, and a NUL; NULL: no room. */
static const char *keep(struct ctf_maps *m, const void *p, size_t len)
{
	if (len > MAX_TEXTS - m->texts)
		return NULL;
	m->texts += len;
	return arena_strndup(&m->arena, p, len);
}

/* P has nothing from START up to END. */
static void remove_between(struct ust_process *p, uint64_t start, uint64_t end)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++)
		if (p->v[i].end <= start || p->v[i].start >= end)
			p->v[n++] = p->v[i];
	p->n = n;
}

static void map(struct ctf_maps *m, struct ust_process *p, const struct ctf_known *k,
		const struct event *ev, uint64_t base)
{
	uint64_t size = k->length ? field_scalar(k->length, ev) : 0;
	struct ust_map x = { .start = base, .end = base + size };
	struct span s;

	if (!size || x.end < base || !k->path || !field_span(k->path, ev, &s))
		return;
	remove_between(p, x.start, x.end);
	x.path = keep(m, s.p, strnlen((const char *)s.p, s.len));
	if (!x.path || p->n == MAX_MAPS)
		return;
	p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
	p->v[p->n++] = x;
}

static void set_build_id(struct ctf_maps *m, struct ust_map *x, const struct ctf_known *k,
			 const struct event *ev)
{
	struct span s;

	if (!x || !k->build_id || !field_span(k->build_id, ev, &s) || s.len > MAX_BUILD_ID)
		return;
	x->build_id = (const uint8_t *)keep(m, s.p, s.len);
	x->build_id_len = x->build_id ? s.len : 0;
}

void ctf_maps_take(struct ctf *t, const struct ctf_packets *f, const struct event *ev)
{
	const struct ctf_known *k = f->known;
	struct ctf_maps *m = t->maps;
	int32_t pid = k->process ? (int32_t)field_scalar(k->process, ev) : f->trace->process;
	uint64_t base = k->base ? field_scalar(k->base, ev) : 0;
	struct ust_process *p = m && pid > 0 ? process_at(m, pid) : NULL;

	if (!p)
		return;
	p->changed = ++m->changes;
	if (k->says == SAYS_MAPS_BEGIN)
		p->n = 0;
	else if (k->says == SAYS_MAPPED && k->base)
		map(m, p, k, ev, base);
	else if (k->says == SAYS_BUILD_ID)
		set_build_id(m, map_at(p, base), k, ev);
	else if (k->says == SAYS_UNMAPPED && map_at(p, base))
		remove_between(p, base, base + 1);
}

bool ctf_mapped(void *arg, const struct event *ev, uint64_t address, bool kernel,
		struct mapping *out)
{
	const struct ctf *t = arg;
	const struct ust_process *p = kernel || !t->maps || ev->process <= 0 ?
					      NULL :
					      find_process(t->maps, ev->process);

	for (unsigned i = 0; p && i < p->n; i++) {
		const struct ust_map *x = &p->v[i];

		if (address < x->start || address >= x->end)
			continue;
		*out = (struct mapping){ .file = x->path,
					 .host = t->host,
					 .pid = p->pid,
					 .off = address - x->start,
					 .from_base = true,
					 .build_id = x->build_id,
					 .build_id_len = x->build_id_len,
					 .ts = TS_UNKNOWN };
		return true;
	}
	return false;
}

uint64_t ctf_generation(void *arg, const struct event *ev, bool kernel)
{
	const struct ctf *t = arg;
	const struct ust_process *p = kernel || !t->maps ? NULL :
							   find_process(t->maps, ev->process);

	return p ? p->changed : 0;
}

struct ctf_maps *ctf_maps_new(void)
{
	return mem_zalloc(sizeof(struct ctf_maps));
}

void ctf_maps_free(struct ctf_maps *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->by_pid.n; i++)
		free(m->v[i].v);
	index_fini(&m->by_pid);
	arena_fini(&m->arena);
	free(m->v);
	free(m);
}
