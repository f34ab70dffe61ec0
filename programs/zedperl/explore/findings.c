// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * findings: what sticks out of the whole trace, in some sentences, as `zedperl TRACE report` finds
 * it.
 */
#include "programs/zedperl/explore/explore_priv.h"

#include "programs/zedperl/explore/analysis_run.h"

#include <inttypes.h>

static int base_of(const struct explore *x, uint64_t *base, struct err *e)
{
	uint64_t length;
	struct cli c;
	int rc;

	explore_prepare(x, &c, 0, UINT64_MAX);
	rc = explore_open(x, &c, e) < 0 ? -1 : explore_times(&c, base, &length, e);
	cli_fini(&c);
	return rc;
}

int view_findings(struct explore *x, const struct request *q, struct outbuf *o, struct err *e)
{
	struct outbuf said = { 0 };
	struct analysis_words w = { 0 };
	size_t from = o->len;
	uint64_t base;
	int status;

	TRY(base_of(x, &base, e));
	analysis_word(&w, "%s", x->program);
	/* As a first word it could be a script by now, or a command by its name. */
	analysis_word(&w, "-i");
	analysis_word(&w, "%s%s", *x->trace == '-' ? "./" : "", x->trace);
	analysis_word(&w, "report");
	analysis_word(&w, "--findings");
	analysis_word(&w, "--json");
	analysis_word(&w, "--base");
	analysis_word(&w, "%" PRIu64, base);
	TRY(analysis_run(&w, o, &said, &status, e));
	while (o->len > from && o->p[o->len - 1] == '\n')
		o->len--;
	if (o->len > from && o->p[from] == '{' && o->p[o->len - 1] == '}')
		return 0;
	o->len = from;
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "zedperl report ended with status %d: %.300s",
		       status, said.len ? out_end(&said) : "no message");
}
