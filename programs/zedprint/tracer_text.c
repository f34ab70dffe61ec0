// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracer_text: the text that a latency tracer wrote in place of events, shown as it is in the
 * recording, or as a JSON object for each line.
 */
#include "programs/zedprint/zedprint.h"

#include "base/outbuf.h"
#include "base/plain.h"
#include "programs/stop.h"
#include "text/utf8_text.h"

#include <stdio.h>
#include <string.h>

/* As a JSON object for each line. */
static void json_text(const char *s, size_t len, bool *in_line)
{
	struct outbuf o = { 0 };

	for (const char *end = s + len; s < end;) {
		const char *nl = memchr(s, '\n', end - s), *stop = nl ? nl : end;

		if (!*in_line)
			out_str(&o, "{\"text\":\"");
		utf8_json(&o, s, stop - s);
		*in_line = !nl;
		if (nl)
			out_str(&o, "\"}\n");
		s = nl ? nl + 1 : end;
	}
	if (o.len)
		fwrite(o.p, 1, o.len, stdout);
	outbuf_fini(&o);
}

/*
 * Show one buffer's text.  Returns -1 with E if it is damaged, after showing what precedes the
 * damage.
 */
static int show_text(enum print_format format, struct source *s, const struct buffer *b,
		     struct err *e)
{
	bool in_line = false;
	uint64_t pos = 0;
	char buf[16384];
	size_t held = 0; /* bytes of a character whose rest is still to come */
	ssize_t n;

	while ((n = s->ops->text(s, b, &pos, buf + held, sizeof(buf) - held, e)) > 0) {
		size_t len = held + n;

		if (cli_stop)
			return 0;
		held = utf8_unfinished(buf, len);
		if (format == PRINT_JSON)
			json_text(buf, len - held, &in_line);
		else
			cli_put(stdout, buf, len - held, PLAIN_TABS | PLAIN_LINES);
		memmove(buf, buf + len - held, held);
	}
	if (format == PRINT_JSON)
		json_text(buf, held, &in_line);
	else
		cli_put(stdout, buf, held, 0);
	if (in_line)
		fputs("\"}\n", stdout);
	else if (format == PRINT_REPORT)
		putchar('\n');
	return n < 0 ? err_path(e, s->in.path) : 0;
}

void tracer_text_show(struct cli *c, enum print_format format, bool *events)
{
	struct err e;

	*events = false;
	for (unsigned i = 0; i < c->run.pump.nsources; i++) {
		struct source *s = c->run.pump.sources[i];

		*events |= s->nstreams || !source_has_text(s);
		for (unsigned k = 0; k < s->nbuffers; k++) {
			const struct buffer *b = &s->buffers[k];

			if (!b->text || !s->ops->text ||
			    !filter_takes_instance(c->run.pump.filter, b->name))
				continue;
			if (format == PRINT_REPORT && !s->nstreams)
				printf("cpus=%u\n", s->cpu_count);
			if (show_text(format, s, b, &e) < 0) {
				fflush(stdout);
				note_err(&c->run.notes, NOTE_DAMAGE, &e);
			}
		}
	}
	fflush(stdout);
}
