// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plugin_rules: the handlers of libtraceevent's plugins and the fields that each of them reads from
 * a record without looking at its length.  A handler runs only if its rule is met.
 */
#include "text/plugin_rules.h"

#include "trace/field.h"

#define MAX_TEXT 256 /* bytes of a text field; the kernel's comm has 16 */
#define MAX_CODE 15  /* bytes of an instruction: the limit of kvm_emulate_insn */

/* The fields that a handler reads by name, grouped by what it expects them to be. */
struct plugcheck {
	const char *system, *name;
	const char *numbers; /* an integer of 1, 2, 4 or 8 bytes at a fixed offset */
	const char *strings; /* the same, or a __data_loc that points into the record */
	const char *code;    /* bytes, their number is in field "len" */
};

#define ROLE "role root_count unsync"
#define NESTED "exit_code isa exit_info1 exit_info2 exit_int_info exit_int_info_err"

static const struct plugcheck rules[] = {
	{ "kvm", "kvm_exit", .numbers = "exit_reason isa guest_rip info1 info2" },
	{ "kvm", "kvm_entry", .numbers = "vcpu_id rip" },
	{ "kvm", "kvm_emulate_insn", .numbers = "rip csbase len flags failed", .code = "insn" },
	{ "kvm", "kvm_nested_vmexit", .numbers = "rip " NESTED },
	{ "kvm", "kvm_nested_vmexit_inject", .numbers = NESTED },
	{ "kvmmmu", "kvm_mmu_get_page", .numbers = "created gfn " ROLE },
	{ "kvmmmu", "kvm_mmu_sync_page", .numbers = ROLE },
	{ "kvmmmu", "kvm_mmu_unsync_page", .numbers = ROLE },
	{ "kvmmmu", "kvm_mmu_zap_page", .numbers = ROLE },
	{ "kvmmmu", "kvm_mmu_prepare_zap_page", .numbers = ROLE },
	{ "mac80211", "drv_bss_info_changed", .strings = "wiphy_name vif_name",
	  .numbers = "vif_type assoc aid cts shortpre shortslot dtimper bcnint assoc_cap "
		     "basic_rates enable_beacon ht_operation_mode" },
};

const struct plugcheck *plugcheck_find(const char *system, const char *name)
{
	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(rules[i].system, system) && !strcmp(rules[i].name, name))
			return &rules[i];
	return NULL;
}

/* ---- what a field has to be ---- */

static bool is_number(const struct field *f)
{
	return f->loc == FIELD_AT && !f->dim &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static bool is_text(const struct field *f)
{
	return f->loc == FIELD_AT && f->dim && f->elem == 1 && f->size <= MAX_TEXT;
}

static bool is_string(const struct field *f)
{
	return is_text(f) || (f->loc == FIELD_DATA_LOC && f->size == 4);
}

static bool is_code(const struct field *f)
{
	return is_text(f) && f->size <= MAX_CODE;
}

/* Look up the next word of *P among T's fields (*F NULL: no such field); false: no more words. */
static bool next_field(const char **p, const struct etype *t, const struct field **f)
{
	char name[32];
	size_t n;

	if (!*p)
		return false;
	*p += strspn(*p, " ");
	n = strcspn(*p, " ");
	if (!n || n >= sizeof(name))
		return false;
	memcpy(name, *p, n);
	name[n] = '\0';
	*p += n;
	*f = field_find(t, name);
	return true;
}

static bool all(const char *names, const struct etype *t, bool (*is)(const struct field *))
{
	const struct field *f;

	while (next_field(&names, t, &f))
		if (f && !is(f))
			return false;
	return true;
}

bool plugcheck_type(const struct plugcheck *pc, const struct etype *t)
{
	return all(pc->numbers, t, is_number) && all(pc->strings, t, is_string) &&
	       all(pc->code, t, is_code);
}

/* ---- records ---- */

bool plugcheck_record(const struct plugcheck *pc, const struct event *ev)
{
	const char *names = pc->strings;
	const struct field *f, *len;
	struct span s;

	while (next_field(&names, ev->type, &f))
		if (f && !field_span(f, ev, &s))
			return false;
	names = pc->code;
	while (next_field(&names, ev->type, &f)) {
		uint64_t n;

		len = field_find(ev->type, "len");
		if (!f || !len)
			continue;
		n = field_scalar(len, ev);
		if (!field_span(f, ev, &s) || !n || n > s.len)
			return false;
	}
	return true;
}
