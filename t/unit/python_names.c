// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which events a Python script is for, from its text: calls and functions that are code, and not
 * those in strings, comments and methods.  Without it zedpython --live records too little, or
 * refuses a script for events that it only writes about.
 *
 * of: programs/session/script_names.c programs/session/python_names.c
 */
#include "programs/session/script_names.h"
#include "t/lib/c/tap.h"

#include <stdio.h>
#include <string.h>

static void join(char *to, size_t size, const struct found_names *l)
{
	size_t len = 0;

	*to = '\0';
	for (unsigned i = 0; i < l->n && len < size; i++)
		len += snprintf(to + len, size - len, "%s%s", i ? " " : "", l->v[i]);
}

/* TEXT has these HANDLERS, and LINES. */
static void names(const char *text, const char *handlers, const char *lines, const char *what)
{
	struct script_names s = { .lines = { .n = 0 } };
	char found[300], told[300];

	python_names(&s, text, strlen(text));
	join(found, sizeof(found), &s.handlers);
	join(told, sizeof(told), &s.lines);
	ok(!strcmp(found, handlers) && !strcmp(told, lines), "%s", what);
	if (strcmp(found, handlers) != 0 || strcmp(told, lines) != 0)
		diag("it has '%s' and the lines '%s'", found, told);
	found_fini(&s.lines);
	found_fini(&s.handlers);
}

static void test_calls(void)
{
	names("@zed.on(\"sched:sched_switch\", where='x == 1')\ndef f(ts): pass\n",
	      "sched:sched_switch", "", "a decorator");
	names("@zed.trace.on('a:b')\n@trace.on(r\"c:*\")\n@mine.on('d:e')\n", "a:b c:*", "",
	      "of zed.trace, of a variable trace, and of no other object");
	names("zed.count('a:b', by='c')\nn = zed.top(\n    # the event\n    'd:e', 'f')\n",
	      "a:b d:e", "", "aggregations, also over lines with a comment");
	names("count('a:b')\n", "", "", "count() alone is another one");
	names("from zed import count, on\ncount('a:b')\n@on('c:d')\n", "a:b c:d", "",
	      "unless it was imported from zed");
	names("from zedx import on\n@on('c:d')\n", "", "", "zedx is not zed");
	names("zed.on(name)\nzed.on(f'{a}:b')\nzed.on('a b')\nzed.on('')\nzed.on('a:b\n", "", "",
	      "what is not known before the script runs");
	names("zed.synthetic('w:t', start='a:b', end=['c:d', \"e:f\"], match='start == 1',\n"
	      "    abort=('g:h',), fields=dict(start='no:event'))\n",
	      "a:b c:d e:f g:h", "", "the events that others are made from");
	names("zed.count('a:b')\nzed.count('a:b')\n", "a:b", "", "each once");
}

static void test_functions(void)
{
	names("def sched__sched_switch(cpu, secs):\n    pass\n", "sched:sched_switch", "",
	      "a function of the convention");
	names("def raw_syscalls__sys_enter(*a): pass\ndef a__b__c(): pass\n",
	      "raw_syscalls:sys_enter a:b__c", "", "the first two underscores part it");
	names("class C:\n    def a__b(self): pass\n    def __init__(self): pass\n"
	      "def __getattr__(n): pass\ndef trace_end(): pass\ndef a__(): pass\n",
	      "", "", "methods and other functions are none");
	names("undef a__b()\nx = 1; def_ = 2\n", "", "", "nor are other words");
}

static void test_text(void)
{
	names("'''\ndef a__b(): pass\nzed.on('c:d')\n'''\n\"\"\"\n# zedtrace: e\n\"\"\"\n", "", "",
	      "strings of several lines are none");
	names("x = \"zed.on('a:b')\" # zed.on('c:d')\n# def e__f(): pass\n", "", "",
	      "nor other strings and comments");
	names("x = 'it\\'s'; zed.on('a:b')\ny = ''; zed.on('c:d')\n", "a:b c:d", "",
	      "what follows a string is code again");
	names("#!/usr/bin/env zedpython\n# zedtrace: sched irq:*\n  #zedtrace: x:y\n"
	      "x = 1 # zedtrace: z\n",
	      "", "sched irq:* x:y", "lines that say it");
	names("x = 'never ends\nzed.on('a:b')\n", "a:b", "", "a string ends with its line");
	names("'''never ends\nzed.on('a:b')\n", "", "", "or, of three quotes, not at all");
	names("", "", "", "an empty script");
	names("def", "", "", "what ends within a word");
	names("zed.on(", "", "", "... within a call");
	names("zed.synthetic('a', start=", "", "", "... within another");
	names("x = '\\", "", "", "... after a backslash");
}

int main(void)
{
	test_calls();
	test_functions();
	test_text();
	return tap_done();
}
