// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The content of a result, made at random: any texts, any number of limits, tables and rows, any
 * budget.  Without it an answer is larger than what was asked for, is not JSON, or leaves rows out
 * without saying so.  Seeded; SEED=N.
 *
 * of: programs/zedperl/mcp/content.c
 */
#include "programs/zedperl/mcp/content.h"
#include "t/lib/c/tap.h"

static const char *const TEXTS[] = { "sh",     "\"},{\"x\":\"",
				     "\n\n\n", "\xff\xfe\xc3",
				     "\\",     "a long text that is the same again and again" };

/* Up to 700 bytes, pieces of them cut anywhere. */
static size_t text(char *to)
{
	size_t len = 0, pieces = (size_t)rand() % 20;

	while (pieces--) {
		const char *piece = TEXTS[(size_t)rand() % (sizeof(TEXTS) / sizeof(*TEXTS))];

		len += (size_t)snprintf(to + len, 800 - len, "%s", piece);
	}
	return len - (len && rand() % 2);
}

static uint64_t add_rows(struct content *t, unsigned nrows, unsigned columns)
{
	char cell[800];

	for (unsigned i = 0; i < nrows; i++) {
		if (!content_row(t))
			continue;
		for (unsigned k = 0; k < columns; k++)
			if (rand() % 2)
				content_cell(t, "n", "18446744073709551615", 20);
			else
				content_cell_text(t, "text", cell, text(cell));
		content_row_end(t);
	}
	return nrows;
}

static void add_tables(struct content *t)
{
	unsigned tables = 1 + (unsigned)rand() % 6;
	char name[16];

	for (unsigned i = 0; i < tables; i++) {
		unsigned columns = 1 + (unsigned)rand() % 8;

		snprintf(name, sizeof(name), "t%u", i);
		if (!content_table_begin(t, name, rand() % 2 ? "a title" : NULL, tables - i - 1,
					 true))
			continue;
		for (unsigned k = 0; k < columns; k++)
			content_column(t, "key", "a head", rand() % 2 ? "ns" : NULL);
		add_rows(t, (unsigned)rand() % 60, columns);
		if (content_sums(t))
			for (unsigned k = 0; k < columns; k++)
				content_cell(t, "n", "1", 1);
		content_table_end(t, (unsigned)rand() % 3 ? 0 : (uint64_t)rand() % 100);
	}
}

static void add_all(struct content *t)
{
	unsigned lines = (unsigned)rand() % 40;
	char line[800];

	content_member(t, "trace", "demo.dat", 8);
	content_member(t, "command", line, text(line));
	while (lines--) {
		size_t len = text(line);

		switch (rand() % 4) {
		case 0:
			content_limit(t, line, len);
			break;
		case 1:
			content_note(t, line, len);
			break;
		case 2:
			content_messages(t, line, len);
			break;
		default:
			line[len] = '\0';
			content_finding(t, line, rand() % 2 ? "{\"tool\":\"answer\"}" : NULL);
		}
	}
	add_tables(t);
}

/* Do rows that are left come with a call for them? */
static bool says_all(const struct json_value *data)
{
	const struct json_value *tables = json_member(data, "tables"),
				*cut = json_member(data, "cut");

	for (const struct json_value *v = tables ? tables->first : NULL; v; v = v->next) {
		const struct json_value *left = json_member(v, "left");

		if (!left || (left->number && (!cut || cut->kind != JSON_OBJECT)))
			return false;
	}
	return tables && cut;
}

static bool is_sound(const struct outbuf *o, size_t most)
{
	struct arena a = { .blocks = NULL };
	struct json_value v;
	bool sound = false;
	struct err e;

	if (o->len <= most && json_tree_parse(&v, &a, o->p, o->len, &e) == 0)
		sound = says_all(json_member(&v, "structuredContent"));
	arena_fini(&a);
	return sound;
}

int main(void)
{
	const char *seed = getenv("SEED");
	unsigned bad = 0, fits = 0, turns = (unsigned)tap_small(500, 3000);

	srand(seed ? (unsigned)atoi(seed) : 35);
	for (unsigned i = 0; i < turns; i++) {
		struct json_value chars = { .kind = JSON_UINT, .text = "0" },
				  rows = { .kind = JSON_UINT, .text = "0" };
		struct call_args args = { .all = NULL };
		struct outbuf o = { 0 };
		struct content t;
		struct err e;

		chars.number = CHARS_LEAST + (uint64_t)rand() % 6000;
		rows.number = 1 + (uint64_t)rand() % 50;
		args.of[ARG_CHARS] = &chars;
		args.of[ARG_ROWS] = &rows;
		content_init(&t, "answer", &args);
		add_all(&t);
		out_char(&o, '{');
		if (content_end(&t, &o, &e) == 0) {
			out_char(&o, '}');
			fits++;
			bad += !is_sound(&o, chars.number);
		}
		outbuf_fini(&o);
		content_fini(&t);
	}
	ok(!bad, "%u answers are JSON, within the budget, and say what is left", turns);
	ok(fits == turns, "%u of them fit (else: an agent gets none)", fits);
	return tap_done();
}
