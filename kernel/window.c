// SPDX-License-Identifier: GPL-2.0-only
#include "window.h"

int itrace_window(struct itrace_window *w, itrace_u64 ring, itrace_u64 pos, itrace_u64 size)
{
	if (!ring || (ring & (ring - 1)))
		return -EINVAL;

	if (size > ring)
		size = ring;
	w->ring = ring;
	w->size = size;
	w->to = pos & (ring - 1);
	w->from = w->to < size ? ring + w->to - size : w->to - size;
	return 0;
}

itrace_u64 itrace_window_padded(const struct itrace_window *w)
{
	return (w->size + 7) & ~7ull;
}

size_t itrace_window_copy(void *dst, size_t len, void *const *pages, const struct itrace_window *w)
{
	itrace_u8 *out = dst;
	itrace_u64 at = w->from, left = w->size;
	size_t padded = itrace_window_padded(w);

	if (len < padded)
		return 0;

	while (left) {
		size_t in_page = at % ITRACE_WINDOW_PAGE;
		size_t n = ITRACE_WINDOW_PAGE - in_page;

		if (n > left)
			n = left;
		if (n > w->ring - at)
			n = w->ring - at; /* rings below a page exist in tests */
		memcpy(out, (const itrace_u8 *)pages[at / ITRACE_WINDOW_PAGE] + in_page, n);
		out += n;
		left -= n;
		at = (at + n) & (w->ring - 1);
	}
	memset(out, 0, padded - w->size);
	return padded;
}
