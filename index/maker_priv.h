/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INDEX_MAKER_PRIV_H
#define ZED_INDEX_MAKER_PRIV_H

#include "analysis/timeline/timeline.h"
#include "index/index_priv.h"

/* What maker.c collects while it reads an input, and made.c writes. */

#define TASK_FIRST (TASK_OTHER + 1)

struct made_stream {
	const struct origin *from;
	struct index_place *v;
	size_t n, cap;
	uint64_t next, stride; /* where the next place may be, bytes of the input; and so on */
	unsigned number;
};

struct index_maker {
	struct sink sink; /* must be first */
	struct pump pump;
	struct notes notes; /* of what was read: counted */
	uint64_t said;
	const struct trace_index_opts *o;
	struct source *source;
	uint64_t size, budget, stride; /* bytes */
	struct stable *stable;
	struct timeline *timeline;
	struct task_shares *shares;
	struct name_log *names;
	struct made_stream *streams, **by_origin, *recent;
	unsigned nstreams;
	uint64_t *types; /* events by etype.idx */
	size_t ntypes;
	struct index_cpu *cpus; /* by the number of a CPU */
	size_t ncpus;
	struct index_loss *losses;
	size_t nlosses, cap_losses;
	uint64_t *known; /* by number of the task: when it was met */
	size_t nknown, cap_known;
	struct index_check *checks;
	size_t nchecks, cap_checks;
	struct index_state *states;
	size_t nstates, cap_states;
	uint64_t step, until; /* events between two checkpoints, and up to the next */
};

/* made.c: all has been read; write it, with H, whose key is filled in, to T. */
void made_write(struct index_maker *k, struct checked_file *t, struct index_head *h);

#endif
