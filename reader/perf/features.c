// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * features: the metadata of a perf.data: the machine, the clock, the command line, the names of
 * events.  A file has them in sections, a pipe in records; the payloads are the same.
 */
#include "base/mem.h"
#include "base/outbuf.h"
#include "trace/chain.h"
#include "reader/perf/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 65536	  /* of the command line */
#define MAX_CMDLINE 65536 /* bytes of it kept */
#define COMPRESSED_ZSTD 1 /* the only type there is */
#define MAX_STRING 65536  /* bytes of another string */

/* The clocks of clock_gettime(), by ftrace's names. */
static const struct {
	int32_t id;
	const char *name;
} clocks[] = {
	{ 0, "realtime" }, { 1, "mono" }, { 4, "mono_raw" }, { 7, "boot" }, { 11, "tai" },
};

/* u32 length, then that many bytes: text up to its NUL. */
static int string(struct cursor *c, const char **p, size_t *len, struct err *e)
{
	const uint8_t *bytes;
	uint32_t n;

	TRY(cursor_u32(c, &n, e));
	TRY(cursor_bytes(c, n, &bytes, e));
	*p = (const char *)bytes;
	*len = strnlen(*p, n < MAX_STRING ? n : MAX_STRING);
	return 0;
}

static int keep_string(struct cursor *c, char **to, struct err *e)
{
	const char *p;
	size_t len;

	TRY(string(c, &p, &len, e));
	free(*to);
	*to = mem_strndup(p, len);
	return 0;
}

static int command_line(struct perf *f, struct cursor *c, struct err *e)
{
	struct {
		char *p;
		size_t len, cap;
	} out = { 0 };
	const char *p;
	uint32_t n;
	size_t len;
	int rc = 0;

	TRY(cursor_u32(c, &n, e));
	for (uint32_t i = 0; i < n && i < MAX_WORDS && rc == 0; i++) {
		rc = string(c, &p, &len, e);
		if (rc < 0 || len > MAX_CMDLINE - out.len)
			break;
		out.p = mem_grow(out.p, &out.cap, out.len + len + 2, 1);
		if (out.len)
			out.p[out.len++] = ' ';
		memcpy(out.p + out.len, p, len);
		out.len += len;
		out.p[out.len] = '\0';
	}
	free(f->about.cmdline);
	f->about.cmdline = out.p;
	return rc;
}

/* The names of events, by the ids of each. */
static int event_desc(struct perf *f, struct cursor *c, struct err *e)
{
	uint32_t n, size, nids;
	struct cursor attr;
	const char *name;
	size_t len;
	uint64_t id;

	TRY(cursor_u32(c, &n, e));
	TRY(cursor_u32(c, &size, e));
	for (uint32_t i = 0; i < n; i++) {
		struct perf_attr *a = i < f->attrs.n && n == f->attrs.n ? f->attrs.v[i] : NULL;

		TRY(cursor_sub(c, size, &attr, e));
		TRY(cursor_u32(c, &nids, e));
		TRY(string(c, &name, &len, e));
		for (uint32_t k = 0; k < nids; k++) {
			TRY(cursor_u64(c, &id, e));
			/* They are in the order of the events, unless some were omitted. */
			if (!k && f->attrs.n > 1 && attrs_find(&f->attrs, id))
				a = attrs_find(&f->attrs, id);
		}
		if (a)
			attrs_set_name(&f->attrs, a, name, len);
	}
	return 0;
}

static int cpus(struct perf *f, struct cursor *c, struct err *e)
{
	uint32_t available;

	TRY(cursor_u32(c, &available, e));
	if (available > PERF_MAX_CPUS)
		return err_set(e, ERR_FORMAT, c->base, "%u CPUs are not possible", available);
	f->base.cpu_count = available;
	if (available > f->about.cpus)
		f->about.cpus = available;
	return 0;
}

static int clock_data(struct perf *f, struct cursor *c, struct err *e)
{
	uint32_t version, id;

	TRY(cursor_u32(c, &version, e));
	TRY(cursor_u32(c, &id, e));
	TRY(cursor_u64(c, &f->wall.wall_ns, e));
	TRY(cursor_u64(c, &f->wall.clock_ns, e));
	f->wall.known = version == 1;
	return 0;
}

static int compression(struct perf *f, struct cursor *c, struct err *e)
{
	uint32_t version, type;

	TRY(cursor_u32(c, &version, e));
	TRY(cursor_u32(c, &type, e));
	if (type == COMPRESSED_ZSTD)
		f->base.compression = "zstd";
	return 0;
}

/* One line about the machine, like uname's. */
static void set_uname(struct perf *f)
{
	const char *const words[] = { "Linux", f->about.host, f->about.release, f->about.arch };
	struct outbuf line = { .p = NULL };

	if (!f->about.host && !f->about.release)
		return;
	for (unsigned i = 0; i < 4; i++) {
		if (!words[i])
			continue;
		if (i)
			out_char(&line, ' ');
		out_str(&line, words[i]);
	}
	free(f->about.uname);
	f->about.uname = mem_strndup(line.p, line.len);
	free(line.p);
}

int perf_feature(struct perf *f, unsigned number, struct cursor c, struct err *e)
{
	int rc;

	switch (number) {
	case FEATURE_HOSTNAME:
		rc = keep_string(&c, &f->about.host, e);
		break;
	case FEATURE_OSRELEASE:
		rc = keep_string(&c, &f->about.release, e);
		break;
	case FEATURE_ARCH:
		rc = keep_string(&c, &f->about.arch, e);
		break;
	case FEATURE_VERSION:
		return keep_string(&c, &f->about.version, e);
	case FEATURE_NRCPUS:
		return cpus(f, &c, e);
	case FEATURE_CMDLINE:
		return command_line(f, &c, e);
	case FEATURE_EVENT_DESC:
		return event_desc(f, &c, e);
	case FEATURE_GROUP_DESC:
		return perf_group_desc(f, &c, e);
	case FEATURE_CLOCK_DATA:
		return clock_data(f, &c, e);
	case FEATURE_BUILD_ID:
		return build_ids_feature(&f->about.build_ids, c, e);
	case FEATURE_COMPRESSED:
		return compression(f, &c, e);
	default:
		return 0;
	}
	set_uname(f);
	return rc;
}

char *perf_clock(const struct perf *f)
{
	const struct perf_attr *a = f->attrs.n ? f->attrs.v[0] : NULL;
	char name[32];

	if (f->base.is_wall)
		return mem_strdup("wall");
	/* local_clock(), ftrace's clock "perf". */
	if (!a || !a->use_clockid)
		return mem_strdup("perf");
	for (unsigned i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (clocks[i].id == a->clockid)
			return mem_strdup(clocks[i].name);
	snprintf(name, sizeof(name), "clockid %d", a->clockid);
	return mem_strdup(name);
}

/* The names of records, by their types (linux/perf_event.h; perf's own from 64 on). */
static const char *const records[PERF_RECORDS] = {
	[5] = "THROTTLE",
	[6] = "UNTHROTTLE",
	[8] = "READ",
	[11] = "AUX",
	[12] = "ITRACE_START",
	[14] = "SWITCH",
	[15] = "SWITCH_CPU_WIDE",
	[16] = "NAMESPACES",
	[18] = "BPF_EVENT",
	[19] = "CGROUP",
	[20] = "TEXT_POKE",
	[21] = "AUX_OUTPUT_HW_ID",
	[22] = "CALLCHAIN_DEFERRED",
	[65] = "HEADER_EVENT_TYPE",
	[70] = "AUXTRACE_INFO",
	[72] = "AUXTRACE_ERROR",
	[74] = "CPU_MAP",
	[75] = "STAT_CONFIG",
	[76] = "STAT",
	[77] = "STAT_ROUND",
	[79] = "TIME_CONV",
	[82] = "FINISHED_INIT",
	[84] = "BPF_METADATA",
	[85] = "SCHEDSTAT_CPU",
	[86] = "SCHEDSTAT_DOMAIN",
};

/* Skipped records: "4 NAMESPACES, 1 CGROUP"; false: none. */
static bool list_passed(const struct perf *f, struct outbuf *to)
{
	char text[64];

	for (unsigned i = 0; i < PERF_RECORDS; i++) {
		if (!f->passed[i])
			continue;
		if (to->len)
			out_str(to, ", ");
		snprintf(text, sizeof(text), "%" PRIu64 " ", f->passed[i]);
		out_str(to, text);
		if (i && !records[i])
			snprintf(text, sizeof(text), "of type %u", i);
		out_str(to, records[i] ? records[i] : i ? text : "of other types");
	}
	if (to->len)
		out_char(to, '\0');
	return to->len;
}

void perf_summary(struct source *s, void (*line)(void *arg, const char *label, const char *text),
		  void *arg)
{
	const struct perf *f = (const struct perf *)s;
	struct outbuf passed = { .p = NULL };
	char text[64];

	if (list_passed(f, &passed))
		line(arg, "stepped over", passed.p);
	free(passed.p);
	if (f->about.version)
		line(arg, "recorder", f->about.version);
	if (f->about.cmdline)
		line(arg, "command", f->about.cmdline);
	if (f->tasks.foreign)
		line(arg, "tasks",
		     "recorded in a pid namespace: samples have its numbers, 0 for tasks outside; "
		     "tracepoints' records the kernel's");
	if (!f->wall.known)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64 " s at %" PRIu64 ".%09" PRIu64,
		 f->wall.wall_ns / 1000000000, f->wall.wall_ns % 1000000000,
		 f->wall.clock_ns / 1000000000, f->wall.clock_ns % 1000000000);
	line(arg, "wall clock", text);
}
