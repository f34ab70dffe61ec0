// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine: turns the texts that a recording carries of its machine - kallsyms, printk_formats,
 * saved_cmdlines - into look-ups, when the first one is made; and names that are learnt while it
 * goes on into the names of the time.
 */
#include "reader/model/machine.h"

#include "base/mem.h"
#include "reader/model/comm_line.h"
#include "reader/model/comm_time.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A name at an address; text offsets instead of pointers would save little and cost clarity. */
struct symbol {
	uint64_t addr;
	const char *name;
	const char *module;
	unsigned line; /* order in the text: the last of equal addresses stands last */
};

struct symtab {
	struct symbol *v;
	size_t cap;
	unsigned n;
	struct arena names;
};

#define NO_COMM UINT32_MAX
#define MAX_COMMS (1u << 20)   /* names of a text, and as many that are learnt */
#define MAX_SYMBOLS (1u << 20) /* of kallsyms; a distribution's kernel has 300,000 at most */
#define MAX_PRINTK (1u << 16)  /* trace_printk strings; a kernel has some hundreds */
#define REFUSED_SLOTS 1024     /* a power of two */

struct comm {
	int32_t pid;
	uint32_t next; /* in its bucket */
	uint16_t room; /* bytes at name */
	bool own;      /* name was allocated; otherwise it lies in the text's arena */
	bool hidden;   /* trace-cmd does not get as far in the text as here */
	char *name;    /* of the text: behind a name with newlines its first line */
};

/* A task whose name nobody knew, and when that was asked. */
struct refused {
	int32_t pid;
	int64_t when; /* CLOCK_MONOTONIC s; 0: none */
};

struct comms {
	struct comm *v; /* in the order of the text, then as they were learnt */
	size_t cap;
	unsigned n;
	unsigned loaded; /* so many of them are the text's */
	unsigned victim; /* the learnt one that goes first when there are too many */
	uint32_t *buckets;
	unsigned nbuckets; /* a power of two */
	struct refused *refused;
	struct arena names;
};

void machine_init(struct machine *s, const struct machine_ops *ops, void *arg, struct notes *notes)
{
	memset(s, 0, sizeof(*s));
	s->ops = ops;
	s->arg = arg;
	s->notes = notes;
	s->long_size = 8;
	s->due = UINT64_MAX;
}

static void symtab_free(struct symtab *t)
{
	if (!t)
		return;
	arena_fini(&t->names);
	free(t->v);
	free(t);
}

static void comms_free(struct comms *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->n; i++)
		if (c->v[i].own)
			free(c->v[i].name);
	arena_fini(&c->names);
	free(c->v);
	free(c->buckets);
	free(c->refused);
	free(c);
}

void machine_fini(struct machine *s)
{
	symtab_free(s->symbols);
	symtab_free(s->printk);
	comms_free(s->comms);
	commtime_free(s->times);
	s->times = NULL;
	s->symbols = s->printk = NULL;
	s->comms = NULL;
}

const char *machine_raw(struct machine *s, enum machine_text which, size_t *len)
{
	const char *p = "";
	struct err e;

	*len = 0;
	if (s->ops && s->ops->text(s->arg, which, &p, len, &e) < 0) {
		note_err(s->notes, NOTE_DAMAGE, &e);
		*len = 0;
	}
	return p;
}

/* Text cut into lines; a NUL ends it, as these texts came from C strings. */
struct lines {
	const char *p, *end;
};

static struct lines text_lines(struct machine *s, enum machine_text which)
{
	size_t len;
	const char *p = machine_raw(s, which, &len);
	const char *nul = len ? memchr(p, 0, len) : NULL;

	return (struct lines){ p, nul ? nul : p + len };
}

static bool next_line(struct lines *l, const char **line, size_t *len)
{
	const char *nl;

	if (l->p >= l->end)
		return false;
	nl = memchr(l->p, '\n', l->end - l->p);
	*line = l->p;
	*len = (nl ? nl : l->end) - l->p;
	l->p = nl ? nl + 1 : l->end;
	return true;
}

/* Hexadecimal digits at *P; false if there is none or they are more than 16. */
static bool hex(const char **p, const char *end, uint64_t *out)
{
	const char *s = *p;
	uint64_t v = 0;

	for (; s < end; s++) {
		unsigned d;

		if (*s >= '0' && *s <= '9')
			d = *s - '0';
		else if ((*s | 0x20) >= 'a' && (*s | 0x20) <= 'f')
			d = (*s | 0x20) - 'a' + 10;
		else
			break;
		if (s - *p == 16)
			return false;
		v = v << 4 | d;
	}
	if (s == *p)
		return false;
	*p = s;
	*out = v;
	return true;
}

/* That BAD lines of a text made no sense, and MORE were beyond MAX. */
static void say_left_out(struct machine *s, const char *what, unsigned bad, unsigned more,
			 unsigned max)
{
	if (bad && s->path)
		note_say(s->notes, NOTE_DAMAGE, "%s: %s: lines that make no sense, left out: %u",
			 s->path, what, bad);
	if (more && s->path)
		note_say(s->notes, NOTE_DAMAGE, "%s: %s: at most %u are kept, left out: %u",
			 s->path, what, max, more);
}

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static void symtab_add(struct symtab *t, uint64_t addr, const char *name, const char *module)
{
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n] = (struct symbol){ .addr = addr, .name = name, .module = module, .line = t->n };
	t->n++;
}

static void symtab_sort(struct symtab *t)
{
	unsigned i, end;

	/* /proc/kallsyms is mostly sorted; a sorted table costs one pass. */
	for (i = 1; i < t->n; i++)
		if (by_addr(&t->v[i - 1], &t->v[i]) > 0)
			break;
	if (i < t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_addr);
	/* Which of several names of one address is found is as in libtraceevent: its list is
	 * backwards. */
	for (i = 0; i < t->n; i = end) {
		for (end = i + 1; end < t->n && t->v[end].addr == t->v[i].addr; end++)
			;
		for (unsigned a = i, b = end - 1; a < b; a++, b--) {
			struct symbol tmp = t->v[a];

			t->v[a] = t->v[b];
			t->v[b] = tmp;
		}
	}
}

/* N bytes of a name, or as many as are kept of it; CUT counts those that lose some. */
static size_t name_len(size_t n, unsigned *cut)
{
	*cut += n > SYMBOL_MAX;
	return n < SYMBOL_MAX ? n : SYMBOL_MAX;
}

/* "ffffffff81000000 T name\t[module]" */
static void load_symbols(struct machine *s)
{
	struct lines l = text_lines(s, TEXT_KALLSYMS);
	struct symtab *t = s->symbols = mem_zalloc(sizeof(*t));
	const char *p, *module = NULL;
	unsigned bad = 0, more = 0, cut = 0;
	size_t len;

	while (next_line(&l, &p, &len)) {
		const char *end = p + len, *name, *name_end, *m, *m_end;
		uint64_t addr;
		char type;

		if (!hex(&p, end, &addr) || end - p < 4 || *p != ' ' || p[2] != ' ') {
			bad += end < l.end; /* the last one may be cut */
			continue;
		}
		if (t->n == MAX_SYMBOLS) {
			more++;
			continue;
		}
		type = p[1];
		name = p + 3;
		name_end = name;
		while (name_end < end && *name_end != '\t' && *name_end != ' ')
			name_end++;
		if (name == name_end || *name == '$' || type == 'A' || type == 'a')
			continue;
		m = memchr(name_end, '[', end - name_end);
		if (m && (m_end = memchr(m, ']', end - m))) {
			size_t n = name_len(m_end - m - 1, &cut);

			if (!module || strlen(module) != n || memcmp(module, m + 1, n))
				module = arena_strndup(&t->names, m + 1, n);
		} else {
			m = NULL;
		}
		symtab_add(t, addr, arena_strndup(&t->names, name, name_len(name_end - name, &cut)),
			   m ? module : NULL);
	}
	say_left_out(s, "kallsyms", bad, more, MAX_SYMBOLS);
	if (cut && s->path)
		note_say(s->notes, NOTE_DAMAGE,
			 "%s: kallsyms: names of over %u bytes, cut there: "
			 "%u",
			 s->path, SYMBOL_MAX, cut);
	symtab_sort(t);
}

/*
 * The symbol at or below ADDR, or NULL.  Of several at ADDR itself it is the one that a plain
 * bsearch() meets first, of several below it the last.
 */
static const struct symbol *symtab_find(const struct symtab *t, uint64_t addr)
{
	unsigned lo = 0, hi = t->n;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (t->v[mid].addr == addr)
			return &t->v[mid];
		if (t->v[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &t->v[lo - 1] : NULL;
}

const char *machine_symbol(struct machine *s, uint64_t addr, uint64_t *start, const char **module)
{
	const struct symbol *sym;

	if (!s->symbols)
		load_symbols(s);
	sym = symtab_find(s->symbols, addr);
	if (!sym)
		return NULL;
	if (sym == &s->symbols->v[s->symbols->n - 1] && sym->addr != addr)
		return NULL;
	if (start)
		*start = sym->addr;
	if (module)
		*module = sym->module;
	return sym->name;
}

/* `0xffffffff82345678 : "text"`, the text with a literal \n at its end maybe */
static void load_printk(struct machine *s)
{
	struct lines l = text_lines(s, TEXT_PRINTK);
	struct symtab *t = s->printk = mem_zalloc(sizeof(*t));
	unsigned bad = 0, more = 0;
	const char *p;
	size_t len;

	while (next_line(&l, &p, &len)) {
		const char *end = p + len;
		uint64_t addr;

		if (len < 2 || memcmp(p, "0x", 2) || (p += 2, !hex(&p, end, &addr))) {
			bad += end < l.end;
			continue;
		}
		if (t->n == MAX_PRINTK) {
			more++;
			continue;
		}
		while (p < end && (*p == ' ' || *p == ':'))
			p++;
		if (p < end && *p == '"')
			p++;
		if (end > p && end[-1] == '"')
			end--;
		if (end - p >= 2 && end[-2] == '\\' && end[-1] == 'n')
			end -= 2;
		symtab_add(t, addr, arena_strndup(&t->names, p, end - p), NULL);
	}
	say_left_out(s, "printk formats", bad, more, MAX_PRINTK);
	symtab_sort(t);
}

const char *machine_printk(struct machine *s, uint64_t addr)
{
	const struct symbol *sym;

	if (!s->printk)
		load_printk(s);
	sym = symtab_find(s->printk, addr);
	return sym && sym->addr == addr ? sym->name : NULL;
}

unsigned machine_printk_count(struct machine *s)
{
	if (!s->printk)
		load_printk(s);
	return s->printk->n;
}

const char *machine_printk_at(struct machine *s, unsigned i, uint64_t *addr)
{
	*addr = s->printk->v[i].addr;
	return s->printk->v[i].name;
}

/* ---- command names ---- */

static uint32_t hash_pid(int32_t pid)
{
	return (uint32_t)pid * 0x9e3779b1u >> 7;
}

static uint32_t *bucket(const struct comms *c, int32_t pid)
{
	return &c->buckets[hash_pid(pid) & (c->nbuckets - 1)];
}

static void enter_comm(struct comms *c, unsigned i)
{
	uint32_t *b = bucket(c, c->v[i].pid);

	c->v[i].next = *b;
	*b = i;
}

static void leave_comm(struct comms *c, unsigned i)
{
	uint32_t *b = bucket(c, c->v[i].pid);

	while (*b != i)
		b = &c->v[*b].next;
	*b = c->v[i].next;
}

/* The one that was entered last for PID, or NULL. */
static struct comm *find_comm(const struct comms *c, int32_t pid)
{
	uint32_t i = *bucket(c, pid);

	while (i != NO_COMM && c->v[i].pid != pid)
		i = c->v[i].next;
	return i == NO_COMM ? NULL : &c->v[i];
}

static struct comm *add_comm(struct comms *c, int32_t pid)
{
	c->v = mem_grow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
	c->v[c->n] = (struct comm){ .pid = pid };
	if (c->n >= c->nbuckets) {
		c->nbuckets = c->nbuckets ? 2 * c->nbuckets : 256;
		c->buckets = mem_realloc(c->buckets, c->nbuckets * sizeof(*c->buckets));
		memset(c->buckets, 0xff, c->nbuckets * sizeof(*c->buckets));
		for (unsigned i = 0; i < c->n; i++)
			enter_comm(c, i);
	}
	enter_comm(c, c->n);
	return &c->v[c->n++];
}

/* The name of line L, and behind one of several lines its first. */
static void set_text_name(struct comms *all, struct comm *c, const struct comm_line *l)
{
	const char *nl = memchr(l->name, '\n', l->len);
	size_t first = nl ? nl - l->name : 0, need = l->len + 1 + (nl ? first + 1 : 0);

	if (need > c->room) {
		c->room = need < 16 ? 16 : need;
		c->name = arena_alloc(&all->names, c->room);
	}
	memcpy(c->name, l->name, l->len);
	c->name[l->len] = '\0';
	if (nl) {
		memcpy(c->name + l->len + 1, l->name, first);
		c->name[need - 1] = '\0';
	}
}

/*
 * Does trace-cmd stop at the first line of a name (it has no word), or at one BEHIND it (they have
 * no number, and only empty ones are skipped)?
 */
static bool stock_stops(const char *name, size_t len, bool behind)
{
	const char *end = name + len, *nl = memchr(name, '\n', len), *p;

	for (p = name; p < (nl ? nl : end) && isspace((unsigned char)*p); p++)
		;
	if (!behind || !nl)
		return !behind && p == (nl ? nl : end);
	for (p = nl; p < end && *p == '\n'; p++)
		;
	return p < end;
}

static struct commtime *times_of(struct machine *s)
{
	if (!s->times)
		s->times = commtime_new();
	s->timed = true;
	return s->times;
}

/* Take what the time has come for. */
static void take_due(struct machine *s)
{
	s->due = s->times ?
			 commtime_go_on(s->times, s->now, s->ops ? s->ops->shown : NULL, s->arg) :
			 UINT64_MAX;
}

/* Names with their times behind the text, where there are some. */
static void find_log(struct machine *s)
{
	size_t len;
	const char *p = machine_raw(s, TEXT_CMDLINES, &len), *end = p + len;
	const char *nul = len ? memchr(p, 0, len) : NULL;

	if (!nul || end - nul <= COMMLOG_MAGIC_LEN ||
	    memcmp(nul + 1, COMMLOG_MAGIC, COMMLOG_MAGIC_LEN))
		return;
	p = nul + 1 + COMMLOG_MAGIC_LEN;
	commtime_set_log(times_of(s), (const uint8_t *)p, end - p);
	s->watched = true;
	take_due(s);
}

/* "1234 command name".  The last of a task counts. */
static void load_comms(struct machine *s)
{
	struct lines text = text_lines(s, TEXT_CMDLINES);
	struct comm_lines l = { .p = text.p, .end = text.end };
	struct comms *c = s->comms = mem_zalloc(sizeof(*c));
	struct comm_line line;
	bool hidden = false;
	unsigned more = 0;

	c->nbuckets = 256;
	c->buckets = mem_alloc(c->nbuckets * sizeof(*c->buckets));
	memset(c->buckets, 0xff, c->nbuckets * sizeof(*c->buckets));
	while (comm_lines_next(&l, &line)) {
		struct comm *known = find_comm(c, line.pid);

		hidden = hidden || l.bad || stock_stops(line.name, line.len, false);
		if (!known && c->n == MAX_COMMS) {
			more++;
			continue;
		}
		if (!known) {
			known = add_comm(c, line.pid);
			known->hidden = hidden;
		}
		set_text_name(c, known, &line);
		hidden = hidden || stock_stops(line.name, line.len, true);
	}
	say_left_out(s, "command names", l.bad, more, MAX_COMMS);
	c->loaded = c->victim = c->n;
	find_log(s);
}

/* The machine that knows S's names, its text read. */
static struct machine *named(struct machine *s)
{
	s = machine_of_names(s);
	if (!s->comms)
		load_comms(s);
	return s;
}

/* An entry for a name that is learnt: a new one, or that of the name which was learnt first. */
static struct comm *learnt_comm(struct comms *c, int32_t pid)
{
	struct comm *had = find_comm(c, pid);
	unsigned i;

	if (had)
		return had;
	if (c->n - c->loaded < MAX_COMMS)
		return add_comm(c, pid);
	i = c->victim;
	c->victim = i + 1 < c->n ? i + 1 : c->loaded;
	leave_comm(c, i);
	c->v[i].pid = pid;
	enter_comm(c, i);
	return &c->v[i];
}

void machine_learn_comm(struct machine *s, int32_t pid, const char *name, size_t len)
{
	struct comm *c;

	s = named(s);
	s->learnt = true;
	if (len > COMM_MAX)
		len = COMM_MAX;
	c = learnt_comm(s->comms, pid);
	if (!c->own || len >= c->room) {
		if (c->own)
			free(c->name);
		c->own = true;
		c->room = len < 16 ? 16 : len + 1;
		c->name = mem_alloc(c->room);
	}
	memcpy(c->name, name, len);
	c->name[len] = '\0';
}

/* Ask whoever may know.  A task that nobody knew is not asked for again within a second. */
static const char *ask_comm(struct machine *s, int32_t pid)
{
	struct comms *c = s->comms;
	struct refused *r;
	struct timespec now;
	char name[16];

	if (!s->ops || !s->ops->comm)
		return NULL;
	if (!c->refused)
		c->refused = mem_zalloc(REFUSED_SLOTS * sizeof(*c->refused));
	r = &c->refused[hash_pid(pid) & (REFUSED_SLOTS - 1)];
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (r->when && r->pid == pid && now.tv_sec < r->when + 1)
		return NULL;
	if (!s->ops->comm(s->arg, pid, name)) {
		*r = (struct refused){ .pid = pid, .when = now.tv_sec ? now.tv_sec : 1 };
		return NULL;
	}
	machine_learn_comm(s, pid, name, strnlen(name, sizeof(name)));
	return find_comm(c, pid)->name;
}

const char *machine_comm_untimed(struct machine *s, int32_t pid)
{
	const struct comm *c;
	const char *name;

	s = named(s);
	if (!pid)
		return "<idle>";
	c = find_comm(s->comms, pid);
	name = c ? c->name : ask_comm(s, pid);
	return name ? name : "<...>";
}

const char *machine_comm_stock(struct machine *s, int32_t pid)
{
	const struct comm *c;

	s = named(s);
	if (!pid)
		return "<idle>";
	c = find_comm(s->comms, pid);
	if (!c || c->hidden)
		return "<...>";
	return strchr(c->name, '\n') && !c->own ? c->name + strlen(c->name) + 1 : c->name;
}

const char *machine_comm(struct machine *s, int32_t pid)
{
	const char *name;

	s = named(s);
	if (!s->asked) {
		s->asked = true;
		s->due = 0;
	}
	name = s->times && pid ? commtime_name(s->times, pid) : NULL;
	return name ? name : machine_comm_untimed(s, pid);
}

/* ---- names and times ---- */

bool machine_catch_up(struct machine *s)
{
	bool news = s->asked && !s->asked_said;

	s->asked_said = s->asked;
	take_due(s);
	return news;
}

static void add(struct machine *s, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	struct comm_record r = { .ts = ts,
				 .pid = pid,
				 .name = name,
				 .len = len < COMMLOG_MAX_NAME ? len : COMMLOG_MAX_NAME };

	commtime_add(times_of(s), &r);
	if (commtime_due(s->times) < s->due)
		s->due = commtime_due(s->times);
}

void machine_tell_comm(struct machine *s, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	s = machine_of_names(s);
	s->learnt = true;
	if (!ts)
		commtime_set(times_of(s), pid, name, len);
	else
		add(s, s->ops && s->ops->shown ? s->ops->shown(s->arg, ts) : ts, pid, name, len);
}

void machine_watch_comms(struct machine *s)
{
	s = machine_of_names(s);
	s->watched = s->timed = true;
}

void machine_saw_comm(struct machine *s, int32_t pid, const char *name, size_t len,
		      enum machine_saw how)
{
	const char *had;

	s = named(s);
	if (s->watched)
		return;
	if (how == SAW_AFTER) {
		add(s, s->now, pid, name, len);
		return;
	}
	if (how == SAW_UNLESS_LISTED && find_comm(s->comms, pid))
		return;
	had = s->times ? commtime_name(s->times, pid) : NULL;
	if (!had || strncmp(had, name, len) || had[len])
		commtime_set(times_of(s), pid, name, len);
}

bool machine_learns(struct machine *s)
{
	s = named(s);
	return s->learnt || s->timed || (s->ops && s->ops->comm);
}

bool machine_is_told(const struct machine *s)
{
	s = s->named ? s->named : s;
	return s->learnt || (s->ops && s->ops->comm);
}

unsigned machine_comm_count(struct machine *s)
{
	return named(s)->comms->n;
}

const char *machine_comm_at(struct machine *s, unsigned i, int32_t *pid)
{
	const struct comms *c = named(s)->comms;

	*pid = c->v[i].pid;
	return c->v[i].name;
}
