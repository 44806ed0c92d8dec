# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Second stage of tests/lab/root, run inside the new root: root-make.sh SUITE.
# Can be stopped and run again. Its text is part of the root's cache key.
set -eu

suite=$1
here=$(dirname "$0")
DEBIAN_FRONTEND=noninteractive
LC_ALL=C.UTF-8
# The guest has an initramfs of its own: Debian's would only cost time.
INITRD=No
export DEBIAN_FRONTEND LC_ALL INITRD

list()
{
	sed 's/#.*//' "$1" | tr -s ' \t\n' ' '
}

install()		# apt-get options and packages
{
	apt-get -q -y -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io \
		install "$@" >/var/log/lab-install.log 2>&1 || {
		tail -n 25 /var/log/lab-install.log >&2
		return 1
	}
}

version()		# NAME PACKAGE...: version of the first one that is installed
{
	printf '%s ' "$1"
	shift
	dpkg-query -W -f '${Version}\n' "$@" 2>/dev/null | head -n 1
}

printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d

dpkg --configure -a
apt-get -q -q update
# shellcheck disable=SC2046 # a list of words
install $(list "$here/packages.root")
# shellcheck disable=SC2046
install -t "$suite-backports" $(list "$here/packages.root-backports")
apt-get clean

kernel=$(for k in /boot/vmlinuz-*; do echo "${k#/boot/vmlinuz-}"; done |
	sort -V | tail -n 1)
[ -e "/usr/lib/debug/boot/vmlinux-$kernel" ] || {
	echo "no vmlinux for $kernel: its -dbg package is another version" >&2
	exit 1
}
[ -d "/lib/modules/$kernel/build/" ] || {
	echo "no headers for $kernel" >&2
	exit 1
}
qemu=$(qemu-system-x86_64 --version | sed -n 's/.*version \([0-9.]*\).*/\1/p')
printf '11.1\n%s\n' "$qemu" | sort -V -C || {
	echo "QEMU is $qemu; the plugin needs 11.1 or later" >&2
	exit 1
}

{
	echo "kernel $kernel"
	echo "qemu $qemu"
	version crash crash
	version makedumpfile makedumpfile
	version kexec-tools kexec-tools
	version gcc gcc
	version libipt libipt-dev
	version libkdumpfile libkdumpfile-dev
	version linux-perf linux-perf
} >/.lab-versions.new
rm -f "$here/root-make.sh" "$here"/packages.root*
mv /.lab-versions.new /.lab-versions
