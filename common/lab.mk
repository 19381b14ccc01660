# SPDX-License-Identifier: MIT
# How every lab is built and run. A lab is CPU, OpenCL or CUDA by the name of its kernel: kernel.c,
# kernel.cl or kernel.cu. CFLAGS are those of the kernel, and of nothing that verifies it or takes its
# time; where they need the linker's help, as -fopenmp does, LDFLAGS says so. Before its Makefile
# includes this file, it may set
#   BEFORE          the lab before this one, where that is not the one with the number before
#   SWEEP           the settings that `make sweep` tries: GROUP_X=8,GROUP_Y=8 GROUP_X=16,GROUP_Y=16
#   TUNE            what `make tune` searches, where it is not to find that out itself: GROUP_X=8,16 TILE_K=4,8,16
#   TUNED = 1       the lab is built with the best that `make tune` found, tuned.mk; TUNED=0: with the defaults
#   OTHER           settings beside the defaults: make check verifies the kernel with them, too
#   STEPS           the variants that lead from the lab before to kernel.*, in order
#   DEFS_VARIANT    the values of tunables that kernel_VARIANT.* is written for; what is given on the
#                   command line wins only where VARIANT is, too
#   KERNEL_FLAGS    compiler flags for the kernel alone
#   RACE            settings for valgrind and ThreadSanitizer in `make race`: small blocks; SIMDE=1 for AVX-512
#   NEEDS_AVX2 = 1  the kernel is written with AVX2 and FMA intrinsics, for float
#   ROUNDING = TF32 the kernels may round A and B to that, or BF16: the verification allows for it. ROUNDING_VARIANT
#                   is for that one, - for none
#   TENSOR_CORES = 1  the kernels multiply with them: for float, on a GPU that has them; the ceilings are not theirs
#   CAPABILITY_VARIANT = 9.0  that one has instructions of GPUs of this compute capability and of no others: it is
#                   compiled for sm_90a, and a skip in the emulation and on another GPU
#   NEEDS_AVX512 = 1  the same with AVX-512
#   OPENMP = 1      the kernel of a CPU lab has threads, by OpenMP
#   MPI = 1         its program is several ranks, by MPI
# A variant has the main of the others, or main_VARIANT.c (or .cu) of its own; and params_VARIANT.h, where it has one,
# says its TILE_M, TILE_N and TILE_K. Tunables are those of params.h.

CC       = cc
CFLAGS   = -std=c11 -O2 -g
LDFLAGS  =
WARNINGS = -Wall -Wextra -Wshadow -Wconversion $(if $(CI),-Werror)
TYPE     = float
SIZE     = 1024
VARIANT  =

comma    := ,
# Paths may have spaces in them, which make takes for two names: they stay out of its lists.
top      := $(dir $(lastword $(MAKEFILE_LIST)))..
lab      := $(notdir $(lastword $(CURDIR)))
ext      := $(patsubst kernel.%,%,$(firstword $(wildcard kernel.c kernel.cl kernel.cu)))
variants := $(patsubst kernel_%.$(ext),%,$(wildcard kernel_*.$(ext)))
# Another character in its name would end in a rule, or in the shell.
odd      := $(shell for file in kernel_*.$(ext) kernel[!._]*.$(ext); do [ -e "$$file" ] && case $$file in \
              (kernel[!_]* | kernel_[!A-Za-z0-9]* | *[!A-Za-z0-9_.-]*) echo "$$file" | tr -c 'A-Za-z0-9_.\n-' '?';; esac; done)
ifneq ($(odd),)
  $(error $(firstword $(odd)): a kernel is called kernel.$(ext) or kernel_NAME.$(ext), NAME of letters, digits, _ and -: \
    rename it)
endif
host     := $(ext:cl=c)
mains    := $(patsubst main_%.$(host),%,$(wildcard main_*.$(host)))
steps    := $(filter $(variants),$(STEPS))
programs := $(steps:%=gemm_%) gemm $(patsubst %,gemm_%,$(filter-out $(steps),$(variants)))
program   = gemm$(VARIANT:%=_%)
quiet     = $(if $(filter-out 0,$(V)),,@)
silent    = $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say       = $(if $(filter-out 0,$(V))$(silent),,@printf '  %-5s %s\n' '$(1)' '$(lab)/$@')

# Every name that params.h guards with #ifndef can be set on the make command line.
tunables := $(shell sed -n 's/^\#ifndef *//p' params.h)
given    := $(strip $(foreach t,$(tunables),$(if $(filter command,$(origin $(t))),$(t)=$($(t)))))
# The compiler would name every line that uses what is no number, and the preprocessor takes a word for 0.
digits    = $(if $(1),$(call digits,$(wordlist 2,10,$(1)),$(subst $(firstword $(1)),,$(2))),$(2))
odd      := $(firstword $(foreach t,$(tunables),$(if $(filter command,$(origin $(t))),\
              $(if $($(t)),$(if $(call digits,0 1 2 3 4 5 6 7 8 9,$($(t))),$(t)),$(t)))))
ifneq ($(odd),)
  $(error $(odd)=$($(odd)): a tunable is a whole number, as in params.h: $(odd)=16)
endif
# Where TUNED = 1, what make tune found for each program and type, and the device, tuned_for.
ifneq ($(filter-out 0,$(TUNED)),)
  include $(wildcard tuned.mk)
endif
# $(call defines,VARIANT): what the variant is written for and what was given, each name once.
names     = $(foreach d,$(1),$(firstword $(subst =, ,$(d)))=%)
merge     = $(1) $(filter-out $(call names,$(1)),$(2))
tuned     = $(filter-out $(call names,$(given)),$(filter $(addsuffix =%,$(tunables)),$(tuned_$(1)_$(TYPE))))
own       = $(call merge,$(call tuned,$(1)),$(DEFS_$(1)))
settings  = $(if $(filter x$(VARIANT),x$(1)),$(call merge,$(given),$(own)),$(call merge,$(own),$(given)))
defines   = $(addprefix -D,real=$(TYPE) $(call settings,$(1)))
# How the kernel, and everything else in C, is compiled; the definitions of a variant go with them.
include   = -I. -I$(top)/common
posix     = -D_XOPEN_SOURCE=700 -D_DARWIN_C_SOURCE
basics    = $(include) $(posix) -Dreal=$(TYPE) $(GUARD_BYTES:%=-DGUARD_BYTES=%)
flags     = $(basics) $(call defines,$(1)) $(if $(filter cl,$(ext)),\
            -DKERNEL_FILE='"kernel$(1:%=_%).cl"' -DDEFINES='"$(call defines,$(1))"')
# NVIDIA has a cuda.h, too: <cuda.h>, with the types of tensor maps. In quotes it is that of common/.
for_nvcc  = $(subst -I$(top)/common,-Xcompiler -iquote$(comma)$(top)/common,$(call flags,$(1)))
sanitize  = $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
compile   = $(CC) $(CFLAGS) $(WARNINGS) $(sanitize)
verify    = $(CC) -std=c11 -O3 -g $(WARNINGS) $(sanitize)
openmp    = $(if $(OPENMP),-fopenmp)
# What a kernel in C defines beside gemm is nobody else's: a helper may be called as one in common/ is.
objcopy   = $$($(CC) -print-prog-name=objcopy)
keep_own  = $(if $(library),,! command -v $(objcopy) >/dev/null || $(objcopy) --keep-global-symbol=gemm $@)
link      = $(CC) $(openmp) $(sanitize) $(LDFLAGS)
libs      = -lm -ldl
common   := base config device lab options shapes trials trap failure ceilings report csv record json instructions \
            matrix verify freivalds probe explain cause tuned clocks

# What every mpicc adds to the compiler's command. The paths of its headers are a system's: no warnings.
mpi      := $(if $(MPI),$(wordlist 2,99,$(shell mpicc -show 2>/dev/null)))
common   += $(if $(MPI),ranks parts)
include  += $(patsubst -I%,-isystem%,$(filter -I%,$(mpi)))
libs     += $(filter-out -I%,$(mpi))

# For ThreadSanitizer OpenMP is openmp.c.
common   += $(if $(OPENMP),$(if $(filter thread,$(SAN)),openmp))

# Why a student's kernel is not done yet.
unfinished := $(if $(ext),$(shell sh $(top)/common/unfinished kernel.$(ext)))

# Only a Makefile says so: on the command line, or in the environment, it would make wrong kernels right.
from_file = $(if $(filter file,$(origin $(1))),$($(1)))
rounding  = $(filter-out -,$(or $(if $(1),$(call from_file,ROUNDING_$(1))),$(call from_file,ROUNDING)))
roundoff_TF32 := 0x1p-11
roundoff_BF16 := 0x1p-8
roundings     := $(foreach v,$(variants:%=x%) x,$(call rounding,$(v:x%=%)))
ifneq ($(filter-out TF32 BF16,$(roundings)),)
  $(error ROUNDING = $(firstword $(filter-out TF32 BF16,$(roundings))): choose TF32 or BF16)
endif

# build/config.c
string    = "$(subst ",\",$(subst \,\\,$(1)))"
strings   = {"$(1)", $(call string,$(call tuned,$(1))), $(call string,$(strip $(given) $(call tuned,$(1)))), $(call string,$(tuned_for))}
round     = $(if $(call rounding,$(1)),{"$(1)"$(comma) $(call string,$(call rounding,$(1)))$(comma) $(roundoff_$(call rounding,$(1)))}$(comma))
define config_c
// Written by make: what the program says of itself, and where it finds what it reads.
#include "config.h"
const struct config config = {
    .lab = $(call string,$(lab)),
    .folder = $(call string,$(CURDIR)),
    .ceilings = $(call string,$(CURDIR)/$(top)/build/ceilings.tsv),
    .type = $(call string,$(TYPE)),
    .settings = $(call string,$(given)),
    .unfinished = $(call string,$(unfinished)),
    .needs_avx2 = $(or $(NEEDS_AVX2),0),
    .needs_avx512 = $(or $(NEEDS_AVX512),0),
    .uses_simde = $(if $(SIMDE),1,0),
    .tensor_cores = $(or $(call from_file,TENSOR_CORES),0),
    .roundings = (const struct rounding[]){$(foreach v,$(variants:%=x%) x,$(call round,$(v:x%=%))){0}},
    .tuned = (const struct tuned[]){$(foreach v,x $(variants:%=x%),$(if $(call tuned,$(v:x%=%)),$(call strings,$(v:x%=%))$(comma))){0}},
};
endef
export config_c

include $(top)/common/path.mk
include $(top)/common/python.mk
# Hints say make start LAB=02, which is for the top, and is typed here.
of_top   := $(if $(filter $(LAB) $(LAB)_% lab$(LAB)_% lab0$(LAB)_%,$(lab)),LAB)
include $(top)/common/settings.mk
types := float double int
ifneq ($(filter-out $(types),$(TYPE)),)
  $(error TYPE=$(TYPE): choose float, double or int)
endif
ifneq ($(filter-out $(variants),$(VARIANT)),)
  $(error VARIANT=$(VARIANT): this lab has $(or $(variants),none))
endif

# A lab that cannot be built here becomes a program that says why and exits with 77.
ifeq ($(ext),c)
  ifneq ($(NEEDS_AVX2)$(NEEDS_AVX512),)
    types := float
    # Another CPU has SIMDe say in C what an intrinsic does; with SIMDE=1 so do tools that know no AVX-512.
    x86   := $(filter x86_64%,$(shell $(CC) -dumpmachine))
    SIMDE ?= $(if $(x86),,1)
    # On Skylake to Cascade Lake a jump that touches a border of 32 bytes is decoded anew each time (erratum
    # SKX102), a quarter of an AVX-512 kernel's speed. An assembler keeps them away: gcc's, then clang's way.
    jumps  = $(shell for flag in -Wa,-mbranches-within-32B-boundaries -mbranches-within-32B-boundaries; do \
               echo | $(CC) $$flag -x c -c -o /dev/null - 2>/dev/null && echo $$flag && break; done)
    ifneq ($(TYPE),float)
      skip := the AVX labs are written for float, not $(TYPE)
    else ifeq ($(SIMDE),)
      KERNEL_FLAGS += $(if $(NEEDS_AVX512),-mavx512f $(jumps),-mavx2 -mfma)
    else
      include += -I$(top)/common/simde $(if $(x86),-DSIMDE_NO_NATIVE -Wno-psabi)
      NEEDS_AVX2 =
      NEEDS_AVX512 =
      skip := $(if $(wildcard $(addsuffix /simde/x86/avx2.h,/usr/include /usr/local/include $(subst :, ,$(CPATH):$(C_INCLUDE_PATH)))),,\
                no SIMDe, which is what AVX needs $(if $(x86),with SIMDE=1,on this CPU): run ./setup)
    endif
  endif
  ifneq ($(MPI),)
    skip := $(or $(skip),$(if $(mpi),,no MPI, whose compiler is mpicc: run ./setup mpi))
  endif
else ifeq ($(ext),cl)
  common += ocl ocl_device ocl_build ocl_clock
  libs   += $(if $(filter Darwin,$(shell uname)),-framework OpenCL,-lOpenCL)
  ifneq ($(shell uname),Darwin)
    skip := $(if $(wildcard $(addsuffix /CL/cl.h,/usr/include /usr/local/include $(subst :, ,$(CPATH)))),,\
              no OpenCL headers: run ./setup)
  endif
else
  ifneq ($(TENSOR_CORES),)
    types := float
    skip  := $(if $(filter-out float,$(TYPE)),the labs with tensor cores are written for float$(comma) not $(TYPE))
  endif
  # With a device and nvcc they are used, without either emulation/ runs the kernel on the CPU.
  # make CUDA=cpu chooses it where there is a device; CUDA=nvcc compiles where there is none.
  NVCC := $(or $(shell command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc))
  gpu  := $(shell nvidia-smi -L 2>/dev/null)
  CUDA ?= $(if $(and $(NVCC),$(gpu)),nvcc,cpu)
  ifneq ($(filter-out cpu nvcc,$(CUDA)),)
    $(error CUDA=$(CUDA): choose nvcc, for a device, or cpu, to emulate one)
  endif
endif
ifeq ($(ext) $(CUDA),cu cpu) # emulated: see emulation/README.md
  CXX     = $(patsubst cc,g++,$(patsubst gcc,g++,$(patsubst clang,clang++,$(CC))))
  cxx     = $(CXX) -std=c++17 $(if $(SAN),-O1,-O2) -g -Wall -Wextra -Wshadow $(if $(CI),-Werror)
  skip   := $(or $(skip),$(no_emulation))
  nvcc    = $(top)/emulation/compile $(cxx) $(sanitize)
  link    = $(CXX) -pthread $(sanitize) $(LDFLAGS)
  SIZE    = 512
  emulation := $(wildcard $(top)/emulation/*/*.* $(top)/emulation/*/*/*) $(top)/emulation/compile
  vpath %.cpp $(sort $(dir $(filter %.cpp,$(emulation))))
  common += $(basename $(notdir $(filter %.cpp,$(emulation))))
else ifeq ($(ext),cu)
  skip   := $(or $(skip),$(if $(NVCC),,no nvcc: install the CUDA Toolkit, or add its bin folder to PATH))
  arch   := $(if $(NVCC),$(if $(gpu),-arch=native))
  # What hopper.h asks the driver with is new in CUDA 12.5.
  old_nvcc   := $(if $(and $(NVCC),$(strip $(foreach v,$(variants),$(CAPABILITY_$v)))),$(shell $(NVCC) --version | \
                  sed -n 's/.*release \([0-9.]*\),.*/\1/p' | grep -E '^([0-9]|1[01])[.]|^12[.][0-4]$$'))
  capability := $(if $(TENSOR_CORES)$(foreach v,$(variants),$(CAPABILITY_$v)),$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | grep -Eom1 '^[0-9]+[.][0-9]+$$'))
  ifneq ($(TENSOR_CORES),)
    # TF32 and bfloat16 begin with compute capability 8.0; without a GPU it is compiled for that.
    skip  := $(or $(skip),$(if $(filter 5.% 6.% 7.%,$(capability)),the tensor cores of this GPU$(comma) of compute capability \
               $(capability)$(comma) do not know TF32$(comma) which begins with 8.0))
    arch  := $(or $(arch),-arch=sm_80)
  endif
  nvcc    = $(NVCC) $(call arch_of,$(variant)) -O3 -lineinfo -Xcompiler -Wall,-Wextra$(if $(CI),$(comma)-Werror)
  link    = $(nvcc)
endif
skip  := $(strip $(skip))

# Of a variant that runs on GPUs of one compute capability: the architecture with all that they alone can, and why it
# is not built here. Where there is no GPU, CUDA=nvcc compiles it.
only_on  = $(subst .,,$(CAPABILITY_$(1)))a
arch_of  = $(if $(CAPABILITY_$(1)),-gencode arch=compute_$(only_on)$(comma)code=sm_$(only_on),$(arch))
unlike   = $(if $(filter cpu,$(CUDA)),cannot be emulated,$(if $(filter-out $(CAPABILITY_$(1)),$(capability)),this one has $(capability)))
cannot   = $(if $(unlike),it needs a GPU of compute capability $(CAPABILITY_$(1)) and $(unlike),$(if $(old_nvcc),it \
             needs nvcc 12.5 or newer and this is $(old_nvcc): update the CUDA Toolkit))
skip_of  = $(or $(skip),$(if $(CAPABILITY_$(1)),$(strip $(cannot))))
skips   := $(if $(skip),$(programs),$(foreach v,$(variants),$(if $(call skip_of,$v),gemm_$v)))

.PHONY: all run check bench sweep tune race asm diff start next hint solution restore progress clean describe help FORCE
.DELETE_ON_ERROR:

all: $(programs) ## build ./gemm and every variant ./gemm_VARIANT

ifeq ($(ext),) # a program of before is none of this kernel
.PHONY: $(programs)
$(programs):
	@$(workbook) whole "$(CURDIR)"
else
ifneq ($(skips),)
$(skips): build/flags
	$(quiet)printf '#!/bin/sh\necho "gemm: skipped: %s" >&2\nexit 77\n' '$(call skip_of,$(@:gemm_%=%))' > $@
	$(quiet)chmod +x $@
endif
ifeq ($(skip),)
# A variant with neither a main nor definitions of its own has the main of ./gemm; in OpenCL that names the kernel's file.
main = build/main$(if $(filter cl,$(ext))$(filter $(1),$(mains))$(subst x$(call settings,),,x$(call settings,$(1))),$(1:%=_%)).o
# $(call build,VARIANT,_VARIANT): main and kernel of one program. Only the kernel gets KERNEL_FLAGS,
# so that they never reach the verification.
define build
gemm$(2): $(call main,$(1)) $(if $(filter cl,$(ext)),kernel$(2).cl,build/kernel$(2).o) $(common:%=build/%.o)
	$$(call say,LD)
	$$(quiet)$$(link) -o $$@ $$(filter %.o,$$^) $$(libs)
build/main$(2).o: main$(if $(filter $(1),$(mains)),$(2)).$(host) $(wildcard params*.h) $$(wildcard $(top)/common/*.h) build/flags $(emulation)
build/kernel$(2).o: kernel$(2).$(ext) $(wildcard params*.h) $(if $(TENSOR_CORES),$(top)/common/tensor.h) $(if $(CAPABILITY_$(1)),$(top)/common/hopper.h) build/flags $(emulation)
build/main$(2).o build/kernel$(2).o: private variant = $(1)
endef
$(eval $(call build,,))
$(foreach v,$(filter-out $(skips:gemm_%=%),$(variants)),$(eval $(call build,$(v),_$(v))))

define from_c
$(call say,CC)
$(quiet)$(if $(filter kernel%,$<),$(compile) $(openmp) $(KERNEL_FLAGS),$(verify)) $(call flags,$(variant)) -c -o $@ $<
$(if $(filter kernel%,$<),$(quiet)$(keep_own))
endef
define from_cu
$(call say,$(if $(filter cpu,$(CUDA)),CXX,NVCC))
$(quiet)$(nvcc) $(call $(if $(filter cpu,$(CUDA)),flags,for_nvcc),$(variant)) $(if $(filter kernel%,$<),$(KERNEL_FLAGS)) -c -o $@ $<
endef
build/%.o: %.c
	$(from_c)
build/%.o: %.cu
	$(from_cu)
# make takes the first that there is: a main of its own.
build/main_%.o: main_%.c
	$(from_c)
build/main_%.o: main_%.cu
	$(from_cu)
build/main_%.o: main.c
	$(from_c)
build/main_%.o: main.cu
	$(from_cu)
# Without $(sanitize): it finds out which sanitizer it is linked with.
build/%.o: %.cpp $(emulation) build/basics
	$(call say,CXX)
	$(quiet)$(CXX) -std=c++17 -O2 -g -Wall -Wextra -Wshadow -pthread -c -o $@ $<
build/%.o: $(top)/common/%.c $(wildcard $(top)/common/*.h) build/basics
	$(call say,CC)
	$(quiet)$(verify) $(basics) -c -o $@ $<
build/config.o: build/config.c $(top)/common/config.h build/basics
	$(call say,CC)
	$(quiet)$(verify) $(basics) -c -o $@ $<
build/instructions.o: build/flags
build/instructions.o: private verify = $(compile) $(KERNEL_FLAGS)
endif
endif

# These hold the flags of the last build, and change only when they do: a changed flag rebuilds.
build/basics build/flags: FORCE
	@mkdir -p build
	@printf '%s\n' '$(subst ','\'',$(skip) $(verify) $(if $(filter %flags,$@),$(compile) $(nvcc) $(link) $(KERNEL_FLAGS) $(flags) $(foreach v,$(variants),$(call defines,$(v)) $(call arch_of,$(v)) $(call skip_of,$(v))),$(basics)))' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
build/config.c: FORCE
	@mkdir -p build
	@printf '%s\n' "$$config_c" > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

run: $(program) ## build, verify, time: make run SIZE=2048 VARIANT=chapter TYPE=int
	@$(workbook) run "$(CURDIR)" $(program) $(SIZE) $(ARGS)

check: ## verify this lab over a battery of shapes, and grade it
	@$(workbook) check "$(CURDIR)"

bench: ## time every program of this lab: make bench SIZES="256 512"
	@$(workbook) bench "$(CURDIR)"

sweep: ## try the range of the tunables: make sweep SIZE=512 VARIANT=tile
	@$(workbook) sweep "$(CURDIR)"

tune: ## search the tunables with Optuna, keep the best: make tune TRIALS=40
	@$(workbook) tune "$(CURDIR)"

race: ## find races, bounds, barriers that not all reach (V=1: all is shown)
	@$(workbook) race "$(CURDIR)"

asm: $(program) ## show the inner loop as the machine runs it, registers and spills
	@$(workbook) asm "$(CURDIR)" $(if $(NVCC),--nvcc "$(NVCC) $(call arch_of,$(VARIANT)) $(call for_nvcc,$(VARIANT))")

diff: ## what changed since the lab before, or: make diff A=lab04_ocl_naive
	@$(workbook) diff --here "$(CURDIR)" $(if $(A),"$(A)") "$(or $(B),$(CURDIR))"

start: ## begin: the starting point becomes the kernel; what was there is kept
	@$(workbook) start "$(CURDIR)"

next: ## go on to the next step, where the present one passes
	@$(workbook) next "$(CURDIR)"

hint: ## help with what is wrong, or comes next; AGAIN=1: once more
	@$(workbook) hint "$(CURDIR)"

solution: ## show the reference; APPLY=1: put it in the place of the kernel
	@$(workbook) solution "$(CURDIR)"

restore: ## bring your last own kernel back; FILE=main.c: as handed out
	@$(workbook) restore "$(CURDIR)"

progress: ## how far you are with this lab, and what to do next
	@$(workbook) progress "$(CURDIR)"

clean: ## remove everything that was built
	rm -rf build $(programs)

include $(top)/common/describe.mk
describe: ## what this lab is, in JSON for tools: see docs/records.md
	@:$(info $(description))

# Its examples name variants that are here.
example = $(patsubst %, VARIANT=%,$(firstword $(filter chapter,$(1)) $(1)))
help: ## list these targets
	@sed -n -e '/^run:/s/ VARIANT=chapter/$(call example,$(variants))/' \
		-e '/^sweep:/s/ VARIANT=tile/$(call example,$(foreach v,$(variants),$(if $(SWEEP_$v),$v)))/' \
		-e 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' $(top)/common/lab.mk | expand -t 12
