# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# What a run left behind: figures for record.txt, and whether it is as expected.
# For tests/lab/run.

u64_at()		# FILE OFFSET: decimal
{
	od -A n -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

record()		# KEY VALUE
{
	printf '%s: %s\n' "$1" "$2" >>"$OUT/record.txt"
}

record_cpu()		# N: figures of the emulated CPU
{
	if [ -s "$OUT/truth.cpu$1" ]; then
		record "cpu$1.instructions" "$(u64_at "$OUT/truth.cpu$1" 16)"
	fi
	if [ -s "$OUT/psb.cpu$1" ]; then
		cpu_bytes=$(u64_at "$OUT/psb.cpu$1" 16)
		record "cpu$1.trace_bytes" "$cpu_bytes"
		record "cpu$1.psbs" "$(u64_at "$OUT/psb.cpu$1" 8)"
		record "cpu$1.ring_turns" "$(awk -v b="$cpu_bytes" -v k="${RING:-4096}" \
			'BEGIN { printf "%.2f", b / (k * 1024) }')"
	fi
}

collect()
{
	qemu_kill
	tr -d '\r' <"$OUT/console.log" >"$WORK/console" && mv "$WORK/console" "$OUT/console.log"
	: >"$OUT/record.txt"
	record scenario "$NAME"
	record description "$DESCRIPTION"
	record kernel "$KERNEL"
	sed 's/ /: /; s/^/version./' "$ROOT/.lab-versions" >>"$OUT/record.txt"
	record smp "$SMP"
	record memory_mib "$LAB_MEMORY"
	record ring_kib "${RING:-4096}"
	record module_args "$MODULE_ARGS"
	record plugin "$(qemu_plugin)"
	record seconds "$(($(date +%s) - STARTED))"
	sed -n 's/^fact [0-9.]* //p' "$WORK/status" >"$OUT/facts.txt"
	cat "$WORK/times" >>"$OUT/record.txt"
	record vmcore_bytes "$(wc -c <"$OUT/vmcore")"
	cpu=0
	while [ "$cpu" -lt "$SMP" ]; do
		record_cpu "$cpu"
		cpu=$((cpu + 1))
	done
	[ ! -s "$WORK/qemu.log" ] || {
		say 'QEMU said:'
		cat "$WORK/qemu.log" >&2
	}
}

fault()			# what was not as expected
{
	say "$NAME: $*"
	record fault "$*"
	FAULTS=$((FAULTS + 1))
}

check_dump()
{
	if [ "$SCENARIO_DUMP" = none ]; then
		grep -q '^ended ' "$WORK/status" || fault 'the guest did not get to its end'
		return
	fi
	if [ "$SCENARIO_DUMP" = kdump ]; then
		grep -q '^saved [0-9.]* 0$' "$WORK/status" ||
			fault 'the capture kernel saved no dump'
	fi
	# QEMU writes the same format as makedumpfile -F.
	[ "$(head -c 12 "$OUT/vmcore")" = makedumpfile ] ||
		fault 'the dump is not a flattened one'
	# A flattened dump ends with a record of -1 offset and -1 size.
	[ "$(tail -c 16 "$OUT/vmcore" | od -A n -t x1 | tr -d ' \n')" = \
		ffffffffffffffffffffffffffffffff ] || fault 'the dump is cut short'
}

check_emulator()
{
	[ "$SCENARIO_PLUGIN" = yes ] || return 0
	cpu=0
	while [ "$cpu" -lt "$SMP" ]; do
		for file in truth psb; do
			[ -s "$OUT/$file.cpu$cpu" ] || fault "the emulated CPU left no $file.cpu$cpu"
		done
		anomalies=$(sed -n "s/^cpu$cpu anomalies //p" "$OUT/pt-stats.txt")
		[ "$anomalies" = 0 ] ||
			fault "the emulated CPU $cpu went where no instruction leads: $anomalies times"
		cpu=$((cpu + 1))
	done
}

check_results()
{
	FAULTS=0
	check_dump
	check_emulator
	if [ -n "$EXPECT_CRASH" ] && ! grep -a -q -E "$EXPECT_CRASH" "$OUT/console.log"; then
		fault "the console has no '$EXPECT_CRASH'"
	fi
	expected=$(console_expected "$EXPECT_CRASH")
	alarms=$(console_alarms "$OUT/console.log" \
		"$expected${ALLOW:+${expected:+|}$ALLOW}")
	[ -z "$alarms" ] || {
		printf '%s\n' "$alarms" >&2
		fault 'the console has warnings that the scenario does not expect'
	}
	if [ "$FAULTS" -gt 0 ]; then
		record result failed
		exit 1
	fi
	record result good
	say "$NAME: good, in $(sed -n 's/^seconds: //p' "$OUT/record.txt") s"
}
