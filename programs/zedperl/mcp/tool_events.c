// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tool_events: events: some events in their order, with the options of zedprint, in this process.
 */
#include "programs/zedperl/mcp/tool.h"

#include "programs/reading.h"
#include "programs/zedperl/explore/event_row.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/mcp/answer_tables.h"
#include "programs/zedperl/mcp/asked_fields.h"
#include "programs/zedperl/mcp/range_losses.h"
#include "run/choose/derive.h"
#include "run/drain.h"
#include "trace/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MOST 600	  /* bytes of the text of an event */
#define MESSAGES_MOST 500 /* bytes of messages: they are known only after the rows */

/* ---- its words ---- */

int events_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		struct err *e)
{
	struct analysis_words words = { 0 };
	const char *event = args_text(a, ARG_EVENT), *filter = args_text(a, ARG_FILTER);
	uint64_t head = args_number(a, ARG_FIRST, 0) + args_number(a, ARG_ROWS, ROWS_USUAL);

	TRY(plan_trace(w, a, t, e));
	if (event)
		analysis_word(&words, "--event=%s", event);
	if (filter) {
		analysis_word(&words, "-F");
		analysis_word(&words, "%s", filter);
	}
	plan_begin(w, &w->runs[0], a);
	work_words(&w->runs[0], &words);
	analysis_words_fini(&words);
	w->nruns = 1;
	w->is_direct = true;
	work_words(&w->shown, &w->runs[0]);
	analysis_word(&w->shown, "--head=%" PRIu64, head);
	w->shown.program = "zedprint";
	return 0;
}

/* ---- the rows ---- */

struct event_table {
	struct sink sink;
	struct content *t;
	const struct call_args *args;
	struct cli *cli;
	struct event_rows rows;
	struct outbuf cell;
	struct range_losses losses; /* from the first row that is shown on */
	struct asked_fields fields;
	bool has_more;
};

static void put_columns(const struct event_table *l)
{
	bool is_ns = times_are_ns(&l->cli->run.pump);
	const char *name;

	content_column(l->t, "at", NULL, is_ns ? "s, as text" : "ticks, as text");
	content_column(l->t, "cpu", NULL, NULL);
	content_column(l->t, "pid", NULL, NULL);
	content_column(l->t, "comm", "task", NULL);
	content_column(l->t, "event", NULL, NULL);
	if (!l->args->of[ARG_FIELDS])
		content_column(l->t, "text", "fields", NULL);
	for (unsigned i = 0; (name = args_item(l->args, ARG_FIELDS, i)); i++)
		content_column(l->t, name, NULL, NULL);
}

static void put_cell(struct event_table *l, const char *key)
{
	content_cell(l->t, key, l->cell.p, l->cell.len);
	l->cell.len = 0;
}

static void put_task(struct event_table *l, const struct event *ev)
{
	const char *comm = ev->pid < 0 ? "" : comms_name(ev->type->machine->comms, ev->pid);

	if (ev->pid < 0)
		out_str(&l->cell, "null");
	else
		out_i64(&l->cell, ev->pid);
	put_cell(l, "pid");
	out_json_name(&l->cell, comm);
	put_cell(l, "comm");
}

static void put_row(struct event_table *l, const struct event *ev)
{
	char at[48];
	const char *name;

	times_text(&l->cli->run.pump, ev->ts, at, sizeof(at));
	content_cell_text(l->t, "at", at, strlen(at));
	out_i64(&l->cell, ev->cpu);
	put_cell(l, "cpu");
	put_task(l, ev);
	event_row_name(&l->rows, &l->cell, ev->type);
	put_cell(l, "event");
	if (!l->args->of[ARG_FIELDS]) {
		event_row_line(&l->rows, &l->cell, ev);
		put_cell(l, "text");
	}
	for (unsigned i = 0; (name = args_item(l->args, ARG_FIELDS, i)); i++) {
		event_row_field(&l->rows, &l->cell, ev, name);
		put_cell(l, name);
	}
	asked_fields_row(&l->fields, ev->type);
	content_row_end(l->t);
}

/* Losses before the rows that are shown are of an earlier part of the list. */
static enum verdict note_loss(struct sink *s, const struct event *ev, struct err *e)
{
	struct event_table *l = (struct event_table *)s;

	if (ev->lost && l->t->now.at >= l->t->now.first)
		range_losses_add(&l->losses, &l->cli->run.pump, ev);
	return SINK_MORE;
}

static void note_loss_beyond(struct sink *s, const struct event *ev)
{
	struct event_table *l = (struct event_table *)s;

	range_losses_beyond(&l->losses, &l->cli->run.pump, ev);
}

static enum verdict take(struct sink *s, const struct event *ev, struct err *e)
{
	struct event_table *l = (struct event_table *)s;

	event_rows_ask(&l->rows, &l->cli->run.pump);
	note_loss(s, ev, e);
	if (content_row(l->t))
		put_row(l, ev);
	/* A row that is not shown, or did not fit, is one more that there is. */
	l->has_more = l->t->now.is_full;
	return l->has_more ? SINK_STOP : SINK_MORE;
}

/* ---- the run ---- */

static const struct cli_table TABLES[] = {
	{ .opts = CHOOSING, .of = CLI_OF_CLI },
	{ .opts = READING, .of = CLI_OF_CLI, .rules = READING_RULES },
	{ .opts = NULL },
};

static const struct cli_spec SPEC = {
	.prog = "zedperl",
	.usage = "",
	.about = "",
	.tables = TABLES,
};

/* As zedprint runs it. */
static enum run_end run(struct event_table *l, struct err *e)
{
	static const struct sink_ops OPS = {
		.event = take,
		.lost = note_loss,
		.lost_beyond = note_loss_beyond,
	};
	struct cli *c = l->cli;
	struct stage *from = cli_synthetic(c, &c->run.pump.stage);
	struct derive *derive = NULL;
	enum run_end end;

	l->sink.ops = &OPS;
	if (c->choice.events && words_have_stable(c->choice.events)) {
		derive = derive_new(c->choice.events, c->run.pump.catalog, &c->run.notes, from);
		from = derive_stage(derive);
	}
	end = run_into(&c->run.pump, from, &l->sink, e);
	asked_fields_end(&l->fields);
	derive_free(derive);
	return end;
}

/* Is the list of the whole trace, from its beginning? */
static bool is_whole(const struct event_table *l)
{
	const struct cli_choice *choice = &l->cli->choice;

	return !choice->start && choice->end == UINT64_MAX && !l->t->now.first;
}

/* At most MOST bytes of what was printed as messages up to here, in this process. */
static void take_messages(struct printed *p, size_t most)
{
	char text[4096];
	ssize_t n = pread(STDERR_FILENO, text, most < sizeof(text) ? most : sizeof(text), 0);

	if (n > 0)
		out_bytes(&p->said, text, (size_t)n);
}

static int list_events(struct event_table *l, struct work *w, struct printed *p, struct err *e)
{
	struct cli *c = l->cli;
	enum run_end end;

	if (!cli_parse(c, (int)w->runs[0].n, w->runs[0].argv, &p->status) ||
	    !cli_open(c, &p->status)) {
		take_messages(p, SIZE_MAX);
		return work_message(p, e);
	}
	answer_command(l->t, w);
	event_rows_init(&l->rows, 0, false);
	l->rows.most = TEXT_MOST;
	content_table_begin(l->t, "events", NULL, 0, false);
	put_columns(l);
	l->losses.end = c->choice.end;
	end = run(l, e);
	if (end == RUN_FAILED)
		return -1;
	if (end == RUN_DONE)
		range_losses_end(&l->losses, &c->run.pump, is_whole(l));
	content_table_end(l->t, l->has_more ? UINT64_MAX : 0);
	p->status = cli_finish(c, end, e);
	take_messages(p, MESSAGES_MOST);
	range_losses_say(&l->losses, l->t);
	asked_fields_say(&l->fields, l->t);
	event_rows_fini(&l->rows);
	return 0;
}

int events_answer(struct content *t, struct work *w, const struct call_args *a, struct err *e)
{
	struct printed p = { .status = 0 };
	struct cli c;
	struct event_table l = { .t = t, .args = a, .cli = &c, .fields.args = a };

	if (t->only && strcmp(t->only, "events") != 0)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "no table '%s': this answer has events",
			       t->only);
	t->rest += MESSAGES_MOST + RANGE_LOSSES_MOST + (a->of[ARG_FIELDS] ? ASKED_MOST : 0);
	cli_init(&c, &SPEC, NULL);
	TRY(list_events(&l, w, &p, e));
	answer_status(t, &p);
	return 0;
}
