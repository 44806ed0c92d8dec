// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -p: the packets of a CPU's stream, padding left out.
 */
#include <inttypes.h>

#include "packet.h"
#include "packet_text.h"
#include "status.h"
#include "view.h"

#define DEFAULT_PACKETS 100

struct walk {
	struct itrace_view_out *view;
	uint64_t skip; /* packets and problems that are not shown */
	uint64_t seen;
};

/* A problem is a line between the packets, and counts as one of them. */
static void show_problem(struct walk *walk, uint64_t offset, const char *text)
{
	char buf[256];

	if (walk->seen++ < walk->skip)
		return;
	itrace_collect_format(buf, sizeof(buf), walk->view->history->cpu, offset, text);
	fprintf(walk->view->out, "%s\n", buf);
}

static void show_packet(struct walk *walk, const struct itrace_packet *packet)
{
	char buf[256];

	if (packet->pt.type == ppt_pad && packet->ext == ITRACE_EXT_NONE)
		return;
	if (walk->seen++ >= walk->skip)
		fprintf(walk->view->out, "%s\n", itrace_packet_text(packet, buf, sizeof(buf)));
}

/* What stopped the decoder at @packet->offset. Returns where to look for the next PSB. */
static uint64_t show_error(struct walk *walk, const struct itrace_packet *packet, int err)
{
	const struct itrace_stream *stream = &walk->view->history->stream;
	uint64_t left = stream->len - packet->offset, offset = packet->offset;
	char text[128];
	int len;

	if (err == ITRACE_E_UNSUPPORTED) {
		snprintf(text, sizeof(text),
			 "truncated packet (%" PRIu64 " bytes to the end): not shown", left);
		show_problem(walk, offset, text);
		return stream->len;
	}
	len = snprintf(text, sizeof(text), "corrupt: no packet begins with");
	for (uint64_t i = 0; i < left && i < 8; i++)
		len += snprintf(text + len, sizeof(text) - len, " %02x", stream->bytes[offset + i]);
	snprintf(text + len, sizeof(text) - len, ": goes on with the next PSB");
	show_problem(walk, offset, text);
	return offset + 1;
}

/* The whole stream, from its first PSB. Returns 0 or ITRACE_E_NODATA if there is none. */
static int walk_packets(struct walk *walk)
{
	const struct itrace_stream *stream = &walk->view->history->stream;
	struct itrace_packets packets;
	char text[96];
	int err = itrace_packets_init(&packets, stream->bytes, stream->len);

	if (err)
		return err;
	err = itrace_packets_sync(&packets, 0);
	if (!err && packets.offset) {
		snprintf(text, sizeof(text), "%" PRIu64 " bytes before the first PSB: not shown",
			 packets.offset);
		show_problem(walk, 0, text);
	}
	while (!err && !itrace_view_stopped(walk->view)) {
		struct itrace_packet packet;

		err = itrace_packets_next(&packets, &packet);
		if (!err)
			show_packet(walk, &packet);
		else if (err != ITRACE_E_NODATA)
			err = itrace_packets_sync(&packets, show_error(walk, &packet, err));
	}
	itrace_packets_deinit(&packets);
	return walk->seen ? 0 : err;
}

int itrace_view_packets(struct itrace_view_out *view)
{
	uint64_t n = view->options->n_given ? view->options->n : DEFAULT_PACKETS;
	struct walk walk = {.view = view, .skip = UINT64_MAX};
	int err;

	/* Once to count, once to show the last of them. */
	err = walk_packets(&walk);
	if (!err) {
		walk.skip = walk.seen > n ? walk.seen - n : 0;
		walk.seen = 0;
		err = walk_packets(&walk);
	}
	return err;
}
