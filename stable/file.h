/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLE_FILE_H
#define ZED_STABLE_FILE_H

/* Files of stable events (docs/zed-stable.pod): shared by their writer and reader. */
#define STABLE_MAGIC "zedperl stable events 1\n"
#define STABLE_MAGIC_LEN (sizeof(STABLE_MAGIC) - 1)
#define STABLE_NAME_LEN (STABLE_MAGIC_LEN - 2) /* without the version */

/* Bounds of the text before the records. */
#define STABLE_MAX_HEAD (256u << 20) /* bytes of that text */
#define STABLE_MAX_ENTRIES 4096	     /* events and marks */
#define STABLE_MAX_ITEMS 65536	     /* items of all descriptions together */
#define STABLE_MAX_STREAMS 65536
#define STABLE_MAX_BUFFERS 1024
#define STABLE_MAX_MACHINES 256
#define STABLE_MAX_NAME 255
#define STABLE_MAX_UNAME 4096

#define STABLE_MAX_PAYLOAD (2 * 65535u) /* the limit of a locator */

#endif
