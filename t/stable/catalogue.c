// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * catalogue: the texts of the catalogue of stable events.  Without it a definition could be read
 * differently from what its author meant, or an error in it go unnoticed.
 *
 * of: stable stable
 */
#include "base/mem.h"
#include "stable/catalogue.h"
#include "stable/expr.h"
#include "trace/names/shipped.h"
#include "t/lib/c/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char error[1200];

/* Add TEXT; returns the error's text, "" if there is none. */
static const char *add(struct stable *s, const char *text)
{
	struct err e;

	error[0] = '\0';
	if (stable_add(s, "my.stable", text, strlen(text), &e) < 0)
		err_text(&e, error, sizeof(error));
	return error;
}

static void test_shipped(void)
{
	struct stable *s = stable_new(), *mine = stable_new();
	unsigned files = 0;
	struct err e;

	ok(stable_count(s) >= 25,
	   "the program brings %u events (else: no stable handler is ever "
	   "called)",
	   stable_count(s));
	for (const struct stable_text *t = stable_texts; t->name; t++) {
		size_t n = strlen(t->name);

		if (n < 8 || strcmp(t->name + n - 7, ".stable"))
			continue;
		files++;
		if (!ok(stable_add(mine, t->name, t->text, t->len, &e) == 0,
			"%s has no error (else: all of it is left out in silence)", t->name))
			diag("%s", err_text(&e, error, sizeof(error)));
		ok(strlen(t->text) == t->len, "%s is all there (else: it was cut)", t->name);
	}
	ok(files > 0, "there are files to try (else: these checks check nothing)");
	is_u64(stable_count(mine), stable_count(s),
	       "no file defines what another one does (else: one of them is lost)");
	if (!ok(stable_add_path(mine, "stable", &e) == 0,
		"the directory reads as what was embedded"))
		diag("%s", err_text(&e, error, sizeof(error)));
	is_u64(stable_count(mine), stable_count(s),
	       "and has the same events (else: the build used "
	       "another text)");
	for (unsigned i = 0; i + 1 < stable_count(s); i++) {
		const struct stable_event *a = stable_at(s, i), *b = stable_at(s, i + 1);
		int c = strcmp(a->system, b->system);

		if (c > 0 || (!c && strcmp(a->name, b->name) >= 0))
			return (void)ok(false, "%s::%s stands before %s::%s", a->system, a->name,
					b->system, b->name);
	}
	ok(true, "they are sorted (else: tables change from run to run)");
	stable_free(s);
	stable_free(mine);
}

static const char whole[] =
	"# a comment\r\n"
	"\n"
	"  event\tnew::one # here too\n"
	"purpose the first of a#1  # this is none of it\n"
	"gone since then \n"
	"from raw:a | raw:b-1.x where name ~ \"x#y\" and n == 3 # but this\n"
	"from raw:c\n"
	"\tfield:pid_t  pid; align:32; size:32; signed:1;\n"
	"array:char comm; size:8; count:16; align:8;   = comm | common_comm | \"a\\\"b\\\\\" # c\n"
	"dynamic:u32 v; size:32; align:32; default undef clip\n"
	"field:u64 n; align:64; size:64; = a or b * 512 or 3 | be default 0x10\n"
	"field:int neg; align:32; size:32; signed:1; = -7 clip default -010\n"
	"field:bool first; align:8; size:8; = from(raw:a)\n"
	"field:bool second; align:8; size:8; = from( b-1.x )\n"
	"array:u8 pdu; align:8; size:8; count:8; = be64(nr_rq)\n"
	"field:char s; align:8; size:8; = letter(state) | \"R\" default \"?\"\n"
	"field:int m; align:8; size:1; = mark(state) or rw(rwbs)\n"
	"dynamic:char sym; align:8; size:8; = symbol(vec) | syscall(id)\n"
	"absent:int pdu_len;\n"
	"event new::two\npurpose p\nfrom x:y\nfield:int a; size:32;";

static void test_whole(void)
{
	struct stable *s = stable_new();
	unsigned before = stable_count(s);
	const struct stable_event *ev;
	const struct stable_expr *x;

	is_str(add(s, whole), "", "all that the language has is read (else: users cannot say it)");
	is_u64(stable_count(s), before + 2, "both events are there");
	ev = stable_find(s, "new", "one");
	if (!ev)
		bail("no new::one");
	is_str(ev->purpose, "the first of a#1", "# within a word belongs to the purpose");
	is_str(ev->gone, "since then", "blanks around a text are none of it");
	is_str(ev->file, "my.stable", "an event knows its file (else: messages name none)");
	is_u64(ev->line, 3, "and its line");
	ok(ev->nfrom == 2 && ev->from[0].n == 2 && ev->from[1].n == 1 &&
		   !strcmp(ev->from[0].alts[1].system, "raw") &&
		   !strcmp(ev->from[0].alts[1].name, "b-1.x") &&
		   !strcmp(ev->from[1].alts[0].name, "c"),
	   "its sources (else: it is made of other events)");
	is_str(ev->from[0].where, "name ~ \"x#y\" and n == 3",
	       "# in a string is no comment (else: the condition is cut)");
	ok(!ev->from[1].where, "the other line has no condition");
	is_u64(ev->desc.n, 12, "its fields");
	x = ev->exprs[0];
	ok(x->n == 1 && x->alts[0].n == 1 && x->alts[0].terms[0].op == TERM_FIELD &&
		   !strcmp(x->alts[0].terms[0].name, "pid"),
	   "no source: the field of that name");
	x = ev->exprs[1];
	ok(x->n == 3 && x->alts[1].terms[0].op == TERM_COMM &&
		   !strcmp(x->alts[2].terms[0].str, "a\"b\\") && x->alts[2].terms[0].len == 4,
	   "alternatives, a name that is always there, a string with quotes");
	x = ev->exprs[2];
	ok(x->default_kind == DEFAULT_UNDEF && x->clip, "default undef, clip");
	x = ev->exprs[3];
	ok(x->n == 2 && x->alts[0].n == 3 && x->alts[0].terms[0].times == 1 &&
		   x->alts[0].terms[1].times == 512 && x->alts[0].terms[2].num == 3 &&
		   x->default_kind == DEFAULT_VALUE && x->value.num == 16 && !x->clip,
	   "or, *, a number; a hexadecimal default");
	is_str(x->alts[0].text, "a or b * 512 or 3", "a source as it will be shown");
	x = ev->exprs[4];
	ok(x->alts[0].terms[0].num == (uint64_t)-7 && x->value.num == (uint64_t)-8 && x->clip,
	   "negative numbers, octal ones, clip before default");
	ok(!strcmp(ev->exprs[5]->alts[0].terms[0].name, "raw:a") &&
		   !strcmp(ev->exprs[6]->alts[0].terms[0].name, "b-1.x") &&
		   ev->exprs[6]->alts[0].terms[0].op == TERM_FROM,
	   "from() with and without the system");
	ok(ev->exprs[7]->alts[0].terms[0].be64 && ev->exprs[7]->alts[0].terms[0].op == TERM_FIELD,
	   "be64() of a field");
	ok(ev->exprs[8]->alts[0].terms[0].op == TERM_LETTER &&
		   ev->exprs[9]->alts[0].terms[0].op == TERM_MARK &&
		   ev->exprs[9]->alts[0].terms[1].op == TERM_RW &&
		   ev->exprs[10]->alts[0].terms[0].op == TERM_SYMBOL &&
		   ev->exprs[10]->alts[1].terms[0].op == TERM_SYSCALL,
	   "the other functions");
	ok(ev->desc.fields[11].kind == FIELD_NONE, "an absent field");
	ok(!stable_find(s, "new", "three") && !stable_find(s, "old", "one"),
	   "what was not defined is not found");
	stable_free(s);
}

static void test_replace(void)
{
	struct stable *s = stable_new();
	unsigned before = stable_count(s);
	const struct stable_event *ev;

	add(s, "event sched::switch\npurpose mine\nfrom my:own\nfield:int a; size:32;\n");
	is_u64(stable_count(s), before, "a later definition takes the earlier one's place");
	ev = stable_find(s, "sched", "switch");
	is_str(ev->purpose, "mine", "(else: users cannot change what is shipped)");
	has(add(s, "event new::one\npurpose p\nfrom a:b\nfield:int a; size:32;\n"
		   "event new::two\npurpose p\nfrom a:b\nfield:int a; size:99;\n"),
	    "line 8", "a second event with an error");
	ok(!stable_find(s, "new", "one"), "takes the first with it (else: half a file works)");
	ok(strstr(error, "my.stable: line 8, column ") == error,
	   "the error names file, line, column");
	stable_free(s);
}

#define HEAD "event a::b\npurpose p\nfrom s:r | s:q\n"
#define INT "field:int n; size:32; "
#define TEXT "array:char c; size:8; count:4; "

static const struct {
	const char *text, *place, *what;
} errors[] = {
	{ "purpose p\n", "line 1, column 1", "'purpose' before any event" },
	{ "\n field:int a; size:32;\n", "line 2, column 2", "'field' before any event" },
	{ "event\n", "line 1, column 6", "expected system::name" },
	{ "event a\n", "line 1, column 8", "'::' and the event's name should follow 'a'" },
	{ "event a:b\n", "line 1, column 8", "'::'" },
	{ "event a::\n", "line 1, column 10", "the event's name" },
	{ "event 1a::b\n", "line 1, column 7", "system::name" },
	{ "event a::1\n", "line 1, column 10", "the event's name" },
	{ "event a::b c\n", "line 1, column 12", "unexpected text after" },
	{ "event a::b-c\n", "line 1, column 11", "unexpected text after" },
	{ HEAD INT "\nevent a::b\n", "line 5, column 7", "a::b was defined in line 1" },
	{ "event a::b\nfrom s:r\n" INT, "line 1, column 1", "has no 'purpose' line" },
	{ "event a::b\npurpose p\n" INT, "line 1, column 1", "has no 'from' line" },
	{ HEAD, "line 1, column 1", "has no 'field' line" },
	{ HEAD "event c::d\n", "line 1, column 1", "a::b has no 'field' line" },
	{ HEAD "purpose q\n", "line 4, column 1", "a second 'purpose'" },
	{ HEAD "gone q\ngone r\n", "line 5, column 1", "a second 'gone'" },
	{ "event a::b\npurpose  # x\n", "line 2, column 10", "'purpose' without its text" },
	{ HEAD "form s:t\n", "line 4, column 1", "unknown word 'form'; did you mean 'from'?" },
	{ HEAD "\t%\n", "line 4, column 2", "unknown word '%'" },
	{ HEAD INT "\1\n", "line 4, column 23", "a control character" },
	{ HEAD "from\n", "line 4, column 5", "expected system:event" },
	{ HEAD "from s\n", "line 4, column 7", "':' and the raw event's name" },
	{ HEAD "from s:\n", "line 4, column 8", "the raw event's name" },
	{ HEAD "from s:t |\n", "line 4, column 11", "system:event" },
	{ HEAD "from s:t u\n", "line 4, column 10",
	  "expected '|', 'where' or the end of the line" },
	{ HEAD "from s:t | s:u | s:t\n", "line 4, column 18", "s:t is named twice" },
	{ HEAD "from s:t | s:q where a == 1\n", "line 4, column 1", "is in two 'from' lines" },
	{ HEAD "from s:t where\n", "line 4, column 10", "'|', 'where'" },
	{ HEAD "from s:t where  # x\n", "line 4, column 17", "'where' without its expression" },
	{ HEAD "from s:t where a == (3\n", "line 4, column 21", "missing ')'" },
	{ HEAD "field:int a; size:65;\n", "line 4, column 19", "" },
	{ HEAD "field int a; size:6;\n", "line 4, column 7", "" },
	{ HEAD INT "\n" INT, "line 5, column 11", "" },
	{ HEAD "absent:int a; = 3\n", "line 4, column 1", "'a' is absent" },
	{ HEAD INT "?\n", "line 4, column 23", "'?' where '=', 'default' or 'clip' should be" },
	{ HEAD INT "=\n", "line 4, column 24", "the line ends where a raw field" },
	{ HEAD INT "= # c\n", "line 4, column 25", "the line ends" },
	{ HEAD INT "= default 3\n", "line 4, column 25", "'default' where a raw field" },
	{ HEAD INT "= a b\n", "line 4, column 27", "'b' where '|', 'or', '*'" },
	{ HEAD INT "= a |\n", "line 4, column 28", "the line ends" },
	{ HEAD INT "= a or\n", "line 4, column 29", "the line ends" },
	{ HEAD INT "= a *\n", "line 4, column 28", "a number" },
	{ HEAD INT "= a * b\n", "line 4, column 29", "'b' where a number should be" },
	{ HEAD INT "= 12x\n", "line 4, column 25", "'12x' where a number" },
	{ HEAD INT "= 09\n", "line 4, column 25", "'09' where a number" },
	{ HEAD INT "= 0x\n", "line 4, column 25", "'0x' where a number" },
	{ HEAD INT "= 18446744073709551616\n", "line 4, column 25", "more than 64 bits" },
	{ HEAD INT "= -9223372036854775809\n", "line 4, column 25", "more than 64 bits" },
	{ HEAD INT "= 4294967296\n", "line 4, column 25", "does not fit into 32 unsigned bits" },
	{ HEAD INT "= -1\n", "line 4, column 25", "does not fit into 32 unsigned bits" },
	{ HEAD INT "= 65536 * 65536\n", "line 4, column 25", "does not fit" },
	{ HEAD INT "signed:1; = -1 * 2\n", "line 4, column 35", "does not fit" },
	{ HEAD INT "signed:1; default 2147483648\n", "line 4, column 41", "32 signed bits" },
	{ HEAD INT "signed:1; default -2147483649\n", "line 4, column 41", "32 signed bits" },
	{ HEAD INT "default\n", "line 4, column 30", "a number, a \"string\" or undef" },
	{ HEAD INT "default never\n", "line 4, column 31", "'never' where a number" },
	{ HEAD INT "default 1 default 2\n", "line 4, column 33", "'default' a second time" },
	{ HEAD INT "clip clip\n", "line 4, column 28", "'clip' a second time" },
	{ HEAD INT "default \"x\"\n", "line 4, column 31",
	  "this gives a text, but 'n' promises a number" },
	{ HEAD INT "= \"x\n", "line 4, column 25", "a string without its closing" },
	{ HEAD TEXT "= \"\\x\"\n", "line 4, column 34", "invalid escape: only \\\" and \\\\" },
	{ HEAD TEXT "= \"12345\"\n", "line 4, column 34", "5 bytes, but 'c' promises 4" },
	{ HEAD TEXT "= 3\n", "line 4, column 34", "this gives a number, but 'c' promises a text" },
	{ HEAD TEXT "= a or b\n", "line 4, column 39", "'or' joins numbers" },
	{ HEAD TEXT "= \"a\" * 3\n", "line 4, column 34", "'*' multiplies numbers only" },
	{ HEAD TEXT "= letter(a)\n", "line 4, column 34", "this gives a letter" },
	{ HEAD INT "= leter(a)\n", "line 4, column 25",
	  "no function 'leter'; did you mean 'letter'?" },
	{ HEAD INT "= letter(a)\n", "line 4, column 25", "a letter, but 'n' promises a number" },
	{ HEAD INT "= common_comm\n", "line 4, column 25", "this gives a text" },
	{ HEAD INT "= symbol(a)\n", "line 4, column 25", "this gives a text" },
	{ HEAD INT "= syscall(a)\n", "line 4, column 25", "this gives a text" },
	{ HEAD INT "= be64(a)\n", "line 4, column 25", "this gives bytes" },
	{ HEAD INT "= mark(\n", "line 4, column 30", "the name of a raw field" },
	{ HEAD INT "= mark(3)\n", "line 4, column 30", "'3' where the name of a raw field" },
	{ HEAD INT "= mark(a\n", "line 4, column 31", "the line ends where ')' should be" },
	{ HEAD INT "= mark(a b)\n", "line 4, column 32", "'b' where ')' should be" },
	{ HEAD INT "= from()\n", "line 4, column 30", "the name of a raw event" },
	{ HEAD INT "= from(s:t)\n", "line 4, column 25", "'s:t' is not in a 'from' line" },
	{ HEAD INT "= from(t:r)\n", "line 4, column 25", "'t:r' is not in a 'from' line" },
	{ HEAD "array:u8 a; size:8; count:4; = be64(x)\n", "line 4, column 32",
	  "8 bytes, but 'a' promises 4" },
	{ HEAD "array:u8 a; size:8; count:8; = be64(common_comm)\n", "line 4, column 32",
	  "be64() takes a number" },
	{ HEAD "array:u8 a; size:8; count:8; = be64(\"x\")\n", "line 4, column 37", "a number" },
	{ HEAD "array:u32 a; size:32; count:8; = 3\n", "line 4, column 34",
	  "promises an array of numbers" },
	{ HEAD "field:char a; size:8; = \"ab\"\n", "line 4, column 25",
	  "promises one character, not 2" },
	{ HEAD "field:char a; size:8; = 3\n", "line 4, column 25", "promises a letter" },
};

static void test_errors(void)
{
	struct stable *s = stable_new();
	unsigned before = stable_count(s);

	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		char place[64];

		snprintf(place, sizeof(place), "my.stable: %s: ", errors[i].place);
		add(s, errors[i].text);
		if (!ok(strstr(error, place) == error && strstr(error, errors[i].what), "%s: %s",
			errors[i].place, errors[i].what))
			diag("got '%s' for '%s'", error, errors[i].text);
	}
	is_u64(stable_count(s), before, "nothing was taken of any of them");
	stable_free(s);
}

/* N times PART, a number and REST, between HEAD and TAIL. */
static const char *many(struct stable *s, const char *head, unsigned n, const char *part,
			const char *rest, const char *tail)
{
	size_t size = strlen(head) + n * (strlen(part) + strlen(rest) + 8) + strlen(tail) + 1;
	char *text = malloc(size);
	size_t at = snprintf(text, size, "%s", head);

	for (unsigned i = 0; i < n; i++)
		at += snprintf(text + at, size - at, "%s%u%s", part, i, rest);
	snprintf(text + at, size - at, "%s", tail);
	add(s, text);
	free(text);
	return error;
}

static void test_bounds(void)
{
	struct stable *s = stable_new();
	static char big[(1 << 20) + 2];
	struct err e;

	has(many(s, HEAD INT "= a", 16, "|a", "", ""), "more than 16 alternatives",
	    "17 alternatives");
	has(many(s, HEAD INT "= a", 8, " or a", "", ""), "more than 8 values", "9 values");
	is_str(many(s, HEAD INT "= a", 7, " or a", "", ""), "", "8 values are read");
	has(many(s, "event a::b\npurpose p\n", 17, "from s:r", "\n", INT),
	    "more than 16 'from' lines", "17 lines");
	has(many(s, "event a::b\npurpose p\nfrom s:x", 16, "|s:r", "", "\n" INT),
	    "more than 16 alternatives", "17 sources");
	has(many(s, HEAD, 1025, "field:int a", "; size:32;\n", ""), "line 1028, ", "1,025 fields");
	has(many(s, "event a::b # ", 4000, "x", "", "\n"), "a line of more than 8192 bytes",
	    "a long line");
	has(many(s, "event a::", 200, "x", "", "\n"), "a name of more than 128 bytes",
	    "a long name");
	has(many(s, HEAD "array:char c; size:8; count:6000; = \"", 1200, "x", "", "\""),
	    "a string of more than 4096", "a long string");
	has(many(s, "", 4097, "event a::b", "\npurpose p\nfrom s:r\n" INT "\n", ""),
	    "more than 4096 events", "4,097 events");
	memset(big, '\n', sizeof(big));
	ok(stable_add(s, "big", big, sizeof(big), &e) < 0 &&
		   strstr(e.msg, "more than 1048576 bytes"),
	   "a text of over a mebibyte (else: a wrong path eats the memory)");
	ok(stable_add(s, "nul", "event a\0::b\n", 12, &e) < 0 && strstr(e.msg, "line 1, column 8"),
	   "a NUL is no end");
	is_str(add(s, ""), "", "an empty text defines nothing");
	stable_free(s);
}

static void put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd) < 0)
		bail("%s cannot be written", path);
}

static void test_paths(void)
{
	char dir[256], path[300], other[300];
	struct stable *s = stable_new();
	struct err e;

	tap_template(dir, sizeof(dir), "/tmp", "stable");
	if (!mkdtemp(dir))
		bail("no directory can be made");
	snprintf(path, sizeof(path), "%s/b.stable", dir);
	snprintf(other, sizeof(other), "%s/a.stable", dir);
	ok(stable_add_path(s, dir, &e) < 0 && e.kind == ERR_USAGE && !strcmp(e.path, dir) &&
		   strstr(e.msg, "no file *.stable"),
	   "a directory with nothing in it is refused");
	ok(stable_add_path(s, path, &e) < 0 && e.kind == ERR_SYS && !strcmp(e.path, path),
	   "a file that is not there is named");
	put_file(path, "event my::own\npurpose of b\nfrom a:b\n" INT);
	put_file(other, "event my::own\npurpose of a\nfrom a:b\n" INT);
	ok(stable_add_path(s, path, &e) == 0 && stable_find(s, "my", "own"), "a file is read");
	ok(stable_add_path(s, dir, &e) == 0 &&
		   !strcmp(stable_find(s, "my", "own")->purpose, "of b"),
	   "a directory is read in the order of its names (else: which one counts is chance)");
	is_str(stable_find(s, "my", "own")->file, path, "an event knows the path of its file");
	put_file(other, "event my::own\n");
	ok(stable_add_path(s, dir, &e) < 0 && !strcmp(e.path, other) && strstr(e.msg, "line 1"),
	   "an error in a directory names the file");
	unlink(path);
	unlink(other);
	rmdir(dir);
	stable_free(s);
}

/* Every text with a byte changed or cut: only a sanitizer or the time limit can fail. */
static void test_damaged(void)
{
	struct stable *s = stable_new();
	unsigned seed = 1, taken = 0;
	size_t n = sizeof(whole) - 1;
	struct err e;

	for (size_t i = 0; i <= n; i++) {
		char *text = malloc(n + 1);

		memcpy(text, whole, i);
		/* An end that the sanitizer sees. */
		text = mem_realloc(text, i ? i : 1);
		taken += stable_add(s, "x", text, i, &e) == 0;
		free(text);
	}
	for (unsigned i = 0; i < 20000; i++) {
		char *text = malloc(n);

		memcpy(text, whole, n);
		for (unsigned k = 0; k < 1 + i % 3; k++) {
			seed = seed * 1103515245 + 12345;
			text[(seed >> 8) % n] = i % 2 ? (char)(seed >> 24) : whole[(seed >> 4) % n];
		}
		taken += stable_add(s, "x", text, n, &e) == 0;
		free(text);
	}
	ok(taken > 0 && taken < 20000, "damaged texts are read or refused (%u read)", taken);
	stable_free(s);
}

int main(void)
{
	test_shipped();
	test_whole();
	test_replace();
	test_errors();
	test_bounds();
	test_paths();
	test_damaged();
	return tap_done();
}
