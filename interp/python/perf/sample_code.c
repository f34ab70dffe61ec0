// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_code: the file and the symbol of an address of a sample.
 */
#include "interp/python/perf/sample_code.h"

#include "interp/common/perf_names.h"
#include "interp/python/values.h"
#include "trace/machine.h"

#include <stdio.h>
#include <string.h>

#define BUILD_ID_MOST 64

void sample_code_find(const struct event *ev, uint64_t address, bool kernel, struct sample_code *c)
{
	*c = (struct sample_code){ .ev = ev, .kernel = kernel };
	if (!address)
		return;
	c->mapped = machine_mapped(ev->type->machine, ev, address, kernel, &c->map);
	chain_resolve(ev, address, kernel, &c->frame);
}

PyObject *sample_code_file(const struct sample_code *c)
{
	char buf[PERF_FILE_BUF];
	const char *name = perf_file_name(&c->frame, c->kernel, buf);

	return name ? py_text(name, strlen(name)) : NULL;
}

static PyObject *build_id_text(const uint8_t *id, size_t len)
{
	char hex[2 * BUILD_ID_MOST + 1] = "";

	for (size_t i = 0; i < len && i < BUILD_ID_MOST; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return py_text(hex, strlen(hex));
}

/* Of the kernel's image it is that of the kernel. */
PyObject *sample_code_build_id(const struct sample_code *c)
{
	const struct machine *m = c->ev->type->machine;
	struct kernel_identity id = { .host = NULL };

	if (!c->mapped)
		return NULL;
	if (!c->map.build_id_len && c->kernel && m->ops->identity && m->ops->identity(m->arg, &id))
		return build_id_text(id.build_id, id.build_id_len);
	return build_id_text(c->map.build_id, c->map.build_id_len);
}

PyObject *sample_code_edge(const struct sample_code *c, bool end)
{
	return c->mapped ? PyLong_FromUnsignedLongLong(end ? c->map.end : c->map.start) : NULL;
}

PyObject *sample_code_symbol(const struct sample_code *c)
{
	return c->frame.name ? py_text(c->frame.name, strlen(c->frame.name)) : NULL;
}

PyObject *sample_code_offset(const struct sample_code *c)
{
	return c->frame.name ? PyLong_FromUnsignedLongLong(c->frame.off) : NULL;
}
