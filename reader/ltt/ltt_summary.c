// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ltt_summary: what an LTT trace says about itself and its machine, as lines of text.
 */
#include "reader/ltt/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct say {
	void (*line)(void *arg, const char *label, const char *text);
	void *arg;
};

static void add_line(const struct say *s, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void add_line(const struct say *s, const char *label, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->line(s->arg, label, text);
}

static void say_head(const struct say *s, const struct ltt_head *h)
{
	const char *arch = ltt_arch_name(h->arch_type);
	time_t at = h->start_ns / 1000000000;
	char day[40] = "";
	struct tm tm;

	add_line(s, "machine", "%s (type %u, variant %u), pointers of %u bytes",
		 arch ? arch : "unknown", h->arch_type, h->arch_variant, h->arch_size);
	if (h->align)
		add_line(s, "alignment", "to at most %u bytes%s", h->align,
			 h->told_align == 1 ? " (has_alignment is 1)" : "");
	else
		add_line(s, "alignment", "none");
	add_line(s, "heartbeat", "%s",
		 h->heartbeat ? "yes: events have 32 bits of the counter" :
				"no: events have 64 bits of the counter");
	if (h->tsc)
		add_line(s, "counter", "%" PRIu64 " * %" PRIu64 " Hz, %" PRIu64 " at the start",
			 h->freq, h->scale, h->start_tsc);
	else
		add_line(s, "counter", "none: microseconds from each block's begin");
	if (h->flight)
		add_line(s, "mode", "flight recorder: what is older may be overwritten");
	if (gmtime_r(&at, &tm))
		strftime(day, sizeof(day), ", %Y-%m-%d %H:%M:%S UTC", &tm);
	add_line(s, "started", "%" PRIu64 ".%09" PRIu64 "%s", h->start_ns / 1000000000,
		 h->start_ns % 1000000000, day);
}

static void say_facilities(const struct say *s, const struct ltt *t)
{
	for (unsigned i = 0; i < t->nloaded; i++) {
		const struct ltt_loaded *lo = t->loaded[i];
		char sum[40] = "";

		if (lo->checksum)
			snprintf(sum, sizeof(sum), ", checksum 0x%08" PRIX32, lo->checksum);
		if (lo->text)
			add_line(s, "facility", "%s: %s %u%s, %u event%s", lo->name,
				 t->old ? "codes from" : "id", lo->id, sum, lo->nevents,
				 plural(lo->nevents));
		else
			add_line(s, "facility", "%s: %s %u%s, not described", lo->name,
				 t->old ? "codes from" : "id", lo->id, sum);
	}
}

static void say_element(const struct say *s, const char *label, const struct ltt_element *el)
{
	char text[1024] = "";
	size_t n = 0;

	for (unsigned i = 0; i < el->n && n < sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%s=\"%s\"", n ? " " : "",
			      el->attributes[i].name, el->attributes[i].value);
	if (el->text && *el->text && n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, "%s%s", n ? ": " : "", el->text);
	if (*text)
		s->line(s->arg, label, text);
}

void ltt_summary(struct source *src, void (*line)(void *arg, const char *label, const char *text),
		 void *arg)
{
	const struct ltt *t = (const struct ltt *)src;
	const struct say s = { line, arg };
	uint64_t unclosed = 0;

	if (t->old)
		add_line(&s, "blocks", "of %u bytes", t->block_size);
	else
		say_head(&s, &t->head);
	say_facilities(&s, t);
	for (unsigned i = 0; i < t->info.system.n; i++)
		add_line(&s, "system", "%s: %s", t->info.system.attributes[i].name,
			 t->info.system.attributes[i].value);
	if (t->info.system.text && *t->info.system.text)
		add_line(&s, "system", "%s", t->info.system.text);
	for (unsigned i = 0; i < t->info.nbookmarks; i++)
		say_element(&s, "bookmark", &t->info.bookmarks[i]);
	for (unsigned i = 0; i < t->nfiles; i++)
		unclosed += t->files[i].unclosed;
	if (t->skipped)
		add_line(&s, "left out", "%" PRIu64 " event%s that nothing describes", t->skipped,
			 plural(t->skipped));
	if (unclosed)
		add_line(&s, "never closed", "%" PRIu64 " block%s", unclosed, plural(unclosed));
}
