#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The fault is marked where the oops says it is; how many instructions run from the fault until
# tracing is off, from the truth; and what is left of the history without the module's hooks.
. tests/e2e/lib.sh

# oops_rip LOG: symbol+offset that the kernel's own report names
oops_rip()
{
	sed -n 's/.*RIP: 0010:\([^ /]*\)\/.*/\1/p' "$1" | head -n 1
}

# after_fault DIR CPU: completed instructions from the page fault's entry to TraceEn=0
after_fault()
{
	entry=$(sed -n 's/^\([0-9a-f]*\) .*asm_exc_page_fault.*/\1/p' "$1/sym.txt" | head -n 1)
	[ -n "$entry" ] || return 1
	$TRUTHCMP after "$1/truth.cpu$2" "$entry"
}

ring=128
lab_run null-deref $ring
early=$dir
rip=$(oops_rip "$early/console.log")
expect "the kernel's oops names an instruction" "" test -n "$rip"
in_crash "$early" >"$early/fault.log" 2>&1 <<-END
	itrace > $early/summary.txt
	itrace -i -n 20 > $early/last20.txt
	itrace -i -n 20 -q > $early/last20q.txt
	sym asm_exc_page_fault > $early/sym.txt
END
cpu=$(sed -n 's/.*itrace: frozen cpu=\([0-9]*\).*/\1/p' "$early/console.log" | head -n 1)
expect "the log names the CPU that froze first" "" test -n "$cpu"
has "the summary names the faulting instruction" "$rip" "$early/summary.txt"
marked=$(grep '^>' "$early/last20.txt")
case $marked in
*"$rip"*) result 0 "the marked line is the oops' instruction" ;;
*) result 1 "the marked line is the oops' instruction" "oops: $rip; marked: $marked" ;;
esac
expect "exactly one line is marked" "$(cat "$early/last20.txt")" \
	test "$(grep -c '^>' "$early/last20.txt")" = 1
grep -q "instructions of the crash path" "$early/last20.txt"
result $? "what ran after the fault is folded into one line" "$(tail -n 3 "$early/last20.txt")"

count=$(after_fault "$early" "$cpu")
expect "at most 250 instructions from the fault to TraceEn=0" "${count:-none}" \
	test "${count:-999999}" -le 250
measured "instructions from fault to TraceEn=0 on the faulting CPU, hooks on: $count"
folded=$(sed -n 's/.*(then \([0-9,]*\) instructions of the crash path.*/\1/p' "$early/last20.txt" | tr -d ,)
expect "the folded line counts what the CPU executed" \
	"folded $folded, executed $count" test "${folded:-none}" = "$count"

lab_run late-stop $ring
late=$dir
in_crash "$late" >"$late/fault.log" 2>&1 <<-END
	sym asm_exc_page_fault > $late/sym.txt
END
late_count=$(after_fault "$late" "$cpu")
expect "without the hooks more is recorded after the fault" \
	"late: $late_count, ours: $count" test "${late_count:-0}" -gt "${count:-0}"
history()
{
	build/itrace show "$1/vmcore" -c "$cpu" -i -n all -q 2>/dev/null | wc -l
}
all=$(history "$early")
late_all=$(history "$late")
measured "ring $ring KiB, instructions after the fault / before it: ours $count / $((all - count)); kernel's own late stop ${late_count:-?} / $((late_all > ${late_count:-0} ? late_all - late_count : 0))"
finish
