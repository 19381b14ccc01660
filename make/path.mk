# SPDX-License-Identifier: MIT
# $(call named,LAB,FOLDERS): which of these is LAB=5, 05, lab05 or lab05_ocl_coarsen?
named = $(firstword $(filter $(foreach n,$(1:%/=%) $(1:%/=%)_% lab$(1)_% lab0$(1)_%,$n advanced/$n),$(2)))
# The path of the workbook goes into C strings and through the shell, which would not take some
# characters.
hash := \#
ifneq ($(strip $(foreach c,' " \ ` $$ $(hash),$(findstring $(c),$(CURDIR)))),)
  $(error the path of this folder has a quote, a backslash, a dollar sign or #: move the workbook to another)
endif
