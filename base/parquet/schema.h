/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_SCHEMA_H
#define ZED_BASE_PARQUET_SCHEMA_H

#include "base/parquet/thrift.h"

/* Columns, and how the footer describes them (parquet.thrift, LogicalTypes.md). */
enum parquet_type {
	PARQUET_I8,
	PARQUET_I16,
	PARQUET_I32,
	PARQUET_I64,
	PARQUET_U8,
	PARQUET_U16,
	PARQUET_U32,
	PARQUET_U64,
	PARQUET_FLOAT,
	PARQUET_DOUBLE,
	PARQUET_TIME,	/* ns since 1970, without a time zone */
	PARQUET_TEXT,	/* UTF-8 */
	PARQUET_JSON,	/* UTF-8: one JSON value */
	PARQUET_BINARY, /* any bytes */
	PARQUET_TYPES,
};

/* The format's physical types. */
enum parquet_physical {
	PHYSICAL_INT32 = 1,
	PHYSICAL_INT64 = 2,
	PHYSICAL_FLOAT = 4,
	PHYSICAL_DOUBLE = 5,
	PHYSICAL_BYTES = 6,
};

struct parquet_column {
	const char *name;
	enum parquet_type type;
	bool list;     /* a list of such values, none of them null */
	bool optional; /* it may be null; lists always may */
	bool spread;   /* values seldom repeat: times, counters */
};

/* The properties of a type. */
struct parquet_traits {
	const char *name; /* "int8": the name in scripts */
	enum parquet_physical physical;
	int converted; /* ConvertedType; -1: there is none */
	uint8_t size;  /* bytes of a number in PLAIN: 4 or 8; 0: byte array */
	bool is_signed;
	bool is_float;
};

/* TYPE is below PARQUET_TYPES. */
const struct parquet_traits *parquet_traits(enum parquet_type type);

/* The type called NAME ("uint32"); PARQUET_TYPES: unknown. */
enum parquet_type parquet_type_find(const char *name);

/* Write the list of SchemaElements of the N columns as field ID of T. */
void parquet_schema(struct thrift *t, unsigned id, const struct parquet_column *c, unsigned n);

/* The list of the names that lead to column C, as field ID of T. */
void parquet_path(struct thrift *t, unsigned id, const struct parquet_column *c);

#endif
