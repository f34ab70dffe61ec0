/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_JSON_TREE_H
#define ZED_BASE_JSON_TREE_H

#include "base/err.h"
#include "base/mem.h"

/*
 * JSON (RFC 8259) as a tree.  The text is hostile: depth and the number of values have limits, and
 * a value takes memory only once its bytes were seen.  Whole numbers of 64 bits keep all of them.
 *
 * Not a library's: json-c takes some 800 bytes for each "{}", and cJSON makes doubles of numbers.
 */
#define JSON_TREE_DEPTH 128
#define JSON_TREE_VALUES (1u << 20)
#define JSON_STRICT_DEPTH 32	/* json_tree_parse_strict(): as JSON_TREE_DEPTH */
#define JSON_STRICT_MEMBERS 256 /* of an object: each key is compared with those before it */

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_UINT,
	JSON_NEGATIVE, /* less than 0, in two's complement */
	JSON_REAL,     /* any other number */
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_value {
	struct json_value *next;  /* the one after it in its array or object */
	struct json_value *first; /* JSON_ARRAY, JSON_OBJECT: of n */
	const char *key;	  /* in an object; else NULL */
	const char *text;	  /* JSON_STRING: UTF-8; numbers: as they are written */
	uint64_t number;	  /* JSON_UINT, JSON_NEGATIVE; JSON_BOOL: 0 or 1 */
	uint32_t n;
	uint8_t kind; /* enum json_kind */
};

/*
 * Parse the LEN bytes at TEXT, which must be one value.  All of the tree is from A, and none of it
 * refers to TEXT.  Texts end with a NUL, so a \u0000 in one becomes U+FFFD, as does half of a
 * surrogate pair.  -1 with E (off: bytes from TEXT).
 */
int json_tree_parse(struct json_value *to, struct arena *a, const char *text, size_t len,
		    struct err *e);

/*
 * The same for messages of a peer, who is told what is wrong instead of being read as well as
 * possible: -1 also for a key that an object has twice, for \u0000, half of a surrogate pair and
 * bytes that are not UTF-8, and for more than the strict limits.
 */
int json_tree_parse_strict(struct json_value *to, struct arena *a, const char *text, size_t len,
			   struct err *e);

/* The member KEY of V, or NULL: there is none, or V is NULL or not an object. */
const struct json_value *json_member(const struct json_value *v, const char *key);

/* The text of the member KEY of V, or NULL: there is none, or it is not a string. */
const char *json_member_text(const struct json_value *v, const char *key);

#endif
