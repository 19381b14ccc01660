# SPDX-License-Identifier: MIT
# A kernel in OpenCL C: the device's driver compiles it when the program runs. What launches it is
# in C. Without a driver engine/ runs the kernel on the CPU. make OPENCL=engine chooses it where
# there is a driver.
host      = c
says      = CC
main_cc   = $(verify)
of_kernel = -DKERNEL_FILE='"kernel$(1:%=_%).cl"' -DDEFINES='"$(call defines,$(1))"'
opencl   := 1
icds      = $(or $(OCL_ICD_VENDORS),/etc/OpenCL/vendors)
drivers   = $(filter Darwin,$(shell uname)) $(wildcard $(icds)/*.icd $(filter %.icd %.so,$(icds)))
OPENCL   ?= $(if $(strip $(drivers)),driver,engine)
CLANG    ?= $(shell for c in clang $$(seq -f clang-%g 30 -1 14); do command -v $$c && exit; done)
ifeq ($(shell uname),Darwin)
  libs   += -framework OpenCL
else
  libs   += $(if $(filter engine,$(OPENCL)),,-lOpenCL)
  skip   := $(if $(wildcard $(addsuffix /CL/cl.h,/usr/include /usr/local/include \
              $(subst :, ,$(CPATH)))),,\
              no OpenCL headers: run ./setup)
endif
ifeq ($(OPENCL),engine)
  include $(top)/make/engine.mk
else
  driver := 1
  # clang's warnings, which the log of a driver lacks; its errors a driver has.
  warnings    = $(CLANG) -x cl -cl-std=CL1.2 -fsyntax-only -Wall $(basics) $(call defines,$(1))
  warnings_of = $(if $(CLANG),@said=$$($(warnings) kernel$(1:%=_%).cl 2>&1) && \
                  [ -n "$$said" ] && printf '%s\n' "$$said" >&2 || true)
endif
