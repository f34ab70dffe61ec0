// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print: the sink that prints events on standard output, through a buffer and one of its formats
 * (zed.c, report.c, kernel.c, json.c).  Every write is checked.
 */
#include "base/io.h"
#include "sink/print/print_priv.h"
#include "text/engine.h"
#include "trace/chain_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define FLUSH_AT (256u << 10)

uint64_t print_time(const struct print *p, const struct event *ev, bool *ns)
{
	/* trace-cmd shows all buffers of a file as if they had the first one's clock. */
	*ns = p->run->sources[ev->from->source]->clock_is_ns &&
	      (!ev->from->ticks || p->opts.format == PRINT_REPORT);
	return ev->ts - p->run->base;
}

void print_seconds(struct print *p, uint64_t ts)
{
	struct outbuf *o = &p->out;

	if (p->opts.ns) {
		out_u64_pad(o, ts / 1000000000, 5, ' ');
		out_char(o, '.');
		out_u64_pad(o, ts % 1000000000, 9, '0');
	} else {
		ts = (ts + 500) / 1000;
		out_u64_pad(o, ts / 1000000, 5, ' ');
		out_char(o, '.');
		out_u64_pad(o, ts % 1000000, 6, '0');
	}
}

unsigned print_kept(const struct etype *t)
{
	bool stack = !strcmp(t->name, "kernel_stack") || !strcmp(t->name, "user_stack");

	return stack && !strcmp(t->system, "ftrace") ? PLAIN_TABS | PLAIN_STACK : PLAIN_TABS;
}

/* The line of the frame F at ADDRESS, without its end. */
static void put_frame(struct outbuf *o, const struct chain_frame *f, uint64_t address)
{
	const char *where = f->module ? f->module : f->name ? f->file : NULL;
	size_t from = o->len;
	char text[CHAIN_TEXT_MAX];

	out_str(o, " => ");
	out_str(o, chain_text(f, address, text, sizeof(text)));
	if (where) {
		out_str(o, f->module ? " [" : " (");
		out_str(o, where);
		out_char(o, f->module ? ']' : ')');
	}
	if (f->source) {
		out_char(o, ' ');
		out_str(o, chain_source(f, text, sizeof(text)));
	}
	out_plain(o, from, 0);
}

static void end_frame(struct print *p, size_t from, const struct event *ev)
{
	print_limit(p, from, ev);
	out_char(&p->out, '\n');
}

/* --inline: lines of the frames of W, those of functions that were inlined too. */
static void print_frames(struct print *p, struct chain_walk *w)
{
	struct chain_frame f;

	while (chain_walk_next(w, &f)) {
		size_t from = p->out.len;

		put_frame(&p->out, &f, w->address);
		end_frame(p, from, w->ev);
	}
}

/* Lines of the addresses of EV's stack, with names, after the line of EV. */
static void print_stack(struct print *p, const struct event *ev)
{
	const struct chain chain = stack_chain_of(&p->chain, ev);
	struct outbuf *o = &p->out;
	bool kernel = false;
	uint64_t address;
	uint32_t i = 0;

	if (chain_has_lines(ev)) {
		print_frames(p, &(struct chain_walk){ .ev = ev, .chain = chain });
		return;
	}
	frame_cache_event(&p->frames, ev);
	while (chain_next(&chain, &i, &address, &kernel)) {
		struct cached_frame *f = frame_cache_at(&p->frames, address, kernel);
		size_t from = o->len;

		if (!f->text.len)
			put_frame(&f->text, &f->frame, address);
		out_bytes(o, f->text.p, f->text.len);
		end_frame(p, from, ev);
	}
}

/* Write the output, or, unless ALL, the part that no later event can change. */
static enum verdict flush(struct print *p, bool all, struct err *e)
{
	size_t end = p->ops->settle ? p->ops->settle(p, all) : p->out.len;

	if (!io_write(STDOUT_FILENO, p->out.p, end)) {
		p->out.len = 0;
		return err_sys(e, ERR_NO_OFF, "cannot write to standard output");
	}
	p->out.len -= end;
	if (p->out.len)
		memmove(p->out.p, p->out.p + end, p->out.len);
	return SINK_MORE;
}

static enum verdict begin(struct sink *s, const struct run_info *run, struct err *e)
{
	struct print *p = (struct print *)s;

	p->run = run;
	out_room(&p->out, FLUSH_AT + 4096);
	if (p->ops->begin)
		p->ops->begin(p);
	return SINK_MORE;
}

static enum verdict event(struct sink *s, const struct event *ev, struct err *e)
{
	struct print *p = (struct print *)s;

	p->ops->event(p, ev);
	if (p->opts.stack && (p->opts.format == PRINT_NAMES || p->opts.format == PRINT_ZED))
		print_stack(p, ev);
	return p->out.len < FLUSH_AT ? SINK_MORE : flush(p, false, e);
}

static enum verdict lost(struct sink *s, const struct event *ev, struct err *e)
{
	struct print *p = (struct print *)s;

	p->ops->lost(p, ev);
	return p->out.len < FLUSH_AT ? SINK_MORE : flush(p, false, e);
}

static enum verdict idle(struct sink *s, struct err *e)
{
	return flush((struct print *)s, true, e);
}

/* Another buffer adds a label, and all labels have the same width. */
static bool more(struct sink *s)
{
	struct print *p = (struct print *)s;

	for (unsigned i = 0; i < p->nlabels; i++)
		free(p->labels[i]);
	free(p->labels);
	p->labels = NULL;
	p->nlabels = 0;
	if (p->ops == &print_kernel_ops || p->ops == &print_report_ops)
		print_labels(p);
	return true;
}

static enum verdict end(struct sink *s, struct err *e)
{
	struct print *p = (struct print *)s;

	if (p->ops->end)
		p->ops->end(p);
	return flush(p, true, e);
}

static void close_sink(struct sink *s)
{
	struct print *p = (struct print *)s;

	engine_free(p->kernel);
	value_names_free(p->names);
	outbuf_fini(&p->held);
	outbuf_fini(&p->text);
	stack_chain_fini(&p->chain);
	frame_cache_fini(&p->frames);
	free(p->json);
	arena_fini(&p->json_arena);
	for (unsigned i = 0; i < p->nlabels; i++)
		free(p->labels[i]);
	free(p->labels);
	outbuf_fini(&p->out);
	free(p);
}

static const struct sink_ops ops = {
	.begin = begin,
	.event = event,
	.lost = lost,
	.idle = idle,
	.more = more,
	.end = end,
	.close = close_sink,
};

struct sink *print_new(const struct print_opts *o)
{
	static const struct print_ops *const formats[] = {
		[PRINT_NAMES] = &print_zed_ops,	    [PRINT_ZED] = &print_zed_ops,
		[PRINT_REPORT] = &print_report_ops, [PRINT_KERNEL] = &print_kernel_ops,
		[PRINT_JSON] = &print_json_ops,
	};
	struct print *p = mem_zalloc(sizeof(*p));

	p->sink.ops = &ops;
	p->ops = formats[o->format];
	p->opts = *o;
	if (o->format == PRINT_NAMES || o->names)
		p->names = value_names_new();
	return &p->sink;
}
