# SPDX-License-Identifier: MIT
# All labs at once. In a lab's folder, make does the same for that lab alone.
include make/path.mk
top  := .
include make/python.mk
include make/renamed.mk
every := $(wildcard lab[0-9]* advanced/lab[0-9]*)
libraries := $(patsubst %/Makefile,%,$(wildcard baseline/*/Makefile))
# LAB: that one alone, of the nine or an advanced one. LABS="01 02": these.
one  := $(strip $(LAB))
more := $(filter-out 0,$(ADVANCED))
copy := $(if $(wildcard advanced/lab*),, in this copy)
labs := $(foreach l,$(or $(one),$(LABS)),$(or $(call named,$l,$(every)),\
          $(error $(if $(one),LAB,LABS)=$l$(or $(addprefix $() is now ,$(call now,lab,$(patsubst lablab%,lab%,lab$l),$(notdir $(every)))),: no such lab$(copy); there are $(notdir $(every))))))
labs := $(or $(labs),$(if $(more),\
          $(if $(copy),$(error ADVANCED=$(more): the advanced labs are not$(copy)),$(every)),\
          $(filter lab%,$(every))))
# A course may leave labs out.
nothing = $(error course.tsv names no lab of $(labs))
rows    = $(if $(wildcard $(1)course.tsv),\
          $(shell sed -n 's,^\(lab[^	]*\)	.*,$(1)\1,p' $(1)course.tsv))
taught := $(if $(one),$(labs),$(filter $(call rows,) $(call rows,advanced/),$(labs)))
TYPE = float
export TYPE

tunables := $(sort $(shell sed -n 's/^\#ifndef *//p' $(every:%=%/params.h) $(libraries:%=%/params.h)))
more_known := OPENMP MPI
of_top   := ADVANCED BESIDE LAB LABS NAME OUT SUBMISSIONS JOBS LAUNCHER SEED ROOM VARIANTS
include make/settings.mk

targets := $(shell sed -n 's/^\([a-z]*\):.*\#\# .*/\1/p' $(wildcard Makefile instructor.mk))
.PHONY: $(targets) shared_objects $(labs)

all: ## build every lab
	@$(MAKE) --no-print-directory -k \
		$(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN)) \
		$(if $(filter output-sync,$(.FEATURES)),-O) $(labs)
	@echo 'next: $(what_next)'
what_next = $(or $(if $(wildcard $(labs:%=%/mine)),make progress),\
              $(begin:%=make start LAB=%),make demo)
# The first that a student may begin.
begin = $(patsubst lab%,%,$(firstword $(subst _, ,$(firstword $(wildcard $(labs:%=%/start))))))

$(labs): | shared_objects
	@$(MAKE) -C $@ --no-print-directory $(if $(filter-out 0,$(V)),,-s) built
# By one lab of each backend, before all others: they would compile the same at the same time.
first_of = $(firstword $(patsubst %/kernel.$(1),%,$(wildcard $(labs:%=%/kernel.$(1)))))
shared_objects:
	@for lab in $(foreach ext,c cl cu,$(call first_of,$(ext))); do \
		$(MAKE) -C $$lab --no-print-directory $(if $(filter-out 0,$(V)),,-s) $@ || exit; done

demo: ## build, run, verify and time the ladder:  make demo SIZE=1024
	@$(workbook) demo $(labs) $(if $(one),,$(libraries))

run: ## run every lab at one size:  make run SIZE=512
	@for lab in $(labs); do if $(untouched); then \
		unbegun="$$unbegun $$(expr $$lab : 'lab\([0-9]*\)')"; \
		else $(MAKE) -C $$lab --no-print-directory run || failed="$$failed $$lab"; fi; done; \
	set -- $$unbegun; [ $$# = 0 ] || echo "run: not begun: $$*; next: make start LAB=$$1" >&2; \
	[ -z "$$failed" ] || echo "run: not right, or not done yet:$$failed" >&2; \
	[ -z "$$unbegun$$failed" ]
# Is a lab's kernel as it was handed out?
untouched = [ ! -d $$lab/mine ] && for start in $$lab/start/kernel*; do \
              cmp -s $$start $$lab/kernel.$${start\#\#*.} && break; done

check: ## verify every lab over a battery of shapes, and grade them
	$(if $(filter-out $(taught),$(labs)),@echo 'not in course.tsv: $(filter-out $(taught),$(labs))')
	@$(workbook) check $(or $(taught),$(nothing))

bench: ## time every program of every lab:  make bench SIZES="256 512 1024"
	@$(workbook) bench $(labs)

baseline: ## libraries beside the labs, as shares:  make baseline SIZES=512
	@$(workbook) baseline $(labs) $(libraries)

sweep: ## run every lab's tunables through their range
	@$(workbook) sweep $(labs)

scaling: ## a lab with ranks: its speed on 1 to all, a model to 10,000
	@$(workbook) scaling $(if $(one),$(labs),advanced/lab21_mpi)

tune: ## search every lab's tunables with Optuna:  make tune LAB=07 TRIALS=40
	@$(workbook) tune $(labs)

race: ## find races, out-of-bounds accesses, barrier divergence (V=1: all)
	@$(workbook) race $(labs)

profile: ## what each line asks memory for, counted:  make profile LAB=09
	@$(workbook) profile $(labs)

page: ## each step drawn from recorded accesses, as HTML:  make page LAB=09
	@$(workbook) page $(labs)

asm: ## show every lab's inner loop as the machine runs it
	@for lab in $(labs); do $(MAKE) -C $$lab --no-print-directory asm || exit; done

diff: ## compare two labs:  make diff A=lab04_ocl_naive B=lab08_cuda_naive
	@$(workbook) diff $(if $(A),"$(A)") "$(or $(B),$(lastword $(labs)))"

start: ## begin a lab at its starting point:  make start LAB=05
	@$(workbook) start $(if $(one),$(labs))

next: ## go on to a lab's next step, if this one passes:  make next LAB=07
	@$(workbook) next $(if $(one),$(labs))

hint: ## help with what is wrong (IDEA=1: the idea):  make hint LAB=05
	@$(workbook) hint $(if $(one),$(labs))

predict: ## keep what you expect, before you measure:  make predict LAB=05
	@$(workbook) predict $(if $(one),$(labs))

solution: ## show the reference (APPLY=1: put it in place):  make solution LAB=05
	@$(workbook) solution $(if $(one),$(labs))

restore: ## bring your last own kernel back:  make restore LAB=05
	@$(workbook) restore $(if $(one),$(labs))

progress: ## how far you are, and what to do next
	@$(workbook) progress $(or $(taught),$(nothing))

editor: ## compile_commands.json, so that clangd understands C, OpenCL and CUDA
	@$(workbook) editor $(every)

report: ## measure, fill report/ (QUICK=1; FRESH=1; BESIDE=../eve/report)
	@$(workbook) report report $(if $(BESIDE),--beside "$(BESIDE)")

ceilings: ## measure peak FLOP rate and bandwidth again: the best counts
	@$(workbook) ceilings $(ARGS)

version: ## which version of the workbook this is
	@printf '%s%s\n' "$$(sed -n 's/^version: *//p' CITATION.cff)" \
		"$$([ ! -e .git ] || git describe --tags --always --dirty 2>/dev/null | sed 's/.*/ (&)/')"

clean: ## remove everything that was built
	@for lab in $(labs) $(if $(one),,$(libraries)); do \
		$(MAKE) -C $$lab --no-print-directory -s clean; done
	rm -rf build ceilings/build

describe: ## what each lab is, in JSON for tools: see docs/records.md
	@for lab in $(labs); do $(MAKE) -C $$lab --no-print-directory -s describe || exit; done

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' \
		$(filter %akefile instructor.mk,$(MAKEFILE_LIST)) | expand -t 12

include $(wildcard instructor.mk)
