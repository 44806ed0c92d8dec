// SPDX-License-Identifier: GPL-2.0-or-later
#include "kdump_check.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "status.h"

/* struct disk_dump_header of x86-64: offsets. */
#define HEADER_SIGNATURE     "KDUMP   "
#define HEADER_VERSION	     8
#define HEADER_BLOCK_SIZE    428
#define HEADER_SUB_BLOCKS    432
#define HEADER_BITMAP_BLOCKS 436
#define HEADER_MAX_MAPNR     440
#define BLOCK		     4096u

/* struct kdump_sub_header, from block 1 on. */
#define SUB_VMCOREINFO	 32 /* offset, size; since version 3 */
#define SUB_NOTES	 48 /* since 4 */
#define SUB_ERASEINFO	 64 /* since 5 */
#define SUB_MAX_MAPNR_64 96 /* since 6 */

#define MAX_BLOCKS (1u << 24)  /* of the bitmaps: memory of 1 PiB */
#define MAX_INFO   (64u << 20) /* bytes of vmcoreinfo or notes */

static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t get64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static int check_infos(const uint8_t *sub, uint32_t version, uint64_t file_size, char *why,
		       size_t size)
{
	static const struct {
		uint32_t version;
		uint32_t at;
		const char *name;
	} row[] = {
		{3, SUB_VMCOREINFO, "vmcoreinfo"},
		{4, SUB_NOTES, "notes"},
		{5, SUB_ERASEINFO, "erase info"},
	};
	uint64_t offset, len;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		offset = get64(sub + row[i].at);
		len = get64(sub + row[i].at + 8);
		if (version < row[i].version || !len)
			continue;
		if (len > MAX_INFO || offset > file_size || len > file_size - offset) {
			snprintf(why, size, "dump's %s: %llu bytes at %llu", row[i].name,
				 (unsigned long long)len, (unsigned long long)offset);
			return ITRACE_E_CORRUPT;
		}
	}
	return 0;
}

int itrace_kdump_check(const uint8_t *head, size_t len, uint64_t file_size, char *why, size_t size)
{
	uint32_t version, blocks, sub;
	uint64_t pages, end;

	if (len < sizeof(HEADER_SIGNATURE) - 1 ||
	    memcmp(head, HEADER_SIGNATURE, sizeof(HEADER_SIGNATURE) - 1))
		return 0;
	if (len < ITRACE_KDUMP_HEAD) {
		snprintf(why, size, "dump is cut off in its header");
		return ITRACE_E_CORRUPT;
	}
	if (get32(head + HEADER_BLOCK_SIZE) != BLOCK) {
		snprintf(why, size, "dump with blocks of %u bytes",
			 get32(head + HEADER_BLOCK_SIZE));
		return ITRACE_E_UNSUPPORTED;
	}
	version = get32(head + HEADER_VERSION);
	sub = get32(head + HEADER_SUB_BLOCKS);
	blocks = get32(head + HEADER_BITMAP_BLOCKS);
	pages = get32(head + HEADER_MAX_MAPNR);
	if (version >= 6 && get64(head + BLOCK + SUB_MAX_MAPNR_64) > pages)
		pages = get64(head + BLOCK + SUB_MAX_MAPNR_64);
	if (!version || version > 1000 || !sub || sub > MAX_BLOCKS || blocks > MAX_BLOCKS ||
	    pages > (uint64_t)blocks / 2 * BLOCK * 8) {
		snprintf(why, size, "dump's header: version %u, %u + %u blocks for %llu pages",
			 version, sub, blocks, (unsigned long long)pages);
		return ITRACE_E_CORRUPT;
	}
	end = (1ull + sub + blocks) * BLOCK;
	if (end > file_size) {
		snprintf(why, size, "dump is cut off after %llu bytes",
			 (unsigned long long)file_size);
		return ITRACE_E_CORRUPT;
	}
	return check_infos(head + BLOCK, version, file_size, why, size);
}

static int cut_off(char *why, size_t size, off_t end, uint64_t wanted)
{
	snprintf(why, size, "ELF dump is cut off after %lld of %llu bytes", (long long)end,
		 (unsigned long long)wanted);
	return ITRACE_E_CORRUPT;
}

/* How many program headers: more than fit in e_phnum are counted in the first section header. */
static uint64_t nr_segments(int fd, const Elf64_Ehdr *ehdr)
{
	Elf64_Shdr shdr;

	if (ehdr->e_phnum != PN_XNUM)
		return ehdr->e_phnum;
	if (ehdr->e_shoff > INT64_MAX ||
	    pread(fd, &shdr, sizeof(shdr), (off_t)ehdr->e_shoff) != sizeof(shdr))
		return PN_XNUM;
	return shdr.sh_info;
}

int itrace_kdump_check_elf(int fd, char *why, size_t size)
{
	off_t end = lseek(fd, 0, SEEK_END);
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	uint64_t i, nr, at;

	if (end < 0) {
		snprintf(why, size, "%s", strerror(errno));
		return ITRACE_E_SYSTEM;
	}
	if (pread(fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr) ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	nr = nr_segments(fd, &ehdr);
	for (i = 0; i < nr; i++) {
		at = ehdr.e_phoff + i * sizeof(phdr);
		if (at > (uint64_t)end || (uint64_t)end - at < sizeof(phdr))
			return cut_off(why, size, end, at + sizeof(phdr));
		if (pread(fd, &phdr, sizeof(phdr), (off_t)at) != sizeof(phdr))
			return cut_off(why, size, end, at + sizeof(phdr));
		if (phdr.p_offset > (uint64_t)end || phdr.p_filesz > (uint64_t)end - phdr.p_offset)
			return cut_off(why, size, end, phdr.p_offset + phdr.p_filesz);
	}
	return 0;
}
