// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop that prints a record by the steps of its type.  Records may be hostile: steps read only
 * within the record, and their total output is bounded, as each step adds at most its own bytes and
 * widths.
 */
#include "text/steps/steps.h"

#include "trace/machine.h"
#include "text/steps/steps_priv.h"

#define CUT " [CUT]" /* ends a text that was cut */

static void text_until_nul(struct outbuf *o, struct span s)
{
	if (s.len)
		out_bytes(o, (const char *)s.p, strnlen((const char *)s.p, s.len));
}

static void fetched(struct outbuf *o, struct span s)
{
	if (!s.len) {
		out_str(o, "(fault)");
		return;
	}
	out_char(o, '"');
	text_until_nul(o, s);
	out_char(o, '"');
}

/*
 * The kernel reads the string at the address; a trace only has those of trace_printk and
 * tracepoint_string.
 */
static void kernel_string(struct outbuf *o, struct machine *m, uint64_t addr)
{
	const char *s = addr && m ? machine_printk(m, addr) : NULL;

	if (!addr) {
		out_str(o, "(null)");
	} else if (s) {
		out_str(o, s);
	} else {
		out_str(o, "(0x");
		out_hex(o, addr);
		out_char(o, ')');
	}
}

static void set_stars(struct printing *p, const struct step *s, struct spec *spec)
{
	if (s->more->width.from != OPERAND_NONE)
		spec_set_width(spec, (int64_t)step_number(p, &s->more->width));
	if (s->more->prec.from != OPERAND_NONE)
		spec_set_prec(spec, (int64_t)step_number(p, &s->more->prec));
}

/* The specification of S with the values of its stars. */
static struct spec with_stars(const struct spec *spec, const struct spec *star)
{
	struct spec s = *spec;

	if (s.star_width) {
		s.width = star->width;
		s.left |= star->left;
	}
	if (s.star_prec)
		s.prec = star->prec;
	return s;
}

static void decimal(struct outbuf *o, const struct spec *spec, uint64_t v)
{
	v = spec_value(spec, v);
	if (spec->is_signed)
		out_i64(o, (int64_t)v);
	else
		out_u64(o, v);
}

static void mask(struct printing *p, const struct step *s)
{
	struct span bytes = step_bytes(p, s);
	unsigned bits = bytes.len < UINT32_MAX / 8 ? bytes.len * 8 : 0;

	if (s->op == STEP_LIST && bits > FIELD_BITS_MAX) {
		helper_mask_list(p, bytes, FIELD_BITS_MAX);
		out_str(p->out, FIELD_BITS_CUT);
	} else if (s->op == STEP_LIST) {
		helper_mask_list(p, bytes, bits);
	} else {
		helper_mask(p, bytes, bits);
	}
}

static void cut(struct printing *p)
{
	size_t keep = p->from + p->max - strlen(CUT);

	if (p->out->len > keep)
		p->out->len = keep;
	out_str(p->out, CUT);
}

static void fit(struct printing *p, size_t mark, const struct spec *spec)
{
	size_t made = p->out->len;

	spec_fit_text(p->out, mark, spec);
	if (p->out->len < made)
		p->thrown += made - p->out->len;
}

static inline void put_literal(struct outbuf *o, const struct step *s)
{
	char *to = out_room(o, s->text_len + STEP_TEXT_SHORT);

	memcpy(to, s->text, STEP_TEXT_SHORT);
	if (s->text_len > STEP_TEXT_SHORT)
		memcpy(to + STEP_TEXT_SHORT, s->text + STEP_TEXT_SHORT,
		       s->text_len - STEP_TEXT_SHORT);
	o->len += s->text_len;
}

bool steps_run(const struct steps *steps, const struct event *ev, struct outbuf *out, size_t max)
{
	struct printing p = { .steps = steps, .ev = ev, .out = out, .from = out->len, .max = max };
	struct spec star = { .width = -1, .prec = -1 }, spec;
	size_t mark = out->len;

	if (steps->code.need > ev->size || steps->type->fixed > ev->size)
		return false;
	for (unsigned i = 0; i < steps->n; i++) {
		const struct step *s = &steps->v[i];

		put_literal(out, s);
		switch (s->op) {
		case STEP_LITERAL:
			break;
		case STEP_DEC:
			decimal(out, &s->spec, step_number(&p, &s->a));
			break;
		case STEP_HEX:
			out_hex(out, spec_value(&s->spec, step_number(&p, &s->a)));
			break;
		case STEP_NUMBER:
			if (s->spec.star_width || s->spec.star_prec) {
				spec = with_stars(&s->spec, &star);
				spec_put_number(out, &spec, step_number(&p, &s->a));
			} else {
				spec_put_number(out, &s->spec, step_number(&p, &s->a));
			}
			break;
		case STEP_CHAR:
			out_char(out, (char)step_number(&p, &s->a));
			break;
		case STEP_STRING:
			text_until_nul(out, step_bytes(&p, s));
			break;
		case STEP_FETCHED:
			fetched(out, step_bytes(&p, s));
			break;
		case STEP_KSTRING:
			kernel_string(out, steps->type->machine, step_number(&p, &s->a));
			break;
		case STEP_FLAGS:
			helper_flags(&p, s);
			break;
		case STEP_SYMBOLIC:
			helper_symbolic(&p, s);
			break;
		case STEP_BYTES:
			helper_bytes(&p, s);
			break;
		case STEP_ARRAY:
			helper_array(&p, s);
			break;
		case STEP_MASK:
		case STEP_LIST:
			mask(&p, s);
			break;
		case STEP_DUMP:
			helper_dump(&p, s);
			break;
		case STEP_CDB:
			text_cdb(out, step_bytes(&p, s));
			break;
		case STEP_XEN:
			text_hypercall(out, step_number(&p, &s->a));
			break;
		case STEP_SYMBOL:
			pointer_symbol(out, steps->type->machine, steps->dialect, s->spec.form,
				       step_number(&p, &s->a));
			break;
		case STEP_POINTER:
			spec = with_stars(&s->spec, &star);
			pointer_put(&p, s, &spec);
			break;
		case STEP_STAR:
			star.left = false;
			set_stars(&p, s, &star);
			break;
		case STEP_MARK:
			mark = out->len;
			break;
		case STEP_FIT:
			spec = with_stars(&s->spec, &star);
			fit(&p, mark, &spec);
			break;
		case STEP_JZ:
			if (!step_number(&p, &s->a))
				i = s->jump - 1;
			break;
		case STEP_JUMP:
			i = s->jump - 1;
			break;
		}
		if (printing_full(&p)) {
			cut(&p);
			break;
		}
	}
	return true;
}
