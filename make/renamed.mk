# SPDX-License-Identifier: MIT
# What had another name is refused with the new one: the table is ./renamed. Who includes this has
# set top.
quoted = '$(subst ','\'',$(1))'
# $(call now,KIND,OLD,NAMES): what ./renamed calls it, if that is one of these.
now = $(firstword $(filter $(3),$(shell old=$(call quoted,$(2)) \
        awk -F'\t' '$$1 == "$(1)" && $$2 == ENVIRON["old"] {print $$3}' \
        "$(top)/make/renamed")))
