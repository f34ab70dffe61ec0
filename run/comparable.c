// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comparable: may the times and the tasks of several inputs be compared?  If not, the input is
 * refused, or that is reported.
 */
#include "run/pump_priv.h"

#include <string.h>

/* Perf's clock, local_clock(), is ftrace's "perf" and, made monotonic, its "global". */
static bool same_clock(const char *a, const char *b)
{
	return !strcmp(a, b) || (!strcmp(a, "perf") && !strcmp(b, "global")) ||
	       (!strcmp(a, "global") && !strcmp(b, "perf"));
}

/* Often taken for one clock: the defaults of perf and of ftrace. */
static bool are_defaults(const char *a, const char *b)
{
	return (!strcmp(a, "perf") && !strcmp(b, "local")) ||
	       (!strcmp(a, "local") && !strcmp(b, "perf"));
}

/* Inputs that are merged must have the same clock. */
int comparable_clock(const struct pump *p, const struct source *s, struct err *e)
{
	const char *clock = source_clock(s), *other;

	if (!s->nstreams || p->opts.apart)
		return 0;
	for (unsigned i = 0; i < p->nsources; i++) {
		if (!p->sources[i]->nstreams)
			continue;
		other = source_clock(p->sources[i]);
		if (same_clock(clock, other) || (s->is_wall && p->sources[i]->is_wall))
			continue;
		if (!p->opts.force_merge) {
			err_set(e, ERR_USAGE, ERR_NO_OFF,
				"its clock is \"%s\" and that of %s is \"%s\": times cannot be "
				"compared (--force-merge merges them all the same)",
				clock, p->sources[i]->in.path, other);
			if (are_defaults(clock, other))
				err_more(e, "perf's default clock is ftrace's perf and global, not "
					    "local: record with trace-cmd record -C perf, or with "
					    "perf record -k mono and -C mono");
			return err_path(e, s->in.path);
		}
		note_say(p->opts.source.notes, NOTE_WARN,
			 "%s has clock \"%s\" and %s has \"%s\": merged by "
			 "their bare numbers",
			 s->in.path, clock, p->sources[i]->in.path, other);
		return 0;
	}
	return 0;
}

/* Instances of a file may have different clocks; trace-cmd merges them by number, and so do we. */
void comparable_instances(const struct pump *p, const struct source *s)
{
	const struct buffer *first = NULL;

	for (unsigned i = 0; i < s->nbuffers; i++) {
		const struct buffer *b = &s->buffers[i];

		if (!b->ncpus || b->text)
			continue;
		if (!first)
			first = b;
		if (!strcmp(b->clock, first->clock))
			continue;
		note_say(p->opts.source.notes, NOTE_WARN,
			 "%s: buffer \"%s\" has clock \"%s\" and buffer \"%s\" has \"%s\": "
			 "merged by their bare numbers",
			 s->in.path, first->name, first->clock, b->name, b->clock);
		return;
	}
}

/* What S says about its machine: one line; "" if nothing. */
static size_t machine_of(struct source *s, const char **text)
{
	const char *nl;
	size_t len;

	*text = machine_raw(&s->machine, TEXT_UNAME, &len);
	if (!len) {
		*text = "";
		return 0;
	}
	nl = memchr(*text, '\n', len);
	return nl ? (size_t)(nl - *text) : strnlen(*text, len);
}

/*
 * Inputs of several machines, or of several recordings: this is reported once, as the same pid is a
 * different task in each.  Names in an event are always those of its own input.
 */
void comparable_machines(const struct pump *p)
{
	struct source *first = NULL, *other = NULL, *again = NULL;
	const char *name = "", *text, *differs = "";
	size_t len, n = 0, other_len = 0, differing = 0;

	for (unsigned i = 0; i < p->nsources && !p->opts.apart; i++) {
		struct source *s = p->sources[i];

		len = machine_of(s, &text);
		if (!len || !s->nstreams)
			continue;
		if (!first) {
			first = s;
			name = text;
			n = len;
		} else if (len != n || memcmp(text, name, len)) {
			if (!differing++) {
				other = s;
				differs = text;
				other_len = len;
			}
		} else if (s->trace_id && first->trace_id && s->trace_id != first->trace_id) {
			again = again ? again : s;
		}
	}
	if (other)
		note_say(p->opts.source.notes, NOTE_WARN,
			 "%s is of \"%.*s\" and %s of \"%.*s\"%s: "
			 "one pid is another task in each",
			 first->in.path, (int)n, name, other->in.path, (int)other_len, differs,
			 differing > 1 ? ", and further inputs differ" : "");
	else if (again)
		note_say(p->opts.source.notes, NOTE_INFO,
			 "%s and %s are two recordings of one "
			 "machine: one pid may be another task in each",
			 first->in.path, again->in.path);
}
