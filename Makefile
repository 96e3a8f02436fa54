# Everything in one place: `make` or `make help` lists the targets.
#
# Variables: PYTHON, the interpreter of the environment; VENV, where it is made; RESULTS, the folder of stored runs;
# JOBS, the processes that tests run in.
# Data sets come from the network, or from copies in the folder SVMBENCH_MIRROR.

PYTHON ?= python3
VENV ?= .venv
RESULTS ?= results
JOBS ?= auto

SVMBENCH = $(VENV)/bin/svmbench
# Empty files that say when an environment was made; pyproject.toml remakes it. The C sources are rebuilt with it.
READY = $(VENV)/.ready
COMPILED = $(shell find svmbench -name '*.p[yx][xd]' -o -name '*.[ch]') CMakeLists.txt cmake/cythonize.py
# BUILD: pip build options. PACKAGES: site-packages of the main environment, reused by test-checks and test-sanitized.
BUILD ?=
PACKAGES ?=
PACKAGES_HERE = PACKAGES="$$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
# pip builds in a new environment each time, and scikit-build-core drops all objects if its own place, noted here, is new.
KEEP_OBJECTS = grep -lsF '"source_dir": "$(realpath .)"' build/*/.skbuild-info.json | xargs rm -f
# Compiled modules, whose stubs are compared with what they really have.
STUBBED = $(subst /,.,$(basename $(shell find svmbench -name '*.pyi')))
# Figures, tables and checks, each a target of its own.
PAPERS = $(filter-out field, $(subst _,-,$(shell sed -n 's/^def \([a-z][a-z0-9_]*\)() -> Artifact:.*/\1/p' svmbench/papers/documents/*.py)))
# Rooms whose tests start no process and draw nothing, so that they are over in a minute.
QUICK = tests/test_*.py $(addprefix tests/, kernels features data config store solvers) \
	tests/analysis $(addprefix tests/papers/test_, predicates.py estimate.py claims.py) $(addprefix tests/figures/test_, series.py tables.py)
# Files or folders whose mutants are tried, of those in .ci/mutants; all by default: make mutants MUTATED=svmbench/problem.py
MUTATED ?=
# Options of pytest that choose among the tests: make test SELECT='-k sbp'
SELECT ?=
# Python compiles what is imported, when it is; pip would compile all.
INSTALL = $(VENV)/bin/python -m pip install --quiet --no-compile
PYTEST = $(VENV)/bin/python -m pytest -n $(JOBS) --dist worksteal
# Rooms whose tests reach every compiled module, without the programs of others, which have no index of ours.
COMPILED_ROOMS = tests/test_rng.py $(addprefix tests/, simd kernels features data/test_parse.py solvers conformance) \
	--ignore tests/conformance/test_baselines.py --ignore tests/solvers/baselines
# gcc's runtimes must be loaded before the interpreter, whose own memory at the end is no leak of ours. Tests ask for
# more memory than there is, and must see that refused, not the process ended.
SANITIZERS = LD_PRELOAD="$$(gcc -print-file-name=libasan.so):$$(gcc -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1

.DEFAULT_GOAL := help
.PHONY: help demo env test check mutants test-checks checked test-sanitized sanitized lint lint-types lint-stubs lint-style docs wheel phases figures tables verdicts reproduce speed field clean $(PAPERS)

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

demo: $(READY)  ## set everything up and train SBP on a generated data set, no download
	@$(SVMBENCH) run results='"$(RESULTS)"'

env: $(READY)-test $(READY)-lint  ## install what tests and checks of style need, and run nothing

test: $(READY)-test  ## run all tests
	$(PYTEST) $(SELECT)

check: $(READY)-test  ## run the quick tests: less than a minute
	$(PYTEST) -m 'not slow and not real_data' $(QUICK) $(SELECT)

# The C of csrc/ has no checks: its objects are taken over with the notes of ninja, which compiles again what differs.
test-checks: $(READY)-test  ## test the compiled layer with every index checked, in an environment beside
	@[ -e build/checks ] || { mkdir build/checks; cd "$$(ls -td build/cp*/ | head -1)"; \
		find . -path '*_csrc.dir/*.o' -o -name '.ninja_*' | tar -cf - -T - | tar -C ../checks -xf -; }
	$(MAKE) VENV="$(VENV)-checks" $(PACKAGES_HERE) BUILD='-Cbuild-dir=build/checks -Ccmake.define.SVMBENCH_CHECKS=ON' checked

checked: $(READY)-test
	$(PYTEST) $(COMPILED_ROOMS) $(SELECT)

test-sanitized: $(READY)-test  ## test the compiled layer with gcc's sanitizers (docs/sanitizers.md), in an environment beside
	$(MAKE) VENV="$(VENV)-sanitized" $(PACKAGES_HERE) BUILD='-Cbuild-dir=build/sanitized -Ccmake.define.SVMBENCH_SANITIZE=ON' sanitized

sanitized: $(READY)-test
	$(SANITIZERS) $(PYTEST) --capture=sys $(COMPILED_ROOMS) $(SELECT)

mutants: $(READY)-test $(READY)-mutants  ## change code in samples of places and see whether tests fail; all groups take hours
	$(VENV)/bin/python .ci/mutants $(MUTATED)

lint: $(READY)-lint  ## check style and types
	@$(MAKE) --no-print-directory --jobs 2 --output-sync lint-types lint-stubs lint-style

lint-types:
	$(VENV)/bin/mypy

lint-stubs:
	@$(VENV)/bin/stubtest --concise --ignore-disjoint-bases --allowlist cmake/stubtest.txt $(STUBBED)

lint-style:
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	PATH="$(VENV)/bin:$$PATH" $(VENV)/bin/cython-lint svmbench

wheel: $(READY)-wheel  ## build dist/*.whl, for Linux machines without a compiler; built objects are reused
	rm -rf dist build/wheel
	$(KEEP_OBJECTS)
	$(VENV)/bin/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	PATH="$(abspath $(VENV))/bin:$$PATH" $(VENV)/bin/auditwheel repair --wheel-dir dist build/wheel/*.whl
	@ls dist/*.whl

phases:  ## time `make demo` on a fresh clone of the last commit, phase by phase
	@$(PYTHON) cmake/phases.py

figures: $(READY)  ## draw the papers' figures, write their tables and judge their claims by stored runs; trains nothing
	$(SVMBENCH) paper draw --results "$(RESULTS)"

tables: figures  ## the same

# Figures have the verdicts with them.
verdicts: $(READY) $(filter figures tables,$(MAKECMDGOALS))  ## judge the papers' claims by stored runs; trains nothing
	$(if $(filter figures tables,$(MAKECMDGOALS)),@:,$(SVMBENCH) paper verdict --results "$(RESULTS)")
	$(if $(filter results,$(RESULTS)),$(VENV)/bin/python cmake/site_papers.py results >docs/papers.md)

reproduce: $(READY)  ## make all runs that are missing, then figures, tables and verdicts (half an hour for figures, hours for tables)
	$(SVMBENCH) paper run --results "$(RESULTS)"
	$(SVMBENCH) paper draw --results "$(RESULTS)"

field: $(READY)  ## make what is missing of the comparison of the field, about an hour, and draw it
	$(SVMBENCH) field --results "$(RESULTS)"

# One figure, table or check by its name, from stored runs: make sbp-f2.
$(PAPERS): $(READY)
	$(SVMBENCH) paper draw $@ --results "$(RESULTS)"

docs: $(READY)-docs  ## write the documentation as a site, to build/site; every warning is an error
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --quiet
	@echo build/site/index.html

speed: $(READY)  ## measure this machine, rows, solvers and, with the extra [baselines], all baselines: two hours, nothing else running
	$(SVMBENCH) speed machine --results "$(RESULTS)"
	$(SVMBENCH) speed rows --results "$(RESULTS)"
	$(SVMBENCH) speed solvers --results "$(RESULTS)"
	$(SVMBENCH) speed scaling --most 8000000 --results "$(RESULTS)"
	$(SVMBENCH) speed baselines all --results "$(RESULTS)"

clean:  ## remove the environment and what was built; stored runs and data stay
	rm -rf "$(VENV)" "$(VENV)-checks" "$(VENV)-sanitized" build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find svmbench tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The pip that belongs to PYTHON, if there is one, installs pip; ensurepip would compile all of it, for three seconds.
$(READY): pyproject.toml $(COMPILED)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "svmbench needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=python3.12")'
	@if [ -e "$@" ]; then echo "compiling what has changed"; \
		else echo "compiling svmbench in the new environment $(VENV): about two minutes on two cores, once"; fi
	@$(PYTHON) -m venv --without-pip "$(VENV)"
	@$(VENV)/bin/python -c 'import pip' 2>/dev/null || \
		$(PYTHON) -m pip --python "$(VENV)/bin/python" install --quiet --no-compile pip 2>/dev/null || $(VENV)/bin/python -m ensurepip --default-pip >/dev/null
	@$(if $(PACKAGES),echo "$(PACKAGES)" >"$$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/packages.pth")
	@$(VENV)/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' >"$@.txt"
	@$(KEEP_OBJECTS)
	@$(INSTALL) --requirement "$@.txt" & needed=$$!; trap "kill $$needed; exit 1" INT TERM; \
		$(INSTALL) --no-deps $(BUILD) --editable . && wait $$needed || { kill $$needed 2>/dev/null; exit 1; }
	@touch "$@"

# What an extra names, alone: installing it with the package would build that a second time.
$(READY)-%: $(READY)
	$(VENV)/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$*"], sep="\n")' >"$@.txt"
	$(INSTALL) --requirement "$@.txt"
	touch "$@"
