/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page: the function of Zed that gives the parts of an answer's page (--html), which are embedded.
 */
#include "interp/api/page.h"

#include "interp/api/api.h"

#include <string.h>

XS_INTERNAL(api_page_part)
{
	dXSARGS;
	const struct page_part *p = page_parts;
	const char *name;

	api_usage(aTHX_ items != 1, "Zed::page_part(NAME)");
	name = api_string(aTHX_ ST(0), "NAME is a string");
	while (p->name && strcmp(p->name, name) != 0)
		p++;
	if (!p->name)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpvn(p->text, p->len));
}

const struct api_sub API_PAGE[] = {
	{ "Zed::page_part", api_page_part },
	{ .name = NULL },
};
