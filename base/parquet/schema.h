/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_SCHEMA_H
#define ZED_BASE_PARQUET_SCHEMA_H

#include "base/parquet/thrift.h"

/* Columns, and how the footer tells of them (parquet.thrift, LogicalTypes.md). */
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
	PARQUET_TIME,	/* ns since 1970, of no time zone */
	PARQUET_TEXT,	/* UTF-8 */
	PARQUET_JSON,	/* the same, one value of JSON */
	PARQUET_BINARY, /* any bytes */
	PARQUET_TYPES,
};

/* What the format calls the forms of values. */
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
	bool list;     /* of such values, none of them null */
	bool optional; /* it may be null; lists always may */
	bool spread;   /* values seldom come twice: times, counters */
};

/* What is to be known of a type. */
struct parquet_traits {
	const char *name; /* "int8": what a script calls it */
	enum parquet_physical physical;
	int converted; /* ConvertedType; -1: there is none */
	uint8_t size;  /* bytes of a number as PLAIN has it: 4 or 8; 0: bytes */
	bool is_signed;
	bool is_float;
};

/* Of TYPE, below PARQUET_TYPES. */
const struct parquet_traits *parquet_traits(enum parquet_type type);

/* The type called NAME ("uint32"); PARQUET_TYPES: none is. */
enum parquet_type parquet_type_find(const char *name);

/* Write the list of SchemaElements of the N columns as field ID of T. */
void parquet_schema(struct thrift *t, unsigned id, const struct parquet_column *c, unsigned n);

/* The list of the names that lead to column C, as field ID of T. */
void parquet_path(struct thrift *t, unsigned id, const struct parquet_column *c);

#endif
