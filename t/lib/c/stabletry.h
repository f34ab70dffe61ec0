/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLETRY_H
#define ZED_STABLETRY_H

/*
 * For the tests of stable events: a trace whose types are given as texts, of either byte order and
 * word size, and records that are made byte by byte.
 */
#include "base/mem.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "stable/map.h"
#include "stable/state_letters.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

static char notes[4096];
static unsigned nwarn, ndamage;

__attribute__((unused)) static void say(void *arg, enum note_level level, const char *text)
{
	size_t n = strlen(notes);

	nwarn += level == NOTE_WARN;
	ndamage += level == NOTE_DAMAGE;
	snprintf(notes + n, sizeof(notes) - n, "%s\n", text);
}

static const char *uname_text = "Linux guest 6.1.0 #1 SMP x86_64\n";

__attribute__((unused)) static int text(void *arg, enum machine_text which, const char **p,
					size_t *len, struct err *e)
{
	*p = which == TEXT_CMDLINES ? "77 kworker/u8:1\n" : which == TEXT_UNAME ? uname_text : "";
	*len = strlen(*p);
	return 0;
}

static const struct machine_ops OPS = { .text = text };

/* A trace: its types, its byte order, one record that is being made. */
struct trace {
	struct catalog *c;
	struct machine s;
	struct stable *st;
	struct notes notes;
	bool big;
	unsigned long_size, id;
	uint8_t rec[512];
	struct origin from;
	struct event ev;
	char *texts[64];
	unsigned ntexts;
	char why[800];
};

__attribute__((unused)) static struct trace *trace_new(bool big, unsigned long_size)
{
	struct trace *t = mem_zalloc(sizeof(*t));

	t->c = catalog_new();
	t->st = stable_new();
	t->big = big;
	t->long_size = long_size;
	machine_init(&t->s, &OPS, NULL, NULL);
	t->s.big_endian = big;
	t->s.swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	t->s.long_size = long_size;
	t->notes.say = say;
	t->from.path = "x.dat";
	t->ev = (struct event){ .ts = 5000,
				.cpu = 3,
				.pid = 77,
				.seq = 9,
				.lost = 2,
				.off = 0x40,
				.data = t->rec,
				.size = 200,
				.from = &t->from };
	notes[0] = '\0';
	nwarn = ndamage = 0;
	return t;
}

__attribute__((unused)) static void trace_free(struct trace *t)
{
	stable_free(t->st);
	catalog_free(t->c);
	machine_fini(&t->s);
	while (t->ntexts)
		free(t->texts[--t->ntexts]);
	free(t);
}

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* A raw type; FIELDS are lines "DECLARATION;OFFSET;SIZE;SIGNED\n". */
__attribute__((unused)) static const struct etype *raw(struct trace *t, const char *system,
						       const char *name, const char *fields,
						       const char *print)
{
	char *buf = malloc(16384);
	const struct etype *type;
	struct err e;
	size_t n = snprintf(buf, 16384, "name: %s\nID: %u\nformat:\n" COMMON, name, 300 + t->id++);

	while (*fields) {
		char decl[128];
		unsigned off, size, is_signed;
		int used = 0;

		if (sscanf(fields, " %127[^;];%u;%u;%u %n", decl, &off, &size, &is_signed, &used) <
		    4)
			bail("bad line '%s'", fields);
		n += snprintf(buf + n, 16384 - n, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n",
			      decl, off, size, is_signed);
		fields += used;
	}
	snprintf(buf + n, 16384 - n, "\nprint fmt: %s\n", print);
	type = catalog_add(t->c, &t->s, system, buf, strlen(buf), &e);
	if (!type)
		bail("%s", e.msg);
	t->texts[t->ntexts++] = buf;
	return type;
}

__attribute__((unused)) static void define(struct trace *t, const char *definition)
{
	struct err e;

	if (stable_add(t->st, "test", definition, strlen(definition), &e) < 0)
		bail("%s", e.msg);
}

/* One event "x::e" from s:r with the line LINE. */
__attribute__((unused)) static void define_line(struct trace *t, const char *line)
{
	char all[1024];

	snprintf(all, sizeof(all), "event x::e\npurpose p\nfrom s:r | s:q\n%s\n", line);
	define(t, all);
}

__attribute__((unused)) static struct stable_map *map_of(struct trace *t, const char *system,
							 const char *name, const struct etype *type)
{
	const struct stable_event *ev = stable_find(t->st, system, name);
	struct stable_map *m = NULL;
	struct err e = { .msg = "no such event" };
	int from = ev ? stable_takes(ev, t->c, type) : -1;

	if (from >= 0)
		m = stable_map_new(ev, t->c, from, type, &t->notes, &e);
	else if (ev)
		snprintf(e.msg, sizeof(e.msg), "not taken");
	snprintf(t->why, sizeof(t->why), "%s", m ? "" : e.msg);
	if (m && (!stable_map_type(m)->stable || !stable_map_type(m)->resolved ||
		  stable_map_type(m)->idx != type->idx || stable_map_type(m)->ncommon))
		bail("the type of %s::%s is not as it should be", system, name);
	t->ev.type = type;
	return m;
}

/* Put V of SIZE bytes at OFF, in the trace's byte order. */
__attribute__((unused)) static void put(struct trace *t, unsigned off, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		t->rec[off + (t->big ? size - 1 - i : i)] = v >> 8 * i;
}

__attribute__((unused)) static void put_str(struct trace *t, unsigned off, const char *s,
					    unsigned size)
{
	memset(t->rec + off, 0, size);
	memcpy(t->rec + off, s, strlen(s) < size ? strlen(s) : size);
}

__attribute__((unused)) static const struct event *run(struct trace *t, struct stable_map *m)
{
	/* As long as the record, so that the sanitizer sees a read past it. */
	uint8_t *copy = malloc(t->ev.size);
	struct event ev = t->ev;
	const struct event *out;

	memcpy(copy, t->rec, t->ev.size);
	ev.data = copy;
	out = stable_map_event(m, &ev);
	free(copy);
	return out;
}

__attribute__((unused)) static int64_t number(const struct event *ev, const char *name)
{
	const struct field *f = field_find(ev->type, name);

	if (!f || (f->kind != FIELD_INT && f->kind != FIELD_UINT))
		return 0xdead;
	return (int64_t)field_scalar(f, ev);
}

/* The bytes of a text up to its NUL; of anything else in hexadecimal; "undef". */
__attribute__((unused)) static const char *show(const struct event *ev, const char *name)
{
	static char buf[8][600];
	static unsigned turn;
	const struct field *f = field_find(ev->type, name);
	char *out = buf[turn++ % 8];
	struct span s;

	if (!f)
		return "no such field";
	if (f->kind == FIELD_NONE)
		return "undef";
	if (f->swap)
		return "swapped";
	if (!field_span(f, ev, &s))
		return "outside";
	if (f->kind == FIELD_STR) {
		snprintf(out, 600, "%.*s", (int)strnlen((const char *)s.p, s.len), s.p);
		return out;
	}
	out[0] = '\0';
	for (uint32_t i = 0; i < s.len && i < 250; i++)
		snprintf(out + 2 * i, 600 - 2 * i, "%02x", s.p[i]);
	return out;
}

/* All bytes of a text, in hexadecimal. */
__attribute__((unused)) static const char *bytes(const struct event *ev, const char *name)
{
	static char out[600];
	const struct field *f = field_find(ev->type, name);
	struct span s;

	out[0] = '\0';
	if (f && field_span(f, ev, &s))
		for (uint32_t i = 0; i < s.len && i < 250; i++)
			snprintf(out + 2 * i, sizeof(out) - 2 * i, "%02x", s.p[i]);
	return out;
}

#define NUM(ev, name, want, what) is_u64((uint64_t)number(ev, name), (uint64_t)(want), what)
#define STR(ev, name, want, what) is_str(show(ev, name), want, what)

#define DYN "dynamic:char n; size:8; "

/* A raw type of many kinds of fields, print formats for them, and a record. */
__attribute__((unused)) static const char numbers[] =
	"u8 a8;8;1;0\ns8 b8;9;1;1\nu16 a16;10;2;0\ns16 b16;12;2;1\nu32 a32;16;4;0\n"
	"int b32;20;4;1\nu64 a64;24;8;0\ns64 b64;32;8;1\nchar text[8];40;8;1\nu16 v[4];48;8;0\n"
	"char rwbs[8];56;8;1\nu8 bytes[4];64;4;0\nchar one;68;1;1\n__data_loc char[] dyn;72;4;1\n"
	"__data_loc u32[] nums;76;4;0\n__rel_loc char[] rel;80;4;1\n__data_loc cpumask_t "
	"m;84;4;0\n";

__attribute__((unused)) static void put_numbers(struct trace *t)
{
	put(t, 8, 200, 1);
	put(t, 9, (uint64_t)-3, 1);
	put(t, 10, 60000, 2);
	put(t, 12, (uint64_t)-300, 2);
	put(t, 16, 4000000000u, 4);
	put(t, 20, (uint64_t)-70000, 4);
	put(t, 24, 0xfedcba9876543210, 8);
	put(t, 32, (uint64_t)-1, 8);
	put_str(t, 40, "text", 8);
	for (unsigned i = 0; i < 4; i++)
		put(t, 48 + 2 * i, 0x1230 + i, 2);
	put_str(t, 56, "WS", 8);
	memcpy(t->rec + 64, "\1\2\3\4", 4);
	t->rec[68] = 'c';
	put(t, 72, 6 << 16 | 88, 4);
	put_str(t, 88, "hello", 6);
	put(t, 76, 8 << 16 | 96, 4);
	put(t, 96, 0xaabbccdd, 4);
	put(t, 100, 7, 4);
	put(t, 80, 4 << 16 | 20, 4);
	put_str(t, 104, "rel", 4);
	put(t, 84, 0, 4);
	t->ev.size = 108;
}

__attribute__((unused)) static const char several[] =
	"\"%s %s %s %s %s\", REC->a8 & 8 ? \"+\" : \"\", "
	"REC->b8 & 256 ? \"+\" : \"\", "
	"__print_flags(REC->a8, \"|\", { 1, \"S\" }, { 64, \"Z\" }), "
	"__print_symbolic(REC->a16, { 60000, \"big\" }, { 1, \"one\" }, { 60000, \"late\" }), "
	"__print_symbolic(REC->b16, { -300, \"minus\" })";

#endif
