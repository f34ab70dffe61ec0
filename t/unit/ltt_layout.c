// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ltt_layout: payloads of LTT events, written here byte by byte, as records: each type in both
 * byte orders, packed and aligned, for pointers of 4 and 8 bytes, and cut at each byte.  Without it
 * a handler would get the bytes of another field.
 *
 * of: reader/ltt/facility
 */
#include "t/lib/c/ltttry.h"

/* ---------------------------------------------------------------- payloads */

/* A payload as the traced machine writes it. */
struct out {
	uint8_t b[4096];
	size_t n;
	bool big;
	unsigned align, word;
};

static void pad(struct out *o, unsigned to)
{
	while (to && o->n % to)
		o->b[o->n++] = 0xEE;
}

/* The alignment of what has SIZE bytes. */
static unsigned least(const struct out *o, unsigned size)
{
	return size < o->align ? size : o->align;
}

static void num(struct out *o, unsigned size, uint64_t v)
{
	pad(o, least(o, size));
	for (unsigned i = 0; i < size; i++)
		o->b[o->n++] = v >> 8 * (o->big ? size - 1 - i : i);
}

static void flt(struct out *o, float v)
{
	uint32_t w;

	memcpy(&w, &v, 4);
	num(o, 4, w);
}

static void dbl(struct out *o, double v)
{
	uint64_t w;

	memcpy(&w, &v, 8);
	num(o, 8, w);
}

static void realign(struct out *o)
{
	if (o->align)
		pad(o, o->word);
}

static void str(struct out *o, const char *s)
{
	memcpy(o->b + o->n, s, strlen(s) + 1);
	o->n += strlen(s) + 1;
	realign(o);
}

/* ---------------------------------------------------------------- every type */

/* clang-format off */
static const char ALL[] = EVENT(
	FIELD("c", "<char/>") FIELD("l", "<long/>") FIELD("us", "<ushort/>")
	FIELD("u8", "<uint_fixed size=8/>") FIELD("i2", "<int_fixed size=2/>")
	FIELD("p", "<pointer/>") FIELD("s", "<string/>") FIELD("uc", "<uchar/>")
	FIELD("en", "<enum><label name=A value=3/><label name=B/></enum>")
	FIELD("f", "<float size=4/>") FIELD("d", "<float size=8/>")
	FIELD("un", "<union><field name=a><uchar/></field><field name=b><uint_fixed size=4/>"
	      "</field></union>")
	FIELD("after", "<uchar/>")
	FIELD("txt", "<array size=3><char/></array>")
	FIELD("raw", "<array size=2><uchar/></array>")
	FIELD("nums", "<array size=2><int_fixed size=2/></array>")
	FIELD("seq", "<sequence><uchar/><uint_fixed size=8/></sequence>")
	FIELD("sq2", "<sequence><uint/><short/></sequence>")
	FIELD("st", "<struct><field name=x><uchar/></field><field name=y><struct><field name=z>"
	      "<size_t/></field></struct></field></struct>")
	FIELD("ls", "<sequence><ushort/><struct><field name=n><string/></field><field name=v>"
	      "<array size=2><ulong/></array></field></struct></sequence>")
	FIELD("nest", "<array size=2><sequence><uchar/><string/></sequence></array>")
	FIELD("fl", "<array size=2><float size=4/></array>")
	FIELD("end", "<uint/>"));

static const char ALL_SHOWN[] =
	"c=-5 l=-70000 us=65535 u8=1311768467463790320 i2=-2 p=4026531841 s='hello' uc=200 en=4:B "
	"f=1.5 d=-0.25 un={a=%s b=%s} after=9 txt='abc' raw=<0102> nums=[-1,258] "
	"seq=[1,18446744073709551615] sq2=[-3,4,5] st={x=7 y={z=123456}} "
	"ls=[{n='one' v=[1,2]},{n='' v=[3,4]}] nest=[['x','yz'],[]] fl=[0.5,-2] end=4294967295";
/* clang-format on */

static void write_all(struct out *o)
{
	num(o, 1, -5);
	num(o, o->word, -70000);
	num(o, 2, 65535);
	num(o, 8, 0x123456789ABCDEF0);
	num(o, 2, -2);
	num(o, o->word, 0xF0000001);
	str(o, "hello");
	num(o, 1, 200);
	num(o, 4, 4);
	flt(o, 1.5);
	dbl(o, -0.25);
	num(o, 4, 0x41424344); /* the union */
	num(o, 1, 9);
	memcpy(o->b + o->n, "abc\1\2", 5);
	o->n += 5;
	num(o, 2, -1);
	num(o, 2, 258);
	pad(o, least(o, 8)); /* a sequence begins where its items could */
	num(o, 1, 2);
	num(o, 8, 1);
	num(o, 8, -1);
	realign(o);
	num(o, 4, 3);
	num(o, 2, -3);
	num(o, 2, 4);
	num(o, 2, 5);
	realign(o);
	pad(o, least(o, o->word)); /* a struct, too */
	num(o, 1, 7);
	num(o, o->word, 123456);
	pad(o, least(o, o->word));
	num(o, 2, 2);
	pad(o, least(o, o->word));
	str(o, "one");
	num(o, o->word, 1);
	num(o, o->word, 2);
	str(o, "");
	num(o, o->word, 3);
	num(o, o->word, 4);
	realign(o);
	num(o, 1, 2);
	str(o, "x");
	str(o, "yz");
	realign(o);
	num(o, 1, 0);
	realign(o);
	flt(o, 0.5);
	flt(o, -2);
	num(o, 4, 0xFFFFFFFF);
}

/* Each length up to the whole; only padding at the end may be missing. */
static void cut(const char *text, const struct shape *shape, const struct out *o, const char *what)
{
	unsigned passed = 0, elsewhere = 0;
	size_t used;

	for (size_t len = 0; len < o->n; len++) {
		const char *got = open_as(text, LTT_0_6, shape, o->b, len, &used);
		unsigned at;

		if (sscanf(got, "error at %u:", &at) != 1)
			passed++;
		else if (at > len)
			elsewhere++;
	}
	ok(!passed && !elsewhere,
	   "%s: all %zu that are cut are refused, at a byte that is there "
	   "(else: fields of the next event)",
	   what, o->n);
}

static void every_type(void)
{
	char want[2048], what[128];

	for (unsigned i = 0; i < 12; i++) {
		static const unsigned aligns[] = { 0, 4, 8 };
		struct shape s = { i & 1, aligns[i / 4], i & 2 ? 8 : 4 };
		struct out o = { .big = s.big, .align = s.align, .word = s.word };
		size_t used;

		write_all(&o);
		snprintf(what, sizeof(what), "%s endian, aligned to %u, pointers of %u",
			 s.big ? "big" : "little", s.align, s.word);
		/* The union's first byte is its first in memory. */
		snprintf(want, sizeof(want), ALL_SHOWN, s.big ? "65" : "68", "1094861636");
		is_str(open_as(ALL, LTT_0_6, &s, o.b, o.n, &used), want, what);
		is_u64(used, o.n, "its length (else: the next event is not found)");
		cut(ALL, &s, &o, what);
	}
}

/* ---------------------------------------------------------------- bytes at known places */

/* Where each byte goes, written down from the format's rules and without a writer. */
static void known_places(void)
{
	static const uint8_t aligned8[] = {
		1,   0xEE, 0xEE, 0xEE,			       /* u8 at 0 */
		2,   0,	   0,	 0,			       /* u32 at 4 */
		3,   0,	   0,	 0,    0,    0,	   0,	 0,    /* u64 at 8 */
		'a', 'b',  0,	 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, /* string at 16, to 24 */
		4,   0,					       /* u16 at 24 */
	};
	static const uint8_t aligned4[] = {
		1, 0xEE, 0xEE, 0xEE, 2, 0, 0,	0,   3, 0,
		0, 0,	 0,    0,    0, 0, 'a', 'b', 0, 0xEE, /* string at 16, to 20 */
		4, 0,
	};
	static const uint8_t packed[] = {
		1, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 0, 4, 0,
	};
	static const char text[] = EVENT(
		FIELD("a", "<uchar/>") FIELD("b", "<uint/>") FIELD("c", "<uint_fixed size=8/>")
			FIELD("d", "<string/>") FIELD("e", "<ushort/>"));
	static const char want[] = "a=1 b=2 c=3 d='ab' e=4";
	/* A real event of generation 1: file_system, sub id 4, two words, a name. */
	static const uint8_t file_system[] = { 4, 7, 0, 0, 0, 9, 0, 0, 0, 'c', '.', 'p', 0 };
	static const char old[] = "<facility name=f><event name=e><struct>" FIELD(
		"id", "<enum size=1><label name=EXEC value=3/><label name=OPEN/></enum>")
		FIELD("d1", "<uint size=4/>") FIELD("d2", "<uint size=4/>")
			FIELD("name", "<string/>") "</struct></event></facility>";
	struct shape le8 = { false, 8, 8 }, le4 = { false, 4, 4 }, le0 = { false, 0, 8 };
	size_t used;

	is_str(open_as(text, LTT_0_6, &le8, aligned8, sizeof(aligned8), &used), want,
	       "aligned to 8 (else: 64-bit kernels' events are garbled)");
	is_u64(used, 26, "26 bytes");
	is_str(open_as(text, LTT_0_6, &le4, aligned4, sizeof(aligned4), &used), want,
	       "aligned to 4 (else: i386 kernels' events are garbled)");
	is_u64(used, 22, "22 bytes");
	is_str(open_as(text, LTT_0_6, &le0, packed, sizeof(packed), &used), want,
	       "packed (else: traces without alignment are garbled)");
	is_u64(used, 18, "18 bytes");
	is_str(open_as(old, LTT_G1, &le0, file_system, sizeof(file_system), &used),
	       "id=4:OPEN d1=7 d2=9 name='c.p'", "a file_system event of generation 1");
	is_u64(used, sizeof(file_system), "all of it");
}

/*
 * In the record everything is where C would put it: no sink meets a field that its machine cannot
 * load.
 */
static void record_places(void)
{
	/* clang-format off */
	static const char text[] = EVENT(FIELD("a", "<uchar/>") FIELD("s", "<struct><field name=x>"
		"<uchar/></field><field name=y><uint_fixed size=8/></field></struct>")
		FIELD("b", "<uchar/>") FIELD("l", "<sequence><uint/><struct><field name=x>"
		"<uint_fixed size=8/></field><field name=y><uchar/></field></struct></sequence>")
		FIELD("c", "<uint/>"));
	/* clang-format on */
	struct shape packed = { false, 0, 4 };
	struct ltt_machine m = machine(&packed, LTT_0_6);
	struct err e = { .kind = ERR_NONE };
	struct ltt_facilities *f = ltt_facilities_parse(text, strlen(text), LTT_0_6, &e);
	struct ltt_layout *l = ltt_layout_new(f, 0, 0, &m, &e);
	uint32_t fixed;
	unsigned n;
	const struct field *at = ltt_layout_fields(l, &n, &fixed);

	is_u64(at[1].off, 8, "a struct with 8 bytes in it is at a multiple of 8");
	is_u64(at[1].more->members[1].off, 8, "and these 8 in it");
	is_u64(at[1].size, 16, "it has 16");
	is_u64(at[2].off, 24, "what follows is behind it");
	is_u64(at[3].off, 28, "a span is at a multiple of 4");
	is_u64(at[3].elem, 16, "items are as far from each other as C has them");
	is_u64(at[4].off, 36, "numbers of 4 bytes are at multiples of 4");
	is_u64(fixed, 40, "the fixed part ends behind the last one");
	ltt_layout_free(l);
	ltt_facilities_free(f);
}

static void spacing(void)
{
	static const uint8_t counted[] = { 1, 0xEE, 0xEE, 0xEE, 2, 0, 0, 0, 7, 8, 0xEE, 0xEE, 9 };
	static const uint8_t below[] = { 0xFE, 0xFF, 0xFF, 0xFF, 5, 0, 0, 0 };
	/* Structs of one size are as long as C has them, others end with their last member. */
	static const uint8_t items[] = {
		1, 0, 0, 0, 2, 0xEE, 0xEE, 0xEE, 3, 0, 0, 0, 4, 0xEE, 0xEE, 0xEE, 5,
	};
	static const uint8_t packed[] = { 1, 0, 0, 0, 2, 3, 0, 0, 0, 4, 5 };
	static const uint8_t varies[] = { 'x', 0, 0xEE, 0xEE, 7, 8 };
	static const char pairs[] = EVENT(
		FIELD("a", "<array size=2><struct>" FIELD("x", "<uint/>")
				   FIELD("y", "<uchar/>") "</struct></array>")
			FIELD("b", "<uchar/>"));
	static const uint8_t empty[] = { 0, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 6 };
	static const uint8_t name[] = { 'x', 0, 0xEE };
	struct shape le = { false, 4, 4 }, le8 = { false, 8, 8 }, le0 = { false, 0, 4 };
	size_t used;

	is_str(open_as(pairs, LTT_0_6, &le, items, sizeof(items), &used),
	       "a=[{x=1 y=2},{x=3 y=4}] b=5", "a struct of one size has C's padding behind it");
	is_u64(used, 17, "17 bytes");
	is_str(open_as(pairs, LTT_0_6, &le0, packed, sizeof(packed), &used),
	       "a=[{x=1 y=2},{x=3 y=4}] b=5", "a packed one has none");
	is_u64(used, 11, "11 bytes");
	is_str(open_as(EVENT(FIELD("a", "<struct>" FIELD("n", "<string/>")
						FIELD("c", "<uchar/>") "</struct>")
				     FIELD("b", "<uchar/>")),
		       LTT_0_6, &le, varies, sizeof(varies), &used),
	       "a={n='x' c=7} b=8", "one with a string has none");
	is_u64(used, 6, "6 bytes");
	is_str(open_as(EVENT(FIELD("a", "<sequence><uchar/><uint_fixed size=8/></sequence>")
				     FIELD("b", "<uchar/>")),
		       LTT_0_6, &le8, empty, sizeof(empty), &used),
	       "a=[] b=6", "an empty sequence ends at a multiple of the pointer's size");
	is_str(open_as(EVENT(FIELD("a", "<uchar/>") FIELD(
			       "b", "<sequence><uint/><uchar/></sequence>") FIELD("c", "<uchar/>")),
		       LTT_0_6, &le, counted, sizeof(counted), &used),
	       "a=1 b=<0708> c=9", "a sequence's number is aligned as its width asks");
	is_str(open_as(EVENT(FIELD("a", "<enum><label name=A value=-2/></enum>")
				     FIELD("b", "<enum><label name=B value=5/></enum>")),
		       LTT_0_6, &le, below, sizeof(below), &used),
	       "a=-2:A b=5:B", "an enum with labels below 0 is signed (else: they are never met)");
	is_str(open_as(EVENT(FIELD("a", "<string/>")), LTT_0_6, &le, name, sizeof(name), &used),
	       "a='x'", "the last padding may be missing in part (LTTV's facility_load)");
	is_u64(used, 3, "what is there of it counts");
	is_str(open_as(EVENT(""), LTT_0_6, &le, name, 0, &used), "", "an event without data");
	ok(record.data && !record.size && !used, "has an empty record, which is one (else: a "
						 "sink copies from nowhere)");
	is_str(open_as(EVENT(FIELD("a", "<array size=1000000000><struct></struct></array>")
				     FIELD("b", "<uchar/>")),
		       LTT_0_6, &le, items, 1, &used),
	       "a=[] b=1", "1e9 structs of nothing are nothing (else: it takes a minute)");
	is_str(open_as(EVENT(FIELD("a", "<array size=0><string/></array>") FIELD("b", "<uchar/>")),
		       LTT_0_6, &le, items, 1, &used),
	       "a=[] b=1", "an array of no strings");
}

int main(void)
{
	every_type();
	known_places();
	record_places();
	spacing();
	free(record.data);
	return tap_done();
}
