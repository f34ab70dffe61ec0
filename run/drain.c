// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drain: a whole run, for a sink that takes every event.
 */
#include "run/drain.h"

static enum verdict give(struct pump *p, enum next got, const struct item *it, struct sink *to,
			 struct err *e)
{
	const struct sink_ops *ops = to->ops;

	switch (got) {
	case NEXT_EVENT:
		return ops->event(to, it->ev, e);
	case NEXT_BEYOND:
		if (!it->counts && it->ev->lost && ops->lost_beyond)
			ops->lost_beyond(to, it->ev);
		if (!it->counts)
			return SINK_MORE;
		/* fallthrough */
	case NEXT_LOST:
		return ops->lost ? ops->lost(to, it->ev, e) : SINK_MORE;
	case NEXT_IDLE:
		return ops->idle ? ops->idle(to, e) : SINK_MORE;
	case NEXT_SOURCE:
		if (!ops->more || !ops->more(to))
			pump_refuse(p);
		return SINK_MORE;
	default:
		return SINK_MORE;
	}
}

/* Until something ends the run. */
static enum run_end give_all(struct pump *p, struct stage *from, struct sink *to, struct err *e)
{
	enum verdict v = SINK_MORE;
	struct item it;

	while (v == SINK_MORE) {
		enum next got = stage_next(from, &it, e);

		if (got == NEXT_END)
			return it.end;
		if (got == NEXT_FAILED)
			return RUN_FAILED;
		v = give(p, got, &it, to, e);
	}
	return v == SINK_STOP ? RUN_STOPPED : RUN_FAILED;
}

enum run_end run_into(struct pump *p, struct stage *from, struct sink *to, struct err *e)
{
	enum run_end end = RUN_STOPPED;
	enum verdict v = SINK_MORE;
	struct err last;

	if (to->ops->begin)
		v = to->ops->begin(to, &p->run, e);
	if (v == SINK_MORE) {
		end = give_all(p, from, to, e);
		stage_leave(from);
	} else if (v == SINK_ERR) {
		end = RUN_FAILED;
	}
	if (to->ops->end && to->ops->end(to, &last) == SINK_ERR && end != RUN_FAILED) {
		*e = last;
		end = RUN_FAILED;
	}
	return end;
}
