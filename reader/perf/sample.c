// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample: parses a SAMPLE by its event's sample_type, and stores what the event needs until it is
 * delivered: a tracepoint's record, or the fields of another event, and the call chain.
 */
#include "reader/perf/sample.h"

#include "trace/field.h"
#include "reader/perf/trace.h"

#include <inttypes.h>
#include <string.h>

/* Bits of branch_sample_type that add to a branch stack. */
#define BRANCH_HW_INDEX (1u << 17)
#define BRANCH_COUNTERS (1u << 19)
#define BRANCH_LEN 24

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

static bool pass_stack(struct rest *r)
{
	const uint8_t *p;
	uint64_t n, valid;

	return take_u64(r, &n) && (!n || (take(r, n, 1, &p) && take_u64(r, &valid)));
}

static bool take_raw(struct rest *r, struct sample *s)
{
	const uint8_t *p;

	if (!take(r, 1, 4, &p))
		return false;
	s->nraw = field_load(p, 4, r->swap);
	return take(r, s->nraw, 1, &s->raw);
}

/* The parts after the raw bytes; only used by events without a format. */
static bool take_rest(struct rest *r, const struct perf_attr *a, struct sample *s)
{
	return (!HAS(a, SAMPLE_BRANCH_STACK) || pass_branches(r, a)) &&
	       (!HAS(a, SAMPLE_REGS_USER) || pass_regs(r, a->regs_user)) &&
	       (!HAS(a, SAMPLE_STACK_USER) || pass_stack(r)) &&
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

bool perf_sample_parse(const struct perf *f, const struct perf_attr *a, const struct record *r,
		       struct sample *s)
{
	struct rest rest = { .p = r->p + a->fixed, .end = r->p + r->size, .swap = f->form.swap };
	uint64_t n;

	memset(s, 0, sizeof(*s));
	s->fixed = r->p;
	if (r->size < a->fixed)
		return false;
	if (HAS(a, SAMPLE_READ) && !take_read(&rest, a, s))
		return false;
	if (HAS(a, SAMPLE_CALLCHAIN)) {
		if (!take_u64(&rest, &n) || !take(&rest, n, 8, &s->chain))
			return false;
		s->nchain = n;
	}
	if (HAS(a, SAMPLE_RAW) && !take_raw(&rest, s))
		return false;
	return a->type == PERF_TRACEPOINT || take_rest(&rest, a, s);
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
	return f->due.largest;
}

/* Copy R and the call chain of S to X's data. */
static void keep(const struct perf *f, struct entry *x, const struct record *r,
		 const struct sample *s)
{
	uint8_t *copy = (uint8_t *)(x->data + (f->form.swap ? s->nchain : 0));
	uint64_t *chain = x->data;

	memcpy(copy, r->p, r->size);
	x->sample.record = copy;
	x->sample.size = r->size;
	x->sample.raw_at = s->raw ? s->raw - r->p : 0;
	x->sample.nraw = s->nraw;
	x->nchain = s->nchain;
	/* Only parts of 8 bytes precede it. */
	x->chain = s->nchain ? (const uint64_t *)(const void *)(copy + (s->chain - r->p)) : NULL;
	if (!f->form.swap)
		return;
	for (uint32_t i = 0; i < s->nchain; i++)
		chain[i] = perf_u64(f, s->chain + 8 * (size_t)i);
	x->chain = chain;
}

/*
 * In samples recorded in a pid namespace, tasks outside it have number 0, like the idle task, which
 * is never in user mode; tasks inside have the namespace's numbers.  (-1: the task has ended.)
 */
static bool in_namespace(const struct record *r, const struct entry *x, bool raw)
{
	if (raw)
		return x->tid >= 0 && x->pid >= 0 && x->tid != x->pid;
	return !x->tid && (r->misc & MISC_MODE) == MISC_USER;
}

enum pull perf_sample(struct perf *f, struct perf_file *t, const struct record *r, struct err *e)
{
	struct perf_attr *a;
	const struct etype *type;
	struct entry *x;
	struct sample s;
	uint32_t size, len;
	enum pull rc;
	bool raw;

	rc = check(f, r, &a, &s, e);
	if (rc != PULL_OK)
		return rc == PULL_EOF ? PULL_OK : rc;
	type = perf_type_of(f, a);
	raw = a->type == PERF_TRACEPOINT;
	/* Store unwanted types too: the demand may change before the sample is delivered. */
	size = raw ? s.nraw : perf_count_size(a, &s);
	len = 8 * ((r->size + 7u) / 8 + (f->form.swap ? s.nchain : 0));
	x = order_new(&f->due.order, len + (raw ? 0 : size));
	x->ts = time_of(f, a, r);
	x->off = r->off;
	x->type = type;
	x->kind = WAITS_EVENT;
	x->cpu = a->at.cpu == NOWHERE ? 0 : perf_u32(f, r->p + a->at.cpu);
	x->tid = a->at.tid == NOWHERE ? -1 : (int32_t)perf_u32(f, r->p + a->at.tid + 4);
	x->pid = x->tid;
	if (raw && f->ids.pid_off != UINT32_MAX && (uint64_t)f->ids.pid_off + 4 <= s.nraw)
		x->pid = (int32_t)field_load(s.raw + f->ids.pid_off, 4, f->base.machine.swap);
	if (in_namespace(r, x, raw))
		perf_is_foreign(f);
	keep(f, x, r, &s);
	x->sample.attr = &a->at;
	x->sample.count = NULL;
	x->size = size;
	if (raw) {
		x->record = x->sample.record + x->sample.raw_at;
	} else {
		x->record = (const uint8_t *)x->data + len;
		perf_count_record(a, &s, f->form.swap, (uint8_t *)x->data + len);
	}
	if (x->ts > f->due.largest)
		f->due.largest = x->ts;
	if (x->ts > t->newest)
		t->newest = x->ts;
	order_add(&f->due.order, x);
	return PULL_OK;
}
