# SPDX-License-Identifier: MIT
# A setting that nothing here knows, and a value that is none, are refused before anything is built:
# ./refuse has the words. Who includes this has set tunables, top, the workbook's folder, of_top,
# what only the Makefile there knows, and of_lab, what is refused in a lab. Judged is the command
# line, not the environment.
known   := $(tunables) $(of_top) SIZE SIZES ROUNDS TYPE VARIANT ARGS LIMIT SWEEP TUNE TRIALS TUNED \
           QUICK FRESH A B STEP FILE APPLY REPEAT IDEA ANYWAY WORK MB INTENSITY GFLOPS SPEEDUP \
           REQUESTED LOADS SECTORS_A SECTORS_B DEVICE WARP V \
           SAN COUNT SIMDE CUDA OPENCL CLANG CC \
           CFLAGS LDFLAGS CXX NVCC K M PYTHON WARNINGS KERNEL_FLAGS AVX \
           BEFORE GUARD_BYTES CI NO_COLOR CPATH SHELL $(more_known)
said    := $(foreach v,$(.VARIABLES),$(if $(filter command,$(origin $v)),$(call quoted,$v=$($v))))
refused := $(shell level=$(MAKELEVEL) top="$(top)" python="$(PYTHON)" \
             ext= type= variant= cuda= own= $(of_lab) \
             exec sh $(top)/make/refuse '$(strip $(known))' '$(tunables)' $(said))
ifneq ($(refused),)
  $(error $(refused))
endif

# A lab has a folder of this name, which would be up to date.
.DEFAULT_GOAL := all
.PHONY: mine
mine:
	$(error $(call no_target,$@))

# What no rule makes: a target that was mistyped, or a file of the lab's that is gone. With -B, all
# its sources.
known_targets = $(targets) $(labs) $(programs)
nearest_known = $(shell $(workbook) suggest '$(subst ','\'',$(1))' $(known_targets))
new_target    = $(or $(addprefix make ,$(call now,target,$(1),$(targets))),\
                  $(addprefix gemm_,$(call now,variant,$(1:gemm_%=%),$(variants))),$(call now,lab,$(notdir $(1)),$(notdir $(every))))
no_target     = $(if $(call new_target,$(1)),$(if $(call now,target,$(1),$(targets)),make )$(1) is now $(call new_target,$(1)),$(not_known))
not_known     = no target $(1): \
                $(or $(addprefix the nearest is ,$(call nearest_known,$(1))),make help lists them)
no_file       = there is no $(1) here$(call given_out,$(1))
given_out     = $(if $(wildcard start/given/$(1)),: make restore FILE=$(1) brings it back)
.DEFAULT:
	$(if $(wildcard $@),,$(error $(call $(if $(filter $@,$(MAKECMDGOALS)),no_target,no_file),$@)))
