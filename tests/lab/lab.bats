#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The lab's own parts, as far as they can be judged without booting a guest.

setup()
{
	LAB=$(cd "$BATS_TEST_DIRNAME" && pwd -P)
	TMP=$(mktemp -d)
	mkdir "$TMP/bin"
	PATH=$TMP/bin:$PATH
}

teardown()
{
	rm -rf "$TMP"
}

fake()			# NAME: a command that does what stdin says
{
	{
		echo '#!/bin/sh'
		cat
	} >"$TMP/bin/$1"
	chmod 755 "$TMP/bin/$1"
}

mirrors()		# runs both searches with the fake apt-get
{
	sh -c '. "$1/apt-mirrors.sh"; mirror_archive; mirror_security' sh "$LAB"
}

@test "run: usage errors are 2 and leave nothing" {
	for args in "" "null-deref" "no-such --out $TMP/o" "null-deref --ring x --out $TMP/o" \
		"null-deref --smp 0 --out $TMP/o" "null-deref --out" "../run --out $TMP/o" \
		"null-deref sysrq-c --out $TMP/o" "null-deref --what --out $TMP/o"; do
		# shellcheck disable=SC2086
		run "$LAB/run" $args
		[ "$status" = 2 ] || { echo "status $status for: $args"; false; }
	done
	[ ! -e "$TMP/o" ]
}

@test "run: usage lists every scenario" {
	run "$LAB/run"
	for scenario in "$LAB"/scenarios/*; do
		[[ "$output" == *"${scenario##*/}"* ]]
	done
}

@test "every scenario says what it is, and how it ends" {
	for scenario in "$LAB"/scenarios/*; do
		sh -c 'set -eu
			EXPECT_CRASH= EXPECT_LOG= SCENARIO_DUMP=kdump
			. "$1"
			[ -n "$DESCRIPTION" ]
			[ -n "$EXPECT_CRASH$EXPECT_LOG" ] || [ "$SCENARIO_DUMP" != kdump ]
			command -v guest_run' sh "$scenario"
	done
}

@test "console: an alarm that no one expects is found" {
	printf '%s\n' 'fine' '[ 1.0] BUG: kernel NULL pointer dereference, address: 10' \
		'[ 1.1] Oops: Oops: 0000 [#1] PREEMPT SMP' \
		'[ 1.2] WARNING: CPU: 0 PID: 1 at kernel/events/core.c:1 foo+0x1/0x2' \
		'[ 1.3] INFO: possible recursive locking detected' >"$TMP/console"
	run sh -c '. "$1/console.sh"
		console_alarms "$2" "$(console_expected "BUG: kernel NULL pointer")"' sh "$LAB" "$TMP/console"
	[ "$status" = 0 ]
	[ "${#lines[@]}" = 2 ]
	[[ "${lines[0]}" == 4:*core.c* ]]
	[[ "${lines[1]}" == 5:*recursive* ]]
}

@test "console: where no crash is expected, a crash is an alarm" {
	echo '[ 1.0] BUG: kernel NULL pointer dereference, address: 10' >"$TMP/console"
	run sh -c '. "$1/console.sh"; console_alarms "$2" "$(console_expected "")"' sh "$LAB" "$TMP/console"
	[ "${#lines[@]}" = 1 ]
}

@test "console: expected lines alone are no alarm" {
	printf '%s\n' 'fine' '[ 1.0] Kernel panic - not syncing: sysrq triggered crash' >"$TMP/console"
	run sh -c '. "$1/console.sh"
		console_alarms "$2" "$(console_expected "Kernel panic - not syncing: sysrq")"' sh "$LAB" "$TMP/console"
	[ "$status" = 0 ]
	[ -z "$output" ]
}

@test "mirrors: by the label that apt knows" {
	fake apt-get <<-'E'
	echo 'Other|http://mirror.invalid/debian/'
	echo 'Debian|http://one.invalid/some/where/'
	echo 'Debian-Security|http://one.invalid/sec/'
	E
	run mirrors
	[ "${lines[0]}" = http://one.invalid/some/where ]
	[ "${lines[1]}" = http://one.invalid/sec ]
}

@test "mirrors: by the path, as long as apt has no lists" {
	fake apt-get <<-'E'
	echo '$(LABEL)|http://two.invalid/debian/'
	echo '$(LABEL)|http://two.invalid/debian-security/'
	E
	run mirrors
	[ "${lines[0]}" = http://two.invalid/debian ]
	[ "${lines[1]}" = http://two.invalid/debian-security ]
}

@test "root: the cache directory is where ITRACE_CACHE, XDG_CACHE_HOME or HOME say" {
	[[ "$(ITRACE_CACHE=/a "$LAB/root" --path)" == /a/root-trixie-* ]]
	[[ "$(env -u ITRACE_CACHE XDG_CACHE_HOME=/b "$LAB/root" --path)" == /b/itrace/root-trixie-* ]]
	[[ "$(env -u ITRACE_CACHE -u XDG_CACHE_HOME HOME=/c "$LAB/root" --path)" == /c/.cache/itrace/* ]]
}

@test "root: other packages, other root" {
	cp -r "$LAB" "$TMP/lab"
	one=$("$TMP/lab/root" --path)
	echo '# a comment' >>"$TMP/lab/packages.root"
	[ "$("$TMP/lab/root" --path)" = "$one" ]
	echo hello >>"$TMP/lab/packages.root"
	[ "$("$TMP/lab/root" --path)" != "$one" ]
}

@test "in-root, run and build: without a root they say so and exit 99" {
	mkdir "$TMP/cache"
	for command in "in-root true" "build lab"; do
		# shellcheck disable=SC2086
		ITRACE_CACHE=$TMP/cache run "$LAB/"$command
		[ "$status" = 99 ]
		[[ "$output" == *"make lab"* ]]
	done
}

@test "in-root: the command's exit code, the tree at /src, no mount left" {
	[ -e "$("$LAB/root" --path)/.lab-versions" ] || skip 'the lab has not been made'
	run "$LAB/in-root" sh -c 'exit 7'
	[ "$status" = 7 ]
	cd "$LAB"
	run "$LAB/in-root" sh -c 'pwd; grep -c . /proc/mounts >/dev/null; ls run'
	[ "${lines[0]}" = /src/tests/lab ]
	[ "${lines[1]}" = run ]
	run grep "$("$LAB/root" --path)" /proc/mounts
	[ -z "$output" ]
}

@test "setup: quick where nothing is missing, 99 with the command where one may not install" {
	fake dpkg-query <<-'E'
	shift 3
	printf 'install ok installed %s\n' "$@"
	E
	run "$LAB/../setup"
	[ "$status" = 0 ]
	[ -z "$output" ]
	fake dpkg-query <<-'E'
	exit 1
	E
	fake id <<-'E'
	echo 1000
	E
	run "$LAB/../setup"
	[ "$status" = 99 ]
	[[ "$output" == *"apt-get install"*mmdebstrap* ]]
}
