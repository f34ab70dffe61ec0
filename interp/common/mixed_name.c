/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mixed_name: a name that means a field of some events, and what the record says in others.
 */
#include "interp/common/mixed_name.h"

#include "trace/pseudo.h"

#include <stdio.h>
#include <string.h>

static bool can_mix(const char *name)
{
	return !strcmp(name, "pid") || !strcmp(name, "comm") || !strcmp(name, "cpu");
}

void mixed_name_take(struct mixed_name *m, const struct etype *t)
{
	size_t at = strlen(m->list);

	if (!can_mix(m->name))
		return;
	m->all++;
	if (!pseudo_meaning(t, m->name, PSEUDO_ALL).field)
		return;
	if (m->own++ < MIXED_LISTED)
		snprintf(m->list + at, sizeof(m->list) - at, "%s%.64s:%.64s", at ? ", " : "",
			 t->system, t->name);
}

bool mixed_name_text(const struct mixed_name *m, char *buf, size_t size)
{
	if (!m->own || m->own == m->all)
		return false;
	snprintf(
		buf, size,
		"%u of %u events %s a field '%s' of %s own (%s%s), in the others it is that of the "
		"record, as common_%s is in all",
		m->own, m->all, m->own == 1 ? "has" : "have", m->name,
		m->own == 1 ? "its" : "their", m->list, m->own > MIXED_LISTED ? " ..." : "",
		m->name);
	return true;
}
