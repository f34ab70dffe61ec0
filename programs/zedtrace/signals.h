/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_SIGNALS_H
#define ZED_PROGRAMS_ZEDTRACE_SIGNALS_H

#include <stdbool.h>

#define SIGNALS_PATH 520 /* bytes of an instance's directory, its NUL included */

/*
 * SIGINT, SIGTERM, SIGQUIT and SIGHUP (unless nohup has it ignored) set cli_stop.  A second one
 * ends the process with 128 and its number, once signals_leave() was called.  SIGPIPE and SIGXFSZ
 * are ignored.
 */
void signals_catch(void);

/* Let the end of a child interrupt poll(). */
void signals_catch_child(void);

/*
 * From here on a second signal may end the process: it only has to remove the instances at DIR and
 * BESIDE; "": none.
 */
void signals_leave(const char *dir, const char *beside);

/* DIR is an instance to remove as well, with the one for names beside it; of two. */
void signals_leave_also(const char *dir);

/* SIGUSR1 asks for a file from here on; has it done so since the last call? */
void signals_catch_request(void);
bool signals_requested(void);

/*
 * SIGHUP asks for a reload from here on, instead of the end (unless nohup has it ignored); has it
 * done so since the last call?
 */
void signals_catch_reload(void);
bool signals_reload(void);

/*
 * The recording goes to PATH: the last message names what is left of it, and zedtrace --recover.
 * PARTS: to several files, named after it.
 */
void signals_spooling(const char *path, bool parts);

/* The recording is complete: nothing has to be recovered any more. */
void signals_whole(void);

#endif
