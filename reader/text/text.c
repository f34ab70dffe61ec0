// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text: turns a record into the text of its print format, through libtraceevent and its plugins.
 * The library checks nothing of what it is given, so it gets formats that are made anew from our
 * own fields, print formats that printfmt has accepted, and records copied to where there is room
 * behind them.
 */
#include "reader/text/text.h"

#include "base/outbuf.h"
#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/bprint.h"
#include "reader/text/function_trace.h"
#include "reader/text/library.h"
#include "reader/text/plugin_rules.h"
#include "reader/text/printfmt/check.h"
#include "reader/text/printfmt/conversion.h"
#include "reader/text/printfmt/parse.h"
#include "reader/text/printfmt/record.h"
#include "reader/text/raw.h"
#include "reader/text/rebuild.h"

#include <traceevent/event-parse.h>
#include <traceevent/event-utils.h>
#include <traceevent/trace-seq.h>

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>

/* zeroes behind the copy of a record: more than any offset and length reach */
#define SLACK (192u << 10)
#define NCOMMS 1024
#define MAX_WORDS 64 /* that are looked for in kallsyms: each is a pass over it */

/* What is done with the records of a type. */
enum way {
	WAY_NEW, /* not looked at */
	WAY_RAW, /* fields only */
	WAY_LIB, /* the library */
};

struct kind {
	enum way way;
	bool risky, bprint;
	uint32_t need; /* the greatest offset of a field */
	struct tep_event *event;
	/* What a plugin prints records with, and what it wants of them if it wants anything. */
	tep_event_handler_func handler;
	const struct plugcheck *plugcheck;
	struct printfmt *pf;
	uint8_t *binary; /* rawtext_fields() */
};

/* The library's handle for one source. */
struct handle {
	struct machine *machine;
	struct tep_handle *tep;
	struct tep_plugin_list *plugins;
	bool printk;
	char *words[MAX_WORDS]; /* looked for among the symbols, found or not */
	unsigned nwords;
	struct {
		int pid;
		const char *comm;
	} comms[NCOMMS];
	struct bprints bprints;
};

struct text {
	struct catalog *catalog;
	struct text_opts opts;
	struct arena arena;
	struct handle **handles;
	unsigned nhandles;
	struct kind *kinds;
	size_t nkinds;
	struct trace_seq seq;
	struct outbuf out;
	uint8_t *scratch;
	size_t scratch_size, dirty;
	unsigned lacks; /* what this library does not know: PF_LACKS_* */
	struct functrace functions;
};

/* The library's own messages are about formats, of which ours say more; it stays silent. */
int tep_vprint(const char *name, enum tep_loglevel level, bool print_err, const char *fmt,
	       va_list ap)
{
	return 0;
}

static char *resolve(void *priv, unsigned long long *addr, char **module)
{
	const char *mod = NULL, *name;
	uint64_t start;

	name = machine_symbol(priv, *addr, &start, &mod);
	if (!name)
		return NULL;
	*addr = start;
	*module = (char *)mod;
	return (char *)name;
}

/* ---- handles ---- */

static unsigned count_plugins(struct tep_plugin_list *list)
{
	struct trace_seq s;
	unsigned n = 0;

	trace_seq_init(&s);
	tep_print_plugins(&s, "", "\n", list);
	trace_seq_terminate(&s);
	for (const char *p = s.buffer; p && *p; p++)
		n += *p == '\n';
	if (!list || !s.buffer || strstr(s.buffer, "no plugins"))
		n = 0;
	trace_seq_destroy(&s);
	return n;
}

static void handle_free(struct handle *h)
{
	if (h->plugins)
		tep_unload_plugins(h->plugins, h->tep);
	tep_free(h->tep);
	for (unsigned i = 0; i < h->nwords; i++)
		free(h->words[i]);
	free(h);
}

/*
 * The library goes on without the memory that it did not get, and prints less: who calls it sets
 * errno to 0 before, and this behind it.
 */
static void had_memory(void)
{
	if (errno == ENOMEM)
		mem_check(NULL);
}

static struct handle *handle_new(struct text *t, struct machine *s)
{
	const int one = 1;
	struct handle *h = mem_zalloc(sizeof(*h));

	h->machine = s;
	h->tep = tep_alloc();
	if (!h->tep) {
		free(h);
		return NULL;
	}
	tep_set_file_bigendian(h->tep, s->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(h->tep, *(const char *)&one ? TEP_LITTLE_ENDIAN : TEP_BIG_ENDIAN);
	tep_set_long_size(h->tep, s->long_size);
	tep_set_page_size(h->tep, 4096);
	tep_set_function_resolver(h->tep, resolve, s);
	for (unsigned i = 0; i < NCOMMS; i++)
		h->comms[i].pid = -1;
	if (t->opts.plugins) {
		h->plugins = tep_load_plugins(h->tep);
		if (!t->nhandles && !count_plugins(h->plugins))
			note_say(t->opts.notes, NOTE_WARN,
				 "libtraceevent's plugins are not installed: some events "
				 "(sched_switch, "
				 "function, kmem) look otherwise than in trace-cmd report; install "
				 "libtraceevent1-plugin");
	}
	functrace_register(h->tep);
	return h;
}

static struct handle *handle_of(struct text *t, struct machine *s)
{
	struct handle *h;

	for (unsigned i = 0; i < t->nhandles; i++)
		if (t->handles[i]->machine == s)
			return t->handles[i];
	h = handle_new(t, s);
	if (!h)
		return NULL;
	t->handles = mem_realloc(t->handles, (t->nhandles + 1) * sizeof(*t->handles));
	t->handles[t->nhandles++] = h;
	return h;
}

static void load_printk(struct handle *h)
{
	struct outbuf o = { 0 };
	unsigned n;

	if (h->printk)
		return;
	h->printk = true;
	n = machine_printk_count(h->machine);
	for (unsigned i = 0; i < n; i++) {
		uint64_t addr;
		const char *fmt = machine_printk_at(h->machine, i, &addr);

		/*
		 * It takes one \n and a quote off the end, and reads before the beginning of a
		 * string that is too short to have them.
		 */
		o.len = 0;
		out_str(&o, fmt);
		out_str(&o, "\\n\"");
		tep_register_print_string(h->tep, out_end(&o), addr);
	}
	outbuf_fini(&o);
}

/* ---- types ---- */

/*
 * A bare word in an expression is the address of a symbol of that name.  All symbols of the library
 * are ours to resolve, except for this: it has to be told of them.
 */
static void register_word(struct handle *h, const char *word)
{
	size_t len, n = strlen(word) + 1;
	const char *p, *end, *hit, *line;
	char needle[128];

	if (n >= sizeof(needle) || !textformat_name(word) || isdigit((unsigned char)*word))
		return;
	for (unsigned i = 0; i < h->nwords; i++)
		if (!strcmp(h->words[i], word))
			return;
	if (h->nwords == MAX_WORDS)
		return;
	h->words[h->nwords++] = mem_strdup(word);
	snprintf(needle, sizeof(needle), " %s", word);
	p = hit = machine_raw(h->machine, TEXT_KALLSYMS, &len);
	end = p + len;
	while (len && (hit = memmem(hit, end - hit, needle, n))) {
		/* "ADDRESS TYPE NAME", then a tab or the line's end. */
		if (hit - p >= 3 && hit[-2] == ' ' && hit[-1] != 'A' && hit[-1] != 'a' &&
		    (hit + n == end || hit[n] == '\n' || hit[n] == '\t' || hit[n] == ' ')) {
			char digits[20] = "";

			line = hit - 2;
			while (line > p && line[-1] != '\n' && hit - line < 19)
				line--;
			memcpy(digits, line, hit - 2 - line);
			tep_register_function(h->tep, needle + 1, strtoull(digits, NULL, 16), NULL);
			return;
		}
		hit += n;
	}
}

static void register_words(struct handle *h, const struct pf_node *n)
{
	for (; n; n = n->next) {
		if (n->kind == PF_ATOM)
			register_word(h, n->text);
		register_words(h, n->a);
		register_words(h, n->b);
		register_words(h, n->c);
	}
}

/* Does a %s of N look an address up among the trace_printk strings? */
static bool wants_printk(const struct printfmt *pf, unsigned long_size)
{
	for (unsigned i = 0; i < pf->nconvs; i++) {
		const struct field *f = pf->convs[i].arg->field;

		if (pf->convs[i].kind == CONV_STRING && f && !f->dim && f->size == long_size)
			return true;
		if (pf->convs[i].kind == CONV_STRING && pf->convs[i].arg->kind == PF_OP)
			return true;
	}
	return false;
}

static struct kind *kind_of(struct text *t, unsigned idx)
{
	if (idx >= t->nkinds) {
		size_t n = t->nkinds;

		t->kinds = mem_grow(t->kinds, &t->nkinds, idx + 1, sizeof(*t->kinds));
		memset(t->kinds + n, 0, (t->nkinds - n) * sizeof(*t->kinds));
	}
	return &t->kinds[idx];
}

/* Is there a rule for the plugin that would print records of this type, and do its fields obey? */
static bool plugin_fits(const struct etype *type, const struct flag_table *tables)
{
	const struct plugcheck *pc = plugcheck_find(type->system, type->name);

	return pc && plugcheck_type(pc, type, tables);
}

/* Let the plugin print what it can, and the print format the rest. */
static void plug(struct text *t, struct kind *k, const struct etype *type, bool fits)
{
	const struct plugcheck *pc = plugcheck_find(type->system, type->name);

	if (!k->event->handler)
		return;
	if (!fits) {
		k->event->handler = NULL;
		note_say(t->opts.notes, NOTE_INFO,
			 "%s:%s: printed by its print format: it is not what libtraceevent's "
			 "plugin takes it for",
			 type->system, type->name);
		return;
	}
	functrace_take(&t->functions, k->event);
	k->handler = k->event->handler;
	if (plugcheck_by_record(pc))
		k->plugcheck = pc;
}

static const char *make_ready(struct text *t, struct kind *k, const struct etype *type,
			      struct handle *h)
{
	struct outbuf o = { 0 };
	struct arena scratch = { 0 };
	const struct printfmt *parsed;
	const char *why;
	bool put, plugged, symbols = false;
	unsigned table_steps;

	parsed = printfmt_parse(type, t->lacks, &scratch, &why);
	plugged = parsed && plugin_fits(type, parsed->tables);
	table_steps = parsed ? parsed->table_steps : 0;
	arena_fini(&scratch);
	if (!parsed)
		return why;
	/* Two types of one number: the library would find the first for both. */
	if (tep_find_event(h->tep, type->id))
		return "another event has its number";
	if (!textlib_same_fields(type))
		return "the library takes its fields for others";
	put = textformat(&o, type, true);
	if (put)
		tep_parse_event(h->tep, o.p, o.len, type->system);
	had_memory();
	outbuf_fini(&o);
	if (!put)
		return "fields that the library cannot be told of";
	k->event = tep_find_event(h->tep, type->id);
	if (!k->event || strcmp(k->event->name, type->name))
		return "the library does not know it";
	k->way = WAY_LIB;
	k->pf = arena_alloc(&t->arena, sizeof(*k->pf));
	k->pf->type = type;
	k->pf->lacks = t->lacks;
	k->pf->table_steps = table_steps;
	k->bprint = k->event->flags & TEP_EVENT_FL_ISBPRINT;
	if (k->event->flags & TEP_EVENT_FL_FAILED) {
		/* It prints raw fields itself then; so do we, and need not trust it. */
		return "the library cannot parse it";
	}
	k->pf->text = k->event->print_fmt.format;
	if (k->pf->text) {
		k->pf->args = textlib_args(type, k->event, &t->arena, &symbols);
		if (printfmt_check(k->pf, &t->arena, &why) < 0)
			return why;
		k->risky = k->pf->risky;
	}
	if (symbols)
		register_words(h, k->pf->args);
	plug(t, k, type, plugged);
	if (k->bprint || wants_printk(k->pf, h->machine->long_size))
		load_printk(h);
	return NULL;
}

static void look_at(struct text *t, struct kind *k, const struct etype *type)
{
	struct handle *h;
	const char *why;

	errno = 0;
	h = handle_of(t, type->machine);
	why = h ? make_ready(t, k, type, h) : "no memory";
	had_memory();
	if (why) {
		k->way = WAY_RAW;
		note_say(t->opts.notes, NOTE_INFO, "%s:%s: its fields are shown raw: %s",
			 type->system, type->name, why);
	}
	k->binary = arena_alloc(&t->arena, type->nfields + 1);
	for (unsigned i = 0; i < type->nfields; i++)
		if (type->fields[i].off > k->need)
			k->need = type->fields[i].off;
}

/* ---- records ---- */

/* A copy of EV's record with zeroes behind it. */
static void copy_record(struct text *t, const struct event *ev)
{
	if (t->scratch_size < (size_t)ev->size + SLACK) {
		free(t->scratch);
		t->scratch_size = (size_t)ev->size * 2 + SLACK;
		t->scratch = mem_zalloc(t->scratch_size);
		t->dirty = 0;
	}
	memcpy(t->scratch, ev->data, ev->size);
	if (t->dirty > ev->size)
		memset(t->scratch + ev->size, 0, t->dirty - ev->size);
	t->dirty = ev->size;
}

static bool record_ok(struct text *t, struct kind *k, const struct event *ev)
{
	uint16_t id;

	if (ev->size < 2 || k->need > ev->size)
		return false;
	id = field_load(ev->data, 2, ev->type->machine->swap);
	if (id != ev->type->id)
		return false;
	return !k->bprint || bprint_ok(&handle_of(t, ev->type->machine)->bprints, ev);
}

/* What is longer than the text of EV may be ends with a mark. */
static void limit(char *p, size_t *len, const struct event *ev)
{
	static const char mark[] = " [CUT]";
	size_t max = pf_text_max(ev->size);

	if (*len <= max)
		return;
	memcpy(p + max - sizeof(mark) + 1, mark, sizeof(mark));
	*len = max;
}

static const char *raw(struct text *t, struct kind *k, const struct event *ev, size_t *len)
{
	out_str(&t->out, "[FAILED TO PARSE]");
	rawtext_fields(&t->out, ev, k->binary, pf_text_max(ev->size));
	*len = t->out.len;
	limit(out_end(&t->out), len, ev);
	return t->out.p;
}

/*
 * Let the library print the copy; of what would not do for the print format, let the plugin print
 * it, if it does without.  NULL: it is for neither.
 */
static const char *library(struct text *t, struct kind *k, const struct event *copy, size_t *len)
{
	struct tep_record r = {
		.ts = copy->ts,
		.size = copy->size,
		.record_size = copy->size,
		.data = (void *)copy->data,
		.cpu = copy->cpu,
		.ref_count = 1,
	};

	if (t->seq.state != TRACE_SEQ__GOOD) {
		trace_seq_destroy(&t->seq);
		trace_seq_init(&t->seq);
	}
	trace_seq_reset(&t->seq);
	if (k->plugcheck)
		k->event->handler = plugcheck_record(k->plugcheck, copy) ? k->handler : NULL;
	errno = 0;
	if (!k->risky || printfmt_record_ok(k->pf, copy))
		tep_print_event(k->event->tep, &t->seq, &r, "%s", TEP_PRINT_INFO);
	else if (!k->event->handler || k->event->handler(&t->seq, &r, k->event, k->event->context))
		return NULL;
	trace_seq_terminate(&t->seq);
	had_memory();
	*len = t->seq.len;
	limit(t->seq.buffer, len, copy);
	return t->seq.buffer;
}

const char *text_info(struct text *t, const struct event *ev, size_t *len)
{
	const struct etype *type = ev->type;
	const char *text = NULL;
	struct event copy;
	struct kind *k;

	t->out.len = 0;
	if (!type->known) {
		*len = 15;
		return "[UNKNOWN EVENT]";
	}
	if (!type->format_len) {
		/* No kernel has a print format for it. */
		rawtext_plain(&t->out, ev, pf_text_max(ev->size));
		*len = t->out.len;
		limit(out_end(&t->out), len, ev);
		return t->out.p;
	}
	k = kind_of(t, type->idx);
	if (k->way == WAY_NEW)
		look_at(t, k, type);
	if (k->way == WAY_RAW)
		return raw(t, k, ev, len);
	copy_record(t, ev);
	copy = *ev;
	copy.data = t->scratch;
	if (record_ok(t, k, &copy))
		text = library(t, k, &copy, len);
	return text ? text : raw(t, k, ev, len);
}

const char *text_comm(struct text *t, const struct event *ev, int32_t pid)
{
	struct handle *h = handle_of(t, ev->type->machine);
	unsigned slot = (unsigned)pid % NCOMMS;
	const char *comm;

	if (!h)
		return "<...>";
	/* The library is told of no name: it knows those that its plugins find in records. */
	if (!machine_is_told(h->machine))
		comm = machine_comm_stock(h->machine, pid);
	else if (h->machine->watched)
		comm = machine_comm(h->machine, pid);
	else
		comm = machine_comm_untimed(h->machine, pid);
	if (strcmp(comm, "<...>"))
		return comm;
	if (h->comms[slot].pid == pid && pid >= 0)
		return h->comms[slot].comm;
	comm = tep_data_comm_from_pid(h->tep, pid);
	/* A name stays; that there is none may change. */
	if (strcmp(comm, "<...>")) {
		h->comms[slot].pid = pid;
		h->comms[slot].comm = comm;
	}
	return comm;
}

static uint64_t common(const struct event *ev, const char *name, bool *have)
{
	const struct field *f = field_find(ev->type, name);

	*have = f && (f->kind == FIELD_INT || f->kind == FIELD_UINT) &&
		(uint64_t)f->off + f->size <= ev->size;
	return *have ? field_scalar(f, ev) : 0;
}

size_t text_latency(struct text *t, const struct event *ev, char *buf, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	bool have;
	unsigned flags = common(ev, "common_flags", &have);
	unsigned count = common(ev, "common_preempt_count", &have);
	int64_t migrate, lock;
	bool have_migrate, have_lock;
	struct outbuf o = { 0 };
	size_t n;

	out_char(&o, flags & 1 ? 'd' : flags & 2 ? 'X' : '.');
	out_char(&o, flags & 4 ? 'N' : '.');
	out_char(&o, (flags & 0x18) == 0x18 ? 'H' : flags & 8 ? 'h' : flags & 0x10 ? 's' : '.');
	out_char(&o, count & 15 ? hex[count & 15] : '.');
	if (count & 0xf0)
		out_hex(&o, count >> 4);
	else
		out_char(&o, '.');
	migrate = common(ev, "common_migrate_disable", &have_migrate);
	lock = common(ev, "common_lock_depth", &have_lock);
	if (have_migrate && migrate < 0)
		out_char(&o, '.');
	else if (have_migrate)
		out_i64(&o, migrate);
	if (have_lock && lock < 0)
		out_char(&o, '.');
	else if (have_lock)
		out_i64(&o, lock);
	n = o.len < size ? o.len : size - 1;
	memcpy(buf, o.p, n);
	buf[n] = '\0';
	outbuf_fini(&o);
	return n;
}

/* ---- */

/* How the library shows a record whose print format is PRINT, and whose only field is 'x'. */
static void probe(const char *print, char *buf, size_t size)
{
	static const char head[] =
		"name: probe\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: ";
	struct tep_handle *tep = tep_alloc();
	uint8_t data[64] = { [4] = 'x', [7] = 'x' };
	struct tep_record r = { .size = 8, .data = data };
	const uint16_t id = 1;
	struct outbuf o = { 0 };
	struct trace_seq s;

	*buf = '\0';
	if (!tep)
		return;
	memcpy(data, &id, 2);
	tep_set_long_size(tep, 8);
	out_printf(&o, "%s%s\n", head, print);
	tep_parse_event(tep, o.p, o.len, "probe");
	trace_seq_init(&s);
	tep_print_event(tep, &s, &r, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&s);
	snprintf(buf, size, "%s", s.buffer);
	trace_seq_destroy(&s);
	outbuf_fini(&o);
	tep_free(tep);
}

static unsigned probe_lacks(void)
{
	unsigned lacks = 0;
	char buf[64];

	probe("\"%c\", REC->a", buf, sizeof(buf));
	if (strcmp(buf, "x"))
		lacks |= PF_LACKS_CHAR;
	probe("\"%d\", sizeof(u64)", buf, sizeof(buf));
	if (strcmp(buf, "8"))
		lacks |= PF_LACKS_SIZEOF;
	return lacks;
}

struct text *text_new(struct catalog *c, const struct text_opts *o)
{
	struct text *t = mem_zalloc(sizeof(*t));

	t->catalog = c;
	t->opts = *o;
	errno = 0;
	t->lacks = probe_lacks();
	trace_seq_init(&t->seq);
	had_memory();
	return t;
}

void text_free(struct text *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->nhandles; i++)
		handle_free(t->handles[i]);
	free(t->handles);
	free(t->kinds);
	free(t->scratch);
	trace_seq_destroy(&t->seq);
	outbuf_fini(&t->out);
	functrace_fini(&t->functions);
	arena_fini(&t->arena);
	free(t);
}

const char *text_version(char *buf, size_t size)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_plugin_list *list = tep ? tep_load_plugins(tep) : NULL;

	snprintf(buf, size,
		 "libtraceevent"
#ifdef LIBTRACEEVENT_VERSION
		 " " LIBTRACEEVENT_VERSION
#endif
		 ", %u plugin%s",
		 count_plugins(list), plural(count_plugins(list)));
	if (list)
		tep_unload_plugins(list, tep);
	tep_free(tep);
	return buf;
}
