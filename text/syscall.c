// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls as the kernel prints them, by dedicated functions (the kernel's trace_syscalls.c):
 * "sys_openat(dfd: 3, filename: 140 "/etc/fstab", flags: O_RDONLY|O_CLOEXEC)".  Since Linux 6.19
 * records include the data that their pointers refer to.
 */
#include "text/syscall.h"

#include "trace/field.h"
#include "trace/machine.h"

#include <stdlib.h>

#define OPEN_FLAGS 20		/* maximum in a print format; Linux 7.2 has 15 */
#define O_TMPFILE_BIT 020000000 /* besides O_DIRECTORY; differs on alpha, parisc and sparc */

struct syscall_arg {
	const struct field *field;
	const struct field *user; /* the data it points to, or NULL */
};

struct open_flag {
	uint64_t value;
	const char *name;
};

struct syscall {
	const char *name;		   /* without sys_enter_ and sys_exit_ */
	bool prefix;			   /* numbers from 10 on have 0x */
	bool is_array;			   /* the next argument is the number of bytes pointed to */
	struct open_flag flag[OPEN_FLAGS]; /* of openat */
	unsigned nflags, nargs;
	struct syscall_arg arg[];
};

static uint64_t value(const struct field *f, const struct event *ev)
{
	return field_load(ev->data + f->off, f->size, f->swap);
}

static void put_value(struct outbuf *o, const struct syscall *sc, uint64_t v)
{
	if (sc->prefix && v >= 10)
		out_bytes(o, "0x", 2);
	out_hex(o, v);
}

static void put_string(struct outbuf *o, struct span s)
{
	out_bytes(o, " \"", 2);
	out_bytes(o, (const char *)s.p, strnlen((const char *)s.p, s.len));
	out_char(o, '"');
}

static bool printable(uint8_t c)
{
	return c >= 0x20 && c < 0x7f;
}

/* " (68:69:0a) "hi."", the text if any of it is printable, and dots if there was more. */
static void put_array(struct outbuf *o, struct span s, int32_t whole)
{
	static const char hex[] = "0123456789abcdef";
	bool more = (int64_t)s.len < whole, any = false;

	out_bytes(o, " (", 2);
	for (uint32_t i = 0; i < s.len; i++) {
		any |= printable(s.p[i]);
		if (i)
			out_char(o, ':');
		out_char(o, hex[s.p[i] >> 4]);
		out_char(o, hex[s.p[i] & 15]);
	}
	out_str(o, more ? ", ...)" : ")");
	if (!any)
		return;
	out_bytes(o, " \"", 2);
	for (uint32_t i = 0; i < s.len; i++)
		out_char(o, printable(s.p[i]) ? (char)s.p[i] : '.');
	out_str(o, more ? "\"..." : "\"");
}

static void put_user(struct outbuf *o, const struct syscall *sc, unsigned i, const struct event *ev)
{
	struct span s;

	if (!sc->arg[i].user)
		return;
	field_span(sc->arg[i].user, ev, &s);
	if (sc->is_array && i + 1 < sc->nargs)
		put_array(o, s, (int32_t)value(sc->arg[i + 1].field, ev));
	else
		put_string(o, s);
}

static void put_name(struct outbuf *o, const struct syscall *sc, unsigned i)
{
	if (i)
		out_bytes(o, ", ", 2);
	out_str(o, sc->arg[i].field->name);
	out_bytes(o, ": ", 2);
}

static void begin(struct outbuf *o, const struct syscall *sc)
{
	out_bytes(o, "sys_", 4);
	out_str(o, sc->name);
}

static void sys_enter(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	const struct syscall *sc = own->syscall;
	size_t from = o->len;

	begin(o, sc);
	out_char(o, '(');
	for (unsigned i = 0; i < sc->nargs && o->len - from <= max; i++) {
		put_name(o, sc, i);
		put_value(o, sc, value(sc->arg[i].field, ev));
		put_user(o, sc, i, ev);
	}
	out_char(o, ')');
}

static void sys_exit(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	begin(o, own->syscall);
	out_bytes(o, " -> 0x", 6);
	out_hex(o, value(own->syscall->arg[0].field, ev));
}

/* ---- openat ---- */

static uint64_t flag_of(const struct syscall *sc, const char *name)
{
	for (unsigned i = 0; i < sc->nflags; i++)
		if (!strcmp(sc->flag[i].name, name))
			return sc->flag[i].value;
	return 0;
}

static void put_open_flags(struct outbuf *o, const struct syscall *sc, int32_t bits)
{
	uint64_t left = (uint64_t)(int64_t)bits;
	const char *between = bits & 3 ? "" : "|";

	if (!(bits & 3))
		out_str(o, "O_RDONLY");
	for (unsigned i = 0; i < sc->nflags; i++) {
		const struct open_flag *f = &sc->flag[i];

		if (!f->value || (left & f->value) != f->value)
			continue;
		left &= ~f->value;
		out_str(o, between);
		out_str(o, f->name);
		between = "|";
	}
	if (!left)
		return;
	out_str(o, between);
	out_bytes(o, "0x", 2);
	out_hex(o, left);
}

/* Its numbers are decimal, its flags names, and its mode is shown only if it is used. */
static void sys_openat(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	const struct syscall *sc = own->syscall;
	uint64_t makes = flag_of(sc, "O_CREAT") | flag_of(sc, "O_TMPFILE");
	bool done = false;

	begin(o, sc);
	out_char(o, '(');
	for (unsigned i = 0; i < sc->nargs && !done; i++) {
		uint64_t v = value(sc->arg[i].field, ev);

		put_name(o, sc, i);
		if (i == 2) {
			put_open_flags(o, sc, (int32_t)v);
			done = !(v & makes);
		} else if (i == 3) {
			out_printf(o, "0%03o", (unsigned)v);
		} else {
			out_u64(o, v);
			put_user(o, sc, i, ev);
		}
	}
	out_char(o, ')');
}

static void add_flag(struct syscall *sc, uint64_t v, const char *name)
{
	if (sc->nflags < OPEN_FLAGS)
		sc->flag[sc->nflags++] = (struct open_flag){ v, name };
}

/*
 * The print format has the traced machine's values of the flags, "{ 0x40, "O_CREAT" }, ...", except
 * for O_TMPFILE, which the kernel checks first.
 */
static void find_open_flags(struct syscall *sc, const struct etype *type, struct arena *a)
{
	char *p = arena_strndup(a, type->print, type->print_len), *end;
	uint64_t v, directory;

	add_flag(sc, 0, "O_TMPFILE");
	while ((p = strstr(p, "{ 0x"))) {
		v = strtoull(p + 2, &p, 16);
		if (strncmp(p, ", \"", 3))
			continue;
		end = strchr(p + 3, '"');
		if (!end)
			break;
		*end = '\0';
		add_flag(sc, v, p + 3);
		p = end + 1;
	}
	directory = flag_of(sc, "O_DIRECTORY");
	if (directory)
		sc->flag[0].value = O_TMPFILE_BIT | directory;
}

/* ---- which is which ---- */

static bool is_number(const struct field *f)
{
	return f->loc == FIELD_AT && field_is_int(f);
}

/* The field with the data that argument F points to. */
static const struct field *user_of(const struct etype *type, const struct field *f)
{
	for (unsigned i = type->ncommon; i < type->nfields; i++) {
		const struct field *u = &type->fields[i];
		size_t len = strlen(f->name);

		if (u->loc == FIELD_DATA_LOC && !strncmp(u->name, "__", 2) &&
		    !strncmp(u->name + 2, f->name, len) && !strcmp(u->name + 2 + len, "_val"))
			return u;
	}
	return NULL;
}

static bool find_enter(struct syscall *sc, const struct etype *type, struct arena *a,
		       struct own *own)
{
	static const char array[] = "__print_dynamic_array(";

	/* All arguments are fields after the number of the call. */
	for (unsigned i = type->ncommon + 1; i < type->nfields; i++)
		if (is_number(&type->fields[i]))
			sc->arg[sc->nargs++] = (struct syscall_arg){
				.field = &type->fields[i], .user = user_of(type, &type->fields[i])
			};
	own->put = sys_enter;
	sc->prefix = machine_since(type->machine, 6, 18);
	sc->is_array = type->print_len &&
		       memmem(type->print, type->print_len, array, strlen(array));
	if (!strcmp(sc->name, "openat") && sc->nargs == 4 && sc->arg[1].user) {
		own->put = sys_openat;
		find_open_flags(sc, type, a);
	}
	return type->nfields > type->ncommon;
}

bool syscall_find(const struct etype *type, struct arena *a, struct own *own)
{
	unsigned n = type->nfields - type->ncommon;
	struct syscall *sc;

	/* LTTng's have no number before the arguments, and texts among these. */
	if (strcmp(type->system, "syscalls") || !type->machine || type->lttng)
		return false;
	memset(own, 0, sizeof(*own));
	sc = arena_alloc(a, sizeof(*sc) + n * sizeof(sc->arg[0]));
	own->syscall = sc;
	if (!strncmp(type->name, "sys_enter_", 10)) {
		sc->name = type->name + 10;
		return find_enter(sc, type, a, own);
	}
	if (strncmp(type->name, "sys_exit_", 9))
		return false;
	sc->name = type->name + 9;
	sc->arg[0].field = field_find(type, "ret");
	own->put = sys_exit;
	return sc->arg[0].field && is_number(sc->arg[0].field);
}
