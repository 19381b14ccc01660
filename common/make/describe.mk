# SPDX-License-Identifier: MIT
# What make alone knows of a lab, a word and its values a line: workbook/lab/describe.py makes the
# record of it, with what the files say. What follows `program` is of that one.
define of_program

program $(1)
skip $(skip_of)
settings $(settings)
sweep $(SWEEP$(1:%=_%))
tune $(TUNE$(1:%=_%))
$(more_of_program)
endef
# Settings of the Makefile's, or none where one is for a tunable that params.h settles, or has not.
taken = $(if $(filter-out $(known:%=%=%),$(1)),,$(1))
define words
lab $(lab)
top $(top)
before $(BEFORE)
suffix $(ext)
backend $(backend)
emulated $(filter cpu,$(CUDA))
skip $(skip)
type $(TYPE)
types $(types)
size $(SIZE)
race $(call taken,$(RACE))
page $(call taken,$(PAGE))
beside $(call taken,$(BESIDE))
other $(call taken,$(OTHER))
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
describe: export said_by_make = $(words)
describe:
	@$(workbook) describe "$(CURDIR)"
