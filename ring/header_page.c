// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * header_page: the kernel's description of a sub-buffer's header.  It has the syntax of an event
 * format, and is parsed as one; layouts that no kernel has are refused.
 */
#include "ring/header_page.h"

#include "trace/field.h"
#include "trace/format.h"

int header_page_parse(struct page_layout *l, const char *text, size_t len, unsigned long_size,
		      struct err *e)
{
	struct arena a = { 0 };
	struct etype t = { .system = "", .name = "header_page", .format = text, .format_len = len };
	const struct field *commit, *data, *stamp;
	int rc = -1;

	if (!len) {
		l->old = true;
		l->long_size = long_size;
		l->data_off = 8 + long_size;
		return 0;
	}
	if (format_parse(&t, &a, false, 8, e) < 0) {
		err_within(e, "header_page");
		goto out;
	}
	stamp = field_find_in(t.fields, t.nfields, "timestamp");
	commit = field_find_in(t.fields, t.nfields, "commit");
	data = field_find_in(t.fields, t.nfields, "data");
	if (!stamp || !commit || !data) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF,
			"header_page does not describe timestamp, commit and data");
		goto out;
	}
	if (stamp->off || stamp->size != 8 || commit->off != 8 ||
	    (commit->size != 4 && commit->size != 8) || data->off < 8 + commit->size ||
	    data->off > 64 || data->off % 4 || data->size < 16) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF,
			"header_page describes a page that no kernel makes (commit of %u byte%s, "
			"data at %u)",
			commit->size, plural(commit->size), data->off);
		goto out;
	}
	l->old = false;
	l->long_size = commit->size;
	l->data_off = data->off;
	l->page_size = data->off + data->size;
	rc = 0;
out:
	arena_fini(&a);
	return rc;
}
