# SPDX-License-Identifier: MIT
# A folder here is built as a lab is. Its kernel calls a library, of which nothing is needed to
# build: it is loaded when the program runs. Where there is none, the program says so and exits with
# 77. Before its Makefile includes this file, it sets
#   NAMES     of the library's file, with / where they are paths; the first that loads counts
#   INSTALL   the command that brings it
#   api       opencl, where its kernel.c launches something on an OpenCL device
#   takes     the types that it can multiply, if not float and double
top     := $(dir $(lastword $(MAKEFILE_LIST)))..
include $(top)/make/python.mk
library := $(shell $(workbook) find_library $(NAMES))
cl_h    := $(wildcard $(addsuffix /CL/cl.h,/usr/include /usr/local/include $(subst :, ,$(CPATH))))
takes   ?= float double
no_emulation := it runs on an NVIDIA GPU, and nothing stands in for it
skip    := $(strip $(if $(filter-out $(takes),$(TYPE)),\
             $(notdir $(CURDIR)) has no product of $(TYPE),\
             $(if $(library),\
             $(if $(filter opencl,$(api)),$(if $(cl_h),,no OpenCL headers: run ./setup)),\
             no $(firstword $(NAMES)) here: $(INSTALL))))
override KERNEL_FLAGS += -DLIBRARY='"$(library)"'
types   := $(takes)
ifeq ($(api),opencl)
  backend      := opencl
  opencl       := 1
endif
include $(top)/advanced/common/advanced.mk
ifeq ($(api),opencl)
  libs += -lOpenCL
endif
more_files = $(wildcard ../*.h)
build/kernel.o $(variants:%=build/kernel_%.o): $(wildcard *.h ../*.h)
