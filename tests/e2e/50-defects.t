#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The comparison with the truth can fail: one deliberate fault in the decoder, one in the emulator.
# shellcheck disable=SC2317 # functions that `check` calls
. tests/e2e/lib.sh

ring=$((128 * 1024))

differs()
{
	! $TRUTHCMP compare "$1" "$dir/truth.cpu$2" "$dir/psb.cpu$2" "$ring"
}

# The decoder, built from a copy in which one line is wrong.
lab_run null-deref 128
copy=$E2E/defect
rm -rf "$copy"
mkdir -p "$copy"
cp -r Makefile kernel crash-ext "$copy"
file=$copy/crash-ext/core/flow_walk.c
# Every branch the other way.
sed -i "s/return bits >> (nr_bits - 1) \& 1;/return !(bits >> (nr_bits - 1) \& 1);/" "$file"
expect "the deliberate fault changes one line of the decoder" "" \
	test "$(diff "$file" crash-ext/core/flow_walk.c | grep -c '^<')" = 1
make -s -C "$copy" command >"$copy/make.log" 2>&1 || setup_broken "$(tail -n 3 "$copy/make.log")"
timeout 60 "$copy/build/itrace" show "$dir/vmcore" -c 1 -i -n all -q >"$copy/cpu1" 2>"$copy/err"
check "a wrong decoder is noticed" differs "$copy/cpu1" 1

# The emulator, with a wrong branch bit now and then.
ITRACE_LAB_PLUGIN_ARGS=defect=drop-tnt:10000
export ITRACE_LAB_PLUGIN_ARGS
lab_run null-deref 128 null-deref-drop-tnt
wrong=1
for cpu in 0 1; do
	build/itrace show "$dir/vmcore" -c $cpu -i -n all -q >"$dir/cpu$cpu" 2>"$dir/err"
	differs "$dir/cpu$cpu" $cpu >"$dir/cmp$cpu" 2>&1 && wrong=0
done
result $wrong "a wrong emulator is noticed" "$(cat "$dir/cmp0" "$dir/cmp1")"
measured "decoder at fault: $(tail -n 1 "$copy/err"); emulator at fault: $(cat "$dir/cmp0" "$dir/cmp1" | tr '\n' ' ')"
finish
