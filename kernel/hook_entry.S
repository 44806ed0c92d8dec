/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first instructions of this module on the crash path.
 *
 * ftrace makes the first instruction of a hooked function a call to here. Nothing may change for
 * that function; %rax, %rcx and %rdx are all that stopping the trace needs. Every instruction up
 * to WRMSR is one more in the ring, at the cost of one from the story: the arguments that tell
 * about the crash are saved only after it.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>

#include "msr.h"

/* Function alignment got its own name with call depth tracking (v6.2). */
#ifndef SYM_F_ALIGN
#define SYM_F_ALIGN SYM_A_ALIGN
#endif

	.text

SYM_START(itrace_hook_entry, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR	/* entered by CALL and by RET only */
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	movl	$ITRACE_MSR_RTIT_CTL, %ecx
	rdmsr
	btrl	$0, %eax	/* TraceEn, to CF: lasts past WRMSR and PUSH */
	jnc	1f		/* in VMX operation WRMSR might fault: see itrace_stop() */
	wrmsr
1:
	/* struct itrace_hook_frame */
	pushq	%rdx
	pushq	%rax
	sbbl	%eax, %eax	/* -CF */
	negl	%eax
	orq	%rax, (%rsp)
	pushq	%r11
	pushq	%r10
	pushq	%r9
	pushq	%r8
	pushq	%rsi
	pushq	%rdi
#ifdef CONFIG_MITIGATION_CALL_DEPTH_TRACKING
	CALL_DEPTH_ACCOUNT	/* for the CALL that the compiler did not see */
#endif
	movq	%rsp, %rdi
	call	itrace_hook_stopped
	popq	%rdi
	popq	%rsi
	popq	%r8
	popq	%r9
	popq	%r10
	popq	%r11
	addq	$16, %rsp
	popq	%rdx
	popq	%rcx
	popq	%rax
	RET
SYM_FUNC_END(itrace_hook_entry)

	.section .note.GNU-stack, "", @progbits
