# SPDX-License-Identifier: MIT
# For those who teach with the workbook, or work on it. The Makefile includes it where it is there.
.PHONY: handout selftest

handout: ## the students' copy:  make handout OUT=../handout LABS="01 02 05"
	$(if $(one),$(error LAB=$(LAB): a handout has LABS="$(LAB) ..."))
	@$(workbook) handout "$(OUT)" $(foreach l,$(LABS),$(or $(call named,$l),$(error LABS: $l: no such lab)))

selftest: ## test the workbook itself:  make selftest K=lab07 M="not slow"
	@mkdir -p build
	@"$(PYTHON)" -m pytest -q -n auto --dist worksteal --junitxml=build/selftest.xml $(if $(K),-k "$(K)") $(if $(M),-m "$(M)")
