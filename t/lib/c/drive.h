/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_DRIVE_H
#define ZED_DRIVE_H

/*
 * Runs the whole reader over one file, in this process, the way the programs do: open, pump, and a
 * sink that reads every field, every table and text of each event.  For tests and fuzzers, which
 * watch what a damaged file does to it.
 */
#include "trace/field.h"
#include "trace/machine.h"
#include "run/drain.h"
#include "text/engine.h"
#include "text/printfmt/printfmt_parse.h"
#include "t/lib/c/tap.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	DRIVE_TEXT = 1,	   /* print each event in both dialects */
	DRIVE_MACHINE = 4, /* look up symbols, command names and printk strings */
	DRIVE_STRICT = 8,
};

struct drive {
	bool opened;
	uint64_t events, lost;
	uint64_t sum;	 /* of all bytes read: what happened, in one number */
	uint64_t damage; /* damaged pieces, and notices of damage */
	unsigned said;	 /* notices of damage and warnings */
	enum run_end end;
	char first[1280]; /* the first of them, or the error of opening */
};

struct drive_sink {
	struct sink base;
	struct drive *d;
	struct engine *kernel, *report; /* if there is text */
	struct outbuf out;
	struct arena arena;
	unsigned flags;
	const struct etype *met[64];
};

/* What is being run, for the message of a crash. */
static char drive_what[256];

static inline void drive_eat(struct drive *d, const void *p, size_t len)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < len; i++)
		d->sum = d->sum * 31 + b[i];
}

static inline void drive_hear(void *arg, enum note_level level, const char *text)
{
	struct drive *d = arg;

	if (level == NOTE_INFO)
		return;
	if (!d->said++)
		snprintf(d->first, sizeof(d->first), "%s", text);
}

static inline enum verdict drive_begin(struct sink *s, const struct run_info *run, struct err *e)
{
	return SINK_MORE;
}

static inline void drive_machine(struct drive *d, const struct event *ev)
{
	struct machine *s = ev->type->machine;
	const char *module, *name = comms_name(s->comms, ev->pid);
	uint64_t at;
	int32_t pid;

	drive_eat(d, name, strlen(name));
	name = machine_cgroup(s, ev->ts, ev->pid);
	drive_eat(d, name, strlen(name));
	for (uint64_t a = 0; a < 4; a++) {
		name = machine_symbol(s, 0xc0001000 + a * 0x800, &at, &module);
		if (name)
			drive_eat(d, name, strlen(name));
	}
	name = machine_symbol(s, UINT64_MAX, &at, &module);
	if (name)
		drive_eat(d, name, strlen(name));
	name = machine_printk(s, 0xc0003000);
	if (name)
		drive_eat(d, name, strlen(name));
	for (unsigned i = 0; i < comms_count(s->comms); i++) {
		name = comms_nth(s->comms, i, &pid);
		drive_eat(d, name, strlen(name));
	}
}

/* The text of EV, which is bounded by the length of its record. */
static inline void drive_text(struct drive_sink *ds, struct engine *text, const struct event *ev)
{
	char flags[FLAGS_MAX];
	size_t len = engine_flags(text, ev, flags);

	ds->out.len = 0;
	drive_eat(ds->d, flags, len);
	engine_put(text, ev, &ds->out, false);
	drive_eat(ds->d, ds->out.p, ds->out.len);
}

static inline void drive_fini(struct drive_sink *ds)
{
	engine_free(ds->kernel);
	engine_free(ds->report);
	outbuf_fini(&ds->out);
	arena_fini(&ds->arena);
}

static inline enum verdict drive_event(struct sink *s, const struct event *ev, struct err *e)
{
	struct drive_sink *ds = (struct drive_sink *)s;
	struct drive *d = ds->d;
	char bits[4096];

	d->events++;
	d->lost += ev->lost != LOST_UNKNOWN ? ev->lost : 1;
	drive_eat(d, ev->data, ev->size);
	for (unsigned i = 0; i < ev->type->nfields; i++) {
		const struct field *f = &ev->type->fields[i];
		struct span span;

		if (f->kind <= FIELD_INT) {
			d->sum += field_scalar(f, ev);
			continue;
		}
		if (!field_span(f, ev, &span))
			continue;
		drive_eat(d, span.p, span.len);
		if (f->kind == FIELD_BITMASK)
			field_bits(&span, f->elem, f->swap, bits, sizeof(bits));
	}
	if (ds->met[ev->type->idx % 64] != ev->type) {
		const struct flag_table *t = printfmt_tables(ev->type, &ds->arena);

		ds->met[ev->type->idx % 64] = ev->type;
		for (; t; t = t->next)
			for (unsigned i = 0; i < t->n; i++)
				drive_eat(d, t->names[i].name, strlen(t->names[i].name));
		if (ds->flags & DRIVE_MACHINE)
			drive_machine(d, ev);
	}
	if (ds->report) {
		const char *comm = engine_report_comm(ds->report, ev->type->machine, ev->pid);

		drive_eat(d, comm, strlen(comm));
		drive_text(ds, ds->report, ev);
		drive_text(ds, ds->kernel, ev);
	}
	return SINK_MORE;
}

static inline enum verdict drive_end(struct sink *s, struct err *e)
{
	return SINK_MORE;
}

static inline bool drive_more(struct sink *s)
{
	return true;
}

static const struct sink_ops drive_ops = {
	.begin = drive_begin, .event = drive_event, .more = drive_more, .end = drive_end
};

/* Read all of PATH.  D is filled; false if it could not be opened. */
static inline bool drive_run(const char *path, unsigned flags, struct drive *d)
{
	struct notes notes = { .say = drive_hear, .arg = d };
	struct pump_opts o = { .source.notes = &notes, .strict = flags & DRIVE_STRICT };
	struct drive_sink ds = { .base = { &drive_ops }, .d = d, .flags = flags };
	struct pump pump;
	struct err e;

	memset(d, 0, sizeof(*d));
	pump_init(&pump, &o);
	d->opened = pump_open(&pump, path, &e) == 0;
	if (d->opened) {
		for (unsigned i = 0; i < pump.nsources; i++) {
			struct source *s = pump.sources[i];
			char buf[512];

			for (unsigned b = 0; b < s->nbuffers && s->ops->text; b++) {
				uint64_t pos = 0;
				ssize_t n;

				while (s->buffers[b].text &&
				       (n = s->ops->text(s, &s->buffers[b], &pos, buf, sizeof(buf),
							 &e)) > 0)
					drive_eat(d, buf, n);
			}
		}
		if (flags & DRIVE_TEXT) {
			ds.report = engine_new(DIALECT_REPORT, &notes);
			ds.kernel = engine_new(DIALECT_KERNEL, &notes);
		}
		d->end = run_into(&pump, &pump.stage, &ds.base, &e);
		if (d->end == RUN_FAILED)
			err_text(&e, d->first, sizeof(d->first));
		drive_fini(&ds);
	} else {
		err_text(&e, d->first, sizeof(d->first));
	}
	d->damage = notes.damage;
	pump_fini(&pump);
	return d->opened;
}

/* ---------------------------------------------------------------- crashes */

void __asan_set_death_callback(void (*callback)(void)) __attribute__((weak));

static inline void drive_epitaph(void)
{
	static const char intro[] = "\n# died while reading: ";

	if (write(STDERR_FILENO, intro, sizeof(intro) - 1) < 0 ||
	    write(STDERR_FILENO, drive_what, strlen(drive_what)) < 0 ||
	    write(STDERR_FILENO, "\n", 1) < 0)
		return;
}

static inline void drive_caught(int sig)
{
	drive_epitaph();
	if (sig == SIGALRM) {
		static const char late[] = "# it takes too long\n";

		if (write(STDERR_FILENO, late, sizeof(late) - 1) < 0)
			_exit(98);
		_exit(99);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Say what was being read when a signal, a sanitizer or the clock ends this process. */
static inline void drive_guard(void)
{
	signal(SIGALRM, drive_caught);
	if (__asan_set_death_callback) {
		__asan_set_death_callback(drive_epitaph);
		return;
	}
	signal(SIGSEGV, drive_caught);
	signal(SIGBUS, drive_caught);
	signal(SIGFPE, drive_caught);
	signal(SIGABRT, drive_caught);
	signal(SIGILL, drive_caught);
}

/* No single file may take longer than SECONDS from now, except under an emulator. */
static inline void drive_limit(unsigned seconds)
{
	struct itimerval t = { .it_value = { .tv_sec = (time_t)tap_seconds(seconds) } };

	setitimer(ITIMER_REAL, &t, NULL);
}

#endif
