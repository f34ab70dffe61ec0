// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schema: the types of columns, and the footer's list of columns.
 */
#include "base/parquet/schema.h"

/* parquet.thrift: enum ConvertedType, FieldRepetitionType, struct SchemaElement, LogicalType. */
#define CONVERTED_UTF8 0
#define CONVERTED_LIST 3
#define CONVERTED_JSON 19
#define REQUIRED 0
#define OPTIONAL 1
#define REPEATED 2
#define ELEMENT_TYPE 1
#define ELEMENT_REPETITION 3
#define ELEMENT_NAME 4
#define ELEMENT_CHILDREN 5
#define ELEMENT_CONVERTED 6
#define ELEMENT_LOGICAL 10
#define LOGICAL_STRING 1
#define LOGICAL_LIST 3
#define LOGICAL_TIMESTAMP 8
#define LOGICAL_INTEGER 10
#define LOGICAL_JSON 12

/* clang-format off */
static const struct parquet_traits TRAITS[] = {
	[PARQUET_I8] = { "int8", PHYSICAL_INT32, 15, 4, true, false },
	[PARQUET_I16] = { "int16", PHYSICAL_INT32, 16, 4, true, false },
	[PARQUET_I32] = { "int32", PHYSICAL_INT32, 17, 4, true, false },
	[PARQUET_I64] = { "int64", PHYSICAL_INT64, 18, 8, true, false },
	[PARQUET_U8] = { "uint8", PHYSICAL_INT32, 11, 4, false, false },
	[PARQUET_U16] = { "uint16", PHYSICAL_INT32, 12, 4, false, false },
	[PARQUET_U32] = { "uint32", PHYSICAL_INT32, 13, 4, false, false },
	[PARQUET_U64] = { "uint64", PHYSICAL_INT64, 14, 8, false, false },
	[PARQUET_FLOAT] = { "float", PHYSICAL_FLOAT, -1, 4, true, true },
	[PARQUET_DOUBLE] = { "double", PHYSICAL_DOUBLE, -1, 8, true, true },
	[PARQUET_TIME] = { "timestamp", PHYSICAL_INT64, -1, 8, true, false },
	[PARQUET_TEXT] = { "string", PHYSICAL_BYTES, CONVERTED_UTF8, 0, false, false },
	[PARQUET_JSON] = { "json", PHYSICAL_BYTES, CONVERTED_JSON, 0, false, false },
	[PARQUET_BINARY] = { "binary", PHYSICAL_BYTES, -1, 0, false, false },
};
/* clang-format on */

const struct parquet_traits *parquet_traits(enum parquet_type type)
{
	return &TRAITS[type];
}

enum parquet_type parquet_type_find(const char *name)
{
	unsigned i;

	for (i = 0; i < PARQUET_TYPES; i++)
		if (!strcmp(TRAITS[i].name, name))
			break;
	return (enum parquet_type)i;
}

static void integer(struct thrift *t, enum parquet_type type)
{
	static const int8_t BITS[] = { 8, 16, 32, 64 };

	thrift_struct(t, LOGICAL_INTEGER);
	thrift_i8(t, 1, BITS[type & 3]);
	thrift_bool(t, 2, TRAITS[type].is_signed);
	thrift_end(t);
}

static void timestamp(struct thrift *t)
{
	thrift_struct(t, LOGICAL_TIMESTAMP);
	thrift_bool(t, 1, false);
	thrift_struct(t, 2);
	thrift_struct(t, 3); /* of ns */
	thrift_end(t);
	thrift_end(t);
	thrift_end(t);
}

static void empty(struct thrift *t, unsigned id)
{
	thrift_struct(t, id);
	thrift_end(t);
}

/* The logical type in the older and the newer form: some readers know only one. */
static void meaning(struct thrift *t, enum parquet_type type)
{
	if (TRAITS[type].converted >= 0)
		thrift_i32(t, ELEMENT_CONVERTED, TRAITS[type].converted);
	if (TRAITS[type].is_float || type == PARQUET_BINARY)
		return;
	thrift_struct(t, ELEMENT_LOGICAL);
	if (type == PARQUET_TIME)
		timestamp(t);
	else if (type == PARQUET_TEXT)
		empty(t, LOGICAL_STRING);
	else if (type == PARQUET_JSON)
		empty(t, LOGICAL_JSON);
	else
		integer(t, type);
	thrift_end(t);
}

static void leaf(struct thrift *t, const char *name, enum parquet_type type, int repetition)
{
	thrift_element(t);
	thrift_i32(t, ELEMENT_TYPE, (int32_t)TRAITS[type].physical);
	thrift_i32(t, ELEMENT_REPETITION, repetition);
	thrift_str(t, ELEMENT_NAME, name);
	meaning(t, type);
	thrift_end(t);
}

/* The three levels required by LogicalTypes.md. */
static void list(struct thrift *t, const struct parquet_column *c)
{
	thrift_element(t);
	thrift_i32(t, ELEMENT_REPETITION, OPTIONAL);
	thrift_str(t, ELEMENT_NAME, c->name);
	thrift_i32(t, ELEMENT_CHILDREN, 1);
	thrift_i32(t, ELEMENT_CONVERTED, CONVERTED_LIST);
	thrift_struct(t, ELEMENT_LOGICAL);
	empty(t, LOGICAL_LIST);
	thrift_end(t);
	thrift_end(t);
	thrift_element(t);
	thrift_i32(t, ELEMENT_REPETITION, REPEATED);
	thrift_str(t, ELEMENT_NAME, "list");
	thrift_i32(t, ELEMENT_CHILDREN, 1);
	thrift_end(t);
	leaf(t, "element", c->type, REQUIRED);
}

void parquet_schema(struct thrift *t, unsigned id, const struct parquet_column *c, unsigned n)
{
	size_t elements = 1;

	for (unsigned i = 0; i < n; i++)
		elements += c[i].list ? 3 : 1;
	thrift_list(t, id, THRIFT_STRUCT, elements);
	thrift_element(t);
	thrift_str(t, ELEMENT_NAME, "schema");
	thrift_i32(t, ELEMENT_CHILDREN, (int32_t)n);
	thrift_end(t);
	for (unsigned i = 0; i < n; i++)
		if (c[i].list)
			list(t, &c[i]);
		else
			leaf(t, c[i].name, c[i].type, c[i].optional ? OPTIONAL : REQUIRED);
}

void parquet_path(struct thrift *t, unsigned id, const struct parquet_column *c)
{
	thrift_list(t, id, THRIFT_BINARY, c->list ? 3 : 1);
	thrift_element_str(t, c->name);
	if (c->list) {
		thrift_element_str(t, "list");
		thrift_element_str(t, "element");
	}
}
