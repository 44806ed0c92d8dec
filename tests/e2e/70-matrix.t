#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The ways that a kernel dies, one crash and one run each. For each: what is decoded equals what both
# CPUs executed; reason, CPU, task and registers in the record are those of the kernel's own report;
# kdump is unharmed; the instructions after the fault are counted. Without ITRACE_CHECK_ALL one.
. tests/e2e/lib.sh

VMDAMAGE=$E2E/vmdamage
ring=128

# field NAME LINE: its value in a line of `vmdamage --record`
field()
{
	printf '%s\n' "$2" | sed -n "s/.* $1=\([^ ]*\).*/\1/p"
}

# line FIRST-WORDS: that line of the record
line()
{
	grep "^$1 " "$dir/record.layout"
}

# symbol NAME: its address in this run's kernel, which lies KERNELOFFSET from where it was linked
symbol()
{
	symbols=$E2E/symbols-$(kernel_release "$dir")
	[ -s "$symbols" ] || tests/lab/in-root nm \
		"/usr/lib/debug/boot/vmlinux-$(kernel_release "$dir")" >"$symbols" ||
		setup_broken "no symbols of the kernel"
	linked=$(sed -n "s/^\([0-9a-f]*\) [tT] $1\$/\1/p" "$symbols")
	moved=$(grep -a -o -m1 'KERNELOFFSET=[0-9a-f]*' "$dir/vmcore" | head -n 1)
	[ -n "$linked" ] && [ -n "$moved" ] || return
	# All of the kernel lies in the last 2 GiB, and a shell's numbers are signed.
	printf 'ffffffff%x\n' $((0x${linked#ffffffff} + 0x${moved#*=}))
}

# The lines of the report that the record must agree with; $1 is the CPU that it is about.
report_agrees()
{
	task=$(line "task cpu=$1")
	regs=$(line "regs cpu=$1")
	has "$name: task as the kernel says" \
		"CPU: $1 UID: 0 PID: $(field pid "$task") Comm: $(field comm "$task") " "$dir/dmesg.txt"
	[ "$2" != panic ] || return
	has "$name: RSP and flags as the kernel says" \
		":$(field sp "$regs") EFLAGS: $(field flags "$regs")" "$dir/dmesg.txt"
	has "$name: RAX, RBX, RCX as the kernel says" \
		"RAX: $(field ax "$regs") RBX: $(field bx "$regs") RCX: $(field cx "$regs")" \
		"$dir/dmesg.txt"
}

# The kernel's log, by the tool that made the dump: whole where the console is not, for an NMI. It has
# what the scenario expects.
kernel_log()
{
	# shellcheck disable=SC2016 # expanded inside
	tests/lab/in-root sh -c 'makedumpfile -R "$1.plain" <"$1" &&
		makedumpfile --dump-dmesg "$1.plain" "$2"; rc=$?; rm -f "$1.plain"; exit $rc' \
		sh "/src/$dir/vmcore" "/src/$dir/dmesg.txt.new" >"$dir/dmesg.log" 2>&1
	result $? "$name: makedumpfile reads the dump" "$(cat "$dir/dmesg.log")"
	mv "$dir/dmesg.txt.new" "$dir/dmesg.txt"
	wanted=$(sed -n "s/^EXPECT_[A-Z]*='\(.*\)'/\1/p" "tests/lab/scenarios/$name")
	expect "$name: the log in the dump has the crash" "no $wanted" \
		grep -q -E "${wanted:-none}" "$dir/dmesg.txt"
}

# event_right REASON CPU COMM: "any" for what chance decides. Sets $cpu, the first to stop.
event_right()
{
	event=$(line event)
	cpu=$(field first_cpu "$event")
	want_cpu=$2 want_comm=$3
	[ "$2" != any ] || want_cpu=$cpu
	comm=$(field comm "$(line "task cpu=${cpu:-none}")")
	[ "$3" != any ] || want_comm=$comm
	expect "$name: stopped by $1, CPU $2, task $3" "$event; task ${comm:-none}" \
		test "$(field reason "$event") ${cpu:-none} ${comm:-none}" = "$1 $want_cpu $want_comm"
	has "$name: the log says so, too" "itrace: frozen cpu=$cpu reason=$1 " "$dir/dmesg.txt"
	# The other may take our NMI and kdump's as one, and kdump's comes first: "no answer". A busy
	# host may give an emulated CPU no time for as long as the first one prints its oops.
	states=$(line cpu | sed -n "/cpu=$cpu /!s/.* ok=1 state=\([0-9]*\) .*/\1/p")
	expect "$name: the CPU that stopped first is frozen, the other was asked" "$(line cpu | cut -c 1-40)" \
		test "$(line "cpu cpu=$cpu" | grep -c ' ok=1 state=2 ') $states" = "1 ${states#[!23]}"
}

# vector ENTRY: of the exception that enters there (SDM 3A 6.15)
vector()
{
	case $1 in
	asm_exc_divide_error) echo 0 ;;
	asm_exc_int3) echo 3 ;;
	asm_exc_invalid_op) echo 6 ;;
	asm_exc_double_fault) echo 8 ;;
	asm_exc_general_protection) echo 13 ;;
	asm_exc_page_fault) echo 14 ;;
	esac
}

# The reader's own count of what the crash path ran.
folded()
{
	build/itrace show "$dir/vmcore" -c "$cpu" -i -n 1 2>/dev/null |
		sed -n 's/.*(then \([0-9,]*\) instructions of the crash path.*/\1/p' | tr -d ,
}

equal()
{
	compared=0
	for each in 0 1; do
		build/itrace show "$dir/vmcore" -c $each -i -n all -q >"$dir/show.cpu$each" 2>"$dir/show.err"
		result $? "$name: CPU $each: itrace show exits 0" "$(cat "$dir/show.err")"
		out=$($TRUTHCMP compare "$dir/show.cpu$each" "$dir/truth.cpu$each" "$dir/psb.cpu$each" \
			$((ring * 1024)) 2>&1)
		result $? "$name: CPU $each: the listing equals the truth" "$out"
		n=$(printf '%s\n' "$out" | sed -n 's/^compared \([0-9]*\) .* extra 0$/\1/p')
		compared=$((compared + ${n:-0}))
		different=$(printf '%s\n' "$out" | sed -n 's/.* different \([0-9]*\) .*/\1/p')
		differences=$((differences + ${different:-0}))
	done
}

# Both CPUs faulted, not one that the other's NMI came before.
other_faulted()
{
	other=$($TRUTHCMP after "$dir/truth.cpu$((1 - ${cpu:-0}))" "${entry:-0}" 2>/dev/null)
	expect "$name: the other CPU's fault is in its trace as well" "${other:-none}" \
		test "${other:-999999999}" -le 5000
}

# crash NAME REASON CPU COMM ENTRY MOST KIND: ENTRY is the function that the CPU goes to at the fault;
# at most MOST instructions may follow. KIND regs: the record has the registers of the fault; both: so
# has the other CPU's.
crash()
{
	name=$1 differences=0
	[ -n "${ITRACE_CHECK_ALL-}" ] || case " $few " in
	*" $name "*) ;;
	*) return ;;
	esac
	lab_run "$name" $ring
	$VMDAMAGE "$dir/vmcore" --record >"$dir/record.layout" 2>"$dir/record.err"
	result $? "$name: the record is whole" "$(cat "$dir/record.err")"
	kernel_log
	event_right "$2" "$3" "$4"
	reported=$(sed -n 's/.*\] CPU: \([0-9]*\) UID: .*/\1/p' "$dir/dmesg.txt" | head -n 1)
	[ "$3" = any ] || expect "$name: the kernel's report is about CPU $3" "$reported" \
		test "$reported" = "$3"
	report_agrees "${reported:-none}" "$7"
	equal
	entry=$(symbol "$5")
	count=$($TRUTHCMP after "$dir/truth.cpu$cpu" "${entry:-0}" 2>/dev/null)
	expect "$name: at most $6 instructions from $5 on" "${count:-never executed}" \
		test "${count:-999999999}" -le "$6"
	if [ "$7" != panic ]; then
		is=$(field vector "$(line "task cpu=$cpu")")
		expect "$name: the record has the exception's vector" "$is" test "$is" = "$(vector "$5")"
		folded=$(folded)
		expect "$name: the reader counts as many" "$folded, executed ${count:-none}" \
			test "${folded:-none}" = "$count"
	fi
	[ "$7" != both ] || other_faulted
	measured "$(kernel_release "$dir") $name: reason $2, $count instructions after the fault, compared $compared, different $differences"
}

# ITRACE_MATRIX: those alone. make check has time for one more run; make check-all makes them all.
few=${ITRACE_MATRIX:-int3}
crash gpf gpf 1 sh asm_exc_general_protection 5000 regs
crash bug die 1 sh asm_exc_invalid_op 120000 regs
crash stack-overflow die 1 sh asm_exc_double_fault 1000 regs
crash panic-hardirq panic 1 sh panic 20 panic
crash two-oopses oops any any asm_exc_page_fault 250 both

crash divide die 1 sh asm_exc_divide_error 1000 regs
crash int3 die 1 sh asm_exc_int3 1000 regs
crash nx-jump oops 1 sh asm_exc_page_fault 2000 regs
crash stack-smash panic 1 sh __stack_chk_fail 100 panic
crash panic-process panic 1 sh panic 20 panic
crash panic-softirq panic 1 sh panic 20 panic
crash panic-on-warn panic 1 sh panic 20 panic
crash nmi-panic nmi_panic 0 any nmi_panic 20 panic
crash soft-lockup panic 1 sh panic 20 panic
crash hung-task panic any khungtaskd panic 20 panic
crash post-notifiers oops 1 sh asm_exc_page_fault 250 regs
finish
