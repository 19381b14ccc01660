# SPDX-License-Identifier: MIT
# A kernel in CUDA. With a device and nvcc they are used, without either engine/ runs the kernel
# on the CPU. make CUDA=cpu chooses it where there is a device; CUDA=nvcc compiles where there is
# none.
host      = cu
kernel_cc = $(nvcc) $(KERNEL_FLAGS)
main_cc   = $(nvcc)
# What the emulation takes: constexpr functions that are no __device__, lambdas that are.
as_emulated = --expt-relaxed-constexpr --extended-lambda
NVCC     := $(or $(shell command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc))
gpu      := $(shell nvidia-smi -L 2>/dev/null)
CUDA     ?= $(if $(and $(NVCC),$(gpu)),nvcc,cpu)
# $(call arch_of,VARIANT): for which GPU it is compiled.
arch_of  ?= $(arch)
ifeq ($(CUDA),cpu)
  include $(top)/make/emulation.mk
else
  says      = NVCC
  arch     ?= $(if $(and $(NVCC),$(gpu)),-arch=native)
  skip     := $(or $(skip),$(if $(NVCC),,no nvcc: install the CUDA Toolkit$(comma) or add its bin folder to PATH))
  nvcc      = $(NVCC) $(call arch_of,$(variant)) -O3 -lineinfo \
              $(as_emulated) \
              -Xcompiler -Wall,-Wextra$(if $(CI),$(comma)-Werror)
  link      = $(nvcc)
endif
