# Everything a person or CI does with Ebb. `make help` lists it.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# What packages ask for and nothing of ours uses: tokenizers can download models, we do not.
NOT_USED := huggingface_hub hf-xet fsspec filelock PyYAML

.DEFAULT_GOAL := help
.PHONY: help up test test-long explore lint format bench docs screenshots backup restore lock venv packages dev-packages browser

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/make \1|\2/p' Makefile | while IFS='|' read -r name text; do \
	  printf '%-16s %s\n' "$$name" "$$text"; done

up: packages  ## run Ebb here until Ctrl-C
	@exec $(BIN)/python manage.py up --stop-with-parent

test: dev-packages browser  ## run all tests except the long ones
	@$(BIN)/python -m pytest -m "not long" --numprocesses logical --maxprocesses 4 --dist loadfile

test-long: dev-packages browser  ## run the fault and scale tests
	@$(BIN)/python -m pytest -m long

explore: dev-packages browser  ## look for tests that lean on luck: another order, other examples
	@$(BIN)/python -m pytest -m "not long" --numprocesses logical --maxprocesses 4 --dist loadfile \
	  --randomly-seed=default --hypothesis-profile=explore

lint: dev-packages  ## check style, types, directions of imports, templates
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint --lint --quiet templates

format: dev-packages  ## put the code into shape
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: dev-packages  ## measure recall and the time to the first token
	$(BIN)/python -m benchmarks

docs: venv  ## build the documentation as a site in build/docs; a broken link fails
	@mkdir -p build && cmp -s requirements-docs.txt build/docs-venv/requirements.txt || { \
	  rm -rf build/docs-venv && $(BIN)/python -m venv build/docs-venv && \
	  build/docs-venv/bin/python -m pip install -qq --no-deps -r requirements-docs.txt && \
	  cp requirements-docs.txt build/docs-venv/requirements.txt; }
	@NO_MKDOCS_2_WARNING=1 build/docs-venv/bin/mkdocs build --strict
	@echo "The site is in build/docs."

screenshots: dev-packages browser  ## take the pictures of README.md and docs/tour.md anew
	@$(BIN)/python -m screenshots

backup: packages  ## write the whole installation into one file (FILE=…)
	@$(BIN)/python manage.py backup $(if $(FILE),"$(FILE)")

restore: packages  ## put a backup back: FILE=…, and REPLACE=1 if something is there
	@test -n "$(FILE)" || { echo "Which file? make restore FILE=…" >&2; exit 1; }
	@$(BIN)/python manage.py restore "$(FILE)" $(if $(REPLACE),--replace)

lock:  ## resolve requirements*.in into the pinned lists
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	grep -v '^gt-' requirements.in > build/lock/direct.txt
	grep '^gt-' requirements.in > build/lock/alone.txt
	grep -v '^-r' requirements-dev.in > build/lock/dev.txt
	build/lock/bin/python -m pip install -qq -r build/lock/direct.txt
	build/lock/bin/python -m pip install -qq --no-deps -r build/lock/alone.txt
	build/lock/bin/python -m pip uninstall -qq -y $(NOT_USED)
	build/lock/bin/python -m pip freeze | LC_ALL=C sort -f > requirements.txt
	build/lock/bin/python -m pip install -qq -r build/lock/dev.txt
	build/lock/bin/python -m pip freeze | LC_ALL=C sort -f > build/lock/all.txt
	grep -vxF -f requirements.txt build/lock/all.txt > requirements-dev.txt
	$(PYTHON) -m venv --clear build/lock
	build/lock/bin/python -m pip install -qq -r requirements-docs.in
	build/lock/bin/python -m pip freeze | LC_ALL=C sort -f > requirements-docs.txt
	rm -rf build/lock

venv:
	@test -n "$(PYTHON)" || { echo "Ebb needs Python 3.11 or newer; name one: make up PYTHON=…" >&2; exit 1; }
	@test -x $(BIN)/python && $(BIN)/python -m pip --version >/dev/null 2>&1 || .ci/make-venv "$(PYTHON)"

# A list is installed when it differs from the copy that was kept at the last installation.
packages: venv
	@cmp -s requirements.txt .venv/requirements.txt || { \
	  echo "Installing packages (first time: about a minute)…" && \
	  $(BIN)/python -m pip install -qq --no-deps -r requirements.txt && \
	  cp requirements.txt .venv/requirements.txt; }

dev-packages: packages
	@cmp -s requirements-dev.txt .venv/requirements-dev.txt || { \
	  echo "Installing packages for tests…" && \
	  $(BIN)/python -m pip install -qq --no-deps -r requirements-dev.txt && \
	  cp requirements-dev.txt .venv/requirements-dev.txt; }

browser: dev-packages
	@.ci/find-browser >/dev/null || true
