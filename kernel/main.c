// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"

#include <linux/crash_dump.h>
#include <linux/module.h>

#include "arm.h"
#include "control.h"
#include "freeze.h"
#include "layout.h"
#include "pmu.h"
#include "survive.h"

static unsigned int ring_kib = 4096;
module_param(ring_kib, uint, 0400);
MODULE_PARM_DESC(ring_kib, "Ring per CPU in KiB, a power of two (4096)");

static bool hooks = true;
module_param(hooks, bool, 0400);
MODULE_PARM_DESC(hooks,
		 "Freeze at the first sign of a crash (1); 0: leave it to kdump's late stop");

static bool arm = true;
module_param(arm, bool, 0400);
MODULE_PARM_DESC(arm, "Arm when loaded (1)");

static int __init check_machine(struct itrace_pmu *pmu)
{
	if (is_kdump_kernel()) {
		pr_err("this is a capture kernel, not loading\n");
		return -EBUSY;
	}
	if (itrace_set_ring_kib(ring_kib)) {
		pr_err("ring_kib=%u: a power of two from 8 to 1048576 is needed\n", ring_kib);
		return -EINVAL;
	}
	return itrace_pmu_init(pmu, (u64)ring_kib << 10);
}

/*
 * __ref, not __init: this function returns while its CPU is traced already, and the text of a trace
 * must still be there when the dump is read.
 */
static int __ref itrace_init(void)
{
	struct itrace_pmu pmu;
	int err;

	err = check_machine(&pmu);
	if (err)
		return err;
	err = itrace_layout_check();
	if (err)
		return err;
	err = itrace_freeze_init(&pmu.cap);
	if (err)
		return err;
	err = itrace_arm_init(hooks);
	if (err)
		goto err_freeze;
	err = itrace_control_init();
	if (err)
		goto err_arm;
	err = arm ? itrace_arm() : 0;
	if (err)
		goto err_control;
	return 0;

err_control:
	itrace_control_deinit();
err_arm:
	itrace_arm_deinit();
err_freeze:
	itrace_survive_deinit();
	itrace_freeze_deinit();
	return err;
}

static void __exit itrace_exit(void)
{
	itrace_control_deinit();
	itrace_arm_deinit();
	itrace_survive_deinit();
	itrace_freeze_deinit();
}

module_init(itrace_init);
module_exit(itrace_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Flight recorder: keeps Intel PT's last instructions for a crash dump");
