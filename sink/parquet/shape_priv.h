/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PARQUET_SHAPE_PRIV_H
#define ZED_SINK_PARQUET_SHAPE_PRIV_H

#include "sink/parquet/shape.h"

/* How shape.c wants the columns filled, for row.c. */
enum cell_how {
	HOW_NUMBER,
	HOW_FLOAT,
	HOW_TEXT,
	HOW_BYTES,
	HOW_ARRAY,
	HOW_LIST,
	HOW_SHOWN, /* as -f json shows it, without quotes */
	HOW_JSON,  /* structures */
	HOW_NAME,  /* the name of a value */
	HOW_NONE,
};

struct shape_step {
	const struct field *f;
	enum cell_how how;
};

struct shape {
	enum shape_kind kind;
	const struct etype *type;
	const struct shape_traits *with;
	bool chains, stacks;
	const struct type_names *value_names; /* NULL: no columns for them */
	struct parquet_column *columns;
	unsigned n, nsteps;
	struct shape_step *steps;
	struct arena names;
};

#endif
