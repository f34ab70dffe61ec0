/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_DAMAGE_H
#define ZED_DAMAGE_H

/*
 * Files to be damaged: small made ones (t/lib/Write/Dat.pm writes them) and copies of real
 * recordings; and a seeded choice of places.
 */
#include "t/lib/c/drive.h"
#include "t/lib/c/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char damage_dir[512];

/* Where the damaged copies live; one per process, gone at its end. */
static inline void damage_begin(void)
{
	tap_template(damage_dir, sizeof(damage_dir), "/tmp", "damage");
	if (!mkdtemp(damage_dir))
		bail("no temporary directory %s: %s", damage_dir, strerror(errno));
	drive_guard();
	if (!__asan_set_death_callback) {
		struct rlimit most = { 512u << 20, 512u << 20 };

		setrlimit(RLIMIT_AS, &most);
	}
}

static inline void damage_end(void)
{
	struct rusage ru;

	drive_limit(0);
	getrusage(RUSAGE_SELF, &ru);
	if (!__asan_set_death_callback)
		ok(ru.ru_maxrss < 200 << 10, "memory stayed below 200 MiB (%ld KiB)", ru.ru_maxrss);
	rmdir(damage_dir);
}

/* The bytes of PATH, from malloc. */
static inline uint8_t *damage_load(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *p;

	if (!f || fstat(fileno(f), &st) < 0)
		bail("cannot read %s: %s", path, strerror(errno));
	*len = st.st_size;
	p = malloc(*len + 1);
	if (fread(p, 1, *len, f) != *len)
		bail("cannot read %s", path);
	fclose(f);
	return p;
}

/* A made file; ARGS are Write::Dat's, as words.  Its path is damage_dir/NAME. */
static inline uint8_t *damage_make(const char *name, const char *args, char *path, size_t size,
				   size_t *len)
{
	char cmd[1400];

	snprintf(path, size, "%s/%s", damage_dir, name);
	snprintf(cmd, sizeof(cmd),
		 "perl -It/lib -MWrite::Dat -e "
		 "'Write::Dat->new(@ARGV[1 .. $#ARGV])->write($ARGV[0])' %s %s",
		 path, args);
	if (system(cmd) != 0)
		bail("cannot make a file with %s", args);
	return damage_load(path, len);
}

/* Write BYTES to PATH, in place of what was there. */
static inline void damage_store(const char *path, const uint8_t *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		bail("cannot write %s: %s", path, strerror(errno));
	close(fd);
}

static inline void damage_byte(const char *path, size_t at, uint8_t v)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || pwrite(fd, &v, 1, at) != 1)
		bail("cannot write %s: %s", path, strerror(errno));
	close(fd);
}

/* The same numbers on every machine and run. */
static inline uint64_t damage_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 24;
}

/* How many bytes of a made file make a step: a slow machine tries one in so many. */
static inline size_t damage_step(void)
{
	const char *every = getenv("ZED_STEP");

	return every && atoi(every) > 0 ? (size_t)atoi(every) : tap_small(23, 1);
}

/* Made files whose every byte is tried. */
static const struct {
	const char *name, *args;
} damage_made[] = {
	{ "v7-none.dat", "version 7 cgroups 1" },
	{ "v7-zstd.dat", "compression zstd" },
	{ "v7-zlib-big.dat", "compression zlib big 1" },
	{ "v6-big-long4.dat", "version 6 big 1 long 4" },
};

#define NMADE (sizeof(damage_made) / sizeof(damage_made[0]))

/* Real recordings: v7 zstd, v6, big endian; in the repository, else beside it. */
static const struct {
	const char *what, *own, *shared;
} damage_real[] = {
	{ "v7 zstd", "t/data/small_v7_zstd.dat", "amd64-misc/a07_filter.dat" },
	{ "v6", "t/data/small_v6.dat", "amd64-smp16/a12_smp16_offline3_7_v6.dat" },
	{ "big endian", "t/data/small_be_none.dat", "s390x/b06_mono.dat" },
};

#define NREAL (sizeof(damage_real) / sizeof(damage_real[0]))

/* The recording I, or NULL if neither is here. */
static inline const char *damage_find(unsigned i, char *path, size_t size)
{
	const char *shared = getenv("ZED_SHARED");

	snprintf(path, size, "%s", damage_real[i].own);
	if (access(path, R_OK) == 0)
		return path;
	snprintf(path, size, "%s/data/%s", shared ? shared : "../shared", damage_real[i].shared);
	return access(path, R_OK) == 0 ? path : NULL;
}

/* A file to be damaged, and its bytes while it is sound. */
struct damaged {
	const char *name; /* its last part */
	char path[600];
	char from[600]; /* of a recording: where it was copied from */
	uint8_t *bytes;
	size_t size;
};

/* Make damage_made[I]. */
static inline void damaged_make(struct damaged *f, unsigned i)
{
	f->name = damage_made[i].name;
	f->bytes = damage_make(f->name, damage_made[i].args, f->path, sizeof(f->path), &f->size);
}

/* Copy damage_real[I].  False: it is not here, which is told as a skipped test. */
static inline bool damaged_copy(struct damaged *f, unsigned i)
{
	if (!damage_find(i, f->from, sizeof(f->from))) {
		ok(true, "a real one (%s) # SKIP neither %s nor the shared recordings are here",
		   damage_real[i].what, damage_real[i].own);
		return false;
	}
	f->name = "real.dat";
	f->bytes = damage_load(f->from, &f->size);
	snprintf(f->path, sizeof(f->path), "%s/%s", damage_dir, f->name);
	damage_store(f->path, f->bytes, f->size);
	return true;
}

static inline void damaged_remove(struct damaged *f)
{
	unlink(f->path);
	free(f->bytes);
}

/*
 * What holds of every damaged file that drive_run() has read: it opens or says why not, has at most
 * MOST events, and at most SAID notices, which no terminal would obey.
 */
static inline bool damage_ended_well(const struct drive *d, uint64_t most, unsigned said)
{
	if (!d->opened && !d->first[0]) {
		diag("%s: it does not open, and no word why", drive_what);
		return false;
	}
	if (d->events > most) {
		diag("%s: %" PRIu64 " events, where %" PRIu64 " fit", drive_what, d->events, most);
		return false;
	}
	if (d->said > said) {
		diag("%s: %u notices, first: %s", drive_what, d->said, d->first);
		return false;
	}
	if (strpbrk(d->first, "\n\033")) {
		diag("%s: a control byte in: %s", drive_what, d->first);
		return false;
	}
	return true;
}

#endif
