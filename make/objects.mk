# SPDX-License-Identifier: MIT
# What every program is made of beside its kernel and its main, and how that is compiled. Who
# includes this has set top, the workbook's folder, and lab, what the program calls itself.
CC       = cc
LDFLAGS  =
WARNINGS = -Wall -Wextra $(if $(CI),-Werror)
TYPE     = float
comma   := ,
quiet    = $(if $(filter-out 0,$(V)),,@)
silent   = $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say      = $(if $(filter-out 0,$(V))$(silent),,@printf '  %-5s %s\n' '$(1)' '$(or $(2),$(lab)/$@)')

# Every program is made of all files in these folders: those that are there. common/ suffices.
folders := $(wildcard $(addprefix $(top)/,common session guest diagnosis))
config_c = $(wildcard $(top)/session/config.c)
# Those of OpenCL need its headers.
of_opencl = $(wildcard $(top)/common/ocl.c $(top)/session/ocl_*.c)
sources  = $(filter-out $(config_c) $(if $(opencl),,$(of_opencl)),$(wildcard $(folders:%=%/*.c))) \
           $(more_sources)
headers  = $(wildcard $(folders:%=%/*.h) $(top)/diagnosis/*.def) $(more_headers)
include  = -I. -I$(top)/common -I$(top)/. $(more_include)
libs     = -lm -ldl
basics   = $(include) -D_XOPEN_SOURCE=700 -D_DARWIN_C_SOURCE -Dreal=$(TYPE) \
           $(GUARD_BYTES:%=-DGUARD_BYTES=%)
# 1 << 31, the mask of a sign, is undefined in C11 and defined by gcc and clang. At a misaligned
# address the program ends by session/conclusion.c, as make race reads on behind some.
sanitize = $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize=shift-base -fno-sanitize-recover=all \
             -fsanitize-recover=alignment -fno-omit-frame-pointer)
# A sanitizer watches the kernel and what calls it, and not what verifies in another process. Its
# way from an allocation to the kernel takes frame pointers.
verify   = $(CC) -std=c11 -O3 -g -fno-omit-frame-pointer $(WARNINGS) -Wshadow -Wconversion
link     = $(CC) $(sanitize) $(LDFLAGS)
# What a kernel defines beside gemm is nobody else's: a helper, or a variable on the device, may be
# called as one in common/ is. localize: how objcopy sees to that.
keep_own = $(if $(localize),objcopy=$$($(CC) -print-prog-name=objcopy); \
             ! command -v "$$objcopy" >/dev/null || "$$objcopy" $(localize) $@)

# What config.c says of a program, and where that finds what it reads. $(call text,NAME,WORDS): as a
# string in C.
text     = -D$(1)='"$(2)"'
config   = $(call text,LAB,$(lab)) $(call text,FOLDER,$(CURDIR)) \
           $(call text,CEILINGS,$(CURDIR)/$(top)/build/ceilings.tsv) \
           $(call text,GIVEN,$(given)) $(call text,UNFINISHED,$(if $(1),,$(unfinished))) \
           -DUSES_SIMDE=$(if $(SIMDE),1,0) \
           $(more_config)

# The objects that are of one program alone: its settings, and the instructions of its kernel.
own_objects = $(if $(config_c),build/config$(1).o build/instructions.o)
build/instructions.o: $(top)/session/instructions.c $(headers) build/flags
	$(call say,CC)
	$(quiet)$(verify) $(basics) -c -o $@ $<
define from_config
$(call say,CC)
$(quiet)$(verify) $(basics) $(call config,$(variant)) -c -o $@ $<
endef

# A program that cannot be built here says why, and ends with 77.
define skipped
$(quiet)printf '#!/bin/sh\necho "gemm: skipped: %s" >&2\nexit 77\n' '$(1)' > $@
$(quiet)chmod +x $@
endef

# These hold the flags of the last build, and change only when they do: a changed flag rebuilds.
stamp_basics = $(skip) $(verify) $(basics)
stamp_config = $(config) $(foreach v,$(variants),$(call config,$v))
stamps      := build/basics build/flags build/config
$(stamps): FORCE
	@now='$(subst ','\'',$(stamp_$(@F)))'; { IFS= read -r was < $@; } 2>/dev/null; \
	[ "$$now" = "$$was" ] || \
	{ mkdir -p build && printf '%s\n' "$$now" > $@.new && mv $@.new $@; }
.PHONY: FORCE
.DELETE_ON_ERROR:
