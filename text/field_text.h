/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_FIELD_TEXT_H
#define ZED_TEXT_FIELD_TEXT_H

#include "base/outbuf.h"
#include "text/value_names.h"

/*
 * Append the value of field I of EV as zedprint prints it: by its name, if NAMES, those of EV's
 * type, have one (NULL: none has), else bare.  Any byte of it may come from the file: it is not
 * plain yet (base/plain.h).
 */
void field_text(struct outbuf *o, const struct type_names *names, unsigned i,
		const struct event *ev);

#endif
