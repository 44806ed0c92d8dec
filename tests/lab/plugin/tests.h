/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tests.h - what the unit tests of the plugin's pure files share; one program, one TAP stream. */
#ifndef ITRACE_LAB_TESTS_H
#define ITRACE_LAB_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* test_packet.c */
void packets_match_libipt(void **state);
void tnt_bits_keep_their_order(void **state);
void ip_compression_matches_libipt(void **state);
void cyc_matches_libipt(void **state);

/* test_output.c */
void topa_wraps_at_end(void **state);
void topa_rules_are_errors(void **state);
void topa_stop_stops(void **state);
void single_range_wraps(void **state);
void start_position_is_kept(void **state);

/* test_classify.c */
void classes_of_instructions(void **state);
void branches_to_their_following(void **state);

/* test_rtit.c */
void writes_that_fault(void **state);
void cpuid_leaves(void **state);
void models_say_what_was_recorded(void **state);
void models_fault_where_they_must(void **state);

/* test_trace.c */
void blocks_and_events(void **state);
void block_left_halfway(void **state);
void stopped_at_the_end_of_a_block(void **state);
void returns_compress_as_the_sdm_says(void **state);
void tracestop_range_stops(void **state);
void vmxon_ends_it(void **state);
void anomaly_is_seen(void **state);

#endif
