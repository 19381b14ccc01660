# SPDX-License-Identifier: MIT
# A folder here is built as a lab is. Its kernel calls a library, of which nothing is needed to build: it is
# loaded when the program runs. Where there is none, the program says so and exits with 77. Before its Makefile
# includes this file, it sets
#   NAMES     of the library's file, with / where they are paths; the first that can be loaded counts
#   INSTALL   the command that brings it
top     := $(dir $(lastword $(MAKEFILE_LIST)))..
include $(top)/common/python.mk
library := $(shell $(workbook) loadable $(NAMES))
skip    := $(if $(filter int,$(TYPE)),$(notdir $(CURDIR)) has no product of int,\
             $(if $(library),,no $(firstword $(NAMES)) here: $(INSTALL)))
KERNEL_FLAGS += -DLIBRARY='"$(library)"'
include $(top)/common/lab.mk
types   := float double
libs    += -ldl
headers := $(wildcard *.h ../*.h)
files   += $(wildcard ../*.mk ../*.h)
build/kernel.o $(variants:%=build/kernel_%.o): $(headers)
