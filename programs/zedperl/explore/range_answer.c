// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * range_answer: an analysis' answer for a range, with the command that gives it on the command
 * line.
 */
#include "programs/zedperl/explore/explore_priv.h"

#include "programs/zedperl/explore/analysis_name.h"
#include "programs/zedperl/explore/analysis_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- its command ---- */

/* The range as --start and --end, and the base of the page's times. */
static int ask_times(const struct explore *x, const struct request *q, struct analysis_words *w,
		     uint64_t *base, struct err *e)
{
	char from[48], to[48];
	uint64_t length, start, end;
	struct cli c;
	int rc;

	explore_prepare(x, &c, 0, UINT64_MAX);
	rc = explore_open(x, &c, e) < 0 ? -1 : explore_times(&c, base, &length, e);
	/* The whole trace is asked for without times. */
	if (rc == 0 && q->ranged && (q->from || q->to < length)) {
		if (__builtin_add_overflow(*base, q->from, &start))
			start = UINT64_MAX;
		if (__builtin_add_overflow(*base, q->to, &end))
			end = UINT64_MAX;
		times_text(&c.run.pump, start, from, sizeof(from));
		times_text(&c.run.pump, end, to, sizeof(to));
		analysis_word(w, "--start");
		analysis_word(w, "%s", from);
		analysis_word(w, "--end");
		analysis_word(w, "%s", to);
	}
	cli_fini(&c);
	return rc;
}

/* A name as a pattern in a list: a comma, which would end it, is any letter. */
static void ask_comm(const char *comm, struct analysis_words *w)
{
	struct outbuf o = { 0 };

	for (; *comm; comm++)
		if (strchr("*?[\\", *comm))
			out_printf(&o, "[%c]", *comm);
		else
			out_char(&o, *comm == ',' ? '?' : *comm);
	analysis_word(w, "--comm=%s", out_end(&o));
	outbuf_fini(&o);
}

static int ask(const struct explore *x, const struct request *q, struct analysis_words *w,
	       uint64_t *base, struct err *e)
{
	analysis_word(w, "%s", x->program);
	TRY(ask_times(x, q, w, base, e));
	if (q->has_cpu)
		analysis_word(w, "--cpu=%" PRIu32, q->cpu);
	if (q->has_pid)
		analysis_word(w, "--pid=%" PRId64, q->pid);
	if (*q->comm)
		ask_comm(q->comm, w);
	/* As a first word it could be a script by now, or a command by its name. */
	analysis_word(w, "-i");
	analysis_word(w, "%s%s", *x->trace == '-' ? "./" : "", x->trace);
	analysis_word(w, "%s", q->name);
	for (unsigned i = 0; i < q->nargs; i++)
		if (*q->args[i].value)
			analysis_word(w, "--%s=%s", q->args[i].name, q->args[i].value);
		else
			analysis_word(w, "--%s", q->args[i].name);
	return 0;
}

int view_answer(struct explore *x, const struct request *q, struct outbuf *o, struct err *e)
{
	struct outbuf page = { 0 }, said = { 0 }, shown = { 0 };
	struct analysis_words w = { 0 };
	uint64_t base;
	int status;

	TRY(analysis_check_name(q->name, e));
	TRY(ask(x, q, &w, &base, e));
	analysis_shown(&w, &shown);
	analysis_word(&w, "--page-data");
	analysis_word(&w, "%" PRIu64, base);
	TRY(analysis_run(&w, &page, &said, &status, e));
	out_str(o, "{\"command\":");
	out_json(o, shown.p, shown.len);
	out_printf(o, ",\"exit\":%d,\"said\":", status);
	out_json(o, said.p ? said.p : "", said.len);
	out_str(o, ",\"page\":");
	while (page.len && page.p[page.len - 1] == '\n')
		page.len--;
	/* A run that ended early may have printed half of it. */
	if (page.len && page.p[0] == '{' && page.p[page.len - 1] == '}')
		out_bytes(o, page.p, page.len);
	else
		out_str(o, "null");
	out_char(o, '}');
	return 0;
}
