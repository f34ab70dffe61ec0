/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_VERSION_H
#define ZED_READER_TEXT_VERSION_H

struct tep_plugin_list;

/* Which libtraceevent is at hand; text_version() in text.h says it to users. */

/* What it does not know: PF_LACKS_* (printfmt/tree.h).  Found by having it print something. */
unsigned textlib_lacks(void);

/* How many plugins are in LIST. */
unsigned textlib_plugins(struct tep_plugin_list *list);

#endif
