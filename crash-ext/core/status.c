// SPDX-License-Identifier: GPL-2.0-or-later
#include "status.h"

const char *itrace_status_str(int status)
{
	switch (status) {
	case ITRACE_OK:
		return "ok";
	case ITRACE_E_NODATA:
		return "no data";
	case ITRACE_E_FILTERED:
		return "filtered out of the dump";
	case ITRACE_E_CORRUPT:
		return "corrupt";
	case ITRACE_E_UNSUPPORTED:
		return "unsupported";
	case ITRACE_E_INVALID:
		return "invalid request";
	case ITRACE_E_SYSTEM:
		return "system error";
	case ITRACE_E_NOMEM:
		return "out of memory";
	case ITRACE_E_NOTFOUND:
		return "not found";
	case ITRACE_E_STOP:
		return "stopped";
	}
	return "unknown status";
}
