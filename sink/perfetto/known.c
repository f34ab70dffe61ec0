// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * known: the kernel's events that Perfetto has messages for, and the texts in trace_marker that it
 * reads.
 */
#include "sink/perfetto/perfetto_priv.h"

#include "base/ascii.h"

#include <stdlib.h>
#include <string.h>

#define WAKING "comm=1 pid=2 prio=3 success=4 target_cpu=5"
#define TASK "comm=1 pid=2 prio=3"
#define BIO "dev=1 sector=2 nr_sector=3 rwbs=4 comm=5"
#define RQ "dev=1 sector=2 nr_sector=3 bytes=4 rwbs=5 comm=6 cmd=7"
#define RQ_DONE "dev=1 sector=2 nr_sector=3 errors=4 rwbs=5 cmd=6 error=7"

static const struct known_event known[] = {
	{ "ftrace", "print", 3, "ip=1 buf=2" },
	{ "sched", "sched_switch", 4,
	  "prev_comm=1 prev_pid=2 prev_prio=3 prev_state=4 next_comm=5 next_pid=6 next_prio=7" },
	{ "sched", "sched_wakeup", 17, WAKING },
	{ "sched", "sched_waking", 20, WAKING },
	{ "sched", "sched_wakeup_new", 114, WAKING },
	{ "sched", "sched_blocked_reason", 18, "pid=1 caller=2:s io_wait=3" },
	{ "sched", "sched_process_exec", 237, "filename=1 pid=2 old_pid=3" },
	{ "sched", "sched_process_exit", 238, "comm=1 pid=2 tgid=3 prio=4" },
	{ "sched", "sched_process_fork", 239,
	  "parent_comm=1 parent_pid=2 child_comm=3 child_pid=4" },
	{ "sched", "sched_process_free", 240, TASK },
	{ "sched", "sched_process_wait", 242, TASK },
	{ "task", "task_newtask", 235, "pid=1 comm=2 clone_flags=3 oom_score_adj=4" },
	{ "task", "task_rename", 236, "pid=1 oldcomm=2 newcomm=3 oom_score_adj=4" },
	{ "irq", "irq_handler_entry", 36, "irq=1 name=2 handler=3" },
	{ "irq", "irq_handler_exit", 37, "irq=1 ret=2" },
	{ "irq", "softirq_entry", 24, "vec=1" },
	{ "irq", "softirq_exit", 25, "vec=1" },
	{ "irq", "softirq_raise", 26, "vec=1" },
	{ "power", "cpu_frequency", 11, "state=1 cpu_id=2" },
	{ "power", "cpu_idle", 13, "state=1 cpu_id=2" },
	{ "raw_syscalls", "sys_enter", 329, "id=1 args=2" },
	{ "raw_syscalls", "sys_exit", 330, "id=1 ret=2" },
	{ "workqueue", "workqueue_activate_work", 56, "work=1 function=2:s" },
	{ "workqueue", "workqueue_execute_end", 57, "work=1 function=2:s" },
	{ "workqueue", "workqueue_execute_start", 58, "work=1 function=2:s" },
	{ "workqueue", "workqueue_queue_work", 59,
	  "work=1 function=2:s workqueue=6 req_cpu=4 cpu=5" },
	{ "block", "block_rq_issue", 45, RQ },
	{ "block", "block_rq_insert", 126, RQ },
	{ "block", "block_rq_complete", 125, RQ_DONE },
	{ "block", "block_rq_requeue", 129, RQ_DONE },
	{ "block", "block_bio_queue", 119, BIO },
	{ "block", "block_bio_backmerge", 115, BIO },
	{ "block", "block_bio_frontmerge", 118, BIO },
	{ "block", "block_getrq", 122, BIO },
	{ "signal", "signal_deliver", 324, "code=1 sa_flags=2 sig=3" },
	{ "signal", "signal_generate", 325, "code=1 comm=2 group=3 pid=4 result=5 sig=6" },
	{ "vmscan", "mm_vmscan_direct_reclaim_begin", 46, "order=1 may_writepage=2 gfp_flags=3" },
	{ "vmscan", "mm_vmscan_direct_reclaim_end", 47, "nr_reclaimed=1" },
	{ "vmscan", "mm_vmscan_kswapd_wake", 48, "nid=1 order=2 zid=3" },
	{ "kmem", "mm_page_alloc", 307, "gfp_flags=1 migratetype=2 order=3 page=4 pfn=5" },
	{ "kmem", "mm_page_free", 310, "order=1 page=2 pfn=3" },
};

const struct known_event *known_find(const char *system, const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, name) && !strcmp(known[i].system, system))
			return &known[i];
	return NULL;
}

unsigned known_field(const struct known_event *k, const char *name, int *symbol)
{
	size_t len = strlen(name);

	for (const char *p = k->fields; p; p = strchr(p, ' ')) {
		char *end;
		unsigned long n;

		p += *p == ' ';
		if (strncmp(p, name, len) || p[len] != '=')
			continue;
		n = strtoul(p + len + 1, &end, 10);
		*symbol = !strncmp(end, ":s", 2);
		return (unsigned)n;
	}
	return 0;
}

/* Digits from *P on, and a '|' after them. */
static int number(const char **p, const char *end)
{
	const char *from = *p;

	while (*p < end && **p >= '0' && **p <= '9')
		++*p;
	return *p > from && *p < end && *(*p)++ == '|';
}

/* Text up to a '|', which is skipped. */
static int name(const char **p, const char *end)
{
	const char *bar = memchr(*p, '|', (size_t)(end - *p));

	if (!bar || bar == *p)
		return 0;
	*p = bar + 1;
	return 1;
}

static int integer(const char *p, const char *end)
{
	p += p < end && *p == '-';
	if (p == end)
		return 0;
	while (p < end && ascii_digit(*p))
		p++;
	return p == end;
}

int known_is_atrace(const char *text, size_t len)
{
	const char *p = text + 2, *end;

	len = strnlen(text, len);
	while (len && text[len - 1] == '\n')
		len--;
	end = text + len;
	if (len == 1)
		return *text == 'E';
	if (len < 2 || text[1] != '|')
		return 0;
	switch (*text) {
	case 'E':
		return p == end || integer(p, end);
	case 'B':
		return number(&p, end) && p < end;
	case 'C': /* a counter's value, and the cookie of an asynchronous slice */
	case 'S':
	case 'F':
		return number(&p, end) && name(&p, end) && integer(p, end);
	}
	return 0;
}
