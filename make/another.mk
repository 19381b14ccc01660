# SPDX-License-Identifier: MIT
# LAB=07 typed in the folder of another one: it is done there.
others   := $(patsubst $(top)/%,%,$(wildcard $(top)/lab[0-9]* $(top)/advanced/lab[0-9]*))
given_as  = $(if $(filter command,$(firstword $(origin LAB))),$(LAB))
another  := $(if $(call named,$(given_as),$(lab)),,$(call named,$(given_as),$(others)))
ifneq ($(another),)
.PHONY: $(or $(MAKECMDGOALS),all)
$(or $(MAKECMDGOALS),all):
	@$(MAKE) --no-print-directory -C "$(top)/$(another)" $@
endif
