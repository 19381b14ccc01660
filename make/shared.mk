# SPDX-License-Identifier: MIT
# What all labs have in common is compiled once, in the workbook's build/, in a folder for each set
# of flags. Another lab may be at the same file: it gets its name when it is whole. Only config.c
# and instructions.c, which say what a lab is, are compiled in its own build/.
folder_of    = $(top)/build/$(1)/$(shell printf '%s' '$(subst ','\'',$(2))' | cksum | tr ' ' -)
of_common    := $(filter-out %/instructions.c,$(sources))
of_emulation := $(filter %.cpp,$(emulation))
common_c     := $(strip $(verify) $(subst $(top)/,,$(basics)))
in_common    := $(call folder_of,common,$(common_c))
in_emulation := $(if $(emulation),$(call folder_of,emulation,$(emulation_c)))
shared_objects := $(if $(skip),,$(patsubst %.c,$(in_common)/%.o,$(notdir $(of_common))) \
                    $(patsubst %.cpp,$(in_emulation)/%.o,$(notdir $(of_emulation))))
objects      := $(shared_objects)

from_top = $(patsubst $(top)/%,%,$(1))
define for_all_labs
$(call say,$(1),$(call from_top,$<))
$(quiet)mkdir -p $(@D) && cd -P $(top) && \
	$(2) -c -o $(call from_top,$@).$$$$ $(call from_top,$<) && \
	mv $(call from_top,$@).$$$$ $(call from_top,$@)
endef
define from_common
$(in_common)/%.o: $(1)%.c $(headers)
	$$(call for_all_labs,CC,$$(common_c))
endef
define from_emulation
$(in_emulation)/%.o: $(1)%.cpp $(emulation)
	$$(call for_all_labs,CXX,$$(emulation_c))
endef
$(foreach folder,$(sort $(dir $(of_common))),$(eval $(call from_common,$(folder))))
$(foreach folder,$(sort $(dir $(of_emulation))),$(eval $(call from_emulation,$(folder))))

# For make at the top: these first, then a line for each lab.
.PHONY: shared_objects built
shared_objects: $(shared_objects)
built: all
	@printf '  %-20s %s\n' '$(lab)' '$(if $(skip),skipped: $(skip),$(strip $(programs)))'
