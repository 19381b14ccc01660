# SPDX-License-Identifier: MIT
# The path of the workbook goes into C strings and through the shell, which would not take some characters.
hash := \#
ifneq ($(strip $(foreach c,' " \ ` $$ $(hash),$(findstring $(c),$(CURDIR)))),)
  $(error the path of this folder has a quote, a backslash, a dollar sign or #: move the workbook to another)
endif
