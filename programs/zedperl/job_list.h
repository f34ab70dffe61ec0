/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_JOB_LIST_H
#define ZED_PROGRAMS_ZEDPERL_JOB_LIST_H

#include "programs/zedperl/zedperl.h"

/* The line of a script that may be run on parts of a trace's time. */
#define JOB_LIST_TIMELESS "# zedperl: keeps no state over time"
/* The line of one that follows states, and cuts its answer to the time that is asked for. */
#define JOB_LIST_ANSWERS "# zedperl: answers for parts of the time"

/* The traces of zedperl -j, and how some of them are passed to a process. */
struct job_trace {
	char *path;
	uint64_t size, hash; /* hash of the path, its size and time */
	bool alone;	     /* not a file: its times are known only after reading it */
	bool once;	     /* it can be read once: a FIFO */
	bool again;	     /* same as an earlier one */
};

struct job_list {
	struct job_trace *v;
	unsigned n;
	size_t cap;
	unsigned most;	  /* traces of one process */
	unsigned parts;	  /* parts of the single trace's time, a process each; 0: the whole */
	uint64_t options; /* a hash of the script and all options */
};

/* All traces that Z names, each once unless --each was given.  False: the error was reported. */
bool job_list_read(struct job_list *l, struct cli *c, struct zedperl *z);

/* How many of them, from FIRST on, one process gets. */
unsigned job_list_part(const struct job_list *l, const struct zedperl *z, unsigned first);

/*
 * The command line of a process for N of them; job_list_output(): its state goes to OUT;
 * job_list_part_word(): it is for the part PART, "2/7".
 */
const char **job_list_words(const struct job_list *l, const struct cli *c, const struct zedperl *z,
			    unsigned first, unsigned n);
const char **job_list_output(const char **words, const char *out);
const char **job_list_part_word(const char **words, const char *part);

/* Make the folder for the states (z->fleet.folder).  False: that failed, and was reported. */
bool job_list_folder(struct cli *c, struct zedperl *z);

/* --part: what Z's script declares, into Z->running.timeless and .answers. */
void job_list_look(struct zedperl *z);

void job_list_fini(struct job_list *l);

#endif
