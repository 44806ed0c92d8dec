# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC3043,SC2016 # busybox has local; words for inner shells
#
# Functions for guest/init and for the guest's part of a scenario.

port()			# NAME: its device
{
	local dir
	for dir in /sys/class/virtio-ports/*; do
		if [ "$(cat "$dir/name" 2>/dev/null)" = "$1" ]; then
			echo "/dev/${dir##*/}"
			return 0
		fi
	done
	return 1
}

status()		# WORD DETAILS...: one line for the host, with the guest's uptime
{
	local word="$1" up=
	shift
	read -r up _ </proc/uptime
	echo "lab: $word $*" >/dev/console
	echo "$word $up $*" >&3
}

failed()		# what
{
	status failed "$*"
	sync
	poweroff -f
	sleep 10
}

step()			# COMMAND...: that has to succeed
{
	"$@" >/tmp/step.log 2>&1 || {
		cat /tmp/step.log >/dev/console
		failed "$*: $(tail -n 1 /tmp/step.log)"
	}
}

on_cpu()		# CPU COMMAND...
{
	local cpu="$1"
	shift
	taskset "$(printf '%x' $((1 << cpu)))" "$@"
}

lab_do()		# WORDS: see kmod/main.c
{
	echo "$*" >/sys/kernel/debug/itrace_lab || failed "itrace_lab refused: $*"
}

# A user process on CPU that goes in and out of the kernel: COUNT small reads and
# writes, after and before which programs start (forks, page faults, page tables).
user_load()		# CPU COUNT
{
	on_cpu "$1" sh -c '
		dd if=/dev/zero of=/dev/null bs=16 count="$1" 2>/dev/null
		/bin/busybox true' load "$2"
}

# Both CPUs exercised for a fixed amount of work: interrupts, soft interrupts and
# diverse branches on every CPU, most on CPU 1, and system calls from user mode.
work_load()
{
	local cpu=0 jobs=
	while [ -d "/sys/devices/system/cpu/cpu$cpu" ]; do
		if [ "$cpu" = 1 ]; then
			lab_do busy "$cpu" "$WORK_ROUNDS"
		else
			lab_do busy "$cpu" $((WORK_ROUNDS / 3))
		fi
		user_load "$cpu" "$WORK_ROUNDS" &
		jobs="$jobs $!"
		cpu=$((cpu + 1))
	done
	lab_do wait
	# shellcheck disable=SC2086 # process ids
	wait $jobs
}

# The capture kernel gets the same files, with this run's own in /lab. -i: no checksum
# over it, which would take an emulated CPU seconds to make and to check.
load_kdump()
{
	{
		cat /kdump/initrd
		(cd / && find lab | cpio -o -H newc 2>/dev/null)
	} >/run/initrd
	step kexec -p -c -i /kdump/vmlinuz --initrd=/run/initrd \
		--command-line="console=ttyS0 nr_cpus=1 reset_devices panic=1 loglevel=5"
	rm /run/initrd
}

arm_itrace()
{
	local state=/sys/kernel/itrace/state now=
	# shellcheck disable=SC2086 # parameters
	step insmod /lab/itrace.ko $MODULE_ARGS
	read -r now <$state || failed "itrace.ko has no $state"
	[ "$now" = armed ] || failed "itrace.ko is loaded but not armed: $now"
	status armed "$MODULE_ARGS"
}

guest_main()
{
	status booted "$(uname -r)"
	insmod /modules/qemu_fw_cfg.ko 2>/dev/null
	if [ "$SCENARIO_DUMP" = kdump ]; then
		load_kdump
	fi
	for module in $SCENARIO_MODULES; do
		step insmod "/lab/$module.ko"
	done
	if [ "$SCENARIO_ITRACE" = yes ]; then
		arm_itrace
	fi
	status working
	guest_run
	failed 'the scenario did not crash the machine'
}

guest_capture()
{
	status capturing "$(stat -c %s /proc/vmcore)"
	makedumpfile -F -c -d 31 /proc/vmcore 2>/tmp/dump.log >"$(port lab.dump)"
	status saved "$?"
	cat /tmp/dump.log >/dev/console
}
