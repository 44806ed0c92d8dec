# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What a guest's console may say. A kernel that warns about something that the
# scenario didn't ask for has found a fault of ours, however good the dump is.

CONSOLE_ALARMS='WARNING: |BUG: |INFO: (possible|task|rcu)|KASAN|KCSAN|UBSAN|Oops: |general protection|Kernel panic|refcount_t: |list_(add|del) corruption|scheduling while atomic|unchecked MSR|stack guard page|soft lockup|hard LOCKUP'

# Not ours: lines that the stock kernel prints on the emulated CPU.
CONSOLE_KNOWN='Spectre V2 : WARNING: Unprivileged eBPF is enabled'

# console_alarms FILE EXPECTED: alarms in FILE that match neither. EXPECTED is an
# extended regular expression, empty where no crash is expected.
console_alarms()
{
	grep -a -n -E "$CONSOLE_ALARMS" "$1" | grep -a -v -E "$CONSOLE_KNOWN${2:+|$2}" || :
}

# An expected crash has lines that come with it.
console_expected()	# EXPECT_CRASH
{
	case "$1" in
	'') ;;
	BUG:*) printf '%s' "$1|Oops: 0000|Kernel panic - not syncing: Fatal exception" ;;
	*) printf '%s' "$1" ;;
	esac
}
