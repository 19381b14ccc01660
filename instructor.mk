# SPDX-License-Identifier: MIT
# For those who teach with the workbook, or work on it. The Makefile includes it where it is there.
# Advanced labs have no starting points, and no marks.
nine = $(if $(LABS),$(if $(filter advanced/%,$(labs)),\
         $(error LABS: $(notdir $(firstword $(filter advanced/%,$(labs)))): it is an advanced lab: the nine alone are handed out and graded),$(labs)))

handout: ## the students' copy:  make handout OUT=../handout LABS="01 02 05"
	$(if $(one),$(error LAB=$(LAB): a handout has LABS="$(LAB) ..."))
	@$(workbook) handout --variants "$(VARIANTS)" "$(OUT)" $(nine)

grade: ## grade a class, sandboxed:  make grade SUBMISSIONS=dir OUT=dir
	$(if $(one),$(error LAB=$(LAB): make grade has LABS="$(LAB) ..."))
	@$(workbook) grade "$(SUBMISSIONS)" "$(OUT)" \
		--jobs "$(JOBS)" --launcher "$(LAUNCHER)" --size "$(SIZE)" --seed "$(SEED)" $(nine)

figures: ## time this machine for figures/:  make figures NAME=t4 LABS="04 08"
	$(if $(NAME),,$(error figures: of which machine? make figures NAME=t4))
	@$(workbook) figures measure "$(NAME)" "$(or $(SIZES),1024)" $(labs)

rooms = $(notdir $(patsubst %/,%,$(dir $(wildcard tests/*/test_*.py))))
selftest: ## test the workbook itself:  make selftest ROOM=race K=lab07
	$(if $(filter-out $(rooms),$(ROOM)),$(error ROOM=$(ROOM): no such room in tests/; there are $(sort $(rooms))))
	@mkdir -p build
	@"$(PYTHON)" -m pytest -q -n auto --dist worksteal --junitxml=build/selftest.xml \
		$(if $(K),-k "$(K)") $(if $(M),-m "$(M)") $(ROOM:%=tests/%)
	$(if $(ROOM),@echo 'selftest: left out: $(filter-out $(ROOM),$(sort $(rooms)))')
