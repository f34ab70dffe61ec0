// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * C's integer types and the kernel's names for them: the type of a name, of a literal, and of an
 * operator's result.
 */
#include "base/ctype.h"

#include <ctype.h>
#include <string.h>

static const struct ctype INT_TYPE = { .size = 4, .is_signed = true };

/* Types of one word whose size does not depend on the machine. */
static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} NAMED[] = {
	{ "u8", 1, false },
	{ "u16", 2, false },
	{ "u32", 4, false },
	{ "u64", 8, false },
	{ "s8", 1, true },
	{ "s16", 2, true },
	{ "s32", 4, true },
	{ "s64", 8, true },
	{ "uint8_t", 1, false },
	{ "uint16_t", 2, false },
	{ "uint32_t", 4, false },
	{ "uint64_t", 8, false },
	{ "int8_t", 1, true },
	{ "int16_t", 2, true },
	{ "int32_t", 4, true },
	{ "int64_t", 8, true },
	{ "be16", 2, false },
	{ "be32", 4, false },
	{ "be64", 8, false },
	{ "le16", 2, false },
	{ "le32", 4, false },
	{ "le64", 8, false },
	{ "bool", 1, false },
	{ "gfp_t", 4, false },
	{ "dev_t", 4, false },
	{ "sector_t", 8, false },
	{ "blkcnt_t", 8, false },
	{ "loff_t", 8, true },
	{ "ktime_t", 8, true },
	{ "pid_t", 4, true },
	{ "uid_t", 4, false },
	{ "gid_t", 4, false },
	{ "umode_t", 2, false },
	{ "fmode_t", 4, false },
	{ "dma_addr_t", 8, false },
	{ "phys_addr_t", 8, false },
	{ "resource_size_t", 8, false },
	{ "blk_opf_t", 4, false },
	{ "vm_fault_t", 4, false },
	{ "fsblkcnt_t", 8, false },
	{ "gfn_t", 8, false },
	{ "gpa_t", 8, false },
	{ "time64_t", 8, true },
	{ "xfs_ino_t", 8, false },
	{ "xfs_fsblock_t", 8, false },
	{ "void", 1, false },
};

bool ctype_of_name(const char *w, size_t len, unsigned long_size, struct ctype *t)
{
	static const char *const longs[] = { "size_t",	"uintptr_t", "pgoff_t",	  "ino_t",
					     "ssize_t", "intptr_t",  "ptrdiff_t", "off_t" };

	if (len > 2 && !memcmp(w, "__", 2)) {
		w += 2;
		len -= 2;
	}
	for (unsigned i = 0; i < sizeof(NAMED) / sizeof(NAMED[0]); i++) {
		if (strlen(NAMED[i].name) != len || memcmp(w, NAMED[i].name, len))
			continue;
		*t = (struct ctype){ .size = NAMED[i].size, .is_signed = NAMED[i].is_signed };
		return true;
	}
	for (unsigned i = 0; i < sizeof(longs) / sizeof(longs[0]); i++) {
		if (strlen(longs[i]) != len || memcmp(w, longs[i], len))
			continue;
		*t = (struct ctype){ .size = long_size, .is_signed = i >= 4 };
		return true;
	}
	return false;
}

struct ctype ctype_of_words(const char *words, unsigned long_size, bool *known, bool *pointer)
{
	struct ctype t = INT_TYPE;
	unsigned longs = 0;

	*known = *pointer = false;
	while (*words) {
		size_t n = strcspn(words, " ");
		char w[64];

		if (n >= sizeof(w))
			break;
		memcpy(w, words, n);
		w[n] = '\0';
		words += n + strspn(words + n, " ");
		if (!strcmp(w, "*")) {
			*pointer = true;
			break;
		}
		if (!strcmp(w, "struct") || !strcmp(w, "union") || !strcmp(w, "enum")) {
			/* An enum is an unsigned int; the others are only used by address. */
			*known = *w == 'e';
			t = (struct ctype){ .size = 4 };
			words += strcspn(words, " ");
			words += strspn(words, " ");
		} else if (!strcmp(w, "unsigned") || !strcmp(w, "signed")) {
			t.is_signed = *w == 's';
			*known = true;
		} else if (!strcmp(w, "long")) {
			t.size = longs++ ? 8 : long_size;
			*known = true;
		} else if (!strcmp(w, "short") || !strcmp(w, "char")) {
			t.size = *w == 'c' ? 1 : 2;
			*known = true;
		} else if (!strcmp(w, "int")) {
			*known = true;
		} else if (strcmp(w, "const") && strcmp(w, "__force") && strcmp(w, "__user")) {
			*known = ctype_of_name(w, n, long_size, &t);
			if (!*known)
				t = INT_TYPE;
		}
	}
	return t;
}

struct ctype ctype_of_number(const char *digits, uint64_t value, unsigned long_size)
{
	bool is_unsigned = false, hex = digits[0] == '0' && digits[1];
	unsigned longs = 0;
	struct ctype t;

	for (const char *end = digits + strlen(digits); end > digits; end--) {
		char c = end[-1];

		if (c == 'u' || c == 'U')
			is_unsigned = true;
		else if (c == 'l' || c == 'L')
			longs++;
		else
			break;
	}
	t.bytes = false;
	t.size = longs > 1 ? 8 : longs ? long_size : 4;
	t.is_signed = !is_unsigned;
	if (t.size == 4 && value > UINT32_MAX)
		t.size = 8;
	if (t.is_signed && value > (t.size == 4 ? (uint64_t)INT32_MAX : (uint64_t)INT64_MAX)) {
		if (t.size == 4 && !hex)
			t.size = 8;
		else
			t.is_signed = false;
	}
	return t;
}

struct ctype ctype_promoted(struct ctype t)
{
	return t.bytes ? t : t.size < 4 ? INT_TYPE : t;
}

struct ctype ctype_common(struct ctype t, struct ctype u)
{
	t = ctype_promoted(t);
	u = ctype_promoted(u);
	if (t.size != u.size)
		return t.size > u.size ? t : u;
	t.is_signed &= u.is_signed;
	return t;
}
