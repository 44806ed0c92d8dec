# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034
#
# What the end-to-end tests share: TAP, lab runs that several tests use, crash sessions.
# A test sources this from the top of the tree, where tests/check starts it.

E2E=build/e2e
TRUTHCMP=$E2E/truthcmp
test_nr=0
test_failed=0

setup_broken()
{
	echo "$*" >&2
	exit 99
}

# result STATUS NAME [DETAIL]: one TAP line, the detail only where it failed
result()
{
	test_nr=$((test_nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $test_nr - $2"
	else
		test_failed=$((test_failed + 1))
		echo "not ok $test_nr - $2"
		[ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/# ! /'
	fi
}

# check NAME COMMAND...: passes if the command does; shows what it printed if not
check()
{
	check_name=$1
	shift
	if check_out=$("$@" 2>&1); then
		result 0 "$check_name"
	else
		result 1 "$check_name" "$check_out"
	fi
}

# expect NAME DETAIL COMMAND...: the same, with a detail of one's own
expect()
{
	expect_name=$1
	expect_detail=$2
	shift 2
	if "$@" >/dev/null 2>&1; then
		result 0 "$expect_name"
	else
		result 1 "$expect_name" "$expect_detail"
	fi
}

# has NAME TEXT FILE: passes if a line of FILE holds TEXT
has()
{
	if grep -qF -- "$2" "$3"; then
		result 0 "$1"
	else
		result 1 "$1" "no \"$2\" in: $(head -c 2000 "$3")"
	fi
}

# A figure that a reader of the log wants.
measured()
{
	echo "# measured: $*"
}

finish()
{
	echo "1..$test_nr"
	[ "$test_failed" = 0 ]
	exit
}

kernel_release()
{
	sed -n 's/^kernel[=: ]*//p' "$1/record.txt" | head -n 1
}

# lab_run SCENARIO RING_KIB [NAME]: runs the scenario once for all tests and sets $dir.
# ITRACE_LAB_PLUGIN_ARGS and ITRACE_LAB_MODULE_ARGS pass through, with a NAME of their own.
lab_run()
{
	dir=$E2E/run/${3:-$1-$2}
	lab_inputs=$(ls build/lab/itrace-pt.so build/kernel/*/itrace.ko) || setup_broken "not built"
	# shellcheck disable=SC2086 # a list of paths without blanks
	if [ -e "$dir/done" ] && [ -z "$(find $lab_inputs "tests/lab/scenarios/$1" -newer "$dir/done")" ]; then
		return
	fi
	rm -rf "$dir"
	mkdir -p "$dir"
	tests/lab/run "$1" --ring "$2" --out "$dir" >"$dir/run.log" 2>&1
	lab_status=$?
	[ "$lab_status" != 99 ] || setup_broken "$(tail -n 3 "$dir/run.log")"
	if [ "$lab_status" != 0 ]; then
		result 1 "lab run of $1, ring $2 KiB" "$(tail -n 15 "$dir/run.log")"
		finish
	fi
	touch "$dir/done"
}

# in_crash DIR [VMCORE]: a crash session on DIR's vmcore with the commands from stdin. What they
# print is the function's output; `itrace > file` in them writes into the tree.
in_crash()
{
	crash_vmcore=${2:-$1/vmcore}
	crash_cmds=$(mktemp "$1/crash.XXXXXX")
	{
		echo "extend build/itrace.so"
		cat
		echo "exit"
	} >"$crash_cmds"
	tests/lab/in-root crash -s -i "/src/$crash_cmds" \
		"/usr/lib/debug/boot/vmlinux-$(kernel_release "$1")" "/src/$crash_vmcore" </dev/null
	rm -f "$crash_cmds"
}
