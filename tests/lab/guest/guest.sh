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

fact()			# NAME VALUE...: a line of facts.txt, for a test to judge
{
	status fact "$@"
}

# What of itrace the kernel has now, as fact NAME.left. hooks: functions that ftrace has hooked;
# symbols, if asked for, takes an emulated CPU seconds.
left_behind()		# NAME [symbols]
{
	local traced=/sys/kernel/tracing/enabled_functions sysfs=0 module=0 symbols=
	[ -e $traced ] || mount -t tracefs tracefs /sys/kernel/tracing
	[ ! -e /sys/kernel/itrace ] || sysfs=1
	[ ! -e /sys/module/itrace ] || module=1
	[ $# = 1 ] || symbols=" symbols=$(grep -c "[[]itrace]" /proc/kallsyms)"
	fact "$1.left" "sysfs=$sysfs module=$module$symbols" \
		"hooks=$(wc -l <$traced)" \
		"cpuhp=$(grep -c itrace: /sys/devices/system/cpu/hotplug/states)"
}

module_log()		# NAME: what itrace has logged since `dmesg -c`, as facts NAME.log
{
	local line=
	dmesg | sed -n "s/^[[][^]]*] itrace: //p" | grep -v "taint.* kernel" | while read -r line; do
		fact "$1.log" "$line"
	done
}

# Loads it once and tells, as fact NAME.insmod, exit code and error, and what itrace logged.
# Compressed: busybox tries a plain file twice, and so the module would run twice.
try_insmod()		# NAME FILE PARAMETER...
{
	local name="$1" file="$2" out= rc=0
	shift 2
	gzip -c "$file" >/run/module.ko.gz
	dmesg -c >/dev/null
	out=$(insmod /run/module.ko.gz "$@" 2>&1) || rc=$?
	fact "$name.insmod" "$rc ${out##*: }"
	module_log "$name"
}

try_write()		# NAME FILE WORD: tells, as fact NAME, exit code and error
{
	local out= rc=0
	out=$(sh -c "echo $3 >$2" 2>&1) || rc=$?
	fact "$1" "$rc ${out##*: }"
}

# What a scenario does in the capture kernel before the dump is saved.
guest_capture_first()
{
	:
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
	if [ "$SCENARIO_DUMP" = none ]; then
		status ended
		return
	fi
	failed 'the scenario did not crash the machine'
}

guest_capture()
{
	status capturing "$(stat -c %s /proc/vmcore)"
	guest_capture_first
	makedumpfile -F -c -d 31 /proc/vmcore 2>/tmp/dump.log >"$(port lab.dump)"
	status saved "$?"
	cat /tmp/dump.log >/dev/console
}
