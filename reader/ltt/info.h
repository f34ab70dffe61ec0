/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_INFO_H
#define ZED_READER_LTT_INFO_H

#include "base/mem.h"

/*
 * The files in info/ of an LTT trace: system.xml, <system name=value ...>text</system>, and
 * bookmarks.xml, <bookmarks><location name=value ...>text</location>...</bookmarks>.  Only
 * generation 1 needs the first; the second is never needed.  Values are quoted or not.
 */
#define LTT_MAX_INFO (1u << 20) /* bytes of such a file */

struct ltt_attribute {
	const char *name, *value;
};

/* An element and what is between its tags. */
struct ltt_element {
	struct ltt_attribute *attributes;
	unsigned n;
	const char *text; /* trimmed, white space as single blanks */
};

struct ltt_info {
	struct arena arena;
	struct ltt_element system;
	struct ltt_element *bookmarks;
	unsigned nbookmarks;
};

/* Parse the text of system.xml, and of bookmarks.xml.  Invalid parts are skipped. */
void ltt_info_system(struct ltt_info *i, const char *text, size_t len);
void ltt_info_bookmarks(struct ltt_info *i, const char *text, size_t len);

/* The value of attribute NAME of system.xml, or NULL. */
const char *ltt_info_get(const struct ltt_info *i, const char *name);

void ltt_info_fini(struct ltt_info *i);

#endif
