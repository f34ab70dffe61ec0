// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * content_table: the tables of a result: rows as long as there is room, and what is left of each.
 */
#include "programs/zedperl/mcp/content_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TABLE_LEAST 400 /* bytes of a table */
#define TABLE_END 60	/* ... of its end */

static bool is_asked(const struct content *t, const char *name)
{
	return !t->only || !strcmp(t->only, name);
}

/* The first table gets three fifths of the room, if others may follow it. */
static size_t table_room(const struct content *t, unsigned others)
{
	size_t used = content_bytes(t) + t->rest + TABLE_END * (others + 1),
	       room = t->most > used ? t->most - used : 0;

	if (t->only || !others)
		return room;
	return t->ntables == 1 && !t->is_even ? room / 5 * 3 : room / (others + 1);
}

/* A table has no room, not even for its columns. */
static void leave_out(struct content *t)
{
	size_t len = strlen(t->cut.left_out);

	snprintf(t->cut.left_out + len, sizeof(t->cut.left_out) - len, "%s%s", len ? ", " : "",
		 t->now.name);
	if (t->cut.any)
		return;
	t->cut.any = true;
	t->cut.first = 0;
	t->cut.left = UINT64_MAX;
	memcpy(t->cut.table, t->now.name, sizeof(t->cut.table));
}

bool content_table_begin(struct content *t, const char *name, const char *title, unsigned others,
			 bool sums)
{
	if (!is_asked(t, name))
		return false;
	snprintf(t->now.name, sizeof(t->now.name), "%s", name);
	if (t->ntables && table_room(t, others) < TABLE_LEAST) {
		leave_out(t);
		return false;
	}
	t->ntables++;
	t->now.first = t->only || t->ntables == 1 ? args_number(t->args, ARG_FIRST, 0) : 0;
	t->now.rows_most = (uint32_t)args_number(t->args, ARG_ROWS, ROWS_USUAL);
	if (!t->only && !t->is_even && t->ntables > 1 && t->now.rows_most > CONTENT_OTHERS)
		t->now.rows_most = CONTENT_OTHERS;
	t->now.at = t->now.shown = 0;
	t->now.sums.len = 0;
	t->now.is_full = t->now.named_columns = t->now.ended_columns = false;
	t->now.expects_sums = sums;
	t->now.longest = 0;
	t->now.from = t->tables.len;
	t->now.bytes_most = t->tables.len + table_room(t, others);
	t->now.bytes_one = t->tables.len + table_room(t, 0);
	out_str(&t->tables, t->ntables > 1 ? ",{\"name\":" : "{\"name\":");
	content_put_text(&t->tables, name, strlen(name));
	if (title) {
		out_str(&t->tables, ",\"title\":");
		content_put_text(&t->tables, title, strlen(title));
	}
	out_str(&t->tables, ",\"columns\":[");
	return true;
}

void content_column(struct content *t, const char *key, const char *head, const char *unit)
{
	out_str(&t->tables, t->now.named_columns ? ",{\"key\":" : "{\"key\":");
	t->now.named_columns = true;
	content_put_text(&t->tables, key, strlen(key));
	if (head && strcmp(head, key) != 0) {
		out_str(&t->tables, ",\"head\":");
		content_put_text(&t->tables, head, strlen(head));
	}
	if (unit) {
		out_str(&t->tables, ",\"unit\":");
		content_put_text(&t->tables, unit, strlen(unit));
	}
	out_char(&t->tables, '}');
}

static void end_columns(struct content *t)
{
	if (!t->now.ended_columns)
		out_printf(&t->tables, "],\"first\":%" PRIu64 ",\"rows\":[", t->now.first);
	t->now.ended_columns = true;
}

bool content_row(struct content *t)
{
	end_columns(t);
	if (t->now.at++ < t->now.first || t->now.is_full)
		return false;
	if (t->now.shown == t->now.rows_most) {
		t->now.is_full = true;
		return false;
	}
	t->now.row_from = t->tables.len;
	t->now.line.len = 0;
	t->now.to = &t->tables;
	out_str(&t->tables, t->now.shown ? ",[" : "[");
	return true;
}

bool content_sums(struct content *t)
{
	end_columns(t);
	t->now.line.len = t->now.sums.len = 0;
	t->now.to = &t->now.sums;
	out_char(&t->now.sums, '[');
	return t->tables.len < t->now.bytes_most;
}

static void begin_cell(struct content *t)
{
	if (t->now.line.len)
		out_char(t->now.to, ',');
}

static void in_line(struct content *t, const char *key, const char *value, size_t len)
{
	out_str(&t->now.line, t->now.line.len ? ", " : "");
	out_printf(&t->now.line, "%s %.*s", key, (int)content_cut_len(value, len, CONTENT_CELL),
		   value);
}

void content_cell(struct content *t, const char *key, const char *json, size_t len)
{
	begin_cell(t);
	out_bytes(t->now.to, json, len);
	in_line(t, key, json, len);
}

void content_cell_text(struct content *t, const char *key, const char *text, size_t len)
{
	begin_cell(t);
	content_put_text(t->now.to, text, len);
	in_line(t, key, text, len);
}

void content_row_end(struct content *t)
{
	size_t most;

	out_char(&t->tables, ']');
	if (t->now.longest < t->tables.len - t->now.row_from)
		t->now.longest = t->tables.len - t->now.row_from;
	/* Sums are as long as a row. */
	most = t->ntables == 1 && !t->now.shown ? t->now.bytes_one : t->now.bytes_most;
	if (t->tables.len + (t->now.expects_sums ? t->now.longest : 0) > most) {
		t->tables.len = t->now.row_from;
		t->now.is_full = true;
		return;
	}
	t->now.shown++;
	if (t->ntables == 1 && t->text.len + t->now.line.len < t->most / TEXT_SHARE) {
		out_bytes(&t->text, t->now.line.p, t->now.line.len);
		out_char(&t->text, '\n');
	}
}

void content_table_end(struct content *t, uint64_t left)
{
	uint64_t given = t->now.first + t->now.shown;

	end_columns(t);
	if (left != UINT64_MAX)
		left += t->now.at > given ? t->now.at - given : 0;
	out_str(&t->tables, "],\"left\":");
	if (left == UINT64_MAX)
		out_str(&t->tables, "null");
	else
		out_printf(&t->tables, "%" PRIu64, left);
	if (t->now.sums.len > 1 && t->tables.len + t->now.sums.len <= t->now.bytes_most) {
		out_str(&t->tables, ",\"all\":");
		out_bytes(&t->tables, t->now.sums.p, t->now.sums.len);
		out_char(&t->tables, ']');
	}
	out_char(&t->tables, '}');
	if (t->ntables > 1 && t->tables.len > t->now.bytes_most + TABLE_END) {
		t->tables.len = t->now.from;
		t->ntables--;
		leave_out(t);
		return;
	}
	if (!left || t->cut.any)
		return;
	t->cut.any = true;
	t->cut.first = given;
	t->cut.fits_no_row = !t->now.shown;
	t->cut.left = left;
	memcpy(t->cut.table, t->now.name, sizeof(t->cut.table));
}
