# SPDX-License-Identifier: MIT
# OpenCL on the CPU: clang compiles the kernel, and engine/ runs it in place of a driver.
# engine/README.md says how.
SIZE       = 512
emulated   = yes
CXX        = $(patsubst cc,g++,$(patsubst gcc,g++,$(patsubst clang,clang++,$(CC))))
kernel_cc  = python3 -ISB $(top)/engine/opencl/compile.py $(CLANG) \
               $(if $(SAN)$(COUNT),-O0,-O2) -g -Wall $(if $(CI),-Werror) $(sanitize) \
               $(KERNEL_FLAGS)
link       = $(CXX) -pthread -rdynamic $(sanitize) $(LDFLAGS)
libs       = -lm -ldl
skip      := $(or $(skip),$(if $(CLANG),,no clang: run ./setup))
emulation := $(wildcard $(top)/engine/core/* $(top)/engine/opencl/* $(top)/engine/cuda/include/*)
emulation_c = $(CXX) -std=c++17 -O2 -g -Wall -Wextra -Wshadow -pthread
ifneq ($(COUNT),)
  emulation   += $(wildcard $(top)/engine/count/*.h) \
                 $(addprefix $(top)/engine/count/,counts.cpp steps.cpp kernel.cpp)
  emulation_c += $(if $(WARP),-DOF_WARP=$(WARP))
  KERNEL_FLAGS += -fsanitize=thread -fsanitize-coverage=trace-pc,trace-cmp,no-prune
endif
