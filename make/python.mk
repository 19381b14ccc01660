# SPDX-License-Identifier: MIT
# The Python of the tools: that of ./setup report, tune and selftest where it is there, else any
# from 3.9 on; in the environment, PYTHON names another.
# Who includes this has set top, the workbook's folder, from where it is called.
PYTHON  ?= $(if $(wildcard $(top)/.venv/requirements.txt),.venv/bin/python3,python3)
# exec: a signal to end make ends it, too. -P: in a copy of a lab common/ is a link, and common/..
# the workbook. TYPED_IN: the folder of the lab in which make was called, if it was.
workbook = cd -P "$(top)" && \
           TYPED_IN="$(if $(filter 0,$(MAKELEVEL)),$(if $(lab),$(CURDIR)))" \
           exec "$(PYTHON)" -m workbook
