// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * work: the command lines of a call, and what they print, which later calls share.
 */
#include "programs/zedperl/mcp/work.h"

#include "base/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD_SIZE 64 /* of a kept file: the status and two lengths, as text */

void work_init(struct work *w)
{
	*w = (struct work){ .printed = { -1, -1 } };
}

void work_fini(struct work *w)
{
	for (unsigned i = 0; i < WORK_RUNS; i++) {
		analysis_words_fini(&w->runs[i]);
		if (w->printed[i] >= 0)
			close(w->printed[i]);
	}
	analysis_words_fini(&w->shown);
}

void work_words(struct analysis_words *to, const struct analysis_words *from)
{
	for (size_t i = 0; i < from->n; i++)
		analysis_word(to, "%s", from->argv[i]);
}

/* ---- kept ---- */

/* False: the file is empty, or was not written to its end. */
static bool read_kept(int fd, struct printed *p)
{
	char head[HEAD_SIZE + 1] = "";
	size_t out, said;

	if (fd < 0 || io_pread(fd, head, HEAD_SIZE, 0) != HEAD_SIZE ||
	    sscanf(head, "%d %zu %zu", &p->status, &out, &said) != 3 || out > ANALYSIS_OUT ||
	    said > ANALYSIS_SAID)
		return false;
	p->out.len = p->said.len = 0;
	if (io_pread(fd, out_room(&p->out, out), out, HEAD_SIZE) != (ssize_t)out ||
	    io_pread(fd, out_room(&p->said, said), said, HEAD_SIZE + out) != (ssize_t)said)
		return false;
	p->out.len = out;
	p->said.len = said;
	return true;
}

/* Its head last: it says that the rest is there. */
static void write_kept(int fd, const struct printed *p)
{
	char head[HEAD_SIZE + 1];

	if (fd < 0)
		return;
	snprintf(head, sizeof(head), "%-63s\n", "");
	if (!io_write(fd, head, HEAD_SIZE) || !io_write(fd, p->out.p, p->out.len) ||
	    !io_write(fd, p->said.p, p->said.len))
		return;
	snprintf(head, sizeof(head), "%d %zu %zu", p->status, p->out.len, p->said.len);
	if (pwrite(fd, head, strlen(head), 0) < 0)
		return;
}

int work_run(struct work *w, unsigned i, struct printed *p, struct err *e)
{
	*p = (struct printed){ .status = 0 };
	if (read_kept(w->printed[i], p))
		return 0;
	p->out.len = p->said.len = 0;
	TRY(analysis_run(&w->runs[i], &p->out, &p->said, &p->status, e));
	write_kept(w->printed[i], p);
	return 0;
}

/* ---- as JSON ---- */

int work_message(const struct printed *p, struct err *e)
{
	static const char prog[] = "zedperl: ";
	struct outbuf said = { 0 };
	char *text;
	int rc;

	out_bytes(&said, p->said.p, p->said.len);
	text = out_end(&said);
	text[strcspn(text, "\n")] = '\0';
	if (!strncmp(text, prog, sizeof(prog) - 1))
		text += sizeof(prog) - 1;
	rc = *text ? err_set(e, ERR_USAGE, ERR_NO_OFF, "%.600s", text) :
		     err_set(e, ERR_FORMAT, ERR_NO_OFF,
			     "the command ended with status %d and without a message", p->status);
	outbuf_fini(&said);
	return rc;
}

int work_json(struct work *w, unsigned i, struct printed *p, struct json_value *v, struct arena *a,
	      struct err *e)
{
	TRY(work_run(w, i, p, e));
	if (p->status > 1 || !p->out.len || p->out.p[0] != '{')
		return work_message(p, e);
	if (json_tree_parse(v, a, p->out.p, p->out.len, e) == 0 && v->kind == JSON_OBJECT)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "the whole answer is too large to be taken apart: choose a shorter range");
}
