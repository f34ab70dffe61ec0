// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forward: what a sink that stands before another gives on to it.
 */
#include "reader/model/forward.h"

enum verdict forward_begin(struct sink *s, const struct run_info *run, struct err *e)
{
	struct sink *to = ((struct forward *)s)->to;

	return to->ops->begin ? to->ops->begin(to, run, e) : SINK_MORE;
}

enum verdict forward_lost(struct sink *s, const struct event *ev, struct err *e)
{
	struct sink *to = ((struct forward *)s)->to;

	return to->ops->lost ? to->ops->lost(to, ev, e) : SINK_MORE;
}

enum verdict forward_beyond(struct sink *s, const struct event *ev, bool follow, bool counts,
			    struct err *e)
{
	struct sink *to = ((struct forward *)s)->to;

	if (to->ops->beyond)
		return to->ops->beyond(to, ev, follow, counts, e);
	return ev->lost && counts && to->ops->lost ? to->ops->lost(to, ev, e) : SINK_MORE;
}

enum verdict forward_idle(struct sink *s, struct err *e)
{
	struct sink *to = ((struct forward *)s)->to;

	return to->ops->idle ? to->ops->idle(to, e) : SINK_MORE;
}

bool forward_more(struct sink *s)
{
	struct sink *to = ((struct forward *)s)->to;

	return to->ops->more && to->ops->more(to);
}

enum verdict forward_end(struct sink *s, struct err *e)
{
	struct sink *to = ((struct forward *)s)->to;

	return to->ops->end ? to->ops->end(to, e) : SINK_MORE;
}
