// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ltt_unit: LTT descriptions with mistakes, and hostile descriptions and payloads.  Without it a
 * mistake would be reported without its place, and a few bytes could take all memory or never end.
 *
 * of: reader/ltt
 */
#include "base/mem.h"
#include "t/lib/c/ltttry.h"

#include <time.h>

/* ---------------------------------------------------------------- messages */

static void messages(void)
{
	refuses("<facility name=f>\n  <event name=e>\n\t<field name=x><unit/></field>\n", LTT_0_6,
		"line 3, column 17: unknown type <unit>", "an unknown type, where it stands");
	refuses("<facility name=f>\n<event name=e>\n <field name=x><uint></field></event>\n"
		"</facility\n",
		LTT_0_6, "line 5, column 1: the text ends where", "no '>'");
	refuses("<facility name=f><event name=e><field name=x></field></event></facility>", LTT_0_6,
		"column 48: the field x has no type", "a field without a type");
	refuses(NEW("<uint/><uint/>"), LTT_0_6, "column 54: the field x has a second type",
		"a field with two types");
	refuses("<facility name=f><event><field", LTT_0_6,
		"column 19: <event> has no name=", "an event without a name");
	refuses("<facility name=\"f", LTT_0_6, "column 16: this string has no end", "no quote");
	refuses("<facility name=\"f\n\">", LTT_0_6, "this string has no end on its line",
		"a string over two lines");
	refuses("<facility name=f>/*", LTT_0_6, "column 18: what begins with /* has no */",
		"a comment without an end");
	refuses("<facility name=f><description>x", LTT_0_6, "no </description>",
		"a description without an end");
	refuses("<facility name=f><event name=e>\x01", LTT_0_6, "column 32: byte 0x01",
		"a byte that begins nothing");
	refuses("<facility name=\"a\tb\">", LTT_0_6, "control byte", "a control byte in a name");
	refuses("<trace>", LTT_0_6, "<facility> is expected, not <trace>", "another element");
	refuses("</facility>", LTT_0_6, "<facility> is expected, not </facility>", "an end tag");
	refuses("<facility name=f></event>", LTT_0_6, "</facility> is expected, not </event>",
		"the wrong end tag");
	refuses("<facility name=f><event name=e><uint/>", LTT_0_6,
		"an event has fields, or one struct", "a type where fields are");
	refuses("<facility name=f><event name=e><struct></struct><field name=x>", LTT_0_6,
		"an event has fields, or one struct", "a struct and fields");
	refuses(ONE("<uint/>"), LTT_0_4, "column 55: <uint> has no size=", "no size in 0.4");
	refuses(ONE("<uint size=3/>"), LTT_0_4, "column 65: a size that <uint> cannot have: '3'",
		"a size of 3");
	refuses(ONE("<float size=2/>"), LTT_0_4, "no float has the size 2", "a float of 2 bytes");
	refuses(NEW("<uint_fixed size=long/>"), LTT_0_6, "cannot have: 'long'",
		"a fixed size that is none");
	refuses(NEW("<enum size=1>A</enum>"), LTT_0_6, "it has no size=", "an enum's size in 0.6");
	refuses(ONE("<enum>A</enum>"), LTT_0_4, "<enum> has no size=", "none in 0.4");
	refuses(NEW("<enum><label name=A value=x/></enum>"), LTT_0_6, "invalid number 'x'",
		"a value that is no number");
	refuses(NEW("<enum><label name=A value=9223372036854775807/><label name=B/></enum>"),
		LTT_0_6, "past all numbers", "a value behind the last number");
	refuses(NEW("<enum><label name=A value=9223372036854775808/></enum>"), LTT_0_6,
		"invalid number", "a value past 64 bits");
	refuses(NEW("<array><uint/></array>"), LTT_0_6,
		"<array> has no size=", "an array without a size");
	refuses(NEW("<array size=4294967296><uint/></array>"), LTT_0_6,
		"no array has so many items", "an array past 32 bits");
	refuses(NEW("<array size=-1><uint/></array>"), LTT_0_6, "no array has so many items",
		"an array of less than nothing");
	refuses(NEW("<array size=2></array>"), LTT_0_6, "the array has no type of its items",
		"an array of nothing");
	refuses(NEW("<sequence><uint/></sequence>"), LTT_0_6, "a type of its length",
		"a sequence without a length");
	refuses(NEW("<sequence><int/><uint/></sequence>"), LTT_0_6, "an unsigned number",
		"a length that may be below 0");
	refuses(NEW("<sequence><string/><uint/></sequence>"), LTT_0_6, "an unsigned number",
		"a length that is text");
	refuses(NEW("<typeref name=t/>"), LTT_0_6, "line 1, column 47: facility f has no type t",
		"a typeref to nothing");
	refuses("<facility name=f><type name=t><uint/></type>\n<type name=t><int/></type>"
		"</facility>",
		LTT_0_6, "two types called t", "a type that is there twice");
	refuses("<facility name=f><event name=e><typeref name=t/></event><type name=t><uint/>"
		"</type></facility>",
		LTT_0_6, "event e is not a struct", "an event that is a number");
}

/* ---------------------------------------------------------------- hostile texts */

static char *big;
static size_t big_len;

static void add(const char *text)
{
	size_t n = strlen(text);

	memcpy(big + big_len, text, n + 1);
	big_len += n;
}

static void add_n(const char *text, unsigned n)
{
	while (n--)
		add(text);
}

/* The types of DEPTH structs in each other around a uint. */
static void nested(unsigned depth)
{
	big_len = 0;
	add("<facility name=f><event name=e>");
	add_n("<field name=a><struct>", depth - 2);
	add(F("x", "uint"));
	add_n("</struct></field>", depth - 2);
	add("</event></facility>");
}

static void is_bounded(const char *want, const char *what)
{
	struct err e = { .kind = ERR_NONE };
	struct ltt_facilities *f = parse_n(big, big_len, LTT_0_6, &e);

	if (want)
		refuses(big, LTT_0_6, want, what);
	else if (!ok(f, "%s", what))
		diag("%s", e.msg);
	ltt_facilities_free(f);
}

static void texts(void)
{
	struct timespec from, to;
	char text[128];
	double took;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	big = malloc(8 << 20);
	refuses("<facility name=f><type name=t><struct><field name=a><typeref name=t/></field>"
		"</struct></type></facility>",
		LTT_0_6, "has itself inside", "a type in itself (else: it would never end)");
	refuses("<facility name=f><type name=t><typeref name=u/></type><type name=u>"
		"<array size=1><typeref name=t/></array></type></facility>",
		LTT_0_6, "has itself inside", "two types in each other");
	nested(LTT_MAX_DEPTH);
	is_bounded(NULL, "types may be nested as deep as the header says");
	nested(LTT_MAX_DEPTH + 1);
	is_bounded("nested more than 32 deep", "one deeper");
	nested(25000);
	is_bounded("nested more than 32 deep", "25,000 deep (else: the stack is full)");

	/* t0 is a struct of 2 uints, t1 of 2 t0, and so on: 2^31 fields in all. */
	big_len = 0;
	add("<facility name=f><event name=e><typeref name=t30/></event><type name=t0><struct>" F(
		"a", "uint") F("b", "uint") "</struct></type>");
	for (unsigned i = 1; i <= 30; i++) {
		snprintf(text, sizeof(text),
			 "<type name=t%u><struct><field name=a><typeref "
			 "name=t%u/></field>",
			 i, i - 1);
		add(text);
		snprintf(text, sizeof(text),
			 "<field name=b><typeref name=t%u/></field></struct>"
			 "</type>",
			 i - 1);
		add(text);
	}
	add("</facility>");
	is_bounded("more than ", "2^31 fields in 3,000 bytes (else: all memory is gone)");

	/* A chain of typerefs, both ways round. */
	for (unsigned down = 0; down < 2; down++) {
		big_len = 0;
		add("<facility name=f><type name=t20000><uint/></type>");
		for (unsigned i = 0; i < 20000; i++) {
			unsigned at = down ? 19999 - i : i;

			snprintf(text, sizeof(text), "<type name=t%u><typeref name=t%u/></type>",
				 at, at + 1);
			add(text);
		}
		add("</facility>");
		/* From t0 on, where t0 is the last: it is t32 that is too deep. */
		snprintf(text, sizeof(text), "column %u: types are nested more than 32 deep",
			 (unsigned)(strstr(big, "<typeref name=t33/>") - big + 2));
		is_bounded(down ? text : "nested more than 32 deep",
			   "20,000 typerefs one behind the other (else: the stack is full)");
	}

	big_len = 0;
	add("<facility name=f><event name=e>");
	add_n(F("a", "uint"), LTT_MAX_FIELDS - 1);
	add("</event></facility>");
	is_bounded(NULL, "an event may have as many fields as the header says");
	big_len = 0;
	add("<facility name=f><event name=e>");
	add_n(F("a", "uint"), LTT_MAX_FIELDS);
	add("</event></facility>");
	is_bounded("more than 4096 fields", "one more");

	big_len = 0;
	add("<facility name=f>");
	add_n("<event name=e></event>", LTT_MAX_EVENTS);
	is_bounded("the text ends", "256 events are no error of their own");
	add("<event name=e></event></facility>");
	is_bounded("more than 256 events", "257 events");
	big_len = 0;
	add("<facility name=f><type name=t><struct>");
	add_n(F("a", "uint"), 2000);
	add("</struct></type>");
	add_n("<event name=e><typeref name=t/></event>", 200);
	add("</facility>");
	is_bounded("all events have more than 65536 fields", "200 events of 2,000 fields");

	big_len = 0;
	add("<facility name=f><type name=t><enum>");
	add_n("L ", LTT_MAX_LABELS);
	add("</enum></type></facility>");
	is_bounded(NULL, "an enum may have as many labels as the header says");
	big_len = 0;
	add("<facility name=f><type name=t><enum>");
	add_n("L ", LTT_MAX_LABELS + 1);
	is_bounded("more than 65536 labels", "one more");
	/* An enum of 100 labels, in all 100 KB, in 300 fields of 1 event, and in 100 of 3. */
	for (unsigned n = 1; n <= 3; n += 2) {
		big_len = 0;
		add("<facility name=f><type name=t><enum>");
		for (unsigned i = 0; i < 100; i++) {
			add_n("LongLabel_LongLabel_LongLabel_", 33);
			add(" ");
		}
		add("</enum></type>");
		for (unsigned i = 0; i < n; i++) {
			add("<event name=e>");
			add_n(F("a", "typeref name=t"), 300 / n);
			add("</event>");
		}
		add("</facility>");
		is_bounded(n == 1 ? ": names of more than 16777216 bytes" :
				    "all events have names of more than 16777216 bytes",
			   "names of 30 MB when typerefs are followed");
	}
	big_len = 0;
	add_n("L", LTT_MAX_TEXT - 1);
	is_bounded("more than 1023 bytes", "a word of a megabyte");
	add("<facility name=f></facility>");
	is_bounded("too many", "a text past its bound");
	big_len = 0;
	add_n("<facility name=f/>", LTT_MAX_FACILITIES + 1);
	is_bounded("more than 256 facilities", "257 facilities");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	took = to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9;
	ok(took < tap_seconds(10), "all this took %.2f s (else: a text can stop the reader)", took);
	free(big);
}

/* clang-format off */
static const char PAIR[] =
	"<facility name=\"f\"><!-- x --><description>d</description>"
	"<event name=\"a\"><field name=\"x\"><typeref name=\"t\"/></field>" F("s", "string")
	"</event><type name=\"t\"><enum><label name=\"A\" value=\"2\"/><description>e</description>"
	"<label name=\"B\"/></enum></type><event name=\"b\">" F("p", "pointer format=\"%p\"")
	"<field name=q><sequence><uint/><array size=3><union>" F("m", "long") F("n", "uchar")
	"</union></array></sequence></field></event></facility>\n";

static const char SLIPS[] =
	"<FACILITY NAME=f> /* c */ // d\n<event name=a per_trace><description>x<description>"
	"<struct><field name=x><typeref name=t></event><field name=y><enum size=1>A B</enum>"
	"</field></struct></event><type name=t><struct><field name=z><sequence lengthsize=2>"
	"<uint size=4/></sequence></field></struct></event></FACILITY>";
/* clang-format on */

/* Every text cut at every byte, and with every byte changed. */
static void damage(const char *text, enum ltt_gen gen, const char *what)
{
	size_t len = strlen(text), end = strrchr(text, '>') - text + 1;
	char *copy = mem_strdup(text);
	unsigned passed = 0;
	struct ltt_facilities *f;
	struct err e = { .kind = ERR_NONE };

	for (size_t i = 1; i < end; i++) {
		f = parse_n(text, i, gen, &e);
		passed += f != NULL;
		ltt_facilities_free(f);
	}
	is_u64(passed, 0, what);
	for (size_t i = 0; i < len; i++) {
		copy[i] = text[i] == '<' ? '/' : '<';
		f = parse_n(copy, len, gen, &e);
		passed += f != NULL;
		ltt_facilities_free(f);
		copy[i] = text[i];
	}
	ok(passed < len / 2, "%u of %zu changed texts pass", passed, len);
	free(copy);
}

/* ---------------------------------------------------------------- hostile payloads */

static void says(const char *text, const struct shape *s, const uint8_t *p, size_t len,
		 const char *want, const char *what)
{
	size_t used;

	has(open_as(text, LTT_0_6, s, p, len, &used), want, what);
}

static void machines(void)
{
	static const struct ltt_machine bad[] = {
		{ LTT_0_6, false, 4, 3, 4, 4, 4, 0 },  { LTT_0_6, false, 4, 4, 0, 4, 4, 0 },
		{ LTT_0_6, false, 4, 4, 4, 16, 4, 0 }, { LTT_0_6, false, 4, 4, 4, 4, 5, 0 },
		{ LTT_0_6, false, 4, 4, 4, 4, 4, 3 },  { LTT_0_6, false, 4, 4, 4, 4, 4, 255 },
	};
	static const char text[] = EVENT(FIELD("a", "<uint/>"));
	struct err e = { .kind = ERR_NONE };
	struct ltt_facilities *f = ltt_facilities_parse(text, strlen(text), LTT_0_6, &e);

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ltt_layout *l = ltt_layout_new(f, 0, 0, &bad[i], &e);

		ok(!l && e.kind == ERR_FORMAT, "no machine %u: %s (else: sizes of nonsense)", i,
		   l ? "taken" : e.msg);
		ltt_layout_free(l);
	}
	ltt_facilities_free(f);
}

/* 4,000 bytes of a record from each byte of payload. */
static void unions(uint8_t *p, size_t len)
{
	static char members[180000], text[200000];
	struct shape le = { false, 0, 4 };
	size_t n = 0;

	for (unsigned i = 0; i < 4000; i++)
		n += snprintf(members + n, sizeof(members) - n, FIELD("m", "<uchar/>"));
	snprintf(text, sizeof(text),
		 EVENT(FIELD("a", "<sequence><ushort/><union>%s</union>"
				  "</sequence>")),
		 members);
	memset(p, 0xFF, len);
	says(text, &le, p, 1000, "error at 2: a: 65535 bytes are needed", "65,535 unions, cut");
	p[0] = 0x00;
	says(text, &le, p, len, "items are more than a record of 16777216 bytes can have",
	     "65,280 unions of 4,000 members (else: 260 MB from 64 KB)");
	snprintf(text, sizeof(text),
		 EVENT(FIELD("a", "<sequence><ushort/><sequence><uchar/><union>"
				  "%s</union></sequence></sequence>")),
		 members);
	memset(p, 1, len);
	p[1] = 0x70;
	says(text, &le, p, len, "with it the record has more than 16777216 bytes",
	     "28,673 sequences of such a union each");
	ok(record.cap <= 2 * LTT_MAX_RECORD, "%zu bytes were taken for it", record.cap);
}

static void payloads(void)
{
	static uint8_t ones[1 << 16], zeros[1 << 16];
	struct shape le = { false, 0, 4 }, le8 = { false, 8, 8 };
	struct timespec from, to;
	double took;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	memset(ones, 0xFF, sizeof(ones));
	says(EVENT(FIELD("a", "<array size=1000000000><uint/></array>")), &le, ones, 64,
	     "f::e: field a: an array of 1000000000 items is more than 16777216 bytes",
	     "an array of 4 GB (else: all memory is gone)");
	says(EVENT(FIELD("a", "<array size=100000><array size=100000><uchar/></array></array>")),
	     &le, ones, 64, "more than 16777216 bytes", "an array of arrays of 10 GB");
	says(EVENT(FIELD("a", "<array size=4000000><string/></array>")), &le, zeros, 64,
	     "more than 16777216 bytes", "4 million strings");
	says(EVENT(FIELD("a", "<array size=10000000><uchar/></array>")
			   FIELD("b", "<array size=10000000><uchar/></array>")),
	     &le, ones, 64, "f::e: field b: with it a record has more than 16777216 bytes",
	     "two arrays that are too long together");
	says(EVENT(FIELD("u", "<union><field name=a><string/></field></union>")), &le, ones, 64,
	     "field a is in a union and of no fixed size", "a union with a string");
	says(EVENT(FIELD("u", "<union><field name=a><struct><field name=b><sequence><uint/>"
			      "<uint/></sequence></field></struct></field></union>")),
	     &le, ones, 64, "in a union", "and with a sequence in a struct");

	says(EVENT(FIELD("a", "<sequence><uint/><uint/></sequence>")), &le, ones, 64,
	     "error at 4: a: 17179869180 bytes are needed and 60 are left",
	     "a sequence of 2^32 - 1 numbers");
	says(EVENT(FIELD("a", "<sequence><uint_fixed size=8/><uint/></sequence>")), &le, ones, 64,
	     "error at 8: a: 18446744073709551615 bytes are needed",
	     "one of 2^64 - 1 (else: its length wraps)");
	says(EVENT(FIELD("a", "<sequence><uint_fixed size=8/><string/></sequence>")), &le, ones, 64,
	     "bytes are needed and 56 are left", "2^64 - 1 strings");
	says(EVENT(FIELD("a", "<sequence><uint_fixed size=8/><struct><field name=b><array "
			      "size=0><uint/></array></field></struct></sequence>")),
	     &le, ones, 64, "items are more than a record of 16777216 bytes can have",
	     "2^64 - 1 items of nothing, with a place each");
	says(EVENT(FIELD("a", "<sequence><uint_fixed size=8/><struct></struct></sequence>")), &le,
	     ones, 64, "a=[]", "2^64 - 1 items of nothing at all (else: it never ends)");
	says(EVENT(FIELD("a", "<string/>")), &le8, ones, 64,
	     "error at 0: a: this string has no end within 64 bytes", "no end of a string");
	says(EVENT(FIELD("a", "<string/>") FIELD("b", "<uint/>")), &le8, zeros, 3,
	     "error at 3: b: 4 bytes are needed and 0 are left",
	     "what follows padding that is not there");

	memset(zeros, 0, sizeof(zeros));
	zeros[1] = 0xFF;
	says(EVENT(FIELD("a", "<sequence><ushort/><sequence><uchar/><string/></sequence>"
			      "</sequence>")),
	     &le, zeros, sizeof(zeros), "a=[[],[],[],",
	     "65,280 empty lists in 65,282 bytes are that");
	is_u64(record.size, 8 + 65280 * 8, "and take 8 bytes each (else: much grows from little)");
	unions(ones, sizeof(ones));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	took = to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9;
	ok(took < tap_seconds(5), "all this took %.2f s (else: a payload can stop the reader)",
	   took);
}

int main(void)
{
	messages();
	texts();
	damage(PAIR, LTT_0_6, "no text that is cut passes (else: events are missing, unsaid)");
	damage(SLIPS, LTT_G1, "nor does one with slips");
	machines();
	payloads();
	free(record.data);
	return tap_done();
}
