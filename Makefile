# SPDX-License-Identifier: MIT
# All labs at once. In a lab's folder, make does the same for that lab alone.
include common/path.mk
top  := .
include common/python.mk
labs := $(wildcard lab[0-9]*)
TYPE = float
export TYPE

tunables := $(sort $(shell sed -n 's/^\#ifndef *//p' lab*/params.h))
include common/settings.mk

.PHONY: all demo run check bench sweep race asm diff report compare ceilings selftest clean describe help $(labs)

all: $(labs) ## build every lab
$(labs):
	@$(MAKE) -C $@ --no-print-directory all

demo: ## build, run, verify and time the ladder:  make demo SIZE=1024
	@$(workbook) demo $(labs)

run: ## run every lab at one size:  make run SIZE=512
	@for lab in $(labs); do $(MAKE) -C $$lab --no-print-directory run || exit; done

check: ## verify every lab over a battery of shapes, and grade them
	@$(workbook) check $(labs)

bench: ## time every program of every lab:  make bench SIZES="256 512 1024"
	@$(workbook) bench $(labs)

sweep: ## run every lab's tunables through their range
	@$(workbook) sweep $(labs)

race: ## find races, bounds, barriers that not all reach (V=1: all is shown)
	@$(workbook) race $(labs)

asm: ## show every lab's inner loop as the machine runs it
	@for lab in $(labs); do $(MAKE) -C $$lab --no-print-directory asm || exit; done

diff: ## compare two labs:  make diff A=lab04_ocl_naive B=lab08_cuda_naive
	@$(workbook) diff $(if $(A),"$(A)") "$(or $(B),$(lastword $(labs)))"

report: ## measure what is missing, fill report/ (QUICK=1; FRESH=1: all anew)
	@$(workbook) report report

compare: ## two reports side by side:  make compare A=report1 B=report2
	@$(workbook) compare "$(A)" "$(B)"

ceilings: ## measure what this machine could do at most again: the best counts
	@$(workbook) ceilings $(ARGS)

selftest: ## test the workbook itself:  make selftest K=lab07 M="not slow"
	@mkdir -p build
	@"$(PYTHON)" -m pytest -q -n auto --dist worksteal --junitxml=build/selftest.xml $(if $(K),-k "$(K)") $(if $(M),-m "$(M)")

clean: ## remove everything that was built
	@for lab in $(labs); do $(MAKE) -C $$lab --no-print-directory -s clean; done
	rm -rf build

describe: ## what each lab is, in JSON for tools: see docs/records.md
	@for lab in $(labs); do $(MAKE) -C $$lab --no-print-directory -s describe || exit; done

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 12
