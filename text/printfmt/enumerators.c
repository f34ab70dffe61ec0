// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Enumerators that print formats contain by name.  Only those whose values have not changed since
 * they first appeared there.
 */
#include "text/printfmt/enumerators.h"

#include <string.h>

static const struct {
	const char *name;
	uint64_t value;
} WORDS[] = {
	{ "true", 1 },
	{ "false", 0 },
	{ "NULL", 0 },
	{ "HRTIMER_NORESTART", 0 },
	{ "HRTIMER_RESTART", 1 },
	/* include/linux/interrupt.h; IRQ_POLL had another name from 2.6.32 to 4.4 */
	{ "HI_SOFTIRQ", 0 },
	{ "TIMER_SOFTIRQ", 1 },
	{ "NET_TX_SOFTIRQ", 2 },
	{ "NET_RX_SOFTIRQ", 3 },
	{ "BLOCK_SOFTIRQ", 4 },
	{ "IRQ_POLL_SOFTIRQ", 5 },
	{ "BLOCK_IOPOLL_SOFTIRQ", 5 },
	{ "TASKLET_SOFTIRQ", 6 },
	{ "SCHED_SOFTIRQ", 7 },
	{ "HRTIMER_SOFTIRQ", 8 },
	{ "RCU_SOFTIRQ", 9 },
	/* enum inode_state_flags_enum, by name since Linux 6.18. */
	{ "I_NEW", 1 << 0 },
	{ "I_SYNC", 1 << 1 },
	{ "I_LRU_ISOLATING", 1 << 2 },
	{ "I_DIRTY_SYNC", 1 << 4 },
	{ "I_DIRTY_DATASYNC", 1 << 5 },
	{ "I_DIRTY_PAGES", 1 << 6 },
	{ "I_WILL_FREE", 1 << 7 },
	{ "I_FREEING", 1 << 8 },
	{ "I_CLEAR", 1 << 9 },
	{ "I_REFERENCED", 1 << 10 },
	{ "I_LINKABLE", 1 << 11 },
	{ "I_DIRTY_TIME", 1 << 12 },
	{ "I_WB_SWITCH", 1 << 13 },
	{ "I_OVL_INUSE", 1 << 14 },
	{ "I_CREATING", 1 << 15 },
	{ "I_DONTCACHE", 1 << 16 },
	{ "I_SYNC_QUEUED", 1 << 17 },
	{ "I_PINNING_NETFS_WB", 1 << 18 },
	/* include/uapi/linux/ioprio.h */
	{ "IOPRIO_CLASS_NONE", 0 },
	{ "IOPRIO_CLASS_RT", 1 },
	{ "IOPRIO_CLASS_BE", 2 },
	{ "IOPRIO_CLASS_IDLE", 3 },
	{ "IOPRIO_CLASS_INVALID", 7 },
	/* include/net/tcp_states.h */
	{ "TCP_ESTABLISHED", 1 },
	{ "TCP_SYN_SENT", 2 },
	{ "TCP_SYN_RECV", 3 },
	{ "TCP_FIN_WAIT1", 4 },
	{ "TCP_FIN_WAIT2", 5 },
	{ "TCP_TIME_WAIT", 6 },
	{ "TCP_CLOSE", 7 },
	{ "TCP_CLOSE_WAIT", 8 },
	{ "TCP_LAST_ACK", 9 },
	{ "TCP_LISTEN", 10 },
	{ "TCP_CLOSING", 11 },
	{ "TCP_NEW_SYN_RECV", 12 },
	/* include/linux/mm_types.h: enum vm_fault_reason and enum fault_flag */
	{ "VM_FAULT_OOM", 0x1 },
	{ "VM_FAULT_SIGBUS", 0x2 },
	{ "VM_FAULT_MAJOR", 0x4 },
	{ "VM_FAULT_HWPOISON", 0x10 },
	{ "VM_FAULT_HWPOISON_LARGE", 0x20 },
	{ "VM_FAULT_SIGSEGV", 0x40 },
	{ "VM_FAULT_NOPAGE", 0x100 },
	{ "VM_FAULT_LOCKED", 0x200 },
	{ "VM_FAULT_RETRY", 0x400 },
	{ "VM_FAULT_FALLBACK", 0x800 },
	{ "VM_FAULT_DONE_COW", 0x1000 },
	{ "VM_FAULT_NEEDDSYNC", 0x2000 },
	{ "VM_FAULT_COMPLETED", 0x4000 },
	{ "FAULT_FLAG_WRITE", 1 << 0 },
	{ "FAULT_FLAG_MKWRITE", 1 << 1 },
	{ "FAULT_FLAG_ALLOW_RETRY", 1 << 2 },
	{ "FAULT_FLAG_RETRY_NOWAIT", 1 << 3 },
	{ "FAULT_FLAG_KILLABLE", 1 << 4 },
	{ "FAULT_FLAG_TRIED", 1 << 5 },
	{ "FAULT_FLAG_USER", 1 << 6 },
	{ "FAULT_FLAG_REMOTE", 1 << 7 },
	{ "FAULT_FLAG_INSTRUCTION", 1 << 8 },
	{ "FAULT_FLAG_INTERRUPTIBLE", 1 << 9 },
	{ "FAULT_FLAG_VMA_LOCK", 1 << 12 },
	/* include/linux/pm_qos.h */
	{ "PM_QOS_ADD_REQ", 0 },
	{ "PM_QOS_UPDATE_REQ", 1 },
	{ "PM_QOS_REMOVE_REQ", 2 },
};

/* HRTIMER_MODE_ABS_PINNED_HARD: the sum of its parts. */
static bool hrtimer_mode(const char *word, uint64_t *v)
{
	static const struct {
		const char *name;
		unsigned value;
	} parts[] = { { "ABS", 0 }, { "REL", 1 }, { "PINNED", 2 }, { "SOFT", 4 }, { "HARD", 8 } };

	if (strncmp(word, "HRTIMER_MODE", 12) || !word[12])
		return false;
	*v = 0;
	for (word += 12; *word == '_';) {
		size_t n = strcspn(++word, "_");
		unsigned i = 0;

		while (i < 5 && (strlen(parts[i].name) != n || memcmp(parts[i].name, word, n)))
			i++;
		if (i == 5)
			return false;
		*v |= parts[i].value;
		word += n;
	}
	return !*word;
}

bool enumerator_value(const char *word, uint64_t *v)
{
	for (unsigned i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
		if (!strcmp(word, WORDS[i].name)) {
			*v = WORDS[i].value;
			return true;
		}
	}
	return hrtimer_mode(word, v);
}
