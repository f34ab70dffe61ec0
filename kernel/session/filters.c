// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filters: sets the kernel's filter of each event of a session, from the user's filters.
 */
#include "base/ascii.h"
#include "base/glob.h"
#include "kernel/filter_text.h"
#include "kernel/session/session_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 700		/* bytes of event names in one notice */
#define LACKS "it has no field" /* for one event; for several it is "they have no field" */

/* ---- the kernel's errors ---- */

void session_refusal(const char *dir, int sys, char *why, size_t size, char *field,
		     size_t field_size)
{
	char *text, *at, *caret;
	struct err e;
	size_t end, from;

	*field = '\0';
	snprintf(why, size, "%s", strerror(sys));
	/* A parse error may have any errno. */
	text = tracefs_text(dir, "filter", NULL, &e);
	at = text ? strstr(text, "parse_error: ") : NULL;
	if (at) {
		at += strlen("parse_error: ");
		snprintf(why, size, "%.*s", (int)strcspn(at, "\n"), at);
		caret = text + strcspn(text, "\n");
		end = caret + 1 < at ? strspn(caret + 1, " ") : 0;
		end = end < (size_t)(caret - text) ? end : (size_t)(caret - text);
		while (end && !ascii_word(text[end - 1]))
			end--;
		for (from = end; from && ascii_word(text[from - 1]);)
			from--;
		if (!strncmp(at, "Field not found", 15) && end > from) {
			snprintf(field, field_size, "%.*s", (int)(end - from), text + from);
			snprintf(why, size, LACKS " '%.100s'", field);
		}
	}
	free(text);
}

struct fields {
	char *at;
};

/* "\tfield:char prev_comm[16];\toffset:..." -> "prev_comm" */
static const char *next_field(void *arg)
{
	struct fields *f = arg;

	while ((f->at = strstr(f->at, "field:"))) {
		char *end = f->at + strcspn(f->at, ";[\n"), *name = end;
		bool last = !*end;

		while (name > f->at && ascii_word(name[-1]))
			name--;
		*end = '\0';
		f->at = last ? end : end + 1;
		if (name < end)
			return name;
	}
	return NULL;
}

/* "; did you mean 'prev_pid'?", or "". */
static void near_field(const char *dir, const char *field, char *out, size_t size)
{
	struct err e;
	char *text = tracefs_text(dir, "format", NULL, &e);
	struct fields f = { text };
	const char *near = text && *field ? nearest_name(field, next_field, &f) : NULL;

	*out = '\0';
	if (near)
		snprintf(out, size, "; did you mean '%.100s'?", near);
	free(text);
}

/* ---- the user's filters ---- */

bool session_names_event(const char *pattern, const struct tracefs_event *ev)
{
	struct tracefs_event copy = *ev;
	struct tracefs_events one = { .v = &copy, .n = 1 };
	bool chosen = false;
	struct err e;

	return tracefs_match(&one, pattern, &chosen, &e) > 0;
}

/* "block, sched": the systems that are recorded, for a message. */
static void list_systems(const struct session *s, char *out, size_t size)
{
	const char *last = "";
	size_t n = 0;

	*out = '\0';
	for (unsigned i = 0; i < s->choice.known.n && n < size; i++)
		if (s->choice.chosen[i] && strcmp(s->choice.known.v[i].system, last)) {
			last = s->choice.known.v[i].system;
			n += snprintf(out + n, size - n, "%s%s", n ? ", " : "", last);
		}
}

void session_forget_filters(struct sess_filters *f)
{
	for (unsigned i = 0; i < f->n; i++) {
		free(f->v[i].text);
		free(f->v[i].pattern);
		free(f->v[i].expr);
	}
	free(f->v);
	*f = (struct sess_filters){ .v = NULL };
}

static void forget_filter(struct session *s, unsigned at)
{
	struct sess_filter *f = &s->filters.v[at];

	free(f->text);
	free(f->pattern);
	free(f->expr);
	s->filters.n--;
	memmove(f, f + 1, (s->filters.n - at) * sizeof(*f));
	s->filters.v[s->filters.n] = (struct sess_filter){ .text = NULL };
}

/* Filter AT cannot be used here, E says why.  True: refused() accepts that, and it is dropped. */
static bool hand_over(struct session *s, unsigned at, const struct err *e)
{
	if (!s->filters.refused ||
	    !s->filters.refused(s->filters.refused_arg, s->filters.v[at].text, e))
		return false;
	forget_filter(s, at);
	return true;
}

int session_read_filters(struct session *s, const struct session_opts *o, struct err *e)
{
	s->filters.refused = o->refused;
	s->filters.refused_arg = o->arg;
	s->filters.v = mem_zalloc((o->nfilters + 1) * sizeof(*s->filters.v));
	for (unsigned i = 0; i < o->nfilters; i++) {
		struct sess_filter *f = &s->filters.v[s->filters.n++];
		bool *named = mem_zalloc(s->choice.known.n + 1);
		char *expr = NULL, systems[200];
		int rc;

		f->text = mem_strdup(o->filters[i]);
		rc = kfilter_split(f->text, &f->pattern, &expr, e);
		if (rc == 0)
			rc = tracefs_match(&s->choice.known, f->pattern, named, e);
		if (rc > 0) {
			rc = -1;
			for (unsigned k = 0; k < s->choice.known.n; k++)
				if (named[k] && s->choice.chosen[k])
					rc = 0;
			list_systems(s, systems, sizeof(systems));
			if (rc < 0)
				err_set(e, ERR_USAGE, ERR_NO_OFF,
					"%s matches none of the recorded events (those of %s)",
					f->pattern, systems);
		}
		free(named);
		if (rc == 0)
			f->expr = kfilter_translate(expr);
		free(expr);
		if (rc < 0) {
			err_within(e, "-F '%.200s'", f->text);
			if (!hand_over(s, s->filters.n - 1, e))
				return -1;
		}
	}
	return 0;
}

bool session_join_filter(struct session *s, struct sess_event *ev, const struct sess_filter *f,
			 char *why, size_t size, char *field, size_t field_size)
{
	char dir[900], text[SESSION_MAX_FILTER];
	struct err e;
	size_t n;

	if (ev->filter)
		n = snprintf(text, sizeof(text), "(%s) && (%s)", ev->filter, f->expr);
	else
		n = snprintf(text, sizeof(text), "%s", f->expr);
	session_event_dir(s, &ev->name, dir, sizeof(dir));
	if (n >= sizeof(text)) {
		snprintf(why, size, "it is longer than %d bytes, the limit of the kernel",
			 SESSION_MAX_FILTER);
		*field = '\0';
		return false;
	}
	if (tracefs_write(dir, "filter", text, &e) == 0) {
		free(ev->filter);
		ev->filter = mem_strdup(text);
		return true;
	}
	session_refusal(dir, e.sys, why, size, field, field_size);
	/* The refused filter has replaced the previous one, and lets every event through. */
	tracefs_write(dir, "filter", ev->filter ? ev->filter : "0", &e);
	return false;
}

struct refused_filter {
	const struct sess_event *ev;
	char *why;
};

/* One notice for all events that refused F for the same reason, with their names. */
static void tell_refused(struct session *s, const struct sess_filter *f,
			 const struct refused_filter *r, unsigned n)
{
	unsigned i = 0;

	while (i < n) {
		char names[MAX_NAMES];
		unsigned first = i;
		size_t at = 0;
		bool lacks;

		do {
			at += snprintf(names + at, sizeof(names) - at, "%s%.100s:%.100s",
				       at ? ", " : "", r[i].ev->name.system, r[i].ev->name.name);
			i++;
		} while (i < n && at + 210 < sizeof(names) && !strcmp(r[i].why, r[first].why));
		lacks = strncmp(r[first].why, LACKS, strlen(LACKS)) == 0;
		note_say(s->notes, NOTE_WARN,
			 "-F '%.200s': recorded without this filter: %s (%s%s)", f->text, names,
			 lacks && i - first > 1 ? "they have" :
			 lacks			? "it has" :
						  "",
			 r[first].why + (lacks ? strlen("it has") : 0));
	}
}

static int set_filter(struct session *s, const struct sess_filter *f, struct err *e)
{
	struct refused_filter *refused = mem_zalloc((s->choice.nevents + 1) * sizeof(*refused));
	char why[256] = "", field[128] = "", near[160] = "", dir[900];
	unsigned n = 0, taken = 0, telling = 0;
	bool bad_value = false;

	for (unsigned i = 0; i < s->choice.nevents; i++) {
		struct sess_event *ev = &s->choice.events[i];

		if (!session_names_event(f->pattern, &ev->name))
			continue;
		if (session_join_filter(s, ev, f, why, sizeof(why), field, sizeof(field))) {
			taken++;
			continue;
		}
		/*
		 * Of several reasons, the most helpful: a bad value, a mistyped field, any other.
		 */
		if (!*field) {
			telling = n;
			*near = '\0';
			bad_value = true;
		} else if (!bad_value && !*near) {
			session_event_dir(s, &ev->name, dir, sizeof(dir));
			near_field(dir, field, near, sizeof(near));
			telling = *near ? n : telling;
		}
		refused[n].ev = ev;
		refused[n++].why = mem_strdup(why);
	}
	if (taken)
		tell_refused(s, f, refused, n);
	else if (n)
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"-F '%.200s': no event accepts it: %s:%s: %s%s "
			"(zedtrace -t -v %s shows the fields)",
			f->text, refused[telling].ev->name.system, refused[telling].ev->name.name,
			refused[telling].why, near, f->pattern);
	else
		err_set(e, ERR_SYS, ERR_NO_OFF, "-F '%.200s': none of its events can be recorded",
			f->text);
	for (unsigned i = 0; i < n; i++)
		free(refused[i].why);
	free(refused);
	return taken ? 0 : -1;
}

int session_filter(struct session *s, struct err *e)
{
	for (unsigned i = 0; i < s->filters.n;) {
		if (set_filter(s, &s->filters.v[i], e) == 0)
			i++;
		else if (!hand_over(s, i, e))
			return -1;
	}
	return 0;
}

void session_filter_event(struct session *s, struct sess_event *ev)
{
	char why[256], field[128];

	free(ev->filter);
	ev->filter = NULL;
	for (unsigned i = 0; i < s->filters.n; i++)
		if (session_names_event(s->filters.v[i].pattern, &ev->name) &&
		    !session_join_filter(s, ev, &s->filters.v[i], why, sizeof(why), field,
					 sizeof(field)))
			tell_refused(s, &s->filters.v[i], &(struct refused_filter){ ev, why }, 1);
	session_exclude_from(s, ev);
}
