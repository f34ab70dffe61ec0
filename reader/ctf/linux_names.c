// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * linux_names: the events of LTTng's kernel tracer under the names that tracefs has for them.
 * LTTng puts the system before an event's name, unless that begins so: irq_softirq_entry is
 * irq::softirq_entry, sched_switch is sched::sched_switch.  Before version 2.7 it did so with few.
 */
#include "reader/ctf/trace.h"

#include <stdio.h>
#include <string.h>

/* LTTng's prefix, the system, and what stands in tracefs in place of the prefix.  First match. */
static const struct {
	const char *prefix, *system, *own;
} NAMES[] = {
	{ "syscall_entry_", "syscalls", "sys_enter_" },
	{ "syscall_exit_", "syscalls", "sys_exit_" },
	/* Before LTTng 2.6 */
	{ "sys_", "syscalls", "sys_enter_" },
	{ "exit_syscall", "syscalls", "sys_exit" },
	{ "sched_", "sched", "sched_" },
	{ "irq_handler_", "irq", "irq_handler_" },
	{ "irq_", "irq", "" },
	{ "timer_hrtimer_", "timer", "hrtimer_" },
	{ "timer_itimer_", "timer", "itimer_" },
	{ "timer_", "timer", "timer_" },
	{ "kmem_cache_", "kmem", "kmem_cache_" },
	{ "kmem_", "kmem", "" },
	{ "power_", "power", "" },
	{ "rcu_", "rcu", "rcu_" },
	{ "block_", "block", "block_" },
	{ "writeback_global_", "writeback", "global_" },
	{ "writeback_", "writeback", "writeback_" },
	{ "net_if_", "net", "netif_" },
	{ "net_", "net", "net_" },
	{ "napi_", "napi", "napi_" },
	{ "skb_kfree", "skb", "kfree_skb" },
	{ "skb_consume", "skb", "consume_skb" },
	{ "skb_", "skb", "skb_" },
	{ "sock_", "sock", "sock_" },
	{ "udp_", "udp", "udp_" },
	{ "signal_", "signal", "signal_" },
	{ "workqueue_", "workqueue", "workqueue_" },
	{ "module_", "module", "module_" },
	{ "x86_exceptions_", "exceptions", "" },
	{ "x86_irq_vectors_", "irq_vectors", "" },
	{ "mm_vmscan_", "vmscan", "mm_vmscan_" },
	{ "mm_compaction_", "compaction", "mm_compaction_" },
	{ "printk_", "printk", "" },
	{ "random_", "random", "" },
	{ "kvm_x86_", "kvm", "kvm_" },
	{ "kvm_", "kvm", "kvm_" },
	{ "scsi_", "scsi", "scsi_" },
	{ "jbd2_", "jbd2", "jbd2_" },
	{ "ext4_", "ext4", "ext4_" },
	{ "btrfs_", "btrfs", "btrfs_" },
	{ "rpc_", "sunrpc", "rpc_" },
	{ "svc_", "sunrpc", "svc_" },
	{ "regulator_", "regulator", "regulator_" },
	{ "gpio_", "gpio", "gpio_" },
	{ "i2c_", "i2c", "i2c_" },
	{ "rpm_", "rpm", "rpm_" },
	/* Before LTTng 2.7: without their system */
	{ "softirq_", "irq", "softirq_" },
	{ "hrtimer_", "timer", "hrtimer_" },
	{ "itimer_", "timer", "itimer_" },
	{ "cpu_idle", "power", "cpu_idle" },
	{ "cpu_frequency", "power", "cpu_frequency" },
	{ "kmalloc", "kmem", "kmalloc" },
	{ "kfree_skb", "skb", "kfree_skb" },
	{ "kfree", "kmem", "kfree" },
	{ "mm_page_", "kmem", "mm_page_" },
	{ "netif_", "net", "netif_" },
	{ "consume_skb", "skb", "consume_skb" },
	{ "console", "printk", "console" },
};

void ctf_linux_name(const char *name, char *system, size_t system_size, char *own, size_t own_size)
{
	for (unsigned i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
		size_t n = strlen(NAMES[i].prefix);

		if (strncmp(name, NAMES[i].prefix, n) != 0)
			continue;
		snprintf(system, system_size, "%s", NAMES[i].system);
		snprintf(own, own_size, "%s%s", NAMES[i].own, name + n);
		return;
	}
	snprintf(system, system_size, "lttng");
	snprintf(own, own_size, "%s", name);
}
