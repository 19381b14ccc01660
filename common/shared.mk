# SPDX-License-Identifier: MIT
# What all labs have in common is compiled once, in the workbook's build/, in a folder for each set of flags.
# Another lab may be at the same file: it gets its name when it is whole. Only config.c and instructions.c,
# which say what a lab is, are compiled in its own build/.
folder_of   = $(top)/build/$(1)/$(shell printf '%s' '$(subst ','\'',$(2))' | cksum | tr ' ' -)
common_c   := $(verify) $(subst $(top)/,,$(basics))
in_common  := $(call folder_of,common,$(common_c))
# Without $(sanitize): it finds out which sanitizer it is linked with.
emulation_c    := $(CXX) -std=c++17 -O2 -g -Wall -Wextra -Wshadow -Iemulation -pthread
in_emulation   := $(call folder_of,emulation,$(emulation_c))
shared_objects := $(if $(skip),,$(patsubst %,$(in_common)/%.o,$(filter-out config instructions,$(common))) \
                    $(patsubst %.cpp,$(in_emulation)/%.o,$(notdir $(filter %.cpp,$(emulation)))))

from_top = $(patsubst $(top)/%,%,$(1))
define for_all_labs
$(call say,$(1),$(call from_top,$<))
$(quiet)mkdir -p $(@D) && cd -P $(top) && $(2) -c -o $(call from_top,$@).$$$$ $(call from_top,$<) && \
	mv $(call from_top,$@).$$$$ $(call from_top,$@)
endef
$(in_common)/%.o: $(top)/common/%.c $(wildcard $(top)/common/*.h)
	$(call for_all_labs,CC,$(common_c))
$(in_emulation)/%.o: $(top)/emulation/%.cpp $(emulation)
	$(call for_all_labs,CXX,$(emulation_c))

# For make at the top: these first, then a line for each lab.
.PHONY: shared_objects built
shared_objects: $(shared_objects)
built: all
	@printf '  %-20s %s\n' '$(lab)' '$(if $(skip),skipped: $(skip),$(strip $(programs)))'
