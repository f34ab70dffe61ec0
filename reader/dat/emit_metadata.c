// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * emit_metadata: supplies the metadata of a trace.dat for writing another one.  Only the layout
 * around the payloads differs between versions.
 */
#include "base/mem.h"
#include "reader/dat/dat.h"

#include <stdlib.h>
#include <string.h>

/* One section; read errors are reported. */
static int give_part(struct dat *d, unsigned id, const struct metadata_taker *to, struct err *e)
{
	struct dat_part *p = &d->parts[id];
	struct err bad;

	if (!p->present)
		return 0;
	if (dat_part_load(d, p, &bad) == 0)
		return to->section(to->arg, id, p->data, p->len, e);
	err_within(&bad, "metadata");
	err_path(&bad, d->base.in.path);
	note_err(d->notes, NOTE_DAMAGE, &bad);
	return 0;
}

/* The RFC's TSC2NSEC has an offset of 4 bytes, which readers of the shipped format ignore. */
static int give_option(const struct dat *d, const struct dat_option *o,
		       const struct metadata_taker *to, struct err *e)
{
	uint8_t wide[16] = { 0 };

	if (o->id == DAT_CPUCOUNT)
		return 0;
	if (o->id != DAT_TSC2NSEC || o->len != 12)
		return to->option(to->arg, o->id, o->p, o->len, e);
	memcpy(wide, o->p, 8);
	memcpy(wide + (d->head.big_endian ? 12 : 8), o->p + 8, 4);
	return to->option(to->arg, o->id, wide, sizeof(wide), e);
}

int dat_give_metadata(struct dat *d, bool cmdlines, const struct metadata_taker *to, struct err *e)
{
	TRY(to->head(to->arg, d->head.big_endian, d->head.long_size,
		     d->head.page_size ? d->head.page_size : d->layout.page_size, e));
	for (unsigned id = DAT_HEADER_INFO; id <= DAT_PRINTK; id++)
		TRY(give_part(d, id, to, e));
	if (cmdlines)
		TRY(give_part(d, DAT_CMDLINES, to, e));
	for (size_t i = 0; i < d->kept.n; i++)
		TRY(give_option(d, &d->kept.v[i], to, e));
	return 0;
}

int dat_metadata(struct source *s, const struct metadata_taker *to, struct err *e)
{
	return dat_give_metadata((struct dat *)s, true, to, e);
}
