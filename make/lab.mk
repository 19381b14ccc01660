# SPDX-License-Identifier: MIT
# How every lab is built and run. A lab is CPU, OpenCL or CUDA by the name of its kernel: kernel.c,
# kernel.cl or kernel.cu, and make/ has what is of one of them alone: c.mk, cl.mk, cu.mk.
# CFLAGS are those of the kernel, and of nothing that verifies it or takes its time; where they need
# the linker's help, LDFLAGS says so. Before its Makefile includes this file, it may set
#   BEFORE          the lab before this one, where that is not the one with the number before
#   BASE            the lab whose kernel the first step begins from, if it is not the one before
#   AVX             the flags of the instructions that the kernel is written with, for float:
#                   -mavx2 -mfma
#   SWEEP           the settings that `make sweep` tries: GROUP_X=8,GROUP_Y=8 GROUP_X=16,GROUP_Y=16
#   TUNE            what `make tune` searches, where it is not to find that out itself:
#                   GROUP_X=8,16 TILE_K=4,8,16
#   OTHER           other settings that make check verifies the kernel with, or others of these
#   PAYS            where a step pays, as the README shows: block:2048:1.1, at that size that many
#                   times as fast as the step before; make next compares the two
#   STEPS           the variants that lead from the lab before to kernel.*, in order. DEFS_, OTHER_,
#                   RACE_, PAGE_, SWEEP_ and TUNE_STEP hold for who is writing that step, too
#   EXPERIMENTS     the variants that repeat an experiment of a source: make check has them, and
#                   make run VARIANT=NAME; demo, bench and report leave them out
#   DEFS_VARIANT    the values of tunables that kernel_VARIANT.* is written for; what is given on
#                   the command line wins only where VARIANT is, too
#   KERNEL_FLAGS    compiler flags for the kernel alone
#   PAGE            settings with which `make page` records it: small tiles
#   BESIDE          what that page compares it with: PAD=0, VARIANT=published; else the lab before
#   RACE            settings for valgrind and ThreadSanitizer in `make race`: small blocks. On the
#                   engine the lab's own kernel is looked at with its own settings, too
# A variant has the main of the others, or main_VARIANT.c (or .cu) of its own; and params_VARIANT.h,
# where it has one, says its TILE_M, TILE_N and TILE_K. Tunables are those of params.h. A lab of
# advanced/ includes advanced.mk, which defines some of what stands here with ?= before this file
# does.
CFLAGS   = -std=c11 -O2 -g
SIZE     = 1024
VARIANT  =

# Paths may have spaces in them, which make takes for two names: they stay out of its lists.
ifneq ($(origin top),file) # or who includes this has said it
  top    := $(dir $(lastword $(MAKEFILE_LIST)))..
endif
lab      := $(notdir $(lastword $(CURDIR)))
include $(top)/make/path.mk
include $(top)/make/another.mk
ifeq ($(another),)
include $(top)/make/python.mk
include $(top)/make/renamed.mk
include $(top)/make/objects.mk
ext      := $(patsubst kernel.%,%,$(firstword $(wildcard kernel.c kernel.cl kernel.cu)))
variants := $(patsubst kernel_%.$(ext),%,$(wildcard kernel_*.$(ext)))
steps    := $(filter $(variants),$(STEPS))
programs := $(steps:%=gemm_%) gemm $(patsubst %,gemm_%,$(filter-out $(steps),$(variants)))
program   = gemm$(VARIANT:%=_%)
types    ?= float double int
include $(top)/make/tunables.mk
# Hints say make start LAB=02, which is for the top, and is typed here.
of_top   := $(if $(call named,$(LAB),$(lab)),LAB)
of_lab    = ext=$(ext) variants=$(call quoted,$(variants)) type=$(call quoted,$(TYPE)) \
            variant=$(call quoted,$(VARIANT)) cuda=$(call quoted,$(CUDA)) \
            own=$(call quoted,$(call own,$(VARIANT)))
include $(top)/make/settings.mk
# Why a student's kernel is not done yet.
unfinished := $(if $(ext),$(shell sh $(top)/make/unfinished kernel.$(ext)))

# How the kernel, and main, is compiled.
flags      = $(basics) $(defines) $(of_kernel)
ifneq ($(ext),)
  include $(top)/make/$(ext).mk
endif
# Why a program cannot be built here: it says so, and ends with 77.
skip      := $(strip $(or $(skip),$(lacks)))
include $(top)/make/shared.mk
skip_of    = $(or $(skip),$(call lacks_of,$(1)),$(if $(1),$(foreign)))
skips     := $(if $(skip),$(programs),$(foreach v,$(variants),$(if $(call skip_of,$v),gemm_$v)))
mains     := $(patsubst main_%.$(host),%,$(wildcard main_*.$(host)))

targets := $(shell cut -f1 $(top)/make/targets)
.PHONY: $(targets)

all: $(programs)
ifeq ($(ext),) # a program of before is none of this kernel
.PHONY: $(programs)
$(programs):
	@$(workbook) whole "$(CURDIR)"
else
ifneq ($(skips),)
$(skips): build/flags
	$(call skipped,$(call skip_of,$(@:gemm_%=%)))
endif
ifeq ($(skip),)
# A variant with neither a main nor definitions of its own has the main of ./gemm; in OpenCL that
# names the kernel's file.
main = build/main$(if $(filter cl,$(ext))$(filter $(1),$(mains))$(subst x$(call settings,),,x$(call settings,$(1))),$(1:%=_%)).o
# $(call build,VARIANT,_VARIANT): main and kernel of one program. Only the kernel gets KERNEL_FLAGS,
# so that they never reach the verification.
define build
gemm$(2): $(call main,$(1)) $(if $(driver),kernel$(2).cl,build/kernel$(2).o) \
          $(call own_objects,$(2)) $(objects)
	$$(call say,LD)
	$$(quiet)$$(link) -o $$@ $$(filter %.o,$$^) $$(libs)
	$$(call warnings_of,$(1))
build/main$(2).o: main$(if $(filter $(1),$(mains)),$(2)).$(host) $(wildcard params*.h) \
                  $(headers) build/flags $(emulation)
build/kernel$(2).o: kernel$(2).$(ext) $(wildcard params*.h) build/flags $(emulation)
build/config$(2).o: $(config_c) $(headers) build/basics build/config
	$$(from_config)
build/main$(2).o build/kernel$(2).o build/config$(2).o: private variant = $(1)
endef
$(eval $(call build,,))
$(foreach v,$(filter-out $(skips:gemm_%=%),$(variants)),$(eval $(call build,$(v),_$(v))))

define from_own
$(call say,$(says))
$(quiet)$(if $(filter kernel%,$<),$(kernel_cc),$(main_cc)) $(call flags,$(variant)) -c -o $@ $< \
	$(if $(filter kernel%,$<),$(plainly))
$(if $(filter kernel%,$<),$(quiet)$(keep_own))
endef
build/%.o: %.$(host)
	$(from_own)
build/%.o: %.cl
	$(from_own)
# make takes the first that there is: a main of its own.
build/main_%.o: main_%.$(host)
	$(from_own)
build/main_%.o: main.$(host)
	$(from_own)
endif
endif
stamp_flags = $(stamp_basics) $(kernel_cc) $(main_cc) $(link) $(flags) \
              $(foreach v,$(variants),$(call defines,$v) $(call arch_of,$v) $(call skip_of,$v))

run: $(program)
	@$(workbook) run "$(CURDIR)" $(program) $(SIZE) $(ARGS)
check bench sweep tune race profile page start next hint predict solution restore progress:
	@$(workbook) $@ "$(CURDIR)"
asm: private variant = $(VARIANT)
asm: $(program)
	@$(workbook) asm "$(CURDIR)" \
		$(if $(NVCC),--nvcc "$(NVCC) $(call arch_of,$(variant)) $(as_emulated) \
		$(KERNEL_FLAGS) $(call flags,$(variant))")
diff:
	@$(workbook) diff --here "$(CURDIR)" $(if $(A),"$(A)") "$(or $(B),$(CURDIR))"
clean:
	rm -rf build $(programs)
include $(top)/make/describe.mk
# Its examples name variants that are here.
swept   = $(foreach v,$(variants),$(if $(SWEEP_$v),$v))
example = $(patsubst %, VARIANT=%,$(firstword $(filter published,$(1)) $(1)))
help:
	@sed -e '/^run/s/ VARIANT=published/$(call example,$(variants))/' \
		-e '/^sweep/s/ VARIANT=one_per_item/$(call example,$(swept))/' \
		-e 's/^/  /' $(top)/make/targets | expand -t 12
endif
