// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine: what a recording says about the machine it was made on.  Its texts (symbols,
 * trace_printk strings, names of tasks) are parsed at their first use.
 */
#include "trace/machine.h"

#include "trace/comms/comm_table.h"
#include "trace/unwound.h"

#include <stdio.h>
#include <string.h>

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

/* The text WHICH up to its first NUL, as these texts are C strings. */
static const char *text_of(struct machine *s, enum machine_text which, size_t *len)
{
	const char *p = machine_raw(s, which, len);
	const char *nul = *len ? memchr(p, 0, *len) : NULL;

	if (nul)
		*len = nul - p;
	return p;
}

/* Report that BAD lines of a text were invalid, and MORE were beyond MAX. */
static void say_left_out(struct machine *s, const char *what, unsigned bad, unsigned more,
			 unsigned max)
{
	if (bad && s->path)
		note_say(s->notes, NOTE_DAMAGE, "%s: %s: invalid lines left out: %u", s->path, what,
			 bad);
	if (more && s->path)
		note_say(s->notes, NOTE_DAMAGE, "%s: %s: at most %u are kept, left out: %u",
			 s->path, what, max, more);
}

/* ---- names and cgroups of tasks: the source's ---- */

static const char *cmdlines(void *arg, size_t *len)
{
	return machine_raw(arg, TEXT_CMDLINES, len);
}

static void cmdlines_left_out(void *arg, unsigned bad, unsigned more)
{
	say_left_out(arg, "command names", bad, more, COMM_TABLE_MAX);
}

static bool ask_comm(void *arg, int32_t pid, char buf[16])
{
	const struct machine *s = arg;

	return s->ops->comm(s->arg, pid, buf);
}

static uint64_t shown(void *arg, uint64_t stamp)
{
	const struct machine *s = arg;

	return s->ops->shown(s->arg, stamp);
}

static const uint8_t *cgroup_log(void *arg, size_t *len)
{
	struct machine *s = arg;
	const uint8_t *p = (const uint8_t *)machine_raw(s, TEXT_CGROUPS, len);
	size_t whole = cgroup_log_whole(p, *len);

	if (whole < *len && s->path)
		note_say(s->notes, NOTE_DAMAGE,
			 "%s: cgroups of tasks: invalid after %zu of %zu bytes: the rest is left "
			 "out",
			 s->path, whole, *len);
	*len = whole;
	return p;
}

const char *machine_cgroup(struct machine *s, uint64_t now, int32_t pid)
{
	const char *path = cgroups_path(s->cgroups, now, pid);

	return path ? path : "?";
}

void machine_init(struct machine *s, const struct machine_ops *ops, void *arg, struct notes *notes)
{
	memset(s, 0, sizeof(*s));
	s->ops = ops;
	s->arg = arg;
	s->notes = notes;
	s->long_size = 8;
	s->comms = comms_new(&(struct comms_source){ .list = cmdlines,
						     .left_out = cmdlines_left_out,
						     .ask = ops && ops->comm ? ask_comm : NULL,
						     .shown = ops && ops->shown ? shown : NULL,
						     .arg = s });
	s->cgroups = cgroups_new(&(struct cgroups_source){
		.log = cgroup_log, .shown = ops && ops->shown ? shown : NULL, .arg = s });
}

void machine_share_tasks(struct machine *s, const struct machine *with)
{
	comms_free(s->comms);
	cgroups_free(s->cgroups);
	s->comms = comms_share(with->comms);
	s->cgroups = cgroups_share(with->cgroups);
}

void machine_fini(struct machine *s)
{
	symbols_free(s->symbols);
	symbols_free(s->printk);
	comms_free(s->comms);
	cgroups_free(s->cgroups);
	unwound_free(s->unwound);
	s->symbols = s->printk = NULL;
	s->comms = NULL;
	s->cgroups = NULL;
	s->unwound = NULL;
}

/* ---- symbols ---- */

/*
 * The running kernel's symbols, if the recording has none and is of this boot.  Those of another
 * boot are wrong names: then there are none, which is reported.
 */
static const struct symbols *running_kernel(struct machine *s)
{
	struct kernel_identity id = { .host = NULL };
	const struct symbols *found;
	struct err e;

	if (!s->finder || !s->ops || !s->ops->identity || !s->ops->identity(s->arg, &id))
		return NULL;
	if (s->finder->kernel(s->finder->arg, &id, &found, &e) == 0)
		return found;
	err_within(&e, "no names of the kernel's functions");
	if (s->path)
		err_path(&e, s->path);
	note_err(s->notes, e.kind == ERR_UNKNOWN ? NOTE_INFO : NOTE_WARN, &e);
	return NULL;
}

static const struct symbols *symbol_table(struct machine *s)
{
	struct symbols_lost lost;
	const char *text;
	size_t len;

	if (s->given)
		return s->given;
	if (s->running)
		return s->running;
	if (s->symbols)
		return s->symbols;
	text = text_of(s, TEXT_KALLSYMS, &len);
	if (!len)
		s->running = running_kernel(s);
	if (s->running)
		return s->running;
	s->symbols = symbols_kallsyms(text, len, &lost);
	say_left_out(s, "kallsyms", lost.bad, lost.more, SYMBOLS_MAX);
	if (lost.cut && s->path)
		note_say(s->notes, NOTE_DAMAGE,
			 "%s: kallsyms: names of over %u bytes, cut there: %u", s->path, SYMBOL_MAX,
			 lost.cut);
	return s->symbols;
}

const char *machine_symbol(struct machine *s, uint64_t addr, uint64_t *start, const char **module)
{
	const struct symbols *t = symbol_table(s);
	uint64_t size;

	/* Not what is loaded far behind the kernel, such as a program of BPF that has gone. */
	if (t == s->running)
		return symbols_kernel(t, addr, start, &size, module);
	return symbols_at(t, addr, start, module);
}

const char *machine_kernel_symbol(struct machine *s, uint64_t addr, uint64_t *start, uint64_t *size,
				  const char **module)
{
	return symbols_kernel(symbol_table(s), addr, start, size, module);
}

bool machine_mapped(struct machine *s, const struct event *ev, uint64_t address, bool kernel,
		    struct mapping *out)
{
	return s->ops && s->ops->mapped && s->ops->mapped(s->arg, ev, address, kernel, out);
}

bool machine_code(struct machine *s, const struct mapping *m, uint64_t address,
		  struct code_symbol *out)
{
	return s->finder && s->finder->code(s->finder->arg, m, address, out);
}

unsigned machine_kernel_lines(struct machine *s, uint64_t address, bool caller,
			      const struct code_line **out)
{
	struct kernel_identity id = { .host = NULL };

	if (!s->finder || !s->finder->kernel_lines || !s->ops || !s->ops->identity ||
	    !s->ops->identity(s->arg, &id) || !id.build_id_len)
		return 0;
	return s->finder->kernel_lines(s->finder->arg, &id, address, caller, out);
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
