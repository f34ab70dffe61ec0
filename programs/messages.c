// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * messages: the programs' messages on stderr: a line for each, after the program's name and in
 * place of the progress line.
 */
#include "programs/messages.h"

#include "base/outbuf.h"
#include "programs/options.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

void cli_clear(struct cli *c)
{
	if (!c->run.progress_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	c->run.progress_shown = false;
}

void cli_put(FILE *to, const char *text, size_t len, unsigned keep)
{
	struct outbuf o = { 0 };

	if (plain_ascii(text, len)) {
		fwrite(text, 1, len, to);
		return;
	}
	out_bytes(&o, text, len);
	out_plain(&o, 0, keep);
	fwrite(o.p, 1, o.len, to);
	outbuf_fini(&o);
}

void cli_puts(FILE *to, const char *text)
{
	cli_put(to, text, strlen(text), 0);
}

void cli_put_line(const char *prog, const char *text, size_t len, unsigned keep)
{
	struct outbuf o = { 0 };
	size_t from;

	out_printf(&o, "%s%s", prog, *prog ? ": " : "");
	from = o.len;
	out_bytes(&o, text, len);
	out_plain(&o, from, keep);
	out_bytes(&o, "\n", 1);
	fwrite(o.p, 1, o.len, stderr);
	outbuf_fini(&o);
}

static void say_line(struct cli *c, const char *text, size_t len)
{
	cli_clear(c);
	cli_put_line(c->spec->prog, text, len, 0);
}

void cli_say(struct cli *c, const char *fmt, ...)
{
	char text[1280];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say_line(c, text, strlen(text));
}

void cli_say_err(struct cli *c, const struct err *e)
{
	char text[4 * sizeof(e->path) + sizeof(e->msg) + 64];
	const char *more = strchr(e->msg, '\n');

	err_text(e, text, sizeof(text));
	say_line(c, text, strlen(text));
	/* An expression and its caret: err_more(). */
	while (more) {
		size_t len = strcspn(++more, "\n");

		say_line(c, more, len);
		more = more[len] ? more + len : NULL;
	}
}

int cli_usage(struct cli *c, bool hint, const char *fmt, ...)
{
	char text[1280];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say_line(c, text, strlen(text));
	if (hint)
		cli_say(c, "try '%s --help'", c->spec->prog);
	return CLI_USAGE;
}

void cli_note(void *arg, enum note_level level, const char *text)
{
	struct cli *c = arg;

	if (c->words.verbose) {
		say_line(c, text, strlen(text));
		return;
	}
	if (level == NOTE_INFO)
		return;
	if (c->spec->endless || ++c->run.said <= CLI_MAX_NOTES)
		say_line(c, text, strlen(text));
}

int cli_end_output(struct cli *c, int status)
{
	if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
		return status;
	cli_say(c, "cannot write the output: %s", strerror(errno));
	return CLI_DAMAGE;
}
