# SPDX-License-Identifier: MIT
# The path of the workbook goes into C strings and through the shell, which would not take some characters.
ifneq ($(strip $(foreach c,' " \ ` $$,$(findstring $(c),$(CURDIR)))),)
  $(error the path of this folder has a quote, a backslash or a dollar sign: move the workbook to another)
endif
