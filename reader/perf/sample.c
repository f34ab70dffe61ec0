// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample: parses a SAMPLE by its event's sample_type: before it waits for its time, to see that it
 * is complete, and again when it is due, for what its event consists of: a tracepoint's record, or
 * the fields of another event, and the call chain.
 */
#include "reader/perf/sample.h"

#include "base/mem.h"
#include "trace/field.h"
#include "reader/perf/trace.h"

#include <inttypes.h>
#include <string.h>

/* Bits of branch_sample_type that add to a branch stack. */
#define BRANCH_HW_INDEX (1u << 17)
#define BRANCH_COUNTERS (1u << 19)
#define BRANCH_LEN 24

/* The parts of a tracepoint's sample after the fixed ones. */
#define BIT(b) (1ull << SAMPLE_##b)
#define VARIABLE (BIT(READ) | BIT(CALLCHAIN) | BIT(RAW) | USER_STATE)
#define USER_STATE (BIT(REGS_USER) | BIT(STACK_USER))

/* Of a record's misc: the mode that a sample was in. */
#define MISC_MODE 7
#define MISC_USER 2

/* The rest of a record. */
struct rest {
	const uint8_t *p, *end;
	bool swap;
};

static bool take(struct rest *r, uint64_t n, uint64_t width, const uint8_t **p)
{
	if (n > (uint64_t)(r->end - r->p) / width)
		return false;
	*p = r->p;
	r->p += n * width;
	return true;
}

static bool take_u64(struct rest *r, uint64_t *v)
{
	const uint8_t *p;

	if (!take(r, 1, 8, &p))
		return false;
	*v = field_load(p, 8, r->swap);
	return true;
}

static bool take_read(struct rest *r, const struct perf_attr *a, struct sample *s)
{
	uint64_t f = a->read_format, n = 1;
	unsigned more = !!(f & READ_ENABLED) + !!(f & READ_RUNNING);
	unsigned each = 8 * (1 + !!(f & READ_ID) + !!(f & READ_LOST));
	const uint8_t *times;

	if (!(f & READ_GROUP)) {
		s->nvalues = 1;
		s->value_step = 8;
		if (!take(r, 1 + more + !!(f & READ_ID) + !!(f & READ_LOST), 8, &s->values))
			return false;
		s->ids = f & READ_ID ? s->values + 8 * (1 + more) : NULL;
		return true;
	}
	if (!take_u64(r, &n) || !take(r, more, 8, &times) || !take(r, n, each, &s->values))
		return false;
	s->nvalues = n;
	s->value_step = each;
	s->ids = f & READ_ID ? s->values + 8 : NULL;
	return true;
}

static bool pass_branches(struct rest *r, const struct perf_attr *a)
{
	const uint8_t *p;
	uint64_t n, index;

	return take_u64(r, &n) &&
	       (!(a->branch_sample_type & BRANCH_HW_INDEX) || take_u64(r, &index)) &&
	       take(r, n, BRANCH_LEN, &p) &&
	       (!(a->branch_sample_type & BRANCH_COUNTERS) || take(r, n, 8, &p));
}

static bool pass_regs(struct rest *r, uint64_t mask)
{
	const uint8_t *p;
	uint64_t abi;

	return take_u64(r, &abi) && (!abi || take(r, __builtin_popcountll(mask), 8, &p));
}

static bool take_user_regs(struct rest *r, const struct perf_attr *a, struct sample *s)
{
	s->regs = r->p;
	return pass_regs(r, a->regs_user);
}

/* n bytes, as many as were asked for, of which the first `valid` were copied. */
static bool take_stack(struct rest *r, struct sample *s)
{
	const uint8_t *p;
	uint64_t n, valid;

	if (!take_u64(r, &n))
		return false;
	if (!n)
		return true;
	if (!take(r, n, 1, &p) || !take_u64(r, &valid))
		return false;
	if (s->regs && valid && valid <= n) {
		s->stack = p;
		s->nstack = valid;
	}
	return true;
}

static bool take_raw(struct rest *r, struct sample *s)
{
	const uint8_t *p;

	if (!take(r, 1, 4, &p))
		return false;
	s->nraw = field_load(p, 4, r->swap);
	return take(r, s->nraw, 1, &s->raw);
}

/* The parts after the raw bytes; used by events without a format, and of a copied stack. */
static bool take_rest(struct rest *r, const struct perf_attr *a, struct sample *s)
{
	return (!HAS(a, SAMPLE_BRANCH_STACK) || pass_branches(r, a)) &&
	       (!HAS(a, SAMPLE_REGS_USER) || take_user_regs(r, a, s)) &&
	       (!HAS(a, SAMPLE_STACK_USER) || take_stack(r, s)) &&
	       (!(HAS(a, SAMPLE_WEIGHT) || HAS(a, SAMPLE_WEIGHT_STRUCT)) ||
		take_u64(r, &s->weight)) &&
	       (!HAS(a, SAMPLE_DATA_SRC) || take_u64(r, &s->data_src)) &&
	       (!HAS(a, SAMPLE_TRANSACTION) || take_u64(r, &s->transaction)) &&
	       (!HAS(a, SAMPLE_REGS_INTR) || pass_regs(r, a->regs_intr)) &&
	       (!HAS(a, SAMPLE_PHYS_ADDR) || take_u64(r, &s->phys_addr)) &&
	       (!HAS(a, SAMPLE_CGROUP) || take_u64(r, &s->cgroup)) &&
	       (!HAS(a, SAMPLE_DATA_PAGE_SIZE) || take_u64(r, &s->data_page)) &&
	       (!HAS(a, SAMPLE_CODE_PAGE_SIZE) || take_u64(r, &s->code_page));
}

/* Most have nothing else: from AT on.  What a tracepoint does not have is not used. */
static bool only_raw(const struct record *r, unsigned at, bool swap, struct sample *s)
{
	if (r->size < at + 4u)
		return false;
	s->fixed = r->p;
	s->chain = s->stack = NULL;
	s->nchain = 0;
	s->raw = r->p + at + 4;
	s->nraw = field_load(r->p + at, 4, swap);
	return s->nraw <= r->size - at - 4;
}

/*
 * Of a record that has the fixed parts.  Not inlined: samples with no other part than the raw one
 * would pay for it.
 */
static __attribute__((noinline)) bool parse_rest(const struct perf *f, const struct perf_attr *a,
						 const struct record *r, struct sample *s)
{
	struct rest rest = { .p = r->p + a->fixed, .end = r->p + r->size, .swap = f->form.swap };
	uint64_t n;

	*s = (struct sample){ .fixed = r->p };
	if (HAS(a, SAMPLE_READ) && !take_read(&rest, a, s))
		return false;
	if (HAS(a, SAMPLE_CALLCHAIN)) {
		if (!take_u64(&rest, &n) || !take(&rest, n, 8, &s->chain))
			return false;
		s->nchain = n;
	}
	if (HAS(a, SAMPLE_RAW) && !take_raw(&rest, s))
		return false;
	if (a->type == PERF_TRACEPOINT && (a->sample_type & USER_STATE) != USER_STATE)
		return true;
	return take_rest(&rest, a, s);
}

bool perf_sample_parse(const struct perf *f, const struct perf_attr *a, const struct record *r,
		       struct sample *s)
{
	if (r->size < a->fixed)
		return false;
	if (a->type == PERF_TRACEPOINT && (a->sample_type & VARIABLE) == BIT(RAW))
		return only_raw(r, a->fixed, f->form.swap, s);
	return parse_rest(f, a, r, s);
}

/* The event of the SAMPLE R; NULL: its id is unknown. */
static struct perf_attr *attr_of(const struct perf *f, const struct record *r)
{
	const struct perf_attrs *s = &f->attrs;

	if (s->n <= 1 || s->id_at == NOWHERE || s->id_at + 8u > r->size)
		return s->n ? s->v[0] : NULL;
	return attrs_find(s, perf_u64(f, r->p + s->id_at));
}

/* Is the event of R known, and is R complete?  PULL_EOF: skip it; this has been reported. */
static enum pull check(struct perf *f, const struct record *r, struct perf_attr **attr,
		       struct sample *s, struct err *e)
{
	struct perf_attr *a = *attr = attr_of(f, r);

	if (!a && f->reports.id)
		return PULL_EOF;
	if (!a) {
		f->reports.id = true;
		return err_set(e, ERR_FORMAT, r->off,
			       "sample of an event that the file does not declare: it and others "
			       "like it are left out");
	}
	if (!perf_sample_parse(f, a, r, s))
		return err_set(e, ERR_FORMAT, r->off,
			       "a sample of %u bytes is shorter than what it should have", r->size);
	if (a->type == PERF_TRACEPOINT && s->raw && !s->nraw)
		return err_set(e, ERR_FORMAT, r->off,
			       "a sample of a tracepoint has a record of 0 bytes");
	if (a->type == PERF_TRACEPOINT && !s->raw) {
		if (!f->reports.tp)
			note_say(f->notes, NOTE_WARN,
				 "%s: has samples of tracepoints without their records: left out",
				 f->base.in.path);
		f->reports.tp = true;
		return PULL_EOF;
	}
	return PULL_OK;
}

static uint64_t time_of(struct perf *f, const struct perf_attr *a, const struct record *r)
{
	if (a->at.time != NOWHERE)
		return perf_u64(f, r->p + a->at.time);
	if (!f->reports.no_time)
		note_say(f->notes, NOTE_WARN,
			 "%s: has samples without times (perf record -T stores them): they are "
			 "shown with the time of the record before them in the file",
			 f->base.in.path);
	f->reports.no_time = true;
	return f->due.order.largest;
}

/* The sample's task: the recorder's number, or -1; and the kernel's, if the record has it. */
static void find_task(const struct perf *f, const struct perf_attr *a, const struct record *r,
		      const struct sample *s, int32_t *tid, int32_t *pid)
{
	*tid = a->at.tid == NOWHERE ? -1 : (int32_t)perf_u32(f, r->p + a->at.tid + 4);
	*pid = *tid;
	if (a->type == PERF_TRACEPOINT && f->ids.pid_off != UINT32_MAX &&
	    (uint64_t)f->ids.pid_off + 4 <= s->nraw)
		*pid = (int32_t)field_load(s->raw + f->ids.pid_off, 4, f->base.machine.swap);
}

/* ---- before it waits ---- */

/*
 * In samples recorded in a pid namespace, tasks outside it have number 0, like the idle task, which
 * is never in user mode; tasks inside have the namespace's numbers.  (-1: the task has ended.)
 */
static bool in_namespace(const struct perf *f, const struct perf_attr *a, const struct record *r,
			 const struct sample *s)
{
	int32_t tid, pid;

	find_task(f, a, r, s, &tid, &pid);
	if (a->type == PERF_TRACEPOINT)
		return tid >= 0 && pid >= 0 && tid != pid;
	return !tid && (r->misc & MISC_MODE) == MISC_USER;
}

enum pull perf_sample(struct perf *f, struct perf_file *t, const struct record *r, struct err *e)
{
	struct perf_attr *a;
	struct sample s;
	enum pull rc;
	uint64_t ts;

	rc = check(f, r, &a, &s, e);
	if (rc != PULL_OK)
		return rc == PULL_EOF ? PULL_OK : rc;
	if (!a->etype)
		perf_type_of(f, a);
	if (!f->tasks.foreign && in_namespace(f, a, r, &s))
		perf_is_foreign(f);
	ts = time_of(f, a, r);
	if (ts > t->newest)
		t->newest = ts;
	order_add(&f->due.order, r, a, ts);
	return PULL_OK;
}

/* ---- when it is due ---- */

/* X's record is not aligned: copy it to DST. */
static void copy_record(struct perf_given *x, uint8_t *dst)
{
	memcpy(dst, x->due.r.p, x->due.r.size);
	x->sample.record = dst;
}

static void swap_chain(const struct perf *f, struct perf_given *x, uint64_t *dst)
{
	for (uint32_t i = 0; i < x->parts.nchain; i++)
		dst[i] = perf_u64(f, x->parts.chain + 8 * (size_t)i);
	x->chain = dst;
}

/* What of X is needed in another form than the file has it. */
static void make_parts(struct perf *f, struct perf_given *x)
{
	const struct perf_attr *a = x->due.attr;
	const struct record *r = &x->due.r;
	bool copied = (uintptr_t)r->p % 8, raw = a->type == PERF_TRACEPOINT;
	size_t chain = f->form.swap ? 8 * (size_t)x->parts.nchain : 0;
	size_t copy = copied ? (r->size + 7u) & ~7u : 0;
	size_t fields = raw ? 0 : perf_count_size(a, &x->parts);

	x->fields = NULL;
	if (!(chain + copy + fields))
		return;
	x->made = mem_grow(x->made, &x->cap, chain + copy + fields, 1);
	if (copied)
		copy_record(x, x->made + chain);
	if (chain)
		swap_chain(f, x, (uint64_t *)(void *)x->made);
	if (raw)
		return;
	x->fields = x->made + chain + copy;
	perf_count_record(a, &x->parts, f->form.swap, x->fields);
}

/* Where the registers and the stack are that were copied. */
static void put_user_state(struct perf_given *x, const struct perf_attr *a)
{
	const struct sample *s = &x->parts;

	x->sample.regs = a->regs_user;
	x->sample.regs_at = s->regs - x->due.r.p;
	x->sample.stack_at = s->stack - x->due.r.p;
	x->sample.stack_len = s->nstack;
}

void perf_sample_due(struct perf *f)
{
	struct perf_given *x = &f->due.given;
	struct perf_attr *a = f->attrs.v[x->due.attr->number];
	const struct record *r = &x->due.r;
	const struct sample *s = &x->parts;

	/* It was complete when it was read. */
	perf_sample_parse(f, a, r, &x->parts);
	x->type = a->etype ? a->etype : perf_type_of(f, a);
	x->cpu = a->at.cpu == NOWHERE ? 0 : perf_u32(f, r->p + a->at.cpu);
	find_task(f, a, r, s, &x->tid, &x->pid);
	x->sample = (struct event_sample){
		.attr = &a->at,
		.record = r->p,
		.size = r->size,
		.raw_at = s->raw ? s->raw - r->p : 0,
		.nraw = s->nraw,
	};
	if (s->stack)
		put_user_state(x, a);
	x->chain = NULL;
	make_parts(f, x);
	/* Only parts of 8 bytes precede it. */
	if (s->nchain && !x->chain)
		x->chain = (const uint64_t *)(const void *)(x->sample.record + (s->chain - r->p));
	x->record = x->fields ? x->fields : x->sample.record + x->sample.raw_at;
	x->size = x->fields ? perf_count_size(a, s) : s->nraw;
}
