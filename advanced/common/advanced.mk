# SPDX-License-Identifier: MIT
# What advanced labs need of make beside make/lab.mk, which this includes. Before its
# Makefile includes this file, it may set what stands there, and
#   OPENMP = 1      the kernel of a CPU lab has threads, by OpenMP
#   MPI = 1         its program is several ranks, by MPI
#   TUNED = 1       the lab is built with the best that `make tune` found, tuned.mk; TUNED=0: with
#                   the defaults
#   ROUNDING = TF32 the kernels may round A and B to that, or BF16: the verification allows for it.
#                   ROUNDING_VARIANT is for that one, - for none
#   TENSOR_CORES = 1  the kernels multiply with them: for float, on a GPU that has them; the
#                   ceilings are not theirs
#   CAPABILITY_VARIANT = 9.0  that one has instructions of GPUs of this compute capability and of no
#                   others: it is compiled for sm_90a, and a skip in the emulation and on another
#                   GPU.
#                   CAPABILITY_ = 9.0: so has the lab's own kernel, and the lab is a skip there
top  := $(dir $(lastword $(MAKEFILE_LIST)))../..
more_known := OPENMP MPI

# AVX = -mavx512f $(jumps): on Skylake to Cascade Lake a jump that crosses or ends at a 32-byte
# boundary misses the decoded-µop cache (erratum SKX102), a quarter of an AVX-512 kernel's speed. An
# assembler keeps them away: gcc's, then clang's way.
jumps = $(shell for flag in -Wa,-mbranches-within-32B-boundaries \
          -mbranches-within-32B-boundaries; do \
          echo | $(CC) $$flag -x c -c -o /dev/null - 2>/dev/null && echo $$flag && break; done)

# For ThreadSanitizer OpenMP is openmp.c.
of_advanced  := $(MPI)$(TENSOR_CORES)$(filter CAPABILITY_%,$(.VARIABLES))
more_headers := $(if $(of_advanced),$(wildcard $(top)/advanced/common/*.h))
more_sources += $(addprefix $(top)/advanced/common/,$(if $(MPI),ranks.c distribute.c) $(if $(OPENMP),$(if $(filter thread,$(SAN)),openmp.c)))
# What every mpicc adds to the compiler's command. The paths of its headers are a system's: no
# warnings.
mpi := $(if $(MPI),$(wordlist 2,99,$(shell mpicc -show 2>/dev/null)))
more_include := $(if $(of_advanced),-I$(top)/advanced/common) \
                $(patsubst -I%,-isystem%,$(filter -I%,$(mpi)))

# What make tune found for each program and type, and the device, tuned_for.
ifneq ($(filter-out 0,$(TUNED)),)
  include $(wildcard tuned.mk)
endif
tuned = $(filter-out $(call names,$(given)),$(filter $(addsuffix =%,$(tunables)),$(tuned_$(1)_$(TYPE))))
own   = $(call merge,$(call tuned,$(1)),$(DEFS_$(1)))

special    := $(filter CAPABILITY_%,$(.VARIABLES))
capability := $(if $(TENSOR_CORES)$(special),\
                $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
                grep -Eom1 '^[0-9]+[.][0-9]+$$'))
ifneq ($(TENSOR_CORES),)
  types := float
  ifneq ($(filter-out float,$(TYPE)),)
    skip := the labs with tensor cores are written for float, not $(TYPE)
  endif
  # TF32 and bfloat16 begin with compute capability 8.0; without a GPU it is compiled for that.
  arch   = $(if $(gpu),-arch=native,-arch=sm_80)
  weak   = $(if $(filter nvcc,$(CUDA)),$(filter 5.% 6.% 7.%,$(capability)))
endif
# Of tensor cores' labs: a block here may have more shared memory than 99 KiB.
roomy = $(filter 8.0 8.7 9.0 10.% 11.%,$(capability))
# What the lab's own kernel needs, all of it does.
lacks = $(if $(CAPABILITY_),$(strip $(cannot)))$(no_mpi)$(too_old)
no_mpi  = $(if $(MPI),$(if $(mpi),,no MPI$(comma) whose compiler is mpicc: run ./setup mpi))
too_old = $(if $(weak),the tensor cores of this GPU$(comma) of compute capability \
            $(weak)$(comma) do not know TF32$(comma) which begins with 8.0)

# Of a variant that runs on GPUs of one compute capability: the architecture with all that they
# alone can, and why it is not built here. Where there is no GPU, CUDA=nvcc compiles it. What
# hopper.h asks the driver with is new in CUDA 12.5.
old_nvcc := $(if $(special),$(shell PATH="$$PATH:/usr/local/cuda/bin"; \
              $(or $(NVCC),nvcc) --version 2>/dev/null | \
              sed -n 's/.*release \([0-9.]*\),.*/\1/p' | grep -E '^([0-9]|1[01])[.]|^12[.][0-4]$$'))
only_on   = $(subst .,,$(CAPABILITY_$(1)))a
arch_of   = $(if $(CAPABILITY_$(1)),-gencode arch=compute_$(only_on)$(comma)code=sm_$(only_on),$(arch))
unlike    = $(if $(filter cpu,$(CUDA)),cannot be emulated,$(if $(filter-out $(CAPABILITY_$(1)),$(capability)),this one has $(capability)))
cannot    = $(if $(unlike),it needs a GPU of compute capability \
              $(CAPABILITY_$(1)) and $(unlike),$(if $(old_nvcc),it \
              needs nvcc 12.5 or newer and this is $(old_nvcc): update the CUDA Toolkit))
lacks_of  = $(if $(CAPABILITY_$(1)),$(strip $(cannot)))

# Only a Makefile says so: on the command line, or in the environment, it would make wrong kernels
# right.
from_file = $(if $(filter file,$(origin $(1))),$($(1)))
rounding  = $(filter-out -,$(or $(if $(1),$(call from_file,ROUNDING_$(1))),$(call from_file,ROUNDING)))
wrong    := $(filter-out TF32 BF16 -,$(foreach name,$(filter ROUNDING ROUNDING_%,$(.VARIABLES)),$(call from_file,$(name))))
ifneq ($(wrong),)
  $(error ROUNDING = $(firstword $(wrong)): choose TF32 or BF16)
endif
roundoff_TF32 := 0x1p-11
roundoff_BF16 := 0x1p-8
more_config = $(if $(call from_file,TENSOR_CORES),-DTENSOR_CORES=1) \
              $(if $(rounding),$(call text,ROUNDING,$(rounding)) \
                -DROUNDOFF=$(roundoff_$(rounding))) \
              $(if $(tuned),$(call text,TUNED,$(tuned)) $(call text,TUNED_FOR,$(tuned_for)) $(call text,SETTINGS,$(strip $(given) $(tuned))))

include $(top)/make/lab.mk

libs += $(filter-out -I%,$(mpi))
ifneq ($(OPENMP),)
  kernel_cc += -fopenmp
  link      += -fopenmp
endif
kernels := build/kernel.o $(variants:%=build/kernel_%.o)
ifneq ($(TENSOR_CORES)$(special),)
  $(kernels): $(headers)
endif

# And what make describe says.
more_of_program = capability $(CAPABILITY_$(1))
define more_words
threads $(OPENMP)
ranks $(MPI)
tuned $(filter-out 0,$(TUNED))
endef
