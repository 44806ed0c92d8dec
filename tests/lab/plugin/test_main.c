// SPDX-License-Identifier: GPL-2.0-or-later
/* test_main.c - make check: the plugin's pure files, without QEMU. */
#include "tests.h"

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_match_libipt),
		cmocka_unit_test(tnt_bits_keep_their_order),
		cmocka_unit_test(ip_compression_matches_libipt),
		cmocka_unit_test(cyc_matches_libipt),
		cmocka_unit_test(topa_wraps_at_end),
		cmocka_unit_test(topa_rules_are_errors),
		cmocka_unit_test(topa_stop_stops),
		cmocka_unit_test(single_range_wraps),
		cmocka_unit_test(start_position_is_kept),
		cmocka_unit_test(classes_of_instructions),
		cmocka_unit_test(branches_to_their_following),
		cmocka_unit_test(writes_that_fault),
		cmocka_unit_test(cpuid_leaves),
		cmocka_unit_test(models_say_what_was_recorded),
		cmocka_unit_test(models_fault_where_they_must),
		cmocka_unit_test(blocks_and_events),
		cmocka_unit_test(block_left_halfway),
		cmocka_unit_test(stopped_at_the_end_of_a_block),
		cmocka_unit_test(returns_compress_as_the_sdm_says),
		cmocka_unit_test(tracestop_range_stops),
		cmocka_unit_test(vmxon_ends_it),
		cmocka_unit_test(anomaly_is_seen),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
