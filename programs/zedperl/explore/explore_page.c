// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explore_page: puts the page of explore together, with a hash of each script and style for its
 * policy, so that nothing else in it can run.
 */
#include "programs/zedperl/explore/explore_page.h"

#include "interp/api/html_parts.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <string.h>

static const struct page_part *find_part(const char *name, size_t len, struct err *e)
{
	for (const struct page_part *p = page_parts; p->name; p++)
		if (strlen(p->name) == len && !memcmp(p->name, name, len))
			return p;
	err_set(e, ERR_USAGE, ERR_NO_OFF,
		"this zedperl was built without %.*s, which the page needs%s", (int)len, name,
		len == 9 && !memcmp(name, "d3.min.js", 9) ?
			": install node-d3 (or name its file: make D3=.../d3.min.js), then make" :
			"");
	return NULL;
}

static int add_part(struct outbuf *o, const char *name, size_t len, struct err *e)
{
	const struct page_part *p = find_part(name, len, e);

	if (!p)
		return -1;
	out_bytes(o, p->text, p->len);
	out_char(o, '\n');
	return 0;
}

/* The scripts in the order of the list. */
static int add_listed(struct outbuf *o, struct err *e)
{
	static const char list[] = "explore/parts.txt";
	const struct page_part *p = find_part(list, sizeof(list) - 1, e);
	const char *line = p ? p->text : NULL;

	if (!p)
		return -1;
	while (*line) {
		size_t len = strcspn(line, "\n");

		if (len && *line != '#')
			TRY(add_part(o, line, len, e));
		line += len + (line[len] == '\n');
	}
	return 0;
}

/* " 'sha256-...'" */
static void add_hash(struct outbuf *policy, const char *text, size_t len)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	char shown[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)];
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, len, (const uint8_t *)text);
	sha256_digest(&ctx, sizeof(digest), digest);
	base64_encode_raw(shown, sizeof(digest), digest);
	out_printf(policy, " 'sha256-%.*s'", (int)sizeof(shown), shown);
}

/* "<TAG>...</TAG>" of the text O, whose hash is added to the policy. */
static void add_element(struct explore_page *p, const char *tag, const struct outbuf *o)
{
	out_printf(&p->html, "<%s>", tag);
	out_bytes(&p->html, o->p, o->len);
	out_printf(&p->html, "</%s>\n", tag);
	add_hash(&p->policy, o->p, o->len);
}

static int add_style(struct explore_page *p, struct err *e)
{
	struct outbuf o = { 0 };
	int rc = add_part(&o, "page.css", 8, e) < 0 || add_part(&o, "explore.css", 11, e) < 0 ? -1 :
												0;

	out_str(&p->policy, "; style-src");
	if (rc == 0)
		add_element(p, "style", &o);
	outbuf_fini(&o);
	return rc;
}

static int add_script(struct explore_page *p, struct err *e)
{
	struct outbuf library = { 0 }, own = { 0 };
	int rc = add_part(&library, "d3.min.js", 9, e) < 0 || add_listed(&own, e) < 0 ? -1 : 0;

	out_str(&p->policy, "; script-src");
	if (rc == 0) {
		/* NOLINTBEGIN(clang-analyzer-core.*): neither is empty */
		add_element(p, "script", &library);
		add_element(p, "script", &own);
		/* NOLINTEND(clang-analyzer-core.*) */
	}
	outbuf_fini(&library);
	outbuf_fini(&own);
	return rc;
}

static void add_escaped(struct outbuf *o, const char *text)
{
	char plain[1024];

	for (const char *s = plain_text(plain, sizeof(plain), text); *s; s++)
		if (strchr("&<>\"'", *s))
			out_printf(o, "&#%d;", *s);
		else
			out_char(o, *s);
}

static int add_licence(struct outbuf *o, struct err *e)
{
	static const char name[] = "d3-licence.txt";

	out_str(o, "<!-- ");
	TRY(add_part(o, name, sizeof(name) - 1, e));
	out_str(o, "-->");
	return 0;
}

/* What the comment of LEN bytes at TEXT stands for. */
static int add_named(struct explore_page *p, const char *text, size_t len, const char *trace,
		     struct err *e)
{
	if (len == 5 && !memcmp(text, "style", 5))
		return add_style(p, e);
	if (len == 6 && !memcmp(text, "script", 6))
		return add_script(p, e);
	if (len == 7 && !memcmp(text, "licence", 7))
		return add_licence(&p->html, e);
	if (len == 5 && !memcmp(text, "trace", 5))
		add_escaped(&p->html, trace);
	return 0;
}

static int fill(struct explore_page *p, const char *trace, struct err *e)
{
	static const char name[] = "explore.html";
	const struct page_part *frame = find_part(name, sizeof(name) - 1, e);
	const char *at = frame ? frame->text : NULL, *from, *to;

	if (!frame)
		return -1;
	while ((from = strstr(at, "<!-- ")) && (to = strstr(from, " -->"))) {
		out_bytes(&p->html, at, (size_t)(from - at));
		TRY(add_named(p, from + 5, (size_t)(to - from - 5), trace, e));
		at = to + 4;
	}
	out_str(&p->html, at);
	return 0;
}

int explorepage_make(struct explore_page *p, const char *trace, struct err *e)
{
	*p = (struct explore_page){ 0 };
	out_str(&p->policy, "default-src 'none'; connect-src 'self'; img-src data: blob:; "
			    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
	if (fill(p, trace, e) < 0) {
		explorepage_fini(p);
		return -1;
	}
	out_end(&p->policy);
	return 0;
}

void explorepage_fini(struct explore_page *p)
{
	outbuf_fini(&p->html);
	outbuf_fini(&p->policy);
}
