/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ROWS_H
#define ZED_PROGRAMS_ROWS_H

#include "base/err.h"

/*
 * An option is a row of a table.  How it is read (values.h), its --help and completion (help.h),
 * and its conflicts (conflicts.h) follow from its row.
 */

struct cli;

/* The kind of an option's value, and the type of the member that gets it. */
enum cli_type {
	CLI_ASKS,     /* none: only whether it was given */
	CLI_CALL,     /* passed to set() */
	CLI_LATER,    /* passed to number .word of cli.chooser, once all options are known */
	CLI_FLAG,     /* bool: true; no value */
	CLI_CONST,    /* unsigned: .word; no value */
	CLI_TEXT,     /* const char *, borrowed, as all texts */
	CLI_NAME,     /* the same, not empty */
	CLI_TEXTS,    /* struct cli_texts: one more */
	CLI_NUMBER,   /* unsigned, from 1 to .most */
	CLI_COUNT,    /* uint64_t, from 1 to .most (0: as many as there are) */
	CLI_SIZE,     /* uint64_t: bytes, "4096", "64K", "2G"; 0 for none */
	CLI_KB,	      /* unsigned: KiB, "4096" of them, "64K", "16M" */
	CLI_DURATION, /* uint64_t: ns, "2.5", "500ms", from .least to .most (0: any) */
	CLI_AMOUNT,   /* struct amount: bytes, "64M", or ns, "10s" */
	CLI_TIME,     /* struct time_word */
	CLI_WORD,     /* unsigned: that of one of .words; .word without a value */
};

/* Texts in the order in which they were given, each borrowed. */
struct cli_texts {
	const char **v;
	unsigned n;
	size_t cap;
};

void texts_add(struct cli_texts *t, const char *text);
void texts_fini(struct cli_texts *t);

/* Further properties of an option; several may apply. */
enum cli_trait {
	CLI_CHOOSES = 1, /* it chooses the events of an answer, or their times */
	CLI_APART = 2, /* a time, say: its meaning for one trace may differ for several together */
	CLI_SETS = 4,  /* a setting of a tracing instance: for its owner to choose */
	CLI_FLEET = 8, /* it controls the processes of -j, and is not passed to them */
	CLI_LINE = 16, /* for the command line alone: not a setting in a file (config.h) */
};

/* A word that an option takes.  A list of them ends with name = NULL. */
struct cli_word {
	const char *name;
	unsigned means;
};

/* One option.  A table of them ends with name = NULL. */
struct cli_opt {
	const char *name; /* long name, without "--"; "" for one that only has a letter */
	int key;	  /* its letter, or 0 */
	const char *arg;  /* the name of its argument in the help; NULL: it takes none;
				   "[=WHAT]": it may have one, joined by '=' */
	const char *help; /* one line; a '\n' in it starts another, indented by the help */

	enum cli_type type;
	size_t at;	      /* the member's offset in the struct of the table (cli_table.of) */
	uint64_t least, most; /* numbers and durations */
	const char *beyond;   /* text after "'VALUE'" for one beyond these; NULL: the range */
	const struct cli_word *words;
	unsigned word;
	/* VALUE: the argument or NULL.  -1 with E (ERR_USAGE): reported with the option's name. */
	int (*set)(struct cli *c, const struct cli_opt *o, const char *value, struct err *e);

	unsigned modes;	     /* in which it is valid; 0: as its table */
	const char *instead; /* the message in other modes; NULL: that of its first mode */
	unsigned traits;     /* enum cli_trait */
};

/* A row's type and place: MEMBER of struct S, which is a T. */
#define CLI_AT(s, member, t) _Generic((struct s){}.member, t : offsetof(struct s, member))

/* clang-format off */
#define OPT_ASKS .type = CLI_ASKS
#define OPT_CALL(fn) .type = CLI_CALL, .set = fn
#define OPT_LATER(n) .type = CLI_LATER, .word = n
#define OPT_FLAG(s, member) .type = CLI_FLAG, .at = CLI_AT(s, member, bool)
#define OPT_CONST(s, member, n) .type = CLI_CONST, .at = CLI_AT(s, member, unsigned), .word = n
#define OPT_TEXT(s, member) .type = CLI_TEXT, .at = CLI_AT(s, member, const char *)
#define OPT_NAME(s, member) .type = CLI_NAME, .at = CLI_AT(s, member, const char *)
#define OPT_TEXTS(s, member) .type = CLI_TEXTS, .at = CLI_AT(s, member, struct cli_texts)
#define OPT_NUMBER(s, member, n) .type = CLI_NUMBER, .at = CLI_AT(s, member, unsigned), .most = n
#define OPT_COUNT(s, member, n) .type = CLI_COUNT, .at = CLI_AT(s, member, uint64_t), .most = n
#define OPT_SIZE(s, member) .type = CLI_SIZE, .at = CLI_AT(s, member, uint64_t)
#define OPT_KB(s, member) .type = CLI_KB, .at = CLI_AT(s, member, unsigned)
#define OPT_DURATION(s, member) .type = CLI_DURATION, .at = CLI_AT(s, member, uint64_t)
#define OPT_AMOUNT(s, member) .type = CLI_AMOUNT, .at = CLI_AT(s, member, struct amount)
#define OPT_TIME(s, member) .type = CLI_TIME, .at = CLI_AT(s, member, struct time_word)
#define OPT_WORD(s, member, list) .type = CLI_WORD, .at = CLI_AT(s, member, unsigned), .words = list
/* clang-format on */

/*
 * A mode of a program.  In a list of them, which ends with name = NULL, number N is the bit 1 << N;
 * the first is that without an option.
 */
struct cli_mode {
	const char *name;    /* long name of the option that selects it; a name for the first */
	const char *instead; /* the message about an option only for this mode, in another one */
};

/*
 * What cannot be given together although the modes allow it.  An item is the long name of an
 * option; "output=-": with this value; "live=*": with any; a trait, "SETS"; "WORDS", "COMMAND":
 * there are some; "live+instance": all of these.  Items are separated by blanks; one of them is
 * enough.
 */
struct cli_rule {
	unsigned modes; /* in which it applies; 0: in all */
	const char *these;
	enum cli_relation { CLI_NOT_WITH, CLI_NEEDS } is;
	const char *those;
	const char *why; /* "ONE does not go with OTHER: WHY"; "ONE WHY" if it needs another */
};

/* Options that belong together.  A list of tables ends with opts = NULL. */
struct cli_table {
	const struct cli_opt *opts;
	/* Of their members: cli.arg, .session, .script, the struct cli itself. */
	enum cli_of { CLI_OF_PROGRAM, CLI_OF_SESSION, CLI_OF_SCRIPT, CLI_OF_CLI } of;
	const char *head;	      /* a line of --help before them; or NULL */
	unsigned modes;		      /* in which they are valid; 0: in all */
	const struct cli_rule *rules; /* ends with these = NULL; or NULL */
};

#endif
