#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# CPUs differ (tests/lab/plugin/models.c): on each the module arms, a crash decodes to what the CPU
# executed. Broadwell, which differs most, always; the others in make check-all. And a CPU that does
# not start to trace is said so (K6), as are one whose PT is off in VMX operation (K8) and a ring
# that does not fit the CPU's one region.
. tests/e2e/lib.sh

ring=$((128 * 1024))
pt_stat()
{
	sed -n "s/^$1 //p" "$dir/pt-stats.txt"
}

fact()
{
	awk -v key="$1" '$1 == key { sub(/^[^ ]+ ?/, ""); print }' "$dir/facts.txt"
}

# equal NAME: both CPUs' listings
equal()
{
	for cpu in 0 1; do
		build/itrace show "$dir/vmcore" -c $cpu -i -n all -q >"$dir/show.cpu$cpu" 2>"$dir/show.err"
		result $? "$1, CPU $cpu: itrace show exits 0" "$(cat "$dir/show.err")"
		out=$($TRUTHCMP compare "$dir/show.cpu$cpu" "$dir/truth.cpu$cpu" "$dir/psb.cpu$cpu" $ring 2>&1)
		result $? "$1, CPU $cpu: the listing equals the truth" "$out"
		measured "$1, CPU $cpu: ${out##*
}"
	done
}

# model NAME CTL: IA32_RTIT_CTL after the stop, as the emulated CPU has it
model()
{
	ITRACE_LAB_PLUGIN_ARGS=model=$1
	export ITRACE_LAB_PLUGIN_ARGS
	lab_run null-deref 128 "null-deref-$1"
	for cpu in 0 1; do
		expect "$1, CPU $cpu: what the driver asked for" "$(pt_stat "cpu$cpu ctl"), not $2" \
			test "$(pt_stat "cpu$cpu ctl")" = "$2"
	done
	equal "$1"
}

# ToPA, OS, TSC, no RET compression, branches; the others also have MTC with period 3. Linux uses
# single-range output for rings of one page only (errata TGL052, ADL037, RPL017).
model broadwell 0x2d04
$E2E/vmdamage "$dir/vmcore" --record >"$dir/record.layout" || setup_broken "no record in the dump"
for cpu in 0 1; do
	expect "broadwell, CPU $cpu: the ring is one piece" "$(grep '^extent' "$dir/record.layout")" \
		test "$(grep -c "^extent cpu=$cpu " "$dir/record.layout")" = 1
done

# As if KVM were in VMX operation there: bit 0 of struct itrace_cpu's vmx, without bit 1.
section=$(grep '^section name=CPU1' "$dir/record.layout")
slot=$(printf '%s\n' "$section" | sed 's/.* pa=\([^ ]*\).*/\1/')
vmx_at=496 # its offset
$E2E/vmdamage "$dir/vmcore" "$dir/vmx" "poke=$(printf '0x%x' $((slot + vmx_at))):0100000000000000" \
	"seal=$slot" || setup_broken vmdamage
build/itrace show "$dir/vmx" >"$dir/vmx.txt" 2>&1
has "in VMX operation: said" \
	"[cpu 0] no data: in VMX operation, where PT of this CPU is off: the trace ends before that" \
	"$dir/vmx.txt"
build/itrace show "$dir/vmcore" >"$dir/plain.txt" 2>&1
expect "not in VMX operation: not said" "$(grep VMX "$dir/plain.txt")" \
	test "$(grep -c VMX "$dir/plain.txt")" = 0
rm -f "$dir/vmx"

if [ -n "${ITRACE_CHECK_ALL-}" ]; then
	for name in skylake-sp tigerlake icelake-sp sapphirerapids graniterapids gracemont; do
		model $name 0xef04
	done
	# RTIT_CTL faults when written now: the crash path must not.
	ITRACE_LAB_PLUGIN_ARGS=model=broadwell,vmxon=400000
	lab_run vmx-off 128
	equal "PT off in VMX operation"
	for cpu in 0 1; do
		expect "PT off in VMX operation, CPU $cpu: it did go off" "$(pt_stat "cpu$cpu bytes")" \
			test "$(pt_stat "cpu$cpu bytes")" -lt 450000
	done
	frozen=$(grep -a 'itrace: frozen ' "$dir/console.log")
	case $frozen in
	*'cpu=1 reason=oops '*) result 0 "PT off in VMX operation: frozen all the same" ;;
	*) result 1 "PT off in VMX operation: frozen all the same" "$frozen" ;;
	esac
fi

ITRACE_LAB_PLUGIN_ARGS=model=broadwell,error=on
lab_run no-trace 128
expect "a ring of two regions on a CPU with one: refused" "$(fact large.insmod)" \
	test "$(fact large.insmod)" = "22 Invalid argument"
expect "a ring of two regions on a CPU with one: one line says why" "$(fact large.log)" \
	test "$(fact large.log)" = \
	"ring_kib=8192: this CPU's PT writes to one piece of memory, at most 4096"
expect "RTIT_STATUS.Error after enabling: insmod fails" "$(fact no-trace.insmod)" \
	test "$(fact no-trace.insmod)" = "5 Input/output error"
expect "RTIT_STATUS.Error after enabling: one line has the value" "$(fact no-trace.log)" \
	test "$(fact no-trace.log)" = \
	"[cpu 0] no trace: the CPU reports an error (RTIT_CTL=0x2d05 RTIT_STATUS=0x12)"
expect "RTIT_STATUS.Error after enabling: nothing is left behind" "$(fact no-trace.left)" \
	test "$(fact no-trace.left)" = "sysfs=0 module=0 symbols=0 hooks=0 cpuhp=0"
finish
