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
or_null    = $(if $(1),$(call string,$(1)),null)
one        = {"name": "gemm$(1:%=_%)", "variant": "$(1)", "step": $(call place,$(1)), \
              "skip": $(call or_null,$(call skip_of,$(1))), "capability": $(call or_null,$(CAPABILITY_$(1))), \
              "kernel": $(if $(ext),"kernel$(1:%=_%).$(ext)",null), "tile": $(call tile,$(1)), \
              "settings": $(call list,$(call settings,$(1))), "sweep": $(call list,$(SWEEP$(1:%=_%))), \
              "tune": $(call list,$(TUNE$(1:%=_%)))}
# What params.h makes of TILE_M, TILE_N and TILE_K; null where it refuses the settings.
tile       = $(or $(shell sizes=$$(echo 'TILE_M,TILE_N,TILE_K' | \
               $(CC) -E -P -include $(or $(wildcard params_$(1).h),params.h) $(call defines,$(1)) - 2>/dev/null) && \
               IFS=, && set -- $$sizes && echo "[$$(($$1)), $$(($$2)), $$(($$3))]"),null)
# #ifndef NAME, and #define NAME VALUE after it; and what it refuses, as in BLOCK<16 BLOCK>4096 BLOCK%16!=0.
default    = $(shell sed -n '/^\#ifndef  *$(1) *$$/{n;s,  *//.*,,;s/["\]/\\&/g; \
               s/^.define  *[^ ]*  *//p;}' params.h)
refused    = $(shell sed -n '/^\#if /{h;n;/^\#error/{g;s/^\#if//;s/ //g;p;};}' params.h | tr -s '|' '\n' | \
               grep -E -x '[A-Za-z0-9_]+([<>][0-9]+|%[0-9]+!=0)')
bound      = $(or $(patsubst $(1),%,$(filter $(1),$(2))),null)
tunable    = {"name": "$(1)", "default": "$(call default,$(1))", "least": $(call bound,$(1)<%,$(2)), \
              "most": $(call bound,$(1)>%,$(2)), "multiple_of": $(call bound,$(1)\%%!=0,$(2))}
# Beside its own kernel, what a program is made of.
shared     = $(patsubst $(top)/%,$(top:%/common/..=%)/%,$(1))
files      = Makefile $(if $(filter-out 0,$(TUNED)),$(wildcard tuned.mk)) $(wildcard main.* main_*.$(host)) $(sort $(wildcard *.h)) $(call shared,$(top)/common/lab.mk) \
             $(sort $(call shared,$(wildcard $(top)/common/*.h $(common:%=$(top)/common/%.c)) $(filter-out %.md,$(emulation))))
# Who shares memory has to wait, even where each barrier was forgotten.
sharing    = $(shell sed 's,//.*,,' kernel*.$(ext) params.h | \
               grep -m 1 -E 'barrier|__sync|__shared__|(^|[^[:alnum:]_])(__)?local[^[:alnum:]_]')

# How an editor is to read each file: clang, as clangd knows no other; what it is built with may be another.
read_c     = $(CC) $(CFLAGS) $(WARNINGS) $(KERNEL_FLAGS) $(flags)
read_cl    = clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -I. $(defines)
read_cu    = clang -x cuda -std=c++17 --cuda-host-only -nocudainc -nocudalib -Wno-unknown-cuda-version \
             -include $(top)/emulation/editor.h $(flags) -I$(top)/emulation/include
command    = {"file": "$(1)", "command": $(call string,$(call read_$(2),$(3)) -c $(1))}
# Of what one GPU alone can, emulation/ has no headers.
for_editor = $(foreach v,$(variants),$(if $(CAPABILITY_$v),,$v))
commands   = $(foreach v,x $(for_editor:%=x%),$(call command,kernel$(v:x%=$(if $(v:x=),_)%).$(ext),$(ext),$(v:x%=%))) \
             $(foreach m,$(wildcard main.*),$(call command,$m,$(m:main.%=%),)) \
             $(foreach v,$(filter $(mains),$(for_editor)),$(call command,main_$v.$(host),$(host),$v)) \
             $(foreach c,$(common),$(if $(wildcard $(top)/common/$c.c),$(call command,$(top)/common/$c.c,c,)))

define description
{
  "schema": "gemm-lab/1",
  "lab": $(call string,$(lab)),
  "before": $(if $(BEFORE),$(call string,$(BEFORE)),null),
  "backend": $(or $(backend_$(ext)),null),
  "emulated": $(if $(filter cucpu,$(ext)$(CUDA)),true,false),
  "skip": $(if $(skip),$(call string,$(skip)),null),
  "type": "$(TYPE)",
  "types": $(call list,$(types)),
  "size": $(call string,$(SIZE)),
  "tuned": $(if $(filter-out 0,$(TUNED)),true,false),
  "barriers": $(if $(sharing),true,false),
  "threads": $(if $(OPENMP),true,false),
  "ranks": $(if $(MPI),true,false),
  "race": $(call list,$(RACE)),
  "other": $(call list,$(OTHER)),
  "steps": $(call list,$(steps)),
  "stages": $(call list,$(STEPS)),
  "unfinished": $(if $(unfinished),$(call string,$(unfinished)),null),
  "programs": $(call objects,$(call one,) $(foreach v,$(variants),$(call one,$v))),
  "tunables": $(call objects,$(foreach t,$(tunables),$(call tunable,$t,$(refused)))),
  "files": $(call list,$(files)),
  "commands": $(if $(ext),$(call objects,$(commands)),[])
}
endef
