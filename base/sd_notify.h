/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_SD_NOTIFY_H
#define ZED_BASE_SD_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a service reports to the manager that started it (systemd): the protocol of sd_notify(3),
 * a datagram of lines to the socket that NOTIFY_SOCKET names.  Nothing here waits.
 */

/*
 * Send STATE, lines "KEY=VALUE" ("READY=1", "STATUS=TEXT").  False: no manager asked for it, or it
 * does not listen.
 */
bool sd_notify_send(const char *state);

/*
 * The longest time between two "WATCHDOG=1" of this process, after which it is killed
 * (WATCHDOG_USEC, WATCHDOG_PID): ns; 0: there is none.
 */
uint64_t sd_notify_watchdog(void);

#endif
