// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * times: the times of a command line: as the trace shows them, from its first or its last record,
 * or by the clock on the wall.
 */
#include "run/times.h"

#include "base/ascii.h"
#include "base/duration.h"
#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NSEC 1000000000ull

int times_duration(const char *text, uint64_t *out, struct err *e)
{
	if (duration_parse(text, true, out))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "'%s' is not a time: write seconds, 12.5, or 12500000000ns (also us, ms, s)",
		       text);
}

/* ---- the clock on the wall ---- */

/* N digits at *S, with a value of at most MAX; advances *S. */
static bool digits(const char **s, unsigned n, int max, int *out)
{
	*out = 0;
	for (; n; n--, (*s)++) {
		if (!ascii_digit(**s))
			return false;
		*out = *out * 10 + (**s - '0');
	}
	return *out <= max;
}

static bool skip(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

/* "HH:MM", "HH:MM:SS", with decimals, at *S; *NS since midnight. */
static bool time_of_day(const char **s, uint64_t *ns)
{
	int hour, minute, second = 0;

	*ns = 0;
	if (!digits(s, 2, 23, &hour) || !skip(s, ':') || !digits(s, 2, 59, &minute))
		return false;
	if (skip(s, ':')) {
		if (!digits(s, 2, 59, &second))
			return false;
		if (skip(s, '.')) {
			uint64_t scale = NSEC / 10;

			if (!ascii_digit(**s))
				return false;
			for (; ascii_digit(**s) && scale; (*s)++, scale /= 10)
				*ns += scale * (unsigned)(**s - '0');
		}
	}
	*ns += (hour * 3600ull + minute * 60ull + second) * NSEC;
	return true;
}

/* "Z" or "+01:00" at *S: *EAST in seconds.  False: neither. */
static bool zone(const char **s, int *east)
{
	int sign = **s == '-' ? -1 : 1, hour, minute;

	*east = 0;
	if (skip(s, 'Z'))
		return true;
	if (!skip(s, '+') && !skip(s, '-'))
		return false;
	if (!digits(s, 2, 15, &hour))
		return false;
	skip(s, ':');
	if (!digits(s, 2, 59, &minute))
		return false;
	*east = sign * (hour * 3600 + minute * 60);
	return true;
}

/* "YYYY-MM-DD", and perhaps a time of day and a zone; the default zone is that of TZ. */
static bool date(const char *s, uint64_t *ns)
{
	struct tm day = { .tm_isdst = -1 }, want;
	uint64_t since_midnight = 0;
	int year, month, east;
	int64_t at;

	if (!digits(&s, 4, 9999, &year) || !skip(&s, '-') || !digits(&s, 2, 12, &month) ||
	    !skip(&s, '-') || !digits(&s, 2, 31, &day.tm_mday))
		return false;
	if ((skip(&s, 'T') || skip(&s, ' ')) && !time_of_day(&s, &since_midnight))
		return false;
	day.tm_year = year - 1900;
	day.tm_mon = month - 1;
	want = day;
	if (*s) {
		if (!zone(&s, &east) || *s)
			return false;
		at = timegm(&day) - east;
	} else {
		/* The hour itself, as a day on which clocks are changed has 23 or 25. */
		day.tm_hour = since_midnight / NSEC / 3600;
		day.tm_min = since_midnight / NSEC / 60 % 60;
		day.tm_sec = since_midnight / NSEC % 60;
		since_midnight %= NSEC;
		at = mktime(&day);
	}
	/* The 31st of June is not a date. */
	if (at < 0 || day.tm_mon != want.tm_mon || day.tm_mday != want.tm_mday)
		return false;
	return !__builtin_mul_overflow((uint64_t)at, NSEC, ns) &&
	       !__builtin_add_overflow(*ns, since_midnight, ns);
}

/* ---- words ---- */

static int no_time(const char *text, struct err *e)
{
	return err_set(
		e, ERR_USAGE, ERR_NO_OFF,
		"'%s' is not a time: write seconds, 12.5, or 12500000000ns (also us, ms, "
		"s); +250ms from the first record, -1s from the last; 04:38:58 or 2026-11-22 "
		"04:38:58, if the trace has a date",
		text);
}

/* A duration that may be a number of ticks: that depends on the inputs. */
static bool duration_word(const char *text, struct time_word *w)
{
	size_t digits = strspn(text, "0123456789");

	errno = 0;
	w->ticks = digits ? strtoull(text, NULL, 10) : 0;
	w->bare = digits && !text[digits] && !errno;
	w->scaled = !w->bare && (!digits || strcmp(text + digits, "ns") != 0);
	if (duration_parse(text, true, &w->ns))
		return true;
	w->too_long = w->bare;
	return w->bare;
}

int times_word(const char *text, struct time_word *w, struct err *e)
{
	const char *s = text;

	*w = (struct time_word){ .kind = TIME_SHOWN, .text = text };
	if (*text == '+' || *text == '-') {
		w->kind = *text == '+' ? TIME_FROM_FIRST : TIME_TO_LAST;
		text++;
	}
	if (duration_word(text, w))
		return 0;
	if (time_of_day(&s, &w->ns)) {
		w->zoned = *s;
		if (*s && (!zone(&s, &w->east) || *s))
			return no_time(w->text, e);
		w->kind = TIME_OF_DAY;
	} else if (date(w->text, &w->ns)) {
		w->kind = TIME_DATE;
	} else {
		return no_time(w->text, e);
	}
	return 0;
}

int times_around(const char *text, struct time_word *w, struct time_word *span, struct err *e)
{
	const char *comma = strrchr(text, ',');
	char *time;
	int rc;

	if (!comma)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%s': write a time, a comma, and how much before and after it: "
			       "12.5,10ms",
			       text);
	*span = (struct time_word){ .kind = TIME_SHOWN, .text = comma + 1 };
	if (!duration_word(comma + 1, span))
		return times_duration(comma + 1, &span->ns, e);
	time = mem_strndup(text, comma - text);
	rc = times_word(time, w, e);
	w->text = text;
	free(time);
	return rc;
}

/* ---- resolving times ---- */

/* The midnight before TS, in W's time zone, in ns since 1970. */
static uint64_t midnight(const struct time_word *w, uint64_t ts, int days)
{
	time_t at = ts / NSEC;
	struct tm day;

	if (w->zoned) {
		at += w->east;
		at = (at / 86400 + days) * 86400 - w->east;
		return at < 0 ? 0 : at * NSEC;
	}
	if (!localtime_r(&at, &day))
		return 0;
	day.tm_hour = day.tm_min = day.tm_sec = 0;
	day.tm_mday += days;
	day.tm_isdst = -1;
	at = mktime(&day);
	return at < 0 ? 0 : at * NSEC;
}

/* On the first record's day; on the next one, if that is in the trace and this is before it. */
static uint64_t on_day(const struct period *all, const struct time_word *w)
{
	uint64_t at = midnight(w, all->first, 0) + w->ns, next;

	next = midnight(w, all->first, 1) + w->ns;
	return at < all->first && next <= all->last ? next : at;
}

/* Dates mean something only where every input has one. */
static int check_wall(const struct time_word *w, const struct pump *p, struct err *e)
{
	for (unsigned i = 0; i < p->nsources; i++) {
		const struct source *s = p->sources[i];

		if (!s->nstreams || s->is_wall)
			continue;
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"has no time of day, which '%s' needs (recorded with "
			"trace-cmd record --date it would): write the time as it is shown, or "
			"+250ms from the first record",
			w->text);
		return err_path(e, s->in.path);
	}
	return 0;
}

bool times_are_ns(const struct pump *p)
{
	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i]->nstreams && !p->sources[i]->clock_is_ns)
			return false;
	return true;
}

void times_text(const struct pump *p, uint64_t ts, char *buf, size_t size)
{
	ts -= ts > p->run.base ? p->run.base : ts;
	if (times_are_ns(p))
		snprintf(buf, size, "%" PRIu64 ".%09" PRIu64, (uint64_t)(ts / NSEC),
			 (uint64_t)(ts % NSEC));
	else
		snprintf(buf, size, "%" PRIu64, ts);
}

/* A time with decimals or a unit needs clocks that count ns. */
static int check_unit(const struct time_word *w, const struct pump *p, struct err *e)
{
	for (unsigned i = 0; i < p->nsources; i++) {
		const struct source *s = p->sources[i];

		if (!s->nstreams || s->clock_is_ns || source_counts_ns(s))
			continue;
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"'%s' is a time in seconds, and the clock %s counts ticks: write a number "
			"of ticks, 12500, as times are shown (+12500: from the first record)",
			w->text, source_clock(s));
		return err_path(e, s->in.path);
	}
	return 0;
}

int times_span(const struct time_word *w, const struct pump *p, uint64_t *out, struct err *e)
{
	bool ticks = w->bare && !times_are_ns(p);

	if (w->too_long && !ticks)
		return no_time(w->text, e);
	if (w->scaled)
		TRY(check_unit(w, p, e));
	*out = ticks ? w->ticks : w->ns;
	return 0;
}

int times_resolve(const struct time_word *w, struct pump *p, uint64_t *out, bool *records,
		  struct err *e)
{
	struct period all = PERIOD_NONE;
	uint64_t by;

	TRY(times_span(w, p, &by, e));
	*out = by;
	*records = true;
	/* The base is not known, so the shown time is not known either. */
	if (w->kind == TIME_SHOWN && p->relative)
		return period_all(p, &all, e);
	if (w->kind == TIME_SHOWN && p->run.base && __builtin_add_overflow(p->run.base, by, out))
		*out = UINT64_MAX;
	if (w->kind == TIME_DATE || w->kind == TIME_OF_DAY)
		TRY(check_wall(w, p, e));
	if (w->kind == TIME_SHOWN || w->kind == TIME_DATE)
		return 0;
	TRY(period_all(p, &all, e));
	*records = period_any(&all);
	if (!*records)
		return 0;
	if (w->kind == TIME_OF_DAY)
		*out = on_day(&all, w);
	else if (w->kind == TIME_TO_LAST)
		*out = by < all.last ? all.last - by : 0;
	else if (__builtin_add_overflow(all.first, by, out))
		*out = UINT64_MAX;
	return 0;
}
