// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * version: which libtraceevent this is, how many plugins it has, and which parts of print formats
 * it does not know yet.  That is tried out rather than taken from its version, as distributions
 * patch the library.
 */
#include "reader/text/version.h"

#include "base/outbuf.h"
#include "reader/text/printfmt/tree.h"
#include "reader/text/text.h"

#include <traceevent/event-parse.h>
#include <traceevent/event-utils.h>
#include <traceevent/trace-seq.h>

#include <stdio.h>
#include <string.h>

unsigned textlib_plugins(struct tep_plugin_list *list)
{
	struct trace_seq s;
	unsigned n = 0;

	trace_seq_init(&s);
	tep_print_plugins(&s, "", "\n", list);
	trace_seq_terminate(&s);
	for (const char *p = s.buffer; p && *p; p++)
		n += *p == '\n';
	if (!list || !s.buffer || strstr(s.buffer, "no plugins"))
		n = 0;
	trace_seq_destroy(&s);
	return n;
}

/* How the library shows a record whose print format is PRINT, and whose only field is 'x'. */
static void probe(const char *print, char *buf, size_t size)
{
	static const char head[] =
		"name: probe\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: ";
	struct tep_handle *tep = tep_alloc();
	uint8_t data[64] = { [4] = 'x', [7] = 'x' };
	struct tep_record r = { .size = 8, .data = data };
	const uint16_t id = 1;
	struct outbuf o = { 0 };
	struct trace_seq s;

	*buf = '\0';
	if (!tep)
		return;
	memcpy(data, &id, 2);
	tep_set_long_size(tep, 8);
	out_printf(&o, "%s%s\n", head, print);
	tep_parse_event(tep, o.p, o.len, "probe");
	trace_seq_init(&s);
	tep_print_event(tep, &s, &r, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&s);
	snprintf(buf, size, "%s", s.buffer);
	trace_seq_destroy(&s);
	outbuf_fini(&o);
	tep_free(tep);
}

unsigned textlib_lacks(void)
{
	unsigned lacks = 0;
	char buf[64];

	probe("\"%c\", REC->a", buf, sizeof(buf));
	if (strcmp(buf, "x"))
		lacks |= PF_LACKS_CHAR;
	probe("\"%d\", sizeof(u64)", buf, sizeof(buf));
	if (strcmp(buf, "8"))
		lacks |= PF_LACKS_SIZEOF;
	return lacks;
}

const char *text_version(char *buf, size_t size)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_plugin_list *list = tep ? tep_load_plugins(tep) : NULL;

	snprintf(buf, size,
		 "libtraceevent"
#ifdef LIBTRACEEVENT_VERSION
		 " " LIBTRACEEVENT_VERSION
#endif
		 ", %u plugin%s",
		 textlib_plugins(list), plural(textlib_plugins(list)));
	if (list)
		tep_unload_plugins(list, tep);
	tep_free(tep);
	return buf;
}
