// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * linux_print: what the numbers in LTTng's events of the kernel mean.  The metadata do not say it,
 * where tracefs has a print format: the letters of a task's state depend on the kernel.
 */
#include "reader/ctf/trace.h"

#include <stdio.h>
#include <string.h>

#define SWITCH(letters, mark) \
	"\"prev_comm=%s prev_tid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_tid=%d " \
	"next_prio=%d\", REC->prev_comm, REC->prev_tid, REC->prev_prio, REC->prev_state & (" mark \
	" - 1) ? __print_flags(REC->prev_state & (" mark " - 1), \"|\", " letters \
	") : \"R\", REC->prev_state & " mark " ? \"+\" : \"\", REC->next_comm, REC->next_tid, " \
	"REC->next_prio"

#define UP_TO_WAKING \
	"{ 1, \"S\" }, { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, " \
	"{ 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }"

/* Vectors; the one of block devices' polling was renamed. */
#define SOFTIRQ(poll) \
	"\"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, { 0, \"HI\" }, " \
	"{ 1, \"TIMER\" }, { 2, \"NET_TX\" }, { 3, \"NET_RX\" }, { 4, \"BLOCK\" }, { 5, \"" poll \
	"\" }, { 6, \"TASKLET\" }, { 7, \"SCHED\" }, { 8, \"HRTIMER\" }, { 9, \"RCU\" })"

struct since {
	unsigned major, minor;
	const char *print;
};

/* By the first release that has them; the last one that is not newer counts. */
static const struct since SWITCHES[] = {
	{ 0, 0, SWITCH(UP_TO_WAKING, "0x200") },
	{ 3, 9, SWITCH(UP_TO_WAKING ", { 512, \"P\" }", "0x400") },
	{ 4, 2, SWITCH(UP_TO_WAKING ", { 512, \"P\" }, { 1024, \"N\" }", "0x800") },
	{ 4, 8,
	  SWITCH(UP_TO_WAKING ", { 512, \"P\" }, { 1024, \"N\" }, { 2048, \"n\" }", "0x1000") },
	{ 4, 14,
	  SWITCH("{ 1, \"S\" }, { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"X\" }, "
		 "{ 32, \"Z\" }, { 64, \"P\" }, { 128, \"I\" }",
		 "0x100") },
};

static const struct since SOFTIRQS[] = {
	{ 0, 0, SOFTIRQ("BLOCK_IOPOLL") },
	{ 4, 5, SOFTIRQ("IRQ_POLL") },
};

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

static const struct {
	const char *system, *name;
	const struct since *prints;
	unsigned n;
} EVENTS[] = {
	{ "sched", "sched_switch", SWITCHES, COUNT(SWITCHES) },
	{ "irq", "softirq_entry", SOFTIRQS, COUNT(SOFTIRQS) },
	{ "irq", "softirq_exit", SOFTIRQS, COUNT(SOFTIRQS) },
	{ "irq", "softirq_raise", SOFTIRQS, COUNT(SOFTIRQS) },
};

static const char *of_release(const struct since *prints, unsigned n, const char *release)
{
	const char *print = "";
	unsigned major, minor;

	if (sscanf(release, "%u.%u", &major, &minor) != 2)
		return print;
	for (unsigned i = 0; i < n; i++)
		if (major > prints[i].major ||
		    (major == prints[i].major && minor >= prints[i].minor))
			print = prints[i].print;
	return print;
}

const char *ctf_linux_print(const char *system, const char *name, const char *release)
{
	for (unsigned i = 0; i < COUNT(EVENTS); i++)
		if (!strcmp(EVENTS[i].name, name) && !strcmp(EVENTS[i].system, system))
			return of_release(EVENTS[i].prints, EVENTS[i].n, release);
	return "";
}
