// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Some events are commonly shown with a text other than their print format's, but with the same
 * values.  Such a text is a form: it places the values, and the print format defines them, so
 * tables and expressions are those of the traced kernel.
 */
#include "text/printfmt/form.h"

#include "base/ascii.h"
#include "base/outbuf.h"

#include <string.h>

#define MAX_VALUES 32 /* of a print format; the rest is ignored */

/* The value after a name. */
struct named_form {
	const char *name, *text;
	size_t name_len, len;
	const struct pf_node *arg; /* the first of nargs, linked by next */
	unsigned nargs;
};

static size_t word_len(const char *p)
{
	size_t n = 0;

	while (ascii_word(p[n]))
		n++;
	return ascii_digit(*p) ? 0 : n;
}

static void finish(struct named_form *v, const char *end)
{
	while (end > v->text && (end[-1] == ' ' || end[-1] == ','))
		end--;
	v->len = end - v->text;
}

unsigned form_conversion(const char **p)
{
	unsigned n = 1;

	if (*++*p == '%') {
		++*p;
		return 0;
	}
	for (; **p && strchr("#0-+ .*123456789hlLqjzZt", **p); ++*p)
		n += **p == '*';
	if (**p == 'p')
		while (ascii_alnum((*p)[1]))
			++*p;
	*p += **p != '\0';
	return n;
}

/* Fill V with the names of PF; returns how many there are. */
static unsigned names_of(const struct printfmt *pf, struct named_form *v)
{
	const struct pf_node *arg = pf->args;
	const char *p = pf->text;
	unsigned n = 0;
	size_t word;

	while (*p) {
		unsigned takes;

		word = word_len(p);
		if (word && (p[word] == '=' || p[word] == ':')) {
			if (n)
				finish(&v[n - 1], p);
			if (n == MAX_VALUES)
				return n;
			v[n++] = (struct named_form){
				.name = p, .name_len = word, .text = p + word + 1, .arg = arg
			};
		}
		if (*p != '%') {
			p += word ? word : 1;
			continue;
		}
		for (takes = form_conversion(&p); takes && arg; takes--, arg = arg->next)
			if (n)
				v[n - 1].nargs++;
		if (takes)
			return 0;
	}
	if (n)
		finish(&v[n - 1], p);
	return n;
}

/* Append copies of the arguments of V after *LAST. */
static struct pf_node **add_arguments(struct pf_node **last, const struct named_form *v,
				      struct arena *a)
{
	const struct pf_node *arg = v->arg;

	for (unsigned i = 0; i < v->nargs; i++, arg = arg->next) {
		struct pf_node *copy = arena_alloc(a, sizeof(*copy));

		*copy = *arg;
		copy->next = NULL;
		*last = copy;
		last = &copy->next;
	}
	return last;
}

bool form_apply(struct printfmt *pf, const char *form, struct arena *a)
{
	struct named_form v[MAX_VALUES];
	unsigned n = names_of(pf, v), i;
	struct pf_node *args = NULL, **last = &args;
	struct outbuf o = { 0 };
	size_t len;

	while (*form) {
		if (*form != '{') {
			out_char(&o, *form++);
			continue;
		}
		len = word_len(++form);
		for (i = 0; i < n; i++)
			if (v[i].name_len == len && !memcmp(v[i].name, form, len))
				break;
		if (i == n) {
			outbuf_fini(&o);
			return false;
		}
		out_bytes(&o, v[i].text, v[i].len);
		last = add_arguments(last, &v[i], a);
		form += len + 1;
	}
	pf->text = arena_strndup(a, o.p, o.len);
	pf->args = args;
	outbuf_fini(&o);
	return true;
}
