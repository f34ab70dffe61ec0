// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_head: parses the text at the beginning of a file of stable events: the descriptions of its
 * records, and its streams, machines and tasks.
 */
#include "reader/stablefile/file_head.h"

#include "reader/stablefile/head_line.h"
#include "reader/stablefile/stablefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE (64 << 10) /* bytes of one line */
#define MAX_CPU 65535

static const char *const FIELDS[NRECORD_FIELDS] = {
	[RF_EVENT] = "event", [RF_STREAM] = "stream",	  [RF_SIZE] = "size",
	[RF_PID] = "pid",     [RF_SEQUENCE] = "sequence", [RF_TIME] = "time",
};

struct head_parser {
	struct stable_head *h;
	struct machine *first;
	struct notes *notes;
	struct desc *desc; /* target of description lines; NULL: none expected */
	bool order, times; /* lines seen */
	unsigned items;
	struct line l;
};

/* ---- lines ---- */

static int read_order(struct head_parser *p, struct err *e)
{
	p->h->big_endian = line_take(&p->l, "big");
	if (!p->h->big_endian && !line_take(&p->l, "little"))
		return line_complain(&p->l, p->l.pos, "little or big is wanted", e);
	p->order = true;
	return 0;
}

static int read_times(struct head_parser *p, struct err *e)
{
	p->h->ns = line_take(&p->l, "ns");
	if (!p->h->ns && !line_take(&p->l, "ticks"))
		return line_complain(&p->l, p->l.pos, "ns or ticks is wanted", e);
	p->times = true;
	return 0;
}

static int read_clock(struct head_parser *p, struct err *e)
{
	const char *w;
	size_t n = line_word(&p->l, &w);

	if (!n || n > 63)
		return line_complain(&p->l, w - p->l.p, "the name of a clock is wanted", e);
	free(p->h->clock);
	p->h->clock = mem_strndup(w, n);
	return 0;
}

static int read_cpus(struct head_parser *p, struct err *e)
{
	int64_t n;

	TRY(line_number(&p->l, 0, MAX_CPU + 1, &n, e));
	p->h->cpus = n;
	return 0;
}

/* "stream N cpu C trace T buffer "NAME"" */
static int read_stream(struct head_parser *p, struct err *e)
{
	struct stable_head *h = p->h;
	int64_t no, cpu, trace;
	unsigned b = h->nbuffers;
	size_t n;
	char *name;

	if (h->nstreams == STABLE_MAX_STREAMS)
		return line_complain(&p->l, 0, "too many streams", e);
	TRY(line_number(&p->l, h->nstreams, h->nstreams, &no, e));
	if (!line_take(&p->l, "cpu"))
		return line_complain(&p->l, p->l.pos, "cpu NUMBER is wanted", e);
	TRY(line_number(&p->l, 0, MAX_CPU, &cpu, e));
	if (!line_take(&p->l, "trace"))
		return line_complain(&p->l, p->l.pos, "trace NUMBER is wanted", e);
	TRY(line_number(&p->l, 0, STABLE_MAX_BUFFERS, &trace, e));
	if (!line_take(&p->l, "buffer"))
		return line_complain(&p->l, p->l.pos, "buffer \"NAME\" is wanted", e);
	TRY(line_quoted(&p->l, STABLE_MAX_NAME, &name, &n, e));
	while (b && (h->buffers[b - 1].trace != trace || strcmp(h->buffers[b - 1].name, name)))
		b--;
	if (b) {
		b--;
		free(name);
	} else if (h->nbuffers == STABLE_MAX_BUFFERS) {
		free(name);
		return line_complain(&p->l, 0, "too many buffers", e);
	} else {
		h->buffers = mem_grow(h->buffers, &h->buffers_cap, h->nbuffers + 1,
				      sizeof(*h->buffers));
		b = h->nbuffers++;
		h->buffers[b] = (struct stable_buffer){ .trace = trace, .name = name };
	}
	h->streams = mem_grow(h->streams, &h->streams_cap, h->nstreams + 1, sizeof(*h->streams));
	h->streams[h->nstreams++] = (struct stable_cpu){ .cpu = cpu, .buffer = b };
	return 0;
}

static int machine_text(void *arg, enum machine_text which, const char **out, size_t *len,
			struct err *e)
{
	const struct stable_machine *m = arg;

	*out = "";
	*len = 0;
	if (which == TEXT_UNAME && m) {
		*out = m->uname;
		*len = strlen(m->uname);
	}
	return 0;
}

static const struct machine_ops MACHINE_OPS = { .text = machine_text };

/* "machine N "UNAME"" */
static int read_machine(struct head_parser *p, struct err *e)
{
	struct stable_head *h = p->h;
	struct stable_machine *m;
	int64_t no;
	char *name;
	size_t n;

	if (h->nmachines == STABLE_MAX_MACHINES)
		return line_complain(&p->l, 0, "too many machines", e);
	TRY(line_number(&p->l, h->nmachines, h->nmachines, &no, e));
	TRY(line_quoted(&p->l, STABLE_MAX_UNAME, &name, &n, e));
	m = mem_zalloc(sizeof(*m));
	m->uname = name;
	m->machine = p->first;
	if (h->nmachines) {
		m->machine = &m->own;
		machine_init(&m->own, &MACHINE_OPS, m, p->notes);
	} else {
		p->first->arg = m;
	}
	h->machines = mem_grow(h->machines, &h->machines_cap, h->nmachines + 1,
			       sizeof(*h->machines));
	h->machines[h->nmachines++] = m;
	return 0;
}

/* The machine that this line belongs to: the last one. */
static struct stable_machine *machine_of(struct head_parser *p, struct err *e)
{
	if (p->h->nmachines)
		return p->h->machines[p->h->nmachines - 1];
	line_complain(&p->l, 0, "comes before the line of its machine", e);
	return NULL;
}

/* "task PID "NAME"" */
static int read_task(struct head_parser *p, struct err *e)
{
	struct stable_machine *m = machine_of(p, e);
	int64_t pid;
	char *name;
	size_t n;

	if (!m)
		return -1;
	TRY(line_number(&p->l, INT32_MIN, INT32_MAX, &pid, e));
	TRY(line_quoted(&p->l, STABLE_MAX_NAME, &name, &n, e));
	comms_learn(m->machine->comms, pid, name, n);
	free(name);
	p->h->ntasks++;
	return 0;
}

static struct stable_entry *add_entry(struct head_parser *p, struct err *e)
{
	struct stable_head *h = p->h;
	struct stable_entry *x;
	int64_t no;

	if (h->nentries == STABLE_MAX_ENTRIES) {
		line_complain(&p->l, 0, "too many events", e);
		return NULL;
	}
	if (line_number(&p->l, 0, 65535, &no, e) < 0)
		return NULL;
	if (h->by_number[no]) {
		line_complain(&p->l, 0, "this number is taken", e);
		return NULL;
	}
	x = mem_zalloc(sizeof(*x));
	x->number = no;
	h->entries = mem_grow(h->entries, &h->entries_cap, h->nentries + 1, sizeof(*h->entries));
	h->entries[h->nentries++] = x;
	h->by_number[no] = x;
	p->desc = &x->desc;
	return x;
}

/* "event N SYSTEM::NAME" */
static int read_event(struct head_parser *p, struct err *e)
{
	struct stable_machine *m = machine_of(p, e);
	struct stable_entry *x = m ? add_entry(p, e) : NULL;
	const char *w, *colon;
	size_t n;

	if (!x)
		return -1;
	n = line_word(&p->l, &w);
	colon = n ? memmem(w, n, "::", 2) : NULL;
	if (!colon || !is_event_word(w, colon - w) ||
	    !is_event_word(colon + 2, n - (colon + 2 - w)))
		return line_complain(&p->l, w - p->l.p, "SYSTEM::NAME is wanted", e);
	x->kind = RECORD_EVENT;
	x->system = mem_strndup(w, colon - w);
	x->name = mem_strndup(colon + 2, n - (colon + 2 - w));
	x->machine = m;
	return 0;
}

/* "mark N NAME" */
static int read_mark(struct head_parser *p, struct err *e)
{
	static const char *const NAMES[] = {
		[RECORD_LOST] = "lost",
		[RECORD_TASK] = "task",
		[RECORD_END] = "end",
	};
	struct stable_entry *x = add_entry(p, e);
	const char *w;
	size_t n;

	if (!x)
		return -1;
	n = line_word(&p->l, &w);
	if (!is_event_word(w, n))
		return line_complain(&p->l, w - p->l.p, "the name of a mark is wanted", e);
	x->name = mem_strndup(w, n);
	for (unsigned i = RECORD_LOST; i <= RECORD_END; i++)
		if (!strcmp(x->name, NAMES[i]))
			x->kind = i;
	return 0;
}

static int read_record(struct head_parser *p, struct err *e)
{
	if (p->h->record.n)
		return line_complain(&p->l, 0, "record is given twice", e);
	p->desc = &p->h->record;
	return 0;
}

static int read_purpose(struct head_parser *p, struct err *e)
{
	p->l.pos = p->l.len; /* text for humans */
	return p->desc ? 0 : line_complain(&p->l, 0, "purpose of what?", e);
}

static const struct {
	const char *word;
	int (*read)(struct head_parser *p, struct err *e);
	bool describes; /* description lines follow, or may continue */
} LINES[] = {
	{ "byte_order:", read_order, false }, { "clock:", read_clock, false },
	{ "times:", read_times, false },      { "cpus:", read_cpus, false },
	{ "record", read_record, true },      { "stream", read_stream, false },
	{ "machine", read_machine, false },   { "task", read_task, false },
	{ "event", read_event, true },	      { "mark", read_mark, true },
	{ "purpose", read_purpose, true },
};

static bool is_description(const struct line *l)
{
	static const char *const KINDS[] = { "field:", "array:", "dynamic:", "absent:" };

	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		if (l->len - l->pos >= strlen(KINDS[i]) &&
		    !memcmp(l->p + l->pos, KINDS[i], strlen(KINDS[i])))
			return true;
	return false;
}

static int read_line(struct head_parser *p, struct err *e)
{
	const char *w;
	size_t n;

	if (line_ends(&p->l))
		return 0;
	if (is_description(&p->l)) {
		if (!p->desc)
			return line_complain(&p->l, p->l.pos, "describes what?", e);
		if (p->items++ == STABLE_MAX_ITEMS)
			return line_complain(&p->l, 0, "too many items in all", e);
		return desc_add(p->desc, p->l.p, p->l.len, p->l.no, NULL, e);
	}
	for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
		if (!line_take(&p->l, LINES[i].word))
			continue;
		if (!LINES[i].describes)
			p->desc = NULL;
		TRY(LINES[i].read(p, e));
		return line_ends(&p->l) ?
			       0 :
			       line_complain(&p->l, p->l.pos, "the line should end here", e);
	}
	n = line_word(&p->l, &w);
	return desc_complain(e, p->l.no, w - p->l.p + 1,
			     "unknown word '%.*s' (of a newer version?)", (int)(n < 40 ? n : 40),
			     w);
}

/* ---- all lines ---- */

const struct desc_item *stable_number(const struct desc *d, const char *name)
{
	for (unsigned i = 0; i < d->n; i++)
		if (!strcmp(d->items[i].name, name) && d->items[i].kind == DESC_FIELD)
			return &d->items[i];
	return NULL;
}

/* A required field of X's kind that X lacks; or NULL. */
static const char *lacks(const struct stable_entry *x)
{
	static const char *const NEEDS[][3] = {
		[RECORD_LOST] = { "count" },
		[RECORD_TASK] = { "machine", "pid" },
		[RECORD_END] = { "records" },
		{ NULL },
	};

	for (unsigned i = 0; i < 3 && NEEDS[x->kind][i]; i++)
		if (!stable_number(&x->desc, NEEDS[x->kind][i]))
			return NEEDS[x->kind][i];
	if (x->kind != RECORD_TASK)
		return NULL;
	for (unsigned i = 0; i < x->desc.n; i++)
		if (!strcmp(x->desc.items[i].name, "name") && x->desc.fields[i].kind == FIELD_STR)
			return NULL;
	return "name";
}

static int finish(struct head_parser *p, struct err *e)
{
	struct stable_head *h = p->h;
	bool end = false;

	if (!p->order || !p->times || !h->clock)
		return line_complain(&p->l, 0,
				     "byte_order:, clock: and times: are needed before data", e);
	TRY(desc_finish(&h->record, e));
	for (unsigned i = 0; i < NRECORD_FIELDS; i++) {
		const struct desc_item *it = stable_number(&h->record, FIELDS[i]);

		if (!it)
			return desc_complain(e, p->l.no, 1, "record has no field '%s'", FIELDS[i]);
		h->at[i].bit = it->bit;
		h->at[i].size = it->size;
		h->at[i].is_signed = it->is_signed;
	}
	h->record_len = h->record.bits / 8;
	for (unsigned i = 0; i < h->nentries; i++) {
		struct stable_entry *x = h->entries[i];
		const char *what;

		TRY(desc_finish(&x->desc, e));
		what = lacks(x);
		if (what)
			return desc_complain(e, p->l.no, 1, "mark %s has no field '%s'", x->name,
					     what);
		end |= x->kind == RECORD_END;
	}
	if (!end)
		return line_complain(&p->l, 0, "missing 'end' mark", e);
	h->data++;
	return 0;
}

int stable_head_read(struct stable_head *h, struct window *w, struct machine *first,
		     struct notes *notes, struct err *e)
{
	struct head_parser p = { .h = h, .first = first, .notes = notes, .l = { .no = 1 } };

	machine_init(first, &MACHINE_OPS, NULL, notes);
	h->data = STABLE_MAGIC_LEN;
	for (;;) {
		const uint8_t *at, *nl;
		ssize_t n = window_get(w, h->data, MAX_LINE, &at, e);

		if (n < 0)
			return -1;
		nl = n ? memchr(at, '\n', n < MAX_LINE ? n : MAX_LINE) : NULL;
		p.l = (struct line){ .p = (const char *)at, .no = p.l.no + 1 };
		if (!nl)
			return n < MAX_LINE ?
				       err_set(e, ERR_FORMAT, h->data + n,
					       "the file ends within its "
					       "descriptions (zedperl --export was stopped?)") :
				       line_complain(&p.l, 0, "the line is too long", e);
		p.l.len = nl - at;
		if (p.l.len == 4 && !memcmp(at, "data", 4)) {
			h->data += 4;
			return finish(&p, e);
		}
		TRY(read_line(&p, e));
		h->data += p.l.len + 1;
		if (h->data > STABLE_MAX_HEAD)
			return line_complain(&p.l, 0, "the descriptions have no end", e);
	}
}

void stable_head_fini(struct stable_head *h)
{
	for (unsigned i = 0; i < h->nentries; i++) {
		desc_fini(&h->entries[i]->desc);
		free(h->entries[i]->system);
		free(h->entries[i]->name);
		free(h->entries[i]);
	}
	for (unsigned i = 0; i < h->nmachines; i++) {
		if (h->machines[i]->machine == &h->machines[i]->own)
			machine_fini(&h->machines[i]->own);
		free(h->machines[i]->uname);
		free(h->machines[i]);
	}
	for (unsigned i = 0; i < h->nbuffers; i++)
		free(h->buffers[i].name);
	desc_fini(&h->record);
	free(h->entries);
	free(h->machines);
	free(h->buffers);
	free(h->streams);
	free(h->clock);
}
