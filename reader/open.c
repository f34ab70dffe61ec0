// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open: finds out what an input is and opens it.  A new kind of input is a folder, and one line in
 * the table here.
 */
#include "reader/open.h"

#include "reader/ctf/ctf.h"
#include "reader/dat/dat.h"
#include "reader/ltt/ltt.h"
#include "reader/perf/perf.h"
#include "reader/stablefile/stablefile.h"
#include "reader/zedstream/carrier.h"
#include "reader/zedstream/zedstream.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct source_ops *const kinds[] = {
	&dat_source, /* a carrier begins as a zed stream does */
	&carrier_source, &zedstream_source, &stablefile_source, &perf_source,
	&ltt_source,	 &ctf_source,	    &raw_source, /* recognised by its name only: last */
};

/* Magic numbers of compressors, and the commands that unpack to a pipe. */
static const struct {
	uint8_t len, magic[6];
	const char *packer, *unpack;
} PACKERS[] = {
	{ 2, { 0x1f, 0x8b }, "gzip", "zcat" },
	{ 4, { 0x28, 0xb5, 0x2f, 0xfd }, "zstd", "zstdcat" },
	{ 6, { 0xfd, '7', 'z', 'X', 'Z', 0 }, "xz", "xzcat" },
	{ 3, { 'B', 'Z', 'h' }, "bzip2", "bzcat" },
	{ 4, { 0x04, 0x22, 0x4d, 0x18 }, "lz4", "lz4cat" },
};

/* Magic numbers of recordings: a file that ends within that, or just after it, is empty. */
static const struct {
	const char *magic;
	size_t len;
	const char *what;
} MAGICS[] = {
	{ DAT_MAGIC, DAT_MAGIC_LEN, "a trace.dat" },
	{ PERF_MAGIC, PERF_MAGIC_LEN, "a perf.data" },
	{ PERF_MAGIC_SWAPPED, PERF_MAGIC_LEN, "a perf.data" },
	{ FRAMES_MAGIC, FRAMES_MAGIC_LEN, "a zed stream" },
	{ STABLE_MAGIC, STABLE_MAGIC_LEN, "a file of stable events" },
};

static int cut_off(const uint8_t *head, size_t n, struct err *e)
{
	for (size_t i = 0; i < sizeof(MAGICS) / sizeof(MAGICS[0]); i++)
		if (!memcmp(head, MAGICS[i].magic, n < MAGICS[i].len ? n : MAGICS[i].len))
			return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
				       "is %s cut off after %zu byte%s: no event can be read: copy "
				       "it again, or record again",
				       MAGICS[i].what, n, plural(n));
	return 0;
}

static int packed(const struct input *in, const uint8_t *head, size_t n, struct err *e)
{
	for (size_t i = 0; i < sizeof(PACKERS) / sizeof(PACKERS[0]); i++)
		if (n >= PACKERS[i].len && !memcmp(head, PACKERS[i].magic, PACKERS[i].len))
			return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
				       "was packed by %s: unpack it, or read it through a pipe: %s "
				       "%s | zedprint -i -, or | zedperl -i - SCRIPT",
				       PACKERS[i].packer, PACKERS[i].unpack, in->path);
	return 0;
}

#define STATE_HEAD "zed-state-" /* zedperl(1), States */

/* Only printable ASCII and white space. */
static bool is_text(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(head[i] >= ' ' && head[i] < 0x7f) && !(head[i] >= '\t' && head[i] <= '\r'))
			return false;
	return n > 0;
}

static int unknown(const struct input *in, struct err *e)
{
	uint8_t head[64];
	ssize_t n = input_read_some(in, head, sizeof(head), 0, e);

	if (in->is_dir)
		return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			       "is a directory without a trace.dat: name the file of the trace "
			       "(a directory of perf.data has a file data, one of LTT has "
			       "control/ and eventdefs/, one of CTF has metadata)");
	if (n < 0)
		return -1;
	if (!n)
		return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			       "the file is empty (was the recording finished?)");
	TRY(cut_off(head, n, e));
	if ((size_t)n > STABLE_NAME_LEN && !memcmp(head, STABLE_MAGIC, STABLE_NAME_LEN))
		return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			       "is a file of stable events of another version than 1 (a newer "
			       "version of this program can read it)");
	TRY(packed(in, head, n, e));
	if ((size_t)n > strlen(STATE_HEAD) && !memcmp(head, STATE_HEAD, strlen(STATE_HEAD)))
		return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			       "is a state of zedperl --map, not a trace: zedperl --reduce SCRIPT "
			       "%s",
			       in->path);
	if (is_text(head, n))
		return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			       "this is text, not a trace: pass the recording (trace.dat, "
			       "perf.data) itself");
	return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
		       "is not a trace (a trace.dat, a perf.data, a zed stream of zedtrace "
		       "-o -, or the directory of an LTT trace, is wanted)");
}

/* The kind of the regular file, or directory, PATH; NULL: none, or by its name only. */
static const struct source_ops *kind_of(const char *path)
{
	const struct source_ops *found = NULL;
	struct input in = { 0 };
	struct stat st;
	struct err e;

	/* Input that cannot be read twice must not be read here. */
	if (stat(path, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) ||
	    input_open(&in, path, &e) < 0)
		return NULL;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !found; i++)
		if (kinds[i] != &raw_source && !in.piped && kinds[i]->probe(&in))
			found = kinds[i];
	input_close(&in);
	return found;
}

bool source_stat(const char *path, struct stat *st)
{
	struct stat inside;
	char other[PATH_MAX];
	bool is = stat(path, st) == 0;

	/* As input_open() names them. */
	snprintf(other, sizeof(other), "%s%s", path, is ? "/trace.dat" : ".dat");
	if (!is)
		return errno == ENOENT && stat(other, st) == 0;
	if (S_ISDIR(st->st_mode) && stat(other, &inside) == 0)
		*st = inside;
	return true;
}

bool source_is_read_once(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") || ctf_is_live(path) ||
	       (source_stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

bool source_is_trace(const char *path)
{
	return kind_of(path) != NULL;
}

bool source_has_parts(const char *path)
{
	const struct source_ops *kind;
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	if (S_ISREG(st.st_mode))
		return true;
	kind = kind_of(path);
	return kind && kind->ends;
}

struct source *source_open(const char *path, unsigned num, struct catalog *c,
			   const struct source_opts *o, struct err *e)
{
	uint64_t damage = o->notes ? o->notes->damage : 0;
	struct input in = { 0 };

	if (ctf_is_live(path)) {
		struct source *s = ctf_live_open(path, c, o, e);

		if (s)
			s->num = num;
		return s;
	}
	if (input_open_within(&in, path, o->writer_ms, e) < 0)
		return NULL;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i]->probe(&in)) {
			struct source *s;

			if (!kinds[i]->takes_pipe && input_spool(&in, e) < 0)
				goto fail;
			s = kinds[i]->open(&in, c, o, e);
			if (s) {
				s->num = num;
				input_say_failed(&s->in, o->notes, damage);
			}
			/* cppcheck-suppress returnDanglingLifetime ; it has copied IN */
			return s;
		}
	unknown(&in, e);
fail:
	err_path(e, in.path);
	input_close(&in);
	return NULL;
}
