#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line on raw traces: options, exit statuses, what goes where. No lab is needed.

setup()
{
	cd "$BATS_TEST_DIRNAME/../.."
	ITRACE=build/itrace
	[ -x "$ITRACE" ] || { echo "no $ITRACE: make command"; return 99; }
	dir=$BATS_TEST_TMPDIR
	# PSB, MODE.Exec 64-bit, FUP 0xffffffff81000000, PSBEND; one taken branch; a TIP.PGD without
	# an address: the way out by the far return.
	psb='\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82'
	fup='\x99\x01\x7d\x00\x00\x00\x81\xff\xff\x02\x23'
	printf "$psb$fup"'\x06\x01' >"$dir/trace"
	# nop; jz +2 (taken); hlt; hlt; nop; iretq
	printf '\x90\x74\x02\xf4\xf4\x90\x48\xcf' >"$dir/text"
	show="$ITRACE show --raw $dir/trace --image $dir/text@0xffffffff81000000"
}

@test "addresses of a trace that is in the PSB already when it begins" {
	run $show -i -n all -q
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = 'ffffffff81000000
ffffffff81000001
ffffffff81000005
ffffffff81000006' ]
}

@test "addresses and nothing else on standard output" {
	printf '\x99\x99\x99' >>"$dir/trace"
	$show -q -n all >"$dir/out" 2>"$dir/err"
	[ "$(grep -cvE '^[0-9a-f]+$' "$dir/out")" = 0 ]
	[ -s "$dir/out" ]
}

@test "-n counts the last instructions" {
	run $show -q -n 1
	[ "$status" = 0 ]
	[ "${#lines[@]}" = 1 ]
}

@test "instructions are disassembled" {
	run $show -i
	echo "$output"
	[ "$status" = 0 ]
	[[ "${lines[0]}" == "  ffffffff81000000  nop" ]]
	[[ "${lines[1]}" == *"ffffffff81000001  jz     0xffffffff81000005"* ]]
}

@test "packets have ptdump's names" {
	run $show -p
	[ "$status" = 0 ]
	[[ "${lines[0]}" == *"  psb" ]]
	[[ "$output" == *"tnt.8      !"* ]]
}

@test "the summary of a raw trace" {
	run $show
	echo "$output"
	[ "$status" = 0 ]
	[[ "${lines[0]}" == "itrace  raw trace, "*" bytes" ]]
}

@test "code that is missing is a problem of that place" {
	run $ITRACE show --raw "$dir/trace" -i
	echo "$output"
	[[ "$output" == *"[cpu 0 off 0x"* ]]
}

@test "no PSB: no data, status 1" {
	printf 'no trace at all' >"$dir/none"
	run $ITRACE show --raw "$dir/none" -i
	echo "$output"
	[ "$status" = 1 ]
	[[ "$output" == *"no data"* ]]
	: >"$dir/none"
	run $ITRACE show --raw "$dir/none"
	[ "$status" = 1 ]
}

@test "usage: one line on standard error, status 2" {
	for args in "" "show" "nonsense" "show -i" "show --raw x --image y" "show x -n 0" \
		"show x y" "show x -i -f" "show x -c zero" "show --raw $dir/trace -c 1 -i"; do
		status=0
		$ITRACE $args >"$dir/out" 2>"$dir/err" || status=$?
		echo "itrace $args: $status: $(cat "$dir/err")"
		[ "$status" = 2 ]
		[ "$(wc -l <"$dir/err")" = 1 ]
		[ ! -s "$dir/out" ]
	done
}

@test "a file that can't be read, or no room to write: status 4" {
	run $ITRACE show --raw "$dir/absent" -i
	[ "$status" = 4 ]
	run $ITRACE show "$dir/absent"
	[ "$status" = 4 ]
	run sh -c "$show -i >/dev/full"
	echo "$output"
	[ "$status" = 4 ]
}

@test "no dump at all: status 3" {
	printf 'not a vmcore, and long enough to hold some header%4096s' x >"$dir/text.txt"
	run $ITRACE show "$dir/text.txt"
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == "itrace: unsupported: "* ]]
}

@test "a reader that goes away ends it quietly" {
	# Enough output to fill the pipe: the same segment, many times.
	for i in $(seq 4000); do cat "$dir/trace"; done >"$dir/long"
	run sh -c "$ITRACE show --raw $dir/long --image $dir/text@0xffffffff81000000 \
		-i -n all 2>&1 | head -n 1; true"
	[ "$status" = 0 ]
	[ "${#lines[@]}" = 1 ]
	{ $ITRACE show --raw "$dir/long" --image "$dir/text@0xffffffff81000000" -q -n all
	  echo $? >"$dir/status"; } 2>"$dir/err" | head -n 1
	[ "$(cat "$dir/status")" = 0 ]
	[ ! -s "$dir/err" ]
}

@test "help and version" {
	run $ITRACE --help
	[ "$status" = 0 ]
	[[ "$output" == *"Exit status"* ]]
	run $ITRACE show -h
	[ "$status" = 0 ]
	run $ITRACE --version
	[ "$status" = 0 ]
	[[ "$output" == "itrace "[0-9]* ]]
}
