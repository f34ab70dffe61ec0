// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording_report: the lines printed at the end of a recording.
 */
#include "programs/zedtrace/recording_report.h"

#include "base/plain.h"
#include "base/suffix.h"
#include "programs/session/own.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct report_lines {
	void (*line)(void *arg, const char *text);
	void *arg;
};

static void add_line(const struct report_lines *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_line(const struct report_lines *l, const char *fmt, ...)
{
	char text[REPORT_FILES + 100];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	l->line(l->arg, text);
}

const char *report_channel(const char *path, char *buf, size_t size)
{
	const char *base;
	char text[256];
	size_t len;

	if (!path || !strcmp(path, "-"))
		path = "trace";
	base = strrchr(path, '/');
	base = base ? base + 1 : path;
	len = suffix_stem(base, ".dat");
	snprintf(text, sizeof(text), "%.*s", len < sizeof(text) ? (int)len : 255, base);
	return plain_text(buf, size, text);
}

static uint64_t kib(uint64_t bytes)
{
	return bytes / 1024 + (bytes % 1024 != 0);
}

/* " (3 removed for --keep 2, with 1234 events)". */
static void report_removed(const struct removed_files *r, const char *why, char *buf, size_t size)
{
	if (r->files)
		snprintf(buf, size, " (%u removed for %s, with %" PRIu64 " event%s)", r->files, why,
			 r->events, plural(r->events));
}

/* The options that limit what is kept. */
static const char *limits_text(const struct keep *k, char *buf, size_t size)
{
	char files[32] = "";

	if (k->files)
		snprintf(files, sizeof(files), "--keep %u", k->files);
	snprintf(buf, size, "%s%s%s%s%s", files, k->files && k->size ? ", " : "",
		 k->size ? "--keep-size" : "", (k->files || k->size) && k->free ? ", " : "",
		 k->free ? "--keep-free" : "");
	return buf;
}

void report_parts(const struct parts *p, char *buf, size_t size)
{
	char first[256], last[256], limits[80];
	size_t n;

	*buf = '\0';
	if (!p->whole)
		return;
	n = (size_t)snprintf(buf, size, "%u, %s", p->whole,
			     plain_text(first, sizeof(first), p->first));
	if (p->whole > 1 && n < size)
		snprintf(buf + n, size - n, " to %s", plain_text(last, sizeof(last), p->last));
	n = strlen(buf);
	report_removed(&p->beyond, limits_text(&p->keep, limits, sizeof(limits)), buf + n,
		       size - n);
	n = strlen(buf);
	report_removed(&p->full, "a full disk", buf + n, size - n);
}

/* Each line of TEXT; NULL: none. */
static void add_lines(const struct report_lines *l, const char *text)
{
	while (text && *text) {
		size_t len = strcspn(text, "\n");

		add_line(l, "%.*s", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

void report_write(const struct report *r, void (*line)(void *arg, const char *text), void *arg)
{
	const struct report_lines l = { line, arg };
	const struct recorder_result *res = r->result;
	uint64_t overrun = 0, commit = 0, dropped = 0;
	char own[100];

	add_line(&l, "Channel: %s", r->channel);
	for (unsigned i = 0; i < res->ncpus; i++) {
		const struct recorder_cpu *c = &res->cpus[i];

		add_line(&l, "CPU %d: %" PRIu64 " event%s, %" PRIu64 " KiB data", c->cpu, c->events,
			 plural(c->events), kib(c->bytes));
		overrun += c->overrun;
		commit += c->commit_overrun;
		dropped += c->dropped;
	}
	add_line(&l, "Total: %" PRIu64 " event%s (dropped %" PRIu64 "), %" PRIu64 " KiB data",
		 res->events, plural(res->events), res->dropped, kib(res->bytes));
	if (own_matters(res->own, res->ns))
		add_line(&l, "of these, %s",
			 own_text(own, sizeof(own), r->stream ? "at least " : "about ", res->own,
				  "zedtrace"));
	if (res->dropped)
		add_line(&l,
			 "Dropped: overrun %" PRIu64 ", commit overrun %" PRIu64
			 ", dropped events %" PRIu64 "%s",
			 overrun, commit, dropped, overrun ? " (larger buffers: -b)" : "");
	if (res->at_most)
		add_line(&l, "The connection failed: the other side's report says how much of it "
			     "arrived");
	if (r->spool && r->spool->limited)
		add_line(&l,
			 "Limit: the newest %" PRIu64 " event%s kept, %" PRIu64
			 " given up for --max-size",
			 r->spool->kept_events, plural(r->spool->kept_events),
			 r->spool->ringed_events);
	add_lines(&l, res->switched);
	if (r->files && *r->files)
		add_line(&l, "Files: %s", r->files);
	if (r->excluded && *r->excluded)
		add_line(&l, "kept out of syscalls and raw_syscalls: %s", r->excluded);
}
