// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_stream: the events of a perf.data.  One stream, that of the first CPU, reads records into
 * the order until its earliest can be delivered: an event, a name or a loss.
 */
#include "base/mono.h"
#include "reader/perf/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

/* Are times those of CLOCK_MONOTONIC (perf record -k mono)? */
static bool is_monotonic(const struct perf *f)
{
	const struct perf_attr *a = f->attrs.n ? f->attrs.v[0] : NULL;

	return a && a->use_clockid && a->clockid == CLOCK_MONOTONIC;
}

/* The file of PID's compiled code, and which time of it is that of the current sample. */
static void take_jitdump(const struct perf *f, int32_t pid, struct mapping *out)
{
	uint64_t until;

	out->jitdump = maps_jitdump(&f->tasks.maps, pid, &until);
	if (out->jitdump && is_monotonic(f))
		out->ts = f->due.last < until ? f->due.last : until;
}

bool perf_mapped(void *arg, const struct event *ev, uint64_t address, bool kernel,
		 struct mapping *out)
{
	const struct event_sample *s = ev->sample;
	struct perf *f = arg;
	const struct perf_build_id *id;
	int32_t pid = MAPS_KERNEL;
	const struct perf_map *map;

	if (!s || (!kernel && s->attr->tid == NOWHERE))
		return false;
	if (!kernel)
		pid = (int32_t)perf_u32(f, s->record + s->attr->tid);
	map = maps_find(&f->tasks.maps, pid, address);
	if (!map)
		return false;
	id = map->build_id ? map->build_id : build_ids_of(&f->about.build_ids, map->name);
	*out = (struct mapping){ .file = map->name,
				 .kernel = kernel,
				 .function = map->function ? map->end - map->start + map->off : 0,
				 .host = f->about.host,
				 .pid = pid,
				 .start = map->start,
				 .end = map->end,
				 .off = address - map->start + map->off,
				 .build_id = id ? id->bytes : NULL,
				 .build_id_len = id ? id->len : 0,
				 .major = map->major,
				 .minor = map->minor,
				 .inode = map->inode,
				 .written = f->about.written,
				 .ts = TS_UNKNOWN };
	if (!kernel)
		take_jitdump(f, pid, out);
	return true;
}

uint64_t perf_generation(void *arg, const struct event *ev, bool kernel)
{
	const struct event_sample *s = ev->sample;
	const struct perf *f = arg;
	uint64_t until;
	int32_t pid;

	if (kernel || !s || s->attr->tid == NOWHERE)
		return maps_generation(&f->tasks.maps, MAPS_KERNEL);
	pid = (int32_t)perf_u32(f, s->record + s->attr->tid);
	if (maps_jitdump(&f->tasks.maps, pid, &until) && is_monotonic(f) && f->due.last < until)
		return GENERATION_NONE;
	return maps_generation(&f->tasks.maps, pid);
}

bool perf_identity(void *arg, struct kernel_identity *out)
{
	const struct perf *f = arg;
	const struct perf_build_id *id = f->about.build_ids.kernel;

	if (!f->about.kernel_symbol || !f->about.release)
		return false;
	*out = (struct kernel_identity){ .host = f->about.host,
					 .release = f->about.release,
					 .build_id = id ? id->bytes : NULL,
					 .build_id_len = id ? id->len : 0,
					 .symbol = f->about.kernel_symbol,
					 .address = f->about.kernel_address,
					 .written = f->about.written };
	return true;
}

/* The pid in X's record is the kernel's; its name is found by the recorder's number. */
static void name_kernels(struct perf *f, const struct perf_given *x)
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
static void name_recorders(struct perf *f, struct perf_given *x)
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
static void follow(struct perf_cpu *c, const struct perf_given *x)
{
	struct trail *t = &c->trail;

	if (x->type->ncommon && (x->pid != t->pid || !c->follows)) {
		t->before = c->follows ? c->last : TS_UNKNOWN;
		t->before_pid = t->pid;
		t->since = x->due.ts;
		t->pid = x->pid;
		c->follows = true;
	}
	c->last = x->due.ts;
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

/* Make the sample, or a member of its group, the stream's event.  PULL_EOF: unwanted. */
static enum pull give(struct perf *f, const struct stream_part *part, struct err *e)
{
	const struct perf_given *x = &f->due.given;
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
	begin_event(f, c, x->due.ts);
	follow(c, x);
	ev->trail = &c->trail;
	ev->seq = ++c->seq;
	ev->type = t;
	ev->off = x->due.r.off;
	ev->pid = x->pid;
	ev->cpu = x->cpu < PERF_MAX_CPUS ? (int)x->cpu : c->from.cpu;
	ev->at_page_start = true;
	if (t->demand->skip)
		return only_losses(f, ev);
	ev->chain = x->chain;
	ev->nchain = x->parts.nchain;
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
		return err_set(e, ERR_FORMAT, x->due.r.off,
			       "record of %u byte%s is shorter than its format %s:%s (%u)",
			       ev->size, plural(ev->size), t->system, t->name, t->fixed);
	}
	return PULL_OK;
}

/* Deliver the sample that is due; its members follow. */
static enum pull give_sample(struct perf *f, struct err *e)
{
	struct perf_given *x = &f->due.given;

	perf_sample_due(f);
	f->due.giving = true;
	f->buffer.cpus[cpu_of(f, x->cpu) - f->cpus].size += x->sample.size;
	if (f->tasks.foreign)
		x->type->ncommon ? name_kernels(f, x) : name_recorders(f, x);
	perf_group_begin(f, x);
	return give(f, &(struct stream_part){ x->type, &x->sample, x->record, x->size }, e);
}

/* The next event of the current sample.  PULL_EOF: no more. */
static enum pull give_member(struct perf *f, struct err *e)
{
	const struct perf_group *g = &f->due.group;
	enum pull rc;

	while (f->due.giving && perf_group_next(f)) {
		rc = give(f, &(struct stream_part){ g->etype, &g->sample, g->record, g->size }, e);
		if (rc != PULL_EOF)
			return rc;
	}
	if (f->tasks.foreign)
		comms_replay(f->base.machine.comms, 0, NULL);
	f->due.giving = false;
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

/* Sorted files: records not later than the last records of all files can be delivered. */
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
	uint64_t bytes = order_bytes(&f->due.order);

	return bytes > PERF_WAITING_FREE &&
	       (bytes > PERF_MAX_WAITING ||
		(bytes - PERF_WAITING_FREE) / PERF_WAITING_RATIO > f->in.done);
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

static bool is_due(const struct perf *f)
{
	const struct order *o = &f->due.order;

	return order_any(o) && (order_first_ts(o) <= f->due.limit || is_full(f));
}

/* Take the earliest record.  PULL_EOF: it is no event. */
static enum pull deliver(struct perf *f, struct err *e)
{
	struct due *d = &f->due.given.due;
	enum pull rc;

	order_take(&f->due.order, d);
	if (d->ts < f->due.last)
		say_late(f);
	else
		f->due.last = d->ts;
	if (d->r.type != RECORD_SAMPLE) {
		perf_effect(f, d);
		return PULL_EOF;
	}
	rc = give_sample(f, e);
	return rc == PULL_EOF ? give_member(f, e) : rc;
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
	enum pull rc;

	if (s != &f->cpus[0].base)
		return PULL_EOF;
	rc = give_member(f, e);
	if (rc != PULL_EOF)
		return rc;
	for (unsigned steps = 0; steps < WITHOUT_EVENT_MAX; steps++) {
		if (is_due(f)) {
			rc = deliver(f, e);
			if (rc != PULL_EOF)
				return rc;
			continue;
		}
		rc = read_one(f, e);
		s->bytes_done = f->in.done;
		if (rc == PULL_WAIT)
			return wait_for_pipe(f, s);
		if (rc == PULL_EOF)
			return order_any(&f->due.order) ? PULL_AGAIN : give_rest(f);
		if (rc == PULL_ERR)
			return rc;
	}
	s->watermark = (f->due.limit < UINT64_MAX ? f->due.limit : f->due.last) + f->wall.shift;
	return PULL_AGAIN;
}

const struct stream_ops perf_stream_ops = { .next = next };
