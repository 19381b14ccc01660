# SPDX-License-Identifier: MIT
# A kernel in OpenCL C: the device's driver compiles it when the program runs. What launches it is
# in C.
host      = c
says      = CC
main_cc   = $(verify)
of_kernel = -DKERNEL_FILE='"kernel$(1:%=_%).cl"' -DDEFINES='"$(call defines,$(1))"'
folders  += $(top)/common/opencl
ifeq ($(shell uname),Darwin)
  libs   += -framework OpenCL
else
  libs   += -lOpenCL
  skip   := $(if $(wildcard $(addsuffix /CL/cl.h,/usr/include /usr/local/include \
              $(subst :, ,$(CPATH)))),,\
              no OpenCL headers: run ./setup)
endif
