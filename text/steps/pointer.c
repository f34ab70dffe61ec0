// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The forms of the kernel's %p: symbols, network and hardware addresses, UUIDs, bytes and masks.  A
 * bare %p is the pointer itself: traces are not hashed.
 */
#include "trace/machine.h"
#include "text/steps/steps_priv.h"

static const char LOWER[] = "0123456789abcdef", UPPER[] = "0123456789ABCDEF";

enum pointer_of pointer_kind(const char *form)
{
	switch (form[0]) {
	case '\0':
	case 'x':
	case 'K':
	case 'e':
		return POINTER_NUMBER;
	case 'S':
	case 's':
	case 'B':
	case 'F':
	case 'f':
		return POINTER_SYMBOL;
	case 'I':
	case 'i':
		return form[1] == '4' || form[1] == '6' || (form[0] == 'I' && form[1] == 'S') ?
			       POINTER_BYTES :
			       POINTER_UNKNOWN;
	case 'M':
	case 'm':
	case 'U':
	case 'h':
	case 'b':
		return POINTER_BYTES;
	case 'N':
		return form[1] == 'F' ? POINTER_BYTES : POINTER_UNKNOWN;
	case 'a':
		return POINTER_BYTES;
	case 'D':
	case 'd':
	case 'E':
	case 'G':
	case 'V':
	case 'C':
	case 'R':
	case 'r':
	case 'O':
	case 't':
	case 'g':
		return POINTER_UNKNOWN;
	default:
		/* A letter that is not one of %p's is text after a pointer. */
		return POINTER_NUMBER;
	}
}

/* ---- symbols ---- */

void pointer_symbol(struct outbuf *o, struct machine *m, enum dialect dialect, const char *form,
		    uint64_t addr)
{
	bool only = !strcmp(form, SYMBOL_NAME_ONLY), report = dialect == DIALECT_REPORT;
	bool offset = !only && form[0] != 's' && form[0] != 'f', back = form[0] == 'B';
	uint64_t start, size;
	const char *name, *module;

	name = m ? machine_kernel_symbol(m, addr - back, &start, &size, &module) : NULL;
	if (!name) {
		out_bytes(o, "0x", 2);
		out_hex(o, addr);
		return;
	}
	out_str(o, name);
	if (offset) {
		out_bytes(o, "+0x", 3);
		out_hex(o, addr - start);
	}
	if (offset && !report) {
		out_bytes(o, "/0x", 3);
		out_hex(o, size);
	}
	if (module && !only && !report) {
		out_bytes(o, " [", 2);
		out_str(o, module);
		out_char(o, ']');
	}
}

/* ---- addresses ---- */

static void hex_byte(struct outbuf *o, uint8_t b, const char *digits)
{
	out_char(o, digits[b >> 4]);
	out_char(o, digits[b & 15]);
}

static void mac(struct outbuf *o, const uint8_t *b, const char *form)
{
	for (unsigned i = 0; i < 6; i++) {
		if (i && form[0] == 'M')
			out_char(o, form[1] == 'F' ? '-' : ':');
		hex_byte(o, b[form[1] == 'R' ? 5 - i : i], LOWER);
	}
}

/* LEADING: three digits each.  BACKWARDS: of a number in little endian. */
static void ip4(struct outbuf *o, const uint8_t *b, bool leading, bool backwards)
{
	for (unsigned i = 0; i < 4; i++) {
		uint8_t v = b[backwards ? 3 - i : i];

		if (i)
			out_char(o, '.');
		if (leading)
			out_u64_pad(o, v, 3, '0');
		else
			out_u64(o, v);
	}
}

static void ip6_full(struct outbuf *o, const uint8_t *b, bool colons)
{
	for (unsigned i = 0; i < 16; i++) {
		if (i && !(i & 1) && colons)
			out_char(o, ':');
		hex_byte(o, b[i], LOWER);
	}
}

/* The longest run of two or more zero words among the first N; *LEN 0: none. */
static unsigned zeroes(const uint16_t *w, unsigned n, unsigned *len)
{
	unsigned best = 0;

	*len = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = i;

		while (k < n && !w[k])
			k++;
		if (k - i > *len) {
			best = i;
			*len = k - i;
		}
	}
	if (*len < 2)
		*len = 0;
	return best;
}

static void ip6_short(struct outbuf *o, const uint8_t *b)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool isatap = (b[8] & ~2) == 0 && !b[9] && b[10] == 0x5e && b[11] == 0xfe;
	bool v4 = !memcmp(b, mapped, 12) || isatap;
	unsigned n = v4 ? 6 : 8, len, at;
	uint16_t w[8];

	for (unsigned i = 0; i < 8; i++)
		w[i] = (uint16_t)(b[2 * i] << 8 | b[2 * i + 1]);
	at = zeroes(w, n, &len);
	for (unsigned i = 0; i < n; i++) {
		if (len && i == at) {
			/* The previous word ended with a colon. */
			out_bytes(o, "::", i ? 1 : 2);
			i += len - 1;
			continue;
		}
		out_hex(o, w[i]);
		if (i + 1 < n || v4)
			out_char(o, ':');
	}
	if (v4)
		ip4(o, b + 12, false, false);
}

static bool has(const char *form, char letter)
{
	return strchr(form, letter) != NULL;
}

/* %pIS: the sockaddr has the family. */
static void sockaddr(struct printing *p, struct span s, const char *form)
{
	bool swap = p->ev->type->machine && p->ev->type->machine->swap;
	uint8_t b[28] = { 0 };
	bool port = has(form + 2, 'p');
	struct outbuf *o = p->out;
	uint16_t family;

	memcpy(b, s.p, s.len < sizeof(b) ? s.len : sizeof(b));
	family = (uint16_t)field_load(b, 2, swap);
	if (family == 2) {
		ip4(o, b + 4, form[0] == 'i', false);
	} else if (family == 10) {
		bool more = port || has(form + 2, 'f') || has(form + 2, 's');

		if (more && has(form + 2, 'c'))
			out_char(o, '[');
		if (has(form + 2, 'c'))
			ip6_short(o, b + 8);
		else
			ip6_full(o, b + 8, form[0] == 'I');
		if (more && has(form + 2, 'c'))
			out_char(o, ']');
	} else {
		out_str(o, "(einval)");
		return;
	}
	if (port) {
		out_char(o, ':');
		out_u64(o, (uint64_t)b[2] << 8 | b[3]);
	}
	if (family == 10 && has(form + 2, 'f')) {
		out_char(o, '/');
		out_u64(o, ((uint64_t)(b[4] & 0x0f) << 24 | b[5] << 16 | b[6] << 8 | b[7]));
	}
	if (family == 10 && has(form + 2, 's')) {
		out_char(o, '%');
		out_u64(o, field_load(b + 24, 4, swap));
	}
}

static void uuid(struct outbuf *o, const uint8_t *b, char kind)
{
	static const uint8_t little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	bool le = kind == 'l' || kind == 'L', upper = kind == 'L' || kind == 'B';

	for (unsigned i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out_char(o, '-');
		hex_byte(o, b[le ? little[i] : i], upper ? UPPER : LOWER);
	}
}

/* %*ph: at most 64 bytes. */
static void bytes(struct outbuf *o, struct span s, const struct spec *spec)
{
	unsigned n = spec->width > 0 ? (unsigned)spec->width : 1;
	char kind = spec->form[1];
	char between = kind == 'C' ? ':' : kind == 'D' ? '-' : kind == 'N' ? 0 : ' ';

	n = n < 64 ? n : 64;
	for (unsigned i = 0; i < n && i < s.len; i++) {
		if (i && between)
			out_char(o, between);
		hex_byte(o, s.p[i], LOWER);
	}
}

/* As the C library prints a pointer, which trace-cmd uses. */
void pointer_plain(struct outbuf *o, uint64_t v)
{
	if (!v) {
		out_bytes(o, "(nil)", 5);
		return;
	}
	out_bytes(o, "0x", 2);
	out_hex(o, v);
}

static void number(struct printing *p, const struct spec *spec, uint64_t v)
{
	struct spec s = *spec;

	s.is_signed = false;
	if (s.form[0] == 'e' && (int64_t)v < 0 && (int64_t)v >= -4095) {
		out_i64(p->out, (int64_t)v);
		return;
	}
	if (s.width < 0) {
		s.width = 2 * s.size + (s.special ? 2 : 0);
		s.zero = true;
	}
	if (p->steps->dialect == DIALECT_REPORT)
		pointer_plain(p->out, spec_value(&s, v));
	else
		spec_put_number(p->out, &s, v);
	/* Letters that are not %p's, printed unchanged. */
	if (s.form[0] && s.form[0] != 'x' && s.form[0] != 'K' && s.form[0] != 'e')
		out_str(p->out, s.form);
}

/* "0x" and all digits of SIZE bytes. */
static void fixed_hex(struct outbuf *o, uint64_t v, unsigned size)
{
	struct spec s = { .size = size,
			  .base = 16,
			  .special = true,
			  .zero = true,
			  .width = 2 * size + 2,
			  .prec = -1 };

	spec_put_number(o, &s, v);
}

void pointer_put(struct printing *p, const struct step *s, const struct spec *spec)
{
	const char *form = spec->form;
	bool swap = p->ev->type->machine && p->ev->type->machine->swap;
	bool big = p->ev->type->machine && p->ev->type->machine->big_endian;
	struct span span;
	uint8_t b[16] = { 0 };
	unsigned size;

	if (pointer_kind(form) != POINTER_BYTES) {
		number(p, spec, step_number(p, &s->a));
		return;
	}
	span = step_bytes(p, s);
	memcpy(b, span.p, span.len < sizeof(b) ? span.len : sizeof(b));
	switch (form[0]) {
	case 'M':
	case 'm':
		mac(p->out, b, form);
		break;
	case 'I':
	case 'i':
		if (form[1] == 'S')
			sockaddr(p, span, form);
		else if (form[1] == '4')
			ip4(p->out, b, form[0] == 'i', form[2] == 'l' || (form[2] == 'h' && !big));
		else if (form[2] == 'c')
			ip6_short(p->out, b);
		else
			ip6_full(p->out, b, form[0] == 'I');
		break;
	case 'U':
		uuid(p->out, b, form[1]);
		break;
	case 'h':
		bytes(p->out, span, spec);
		break;
	case 'b':
		if (form[1] == 'l')
			helper_mask_list(p, span, spec->width > 0 ? (unsigned)spec->width : 0);
		else
			helper_mask(p, span, spec->width > 0 ? (unsigned)spec->width : 0);
		break;
	case 'N':
		fixed_hex(p->out, field_load(b, 8, swap), 8);
		break;
	case 'a':
		size = span.len >= 8 ? 8 : 4;
		fixed_hex(p->out, field_load(b, size, swap), size);
		break;
	}
}
