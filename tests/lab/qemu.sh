# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Starting, watching and ending the emulated machine: for tests/lab/run, which
# sets LAB ROOT REPO OUT WORK KERNEL SMP SCENARIO_DUMP SCENARIO_PLUGIN TIMEOUT.

# APX would have the kernel meet instructions that the plugin's decoder need not
# know. Leaf 15h is answered by QEMU itself: the plugin must not change the ratio.
LAB_CPU='max,vendor=GenuineIntel,level=0x15,-apxf'
LAB_MEMORY=1024
# init_on_free: what was freed is zero and costs no time in the dump, which matters
# since Debian 13's makedumpfile does not know 6.12's free pages.
LAB_CMDLINE='console=ttyS0 crashkernel=256M oops=panic panic=1 init_on_free=1'

qemu_plugin()		# the plugin's QEMU option; without the plugin the machine has no PT
{
	[ "$SCENARIO_PLUGIN" = yes ] || return 0
	printf -- '-plugin /out/.lab/itrace-pt.so,dir=/out%s' \
		"${ITRACE_LAB_PLUGIN_ARGS:+,$ITRACE_LAB_PLUGIN_ARGS}"
}

# The shell that waits for QEMU is its parent: should it be killed, QEMU goes too.
# in-root only ever execs, so QEMU_PID is QEMU itself.
qemu_start()
{
	STARTED=$(date +%s)
	# shellcheck disable=SC2046 # a list of words
	setpriv --pdeathsig KILL "$LAB/in-root" --bind "$OUT:/out" \
		qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
		-machine q35,smm=off -accel tcg,thread=multi -cpu "$LAB_CPU" \
		-smp "$SMP" -m "$LAB_MEMORY" \
		-kernel "/boot/vmlinuz-$KERNEL" -initrd /out/.lab/initrd \
		-append "$LAB_CMDLINE" \
		-serial file:/out/console.log \
		-device vmcoreinfo \
		-device virtio-serial-pci \
		-chardev file,id=dump,path=/out/vmcore \
		-device virtserialport,chardev=dump,name=lab.dump \
		-chardev file,id=status,path=/out/.lab/status \
		-device virtserialport,chardev=status,name=lab.status \
		-qmp unix:/out/.lab/qmp,server=on,wait=off \
		$(qemu_plugin) </dev/null >"$WORK/qemu.log" 2>&1 8>&- &
	QEMU_PID=$!
}

qemu_alive()
{
	kill -0 "$QEMU_PID" 2>/dev/null
}

qemu_kill()
{
	[ -n "$QEMU_PID" ] || return 0
	if qemu_alive; then
		kill -TERM "$QEMU_PID" 2>/dev/null || :
		kill_left=5
		while qemu_alive && [ "$kill_left" -gt 0 ]; do
			sleep 1
			kill_left=$((kill_left - 1))
		done
		kill -KILL "$QEMU_PID" 2>/dev/null || :
	fi
	wait "$QEMU_PID" 2>/dev/null || :
	QEMU_PID=
}

qmp()			# SECONDS COMMAND...: all have to succeed; QEMU has so long to hang up
{
	qmp_seconds=$1
	shift
	printf '%s\n' '{"execute":"qmp_capabilities"}' "$@" |
		"$LAB/in-root" --bind "$OUT:/out" socat -t "$qmp_seconds" - UNIX-CONNECT:/out/.lab/qmp \
			>"$WORK/qmp.log" 2>&1 || :
	if grep -q '"error"' "$WORK/qmp.log" || ! grep -q '"return"' "$WORK/qmp.log"; then
		cat "$WORK/qmp.log" >&2
		say "QEMU did not do it: $*"
		return 1
	fi
}

# Stops the guest, dumps its memory as it stands, and ends QEMU.
qemu_dump()
{
	say 'dumping the memory of the guest'
	qmp 120 '{"execute":"stop"}' \
		'{"execute":"dump-guest-memory","arguments":{"paging":false,"protocol":"file:/out/vmcore","format":"kdump-zlib"}}' \
		'{"execute":"quit"}'
}

qemu_report()		# prints status lines that have come since the last time
{
	report_lines=$(wc -l <"$WORK/status")
	while [ "$REPORTED" -lt "$report_lines" ]; do
		REPORTED=$((REPORTED + 1))
		report_line=$(sed -n "${REPORTED}p" "$WORK/status")
		report_time=$(($(date +%s) - STARTED))
		echo "$report_line" | {
			read -r word up details
			say "$report_time s: $word (guest $up s) $details"
			[ "$word" = fact ] ||
				echo "time.$word: $report_time s, guest $up s" >>"$WORK/times"
		}
		case "$report_line" in
		dump-me*) qemu_dump || return 1 ;;
		inject-nmi*) qmp 1 '{"execute":"inject-nmi"}' || return 1 ;;
		failed*) return 1 ;;
		esac
	done
}

# Until QEMU has ended: 0 when it did so by itself, 1 when the guest failed or
# took too long.
qemu_watch()
{
	REPORTED=0
	: >"$WORK/times"
	while qemu_alive; do
		sleep 0.5
		qemu_report || return 1
		if [ $(($(date +%s) - STARTED)) -gt "$TIMEOUT" ]; then
			say "guest not done after $TIMEOUT s; its last lines:"
			tail -n 15 "$OUT/console.log" >&2
			return 1
		fi
	done
	qemu_rc=0
	wait "$QEMU_PID" || qemu_rc=$?
	QEMU_PID=
	qemu_report || return 1
	[ "$qemu_rc" != 0 ] || return 0
	cat "$WORK/qemu.log" >&2
	[ -s "$OUT/console.log" ] || broken "QEMU ended at once with code $qemu_rc"
	say "QEMU ended with code $qemu_rc"
	return 1
}
