// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_stream: the events of a perf.data.  One stream, that of the first CPU, reads records into
 * the order until its earliest entry can be delivered: an event, a name or a loss.
 */
#include "base/mono.h"
#include "reader/perf/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WITHOUT_EVENT_MAX 4096 /* steps without an event before control returns */
#define FILE_TURN 256	       /* records of one file before switching to the next */

/* ---- output of the order ---- */

static struct perf_cpu *cpu_of(struct perf *f, uint32_t cpu)
{
	if (cpu < f->ncpus)
		return &f->cpus[cpu];
	if (!f->reports.cpu)
		note_say(f->notes, NOTE_WARN,
			 "%s: has events of cpu %u, but declares %u CPU%s: counted as those of "
			 "cpu 0",
			 f->base.in.path, cpu, f->ncpus, plural(f->ncpus));
	f->reports.cpu = true;
	return &f->cpus[0];
}

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
static void check_kernel(struct perf *f, const struct perf_map *map, size_t len)
{
	static const char image[] = "[kernel.kallsyms]";
	const size_t n = sizeof(image) - 1;
	char name[SYMBOL_MAX + 1];
	uint64_t addr;

	if (len <= n || len - n > SYMBOL_MAX || memcmp(map->name, image, n) != 0)
		return;
	f->reports.kernel = true;
	memcpy(name, map->name + n, len - n);
	name[len - n] = '\0';
	if (symbols_address(f->base.machine.given, name, &addr) && addr != map->off)
		note_say(f->notes, NOTE_WARN,
			 "%s: the kernel's symbols are those of another kernel or another boot, "
			 "and names of its functions wrong: %s was at %" PRIx64
			 ", --kallsyms has it at %" PRIx64,
			 f->base.in.path, name, map->off, addr);
}

static void add_map(struct perf *f, const struct entry *x)
{
	struct perf_map map;

	memcpy(&map, x->data, sizeof(map));
	map.name = (const char *)x->data + sizeof(map);
	if (f->base.machine.given && x->pid == MAPS_KERNEL && !f->reports.kernel)
		check_kernel(f, &map, x->size - sizeof(map));
	if (!maps_add(&f->tasks.maps, x->pid, &map, x->size - sizeof(map)))
		say_maps(f);
}

const char *perf_mapped(void *arg, const struct event_sample *s, uint64_t address, bool kernel,
			uint64_t *off)
{
	const struct perf *f = arg;
	int32_t pid = MAPS_KERNEL;
	const struct perf_map *map;

	if (!kernel && s->attr->tid == NOWHERE)
		return NULL;
	if (!kernel)
		pid = (int32_t)perf_u32(f, s->record + s->attr->tid);
	map = maps_find(&f->tasks.maps, pid, address);
	if (!map)
		return NULL;
	*off = address - map->start + map->off;
	return map->name;
}

void perf_effect(struct perf *f, const struct entry *x)
{
	char name[COMM_MAX + 1];
	const char *parent;

	switch (x->kind) {
	case WAITS_MAP:
		add_map(f, x);
		break;
	case WAITS_EXIT:
		/* The threads of a process have its maps. */
		if (x->tid == x->process)
			maps_forget(&f->tasks.maps, x->process);
		break;
	case WAITS_COMM:
		if (x->exec)
			maps_forget(&f->tasks.maps, x->process);
		set_name(f, x->tid, (const char *)x->data, x->size);
		break;
	case WAITS_FORK:
		if (x->process != x->parent_process &&
		    !maps_fork(&f->tasks.maps, x->process, x->parent_process))
			say_maps(f);
		parent = x->tid == x->pid ? NULL : comm_table_name(f->tasks.names, x->pid);
		if (parent) {
			/* Setting a name may invalidate pointers to others. */
			size_t len = strlen(parent);

			memcpy(name, parent, len + 1);
			set_name(f, x->tid, name, len);
		}
		break;
	case WAITS_LOST:
		f->losses.placed += x->lost;
		if (x->cpu < f->ncpus)
			f->cpus[x->cpu].lost += x->lost;
		else
			f->losses.anywhere += x->lost;
		break;
	}
}

/* The pid in X's record is the kernel's; its name is found by the recorder's number. */
static void name_kernels(struct perf *f, const struct entry *x)
{
	const char *name = x->tid > 0 ? comm_table_name(f->tasks.names, x->tid) : NULL;

	comms_replay(f->base.machine.comms, 0, NULL);
	if (x->pid > 0 && name)
		comms_set(f->base.machine.comms, 0, x->pid, name, strlen(name));
}

/*
 * X only has the recorder's number, which may be another task's in the kernel.  0 is the idle task,
 * or any task outside the namespace.
 */
static void name_recorders(struct perf *f, struct entry *x)
{
	const char *name = x->tid > 0 ? comm_table_name(f->tasks.names, x->tid) : NULL;

	if (!x->tid)
		x->pid = -1;
	snprintf(f->tasks.given_name, sizeof(f->tasks.given_name), "%s", name ? name : "<...>");
	comms_replay(f->base.machine.comms, x->pid, f->tasks.given_name);
}

/* Put the losses before C's next event into EV. */
static void give_bare(struct perf *f, struct perf_cpu *c, struct event *ev)
{
	uint64_t lost = c->lost + f->losses.anywhere;

	ev->lost_anywhere = f->losses.anywhere != 0;
	ev->lost_since = f->losses.anywhere ? TS_UNKNOWN : c->last;
	c->lost = f->losses.anywhere = 0;
	c->seq += lost;
	ev->lost = lost < LOST_UNKNOWN ? lost : LOST_UNKNOWN;
	c->base.lost += lost;
	c->base.lost_places += lost != 0;
}

static void begin_event(struct perf *f, struct perf_cpu *c, uint64_t ts)
{
	struct event *ev = &f->cpus[0].base.ev;

	*ev = (struct event){
		.ts = ts + f->wall.shift, .from = &c->from, .cpu = c->from.cpu, .pid = -1
	};
	give_bare(f, c, ev);
}

/*
 * Set the task of X.  Only tracepoints have the kernel's own task number, and so show which other
 * task ran: a sample's number differs if the recorder was in a container.
 */
static void follow(struct perf_cpu *c, const struct entry *x)
{
	struct trail *t = &c->trail;

	if (x->type->ncommon && (x->pid != t->pid || !c->follows)) {
		t->before = c->follows ? c->last : TS_UNKNOWN;
		t->before_pid = t->pid;
		t->since = x->ts;
		t->pid = x->pid;
		c->follows = true;
	}
	c->last = x->ts;
}

/* The parts of an event that differ between the members of a group. */
struct stream_part {
	const struct etype *type;
	const struct event_sample *sample;
	const uint8_t *record;
	uint32_t size;
};

/* EV is given for its losses only. */
static enum pull only_losses(struct perf *f, struct event *ev)
{
	ev->bare = true;
	ev->type = f->losses.type;
	ev->data = f->losses.blank;
	ev->size = f->losses.type->fixed;
	return PULL_OK;
}

/* Make X, or a member of its group, the stream's event.  PULL_EOF: unwanted. */
static enum pull give(struct perf *f, const struct entry *x, const struct stream_part *part,
		      struct err *e)
{
	struct perf_cpu *c = cpu_of(f, x->cpu);
	struct event *ev = &f->cpus[0].base.ev;
	const struct etype *t = part->type;

	c->base.seen++;
	if (c->lost || f->losses.anywhere)
		c->follows = false;
	if (t->demand->skip && !c->lost && !f->losses.anywhere) {
		follow(c, x);
		c->seq++;
		return PULL_EOF;
	}
	begin_event(f, c, x->ts);
	follow(c, x);
	ev->trail = &c->trail;
	ev->seq = ++c->seq;
	ev->type = t;
	ev->off = x->off;
	ev->pid = x->pid;
	ev->cpu = x->cpu < PERF_MAX_CPUS ? (int)x->cpu : c->from.cpu;
	ev->at_page_start = true;
	if (t->demand->skip)
		return only_losses(f, ev);
	if (x->nchain)
		ev->chain = x->chain;
	ev->nchain = x->nchain;
	ev->sample = part->sample;
	ev->data = part->record;
	ev->size = part->size;
	if (ev->size < t->fixed) {
		if (ev->lost_anywhere)
			f->losses.anywhere += ev->lost;
		else
			c->lost += ev->lost;
		c->seq -= ev->lost;
		c->base.lost -= ev->lost;
		c->base.lost_places -= ev->lost != 0;
		return err_set(e, ERR_FORMAT, x->off,
			       "record of %u byte%s is shorter than its format %s:%s (%u)",
			       ev->size, plural(ev->size), t->system, t->name, t->fixed);
	}
	return PULL_OK;
}

/* Deliver the sample X, then its members; then free it. */
static enum pull give_sample(struct perf *f, struct entry *x, struct err *e)
{
	f->due.given = x;
	f->buffer.cpus[cpu_of(f, x->cpu) - f->cpus].size += x->sample.size;
	if (f->tasks.foreign)
		x->type->ncommon ? name_kernels(f, x) : name_recorders(f, x);
	perf_group_begin(f, x);
	return give(f, x, &(struct stream_part){ x->type, &x->sample, x->record, x->size }, e);
}

/* The next event of the current sample.  PULL_EOF: no more; the sample is freed. */
static enum pull give_member(struct perf *f, struct err *e)
{
	const struct perf_group *g = &f->due.group;
	enum pull rc;

	while (f->due.given && perf_group_next(f)) {
		rc = give(f, f->due.given,
			  &(struct stream_part){ g->etype, &g->sample, g->record, g->size }, e);
		if (rc != PULL_EOF)
			return rc;
	}
	if (f->due.given)
		order_free(&f->due.order, f->due.given);
	if (f->tasks.foreign)
		comms_replay(f->base.machine.comms, 0, NULL);
	f->due.given = NULL;
	return PULL_EOF;
}

/* Losses without a following event. */
static enum pull give_rest(struct perf *f)
{
	struct event *ev = &f->cpus[0].base.ev;
	unsigned cpu = 0;

	/* The total includes placed losses.  The rest has neither time nor CPU: the first's. */
	if (f->losses.total > f->losses.placed) {
		while (cpu + 1 < f->ncpus && f->cpus[cpu].base.unread)
			cpu++;
		f->cpus[cpu].base.timeless += f->losses.total - f->losses.placed;
		cpu = 0;
	}
	f->losses.total = 0;
	while (cpu + 1 < f->ncpus && !f->cpus[cpu].lost)
		cpu++;
	if (!f->cpus[cpu].lost)
		cpu = 0;
	if (!f->cpus[cpu].lost && !f->losses.anywhere)
		return PULL_EOF;
	begin_event(f, &f->cpus[cpu], f->due.last);
	ev->seq = f->cpus[cpu].seq;
	return only_losses(f, ev);
}

/* ---- input of the order ---- */

/* The file with the earliest next records; NULL: all have ended. */
static struct perf_file *next_file(struct perf *f)
{
	struct perf_file *t = NULL;

	for (unsigned i = 0; i < f->in.nfiles; i++)
		if (!f->in.files[i]->over && (!t || f->in.files[i]->newest < t->newest))
			t = f->in.files[i];
	return t;
}

/* Sorted files: entries not later than the last records of all files can be delivered. */
static void set_limit(struct perf *f)
{
	const struct perf_file *t = next_file(f);

	if (!t)
		f->due.limit = UINT64_MAX;
	else if (t->sorted && t->newest > f->due.limit)
		f->due.limit = t->newest;
}

static void file_over(struct perf *f, struct perf_file *t)
{
	t->over = true;
	f->in.turn = 0;
	if (t->intake.cut) {
		f->base.salvaged = true;
		note_say(f->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": ends within a record: read up to there",
			 t->intake.in->path, t->intake.off);
	} else if (f->base.salvaged && f->in.nfiles == 1 && !f->form.records) {
		note_say(f->notes, NOTE_DAMAGE,
			 "%s: perf record did not come to its end: its records were read up to "
			 "offset 0x%" PRIx64,
			 t->intake.in->path, t->intake.off);
	}
}

/* Read one record. */
static enum pull read_one(struct perf *f, struct err *e)
{
	struct perf_file *t;
	struct record r;
	enum pull rc;
	uint64_t off;

	if (!f->in.turn || !f->in.now || f->in.now->over) {
		f->in.now = next_file(f);
		f->in.turn = FILE_TURN;
		if (f->in.nfiles > 1)
			set_limit(f);
	}
	t = f->in.now;
	if (!t) {
		f->due.limit = UINT64_MAX;
		return PULL_EOF;
	}
	f->in.turn--;
	off = t->intake.off;
	if (f->in.has_held) {
		r = f->in.held;
		rc = PULL_OK;
		f->in.has_held = false;
	} else {
		rc = intake_next(&t->intake, &r, e);
	}
	if (rc == PULL_EOF) {
		file_over(f, t);
		return PULL_OK;
	}
	if (rc == PULL_OK)
		rc = perf_record(f, t, &r, e);
	if (rc == PULL_ERR)
		err_path(e, t->intake.in->path);
	f->in.done += t->intake.off - off;
	return rc;
}

/* Too much is waiting: deliver the earliest, though earlier ones could follow. */
static bool is_full(const struct perf *f)
{
	return f->due.order.bytes > PERF_WAITING_FREE &&
	       (f->due.order.bytes > PERF_MAX_WAITING ||
		(f->due.order.bytes - PERF_WAITING_FREE) / PERF_WAITING_RATIO > f->in.done);
}

static void say_late(struct perf *f)
{
	if (!f->reports.too_late)
		note_say(f->notes, NOTE_WARN,
			 "%s: records come later in the file than can be waited for: some events "
			 "are not in the order of their times",
			 f->base.in.path);
	f->reports.too_late = true;
}

static enum pull wait_for_pipe(struct perf *f, struct stream *s)
{
	if (f->deadline && mono_ns() >= f->deadline) {
		f->in.files[0]->over = true;
		return PULL_AGAIN;
	}
	s->watermark = f->due.limit < UINT64_MAX ? f->due.limit + f->wall.shift : UINT64_MAX;
	return PULL_WAIT;
}

static enum pull next(struct stream *s, struct err *e)
{
	struct perf *f = ((struct perf_cpu *)s)->f;
	const struct entry *first;
	enum pull rc;

	if (s != &f->cpus[0].base)
		return PULL_EOF;
	rc = give_member(f, e);
	if (rc != PULL_EOF)
		return rc;
	for (unsigned steps = 0; steps < WITHOUT_EVENT_MAX; steps++) {
		first = order_first(&f->due.order);
		if (first && (first->ts <= f->due.limit || is_full(f))) {
			struct entry *x = order_take(&f->due.order);

			if (x->ts < f->due.last)
				say_late(f);
			else
				f->due.last = x->ts;
			if (x->kind == WAITS_EVENT) {
				rc = give_sample(f, x, e);
				if (rc == PULL_EOF)
					rc = give_member(f, e);
				if (rc != PULL_EOF)
					return rc;
			} else {
				perf_effect(f, x);
				order_free(&f->due.order, x);
			}
			continue;
		}
		rc = read_one(f, e);
		s->bytes_done = f->in.done;
		if (rc == PULL_WAIT)
			return wait_for_pipe(f, s);
		if (rc == PULL_EOF)
			return order_first(&f->due.order) ? PULL_AGAIN : give_rest(f);
		if (rc == PULL_ERR)
			return rc;
	}
	s->watermark = (f->due.limit < UINT64_MAX ? f->due.limit : f->due.last) + f->wall.shift;
	return PULL_AGAIN;
}

const struct stream_ops perf_stream_ops = { .next = next };
