/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose fault it is: the one set of results that every layer uses.
 *
 * Functions return 0 or a negative enum itrace_status. What could be given before the failure has
 * been given. The caller turns the status into one line with itrace_status_str().
 */
#ifndef ITRACE_STATUS_H
#define ITRACE_STATUS_H

enum itrace_status {
	ITRACE_OK = 0,
	ITRACE_E_NODATA = -1,	   /* nothing was recorded there */
	ITRACE_E_FILTERED = -2,	   /* the page was filtered out of the dump */
	ITRACE_E_CORRUPT = -3,	   /* the data contradicts itself */
	ITRACE_E_UNSUPPORTED = -4, /* well-formed, but not for this itrace */
	ITRACE_E_INVALID = -5,	   /* the caller asked for something senseless */
	ITRACE_E_SYSTEM = -6,	   /* errno says */
	ITRACE_E_NOMEM = -7,
	ITRACE_E_NOTFOUND = -8, /* no such thing in this dump */
	ITRACE_E_STOP = -9,	/* a callback asked to stop: not an error */
};

/* The word that output uses for @status ("filtered out of the dump", "corrupt" ...); static. */
const char *itrace_status_str(int status);

#endif
