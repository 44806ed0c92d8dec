#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damaged input: each kind has its own clear line, what is whole still decodes, the exit codes are
# those of the contract, and crash stays usable.
# shellcheck disable=SC2317 # functions that `check` calls
. tests/e2e/lib.sh

VMDAMAGE=$E2E/vmdamage
ring=$((128 * 1024))

# field NAME LINE: its value in a line of `vmdamage --record`
field()
{
	printf '%s\n' "$2" | sed -n "s/.* $1=\([^ ]*\).*/\1/p"
}

# slot CPU: address of its slot
slot_of()
{
	section=$(grep '^section name=CPU1' "$record")
	printf '0x%x\n' $(($(field pa "$section") + $1 * $(field stride "$section")))
}

ring_of()
{
	field pa "$(grep "^extent cpu=$1 index=0" "$record")"
}

# show_exits STATUS NAME DUMP [OPTION]...: leaves $out.txt and $out.err
show_exits()
{
	want=$1 name=$2 dump=$3
	shift 3
	build/itrace show "$dump" "$@" >"$out.txt" 2>"$out.err"
	got=$?
	expect "$name: exit $want" "exit $got; $(head -n 5 "$out.err")" test "$got" = "$want"
}

# says NAME TEXT: in what show_exits printed
says()
{
	if grep -qF -- "$2" "$out.txt" "$out.err"; then
		result 0 "$1"
	else
		result 1 "$1" "no \"$2\" in: $(cat "$out.err") / $(head -n 30 "$out.txt")"
	fi
}

# crash_goes_on NAME DUMP TEXT: crash shows TEXT for itrace, and its own commands work afterwards
crash_goes_on()
{
	in_crash "$whole" "$2" >"$out.crashlog" 2>&1 <<-END
		itrace > $out.crash
		sys > $out.sys
	END
	if grep -qF -- "$3" "$out.crash" && grep -q '^ *RELEASE:' "$out.sys"; then
		result 0 "$1: crash says so and stays usable"
	else
		result 1 "$1: crash says so and stays usable" "$(cat "$out.crash" "$out.crashlog" | head -n 20)"
	fi
}

equal_tail()
{
	tail -n 20000 "$1" >"$out.tail"
	$TRUTHCMP last "$whole/truth.cpu$2" 20000 >"$out.truth"
	cmp "$out.tail" "$out.truth"
}

equal()
{
	$TRUTHCMP compare "$1" "$whole/truth.cpu$2" "$whole/psb.cpu$2" "$ring"
}

lab_run null-deref 128
whole=$dir
record=$whole/record.layout
$VMDAMAGE "$whole/vmcore" --record >"$record" || setup_broken "no record in the whole dump"
header=$(field pa "$(grep '^header' "$record")")
dumps=$E2E/damaged
rm -rf "$dumps"
mkdir -p "$dumps"

out=$dumps/filtered
$VMDAMAGE "$whole/vmcore" "$out" "exclude-page=$header" || setup_broken vmdamage
show_exits 1 "record page filtered out" "$out"
says "record page filtered out: named so" "filtered out of the dump"
crash_goes_on "record page filtered out" "$out" "filtered out of the dump"
has "record page filtered out: crash's last line is the status" "itrace: status 1" "$out.crash"

out=$dumps/crc
$VMDAMAGE "$whole/vmcore" "$out" "flip=$(printf '0x%x' $((header + 64)))" || setup_broken vmdamage
show_exits 3 "header CRC wrong" "$out"
says "header CRC wrong: both CRCs are given" "has CRC"
crash_goes_on "header CRC wrong" "$out" "corrupt"
has "header CRC wrong: crash's last line is the status" "itrace: status 3" "$out.crash"

out=$dumps/slot
$VMDAMAGE "$whole/vmcore" "$out" "flip=$(printf '0x%x' $(($(slot_of 0) + 40)))" || setup_broken vmdamage
show_exits 0 "one slot's CRC wrong" "$out"
says "one slot's CRC wrong: that CPU is named" "[cpu 0]"
build/itrace show "$out" -c 1 -i -n all -q >"$out.cpu1" 2>"$out.err"
check "one slot's CRC wrong: the other CPU equals the truth" equal "$out.cpu1" 1

out=$dumps/page
# Half a ring away from where the CPU wrote last: on both sides there is something left.
mask=$(field mask "$(grep '^cpu cpu=1 ' "$record")")
page=$(printf '0x%x' $(($(ring_of 1) + (((mask >> 32) / 4096 + 16) % 32) * 4096)))
$VMDAMAGE "$whole/vmcore" "$out" "exclude-page=$page" || setup_broken vmdamage
show_exits 0 "one ring page missing" "$out" -c 1 -i -n all -q
says "one ring page missing: the page is named" "filtered out of the dump"
check "one ring page missing: the last instructions equal the truth" equal_tail "$out.txt" 1
build/itrace show "$whole/vmcore" -c 1 -i -n all -q >"$out.whole" 2>"$out.err"
lost=$(($(wc -l <"$out.whole") - $(wc -l <"$out.txt")))
expect "one ring page missing: only its neighbourhood is lost" "$lost instructions lost" \
	test "$lost" -gt 0 -a "$lost" -lt 100000
measured "one ring page of 32 missing: $lost instructions lost"
crash_goes_on "one ring page missing" "$out" "filtered out of the dump"

out=$dumps/zero
$VMDAMAGE "$whole/vmcore" "$out" "zero-range=$(ring_of 0):$ring" || setup_broken vmdamage
show_exits 1 "ring all zero" "$out" -c 0 -i -n all
says "ring all zero: no data" "no data"
build/itrace show "$out" -c 1 -i -n all -q >"$out.cpu1" 2>"$out.err"
check "ring all zero: the other CPU equals the truth" equal "$out.cpu1" 1
crash_goes_on "ring all zero" "$out" "no data"

lab_run no-module 128
out=$dumps/no-module
show_exits 1 "vmcore without the module" "$dir/vmcore"
says "vmcore without the module: what was looked for" "no record in this dump"
whole_saved=$whole whole=$dir
crash_goes_on "vmcore without the module" "$dir/vmcore" "no record in this dump"
whole=$whole_saved

lab_run still-armed 128
out=$dumps/still-armed
show_exits 0 "machine still armed" "$dir/vmcore"
says "machine still armed: said" "still"
for cpu in 0 1; do
	build/itrace show "$dir/vmcore" -c $cpu -i -n all -q >"$out.cpu$cpu" 2>"$out.err"
	# The CPU's newest bytes may not have reached memory; what is shown must be right.
	check "machine still armed: CPU $cpu is a run of the truth" \
		$TRUTHCMP prefix "$out.cpu$cpu" "$dir/truth.cpu$cpu" "$dir/psb.cpu$cpu" $ring 20000
done
whole=$dir
crash_goes_on "machine still armed" "$dir/vmcore" "still"
finish
