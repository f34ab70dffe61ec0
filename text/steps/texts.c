// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel functions that print formats call for a text: the parameters of a SCSI command
 * (scsi_trace_parse_cdb(): block commands, SBC-4), and the name of a Xen hypercall.
 */
#include "text/steps/steps_priv.h"

#define CDB_MAX 32 /* bytes of a command that are decoded */

/* N bytes at OFF, big endian as all numbers of SCSI are. */
static uint64_t at(const uint8_t *cdb, unsigned off, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v = v << 8 | cdb[off + i];
	return v;
}

static void field(struct outbuf *o, const char *name, uint64_t v)
{
	out_str(o, name);
	out_u64(o, v);
}

/* A command that reads, writes or verifies blocks: FLAGS are those of its protection. */
static void blocks(struct outbuf *o, uint64_t lba, uint64_t len, uint8_t flags, bool same)
{
	field(o, "lba=", lba);
	field(o, " txlen=", len);
	field(o, " protect=", flags >> 5);
	if (same)
		field(o, " unmap=", flags >> 3 & 1);
}

/* Service actions of 32 bytes. */
static void long_command(struct outbuf *o, const uint8_t *cdb)
{
	static const char *const names[] = {
		[0x09] = "READ", [0x0a] = "VERIFY", [0x0b] = "WRITE", [0x0d] = "WRITE_SAME"
	};
	uint64_t action = at(cdb, 8, 2);

	if (action >= sizeof(names) / sizeof(names[0]) || !names[action]) {
		out_char(o, '-');
		return;
	}
	out_str(o, names[action]);
	field(o, "_32 lba=", at(cdb, 12, 8));
	field(o, " txlen=", at(cdb, 28, 4));
	field(o, " protect=", cdb[10] >> 5);
	field(o, " ei_lbrt=", at(cdb, 20, 4));
	if (action == 0x0d)
		field(o, " unmap=", cdb[10] >> 3 & 1);
}

static void service_action(struct outbuf *o, const uint8_t *cdb)
{
	unsigned action = cdb[1] & 0x1f;

	if (action != 0x10 && action != 0x12) {
		out_str(o, "UNKNOWN");
		return;
	}
	out_str(o, action == 0x10 ? "READ_CAPACITY_16" : "GET_LBA_STATUS");
	field(o, " lba=", at(cdb, 2, 8));
	field(o, " alloc_len=", at(cdb, 10, 4));
}

void text_cdb(struct outbuf *o, struct span bytes)
{
	uint8_t cdb[CDB_MAX] = { 0 };

	memcpy(cdb, bytes.p, bytes.len < CDB_MAX ? bytes.len : CDB_MAX);
	switch (cdb[0]) {
	case 0x08: /* READ_6, WRITE_6 */
	case 0x0a:
		field(o, "lba=", at(cdb, 1, 3) & 0x1fffff);
		field(o, " txlen=", cdb[4] ? cdb[4] : 256);
		break;
	case 0x28: /* READ_10, WRITE_10, VERIFY, WRITE_SAME */
	case 0x2a:
	case 0x2f:
	case 0x41:
		blocks(o, at(cdb, 2, 4), at(cdb, 7, 2), cdb[1], cdb[0] == 0x41);
		break;
	case 0xa8: /* READ_12, WRITE_12, VERIFY_12 */
	case 0xaa:
	case 0xaf:
		blocks(o, at(cdb, 2, 4), at(cdb, 6, 4), cdb[1], false);
		break;
	case 0x88: /* READ_16, WRITE_16, VERIFY_16, WRITE_SAME_16 */
	case 0x8a:
	case 0x8f:
	case 0x93:
		blocks(o, at(cdb, 2, 8), at(cdb, 10, 4), cdb[1], cdb[0] == 0x93);
		break;
	case 0x42: /* UNMAP */
		field(o, "regions=", at(cdb, 7, 2) < 8 ? 0 : (at(cdb, 7, 2) - 8) / 16);
		break;
	case 0x9e:
		service_action(o, cdb);
		break;
	case 0x7f:
		long_command(o, cdb);
		break;
	default:
		out_char(o, '-');
	}
}

void text_hypercall(struct outbuf *o, uint64_t op)
{
	/* xen/include/public/xen.h: __HYPERVISOR_*, by number */
	static const char *const names[] = {
		"set_trap_table",
		"mmu_update",
		"set_gdt",
		"stack_switch",
		"set_callbacks",
		"fpu_taskswitch",
		"sched_op_compat",
		"dom0_op",
		"set_debugreg",
		"get_debugreg",
		"update_descriptor",
		NULL,
		"memory_op",
		"multicall",
		"update_va_mapping",
		"set_timer_op",
		"event_channel_op_compat",
		"xen_version",
		"console_io",
		"physdev_op_compat",
		"grant_table_op",
		"vm_assist",
		"update_va_mapping_otherdomain",
		"iret",
		"vcpu_op",
		"set_segment_base",
		"mmuext_op",
		"acm_op",
		"nmi_op",
		"sched_op",
		"callback_op",
		"xenoprof_op",
		"event_channel_op",
		"physdev_op",
		"hvm_op",
		[48] = "arch_0",
		"arch_1",
		"arch_2",
		"arch_3",
		"arch_4",
		"arch_5",
		"arch_6",
		"arch_7",
	};

	if (op >= sizeof(names) / sizeof(names[0]) || !names[op])
		return;
	out_char(o, '(');
	out_str(o, names[op]);
	out_char(o, ')');
}
