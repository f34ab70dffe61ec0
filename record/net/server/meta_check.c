// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * meta_check: checks the metadata that a client sent. The reader parses them, each part is
 * unpacked, and they are written anew, so that nothing reaches a file unread.
 */
#include "record/net/server/meta_check.h"

#include "base/io.h"
#include "base/mem.h"
#include "reader/dat/dat.h"
#include "reader/dat/v7.h"
#include "record/dat_write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is passed on; names of tasks are kept separately (meta_check.comms), as more will come. */
static const struct {
	enum dat_id id;
	const char *name;
} sections[] = {
	{ DAT_HEADER_INFO, "headers" },		{ DAT_FTRACE_EVENTS, "ftrace events" },
	{ DAT_EVENT_FORMATS, "event formats" }, { DAT_KALLSYMS, "kallsyms" },
	{ DAT_PRINTK, "printk formats" },
};

#define NSECTIONS (sizeof(sections) / sizeof(sections[0]))

/* Options of a v7 that describe the machine or its clock; numbers keep their order. */
static bool worth_keeping(unsigned id)
{
	switch (id) {
	case DAT_DATE:
	case DAT_TRACECLOCK:
	case DAT_UNAME:
	case DAT_HOOK:
	case DAT_OFFSET:
	case DAT_CPUCOUNT:
	case DAT_VERSION:
	case DAT_PROCMAPS:
	case DAT_TRACEID:
	case DAT_TIME_SHIFT:
	case DAT_GUEST:
	case DAT_TSC2NSEC:
		return true;
	}
	return false;
}

static int copy_options(struct dat *d, struct dat7_writer *w, struct err *e)
{
	struct cursor c = { 0 }, payload = { 0 };
	uint8_t *buf = NULL;
	uint16_t id = 1;
	uint32_t len;
	int rc;

	TRY(dat7_shipped.options(d, d->options_off, &c, &buf, e));
	while ((rc = cursor_u16(&c, &id, e)) == 0 && id != DAT_DONE) {
		rc = cursor_u32(&c, &len, e);
		if (rc == 0)
			rc = cursor_sub(&c, len, &payload, e);
		if (rc < 0)
			break;
		if (worth_keeping(id))
			dat7_option(w, id, payload.p, payload.len);
	}
	free(buf);
	return rc;
}

static void put_string(struct dat7_writer *w, unsigned id, const char *text)
{
	if (text)
		dat7_option(w, id, text, strlen(text) + 1);
}

/* A v6's options as the reader understood them. */
static void make_options(const struct dat *d, struct dat7_writer *w)
{
	char text[64];
	uint8_t n[16] = { 0 };

	if (d->clock.offset) {
		snprintf(text, sizeof(text), "%" PRId64, d->clock.offset);
		put_string(w, DAT_OFFSET, text);
	}
	snprintf(text, sizeof(text), "[%.50s]\n", d->texts.clock ? d->texts.clock : "local");
	put_string(w, DAT_TRACECLOCK, text);
	put_string(w, DAT_UNAME, d->texts.uname);
	put_string(w, DAT_VERSION, d->texts.version);
	if (d->clock.mult) {
		bytes_put(n, d->clock.mult, 4, d->head.big_endian);
		bytes_put(n + 4, d->clock.shift, 4, d->head.big_endian);
		dat7_option(w, DAT_TSC2NSEC, n, 16);
	}
	bytes_put(n, d->base.cpu_count, 4, d->head.big_endian);
	dat7_option(w, DAT_CPUCOUNT, n, 4);
}

static uint64_t size_of(const struct dat_part *p)
{
	return !p->present ? 0 : p->packed ? p->usize : p->size;
}

/* Refuse what would take more memory than any machine's metadata. */
static int check(const struct dat *d, uint64_t sent, struct err *e)
{
	uint64_t sum = 0, max = META_CHECK_FREE + sent * META_CHECK_RATIO;

	if (!d->parts[DAT_HEADER_INFO].present ||
	    !(d->parts[DAT_FTRACE_EVENTS].present || d->parts[DAT_EVENT_FORMATS].present))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "no event formats");
	if (!strcmp(d->base.dialect, "v7 RFC"))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "this dialect is not accepted from the network");
	for (unsigned i = 0; i < NSECTIONS; i++)
		sum += size_of(&d->parts[sections[i].id]);
	sum += size_of(&d->parts[DAT_CMDLINES]);
	if (max > META_CHECK_MAX)
		max = META_CHECK_MAX;
	if (sum > max)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "unpacked size is %" PRIu64 " MiB; the limit for %" PRIu64
			       " KiB is %" PRIu64 " MiB",
			       sum >> 20, sent >> 10, max >> 20);
	return 0;
}

static int write_all(struct dat *d, int fd, uint32_t page_size, struct err *e)
{
	struct dat7_head h = { .big_endian = d->head.big_endian,
			       .long_size = d->head.long_size,
			       .page_size = page_size,
			       .codec = CODEC_NONE };
	struct dat7_writer *w = dat7_writer_new(fd, &h, e);
	int rc = w ? 0 : -1;

	for (unsigned i = 0; rc == 0 && i < NSECTIONS; i++) {
		struct dat_part *p = &d->parts[sections[i].id];

		if (!p->present)
			continue;
		rc = dat_part_load(d, p, e);
		if (rc == 0)
			rc = dat7_section(w, sections[i].id, sections[i].name, p->data, p->len, e);
	}
	if (rc == 0 && !strcmp(d->base.dialect, "v7") && d->options_off)
		rc = copy_options(d, w, e);
	else if (rc == 0)
		make_options(d, w);
	if (rc == 0)
		rc = dat7_options(w, e);
	if (w)
		dat7_writer_free(w);
	return rc;
}

static int read_back(struct meta_check *r, int fd, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot stat its copy");
	r->meta.len = st.st_size;
	r->meta.p = mem_alloc(st.st_size + 1);
	if (io_pread(fd, r->meta.p, r->meta.len, 0) != (ssize_t)r->meta.len)
		return err_sys(e, ERR_NO_OFF, "cannot read its copy");
	return 0;
}

int meta_check_read(struct meta_check *r, int fd, const char *name, uint32_t page_size,
		    struct notes *n, struct err *e)
{
	struct input in = { .path = mem_strdup(name), .fd = fcntl(fd, F_DUPFD_CLOEXEC, 3) };
	struct source_opts o = { .notes = n };
	struct catalog *c = catalog_new();
	struct dat *d = NULL;
	struct stat st;
	const char *comms;
	int out = -1, rc = -1;

	*r = (struct meta_check){ 0 };
	if (in.fd < 0 || fstat(in.fd, &st) < 0) {
		err_sys(e, ERR_NO_OFF, "cannot look at it");
		goto done;
	}
	in.size = st.st_size;
	if (!dat_source.probe(&in)) {
		err_set(e, ERR_UNKNOWN, 0, "not the beginning of a trace.dat");
		goto done;
	}
	d = dat_open(&in, c, &o, false, e);
	in.path = NULL; /* ownership has passed on */
	if (!d || check(d, st.st_size, e) < 0)
		goto done;
	out = memfd_create("metadata", MFD_CLOEXEC);
	if (out < 0) {
		err_sys(e, ERR_NO_OFF, "cannot create a copy of it");
		goto done;
	}
	if (d->layout.page_size && d->layout.page_size != page_size)
		note_say(n, NOTE_WARN,
			 "%s: sub-buffers of %u byte%s are announced, but its header_page says %u: "
			 "the first is used",
			 name, page_size, plural(page_size), d->layout.page_size);
	if (write_all(d, out, page_size, e) < 0 || read_back(r, out, e) < 0)
		goto done;
	r->meta.page_size = page_size;
	r->meta.clock = mem_strdup(d->texts.clock ? d->texts.clock : "local");
	r->big_endian = d->head.big_endian;
	r->long_size = d->layout.long_size;
	r->data_off = d->layout.data_off;
	comms = machine_raw(&d->base.machine, TEXT_CMDLINES, &r->comms_len);
	r->comms = mem_strndup(comms, r->comms_len);
	rc = 0;
done:
	if (d)
		dat_close(&d->base);
	else
		input_close(&in);
	catalog_free(c);
	if (out >= 0)
		close(out);
	if (rc < 0)
		meta_check_fini(r);
	return rc;
}

void meta_check_fini(struct meta_check *r)
{
	free(r->meta.p);
	free((char *)r->meta.clock);
	free(r->comms);
	r->comms = NULL;
	r->meta = (struct meta){ 0 };
}
