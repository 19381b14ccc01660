# SPDX-License-Identifier: MIT
# A kernel in C.
host      = c
says      = CC
kernel_cc = $(CC) $(CFLAGS) $(WARNINGS) $(sanitize) $(KERNEL_FLAGS)
main_cc   = $(verify)
# A message about intrinsics names their headers: without folders, and without the way to them.
plainly   = $(if $(MAKE_TERMERR),-fdiagnostics-color=always) 2>$@.said; ended=$$?; \
            sed -e '/^In file included from .*\/include\//d' -e '/^  *from .*kernel.*:$$/d' \
              -e 's,/[^ ]*/include/,,' $@.said >&2; rm -f $@.said; exit $$ended
# make page: functions that record are linked in place of ThreadSanitizer's.
ifneq ($(COUNT),)
  CXX           = $(patsubst cc,g++,$(patsubst gcc,g++,$(patsubst clang,clang++,$(CC))))
  emulation_c   = $(CXX) -std=c++17 -O2 -g -Wall -Wextra -Wshadow -Dreal=$(TYPE)
  emulation    := $(wildcard $(top)/engine/count/*.h) \
                   $(addprefix $(top)/engine/count/,counts.cpp steps.cpp c.cpp)
  KERNEL_FLAGS += -O1 -fsanitize=thread -include $(top)/engine/count/told.h
  LDFLAGS      += -Wl,--wrap=gemm
  libs         += -lstdc++
endif
localize  = $(if $(library),,--keep-global-symbol=gemm $(as_glibc))
# Which takes any size: a sanitizer takes none but multiples of the alignment, as C11 once had it.
as_glibc  = $(if $(SAN),--redefine-sym aligned_alloc=memalign)
# Where course.tsv gives the lab threads, as make grade has it, and the compiler has OpenMP.
ifneq ($(shell awk -F'\t' '$$1 == "$(lab)" && $$6 > 1' $(top)/course.tsv 2>/dev/null),)
  openmp    := $(shell echo 'int main(void) { return 0; }' | \
                 $(CC) -fopenmp -x c -o /dev/null - 2>/dev/null && echo -fopenmp)
  kernel_cc += $(openmp)
  libs      += $(openmp)
endif
# With the kernel's own flags, so that a program knows which instructions it needs.
build/instructions.o: private verify = $(kernel_cc)

ifneq ($(AVX),)
  types := float
  # Another CPU has SIMDe say in C what an intrinsic does; with SIMDE=1 so do tools that do not know
  # an instruction.
  x86   := $(filter x86_64%,$(shell $(CC) -dumpmachine))
  SIMDE ?= $(if $(x86),,1)
  ifneq ($(TYPE),float)
    skip    := the AVX labs are written for float, not $(TYPE)
  else ifeq ($(SIMDE),)
    avx     := $(AVX)
    KERNEL_FLAGS += $(avx)
  else
    include += -I$(top)/make/simde $(if $(x86),-DSIMDE_NO_NATIVE -Wno-psabi)
    places  := /usr/include /usr/local/include $(subst :, ,$(CPATH):$(C_INCLUDE_PATH))
    skip    := $(if $(wildcard $(addsuffix /simde/x86/avx2.h,$(places))),,no SIMDe, which is \
                 what AVX needs $(if $(x86),with SIMDE=1,on this CPU): run ./setup)
  endif
endif
