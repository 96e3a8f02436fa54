# Everything in one place: `make` or `make help` lists the targets.
#
# Variables: PYTHON, the interpreter of the environment; VENV, where it is made; RESULTS, the folder of stored runs.
# Data sets come from the network, or from copies in the folder SVMBENCH_MIRROR.

PYTHON ?= python3
VENV ?= .venv
RESULTS ?= results

SVMBENCH = $(VENV)/bin/svmbench
# Empty files that say when an environment was made; pyproject.toml remakes it. The C sources are rebuilt with it.
READY = $(VENV)/.ready
LINTERS = $(VENV)/.ready-lint
COMPILED = $(shell find svmbench -name '*.p[yx][xd]' -o -name '*.[ch]') CMakeLists.txt

.DEFAULT_GOAL := help
.PHONY: help demo test lint figures tables verdicts reproduce speed clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: $(READY)  ## set everything up and train SBP on a generated data set, no download
	@$(SVMBENCH) run results='"$(RESULTS)"'

test: $(READY)  ## run all tests
	$(VENV)/bin/python -m pytest

lint: $(LINTERS)  ## check style and types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	PATH="$(VENV)/bin:$$PATH" $(VENV)/bin/cython-lint svmbench

figures: $(READY)  ## draw the papers' figures from stored runs; trains nothing
	$(SVMBENCH) paper draw --results "$(RESULTS)"

tables: $(READY)  ## write the tables of solvers from stored runs; trains nothing
	$(SVMBENCH) paper table --results "$(RESULTS)"

verdicts: $(READY)  ## judge the papers' claims by stored runs; trains nothing
	$(SVMBENCH) paper verdict --results "$(RESULTS)"

reproduce: $(READY)  ## make all runs that are missing, then figures, tables and verdicts (half an hour for figures, hours for tables)
	$(SVMBENCH) paper run --results "$(RESULTS)"
	$(SVMBENCH) paper draw --results "$(RESULTS)"
	$(SVMBENCH) paper table --results "$(RESULTS)"
	$(SVMBENCH) paper verdict --results "$(RESULTS)"

speed: $(READY)  ## measure this machine, rows, solvers and, with the extra [peers], all rivals: two hours, nothing else running
	$(SVMBENCH) speed machine --results "$(RESULTS)"
	$(SVMBENCH) speed rows --results "$(RESULTS)"
	$(SVMBENCH) speed solvers --results "$(RESULTS)"
	$(SVMBENCH) speed scaling --most 8000000 --results "$(RESULTS)"
	$(SVMBENCH) speed rivals all --results "$(RESULTS)"

clean:  ## remove the environment and what was built; stored runs and data stay
	rm -rf "$(VENV)" build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find svmbench tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml $(COMPILED)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "svmbench needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=python3.12")'
	$(PYTHON) -m venv "$(VENV)"
	$(VENV)/bin/python -m pip install --quiet --editable '.[test]'
	touch "$@"

# The linters alone: installing the extra with the package would compile it a second time.
$(LINTERS): $(READY)
	$(VENV)/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["lint"], sep="\n")' >"$@.txt"
	$(VENV)/bin/python -m pip install --quiet --requirement "$@.txt"
	touch "$@"
