// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -f: the tree of functions, and its end for the summary.
 */
#include <inttypes.h>
#include <string.h>

#include "disasm.h"
#include "status.h"
#include "tree.h"
#include "view.h"

#define DEFAULT_LINES 200
#define TIME_WIDTH    10
#define NAME_WIDTH    44
#define MAX_INDENT    40
#define LAST_SIZE     32
#define MAX_ENCLOSING 4

/* Without -n: so many instructions at first, and eight times more until there are enough lines. */
#define FIRST_WINDOW (64ull << 10)
#define LAST_WINDOW  (32ull << 20)

struct feed {
	struct itrace_view_out *view;
	struct itrace_tree *tree;
	struct itrace_step held; /* an INTERRUPT that may be the fault itself */
	bool holds;
	uint64_t count;
};

static int feed_step(void *priv, const struct itrace_step *step)
{
	struct feed *feed = priv;
	int err;

	if (itrace_view_stopped(feed->view))
		return ITRACE_E_STOP;
	if (feed->holds) {
		feed->holds = false;
		err = itrace_tree_step(feed->tree, &feed->held);
		if (err)
			return err;
	}
	if (step->type == ITRACE_STEP_INTERRUPT) {
		feed->held = *step;
		feed->holds = true;
		return 0;
	}
	if (step->type == ITRACE_STEP_RUN) {
		feed->count += step->nr;
		itrace_progress(feed->view, "functions", feed->count);
	}
	return itrace_tree_step(feed->tree, step);
}

static void print_time(struct itrace_view_out *view, uint64_t tsc, uint64_t stop, char *last)
{
	uint64_t khz = view->session->record.machine.tsc_khz;
	char buf[32] = "";

	if (!khz || !stop)
		return;
	if (tsc && tsc == stop)
		snprintf(buf, sizeof(buf), "0");
	else if (tsc)
		itrace_view_time((int64_t)(tsc - stop), khz, buf, sizeof(buf));
	/* The same again says nothing. */
	if (!strcmp(buf, last))
		buf[0] = '\0';
	else
		snprintf(last, LAST_SIZE, "%s", buf);
	fprintf(view->out, "%*s  ", TIME_WIDTH, buf);
}

static void print_indent(FILE *out, int32_t depth)
{
	if (depth > MAX_INDENT) {
		fprintf(out, "(%" PRId32 " deep) ", depth);
		depth = MAX_INDENT;
	}
	while (depth-- > 0)
		fputs("| ", out);
}

static void line_text(struct itrace_view_out *view, const struct itrace_tree_line *line, char *buf,
		      size_t size)
{
	const struct itrace_view_past past = {.tsc = line->before_tsc};
	struct itrace_session *session = view->session;
	char name[320];

	switch (line->kind) {
	case ITRACE_TREE_INTERRUPT:
		itrace_idt_name(itrace_idt_vector(&session->idt, line->step.to), name,
				sizeof(name));
		snprintf(buf, size, "<%s>", name);
		return;
	case ITRACE_TREE_ENTRY:
		if (line->step.to == session->record.machine.lstar)
			snprintf(name, sizeof(name), "system call");
		else
			itrace_idt_name(itrace_idt_vector(&session->idt, line->step.to), name,
					sizeof(name));
		snprintf(buf, size, "<%s from user mode>", name);
		return;
	case ITRACE_TREE_REPEAT:
		snprintf(buf, size, "(the %" PRIu32 " lines above, %" PRIu32 " times)", line->lines,
			 line->count);
		return;
	case ITRACE_TREE_EVENT:
		itrace_view_event(view, &line->step, &past, buf, size);
		return;
	case ITRACE_TREE_JUMP:
		itrace_names_format(session->names, line->ip, name, sizeof(name));
		snprintf(buf, size, "%s  (by a jump)", name);
		return;
	case ITRACE_TREE_RETURN:
		itrace_names_format(session->names, line->ip, name, sizeof(name));
		snprintf(buf, size, "back in %s", name);
		return;
	case ITRACE_TREE_START:
	case ITRACE_TREE_CALL:
		break;
	}
	itrace_names_format(session->names, line->ip, buf, size);
}

static void print_line(struct itrace_view_out *view, const struct itrace_tree_line *line,
		       uint64_t stop, char *last_time, const char *margin)
{
	char text[512];

	line_text(view, line, text, sizeof(text));
	fputs(margin, view->out);
	/* After the last time packet only the order is known: better no time than 0. */
	print_time(view, line->tsc == stop && line->kind != ITRACE_TREE_INTERRUPT ? 0 : line->tsc,
		   stop, last_time);
	print_indent(view->out, line->depth);
	if (line->count > 1 && line->kind != ITRACE_TREE_REPEAT)
		fprintf(view->out, "%-*s x %" PRIu32 "\n", NAME_WIDTH - 2 * line->depth, text,
			line->count);
	else
		fprintf(view->out, "%s\n", text);
}

/* ">>  0  | mov 0x10(%rax), %rdx      page fault, did not complete: rax=0" */
static void print_fault(struct itrace_view_out *view, int32_t depth, bool timed, const char *margin)
{
	const struct itrace_cpu *slot = itrace_session_slot(view->session, view->history->cpu);
	struct itrace_disasm *disasm;
	char text[160] = "?", name[64], regs[128] = "";
	uint64_t gpr[16];

	disasm = itrace_disasm_create(view->history->image, view->session->names);
	if (disasm)
		itrace_disasm_format(disasm, view->story.ip, text, sizeof(text));
	if (disasm && slot && slot->valid & ITRACE_V_REGS && slot->regs.ip == view->story.ip) {
		const struct itrace_regs *r = &slot->regs;
		const uint64_t values[16] = {r->ax,  r->cx,  r->dx,  r->bx, r->sp,  r->bp,
					     r->si,  r->di,  r->r8,  r->r9, r->r10, r->r11,
					     r->r12, r->r13, r->r14, r->r15};

		memcpy(gpr, values, sizeof(gpr));
		itrace_disasm_registers(disasm, view->story.ip, gpr, regs, sizeof(regs));
	}
	itrace_disasm_destroy(disasm);
	/* Two characters less than the other lines: the mark hangs out. */
	fprintf(view->out, "%s>>", margin + (strlen(margin) >= 2 ? 2 : 0));
	if (timed)
		fprintf(view->out, "%*s  ", TIME_WIDTH - (strlen(margin) >= 2 ? 0 : 2), "0");
	else
		fputs(strlen(margin) >= 2 ? "" : " ", view->out);
	print_indent(view->out, depth);
	fprintf(view->out, "%s   %s%s%s\n", text,
		itrace_idt_name(view->story.vector, name, sizeof(name)), *regs ? ": " : "", regs);
}

/* Feed the tree with [window.end + window.n, window.end). */
static int grow_tree(struct itrace_view_out *view, struct itrace_window window, uint64_t max_lines,
		     struct feed *feed, uint64_t *given)
{
	struct itrace_session *session = view->session;
	int err;

	*feed = (struct feed){.view = view};
	feed->tree = itrace_tree_create(session->names, &session->idt,
					session->record.machine.lstar, max_lines);
	if (!feed->tree)
		return ITRACE_E_NOMEM;
	err = itrace_trace_last(view->history->trace, window.end, window.n, feed_step, feed, given);
	if (!err && feed->holds && view->story.kind != ITRACE_MARK_FAULT)
		err = itrace_tree_step(feed->tree, &feed->held);
	return err;
}

/* What all of the lines that follow are inside of. */
static void print_enclosing(struct itrace_view_out *view, const struct feed *feed,
			    const char *indent)
{
	const struct itrace_name *name[MAX_ENCLOSING] = {NULL};
	size_t nr = itrace_tree_enclosing(feed->tree, name, MAX_ENCLOSING);

	if (!nr)
		return;
	fprintf(view->out, "%s(in ", indent);
	for (size_t i = 0; i < nr; i++)
		fprintf(view->out, "%s%s", i > 1 ? ", " : i ? ", called by " : "", name[i]->symbol);
	fputs(")\n", view->out);
}

static void print_tree(struct itrace_view_out *view, struct feed *feed, const char *margin)
{
	bool fault = view->story.kind == ITRACE_MARK_FAULT && !view->options->extra;
	uint64_t stop = view->story.tsc ? view->story.tsc : itrace_tree_tsc(feed->tree);
	bool timed = stop && view->session->record.machine.tsc_khz;
	const struct itrace_tree_line *line;
	char last_time[LAST_SIZE] = "";
	uint64_t nr;
	char indent[64];
	int32_t depth;

	depth = itrace_tree_finish(feed->tree, fault ? view->story.ip : 0, &line, &nr);
	snprintf(indent, sizeof(indent), "%s%*s", margin, timed ? TIME_WIDTH + 2 : 0, "");
	print_enclosing(view, feed, indent);
	for (uint64_t i = 0; i < nr && !itrace_view_stopped(view); i++)
		print_line(view, &line[i], stop, last_time, margin);
	if (fault)
		print_fault(view, depth + 1, timed, margin);
	itrace_view_folded(view, indent);
}

/* The last @max_lines lines, of as many instructions as that takes. */
static int show_lines(struct itrace_view_out *view, uint64_t max_lines, const char *margin)
{
	struct feed feed;
	uint64_t given = 0;
	int err;

	for (uint64_t n = FIRST_WINDOW;; n *= 8) {
		struct itrace_window window = itrace_window(view, n);

		err = grow_tree(view, window, max_lines, &feed, &given);
		if (err || given < window.n || n >= LAST_WINDOW ||
		    itrace_tree_lines(feed.tree) >= max_lines)
			break;
		itrace_tree_destroy(feed.tree);
	}
	itrace_progress_end(view);
	if (feed.tree && (!err || err == ITRACE_E_STOP))
		print_tree(view, &feed, margin);
	itrace_tree_destroy(feed.tree);
	return err;
}

int itrace_view_last_functions(struct itrace_view_out *view, uint32_t lines)
{
	return show_lines(view, lines, "  ");
}

int itrace_view_functions(struct itrace_view_out *view)
{
	struct feed feed;
	uint64_t given;
	int err;

	if (!view->options->n_given)
		return show_lines(view, DEFAULT_LINES, "  ");
	err = grow_tree(view, itrace_window(view, view->options->n), 0, &feed, &given);
	itrace_progress_end(view);
	if (feed.tree && (!err || err == ITRACE_E_STOP))
		print_tree(view, &feed, "  ");
	itrace_tree_destroy(feed.tree);
	return err;
}
