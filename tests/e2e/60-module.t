#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The module's life: where it refuses to load, that it comes and goes without a trace, that an oops
# which the machine survives arms it again, and that after all of this a crash still decodes to what
# the CPU executed. What the guest saw is in facts.txt; it is judged here.
. tests/e2e/lib.sh

ring=$((128 * 1024))

# fact KEY: its values, one a line
fact()
{
	awk -v key="$1" '$1 == key { sub(/^[^ ]+ ?/, ""); print }' "$dir/facts.txt"
}

# is NAME KEY WANT: the fact is there once, and is this
is()
{
	is_got=$(fact "$2")
	expect "$1" "$2: \"$is_got\", not \"$3\"" test "$is_got" = "$3"
}

# refused NAME KEY ERRNO LINE: insmod failed with it, and this one line is all that was logged
refused()
{
	is "$1: insmod fails with $3" "$2.insmod" "$3"
	is "$1: one line says why" "$2.log" "$4"
}

gone='sysfs=0 module=0 hooks=0 cpuhp=0'
gone_symbols='sysfs=0 module=0 symbols=0 hooks=0 cpuhp=0'

lab_run no-pt 128
refused "no Intel PT" no-pt "19 No such device" "no Intel PT (CPUID.7.EBX[25]=0), not loading"
is "no Intel PT: nothing is left behind" no-pt.left "$gone_symbols"

lab_run module-life 128
is "before: nothing of itrace is there" before.left "$gone"
is "a member elsewhere: insmod fails" shifted.insmod "95 Operation not supported"
# The kernel says where it is; the variant has put 8 bytes before it.
at=$(fact shifted.log | sed -n 's/.*aux_wakeup at \([0-9]*\),.*/\1/p')
is "a member elsewhere: one line says where" shifted.log \
	"unsupported: perf_buffer.aux_wakeup at ${at:=0}, 8 bytes; expected at $((at + 8)), 8"
refused "a member that is not there" absent "95 Operation not supported" \
	"unsupported: perf_buffer.aux_in_absence is not in this kernel"
refused "ring_kib=100" odd-ring "22 Invalid argument" \
	"ring_kib=100: a power of two from 8 to 1048576 is needed"
is "three refusals leave nothing behind" refused.left "$gone"
refused "capture kernel" capture "16 Device or resource busy" "this is a capture kernel, not loading"
is "capture kernel: nothing is left behind" capture.left "$gone"

is "loaded: insmod succeeds" armed.insmod "0 "
is "loaded: armed" armed.state armed
record_line="record v1 pa=$(fact armed.record | sed 's/ / len=/') boot="
expect "loaded: the log has the record that sysfs has, alone" \
	"log: $(fact armed.log); sysfs: $(fact armed.record)" \
	test "$(fact armed.log | sed 's/[-0-9a-f]\{36\}$//')" = "$record_line"
expect "armed: hooks and hotplug callbacks are seen" "$(fact armed.left)" \
	test "$(fact armed.left | sed 's/=[1-9][0-9]*/=N/g')" = "sysfs=N module=N hooks=N cpuhp=N"
is "state: 0600, root's" mode.state "600 0"
is "ring_kib: 0600, root's" mode.ring_kib "600 0"
is "record: 0400, root's" mode.record "400 0"
is "armed: another ring size is refused" armed.ring "1 Device or resource busy"
is "armed: an unknown word is refused" armed.word "1 Invalid argument"
is "armed: another user of intel_pt gets EBUSY" second-user.insmod "16 Device or resource busy"
is "armed: and one line from the module that asks" second-user.log \
	"[cpu 0] intel_pt is in use by another perf session
selftest: 1 checks, 0 failed"

cycle_words=
for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	cycle_words="$cycle_words/$(fact "cycle$n.disarm")/$(fact "cycle$n.disarmed.state")"
	cycle_words="$cycle_words/$(fact "cycle$n.arm")/$(fact "cycle$n.armed.state")"
done
expect "16 times disarmed and armed" "$cycle_words" \
	test "$(printf '%s' "$cycle_words" | sed 's,/0 /off/0 /armed,N,g')" = NNNNNNNNNNNNNNNN
expect "16 times disarmed: memory was looked at" "" \
	test "$(grep -cE '^cycle[0-9]*\.free_kib [0-9]+$' "$dir/facts.txt")" = 16

# most A B C: KiB, the most that was free after these disarmings: a single figure may lack pages that
# wait for a grace period. Below 96 KiB over 13 cycles: not a page is lost by each CPU at each arming
most()
{
	for n in "$@"; do
		fact "cycle$n.free_kib"
	done | sort -n | tail -n 1
}
first=$(most 0 1 2)
last=$(most 13 14 15)
expect "16 times disarmed: no memory is lost" "free at first ${first} KiB, at last ${last} KiB" \
	test "${first:-0}" -gt 0 -a "$((first - last))" -lt 96
measured "memory after 13 more arming cycles, 2 MiB each: $((last - first)) KiB free"

is "disarmed" off.disarm "0 "
is "disarmed: no record" off.record "0x0 0"
is "disarmed: a bad ring size is refused" off.odd-ring "1 Invalid argument"
is "disarmed: another ring size is taken" off.ring "0 "
is "disarmed: and shown" off.ring_kib 512
is "disarmed: intel_pt is free, the sampler's self-test loads" selftest.insmod "0 "
expect "the sampler's self-test: all checks hold" "$(fact selftest.log)" \
	test "$(fact selftest.log | sed 's/: [1-9][0-9][0-9]* checks/: N checks/')" = "selftest: N checks, 0 failed"
measured "$(fact selftest.log | tail -n 1)"
is "rmmod while disarmed" rmmod.idle 0
is "rmmod while disarmed: nothing is left behind" rmmod.idle.left "$gone"
is "loaded again: insmod succeeds" again.insmod "0 "
is "loaded again: armed" again.state armed
is "rmmod while armed" rmmod.armed 0
is "rmmod while armed: nothing is left behind" rmmod.armed.left "$gone_symbols"

for key in insmod disarm ring arm; do
	is "another ring size: $key" "last.$key" "0 "
done
is "another ring size: armed" last.state armed
is "an oops freezes" oops.state frozen
is "an oops that the machine survives: armed again" survived.state armed
survived=$(fact survived.log | sed 's/caller=.* generation/generation/; s/pa=.*/pa=/')
expect "an oops that the machine survives: three lines say so" "$(fact survived.log)" test "$survived" = \
	"frozen cpu=1 reason=oops hook=page_fault_oops generation=2
the machine survived; armed again, what was frozen is given up
record v1 pa="
expect "the console has that one oops" "" test "$(grep -c 'BUG: ' "$dir/console.log")" = 1
# The line before it is the oops'.
frozen=$(grep -a 'itrace: frozen ' "$dir/console.log" | tail -n 1)
case $frozen in
*'cpu=0 reason=panic '*' generation=3') result 0 "sysrq-c freezes the third arming" ;;
*) result 1 "sysrq-c freezes the third arming" "$frozen" ;;
esac

# The packets of this arming went round the ring, so the rule for the first instruction holds as it
# is: where they had not, its start would be what an earlier arming wrote, and the comparison fail.
for cpu in 0 1; do
	build/itrace show "$dir/vmcore" -c $cpu -i -n all -q >"$dir/show.cpu$cpu" 2>"$dir/show.err"
	result $? "CPU $cpu: itrace show exits 0" "$(cat "$dir/show.err")"
	out=$($TRUTHCMP compare "$dir/show.cpu$cpu" "$dir/truth.cpu$cpu" "$dir/psb.cpu$cpu" $ring 2>&1)
	result $? "CPU $cpu: the listing equals the truth" "$out"
	measured "after all this, CPU $cpu: ${out##*
}"
done
finish
