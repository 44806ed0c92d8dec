#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The CPU plugin's pure files: packets, output, MSRs, tracing, judged by libipt.
set -u
cd "$(dirname "$0")" || exit 99
out=../../../build/lab/plugin-test
make -s check O="$out"
rc=$?
[ -x "$out/plugin-test" ] || {
	echo 'the test program does not build' >&2
	exit 99
}
[ "$rc" = 0 ]
