# SPDX-License-Identifier: MIT
# What a kernel's tunables are, and the values that a program is built with.

# Every name that params.h guards with #ifndef can be set on the make command line, but for that of
# a guard around the whole file, which has no value.
guard    := ^\#ifndef *\([^ ]*\)\n\#define *\1 *$$
tunables := $(shell sed -n '/^\#ifndef /{N;/$(guard)/d;s/^\#ifndef *//;s/\n.*//p;}' params.h)
given     = $(strip $(foreach t,$(tunables),$(if $(filter command,$(origin $(t))),$(t)=$($(t)))))

# The step that a student is writing, in kernel.*: make start and make next say so.
state    := $(wildcard mine/state.json)
stage    := $(if $(state),$(shell sed -n 's/^ *"stage": "\(.*\)",*$$/\1/p' $(state)))
of_stage  = $(or $($(1)_$(stage)),$($(1)))
own      ?= $(DEFS_$(or $(1),$(stage)))

# $(call defines,VARIANT): what the variant is written for and what was given, each name once.
names     = $(foreach d,$(1),$(firstword $(subst =, ,$(d)))=%)
merge     = $(1) $(filter-out $(call names,$(1)),$(2))
settings  = $(if $(filter x$(VARIANT),x$(1)),$(call merge,$(given),$(own)),$(call merge,$(own),$(given)))
defines   = $(addprefix -D,real=$(TYPE) $(call settings,$(1)))

# A params.h of a student's own is for kernel.* alone: the variants are written for the tunables of
# the one that was handed out, as far as the Makefile names them.
meant     = $(subst $(comma), ,$(foreach l,OTHER RACE SWEEP,$($l) \
              $(foreach v,$(variants),$($(l)_$v))))
gone      = $(firstword $(filter-out $(known:%=%=%),$(meant)))
foreign   = $(if $(gone),params.h has no $(patsubst %=,%,$(firstword $(subst =,= ,$(gone)))) that \
              make can set$(comma) as the one handed out has)
