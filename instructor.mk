# SPDX-License-Identifier: MIT
# For those who teach with the workbook, or work on it. The Makefile includes it where it is there.
comma := ,
# The labs that lead on have no starting points, and no marks.
named_labs = $(foreach l,$(LABS),$(or $(filter lab%,$(call named,$l)),$(error LABS: $l: \
               $(if $(call named,$l),it leads on from the nine$(comma) which alone are handed out and graded,no such lab))))

handout: ## the students' copy:  make handout OUT=../handout LABS="01 02 05"
	$(if $(one),$(error LAB=$(LAB): a handout has LABS="$(LAB) ..."))
	@$(workbook) handout "$(OUT)" $(named_labs)

grade: ## grade a class, sandboxed:  make grade SUBMISSIONS=dir OUT=dir
	$(if $(one),$(error LAB=$(LAB): make grade has LABS="$(LAB) ..."))
	@$(workbook) grade "$(SUBMISSIONS)" "$(OUT)" --jobs "$(JOBS)" --launcher "$(LAUNCHER)" --size "$(SIZE)" --seed "$(SEED)" $(named_labs)

selftest: ## test the workbook itself:  make selftest K=lab07 M="not slow"
	@mkdir -p build
	@"$(PYTHON)" -m pytest -q -n auto --dist worksteal --junitxml=build/selftest.xml $(if $(K),-k "$(K)") $(if $(M),-m "$(M)")
