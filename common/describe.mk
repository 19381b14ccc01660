# SPDX-License-Identifier: MIT
# What make describe prints: docs/records.md says what it means.
space     := $(subst ,, )
define newline


endef
# In a list of words or objects, the space between two becomes a comma.
list       = [$(subst $(space),$(comma) ,$(strip $(foreach w,$(1),$(call string,$w))))]
objects    = [$(subst } {,}$(comma)$(newline)    {,$(strip $(1)))]

backend_c  = "cpu"
backend_cl = "opencl"
backend_cu = "cuda"
# The place of a variant among STEPS, from 1 on.
place      = $(firstword $(foreach n,1 2 3 4 5 6 7 8 9,$(if $(filter $(1),$(word $n,$(steps))),$n)) null)
one        = {"name": "gemm$(1:%=_%)", "variant": "$(1)", "step": $(call place,$(1)), \
              "settings": $(call list,$(call settings,$(1))), "sweep": $(call list,$(SWEEP$(1:%=_%)))}
# Each #ifndef NAME of params.h, and the #define NAME VALUE after it.
defaults   = $(shell sed -n '/^\#ifndef/{n;s,  *//.*,,;s/["\\]/\\&/g; \
               s/^.define  *\([^ ]*\)  *\(.*\)/{"name": "\1", "default": "\2"}/p;}' params.h)
# Who shares memory has to wait, even where each barrier was forgotten.
sharing    = $(shell sed 's,//.*,,' kernel*.$(ext) params.h | \
               grep -m 1 -E 'barrier|__sync|__shared__|(^|[^[:alnum:]_])(__)?local[^[:alnum:]_]')

define description
{
  "schema": "gemm-lab/1",
  "lab": $(call string,$(lab)),
  "backend": $(or $(backend_$(ext)),null),
  "emulated": $(if $(filter cucpu,$(ext)$(CUDA)),true,false),
  "skip": $(if $(skip),$(call string,$(skip)),null),
  "type": "$(TYPE)",
  "size": $(call string,$(SIZE)),
  "barriers": $(if $(sharing),true,false),
  "steps": $(call list,$(steps)),
  "programs": $(call objects,$(call one,) $(foreach v,$(variants),$(call one,$v))),
  "tunables": $(call objects,$(defaults))
}
endef
