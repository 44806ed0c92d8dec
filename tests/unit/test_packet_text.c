// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/view/packet_text.c crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/status.c */
/*
 * Packets against what libipt's ptdump printed for them (tests/packets/NAME.libipt). Lines of
 * ptdump that are errors have no counterpart here: they are left out of the comparison, and so
 * is nothing else.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "packet_text.h"
#include "status.h"

#define DIR_NAME "tests/packets"

static size_t read_file(const char *name, const char *suffix, char *buf, size_t size)
{
	char path[256];
	size_t len;
	FILE *file;

	snprintf(path, sizeof(path), DIR_NAME "/%s%s", name, suffix);
	file = fopen(path, "rb");
	if (!file)
		return 0;
	len = fread(buf, 1, size - 1, file);
	fclose(file);
	buf[len] = '\0';
	return len;
}

/* Our lines for @bytes, at most @size characters. */
static void dump(const uint8_t *bytes, size_t len, char *out, size_t size)
{
	struct itrace_packets packets;
	struct itrace_packet packet;
	size_t used = 0;
	int err;

	out[0] = '\0';
	assert_int_equal(itrace_packets_init(&packets, bytes, len), 0);
	err = itrace_packets_sync(&packets, 0);
	while (!err && used + 256 < size) {
		err = itrace_packets_next(&packets, &packet);
		if (err == ITRACE_E_CORRUPT)
			err = itrace_packets_sync(&packets, packet.offset + 1);
		else if (!err && (packet.pt.type != ppt_pad || packet.ext))
			used += sprintf(out + used, "%s\n",
					itrace_packet_text(&packet, out + used + 128, 128));
	}
	itrace_packets_deinit(&packets);
}

/* Lines of ptdump, without its errors and without blanks at the end. */
static void clean(const char *in, char *out)
{
	while (*in) {
		size_t len = strcspn(in, "\n"), keep = len;

		while (keep && in[keep - 1] == ' ')
			keep--;
		if (*in != '[' && keep) {
			memcpy(out, in, keep);
			out += keep;
			*out++ = '\n';
		}
		in += len + (in[len] == '\n');
	}
	*out = '\0';
}

static void test_vectors(void **state)
{
	static char bytes[65536], theirs[65536], wanted[65536], ours[65536];
	struct dirent *entry;
	DIR *dir = opendir(DIR_NAME);
	int compared = 0;

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char *suffix = strstr(entry->d_name, ".pt");
		size_t len;

		if (!suffix || suffix[3])
			continue;
		*suffix = '\0';
		if (!read_file(entry->d_name, ".libipt", theirs, sizeof(theirs)))
			continue;
		len = read_file(entry->d_name, ".pt", bytes, sizeof(bytes));
		clean(theirs, wanted);
		dump((const uint8_t *)bytes, len, ours, sizeof(ours));
		if (strcmp(ours, wanted))
			fail_msg("%s: want\n%sgot\n%s", entry->d_name, wanted, ours);
		compared++;
	}
	closedir(dir);
	assert_true(compared >= 10);
}

/* Kinds that no vector has. */
static void test_rare(void **state)
{
	static const struct {
		struct itrace_packet packet;
		const char *text;
	} row[] = {
		{{.pt = {.type = ppt_cyc, .payload.cyc.value = 0x12}}, "cyc        12"},
		{{.pt = {.type = ppt_mtc, .payload.mtc.ctc = 0xab}}, "mtc        ab"},
		{{.pt = {.type = ppt_tma, .payload.tma = {.ctc = 0x12, .fc = 0x34}}},
		 "tma        12, 34"},
		{{.pt = {.type = ppt_stop}}, "stop"},
		{{.pt = {.type = ppt_exstop, .payload.exstop.ip = 1}}, "exstop     ip"},
		{{.pt = {.type = ppt_pwre, .payload.pwre = {.state = 1, .sub_state = 0, .hw = 1}}},
		 "pwre       c2.1, hw"},
		{{.pt = {.type = ppt_mnt, .payload.mnt.payload = 0xbeef}}, "mnt        beef"},
		{{.pt = {.type = ppt_tnt_64, .payload.tnt = {.bit_size = 3, .payload = 5}}},
		 "tnt.64     !.!"},
		{{.pt = {.type = ppt_unknown}}, "unknown"},
		{{.pt = {.type = ppt_unknown},
		  .ext = ITRACE_EXT_TRIG,
		  .ext_value = 3,
		  .ext_ip = true},
		 "trig       3, ip"},
	};
	char buf[256];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		itrace_packet_text(&row[i].packet, buf, sizeof(buf));
		assert_string_equal(buf + 18, row[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_rare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
