// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * step: fills one promised field of the open record from a raw record.
 */
#include "stable/step.h"

#include "trace/field.h"
#include "trace/lttng_event.h"
#include "trace/machine.h"

#include <string.h>

/* V truncated to BITS bits and extended to 64. */
static inline uint64_t cut(uint64_t v, unsigned bits, bool is_signed)
{
	unsigned off = 64 - bits;

	return is_signed ? (uint64_t)((int64_t)(v << off) >> off) : v << off >> off;
}

/* The first one of a field is reported, all are counted. */
static void say_bad(struct stable_map *m, struct stable_step *s, const struct field *f,
		    const struct event *ev)
{
	if (s->said_bad) {
		if (m->notes)
			m->notes->damage++;
		return;
	}
	s->said_bad = true;
	note_say(m->notes, NOTE_DAMAGE,
		 "%s: offset 0x%llx: %s:%s: field %s points outside the "
		 "record: taken as empty for %s::%s",
		 ev->from->path, (unsigned long long)ev->off, m->raw->system, m->raw->name, f->name,
		 m->ev->system, m->ev->name);
}

static void say_cut(struct stable_map *m, struct stable_step *s, const struct event *ev,
		    uint64_t len, uint64_t room)
{
	if (s->said_cut || !ev->from)
		return;
	s->said_cut = true;
	note_say(m->notes, NOTE_WARN,
		 "%s: offset 0x%llx: %s::%s promises %llu item%s of %s, this "
		 "record has %llu: cut (said once)",
		 ev->from->path, (unsigned long long)ev->off, m->ev->system, m->ev->name,
		 (unsigned long long)room, plural(room), m->desc.items[s->item].name,
		 (unsigned long long)len);
}

static struct span take_span(struct stable_map *m, struct stable_step *s, const struct field *f,
			     const struct event *ev)
{
	struct span out;

	if (__builtin_expect(!field_span(f, ev, &out), 0))
		say_bad(m, s, f, ev);
	return out;
}

/* 1 if the request writes.  An F before the letter is a preceding cache flush. */
static unsigned rw_of(const struct span *s)
{
	unsigned at;

	if (!s->len || !s->p[0])
		return 0;
	at = s->len > 1 && s->p[0] == 'F';
	return s->p[at] != 'R' && s->p[at] != 'N';
}

static inline uint64_t raw_value(const struct num *n, const struct event *ev)
{
	if (n->is_signed)
		return (uint64_t)field_load_signed(ev->data + n->off, n->size, n->swap);
	return field_load(ev->data + n->off, n->size, n->swap);
}

static uint64_t num_value(struct stable_map *m, struct stable_step *s, const struct num *n,
			  const struct event *ev)
{
	struct span span;
	uint64_t v = 0;

	switch (n->op) {
	case NUM_RAW:
		v = raw_value(n, ev);
		break;
	case NUM_CONST:
		v = n->value;
		break;
	case NUM_PID:
		v = (uint64_t)ev->pid;
		break;
	case NUM_CPU:
		v = (uint64_t)ev->cpu;
		break;
	case NUM_MARK:
		v = (raw_value(n, ev) & n->value) != 0;
		break;
	case NUM_RW:
		span = take_span(m, s, n->field, ev);
		v = rw_of(&span);
		break;
	}
	return v * n->times + n->plus;
}

static uint64_t value_of(struct stable_map *m, struct stable_step *s, const struct event *ev)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < s->nnums && !v; i++)
		v = num_value(m, s, &s->nums[i], ev);
	return v;
}

/* V in decimal, into M->digits. */
static struct span decimal(struct stable_map *m, uint64_t v, bool is_signed)
{
	char *end = m->digits + sizeof(m->digits), *p = end;
	bool neg = is_signed && (int64_t)v < 0;

	if (neg)
		v = -v;
	do {
		*--p = '0' + v % 10;
		v /= 10;
	} while (v);
	if (neg)
		*--p = '-';
	return (struct span){ (const uint8_t *)p, end - p };
}

static const char *symbol_of(const struct stable_step *s, uint64_t v)
{
	unsigned lo = 0, hi = s->nnames;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (s->names[mid].value < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nnames && s->names[lo].value == v ? s->names[lo].name : NULL;
}

/* The name of a number, else its digits. */
static struct span name_of(struct stable_map *m, struct stable_step *s, const struct event *ev)
{
	const struct num *n = s->nums;
	uint64_t v = raw_value(n, ev);
	const char *name = s->str == STR_SYSCALL ? sysnames_of(&m->sysnames, v) :
						   symbol_of(s, cut(v, 8 * n->size, false));

	if (!name)
		return decimal(m, v, n->is_signed);
	return (struct span){ (const uint8_t *)name, strlen(name) };
}

/* LTTng's mask in the kernel's letters, in M->digits. */
static struct span rwbs_of(struct stable_map *m, const struct num *n, const struct event *ev)
{
	_Static_assert(sizeof(m->digits) >= LTTNG_RWBS_LETTERS, "the letters do not fit");

	lttng_rwbs(raw_value(n, ev), m->digits);
	return (struct span){ (const uint8_t *)m->digits, strlen(m->digits) };
}

/* The text of a string field: up to its NUL. */
static struct span text_of(struct stable_map *m, struct stable_step *s, const struct event *ev)
{
	const char *comm;
	struct span out;

	switch (s->str) {
	case STR_FIELD:
		out = take_span(m, s, s->field, ev);
		out.len = strnlen((const char *)out.p, out.len);
		return out;
	case STR_COMM:
		comm = comms_name(m->raw->machine->comms, ev->pid);
		return (struct span){ (const uint8_t *)comm, strlen(comm) };
	case STR_CONST:
		return (struct span){ (const uint8_t *)s->text, s->len };
	case STR_RWBS:
		return rwbs_of(m, s->nums, ev);
	}
	return name_of(m, s, ev);
}

/*
 * Make room for *LEN items of S at the end and point the locator there; *LEN gets the number of
 * items that fit.
 */
static uint8_t *place(struct stable_map *m, struct stable_step *s, const struct event *ev,
		      uint64_t *len)
{
	uint64_t start = (m->tail + s->size - 1ull) / s->size * s->size, room = 0;

	if (start <= UINT16_MAX)
		room = (UINT16_MAX - start) / s->size;
	else
		start = 0;
	if (*len > room) {
		say_cut(m, s, ev, *len, room);
		*len = room;
	}
	/* An empty item is placed at the record's end, not after it. */
	if (!*len)
		start = start ? m->tail : 0;
	field_store(m->buf + s->off, 4, false, (*len * s->size) << 16 | start);
	memset(m->buf + m->tail, 0, start - m->tail);
	m->tail = start + *len * s->size;
	return m->buf + start;
}

static void put_text(struct stable_map *m, struct stable_step *s, const struct event *ev)
{
	struct span text = text_of(m, s, ev);
	uint64_t len = text.len;
	uint8_t *to;

	if (s->dynamic) {
		len++;
		to = place(m, s, ev, &len);
		if (len) {
			memcpy(to, text.p, len - 1);
			to[len - 1] = 0;
		}
		return;
	}
	if (len > s->count) {
		if (s->str != STR_FIELD || s->field->loc != FIELD_AT)
			say_cut(m, s, ev, len, s->count);
		len = s->count;
	}
	memcpy(m->buf + s->off, text.p, len);
	memset(m->buf + s->off + len, 0, s->count - len);
}

static void put_array(struct stable_map *m, struct stable_step *s, const struct event *ev)
{
	const struct field *f = s->field;
	struct span from = take_span(m, s, f, ev);
	uint64_t n = from.len / f->elem;
	uint8_t *to = m->buf + s->off;

	if (s->dynamic) {
		to = place(m, s, ev, &n);
	} else {
		if (n > s->count && f->loc != FIELD_AT)
			say_cut(m, s, ev, n, s->count);
		n = n < s->count ? n : s->count;
		memset(to + n * s->size, 0, (s->count - n) * s->size);
	}
	if (s->size == f->elem && s->bits == 8 * s->size && (!f->swap || s->size == 1)) {
		memcpy(to, from.p, n * s->size);
		return;
	}
	for (uint64_t i = 0; i < n; i++, to += s->size) {
		const uint8_t *p = from.p + i * f->elem;
		uint64_t v = f->is_signed ? (uint64_t)field_load_signed(p, f->elem, f->swap) :
					    field_load(p, f->elem, f->swap);

		field_store(to, s->size, false, cut(v, s->bits, s->is_signed));
	}
}

static void put_be64(struct stable_map *m, struct stable_step *s, const struct event *ev)
{
	uint64_t v = value_of(m, s, ev), len = 8;
	uint8_t *to = s->dynamic ? place(m, s, ev, &len) : m->buf + s->off;

	for (unsigned i = 0; i < len; i++)
		to[i] = v >> (56 - 8 * i);
}

/* Copy the bytes of FROM up to a NUL, zero-padded to SIZE >= LEN. */
static inline void copy_chars(uint8_t *to, const uint8_t *from, uint32_t len, uint32_t size)
{
	uint32_t i = 0;

	/* Eight at a time while none of them is 0. */
	for (; i + 8 <= len; i += 8) {
		uint64_t w;

		memcpy(&w, from + i, 8);
		if ((w - 0x0101010101010101) & ~w & 0x8080808080808080)
			break;
		memcpy(to + i, &w, 8);
	}
	for (; i < len && from[i]; i++)
		to[i] = from[i];
	for (; i + 8 <= size; i += 8)
		memset(to + i, 0, 8);
	for (; i < size; i++)
		to[i] = 0;
}

static inline void copy_number(uint8_t *to, const uint8_t *from, unsigned size)
{
	switch (size) {
	case 1:
		*to = *from;
		break;
	case 2:
		memcpy(to, from, 2);
		break;
	case 4:
		memcpy(to, from, 4);
		break;
	case 8:
		memcpy(to, from, 8);
		break;
	}
}

void step_run(struct stable_map *m, struct stable_step *s, const struct event *ev)
{
	uint8_t *to = m->buf + s->off;

	switch (s->op) {
	case STEP_COPY:
		copy_number(to, ev->data + s->at, s->size);
		break;
	case STEP_CHARS:
		copy_chars(to, ev->data + s->at, s->len, s->count);
		break;
	case STEP_NUM:
		field_store(to, s->size, false, cut(value_of(m, s, ev), s->bits, s->is_signed));
		break;
	case STEP_LETTER:
		*to = letters_of(s->letters, raw_value(s->nums, ev));
		break;
	case STEP_BYTE:
		*to = s->len ? s->text[0] : ev->data[s->field->off];
		break;
	case STEP_BE64:
		put_be64(m, s, ev);
		break;
	case STEP_STR:
		put_text(m, s, ev);
		break;
	case STEP_ARRAY:
		put_array(m, s, ev);
		break;
	}
}
