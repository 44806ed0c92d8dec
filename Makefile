# SPDX-License-Identifier: GPL-2.0-or-later
#
# itrace: a flight recorder for kernel crashes. `make help` lists the targets.

O := build
# V=1 shows the commands.
Q := $(if $(V),,@)
say = @$(if $(V),:,printf '  %-4s %s\n' $(1) $@)
CC ?= gcc
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Werror
INC := -Ikernel/include -Icrash-ext -Icrash-ext/core -Icrash-ext/source -Icrash-ext/view -Ikernel
STD := -std=gnu11 -D_GNU_SOURCE
LIBS := -lipt -lZydis -lkdumpfile -lz -lzstd
CRASH_INC ?= /usr/include/crash

CORE := $(wildcard crash-ext/core/*.c)
VIEW := $(wildcard crash-ext/view/*.c)
# Where bytes come from: crash's calls belong to the extension only, files to the command only.
SHARED_SRC := crash-ext/options.c $(wildcard crash-ext/source/prb*.c)
CMD_SRC := crash-ext/itrace.c $(SHARED_SRC) $(CORE) $(VIEW) \
	$(wildcard crash-ext/source/kdump*.c crash-ext/source/flat*.c crash-ext/source/raw*.c)
SO_SRC := crash-ext/itrace_so.c $(SHARED_SRC) $(CORE) $(VIEW) $(wildcard crash-ext/source/crash*.c)

CMD_OBJ := $(CMD_SRC:%.c=$(O)/obj/%.o)
SO_OBJ := $(SO_SRC:%.c=$(O)/so/%.o)
UNITS := $(patsubst tests/unit/%.c,$(O)/unit/%,$(wildcard tests/unit/test_*.c))
TOOLS := $(patsubst tests/e2e/%.c,$(O)/e2e/%,$(wildcard tests/e2e/*.c))

IN_ROOT := tests/lab/in-root

.PHONY: all help setup lab build command tools units extension lint check check-all \
	demo clean

all: setup ## build/itrace, build/itrace.so and build/kernel/RELEASE/itrace.ko
	$(MAKE) build

build: command
	tests/lab/build
	$(IN_ROOT) make extension

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

setup: ## install what building, testing and the lab need (root); quick when all is there
	tests/setup
	tests/lab/root

lab: ## make the lab's Debian 13 root in the cache directory
	tests/lab/root

command: $(O)/itrace

$(O)/itrace: $(CMD_OBJ)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(STD) $(CFLAGS) $(WARN) $(INC) -MMD -MP -c -o $@ $<

# Inside of the lab's root: it has crash and crash's header.
extension: $(O)/itrace.so

$(O)/itrace.so: $(SO_OBJ)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -shared -fvisibility=hidden \
		-o $@ $^ -lipt -lZydis -lz

# crash's own header does not live by our warnings: it is a system header to us. gnu17: it uses
# names that strict standards hide.
$(O)/so/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -DX86_64 $(CFLAGS) $(WARN) $(INC) -isystem $(CRASH_INC) -fPIC \
		-fvisibility=hidden -MMD -MP -c -o $@ $<

# A unit says on its second line what it links: /* links: a.c b.c */
units: $(UNITS)

links = $(shell sed -n '2s,^/\* links:\(.*\)\*/,\1,p' $(1))

.SECONDEXPANSION:
$(O)/unit/%: tests/unit/%.c $$(call links,tests/unit/$$*.c)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(STD) $(CFLAGS) $(WARN) $(INC) -Itests/unit -o $@ $(filter %.c,$^) $(LIBS) -lcmocka

tools: $(TOOLS)

$(O)/e2e/%: tests/e2e/%.c $$(call links,tests/e2e/$$*.c)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(STD) $(CFLAGS) $(WARN) $(INC) -o $@ $(filter %.c,$^) $(LIBS)

lint: setup ## formatting, compiler warnings, cppcheck, shellcheck, sparse
	tests/lint

check: setup ## everything that CI runs; ends with `N passed, N failed, N skipped`
	$(MAKE) build units tools
	tests/check

check-all: setup ## check, with every scenario, ring and repetition
	$(MAKE) build units tools
	tests/check --all

demo: setup ## crash a driver in the lab and show its last instructions in crash(8)
	$(MAKE) build
	tests/demo

clean: ## remove build/; the cache directory stays
	rm -rf $(O)

-include $(CMD_OBJ:.o=.d) $(SO_OBJ:.o=.d)
