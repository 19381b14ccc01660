# SPDX-License-Identifier: MIT
# What make alone knows of a lab, a word and its values a line: workbook/lab/describe.py makes the
# record of it, with what the files say. What follows `program` is of that one.
define of_program

program $(1)
skip $(skip_of)
settings $(settings)
sweep $(if $(1),$(SWEEP_$(1)),$(call of_stage,SWEEP))
tune $(if $(1),$(TUNE_$(1)),$(call of_stage,TUNE))
$(more_of_program)
endef
# Settings of the Makefile's, or none where one is for a tunable that params.h settles, or has not.
taken = $(if $(filter-out $(known:%=%=%),$(1)),,$(1))
define words
lab $(lab)
top $(top)
before $(BEFORE)
base $(BASE)
suffix $(ext)
backend $(backend)
emulated $(emulated)
skip $(skip)
type $(TYPE)
types $(types)
size $(SIZE)
race $(call taken,$(call of_stage,RACE))
page $(call taken,$(call of_stage,PAGE))
beside $(call taken,$(BESIDE))
other $(call taken,$(call of_stage,OTHER))
pays $(PAYS)
stages $(STEPS)
experiments $(EXPERIMENTS)
steps $(steps)
unfinished $(unfinished)
tunables $(tunables)
compiler $(CC)
flags $(CFLAGS) $(WARNINGS) $(KERNEL_FLAGS)
basics $(basics)
headers $(headers)
sources $(sources)
config $(config_c) $(config)
emulation $(emulation)
makefiles $(filter %.mk,$(MAKEFILE_LIST))
files $(more_files)
$(more_words)
$(foreach v,x $(variants:%=x%),$(call of_program,$(v:x%=%)))
endef
describe said_by_make: export said_by_make = $(words)
describe:
	@$(workbook) describe "$(CURDIR)"
# For the tools, which make the record themselves: no Python is started for it.
.PHONY: said_by_make
said_by_make:
	@printf '%s\n' "$$said_by_make"
