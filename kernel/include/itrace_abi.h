/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The itrace record: what the kernel module leaves in memory, and every reader relies on.
 *
 * All numbers are little-endian (x86-64 only), all structures naturally aligned without holes, no
 * kernel or libc header needed beyond <stdint.h> or <linux/types.h>. Addresses named `pa` are
 * physical, with the memory encryption bit clear; with ITRACE_F_FILE they are byte offsets in the
 * file that holds the record, so that captures, side files and bundles are this same format.
 *
 * The record is written in parts, at different times and by different CPUs. Each part begins with
 * struct itrace_part and is checked by itself: a damaged part costs only what it says.
 *
 *   header     page 0 of the record, at arm
 *   machine, modules                at arm
 *   slots      one per possible CPU at `stride`: at arm, then by that CPU at the freeze
 *   event      what froze the rings: by the first CPU that froze
 *   patches    code changed while armed
 *   extents    one part per CPU, found from its slot: where that CPU's ring lies
 *
 * Versions: a reader takes any minor version of its major one. Parts only grow at their end: it
 * reads min(part.len, what it knows) and takes what is missing as zero.
 */
#ifndef ITRACE_ABI_H
#define ITRACE_ABI_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef __u8 itrace_u8;
typedef __u16 itrace_u16;
typedef __u32 itrace_u32;
typedef __u64 itrace_u64;
#else
#include <stdint.h>
typedef uint8_t itrace_u8;
typedef uint16_t itrace_u16;
typedef uint32_t itrace_u32;
typedef uint64_t itrace_u64;
#endif

#define ITRACE_MAGIC	 "itrace\r\n\032record" /* 15 characters and the final NUL */
#define ITRACE_MAGIC_LEN 16
#define ITRACE_MAJOR	 1
#define ITRACE_MINOR	 0

/*
 * crc: CRC-32 (IEEE 802.3, zlib's crc32()) of the part's bytes 8 to len-1.
 * seq: odd while the part is being written: its content is then not to be trusted.
 */
struct itrace_part {
	itrace_u32 crc;
	itrace_u32 seq;
	itrace_u32 type; /* enum itrace_part_type: where it was found must agree */
	itrace_u32 len;	 /* bytes, this struct included */
};

enum itrace_part_type {
	ITRACE_PART_NONE = 0,		  /* an unused section */
	ITRACE_PART_HEADER = 0x31524448,  /* "HDR1" */
	ITRACE_PART_MACHINE = 0x3148434d, /* "MCH1" */
	ITRACE_PART_MODULES = 0x31444f4d, /* "MOD1" */
	ITRACE_PART_CPU = 0x31555043,	  /* "CPU1" */
	ITRACE_PART_EVENT = 0x31545645,	  /* "EVT1" */
	ITRACE_PART_PATCHES = 0x31484350, /* "PCH1" */
	ITRACE_PART_EXTENTS = 0x31545845, /* "EXT1" */
};

/* Where a part (or, for slots, an array of them) lies. Unknown types are skipped. */
struct itrace_section {
	itrace_u32 type; /* enum itrace_part_type */
	itrace_u32 nr;	 /* parts at this place: 1, or the number of CPU slots */
	itrace_u64 pa;
	itrace_u32 stride; /* bytes from part to part; multiple of 8, >= part.len */
	itrace_u32 reserved;
};

#define ITRACE_NR_SECTIONS 16
#define ITRACE_MAX_CPUS	   8192 /* x86's own NR_CPUS limit */

/* itrace_header.flags */
#define ITRACE_F_FILE	   (1ull << 0) /* pa fields are offsets in this file */
#define ITRACE_F_OWN	   (1ull << 1) /* the rings are the module's own (else adopted) */
#define ITRACE_F_NO_RETC   (1ull << 2) /* every trace was made with DisRETC */
#define ITRACE_F_PATCH_LOG (1ull << 3) /* code patching is logged; else nobody watched */

struct itrace_header {
	itrace_u8 magic[ITRACE_MAGIC_LEN];
	struct itrace_part part; /* crc of everything behind its first 8 bytes */
	itrace_u16 major;
	itrace_u16 minor;
	itrace_u32 nr_cpus; /* slots, = possible CPUs */
	itrace_u64 flags;
	itrace_u64 pa;	       /* of this header */
	itrace_u64 len;	       /* bytes from here that are one contiguous piece */
	itrace_u8 boot_id[16]; /* as /proc/sys/kernel/random/boot_id, in text order */
	itrace_u64 generation; /* counts arms of this boot, from 1 */
	itrace_u64 arm_tsc;
	itrace_u64 arm_real_ns; /* since 1970, UTC */
	itrace_u64 arm_mono_ns; /* ktime_get() */
	struct itrace_section section[ITRACE_NR_SECTIONS];
};

struct itrace_cpuid {
	itrace_u32 leaf;
	itrace_u32 subleaf;
	itrace_u32 eax, ebx, ecx, edx;
};

#define ITRACE_NR_CPUID 24
#define ITRACE_NR_HOOKS 16

/* A function whose entry freezes the rings. */
struct itrace_hook {
	itrace_u64 addr; /* first instruction; 0: this kernel has none of that name */
	char name[32];
};

struct itrace_machine {
	struct itrace_part part;
	char release[64]; /* uname -r, NUL-terminated */
	char nodename[64];
	itrace_u8 build_id[20]; /* of vmlinux; all zero when the kernel has none */
	itrace_u32 build_id_len;
	itrace_u32 microcode;
	itrace_u32 nr_cpuid;
	struct itrace_cpuid cpuid[ITRACE_NR_CPUID]; /* leaves 0 1 7 14h 15h 16h 1Ah */
	itrace_u64 msr_platform_info;		    /* 0CEh, 0 when it can't be read */
	itrace_u64 tsc_khz;
	itrace_u64 page_offset_base; /* virtual address of physical 0 */
	itrace_u64 phys_base;
	itrace_u64 anchor_addr; /* run-time address of the exported symbol anchor_name */
	char anchor_name[32];
	itrace_u64 encryption_mask; /* SME/SEV C-bit in page table entries; 0: none */
	itrace_u32 phys_bits;	    /* MAXPHYADDR */
	itrace_u32 la57;	    /* 1: five-level paging */
	itrace_u64 idt_base;	    /* virtual; 0 with FRED */
	itrace_u32 idt_limit;
	itrace_u32 fred;	/* 1: entries by FRED */
	itrace_u64 fred_config; /* IA32_FRED_CONFIG: entry point page */
	itrace_u64 lstar;	/* system call entry */
	itrace_u64 text_base;	/* the module's own text */
	itrace_u64 text_size;
	itrace_u32 nr_hooks;
	itrace_u32 hooks_mode; /* enum itrace_hooks_mode */
	struct itrace_hook hook[ITRACE_NR_HOOKS];
};

enum itrace_hooks_mode {
	ITRACE_HOOKS_NONE = 0,
	ITRACE_HOOKS_FTRACE = 1,
	ITRACE_HOOKS_KPROBE = 2,
	ITRACE_HOOKS_NOTIFIER = 3,
};

struct itrace_module {
	char name[56];
	itrace_u64 base; /* of its text */
	itrace_u64 size;
	itrace_u8 build_id[20];
	itrace_u32 build_id_len;
};

struct itrace_modules {
	struct itrace_part part;
	itrace_u32 nr;
	itrace_u32 lost; /* modules that did not fit */
	struct itrace_module module[];
};

/* One physically contiguous piece of a ring, in ring order. */
struct itrace_extent {
	itrace_u64 pa;	/* page aligned */
	itrace_u64 len; /* bytes, multiple of 4096 */
};

struct itrace_extents {
	struct itrace_part part;
	itrace_u32 cpu;
	itrace_u32 nr;
	struct itrace_extent extent[];
};

enum itrace_state {
	ITRACE_STATE_OFF = 0,	    /* never armed */
	ITRACE_STATE_ARMED = 1,	    /* tracing; the position below is not valid */
	ITRACE_STATE_FROZEN = 2,    /* stopped by itself; everything below is valid */
	ITRACE_STATE_NO_ANSWER = 3, /* asked to stop, has not written its slot */
	ITRACE_STATE_OFFLINE = 4,
	ITRACE_STATE_YIELDED = 5, /* given to another perf user */
};

/* What called the freeze; the names in the log and in readers are enum names in lower case. */
enum itrace_reason {
	ITRACE_REASON_NONE = 0,
	ITRACE_REASON_OOPS = 1,	 /* page_fault_oops, oops_enter */
	ITRACE_REASON_DIE = 2,	 /* die: BUG, int3, #DE ... */
	ITRACE_REASON_GPF = 3,	 /* die_addr */
	ITRACE_REASON_PANIC = 4, /* panic, vpanic */
	ITRACE_REASON_NMI_PANIC = 5,
	ITRACE_REASON_NMI = 6,	    /* this CPU was stopped by another's request */
	ITRACE_REASON_NOTIFIER = 7, /* only a die or panic notifier saw it */
	ITRACE_REASON_SNAPSHOT = 8,
	ITRACE_REASON_WARN = 9,
};

enum itrace_kind {
	ITRACE_KIND_NONE = 0, /* nothing has happened yet */
	ITRACE_KIND_FATAL = 1,
	ITRACE_KIND_PROVISIONAL = 2, /* frozen, not yet known to be fatal */
	ITRACE_KIND_SNAPSHOT = 3,
	ITRACE_KIND_FOREIGN = 4, /* the ring belongs to another perf user */
};

struct itrace_event {
	struct itrace_part part;
	itrace_u32 kind;      /* enum itrace_kind */
	itrace_u32 reason;    /* enum itrace_reason */
	itrace_u32 first_cpu; /* the CPU that asked for the freeze */
	itrace_u32 hook;      /* index in machine.hook[], or ~0 */
	itrace_u64 generation;
	itrace_u64 tsc;
	itrace_u64 real_ns;
	itrace_u64 mono_ns;
	itrace_u64 local_ns; /* local_clock(): dmesg's time */
};

struct itrace_regs {
	itrace_u64 ax, bx, cx, dx, si, di, bp, sp;
	itrace_u64 r8, r9, r10, r11, r12, r13, r14, r15;
	itrace_u64 ip, flags;
	itrace_u64 cs, ss, fs_base, gs_base;
};

/* itrace_cpu.valid */
#define ITRACE_V_POSITION   (1ull << 0) /* output_base/output_mask [1], status[1] */
#define ITRACE_V_REGS	    (1ull << 1)
#define ITRACE_V_VECTOR	    (1ull << 2)
#define ITRACE_V_ERROR	    (1ull << 3)
#define ITRACE_V_CR2	    (1ull << 4)
#define ITRACE_V_FAULT_ADDR (1ull << 5)
#define ITRACE_V_TASK	    (1ull << 6) /* pid, tgid, comm, preempt_count */
#define ITRACE_V_CR	    (1ull << 7) /* cr3, cr4 */
#define ITRACE_V_CLOCKS	    (1ull << 8)
#define ITRACE_V_HOOK	    (1ull << 9) /* hook, hook_ip, caller_ip */
#define ITRACE_V_VMX	    (1ull << 10)
#define ITRACE_V_RING	    (1ull << 11) /* ring_size, extents, topa: set at arm */
#define ITRACE_V_FILTERS    (1ull << 12)

/* itrace_cpu.vmx; the first without the second: PT is off while in VMX operation */
#define ITRACE_VMX_ON (1ull << 0) /* CR4.VMXE */
#define ITRACE_VMX_PT (1ull << 1) /* IA32_VMX_MISC[14]: PT goes on there */

struct itrace_cpu {
	struct itrace_part part;
	itrace_u32 cpu;
	itrace_u32 state;      /* enum itrace_state */
	itrace_u32 reason;     /* enum itrace_reason */
	itrace_u32 node;       /* NUMA */
	itrace_u64 valid;      /* ITRACE_V_* */
	itrace_u64 generation; /* of the arming that this slot belongs to */
	/* The trace. [0] just after arming, [1] after TraceEn was cleared (SDM 3C 33.2.7.2). */
	itrace_u64 ctl_start;  /* IA32_RTIT_CTL as armed */
	itrace_u64 ctl_freeze; /* as found at the freeze */
	itrace_u64 status[2];  /* IA32_RTIT_STATUS */
	itrace_u64 output_base[2];
	itrace_u64 output_mask[2];
	itrace_u64 addr[4][2]; /* IA32_RTIT_ADDRn_A, _B */
	itrace_u64 cr3_match;
	itrace_u64 topa_pa;	 /* first ToPA table of the ring */
	itrace_u64 ring_size;	 /* bytes */
	itrace_u64 start_offset; /* byte in the ring where this arming began */
	itrace_u64 extents_pa;	 /* a struct itrace_extents */
	itrace_u32 extents_len;	 /* its bytes */
	itrace_u32 extents_nr;
	/* The CPU at the freeze. */
	itrace_u64 cr3; /* PCID, no-flush and PTI bits cleared: the kernel's page table */
	itrace_u64 cr4;
	itrace_u64 cr2;
	itrace_u64 fault_addr; /* what the faulting access or jump was aimed at */
	itrace_u32 vector;     /* of the exception, 0-255 */
	itrace_u32 reserved0;
	itrace_u64 error_code;
	struct itrace_regs regs;
	itrace_u32 pid;
	itrace_u32 tgid;
	char comm[16];
	itrace_u32 preempt_count;
	itrace_u32 hook;      /* index in machine.hook[], or ~0 */
	itrace_u64 hook_ip;   /* the hooked function */
	itrace_u64 caller_ip; /* return address of its caller */
	itrace_u64 vmx;	      /* ITRACE_VMX_* */
	/* Clocks, read together. */
	itrace_u64 tsc;
	itrace_u64 mono_ns;
	itrace_u64 real_ns;
	itrace_u64 local_ns;
	itrace_u64 tsc_adjust;
};

#define ITRACE_CPU_STRIDE 1024

/* Code that changed while armed; entry i of all at slot i mod capacity. */
struct itrace_patch {
	itrace_u64 tsc;
	itrace_u64 addr;
	itrace_u32 len; /* 1 to 16 */
	itrace_u32 reserved;
	itrace_u8 before[16];
	itrace_u8 after[16];
};

struct itrace_patches {
	struct itrace_part part; /* crc only of this struct: entries change all the time */
	itrace_u32 capacity;
	itrace_u32 stride; /* sizeof(struct itrace_patch) */
	itrace_u64 count;  /* all that were ever logged */
	itrace_u64 lost;   /* not logged at all */
	struct itrace_patch patch[];
};

#define ITRACE_ASSERT_SIZE(type, size) \
	_Static_assert(sizeof(struct type) == (size), "struct " #type " is part of the format")

ITRACE_ASSERT_SIZE(itrace_part, 16);
ITRACE_ASSERT_SIZE(itrace_section, 24);
ITRACE_ASSERT_SIZE(itrace_header, 496);
ITRACE_ASSERT_SIZE(itrace_cpuid, 24);
ITRACE_ASSERT_SIZE(itrace_hook, 40);
ITRACE_ASSERT_SIZE(itrace_machine, 1536);
ITRACE_ASSERT_SIZE(itrace_module, 96);
ITRACE_ASSERT_SIZE(itrace_modules, 24);
ITRACE_ASSERT_SIZE(itrace_extent, 16);
ITRACE_ASSERT_SIZE(itrace_extents, 24);
ITRACE_ASSERT_SIZE(itrace_event, 72);
ITRACE_ASSERT_SIZE(itrace_regs, 176);
ITRACE_ASSERT_SIZE(itrace_cpu, 544);
ITRACE_ASSERT_SIZE(itrace_patch, 56);
ITRACE_ASSERT_SIZE(itrace_patches, 40);

#endif
