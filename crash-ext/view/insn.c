// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -i: instructions with symbols and disassembly.
 */
#include <inttypes.h>
#include <string.h>

#include "disasm.h"
#include "status.h"
#include "view.h"

#define DEFAULT_INSNS 40
#define MEASURED_MAX  4096 /* up to so many instructions the column of names fits them */
#define NAME_WIDTH    40   /* else */

struct listing {
	struct itrace_view_out *view;
	struct itrace_disasm *disasm;
	struct itrace_step held; /* an INTERRUPT that may be the fault itself */
	bool holds;
	struct itrace_view_past past;
	uint64_t count;
	int name_width; /* 0: no names */
};

static void print_insn(struct listing *listing, char mark, uint64_t ip, const char *remark)
{
	struct itrace_view_out *view = listing->view;
	char name[320], text[320];

	fprintf(view->out, "%c %016" PRIx64 "  ", mark, ip);
	if (listing->name_width) {
		itrace_names_format(view->session->names, ip, name, sizeof(name));
		fprintf(view->out, "%-*s  ", listing->name_width,
			strncmp(name, "0x", 2) ? name : "");
	}
	itrace_disasm_format(listing->disasm, ip, text, sizeof(text));
	fprintf(view->out, "%s%s%s\n", text, *remark ? "    " : "", remark);
}

static void print_event(struct listing *listing, const struct itrace_step *step)
{
	char text[512];

	if (!itrace_view_event(listing->view, step, &listing->past, text, sizeof(text)))
		return;
	if (text[0] == '[')
		fprintf(listing->view->out, "  %s\n", text);
	else
		fprintf(listing->view->out, "  -- %s --\n", text);
}

static int list_step(void *priv, const struct itrace_step *step)
{
	struct listing *listing = priv;

	if (itrace_view_stopped(listing->view))
		return ITRACE_E_STOP;
	if (listing->holds)
		print_event(listing, &listing->held);
	listing->holds = false;
	if (step->type == ITRACE_STEP_INTERRUPT) {
		listing->held = *step;
		listing->holds = true;
	} else if (step->type == ITRACE_STEP_RUN) {
		for (uint32_t i = 0; i < step->nr; i++)
			print_insn(listing, ' ', step->insn[i].ip, "");
		listing->count += step->nr;
		itrace_progress(listing->view, "instructions", listing->count);
	} else {
		print_event(listing, step);
	}
	itrace_view_pass(&listing->past, step);
	return 0;
}

static int measure_step(void *priv, const struct itrace_step *step)
{
	struct listing *listing = priv;
	char name[320];

	for (uint32_t i = 0; step->type == ITRACE_STEP_RUN && i < step->nr; i++) {
		int width = itrace_names_format(listing->view->session->names, step->insn[i].ip,
						name, sizeof(name));

		if (strncmp(name, "0x", 2) && width > listing->name_width)
			listing->name_width = width;
	}
	return 0;
}

/* Does anybody know a name, and how long are they? */
static int measure(struct listing *listing, struct itrace_window window)
{
	struct itrace_view_out *view = listing->view;
	uint64_t given;

	if (window.n <= MEASURED_MAX)
		return itrace_trace_last(view->history->trace, window.end, window.n, measure_step,
					 listing, &given);
	if (itrace_names_symbols(view->session->names) || view->session->record.nr_modules)
		listing->name_width = NAME_WIDTH;
	return 0;
}

/* What is at the mark, or nothing. */
static void print_mark(struct listing *listing)
{
	struct itrace_view_out *view = listing->view;
	char name[64], remark[96];
	bool held_is_mark = listing->holds && listing->held.from == view->story.ip;

	if (view->story.kind == ITRACE_MARK_FAULT) {
		if (listing->holds && !held_is_mark)
			print_event(listing, &listing->held);
		snprintf(remark, sizeof(remark), "%s, did not complete",
			 itrace_idt_name(view->story.vector, name, sizeof(name)));
		print_insn(listing, '>', view->story.ip, remark);
	} else if (listing->holds) {
		print_event(listing, &listing->held);
	}
	listing->holds = false;
}

static int list(struct listing *listing, uint64_t n)
{
	struct itrace_view_out *view = listing->view;
	struct itrace_trace *trace = view->history->trace;
	uint64_t given;
	int err;

	err = itrace_trace_last(trace, view->story.mark, n, list_step, listing, &given);
	if (err)
		return err;
	print_mark(listing);
	if (view->options->extra && view->story.mark) {
		err = itrace_trace_last(trace, 0, view->story.mark, list_step, listing, &given);
		if (!err && listing->holds)
			print_event(listing, &listing->held);
	} else {
		itrace_view_folded(view, "  ");
	}
	return err;
}

int itrace_view_insn(struct itrace_view_out *view)
{
	uint64_t n = view->options->n_given ? view->options->n : DEFAULT_INSNS;
	struct listing listing = {.view = view};
	int err;

	listing.disasm = itrace_disasm_create(view->history->image, view->session->names);
	if (!listing.disasm)
		return ITRACE_E_NOMEM;
	err = measure(&listing, itrace_window(view, n));
	if (!err)
		err = list(&listing, n);
	itrace_progress_end(view);
	itrace_disasm_destroy(listing.disasm);
	return err;
}
