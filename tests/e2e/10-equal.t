#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The listing from a filtered vmcore equals what the CPU executed: by crash and by `itrace show`,
# on both CPUs, for rings that wrapped at least twice and rings that did not.
. tests/e2e/lib.sh

# compare_cpu CPU KIB READER LISTING: adds to $compared
compare_cpu()
{
	out=$($TRUTHCMP compare "$4" "$dir/truth.cpu$1" "$dir/psb.cpu$1" $(($2 * 1024)) 2>&1)
	result $? "$scenario, $2 KiB, CPU $1: $3 equals the truth" "$out"
	n=$(printf '%s\n' "$out" | sed -n 's/^compared \([0-9]*\) .*/\1/p')
	compared=$((compared + ${n:-0}))
	measured "$scenario $2 KiB CPU $1 $3: ${out##*
}"
}

wrapped()
{
	wraps=$($TRUTHCMP figures "$dir/psb.cpu$1" $(($2 * 1024)) | sed 's/.*wraps //')
	# At least twice for the small ring, not at all for the large one.
	if [ "$2" -le 128 ]; then
		set -- "$1" "$2" -ge 2
	else
		set -- "$1" "$2" -eq 0
	fi
	expect "$scenario, $2 KiB, CPU $1: the ring went round as wanted" "wrapped $wraps times" \
		test "$wraps" "$3" "$4"
}

# The two that the figures are about; make check-all adds the smallest useful and a large one.
rings="128 4096"
[ -z "${ITRACE_CHECK_ALL-}" ] || rings="32 $rings 16384"

for scenario in null-deref sysrq-c; do
	compared=0
	for kib in $rings; do
		lab_run "$scenario" "$kib"
		in_crash "$dir" >"$dir/crash.log" 2>&1 <<-END
			itrace -c 0 -i -n all -q > $dir/crash.cpu0
			itrace -c 1 -i -n all -q > $dir/crash.cpu1
			itrace > $dir/summary.txt
			sym asm_exc_page_fault > $dir/sym.txt
		END
		for cpu in 0 1; do
			wrapped "$cpu" "$kib"
			compare_cpu "$cpu" "$kib" crash "$dir/crash.cpu$cpu"
			build/itrace show "$dir/vmcore" -c "$cpu" -i -n all -q \
				>"$dir/show.cpu$cpu" 2>"$dir/show.err"
			result $? "$scenario, $kib KiB, CPU $cpu: itrace show exits 0" "$(cat "$dir/show.err")"
			compare_cpu "$cpu" "$kib" "itrace show" "$dir/show.cpu$cpu"
		done
	done
	expect "$scenario: at least 1,000,000 instructions compared with each reader" \
		"$compared in both" test "$compared" -ge 2000000
	measured "$scenario: $compared instructions compared, both readers together"
done
finish
