# SPDX-License-Identifier: MIT
# CUDA on the CPU: engine/README.md says how.
says       = CXX
emulated   = yes
SIZE       = 512
CXX        = $(patsubst cc,g++,$(patsubst gcc,g++,$(patsubst clang,clang++,$(CC))))
nvcc       = sh $(top)/engine/cuda/compile $(CXX) -std=c++17 $(if $(SAN),-O1,-O2) -g \
               -Wall -Wextra -Wshadow $(if $(CI),-Werror) $(sanitize)
link       = $(CXX) -pthread $(sanitize) $(LDFLAGS)
skip      := $(or $(skip),$(no_emulation))
# In C++ those that no types are part of: of variables, and AddressSanitizer's for each of them.
c_names    = [a-z]* !gemm !main !emulation_* __odr_asan.*
localize   = --wildcard $(patsubst %,--localize-symbol='%',$(c_names))
emulation := $(wildcard $(top)/engine/core/* $(top)/engine/cuda/*.h $(top)/engine/cuda/*/*.* \
               $(top)/engine/cuda/*/*/*) $(top)/engine/cuda/compile
# Without $(sanitize): they find out which sanitizer they are linked with.
emulation_c = $(CXX) -std=c++17 -O2 -g -Wall -Wextra -Wshadow -pthread
# make profile: functions that count are linked in place of the sanitizers'. A float4 is one
# access there, which gcc would make four of.
ifneq ($(COUNT),)
  emulation    += $(wildcard $(top)/engine/count/*.h) \
                  $(addprefix $(top)/engine/count/,counts.cpp steps.cpp kernel.cpp)
  KERNEL_FLAGS += -O1 -fsanitize=thread -fsanitize-coverage=trace-pc,trace-cmp \
                  $(if $(filter clang%,$(notdir $(CXX))),,-fno-tree-sra)
else ifeq ($(SAN),)
# An index past the end of an array is an error before it overwrites another variable: crash.cpp.
  KERNEL_FLAGS += -fsanitize=bounds -fno-sanitize-recover=bounds
  localize     += --redefine-sym __ubsan_handle_out_of_bounds_abort=emulation_out_of_bounds
endif
