# SPDX-License-Identifier: MIT
# A setting that nothing here knows is refused before anything is built. Who includes this has set tunables,
# top, the workbook's folder, and of_top, what only the Makefile there knows. Judged is the command line, not the
# environment; and not what another make passes on.
known := $(tunables) $(of_top) SIZE SIZES ROUNDS TYPE VARIANT ARGS LIMIT SWEEP TUNE TRIALS TUNED QUICK FRESH A B STEP FILE APPLY AGAIN IDEA ANYWAY V SAN SIMDE CUDA \
         CC CFLAGS LDFLAGS CXX NVCC K M PYTHON WARNINGS KERNEL_FLAGS NEEDS_AVX2 NEEDS_AVX512 OPENMP MPI BEFORE GUARD_BYTES CI NO_COLOR CPATH SHELL
unknown := $(if $(filter 0,$(MAKELEVEL)),$(filter-out $(known) SWEEP_% TUNE_% DEFS_%,$(foreach v,$(.VARIABLES),\
             $(if $(filter command,$(origin $v)),$v))))
ifneq ($(unknown),)
  name    := $(firstword $(unknown))
  nearest := $(shell $(workbook) nearest $(name) $(known))
  number  := $(patsubst lab%,%,$($(name)))
  one_lab := $(and $(filter LAB,$(name)),$(number),$(patsubst $(top)/%,%,$(firstword $(wildcard \
               $(foreach l,lab$(number) lab$(number)_* lab0$(number)_*,$(top)/$l $(top)/advanced/$l)))))
  # From where it was typed: this folder, or, with -C, that of the workbook.
  to_top  := $(if $(subst x$(CURDIR),,x$(PWD)),,$(if $(filter advanced,$(notdir $(patsubst %/,%,$(dir $(CURDIR))))),../../,../))
  $(error $(name)=$($(name)): no such setting here; $(or $(one_lab:%=one lab is: make -C $(to_top)% $(MAKECMDGOALS)),\
    $(nearest:%=the nearest is %),there are $(strip $(known))))
endif

# Its name of before; a lab has a folder of this name.
.DEFAULT_GOAL := all
.PHONY: mine
mine:
	@echo 'make mine is now called make restore' >&2; exit 2
