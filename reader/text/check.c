// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check: turns the trees of a print format and a record into a yes or no: would libtraceevent,
 * which checks nothing, stay inside of this record and never divide by zero?  It evaluates what the
 * library would evaluate, in its way, and no more.
 */
#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WIDTHS 2048	 /* what the literal widths of a format may add up to */
#define MAX_STRINGS 8192 /* and arrays of char and symbols, before records are looked at */
#define MAX_ARRAYS 64	 /* helpers that print whole arrays */
/* bytes from a record's start that a field of a printed type may reach */
#define MAX_EXTENT 65536

/*
 * A value that the library would compute; not known: an address, or what a plugin's function says.
 */
struct value {
	uint64_t v;
	bool known;
};

static const struct value unknown = { 1, false };

static bool eval(const struct event *ev, const struct pf_node *n, struct value *out);

static struct value known(uint64_t v)
{
	return (struct value){ v, true };
}

/* The bytes of a field inside of the record; false: it reaches out of it. */
static bool inside(const struct event *ev, const struct field *f, struct span *s)
{
	if (f->loc == FIELD_AT || f->loc == FIELD_TAIL) {
		if (f->off > ev->size)
			return false;
	} else if ((uint64_t)f->off + f->size > ev->size) {
		return false;
	}
	return field_span(f, ev, s);
}

/* What the library makes of V by a cast to TYPE: it knows these, and leaves V alone otherwise. */
static uint64_t cast(const char *type, size_t n, uint64_t v)
{
	static const struct {
		const char *type;
		uint64_t mask;
		bool may_be_unsigned;
	} types[] = {
		{ "u8", 0xff, false },	      { "s8", 0xff, false },
		{ "u16", 0xffff, false },     { "s16", 0xffff, false },
		{ "u32", 0xffffffff, false }, { "s32", 0xffffffff, false },
		{ "char", 0xff, true },	      { "short", 0xffff, true },
		{ "int", 0xffffffff, true },
	};
	bool is_unsigned = n > 9 && !strncmp(type, "unsigned ", 9);

	if (is_unsigned) {
		type += 9;
		n -= 9;
	}
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (n == strlen(types[i].type) && !memcmp(type, types[i].type, n))
			return is_unsigned && !types[i].may_be_unsigned ? v : v & types[i].mask;
	return v;
}

/* The same for an item of an array that was cast to TYPE, a pointer: the " *" is left out. */
static uint64_t cast_item(const char *type, uint64_t v)
{
	size_t n = strlen(type);

	return n > 2 && type[n - 1] == '*' ? cast(type, n - 2, v) : v;
}

static bool eval_index(const struct event *ev, const struct pf_node *n, struct value *out)
{
	const struct pf_node *left = n->a;
	const char *type = NULL;
	struct value i;
	struct span s;
	uint64_t elem;

	if (!eval(ev, n->b, &i))
		return false;
	for (; left->kind == PF_CAST; left = left->a)
		type = type ? type : left->text;
	*out = unknown;
	if (left->kind == PF_DYN) {
		/* The library counts these in bytes. */
		return i.known && inside(ev, left->field, &s) && i.v < s.len;
	}
	if (left->kind != PF_FIELD) {
		/* No array: it computes the left side and says 0. */
		*out = known(0);
		return eval(ev, left, &i);
	}
	if (!i.known || !inside(ev, left->field, &s))
		return false;
	elem = left->field->elem ? left->field->elem : 1;
	/* A stack of five is kept in a record that is shorter than its array of eight. */
	if (left->field->loc != FIELD_AT && left->field->loc != FIELD_TAIL)
		return false;
	if (s.len < left->field->count * elem)
		s.len = left->field->count * elem;
	if (i.v >= s.len / elem)
		return false;
	if (left->elem != elem)
		return left->elem < elem;
	if (elem == 1 || elem == 2 || elem == 4 || elem == 8) {
		*out = known(field_load(s.p + i.v * elem, elem, left->field->swap));
		if (type)
			out->v = cast_item(type, out->v);
	}
	return true;
}

static bool eval_op(const struct event *ev, const struct pf_node *n, struct value *out)
{
	struct value l, r;

	if (n->op[0] == '[')
		return eval_index(ev, n, out);
	if (!eval(ev, n->a, &l))
		return false;
	if (n->op[0] == '?') {
		if (l.known)
			return eval(ev, l.v ? n->b->a : n->b->b, out);
		if (!eval(ev, n->b->a, &l) || !eval(ev, n->b->b, &r))
			return false;
		*out = unknown;
		return true;
	}
	if (!eval(ev, n->b, &r))
		return false;
	*out = unknown;
	if (n->op[0] == '/' || n->op[0] == '%') {
		if (!r.known || !r.v)
			return false;
		if (l.known)
			*out = known(n->op[0] == '/' ? l.v / r.v : l.v % r.v);
		return true;
	}
	if ((n->op[0] == '<' || n->op[0] == '>') && n->op[1] == n->op[0] && r.known && r.v >= 64)
		return false;
	if (!l.known || !r.known)
		return true;
	switch (n->op[0]) {
	case '!':
		*out = known(n->op[1] ? l.v != r.v : !r.v);
		return true;
	case '~':
		*out = known(~r.v);
		return true;
	case '|':
		*out = known(n->op[1] ? l.v || r.v : l.v | r.v);
		return true;
	case '&':
		*out = known(n->op[1] ? l.v && r.v : l.v & r.v);
		return true;
	case '<':
		*out = known(n->op[1] == '<' ? l.v << r.v : n->op[1] ? l.v <= r.v : l.v < r.v);
		return true;
	case '>':
		*out = known(n->op[1] == '>' ? l.v >> r.v : n->op[1] ? l.v >= r.v : l.v > r.v);
		return true;
	case '=':
		*out = known(l.v == r.v);
		return true;
	case '-':
		*out = known(l.v - r.v);
		return true;
	case '+':
		*out = known(l.v + r.v);
		return true;
	case '*':
		*out = known(l.v * r.v);
		return true;
	}
	/* '^' is one that some versions know and some say 0 for. */
	return true;
}

static bool eval(const struct event *ev, const struct pf_node *n, struct value *out)
{
	const struct field *f = n->field;
	struct span s;
	char *end;

	*out = known(0);
	switch (n->kind) {
	case PF_ATOM:
	case PF_STRING:
		out->v = strtoull(n->text, &end, 0);
		/* A word is looked up among the symbols. */
		if (!out->v && !isdigit((unsigned char)n->text[0]))
			*out = unknown;
		return true;
	case PF_FIELD:
		if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
			return true;
		if ((uint64_t)f->off + f->size > ev->size)
			*out = unknown;
		else
			out->v = field_load(ev->data + f->off, f->size, f->swap);
		return true;
	case PF_CAST:
		if (!eval(ev, n->a, out))
			return false;
		if (out->known)
			out->v = cast(n->text, strlen(n->text), out->v);
		return true;
	case PF_OP:
		return eval_op(ev, n, out);
	case PF_DYN_LEN:
		if (!inside(ev, f, &s))
			return false;
		out->v = s.len;
		return true;
	case PF_DYN:
		*out = unknown;
		return inside(ev, f, &s);
	case PF_FUNC:
		for (const struct pf_node *a = n->a; a; a = a->next)
			if (!eval(ev, a, out))
				return false;
		*out = unknown;
		return true;
	case PF_UNKNOWN:
		return false;
	default:
		return true;
	}
}

/* COUNT items of ELEM bytes of an array that N names.  *LEN grows by the bytes of text. */
static bool array_ok(const struct event *ev, const struct pf_node *n, uint64_t count, uint64_t elem,
		     uint64_t *len)
{
	struct span s;

	*len += count * 5 * elem; /* "0xff," */
	return inside(ev, n->field, &s) && count <= s.len && count * elem <= s.len;
}

/* What a helper prints for %s.  *LEN grows by the bytes of text, or of work, that it means. */
static bool string_ok(const struct event *ev, const struct pf_node *n, uint64_t *len)
{
	struct value v, size;
	struct span s;

	switch (n->kind) {
	case PF_FIELD:
		if (n->field->off > ev->size)
			return false;
		*len += n->field->size ? n->field->size : ev->size - n->field->off;
		return true;
	case PF_FLAGS:
	case PF_SYMBOLIC:
		return eval(ev, n->a, &v);
	case PF_HEX:
		return eval(ev, n->b, &v) && v.known &&
		       array_ok(ev, n->a, v.v & 0xffffffff, 1, len);
	case PF_ARRAY:
		if (!eval(ev, n->b, &v) || !eval(ev, n->c, &size) || !v.known || !size.known)
			return false;
		if (size.v != 1 && size.v != 2 && size.v != 4 && size.v != 8)
			return false;
		return array_ok(ev, n->a, v.v & 0xffffffff, size.v, len);
	case PF_GET_STR:
		if (!inside(ev, n->field, &s))
			return false;
		*len += s.len;
		return true;
	case PF_BITMASK:
		/* For a mask of no bytes the library asks for gigabytes. */
		if (!inside(ev, n->field, &s) || !s.len)
			return false;
		*len += (uint64_t)s.len * 24; /* "1000,1002," */
		return true;
	case PF_OP:
		if (n->op[0] != '?')
			return true;
		if (!eval(ev, n->a, &v))
			return false;
		if (v.known)
			return string_ok(ev, v.v ? n->b->a : n->b->b, len);
		return string_ok(ev, n->b->a, len) && string_ok(ev, n->b->b, len);
	case PF_FUNC:
		return eval(ev, n, &v);
	case PF_UNKNOWN:
		return false;
	default:
		return true;
	}
}

/* What %pM, %pI4, %pUb, %ph and the like read. */
static bool object_ok(const struct event *ev, const struct pf_node *n)
{
	struct value v;
	struct span s;

	while (n->kind == PF_CAST)
		n = n->a;
	switch (n->kind) {
	case PF_FIELD:
		return (uint64_t)n->field->off + n->field->size <= ev->size;
	case PF_DYN:
		return inside(ev, n->field, &s);
	case PF_FUNC:
		return eval(ev, n, &v);
	case PF_UNKNOWN:
		return false;
	default:
		return true;
	}
}

/* Does C print the name of a symbol? */
static bool of_symbol(const struct pf_conv *c)
{
	return c->kind == CONV_POINTER && c->letter && strchr("FfSs", c->letter);
}

/* Bytes of the name of the symbol at V, with its module. */
static uint64_t symbol_len(const struct event *ev, struct value v)
{
	const char *name, *module = NULL;

	if (!v.known)
		return SYMBOL_MAX;
	name = machine_symbol(ev->type->machine, v.v, NULL, &module);
	return name ? strlen(name) + (module ? strlen(module) : 0) : 0;
}

bool printfmt_record_ok(const struct printfmt *pf, const struct event *ev)
{
	uint64_t len = 0;

	for (unsigned i = 0; i < pf->nconvs; i++) {
		const struct pf_conv *c = &pf->convs[i];
		struct value v;

		if (c->width) {
			if (!eval(ev, c->width, &v) || !v.known ||
			    (v.v & 0xffffffff) > PF_MAX_WIDTH)
				return false;
			len += v.v & 0xffffffff;
		}
		switch (c->kind) {
		case CONV_NUMBER:
			if (!eval(ev, c->arg, &v))
				return false;
			break;
		case CONV_STRING:
			if (!string_ok(ev, c->arg, &len))
				return false;
			break;
		case CONV_POINTER:
			if (c->letter && strchr("mMiIUh", c->letter) ? !object_ok(ev, c->arg) :
								       !eval(ev, c->arg, &v))
				return false;
			if (of_symbol(c))
				len += symbol_len(ev, v);
			break;
		}
		if (len > pf_text_max(ev->size))
			return false;
	}
	return true;
}

/* ---- what can be said of a format once and for all ---- */

struct judge {
	const char *why;
	unsigned arrays, steps;
	uint64_t strings;
	bool risky;
};

static bool refuse(struct judge *j, const char *why)
{
	j->why = why;
	return false;
}

static bool dynamic(const struct field *f)
{
	return f->loc != FIELD_AT && f->loc != FIELD_TAIL;
}

/* Is there an index in N into what is no array? The library computes such a one twice. */
static bool odd_index(const struct pf_node *n)
{
	const struct pf_node *left;

	if (!n)
		return false;
	if (n->kind == PF_OP && n->op[0] == '[') {
		for (left = n->a; left && left->kind == PF_CAST; left = left->a)
			;
		if (!left || (left->kind != PF_FIELD && left->kind != PF_DYN))
			return true;
	}
	return odd_index(n->a) || odd_index(n->b) || odd_index(n->c);
}

/* What arrays of char in their place N would have copied. */
static uint64_t strings(const struct pf_node *n)
{
	if (n->kind == PF_FIELD && n->field)
		return n->field->size;
	if (n->kind == PF_OP && n->op[0] == '?' && n->b)
		return strings(n->b->a) + strings(n->b->b);
	return 0;
}

/* Is the first argument of an array helper one that the library finds its way to? */
static bool array_source(const struct pf_node *n)
{
	return n->field && (n->kind == PF_DYN || (n->kind == PF_FIELD && !dynamic(n->field)));
}

static bool judge(struct judge *j, const struct pf_node *n)
{
	const struct pf_node *left;

	if (!n)
		return true;
	if (++j->steps > PF_MAX_STEPS)
		return refuse(j, "too much to compute");
	if (n->field && ((uint64_t)n->field->off + n->field->size > MAX_EXTENT ||
			 (uint64_t)n->field->count * n->field->elem > MAX_EXTENT))
		return refuse(j, "a field beyond any record");
	switch (n->kind) {
	case PF_FIELD:
	case PF_GET_STR:
	case PF_BITMASK:
	case PF_DYN:
	case PF_DYN_LEN:
		if (!n->field)
			return refuse(j, "a field that does not exist");
		if (n->kind == PF_FIELD) {
			if (n->field->loc == FIELD_TAIL)
				j->risky = true;
			return true;
		}
		/* libtraceevent up to 1.8 adds the base of a __rel_loc to a NULL pointer here. */
		if (n->kind == PF_DYN_LEN && n->field->loc == FIELD_REL_LOC)
			return refuse(j, "the length of a __rel_loc");
		if (n->field->size != 4 && n->field->size != 2 && n->field->size != 8)
			return refuse(j, "a dynamic field that is none");
		if (!dynamic(n->field) && n->kind != PF_GET_STR)
			return refuse(j, "a dynamic field that is none");
		/*
		 * Synthetic events have a word in eight bytes.  For a string the library reads that
		 * word, else all of them as offset and length.
		 */
		if (dynamic(n->field) && n->field->size == 8 && n->kind != PF_GET_STR)
			return refuse(j, "a dynamic field of eight bytes");
		j->risky = true;
		return true;
	case PF_OP:
		if (!n->a || !n->b)
			return refuse(j, "an operator without a side");
		if (n->op[0] == '?' && (n->b->kind != PF_OP || n->b->op[0] != ':'))
			return refuse(j, "a ? without its :");
		if (n->op[0] == ':')
			return refuse(j, "a : without its ?");
		for (left = n->a; left->kind == PF_CAST; left = left->a)
			;
		if (n->op[0] == '[' && left->kind == PF_FIELD && left->field &&
		    dynamic(left->field))
			return refuse(j, "an index into a word that tells of an array");
		if (n->op[0] == '[' && left->kind != PF_FIELD && left->kind != PF_DYN &&
		    odd_index(n->b))
			return refuse(j, "an index within an index into no array");
		if (strchr("/%[<>", n->op[0]))
			j->risky = true;
		if (n->op[0] == '?')
			return judge(j, n->a) && judge(j, n->b->a) && judge(j, n->b->b);
		return judge(j, n->a) && judge(j, n->b);
	case PF_CAST:
	case PF_FLAGS:
	case PF_SYMBOLIC:
		return n->a ? judge(j, n->a) : refuse(j, "a helper without its value");
	case PF_HEX:
	case PF_ARRAY:
		if (++j->arrays > MAX_ARRAYS)
			return refuse(j, "too many arrays");
		if (!n->a || !n->b || (n->kind == PF_ARRAY && !n->c))
			return refuse(j, "an array helper without its arguments");
		if (!array_source(n->a))
			return refuse(j, "an array that is none");
		j->risky = true;
		return judge(j, n->a) && judge(j, n->b) && judge(j, n->c);
	case PF_FUNC:
		j->risky = true;
		for (const struct pf_node *a = n->a; a; a = a->next)
			if (!judge(j, a))
				return false;
		return true;
	case PF_UNKNOWN:
		j->risky = true;
		return true;
	default:
		return true;
	}
}

/* How many letters behind %p belong to it. */
static unsigned pointer_letters(const char *p)
{
	unsigned n = 1;

	switch (*p) {
	case 'F':
	case 'S':
	case 'f':
	case 's':
		return 1;
	case 'M':
	case 'm':
		return p[1] == 'R' || p[1] == 'F' ? 2 : 1;
	case 'I':
	case 'i':
		if (p[1] == 'S')
			for (n = 2; p[n] && strchr("pfs", p[n]); n++)
				;
		else if (p[1] == '4' || p[1] == '6')
			n = 2;
		else
			return 1;
		if (p[1] != '6' && p[n] && strchr("hnlb", p[n]))
			n++;
		if (p[1] != '4' && p[n] == 'c')
			n++;
		return n;
	case 'U':
		return p[1] && strchr("LlBb", p[1]) ? 2 : 1;
	case 'h':
		return p[1] && strchr("CDN", p[1]) ? 2 : 1;
	}
	return 0;
}

int printfmt_conv(const char **p, struct pf_conv *c, unsigned *stars, unsigned *width,
		  const char **why)
{
	const char *s = *p;
	unsigned number = 0;

	memset(c, 0, sizeof(*c));
	*stars = *width = 0;
	while (*s && !(*s == '%' && s[1] != '%')) {
		if ((*s == '\\' || *s == '%') && s[1])
			s++;
		s++;
	}
	*p = s;
	if (!*s)
		return 0;
	c->spec = s;
	for (s++; *s; s++) {
		if (isdigit((unsigned char)*s)) {
			number = number * 10 + (*s - '0');
			if (number > PF_MAX_WIDTH) {
				*why = "too wide a conversion";
				return -1;
			}
			continue;
		}
		*width += number;
		number = 0;
		switch (*s) {
		case '#':
		case '.':
		case '-':
		case '+':
			continue;
		case 'h':
			c->longs--;
			continue;
		case 'l':
			c->longs++;
			continue;
		case 'L':
			c->longs = 2;
			continue;
		case 'z':
		case 'Z':
			c->longs = 1;
			continue;
		case '*':
			++*stars;
			continue;
		case 'p':
			c->kind = CONV_POINTER;
			c->letter = pointer_letters(s + 1) ? s[1] : 0;
			s += pointer_letters(s + 1);
			break;
		case 's':
			/* vsnprintf() would take the text for wide characters. */
			if (c->longs || memchr(c->spec, 'l', s - c->spec) ||
			    memchr(c->spec, 'L', s - c->spec) ||
			    memchr(c->spec, 'z', s - c->spec)) {
				*why = "a %s of wide characters";
				return -1;
			}
			c->kind = CONV_STRING;
			c->letter = 's';
			break;
		case 'c':
			if (c->longs > 0) {
				*why = "a wide character";
				return -1;
			}
			/* fall through */
		case 'd':
		case 'u':
		case 'i':
		case 'x':
		case 'X':
		case 'o':
			c->kind = CONV_NUMBER;
			c->letter = *s;
			break;
		default:
			/* The library prints such a one as ">c<" and takes no argument. */
			c->letter = '>';
			break;
		}
		c->spec_len = s + 1 - c->spec;
		*p = s + 1;
		if (c->spec_len > 30 || c->longs < -2 || c->longs > 2) {
			*why = "a conversion that makes no sense";
			return -1;
		}
		return 1;
	}
	*p = s;
	c->spec_len = s - c->spec;
	c->letter = '>';
	return 1;
}

int printfmt_check(struct printfmt *pf, struct arena *a, const char **why)
{
	const struct pf_node *arg = pf->args;
	const char *p = pf->text;
	struct judge j = { 0 };
	unsigned stars, width, widths = 0;
	size_t cap = 0;
	struct pf_conv *convs = NULL, c;
	int r;

	pf->nconvs = 0;
	j.steps = pf->table_steps;
	if (strlen(pf->text) > PF_MAX_TEXT)
		refuse(&j, "too long a line");
	while (!j.why && (r = printfmt_conv(&p, &c, &stars, &width, &j.why)) > 0) {
		widths += width;
		j.steps += PF_CONV_STEPS;
		if (widths > MAX_WIDTHS)
			refuse(&j, "too wide a line");
		if (stars > 1)
			refuse(&j, "a conversion with two widths");
		if (j.why)
			break;
		if (stars) {
			if (!arg) {
				pf->short_of_args = true;
				break;
			}
			j.risky = true;
			c.width = arg;
			if (!judge(&j, arg))
				break;
			arg = arg->next;
		}
		if (c.letter == '>' || (c.letter == 'c' && pf->lacks & PF_LACKS_CHAR))
			continue;
		if (!arg) {
			pf->short_of_args = true;
			break;
		}
		if (!judge(&j, arg))
			break;
		c.arg = arg;
		if (c.kind == CONV_POINTER && c.letter && strchr("mMiIUh", c.letter))
			j.risky = true;
		if (c.kind == CONV_STRING)
			j.strings += strings(arg);
		if (of_symbol(&c))
			j.strings += SYMBOL_MAX;
		if (j.strings > MAX_STRINGS)
			j.risky = true;
		arg = arg->next;
		convs = mem_grow(convs, &cap, pf->nconvs + 1, sizeof(*convs));
		convs[pf->nconvs++] = c;
	}
	if (pf->nconvs) {
		pf->convs = arena_alloc(a, pf->nconvs * sizeof(*convs));
		memcpy(pf->convs, convs, pf->nconvs * sizeof(*convs));
	}
	free(convs);
	pf->risky = j.risky;
	*why = j.why;
	return j.why ? -1 : 0;
}
