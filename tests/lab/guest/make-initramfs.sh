# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Run in the lab's root: make-initramfs.sh KERNEL-RELEASE GUEST-DIR >CPIO
# The guest's initramfs: busybox, kexec, makedumpfile and their libraries; then,
# as a second archive behind it, the kernel and that same initramfs for kdump.
set -eu

kernel=$1
guest=$2
tree=/tmp/initramfs

copy()			# PROGRAM: with the libraries it is linked to
{
	for file in "$1" $(ldd "$1" | sed -n 's/.*[ \t]\(\/[^ ]*\) (0x.*/\1/p'); do
		mkdir -p "$tree$(dirname "$file")"
		cp -L "$file" "$tree$file"
	done
}

archive()
{
	(cd "$1" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0)
}

mkdir -p "$tree/bin" "$tree/modules" "$tree/lib64"
cp /usr/bin/busybox "$tree/bin/busybox"
copy "$(command -v kexec)"
copy "$(command -v makedumpfile)"
cp "$guest/init" "$tree/init"
cp "$guest/guest.sh" "$tree/guest.sh"
chmod 755 "$tree/init"
fw_cfg=$(find "/lib/modules/$kernel" -name 'qemu_fw_cfg.ko*' | head -n 1)
case "$fw_cfg" in
*.xz) xz -dc "$fw_cfg" >"$tree/modules/qemu_fw_cfg.ko" ;;
*.ko) cp "$fw_cfg" "$tree/modules/" ;;
esac

mkdir -p /tmp/outer/kdump
archive "$tree" >/tmp/outer/kdump/initrd
cp "/boot/vmlinuz-$kernel" /tmp/outer/kdump/vmlinuz
cat /tmp/outer/kdump/initrd
archive /tmp/outer
