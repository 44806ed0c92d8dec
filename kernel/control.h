/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /sys/kernel/itrace: state, ring_kib, record. Root only.
 */
#ifndef ITRACE_CONTROL_H
#define ITRACE_CONTROL_H

/* Returns 0 or a negative errno. */
int itrace_control_init(void);
void itrace_control_deinit(void);

#endif
