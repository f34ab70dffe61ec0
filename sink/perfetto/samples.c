// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samples: the stacks of events as Perfetto's samples.  A packet has the time, the task and the
 * number of a stack, and, before its first use, whatever the number stands for: functions, files,
 * frames.  Each type of event is a sequence of its own, which has the type's name as its counter.
 */
#include "sink/perfetto/perfetto_priv.h"

#include "sink/perfetto/proto.h"
#include "trace/chain.h"
#include "trace/chain_frame.h"
#include "trace/event_sample.h"
#include "trace/field.h"

#include <stdlib.h>
#include <string.h>

/* protos/perfetto/trace: trace_packet, trace_packet_defaults; common/perf_events */
#define TRACE_PACKET 1
#define PACKET_TIMESTAMP 8
#define PACKET_SEQUENCE 10
#define PACKET_INTERNED 12
#define PACKET_FLAGS 13
#define PACKET_CLEARED 41
#define PACKET_DEFAULTS 59
#define PACKET_SAMPLE 66
#define FLAG_CLEARED 1
#define FLAG_NEEDS_STATE 2
#define DEFAULTS_SAMPLE 12
#define SAMPLE_TIMEBASE 1
#define TIMEBASE_TRACEPOINT 3
#define TRACEPOINT_NAME 1

/* profiling/profile_packet, profile_common */
#define SAMPLE_CPU 1
#define SAMPLE_PID 2
#define SAMPLE_TID 3
#define SAMPLE_STACK 4
#define SAMPLE_MODE 5
#define MODE_KERNEL 1
#define MODE_USER 2
#define ENTRY_ID 1
#define TEXT_BYTES 2
#define MAPPING_BUILD_ID 2
#define MAPPING_PATH 7
#define FRAME_FUNCTION 2
#define FRAME_MAPPING 3
#define FRAME_PC 4
#define STACK_FRAMES 2

/* The tables of a sequence: their fields in interned_data/interned_data. */
enum table {
	FUNCTIONS = 5,
	FRAMES = 6,
	STACKS = 7,
	BUILD_IDS = 16,
	PATHS = 17,
	MAPPINGS = 19,
};

#define KEYS_BYTES (8u << 20) /* of all keys: then the tables begin anew */
#define SAMPLE_MISC 4	      /* in a perf_event_header; its low bits: the mode */
#define MISC_MODE 7
#define MISC_KERNEL 1

struct sample_key {
	uint64_t id;
	size_t at;
	uint32_t len;
};

/* ---- numbers ---- */

/* A key of TABLE begins: its parts are appended to what is returned. */
static struct outbuf *begin_key(struct samples *s, enum table table)
{
	s->key.len = 0;
	out_bytes(&s->key, (const char *)&s->sequence, sizeof(s->sequence));
	out_char(&s->key, (char)table);
	return &s->key;
}

static void add_number(struct outbuf *key, uint64_t v)
{
	out_bytes(key, (const char *)&v, sizeof(v));
}

/*
 * The number of the key; *IS_NEW: it has none yet, and an entry has to be written.  Numbers are not
 * used again after the tables began anew: some readers keep what a number stood for.
 */
static uint64_t number_of(struct samples *s, bool *is_new)
{
	const struct outbuf *k = &s->key;
	uint32_t hash, slot, i, n = s->index.n;

	index_begin(&s->index);
	hash = index_hash_bytes(&s->index, k->p, k->len);
	slot = index_home(&s->index, hash);
	*is_new = false;
	while (index_next(&s->index, hash, &slot, &i))
		if (s->v[i].len == k->len && !memcmp(s->keys.p + s->v[i].at, k->p, k->len))
			return s->v[i].id;
	*is_new = true;
	s->v = mem_grow(s->v, &s->cap, n + 1, sizeof(*s->v));
	s->v[n] = (struct sample_key){ ++s->numbers, s->keys.len, (uint32_t)k->len };
	out_bytes(&s->keys, k->p, k->len);
	index_add(&s->index, hash, n);
	return s->v[n].id;
}

/* An entry of TABLE for the number ID begins. */
static size_t begin_entry(struct samples *s, enum table table, uint64_t id)
{
	size_t at = proto_begin(&s->interned, table);

	proto_uint(&s->interned, ENTRY_ID, id);
	return at;
}

static uint64_t text_number(struct samples *s, enum table table, const void *p, size_t len)
{
	struct outbuf *o = &s->interned;
	size_t entry, at;
	bool is_new;
	uint64_t id;

	out_bytes(begin_key(s, table), p, len);
	id = number_of(s, &is_new);
	if (!is_new)
		return id;
	entry = begin_entry(s, table, id);
	at = proto_begin(o, TEXT_BYTES);
	out_bytes(o, p, len);
	if (table != BUILD_IDS)
		proto_plain(o, at);
	proto_end(o, at);
	proto_end(o, entry);
	return id;
}

/* The file PATH (readers put a slash before it; "": unknown) with a build id, if LEN is not 0. */
static uint64_t mapping_number(struct samples *s, const char *path, const uint8_t *build_id,
			       size_t len)
{
	uint64_t file = *path ? text_number(s, PATHS, path, strlen(path)) : 0, id;
	uint64_t build = len ? text_number(s, BUILD_IDS, build_id, len) : 0;
	struct outbuf *k = begin_key(s, MAPPINGS);
	size_t entry;
	bool is_new;

	add_number(k, file);
	add_number(k, build);
	id = number_of(s, &is_new);
	if (!is_new)
		return id;
	entry = begin_entry(s, MAPPINGS, id);
	if (build)
		proto_uint(&s->interned, MAPPING_BUILD_ID, build);
	if (file)
		proto_uint(&s->interned, MAPPING_PATH, file);
	proto_end(&s->interned, entry);
	return id;
}

/* ---- frames ---- */

/* Where F is: a file with an offset in it, or the kernel or nowhere with the address itself. */
static uint64_t place_number(struct samples *s, const struct chain_frame *f, uint64_t address,
			     uint64_t *pc)
{
	char module[256];

	*pc = address;
	if (f->file) {
		*pc = f->file_off;
		return mapping_number(s, f->file + (*f->file == '/'), f->build_id, f->build_id_len);
	}
	if (f->module) {
		snprintf(module, sizeof(module), "[%s]", f->module);
		return mapping_number(s, module, NULL, 0);
	}
	return mapping_number(s, f->name ? "[kernel.kallsyms]" : "", NULL, 0);
}

static uint64_t frame_number(struct samples *s, const struct chain_frame *f, uint64_t address)
{
	uint64_t pc, id, place = place_number(s, f, address, &pc);
	uint64_t function = f->name ? text_number(s, FUNCTIONS, f->name, strlen(f->name)) : 0;
	struct outbuf *k = begin_key(s, FRAMES);
	size_t entry;
	bool is_new;

	add_number(k, place);
	add_number(k, pc);
	add_number(k, function);
	id = number_of(s, &is_new);
	if (!is_new)
		return id;
	entry = begin_entry(s, FRAMES, id);
	if (function)
		proto_uint(&s->interned, FRAME_FUNCTION, function);
	proto_uint(&s->interned, FRAME_MAPPING, place);
	proto_uint(&s->interned, FRAME_PC, pc);
	proto_end(&s->interned, entry);
	return id;
}

/* The same of an address of the event that the cache is at. */
static uint64_t address_number(struct samples *s, uint64_t address, bool kernel)
{
	struct cached_frame *f = frame_cache_at(&s->cache, address, kernel);
	uint64_t scope = s->round << 8 | s->sequence;

	if (f->scope != scope) {
		f->number = frame_number(s, &f->frame, address);
		f->scope = scope;
	}
	return f->number;
}

/* The stack C of EV, which has addresses; *KERNEL: the innermost is the kernel's. */
static uint64_t stack_number(struct samples *s, const struct event *ev, const struct chain *c,
			     bool *kernel)
{
	bool is_kernel = false, is_new;
	uint32_t i = 0, n = 0;
	uint64_t address, id;
	size_t entry;

	frame_cache_event(&s->cache, ev);
	while (chain_next(c, &i, &address, &is_kernel)) {
		if (!n)
			*kernel = is_kernel;
		s->frames = mem_grow(s->frames, &s->cap_frames, n + 1, sizeof(*s->frames));
		s->frames[n++] = address_number(s, address, is_kernel);
	}
	out_bytes(begin_key(s, STACKS), (const char *)s->frames, n * sizeof(*s->frames));
	id = number_of(s, &is_new);
	if (!is_new)
		return id;
	entry = begin_entry(s, STACKS, id);
	while (n)
		proto_uint(&s->interned, STACK_FRAMES, s->frames[--n]);
	proto_end(&s->interned, entry);
	return id;
}

/* ---- what an event has ---- */

/* The address of a sample of a counter that was recorded without stacks, in V. */
static struct chain sampled_address(uint64_t v[2], const struct event *ev)
{
	const struct event_sample *of = ev->sample;
	bool swap = ev->type->machine->swap;
	uint64_t mode;

	if (!of || of->attr->ip == EVENT_NOWHERE)
		return (struct chain){ .n = 0 };
	mode = field_load(of->record + SAMPLE_MISC, 2, swap) & MISC_MODE;
	v[0] = (uint64_t)(mode == MISC_KERNEL ? CHAIN_KERNEL : CHAIN_USER);
	v[1] = field_load(of->record + of->attr->ip, 8, swap);
	return (struct chain){ .v = v, .n = 2 };
}

static bool has_addresses(const struct chain *c)
{
	bool kernel = false;
	uint64_t address;
	uint32_t i = 0;

	return chain_next(c, &i, &address, &kernel);
}

/* ---- packets ---- */

/* The first packet of the sequence of type T: anything numbered in it before is void. */
static void begin_sequence(const struct samples *s, const struct etype *t, struct outbuf *o)
{
	size_t packet = proto_begin(o, TRACE_PACKET), defaults, sample, base, tracepoint, name;

	proto_uint(o, PACKET_SEQUENCE, s->sequence);
	proto_uint(o, PACKET_FLAGS, FLAG_CLEARED);
	proto_uint(o, PACKET_CLEARED, 1);
	defaults = proto_begin(o, PACKET_DEFAULTS);
	sample = proto_begin(o, DEFAULTS_SAMPLE);
	base = proto_begin(o, SAMPLE_TIMEBASE);
	tracepoint = proto_begin(o, TIMEBASE_TRACEPOINT);
	name = proto_begin(o, TRACEPOINT_NAME);
	out_str(o, t->system);
	out_char(o, ':');
	out_str(o, t->name);
	proto_plain(o, name);
	proto_end(o, name);
	proto_end(o, tracepoint);
	proto_end(o, base);
	proto_end(o, sample);
	proto_end(o, defaults);
	proto_end(o, packet);
}

/* The sequence of type T becomes the current one. */
static void choose_sequence(struct samples *s, const struct etype *t, struct outbuf *o)
{
	if (t->idx >= s->nsequences)
		s->sequences = mem_grow_zeroed(s->sequences, &s->nsequences, (size_t)t->idx + 1, 1);
	if (!s->sequences[t->idx]) {
		s->sequences[t->idx] = (uint8_t)(SEQUENCE_SAMPLES + s->used);
		s->used += SEQUENCE_SAMPLES + s->used < SEQUENCES - 1;
	}
	s->sequence = s->sequences[t->idx];
	if (s->began[s->sequence] == s->round)
		return;
	s->began[s->sequence] = s->round;
	begin_sequence(s, t, o);
}

static void begin_tables(struct samples *s)
{
	index_fini(&s->index);
	s->keys.len = 0;
	s->round++;
}

void samples_put(struct samples *s, const struct event *ev, uint64_t ts, struct outbuf *o)
{
	uint64_t task = ev->pid < 0 ? 0 : (uint64_t)ev->pid, stack, address[2];
	struct chain chain = stack_chain_of(&s->chain, ev);
	size_t packet, sample;
	bool kernel = false;

	if (!chain.n && !ev->type->format_len)
		chain = sampled_address(address, ev);
	if (!has_addresses(&chain))
		return;
	if (!s->round || s->keys.len > KEYS_BYTES)
		begin_tables(s);
	choose_sequence(s, ev->type, o);
	s->interned.len = 0;
	stack = stack_number(s, ev, &chain, &kernel);
	packet = proto_begin(o, TRACE_PACKET);
	proto_uint(o, PACKET_TIMESTAMP, ts);
	proto_uint(o, PACKET_SEQUENCE, s->sequence);
	if (s->interned.len)
		proto_bytes(o, PACKET_INTERNED, s->interned.p, s->interned.len);
	proto_uint(o, PACKET_FLAGS, FLAG_NEEDS_STATE);
	sample = proto_begin(o, PACKET_SAMPLE);
	proto_uint(o, SAMPLE_CPU, (unsigned)ev->cpu);
	proto_uint(o, SAMPLE_PID, task);
	proto_uint(o, SAMPLE_TID, task);
	proto_uint(o, SAMPLE_STACK, stack);
	proto_uint(o, SAMPLE_MODE, kernel ? MODE_KERNEL : MODE_USER);
	proto_end(o, sample);
	proto_end(o, packet);
}

void samples_fini(struct samples *s)
{
	index_fini(&s->index);
	outbuf_fini(&s->keys);
	outbuf_fini(&s->key);
	outbuf_fini(&s->interned);
	free(s->v);
	free(s->frames);
	stack_chain_fini(&s->chain);
	frame_cache_fini(&s->cache);
	free(s->sequences);
}
