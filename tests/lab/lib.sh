# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Functions that the lab's scripts share. A script sets LAB to its own
# directory (tests/lab) and then sources this file.
#
# Exit codes of every lab script: 0 done, 1 the thing under test failed,
# 2 usage, 99 broken set-up (no root, no network, missing tool).

LAB_SETUP=99

say()
{
	printf 'lab: %s\n' "$*" >&2
}

die()			# message: what the guest or the build did wrong
{
	say "$*"
	exit 1
}

broken()		# message: what the machine lacks
{
	say "broken set-up: $*"
	exit "$LAB_SETUP"
}

usage_error()
{
	say "$*"
	exit 2
}

lab_repo()		# top of the source tree, absolute
{
	(cd "$LAB/../.." && pwd -P)
}

lab_cache()		# where roots are kept; safe to delete
{
	if [ -n "${ITRACE_CACHE:-}" ]; then
		printf '%s\n' "$ITRACE_CACHE"
	elif [ -n "${XDG_CACHE_HOME:-}" ]; then
		printf '%s/itrace\n' "$XDG_CACHE_HOME"
	elif [ -n "${HOME:-}" ]; then
		printf '%s/.cache/itrace\n' "$HOME"
	else
		broken 'none of ITRACE_CACHE, XDG_CACHE_HOME and HOME is set'
	fi
}

lab_root()		# path of the root, whether it has been made or not
{
	lab_key=$({
		lab_list "$LAB/packages.root"
		lab_list "$LAB/packages.root-backports"
		grep -v "^[[:space:]]*#" "$LAB/root-make.sh"
	} | sha256sum | cut -c 1-12)
	printf '%s/root-trixie-%s\n' "$(lab_cache)" "$lab_key"
}

lab_list()		# FILE: its words, without comments
{
	sed 's/#.*//' "$1" | tr -s ' \t\n' '\n' | sed '/^$/d'
}

need_root()		# what for
{
	[ "$(id -u)" = 0 ] || broken "$1 needs root (mounts and chroot); run it as root"
}

need_commands()		# NAME...
{
	need_missing=
	for need_cmd in "$@"; do
		command -v "$need_cmd" >/dev/null 2>&1 ||
			need_missing="$need_missing $need_cmd"
	done
	[ -z "$need_missing" ] ||
		broken "not installed:$need_missing (tests/setup installs what the lab needs)"
}

retry()			# TIMES COMMAND...: waits 5 s more after each failure
{
	retry_left=$1
	retry_wait=5
	shift
	until "$@"; do
		retry_left=$((retry_left - 1))
		[ "$retry_left" -gt 0 ] || return 1
		say "failed, again in $retry_wait s: $1"
		sleep "$retry_wait"
		retry_wait=$((retry_wait + 5))
	done
}

lab_kernel()		# ROOT [PREFIX]: newest kernel release in ROOT with that prefix
{
	# shellcheck disable=SC2012 # releases have no odd characters
	ls -1 "$1/boot" | sed -n 's/^vmlinuz-//p' |
		awk -v p="${2:-}" 'index($0, p) == 1' | sort -V | tail -n 1
}
