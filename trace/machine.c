// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine: what a recording tells of the machine it was made on.  Symbols, trace_printk strings and
 * names of tasks come as texts, which are parsed when somebody first asks; names that are learnt
 * while events are read hold from their own time on.
 */
#include "trace/machine.h"

#include "trace/comms/comm_history.h"
#include "trace/comms/comm_table.h"
#include "trace/comms/comms.h"

#include <stdio.h>
#include <string.h>

void machine_init(struct machine *s, const struct machine_ops *ops, void *arg, struct notes *notes)
{
	memset(s, 0, sizeof(*s));
	s->ops = ops;
	s->arg = arg;
	s->notes = notes;
	s->long_size = 8;
	s->due = UINT64_MAX;
}

void machine_fini(struct machine *s)
{
	symbols_free(s->symbols);
	symbols_free(s->printk);
	comms_free(s->comms);
	comm_history_free(s->times);
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

/* The text WHICH up to its first NUL, as these texts came from C strings. */
static const char *text_of(struct machine *s, enum machine_text which, size_t *len)
{
	const char *p = machine_raw(s, which, len);
	const char *nul = *len ? memchr(p, 0, *len) : NULL;

	if (nul)
		*len = nul - p;
	return p;
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

static const struct symbols *symbol_table(struct machine *s)
{
	struct symbols_lost lost;
	const char *text;
	size_t len;

	if (s->given)
		return s->given;
	if (s->symbols)
		return s->symbols;
	text = text_of(s, TEXT_KALLSYMS, &len);
	s->symbols = symbols_kallsyms(text, len, &lost);
	say_left_out(s, "kallsyms", lost.bad, lost.more, SYMBOLS_MAX);
	if (lost.cut && s->path)
		note_say(s->notes, NOTE_DAMAGE,
			 "%s: kallsyms: names of over %u bytes, cut there: "
			 "%u",
			 s->path, SYMBOL_MAX, lost.cut);
	return s->symbols;
}

const char *machine_symbol(struct machine *s, uint64_t addr, uint64_t *start, const char **module)
{
	return symbols_at(symbol_table(s), addr, start, module);
}

const char *machine_kernel_symbol(struct machine *s, uint64_t addr, uint64_t *start, uint64_t *size,
				  const char **module)
{
	return symbols_kernel(symbol_table(s), addr, start, size, module);
}

static const struct symbols *printk_table(struct machine *s)
{
	struct symbols_lost lost;
	const char *text;
	size_t len;

	if (s->printk)
		return s->printk;
	text = text_of(s, TEXT_PRINTK, &len);
	s->printk = symbols_printk(text, len, &lost);
	say_left_out(s, "printk formats", lost.bad, lost.more, PRINTK_MAX);
	if (lost.cut && s->path)
		note_say(s->notes, NOTE_DAMAGE,
			 "%s: printk formats: strings of over %u bytes, cut there: %u", s->path,
			 PRINTK_LEN, lost.cut);
	return s->printk;
}

const char *machine_printk(struct machine *s, uint64_t addr)
{
	return symbols_exact(printk_table(s), addr);
}

/* ---- command names ---- */

static struct comm_history *times_of(struct machine *s)
{
	if (!s->times)
		s->times = comm_history_new();
	s->timed = true;
	return s->times;
}

/* Take the names that are due, and note when the next one is. */
static void take_due(struct machine *s)
{
	s->renames++;
	s->due = s->times ? comm_history_advance(s->times, s->now, s->ops ? s->ops->shown : NULL,
						 s->arg) :
			    UINT64_MAX;
}

/* A log of names with their times, which may stand from LOG to END behind the text. */
static void take_log(struct machine *s, const char *log, const char *end)
{
	if (end - log < COMM_LOG_MAGIC_LEN || memcmp(log, COMM_LOG_MAGIC, COMM_LOG_MAGIC_LEN))
		return;
	log += COMM_LOG_MAGIC_LEN;
	comm_history_set_log(times_of(s), (const uint8_t *)log, end - log);
	s->watched = true;
	take_due(s);
}

/* "1234 command name", and behind it maybe a log of names. */
static void load_comms(struct machine *s)
{
	unsigned bad, more;
	size_t len;
	const char *text = machine_raw(s, TEXT_CMDLINES, &len);
	const char *nul = len ? memchr(text, 0, len) : NULL;

	s->comms = comms_new(text, nul ? (size_t)(nul - text) : len, &bad, &more);
	say_left_out(s, "command names", bad, more, COMM_TABLE_MAX);
	if (nul)
		take_log(s, nul + 1, text + len);
}

/* The machine whose names S uses, with its text loaded. */
static struct machine *named(struct machine *s)
{
	s = machine_of_names(s);
	if (!s->comms)
		load_comms(s);
	return s;
}

void machine_learn_comm(struct machine *s, int32_t pid, const char *name, size_t len)
{
	s = named(s);
	s->learnt = true;
	s->renames++;
	comms_learn(s->comms, pid, name, len);
}

/* Ask the source (live).  A task that it did not know is not asked for again within a second. */
static const char *ask_comm(struct machine *s, int32_t pid)
{
	char name[16];

	if (!s->ops || !s->ops->comm || comms_refused(s->comms, pid))
		return NULL;
	if (!s->ops->comm(s->arg, pid, name)) {
		comms_refuse(s->comms, pid);
		return NULL;
	}
	machine_learn_comm(s, pid, name, strnlen(name, sizeof(name)));
	return comms_name(s->comms, pid);
}

static const char UNKNOWN[] = "<...>";

/* The name of PID, whatever the time; S has names of its own. */
static const char *untimed_name(struct machine *s, int32_t pid)
{
	const char *name;

	if (!pid)
		return "<idle>";
	name = comms_name(s->comms, pid);
	if (!name)
		name = ask_comm(s, pid);
	return name ? name : UNKNOWN;
}

const char *machine_comm_untimed(struct machine *s, int32_t pid)
{
	return untimed_name(named(s), pid);
}

const char *machine_comm_stock(struct machine *s, int32_t pid)
{
	const char *name;

	s = named(s);
	if (!pid)
		return "<idle>";
	name = comms_stock_name(s->comms, pid);
	return name ? name : "<...>";
}

void machine_want_comms(struct machine *s)
{
	s = machine_of_names(s);
	if (s->asked)
		return;
	s->asked = true;
	s->due = 0;
}

bool machine_comm_holds(const struct machine *s, const char *name)
{
	s = s->named ? s->named : s;
	return name != UNKNOWN || !s->ops || !s->ops->comm;
}

const char *machine_comm(struct machine *s, int32_t pid)
{
	const char *name;

	s = named(s);
	if (s->replayed && pid == s->replayed_pid)
		return s->replayed;
	machine_want_comms(s);
	name = s->times && pid ? comm_history_name(s->times, pid) : NULL;
	return name ? name : untimed_name(s, pid);
}

const char *machine_comm_recorded(struct machine *s, int32_t pid)
{
	return named(s)->watched ? machine_comm(s, pid) : machine_comm_untimed(s, pid);
}

void machine_replay_comm(struct machine *s, int32_t pid, const char *name)
{
	s = named(s);
	s->replayed = name;
	s->replayed_pid = pid;
}

/* ---- names and times ---- */

bool machine_catch_up(struct machine *s)
{
	bool news = s->asked && !s->asked_said;

	s->asked_said = s->asked;
	take_due(s);
	return news;
}

static void add_timed(struct machine *s, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	struct comm_record r = { .ts = ts,
				 .pid = pid,
				 .name = name,
				 .len = len < COMM_LOG_MAX_NAME ? len : COMM_LOG_MAX_NAME };

	comm_history_add(times_of(s), &r);
	if (comm_history_due(s->times) < s->due)
		s->due = comm_history_due(s->times);
}

/* PID is called NAME from now on. */
static void set_now(struct machine *s, int32_t pid, const char *name, size_t len)
{
	const char *had = s->times ? comm_history_name(s->times, pid) : NULL;

	if (had && !strncmp(had, name, len) && !had[len])
		return;
	s->renames++;
	comm_history_set(times_of(s), pid, name, len);
}

void machine_tell_comm(struct machine *s, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	s = machine_of_names(s);
	s->learnt = true;
	if (!ts) {
		set_now(s, pid, name, len);
		return;
	}
	add_timed(s, s->ops && s->ops->shown ? s->ops->shown(s->arg, ts) : ts, pid, name, len);
}

void machine_watch_comms(struct machine *s)
{
	s = machine_of_names(s);
	s->watched = s->timed = true;
}

void machine_forget_comms(struct machine *s)
{
	s = machine_of_names(s);
	comm_history_free(s->times);
	s->times = NULL;
	s->due = UINT64_MAX;
}

void machine_saw_comm(struct machine *s, int32_t pid, const char *name, size_t len,
		      enum machine_saw how)
{
	s = named(s);
	if (s->watched)
		return;
	if (how == SAW_AFTER) {
		add_timed(s, s->now, pid, name, len);
		return;
	}
	if (how == SAW_UNLESS_LISTED && comms_name(s->comms, pid))
		return;
	set_now(s, pid, name, len);
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
	return comms_count(named(s)->comms);
}

const char *machine_comm_at(struct machine *s, unsigned i, int32_t *pid)
{
	return comms_nth(named(s)->comms, i, pid);
}

bool machine_since(struct machine *m, unsigned major, unsigned minor)
{
	unsigned is_major, is_minor;
	char buf[300];
	const char *uname;
	size_t len;

	if (!m)
		return false;
	uname = machine_raw(m, TEXT_UNAME, &len);
	snprintf(buf, sizeof(buf), "%.*s", (int)(len < 299 ? len : 299), uname);
	/* "Linux HOST 6.18.44 ...", or the release alone */
	for (const char *p = buf; *p; p++)
		if ((p == buf || p[-1] == ' ') && sscanf(p, "%u.%u", &is_major, &is_minor) == 2)
			return is_major > major || (is_major == major && is_minor >= minor);
	return false;
}
